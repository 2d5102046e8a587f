/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Synthetic series for the detectors. */

#include "eventlog.h"

#include <string.h>

#include <gst/check/gstcheck.h>

static gdouble
seconds (GstClockTime time)
{
  return GST_CLOCK_TIME_IS_VALID (time) ? time / (gdouble) GST_SECOND : -1.0;
}

static void
on_event (const GstClEvent *event, gpointer user_data)
{
  EventLog *self = user_data;

  if (event->is_end)
    g_string_append_printf (self->text, "%s end %.1f (%.1f); ", event->name,
        seconds (event->end.running_time), seconds (event->duration));
  else
    g_string_append_printf (self->text, "%s start %.1f; ", event->name,
        seconds (event->start.running_time));
  self->last = *event;
  self->n_told++;
}

EventLog *
event_log_new (GstClEventType types)
{
  EventLog *self = g_new0 (EventLog, 1);

  gst_cl_event_settings_init (&self->settings);
  self->text = g_string_new (NULL);
  self->events = gst_cl_events_new (on_event, self);
  self->frame.time.duration = FRAME_TIME;
  self->now = GST_CLOCK_TIME_NONE;
  self->frame.depth = 8;
  self->frame.n_components = 1;
  for (guint c = 0; c < GST_CL_SERIES_MAX_COMPONENTS; c++)
    event_log_set_level (self, c, 128, 0);
  event_log_configure (self, types);

  return self;
}

void
event_log_free (EventLog *self)
{
  gst_cl_events_free (self->events);
  g_string_free (self->text, TRUE);
  g_free (self);
}

void
event_log_configure (EventLog *self, GstClEventType types)
{
  gst_cl_events_configure (self->events, types, &self->settings);
}

void
event_log_set_level (EventLog *self, guint component, guint code, guint n)
{
  guint32 *histogram = self->histograms[component];

  memset (histogram, 0, sizeof self->histograms[component]);
  for (guint i = 0; i < N_SAMPLES - n; i++)
    histogram[100 + i % 100]++;
  histogram[code] += n;
  self->frame.histograms[component] = histogram;
  self->frame.moments[component].count = N_SAMPLES;
}

void
event_log_push (EventLog *self, guint n)
{
  GstClFrameTime *time = &self->frame.time;

  for (guint i = 0; i < n; i++) {
    time->stream_time = time->running_time = time->timestamp;
    gst_cl_events_receive (self->events, time, self->now);
    gst_cl_events_measure (self->events, &self->frame);
    if (GST_CLOCK_TIME_IS_VALID (time->timestamp))
      time->timestamp += FRAME_TIME;
    time->frame++;
  }
}

void
event_log_expect (EventLog *self, const gchar *text)
{
  fail_unless_equals_string (self->text->str, text);
  g_string_truncate (self->text, 0);
}
