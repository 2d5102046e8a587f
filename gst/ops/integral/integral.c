/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Integral images: the table of implementations, and shared functions. */

#include "integralprivate.h"

#include "cl/memory/gstclbuffer.h"

/* ---- shared functions ---- */

gint
gst_cl_integral_border (const GstClIntegralProblem *problem)
{
  return problem->layout == GST_CL_LAYOUT_EXCLUSIVE ? 1 : 0;
}

guint64
gst_cl_integral_row_length (const GstClIntegralProblem *problem)
{
  return ((guint64) problem->width + gst_cl_integral_border (problem)) *
         problem->channels;
}

guint64
gst_cl_integral_count_sums (const GstClIntegralProblem *problem)
{
  return gst_cl_integral_row_length (problem) *
         ((guint64) problem->height + gst_cl_integral_border (problem));
}

guint64
gst_cl_integral_max_value (const GstClIntegralProblem *problem)
{
  const guint64 max = gst_cl_sample_max_code (&problem->sample);

  return problem->kind == GST_CL_INTEGRAL_SQUARES ? max * max : max;
}

gint
gst_cl_integral_pixel_stride (const GstClIntegralProblem *problem)
{
  return problem->pixel_stride_bytes / (gint) problem->sample.bytes;
}

guint
gst_cl_integral_fill_components (const GstClIntegralProblem *problem,
    const GstClComponent *components, GstClArg *args)
{
  cl_int4 strides;
  guint n = 0;

  /* the kernels have four arguments; those beyond the last component repeat
   * it */
  for (gint i = 0; i < GST_CL_INTEGRAL_MAX_CHANNELS; i++) {
    const GstClComponent
        *component = &components[MIN (i, problem->channels - 1)];

    strides.s[i] = component->stride_bytes;
    args[n] = (GstClArg) GST_CL_MEM (component->mem);
    args[n + GST_CL_INTEGRAL_MAX_CHANNELS] = (GstClArg) GST_CL_ULONG (
        component->offset_bytes);
    n++;
  }
  n += GST_CL_INTEGRAL_MAX_CHANNELS;

  args[n++] = (GstClArg) GST_CL_INT4 (strides);

  return n;
}

gboolean
gst_cl_integral_allocate (GstClIntegralOp *op, guint index, guint64 size_bytes,
    GError **error)
{
  if (!gst_cl_buffer_check_size (op->context, size_bytes, error))
    return FALSE;

  op->scratch[index] = gst_cl_buffer_new (op->context, size_bytes, error);

  return op->scratch[index] != NULL;
}

/* ---- the last step: converts exact sums to the requested ones ---- */

static gboolean
needs_place (const GstClIntegralSteps *steps,
    const GstClIntegralProblem *problem)
{
  return problem->is_float ||
         (problem->sum_bytes == sizeof (cl_ulong) && problem->starts_at_word &&
             !steps->allows_word_alignment);
}

static gboolean
prepare_place (GstClIntegralOp *op, const GstClIntegralProblem *problem,
    GError **error)
{
  const guint64 size_bytes = gst_cl_integral_count_sums (problem) *
                             sizeof (cl_ulong);

  op->problem.sum_bytes = sizeof (cl_ulong);
  op->problem.is_float = FALSE;
  op->place = gst_cl_kernel_new (op->context, "integral/place.cl", "",
      "integral_place", error);
  if (!op->place || !gst_cl_buffer_check_size (op->context, size_bytes, error))
    return FALSE;
  op->exact = gst_cl_buffer_new (op->context, size_bytes, error);

  return op->exact != NULL;
}

static gboolean
run_place (GstClIntegralOp *op, const GstClSums *sums, GError **error)
{
  const guint64 n_sums = gst_cl_integral_count_sums (&op->problem);
  const GstClArg args[] = {
    GST_CL_MEM (op->exact),
    GST_CL_ULONG (n_sums),
    GST_CL_MEM (sums->mem),
    GST_CL_ULONG (sums->offset_bytes),
    GST_CL_INT (sums->sum_bytes),
    GST_CL_INT (sums->is_float),
  };

  return gst_cl_kernel_launch (op->place, n_sums, 1, 1, args,
      G_N_ELEMENTS (args), error);
}

static gboolean
run_and_place (GstClIntegralOp *op, const GstClIntegralIo *io, GError **error)
{
  GstClSums exact = *io->sums;

  exact.mem = op->exact;
  exact.offset_bytes = 0;
  exact.sum_bytes = op->problem.sum_bytes;
  exact.is_float = FALSE;

  return op->steps->run (op, io->components, &exact, error) &&
         run_place (op, io->sums, error);
}

/* ---- instances ---- */

static gboolean
build_kernels (GstClIntegralOp *op, GError **error)
{
  g_autofree gchar *options = op->steps->options (op);

  for (guint i = 0; i < GST_CL_INTEGRAL_MAX_KERNELS && op->steps->kernels[i];
       i++) {
    op->kernels[i] = gst_cl_kernel_new (op->context,
        op->candidate.implementation->resource, options, op->steps->kernels[i],
        error);
    if (!op->kernels[i])
      return FALSE;
  }

  return TRUE;
}

