/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "ops/localmean/localmean.h"

G_BEGIN_DECLS

/* The operations other than MEAN and COPY straight from samples of 8 bits, by
 * running sums on a GPU: no integral image. Part of GstClLocalMeanOp. */
typedef struct _GstClOperationSliding GstClOperationSliding;

/* TRUE if an instance serves @spec: samples of 8 bits, step 1 down the frame, a
 * window of at most 188 samples across that holds its own sample (but for
 * VALID), whose sums, and squares where the operation needs them, fit 32 bits. */
gboolean gst_cl_operation_sliding_takes (const GstClLocalMeanSpec *spec);

/* The spec must be one that it takes. */
GstClOperationSliding *gst_cl_operation_sliding_new (GstClContext *context,
    const GstClLocalMeanSpec *spec, GError **error);
void gst_cl_operation_sliding_free (GstClOperationSliding *op);

/* Enqueues; results into @dst. */
gboolean gst_cl_operation_sliding_run (GstClOperationSliding *op,
    const GstClComponent *src, const GstClComponent *dst, GError **error);

G_END_DECLS
