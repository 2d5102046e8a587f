/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "localmean.h"
#include "localmeansliding.h"
#include "ops/sample.h"

G_BEGIN_DECLS

/* What the parts of GstClLocalMeanOp share: how kernels see a spec, and sums. */

/* TRUE if @variant makes the results of @spec by sliding windows, FALSE if by the
 * corners of sums; not for copies. */
gboolean gst_cl_local_mean_slides (const GstClImplementation *variant,
    const GstClLocalMeanSpec *spec);

/* TRUE if it makes the means so; if one kernel goes so from samples to the results
 * of the operation. */
gboolean gst_cl_local_mean_slides_means (const GstClImplementation *variant,
    const GstClLocalMeanSpec *spec);
gboolean gst_cl_local_mean_slides_operation (const GstClImplementation *variant,
    const GstClLocalMeanSpec *spec);

/* The means of @spec as sliding windows make them. */
GstClLocalMeanSlidingSpec gst_cl_local_mean_sliding_spec (
    const GstClImplementation *variant, const GstClLocalMeanSpec *spec);

/* -D options of a component's samples and borders; @sum_bytes: of the sums that
 * windows are taken from. transfer full. */
gchar *gst_cl_local_mean_options (const GstClLocalMeanSpec *spec,
    guint sum_bytes);

/* The code of a sample with all bits of its depth set. */
guint gst_cl_local_mean_largest_code (const GstClLocalMeanSpec *spec);

/* Size of the results. */
void gst_cl_local_mean_results (const GstClLocalMeanSpec *spec, gint *width,
    gint *height);

/* grid.x y z w of the kernels: size of the results of a component of @width x
 * @height samples, steps. */
cl_int4 gst_cl_local_mean_grid (const GstClWindow *window, gint width,
    gint height);

/* window.x y z w: size, and anchors of windows that start at the result. */
cl_int4 gst_cl_local_mean_window (const GstClWindow *window);

/* Sums of one channel, whatever their layout: S(1, 1) and what follows it. */
typedef struct {
  gsize first_sum;  /* S(1, 1), in sums from the buffer's start */
  gsize first_word; /* the same in bytes / 4 */
  cl_int4 size; /* frame.x y z w: samples each way; sums from row to row, and
                       from one of the channel to the next */
} GstClLocalMeanFrame;

GstClLocalMeanFrame gst_cl_local_mean_frame (const GstClSums *sums,
    gint channel);

/* Work-items that share @n_rows rows of results on a CPU. */
gsize gst_cl_local_mean_bands (const GstClDevice *device, gint n_rows);

/* --- means by an integral image's corners ---------------------------------- */

typedef struct _GstClLocalMeanCorners GstClLocalMeanCorners;

/* @variant: a row that takes sums; @sum_bytes, @channels: of the sums to come. */
GstClLocalMeanCorners *gst_cl_local_mean_corners_new (GstClContext *context,
    const GstClImplementation *variant, const GstClLocalMeanSpec *spec,
    guint sum_bytes, gint channels, GError **error);
void gst_cl_local_mean_corners_free (GstClLocalMeanCorners *self);

/* Enqueues the means into @dst. */
gboolean gst_cl_local_mean_corners_run (GstClLocalMeanCorners *self,
    const GstClSums *sums, gint channel, const GstClComponent *dst,
    GError **error);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (GstClLocalMeanCorners,
    gst_cl_local_mean_corners_free)

/* --- copies ---------------------------------------------------------------- */

typedef struct _GstClLocalMeanCopy GstClLocalMeanCopy;

/* @family: kernels for CPUs, or for any device. */
GstClLocalMeanCopy *gst_cl_local_mean_copy_new (GstClContext *context,
    GstClFamily family, const GstClLocalMeanSpec *spec, GError **error);
void gst_cl_local_mean_copy_free (GstClLocalMeanCopy *self);

/* Enqueues the copy of the samples that results belong to. */
gboolean gst_cl_local_mean_copy_run (GstClLocalMeanCopy *self,
    const GstClComponent *src, const GstClComponent *dst, GError **error);

G_END_DECLS
