/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Events and pooled result of clframesum. */

#include "gstclstreamanalysis.h"

#include <string.h>

#include "cl/video/gstclformat.h"
#include "gstclgamut.h"
#include "series/gstclpooled.h"

G_STATIC_ASSERT (GST_CL_POOLED_MAX_COMPONENTS >= GST_VIDEO_MAX_COMPONENTS);

struct _GstClStreamAnalysis {
  GstElement *element;
  GstClPublisher *publisher;

  GMutex lock; /* over what follows, and the order of what is told; nothing is
                  posted under it */
  guint epoch; /* of the frames that count: one more with each reset */
  gboolean misses_frames; /* one could not be measured */
  GstClEventType types;
  GstClEventSettings settings;
  GstClEvents *events;
  GstClPooled *pooled; /* NULL before the first frame */
};

static void
unlock_and_post (GstClStreamAnalysis *self)
{
  g_mutex_unlock (&self->lock);
  gst_cl_publisher_post_told (self->publisher, self->element);
}

static void
tell_event (const GstClEvent *event, gpointer user_data)
{
  GstClStreamAnalysis *self = user_data;

  gst_cl_publisher_post (self->publisher, GST_CL_RECORD_EVENT,
      gst_cl_event_to_structure (event));
}

GstClStreamAnalysis *
gst_cl_stream_analysis_new (GstElement *element, GstClPublisher *publisher)
{
  GstClStreamAnalysis *self = g_new0 (GstClStreamAnalysis, 1);

  self->element = element;
  self->publisher = publisher;
  g_mutex_init (&self->lock);
  gst_cl_event_settings_init (&self->settings);
  self->events = gst_cl_events_new (tell_event, self);

  return self;
}

void
gst_cl_stream_analysis_free (GstClStreamAnalysis *self)
{
  if (!self)
    return;

  gst_cl_events_free (self->events);
  gst_cl_pooled_free (self->pooled);
  g_mutex_clear (&self->lock);
  g_free (self);
}

/* --- what is judged ------------------------------------------------------ */

gboolean
gst_cl_stream_analysis_can_judge (const GstClStatisticsShape *shape)
{
  if (shape->n_components == 0)
    return FALSE;
  if (GST_VIDEO_INFO_IS_RGB (&shape->info))
    return shape->component_ids[0] != GST_VIDEO_COMP_A;

  return shape->component_ids[0] == GST_VIDEO_COMP_Y;
}

GstClMetric
gst_cl_stream_analysis_needs (GstClEventType types)
{
  static const struct {
    GstClSeriesFigure needs;
    GstClMetric figures;
  } rows[] = {
    { GST_CL_SERIES_BRIGHTNESS, GST_CL_METRIC_HISTOGRAM },
    { GST_CL_SERIES_HISTOGRAMS, GST_CL_METRIC_HISTOGRAM },
    { GST_CL_SERIES_CHANGE, GST_CL_METRIC_TEMPORAL },
    { GST_CL_SERIES_STILLNESS, GST_CL_METRIC_FREEZE },
    { GST_CL_SERIES_SHARPNESS,
        GST_CL_METRIC_SHARPNESS | GST_CL_METRIC_MOMENTS },
  };
  const GstClSeriesFigure needs = gst_cl_events_needs (types);
  GstClMetric figures = 0;

  for (guint i = 0; i < G_N_ELEMENTS (rows); i++) {
    if (needs & rows[i].needs)
      figures |= rows[i].figures;
  }

  return figures;
}

gboolean
gst_cl_stream_analysis_is_configured (GstClStreamAnalysis *self,
    GstClEventType types, const GstClEventSettings *settings)
{
  G_GNUC_UNUSED g_autoptr (GMutexLocker)
      locker = g_mutex_locker_new (&self->lock);

  return self->types == types &&
         memcmp (&self->settings, settings, sizeof *settings) == 0;
}

void
gst_cl_stream_analysis_configure (GstClStreamAnalysis *self,
    GstClEventType types, const GstClEventSettings *settings)
{
  g_mutex_lock (&self->lock);
  self->types = types;
  self->settings = *settings;
  gst_cl_events_configure (self->events, types & ~GST_CL_EVENT_SIGNAL_LOSS,
      settings);
  unlock_and_post (self);
}

/* The differences that @components have, as scene and freeze compare them: scene
 * looks at the luma of YUV alone. */
static void
get_differences (GstClSeriesFrame *frame, const GstClMeasured *measured)
{
  const GstClRegionMetrics *figures = measured->figures;

  if (!measured->has_previous)
    return;

  for (guint i = 0; i < measured->shape->n_components; i++) {
    const GstClComponentMetrics *component = &figures->components[i];

    if (frame->is_rgb || i == 0) {
      frame->previous_sad += component->difference;
      frame->previous_count += component->moments.count;
    }
    frame->reference_sad += figures->freeze_difference[i];
    frame->reference_count += component->moments.count;
  }
  frame->reference_limit = measured->largest_frozen;
}

static void
get_series_frame (GstClSeriesFrame *frame, const GstClMeasured *measured)
{
  const GstClStatisticsShape *shape = measured->shape;
  const GstClRegionMetrics *figures = measured->figures;

  *frame = (GstClSeriesFrame){
    .time = measured->time,
    .depth = GST_VIDEO_INFO_COMP_DEPTH (&shape->info, 0),
    .is_full_range = gst_cl_gamut_is_full (&shape->info),
    .is_rgb = GST_VIDEO_INFO_IS_RGB (&shape->info),
    .gradient_sum = figures->sharpness,
    .gradient_count = figures->n_sharpness,
  };

  for (guint i = 0; i < shape->n_components; i++) {
    if (shape->component_ids[i] == GST_VIDEO_COMP_A)
      continue;
    frame->histograms[frame->n_components] = figures->components[i].histogram;
    frame->moments[frame->n_components++] = figures->components[i].moments;
  }
  get_differences (frame, measured);
}

