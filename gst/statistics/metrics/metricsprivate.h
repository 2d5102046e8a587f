/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "metrics.h"

G_BEGIN_DECLS

/* The known answer of metrics, in metricsanswers.c: two consecutive frames,
 * each with these regions. GstClOpTable.answers and so on. */
#define GST_CL_METRICS_N_ANSWERS        1
#define GST_CL_METRICS_N_ANSWER_REGIONS 2
extern const GstClAnswer gst_cl_metrics_answers[GST_CL_METRICS_N_ANSWERS];
extern const GstClRegion
    gst_cl_metrics_answer_regions[GST_CL_METRICS_N_ANSWER_REGIONS];
gboolean gst_cl_metrics_compute_answer (GstClContext *context,
    const GstClCandidate *candidate, gconstpointer answered, guint64 *digest,
    GError **error);

/* Adds one more region's results to the digest of the answer. */
guint64 gst_cl_metrics_digest (guint64 digest,
    const GstClMetricsProblem *problem, const GstClRegionMetrics *metrics);

G_END_DECLS
