/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "cl/context/gstclcontext.h"
#include "localmeanproblem.h"

G_BEGIN_DECLS

/* Windows that slide down bands of rows on a CPU:
 * kernels/common/cl_sliding.clh. The rows around a band are summed up once more
 * for it. */

/* Bands for the results of @problem. @percent: hundredths of the usual number;
 * 0: that. */
gint gst_cl_sliding_bands (const GstClDevice *device,
    const GstClLocalMeanProblem *problem, guint percent);

/* Scratch for @n_bands bands of a frame of @width samples a row, with room for
 * windows of @widest_window samples; *row_length receives the elements of a row
 * of it. NULL with @error; to be freed by gst_cl_buffer_free(). */
cl_mem gst_cl_sliding_scratch (GstClContext *context, gint width,
    gint widest_window, gint n_bands, gint *row_length, GError **error);

G_END_DECLS
