/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "metricstypes.h"
#include "ops/implementation.h"

G_BEGIN_DECLS

/* The implementations; problems are GstClMetricsProblem, io is GstClMetricsIo.
 * No method but AUTO has a nick. */
extern const GstClOpTable gst_cl_metrics_table;

/* create() and free() of all rows. Makes a GstClMetricsOp of @candidate. NULL
 * with @error: CL_INVALID_VALUE where the parts of @problem do not go together.
 * transfer full */
gpointer gst_cl_metrics_op_new (GstClContext *context,
    const GstClCandidate *candidate, gconstpointer problem, GError **error);
void gst_cl_metrics_op_free (gpointer op);

/* Samples of all components in @region. */
guint64 gst_cl_metrics_op_count (const GstClMetricsOp *op,
    const GstClRegion *region);

/* Enqueues one frame. @regions: @n_regions, region 0 the whole frame or the
 * rectangle that is measured; they may overlap. @largest_frozen: largest sum of
 * freeze_difference over the components that counts as frozen; if it is
 * exceeded this frame becomes the reference. The first frame is compared with
 * itself. Waits for nothing, allocates nothing but where regions grow. */
gboolean gst_cl_metrics_op_run (GstClMetricsOp *op,
    const GstClComponent *components, const GstClRegion *regions,
    guint n_regions, guint64 largest_frozen, GError **error);

/* Enqueues the way back of the last run's results, into @slot (below
 * GST_CL_METRICS_SLOTS). Waits for nothing: other runs may follow. */
gboolean gst_cl_metrics_op_fetch (GstClMetricsOp *op, guint slot,
    GError **error);

/* Returns the event of the read that was enqueued for @slot last, transfer
 * full; NULL: none is to be had. */
cl_event gst_cl_metrics_op_fetched (GstClMetricsOp *op, guint slot);

/* Waits for the results fetched into @slot: the first @n_regions of the run's
 * regions. What @results point to lasts until the slot is fetched into again.
 * Any thread, one a slot. */
gboolean gst_cl_metrics_op_result (GstClMetricsOp *op, guint slot,
    GstClRegionMetrics *results, guint n_regions, GError **error);

/* The next frame is compared with itself: after a flush or a gap. */
void gst_cl_metrics_op_forget (GstClMetricsOp *op);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (GstClMetricsOp, gst_cl_metrics_op_free)

G_END_DECLS
