/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "ops/pictureop.h"

G_BEGIN_DECLS

/* How much each step between neighbouring rows and columns of one component
 * stands out, from which blockiness follows: kernels/blocks/cl_blocks.clh. A
 * result has guint64 sums of ratios, multiplied by 1 << (24 - depth): for each
 * column of the step to the next column, then for each row of the step to the
 * next row; 0 for the first three and the last four. */

/* The implementations; problems are GstClPictureShape of one component, io is
 * const GstClPictureInput *. Only the method AUTO has a nick. */
extern const GstClOpTable gst_cl_blocks_table;

/* Create and free a GstClPictureOp. A picture without samples is
 * CL_INVALID_VALUE. */
extern const GstClTieredFuncs gst_cl_blocks_tiered;

/* Waits for the read into @slot, and sets *@blockiness. FALSE with @error. Any
 * thread, one per slot. */
gboolean gst_cl_blocks_op_result (GstClPictureOp *op, guint slot,
    gdouble *blockiness, GError **error);

/* Returns the blockiness of FFmpeg's blockdetect, with its default periods 3 to
 * 24: how much greater the steps at the edges of blocks are than others, of the
 * period and direction where that is most; 0 without steps. @columns, @rows: a
 * result. Source: R. Muijs and I. Kirenko, "A no-reference blocking artifact
 * measure for adaptive video processing", EUSIPCO 2005. */
gdouble gst_cl_blockiness (const guint64 *columns, guint n_columns,
    const guint64 *rows, guint n_rows);

G_END_DECLS
