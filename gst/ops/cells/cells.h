/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "cl/video/gstclcomponent.h"
#include "ops/tieredop.h"

G_BEGIN_DECLS

/* Means of the components of a frame in a fixed grid: gstclcells.h. */

#define GST_CL_CELLS_MAX_COMPONENTS 4

/* The problem that an instance is built for. Later frames have the same pixel
 * strides and sample type (one for all components), and no component is larger.
 * Memory, offsets and strides are ignored. */
typedef struct {
  guint n_components; /* 1 .. 4 */
  GstClComponent shapes[GST_CL_CELLS_MAX_COMPONENTS];
} GstClCellsProblem;

/* The implementations; problems are GstClCellsProblem, io is the components of
 * a frame, const GstClComponent *. Only the method AUTO has a nick. */
extern const GstClOpTable gst_cl_cells_table;

typedef struct _GstClCellsOp GstClCellsOp;

/* create() and free() of all rows. Creates a GstClCellsOp of @candidate. NULL
 * with @error; transfer full. */
gpointer gst_cl_cells_op_new (GstClContext *context,
    const GstClCandidate *candidate, gconstpointer problem, GError **error);
void gst_cl_cells_op_free (gpointer op);

/* Create and free an op; problems are GstClCellsProblem. */
extern const GstClTieredFuncs gst_cl_cells_tiered;

/* Enqueues one frame. @components: parts of it, each with its own size. Neither
 * waits nor allocates. FALSE with CL_INVALID_VALUE if a component is larger
 * than that of the problem or has another pixel stride. */
gboolean gst_cl_cells_op_run (gpointer op, gconstpointer components,
    GError **error);

/* The maximum number of results in flight. */
#define GST_CL_CELLS_SLOTS 64

/* Enqueues the read of the last run's results into @slot (below
 * GST_CL_CELLS_SLOTS). Does not wait; other runs may follow. */
gboolean gst_cl_cells_op_fetch (GstClCellsOp *op, guint slot, GError **error);

/* Waits for the read into @slot. Returns GST_CL_N_CELLS means per component of
 * the problem, in units of 1 / GST_CL_CELL_ONE of a code, rounded to the
 * nearest one, halves up; 0 for a cell without samples. NULL with @error. The
 * means stay valid until the next read into the slot. Any thread, one per
 * slot. */
const guint32 *gst_cl_cells_op_result (GstClCellsOp *op, guint slot,
    GError **error);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (GstClCellsOp, gst_cl_cells_op_free)

G_END_DECLS
