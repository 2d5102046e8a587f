/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Events as structures, posting them, and the detectors of one stream. */

#include "gstclevents.h"

#include <string.h>

#include "gstcleventsprivate.h"

/* --- an event as a structure ---------------------------------------------- */

GstStructure *
gst_cl_event_to_structure (const GstClEvent *event)
{
  const GstClFrameTime *time = event->is_end ? &event->end : &event->start;
  GstStructure *structure = gst_structure_new ("clframesum-event", "event",
      G_TYPE_STRING, event->name, "state", G_TYPE_STRING,
      event->is_end ? "end" : "start", "timestamp", G_TYPE_UINT64,
      time->timestamp, "stream-time", G_TYPE_UINT64, time->stream_time,
      "running-time", G_TYPE_UINT64, time->running_time, "duration",
      G_TYPE_UINT64, event->duration, "frame", G_TYPE_UINT64, time->frame,
      NULL);

  if (event->is_end)
    gst_structure_set (structure, "start-timestamp", G_TYPE_UINT64,
        event->start.timestamp, "start-stream-time", G_TYPE_UINT64,
        event->start.stream_time, "start-running-time", G_TYPE_UINT64,
        event->start.running_time, "start-frame", G_TYPE_UINT64,
        event->start.frame, NULL);
  for (guint i = 0; i < GST_CL_EVENT_MAX_TIMES && event->times[i].name; i++)
    gst_structure_set (structure, event->times[i].name, G_TYPE_UINT64,
        event->times[i].time, NULL);
  if (event->word.name)
    gst_structure_set (structure, event->word.name, G_TYPE_STRING,
        event->word.text, NULL);
  for (guint i = 0; i < GST_CL_EVENT_MAX_VALUES && event->values[i].name; i++)
    gst_structure_set (structure, event->values[i].name, G_TYPE_DOUBLE,
        event->values[i].value, NULL);

  return structure;
}

/* --- functions for detectors ---------------------------------------------- */

static void
emit (const GstClDetection *detection, GstClEvent *event,
    const GstClockTime *times, const gdouble *values)
{
  const GstClDetector *detector = detection->detector;

  event->type = detector->type;
  event->name = detector->name;
  for (guint i = 0; i < GST_CL_EVENT_MAX_TIMES; i++) {
    event->times[i].name = detector->times[i];
    if (detector->times[i]) {
      g_assert (times);
      event->times[i].time = times[i];
    }
  }
  if (detector->word) {
    g_assert (detection->word);
    event->word.name = detector->word;
    event->word.text = detection->word;
  }
  for (guint i = 0; i < GST_CL_EVENT_MAX_VALUES; i++) {
    event->values[i].name = detector->values[i];
    if (detector->values[i]) {
      g_assert (values);
      event->values[i].value = values[i];
    }
  }

  detection->func (event, detection->user_data);
}

void
gst_cl_detection_post_start (const GstClDetection *detection,
    const GstClFrameTime *start, const GstClockTime *times,
    const gdouble *values)
{
  GstClEvent event = { .start = *start, .duration = GST_CLOCK_TIME_NONE };

  emit (detection, &event, times, values);
}

void
gst_cl_detection_post_end (const GstClDetection *detection,
    const GstClFrameTime *start, const GstClFrameTime *end,
    GstClockTime duration, const GstClockTime *times, const gdouble *values)
{
  GstClEvent event = {
    .is_end = TRUE,
    .start = *start,
    .end = *end,
    .duration = duration,
  };

  emit (detection, &event, times, values);
}

void
gst_cl_detection_post_instant (const GstClDetection *detection,
    const GstClFrameTime *time, const gdouble *values)
{
  GstClEvent event = { .start = *time, .duration = 0 };

  emit (detection, &event, NULL, values);
}

const gchar *
gst_cl_buffer_evidence (guint64 buffer_flags, const gchar *none)
{
  static const struct {
    GstBufferFlags flag;
    const gchar *name;
  } rows[] = {
    { GST_BUFFER_FLAG_CORRUPTED, "corrupted" },
    { GST_BUFFER_FLAG_GAP, "gap" },
    { GST_BUFFER_FLAG_DISCONT, "discont" },
  };

  for (guint i = 0; i < G_N_ELEMENTS (rows); i++) {
    if (buffer_flags & rows[i].flag)
      return rows[i].name;
  }

  return none;
}

/* --- an interval with hysteresis and a minimum duration ------------------- */

static void
end (GstClSpan *span, const GstClDetection *detection, const GstClInstant *at)
{
  if (span->is_posted)
    gst_cl_detection_post_end (detection, &span->start.time, &at->time,
        at->position - span->start.position, NULL, span->values);
  span->has_begun = span->is_posted = FALSE;
}

void
gst_cl_average_add (GstClAverage *average, gdouble value, GstClockTime passed,
    GstClockTime span)
{
  if (!average->has_value) {
    average->has_value = TRUE;
    average->value = value;
  }

  average->looked_back = MIN (gst_cl_time_add (average->looked_back, passed),
      span);
  if (average->looked_back > 0)
    average->value += (value - average->value) *
                      MIN ((gdouble) passed / average->looked_back, 1.0);
}

void
gst_cl_span_step (GstClSpan *span, const GstClDetection *detection,
    const GstClInstant *at, gboolean enters, gboolean stays,
    GstClockTime min_duration, const gdouble *values)
{
  const gboolean is_in = span->has_begun ? stays : enters;

  if (!is_in && !span->has_begun)
    return;

  if (!span->has_begun) {
    span->has_begun = TRUE;
    span->start = *at;
  }
  for (guint i = 0; i < GST_CL_EVENT_MAX_VALUES; i++)
    span->values[i] = detection->detector->values[i] ? values[i] : 0.0;

  if (!span->is_posted && at->position - span->start.position >= min_duration) {
    span->is_posted = TRUE;
    gst_cl_detection_post_start (detection, &span->start.time, NULL, values);
  }
  if (!is_in)
    end (span, detection, at);
}

