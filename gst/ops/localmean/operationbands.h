/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "ops/implementation.h"
#include "localmeanproblem.h"

G_BEGIN_DECLS

/* Operations on a CPU by bands of rows: straight from samples by running sums,
 * those on the mean in 1/256 of a code and on the deviation; or all of them
 * from integral images. */

/* fits() of GstClLocalMeanRow on samples, for operations that start from sums:
 * an anchor within the window, sums of the window's samples below 2^31, with
 * samples of 8 bits also sums of their squared distances from the mean. */
gboolean gst_cl_operation_sliding_cpu_fits (
    const GstClLocalMeanProblem *problem);

/* fits() of GstClLocalMeanRow on integral images, whose samples may be larger
 * than the codes of results: at most 2^15 samples in a window, 2^14 across. */
gboolean gst_cl_operation_bands_fit (const GstClLocalMeanProblem *problem);

/* TRUE if the kernels of both count finely enough for the factors; FALSE has
 * its reason in k or target. */
gboolean gst_cl_operation_bands_take_factors (
    const GstClLocalMeanFactors *factors);

/* create(), run() and free() of GstClImplementation, by the kernel that the
 * row's data names. Value 0 of the tuning: bands in hundredths of the usual
 * number, 0: that. run() takes samples. */
gpointer gst_cl_operation_sliding_cpu_new (GstClContext *context,
    const GstClCandidate *candidate, gconstpointer problem, GError **error);
gboolean gst_cl_operation_sliding_cpu_run (gpointer self, gconstpointer io,
    GError **error);

/* run() takes sums, and squares where the operation needs them. */
gpointer gst_cl_operation_bands_new (GstClContext *context,
    const GstClCandidate *candidate, gconstpointer problem, GError **error);
gboolean gst_cl_operation_bands_run (gpointer self, gconstpointer io,
    GError **error);

/* Frees what the two made. */
void gst_cl_operation_bands_free (gpointer self);

G_END_DECLS
