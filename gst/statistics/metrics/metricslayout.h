/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "metricstypes.h"

G_BEGIN_DECLS

/* The device's records have the same layout. */
#define GST_CL_METRIC_ASSERT(type, name, merge, metric, scope)                 \
  G_STATIC_ASSERT (                                                            \
      G_STRUCT_OFFSET (MetricRecord, name) % sizeof (METRIC_##type) == 0);
METRIC_NUMBERS (GST_CL_METRIC_ASSERT)
#undef GST_CL_METRIC_ASSERT
G_STATIC_ASSERT (sizeof (MetricRecord) % sizeof (guint64) == 0);
G_STATIC_ASSERT (sizeof (MetricItem) == 48);
G_STATIC_ASSERT (sizeof (MetricSpan) == 16);
G_STATIC_ASSERT (sizeof (MetricReference) == 16);
G_STATIC_ASSERT (sizeof (MetricRing) == 16);

/* Constant as long as an op lives. */
typedef struct {
  guint n_components, metrics, n_bins;
  GstClComponent shapes[GST_CL_METRICS_MAX_COMPONENTS];
  /* a component has one sample for each 1 << shift samples of component 0 */
  guint x_shifts[GST_CL_METRICS_MAX_COMPONENTS];
  guint y_shifts[GST_CL_METRICS_MAX_COMPONENTS];
  guint n_items; /* the number of items that a frame is divided into */
  /* the items of a span share their count words, and the host merges all other
   * results of the items */
  gboolean is_shared;
  /* items of the first chroma component also measure the second one if they are
   * large: the kernel counts pairs of codes */
  gboolean lacks_rows; /* a component does: n_missing_rows of the problem */
  gboolean has_pairs;
} GstClMetricsFrame;

/* Returns FALSE with @error if the components' sizes are inconsistent. */
gboolean gst_cl_metrics_frame_init (GstClMetricsFrame *frame,
    const GstClMetricsProblem *problem, GError **error);

/* Returns the samples of component @c that belong to @region; may be empty. */
GstClRegion gst_cl_metrics_frame_samples (const GstClMetricsFrame *frame,
    const GstClRegion *region, guint c);

/* Returns the number of samples of all components in @region. */
guint64 gst_cl_metrics_frame_count (const GstClMetricsFrame *frame,
    const GstClRegion *region);

/* Returns the number of words of the histograms of component @c; @metrics is a
 * set of GstClMetric. */
guint gst_cl_metrics_count_words (guint metrics, guint n_bins, guint c);

/* Returns TRUE if the host computes moments and bits from the count of each
 * code. */
gboolean gst_cl_metrics_frame_derives_moments (const GstClMetricsFrame *frame);

/* Returns TRUE if items have results besides counts. */
gboolean gst_cl_metrics_frame_has_records (const GstClMetricsFrame *frame);

/* Returns TRUE if two frames of the ring alternate regardless of the results.
 */
gboolean gst_cl_metrics_frame_turns_ring (const GstClMetricsFrame *frame);

/* Regions as items, and the layout of their results: records of all spans (or,
 * if the host merges them, of all items), then the histograms of the spans
 * (these @result_bytes are transferred to the host), then the words of items
 * that have words of their own. */
typedef struct {
  GArray *items;      /* MetricItem, in the order of spans */
  GArray *spans;      /* MetricSpan, of all components region by region */
  GArray *references; /* MetricReference, of region 0 and the zones after it;
                         the caller sets largest_frozen */
  guint n_regions;    /* with the one for keeping the frame, if needed */
  gsize record_bytes, result_bytes, buffer_bytes; /* each includes the previous
                                                     one */
} GstClMetricsLayout;

void gst_cl_metrics_layout_init (GstClMetricsLayout *layout);
void gst_cl_metrics_layout_clear (GstClMetricsLayout *layout);
void gst_cl_metrics_layout_make (GstClMetricsLayout *layout,
    const GstClMetricsFrame *frame, const GstClRegion *regions, guint n_regions,
    guint n_references);

G_END_DECLS
