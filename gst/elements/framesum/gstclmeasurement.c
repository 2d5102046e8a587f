/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Selects the ops that measure a frame, and runs them. */

#include "gstclmeasurement.h"

#include "cl/video/gstclformat.h"
#include "gstclgamut.h"
#include "gstclmomentstrips.h"
#include "ops/blocks/blocks.h"
#include "ops/profiles/profiles.h"
#include "ops/tieredop.h"
#include "series/gstcleventsettings.h"

GST_DEBUG_CATEGORY_EXTERN (gst_cl_frame_sum_debug);
#define GST_CAT_DEFAULT gst_cl_frame_sum_debug

G_STATIC_ASSERT (GST_CL_MEASUREMENT_SLOTS <= GST_CL_MOMENTS_SLOTS);
G_STATIC_ASSERT (GST_CL_MEASUREMENT_SLOTS <= GST_CL_METRICS_SLOTS);
G_STATIC_ASSERT (GST_CL_MEASUREMENT_SLOTS <= GST_CL_PROFILES_SLOTS);
G_STATIC_ASSERT (GST_CL_MEASUREMENT_SLOTS <= GST_CL_BLOCKS_SLOTS);
G_STATIC_ASSERT ((GST_CL_NEEDS_ALL & GST_CL_METRICS_ALL) == 0);

/* Kernels for 8 bits read bytes, not words. */
#define MIN_SIGNIFICANT_BITS 9

/* Fields are compared with fields of the same parity: each has an op. */
#define MAX_PARITIES 2

/* A frame whose results are pending. */
typedef struct {
  gboolean has_metrics; /* measured by an op for metrics; else for moments */
  guint buffer_flags;
  gpointer op; /* that op; NULL: measured in strips */
  GstClMoments strips[GST_VIDEO_MAX_COMPONENTS]; /* of these */
  GstClRegions regions; /* including regions of interest */
  gboolean has_region_histograms;
  gboolean has_previous, has_previous_zones;
  GArray *limits;               /* guint64, of references of freeze; or NULL */
  GArray *metrics;              /* GstClRegionMetrics, or NULL */
  GstClProfilesOp *profiles_op; /* of self->profiles; NULL: no profiles */
  GstClProfile profiles[GST_VIDEO_MAX_COMPONENTS];
  GstClBlocksOp *blocks_op; /* of self->blocks; NULL: no blocks */
} Slot;

struct _GstClMeasurement {
  GstClContext *context;
  GstClStatisticsShape shape;
  GstClMetric extra; /* argument of new() or adjust() */
  GstClMetric needs; /* and GST_CL_NEEDS_ALL; 0: nothing is measured */
  guint component_mask;
  gboolean has_full_words; /* samples fill words of 16 bits by their caps, and
                              may use fewer bits */

  /* The streaming thread changes the members below; those above are constant.
   */
  GstClFrameSumSettings settings;
  GstClRegions regions; /* the rectangle and the zones */
  GArray *samples;      /* GstClRegion, of one frame */

  GstClTieredOp *moments;    /* of GstClMomentsOp, measures whole frames; NULL
                             until it is needed */
  GstClMomentStrips *strips; /* instead of moments, for frames that exceed the
                                largest buffer of the device */
  GstClTieredOp *metrics[MAX_PARITIES]; /* of GstClMetricsOp; NULL until it is
                                           needed. Frames use the first, and
                                           bottom fields the second. */
  /* There is a previous frame or field, and it had the same zones. */
  gboolean has_previous[MAX_PARITIES], has_previous_zones[MAX_PARITIES];
  GstClTieredOp *profiles; /* of GstClProfilesOp; NULL: not needed */
  GstClTieredOp *blocks;   /* of GstClBlocksOp; NULL: not needed */

  Slot slots[GST_CL_MEASUREMENT_SLOTS];
};

/* --- ops ----------------------------------------------------------------- */

