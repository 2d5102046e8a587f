/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* A thread for the idle times of an element. */

#include "gstclidle.h"

#define NEVER G_MAXINT64

#define INTERVAL_US 2000

struct _GstClIdle {
  GstClIdleFunc func;
  gpointer user_data;
  gint64 interval_us; /* 0: never */
  GThread *thread;    /* NULL: none yet; streaming thread */

  GMutex lock; /* protects the members below */
  GCond changed;
  gboolean is_idle;
  gint64 due_us;       /* monotonic time of the next call, or NEVER */
  gboolean is_waiting; /* the thread waits without a time limit */
  gboolean is_stopping;
};

/* Sleeps until the next call may be due. An element that works again and again
 * does not wake the thread: it wakes at the time that was due before. */
static void
sleep_until_due (GstClIdle *self)
{
  const gint64 due_us = self->due_us;

  if (due_us == NEVER) {
    self->is_waiting = TRUE;
    g_cond_wait (&self->changed, &self->lock);
    self->is_waiting = FALSE;
  } else {
    g_cond_wait_until (&self->changed, &self->lock, due_us);
  }
}

/* Calls the function, during which the element may begin or end to be idle. */
static void
call (GstClIdle *self)
{
  gboolean is_called_again;

  self->due_us = NEVER;
  g_mutex_unlock (&self->lock);
  is_called_again = self->func (self->user_data);
  g_mutex_lock (&self->lock);
  if (is_called_again && self->is_idle && self->due_us == NEVER)
    self->due_us = g_get_monotonic_time () + self->interval_us;
}

static gpointer
run (gpointer data)
{
  GstClIdle *self = data;

  g_mutex_lock (&self->lock);
  while (!self->is_stopping) {
    if (g_get_monotonic_time () < self->due_us)
      sleep_until_due (self);
    else
      call (self);
  }
  g_mutex_unlock (&self->lock);

  return NULL;
}

static gint64
get_interval (void)
{
  const gchar *text = g_getenv ("GST_OPENCL_IDLE_TIME");

  return text && text[0] ? MAX (g_ascii_strtoll (text, NULL, 10), 0)
                         : INTERVAL_US;
}

GstClIdle *
gst_cl_idle_new (GstClIdleFunc func, gpointer user_data)
{
  GstClIdle *self = g_new0 (GstClIdle, 1);

  self->func = func;
  self->user_data = user_data;
  self->interval_us = get_interval ();
  self->due_us = NEVER;
  g_mutex_init (&self->lock);
  g_cond_init (&self->changed);

  return self;
}

void
gst_cl_idle_free (GstClIdle *self)
{
  if (!self)
    return;

  g_mutex_lock (&self->lock);
  self->is_stopping = TRUE;
  g_cond_signal (&self->changed);
  g_mutex_unlock (&self->lock);
  if (self->thread)
    g_thread_join (self->thread);

  g_cond_clear (&self->changed);
  g_mutex_clear (&self->lock);
  g_free (self);
}

void
gst_cl_idle_begin (GstClIdle *self)
{
  if (self->interval_us == 0)
    return;

  g_mutex_lock (&self->lock);
  self->is_idle = TRUE;
  self->due_us = g_get_monotonic_time () + self->interval_us;
  if (self->is_waiting)
    g_cond_signal (&self->changed);
  g_mutex_unlock (&self->lock);

  if (!self->thread)
    self->thread = g_thread_try_new ("clframesum-idle", run, self, NULL);
}

void
gst_cl_idle_end (GstClIdle *self)
{
  g_mutex_lock (&self->lock);
  self->is_idle = FALSE;
  self->due_us = NEVER;
  g_mutex_unlock (&self->lock);
}
