/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Decides which calls fail, and how. */

#include "layer.h"

static GMutex lock; /* all below */
static gboolean is_armed, is_device_lost, has_finish_failed;
static Fault fault;
static guint n_calls;  /* calls of fault.entry since it was armed */
static guint n_failed; /* calls that have failed since then */
static guint counts[N_ENTRY_POINTS];
static cl_int codes[N_ENTRY_POINTS]; /* CL_SUCCESS: the call works */
static guint build_ms = 10000;
static GHashTable *event_codes; /* cl_event -> negative status */
static GHashTable *queue_codes; /* cl_command_queue -> negative status */

void
layer_set_build_ms (guint ms)
{
  build_ms = ms;
}

void
layer_arm (const Fault *what)
{
  g_mutex_lock (&lock);
  fault = *what;
  n_calls = n_failed = 0;
  is_armed = TRUE;
  is_device_lost = FALSE;
  g_mutex_unlock (&lock);
}

guint
layer_disarm (void)
{
  guint n;

  g_mutex_lock (&lock);
  is_armed = FALSE;
  n = n_failed;
  g_mutex_unlock (&lock);

  return n;
}

void
layer_fail (EntryPoint entry, cl_int code)
{
  g_mutex_lock (&lock);
  codes[entry] = code;
  g_mutex_unlock (&lock);
}

void
layer_fail_waits (gboolean fail)
{
  layer_fail (ENTRY_clFinish, fail ? CL_DEVICE_NOT_AVAILABLE : CL_SUCCESS);
  layer_fail (ENTRY_clWaitForEvents,
      fail ? CL_DEVICE_NOT_AVAILABLE : CL_SUCCESS);
}

guint
layer_count (EntryPoint entry)
{
  guint n;

  g_mutex_lock (&lock);
  n = counts[entry];
  g_mutex_unlock (&lock);

  return n;
}

gboolean
layer_is_finish_failing (void)
{
  gboolean is_failing;

  g_mutex_lock (&lock);
  is_failing = has_finish_failed;
  g_mutex_unlock (&lock);

  return is_failing;
}

cl_int
layer_note_finish (cl_int code)
{
  g_mutex_lock (&lock);
  has_finish_failed = code != CL_SUCCESS;
  g_mutex_unlock (&lock);

  return code;
}

void
layer_take_counts (guint *sums)
{
  g_mutex_lock (&lock);
  for (guint i = 0; i < N_ENTRY_POINTS; i++) {
    sums[i] += counts[i];
    counts[i] = 0;
  }
  g_mutex_unlock (&lock);
}

/* --- deciding ------------------------------------------------------------ */

/* Returns whether the current call of fault.entry, number n_calls, fails. Call
 * with the lock held. */
static gboolean
is_failing (void)
{
  switch (fault.times) {
    case TIMES_EACH:
      return n_calls % fault.at == 0;
    case TIMES_ON:
      return n_calls >= fault.at;
    default:
      return n_calls == fault.at;
  }
}

Verdict
layer_enter (EntryPoint entry)
{
  Verdict verdict = { FALSE, FAULT_CODE, CL_SUCCESS };

  g_mutex_lock (&lock);
  counts[entry]++;
  if (is_armed && entry == fault.entry &&
      counts[fault.after] >= fault.n_after) {
    n_calls++;
    verdict.fails = is_failing ();
    verdict.kind = fault.kind;
  }
  if (verdict.fails && fault.kind == FAULT_DEVICE_LOST)
    is_device_lost = TRUE;
  if (is_armed && is_device_lost)
    verdict = (Verdict){ TRUE, FAULT_CODE, CL_SUCCESS };
  if (verdict.fails) {
    verdict.code = fault.code;
    n_failed++;
  } else if (codes[entry] != CL_SUCCESS) {
    verdict = (Verdict){ TRUE, FAULT_CODE, codes[entry] };
  }
  g_mutex_unlock (&lock);

  if (verdict.fails && verdict.kind == FAULT_SLOW) {
    g_usleep (build_ms * 1000);
    verdict.fails = FALSE;
  }

  return verdict;
}

/* --- commands that fail --------------------------------------------------- */

/* lock held */
static cl_int
lookup (GHashTable *table, gconstpointer object)
{
  return table ? GPOINTER_TO_INT (g_hash_table_lookup (table, object))
               : CL_SUCCESS;
}

/* lock held */
static void
set (GHashTable **table, gpointer object, cl_int code)
{
  if (!*table)
    *table = g_hash_table_new (NULL, NULL);
  if (code == CL_SUCCESS)
    g_hash_table_remove (*table, object);
  else
    g_hash_table_insert (*table, object, GINT_TO_POINTER (code));
}

void
layer_add_command (cl_command_queue queue, cl_uint n_events,
    const cl_event *events, cl_int code, cl_event event)
{
  g_mutex_lock (&lock);
  for (cl_uint i = 0; i < n_events && code == CL_SUCCESS; i++) {
    if (lookup (event_codes, events[i]) != CL_SUCCESS)
      code = CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST;
  }
  if (lookup (queue_codes, queue) != CL_SUCCESS)
    code = lookup (queue_codes, queue);
  if (event)
    set (&event_codes, event, code);
  else if (code != CL_SUCCESS)
    set (&queue_codes, queue, code);
  g_mutex_unlock (&lock);
}

cl_int
layer_event_status (cl_event event)
{
  cl_int code;

  g_mutex_lock (&lock);
  code = lookup (event_codes, event);
  g_mutex_unlock (&lock);

  return code != CL_SUCCESS ? code : CL_COMPLETE;
}

cl_int
layer_queue_status (cl_command_queue queue)
{
  cl_int code;

  g_mutex_lock (&lock);
  code = lookup (queue_codes, queue);
  g_mutex_unlock (&lock);

  return code;
}

void
layer_forget_queue (cl_command_queue queue)
{
  g_mutex_lock (&lock);
  set (&queue_codes, queue, CL_SUCCESS);
  g_mutex_unlock (&lock);
}

void
layer_forget_event (cl_event event)
{
  g_mutex_lock (&lock);
  set (&event_codes, event, CL_SUCCESS);
  g_mutex_unlock (&lock);
}
