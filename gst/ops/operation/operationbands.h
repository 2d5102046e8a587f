/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "operation.h"

G_BEGIN_DECLS

/* Operations on a CPU: straight from samples by running sums, those on the mean
 * in 1/256 of a code and on the deviation; or all of them from integral images,
 * row by row. Part of GstClLocalMeanOp. */
typedef struct _GstClOperationBands GstClOperationBands;

/* TRUE if there is a form for @spec from samples: an anchor within the window,
 * sums of the window's samples below 2^31, of 8 bits also of their squared
 * distances from the mean. */
gboolean gst_cl_operation_bands_takes (const GstClLocalMeanSpec *spec);

/* The same from integral images, whose samples may be larger than the results'
 * codes: at most 2^15 samples in a window, 2^14 across. Not what starts from rounded
 * means, unless @spec is from sums itself: samples' are made sooner without. */
gboolean gst_cl_operation_bands_takes_sums (const GstClLocalMeanSpec *spec);

/* @sum_bytes: of the integral image's sums that it is run on; 0: on samples. */
GstClOperationBands *gst_cl_operation_bands_new (GstClContext *context,
    const GstClLocalMeanSpec *spec, guint sum_bytes, GError **error);
void gst_cl_operation_bands_free (GstClOperationBands *self);

/* Enqueues; results into @dst. Rounded means are of no use to it. */
gboolean gst_cl_operation_bands_run (GstClOperationBands *self,
    const GstClOperationInput *input, const GstClComponent *dst,
    GError **error);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (GstClOperationBands, gst_cl_operation_bands_free)

G_END_DECLS
