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

/* --- uses on queues of an application ------------------------------------- */

typedef struct {
  cl_event event;
  gboolean writes;
} ForeignUse;

static void
clear_use (gpointer data)
{
  clReleaseEvent (((ForeignUse *) data)->event);
}

static gboolean
has_foreign (GstClSync *sync)
{
  return g_atomic_pointer_get (&sync->foreign) != NULL;
}

/* Lock held. */
static void
add_use (GstClSync *sync, cl_event event, gboolean writes)
{
  const ForeignUse use = { event, writes };
  GArray *uses = sync->foreign;

  if (!uses) {
    uses = g_array_new (FALSE, FALSE, sizeof use);
    g_array_set_clear_func (uses, clear_use);
  }
  g_array_append_val (uses, use);
  g_atomic_pointer_set (&sync->foreign, uses);
}

/* Returns the uses; the caller frees them. Lock held. */
static GArray *
steal_uses (GstClSync *sync)
{
  GArray *uses = sync->foreign;

  g_atomic_pointer_set (&sync->foreign, NULL);

  return uses;
}

/* Appends the events that must complete before @access to @waits, which are
 * retained; removes those that have ended. FALSE if a command has failed: the
 * error is reported once. Lock held. */
static gboolean
list_uses (const GstClAccess *access, GArray *waits, GError **error)
{
  GArray *uses = access->sync->foreign;
  gboolean listed = TRUE;

  for (guint i = uses ? uses->len : 0; i-- > 0 && listed;) {
    const ForeignUse use = g_array_index (uses, ForeignUse, i);
    const cl_int state = gst_cl_completion_state (use.event);

    if (state <= CL_COMPLETE) {
      g_array_remove_index_fast (uses, i);
      listed = gst_cl_check (state, "an application's command", error);
    } else if (access->writes || use.writes) {
      listed = gst_cl_check (clRetainEvent (use.event),
          "wait for an application's command", error);
      if (listed)
        g_array_append_val (waits, use.event);
    }
  }
  if (uses && uses->len == 0)
    g_array_unref (steal_uses (access->sync));

  return listed;
}

static void
release_event (gpointer data)
{
  clReleaseEvent (*(cl_event *) data);
}

static GArray *
new_waits (void)
{
  GArray *waits = g_array_new (FALSE, FALSE, sizeof (cl_event));

  g_array_set_clear_func (waits, release_event);

  return waits;
}

static gboolean
enqueue_barrier (cl_command_queue queue, const GArray *waits, GError **error)
{
  return waits->len == 0 ||
         gst_cl_check (clEnqueueBarrierWithWaitList (queue, waits->len,
                           (const cl_event *) waits->data, NULL),
             "order two queues", error);
}

/* Lets @queue wait for an application's commands. A wait list of one command
 * may be too short for them. */
