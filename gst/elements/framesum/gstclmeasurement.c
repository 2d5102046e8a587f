/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What is measured of a frame. */

#include "gstclmeasurement.h"

#include "gstclgamut.h"
#include "gstclsignalstats.h"
#include "series/gstclthresholds.h"

GST_DEBUG_CATEGORY_EXTERN (gst_cl_frame_sum_debug);
#define GST_CAT_DEFAULT gst_cl_frame_sum_debug

G_STATIC_ASSERT (GST_CL_MEASUREMENT_SLOTS <= GST_CL_MOMENTS_SLOTS);
G_STATIC_ASSERT (GST_CL_MEASUREMENT_SLOTS <= GST_CL_METRICS_SLOTS);

/* A frame whose results are on their way. */
typedef struct {
  gboolean has_figures; /* from the op of figures */
  GstClRegions regions; /* with those of interest */
  gboolean has_region_histograms;
  gboolean has_previous;
  guint64 largest_frozen;
} Slot;

struct _GstClMeasurement {
  GstClContext *context;
  GstClStatisticsShape shape;
  gboolean is_lavfi; /* the keys of signalstats too */
  GstClMetric needs; /* 0: nothing is measured */
  guint plane_mask;

  /* streaming thread; what is above stays as it is */
  GstClFrameSumSettings settings;
  GstClRegions regions; /* of every frame */
  GArray *samples;      /* GstClRegion: what the op gets, of one frame */

  GstClMomentsOp *frame_stats; /* for whole frames alone; NULL likewise */
  GstClMetricsOp *figures;     /* NULL until it is needed */
  gboolean
      has_previous; /* figures has a frame that the next is compared with */

  Slot slots[GST_CL_MEASUREMENT_SLOTS];
};

/* --- ops ----------------------------------------------------------------- */

static void
get_shapes (const GstClMeasurement *self, GstClComponent *shapes)
{
  for (guint i = 0; i < self->shape.n_components; i++)
    shapes[i] = gst_cl_component_of_info (&self->shape.info,
        self->shape.component_ids[i]);
}

static gboolean
build_frame_stats (GstClMeasurement *self, gboolean may_measure, GError **error)
{
  GstClComponent shapes[GST_VIDEO_MAX_COMPONENTS];
  GstClMomentsWay way;

  get_shapes (self, shapes);
  way = gst_cl_moments_choose (self->context, self->settings.reduction, shapes,
      self->shape.n_components, may_measure);
  GST_INFO ("%u components: %s", self->shape.n_components, way.name);
  self->frame_stats = gst_cl_moments_op_new (self->context, &way, shapes,
      self->shape.n_components, error);

  return self->frame_stats != NULL;
}

static void
get_gamut (const GstClMeasurement *self, GstClMetricsSpec *spec)
{
  const GstVideoInfo *info = &self->shape.info;

  for (guint i = 0; i < self->shape.n_components; i++) {
    const guint c = self->shape.component_ids[i];

    if (self->is_lavfi)
      gst_cl_gamut_limits_lavfi (info, c, &spec->gamut_low[i],
          &spec->gamut_high[i]);
    else
      gst_cl_gamut_limits (info, c, &spec->gamut_low[i], &spec->gamut_high[i]);
  }
}

/* Once a stream, or with the first frame that has regions of interest. */
static gboolean
build_figures (GstClMeasurement *self, GError **error)
{
  GstClComponent shapes[GST_VIDEO_MAX_COMPONENTS];
  GstClMetricsSpec spec = { .n_components = self->shape.n_components,
    .shapes = shapes,
    .metrics = self->needs,
    .n_bins = self->shape.n_codes,
    .max_regions = GST_CL_METRICS_MAX_REGIONS };
  const GstClImplementation *rows, *row;
  guint n_rows;

  if (self->figures)
    return TRUE;

  get_shapes (self, shapes);
  get_gamut (self, &spec);
  rows = gst_cl_metrics_variants (&n_rows);
  row = gst_cl_implementation_choose (rows, n_rows, 0, self->context->device);
  GST_INFO ("%u components, figures %#x: %s", self->shape.n_components,
      self->needs, row->name);
  self->figures = gst_cl_metrics_op_new (self->context, row, &spec, error);

  return self->figures != NULL;
}

/* --- what to measure ----------------------------------------------------- */

