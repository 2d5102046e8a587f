/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "ops/implementation.h"
#include "localmeanproblem.h"

G_BEGIN_DECLS

/* Means of a window around the samples of one component:
 * (sum + n / 2) / n, n being the samples of the window (SHRINK: those inside
 * the frame), in exact integers; and what follows from them. In the element's
 * terms and units: docs/cllocalmean.md. */

typedef enum {
  GST_CL_LOCAL_MEAN_METHOD_AUTO,
  GST_CL_LOCAL_MEAN_METHOD_DIRECT,     /* corners of an integral image, read
                                          straight from global memory */
  GST_CL_LOCAL_MEAN_METHOD_ASYNC_COPY, /* the four corner rows fetched into one
                                          local buffer, barrier-separated */
  GST_CL_LOCAL_MEAN_METHOD_SLIDING,    /* running sums; raw input only */
} GstClLocalMeanMethod;

/* Problems are GstClLocalMeanProblem, io is GstClLocalMeanIo. For another
 * window, operation or factors gst_cl_local_mean_prebuild() builds programs. */
extern const GstClOpTable gst_cl_local_mean_table;

/* The candidate to make for @problem, as gst_cl_op_table_choose() says; it
 * depends neither on repeat nor on which of similar operations is asked for.
 * The implementation is NULL if none serves @method: SLIDING has no use for
 * sums; where a window cannot slide, DIRECT stands in for it. */
GstClCandidate gst_cl_local_mean_choose (GstClContext *context, gint method,
    const GstClLocalMeanProblem *problem, gboolean may_measure, GError **error);

typedef struct _GstClLocalMeanOp GstClLocalMeanOp;

/* An instance of @candidate, whose implementation supports @problem: builds the
 * kernels and allocates scratch memory (where there is need of an integral
 * image, one wide enough for the window's sums). NULL with @error. COPY serves
 * samples only; from sums take MEAN with a window of 1 x 1. With repeat above 1
 * both pixel strides are the same, results as many as samples. Any thread. */
GstClLocalMeanOp *gst_cl_local_mean_op_new (GstClContext *context,
    const GstClCandidate *candidate, const GstClLocalMeanProblem *problem,
    GError **error);
void gst_cl_local_mean_op_free (GstClLocalMeanOp *op);

/* Enqueues the results of one component, whose size is that of
 * gst_cl_local_mean_result_size(). Only the samples of io->results are written,
 * no byte between or beside them; those above the largest code become that.
 * Waits for nothing and allocates nothing. Not for two threads at once. */
gboolean gst_cl_local_mean_op_run (GstClLocalMeanOp *op,
    const GstClLocalMeanIo *io, GError **error);

/* Builds the programs that a problem may need which differs from @problem in
 * operation and numbers, in the window but for its border, in nothing else:
 * afterwards ops of such problems find what they need. COPY is another matter
 * than the rest: what it needs, or takes its place for an integral image. Takes
 * seconds where nothing is kept on disk; ends early, after the program at hand,
 * once the thread's current GCancellable is cancelled. What cannot be built is
 * told at INFO. Any thread. */
void gst_cl_local_mean_prebuild (GstClContext *context, gint method,
    const GstClLocalMeanProblem *problem);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (GstClLocalMeanOp, gst_cl_local_mean_op_free)

G_END_DECLS
