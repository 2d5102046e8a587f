/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The end of a command, told by a call from a thread of the driver. */

#include "latencycall.h"

#include "cl/context/gstclcompletion.h"

/* What a callback tells; it may come after its host has given up. */
typedef struct {
  GMutex lock;
  GCond cond;
  gboolean is_done;
} Call;

static Call *
new_call (void)
{
  Call *call = g_atomic_rc_box_new0 (Call);

  g_mutex_init (&call->lock);
  g_cond_init (&call->cond);

  return call;
}

static void
clear_call (gpointer data)
{
  Call *call = data;

  g_mutex_clear (&call->lock);
  g_cond_clear (&call->cond);
}

static void
unref_call (gpointer call)
{
  g_atomic_rc_box_release_full (call, clear_call);
}

static void
on_end (cl_int code, gpointer user_data)
{
  Call *call = user_data;

  g_mutex_lock (&call->lock);
  call->is_done = TRUE;
  g_cond_signal (&call->cond);
  g_mutex_unlock (&call->lock);
  unref_call (call);
}

static gboolean
wait_for_call (Call *call, gint64 deadline_us)
{
  gboolean is_done;

  g_mutex_lock (&call->lock);
  while (!call->is_done &&
         g_cond_wait_until (&call->cond, &call->lock, deadline_us))
    ;
  is_done = call->is_done;
  g_mutex_unlock (&call->lock);

  return is_done;
}

gboolean
latency_call_wait (GstClContext *context, cl_event event, gint64 allowed_us,
    gboolean *has_come, GError **error)
{
  Call *call = new_call ();
  gboolean is_good;

  g_atomic_rc_box_acquire (call);
  is_good = gst_cl_completion_notify (event, on_end, call, error);
  if (!is_good)
    unref_call (call);
  is_good = is_good &&
            gst_cl_context_flush (context, GST_CL_QUEUE_COMPUTE, error);
  if (is_good)
    *has_come = wait_for_call (call, g_get_monotonic_time () + allowed_us);
  unref_call (call);

  return is_good;
}
