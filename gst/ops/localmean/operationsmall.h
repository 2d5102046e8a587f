/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "ops/implementation.h"
#include "localmeanproblem.h"

G_BEGIN_DECLS

/* MEAN, DIFFERENCE and MEAN_C of small windows on a GPU, in registers alone.
 * fits() of GstClLocalMeanRow, and create(), run() and free() of
 * GstClImplementation. Creating builds the kernels of all such windows with the
 * border of the problem, so that another window finds its program. */

/* TRUE for windows of 3 x 3, 5 x 5 and 7 x 7 samples of 8 bits around each
 * sample, with any border but VALID, of planes whose samples follow each
 * other. */
gboolean gst_cl_operation_small_gpu_fits (const GstClLocalMeanProblem *problem);

gpointer gst_cl_operation_small_gpu_new (GstClContext *context,
    const GstClCandidate *candidate, gconstpointer problem, GError **error);

/* Takes samples. */
gboolean gst_cl_operation_small_gpu_run (gpointer self, gconstpointer io,
    GError **error);
void gst_cl_operation_small_gpu_free (gpointer self);

G_END_DECLS
