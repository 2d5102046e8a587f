/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Order of commands on several queues. */

#include "gstclsync.h"

/* --- locks --------------------------------------------------------------- */

/* Drivers may block in the calls under a lock until other threads leave the
 * driver: with one lock for all memories, all threads of many streams would
 * wait for one blocked thread. */

/* Fibonacci hashing: the addresses of structures differ by multiples of their
 * size. */
static guint64
lock_of (const GstClSync *sync)
{
  const guint64 hash = GPOINTER_TO_SIZE (sync) *
                       G_GUINT64_CONSTANT (0x9e3779b97f4a7c15);

  return G_GUINT64_CONSTANT (1) << (hash >> 32) % GST_CL_N_SYNC_LOCKS;
}

static guint64
locks_of (const GstClAccess *accesses, guint n_accesses)
{
  guint64 locks = 0;

  for (guint i = 0; i < n_accesses; i++)
    locks |= lock_of (accesses[i].sync);

  return locks;
}

/* In one order, so that two threads cannot deadlock. */
static void
take_locks (GstClContext *context, guint64 locks)
{
  for (guint i = 0; i < GST_CL_N_SYNC_LOCKS; i++) {
    if (locks >> i & 1)
      g_mutex_lock (&context->sync_locks[i]);
  }
}

static void
release_locks (GstClContext *context, guint64 locks)
{
  for (guint i = 0; i < GST_CL_N_SYNC_LOCKS; i++) {
    if (locks >> i & 1)
      g_mutex_unlock (&context->sync_locks[i]);
  }
}

/* --- events -------------------------------------------------------------- */

/* Adds the events that must complete before @access to the wait list of
 * @command; removes completed ones. FALSE if a command has failed. Lock
 * held. */
static gboolean
collect_waits (const GstClAccess *access, GstClCommand *command, GError **error)
{
  GstClSync *sync = access->sync;

  for (guint q = 0; q < GST_CL_N_QUEUES; q++) {
    cl_int state;

    if (q == command->queue || !sync->last[q] ||
        !(access->writes || sync->wrote[q]))
      continue;

    state = gst_cl_completion_state (sync->last[q]);
    if (!gst_cl_check (MIN (state, CL_SUCCESS), "an earlier command", error))
      return FALSE;

    if (state == CL_COMPLETE) {
      g_clear_pointer (&sync->last[q], clReleaseEvent);
      sync->wrote[q] = FALSE;
    } else if (gst_cl_check (clRetainEvent (sync->last[q]),
                   "wait for an earlier command", error)) {
      command->waits[command->n_waits++] = sync->last[q];
    } else {
      return FALSE;
    }
  }

  return TRUE;
}

static void
clear_waits (GstClCommand *command)
{
  while (command->n_waits > 0)
    clReleaseEvent (command->waits[--command->n_waits]);
}

gboolean
gst_cl_sync_collect (GstClContext *context, GstClQueue queue,
    const GstClAccess *accesses, guint n_accesses, GstClCommand *command,
    GError **error)
{
  gboolean collected = TRUE;
  guint64 locks;

  g_return_val_if_fail (n_accesses * GST_CL_N_QUEUES <= GST_CL_MAX_WAITS,
      FALSE);

  command->context = context;
  command->queue = queue;
  command->accesses = accesses;
  command->n_accesses = n_accesses;
  command->n_waits = 0;
  if (!context->is_discrete)
    return TRUE;

  locks = locks_of (accesses, n_accesses);
  take_locks (context, locks);
  for (guint i = 0; i < n_accesses && collected; i++)
    collected = collect_waits (&accesses[i], command, error);
  release_locks (context, locks);

  if (!collected)
    clear_waits (command);

  return collected;
}

gboolean
gst_cl_sync_begin (GstClContext *context, GstClQueue queue,
    const GstClAccess *accesses, guint n_accesses, GError **error)
{
  GstClCommand barrier;
  gboolean begun = gst_cl_sync_collect (context, queue, accesses, n_accesses,
      &barrier, error);

  if (begun && barrier.n_waits > 0)
    begun = gst_cl_check (
        clEnqueueBarrierWithWaitList (gst_cl_context_get_queue (context, queue),
            barrier.n_waits, barrier.waits, NULL),
        "order two queues", error);
  clear_waits (&barrier);

  return begun;
}

