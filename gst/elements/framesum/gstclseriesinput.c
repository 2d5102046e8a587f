/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* A measured frame as input of the detectors and of the pooled result. */

#include "gstclseriesinput.h"

#include <math.h>

#include "cl/video/gstclformat.h"
#include "elements/base/gstclgamut.h"
#include "statistics/blockiness/gstclblockiness.h"

G_STATIC_ASSERT (GST_CL_POOLED_MAX_COMPONENTS >= GST_VIDEO_MAX_COMPONENTS);

/* --- a measured frame ----------------------------------------------------- */

/* Sets the differences of region @index for the events scene and freeze; scene
 * uses only the luma of YUV. */
static void
get_differences (GstClSeriesFrame *frame, const GstClMeasured *measured,
    guint index)
{
  const GstClRegionMetrics *metrics = &measured->frame.metrics[index];

  if (index == 0 ? !measured->frame.has_previous
                 : !measured->frame.has_previous_zones)
    return;

  for (guint i = 0; i < measured->shape->n_components; i++) {
    const GstClComponentMetrics *component = &metrics->components[i];

    if (frame->is_rgb || i == 0) {
      frame->previous_sad += component->difference;
      frame->previous_count += component->moments.count;
    }
    frame->reference_sad += component->freeze_difference;
    frame->reference_count += component->moments.count;
  }
  frame->reference_limit = measured->frame.limits[index];
}

/* Sets the sums of all components. */
static void
get_field_sums (GstClSeriesFieldSums *sums, const GstClMeasured *measured)
{
  sums->has_previous = measured->frame.has_previous;
  for (guint i = 0; i < measured->shape->n_components; i++) {
    const GstClComponentMetrics *component = &measured->frame.metrics[0]
                                                  .components[i];

    sums->previous[0] += component->fields_previous_even;
    sums->previous[1] += component->fields_previous_odd;
    sums->current[0] += component->fields_current_even;
    sums->current[1] += component->fields_current_odd;
    sums->own[0] += component->fields_own_even;
    sums->own[1] += component->fields_own_odd;
    sums->change[0] += component->fields_change_even;
    sums->change[1] += component->fields_change_odd;
  }
}

/* Returns the duration of a buffer at the rate of the caps, nanoseconds; 0 if
 * they have none. */
static guint64
get_nominal_duration (const GstVideoInfo *info)
{
  const guint n_buffers = GST_VIDEO_INFO_INTERLACE_MODE (info) ==
                                  GST_VIDEO_INTERLACE_MODE_ALTERNATE
                              ? 2
                              : 1;

  if (GST_VIDEO_INFO_FPS_N (info) <= 0)
    return 0;

  return gst_util_uint64_scale_round (GST_SECOND / n_buffers,
      GST_VIDEO_INFO_FPS_D (info), GST_VIDEO_INFO_FPS_N (info));
}

/* Returns the field order that caps and buffer name; UNDETERMINED if they do
 * not. */
static GstClFieldsType
get_tagged_order (const GstVideoInfo *info, guint buffer_flags)
{
  const gboolean is_interlaced = (buffer_flags &
                                     GST_VIDEO_BUFFER_FLAG_INTERLACED) != 0;
  const GstClFieldsType of_buffer = buffer_flags & GST_VIDEO_BUFFER_FLAG_TFF
                                        ? GST_CL_FIELDS_TFF
                                        : GST_CL_FIELDS_BFF;

  switch (GST_VIDEO_INFO_INTERLACE_MODE (info)) {
    case GST_VIDEO_INTERLACE_MODE_PROGRESSIVE:
      return GST_CL_FIELDS_PROGRESSIVE;
    case GST_VIDEO_INTERLACE_MODE_MIXED:
      return is_interlaced ? of_buffer : GST_CL_FIELDS_PROGRESSIVE;
    case GST_VIDEO_INTERLACE_MODE_INTERLEAVED:
      break;
    default:
      return GST_CL_FIELDS_UNDETERMINED;
  }

  switch (GST_VIDEO_INFO_FIELD_ORDER (info)) {
    case GST_VIDEO_FIELD_ORDER_TOP_FIELD_FIRST:
      return GST_CL_FIELDS_TFF;
    case GST_VIDEO_FIELD_ORDER_BOTTOM_FIELD_FIRST:
      return GST_CL_FIELDS_BFF;
    default:
      return is_interlaced ? of_buffer : GST_CL_FIELDS_UNDETERMINED;
  }
}

