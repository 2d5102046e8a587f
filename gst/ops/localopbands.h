/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "localmean.h"

G_BEGIN_DECLS

/* Operations on the mean in 1/256 of a code and on the deviation straight from
 * samples, by running sums on a CPU: no integral image. Part of
 * GstClLocalMeanOp. */
typedef struct _GstClLocalOpBands GstClLocalOpBands;

/* TRUE if there is a form for @spec: an anchor within the window, sums of the
 * window's samples below 2^31, of 8 bits also of their squared distances from the
 * mean. */
gboolean gst_cl_local_op_bands_takes (const GstClLocalMeanSpec *spec);

GstClLocalOpBands *gst_cl_local_op_bands_new (GstClContext *context,
    const GstClLocalMeanSpec *spec, GError **error);
void gst_cl_local_op_bands_free (GstClLocalOpBands *self);

/* Enqueues; results of @src into @dst. */
gboolean gst_cl_local_op_bands_run (GstClLocalOpBands *self,
    const GstClComponent *src, const GstClComponent *dst, GError **error);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (GstClLocalOpBands, gst_cl_local_op_bands_free)

G_END_DECLS
