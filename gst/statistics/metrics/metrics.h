/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "metricstypes.h"
#include "ops/tieredop.h"

G_BEGIN_DECLS

/* The implementations; problems are GstClMetricsProblem, io is GstClMetricsIo.
 * Only the method AUTO has a nick. */
extern const GstClOpTable gst_cl_metrics_table;

/* create() and free() of all rows. Creates a GstClMetricsOp of @candidate. NULL
 * with @error: CL_INVALID_VALUE if the members of @problem are inconsistent.
 * Transfer full. */
gpointer gst_cl_metrics_op_new (GstClContext *context,
    const GstClCandidate *candidate, gconstpointer problem, GError **error);
void gst_cl_metrics_op_free (gpointer op);

/* Create and free an op; problems are GstClMetricsProblem. */
extern const GstClTieredFuncs gst_cl_metrics_tiered;

/* Returns the number of samples of all components in @region. */
guint64 gst_cl_metrics_op_count (const GstClMetricsOp *op,
    const GstClRegion *region);

/* Enqueues one frame. The first frame is compared with itself. Does not wait,
 * and allocates only if the regions grow or limits change. */
gboolean gst_cl_metrics_op_run (GstClMetricsOp *op, const GstClMetricsIo *io,
    GError **error);

/* Enqueues the read of the last run's results into @slot (below
 * GST_CL_METRICS_SLOTS). Does not wait; other runs may follow. */
gboolean gst_cl_metrics_op_fetch (GstClMetricsOp *op, guint slot,
    GError **error);

/* Returns the event of the last read enqueued for @slot, transfer full; NULL if
 * there is none. */
cl_event gst_cl_metrics_op_fetched (GstClMetricsOp *op, guint slot);

/* Waits for the read into @slot and returns the first @n_regions of the run's
 * regions. The data of @results stay valid until the next read into the slot.
 * Any thread, one per slot. */
gboolean gst_cl_metrics_op_result (GstClMetricsOp *op, guint slot,
    GstClRegionMetrics *results, guint n_regions, GError **error);

/* Makes the next frame be compared with itself: after a flush or a gap. */
void gst_cl_metrics_op_forget (GstClMetricsOp *op);

/* Makes the regions of the next frame that have a reference of their own be
 * compared with themselves: they are others. */
void gst_cl_metrics_op_forget_zones (GstClMetricsOp *op);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (GstClMetricsOp, gst_cl_metrics_op_free)

G_END_DECLS