gpointer
gst_cl_integral_op_new (GstClContext *context, const GstClCandidate *candidate,
    gconstpointer user_problem, GError **error)
{
  const GstClIntegralProblem *problem = user_problem;
  g_autoptr (GstClIntegralOp) op = NULL;

  g_return_val_if_fail (problem->width > 0 && problem->height > 0, NULL);
  g_return_val_if_fail (problem->channels >= 1 &&
                            problem->channels <= GST_CL_INTEGRAL_MAX_CHANNELS,
      NULL);
  g_return_val_if_fail (
      problem->sample.bytes == 1 || problem->sample.bytes == 2, NULL);
  g_return_val_if_fail (problem->kind != GST_CL_INTEGRAL_SQUARES ||
                            problem->sum_bytes == sizeof (cl_ulong),
      NULL);
  g_return_val_if_fail (
      gst_cl_implementation_is_made_for (candidate->implementation, problem,
          context->device),
      NULL);
  /* the kernels store the number of sums in a row as int */
  if (gst_cl_integral_row_length (problem) > G_MAXINT) {
    g_set_error (error, GST_CL_ERROR, CL_MEM_OBJECT_ALLOCATION_FAILURE,
        "A row of %zu sums is needed, %d are the most.",
        (gsize) gst_cl_integral_row_length (problem), G_MAXINT);
    return NULL;
  }

  op = g_new0 (GstClIntegralOp, 1);
  op->context = gst_object_ref (context);
  op->candidate = *candidate;
  op->steps = candidate->implementation->data;
  op->problem = *problem;
  op->is_placed = needs_place (op->steps, problem);

  if (op->is_placed && !prepare_place (op, problem, error))
    return NULL;
  if (!build_kernels (op, error) ||
      (op->steps->allocate && !op->steps->allocate (op, error)))
    return NULL;

  return g_steal_pointer (&op);
}

static gboolean
run (gpointer instance, gconstpointer user_io, GError **error)
{
  GstClIntegralOp *op = instance;
  const GstClIntegralIo *io = user_io;

  return op->is_placed ? run_and_place (op, io, error)
                       : op->steps->run (op, io->components, io->sums, error);
}

static gboolean
check (gpointer instance, GError **error)
{
  if (!gst_cl_integral_op_has_fallen_back (instance))
    return TRUE;

  g_set_error (error, GST_CL_ERROR, CL_INVALID_OPERATION,
      "The wait of a work-group timed out.");

  return FALSE;
}

void
gst_cl_integral_op_free (gpointer instance)
{
  GstClIntegralOp *op = instance;

  if (!op)
    return;

  for (guint i = 0; i < GST_CL_INTEGRAL_MAX_KERNELS; i++)
    gst_cl_kernel_free (op->kernels[i]);
  for (guint i = 0; i < GST_CL_INTEGRAL_MAX_SCRATCH; i++)
    gst_cl_buffer_free (op->scratch[i]);
  gst_cl_readback_free (op->readback);
  gst_cl_kernel_free (op->place);
  gst_cl_buffer_free (op->exact);
  gst_object_unref (op->context);
  g_free (op);
}

/* ---- table ---- */

static gboolean
is_tilted (const GstClImplementation *row, gconstpointer problem,
    const GstClDevice *device)
{
  return ((const GstClIntegralProblem *) problem)->kind ==
         GST_CL_INTEGRAL_TILTED;
}

static gboolean
is_upright (const GstClImplementation *row, gconstpointer problem,
    const GstClDevice *device)
{
  return !is_tilted (row, problem, device);
}

static gboolean
is_sum_of_bytes (const GstClImplementation *row, gconstpointer user_problem,
    const GstClDevice *device)
{
  const GstClIntegralProblem *problem = user_problem;

  return problem->kind == GST_CL_INTEGRAL_SUM && problem->sample.bytes == 1;
}

/* In percent of the default number of bands. */
static const GstClTuning bands[] = {
  { "half the bands", { 50 } },
  { "twice the bands", { 200 } },
  { "four times the bands", { 400 } },
  { NULL, { 0 } },
};

/* Work-items across, row groups, rows of a tile. */
static const GstClTuning tiles[] = {
  { "tiles 128x64 by 4", { 32, 4, 64 } },
  { "tiles 128x32 by 8", { 32, 8, 32 } },
  { "tiles 256x64 by 4", { 64, 4, 64 } },
  { NULL, { 0 } },
};

static const GstClInstanceFuncs funcs = {
  .create = gst_cl_integral_op_new,
  .run = run,
  .check = check,
  .free = gst_cl_integral_op_free,
};

/* On CPUs all rows except the CPU row take at least 15 times as long, and
 * seconds to compile; therefore they are no candidates there. */
