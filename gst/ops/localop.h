/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "cl/gstclkernel.h"
#include "localmean.h"

G_BEGIN_DECLS

/* The operations other than MEAN and COPY: from samples, and what is known of
 * the windows around them, to results. Part of GstClLocalMeanOp. */
typedef struct _GstClLocalOp GstClLocalOp;

/* What there is to work on. */
typedef struct {
  const GstClComponent *samples; /* NULL: the sums' own */
  const GstClComponent *means;   /* rounded, one a result, tightly packed;
                                    NULL: of sums */
  const GstClSums *sums;
  const GstClSums *squares; /* where the operation needs them */
  gint channel;             /* of both */
} GstClLocalOpInput;

/* TRUE if @operation starts from the rounded mean: GstClLocalOpInput.means. */
gboolean gst_cl_local_op_takes_means (GstClLocalMeanOperation operation);

/* @family: kernels for CPUs, where there are such, or for any device;
 * @sum_bytes: of the sums that windows are taken from. */
GstClLocalOp *gst_cl_local_op_new (GstClContext *context, GstClFamily family,
    const GstClLocalMeanSpec *spec, guint sum_bytes, GError **error);
void gst_cl_local_op_free (GstClLocalOp *op);

/* Enqueues; results into @dst. */
gboolean gst_cl_local_op_run (GstClLocalOp *op, const GstClLocalOpInput *input,
    const GstClComponent *dst, GError **error);

/* --- for all kernels of operations ----------------------------------------- */

typedef struct {
  GstClArg args[24];
  guint n;
} GstClLocalOpArgs;

void gst_cl_local_op_add (GstClLocalOpArgs *arguments, GstClArg arg);

/* Where samples lie. */
void gst_cl_local_op_add_samples (GstClLocalOpArgs *arguments,
    const GstClComponent *src);

/* Frame and window of kernels that slide. @row_length: frame.z, elements of a row
 * of scratch, 0 without. */
void gst_cl_local_op_add_window (GstClLocalOpArgs *arguments,
    const GstClLocalMeanSpec *spec, gint row_length);

/* RESULTS_ARGUMENTS of kernels/localop.cl. */
void gst_cl_local_op_add_results (GstClLocalOpArgs *arguments,
    const GstClLocalMeanSpec *spec, const GstClComponent *dst);

/* WOLF: largest deviation and smallest code of a frame, on the device. */
typedef struct _GstClLocalOpExtremes GstClLocalOpExtremes;

/* @clear: the kernel that does what comes before each frame; transfer full. NULL
 * stands for one that failed to build. */
GstClLocalOpExtremes *gst_cl_local_op_extremes_new (GstClContext *context,
    GstClKernel *clear, GError **error);
void gst_cl_local_op_extremes_free (GstClLocalOpExtremes *extremes);

/* Enqueues it. */
gboolean gst_cl_local_op_extremes_clear (GstClLocalOpExtremes *extremes,
    GError **error);
GstClArg gst_cl_local_op_extremes_arg (const GstClLocalOpExtremes *extremes);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (GstClLocalOp, gst_cl_local_op_free)

G_END_DECLS
