/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "ops/tieredop.h"
#include "localmeanproblem.h"

G_BEGIN_DECLS

/* Means of a window around the samples of one component, and operations on
 * these means. A mean is (sum + n / 2) / n in exact integers; n is the number
 * of samples in the window (SHRINK: of those inside the frame).
 * docs/cllocalmean.md describes the operations in the element's terms and
 * units. */

typedef enum {
  GST_CL_LOCAL_MEAN_METHOD_AUTO,
  GST_CL_LOCAL_MEAN_METHOD_DIRECT,     /* corners of an integral image, read
                                          straight from global memory */
  GST_CL_LOCAL_MEAN_METHOD_ASYNC_COPY, /* the four corner rows fetched into one
                                          local buffer, barrier-separated */
  GST_CL_LOCAL_MEAN_METHOD_SLIDING,    /* running sums; raw input only */
} GstClLocalMeanMethod;

/* Problems are GstClLocalMeanProblem, io is GstClLocalMeanIo.
 * gst_cl_local_mean_prebuild() builds programs for other windows, operations
 * and factors. */
extern const GstClOpTable gst_cl_local_mean_table;

/* Returns the candidate to create for @problem; see gst_cl_op_table_choose().
 * It depends neither on repeat nor on which of several similar operations the
 * problem has. The implementation is NULL if no row supports @method: SLIDING
 * does not support sums; if a window cannot slide, DIRECT is the fallback. */
GstClCandidate gst_cl_local_mean_choose (GstClContext *context, gint method,
    const GstClLocalMeanProblem *problem, gboolean may_measure, GError **error);

typedef struct _GstClLocalMeanOp GstClLocalMeanOp;

/* Creates an instance of @candidate, whose implementation supports @problem:
 * builds the kernels and allocates scratch memory (if an integral image is
 * needed, with sums wide enough for the window). NULL with @error. COPY
 * supports samples only; for sums use MEAN with a window of 1 x 1. If repeat is
 * above 1, both pixel strides are the same, and there are as many results as
 * samples. Any thread. */
GstClLocalMeanOp *gst_cl_local_mean_op_new (GstClContext *context,
    const GstClCandidate *candidate, const GstClLocalMeanProblem *problem,
    GError **error);
void gst_cl_local_mean_op_free (GstClLocalMeanOp *op);

/* Choose, create and free an op; problems are GstClLocalMeanProblem. */
extern const GstClTieredFuncs gst_cl_local_mean_tiered;

/* Enqueues the results of one component, whose size is
 * gst_cl_local_mean_result_size(). Only the samples of io->results are written,
 * no bytes between or beside them; results are clamped to the largest code.
 * Neither waits nor allocates. Not thread-safe. */
gboolean gst_cl_local_mean_op_run (GstClLocalMeanOp *op,
    const GstClLocalMeanIo *io, GError **error);

/* Builds the programs for all problems that differ from @problem only in
 * operation, factors and window except its border, so that later ops find them.
 * For COPY it builds only the programs of COPY, or of its replacement for an
 * integral image. Takes seconds if the programs are not cached on disk; returns
 * early, after the current program, once the thread's current GCancellable is
 * cancelled. A program that cannot be built is logged at INFO. Any thread. */
void gst_cl_local_mean_prebuild (GstClContext *context, gint method,
    const GstClLocalMeanProblem *problem);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (GstClLocalMeanOp, gst_cl_local_mean_op_free)

G_END_DECLS
