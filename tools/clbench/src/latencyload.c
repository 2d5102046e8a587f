/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Work for every compute unit, ahead of a launch whose end is timed. */

#include "latencyload.h"

#include "cl/memory/gstclbuffer.h"
#include "bufferread.h"

#include <string.h>

#define N_STEPS 100000

struct _LatencyLoad {
  GstClContext *context;
  GstClKernel *job;
  guint n_units;
  guint32 input, expected;
  cl_mem results;
  guint32 *found; /* results on the host */
};

LatencyLoad *
latency_load_new (Latency *latency, GError **error)
{
  g_autoptr (GRand)
      rand = bench_rand (latency->bench, LATENCY_TECHNIQUE, "load");
  LatencyLoad *self = g_new0 (LatencyLoad, 1);

  self->context = latency->bench->context;
  self->n_units = self->context->device->compute_units;
  self->input = g_rand_int (rand);
  self->expected = latency_work (self->input, N_STEPS);
  self->found = g_new0 (guint32, self->n_units);
  self->job = latency_kernel (latency, "latency_job", error);
  if (self->job)
    self->results = gst_cl_buffer_new_zeroed (self->context,
        self->n_units * sizeof *self->found, error);
  if (!self->results)
    g_clear_pointer (&self, latency_load_free);

  return self;
}

void
latency_load_free (LatencyLoad *self)
{
  if (!self)
    return;

  gst_cl_buffer_free (self->results);
  gst_cl_kernel_free (self->job);
  g_free (self->found);
  g_free (self);
}

guint
latency_load_instructions (const LatencyLoad *self)
{
  return N_STEPS * LATENCY_STEP_INSTRUCTIONS;
}

gboolean
latency_load_launch (LatencyLoad *self, GError **error)
{
  const GstClArg args[] = { GST_CL_MEM (self->results),
    GST_CL_UINT (self->input), GST_CL_UINT (N_STEPS) };

  return gst_cl_kernel_launch (self->job, self->n_units, 1, 1, args,
      G_N_ELEMENTS (args), error);
}

gboolean
latency_load_check (LatencyLoad *self, gboolean *is_right, GError **error)
{
  const gsize size_bytes = self->n_units * sizeof *self->found;

  memset (self->found, 0, size_bytes);
  if (!buffer_read (self->context, self->results, 0, size_bytes, self->found,
          error))
    return FALSE;

  *is_right = TRUE;
  for (guint i = 0; i < self->n_units; i++)
    *is_right &= self->found[i] == self->expected;

  return TRUE;
}
