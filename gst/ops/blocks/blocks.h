/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "cl/video/gstclcomponent.h"
#include "ops/tieredop.h"

G_BEGIN_DECLS

/* How much each step between neighbouring rows and columns of one component
 * stands out, from which blockiness follows: kernels/blocks/cl_blocks.clh. */

/* The problem that an instance is built for. Later frames have the same pixel
 * stride and sample type, and are not larger. Memory, offsets and strides are
 * ignored. */
typedef struct {
  GstClComponent shape;
} GstClBlocksProblem;

/* The implementations; problems are GstClBlocksProblem, io is a component of a
 * frame, const GstClComponent *. Only the method AUTO has a nick. */
extern const GstClOpTable gst_cl_blocks_table;

/* Sums of ratios, multiplied by 1 << (24 - depth): for each column of the step
 * to the next column, for each row of the step to the next row; 0 for the first
 * three and the last four. Arrays are borrowed. */
typedef struct {
  guint n_columns, n_rows;
  const guint64 *columns, *rows;
} GstClBlockSums;

typedef struct _GstClBlocksOp GstClBlocksOp;

/* create() and free() of all rows. Creates a GstClBlocksOp of @candidate. NULL
 * with @error; transfer full. */
gpointer gst_cl_blocks_op_new (GstClContext *context,
    const GstClCandidate *candidate, gconstpointer problem, GError **error);
void gst_cl_blocks_op_free (gpointer op);

/* Create and free an op; problems are GstClBlocksProblem. */
extern const GstClTieredFuncs gst_cl_blocks_tiered;

/* Enqueues one frame; @component has samples. Neither waits nor allocates.
 * FALSE with CL_INVALID_VALUE if it is larger than that of the problem or has
 * another pixel stride. */
gboolean gst_cl_blocks_op_run (gpointer op, gconstpointer component,
    GError **error);

/* The maximum number of results in flight. */
#define GST_CL_BLOCKS_SLOTS 64

/* Enqueues the read of the last run's results into @slot (below
 * GST_CL_BLOCKS_SLOTS). Does not wait; other runs may follow. */
gboolean gst_cl_blocks_op_fetch (GstClBlocksOp *op, guint slot, GError **error);

/* Waits for the read into @slot. The arrays of @sums stay valid until the next
 * read into the slot. Any thread, one per slot. */
gboolean gst_cl_blocks_op_result (GstClBlocksOp *op, guint slot,
    GstClBlockSums *sums, GError **error);

/* Returns the blockiness of FFmpeg's blockdetect, with its default periods 3 to
 * 24: how much greater the steps at the edges of blocks are than others, of the
 * period and direction where that is most; 0 without steps. Arguments are the
 * members of GstClBlockSums. Source: R. Muijs and I. Kirenko, "A no-reference
 * blocking artifact measure for adaptive video processing", EUSIPCO 2005. */
gdouble gst_cl_blockiness (const guint64 *columns, guint n_columns,
    const guint64 *rows, guint n_rows);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (GstClBlocksOp, gst_cl_blocks_op_free)

G_END_DECLS
