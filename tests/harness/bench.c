/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Timing of one op: medians of the host's clock and of the device's. */

#include "harness.h"

#include <stdio.h>

#define N_WARM_UP          5
#define N_SAMPLES_MIN      50
#define N_SAMPLES_MAX      200
#define TIME_AIMED_US      500000 /* samples beyond the least, while it lasts */
#define TIME_ALLOWED_US    10000000 /* then even fewer than the least will do */
#define N_SAMPLES_FORCED   5
/* Enqueued back to back before a wait: as many as take CHUNK_US, so that a
 * short run is not charged with the wait, which may be longer. */
#define MIN_RUNS_PER_CHUNK 8
#define MAX_RUNS_PER_CHUNK 40
#define CHUNK_US           1000

#define COPY_BYTES ((gsize) 64 << 20) /* more than caches hold */

typedef struct {
  GstClContext *context;
  gboolean (*run) (gpointer user_data, GError **error);
  gpointer user_data;
} Job;

static gint
compare_doubles (gconstpointer a, gconstpointer b)
{
  const gdouble difference = *(const gdouble *) a - *(const gdouble *) b;

  return (difference > 0) - (difference < 0);
}

static HarnessSpread
spread_of (GArray *samples)
{
  const guint n = samples->len;

  g_array_sort (samples, compare_doubles);

  return (HarnessSpread){
    .median = g_array_index (samples, gdouble, n / 2),
    .low = g_array_index (samples, gdouble, n / 10),
    .high = g_array_index (samples, gdouble, n - 1 - n / 10),
  };
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

  *device_us = gst_cl_context_take_profile_ns (job->context) / 1e3;

  return (gdouble) (end_us - start_us);
}

static gboolean
is_enough (guint n, gint64 spent_us)
{
  if (n >= N_SAMPLES_MAX)
    return TRUE;
  if (n >= N_SAMPLES_MIN)
    return spent_us >= TIME_AIMED_US;

  return n >= N_SAMPLES_FORCED && spent_us >= TIME_ALLOWED_US;
}

/* Runs of a chunk, after some to warm up; 0 on failure. The device's time is
 * taken of single runs, so that its spread is that of a run; the host's of
 * several, so that waiting is shared as in a pipeline. */
static guint
choose_n_runs (const Job *job, GError **error)
{
  gdouble device_us, host_us = time_runs (job, N_WARM_UP, &device_us, error);

  if (host_us < 0)
    return 0;
  if (job->context->is_profiling)
    return 1;

  host_us = time_runs (job, MIN_RUNS_PER_CHUNK, &device_us, error);
  if (host_us < 0)
    return 0;

  return (guint) CLAMP (CHUNK_US * MIN_RUNS_PER_CHUNK / MAX (host_us, 1),
      MIN_RUNS_PER_CHUNK, MAX_RUNS_PER_CHUNK);
}

/* Times of chunks, a run's share of each: of the device in a context that
 * profiles, else of the host. */
static gboolean
measure (const Job *job, HarnessSpread *spread, GError **error)
{
  g_autoptr (GArray) samples = g_array_new (FALSE, FALSE, sizeof (gdouble));
  const guint n_runs = choose_n_runs (job, error);
  gint64 start_us;
  gdouble device_us = 0, host_us;

  if (n_runs == 0)
    return FALSE;

  start_us = g_get_monotonic_time ();
  while (!is_enough (samples->len * MIN (n_runs, MIN_RUNS_PER_CHUNK),
      g_get_monotonic_time () - start_us)) {
    host_us = time_runs (job, n_runs, &device_us, error);
    if (host_us < 0)
      return FALSE;

    const gdouble us = job->context->is_profiling ? device_us : host_us;
    const gdouble share_us = us / n_runs;
    g_array_append_val (samples, share_us);
  }

  *spread = spread_of (samples);

  return TRUE;
}

/* --- the device's own rate ------------------------------------------------ */

typedef struct {
  cl_command_queue queue;
  cl_mem from, to;
} Copy;

static gboolean
copy_once (gpointer user_data, GError **error)
{
  const Copy *copy = user_data;

  return gst_cl_check (clEnqueueCopyBuffer (copy->queue, copy->from, copy->to,
                           0, 0, COPY_BYTES, 0, NULL, NULL),
      "copy a buffer", error);
}

gdouble
harness_copy_rate (Harness *h)
{
  g_autoptr (GError) error = NULL;
  Copy copy = { h->context->queue,
    gst_cl_buffer_new (h->context, COPY_BYTES, &error), NULL };
  const Job job = { h->context, copy_once, &copy };
  HarnessSpread spread = { 0 };

  if (copy.from)
    copy.to = gst_cl_buffer_new (h->context, COPY_BYTES, &error);
  if (!copy.to || !measure (&job, &spread, &error))
    harness_fail (h, error, "the rate of copies");
  gst_cl_buffer_free (copy.from);
  gst_cl_buffer_free (copy.to);

  return spread.median > 0 ? 2 * COPY_BYTES / 1e3 / spread.median : 0;
}

/* --- lines ---------------------------------------------------------------- */

/* The line of a job whose times are known. */
static void
print_times (const Harness *h, const gchar *name, gint width, gint height,
    guint64 bytes, HarnessSpread device, HarnessSpread host)
{
  const gchar *device_name = h->context->device->name;
  /* a device that measures nothing is timed by the host alone */
  const gdouble gb_per_s = bytes / 1e3 /
                           (device.median > 0 ? device.median : host.median);
  const gdouble share = h->copy_gb_per_s > 0 ? gb_per_s / h->copy_gb_per_s : 0;

  if (h->is_json)
    printf ("{\"name\": \"%s\", \"width\": %d, \"height\": %d, "
            "\"device_us\": %.1f, \"device_us_p10\": %.1f, "
            "\"device_us_p90\": %.1f, \"host_us\": %.1f, "
            "\"host_us_p10\": %.1f, \"host_us_p90\": %.1f, \"bytes\": "
            "%" G_GUINT64_FORMAT ", \"gb_per_s\": %.2f, "
            "\"copy_share\": %.3f, \"device\": \"%s\"}\n",
        name, width, height, device.median, device.low, device.high,
        host.median, host.low, host.high, bytes, gb_per_s, share, device_name);
  else
    printf ("%-40s %4dx%-4d device %8.1f us (%.1f .. %.1f)  host %8.1f us "
            "(%.1f .. %.1f)  %7.2f GB/s, %.0f%% of copies  %s\n",
        name, width, height, device.median, device.low, device.high,
        host.median, host.low, host.high, gb_per_s, 100 * share, device_name);
}

void
harness_bench (Harness *h, const gchar *name, gint width, gint height,
    guint64 bytes, gboolean (*run) (gpointer user_data, GError **error),
    gpointer user_data)
{
  const Job job = { h->context, run, user_data };
  const gboolean is_profiling = h->context->is_profiling;
  g_autoptr (GError) error = NULL;
  HarnessSpread spread;

  if (!measure (&job, &spread, &error)) {
    harness_fail (h, error, "bench %s %dx%d", name, width, height);
    return;
  }

  if (!is_profiling) {
    g_array_append_val (h->host_times, spread);
    return;
  }

  print_times (h, name, width, height, bytes, spread,
      g_array_index (h->host_times, HarnessSpread, 0));
  g_array_remove_index (h->host_times, 0);
}
