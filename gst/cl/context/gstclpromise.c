/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Events that are still to come. */

#include "gstclpromise.h"

/* From one look at a promise to the next: the first time, and at most, since
 * each is twice as long as the one before. */
#define FIRST_NAP_US 50
#define LAST_NAP_US  400

typedef enum { OPEN, KEPT, BROKEN } State;

struct _GstClPromise {
  GstClPromiseFunc hurry;
  gpointer user_data;
  gint state; /* State; atomic: what follows is written before it is not OPEN */
  cl_event event;
  GError *error;
};

GstClPromise *
gst_cl_promise_new (GstClPromiseFunc hurry, gpointer user_data)
{
  GstClPromise *self = g_atomic_rc_box_new0 (GstClPromise);

  self->hurry = hurry;
  self->user_data = user_data;

  return self;
}

GstClPromise *
gst_cl_promise_ref (GstClPromise *self)
{
  return g_atomic_rc_box_acquire (self);
}

static void
clear (gpointer data)
{
  GstClPromise *self = data;

  g_clear_pointer (&self->event, clReleaseEvent);
  g_clear_error (&self->error);
}

void
gst_cl_promise_unref (GstClPromise *self)
{
  if (self)
    g_atomic_rc_box_release_full (self, clear);
}

void
gst_cl_promise_keep (GstClPromise *self, cl_event event)
{
  self->event = event;
  g_atomic_int_set (&self->state, KEPT);
}

void
gst_cl_promise_break (GstClPromise *self, const GError *error)
{
  self->error = g_error_copy (error);
  g_atomic_int_set (&self->state, BROKEN);
}

void
gst_cl_promise_settle (GstClPromise *self)
{
  gulong nap_us = FIRST_NAP_US;

  while (g_atomic_int_get (&self->state) == OPEN) {
    self->hurry (self->user_data);
    if (g_atomic_int_get (&self->state) != OPEN)
      return;
    g_usleep (nap_us);
    nap_us = MIN (2 * nap_us, LAST_NAP_US);
  }
}

gboolean
gst_cl_promise_wait (GstClPromise *self, cl_event *event, GError **error)
{
  gst_cl_promise_settle (self);

  *event = NULL;
  if (self->error) {
    g_propagate_error (error, g_error_copy (self->error));
    return FALSE;
  }
  if (!gst_cl_check (clRetainEvent (self->event), "keep a command's event",
          error))
    return FALSE;
  *event = self->event;

  return TRUE;
}
