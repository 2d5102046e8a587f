/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Latency of many small commands. */

#define _POSIX_C_SOURCE 200809L /* clock_gettime() */

#include "latency.h"

#include "cl/context/gstclprogram.h"
#include "timing.h"

#include <time.h>

#define N_WARM_UP       3
#define N_SAMPLES_MIN   5
#define N_SAMPLES_MAX   2000
#define N_SAMPLES_QUICK 20
#define OVERTIME        5 /* after OVERTIME x the allowed time, one is enough */

#define LEAST_GAIN 1.05 /* over finish; with less, both are equally fast */

/* Reads of a flag before a kernel gives up. On a CPU, a read takes about a
 * nanosecond, and the host thread may have to wait for a processor. On a GPU, a
 * read may cross the bus, and the kernel blocks the display. */
#define MAX_POLLS_CPU (1u << 30)
#define MAX_POLLS_GPU (1u << 17)

gdouble
latency_now_us (void)
{
  struct timespec now;

  clock_gettime (CLOCK_MONOTONIC, &now);

  return now.tv_sec * 1e6 + now.tv_nsec / 1e3;
}

guint32
latency_work (guint32 x, guint n_steps)
{
  for (guint i = 0; i < n_steps; i++) {
    x ^= x << 13;
    x ^= x >> 17;
    x ^= x << 5;
  }

  return x;
}

GstClKernel *
latency_kernel (Latency *self, const gchar *name, GError **error)
{
  return gst_cl_kernel_new (self->bench->context, "clbench/latency.cl", "",
      name, error);
}

cl_kernel
latency_single_kernel (GstClContext *context, const gchar *name, GError **error)
{
  return gst_cl_program_create_kernel (context, "clbench/latency.cl", "", name,
      error);
}

void
latency_single_kernel_free (cl_kernel kernel)
{
  if (kernel)
    clReleaseKernel (kernel);
}

gboolean
latency_launch (GstClContext *context, cl_kernel kernel, LatencyWords words,
    const guint32 *numbers, guint n_numbers, cl_event *event, GError **error)
{
  const gsize one[3] = { 1, 1, 1 };
  cl_int code = words.shared
                    ? shared_words_set_argument (words.shared, kernel, 0)
                    : clSetKernelArg (kernel, 0, sizeof words.mem, &words.mem);

  for (guint i = 0; i < n_numbers && code == CL_SUCCESS; i++)
    code = clSetKernelArg (kernel, i + 1, sizeof *numbers, &numbers[i]);
  if (code == CL_SUCCESS)
    code = clEnqueueNDRangeKernel (context->queue, kernel, 3, NULL, one, one, 0,
        NULL, event);

  return gst_cl_check (code, "enqueue a kernel of one work-item", error);
}

guint
latency_max_polls (const Latency *self)
{
  return self->bench->context->device->family == GST_CL_FAMILY_CPU
             ? MAX_POLLS_CPU
             : MAX_POLLS_GPU;
}

/* Returns whether enough samples have been taken, after @spent_us of
 * @allowed_us. */
static gboolean
is_enough (const Latency *self, guint n_samples, gdouble spent_us,
    gdouble allowed_us)
{
  const guint n_max = self->bench->is_quick ? N_SAMPLES_QUICK : N_SAMPLES_MAX;

  if (n_samples < N_SAMPLES_MIN)
    return n_samples > 0 && spent_us > OVERTIME * allowed_us;

  return n_samples >= n_max || spent_us > allowed_us;
}

/* Appends the durations to @times. FALSE with @error if the device failed;
 * FALSE without @error, with the reason in *gave_up, if the row gave up. */
static gboolean
take_samples (Latency *self, const LatencyRow *row, GArray *times,
    gboolean *is_correct, const gchar **gave_up, GError **error)
{
  const gdouble allowed_us = row->share * self->bench->allowed_us;
  gdouble start_us = latency_now_us (), spent_us = 0;

  for (guint i = 0; !is_enough (self, times->len, spent_us, allowed_us); i++) {
    LatencySample sample = { .is_correct = TRUE };

    if (!row->sample (row->user_data, &sample, error))
      return FALSE;
    *gave_up = sample.gave_up;
    if (sample.gave_up)
      return FALSE;
    *is_correct &= sample.is_correct;

    if (i == 0) { /* which may have included compilation */
      start_us = latency_now_us ();
      continue;
    }
    spent_us = latency_now_us () - start_us;
    if (i >= N_WARM_UP || spent_us > allowed_us)
      g_array_append_val (times, sample.us);
  }

  return TRUE;
}

gboolean
latency_measure (Latency *self, const LatencyRow *row, gdouble *median_us,
    GError **error)
{
  g_autoptr (GArray) times = g_array_new (FALSE, FALSE, sizeof (gdouble));
  g_autoptr (GVariant)
      figures = row->figures ? g_variant_ref_sink (row->figures) : NULL;
  const gchar *gave_up = NULL;
  gboolean is_correct = TRUE;
  Spread spread;

  if (median_us)
    *median_us = 0;
  report_progress (self->bench->report, LATENCY_TECHNIQUE, row->name);
  if (!take_samples (self, row, times, &is_correct, &gave_up, error)) {
    if (gave_up)
      report_skip (self->bench->report, LATENCY_TECHNIQUE, row->name, gave_up);
    return gave_up != NULL;
  }

  spread = timing_spread (times);
  if (median_us)
    *median_us = spread.median;

  const ReportRow result = {
    .technique = LATENCY_TECHNIQUE,
    .row = row->name,
    .correct = is_correct,
    .us = spread,
    .per_second = row->n_jobs * 1e6 / spread.median,
    .detail = "",
    .figures = figures,
  };
  report_add (self->bench->report, &result);

  return TRUE;
}

static void
conclude (const Latency *self)
{
  g_autoptr (GString) text = g_string_new (NULL);

  if (self->finish_us < LEAST_GAIN * self->fastest_us)
    g_string_append_printf (text,
        "no completion is faster than finish: "
        "%.1f us",
        self->finish_us);
  else
    g_string_append_printf (text,
        "%s is the fastest completion: %.1f us from launch to host, "
        "finish takes %.1f us",
        self->fastest, self->fastest_us, self->finish_us);
  if (self->enough_frames < LATENCY_MAX_FRAMES)
    g_string_append_printf (text,
        "; more than %u small frames a launch gain nothing",
        self->enough_frames);
  else
    g_string_append_printf (text,
        "; even %u small frames a launch gain over half as many",
        LATENCY_MAX_FRAMES);
  if (self->resident_us > 0)
    g_string_append_printf (text,
        "; a resident kernel completes a job of %u instructions in %.2f us",
        self->resident_instructions, self->resident_us);
  g_string_append_c (text, '.');

  report_conclude (self->bench->report, LATENCY_TECHNIQUE, text->str);
}

gboolean
bench_latency (Bench *bench, GError **error)
{
  Latency self = { .bench = bench };

  if (!latency_completions (&self, error) || !latency_batches (&self, error) ||
      !latency_resident (&self, error))
    return FALSE;
  conclude (&self);

  return TRUE;
}
