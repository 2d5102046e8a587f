/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Events and pooled result of clframesum. */

#include "gstclstreamanalysis.h"

#include "cl/video/gstclformat.h"
#include "gstclgamut.h"
#include "series/gstclpooled.h"

G_STATIC_ASSERT (GST_CL_POOLED_MAX_COMPONENTS >= GST_VIDEO_MAX_COMPONENTS);

struct _GstClStreamAnalysis {
  GstElement *element;
  GstClPublisher *publisher;

  GMutex lock;            /* over what follows and the queue of messages */
  guint epoch;            /* of frames that count; one more with each reset */
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
  gst_cl_publisher_post_queued (self->publisher, self->element);
}

static void
queue_event (const GstClEvent *event, gpointer user_data)
{
  GstClStreamAnalysis *self = user_data;

  gst_cl_publisher_queue (self->publisher, GST_CL_RECORD_EVENT,
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
  self->events = gst_cl_events_new (queue_event, self);

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

/* --- events -------------------------------------------------------------- */

GstClMetric
gst_cl_stream_analysis_needs (GstClEventType types)
{
  static const struct {
    GstClSeriesStatistic statistic;
    GstClMetric metrics;
  } rows[] = {
    { GST_CL_SERIES_BRIGHTNESS, GST_CL_METRIC_HISTOGRAM },
    { GST_CL_SERIES_HISTOGRAMS, GST_CL_METRIC_HISTOGRAM },
    { GST_CL_SERIES_CHANGE, GST_CL_METRIC_TEMPORAL },
    { GST_CL_SERIES_STILLNESS, GST_CL_METRIC_FREEZE },
    { GST_CL_SERIES_SHARPNESS,
        GST_CL_METRIC_SHARPNESS | GST_CL_METRIC_MOMENTS },
  };
  const GstClSeriesStatistic needs = gst_cl_events_needs (types);
  GstClMetric metrics = 0;

  for (guint i = 0; i < G_N_ELEMENTS (rows); i++) {
    if (needs & rows[i].statistic)
      metrics |= rows[i].metrics;
  }

  return metrics;
}

gboolean
gst_cl_stream_analysis_is_configured (GstClStreamAnalysis *self,
    GstClEventType types, const GstClEventSettings *settings)
{
  G_GNUC_UNUSED g_autoptr (GMutexLocker)
      locker = g_mutex_locker_new (&self->lock);

  return self->types == types &&
         gst_cl_event_settings_equal (&self->settings, settings);
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
    frame->reference_sad += metrics->freeze_difference[i];
    frame->reference_count += component->moments.count;
  }
  frame->reference_limit = measured->largest_frozen;
}

static void
get_series_frame (GstClSeriesFrame *frame, const GstClMeasured *measured,
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

/* --- the pooled result --------------------------------------------------- */

/* @is_complete: the stream did not break off. lock held */
static void
queue_pooled (GstClStreamAnalysis *self, gboolean is_complete)
{
  if (self->pooled) {
    GstStructure *structure = gst_cl_pooled_to_structure (self->pooled);

    gst_structure_set (structure, "complete", G_TYPE_BOOLEAN,
        is_complete && !self->misses_frames, NULL);
    gst_cl_publisher_queue (self->publisher, GST_CL_RECORD_POOLED, structure);
  }
  g_clear_pointer (&self->pooled, gst_cl_pooled_free);
}

/* Keeps the pooled result that is there if it takes frames of @shape. */
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

  queue_pooled (self, TRUE);
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
pool (GstClStreamAnalysis *self, const GstClMeasured *measured,
    const GstClFrameTime *time)
{
  const GstClStatisticsShape *shape = measured->shape;
  GstClPooledFrame frame[GST_VIDEO_MAX_COMPONENTS];
  guint32 *histograms[GST_VIDEO_MAX_COMPONENTS] = { NULL };

  prepare_pooled (self, shape);
  for (guint i = 0; i < shape->n_components; i++) {
    const GstClComponentMetrics *component = &measured->metrics[0]
                                                  .components[i];

    if (self->pooled->n_bins > 0 && self->pooled->n_bins < shape->n_codes)
      histograms[i] = fold (component->histogram, shape->n_codes,
          self->pooled->n_bins);
    frame[i] = (GstClPooledFrame){
      .moments = component->moments,
      .histogram = histograms[i] ? histograms[i] : component->histogram,
    };
  }
  gst_cl_pooled_add (self->pooled, time, frame);
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
detect (GstClStreamAnalysis *self, const GstClMeasured *measured,
    const GstClFrameTime *time)
{
  GstClSeriesFrame frame;

  if (gst_cl_statistics_has_brightness (measured->shape)) {
    get_series_frame (&frame, measured, time);
    gst_cl_events_measure (self->events, &frame);
  } else {
    /* no event goes on in a frame that cannot show it */
    gst_cl_events_finish (self->events);
  }
}

void
gst_cl_stream_analysis_add (GstClStreamAnalysis *self,
    const GstClMeasured *measured, const GstClFrameTime *time, guint epoch)
{
  g_mutex_lock (&self->lock);
  if (epoch == self->epoch) {
    detect (self, measured, time);
    pool (self, measured, time);
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
  queue_pooled (self, is_complete);
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