/* Sets the borders of all components but alpha, if there are profiles. */
static void
get_borders (GstClSeriesFrame *frame, const GstClMeasured *measured)
{
  const GstClStatisticsShape *shape = measured->shape;
  const GstClProfile *profiles[GST_VIDEO_MAX_COMPONENTS];
  guint n = 0;

  if (!measured->frame.profiles || !gst_cl_statistics_has_brightness (shape))
    return;

  for (guint i = 0; i < shape->n_components; i++) {
    if (shape->component_ids[i] != GST_VIDEO_COMP_A)
      profiles[n++] = &measured->frame.profiles[i];
  }
  frame->has_borders = TRUE;
  gst_cl_borders_find (&frame->borders, profiles, n, shape->depth);
  frame->borders.frame_width = GST_VIDEO_INFO_WIDTH (&shape->info);
  frame->borders.frame_height = GST_VIDEO_INFO_HEIGHT (&shape->info);
}

/* Sets the cells of all components but alpha, if they are measured. */
static void
get_cells (GstClSeriesFrame *frame, const GstClMeasured *measured)
{
  const GstClStatisticsShape *shape = measured->shape;
  guint n = 0;

  for (guint i = 0; i < shape->n_components; i++) {
    if (shape->component_ids[i] != GST_VIDEO_COMP_A)
      frame->cells[n++] = measured->frame.cells[i];
  }
}

/* Sets @frame to the numbers of region @index, except those that only frames
 * have. */
static void
get_region (GstClSeriesFrame *frame, const GstClMeasured *measured, guint index,
    const GstClFrameTime *time)
{
  const GstClStatisticsShape *shape = measured->shape;
  const GstClRegionMetrics *metrics = &measured->frame.metrics[index];

  *frame = (GstClSeriesFrame){
    .time = *time,
    .buffer_flags = measured->buffer_flags & GST_CL_SERIES_BUFFER_FLAGS,
    .depth = shape->depth,
    .is_full_range = gst_cl_gamut_is_full (&shape->info),
    .is_rgb = GST_VIDEO_INFO_IS_RGB (&shape->info),
    .gradient_sum = metrics->sharpness,
    .gradient_count = metrics->n_sharpness,
    .noise_sum = metrics->noise,
    .noise_count = metrics->n_noise,
  };

  for (guint i = 0; i < shape->n_components; i++) {
    if (shape->component_ids[i] == GST_VIDEO_COMP_A)
      continue;
    frame->histograms[frame->n_components] = metrics->components[i].histogram;
    frame->moments[frame->n_components++] = metrics->components[i].moments;
  }
  get_differences (frame, measured, index);
}

static void
get_frame (GstClSeriesFrame *frame, const GstClMeasured *measured,
    const GstClFrameTime *time)
{
  const GstVideoInfo *info = &measured->shape->info;

  get_region (frame, measured, 0, time);
  frame->nominal_duration = get_nominal_duration (info);
  frame->tagged_order = get_tagged_order (info, measured->buffer_flags);
  get_borders (frame, measured);
  get_cells (frame, measured);
  frame->blockiness = llrint (
      measured->frame.blockiness * GST_CL_BLOCKINESS_ONE);
  frame->has_fields = (measured->shape->statistics &
                          GST_CL_STATISTIC (FIELDS)) != 0;
  get_field_sums (&frame->fields, measured);
}