/* The components of the frame that @planes names, and the planes they are in.
 */
static gboolean
select_components (GstClMeasurement *self, guint planes, GError **error)
{
  const GstVideoInfo *info = &self->shape.info;

  for (guint c = 0; c < GST_VIDEO_INFO_N_COMPONENTS (info); c++) {
    if (planes & (1u << c)) {
      self->shape.component_ids[self->shape.n_components++] = c;
      self->plane_mask |= 1u << GST_VIDEO_INFO_COMP_PLANE (info, c);
    }
  }
  if (self->shape.n_components > 0 || planes == 0)
    return TRUE;

  g_set_error (error, GST_CORE_ERROR, GST_CORE_ERROR_NEGOTIATION,
      "Property planes names no component of a %s frame.",
      GST_VIDEO_INFO_NAME (info));

  return FALSE;
}

static gboolean
has_chroma (const GstClStatisticsShape *shape)
{
  return GST_VIDEO_INFO_IS_YUV (&shape->info) && shape->n_components >= 3 &&
         shape->component_ids[2] == GST_VIDEO_COMP_V;
}

/* What events take, beside the statistics. */
static GstClMetric
of_events (const GstClMeasurement *self)
{
  return gst_cl_stream_analysis_can_judge (&self->shape)
             ? gst_cl_stream_analysis_needs (self->settings.events)
             : 0;
}

/* Codes are folded on the device if nothing but the histogram looks at them, and
 * if it can. */
static void
select_bins (GstClMeasurement *self)
{
  const guint n_bins = self->settings.histogram_bins;
  const guint n_codes = 1u << GST_VIDEO_INFO_COMP_DEPTH (&self->shape.info, 0);
  const GstClStatistic others = GST_CL_STATISTIC_PERCENTILES |
                                GST_CL_STATISTIC_ENTROPY |
                                GST_CL_STATISTICS_OF_CHROMA;
  const gboolean is_judged = (of_events (self) & GST_CL_METRIC_HISTOGRAM) != 0;
  const gboolean is_power_of_two = n_bins > 0 && (n_bins & (n_bins - 1)) == 0;

  self->shape.n_bins = n_bins > 0 ? MIN (n_bins, n_codes) : n_codes;
  self->shape.n_codes = is_power_of_two && !is_judged &&
                                !(self->shape.statistics & others)
                            ? self->shape.n_bins
                            : n_codes;
}

static gboolean
select_all (GstClMeasurement *self, GError **error)
{
  if (!select_components (self, self->settings.planes, error) ||
      !gst_cl_regions_set (&self->regions, &self->settings, &self->shape.info,
          error))
    return FALSE;

  self->shape.statistics = self->settings.statistics;
  self->is_lavfi = self->settings.key_style == GST_CL_KEY_STYLE_LAVFI;
  if (!has_chroma (&self->shape))
    self->shape.statistics &= ~GST_CL_STATISTICS_OF_CHROMA;
  select_bins (self);
  if (self->shape.n_components > 0)
    self->needs = gst_cl_summary_needs (self->shape.statistics) |
                  of_events (self);

  return TRUE;
}

/* What there is a faster op for. */
static gboolean
is_simple (const GstClMeasurement *self, const GstClRegions *regions)
{
  return self->needs == GST_CL_METRIC_MOMENTS && regions->is_whole &&
         regions->regions->len == 1;
}

/* The op of the frames that have no regions of interest, if it is not there. */
static gboolean
build_op (GstClMeasurement *self, gboolean may_measure, GError **error)
{
  if (self->needs == 0)
    return TRUE;
  if (!is_simple (self, &self->regions))
    return build_figures (self, error);

  return self->frame_stats || build_frame_stats (self, may_measure, error);
}

GstClMeasurement *
gst_cl_measurement_new (GstClContext *context, const GstCaps *caps,
    const GstClFrameSumSettings *settings, gboolean may_measure, GError **error)
{
  g_autoptr (GstClMeasurement) self = g_atomic_rc_box_new0 (GstClMeasurement);

  self->context = gst_object_ref (context);
  self->settings = *settings;
  gst_cl_regions_init (&self->regions);
  self->samples = g_array_new (FALSE, FALSE, sizeof (GstClRegion));
  for (guint i = 0; i < GST_CL_MEASUREMENT_SLOTS; i++)
    gst_cl_regions_init (&self->slots[i].regions);

  if (!gst_video_info_from_caps (&self->shape.info, caps)) {
    g_set_error (error, GST_CORE_ERROR, GST_CORE_ERROR_NEGOTIATION,
        "The caps describe no video frame.");
    return NULL;
  }
  if (!select_all (self, error) || !build_op (self, may_measure, error))
    return NULL;

  return g_steal_pointer (&self);
}

