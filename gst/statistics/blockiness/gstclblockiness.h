/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

/* Results of detectors have blockiness as an integer, multiplied by this. */
#define GST_CL_BLOCKINESS_ONE (1 << 20)

/* Returns the mean of @n_frames frames, the sum of whose blockiness, times
 * GST_CL_BLOCKINESS_ONE, is @units; 0 without frames. */
static inline gdouble
gst_cl_blockiness_mean (guint64 units, guint64 n_frames)
{
  return n_frames > 0 ? (gdouble) units / n_frames / GST_CL_BLOCKINESS_ONE
                      : 0.0;
}

G_END_DECLS
