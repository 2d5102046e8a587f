/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Metrics of regions on the host: fetched, and named. */

#include "metricsresults.h"

#include "cl/memory/gstclreadback.h"

struct _GstClMetricsResults {
  GstClContext *context;
  const GstClMetricsFrame *frame;
  GstClReadback *readback; /* one slot of capacity_bytes */
  gsize capacity_bytes;

  /* of the run that was fetched */
  GArray *regions; /* GstClRegion */
  GArray *spans;   /* GstClMetricSpan */
};

GstClMetricsResults *
gst_cl_metrics_results_new (GstClContext *context,
    const GstClMetricsFrame *frame)
{
  GstClMetricsResults *self = g_new0 (GstClMetricsResults, 1);

  self->context = gst_object_ref (context);
  self->frame = frame;
  self->regions = g_array_new (FALSE, FALSE, sizeof (GstClRegion));
  self->spans = g_array_new (FALSE, FALSE, sizeof (GstClMetricSpan));

  return self;
}

void
gst_cl_metrics_results_free (GstClMetricsResults *self)
{
  g_clear_pointer (&self->readback, gst_cl_readback_free);
  g_array_unref (self->regions);
  g_array_unref (self->spans);
  gst_object_unref (self->context);
  g_free (self);
}

gboolean
gst_cl_metrics_results_fetch (GstClMetricsResults *self, cl_mem mem,
    const GstClMetricsLayout *layout, const GstClRegion *regions,
    guint n_regions, GError **error)
{
  if (self->capacity_bytes < layout->result_bytes) {
    g_clear_pointer (&self->readback, gst_cl_readback_free);
    self->capacity_bytes = 0;
    self->readback = gst_cl_readback_new (self->context, 1,
        layout->result_bytes, error);
    if (!self->readback)
      return FALSE;
    self->capacity_bytes = layout->result_bytes;
  }

  g_array_set_size (self->regions, 0);
  g_array_append_vals (self->regions, regions, n_regions);
  g_array_set_size (self->spans, 0);
  g_array_append_vals (self->spans, layout->spans->data, layout->spans->len);

  return gst_cl_readback_enqueue_part (self->readback, 0, mem,
      layout->result_bytes, error);
}

cl_event
gst_cl_metrics_results_fetched (const GstClMetricsResults *self)
{
  return gst_cl_readback_event (self->readback, 0);
}

/* --- records ------------------------------------------------------------- */

static gboolean
is_before (gint x, gint y, gint other_x, gint other_y)
{
  return y < other_y || (y == other_y && x < other_x);
}

/* Adds @record to @sum, both of which have samples: what metric_record_merge()
 * of cl_metrics.clh does on the device. */
static void
add_record (GstClMetricRecord *sum, const GstClMetricRecord *record)
{
  GstClMoments *all = &sum->moments;
  const GstClMoments *more = &record->moments;

  all->sum += more->sum;
  all->sum_squares += more->sum_squares;
  sum->difference += record->difference;
  sum->freeze_difference += record->freeze_difference;
  sum->sharpness += record->sharpness;
  sum->bits |= record->bits;
  sum->n_outliers += record->n_outliers;
  sum->n_repeated_rows += record->n_repeated_rows;
  sum->n_out_of_gamut += record->n_out_of_gamut;

  if (more->min < all->min ||
      (more->min == all->min &&
          is_before (record->min_x, record->min_y, sum->min_x, sum->min_y))) {
    all->min = more->min;
    sum->min_x = record->min_x;
    sum->min_y = record->min_y;
  }
  if (more->max > all->max ||
      (more->max == all->max &&
          is_before (record->max_x, record->max_y, sum->max_x, sum->max_y))) {
    all->max = more->max;
    sum->max_x = record->max_x;
    sum->max_y = record->max_y;
  }
}

/* Moments and bits from @counts of all codes. */
static void
derive_moments (const guint32 *counts, guint n_codes, GstClMetricRecord *record)
{
  GstClMoments *moments = &record->moments;
  gboolean is_first = TRUE;

  for (guint code = 0; code < n_codes; code++) {
    if (counts[code] == 0)
      continue;
    moments->sum += (guint64) counts[code] * code;
    moments->sum_squares += (guint64) counts[code] * (code * code);
    moments->min = is_first ? code : moments->min;
    moments->max = code;
    record->bits |= code;
    is_first = FALSE;
  }
}

