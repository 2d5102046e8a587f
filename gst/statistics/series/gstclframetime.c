/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The times of a frame, and the first fields of its result. */

#include "gstclframetime.h"

void
gst_cl_frame_time_init (GstClFrameTime *time, const GstSegment *segment,
    GstBuffer *buffer, guint64 frame)
{
  *time = (GstClFrameTime){
    .timestamp = GST_BUFFER_PTS (buffer),
    .duration = GST_BUFFER_DURATION (buffer),
    .frame = frame,
    .stream_time = GST_CLOCK_TIME_NONE,
    .running_time = GST_CLOCK_TIME_NONE,
  };
  if (segment->format != GST_FORMAT_TIME)
    return;

  time->stream_time = gst_segment_to_stream_time (segment, GST_FORMAT_TIME,
      time->timestamp);
  time->running_time = gst_segment_to_running_time (segment, GST_FORMAT_TIME,
      time->timestamp);
}

GstStructure *
gst_cl_frame_time_structure (const gchar *name, const GstClFrameTime *time,
    const gchar *element)
{
  g_autofree gchar *valid = g_utf8_validate (element, -1, NULL)
                                ? NULL
                                : g_utf8_make_valid (element, -1);

  return gst_structure_new (name, "timestamp", G_TYPE_UINT64, time->timestamp,
      "stream-time", G_TYPE_UINT64, time->stream_time, "running-time",
      G_TYPE_UINT64, time->running_time, "duration", G_TYPE_UINT64,
      time->duration, "frame", G_TYPE_UINT64, time->frame, "element",
      G_TYPE_STRING, valid ? valid : element, NULL);
}
