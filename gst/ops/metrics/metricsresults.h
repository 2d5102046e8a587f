/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "cl/context/gstclcontext.h"
#include "metricslayout.h"

G_BEGIN_DECLS

/* One slot: the results of one run on their way to the host. */
typedef struct _GstClMetricsResults GstClMetricsResults;

/* @frame: stays the caller's, and as it is. */
GstClMetricsResults *gst_cl_metrics_results_new (GstClContext *context,
    const GstClMetricsFrame *frame);
void gst_cl_metrics_results_free (GstClMetricsResults *results); /* waits */

/* Enqueues the read of what @layout says of @mem. */
gboolean gst_cl_metrics_results_fetch (GstClMetricsResults *results, cl_mem mem,
    const GstClMetricsLayout *layout, const GstClRegion *regions,
    guint n_regions, GError **error);

/* Returns the event of that read, transfer full; NULL: none is to be had. */
cl_event gst_cl_metrics_results_fetched (const GstClMetricsResults *results);

/* Waits for it. */
gboolean gst_cl_metrics_results_get (GstClMetricsResults *results,
    GstClRegionMetrics *metrics, guint n_regions, GError **error);

G_END_DECLS
