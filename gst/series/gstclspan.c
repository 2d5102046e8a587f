/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* An interval with hysteresis and a least duration. */

#include "gstcldetector.h"

static void
end (GstClSpan *span, const GstClDetection *detection, const GstClInstant *at)
{
  if (span->is_posted)
    gst_cl_detection_post_end (detection, &span->start.time, &at->time,
        at->position - span->start.position, NULL, span->values);
  span->has_begun = span->is_posted = FALSE;
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