/* --- what is pooled ------------------------------------------------------ */

/* @is_complete: nothing broke off. lock held */
static void
tell_pooled (GstClStreamAnalysis *self, gboolean is_complete)
{
  if (self->pooled) {
    GstStructure *structure = gst_cl_pooled_to_structure (self->pooled);

    gst_structure_set (structure, "complete", G_TYPE_BOOLEAN,
        is_complete && !self->misses_frames, NULL);
    gst_cl_publisher_post (self->publisher, GST_CL_RECORD_POOLED, structure);
  }
  g_clear_pointer (&self->pooled, gst_cl_pooled_free);
}

/* Goes on with the one that is there, if it takes frames of @shape. */
static void
prepare_pooled (GstClStreamAnalysis *self, const GstClStatisticsShape *shape)
{
  static const struct {
    GstClStatistic statistic;
    GstClPooledPart part;
  } rows[] = {
    { GST_CL_STATISTIC_MOMENTS, GST_CL_POOLED_MOMENTS },
    { GST_CL_STATISTIC_RANGE, GST_CL_POOLED_RANGE },
    { GST_CL_STATISTIC_HISTOGRAM, GST_CL_POOLED_HISTOGRAM },
  };
  const guint depth = GST_VIDEO_INFO_COMP_DEPTH (&shape->info, 0);
  const guint n_bins = MIN (shape->n_bins, shape->n_codes);
  const guint n = shape->n_components;
  const gchar *names[GST_VIDEO_MAX_COMPONENTS];
  GstClPooledPart parts = 0;

  for (guint i = 0; i < n; i++)
    names[i] = gst_cl_format_component_name (shape->info.finfo,
        shape->component_ids[i]);
  for (guint i = 0; i < G_N_ELEMENTS (rows); i++) {
    if (shape->statistics & rows[i].statistic)
      parts |= rows[i].part;
  }
  if (self->pooled &&
      gst_cl_pooled_is_of (self->pooled, parts, depth, n_bins, names, n))
    return;

  tell_pooled (self, TRUE);
  self->pooled = gst_cl_pooled_new (parts, depth, n_bins, names, n);
}

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
pool (GstClStreamAnalysis *self, const GstClMeasured *measured)
{
  const GstClStatisticsShape *shape = measured->shape;
  GstClPooledFrame frame[GST_VIDEO_MAX_COMPONENTS];
  guint32 *histograms[GST_VIDEO_MAX_COMPONENTS] = { NULL };

  prepare_pooled (self, shape);
  for (guint i = 0; i < shape->n_components; i++) {
    const GstClComponentMetrics *component = &measured->figures->components[i];

    if (self->pooled->n_bins > 0 && self->pooled->n_bins < shape->n_codes)
      histograms[i] = fold (component->histogram, shape->n_codes,
          self->pooled->n_bins);
    frame[i] = (GstClPooledFrame){
      .moments = component->moments,
      .histogram = histograms[i] ? histograms[i] : component->histogram,
    };
  }
  gst_cl_pooled_add (self->pooled, &measured->time, frame);
  for (guint i = 0; i < shape->n_components; i++)
    g_free (histograms[i]);
}

/* --- the stream ---------------------------------------------------------- */

guint
gst_cl_stream_analysis_epoch (GstClStreamAnalysis *self)
{
  G_GNUC_UNUSED g_autoptr (GMutexLocker)
      locker = g_mutex_locker_new (&self->lock);

  return self->epoch;
}

/* lock held */
static void
judge (GstClStreamAnalysis *self, const GstClMeasured *measured)
{
  GstClSeriesFrame frame;

  if (gst_cl_stream_analysis_can_judge (measured->shape)) {
    get_series_frame (&frame, measured);
    gst_cl_events_measure (self->events, &frame);
  } else {
    /* what a frame does not show has not gone on in it */
    gst_cl_events_finish (self->events);
  }
}

void
gst_cl_stream_analysis_measure (GstClStreamAnalysis *self,
    const GstClMeasured *measured)
{
  g_mutex_lock (&self->lock);
  if (measured->epoch == self->epoch) {
    judge (self, measured);
    pool (self, measured);
  }
  unlock_and_post (self);
}

void
gst_cl_stream_analysis_miss (GstClStreamAnalysis *self, guint epoch)
{
  g_mutex_lock (&self->lock);
  self->misses_frames |= epoch == self->epoch;
  g_mutex_unlock (&self->lock);
}

void
gst_cl_stream_analysis_finish (GstClStreamAnalysis *self, gboolean is_complete)
{
  g_mutex_lock (&self->lock);
  gst_cl_events_finish (self->events);
  tell_pooled (self, is_complete);
  self->misses_frames = FALSE;
  unlock_and_post (self);
}

void
gst_cl_stream_analysis_reset (GstClStreamAnalysis *self)
{
  g_mutex_lock (&self->lock);
  gst_cl_events_reset (self->events);
  g_clear_pointer (&self->pooled, gst_cl_pooled_free);
  self->misses_frames = FALSE;
  self->epoch++;
  g_mutex_unlock (&self->lock);
}
