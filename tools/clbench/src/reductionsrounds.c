/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Rounds of a reduction on a device, one at a time. */

#include "reductions.h"

#include "cl/context/gstclkernel.h"
#include "cl/memory/gstclbuffer.h"
#include "ops/sample.h"

#define SAMPLE_TYPE ((GstClSampleType){ .bytes = 1, .depth = 8 })

/* The kernels of the rounds, inner or outer. */
typedef struct {
  GstClKernel *samples;  /* round 1 */
  GstClKernel *partials; /* later rounds; NULL: as round 1 */
} RoundKernels;

struct _ReductionRounds {
  GstClContext *context;
  const ReductionFrame *frame;
  cl_mem mem; /* of the frame */
  gint block;

  RoundKernels kernels[2];                       /* by is_outer */
  ReductionGrid grids[REDUCTION_MAX_ROUNDS + 1]; /* r: after round r */
  guint n_rounds;
  cl_mem buffers[2]; /* A, B; B is NULL if there is one round only */
};

static gboolean
build_kernels (ReductionRounds *self, gboolean is_outer, GError **error)
{
  const GstClSampleType sample = SAMPLE_TYPE;
  g_autofree gchar *type = gst_cl_sample_type_option (&sample);
  g_autofree gchar *options = g_strdup_printf ("%s -DBLOCK=%d",
      self->frame->is_float ? "" : type, self->block);
  RoundKernels *kernels = &self->kernels[is_outer];

  if (self->frame->is_float) {
    kernels->samples = gst_cl_kernel_new (self->context,
        "clbench/reductions.cl", options, is_outer ? "sum_outer" : "sum_inner",
        error);
    return kernels->samples != NULL;
  }

  kernels->samples = gst_cl_kernel_new (self->context, "moments/plain.cl",
      options, is_outer ? "moments_outer_samples" : "moments_inner_samples",
      error);
  if (!kernels->samples)
    return FALSE;
  kernels->partials = gst_cl_kernel_new (self->context, "moments/plain.cl",
      options, is_outer ? "moments_outer_partials" : "moments_inner_partials",
      error);

  return kernels->partials != NULL;
}

static void
count_rounds (ReductionRounds *self)
{
  self->grids[0] = (ReductionGrid){ self->frame->width, self->frame->height };

  do {
    self->grids[self->n_rounds + 1] = reduction_after_round (
        self->grids[self->n_rounds], self->block);
    self->n_rounds++;
  } while (reduction_n_partials (self->grids[self->n_rounds]) > 1);
}

static gsize
count_bytes (const ReductionRounds *self, guint round)
{
  return reduction_n_partials (self->grids[round]) *
         reduction_partial_bytes (self->frame);
}

static gboolean
allocate_buffers (ReductionRounds *self, GError **error)
{
  for (guint i = 0; i < MIN (self->n_rounds, 2); i++) {
    self->buffers[i] = gst_cl_buffer_new (self->context,
        count_bytes (self, i + 1), error);
    if (!self->buffers[i])
      return FALSE;
  }

  return TRUE;
}

void
reduction_rounds_free (ReductionRounds *self)
{
  if (!self)
    return;

  for (guint i = 0; i < 2; i++) {
    g_clear_pointer (&self->kernels[i].samples, gst_cl_kernel_free);
    g_clear_pointer (&self->kernels[i].partials, gst_cl_kernel_free);
    g_clear_pointer (&self->buffers[i], gst_cl_buffer_free);
  }
  g_free (self);
}

ReductionRounds *
reduction_rounds_new (GstClContext *context, const ReductionFrame *frame,
    cl_mem mem, gint block, gboolean has_inner, GError **error)
{
  g_autoptr (ReductionRounds) self = g_new0 (ReductionRounds, 1);

  self->context = context;
  self->frame = frame;
  self->mem = mem;
  self->block = block;
  count_rounds (self);

  if (!build_kernels (self, TRUE, error) ||
      (has_inner && !build_kernels (self, FALSE, error)) ||
      !allocate_buffers (self, error))
    return NULL;

  return g_steal_pointer (&self);
}

guint
reduction_rounds_count (const ReductionRounds *self)
{
  return self->n_rounds;
}