void
gst_cl_span_finish (GstClSpan *span, const GstClDetection *detection,
    const GstClInstant *at)
{
  end (span, detection, at);
}

/* --- the table of detectors ----------------------------------------------- */

/* Events of one frame are posted in this order. */
static const GstClDetector *const detectors[] = { &gst_cl_detect_black,
  &gst_cl_detect_white, &gst_cl_detect_freeze, &gst_cl_detect_scene,
  &gst_cl_detect_single_color, &gst_cl_detect_defocus,
  &gst_cl_detect_signal_loss, &gst_cl_detect_range, &gst_cl_detect_noisy,
  &gst_cl_detect_border, &gst_cl_detect_repeat, &gst_cl_detect_gap,
  &gst_cl_detect_blocky, &gst_cl_detect_field_order, &gst_cl_detect_card,
  &gst_cl_detect_flash, &gst_cl_detect_levels };

struct GstClEvents {
  GstClEventFunc func;
  gpointer user_data;

  GstClEventType types;
  GstClEventSettings settings;
  gpointer states[G_N_ELEMENTS (detectors)]; /* owned */
  GstClEventCounts counts;

  gboolean has_last;
  GstClInstant last; /* the last frame measured */
  GstClockTime step; /* from the previous frame to it */
};

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

const GstClProperty *
gst_cl_event_property (guint index)
{
  for (guint i = 0; i < G_N_ELEMENTS (detectors); i++) {
    const GstClProperty *row = detectors[i]->properties;

    for (; row && row->name; row++) {
      if (index-- == 0)
        return row;
    }
  }

  return NULL;
}

void
gst_cl_event_settings_init (GstClEventSettings *settings)
{
  for (guint i = 0; i < GST_CL_EVENT_N_PROPERTIES; i++)
    gst_cl_property_init_fields (gst_cl_event_property (i), 1, settings);
}

gboolean
gst_cl_event_settings_equal (const GstClEventSettings *a,
    const GstClEventSettings *b)
{
  for (guint i = 0; i < G_N_ELEMENTS (detectors); i++) {
    const GstClProperty *row = detectors[i]->properties;

    for (; row && row->name; row++) {
      if (!gst_cl_property_is_equal (row, a, b))
        return FALSE;
    }
  }

  return TRUE;
}

GstClStatistics
gst_cl_events_needs (GstClEventType types)
{
  GstClStatistics needs = 0;

  for (guint i = 0; i < G_N_ELEMENTS (detectors); i++) {
    if (types & detectors[i]->type)
      needs |= detectors[i]->needs;
  }

  return needs;
}

GstClEventType
gst_cl_events_of_zones (void)
{
  GstClEventType types = 0;

  for (guint i = 0; i < G_N_ELEMENTS (detectors); i++) {
    if (detectors[i]->is_of_zones)
      types |= detectors[i]->type;
  }

  return types;
}

static GstClDetection
detection_of (GstClEvents *self, guint index)
{
  return (GstClDetection){
    .detector = detectors[index],
    .settings = &self->settings,
    .counts = &self->counts,
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

/* Returns the end of the last frame, as the instant of the frame after it. A
 * frame without a duration has the duration of the one before. */
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

/* Returns the time from the last frame to a frame at @time on the timeline. */
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
    .position = gst_cl_events_next_position (self, &frame->time),
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

GstClockTime
gst_cl_events_position (const GstClEvents *self)
{
  return self->last.position;
}

GstClockTime
gst_cl_events_next_position (const GstClEvents *self,
    const GstClFrameTime *time)
{
  return gst_cl_time_add (self->last.position, advance (self, time));
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

/* Clears all state but the counts. */
static void
forget_stream (GstClEvents *self)
{
  for (guint i = 0; i < G_N_ELEMENTS (detectors); i++)
    forget (self, i);
  self->has_last = FALSE;
  self->last = (GstClInstant){ 0 };
  self->step = 0;
}

void
gst_cl_events_finish (GstClEvents *self)
{
  for (guint i = 0; i < G_N_ELEMENTS (detectors); i++) {
    if (is_on (self, i))
      finish (self, i);
  }
  forget_stream (self);
}

void
gst_cl_events_take_counts (GstClEvents *self, GstStructure *structure,
    guint64 n_frames, GstClockTime duration)
{
  const GstClEventCounts *counts = &self->counts;

  if (self->types & GST_CL_EVENT_REPEAT)
    gst_structure_set (structure, "repeated-frames", G_TYPE_UINT64,
        counts->n_repeated, "repeated-share", G_TYPE_DOUBLE,
        gst_cl_ratio (counts->n_repeated, n_frames), "repeated-per-minute",
        G_TYPE_DOUBLE,
        gst_cl_ratio (counts->n_repeated,
            GST_CLOCK_TIME_IS_VALID (duration) ? duration : 0) *
            60 * GST_SECOND,
        NULL);
  if (self->types & GST_CL_EVENT_GAP)
    gst_structure_set (structure, "missing-frames", G_TYPE_UINT64,
        counts->n_missing, NULL);
  self->counts = (GstClEventCounts){ 0 };
}

void
gst_cl_events_reset (GstClEvents *self)
{
  forget_stream (self);
  self->counts = (GstClEventCounts){ 0 };
}
