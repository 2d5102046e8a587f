/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include <gst/gst.h>

G_BEGIN_DECLS

/* Counts the frames of a stream, and says which ones are measured by the
 * properties `interval` and `frame-interval`. */
typedef struct {
  guint64 n_frames; /* seen since the restart: number of the next one */
  /*< private >*/
  guint64 last_frame;        /* measured last; G_MAXUINT64: none yet */
  GstClockTime last_running; /* its running time, or NONE */
} GstClInterval;

/* Starts anew: the next frame is number 0, and is measured. */
void gst_cl_interval_restart (GstClInterval *self);

/* Counts one frame at @running_time (GST_CLOCK_TIME_NONE if unknown). TRUE if
 * it is measured: if at least @frames frames and @time nanoseconds have passed
 * since the last one that was. A time that is unknown or runs backwards does
 * not count. */
gboolean gst_cl_interval_next (GstClInterval *self, GstClockTime running_time,
    guint64 time, guint frames);

G_END_DECLS
