/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Medians of runs, by the host's clock and by the device's. */

#include "timing.h"

#define N_WARM_UP          5
#define N_SAMPLES_MIN      50
#define N_SAMPLES_MAX      200
#define TIME_AIMED_US      500000 /* samples beyond the least, while it lasts */
#define N_SAMPLES_FORCED   5
/* Enqueued back to back before a wait: as many as take CHUNK_US, so that a
 * short run is not charged with the wait, which may be longer. */
#define MIN_RUNS_PER_CHUNK 8
#define MAX_RUNS_PER_CHUNK 40
#define CHUNK_US           1000
#define LONG_RUN_US        10000 /* a wait is nothing beside it */

typedef struct {
  GstClContext *context;
  TimingRun run;
  gpointer user_data;
  gint64 allowed_us;
} Job;

static gint
compare_doubles (gconstpointer a, gconstpointer b)
{
  const gdouble difference = *(const gdouble *) a - *(const gdouble *) b;

  return (difference > 0) - (difference < 0);
}

Spread
timing_spread (GArray *samples)
{
  const guint n = samples->len;

  if (n == 0)
    return (Spread){ 0 };

  g_array_sort (samples, compare_doubles);

  return (Spread){
    .median = g_array_index (samples, gdouble, n / 2),
    .low = g_array_index (samples, gdouble, n / 10),
    .high = g_array_index (samples, gdouble, n - 1 - n / 10),
  };
}

static guint64
event_duration_ns (cl_event event)
{
  cl_ulong start = 0, end = 0;

  if (clGetEventProfilingInfo (event, CL_PROFILING_COMMAND_START, sizeof start,
          &start, NULL) != CL_SUCCESS ||
      clGetEventProfilingInfo (event, CL_PROFILING_COMMAND_END, sizeof end,
          &end, NULL) != CL_SUCCESS)
    return 0;

  return end - start;
}

guint64
timing_take_profile_ns (GstClContext *context)
{
  guint64 sum = 0;

  clFinish (context->queue);

  g_mutex_lock (&context->profile_lock);
  for (guint i = 0; i < context->profile->len; i++)
    sum += event_duration_ns (g_ptr_array_index (context->profile, i));
  g_ptr_array_set_size (context->profile, 0);
  g_mutex_unlock (&context->profile_lock);

  return sum;
}

/* Microseconds of @n_runs runs, enqueued back to back, until all are done;
 * negative on failure. *device_us receives the sum of their launches' times. */
static gdouble
time_runs (const Job *job, guint n_runs, gdouble *device_us, GError **error)
{
  const gint64 start_us = g_get_monotonic_time ();

  for (guint i = 0; i < n_runs; i++) {
    if (!job->run (job->user_data, error))
      return -1;
  }
  if (!gst_cl_context_finish (job->context, error))
    return -1;

  const gint64 end_us = g_get_monotonic_time ();

  *device_us = timing_take_profile_ns (job->context) / 1e3;

  return (gdouble) (end_us - start_us);
}

static gboolean
is_enough (const Job *job, guint n, gint64 spent_us)
{
  if (n >= N_SAMPLES_MAX)
    return TRUE;
  if (n >= N_SAMPLES_MIN)
    return spent_us >= MIN (TIME_AIMED_US, job->allowed_us);

  return n >= N_SAMPLES_FORCED && spent_us >= job->allowed_us;
}

/* Microseconds of the last of a few runs, the first of which may compile;
 * negative on failure. */
static gdouble
warm_up (const Job *job, GError **error)
{
  const gint64 start_us = g_get_monotonic_time ();
  gdouble device_us, host_us = 0;

  for (guint i = 0; i < N_WARM_UP; i++) {
    if (i >= 2 && g_get_monotonic_time () - start_us > job->allowed_us / 8)
      break;
    host_us = time_runs (job, 1, &device_us, error);
    if (host_us < 0)
      break;
  }

  return host_us;
}

/* Runs of a chunk; 0 on failure. The device's time is taken of single runs, so
 * that its spread is that of a run; the host's of several, so that waiting is
 * shared as in a pipeline. */
static guint
choose_n_runs (const Job *job, GError **error)
{
  gdouble device_us, host_us = warm_up (job, error);

  if (host_us < 0)
    return 0;
  if (job->context->is_profiling || host_us >= LONG_RUN_US)
    return 1;

  host_us = time_runs (job, MIN_RUNS_PER_CHUNK, &device_us, error);
  if (host_us < 0)
    return 0;

  return (guint) CLAMP (CHUNK_US * MIN_RUNS_PER_CHUNK / MAX (host_us, 1),
      MIN_RUNS_PER_CHUNK, MAX_RUNS_PER_CHUNK);
}

gboolean
timing_measure (GstClContext *context, TimingRun run, gpointer user_data,
    gint64 allowed_us, Spread *spread, GError **error)
{
  const Job job = { context, run, user_data, allowed_us };
  g_autoptr (GArray) samples = g_array_new (FALSE, FALSE, sizeof (gdouble));
  const guint n_runs = choose_n_runs (&job, error);
  gint64 start_us;
  gdouble device_us = 0, host_us;

  if (n_runs == 0)
    return FALSE;

  start_us = g_get_monotonic_time ();
  while (!is_enough (&job, samples->len * MIN (n_runs, MIN_RUNS_PER_CHUNK),
      g_get_monotonic_time () - start_us)) {
    host_us = time_runs (&job, n_runs, &device_us, error);
    if (host_us < 0)
      return FALSE;

    const gdouble us = context->is_profiling ? device_us : host_us;
    const gdouble share_us = us / n_runs;
    g_array_append_val (samples, share_us);
  }

  *spread = timing_spread (samples);

  return TRUE;
}
