/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The event signal-loss: no frame arrives for a time. It is detected by the
 * clock while no frame arrives, or by the gap when the next frame arrives.
 * Times are running times, or timestamps if those are unknown. */

#include "gstcleventsprivate.h"

/* Clock times are running times, too: that of the last frame, plus the time
 * since its arrival. They are unknown without a clock. */
typedef struct {
  gboolean has_begun;
  GstClFrameTime due; /* expected time of the next frame */
  GstClockTime seen;  /* clock time of the last frame's arrival */

  gboolean is_lost, is_returning;
  GstClFrameTime lost;     /* begin of the loss, if is_lost */
  GstClFrameTime returned; /* first frame after the loss, if is_returning */
  GstClockTime now;        /* running time of the last tick, if is_lost */

  GstClockTime noticed; /* clock time of the detection, if is_lost */
  GstClockTime waited;  /* time without frames, if is_lost */
  GstClockTime ended;   /* clock time, if is_returning */
  GstClockTime silence; /* value of waited at that time */
} SignalLoss;

static gboolean
passed (GstClockTime from, GstClockTime to, GstClockTime *time)
{
  if (!GST_CLOCK_TIME_IS_VALID (from) || !GST_CLOCK_TIME_IS_VALID (to))
    return FALSE;

  *time = to > from ? to - from : 0;

  return TRUE;
}

static GstClockTime
time_between (const GstClFrameTime *from, const GstClFrameTime *to)
{
  GstClockTime time;

  if (passed (from->running_time, to->running_time, &time) ||
      passed (from->timestamp, to->timestamp, &time))
    return time;

  return 0;
}

static gboolean
is_overdue (const SignalLoss *self, const GstClFrameTime *at,
    GstClockTime timeout)
{
  return timeout > 0 && time_between (&self->due, at) >= timeout;
}

/* Returns the time without a frame up to @now. */
static GstClockTime
wait_up_to (const SignalLoss *self, GstClockTime now)
{
  GstClockTime time;

  return passed (self->seen, now, &time) ? time : GST_CLOCK_TIME_NONE;
}

static void
lose (SignalLoss *self, const GstClDetection *detection, GstClockTime now)
{
  const GstClockTime times[] = { now, GST_CLOCK_TIME_NONE,
    GST_CLOCK_TIME_NONE };

  self->is_returning = FALSE;
  if (self->is_lost)
    return;

  self->is_lost = TRUE;
  self->lost = self->due;
  self->now = GST_CLOCK_TIME_NONE;
  self->noticed = now;
  self->waited = 0;
  gst_cl_detection_post_start (detection, &self->lost, times, NULL);
}

static void
end (SignalLoss *self, const GstClDetection *detection,
    const GstClFrameTime *at)
{
  const GstClockTime times[] = { self->noticed, self->ended, self->silence };

  gst_cl_detection_post_end (detection, &self->lost, at,
      time_between (&self->lost, at), times, NULL);
  self->is_lost = self->is_returning = FALSE;
}

/* Ends the time without a frame. Called before the frame is recorded. */
static void
stop_waiting (SignalLoss *self, GstClockTime now)
{
  self->waited = gst_cl_time_add (self->waited, wait_up_to (self, now));
  if (!self->is_returning) {
    self->ended = now;
    self->silence = self->waited;
  }
}

static void
receive (gpointer state, const GstClDetection *detection,
    const GstClFrameTime *time, GstClockTime now)
{
  SignalLoss *self = state;
  const GstClEventSettings *settings = detection->settings;

  if (self->has_begun && is_overdue (self, time, settings->signal_loss_timeout))
    lose (self, detection, now);
  if (self->is_lost)
    stop_waiting (self, now);
  self->has_begun = TRUE;
  self->due = gst_cl_frame_time_end (time);
  self->seen = GST_CLOCK_TIME_IS_VALID (time->running_time) ? time->running_time
                                                            : now;
  if (!self->is_lost)
    return;

  if (!self->is_returning) {
    self->is_returning = TRUE;
    self->returned = *time;
  }
  if (time_between (&self->returned, time) >= settings->signal_loss_recovery)
    end (self, detection, &self->returned);
}

static void
tick (gpointer state, const GstClDetection *detection, GstClockTime now)
{
  SignalLoss *self = state;
  const GstClFrameTime begin = {
    .timestamp = GST_CLOCK_TIME_NONE,
    .stream_time = GST_CLOCK_TIME_NONE,
    .running_time = now,
    .duration = GST_CLOCK_TIME_NONE,
  };

  /* The first frame is expected from the first tick on. */
  if (!self->has_begun) {
    self->has_begun = TRUE;
    self->due = begin;
    self->seen = now;
  }
  if (is_overdue (self, &begin, detection->settings->signal_loss_timeout))
    lose (self, detection, now);
  self->now = now;
}

static void
finish (gpointer state, const GstClDetection *detection,
    const GstClInstant *at_end)
{
  SignalLoss *self = state;
  GstClockTime lasted = 0;
  GstClFrameTime at;

  if (!self->is_lost)
    return;

  if (self->is_returning) {
    at = self->returned;
  } else {
    passed (self->lost.running_time, self->now, &lasted);
    at = gst_cl_frame_time_shift (&self->lost, lasted);
    stop_waiting (self, self->now);
  }
  end (self, detection, &at);
}

static const GstClProperty signal_loss_properties[] = {
  /**
   * GstClFrameSum:signal-loss-timeout:
   *
   * Time without a frame, by the clock of the pipeline, after which the signal
   * is lost. 0 disables the detector.
   *
   * Since: 0.3
   */
  { "signal-loss-timeout",
      "The signal is lost after this time without a frame, in nanoseconds; 0: "
      "never",
      GST_CL_EVENT_UINT64 (signal_loss_timeout, 2 * GST_SECOND) },

  /**
   * GstClFrameSum:signal-loss-recovery:
   *
   * Time for which frames must arrive, without another gap, before the signal
   * is back.
   *
   * Since: 0.3
   */
  { "signal-loss-recovery",
      "Time for which frames must arrive before the signal is back, in "
      "nanoseconds",
      GST_CL_EVENT_UINT64 (signal_loss_recovery, 0) },
  { .name = NULL },
};

const GstClDetector gst_cl_detect_signal_loss = {
  .type = GST_CL_EVENT_SIGNAL_LOSS,
  .name = "signal-loss",
  .times = { "noticed-running-time", "ended-running-time", "silence" },
  .state_bytes = sizeof (SignalLoss),
  .receive = receive,
  .tick = tick,
  .finish = finish,
  .properties = signal_loss_properties,
};