/* The record of span @s, which may have no sample. @data: what was fetched. */
static GstClMetricRecord
merged_record (const GstClMetricsResults *self, const guint8 *data, guint s)
{
  const GstClMetricSpan *span = &g_array_index (self->spans, GstClMetricSpan,
      s);
  const GstClMetricRecord *records = (const GstClMetricRecord *) data;
  GstClMetricRecord merged = { 0 };

  if (!self->frame->is_shared)
    return records[s];

  if (gst_cl_metrics_frame_has_records (self->frame)) {
    for (gint i = 0; i < span->n_items; i++) {
      if (i == 0)
        merged = records[span->first_item];
      else
        add_record (&merged, &records[span->first_item + i]);
    }
  }
  if (gst_cl_metrics_frame_derives_moments (self->frame))
    derive_moments ((const guint32 *) data + span->histogram,
        self->frame->n_bins, &merged);

  return merged;
}

/* --- names --------------------------------------------------------------- */

/* @counts: words of the span, or NULL. */
static GstClComponentMetrics
name_component (const GstClMetricsFrame *frame, const GstClRegion *samples,
    const GstClMetricRecord *record, const guint32 *counts)
{
  const guint metrics = frame->metrics;
  GstClComponentMetrics named = { .min_x = -1,
    .min_y = -1,
    .max_x = -1,
    .max_y = -1 };

  if (metrics & GST_CL_METRIC_HISTOGRAM)
    named.histogram = counts;
  if (samples->width == 0 || samples->height == 0)
    return named;

  if (metrics & GST_CL_METRIC_MOMENTS)
    named.moments = record->moments;
  named.moments.count = (guint32) samples->width * samples->height;
  if (metrics & GST_CL_METRIC_POSITIONS) {
    named.min_x = record->min_x;
    named.min_y = record->min_y;
    named.max_x = record->max_x;
    named.max_y = record->max_y;
  }
  if (metrics & GST_CL_METRIC_BITS)
    named.bits = record->bits;
  if (metrics & GST_CL_METRIC_TEMPORAL)
    named.difference = record->difference;

  return named;
}

/* Differences of neighbours, across and down. */
static guint64
n_differences (const GstClRegion *region)
{
  return (guint64) (region->width - 1) * region->height +
         (guint64) region->width * (region->height - 1);
}

static void
name_region (const GstClMetricsResults *self, const guint8 *data, guint r,
    GstClRegionMetrics *named)
{
  const GstClMetricsFrame *frame = self->frame;
  const guint metrics = frame->metrics;
  const GstClRegion *region = &g_array_index (self->regions, GstClRegion, r);
  GstClMetricRecord records[GST_CL_METRICS_MAX_COMPONENTS];
  const GstClMetricSpan *spans = &g_array_index (self->spans, GstClMetricSpan,
      r * frame->n_components);

  g_assert (frame->n_components > 0);
  *named = (GstClRegionMetrics){ 0 };

  for (guint c = 0; c < frame->n_components; c++) {
    const GstClRegion samples = gst_cl_metrics_frame_samples (frame, region, c);
    const guint32 *counts = (const guint32 *) data + spans[c].histogram;

    records[c] = merged_record (self, data, r * frame->n_components + c);

    named->components[c] = name_component (frame, &samples, &records[c],
        counts);
    if (r == 0 && metrics & GST_CL_METRIC_FREEZE)
      named->freeze_difference[c] = records[c].freeze_difference;
  }

  if (metrics & GST_CL_METRIC_CHROMA) {
    const guint32 *end = (const guint32 *) data + spans[1].histogram +
                         spans[1].n_words;

    named->hue = end - GST_CL_METRICS_HUES;
    named->saturation = named->hue - frame->n_bins;
  }
  if (metrics & GST_CL_METRIC_OUTLIERS)
    named->n_outliers = records[0].n_outliers;
  if (metrics & GST_CL_METRIC_REPETITION)
    named->n_repeated_rows = records[0].n_repeated_rows;
  if (metrics & GST_CL_METRIC_GAMUT)
    named->n_out_of_gamut = records[0].n_out_of_gamut;
  if (metrics & GST_CL_METRIC_SHARPNESS) {
    named->sharpness = records[0].sharpness;
    named->n_sharpness = n_differences (region);
  }
}

gboolean
gst_cl_metrics_results_get (GstClMetricsResults *self,
    GstClRegionMetrics *metrics, guint n_regions, GError **error)
{
  const guint8 *data = gst_cl_readback_wait (self->readback, 0, error);

  if (!data)
    return FALSE;
  if (n_regions > self->regions->len)
    return gst_cl_check (CL_INVALID_VALUE, "metrics: fewer regions were run",
        error);

  for (guint r = 0; r < n_regions; r++)
    name_region (self, data, r, &metrics[r]);

  return TRUE;
}
