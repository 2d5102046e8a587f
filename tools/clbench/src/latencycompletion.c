/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Time from a launch until the host has noticed its end. */

#include "latency.h"

#include "cl/memory/gstclbuffer.h"
#include "cl/memory/gstclreadback.h"

#include <string.h>

#define N_LOAD_STEPS 100000
#define N_ENQUEUED   100  /* launches without a wait between them */
#define SHARE        0.03 /* of the time allowed, for a row */
#define LOAD_SHARE   0.015

/* Timeout of waits that should take microseconds: after it something is
 * broken. */
#define MAX_WAIT_US  (2 * G_USEC_PER_SEC)
#define MAX_PROBE_US (G_USEC_PER_SEC / 2)
#define NAP_US       100

#define TIMED_OUT "gave up after two seconds: the end was not noticed"

/* --- work ahead of a launch ----------------------------------------------- */

/* Work that keeps every compute unit busy for a while ahead of a small launch,
 * as a frame of video does before the launch of its results. */
typedef struct {
  GstClContext *context;
  GstClKernel *job;
  guint n_units;
  guint32 input, expected;
  cl_mem results;
  guint32 *found; /* results on the host */
} Load;

static void
load_free (Load *self)
{
  if (!self)
    return;

  gst_cl_buffer_free (self->results);
  gst_cl_kernel_free (self->job);
  g_free (self->found);
  g_free (self);
}

static Load *
load_new (Latency *latency, GError **error)
{
  g_autoptr (GRand)
      rand = bench_rand (latency->bench, LATENCY_TECHNIQUE, "load");
  Load *self = g_new0 (Load, 1);

  self->context = latency->bench->context;
  self->n_units = self->context->device->compute_units;
  self->input = g_rand_int (rand);
  self->expected = latency_work (self->input, N_LOAD_STEPS);
  self->found = g_new0 (guint32, self->n_units);
  self->job = latency_kernel (latency, "latency_job", error);
  if (self->job)
    self->results = gst_cl_buffer_new_zeroed (self->context,
        self->n_units * sizeof *self->found, error);
  if (!self->results)
    g_clear_pointer (&self, load_free);

  return self;
}

/* Returns the number of instructions that each compute unit executes. */
static guint
load_instructions (const Load *self)
{
  return N_LOAD_STEPS * LATENCY_STEP_INSTRUCTIONS;
}

static gboolean
load_launch (Load *self, GError **error)
{
  const GstClArg args[] = { GST_CL_MEM (self->results),
    GST_CL_UINT (self->input), GST_CL_UINT (N_LOAD_STEPS) };

  return gst_cl_kernel_launch (self->job, self->n_units, 1, 1, args,
      G_N_ELEMENTS (args), error);
}

/* Waits for the work. *is_right receives whether all compute units have the
 * correct result. */
static gboolean
load_check (Load *self, gboolean *is_right, GError **error)
{
  const gsize size_bytes = self->n_units * sizeof *self->found;

  memset (self->found, 0, size_bytes);
  if (!gst_cl_buffer_read (self->context, self->results, 0, size_bytes,
          self->found, error))
    return FALSE;

  *is_right = TRUE;
  for (guint i = 0; i < self->n_units; i++)
    *is_right &= self->found[i] == self->expected;

  return TRUE;
}

/* --- callbacks from a thread of the driver -------------------------------- */

/* Data of a callback; it may be called after the host has given up. */
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

static void CL_CALLBACK
on_end (cl_event event, cl_int status, void *user_data)
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

/* Registers a callback for the end of @event's command, flushes the compute
 * queue, and waits for the callback, for @allowed_us at most. *was_called
 * receives whether it was called. FALSE with @error. */
static gboolean
wait_until_called (GstClContext *context, cl_event event, gint64 allowed_us,
    gboolean *was_called, GError **error)
{
  Call *call = new_call ();
  gboolean is_good;

  g_atomic_rc_box_acquire (call);
  is_good = gst_cl_check (clSetEventCallback (event, CL_COMPLETE, on_end, call),
      "set the callback of an event", error);
  if (!is_good)
    unref_call (call);
  is_good = is_good &&
            gst_cl_context_flush (context, GST_CL_QUEUE_COMPUTE, error);
  if (is_good)
    *was_called = wait_for_call (call, g_get_monotonic_time () + allowed_us);
  unref_call (call);

  return is_good;
}

/* -------------------------------------------------------------------------- */

typedef struct {
  Latency *latency;
  GstClContext *context;
  GstClKernel *count;
  cl_kernel signal, handshake;
  cl_mem words;            /* device memory */
  SharedWords *shared;     /* of the flag that the host polls */
  GstClReadback *readback; /* of one word */
  Load *load;              /* work ahead of each launch; NULL: none */
  guint32 number;          /* of the latest launch */
  const gchar *gave_up;
  gboolean has_result; /* the wait itself has read the result */
  guint32 result;
} Completion;

