/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Timing of one op: lines of medians by the host's clock and by the
 * device's. */

#include "harness.h"

#include <stdio.h>

#define TIME_ALLOWED_US 10000000 /* of one op; after it a few runs are enough */

#define COPY_BYTES ((gsize) 64 << 20) /* more memory than caches hold */

/* --- throughput of the device --------------------------------------------- */

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
  Spread spread = { 0 };

  if (copy.from)
    copy.to = gst_cl_buffer_new (h->context, COPY_BYTES, &error);
  if (!copy.to || !timing_measure (h->context, copy_once, &copy,
                      TIME_ALLOWED_US, &spread, &error))
    harness_fail (h, error, "cannot measure the rate of copies");
  gst_cl_buffer_free (copy.from);
  gst_cl_buffer_free (copy.to);

  return spread.median > 0 ? 2 * COPY_BYTES / 1e3 / spread.median : 0;
}

/* --- lines ---------------------------------------------------------------- */

/* Prints the line of a job from its times. */
static void
print_times (const Harness *h, const gchar *name, gint width, gint height,
    guint64 bytes, Spread device, Spread host)
{
  const gchar *device_name = h->context->device->name;
  /* without device timestamps only the host's clock is used */
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
    guint64 bytes, TimingRun run, gpointer user_data)
{
  const gboolean is_profiling = h->context->is_profiling;
  g_autoptr (GError) error = NULL;
  Spread spread;

  if (!timing_measure (h->context, run, user_data, TIME_ALLOWED_US, &spread,
          &error)) {
    harness_fail (h, error, "cannot measure %s of %dx%d", name, width, height);
    return;
  }

  if (!is_profiling) {
    g_array_append_val (h->host_times, spread);
    return;
  }

  print_times (h, name, width, height, bytes, spread,
      g_array_index (h->host_times, Spread, 0));
  g_array_remove_index (h->host_times, 0);
}
