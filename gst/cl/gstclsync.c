/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Order between queues. */

#include "gstclsync.h"

#define MAX_WAITS 32

/* Adds what must come first to @waits, retained; forgets what is done. FALSE if
 * one of it has failed. context->sync_lock held. */
static gboolean
collect (const GstClAccess *access, GstClQueue queue, cl_event *waits,
    cl_uint *n_waits, GError **error)
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
    } else if (*n_waits < MAX_WAITS) {
      clRetainEvent (sync->last[q]);
      waits[(*n_waits)++] = sync->last[q];
    }
  }

  return TRUE;
}

gboolean
gst_cl_sync_begin (GstClContext *context, GstClQueue queue,
    const GstClAccess *accesses, guint n_accesses, GError **error)
{
  cl_event waits[MAX_WAITS];
  cl_uint n_waits = 0;
  gboolean begun = TRUE;

  g_return_val_if_fail (n_accesses * GST_CL_N_QUEUES <= MAX_WAITS, FALSE);

  if (!context->is_split)
    return TRUE;

  g_mutex_lock (&context->sync_lock);
  for (guint i = 0; i < n_accesses && begun; i++)
    begun = collect (&accesses[i], queue, waits, &n_waits, error);
  g_mutex_unlock (&context->sync_lock);

  if (begun && n_waits > 0)
    begun = gst_cl_check (clEnqueueBarrierWithWaitList (context->queues[queue],
                              n_waits, waits, NULL),
        "keep a queue behind another", error);
  while (n_waits > 0)
    clReleaseEvent (waits[--n_waits]);

  return begun;
}

/* context->sync_lock held */
static void
record (const GstClAccess *access, GstClQueue queue, cl_event event)
{
  GstClSync *sync = access->sync;

  clRetainEvent (event);
  if (sync->last[queue])
    clReleaseEvent (sync->last[queue]);
  sync->last[queue] = event;
  /* a write stays one until everything on the queue up to here is done */
  sync->wrote[queue] = access->writes || sync->wrote[queue];
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
    ended = gst_cl_check (
        clEnqueueMarkerWithWaitList (context->queues[queue], 0, NULL, &event),
        "mark a queue", error);
  for (guint i = 0; i < n_accesses && event; i++) {
    if (context->is_split || accesses[i].sync->always)
      record (&accesses[i], queue, event);
  }
  g_mutex_unlock (&context->sync_lock);

  if (done)
    *done = event;
  else if (event)
    clReleaseEvent (event);

  return gst_cl_context_flush (context, queue, ended ? error : NULL) && ended;
}

void
gst_cl_sync_wait (GstClContext *context, GstClSync *sync)
{
  for (guint q = 0; q < GST_CL_N_QUEUES; q++) {
    cl_event event;

    g_mutex_lock (&context->sync_lock);
    event = g_steal_pointer (&sync->last[q]);
    g_mutex_unlock (&context->sync_lock);

    if (event) {
      clWaitForEvents (1, &event);
      clReleaseEvent (event);
    }
  }
}

void
gst_cl_sync_clear (GstClSync *sync)
{
  for (guint q = 0; q < GST_CL_N_QUEUES; q++)
    g_clear_pointer (&sync->last[q], clReleaseEvent);
}