static gboolean
launch_with_event (Completion *self, cl_event *event, GError **error)
{
  return latency_launch (self->context, self->signal,
      (LatencyWords){ self->words, self->shared }, &self->number, 1, event,
      error);
}

static gboolean
launch (Completion *self, GError **error)
{
  return launch_with_event (self, NULL, error);
}

static gboolean
flush (Completion *self, GError **error)
{
  return gst_cl_context_flush (self->context, GST_CL_QUEUE_COMPUTE, error);
}

/* --- launches and their completion ---------------------------------------- */

static gboolean
complete_by_finish (Completion *self, GError **error)
{
  return launch (self, error) && gst_cl_context_finish_queue (self->context,
                                     GST_CL_QUEUE_COMPUTE, error);
}

static gboolean
complete_by_event (Completion *self, GError **error)
{
  cl_event event;

  return launch_with_event (self, &event, error) &&
         gst_cl_context_wait (self->context, &event, "wait for a launch",
             error);
}

/* *is_done receives whether the command of @event has ended. FALSE with @error
 * if the command failed. */
static gboolean
has_ended (cl_event event, gboolean *is_done, GError **error)
{
  const cl_int state = gst_cl_completion_state (event);

  *is_done = state == CL_COMPLETE;

  return gst_cl_check (MIN (state, CL_SUCCESS),
      "ask whether a command has ended", error);
}

static gboolean
complete_by_polling (Completion *self, GError **error)
{
  const gint64 deadline_us = g_get_monotonic_time () + MAX_WAIT_US;
  cl_event event;
  gboolean is_done = FALSE, is_good;

  if (!launch_with_event (self, &event, error))
    return FALSE;

  is_good = flush (self, error);
  while (is_good && !is_done && !self->gave_up) {
    is_good = has_ended (event, &is_done, error);
    if (g_get_monotonic_time () > deadline_us)
      self->gave_up = TIMED_OUT;
  }

  return gst_cl_context_wait (self->context, &event, "wait for a launch",
             is_good ? error : NULL) &&
         is_good;
}

static gboolean
complete_by_callback (Completion *self, GError **error)
{
  cl_event event;
  gboolean was_called = TRUE, is_good;

  if (!launch_with_event (self, &event, error))
    return FALSE;

  is_good = wait_until_called (self->context, event, MAX_WAIT_US, &was_called,
      error);
  if (!was_called)
    self->gave_up = TIMED_OUT;

  return gst_cl_context_wait (self->context, &event, "wait for a launch",
             is_good ? error : NULL) &&
         is_good;
}

static gboolean
complete_by_read (Completion *self, GError **error)
{
  self->has_result = TRUE;

  return launch (self, error) && gst_cl_buffer_read (self->context, self->words,
                                     LATENCY_RESULT * sizeof (guint32),
                                     sizeof self->result, &self->result, error);
}

/* The elements read small results in this way, but wait for them later. */
static gboolean
complete_by_readback (Completion *self, GError **error)
{
  const guint32 *words;

  if (!launch (self, error) ||
      !gst_cl_readback_enqueue (self->readback, 0, self->words, error))
    return FALSE;

  words = gst_cl_readback_wait (self->readback, 0, error);
  if (!words)
    return FALSE;
  self->has_result = TRUE;
  self->result = words[LATENCY_RESULT];

  return TRUE;
}

/* The host polls the result of a read in flight, which OpenCL does not
 * guarantee to work. A result of one word arrives as a whole. */
static gboolean
complete_by_polled_read (Completion *self, GError **error)
{
  const volatile guint32 *words = gst_cl_readback_data (self->readback, 0);
  const gint64 deadline_us = g_get_monotonic_time () + MAX_WAIT_US;

  if (!launch (self, error) ||
      !gst_cl_readback_enqueue (self->readback, 0, self->words, error))
    return FALSE;

  while (words[LATENCY_RESULT] != ~self->number && !self->gave_up) {
    if (g_get_monotonic_time () > deadline_us)
      self->gave_up = TIMED_OUT;
  }
  self->has_result = TRUE;
  self->result = words[LATENCY_RESULT];

  return TRUE;
}

static gboolean
complete_by_flag (Completion *self, GError **error)
{
  if (!launch (self, error) || !flush (self, error))
    return FALSE;

  if (!shared_words_wait (self->shared, LATENCY_FLAG, self->number,
          g_get_monotonic_time () + MAX_WAIT_US))
    self->gave_up = TIMED_OUT;
  self->has_result = TRUE;
  self->result = shared_words_get (self->shared, LATENCY_RESULT);

  return TRUE;
}