/* Sets @shapes to the measured components, with codes of @depth bits. */
static void
get_shapes (const GstClMeasurement *self, guint depth, GstClComponent *shapes)
{
  for (guint i = 0; i < self->shape.n_components; i++) {
    shapes[i] = gst_cl_component_of_info (&self->shape.info,
        self->shape.component_ids[i]);
    shapes[i].sample.depth = depth;
  }
}

static gboolean
build_moments (GstClMeasurement *self, gboolean may_measure, GError **error)
{
  GstClMomentsProblem problem = { .n_components = self->shape.n_components };

  if (!self->profiles && !self->blocks &&
      gst_cl_moment_strips_are_needed (self->context, &self->shape)) {
    self->strips = gst_cl_moment_strips_new (self->context, &self->shape,
        self->settings.reduction, may_measure, error);
    return self->strips != NULL;
  }

  get_shapes (self, gst_cl_format_component_depth (self->shape.info.finfo, 0),
      problem.components);
  self->moments = gst_cl_tiered_op_new (&gst_cl_moments_tiered, self->context,
      self->settings.reduction, &problem, may_measure, error);
  if (!self->moments)
    return FALSE;

  GST_INFO ("%u components: %s", self->shape.n_components,
      gst_cl_tiered_op_name (self->moments));

  return TRUE;
}

static void
get_gamut (const GstClMeasurement *self, GstClMetricsProblem *problem)
{
  const GstVideoInfo *info = &self->shape.info;

  for (guint i = 0; i < self->shape.n_components; i++) {
    const guint c = self->shape.component_ids[i];

    if (self->shape.has_signalstats)
      gst_cl_gamut_limits_lavfi (info, self->shape.depth, c,
          &problem->gamut_low[i], &problem->gamut_high[i]);
    else
      gst_cl_gamut_limits (info, self->shape.depth, c, &problem->gamut_low[i],
          &problem->gamut_high[i]);
  }
}

/* Creates the op for metrics of @parity if it does not exist: once per stream,
 * or with the first frame that has regions of interest. */
static gboolean
build_metrics (GstClMeasurement *self, guint parity, GError **error)
{
  GstClMetricsProblem problem = { .n_components = self->shape.n_components,
    .metrics = self->needs & GST_CL_METRICS_ALL,
    .n_bins = self->shape.n_codes,
    .max_regions = GST_CL_METRICS_MAX_REGIONS };

  if (self->metrics[parity])
    return TRUE;

  get_shapes (self, self->shape.depth, problem.shapes);
  get_gamut (self, &problem);
  self->metrics[parity] = gst_cl_tiered_op_new (&gst_cl_metrics_tiered,
      self->context, GST_CL_METHOD_AUTO, &problem, FALSE, error);
  if (!self->metrics[parity])
    return FALSE;

  GST_INFO ("%u components, metrics %#x: %s", self->shape.n_components,
      self->needs, gst_cl_tiered_op_name (self->metrics[parity]));

  return TRUE;
}

/* Creates the op for profiles if it is needed and does not exist. */
static gboolean
build_profiles (GstClMeasurement *self, GError **error)
{
  GstClProfilesProblem problem = { .n_components = self->shape.n_components };

  if (self->profiles || !(self->needs & GST_CL_NEEDS_PROFILES))
    return TRUE;

  get_shapes (self, self->shape.depth, problem.shapes);
  self->profiles = gst_cl_tiered_op_new (&gst_cl_profiles_tiered, self->context,
      GST_CL_METHOD_AUTO, &problem, FALSE, error);

  return self->profiles != NULL;
}

/* Creates the op for blocks if it is needed and does not exist. */
static gboolean
build_blocks (GstClMeasurement *self, GError **error)
{
  GstClComponent shapes[GST_VIDEO_MAX_COMPONENTS];
  GstClBlocksProblem problem;

  if (self->blocks || !(self->needs & GST_CL_NEEDS_BLOCKS))
    return TRUE;

  get_shapes (self, self->shape.depth, shapes);
  problem.shape = shapes[0];
  self->blocks = gst_cl_tiered_op_new (&gst_cl_blocks_tiered, self->context,
      GST_CL_METHOD_AUTO, &problem, FALSE, error);

  return self->blocks != NULL;
}

