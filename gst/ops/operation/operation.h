/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "cl/context/gstclkernel.h"
#include "ops/localmean/localmean.h"

G_BEGIN_DECLS

/* The operations other than MEAN and COPY: from samples, and what is known of
 * the windows around them, to results. Part of GstClLocalMeanOp. */
typedef struct _GstClOperation GstClOperation;

/* What there is to work on. */
typedef struct {
  const GstClComponent *samples; /* NULL: the sums' own */
  const GstClComponent *means;   /* rounded, one a result, tightly packed;
                                    NULL: of sums */
  const GstClSums *sums;
  const GstClSums *squares; /* where the operation needs them */
  gint channel;             /* of both */
} GstClOperationInput;

/* TRUE if @operation starts from the rounded mean: GstClOperationInput.means. */
gboolean gst_cl_operation_takes_means (GstClLocalMeanOperation operation);

/* @family: kernels for CPUs, where there are such, or for any device;
 * @sum_bytes: of the sums that windows are taken from. */
GstClOperation *gst_cl_operation_new (GstClContext *context, GstClFamily family,
    const GstClLocalMeanSpec *spec, guint sum_bytes, GError **error);
void gst_cl_operation_free (GstClOperation *op);

/* Enqueues; results into @dst. */
gboolean gst_cl_operation_run (GstClOperation *op,
    const GstClOperationInput *input, const GstClComponent *dst,
    GError **error);

/* --- for all kernels of operations ----------------------------------------- */

typedef struct {
  GstClArg args[24];
  guint n;
} GstClOperationArgs;

void gst_cl_operation_add (GstClOperationArgs *arguments, GstClArg arg);

/* Where samples lie. */
void gst_cl_operation_add_samples (GstClOperationArgs *arguments,
    const GstClComponent *src);

/* Frame and window of kernels that slide. @row_length: frame.z, elements of a row
 * of scratch, 0 without. */
void gst_cl_operation_add_window (GstClOperationArgs *arguments,
    const GstClLocalMeanSpec *spec, gint row_length);

/* RESULTS_ARGUMENTS of kernels/operation/plain.cl. */
void gst_cl_operation_add_results (GstClOperationArgs *arguments,
    const GstClLocalMeanSpec *spec, const GstClComponent *dst);

/* WOLF: largest deviation and smallest code of a frame, on the device. */
typedef struct _GstClOperationExtremes GstClOperationExtremes;

/* @clear: the kernel that does what comes before each frame; transfer full. NULL
 * stands for one that failed to build. */
GstClOperationExtremes *gst_cl_operation_extremes_new (GstClContext *context,
    GstClKernel *clear, GError **error);
void gst_cl_operation_extremes_free (GstClOperationExtremes *extremes);

/* Enqueues it. */
gboolean gst_cl_operation_extremes_clear (GstClOperationExtremes *extremes,
    GError **error);
GstClArg gst_cl_operation_extremes_arg (const GstClOperationExtremes *extremes);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (GstClOperation, gst_cl_operation_free)

G_END_DECLS
