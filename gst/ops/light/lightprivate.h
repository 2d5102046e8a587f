/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "light.h"

G_BEGIN_DECLS

/* GstClOpTable.answers and so on: lightanswers.c. */
#define GST_CL_LIGHT_N_ANSWERS 2
extern const GstClAnswer gst_cl_light_answers[GST_CL_LIGHT_N_ANSWERS];
gboolean gst_cl_light_is_alike (gconstpointer answered, gconstpointer problem);
gboolean gst_cl_light_compute_answer (GstClContext *context,
    const GstClCandidate *candidate, gconstpointer answered, guint64 *digest,
    GError **error);

/* Adds the numbers of a picture to @digest. */
guint64 gst_cl_light_digest (guint64 digest, const GstClLightCounts *counts);

G_END_DECLS