ReductionGrid
reduction_rounds_grid (const ReductionRounds *self, guint round)
{
  return self->grids[round];
}

static cl_mem
buffer_after (const ReductionRounds *self, guint round)
{
  return round == 0 ? self->mem : self->buffers[(round - 1) % 2];
}

/* --- launches ------------------------------------------------------------- */

/* Blocks as a plane of work-items or work-groups. */
static gboolean
launch_float (ReductionRounds *self, guint round, gboolean is_outer,
    GError **error)
{
  const ReductionGrid before = self->grids[round - 1];
  const ReductionGrid after = self->grids[round];
  const gsize scale = is_outer ? 1 : self->block;
  const GstClArg args[] = {
    GST_CL_MEM (buffer_after (self, round - 1)),
    GST_CL_INT (before.width),
    GST_CL_INT (before.height),
    GST_CL_MEM (buffer_after (self, round)),
  };

  return gst_cl_kernel_launch (self->kernels[is_outer].samples,
      after.width * scale, after.height * scale, 1, args, G_N_ELEMENTS (args),
      error);
}

/* Blocks as a plane of work-items, or as a row of work-groups. */
static gboolean
launch_moments (ReductionRounds *self, GstClKernel *kernel, guint round,
    gboolean is_outer, const GstClArg *args, guint n_args, GError **error)
{
  const ReductionGrid after = self->grids[round];

  if (is_outer)
    return gst_cl_kernel_launch (kernel, after.width, after.height, 1, args,
        n_args, error);

  return gst_cl_kernel_launch (kernel,
      reduction_n_partials (after) * self->block, self->block, 1, args, n_args,
      error);
}

static gboolean
reduce_samples (ReductionRounds *self, gboolean is_outer, GError **error)
{
  const ReductionFrame *frame = self->frame;
  const GstClComponent component = {
    .mem = self->mem,
    .stride_bytes = frame->width,
    .pixel_stride_bytes = 1,
    .width = frame->width,
    .height = frame->height,
    .sample = SAMPLE_TYPE,
  };
  const cl_int4 firsts = { { 0 } };
  GstClArg args[GST_CL_FRAME_ARGUMENTS + 3];

  gst_cl_frame_arguments_get (&component, 1, args);
  args[GST_CL_FRAME_ARGUMENTS] = (GstClArg) GST_CL_MEM (buffer_after (self, 1));
  args[GST_CL_FRAME_ARGUMENTS + 1] = (GstClArg) GST_CL_INT4 (firsts);
  args[GST_CL_FRAME_ARGUMENTS + 2] = (GstClArg) GST_CL_INT (
      component.sample.shift);

  return launch_moments (self, self->kernels[is_outer].samples, 1, is_outer,
      args, G_N_ELEMENTS (args), error);
}

static gboolean
reduce_partials (ReductionRounds *self, guint round, gboolean is_outer,
    GError **error)
{
  const ReductionGrid before = self->grids[round - 1];
  const cl_int4 width = { { before.width } }, height = { { before.height } };
  const cl_int4 firsts = { { 0 } };
  const GstClArg args[] = {
    GST_CL_MEM (buffer_after (self, round - 1)),
    GST_CL_INT4 (width),
    GST_CL_INT4 (height),
    GST_CL_INT4 (firsts),
    GST_CL_MEM (buffer_after (self, round)),
    GST_CL_INT4 (firsts),
  };

  return launch_moments (self, self->kernels[is_outer].partials, round,
      is_outer, args, G_N_ELEMENTS (args), error);
}

gboolean
reduction_rounds_run (ReductionRounds *self, guint round, gboolean is_outer,
    GError **error)
{
  if (self->frame->is_float)
    return launch_float (self, round, is_outer, error);
  if (round == 1)
    return reduce_samples (self, is_outer, error);

  return reduce_partials (self, round, is_outer, error);
}

gboolean
reduction_rounds_read (ReductionRounds *self, guint round, gpointer partials,
    GError **error)
{
  return gst_cl_buffer_read (self->context, buffer_after (self, round), 0,
      count_bytes (self, round), partials, error);
}