/* Events may differ as long as they take the same figures. */
static gboolean
differ_in_regions_alone (const GstClFrameSumSettings *a,
    const GstClFrameSumSettings *b)
{
  return a->statistics == b->statistics && a->planes == b->planes &&
         a->reduction == b->reduction &&
         a->histogram_bins == b->histogram_bins &&
         a->key_style == b->key_style &&
         gst_cl_stream_analysis_needs (a->events) ==
             gst_cl_stream_analysis_needs (b->events);
}

gboolean
gst_cl_measurement_adjust (GstClMeasurement *self,
    const GstClFrameSumSettings *settings, GError **error)
{
  if (!differ_in_regions_alone (&self->settings, settings))
    return FALSE;

  self->settings = *settings;

  return gst_cl_regions_set (&self->regions, settings, &self->shape.info,
             error) &&
         build_op (self, FALSE, error);
}

static void
clear (gpointer data)
{
  GstClMeasurement *self = data;

  gst_cl_moments_op_free (self->frame_stats);
  gst_cl_metrics_op_free (self->figures);
  for (guint i = 0; i < GST_CL_MEASUREMENT_SLOTS; i++)
    gst_cl_regions_clear (&self->slots[i].regions);
  g_array_unref (self->samples);
  gst_cl_regions_clear (&self->regions);
  gst_object_unref (self->context);
}

GstClMeasurement *
gst_cl_measurement_ref (GstClMeasurement *self)
{
  return g_atomic_rc_box_acquire (self);
}

void
gst_cl_measurement_unref (GstClMeasurement *self)
{
  if (self)
    g_atomic_rc_box_release_full (self, clear);
}

/* --- measuring ----------------------------------------------------------- */

static gboolean
enqueue_figures (GstClMeasurement *self, const GstClComponent *components,
    guint slot, GError **error)
{
  const GstClRegions *regions = &self->slots[slot].regions;
  const GstClRegion *samples;
  guint64 largest_frozen;

  if (!build_figures (self, error))
    return FALSE;

  g_array_set_size (self->samples, 0);
  for (guint r = 0; r < regions->regions->len; r++) {
    const GstClRegion region = gst_cl_regions_samples (regions, r,
        &self->shape.info, self->shape.component_ids[0]);

    g_array_append_val (self->samples, region);
  }

  samples = (const GstClRegion *) self->samples->data;
  largest_frozen = gst_cl_freeze_limit (
      self->settings.event_settings.freeze_noise,
      gst_cl_metrics_op_count (self->figures, samples),
      GST_VIDEO_INFO_COMP_DEPTH (&self->shape.info, 0));
  if (!gst_cl_metrics_op_run (self->figures, components, samples,
          self->samples->len, largest_frozen, error) ||
      !gst_cl_metrics_op_fetch (self->figures, slot, error))
    return FALSE;

  self->slots[slot].has_previous = self->has_previous;
  self->slots[slot].largest_frozen = largest_frozen;
  self->has_previous = TRUE;

  return TRUE;
}

gboolean
gst_cl_measurement_enqueue (GstClMeasurement *self, GstClInFlight *frames,
    GstBuffer *buffer, guint slot, GError **error)
{
  Slot *at = &self->slots[slot];
  GstClComponent components[GST_VIDEO_MAX_COMPONENTS];
  const GstClFrame *frame;

  if (self->needs == 0)
    return TRUE;

  frame = gst_cl_in_flight_take_frame (frames, buffer, &self->shape.info,
      self->plane_mask, GST_MAP_READ, error);
  if (!frame)
    return FALSE;
  for (guint i = 0; i < self->shape.n_components; i++)
    components[i] = gst_cl_frame_component (frame,
        self->shape.component_ids[i]);

  gst_cl_regions_copy (&at->regions, &self->regions);
  at->has_region_histograms = self->settings.region_histograms;
  if (self->settings.roi_meta)
    gst_cl_regions_add_rois (&at->regions, buffer, &self->shape.info);
  at->has_figures = !is_simple (self, &at->regions);
  if (at->has_figures)
    return enqueue_figures (self, components, slot, error);

  return gst_cl_moments_op_run (self->frame_stats, components, error) &&
         gst_cl_moments_op_fetch (self->frame_stats, slot, error);
}