/* --- samples -------------------------------------------------------------- */

typedef struct {
  const gchar *name;
  gboolean (*complete) (Completion *self, GError **error);
  gboolean also_with_load;
} Method;

static const Method methods[] = {
  { "finish", complete_by_finish, FALSE },
  { "event wait", complete_by_event, TRUE },
  { "event polling", complete_by_polling, TRUE },
  { "event callback", complete_by_callback, TRUE },
  { "blocking read", complete_by_read, FALSE },
  { "pinned read, event wait", complete_by_readback, TRUE },
  { "pinned read, polled", complete_by_polled_read, TRUE },
};
static const Method pinned_flag = { "pinned flag", complete_by_flag, FALSE };
static const Method svm_flag = { "SVM flag", complete_by_flag, FALSE };

typedef struct {
  Completion *completion;
  const Method *method;
} Sampling;

/* One launch, until the host has noticed its end. The queue is empty before and
 * after. */
static gboolean
sample_completion (gpointer user_data, LatencySample *sample, GError **error)
{
  const Sampling *sampling = user_data;
  Completion *self = sampling->completion;
  const gdouble start_us = latency_now_us ();
  gboolean is_load_right = TRUE;

  self->number++;
  self->has_result = FALSE;
  self->gave_up = NULL;
  if (self->load && !load_launch (self->load, error))
    return FALSE;
  if (!sampling->method->complete (self, error))
    return FALSE;
  sample->us = latency_now_us () - start_us;
  sample->gave_up = self->gave_up;

  if (!gst_cl_context_finish (self->context, error))
    return FALSE;
  if (!self->has_result && !gst_cl_buffer_read (self->context, self->words,
                               LATENCY_RESULT * sizeof (guint32),
                               sizeof self->result, &self->result, error))
    return FALSE;
  if (self->load && !load_check (self->load, &is_load_right, error))
    return FALSE;
  sample->is_correct = self->result == ~self->number && is_load_right;

  return TRUE;
}

static gboolean
measure_method (Completion *self, const Method *method, GVariant *figures,
    GError **error)
{
  Latency *latency = self->latency;
  Sampling sampling = { self, method };
  const LatencyRow row = {
    .name = method->name,
    .sample = sample_completion,
    .user_data = &sampling,
    .share = SHARE,
    .figures = figures,
  };
  gdouble us;

  if (!latency_measure (latency, &row, &us, error))
    return FALSE;

  if (method == &methods[0])
    latency->finish_us = us;
  if (us > 0 && (!latency->fastest || us < latency->fastest_us)) {
    latency->fastest = method->name;
    latency->fastest_us = us;
  }

  return TRUE;
}

/* Measures the methods with also_with_load: work for all compute units is
 * enqueued ahead of the launch. */
static gboolean
measure_with_load (Completion *self, GError **error)
{
  gboolean is_good = TRUE;

  self->load = load_new (self->latency, error);
  if (!self->load)
    return FALSE;

  for (guint i = 0; i < G_N_ELEMENTS (methods) && is_good; i++) {
    const guint n = load_instructions (self->load);
    g_autofree gchar *name = g_strdup_printf ("%s, %u instructions ahead",
        methods[i].name, n);
    Sampling sampling = { self, &methods[i] };
    const LatencyRow row = {
      .name = name,
      .sample = sample_completion,
      .user_data = &sampling,
      .share = LOAD_SHARE,
    };

    if (methods[i].also_with_load)
      is_good = latency_measure (self->latency, &row, NULL, error);
  }
  g_clear_pointer (&self->load, load_free);

  return is_good;
}

/* N_ENQUEUED launches without a wait, which the kernel counts. The sample is
 * the time of one launch. */
static gboolean
sample_enqueue (gpointer user_data, LatencySample *sample, GError **error)
{
  Completion *self = user_data;
  const GstClArg arg = GST_CL_MEM (self->words);
  guint32 n_before = 0, n_after = 0;
  gdouble start_us;

  if (!gst_cl_buffer_read (self->context, self->words, 0, sizeof n_before,
          &n_before, error))
    return FALSE;

  start_us = latency_now_us ();
  for (guint i = 0; i < N_ENQUEUED; i++) {
    if (!gst_cl_kernel_launch (self->count, 1, 1, 1, &arg, 1, error))
      return FALSE;
  }
  sample->us = (latency_now_us () - start_us) / N_ENQUEUED;

  if (!gst_cl_context_finish (self->context, error) ||
      !gst_cl_buffer_read (self->context, self->words, 0, sizeof n_after,
          &n_after, error))
    return FALSE;
  sample->is_correct = n_after - n_before == N_ENQUEUED;

  return TRUE;
}

