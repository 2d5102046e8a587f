/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* From the numbers of a frame to what events and pooled results take. */

#include "gstclseriesinput.h"

#include "cl/video/gstclformat.h"
#include "gstclgamut.h"

G_STATIC_ASSERT (GST_CL_POOLED_MAX_COMPONENTS >= GST_VIDEO_MAX_COMPONENTS);

/* --- what detectors see --------------------------------------------------- */

/* Sets the differences as scene and freeze compare them: scene looks at the
 * luma of YUV alone. */
static void
get_differences (GstClSeriesFrame *frame, const GstClMeasured *measured)
{
  const GstClRegionMetrics *metrics = &measured->metrics[0];

  if (!measured->has_previous)
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
  frame->reference_limit = measured->largest_frozen;
}

static void
get_frame (GstClSeriesFrame *frame, const GstClMeasured *measured,
    const GstClFrameTime *time)
{
  const GstClStatisticsShape *shape = measured->shape;
  const GstClRegionMetrics *metrics = &measured->metrics[0];

  *frame = (GstClSeriesFrame){
    .time = *time,
    .depth = GST_VIDEO_INFO_COMP_DEPTH (&shape->info, 0),
    .is_full_range = gst_cl_gamut_is_full (&shape->info),
    .is_rgb = GST_VIDEO_INFO_IS_RGB (&shape->info),
    .gradient_sum = metrics->sharpness,
    .gradient_count = metrics->n_sharpness,
  };

  for (guint i = 0; i < shape->n_components; i++) {
    if (shape->component_ids[i] == GST_VIDEO_COMP_A)
      continue;
    frame->histograms[frame->n_components] = metrics->components[i].histogram;
    frame->moments[frame->n_components++] = metrics->components[i].moments;
  }
  get_differences (frame, measured);
}

/* --- what is pooled ------------------------------------------------------- */

static guint32 *
fold (const guint32 *counts, guint n_codes, guint n_bins)
{
  g_autofree guint64 *sums = g_new (guint64, n_bins);
  guint32 *bins = g_new (guint32, n_bins);

  gst_cl_distribution_fold (counts, n_codes, sums, n_bins);
  for (guint b = 0; b < n_bins; b++)
    bins[b] = sums[b];

  return bins;
}

static void
get_parts (GstClSeriesInput *input, const GstClStatisticsShape *shape)
{
  static const struct {
    GstClStatistic statistic;
    GstClPooledPart part;
  } rows[] = {
    { GST_CL_STATISTIC_MOMENTS, GST_CL_POOLED_MOMENTS },
    { GST_CL_STATISTIC_RANGE, GST_CL_POOLED_RANGE },
    { GST_CL_STATISTIC_HISTOGRAM, GST_CL_POOLED_HISTOGRAM },
  };

  for (guint i = 0; i < G_N_ELEMENTS (rows); i++) {
    if (shape->statistics & rows[i].statistic)
      input->parts |= rows[i].part;
  }
  input->n_bins = MIN (shape->n_bins, shape->n_codes);
}

static void
get_component (GstClMeasuredInput *self, const GstClMeasured *measured, guint i)
{
  const GstClStatisticsShape *shape = measured->shape;
  const GstClComponentMetrics *component = &measured->metrics[0].components[i];
  GstClSeriesInput *input = &self->input;

  if ((input->parts & GST_CL_POOLED_HISTOGRAM) &&
      input->n_bins < shape->n_codes)
    self->folded[i] = fold (component->histogram, shape->n_codes,
        input->n_bins);
  input->names[i] = gst_cl_format_component_name (shape->info.finfo,
      shape->component_ids[i]);
  input->components[i] = (GstClPooledFrame){
    .moments = component->moments,
    .histogram = self->folded[i] ? self->folded[i] : component->histogram,
  };
}

/* --- both ----------------------------------------------------------------- */

void
gst_cl_measured_input_init (GstClMeasuredInput *self,
    const GstClMeasured *measured, const GstClFrameTime *time)
{
  const GstClStatisticsShape *shape = measured->shape;

  *self = (GstClMeasuredInput){
    .input = { .has_brightness = gst_cl_statistics_has_brightness (shape),
        .n_components = shape->n_components },
  };
  get_frame (&self->input.frame, measured, time);
  get_parts (&self->input, shape);
  for (guint i = 0; i < shape->n_components; i++)
    get_component (self, measured, i);
}

void
gst_cl_measured_input_clear (GstClMeasuredInput *self)
{
  for (guint i = 0; i < G_N_ELEMENTS (self->folded); i++)
    g_clear_pointer (&self->folded[i], g_free);
}
