/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include <gst/gst.h>

G_BEGIN_DECLS

/* Counts the frames of a stream and selects the frames to measure by the
 * properties `interval` and `frame-interval`. */
typedef struct {
  guint64 n_frames; /* frames since the restart; number of the next frame */
  /*< private >*/
  guint64 last_frame;        /* last measured frame; G_MAXUINT64: none */
  GstClockTime last_running; /* its running time, or NONE */
} GstClInterval;

/* Restarts: the next frame has number 0 and is measured. */
void gst_cl_interval_restart (GstClInterval *self);

/* Counts one frame at @running_time (GST_CLOCK_TIME_NONE if unknown). Returns
 * TRUE if the frame is measured: if at least @frames frames and @time
 * nanoseconds have passed since the last measured frame. An unknown or
 * decreasing time is ignored. */
gboolean gst_cl_interval_next (GstClInterval *self, GstClockTime running_time,
    guint64 time, guint frames);

G_END_DECLS
