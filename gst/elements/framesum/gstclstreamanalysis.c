/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Events and pooled result of clframesum. */

#include "gstclstreamanalysis.h"

struct _GstClStreamAnalysis {
  GstElement *element;
  GstClPublisher *publisher;

  GMutex lock; /* over what follows and the queue of messages */
  guint epoch; /* of frames that count; one more with each reset */
  GstClEventType types;
  GstClEventSettings settings;
  GstClSeries *series;
};

static void
unlock_and_post (GstClStreamAnalysis *self)
{
  g_mutex_unlock (&self->lock);
  gst_cl_publisher_post_queued (self->publisher, self->element);
}

/* lock held */
static void
queue_result (GstClSeriesResult kind, GstStructure *structure,
    gpointer user_data)
{
  GstClStreamAnalysis *self = user_data;

  gst_cl_publisher_queue (self->publisher,
      kind == GST_CL_SERIES_EVENT ? GST_CL_RECORD_EVENT : GST_CL_RECORD_POOLED,
      structure);
}

GstClStreamAnalysis *
gst_cl_stream_analysis_new (GstElement *element, GstClPublisher *publisher)
{
  GstClStreamAnalysis *self = g_new0 (GstClStreamAnalysis, 1);

  self->element = element;
  self->publisher = publisher;
  g_mutex_init (&self->lock);
  gst_cl_event_settings_init (&self->settings);
  self->series = gst_cl_series_new (queue_result, self);

  return self;
}

void
gst_cl_stream_analysis_free (GstClStreamAnalysis *self)
{
  if (!self)
    return;

  gst_cl_series_free (self->series);
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
  gst_cl_series_configure (self->series, types & ~GST_CL_EVENT_SIGNAL_LOSS,
      settings);
  unlock_and_post (self);
}

/* --- the stream ---------------------------------------------------------- */

guint
gst_cl_stream_analysis_epoch (GstClStreamAnalysis *self)
{
  G_GNUC_UNUSED g_autoptr (GMutexLocker)
      locker = g_mutex_locker_new (&self->lock);

  return self->epoch;
}

void
gst_cl_stream_analysis_add (GstClStreamAnalysis *self,
    const GstClSeriesInput *frame, guint epoch)
{
  g_mutex_lock (&self->lock);
  if (epoch == self->epoch)
    gst_cl_series_add (self->series, frame);
  unlock_and_post (self);
}

void
gst_cl_stream_analysis_miss (GstClStreamAnalysis *self, guint epoch)
{
  g_mutex_lock (&self->lock);
  if (epoch == self->epoch)
    gst_cl_series_miss (self->series);
  g_mutex_unlock (&self->lock);
}

void
gst_cl_stream_analysis_finish (GstClStreamAnalysis *self, gboolean is_complete)
{
  g_mutex_lock (&self->lock);
  gst_cl_series_finish (self->series, is_complete);
  unlock_and_post (self);
}

void
gst_cl_stream_analysis_reset (GstClStreamAnalysis *self)
{
  g_mutex_lock (&self->lock);
  gst_cl_series_reset (self->series);
  self->epoch++;
  g_mutex_unlock (&self->lock);
}
