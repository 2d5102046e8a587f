/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "cl/context/gstclcontext.h"
#include "cl/video/gstclcomponent.h"
#include "localmeanproblem.h"
#include "window.h"

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

/* Tiles of the GPU kernels that slide windows, kernels/localmean/gpu.cl and
 * kernels/operation/gpu.cl: kernels/common/cl_windowtile.clh draws one. */

#define GST_CL_TILE_LANES         64  /* work-items across a tile */
#define GST_CL_TILE_WIDEST_WINDOW 188 /* leaves columns for results */

/* Results of a tile's row: about as many for each of those that make up a row
 * of @n_results. */
gint gst_cl_sliding_tile_results (const GstClWindow *window, gint n_results);

/* tile.x y z w of the kernels: results of a tile's row, strides of pixels from
 * and to in samples, bits for whole quads. @n_results: in a row of the frame.
 */
cl_int4 gst_cl_sliding_tile (const GstClSampleType *sample,
    const GstClWindow *window, gint n_results, const GstClComponent *src,
    gint src_pixel_stride_bytes, const GstClComponent *dst,
    gint dst_pixel_stride_bytes);

G_END_DECLS
