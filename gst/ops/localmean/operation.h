/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "cl/context/gstclkernel.h"
#include "localmeanproblem.h"
#include "ops/implementation.h"

G_BEGIN_DECLS

/* Arguments and memory that kernels of operations have in common. */

typedef struct {
  GstClArg args[24];
  guint n;
} GstClOperationArgs;

void gst_cl_operation_add (GstClOperationArgs *arguments, GstClArg arg);

/* Adds where samples lie. */
void gst_cl_operation_add_samples (GstClOperationArgs *arguments,
    const GstClComponent *src);

/* Adds frame and window of kernels that slide. @row_length: frame.z, elements
 * of a row of scratch, 0 without. */
void gst_cl_operation_add_window (GstClOperationArgs *arguments,
    const GstClLocalMeanProblem *problem, gint row_length);

/* Adds RESULTS_ARGUMENTS of kernels/operation/plain.cl: the results and the
 * factors of @io. */
void gst_cl_operation_add_results (GstClOperationArgs *arguments,
    const GstClLocalMeanProblem *problem, const GstClLocalMeanIo *io);

/* WOLF: largest deviation and smallest code of a frame, on the device. */
typedef struct _GstClOperationExtremes GstClOperationExtremes;

/* @clear and @find: the kernels that reset them before each frame, and that
 * find them in it; transfer full. NULL stands for one that is not built, with
 * @error set. */
GstClOperationExtremes *gst_cl_operation_extremes_new (GstClContext *context,
    GstClKernel *clear, GstClKernel *find, GError **error);
void gst_cl_operation_extremes_free (GstClOperationExtremes *extremes);

/* Enqueues both kernels. @find runs as @x times @y work-items and takes
 * @arguments, then the extremes. */
gboolean gst_cl_operation_extremes_find (GstClOperationExtremes *extremes,
    GstClOperationArgs arguments, gsize x, gsize y, GError **error);
GstClArg gst_cl_operation_extremes_arg (const GstClOperationExtremes *extremes);

G_END_DECLS