static const GstClImplementation rows[] = {
  {
      .name = "multi-pass-cpu",
      .method = GST_CL_INTEGRAL_METHOD_MULTI_PASS,
      .resource = "integral/cpu.cl",
      .family = GST_CL_FAMILY_CPU,
      .supports = is_upright,
      .tunings = bands,
      .resolve = gst_cl_integral_cpu_resolve,
      .data = &gst_cl_integral_cpu_steps,
      .funcs = &funcs,
  },
  {
      .name = "multi-pass-gpu",
      .method = GST_CL_INTEGRAL_METHOD_MULTI_PASS,
      .resource = "integral/gpu.cl",
      .family = GST_CL_FAMILY_GPU,
      .supports = is_sum_of_bytes,
      .tunings = tiles,
      .resolve = gst_cl_integral_gpu_resolve,
      .data = &gst_cl_integral_gpu_steps,
      .funcs = &funcs,
  },
  {
      .name = "multi-pass",
      .method = GST_CL_INTEGRAL_METHOD_MULTI_PASS,
      .quick_on = GST_CL_FAMILY_BIT (GST_CL_FAMILY_GPU),
      .fallback_for = GST_CL_METHOD (GST_CL_INTEGRAL_METHOD_SINGLE_PASS),
      .resource = "integral/plain.cl",
      .family = GST_CL_FAMILY_ANY,
      .supports = is_upright,
      .is_candidate = gst_cl_is_candidate_on_gpus,
      .data = &gst_cl_integral_plain_steps,
      .funcs = &funcs,
  },
  {
      .name = "single-pass",
      .method = GST_CL_INTEGRAL_METHOD_SINGLE_PASS,
      .resource = "integral/gpu.cl",
      .family = GST_CL_FAMILY_ANY,
      .supports = is_sum_of_bytes,
      .is_candidate = gst_cl_is_candidate_on_gpus,
      .resolve = gst_cl_integral_gpu_resolve,
      .data = &gst_cl_integral_single_steps,
      .funcs = &funcs,
  },
  {
      .name = "async-copy",
      .method = GST_CL_INTEGRAL_METHOD_ASYNC_COPY,
      .needs_optimizer = TRUE,
      .resource = "integral/asynccopy.cl",
      .family = GST_CL_FAMILY_ANY,
      .supports = is_upright,
      .data = &gst_cl_integral_async_steps,
      .funcs = &funcs,
  },
  {
      .name = "tilted",
      .method = GST_CL_INTEGRAL_METHOD_MULTI_PASS,
      .fallback_for = GST_CL_METHOD (GST_CL_INTEGRAL_METHOD_ASYNC_COPY) |
                      GST_CL_METHOD (GST_CL_INTEGRAL_METHOD_SINGLE_PASS),
      .resource = "integral/tilted.cl",
      .family = GST_CL_FAMILY_ANY,
      .supports = is_tilted,
      .data = &gst_cl_integral_tilted_steps,
      .funcs = &funcs,
  },
};

/* Excludes strides and offsets of frames, which are unknown from the caps. */
static gchar *
describe (gconstpointer user_problem)
{
  static const gchar *const kinds[] = {
    [GST_CL_INTEGRAL_SUM] = "sums",
    [GST_CL_INTEGRAL_SQUARES] = "squares",
    [GST_CL_INTEGRAL_TILTED] = "tilted sums",
  };
  const GstClIntegralProblem *problem = user_problem;

  return g_strdup_printf ("integral %s %dx%d, %d of %u+%u bits every %d bytes, "
                          "%s of %u bytes%s%s",
      kinds[problem->kind], problem->width, problem->height, problem->channels,
      problem->sample.depth, problem->sample.shift, problem->pixel_stride_bytes,
      problem->is_float ? "floats" : "integers", problem->sum_bytes,
      problem->starts_at_word ? " at words" : "",
      problem->layout == GST_CL_LAYOUT_EXCLUSIVE ? ", exclusive" : "");
}

const GstClOpTable gst_cl_integral_table = {
  .name = "integral",
  .rows = rows,
  .n_rows = G_N_ELEMENTS (rows),
  .describe = describe,
  .version = 2,
  .make_io = gst_cl_integral_io_new,
  .free_io = gst_cl_integral_io_free,
  .count_bytes = gst_cl_integral_count_bytes,
  .answers = gst_cl_integral_answers,
  .n_answers = GST_CL_INTEGRAL_N_ANSWERS,
  .is_alike = gst_cl_integral_is_alike,
  .compute_answer = gst_cl_integral_compute_answer,
};

/* ---- exported functions ---- */

gboolean
gst_cl_integral_op_has_fallen_back (const GstClIntegralOp *op)
{
  return op->has_fallen_back;
}

gboolean
gst_cl_integral_op_run (GstClIntegralOp *op, const GstClComponent *components,
    const GstClSums *sums, GError **error)
{
  const GstClIntegralIo io = { components, sums };

  return run (op, &io, error);
}

const GstClTieredFuncs gst_cl_integral_tiered = {
  .table = &gst_cl_integral_table,
  .problem_bytes = sizeof (GstClIntegralProblem),
  .create = gst_cl_integral_op_new,
  .free = gst_cl_integral_op_free,
  .run = run,
};
