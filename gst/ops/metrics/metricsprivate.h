/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "metrics.h"

G_BEGIN_DECLS

#define GST_CL_METRICS_MAX_COMPONENTS 4
#define GST_CL_METRICS_KEPT_ALIGN     16 /* cl_metrics.clh: KEPT_ALIGN */

/* kernels/metrics/cl_metrics.clh, byte for byte: MetricItem, */
typedef struct {
  gint32 component, region;
  gint32 x, x_end, y, y_end;
  gint32 top, bottom;
  guint32 histogram;
  gint32 is_kept;
} GstClMetricItem;

/* MetricRecord, */
typedef struct {
  guint64 sum, sum_squares;
  guint64 difference, freeze_difference;
  guint64 sharpness;
  guint32 min, max;
  gint32 min_x, min_y, max_x, max_y;
  guint32 bits, n_outliers, n_repeated_rows, n_out_of_gamut;
} GstClMetricRecord;

/* MetricSpan, */
typedef struct {
  gint32 first_item, n_items;
  guint32 histogram, n_words;
} GstClMetricSpan;

/* and MetricRing. */
typedef struct {
  guint32 current, previous, reference, unused;
} GstClMetricRing;

G_STATIC_ASSERT (sizeof (GstClMetricItem) == 40);
G_STATIC_ASSERT (sizeof (GstClMetricRecord) == 80);
G_STATIC_ASSERT (sizeof (GstClMetricSpan) == 16);
G_STATIC_ASSERT (sizeof (GstClMetricRing) == 16);

/* --- what a spec comes to: metricsplan.c ---------------------------- */

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
} GstClMetricsFrame;

/* FALSE where the components' sizes do not go together. */
gboolean gst_cl_metrics_frame_init (GstClMetricsFrame *frame,
    const GstClMetricsSpec *spec, GError **error);

/* The samples of component @c that belong to @region; possibly none. */
GstClRegion gst_cl_metrics_frame_samples (const GstClMetricsFrame *frame,
    const GstClRegion *region, guint c);

/* Samples of all components in @region. */
guint64 gst_cl_metrics_frame_count (const GstClMetricsFrame *frame,
    const GstClRegion *region);

/* Words of the histograms of component @c. */
guint gst_cl_metrics_frame_words (const GstClMetricsFrame *frame, guint c);

/* Whether moments and bits are left to the host, which has each code's count. */
gboolean gst_cl_metrics_frame_derives_moments (const GstClMetricsFrame *frame);

/* Whether items leave anything beside counts. */
gboolean gst_cl_metrics_frame_has_records (const GstClMetricsFrame *frame);

/* Whether two frames take turns, with no look at what was found. */
gboolean gst_cl_metrics_frame_turns_ring (const GstClMetricsFrame *frame);

/* Regions as items, and where their results lie: records of all spans (or, if
 * the host merges them, of all items), then the histograms of the spans (these
 * @result_bytes go to the host), then words of the items that have some of their
 * own. */
typedef struct {
  GArray *items; /* GstClMetricItem, in the order of spans */
  GArray *spans; /* GstClMetricSpan, of all components of a region, and so on */
  guint n_regions;         /* with the one for keeping the frame, if needed */
  guint n_reference_items; /* the first so many are of region 0 */
  gsize record_bytes, result_bytes, buffer_bytes; /* each within the next */
} GstClMetricsPlan;

void gst_cl_metrics_plan_init (GstClMetricsPlan *plan);
void gst_cl_metrics_plan_clear (GstClMetricsPlan *plan);
void gst_cl_metrics_plan_make (GstClMetricsPlan *plan,
    const GstClMetricsFrame *frame, const GstClRegion *regions,
    guint n_regions);

/* --- device memory: metricsmemory.c --------------------------------- */

/* All zero is empty. */
typedef struct {
  GstClContext *context; /* the op's */

  cl_mem frames;       /* those that later ones are compared with, */
  gsize frame_samples; /* so far apart, */
  cl_mem rings[2];     /* and which is which, at this turn */
  guint n_rings, ring;

  cl_mem items, spans, records; /* records: of items, if the device merges */
  gsize records_bytes;
  cl_mem results[2]; /* the next run's is @result, the last one's @fetched */
  gsize results_bytes[2];
  gboolean is_clear[2]; /* its counts are 0 */
  guint n_results, result, fetched;
} GstClMetricsMemory;

gboolean gst_cl_metrics_memory_init (GstClMetricsMemory *memory,
    GstClContext *context, const GstClMetricsFrame *frame, GError **error);
void gst_cl_metrics_memory_clear (GstClMetricsMemory *memory);

/* Makes room for @plan. */
gboolean gst_cl_metrics_memory_take_plan (GstClMetricsMemory *memory,
    const GstClMetricsFrame *frame, const GstClMetricsPlan *plan,
    GError **error);

/* A run was enqueued. If there are two buffers of results, it clears the counts
 * of the one that it does not write. */
void gst_cl_metrics_memory_turn (GstClMetricsMemory *memory);

/* --- saturation and hue: metricschroma.c ---------------------------- */

/* What metric_chroma() of cl_metrics.clh looks up. *n_bytes receives its size. */
gpointer gst_cl_metrics_chroma_table (const GstClMetricsSpec *spec,
    gsize *n_bytes);

G_END_DECLS
