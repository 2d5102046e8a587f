/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Detects signal-loss by the clock. */

#include "gstclwatchdog.h"

struct _GstClWatchdog {
  GstElement *element;
  GstClPublisher *publisher;

  GMutex lock; /* protects the members below; no message is posted under it */
  GstClEvents *events;
  gboolean detects;  /* configured for signal-loss with a timeout */
  GstClockTime tick; /* half of the timeout */

  gboolean is_started, is_playing;
  guint n_busy;       /* frames, events and queries being processed */
  gboolean has_ended; /* no frame since the end of the stream */

  GstClock *clock; /* owned; NULL unless playing */
  GstClockID id;   /* of the ticks, owned; NULL: none */

  /* The stream was at running time @position when the clock showed @since.
   * Position is the time of the last frame plus the time that has passed since.
   * GST_CLOCK_TIME_NONE: there was no clock yet. */
  GstClockTime position, since;
  gboolean has_position; /* there was a frame with a running time */
};

static void
unlock_and_post (GstClWatchdog *self)
{
  g_mutex_unlock (&self->lock);
  gst_cl_publisher_post_queued (self->publisher);
}

static void
queue_event (const GstClEvent *event, gpointer user_data)
{
  GstClWatchdog *self = user_data;

  gst_cl_publisher_queue (self->publisher, gst_cl_event_to_structure (event));
}

GstClWatchdog *
gst_cl_watchdog_new (GstElement *element, GstClPublisher *publisher)
{
  GstClWatchdog *self = g_atomic_rc_box_new0 (GstClWatchdog);

  self->element = element;
  self->publisher = publisher;
  self->since = GST_CLOCK_TIME_NONE;
  g_mutex_init (&self->lock);
  self->events = gst_cl_events_new (queue_event, self);

  return self;
}

static void
clear (gpointer data)
{
  GstClWatchdog *self = data;

  gst_cl_events_free (self->events);
  g_mutex_clear (&self->lock);
}

/* Ticks hold a reference, because one may be running in the clock thread. */
static void
release (gpointer data)
{
  g_atomic_rc_box_release_full (data, clear);
}

void
gst_cl_watchdog_free (GstClWatchdog *self)
{
  if (self)
    release (self);
}

/* --- ticks --------------------------------------------------------------- */

/* Advances the position to the current time. lock held */
static void
advance (GstClWatchdog *self)
{
  GstClockTime now;

  if (!self->clock)
    return;

  now = gst_clock_get_time (self->clock);
  if (self->n_busy == 0 && now > self->since)
    self->position = gst_cl_time_add (self->position, now - self->since);
  self->since = now;
}

/* Runs in the clock thread. */
static gboolean
tick (GstClock *clock, GstClockTime time, GstClockID id, gpointer user_data)
{
  GstClWatchdog *self = user_data;
  G_GNUC_UNUSED g_autoptr (GstElement) element = NULL;

  g_mutex_lock (&self->lock);
  if (id != self->id || self->n_busy > 0 || self->has_ended) {
    g_mutex_unlock (&self->lock);
    return TRUE;
  }

  /* the element may be stopped and freed between the unlock and the end of this
   * function */
  element = gst_object_ref (self->element);
  advance (self);
  gst_cl_events_tick (self->events, self->position);
  unlock_and_post (self);

  return TRUE;
}

static void
stop_ticks (GstClWatchdog *self)
{
  if (self->id) {
    gst_clock_id_unschedule (self->id);
    gst_clock_id_unref (g_steal_pointer (&self->id));
  }
}

/* Starts or stops the ticks after a change of their conditions. lock held */
static void
update_ticks (GstClWatchdog *self)
{
  stop_ticks (self);
  if (!self->is_started || !self->clock || !self->detects)
    return;

  self->id = gst_clock_new_periodic_id (self->clock,
      gst_clock_get_time (self->clock), self->tick);
  gst_clock_id_wait_async (self->id, tick, g_atomic_rc_box_acquire (self),
      release);
}

/* --- states -------------------------------------------------------------- */

static void
forget (GstClWatchdog *self)
{
  gst_cl_events_reset (self->events);
  self->has_ended = self->has_position = FALSE;
  self->position = 0;
}