void
gst_cl_measured_input_add_zones (GstClMeasuredInput *self,
    const GstClMeasured *measured)
{
  const guint n = gst_cl_regions_n_zones (measured->regions);

  if (!self->zones)
    self->zones = g_array_new (FALSE, FALSE, sizeof (GstClSeriesZone));
  g_array_set_size (self->zones, n);

  for (guint i = 0; i < n; i++) {
    const GstClRegion *region = &g_array_index (measured->regions->regions,
        GstClRegion, 1 + i);
    GstClSeriesZone *zone = &g_array_index (self->zones, GstClSeriesZone, i);

    *zone = (GstClSeriesZone){
      .x = region->x,
      .y = region->y,
      .width = region->width,
      .height = region->height,
    };
    get_region (&zone->frame, measured, 1 + i, &self->input.frame.time);
  }
  self->input.n_zones = n;
  self->input.zones = (const GstClSeriesZone *) self->zones->data;
}

/* Sets *@bins (NULL: allocates it) to the histogram of @n_codes codes, folded
 * into @n_bins bins; returns its values (borrowed). */
static const guint32 *
fold (GArray **bins, const guint32 *counts, guint n_codes, guint n_bins)
{
  if (!*bins)
    *bins = g_array_new (FALSE, FALSE, sizeof (guint32));
  g_array_set_size (*bins, n_bins);
  gst_cl_distribution_fold (counts, n_codes, (guint32 *) (*bins)->data, n_bins);

  return (const guint32 *) (*bins)->data;
}

static void
get_component (GstClMeasuredInput *self, const GstClMeasured *measured, guint i)
{
  const GstClStatisticsShape *shape = measured->shape;
  const GstClComponentMetrics *component = &measured->frame.metrics[0]
                                                .components[i];
  GstClSeriesInput *input = &self->input;
  const guint32 *histogram = component->histogram;

  if ((input->parts & GST_CL_STATISTIC (HISTOGRAM)) &&
      input->n_bins < shape->n_codes)
    histogram = fold (&self->folded[i], histogram, shape->n_codes,
        input->n_bins);
  input->names[i] = gst_cl_format_component_name (shape->info.finfo,
      shape->component_ids[i]);
  input->components[i] = (GstClPooledFrame){
    .moments = component->moments,
    .histogram = histogram,
  };
}

GstClRangeEvidence
gst_cl_measured_evidence (const GstClStatisticsShape *shape,
    const GstClRegionMetrics *metrics)
{
  const guint32 *histograms[GST_VIDEO_MAX_COMPONENTS];
  guint n = 0;

  if (!gst_cl_statistics_has_brightness (shape))
    return GST_CL_RANGE_UNKNOWN;

  for (guint i = 0; i < shape->n_components; i++) {
    const guint id = shape->component_ids[i];

    if (id != GST_VIDEO_COMP_A &&
        (id == 0 || GST_VIDEO_INFO_IS_RGB (&shape->info)))
      histograms[n++] = metrics->components[i].histogram;
  }

  return gst_cl_range_find_evidence (histograms, n, shape->depth);
}

void
gst_cl_measured_input_init (GstClMeasuredInput *self,
    const GstClMeasured *measured, const GstClFrameTime *time)
{
  const GstClStatisticsShape *shape = measured->shape;

  self->input = (GstClSeriesInput){
    .has_brightness = gst_cl_statistics_has_brightness (shape),
    .n_components = shape->n_components,
  };
  get_frame (&self->input.frame, measured, time);
  self->input.parts = shape->statistics & GST_CL_STATISTICS_POOLED;
  self->input.n_bins = MIN (shape->n_bins, shape->n_codes);
  for (guint i = 0; i < shape->n_components; i++)
    get_component (self, measured, i);
  if (self->input.parts & GST_CL_STATISTIC (RANGE_EVIDENCE))
    self->input.evidence = gst_cl_measured_evidence (shape,
        &measured->frame.metrics[0]);
}

void
gst_cl_measured_input_clear (GstClMeasuredInput *self)
{
  for (guint i = 0; i < G_N_ELEMENTS (self->folded); i++)
    g_clear_pointer (&self->folded[i], g_array_unref);
  g_clear_pointer (&self->zones, g_array_unref);
}