/* FALSE: @event cannot be retained. Locks held. */
static gboolean
record_access (const GstClAccess *access, GstClQueue queue, cl_event event,
    GError **error)
{
  GstClSync *sync = access->sync;

  if (!gst_cl_check (clRetainEvent (event), "retain a command's event", error))
    return FALSE;

  if (sync->last[queue])
    clReleaseEvent (sync->last[queue]);
  sync->last[queue] = event;
  /* a write stays recorded until all commands on the queue so far are
   * complete */
  sync->wrote[queue] = access->writes || sync->wrote[queue];

  return TRUE;
}

/* Waits for the queue at once if a later wait cannot be recorded. FALSE: the
 * wait fails, too; moves @reason (transfer full) to @error. */
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

/* For all of @accesses that need a record. Locks held. */
static gboolean
record_all (GstClContext *context, GstClQueue queue,
    const GstClAccess *accesses, guint n_accesses, cl_event event,
    GError **error)
{
  GError *reason = NULL;

  for (guint i = 0; i < n_accesses; i++) {
    if ((context->is_discrete || accesses[i].sync->always) &&
        !record_access (&accesses[i], queue, event, &reason))
      return wait_instead (context, queue, reason, error);
  }

  return TRUE;
}

/* Leaves *event NULL if no command is left to wait for. Locks held. */
static gboolean
enqueue_marker (GstClContext *context, GstClQueue queue, cl_event *event,
    GError **error)
{
  GError *reason = NULL;

  return gst_cl_check (
             clEnqueueMarkerWithWaitList (
                 gst_cl_context_get_queue (context, queue), 0, NULL, event),
             "mark a queue", &reason) ||
         wait_instead (context, queue, reason, error);
}

gboolean
gst_cl_sync_submit (GstClContext *context, GstClQueue queue, GError **error)
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
  const guint64 locks = locks_of (accesses, n_accesses);
  gboolean records = context->is_discrete && n_accesses > 0;
  cl_event event = NULL;
  gboolean ended = TRUE;

  for (guint i = 0; i < n_accesses; i++)
    records |= accesses[i].sync->always;

  /* Marker and record under one lock: if two threads end at once, the event of
   * the later marker must be recorded. */
  take_locks (context, locks);
  if (records || done)
    ended = enqueue_marker (context, queue, &event, error);
  if (event)
    ended = record_all (context, queue, accesses, n_accesses, event, error);
  release_locks (context, locks);

  if (done)
    *done = event;
  else if (event)
    clReleaseEvent (event);

  return gst_cl_sync_submit (context, queue, ended ? error : NULL) && ended;
}

gboolean
gst_cl_sync_end_at (GstClContext *context, GstClQueue queue,
    const GstClAccess *accesses, guint n_accesses, cl_event last,
    GError **error)
{
  const guint64 locks = locks_of (accesses, n_accesses);
  gboolean recorded;

  take_locks (context, locks);
  recorded = record_all (context, queue, accesses, n_accesses, last, error);
  release_locks (context, locks);

  return recorded;
}

gboolean
gst_cl_sync_record (GstClCommand *command, cl_int code, const gchar *what,
    cl_event event, GError **error)
{
  clear_waits (command);

  return gst_cl_check (code, what, error) &&
         gst_cl_sync_end_at (command->context, command->queue,
             command->accesses, command->n_accesses, event, error);
}

gboolean
gst_cl_sync_commit (GstClCommand *command, cl_int code, const gchar *what,
    cl_event event, GError **error)
{
  const gboolean recorded = gst_cl_sync_record (command, code, what, event,
      error);

  /* flushed even after an error, so that enqueued commands complete */
  return gst_cl_sync_submit (command->context, command->queue,
             recorded ? error : NULL) &&
         recorded;
}

gboolean
gst_cl_sync_wait (GstClContext *context, GstClSync *sync)
{
  const guint64 locks = lock_of (sync);
  gboolean waited = TRUE;

  for (guint q = 0; q < GST_CL_N_QUEUES; q++) {
    cl_event event;

    take_locks (context, locks);
    event = g_steal_pointer (&sync->last[q]);
    release_locks (context, locks);

    waited &= gst_cl_context_wait (context, &event, "use memory", NULL);
  }

  return waited;
}

void
gst_cl_sync_clear (GstClContext *context, GstClSync *sync)
{
  const guint64 locks = lock_of (sync);

  take_locks (context, locks);
  for (guint q = 0; q < GST_CL_N_QUEUES; q++)
    g_clear_pointer (&sync->last[q], clReleaseEvent);
  release_locks (context, locks);
}