/* --- what to measure ----------------------------------------------------- */

static gboolean
select_depth (GstClMeasurement *self, GError **error)
{
  const guint depth = gst_cl_format_component_depth (self->shape.info.finfo, 0);
  const guint n_bits = self->settings.significant_bits;

  self->shape.depth = n_bits > 0 ? MIN (n_bits, depth) : depth;
  if (n_bits == 0 || n_bits >= MIN_SIGNIFICANT_BITS)
    return TRUE;

  g_set_error (error, GST_CORE_ERROR, GST_CORE_ERROR_NEGOTIATION,
      "Property significant-bits is %u: it must be 0, or at least %d.", n_bits,
      MIN_SIGNIFICANT_BITS);

  return FALSE;
}

/* Selects the components that @planes names. */
static gboolean
select_components (GstClMeasurement *self, guint planes, GError **error)
{
  const GstVideoInfo *info = &self->shape.info;

  for (guint c = 0; c < GST_VIDEO_INFO_N_COMPONENTS (info); c++) {
    if (planes & (1u << c)) {
      self->shape.component_ids[self->shape.n_components++] = c;
      self->component_mask |= 1u << c;
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

/* Returns TRUE if each buffer has one field. */
static gboolean
has_fields (const GstClMeasurement *self)
{
  return GST_VIDEO_INFO_INTERLACE_MODE (&self->shape.info) ==
         GST_VIDEO_INTERLACE_MODE_ALTERNATE;
}

/* Returns the metrics to measure in addition to those of the statistics. */
static GstClMetric
extra_metrics (const GstClMeasurement *self)
{
  const GstClMetric extra = has_fields (self)
                                ? self->extra & ~GST_CL_METRIC_FIELDS
                                : self->extra;

  return gst_cl_statistics_has_brightness (&self->shape) ? extra : 0;
}

/* Selects the number of histogram bins. The device folds codes into bins if it
 * can and if no other statistic uses the codes. */
static void
select_bins (GstClMeasurement *self)
{
  const guint n_bins = self->settings.histogram_bins;
  const guint n_codes = 1u << self->shape.depth;
  const GstClStatistic others = GST_CL_STATISTIC_PERCENTILES |
                                GST_CL_STATISTIC_ENTROPY |
                                GST_CL_STATISTICS_OF_CHROMA;
  const gboolean is_extra = (extra_metrics (self) & GST_CL_METRIC_HISTOGRAM) !=
                            0;
  const gboolean is_power_of_two = n_bins > 0 && (n_bins & (n_bins - 1)) == 0;

  self->shape.n_bins = n_bins > 0 ? MIN (n_bins, n_codes) : n_codes;
  self->shape.n_codes = is_power_of_two && !is_extra &&
                                !(self->shape.statistics & others)
                            ? self->shape.n_bins
                            : n_codes;
}

/* YUV is checked with its chroma only, because chroma is half of full scale in
 * a dark picture, too. */
static gboolean
find_full_words (const GstClMeasurement *self)
{
  const GstClStatisticsShape *shape = &self->shape;

  return self->settings.significant_bits == 0 && shape->depth == 16 &&
         (self->needs & GST_CL_METRIC_MOMENTS) &&
         (!GST_VIDEO_INFO_IS_YUV (&shape->info) || has_chroma (shape));
}

static gboolean
select_all (GstClMeasurement *self, GError **error)
{
  if (!select_depth (self, error) ||
      !select_components (self, self->settings.planes, error) ||
      !gst_cl_regions_set (&self->regions, &self->settings, &self->shape.info,
          error))
    return FALSE;

  self->shape.statistics = self->settings.statistics;
  self->shape.has_signalstats = self->settings.key_style ==
                                GST_CL_KEY_STYLE_LAVFI;
  if (!has_chroma (&self->shape))
    self->shape.statistics &= ~GST_CL_STATISTICS_OF_CHROMA;
  if (!gst_cl_statistics_has_brightness (&self->shape))
    self->shape.statistics &= ~(
        GST_CL_STATISTIC_DETECTION | GST_CL_STATISTIC_ACTIVE_AREA);
  if (has_fields (self))
    self->shape.statistics &= ~GST_CL_STATISTIC_FIELDS;
  select_bins (self);
  if (self->shape.n_components > 0)
    self->needs = gst_cl_summary_required_metrics (self->shape.statistics) |
                  extra_metrics (self);
  self->has_full_words = find_full_words (self);

  return TRUE;
}

/* Returns TRUE if the op for moments is sufficient; it is faster. */
static gboolean
is_simple (const GstClMeasurement *self, const GstClRegions *regions)
{
  return (self->needs & GST_CL_METRICS_ALL) == GST_CL_METRIC_MOMENTS &&
         regions->is_whole && regions->regions->len == 1;
}

/* Creates the ops for frames without regions of interest that do not exist. */
static gboolean
build_op (GstClMeasurement *self, gboolean may_measure, GError **error)
{
  if (self->needs == 0)
    return TRUE;
  if (!build_profiles (self, error) || !build_blocks (self, error))
    return FALSE;
  if (!is_simple (self, &self->regions))
    return build_metrics (self, 0, error) &&
           (!has_fields (self) || build_metrics (self, 1, error));

  return self->moments || self->strips ||
         build_moments (self, may_measure, error);
}

GstClMeasurement *
gst_cl_measurement_new (GstClContext *context, const GstCaps *caps,
    const GstClFrameSumSettings *settings, GstClMetric extra,
    gboolean may_measure, GError **error)
{
  g_autoptr (GstClMeasurement) self = g_atomic_rc_box_new0 (GstClMeasurement);

  self->context = gst_object_ref (context);
  self->extra = extra;
  self->settings = *settings;
  gst_cl_regions_init (&self->regions);
  self->samples = g_array_new (FALSE, FALSE, sizeof (GstClRegion));
  for (guint i = 0; i < GST_CL_MEASUREMENT_SLOTS; i++)
    gst_cl_regions_init (&self->slots[i].regions);

  if (!gst_cl_gamut_info_from_caps (&self->shape.info, caps)) {
    g_set_error (error, GST_CORE_ERROR, GST_CORE_ERROR_NEGOTIATION,
        "The caps describe no video frame.");
    return NULL;
  }
  if (!select_all (self, error) || !build_op (self, may_measure, error))
    return NULL;

  return g_steal_pointer (&self);
}

static gboolean
differ_in_regions_alone (const GstClFrameSumSettings *a,
    const GstClFrameSumSettings *b)
{
  return a->statistics == b->statistics && a->planes == b->planes &&
         a->reduction == b->reduction &&
         a->histogram_bins == b->histogram_bins &&
         a->significant_bits == b->significant_bits &&
         a->key_style == b->key_style;
}

/* Zones that are others are compared with none. */
static void
forget_zones (GstClMeasurement *self)
{
  for (guint p = 0; p < MAX_PARITIES; p++) {
    if (self->metrics[p])
      gst_cl_metrics_op_forget_zones (
          gst_cl_tiered_op_current (self->metrics[p]));
    self->has_previous_zones[p] = FALSE;
  }
}

gboolean
gst_cl_measurement_adjust (GstClMeasurement *self,
    const GstClFrameSumSettings *settings, GstClMetric extra, GError **error)
{
  gboolean is_adjusted;
  GstClRegions before;

  if (extra != self->extra ||
      !differ_in_regions_alone (&self->settings, settings))
    return FALSE;

  self->settings = *settings;
  gst_cl_regions_init (&before);
  gst_cl_regions_copy (&before, &self->regions);
  is_adjusted = gst_cl_regions_set (&self->regions, settings, &self->shape.info,
                    error) &&
                build_op (self, FALSE, error);
  if (!gst_cl_regions_have_zones_of (&self->regions, &before))
    forget_zones (self);
  gst_cl_regions_clear (&before);

  return is_adjusted;
}

static void
clear (gpointer data)
{
  GstClMeasurement *self = data;

  gst_cl_tiered_op_free (self->moments);
  gst_cl_moment_strips_free (self->strips);
  for (guint p = 0; p < MAX_PARITIES; p++)
    gst_cl_tiered_op_free (self->metrics[p]);
  gst_cl_tiered_op_free (self->profiles);
  gst_cl_tiered_op_free (self->blocks);
  for (guint i = 0; i < GST_CL_MEASUREMENT_SLOTS; i++) {
    gst_cl_regions_clear (&self->slots[i].regions);
    g_clear_pointer (&self->slots[i].limits, g_array_unref);
    g_clear_pointer (&self->slots[i].metrics, g_array_unref);
  }
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

/* Arguments for the work on one frame. */
typedef struct {
  GstClMeasurement *self;
  GstClComponent components[GST_VIDEO_MAX_COMPONENTS];
  guint slot, parity;
  gpointer op; /* of the slot */
} Work;

/* Returns component @i within the rectangle. */
static GstClComponent
get_part (const Work *work, guint i)
{
  const GstClMeasurement *self = work->self;
  const GstClRegion samples = gst_cl_regions_samples (
      &self->slots[work->slot].regions, 0, &self->shape.info,
      self->shape.component_ids[i]);
  GstClComponent part = work->components[i];

  part.offset_bytes += (gsize) samples.y * part.stride_bytes +
                       (gsize) samples.x * part.pixel_stride_bytes;
  part.width = samples.width;
  part.height = samples.height;

  return part;
}

/* Enqueues the measurement of profiles and blocks, if needed. */
static gboolean
run_lines (const Work *work, GError **error)
{
  const GstClMeasurement *self = work->self;
  const Slot *at = &self->slots[work->slot];
  GstClComponent parts[GST_VIDEO_MAX_COMPONENTS];

  for (guint i = 0; i < self->shape.n_components; i++)
    parts[i] = get_part (work, i);

  return (!at->profiles_op ||
             gst_cl_profiles_op_run (at->profiles_op, parts, error)) &&
         (!at->blocks_op ||
             gst_cl_blocks_op_run (at->blocks_op, &parts[0], error));
}

/* Enqueues the reads of profiles and blocks, before that of other results. */
static gboolean
fetch_lines (const Work *work, GError **error)
{
  const Slot *at = &work->self->slots[work->slot];

  return (!at->profiles_op ||
             gst_cl_profiles_op_fetch (at->profiles_op, work->slot, error)) &&
         (!at->blocks_op ||
             gst_cl_blocks_op_fetch (at->blocks_op, work->slot, error));
}

static gboolean
run_moments (gpointer user_data, GError **error)
{
  Work *work = user_data;

  return run_lines (work, error) &&
         gst_cl_moments_op_run (work->op, work->components, error);
}

static gboolean
fetch_moments (gpointer user_data, cl_event *last, GError **error)
{
  Work *work = user_data;

  if (!fetch_lines (work, error) ||
      !gst_cl_moments_op_fetch (work->op, work->slot, error))
    return FALSE;
  *last = gst_cl_moments_op_fetched (work->op, work->slot);

  return TRUE;
}

/* Frames of other streams may be in the same launch. */
static gboolean
submit_moments (gpointer user_data, const GstClPendingUpload *pending,
    GstClFence **last, GError **error)
{
  Work *work = user_data;
  const Slot *at = &work->self->slots[work->slot];

  if (at->profiles_op || at->blocks_op ||
      !gst_cl_moments_op_is_batched (work->op, work->components))
    return TRUE;
  *last = gst_cl_moments_op_run_batched (work->op, work->components, pending,
      work->slot, error);

  return *last != NULL;
}

static const GstClFrameWork moments_work = { run_moments, fetch_moments,
  submit_moments };

/* Sets the limits of freeze, of the frame and of each zone. */
static void
set_limits (GstClMeasurement *self, const Work *work)
{
  Slot *at = &self->slots[work->slot];
  const gdouble noise = self->settings.event_settings.freeze_noise;
  const guint n = self->needs & GST_CL_METRIC_ZONES
                      ? 1 + gst_cl_regions_n_zones (&at->regions)
                      : 1;

  if (!at->limits)
    at->limits = g_array_new (FALSE, FALSE, sizeof (guint64));
  g_array_set_size (at->limits, n);
  for (guint r = 0; r < n; r++)
    g_array_index (at->limits, guint64, r) = gst_cl_freeze_limit (noise,
        gst_cl_metrics_op_count (work->op,
            &g_array_index (self->samples, GstClRegion, r)),
        self->shape.depth);
}

static gboolean
run_metrics (gpointer user_data, GError **error)
{
  Work *work = user_data;
  GstClMeasurement *self = work->self;
  Slot *at = &self->slots[work->slot];
  const GstClRegion *samples = (const GstClRegion *) self->samples->data;

  set_limits (self, work);
  at->has_previous = self->has_previous[work->parity];
  at->has_previous_zones = (self->needs & GST_CL_METRIC_ZONES) &&
                           self->has_previous_zones[work->parity];

  return run_lines (work, error) &&
         gst_cl_metrics_op_run (work->op, work->components, samples,
             self->samples->len, (const guint64 *) at->limits->data,
             at->limits->len, error);
}

static gboolean
fetch_metrics (gpointer user_data, cl_event *last, GError **error)
{
  Work *work = user_data;
  GstClMeasurement *self = work->self;

  if (!fetch_lines (work, error) ||
      !gst_cl_metrics_op_fetch (work->op, work->slot, error))
    return FALSE;
  *last = gst_cl_metrics_op_fetched (work->op, work->slot);
  self->has_previous[work->parity] = TRUE;
  self->has_previous_zones[work->parity] = TRUE;

  return TRUE;
}

static const GstClFrameWork metrics_work = { run_metrics, fetch_metrics, NULL };

/* Sets self->samples to the regions of @slot. */
static void
take_samples (GstClMeasurement *self, guint slot)
{
  const GstClRegions *regions = &self->slots[slot].regions;

  g_array_set_size (self->samples, 0);
  for (guint r = 0; r < regions->regions->len; r++) {
    const GstClRegion region = gst_cl_regions_samples (regions, r,
        &self->shape.info, self->shape.component_ids[0]);

    g_array_append_val (self->samples, region);
  }
}

gboolean
gst_cl_measurement_enqueue (GstClMeasurement *self, GstClInFlight *frames,
    GstBuffer *buffer, guint slot, GError **error)
{
  Slot *at = &self->slots[slot];
  Work work = { .self = self, .slot = slot };
  const GstClFrame *frame;

  if (has_fields (self) && GST_VIDEO_BUFFER_IS_BOTTOM_FIELD (buffer))
    work.parity = 1;

  if (self->needs == 0)
    return TRUE;

  gst_cl_regions_copy (&at->regions, &self->regions);
  at->has_region_histograms = self->settings.region_histograms;
  if (self->settings.roi_meta)
    gst_cl_regions_add_rois (&at->regions, buffer, &self->shape.info);
  at->buffer_flags = GST_BUFFER_FLAGS (buffer);
  at->has_metrics = !is_simple (self, &at->regions);
  at->op = NULL;
  at->profiles_op = NULL;
  at->blocks_op = NULL;
  if (!at->has_metrics && self->strips)
    return gst_cl_moment_strips_measure (self->strips, frames, buffer,
        self->component_mask, at->strips, error);

  frame = gst_cl_in_flight_take_components (frames, buffer, &self->shape.info,
      self->component_mask, GST_MAP_READ, error);
  if (!frame)
    return FALSE;
  for (guint i = 0; i < self->shape.n_components; i++)
    work.components[i] = gst_cl_frame_component (frame,
        self->shape.component_ids[i]);
  if (at->has_metrics) {
    take_samples (self, slot);
    if (!build_metrics (self, work.parity, error))
      return FALSE;
  }
  if (self->profiles) {
    at->profiles_op = gst_cl_tiered_op_next (self->profiles, error);
    if (!at->profiles_op)
      return FALSE;
  }
  if (self->blocks) {
    at->blocks_op = gst_cl_tiered_op_next (self->blocks, error);
    if (!at->blocks_op)
      return FALSE;
  }
  at->op = work.op = gst_cl_tiered_op_next (
      at->has_metrics ? self->metrics[work.parity] : self->moments, error);

  return work.op &&
         gst_cl_in_flight_run (frames,
             at->has_metrics ? &metrics_work : &moments_work, &work, error);
}

void
gst_cl_measurement_forget_previous (GstClMeasurement *self)
{
  for (guint p = 0; p < MAX_PARITIES; p++) {
    if (self->metrics[p])
      gst_cl_metrics_op_forget (gst_cl_tiered_op_current (self->metrics[p]));
    self->has_previous[p] = self->has_previous_zones[p] = FALSE;
  }
}

/* --- results ------------------------------------------------------------- */

static gboolean
get_moments (GstClMeasurement *self, guint slot, GstClRegionMetrics *metrics,
    GError **error)
{
  const Slot *at = &self->slots[slot];
  GstClMoments of_frame[GST_VIDEO_MAX_COMPONENTS];

  if (at->op && !gst_cl_moments_op_result (at->op, slot, of_frame, error))
    return FALSE;

  for (guint i = 0; i < self->shape.n_components; i++)
    metrics->components[i] = (GstClComponentMetrics){
      .moments = at->op ? of_frame[i] : at->strips[i]
    };

  return TRUE;
}

/* Returns the number of bits of the largest code of a frame; 0 if that says
 * nothing (has_full_words). Alpha is ignored, since it is full whatever the
 * other samples use. */
static guint
count_used_bits (const GstClMeasurement *self,
    const GstClRegionMetrics *metrics)
{
  const GstClStatisticsShape *shape = &self->shape;
  guint max = 0;

  if (!self->has_full_words)
    return 0;

  for (guint i = 0; i < shape->n_components; i++) {
    if (shape->component_ids[i] != GST_VIDEO_COMP_A)
      max = MAX (max, metrics->components[i].moments.max);
  }

  return max > 0 ? g_bit_storage (max) : 0;
}

gboolean
gst_cl_measurement_result (GstClMeasurement *self, guint slot,
    GstClMeasured *measured, GError **error)
{
  Slot *at = &self->slots[slot];
  const guint n = at->regions.regions->len;
  GstClRegionMetrics *metrics;

  *measured = (GstClMeasured){
    .shape = &self->shape,
    .regions = &at->regions,
    .has_region_histograms = at->has_region_histograms,
    .buffer_flags = at->buffer_flags,
    .has_previous = at->has_metrics && at->has_previous,
    .has_previous_zones = at->has_metrics && at->has_previous_zones,
  };
  if (self->needs == 0)
    return TRUE;

  if (!at->metrics)
    at->metrics = g_array_new (FALSE, FALSE, sizeof *metrics);
  g_array_set_size (at->metrics, n);
  metrics = (GstClRegionMetrics *) at->metrics->data;
  memset (metrics, 0, n * sizeof *metrics);
  if (at->has_metrics
          ? !gst_cl_metrics_op_result (at->op, slot, metrics, n, error)
          : !get_moments (self, slot, metrics, error))
    return FALSE;
  if (at->profiles_op) {
    if (!gst_cl_profiles_op_result (at->profiles_op, slot, at->profiles, error))
      return FALSE;
    measured->profiles = at->profiles;
  }
  if (at->blocks_op) {
    GstClBlockSums sums;

    if (!gst_cl_blocks_op_result (at->blocks_op, slot, &sums, error))
      return FALSE;
    measured->blockiness = gst_cl_blockiness (sums.columns, sums.n_columns,
        sums.rows, sums.n_rows);
  }
  measured->metrics = metrics;
  measured->limits = at->has_metrics ? (const guint64 *) at->limits->data
                                     : NULL;
  measured->used_bits = count_used_bits (self, metrics);

  return TRUE;
}
