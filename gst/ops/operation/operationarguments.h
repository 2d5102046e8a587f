/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "cl/context/gstclkernel.h"
#include "ops/window/localmeanproblem.h"

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

/* Adds RESULTS_ARGUMENTS of kernels/operation/plain.cl. */
void gst_cl_operation_add_results (GstClOperationArgs *arguments,
    const GstClLocalMeanProblem *problem, const GstClComponent *dst);

/* WOLF: largest deviation and smallest code of a frame, on the device. */
typedef struct _GstClOperationExtremes GstClOperationExtremes;

/* @clear: the kernel that resets them before each frame; transfer full. NULL
 * stands for one that failed to build, with its error set. */
GstClOperationExtremes *gst_cl_operation_extremes_new (GstClContext *context,
    GstClKernel *clear, GError **error);
void gst_cl_operation_extremes_free (GstClOperationExtremes *extremes);

/* Enqueues the reset. */
gboolean gst_cl_operation_extremes_clear (GstClOperationExtremes *extremes,
    GError **error);
GstClArg gst_cl_operation_extremes_arg (const GstClOperationExtremes *extremes);

G_END_DECLS
