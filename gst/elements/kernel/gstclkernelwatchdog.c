/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Kernels that do not end. */

#include "gstclkernelwatchdog.h"

#include "cl/device/gstcldevice.h"

/* The clock's thread keeps a reference while it calls the watchdog. */
struct _GstClKernelWatchdog {
  /* streaming thread */
  GstClockID id; /* periodic; NULL: nothing is watched */
  GstClockTime timeout;

  GMutex lock;         /* protects the members below */
  GstElement *element; /* NULL: freed */
  cl_event event;      /* after the kernels of the last frame; NULL: none */
  GstClockTime since;  /* when they were enqueued */
  gchar *name, *device;
  gboolean has_posted;
};

static void
clear (gpointer data)
{
  GstClKernelWatchdog *self = data;

  gst_cl_completion_clear (&self->event);
  g_free (self->name);
  g_free (self->device);
  g_mutex_clear (&self->lock);
}

static void
unref (gpointer self)
{
  g_atomic_rc_box_release_full (self, clear);
}

GstClKernelWatchdog *
gst_cl_kernel_watchdog_new (GstElement *element)
{
  GstClKernelWatchdog *self = g_atomic_rc_box_new0 (GstClKernelWatchdog);

  self->element = element;
  g_mutex_init (&self->lock);

  return self;
}

void
gst_cl_kernel_watchdog_stop (GstClKernelWatchdog *self)
{
  if (self->id)
    gst_clock_id_unschedule (self->id);
  g_clear_pointer (&self->id, gst_clock_id_unref);

  g_mutex_lock (&self->lock);
  gst_cl_completion_clear (&self->event);
  self->has_posted = FALSE;
  g_mutex_unlock (&self->lock);
}

void
gst_cl_kernel_watchdog_free (GstClKernelWatchdog *self)
{
  if (!self)
    return;

  gst_cl_kernel_watchdog_stop (self);
  g_mutex_lock (&self->lock);
  self->element = NULL;
  g_mutex_unlock (&self->lock);
  unref (self);
}

/* Returns the error's text if the kernels have not ended, once. lock held */
static gchar *
find_failure (GstClKernelWatchdog *self, GstClockTime now, GstClockTime timeout)
{
  if (self->has_posted || !self->event || now < self->since + timeout ||
      gst_cl_completion_state (self->event) <= CL_COMPLETE)
    return NULL;

  self->has_posted = TRUE;

  return g_strdup_printf (
      "A kernel of %s has not ended %" G_GUINT64_FORMAT
      " s after its launch on %s. It cannot be cancelled: end the process.",
      self->name, timeout / GST_SECOND, self->device);
}

static gboolean
look (GstClock *clock, GstClockTime time, GstClockID id, gpointer data)
{
  GstClKernelWatchdog *self = data;
  g_autoptr (GstElement) element = NULL;
  g_autofree gchar *failure = NULL;

  g_mutex_lock (&self->lock);
  if (self->element)
    failure = find_failure (self, gst_clock_get_time (clock), self->timeout);
  if (failure)
    element = gst_object_ref (self->element);
  g_mutex_unlock (&self->lock);
  if (failure)
    GST_ELEMENT_ERROR (element, LIBRARY, FAILED, ("%s", failure), (NULL));

  return TRUE;
}

/* Lets the clock call the watchdog twice in @timeout. */
static void
schedule (GstClKernelWatchdog *self, GstClock *clock, GstClockTime timeout)
{
  const GstClockTime interval = timeout / 2;

  self->timeout = timeout;
  self->id = gst_clock_new_periodic_id (clock,
      gst_clock_get_time (clock) + interval, interval);
  gst_clock_id_wait_async (self->id, look, g_atomic_rc_box_acquire (self),
      unref);
}

gboolean
gst_cl_kernel_watchdog_watch (GstClKernelWatchdog *self, GstClContext *context,
    const gchar *name, GstClockTime timeout, GError **error)
{
  g_autoptr (GstClock) clock = NULL;
  cl_event event;

  if (timeout != self->timeout)
    gst_cl_kernel_watchdog_stop (self);
  if (timeout == 0)
    return TRUE;
  if (!gst_cl_context_mark (context, &event, error))
    return FALSE;

  clock = gst_system_clock_obtain ();
  g_mutex_lock (&self->lock);
  gst_cl_completion_clear (&self->event);
  self->event = event;
  self->since = gst_clock_get_time (clock);
  g_free (self->name);
  self->name = g_strdup (name);
  g_free (self->device);
  self->device = g_strdup (context->device->name);
  g_mutex_unlock (&self->lock);
  if (!self->id)
    schedule (self, clock, timeout);

  return TRUE;
}
