/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "flash.h"

G_BEGIN_DECLS

/* GstClOpTable.answers and so on: flashanswers.c. */
#define GST_CL_FLASH_N_ANSWERS 2
extern const GstClAnswer gst_cl_flash_answers[GST_CL_FLASH_N_ANSWERS];
gboolean gst_cl_flash_is_alike (gconstpointer answered, gconstpointer problem);
gboolean gst_cl_flash_compute_answer (GstClContext *context,
    const GstClCandidate *candidate, gconstpointer answered, guint64 *digest,
    GError **error);

/* Adds the sums and the tiles of a picture to @digest. */
guint64 gst_cl_flash_digest (guint64 digest, const GstClFlashCounts *counts);

G_END_DECLS
