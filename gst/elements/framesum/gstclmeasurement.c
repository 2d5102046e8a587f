/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Selects the ops that measure a frame, and runs them. */

#include "gstclmeasurement.h"

#include "cl/video/gstclformat.h"
#include "elements/base/gstclcolour.h"
#include "elements/base/gstclgamut.h"
#include "gstclmomentstrips.h"

G_STATIC_ASSERT (GST_CL_MEASUREMENT_SLOTS <= GST_CL_PICTURE_SLOTS);

/* Kernels for 8 bits read bytes, not words. */
#define MIN_SIGNIFICANT_BITS 9

/* If each buffer has one field, fields of each parity are compared. */
#define MAX_PARITIES 2

/* A frame whose results are pending. */
typedef struct {
  guint buffer_flags;
  gboolean has_fields;   /* each field was measured, too */
  GstClPicture *picture; /* of self->frames; NULL: measured in strips */
  GstClMoments strips[GST_VIDEO_MAX_COMPONENTS]; /* of these */
  GstClRegions regions; /* including regions of interest */
  gboolean has_region_histograms;
  GstClRegionMetrics of_strips;
} Slot;

struct _GstClMeasurement {
  GstClContext *context;
  GstClStatisticsShape shape;
  GstClStatistics extra; /* argument of new() or adjust() */
  GstClStatistics needs; /* 0: nothing is measured */
  guint component_mask;
  gboolean has_full_words; /* samples fill words of 16 bits by their caps, and
                              may use fewer bits */

  /* The streaming thread changes the members below; those above are constant.
   */
  GstClFrameSumSettings settings;
  GstClRegions regions; /* the rectangle and the zones */

  /* Buffers use the first picture. If each buffer has one field and fields are
   * compared, those of bottom fields use the second. */
  GstClPicture *frames[MAX_PARITIES];
  GstClPicture
      *fields[GST_CL_MEASURED_FIELDS]; /* in each frame; NULL: not measured */
  GstClMomentStrips *strips; /* instead, for frames that exceed the largest
                                buffer of the device; or NULL */

  Slot slots[GST_CL_MEASUREMENT_SLOTS];
};

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

/* Returns TRUE if each buffer has one field. */
static gboolean
is_alternate (const GstClMeasurement *self)
{
  return GST_VIDEO_INFO_INTERLACE_MODE (&self->shape.info) ==
         GST_VIDEO_INTERLACE_MODE_ALTERNATE;
}

/* Returns the subset of @extra, the numbers to measure in addition to the
 * statistics, that the pictures have. */
static GstClStatistics
find_extra (const GstClMeasurement *self, GstClStatistics extra)
{
  return gst_cl_statistics_has_brightness (&self->shape)
             ? gst_cl_statistics_of_picture (extra, &self->shape)
             : 0;
}

/* Selects the number of histogram bins. The device folds codes into bins if it
 * can and if no other statistic uses the codes. */
static void
select_bins (GstClMeasurement *self)
{
  const guint n_bins = self->settings.histogram_bins;
  const guint n_codes = 1u << self->shape.depth;
  const GstClStatistics others = GST_CL_STATISTIC (PERCENTILES) |
                                 GST_CL_STATISTIC (ENTROPY) |
                                 GST_CL_STATISTIC (RANGE_EVIDENCE) |
                                 GST_CL_STATISTIC (SATURATION) |
                                 GST_CL_STATISTIC (HUE);
  const gboolean is_extra = (gst_cl_statistics_metrics (
                                 find_extra (self, self->extra)) &
                                GST_CL_METRIC_HISTOGRAM) != 0;
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
         (gst_cl_statistics_metrics (self->needs) & GST_CL_METRIC_MOMENTS) &&
         (!GST_VIDEO_INFO_IS_YUV (&shape->info) ||
             gst_cl_statistics_has_chroma (shape));
}

static gboolean
select_all (GstClMeasurement *self, GError **error)
{
  if (!select_depth (self, error) ||
      !select_components (self, self->settings.planes, error) ||
      !gst_cl_regions_set (&self->regions, &self->settings.regions,
          &self->shape.info, error))
    return FALSE;

  self->shape.has_packed_histograms = self->settings.histogram_format ==
                                      GST_CL_HISTOGRAM_FORMAT_PACKED;
  self->shape.has_signalstats = self->settings.key_style ==
                                GST_CL_KEY_STYLE_LAVFI;
  self->shape.statistics = gst_cl_statistics_of_picture (
      (guint) self->settings.statistics, &self->shape);
  self->shape.curve = gst_cl_colour_curve (&self->shape.info, self->shape.depth,
      self->settings.light_transfer, self->settings.display_peak);
  self->shape.light_area = self->settings.light_area;
  select_bins (self);
  if (self->shape.n_components > 0)
    self->needs = self->shape.statistics | find_extra (self, self->extra);
  self->has_full_words = find_full_words (self);

  return TRUE;
}

