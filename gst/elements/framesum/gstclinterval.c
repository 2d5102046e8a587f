/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Selects the frames of a stream to measure. */

#include "gstclinterval.h"

void
gst_cl_interval_restart (GstClInterval *self)
{
  self->n_frames = 0;
  self->last_frame = G_MAXUINT64;
  self->last_running = GST_CLOCK_TIME_NONE;
}

static gboolean
is_turn (const GstClInterval *self, GstClockTime running_time, guint64 time,
    guint frames)
{
  if (self->last_frame == G_MAXUINT64)
    return TRUE;
  if (self->n_frames - self->last_frame < frames)
    return FALSE;
  if (!GST_CLOCK_TIME_IS_VALID (running_time) ||
      !GST_CLOCK_TIME_IS_VALID (self->last_running) ||
      running_time < self->last_running)
    return TRUE;

  return running_time - self->last_running >= time;
}

gboolean
gst_cl_interval_next (GstClInterval *self, GstClockTime running_time,
    guint64 time, guint frames)
{
  const gboolean turn = is_turn (self, running_time, time, frames);

  if (turn) {
    self->last_frame = self->n_frames;
    self->last_running = running_time;
  }
  self->n_frames++;

  return turn;
}
