/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "blocks.h"

G_BEGIN_DECLS

/* GstClOpTable.answers and so on: blocksanswers.c. */
#define GST_CL_BLOCKS_N_ANSWERS 2
extern const GstClAnswer gst_cl_blocks_answers[GST_CL_BLOCKS_N_ANSWERS];
gboolean gst_cl_blocks_is_alike (gconstpointer answered, gconstpointer problem);
gboolean gst_cl_blocks_compute_answer (GstClContext *context,
    const GstClCandidate *candidate, gconstpointer answered, guint64 *digest,
    GError **error);

G_END_DECLS