/* Returns TRUE if both fields have rows in the rectangle. */
static gboolean
are_fields_in (const GstClMeasurement *self, const GstClRegions *regions)
{
  return self->fields[0] &&
         gst_cl_regions_pixels (regions, 0, GST_CL_ROWS_TOP).height > 0 &&
         gst_cl_regions_pixels (regions, 0, GST_CL_ROWS_BOTTOM).height > 0;
}

/* Creates the pictures of the fields, if they are measured. */
static void
make_fields (GstClMeasurement *self)
{
  static const GstClRowSet rows[] = { GST_CL_ROWS_TOP, GST_CL_ROWS_BOTTOM };
  const GstClStatistics needs = gst_cl_statistics_of_fields (
      self->shape.statistics);

  if (!self->settings.fields || needs == 0 ||
      !gst_cl_statistics_has_two_fields (&self->shape))
    return;

  for (guint f = 0; f < GST_CL_MEASURED_FIELDS; f++) {
    const GstClPictureProblem problem = { self->context, &self->shape, rows[f],
      needs, self->settings.reduction };

    self->fields[f] = gst_cl_picture_new (&problem);
  }
}

/* Creates the ops of fields in @regions that do not exist. */
static gboolean
build_fields (GstClMeasurement *self, gboolean may_measure, GError **error)
{
  if (!are_fields_in (self, &self->regions))
    return TRUE;

  for (guint f = 0; f < GST_CL_MEASURED_FIELDS; f++) {
    if (!gst_cl_picture_build (self->fields[f], &self->regions, may_measure,
            error))
      return FALSE;
  }

  return TRUE;
}

/* Returns TRUE if frames of these regions are measured in strips. */
static gboolean
is_in_strips (const GstClMeasurement *self, const GstClRegions *regions)
{
  return self->strips && gst_cl_picture_is_simple (self->frames[0], regions);
}

static gboolean
build_strips (GstClMeasurement *self, gboolean may_measure, GError **error)
{
  if (!gst_cl_picture_is_simple (self->frames[0], &self->regions) ||
      gst_cl_picture_has_others (self->frames[0]) || self->fields[0] ||
      !gst_cl_moment_strips_are_needed (self->context, &self->shape))
    return TRUE;

  self->strips = gst_cl_moment_strips_new (self->context, &self->shape,
      self->settings.reduction, may_measure, error);

  return self->strips != NULL;
}

static void
make_pictures (GstClMeasurement *self)
{
  const GstClPictureProblem problem = { self->context, &self->shape,
    GST_CL_ROWS_ALL, self->needs, self->settings.reduction };

  for (guint p = 0; p < MAX_PARITIES; p++)
    self->frames[p] = gst_cl_picture_new (&problem);
  make_fields (self);
}

/* Returns TRUE if a picture is compared with the one of its parity before. */
static gboolean
has_parities (const GstClMeasurement *self, const GstClRegions *regions)
{
  return (self->needs & GST_CL_STATISTIC (FLASH)) ||
         !gst_cl_picture_is_simple (self->frames[0], regions);
}

/* Creates the ops for frames without regions of interest that do not exist. */
static gboolean
build_ops (GstClMeasurement *self, gboolean may_measure, GError **error)
{
  if (self->needs == 0)
    return TRUE;
  if (!self->strips && !build_strips (self, may_measure, error))
    return FALSE;
  if (is_in_strips (self, &self->regions))
    return TRUE;

  return gst_cl_picture_build (self->frames[0], &self->regions, may_measure,
             error) &&
         (!is_alternate (self) || !has_parities (self, &self->regions) ||
             gst_cl_picture_build (self->frames[1], &self->regions, FALSE,
                 error)) &&
         build_fields (self, may_measure, error);
}

