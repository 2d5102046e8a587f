/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Order between queues. */

#include "gstclsync.h"

/* Adds what must come first to @waits, retained; forgets what is done. FALSE if
 * one of it has failed. context->sync_lock held. */
static gboolean
collect (const GstClAccess *access, GstClQueue queue, GstClWaits *waits,
    GError **error)
{
  GstClSync *sync = access->sync;

  for (guint q = 0; q < GST_CL_N_QUEUES; q++) {
    cl_int status = CL_COMPLETE;

    if (q == queue || !sync->last[q] || !(access->writes || sync->wrote[q]))
      continue;

    if (!gst_cl_check (clGetEventInfo (sync->last[q],
                           CL_EVENT_COMMAND_EXECUTION_STATUS, sizeof status,
                           &status, NULL),
            "ask for a command's state", error) ||
        !gst_cl_check (MIN (status, CL_SUCCESS), "an earlier command", error))
      return FALSE;

    if (status == CL_COMPLETE) {
      g_clear_pointer (&sync->last[q], clReleaseEvent);
      sync->wrote[q] = FALSE;
    } else if (gst_cl_check (clRetainEvent (sync->last[q]),
                   "wait for an earlier command", error)) {
      waits->events[waits->n++] = sync->last[q];
    } else {
      return FALSE;
    }
  }

  return TRUE;
}

static void
clear_waits (GstClWaits *waits)
{
  while (waits->n > 0)
    clReleaseEvent (waits->events[--waits->n]);
}

gboolean
gst_cl_sync_collect (GstClContext *context, GstClQueue queue,
    const GstClAccess *accesses, guint n_accesses, GstClWaits *waits,
    GError **error)
{
  gboolean collected = TRUE;

  g_return_val_if_fail (n_accesses * GST_CL_N_QUEUES <= GST_CL_MAX_WAITS,
      FALSE);

  waits->n = 0;
  if (!context->is_split)
    return TRUE;

  g_mutex_lock (&context->sync_lock);
  for (guint i = 0; i < n_accesses && collected; i++)
    collected = collect (&accesses[i], queue, waits, error);
  g_mutex_unlock (&context->sync_lock);

  if (!collected)
    clear_waits (waits);

  return collected;
}

gboolean
gst_cl_sync_begin (GstClContext *context, GstClQueue queue,
    const GstClAccess *accesses, guint n_accesses, GError **error)
{
  GstClWaits waits;
  gboolean begun = gst_cl_sync_collect (context, queue, accesses, n_accesses,
      &waits, error);

  if (begun && waits.n > 0)
    begun = gst_cl_check (clEnqueueBarrierWithWaitList (context->queues[queue],
                              waits.n, waits.events, NULL),
        "keep a queue behind another", error);
  clear_waits (&waits);

  return begun;
}

/* FALSE: @event cannot be kept. context->sync_lock held */
static gboolean
record (const GstClAccess *access, GstClQueue queue, cl_event event,
    GError **error)
{
  GstClSync *sync = access->sync;

  if (!gst_cl_check (clRetainEvent (event), "keep a command's event", error))
    return FALSE;

  if (sync->last[queue])
    clReleaseEvent (sync->last[queue]);
  sync->last[queue] = event;
  /* a write stays one until everything on the queue up to here is done */
  sync->wrote[queue] = access->writes || sync->wrote[queue];

  return TRUE;
}

/* Where the device cannot be told what to wait for later it is waited for at
 * once. FALSE: that fails, too, and @reason (transfer full) goes to @error. */
static gboolean
wait_instead (GstClContext *context, GstClQueue queue, GError *reason,
    GError **error)
{
  if (gst_cl_context_finish_queue (context, queue, NULL)) {
    g_error_free (reason);
    return TRUE;
  }
  g_propagate_error (error, reason);

  return FALSE;
}

/* For all of @accesses that ask for it. context->sync_lock held */
static gboolean
record_all (GstClContext *context, GstClQueue queue,
    const GstClAccess *accesses, guint n_accesses, cl_event event,
    GError **error)
{
  GError *reason = NULL;

  for (guint i = 0; i < n_accesses; i++) {
    if ((context->is_split || accesses[i].sync->always) &&
        !record (&accesses[i], queue, event, &reason))
      return wait_instead (context, queue, reason, error);
  }

  return TRUE;
}

/* *event remains NULL where there is nothing left to wait for.
 * context->sync_lock held */
static gboolean
mark (GstClContext *context, GstClQueue queue, cl_event *event, GError **error)
{
  GError *reason = NULL;

  return gst_cl_check (clEnqueueMarkerWithWaitList (context->queues[queue], 0,
                           NULL, event),
             "mark a queue", &reason) ||
         wait_instead (context, queue, reason, error);
}

static gboolean
submit (GstClContext *context, GstClQueue queue, GError **error)
{
  GError *reason = NULL;

  return gst_cl_context_flush (context, queue, &reason) ||
         wait_instead (context, queue, reason, error);
}

gboolean
gst_cl_sync_end (GstClContext *context, GstClQueue queue,
    const GstClAccess *accesses, guint n_accesses, cl_event *done,
    GError **error)
{
  gboolean records = context->is_split && n_accesses > 0;
  cl_event event = NULL;
  gboolean ended = TRUE;

  for (guint i = 0; i < n_accesses; i++)
    records |= accesses[i].sync->always;

  /* Marker and record in one go: of two threads that end at once, the one
   * whose marker comes later in the queue must leave its event. */
  g_mutex_lock (&context->sync_lock);
  if (records || done)
    ended = mark (context, queue, &event, error);
  if (event)
    ended = record_all (context, queue, accesses, n_accesses, event, error);
  g_mutex_unlock (&context->sync_lock);

  if (done)
    *done = event;
  else if (event)
    clReleaseEvent (event);

  return submit (context, queue, ended ? error : NULL) && ended;
}

gboolean
gst_cl_sync_commit (GstClContext *context, GstClQueue queue,
    const GstClAccess *accesses, guint n_accesses, GstClWaits *waits,
    cl_int code, const gchar *what, cl_event event, GError **error)
{
  gboolean recorded;

  clear_waits (waits);
  if (!gst_cl_check (code, what, error))
    return FALSE;

  g_mutex_lock (&context->sync_lock);
  recorded = record_all (context, queue, accesses, n_accesses, event, error);
  g_mutex_unlock (&context->sync_lock);

  return submit (context, queue, recorded ? error : NULL) && recorded;
}

gboolean
gst_cl_sync_wait (GstClContext *context, GstClSync *sync)
{
  gboolean waited = TRUE;

  for (guint q = 0; q < GST_CL_N_QUEUES; q++) {
    cl_event event;

    g_mutex_lock (&context->sync_lock);
    event = g_steal_pointer (&sync->last[q]);
    g_mutex_unlock (&context->sync_lock);

    waited &= gst_cl_context_wait (context, &event, "use memory", NULL);
  }

  return waited;
}

void
gst_cl_sync_clear (GstClContext *context, GstClSync *sync)
{
  g_mutex_lock (&context->sync_lock);
  for (guint q = 0; q < GST_CL_N_QUEUES; q++)
    g_clear_pointer (&sync->last[q], clReleaseEvent);
  g_mutex_unlock (&context->sync_lock);
}
