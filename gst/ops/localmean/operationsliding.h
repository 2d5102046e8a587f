/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "ops/implementation.h"
#include "localmeanproblem.h"

G_BEGIN_DECLS

/* The operations other than MEAN and COPY straight from samples of 8 bits, by
 * running sums on a GPU: no integral image. fits() of GstClLocalMeanRow, and
 * resolve(), create(), run() and free() of GstClImplementation. */

/* TRUE for samples of 8 bits, step 1 down the frame, a window of at most
 * GST_CL_TILE_WIDEST_WINDOW samples across that (but for VALID) holds its own
 * sample, and whose sums, and squares where the operation needs them, fit 32
 * bits. */
gboolean gst_cl_operation_sliding_gpu_fits (
    const GstClLocalMeanProblem *problem);

/* Value 0 is the rows of results that a work-item takes; there are no other
 * tunings. */
void gst_cl_operation_sliding_gpu_resolve (gconstpointer problem,
    const GstClDevice *device, const GstClTuning *tuning, guint *values);
gpointer gst_cl_operation_sliding_gpu_new (GstClContext *context,
    const GstClCandidate *candidate, gconstpointer problem, GError **error);

/* Takes samples. */
gboolean gst_cl_operation_sliding_gpu_run (gpointer self, gconstpointer io,
    GError **error);
void gst_cl_operation_sliding_gpu_free (gpointer self);

G_END_DECLS
