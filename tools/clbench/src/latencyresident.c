/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* A resident kernel for a bounded number of jobs, compared with a launch for
 * each job. */

#include "latency.h"

#include "cl/memory/gstclbuffer.h"

#include <string.h>

#define MAX_ROUNDS 400
#define SHARE      0.02 /* of the time allowed, for a row */

/* The kernel gives up after about a second without a job. */
#define MAX_WAIT_US      (3 * G_USEC_PER_SEC)
#define MAX_POLLS_NO_JOB 4096
#define TIMED_OUT        "gave up: the rounds took more than three seconds"
#define KERNEL_GAVE_UP   "gave up: the kernel waited too long for a job"

static const guint steps[] = { 10, 1000, 10000 };
static const guint rounds[] = { 1, 10, 100, MAX_ROUNDS };

typedef struct {
  Latency *latency;
  GstClContext *context;
  cl_kernel resident;
  GstClKernel *job;
  SharedWords *shared; /* NULL: the device has no such memory */
  cl_mem result;       /* of the launches for one job each */
  GRand *rand;         /* of the current row */
  guint n_steps, n_rounds;
  guint32 inputs[MAX_ROUNDS], outputs[MAX_ROUNDS];
} Resident;

static void
draw_inputs (Resident *self)
{
  for (guint i = 0; i < self->n_rounds; i++)
    self->inputs[i] = g_rand_int (self->rand);
  memset (self->outputs, 0, sizeof self->outputs);
}

static gboolean
outputs_are_right (const Resident *self)
{
  for (guint i = 0; i < self->n_rounds; i++) {
    if (self->outputs[i] != latency_work (self->inputs[i], self->n_steps))
      return FALSE;
  }

  return TRUE;
}

/* No kernel runs when it is called. */
static void
clear_words (Resident *self)
{
  for (guint i = 0; i < LATENCY_N_WORDS; i++)
    shared_words_set (self->shared, i, 0);
}

static gboolean
launch_resident (Resident *self, guint max_polls, GError **error)
{
  const guint32 numbers[] = { self->n_rounds, self->n_steps, max_polls };

  return latency_launch (self->context, self->resident,
             (LatencyWords){ .shared = self->shared }, numbers,
             G_N_ELEMENTS (numbers), NULL, error) &&
         gst_cl_context_flush (self->context, GST_CL_QUEUE_COMPUTE, error);
}

/* Gives the kernel the job of @round and waits for the result. FALSE: the round
 * was not complete before @deadline_us. */
static gboolean
do_round (Resident *self, guint round, gint64 deadline_us)
{
  shared_words_set (self->shared, LATENCY_INPUT, self->inputs[round - 1]);
  shared_words_set (self->shared, LATENCY_ANSWER, round);
  if (!shared_words_wait (self->shared, LATENCY_FLAG, round, deadline_us))
    return FALSE;
  self->outputs[round - 1] = shared_words_get (self->shared, LATENCY_RESULT);

  return TRUE;
}

/* One launch and all its rounds. The sample is the time of a job. */
static gboolean
sample_rounds (gpointer user_data, LatencySample *sample, GError **error)
{
  Resident *self = user_data;
  gboolean is_done = TRUE;
  gdouble start_us;
  gint64 deadline_us;

  draw_inputs (self);
  clear_words (self);
  start_us = latency_now_us ();
  if (!launch_resident (self, latency_max_polls (self->latency), error))
    return FALSE;
  deadline_us = g_get_monotonic_time () + MAX_WAIT_US; /* compiled here */
  for (guint round = 1; round <= self->n_rounds && is_done; round++)
    is_done = do_round (self, round, deadline_us);
  sample->us = (latency_now_us () - start_us) / self->n_rounds;
  if (!is_done)
    sample->gave_up = shared_words_get (self->shared, LATENCY_GAVE_UP)
                          ? KERNEL_GAVE_UP
                          : TIMED_OUT;
  sample->is_correct = outputs_are_right (self);

  /* terminates by itself: its rounds and reads are bounded */
  return gst_cl_context_finish (self->context, error);
}

/* A launch without jobs: the kernel must give up by itself. */
static gboolean
sample_no_job (gpointer user_data, LatencySample *sample, GError **error)
{
  Resident *self = user_data;
  const gdouble start_us = latency_now_us ();

  clear_words (self);
  if (!launch_resident (self, MAX_POLLS_NO_JOB, error) ||
      !gst_cl_context_finish (self->context, error))
    return FALSE;
  sample->us = latency_now_us () - start_us;
  sample->is_correct = shared_words_get (self->shared, LATENCY_GAVE_UP) == 1 &&
                       shared_words_get (self->shared, LATENCY_FLAG) == 0;

  return TRUE;
}