static gboolean
wait_for_uses (GstClContext *context, GstClQueue queue,
    const GstClAccess *accesses, guint n_accesses, GError **error)
{
  g_autoptr (GArray) waits = NULL;
  gboolean listed = TRUE;
  guint64 locks;

  for (guint i = 0; i < n_accesses; i++) {
    if (!waits && has_foreign (accesses[i].sync))
      waits = new_waits ();
  }
  if (!waits)
    return TRUE;

  locks = locks_of (accesses, n_accesses);
  take_locks (context, locks);
  for (guint i = 0; i < n_accesses && listed; i++)
    listed = list_uses (&accesses[i], waits, error);
  release_locks (context, locks);

  return listed && enqueue_barrier (gst_cl_context_find_queue (context, queue),
                       waits, error);
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
  if (!wait_for_uses (context, queue, accesses, n_accesses, error))
    return FALSE;
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
    begun = gst_cl_check (clEnqueueBarrierWithWaitList (
                              gst_cl_context_find_queue (context, queue),
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
                 gst_cl_context_find_queue (context, queue), 0, NULL, event),
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

/* --- the order of an application's queues --------------------------------- */

/* Returns the queue of @context that is @queue; GST_CL_N_QUEUES if there is
 * none. */
static GstClQueue
find_own (const GstClContext *context, cl_command_queue queue)
{
  GstClQueue own = 0;

  while (own < GST_CL_N_QUEUES && context->queues[own] != queue)
    own++;

  return own;
}

/* Appends the recorded events that must complete before @access. Lock held. */
static gboolean
list_recorded (const GstClAccess *access, GArray *waits, GError **error)
{
  GstClCommand command = { .queue = GST_CL_N_QUEUES };
  const gboolean collected = collect_waits (access, &command, error);

  g_array_append_vals (waits, command.waits, command.n_waits);

  return collected;
}

/* A queue whose commands are not recorded: appends an event that follows all of
 * them. Lock held. */
static gboolean
list_marker (GstClContext *context, GArray *waits, GError **error)
{
  cl_event event = NULL;

  if (!enqueue_marker (context, GST_CL_QUEUE_COMPUTE, &event, error))
    return FALSE;
  if (event)
    g_array_append_val (waits, event);

  return gst_cl_sync_submit (context, GST_CL_QUEUE_COMPUTE, error);
}

gboolean
gst_cl_sync_begin_foreign (GstClContext *context, cl_command_queue queue,
    const GstClAccess *access, GError **error)
{
  g_autoptr (GArray) waits = NULL;
  const GstClQueue own = find_own (context, queue);
  const guint64 locks = lock_of (access->sync);
  gboolean listed;

  if (own != GST_CL_N_QUEUES)
    return gst_cl_sync_begin (context, own, access, 1, error);

  waits = new_waits ();
  take_locks (context, locks);
  listed = context->is_discrete ? list_recorded (access, waits, error)
                                : list_marker (context, waits, error);
  listed = listed && list_uses (access, waits, error);
  release_locks (context, locks);

  return listed && enqueue_barrier (queue, waits, error);
}

/* Returns a reference to @event, or to the event of a marker. NULL with
 * @error. */
static cl_event
retain_last (cl_command_queue queue, cl_event event, GError **error)
{
  const cl_int code = event ? clRetainEvent (event)
                            : clEnqueueMarkerWithWaitList (queue, 0, NULL,
                                  &event);

  return gst_cl_check (code, "mark an application's queue", error) ? event
                                                                   : NULL;
}

gboolean
gst_cl_sync_end_foreign (GstClContext *context, cl_command_queue queue,
    const GstClAccess *access, cl_event event, GError **error)
{
  const GstClQueue own = find_own (context, queue);
  const guint64 locks = lock_of (access->sync);
  GError *reason = NULL;

  if (own != GST_CL_N_QUEUES)
    return gst_cl_sync_end (context, own, access, 1, NULL, error);

  event = retain_last (queue, event, &reason);
  if (event) {
    take_locks (context, locks);
    add_use (access->sync, event, access->writes);
    release_locks (context, locks);
  }
  if (event && gst_cl_check (clFlush (queue), "flush a queue", &reason))
    return TRUE;

  /* nothing will wait for the commands */
  if (gst_cl_finish (queue) == CL_SUCCESS) {
    g_error_free (reason);
    return TRUE;
  }
  g_propagate_error (error, reason);

  return FALSE;
}

static gboolean
wait_for_foreign (GstClContext *context, GstClSync *sync)
{
  const guint64 locks = lock_of (sync);
  g_autoptr (GArray) uses = NULL;
  gboolean waited = TRUE;

  take_locks (context, locks);
  uses = steal_uses (sync);
  release_locks (context, locks);

  for (guint i = 0; uses && i < uses->len; i++) {
    cl_event event = g_array_index (uses, ForeignUse, i).event;

    waited &= clRetainEvent (event) == CL_SUCCESS &&
              gst_cl_context_wait (context, &event, "use memory", NULL);
  }

  return waited;
}

/* -------------------------------------------------------------------------- */

gboolean
gst_cl_sync_wait (GstClContext *context, GstClSync *sync)
{
  const guint64 locks = lock_of (sync);
  gboolean waited = wait_for_foreign (context, sync);

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
  g_clear_pointer (&sync->foreign, g_array_unref);
  release_locks (context, locks);
}