void
gst_cl_watchdog_start (GstClWatchdog *self)
{
  g_mutex_lock (&self->lock);
  self->is_started = TRUE;
  update_ticks (self);
  g_mutex_unlock (&self->lock);
}

void
gst_cl_watchdog_stop (GstClWatchdog *self)
{
  g_mutex_lock (&self->lock);
  self->is_started = FALSE;
  update_ticks (self);
  forget (self);
  self->since = GST_CLOCK_TIME_NONE;
  g_mutex_unlock (&self->lock);
}

void
gst_cl_watchdog_configure (GstClWatchdog *self, GstClEventType types,
    const GstClEventSettings *settings)
{
  const guint64 timeout = settings->signal_loss_timeout;
  const gboolean detects = (types & GST_CL_EVENT_SIGNAL_LOSS) && timeout > 0;
  const GstClockTime half = MAX (timeout / 2, GST_MSECOND);

  g_mutex_lock (&self->lock);
  gst_cl_events_configure (self->events, types & GST_CL_EVENT_SIGNAL_LOSS,
      settings);
  if (self->detects != detects || self->tick != half) {
    self->detects = detects;
    self->tick = half;
    update_ticks (self);
  }
  g_mutex_unlock (&self->lock);
}

/* Continues with @clock, which it takes over. */
static void
take_clock (GstClWatchdog *self, GstClock *clock)
{
  const GstClockTime base = gst_element_get_base_time (self->element);

  g_mutex_lock (&self->lock);
  advance (self);
  gst_clear_object (&self->clock);
  self->clock = clock;
  if (!self->clock) {
    update_ticks (self);
    g_mutex_unlock (&self->lock);
    return;
  }

  self->since = gst_clock_get_time (self->clock);
  if (!self->has_position)
    self->position = self->since > base ? self->since - base : 0;
  update_ticks (self);
  g_mutex_unlock (&self->lock);
}

void
gst_cl_watchdog_play (GstClWatchdog *self)
{
  g_mutex_lock (&self->lock);
  self->is_playing = TRUE;
  g_mutex_unlock (&self->lock);
  take_clock (self, gst_element_get_clock (self->element));
}

void
gst_cl_watchdog_set_clock (GstClWatchdog *self, GstClock *clock)
{
  gboolean is_playing;

  g_mutex_lock (&self->lock);
  is_playing = self->is_playing;
  g_mutex_unlock (&self->lock);

  if (is_playing)
    take_clock (self, clock ? gst_object_ref (clock) : NULL);
}

void
gst_cl_watchdog_pause (GstClWatchdog *self)
{
  g_mutex_lock (&self->lock);
  advance (self);
  self->is_playing = FALSE;
  gst_clear_object (&self->clock);
  update_ticks (self);
  g_mutex_unlock (&self->lock);
}

/* --- the stream ---------------------------------------------------------- */

void
gst_cl_watchdog_begin_work (GstClWatchdog *self)
{
  g_mutex_lock (&self->lock);
  advance (self);
  self->n_busy++;
  g_mutex_unlock (&self->lock);
}

void
gst_cl_watchdog_end_work (GstClWatchdog *self)
{
  g_mutex_lock (&self->lock);
  advance (self);
  self->n_busy--;
  g_mutex_unlock (&self->lock);
}

void
gst_cl_watchdog_receive (GstClWatchdog *self, const GstClFrameTime *time)
{
  g_mutex_lock (&self->lock);
  advance (self);
  self->has_ended = FALSE;
  gst_cl_events_receive (self->events, time,
      GST_CLOCK_TIME_IS_VALID (self->since) ? self->position
                                            : GST_CLOCK_TIME_NONE);
  if (GST_CLOCK_TIME_IS_VALID (time->running_time)) {
    self->position = time->running_time;
    self->has_position = TRUE;
  }
  unlock_and_post (self);
}

void
gst_cl_watchdog_finish (GstClWatchdog *self)
{
  g_mutex_lock (&self->lock);
  gst_cl_events_finish (self->events);
  self->has_ended = TRUE;
  unlock_and_post (self);
}

void
gst_cl_watchdog_reset (GstClWatchdog *self)
{
  g_mutex_lock (&self->lock);
  forget (self);
  g_mutex_unlock (&self->lock);
}
