/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Regions of a frame as items of work, and the layout of their results. */

#include "metricslayout.h"

#define MAX_SHIFT 5 /* maximum subsampling */

/* An item counts pairs of chroma codes if it has at least MIN_PAIRS pairs, from
 * which on this is faster, and its rows have at most MAX_ROW_PAIRS:
 * cl_metricpairs.clh empties its counts before a row that may not fit. */
#define MIN_PAIRS     16384
#define MAX_ROW_PAIRS 65536

/* --- shapes -------------------------------------------------------------- */

static gint
shift_up (gint size, guint shift)
{
  return (size + (1 << shift) - 1) >> shift;
}

/* Finds the smallest shift that maps @from samples to @to. */
static gboolean
find_shift (gint from, gint to, guint *shift)
{
  for (*shift = 0; *shift <= MAX_SHIFT; (*shift)++) {
    if (shift_up (from, *shift) == to)
      return TRUE;
  }

  return FALSE;
}

gboolean
gst_cl_metrics_frame_init (GstClMetricsFrame *frame,
    const GstClMetricsProblem *problem, GError **error)
{
  *frame = (GstClMetricsFrame){
    .n_components = problem->n_components,
    .metrics = problem->metrics,
    .n_bins = problem->n_bins,
  };

  if (frame->metrics & GST_CL_METRIC_ZONES)
    frame->metrics |= GST_CL_METRIC_FREEZE;

  for (guint c = 0; c < problem->n_components; c++) {
    const GstClComponent *shape = &problem->shapes[c];

    if (!find_shift (problem->shapes[0].width, shape->width,
            &frame->x_shifts[c]) ||
        !find_shift (problem->shapes[0].height,
            shape->height + (gint) problem->n_missing_rows[c],
            &frame->y_shifts[c]))
      return gst_cl_check (CL_INVALID_VALUE,
          "metrics: inconsistent sizes of components", error);
    frame->shapes[c] = *shape;
    frame->lacks_rows |= problem->n_missing_rows[c] > 0;
  }

  return TRUE;
}

GstClRegion
gst_cl_metrics_frame_samples (const GstClMetricsFrame *frame,
    const GstClRegion *region, guint c)
{
  const guint x_shift = frame->x_shifts[c], y_shift = frame->y_shifts[c];
  const gint x = shift_up (region->x, x_shift);
  const gint height = frame->shapes[c].height;
  const gint y = MIN (shift_up (region->y, y_shift), height);
  const gint y_end = MIN (shift_up (region->y + region->height, y_shift),
      height);

  return (GstClRegion){
    .x = x,
    .y = y,
    .width = shift_up (region->x + region->width, x_shift) - x,
    .height = y_end - y,
  };
}

guint
gst_cl_metrics_count_words (guint metrics, guint n_bins, guint c)
{
  const guint n_codes = metrics & GST_CL_METRIC_HISTOGRAM ? n_bins : 0;

  if (metrics & GST_CL_METRIC_CHROMA && c == CHROMA_LEADER)
    return n_codes + n_bins + GST_CL_METRICS_HUES;

  return n_codes;
}

gboolean
gst_cl_metrics_frame_derives_moments (const GstClMetricsFrame *frame)
{
  return frame->is_shared && frame->shapes[0].sample.depth == 8 &&
         frame->n_bins == 256 && frame->metrics & GST_CL_METRIC_HISTOGRAM;
}

gboolean
gst_cl_metrics_frame_has_records (const GstClMetricsFrame *frame)
{
#define FLAG(type, name, merge, metric, scope) | GST_CL_METRIC_##metric
  guint recorded = 0 METRIC_NUMBERS (FLAG);
#undef FLAG

  if (gst_cl_metrics_frame_derives_moments (frame))
    recorded &= ~(GST_CL_METRIC_MOMENTS | GST_CL_METRIC_BITS);

  return (frame->metrics & recorded) != 0;
}

gboolean
gst_cl_metrics_frame_turns_ring (const GstClMetricsFrame *frame)
{
  return frame->is_shared && frame->metrics & GST_CL_METRICS_OF_PREVIOUS &&
         !(frame->metrics & GST_CL_METRIC_FREEZE);
}

/* --- layout -------------------------------------------------------------- */

