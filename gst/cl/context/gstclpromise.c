/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The end of commands of another thread. */

#include "gstclpromise.h"

struct _GstClPromise {
  GMutex lock;
  GCond settled;
  gboolean is_settled; /* lock */
  guint n_waiting;     /* threads; lock */
  GError *error;       /* once it is settled; NULL: it was kept */
};

GstClPromise *
gst_cl_promise_new (void)
{
  GstClPromise *self = g_atomic_rc_box_new0 (GstClPromise);

  g_mutex_init (&self->lock);
  g_cond_init (&self->settled);

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

  g_clear_error (&self->error);
  g_cond_clear (&self->settled);
  g_mutex_clear (&self->lock);
}

void
gst_cl_promise_unref (GstClPromise *self)
{
  if (self)
    g_atomic_rc_box_release_full (self, clear);
}

/* @error: transfer full */
static void
settle (GstClPromise *self, GError *error)
{
  g_mutex_lock (&self->lock);
  self->error = error;
  self->is_settled = TRUE;
  if (self->n_waiting > 0)
    g_cond_broadcast (&self->settled);
  g_mutex_unlock (&self->lock);
}

void
gst_cl_promise_keep (GstClPromise *self)
{
  settle (self, NULL);
}

void
gst_cl_promise_break (GstClPromise *self, const GError *error)
{
  settle (self, g_error_copy (error));
}

gboolean
gst_cl_promise_wait (GstClPromise *self, GError **error)
{
  g_mutex_lock (&self->lock);
  self->n_waiting++;
  while (!self->is_settled)
    g_cond_wait (&self->settled, &self->lock);
  self->n_waiting--;
  g_mutex_unlock (&self->lock);

  if (self->error && error)
    *error = g_error_copy (self->error);

  return !self->error;
}

#ifdef GST_CL_INSPECT
#include "cl/gstclinspect.h"

gboolean
gst_cl_promise_is_settled (GstClPromise *self)
{
  gboolean is_settled;

  g_mutex_lock (&self->lock);
  is_settled = self->is_settled;
  g_mutex_unlock (&self->lock);

  return is_settled;
}
#endif