/* A launch for one job, and a blocking read. */
static gboolean
sample_launch (gpointer user_data, LatencySample *sample, GError **error)
{
  Resident *self = user_data;
  gdouble start_us;

  draw_inputs (self);

  const GstClArg args[] = { GST_CL_MEM (self->result),
    GST_CL_UINT (self->inputs[0]), GST_CL_UINT (self->n_steps) };

  start_us = latency_now_us ();
  if (!gst_cl_kernel_launch (self->job, 1, 1, 1, args, G_N_ELEMENTS (args),
          error) ||
      !gst_cl_buffer_read (self->context, self->result, 0,
          sizeof self->outputs[0], self->outputs, error))
    return FALSE;
  sample->us = latency_now_us () - start_us;
  sample->is_correct = outputs_are_right (self);

  return TRUE;
}

/* --- rows ----------------------------------------------------------------- */

/* Returns the size of a job and the number of jobs. */
static GVariant *
figures_of (const Resident *self)
{
  return g_variant_new_parsed ("{'instructions': %d, 'rounds': %d}",
      (gdouble) self->n_steps * LATENCY_STEP_INSTRUCTIONS,
      (gdouble) self->n_rounds);
}

/* Consumes the name of the row. */
static gboolean
measure (Resident *self, gchar *name, LatencySampler sample, gdouble *us,
    GError **error)
{
  g_autofree gchar *owned = name;
  const LatencyRow row = {
    .name = owned,
    .sample = sample,
    .user_data = self,
    .share = SHARE,
    .n_jobs = sample == sample_no_job ? 0 : 1,
    .figures = sample == sample_no_job ? NULL : figures_of (self),
  };

  g_autoptr (GRand)
      rand = bench_rand (self->latency->bench, LATENCY_TECHNIQUE, owned);

  self->rand = rand;

  return latency_measure (self->latency, &row, us, error);
}

static gboolean
measure_launches (Resident *self, GError **error)
{
  self->n_rounds = 1;
  for (guint i = 0; i < G_N_ELEMENTS (steps); i++) {
    gchar *name = g_strdup_printf ("a launch a job, %u instructions",
        steps[i] * LATENCY_STEP_INSTRUCTIONS);

    self->n_steps = steps[i];
    if (!measure (self, name, sample_launch, NULL, error))
      return FALSE;
  }

  return TRUE;
}

static gboolean
measure_rounds (Resident *self, GError **error)
{
  Latency *latency = self->latency;
  gdouble us;

  latency->resident_instructions = steps[0] * LATENCY_STEP_INSTRUCTIONS;

  for (guint i = 0; i < G_N_ELEMENTS (steps); i++) {
    for (guint j = 0; j < G_N_ELEMENTS (rounds); j++) {
      gchar *name = g_strdup_printf ("resident, %u instructions, %u round%s",
          steps[i] * LATENCY_STEP_INSTRUCTIONS, rounds[j],
          rounds[j] == 1 ? "" : "s");

      self->n_steps = steps[i];
      self->n_rounds = rounds[j];
      if (!measure (self, name, sample_rounds, &us, error))
        return FALSE;
      if (i == 0 && us > 0 &&
          (latency->resident_us == 0 || us < latency->resident_us))
        latency->resident_us = us;
    }
  }

  return measure (self, g_strdup ("resident, no job comes"), sample_no_job,
      NULL, error);
}

gboolean
latency_resident (Latency *latency, GError **error)
{
  Resident self = { .latency = latency, .context = latency->bench->context };
  g_autoptr (GError) refusal = NULL;
  gboolean is_done = FALSE;

  self.resident = latency_single_kernel (self.context, "latency_resident",
      error);
  if (self.resident)
    self.job = latency_kernel (latency, "latency_job", error);
  if (self.job)
    self.result = gst_cl_buffer_new (self.context, sizeof (guint32), error);
  if (self.result)
    is_done = measure_launches (&self, error);

  if (is_done) {
    self.shared = shared_words_new (self.context, SHARED_WORDS_SVM,
        LATENCY_N_WORDS, &refusal);
    if (self.shared)
      is_done = measure_rounds (&self, error);
    else
      report_skip (latency->bench->report, LATENCY_TECHNIQUE, "resident",
          refusal->message);
  }

  shared_words_free (self.shared);
  gst_cl_buffer_free (self.result);
  gst_cl_kernel_free (self.job);
  latency_single_kernel_free (self.resident);

  return is_done;
}
