/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* How detectors post their events. */

#include "gstcldetector.h"

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
