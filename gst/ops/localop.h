/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

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

/* @sum_bytes: of the sums that windows are taken from. */
GstClLocalOp *gst_cl_local_op_new (GstClContext *context,
    const GstClLocalMeanSpec *spec, guint sum_bytes, GError **error);
void gst_cl_local_op_free (GstClLocalOp *op);

/* Enqueues; results into @dst. */
gboolean gst_cl_local_op_run (GstClLocalOp *op, const GstClLocalOpInput *input,
    const GstClComponent *dst, GError **error);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (GstClLocalOp, gst_cl_local_op_free)

G_END_DECLS