static gboolean
measure_enqueue (Completion *self, GError **error)
{
  const LatencyRow row = {
    .name = "enqueue",
    .sample = sample_enqueue,
    .user_data = self,
    .share = SHARE,
  };

  return latency_measure (self->latency, &row, NULL, error);
}

/* --- flags ---------------------------------------------------------------- */

/* Checks whether the host sees the flag while the kernel still runs: the kernel
 * sets the flag and waits for an answer. *reason receives the reason why a flag
 * in self->shared does not work; NULL: it works. FALSE with @error if the
 * device failed. */
static gboolean
probe_flag (Completion *self, const gchar **reason, GError **error)
{
  const guint32 number = ++self->number;
  const guint32 numbers[] = { number, latency_max_polls (self->latency) };
  const gint64 deadline_us = g_get_monotonic_time () + MAX_PROBE_US;
  gboolean is_seen = FALSE, is_over = FALSE, is_good;
  cl_event event;

  if (!latency_launch (self->context, self->handshake,
          (LatencyWords){ .shared = self->shared }, numbers,
          G_N_ELEMENTS (numbers), &event, error))
    return FALSE;

  is_good = flush (self, error);
  while (is_good && !is_seen && !is_over &&
         g_get_monotonic_time () < deadline_us) {
    g_usleep (NAP_US); /* nothing is timed, and the kernel occupies a core */
    is_seen = shared_words_get (self->shared, LATENCY_FLAG) == number;
    is_good = has_ended (event, &is_over, error);
  }
  shared_words_set (self->shared, LATENCY_ANSWER, number);
  is_good = gst_cl_context_wait (self->context, &event, "wait for a launch",
                is_good ? error : NULL) &&
            is_good;

  if (is_seen && !is_over)
    *reason = NULL;
  else if (shared_words_get (self->shared, LATENCY_FLAG) == number)
    *reason = "the host sees the flag only when the launch has ended";
  else
    *reason = "the host does not see the flag in mapped memory";

  return is_good;
}

static gboolean
measure_flag (Completion *self, SharedWordsKind kind, const Method *method,
    GError **error)
{
  Report *report = self->latency->bench->report;
  g_autoptr (GError) refusal = NULL;
  const gchar *reason = NULL;
  gboolean is_good;

  self->shared = shared_words_new (self->context, kind, LATENCY_N_WORDS,
      &refusal);
  if (!self->shared) {
    report_skip (report, LATENCY_TECHNIQUE, method->name, refusal->message);
    return TRUE;
  }

  is_good = probe_flag (self, &reason, error);
  if (is_good && reason) {
    report_skip (report, LATENCY_TECHNIQUE, method->name, reason);
  } else if (is_good) {
    const guint32 answer_seen = shared_words_get (self->shared,
        LATENCY_ANSWER_SEEN);
    GVariant *figures = g_variant_new_parsed ("{'kernel_sees_host': %d}",
        answer_seen == self->number ? 1.0 : 0.0);

    is_good = measure_method (self, method, figures, error);
  }
  g_clear_pointer (&self->shared, shared_words_free);

  return is_good;
}

/* -------------------------------------------------------------------------- */

static gboolean
measure_all (Completion *self, GError **error)
{
  if (!measure_enqueue (self, error))
    return FALSE;
  for (guint i = 0; i < G_N_ELEMENTS (methods); i++) {
    if (!measure_method (self, &methods[i], NULL, error))
      return FALSE;
  }

  return measure_flag (self, SHARED_WORDS_PINNED, &pinned_flag, error) &&
         measure_flag (self, SHARED_WORDS_SVM, &svm_flag, error) &&
         measure_with_load (self, error);
}

static gboolean
create (Completion *self, GError **error)
{
  const gsize size_bytes = LATENCY_N_WORDS * sizeof (guint32);

  self->count = latency_kernel (self->latency, "latency_count", error);
  if (self->count)
    self->signal = latency_single_kernel (self->context, "latency_signal",
        error);
  if (self->signal)
    self->handshake = latency_single_kernel (self->context, "latency_handshake",
        error);
  if (self->handshake)
    self->words = gst_cl_buffer_new_zeroed (self->context, size_bytes, error);
  if (self->words)
    self->readback = gst_cl_readback_new (self->context, 1, size_bytes, error);

  return self->readback != NULL;
}

gboolean
latency_completions (Latency *latency, GError **error)
{
  Completion self = { .latency = latency, .context = latency->bench->context };
  const gboolean is_done = create (&self, error) && measure_all (&self, error);

  gst_cl_readback_free (self.readback);
  gst_cl_buffer_free (self.words);
  latency_single_kernel_free (self.handshake);
  latency_single_kernel_free (self.signal);
  gst_cl_kernel_free (self.count);

  return is_done;
}