GstClMeasurement *
gst_cl_measurement_new (GstClContext *context, const GstCaps *caps,
    const GstClFrameSumSettings *settings, GstClStatistics extra,
    gboolean may_measure, GError **error)
{
  g_autoptr (GstClMeasurement) self = g_atomic_rc_box_new0 (GstClMeasurement);

  self->context = gst_object_ref (context);
  self->extra = extra;
  self->settings = *settings;
  gst_cl_regions_init (&self->regions);
  for (guint i = 0; i < GST_CL_MEASUREMENT_SLOTS; i++)
    gst_cl_regions_init (&self->slots[i].regions);

  if (!gst_cl_gamut_info_from_caps (&self->shape.info, caps)) {
    g_set_error (error, GST_CORE_ERROR, GST_CORE_ERROR_NEGOTIATION,
        "The caps describe no video frame.");
    return NULL;
  }
  if (!select_all (self, error))
    return NULL;
  make_pictures (self);
  if (!build_ops (self, may_measure, error))
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
         a->histogram_format == b->histogram_format &&
         a->significant_bits == b->significant_bits && a->fields == b->fields &&
         a->light_transfer == b->light_transfer &&
         a->display_peak == b->display_peak && a->light_area == b->light_area &&
         a->key_style == b->key_style;
}

gboolean
gst_cl_measurement_adjust (GstClMeasurement *self,
    const GstClFrameSumSettings *settings, GstClStatistics extra,
    GError **error)
{
  gboolean is_adjusted;
  GstClRegions before;

  if (!gst_cl_picture_needs_same_kernels (find_extra (self, extra),
          find_extra (self, self->extra)) ||
      !differ_in_regions_alone (&self->settings, settings))
    return FALSE;

  self->settings = *settings;
  self->extra = extra;
  gst_cl_regions_init (&before);
  gst_cl_regions_copy (&before, &self->regions);
  is_adjusted = gst_cl_regions_set (&self->regions, &settings->regions,
                    &self->shape.info, error) &&
                build_ops (self, FALSE, error);
  /* zones that are others are compared with none */
  for (guint p = 0; p < MAX_PARITIES; p++) {
    if (self->frames[p] &&
        !gst_cl_regions_have_zones_of (&self->regions, &before))
      gst_cl_picture_forget_zones (self->frames[p]);
  }
  gst_cl_regions_clear (&before);

  return is_adjusted;
}

static void
clear (gpointer data)
{
  GstClMeasurement *self = data;

  gst_cl_moment_strips_free (self->strips);
  for (guint p = 0; p < MAX_PARITIES; p++)
    gst_cl_picture_free (self->frames[p]);
  for (guint f = 0; f < GST_CL_MEASURED_FIELDS; f++)
    gst_cl_picture_free (self->fields[f]);
  for (guint i = 0; i < GST_CL_MEASUREMENT_SLOTS; i++)
    gst_cl_regions_clear (&self->slots[i].regions);
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
  GstClPicture *picture;
  GstClPicture *const *fields; /* NULL: not measured */
  GstClComponent components[GST_VIDEO_MAX_COMPONENTS];
  guint slot;
} Work;

/* Enqueues the kernels. */
static gboolean
run (const Work *work, GError **error)
{
  for (guint f = 0; work->fields && f < GST_CL_MEASURED_FIELDS; f++) {
    if (!gst_cl_picture_run (work->fields[f], work->slot, work->components,
            error))
      return FALSE;
  }

  return gst_cl_picture_run (work->picture, work->slot, work->components,
      error);
}

/* Enqueues the reads. */
static gboolean
fetch (const Work *work, GstClInFlight *frames, GError **error)
{
  cl_event last;

  gst_cl_in_flight_end_reads (frames);
  for (guint f = 0; work->fields && f < GST_CL_MEASURED_FIELDS; f++) {
    if (!gst_cl_picture_fetch (work->fields[f], work->slot, NULL, error))
      return FALSE;
  }
  if (!gst_cl_picture_fetch (work->picture, work->slot, &last, error))
    return FALSE;
  gst_cl_in_flight_set_last (frames, last);

  return TRUE;
}

/* Submits the frame to a launch of frames of several streams, if it can be in
 * one. */
static gboolean
submit (const Work *work, GstClInFlight *frames, gboolean *is_submitted,
    GError **error)
{
  GstClMomentsOp *op = gst_cl_picture_only_moments (work->picture, work->slot);
  GstClPendingUpload pending;
  GstClFence *last;

  *is_submitted = op && !work->fields &&
                  gst_cl_moments_op_is_batched (op, work->components) &&
                  gst_cl_in_flight_pending_upload (frames, &pending);
  if (!*is_submitted)
    return TRUE;

  last = gst_cl_moments_op_run_batched (op, work->components, &pending,
      work->slot, error);
  if (last)
    gst_cl_in_flight_hand_over (frames, last);

  return last != NULL;
}

