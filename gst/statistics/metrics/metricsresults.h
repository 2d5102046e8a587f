/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "metricslayout.h"
#include "cl/context/gstclcontext.h"

G_BEGIN_DECLS

/* One slot: the results of one run, as transferred to the host. */
typedef struct _GstClMetricsResults GstClMetricsResults;

/* Creates a slot. @frame is borrowed and must not change. NULL with @error;
 * transfer full. */
GstClMetricsResults *gst_cl_metrics_results_new (GstClContext *context,
    const GstClMetricsFrame *frame);
void gst_cl_metrics_results_free (GstClMetricsResults *results); /* waits */

/* Enqueues a read of the results in @mem; @layout gives their size. */
gboolean gst_cl_metrics_results_fetch (GstClMetricsResults *results, cl_mem mem,
    const GstClMetricsLayout *layout, const GstClRegion *regions,
    guint n_regions, GError **error);

/* Returns the event of the last read, transfer full; NULL if there is none. */
cl_event gst_cl_metrics_results_fetched (const GstClMetricsResults *results);

/* Waits for the last read and returns its results. */
gboolean gst_cl_metrics_results_get (GstClMetricsResults *results,
    GstClRegionMetrics *metrics, guint n_regions, GError **error);

G_END_DECLS
