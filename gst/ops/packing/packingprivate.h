/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "packing.h"

G_BEGIN_DECLS

/* GstClOpTable.answers and so on: packinganswers.c. */
#define GST_CL_PACKING_N_ANSWERS 4
extern const GstClAnswer gst_cl_packing_answers[GST_CL_PACKING_N_ANSWERS];
gboolean gst_cl_packing_is_alike (gconstpointer answered,
    gconstpointer problem);
gboolean gst_cl_packing_compute_answer (GstClContext *context,
    const GstClCandidate *candidate, gconstpointer answered, guint64 *digest,
    GError **error);

/* Sets @info to the frames of @answered, the problem of an answer. */
void gst_cl_packing_answer_info (gconstpointer answered, GstVideoInfo *info);

G_END_DECLS