void
gst_cl_measurement_forget (GstClMeasurement *self)
{
  if (self->figures)
    gst_cl_metrics_op_forget (self->figures);
  self->has_previous = FALSE;
}

/* --- results ------------------------------------------------------------- */

static gboolean
get_frame_stats (GstClMeasurement *self, guint slot,
    GstClRegionMetrics *figures, GError **error)
{
  GstClMoments moments[GST_VIDEO_MAX_COMPONENTS];

  if (!gst_cl_moments_op_result (self->frame_stats, slot, moments, error))
    return FALSE;

  for (guint i = 0; i < self->shape.n_components; i++)
    figures->components[i] = (GstClComponentMetrics){ .moments = moments[i] };

  return TRUE;
}

static GstClSummary
summarize (const GstClMeasurement *self, const GstClRegions *regions,
    const GstClRegionMetrics *figures, guint index)
{
  const GstClRegion samples = gst_cl_regions_samples (regions, index,
      &self->shape.info, self->shape.component_ids[0]);
  GstClSummary summary;

  gst_cl_summary_init (&summary, self->shape.statistics, &figures[index],
      self->shape.n_components, self->shape.n_codes, samples.height);
  /* for signalstats they were counted all the same */
  if (gst_cl_gamut_is_full (&self->shape.info))
    summary.gamut = 0.0;

  return summary;
}

static void
add_results (GstClMeasurement *self, const Slot *at,
    const GstClRegionMetrics *figures, GstStructure *structure)
{
  const GstClRegions *regions = &at->regions;
  const guint n = regions->regions->len;
  GstClStatisticsShape of_regions = self->shape;
  g_autofree GstClSummary *summaries = g_new (GstClSummary, n);

  for (guint r = 0; r < n; r++)
    summaries[r] = summarize (self, regions, figures, r);

  gst_cl_statistics_add_rectangle (structure, regions);
  gst_cl_statistics_add (structure, &self->shape, &summaries[0]);
  if (self->is_lavfi)
    gst_cl_signalstats_add (structure, &self->shape, &figures[0],
        &summaries[0]);
  if (!at->has_region_histograms)
    of_regions.statistics &= ~GST_CL_STATISTIC_HISTOGRAM;
  gst_cl_statistics_add_zones (structure, &of_regions, regions, summaries);
  gst_cl_statistics_add_rois (structure, &of_regions, regions, summaries);
}

/* Those of the frame, or of the rectangle. */
static void
show_figures (const GstClMeasurement *self, const Slot *at,
    const GstClRegionMetrics *figures, const GstClFrameTime *time,
    GstClStreamAnalysis *watch, guint epoch)
{
  const GstClMeasured measured = {
    .shape = &self->shape,
    .figures = figures,
    .time = *time,
    .epoch = epoch,
    .has_previous = at->has_figures && at->has_previous,
    .largest_frozen = at->largest_frozen,
  };

  gst_cl_stream_analysis_measure (watch, &measured);
}

GstStructure *
gst_cl_measurement_result (GstClMeasurement *self, guint slot,
    const gchar *name, const GstClFrameTime *time, GstClStreamAnalysis *watch,
    guint epoch, GError **error)
{
  const Slot *at = &self->slots[slot];
  const guint n = at->regions.regions->len;
  g_autofree GstClRegionMetrics *figures = g_new0 (GstClRegionMetrics, n);
  GstStructure *structure;

  if (self->needs != 0 &&
      !(at->has_figures ? gst_cl_metrics_op_result (self->figures, slot,
                              figures, n, error)
                        : get_frame_stats (self, slot, figures, error)))
    return NULL;

  structure = gst_cl_statistics_new (name, &self->shape, time);
  if (self->needs != 0) {
    show_figures (self, at, figures, time, watch, epoch);
    add_results (self, at, figures, structure);
  }

  return structure;
}
