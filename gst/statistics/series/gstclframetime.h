/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include <gst/gst.h>

G_BEGIN_DECLS

/* The presentation times of a frame, in nanoseconds; GST_CLOCK_TIME_NONE if
 * unknown. */
typedef struct {
  GstClockTime timestamp, stream_time, running_time, duration;
  guint64 frame; /* number of the frame in the stream, from 0 */
} GstClFrameTime;

/* Sets @time to the times of @buffer, frame number @frame of the stream, in
 * @segment. */
void gst_cl_frame_time_init (GstClFrameTime *time, const GstSegment *segment,
    GstBuffer *buffer, guint64 frame);

/* Returns a structure called @name with the fields of @time, and `element`: the
 * name of the element that measured the frame. transfer full */
GstStructure *gst_cl_frame_time_structure (const gchar *name,
    const GstClFrameTime *time, const gchar *element);

/* Returns @a + @b; GST_CLOCK_TIME_NONE if one of them is, or if the sum
 * overflows 64 bits. */
static inline GstClockTime
gst_cl_time_add (GstClockTime a, GstClockTime b)
{
  return a < GST_CLOCK_TIME_NONE - b ? a + b : GST_CLOCK_TIME_NONE;
}

/* Returns @time, shifted by @by nanoseconds on all three axes. */
static inline GstClFrameTime
gst_cl_frame_time_shift (const GstClFrameTime *time, GstClockTime by)
{
  GstClFrameTime shifted = *time;

  shifted.timestamp = gst_cl_time_add (shifted.timestamp, by);
  shifted.stream_time = gst_cl_time_add (shifted.stream_time, by);
  shifted.running_time = gst_cl_time_add (shifted.running_time, by);

  return shifted;
}

/* Returns the end of the frame: its begin if its duration is unknown. */
static inline GstClFrameTime
gst_cl_frame_time_end (const GstClFrameTime *time)
{
  return gst_cl_frame_time_shift (time,
      GST_CLOCK_TIME_IS_VALID (time->duration) ? time->duration : 0);
}

G_END_DECLS
