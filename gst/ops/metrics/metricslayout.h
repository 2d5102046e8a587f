/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "metricstypes.h"

G_BEGIN_DECLS

/* The device has the same bytes. */
#define GST_CL_METRIC_ASSERT(type, name, merge, metric, scope)                 \
  G_STATIC_ASSERT (                                                            \
      G_STRUCT_OFFSET (MetricRecord, name) % sizeof (METRIC_##type) == 0);
METRIC_NUMBERS (GST_CL_METRIC_ASSERT)
#undef GST_CL_METRIC_ASSERT
G_STATIC_ASSERT (sizeof (MetricRecord) % sizeof (guint64) == 0);
G_STATIC_ASSERT (sizeof (MetricItem) == 44);
G_STATIC_ASSERT (sizeof (MetricSpan) == 16);
G_STATIC_ASSERT (sizeof (MetricRing) == 16);

/* Fixed as long as an op lives. */
typedef struct {
  guint n_components, metrics, n_bins;
  GstClComponent shapes[GST_CL_METRICS_MAX_COMPONENTS];
  /* a sample of the component for each 1 << shift of component 0's */
  guint x_shifts[GST_CL_METRICS_MAX_COMPONENTS];
  guint y_shifts[GST_CL_METRICS_MAX_COMPONENTS];
  guint n_items; /* that a frame is to be divided into */
  /* items of a span count in the same words, and what each leaves beside that
   * is merged by the host */
  gboolean is_shared;
  /* items of the first chroma component measure the second one with it where
   * they are large: the kernel counts pairs of codes */
  gboolean has_pairs;
} GstClMetricsFrame;

/* FALSE where the components' sizes do not go together. */
gboolean gst_cl_metrics_frame_init (GstClMetricsFrame *frame,
    const GstClMetricsProblem *problem, GError **error);

/* The samples of component @c that belong to @region; possibly none. */
GstClRegion gst_cl_metrics_frame_samples (const GstClMetricsFrame *frame,
    const GstClRegion *region, guint c);

/* Samples of all components in @region. */
guint64 gst_cl_metrics_frame_count (const GstClMetricsFrame *frame,
    const GstClRegion *region);

/* Words of the histograms of component @c; @metrics is a set of GstClMetric. */
guint gst_cl_metrics_count_words (guint metrics, guint n_bins, guint c);

/* Whether moments and bits are left to the host, which has each code's
 * count. */
gboolean gst_cl_metrics_frame_derives_moments (const GstClMetricsFrame *frame);

/* Whether items leave anything beside counts. */
gboolean gst_cl_metrics_frame_has_records (const GstClMetricsFrame *frame);

/* Whether two frames take turns, with no look at what was found. */
gboolean gst_cl_metrics_frame_turns_ring (const GstClMetricsFrame *frame);

/* Regions as items, and where their results lie: records of all spans (or, if
 * the host merges them, of all items), then the histograms of the spans (these
 * @result_bytes go to the host), then words of the items that have some of
 * their own. */
typedef struct {
  GArray *items;   /* MetricItem, in the order of spans */
  GArray *spans;   /* MetricSpan, of all components of a region, and so on */
  guint n_regions; /* with the one for keeping the frame, if needed */
  guint n_reference_items; /* the first so many are of region 0 */
  gsize record_bytes, result_bytes, buffer_bytes; /* each within the next */
} GstClMetricsLayout;

void gst_cl_metrics_layout_init (GstClMetricsLayout *layout);
void gst_cl_metrics_layout_clear (GstClMetricsLayout *layout);
void gst_cl_metrics_layout_make (GstClMetricsLayout *layout,
    const GstClMetricsFrame *frame, const GstClRegion *regions,
    guint n_regions);

G_END_DECLS
