/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include <gst/gst.h>

G_BEGIN_DECLS

/* Counts the frames of a stream and says which ones are measured, by the
 * properties `interval` and `frame-interval`. */
typedef struct {
  guint64 n_frames; /* seen since the restart: number of the next one */
  /*< private >*/
  guint64 last_frame;        /* measured last; G_MAXUINT64: none yet */
  GstClockTime last_running; /* its running time, or NONE */
} GstClInterval;

/* The next frame is number 0, and measured. */
void gst_cl_interval_restart (GstClInterval *self);

/* Counts one frame at @running_time (GST_CLOCK_TIME_NONE if unknown); TRUE if
 * it is its turn: at least @frames frames and @time nanoseconds after the last
 * one that was. Time that is unknown or runs backwards keeps none back. */
gboolean gst_cl_interval_next (GstClInterval *self, GstClockTime running_time,
    guint64 time, guint frames);

G_END_DECLS
