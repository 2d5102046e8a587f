/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Events as structures. */

#include "gstclevent.h"

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
  for (guint i = 0; i < GST_CL_EVENT_MAX_VALUES && event->values[i].name; i++)
    gst_structure_set (structure, event->values[i].name, G_TYPE_DOUBLE,
        event->values[i].value, NULL);

  return structure;
}
