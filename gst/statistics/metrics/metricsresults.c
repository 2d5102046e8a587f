/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Metrics of regions on the host: read, and converted to members. */

#include "metricsresults.h"

#include "cl/memory/gstclreadback.h"

struct _GstClMetricsResults {
  GstClContext *context;
  const GstClMetricsFrame *frame;
  GstClReadback *readback; /* one slot of capacity_bytes */
  gsize capacity_bytes;

  /* of the run that was read */
  GArray *regions; /* GstClRegion */
  GArray *spans;   /* MetricSpan */
};

GstClMetricsResults *
gst_cl_metrics_results_new (GstClContext *context,
    const GstClMetricsFrame *frame)
{
  GstClMetricsResults *self = g_new0 (GstClMetricsResults, 1);

  self->context = gst_object_ref (context);
  self->frame = frame;
  self->regions = g_array_new (FALSE, FALSE, sizeof (GstClRegion));
  self->spans = g_array_new (FALSE, FALSE, sizeof (MetricSpan));

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

/* Computes moments and bits from @counts of all codes. */
static void
derive_moments (const guint32 *counts, guint n_codes, MetricRecord *record)
{
  gboolean is_first = TRUE;

  for (guint code = 0; code < n_codes; code++) {
    if (counts[code] == 0)
      continue;
    record->sum += (guint64) counts[code] * code;
    record->sum_squares += (guint64) counts[code] * (code * code);
    record->least = is_first ? code : record->least;
    record->greatest = code;
    record->bits |= code;
    is_first = FALSE;
  }
}

/* Returns the record of span @s, which may have no sample. @data: the data
 * read. */
static MetricRecord
merged_record (const GstClMetricsResults *self, const guint8 *data, guint s)
{
  const MetricSpan *span = &g_array_index (self->spans, MetricSpan, s);
  const MetricRecord *records = (const MetricRecord *) data;
  MetricRecord merged = metric_record_empty ();

  if (!self->frame->is_shared)
    return records[s];

  if (gst_cl_metrics_frame_has_records (self->frame)) {
    for (gint i = 0; i < span->n_items; i++)
      merged = metric_record_merge (merged, records[span->first_item + i]);
  }
  if (gst_cl_metrics_frame_derives_moments (self->frame))
    derive_moments ((const guint32 *) data + span->histogram,
        self->frame->n_bins, &merged);

  return merged;
}

/* --- members ------------------------------------------------------------- */

/* The value of a member that was not requested. */
#define NOTHING_ADD      0
#define NOTHING_OR       0
#define NOTHING_LEAST    0
#define NOTHING_GREATEST 0
#define NOTHING_PLACE    METRIC_EMPTY_PLACE

/* Sets a member of a component by its scope in METRIC_NUMBERS. */
#define SET_MOMENTS(member, number) named->moments.member = number;
#define SET_MIN(member, number)     named->moments.min = number;
#define SET_MAX(member, number)     named->moments.max = number;
#define SET_EACH(member, number)    named->member = number;
#define SET_FRAME(member, number)   named->member = r == 0 ? number : 0;
#define SET_FIRST(member, number)
#define SET_NUMBER(type, name, merge, metric, scope)                           \
  SET_##scope (name, (GST_CL_METRIC_##metric & measured) != 0                  \
                         ? record->name                                        \
                         : NOTHING_##merge)

/* @samples: the samples of region @r. @counts: the words of the span. */
static void
name_component (const GstClMetricsFrame *frame, guint r,
    const GstClRegion *samples, const MetricRecord *record,
    const guint32 *counts, GstClComponentMetrics *named)
{
  const gboolean has_samples = samples->width > 0 && samples->height > 0;
  const guint measured = has_samples ? frame->metrics : 0;

  METRIC_NUMBERS (SET_NUMBER)
  named->moments.count = (guint32) samples->width * samples->height;
  if (frame->metrics & GST_CL_METRIC_HISTOGRAM)
    named->histogram = counts;
}

/* Returns the number of differences between horizontal and vertical
 * neighbours. */
static guint64
n_differences (const GstClRegion *region)
{
  return (guint64) (region->width - 1) * region->height +
         (guint64) region->width * (region->height - 1);
}

/* Returns the number of samples with eight neighbours. */
static guint64
n_inside (const GstClRegion *region)
{
  return (guint64) MAX (region->width - 2, 0) * MAX (region->height - 2, 0);
}

/* Sets a member of the region. */
#define SET_REGION_MOMENTS(member, metric)
#define SET_REGION_MIN(member, metric)
#define SET_REGION_MAX(member, metric)
#define SET_REGION_EACH(member, metric)
#define SET_REGION_FRAME(member, metric)
#define SET_REGION_FIRST(member, metric)                                       \
  if (metrics & GST_CL_METRIC_##metric)                                        \
    named->member = first.member;
#define SET_REGION(type, name, merge, metric, scope)                           \
  SET_REGION_##scope (name, metric)

static void
name_region (const GstClMetricsResults *self, const guint8 *data, guint r,
    GstClRegionMetrics *named)
{
  const GstClMetricsFrame *frame = self->frame;
  const guint metrics = frame->metrics;
  const GstClRegion *region = &g_array_index (self->regions, GstClRegion, r);
  const guint s = r * frame->n_components;
  const MetricSpan *spans = &g_array_index (self->spans, MetricSpan, s);
  const MetricRecord first = merged_record (self, data, s);

  *named = (GstClRegionMetrics){ 0 };

  for (guint c = 0; c < frame->n_components; c++) {
    const GstClRegion samples = gst_cl_metrics_frame_samples (frame, region, c);
    const guint32 *counts = (const guint32 *) data + spans[c].histogram;
    const MetricRecord record = c == 0 ? first
                                       : merged_record (self, data, s + c);

    name_component (frame, r, &samples, &record, counts, &named->components[c]);
  }

  METRIC_NUMBERS (SET_REGION)
  if (metrics & GST_CL_METRIC_SHARPNESS)
    named->n_sharpness = n_differences (region);
  if (metrics & GST_CL_METRIC_NOISE)
    named->n_noise = n_inside (region);
  if (metrics & GST_CL_METRIC_CHROMA) {
    const guint32 *end = (const guint32 *) data +
                         spans[CHROMA_LEADER].histogram +
                         spans[CHROMA_LEADER].n_words;

    named->hue = end - GST_CL_METRICS_HUES;
    named->saturation = named->hue - frame->n_bins;
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
    return gst_cl_check (CL_INVALID_VALUE,
        "metrics: more regions than in the run", error);

  for (guint r = 0; r < n_regions; r++)
    name_region (self, data, r, &metrics[r]);

  return TRUE;
}
