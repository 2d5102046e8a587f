/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "cl/video/gstclcomponent.h"
#include "cl/context/gstclcontext.h"
#include "ops/window/window.h"

G_BEGIN_DECLS

/* Means of a window straight from samples, by running sums: no integral image.
 * (sum + n / 2) / n as in localmean.h. */

/* What an instance is built for. All of the window but its border may change
 * from run to run. */
typedef struct {
  GstClFamily family; /* kernels: those for CPUs, else those for GPUs */
  GstClSampleType sample;
  gint src_pixel_stride_bytes, dst_pixel_stride_bytes;
  gint width, height;  /* of the input component, in samples */
  GstClWindow window;  /* the first one; its border is every one's */
  guint bands_percent; /* on a CPU, of the usual number of bands; 0: that */
} GstClLocalMeanSlidingSpec;

typedef struct _GstClLocalMeanSliding GstClLocalMeanSliding;

/* TRUE if an instance of @spec takes @window: its border is that of the spec;
 * both sizes are below 2^15; its samples sum up below 2^32; but for VALID the
 * anchor lies within. On a CPU it is no
 * wider than the wider of the frame and the first window, which scratch was
 * sized for; on a GPU it is at most 188 samples wide, so that a tile's columns
 * hold it and leave room for results. */
gboolean gst_cl_local_mean_sliding_takes (const GstClLocalMeanSlidingSpec *spec,
    const GstClWindow *window);

/* Builds the kernels and allocates scratch. The spec must take its own
 * window. */
GstClLocalMeanSliding *gst_cl_local_mean_sliding_new (GstClContext *context,
    const GstClLocalMeanSlidingSpec *spec, GError **error);
void gst_cl_local_mean_sliding_free (GstClLocalMeanSliding *self);

/* Enqueues the means of @window around the samples of @src into @dst, whose
 * size is that of gst_cl_window_results(). Only the samples of @dst are
 * written. Waits for nothing, allocates nothing and builds nothing. */
gboolean gst_cl_local_mean_sliding_run (GstClLocalMeanSliding *self,
    const GstClComponent *src, const GstClComponent *dst,
    const GstClWindow *window, GError **error);

/* What sliding on a CPU shares with other operations: bands of rows for @n_results
 * rows of results of a frame of @height rows, @percent of the usual ones (0: those),
 * and scratch for @n_bands of them,
 * rows of *row_length elements (kernels/common/cl_sliding.clh). NULL on
 * failure. */
gint gst_cl_local_mean_sliding_bands (const GstClDevice *device,
    const GstClWindow *window, guint percent, gint height, gint n_results);
cl_mem gst_cl_local_mean_sliding_scratch (GstClContext *context, gint width,
    gint widest_window, gint n_bands, gint *row_length, GError **error);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (GstClLocalMeanSliding,
    gst_cl_local_mean_sliding_free)

G_END_DECLS