static guint64
n_samples (const GstClRegion *samples)
{
  return (guint64) samples->width * samples->height;
}

guint64
gst_cl_metrics_frame_count (const GstClMetricsFrame *frame,
    const GstClRegion *region)
{
  guint64 count = 0;

  for (guint c = 0; c < frame->n_components; c++) {
    const GstClRegion samples = gst_cl_metrics_frame_samples (frame, region, c);

    count += n_samples (&samples);
  }

  return count;
}

/* Returns the cost of a sample of component @c, in quarters of counting a
 * code. */
static guint
work_of_sample (const GstClMetricsFrame *frame, guint c)
{
#define COST(metric, all, first, chroma)                                       \
  { GST_CL_METRIC_##metric, all, first, chroma },
  static const struct {
    GstClMetric metric;
    guint of_all, of_first, of_chroma;
  } costs[] = { METRIC_TABLE (COST) };
#undef COST
  /* deeper samples have no table of saturation and hue: six times the work */
  const guint deep = frame->shapes[0].sample.depth > MAX_QUADRANT_DEPTH ? 6 : 1;
  guint work = 1;

  for (guint i = 0; i < G_N_ELEMENTS (costs); i++) {
    if (!(frame->metrics & costs[i].metric))
      continue;
    work += costs[i].of_all + (c == 0 ? costs[i].of_first : 0) +
            (c == CHROMA_LEADER ? costs[i].of_chroma * deep : 0);
  }

  return work;
}

static guint64
work_of_span (const GstClMetricsFrame *frame, const GstClRegion *samples,
    guint c)
{
  return n_samples (samples) * work_of_sample (frame, c);
}

/* Returns the cost of all components in all regions. */
static guint64
total_work (const GstClMetricsFrame *frame, const GstClRegion *regions,
    guint n_regions)
{
  guint64 total = 0;

  for (guint r = 0; r < n_regions; r++) {
    for (guint c = 0; c < frame->n_components; c++) {
      const GstClRegion samples = gst_cl_metrics_frame_samples (frame,
          &regions[r], c);

      total += work_of_span (frame, &samples, c);
    }
  }

  return total;
}

/* Returns the number of items of a span: in proportion to its share of the
 * @total cost, and at least one. */
static gint
count_items (const GstClMetricsFrame *frame, const GstClRegion *samples,
    guint64 work, guint64 total)
{
  /* no division where all regions are empty */
  const guint64 share = work > 0 && total > 0 ? work * frame->n_items / total
                                              : 0;

  return n_samples (samples) > 0
             ? (gint) CLAMP (share, 1, (guint64) samples->height)
             : 0;
}

static gboolean
is_chroma (guint c)
{
  return c == CHROMA_LEADER || c == CHROMA_LEADER + 1;
}

/* Returns the number of items of component @c in which pairs of both chroma
 * components are counted; 0 if the codes of each component are counted. */
static gint
count_paired_items (const GstClMetricsFrame *frame, const GstClRegion *samples,
    guint c, guint64 total)
{
  gint n_items;

  if (!frame->has_pairs || !is_chroma (c) || samples->width > MAX_ROW_PAIRS)
    return 0;

  /* both components have the same size */
  n_items = count_items (frame, samples,
      2 * work_of_span (frame, samples, CHROMA_LEADER + 1), total);

  return n_items > 0 && n_samples (samples) / n_items >= MIN_PAIRS ? n_items
                                                                   : 0;
}

/* Appends the items of a span of @samples; @item has what all of them have. */
static void
add_span (GstClMetricsLayout *layout, const GstClMetricsFrame *frame,
    const GstClRegion *samples, MetricItem item, guint64 total)
{
  const guint c = item.component;
  const gint n_paired = count_paired_items (frame, samples, c, total);
  const gint n_items = n_paired > 0
                           ? n_paired
                           : count_items (frame, samples,
                                 work_of_span (frame, samples, c), total);
  const gint first = layout->items->len;
  const MetricSpan span = {
    .first_item = first,
    .n_items = n_items,
    .n_words = gst_cl_metrics_count_words (frame->metrics, frame->n_bins, c),
  };

  g_array_append_val (layout->spans, span);

  for (gint i = 0; i < n_items; i++) {
    item.y = samples->y + (gint64) samples->height * i / n_items;
    item.y_end = samples->y + (gint64) samples->height * (i + 1) / n_items;
    item.partner = n_paired == 0        ? 0
                   : c == CHROMA_LEADER ? first + n_items + i
                                        : -1;
    g_array_append_val (layout->items, item);
  }
}

static guint
n_records (const GstClMetricsLayout *layout, const GstClMetricsFrame *frame)
{
  if (!frame->is_shared)
    return layout->spans->len;

  return gst_cl_metrics_frame_has_records (frame) ? layout->items->len : 0;
}

/* Assigns the words: first those of results, then those of items. */
static void
place_counts (GstClMetricsLayout *layout, const GstClMetricsFrame *frame)
{
  guint word = n_records (layout, frame) * sizeof (MetricRecord) /
               sizeof (guint32);

  layout->record_bytes = word * sizeof (guint32);

  for (guint i = 0; i < layout->spans->len; i++) {
    MetricSpan *span = &g_array_index (layout->spans, MetricSpan, i);

    span->histogram = word;
    word += span->n_words;
  }
  layout->result_bytes = word * sizeof (guint32);

  for (guint i = 0; i < layout->spans->len; i++) {
    const MetricSpan *span = &g_array_index (layout->spans, MetricSpan, i);

    for (gint k = 0; k < span->n_items; k++) {
      MetricItem *item = &g_array_index (layout->items, MetricItem,
          span->first_item + k);
      const gboolean is_own = k > 0 && !frame->is_shared;

      item->histogram = is_own ? word : span->histogram;
      word += is_own ? span->n_words : 0;
    }
  }
  layout->buffer_bytes = word * sizeof (guint32);
}

void
gst_cl_metrics_layout_init (GstClMetricsLayout *layout)
{
  *layout = (GstClMetricsLayout){
    .items = g_array_new (FALSE, FALSE, sizeof (MetricItem)),
    .spans = g_array_new (FALSE, FALSE, sizeof (MetricSpan)),
    .references = g_array_new (FALSE, FALSE, sizeof (MetricReference)),
  };
}

void
gst_cl_metrics_layout_clear (GstClMetricsLayout *layout)
{
  g_clear_pointer (&layout->items, g_array_unref);
  g_clear_pointer (&layout->spans, g_array_unref);
  g_clear_pointer (&layout->references, g_array_unref);
}

void
gst_cl_metrics_layout_make (GstClMetricsLayout *layout,
    const GstClMetricsFrame *frame, const GstClRegion *regions, guint n_regions,
    guint n_references)
{
  const GstClRegion whole = { 0, 0, frame->shapes[0].width,
    frame->shapes[0].height };
  const gboolean is_kept = (frame->metrics & (GST_CL_METRICS_OF_PREVIOUS |
                                                 GST_CL_METRIC_FREEZE)) != 0;
  /* a stored frame must be complete */
  const gboolean is_whole = n_samples (&regions[0]) == n_samples (&whole);
  const guint64 total = total_work (frame, regions, n_regions);

  g_array_set_size (layout->items, 0);
  g_array_set_size (layout->spans, 0);
  g_array_set_size (layout->references, 0);
  layout->n_regions = n_regions + (is_kept && !is_whole ? 1 : 0);

  for (guint r = 0; r < layout->n_regions; r++) {
    const gboolean is_extra = r == n_regions;
    const gboolean has_reference = r < n_references;
    const gboolean is_zone = has_reference && r > 0;
    MetricReference reference = { .first_item = layout->items->len };
    const GstClRegion *region = is_extra ? &whole : &regions[r];

    for (guint c = 0; c < frame->n_components; c++) {
      const GstClRegion samples = gst_cl_metrics_frame_samples (frame, region,
          c);
      const MetricItem item = {
        .component = c,
        .region = r,
        .x = samples.x,
        .x_end = samples.x + samples.width,
        .top = samples.y,
        .bottom = samples.y + samples.height,
        .is_kept = is_kept && (is_extra || is_zone || (r == 0 && is_whole)),
        .reference = has_reference ? (gint) r : -1,
      };

      add_span (layout, frame, &samples, item, total);
    }
    if (has_reference) {
      reference.n_items = layout->items->len - reference.first_item;
      g_array_append_val (layout->references, reference);
    }
  }

  place_counts (layout, frame);
}
