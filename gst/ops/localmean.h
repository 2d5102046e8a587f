/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "cl/gstclcomponent.h"
#include "variant.h"
#include "window.h"

G_BEGIN_DECLS

/* Means of a window around the samples of one component:
 * (sum + n / 2) / n, n being the samples of the window (SHRINK: those inside
 * the frame), in exact integers. */

typedef enum {
  GST_CL_LOCAL_MEAN_METHOD_AUTO,
  GST_CL_LOCAL_MEAN_METHOD_DIRECT,     /* corners of an integral image, read
                                          straight from global memory */
  GST_CL_LOCAL_MEAN_METHOD_ASYNC_COPY, /* the four corner rows fetched into one
                                          local buffer, barrier-separated */
  GST_CL_LOCAL_MEAN_METHOD_SLIDING,    /* running sums; raw input only */
} GstClLocalMeanMethod;

typedef enum {
  GST_CL_LOCAL_MEAN_OPERATION_MEAN,
  GST_CL_LOCAL_MEAN_OPERATION_COPY, /* the sample that the result belongs to */
} GstClLocalMeanOperation;

/* What an op instance is built for; all of it is fixed at construction. */
typedef struct {
  GstClLocalMeanOperation operation;
  GstClWindow window;
  gint width, height;          /* of the input component, in samples */
  gint src_pixel_stride_bytes; /* raw input only */
  gint dst_pixel_stride_bytes;

  /* TRUE: the input is an integral image of this form, else raw samples */
  gboolean from_sums;
  GstClLayout layout;
  gint channels;
  guint sum_bytes;
} GstClLocalMeanSpec;

typedef struct _GstClLocalMeanOp GstClLocalMeanOp;

/* The table of variants; *n_rows receives its length. */
const GstClOpVariant *gst_cl_local_mean_variants (guint *n_rows);

/* FALSE for rows that take samples only, not integral images. */
gboolean gst_cl_local_mean_takes_sums (const GstClOpVariant *variant);

/* The row that serves @method (AUTO: any) best on @device, for the input and
 * window of @spec. NULL if none does: SLIDING has no use for sums. */
const GstClOpVariant *gst_cl_local_mean_choose (gint method,
    const GstClLocalMeanSpec *spec, const GstClDevice *device);

/* Builds the kernels of @variant and allocates scratch (for raw input an
 * integral image of the component, wide enough for the window's sums).
 * COPY serves raw input only; from sums use MEAN with a 1 x 1 window. Copies,
 * and windows that gst_cl_local_mean_sliding_takes() does not, go the way of
 * DIRECT where @variant is for SLIDING. */
GstClLocalMeanOp *gst_cl_local_mean_op_new (GstClContext *context,
    const GstClOpVariant *variant, const GstClLocalMeanSpec *spec,
    GError **error);
void gst_cl_local_mean_op_free (GstClLocalMeanOp *op);

/* Enqueues the means of @src into @dst, whose size is that of
 * gst_cl_window_results(). Only the samples of @dst are written, no byte
 * between or beside them. Waits for nothing and allocates nothing. */
gboolean gst_cl_local_mean_op_run (GstClLocalMeanOp *op,
    const GstClComponent *src, const GstClComponent *dst, GError **error);

/* The same from channel @channel of an integral image (spec.from_sums).
 * Results above 255 become 255. */
gboolean gst_cl_local_mean_op_run_sums (GstClLocalMeanOp *op,
    const GstClSums *src, gint channel, const GstClComponent *dst,
    GError **error);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (GstClLocalMeanOp, gst_cl_local_mean_op_free)

G_END_DECLS
