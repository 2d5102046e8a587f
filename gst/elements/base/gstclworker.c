/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* A thread with a bounded queue. */

#include "gstclworker.h"

#include <gst/base/gstqueuearray.h>

struct _GstClWorker {
  GThread *thread;
  GstClWorkerFunc func;
  gpointer user_data;
  guint max_pending;

  GMutex lock; /* protects the members below */
  GCond changed;
  GstQueueArray *items;
  guint n_pending; /* queued items and the current one */
  gboolean stopping;
  gboolean flushing;
};

static gpointer
run (gpointer data)
{
  GstClWorker *self = data;

  g_mutex_lock (&self->lock);
  for (;;) {
    gpointer item = gst_queue_array_pop_head (self->items);

    if (item) {
      g_mutex_unlock (&self->lock);
      self->func (item, self->user_data);
      g_mutex_lock (&self->lock);
      self->n_pending--;
      g_cond_broadcast (&self->changed);
    } else if (self->stopping) {
      break;
    } else {
      g_cond_wait (&self->changed, &self->lock);
    }
  }
  g_mutex_unlock (&self->lock);

  return NULL;
}

GstClWorker *
gst_cl_worker_new (const gchar *name, guint max_pending, GstClWorkerFunc func,
    gpointer user_data)
{
  GstClWorker *self = g_new0 (GstClWorker, 1);

  self->func = func;
  self->user_data = user_data;
  self->max_pending = max_pending;
  g_mutex_init (&self->lock);
  g_cond_init (&self->changed);
  self->items = gst_queue_array_new (MIN (max_pending, 8));
  self->thread = g_thread_new (name, run, self);

  return self;
}

void
gst_cl_worker_free (GstClWorker *self)
{
  if (!self)
    return;

  g_mutex_lock (&self->lock);
  self->stopping = TRUE;
  g_cond_broadcast (&self->changed);
  g_mutex_unlock (&self->lock);
  g_thread_join (self->thread);
  gst_queue_array_free (self->items);

  g_cond_clear (&self->changed);
  g_mutex_clear (&self->lock);
  g_free (self);
}

void
gst_cl_worker_push (GstClWorker *self, gpointer item)
{
  g_mutex_lock (&self->lock);
  while (self->n_pending >= self->max_pending && !self->flushing)
    g_cond_wait (&self->changed, &self->lock);
  gst_queue_array_push_tail (self->items, item);
  self->n_pending++;
  g_cond_broadcast (&self->changed);
  g_mutex_unlock (&self->lock);
}

gboolean
gst_cl_worker_drain (GstClWorker *self)
{
  gboolean is_drained;

  if (!self)
    return TRUE;
  if (self->thread == g_thread_self ())
    return FALSE;

  g_mutex_lock (&self->lock);
  while (self->n_pending > 0 && !self->flushing)
    g_cond_wait (&self->changed, &self->lock);
  is_drained = self->n_pending == 0;
  g_mutex_unlock (&self->lock);

  return is_drained;
}

void
gst_cl_worker_set_flushing (GstClWorker *self, gboolean flushing)
{
  g_mutex_lock (&self->lock);
  self->flushing = flushing;
  g_cond_broadcast (&self->changed);
  g_mutex_unlock (&self->lock);
}
