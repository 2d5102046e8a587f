/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include <gst/gst.h>

G_BEGIN_DECLS

/* When a frame is shown: nanoseconds, GST_CLOCK_TIME_NONE where unknown. */
typedef struct {
  GstClockTime timestamp, stream_time, running_time, duration;
  guint64 frame; /* number of the frame in the stream, from 0 */
} GstClFrameTime;

/* The same frame, @by nanoseconds later on all three axes; times that are
 * unknown remain so. */
static inline GstClFrameTime
gst_cl_frame_time_shift (const GstClFrameTime *time, GstClockTime by)
{
  GstClFrameTime shifted = *time;

  if (GST_CLOCK_TIME_IS_VALID (shifted.timestamp))
    shifted.timestamp += by;
  if (GST_CLOCK_TIME_IS_VALID (shifted.stream_time))
    shifted.stream_time += by;
  if (GST_CLOCK_TIME_IS_VALID (shifted.running_time))
    shifted.running_time += by;

  return shifted;
}

/* When the frame is over; its begin where its duration is unknown. */
static inline GstClFrameTime
gst_cl_frame_time_end (const GstClFrameTime *time)
{
  return gst_cl_frame_time_shift (time,
      GST_CLOCK_TIME_IS_VALID (time->duration) ? time->duration : 0);
}

G_END_DECLS
