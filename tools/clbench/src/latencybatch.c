/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Several small frames a launch: sums of frames a second. */

#include "latency.h"

#include "cl/memory/gstclbuffer.h"

#include <string.h>

#define FRAME_BYTES    4096 /* 64x64 samples of 8 bits */
#define ITEMS          64   /* of a frame's work-group */
#define N_FRAMES       1024
#define N_FRAMES_QUICK 64
#define SHARE          0.03 /* of the time allowed, for a row */

#define LEAST_GAIN 1.1 /* below it, twice as many frames gain nothing */

typedef struct {
  Latency *latency;
  GstClContext *context;
  GstClKernel *kernel;
  guint n_frames;    /* in memory */
  guint32 *expected; /* sums of the frames */
  guint32 *found;
  cl_mem frames, sums;
  guint n_a_launch;
  guint next; /* first frame of the next launch */
} Batch;

static void
sum_on_host (Batch *self, const guint8 *samples)
{
  for (guint i = 0; i < self->n_frames; i++) {
    self->expected[i] = 0;
    for (guint j = 0; j < FRAME_BYTES; j++)
      self->expected[i] += *samples++;
  }
}

static gboolean
launch (Batch *self, guint first, GError **error)
{
  const GstClArg args[] = { GST_CL_MEM (self->frames), GST_CL_UINT (first),
    GST_CL_MEM (self->sums) };

  return gst_cl_kernel_launch (self->kernel, (gsize) self->n_a_launch * ITEMS,
      1, 1, args, G_N_ELEMENTS (args), error);
}

static gboolean
read_sums (Batch *self, guint first, guint n, GError **error)
{
  return gst_cl_buffer_read (self->context, self->sums,
      first * sizeof (guint32), n * sizeof (guint32), self->found + first,
      error);
}

/* Clears the sums, so that the next launch cannot be correct because of earlier
 * sums. */
static gboolean
clear_sums (Batch *self, guint first, guint n, GError **error)
{
  memset (self->found + first, 0, n * sizeof (guint32));

  return gst_cl_buffer_write (self->context, self->sums,
      first * sizeof (guint32), n * sizeof (guint32), self->found + first,
      error);
}

static gboolean
sums_are_right (const Batch *self, guint first, guint n)
{
  return memcmp (self->found + first, self->expected + first,
             n * sizeof (guint32)) == 0;
}

/* One launch and its sums, before the next launch. */
static gboolean
sample_one_launch (gpointer user_data, LatencySample *sample, GError **error)
{
  Batch *self = user_data;
  const guint first = self->next;
  gdouble start_us;

  self->next = (first + self->n_a_launch) % self->n_frames;
  if (!clear_sums (self, first, self->n_a_launch, error))
    return FALSE;

  start_us = latency_now_us ();
  if (!launch (self, first, error) ||
      !read_sums (self, first, self->n_a_launch, error))
    return FALSE;
  sample->us = latency_now_us () - start_us;
  sample->is_correct = sums_are_right (self, first, self->n_a_launch);

  return TRUE;
}

/* Launches for all frames, one after the other, and one wait. The sample is the
 * time of a launch. */
static gboolean
sample_all_launches (gpointer user_data, LatencySample *sample, GError **error)
{
  Batch *self = user_data;
  gdouble start_us;

  if (!clear_sums (self, 0, self->n_frames, error))
    return FALSE;

  start_us = latency_now_us ();
  for (guint i = 0; i < self->n_frames; i += self->n_a_launch) {
    if (!launch (self, i, error))
      return FALSE;
  }
  if (!read_sums (self, 0, self->n_frames, error))
    return FALSE;
  sample->us = (latency_now_us () - start_us) * self->n_a_launch /
               self->n_frames;
  sample->is_correct = sums_are_right (self, 0, self->n_frames);

  return TRUE;
}

static gboolean
measure (Batch *self, LatencySampler sample, const gchar *how, gdouble *us,
    GError **error)
{
  g_autofree gchar *name = g_strdup_printf ("%u frame%s a launch, %s",
      self->n_a_launch, self->n_a_launch == 1 ? "" : "s", how);
  const LatencyRow row = {
    .name = name,
    .sample = sample,
    .user_data = self,
    .share = SHARE,
    .n_jobs = self->n_a_launch,
    .figures = g_variant_new_parsed ("{'frames_a_launch': %d}",
        (gdouble) self->n_a_launch),
  };

  return latency_measure (self->latency, &row, us, error);
}

static gboolean
measure_all (Batch *self, GError **error)
{
  gdouble us, us_before = 0; /* time of a frame */
  gboolean is_enough = FALSE;
  guint n;

  for (n = 1; n <= LATENCY_MAX_FRAMES; n *= 2) {
    self->n_a_launch = n;
    self->next = 0;
    if (!measure (self, sample_one_launch, "waited for", NULL, error))
      return FALSE;
  }

  for (n = 1; n <= LATENCY_MAX_FRAMES; n *= 2) {
    self->n_a_launch = n;
    if (!measure (self, sample_all_launches, "back to back", &us, error))
      return FALSE;
    us /= n;
    is_enough |= n > 1 && us_before < LEAST_GAIN * us;
    if (!is_enough)
      self->latency->enough_frames = n;
    us_before = us;
  }

  return TRUE;
}

static gboolean
create (Batch *self, GError **error)
{
  const gsize size_bytes = (gsize) self->n_frames * FRAME_BYTES;
  g_autofree guint8 *samples = g_malloc (size_bytes);
  g_autoptr (GRand)
      rand = bench_rand (self->latency->bench, LATENCY_TECHNIQUE, "frames");

  for (gsize i = 0; i < size_bytes; i++)
    samples[i] = (guint8) g_rand_int (rand);
  self->expected = g_new (guint32, self->n_frames);
  self->found = g_new (guint32, self->n_frames);
  sum_on_host (self, samples);

  self->kernel = latency_kernel (self->latency, "latency_sum", error);
  if (self->kernel)
    self->frames = gst_cl_buffer_new_filled (self->context, size_bytes, samples,
        error);
  if (self->frames)
    self->sums = gst_cl_buffer_new (self->context,
        self->n_frames * sizeof (guint32), error);

  return self->sums != NULL;
}

gboolean
latency_batches (Latency *latency, GError **error)
{
  Batch self = {
    .latency = latency,
    .context = latency->bench->context,
    .n_frames = latency->bench->is_quick ? N_FRAMES_QUICK : N_FRAMES,
  };
  const gboolean is_done = create (&self, error) && measure_all (&self, error);

  gst_cl_buffer_free (self.sums);
  gst_cl_buffer_free (self.frames);
  gst_cl_kernel_free (self.kernel);
  g_free (self.found);
  g_free (self.expected);

  return is_done;
}
