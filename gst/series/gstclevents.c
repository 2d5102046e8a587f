/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The detectors at work on one stream. */

#include "gstclevents.h"

#include <string.h>

#include "gstcldetector.h"

/* Where one frame brings several events, they come in this order. */
static const GstClDetector *const detectors[] = { &gst_cl_detect_black,
  &gst_cl_detect_white, &gst_cl_detect_freeze, &gst_cl_detect_scene,
  &gst_cl_detect_single_color, &gst_cl_detect_defocus,
  &gst_cl_detect_signal_loss };

struct GstClEvents {
  GstClEventFunc func;
  gpointer user_data;

  GstClEventType types;
  GstClEventSettings settings;
  gpointer states[G_N_ELEMENTS (detectors)]; /* owned */

  gboolean has_last;
  GstClInstant last; /* the last frame measured */
  GstClockTime step; /* from the frame before to it */
};

/* --- detectors ------------------------------------------------------------ */

static const GFlagsValue *
make_flags (void)
{
  static GFlagsValue values[G_N_ELEMENTS (detectors) + 1]; /* ends with zeros */

  for (guint i = 0; i < G_N_ELEMENTS (detectors); i++)
    values[i] = (GFlagsValue){ detectors[i]->type, detectors[i]->name,
      detectors[i]->name };

  return values;
}

GstClEnum gst_cl_events_enum = {
  .name = "GstClFrameSumEvents",
  .make_flags = make_flags,
};

GstClSeriesStatistic
gst_cl_events_needs (GstClEventType types)
{
  GstClSeriesStatistic needs = 0;

  for (guint i = 0; i < G_N_ELEMENTS (detectors); i++) {
    if (types & detectors[i]->type)
      needs |= detectors[i]->needs;
  }

  return needs;
}

static GstClDetection
detection_of (const GstClEvents *self, guint index)
{
  return (GstClDetection){
    .detector = detectors[index],
    .settings = &self->settings,
    .func = self->func,
    .user_data = self->user_data,
  };
}

static gboolean
is_on (const GstClEvents *self, guint index)
{
  return (self->types & detectors[index]->type) != 0;
}

static void
forget (GstClEvents *self, guint index)
{
  memset (self->states[index], 0, detectors[index]->state_bytes);
}

/* Returns when the last frame is over, as the instant of a frame after it. A
 * frame without a duration lasts as long as the one before. */
static GstClInstant
end_of_last (const GstClEvents *self)
{
  const GstClFrameTime *last = &self->last.time;
  const GstClockTime duration = GST_CLOCK_TIME_IS_VALID (last->duration)
                                    ? last->duration
                                    : self->step;
  GstClInstant end = {
    .time = gst_cl_frame_time_shift (last, duration),
    .position = gst_cl_time_add (self->last.position, duration),
  };

  end.time.frame++;

  return end;
}

static void
finish (GstClEvents *self, guint index)
{
  const GstClDetector *detector = detectors[index];
  const GstClDetection detection = detection_of (self, index);
  const GstClInstant end = end_of_last (self);

  if (detector->finish && (self->has_last || !detector->step))
    detector->finish (self->states[index], &detection, &end);
  forget (self, index);
}

/* --- the stream ----------------------------------------------------------- */

GstClEvents *
gst_cl_events_new (GstClEventFunc func, gpointer user_data)
{
  GstClEvents *self = g_new0 (GstClEvents, 1);

  self->func = func;
  self->user_data = user_data;
  gst_cl_event_settings_init (&self->settings);
  for (guint i = 0; i < G_N_ELEMENTS (detectors); i++)
    self->states[i] = g_malloc0 (detectors[i]->state_bytes);

  return self;
}

void
gst_cl_events_free (GstClEvents *self)
{
  if (!self)
    return;

  for (guint i = 0; i < G_N_ELEMENTS (detectors); i++)
    g_free (self->states[i]);
  g_free (self);
}

void
gst_cl_events_configure (GstClEvents *self, GstClEventType types,
    const GstClEventSettings *settings)
{
  for (guint i = 0; i < G_N_ELEMENTS (detectors); i++) {
    if (is_on (self, i) && !(types & detectors[i]->type))
      finish (self, i);
  }
  self->types = types;
  self->settings = *settings;
}

void
gst_cl_events_receive (GstClEvents *self, const GstClFrameTime *time,
    GstClockTime now)
{
  for (guint i = 0; i < G_N_ELEMENTS (detectors); i++) {
    const GstClDetection detection = detection_of (self, i);

    if (is_on (self, i) && detectors[i]->receive)
      detectors[i]->receive (self->states[i], &detection, time, now);
  }
}

/* Returns how far the time line goes on from the last frame to one at @time. */
static GstClockTime
advance (const GstClEvents *self, const GstClFrameTime *time)
{
  const GstClFrameTime *last = &self->last.time;

  if (!self->has_last)
    return 0;
  if (GST_CLOCK_TIME_IS_VALID (time->timestamp) &&
      GST_CLOCK_TIME_IS_VALID (last->timestamp) &&
      time->timestamp >= last->timestamp)
    return time->timestamp - last->timestamp;

  return GST_CLOCK_TIME_IS_VALID (last->duration) ? last->duration : 0;
}

void
gst_cl_events_measure (GstClEvents *self, const GstClSeriesFrame *frame)
{
  const GstClockTime step = advance (self, &frame->time);
  const GstClInstant at = {
    .time = frame->time,
    .position = gst_cl_time_add (self->last.position, step),
  };

  for (guint i = 0; i < G_N_ELEMENTS (detectors); i++) {
    const GstClDetection detection = detection_of (self, i);

    if (is_on (self, i) && detectors[i]->step)
      detectors[i]->step (self->states[i], &detection, &at, frame);
  }
  self->last = at;
  self->step = step;
  self->has_last = TRUE;
}

void
gst_cl_events_tick (GstClEvents *self, GstClockTime now)
{
  for (guint i = 0; i < G_N_ELEMENTS (detectors); i++) {
    const GstClDetection detection = detection_of (self, i);

    if (is_on (self, i) && detectors[i]->tick)
      detectors[i]->tick (self->states[i], &detection, now);
  }
}

void
gst_cl_events_finish (GstClEvents *self)
{
  for (guint i = 0; i < G_N_ELEMENTS (detectors); i++) {
    if (is_on (self, i))
      finish (self, i);
  }
  gst_cl_events_reset (self);
}

void
gst_cl_events_reset (GstClEvents *self)
{
  for (guint i = 0; i < G_N_ELEMENTS (detectors); i++)
    forget (self, i);
  self->has_last = FALSE;
  self->last = (GstClInstant){ 0 };
  self->step = 0;
}