/* Selects the ops for the frame in @slot, whose buffer has @components. */
static gboolean
begin (GstClMeasurement *self, guint slot, gdouble freeze_noise, Work *work,
    GError **error)
{
  const GstClRegions *regions = &self->slots[slot].regions;
  const guint n_limits = self->needs & GST_CL_STATISTIC (ZONE_STILLNESS)
                             ? 1 + gst_cl_regions_n_zones (regions)
                             : 1;

  for (guint f = 0; work->fields && f < GST_CL_MEASURED_FIELDS; f++) {
    if (!gst_cl_picture_begin (work->fields[f], slot, regions, 1, 0, error))
      return FALSE;
  }

  return gst_cl_picture_begin (work->picture, slot, regions, n_limits,
      freeze_noise, error);
}

/* Returns the picture of @buffer, in @regions. */
static GstClPicture *
find_picture (const GstClMeasurement *self, GstBuffer *buffer,
    const GstClRegions *regions)
{
  const gboolean is_second = is_alternate (self) &&
                             GST_VIDEO_BUFFER_IS_BOTTOM_FIELD (buffer) &&
                             has_parities (self, regions);

  return self->frames[is_second ? 1 : 0];
}

gboolean
gst_cl_measurement_enqueue (GstClMeasurement *self, GstClInFlight *frames,
    GstBuffer *buffer, guint slot, gdouble freeze_noise, GError **error)
{
  Slot *at = &self->slots[slot];
  Work work = { .slot = slot };
  const GstClFrame *frame;
  gboolean is_submitted;

  if (self->needs == 0)
    return TRUE;

  gst_cl_regions_copy (&at->regions, &self->regions);
  at->has_region_histograms = self->settings.region_histograms;
  if (self->settings.roi_meta)
    gst_cl_regions_add_rois (&at->regions, buffer, &self->shape.info);
  at->buffer_flags = GST_BUFFER_FLAGS (buffer);
  at->picture = NULL;
  at->has_fields = are_fields_in (self, &at->regions);
  work.fields = at->has_fields ? self->fields : NULL;
  if (is_in_strips (self, &at->regions))
    return gst_cl_moment_strips_measure (self->strips, frames, buffer,
        self->component_mask, at->strips, error);

  frame = gst_cl_in_flight_take_components (frames, buffer, &self->shape.info,
      self->component_mask, GST_MAP_READ, error);
  if (!frame)
    return FALSE;
  for (guint i = 0; i < self->shape.n_components; i++)
    work.components[i] = gst_cl_frame_component (frame,
        self->shape.component_ids[i]);
  at->picture = work.picture = find_picture (self, buffer, &at->regions);

  return begin (self, slot, freeze_noise, &work, error) &&
         submit (&work, frames, &is_submitted, error) &&
         (is_submitted || (gst_cl_in_flight_begin_kernels (frames, error) &&
                              run (&work, error) &&
                              gst_cl_in_flight_end_kernels (frames, error) &&
                              fetch (&work, frames, error)));
}

void
gst_cl_measurement_forget_previous (GstClMeasurement *self)
{
  for (guint p = 0; p < MAX_PARITIES; p++) {
    if (self->frames[p])
      gst_cl_picture_forget_previous (self->frames[p]);
  }
  for (guint f = 0; f < GST_CL_MEASURED_FIELDS; f++) {
    if (self->fields[f])
      gst_cl_picture_forget_previous (self->fields[f]);
  }
}

/* --- results ------------------------------------------------------------- */

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

/* Sets @measured to the moments of a frame that was measured in strips. */
static void
get_strips (const GstClMeasurement *self, Slot *at,
    GstClMeasuredPicture *measured)
{
  at->of_strips = (GstClRegionMetrics){ 0 };
  for (guint i = 0; i < self->shape.n_components; i++)
    at->of_strips.components[i].moments = at->strips[i];
  *measured = (GstClMeasuredPicture){ .metrics = &at->of_strips };
}

gboolean
gst_cl_measurement_result (GstClMeasurement *self, guint slot,
    GstClMeasured *measured, GError **error)
{
  Slot *at = &self->slots[slot];

  *measured = (GstClMeasured){
    .shape = &self->shape,
    .regions = &at->regions,
    .has_region_histograms = at->has_region_histograms,
    .buffer_flags = at->buffer_flags,
  };
  if (self->needs == 0)
    return TRUE;

  if (!at->picture)
    get_strips (self, at, &measured->frame);
  else if (!gst_cl_picture_result (at->picture, slot, &measured->frame, error))
    return FALSE;
  for (guint f = 0; at->has_fields && f < GST_CL_MEASURED_FIELDS; f++) {
    if (!gst_cl_picture_result (self->fields[f], slot, &measured->fields[f],
            error))
      return FALSE;
  }
  measured->has_fields = at->has_fields;
  measured->used_bits = count_used_bits (self, measured->frame.metrics);

  return TRUE;
}
