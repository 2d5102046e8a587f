/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Scopes: the table of implementations, their launches, and results. */

#include "scopes.h"
#include "scopesprivate.h"

#include "cl/context/gstclkernel.h"
#include "cl/memory/gstclbuffer.h"
#include "cl/memory/gstclreadback.h"

#define MAX_COMPONENTS GST_CL_SCOPES_MAX_COMPONENTS

/* --- instances ------------------------------------------------------------ */

/* The constant of a row. */
typedef struct {
  const gchar *waveform, *vectorscope; /* kernels */
  const gchar *clear;   /* sets the result to 0 before other kernels; or NULL */
  const gchar *merge;   /* adds the vectorscopes of bands; or NULL */
  guint waveform_bands; /* bands of rows; 0: the kernel counts all rows */
  guint vectorscope_bands;
  gboolean knows_strides; /* kernels are built for them */
} Row;

/* A result that is read. */
typedef struct {
  GstClReadback *readback; /* NULL before the first read */
  GstClScopesLayout layout;
} Slot;

struct _GstClScopesOp {
  GstClContext *context;
  const Row *row;
  GstClScopesProblem problem;
  GstClKernel *waveform, *vectorscope, *clear, *merge; /* NULL: not needed */
  guint n_vectorscope_bands;
  cl_mem parts;             /* vectorscopes of bands; NULL: not needed */
  cl_mem result;            /* of the last run */
  GstClScopesLayout layout; /* of it */
  Slot slots[GST_CL_SCOPES_SLOTS];
};

static void
get_layout (const GstClScopesProblem *problem, const GstClComponent *components,
    GstClScopesLayout *layout)
{
  const gboolean is_of_pixels = problem->source != GST_CL_SCOPES_COMPONENTS;

  *layout = (GstClScopesLayout){ 0 };
  layout->n_waveforms = problem->n_waveforms;
  for (guint i = 0; i < layout->n_waveforms; i++) {
    layout->first[i] = layout->n_words;
    layout->n_columns[i] = (guint) components[is_of_pixels ? 0 : i].width;
    layout->n_words += (gsize) layout->n_columns[i] * problem->waveform_bins;
  }
  layout->vectorscope = layout->n_words;
  layout->n_words += (gsize) problem->vectorscope_bins *
                     problem->vectorscope_bins;
}

static gboolean
build_kernels (GstClScopesOp *self, const GstClCandidate *candidate,
    GError **error)
{
  const GstClScopesProblem *problem = &self->problem;
  const Row *row = self->row;
  const gboolean has_vectorscope = problem->vectorscope_bins > 0;
  const gboolean is_of_pixels = problem->source != GST_CL_SCOPES_COMPONENTS;
  /* Problems that differ only in unused options share a program: pixels alone
   * have subsampled chroma, and bins are those of the kernels that run. */
  g_autofree gchar *picture = gst_cl_picture_options (problem->shapes,
      problem->n_components, &problem->matrix,
      is_of_pixels ? problem->x_shift : 0, is_of_pixels ? problem->y_shift : 0,
      row->knows_strides);
  const guint bins = problem->n_waveforms > 0 ? problem->waveform_bins
                                              : problem->vectorscope_bins;
  const guint uv_bins = has_vectorscope ? problem->vectorscope_bins : bins;
  g_autofree gchar *options = g_strdup_printf (
      "%s -DSOURCE=%d -DBINS=%u -DUV_BINS=%u -DHAS_ROWS_OF_BINS=%d", picture,
      problem->source, MAX (bins, 1), MAX (uv_bins, 1),
      problem->has_rows_of_bins ? 1 : 0);

  const GstClNamedKernel kernels[] = {
    { row->clear, &self->clear },
    { problem->n_waveforms > 0 ? row->waveform : NULL, &self->waveform },
    { has_vectorscope ? row->vectorscope : NULL, &self->vectorscope },
    { has_vectorscope ? row->merge : NULL, &self->merge },
  };

  return gst_cl_candidate_build (candidate, self->context, options, kernels,
      G_N_ELEMENTS (kernels), error);
}

static gboolean
allocate (GstClScopesOp *self, GError **error)
{
  const guint n_bins = self->problem.vectorscope_bins;
  GstClScopesLayout layout;

  get_layout (&self->problem, self->problem.shapes, &layout);
  self->result = gst_cl_buffer_new (self->context,
      MAX (layout.n_words, 1) * sizeof (guint32), error);
  if (!self->result || !self->merge)
    return self->result != NULL;
  self->parts = gst_cl_buffer_new (self->context,
      (gsize) self->n_vectorscope_bands * 2 * n_bins * n_bins *
          sizeof (guint32),
      error);

  return self->parts != NULL;
}

gpointer
gst_cl_scopes_op_new (GstClContext *context, const GstClCandidate *candidate,
    gconstpointer problem, GError **error)
{
  g_autoptr (GstClScopesOp) self = g_new0 (GstClScopesOp, 1);

  self->context = gst_object_ref (context);
  self->row = candidate->implementation->data;
  self->problem = *(const GstClScopesProblem *) problem;
  if (self->problem.source == GST_CL_SCOPES_LUMA &&
      self->problem.matrix.kind != GST_CL_RGB_RGB)
    self->problem.source = GST_CL_SCOPES_COMPONENTS;
  self->n_vectorscope_bands = self->row->vectorscope_bands;
  if (self->row->merge)
    self->n_vectorscope_bands = MIN (self->n_vectorscope_bands,
        MAX (context->device->compute_units, 1));

  return build_kernels (self, candidate, error) && allocate (self, error)
             ? g_steal_pointer (&self)
             : NULL;
}

void
gst_cl_scopes_op_free (gpointer op)
{
  GstClScopesOp *self = op;

  if (!self)
    return;

  for (guint i = 0; i < GST_CL_SCOPES_SLOTS; i++)
    g_clear_pointer (&self->slots[i].readback, gst_cl_readback_free);
  g_clear_pointer (&self->waveform, gst_cl_kernel_free);
  g_clear_pointer (&self->vectorscope, gst_cl_kernel_free);
  g_clear_pointer (&self->clear, gst_cl_kernel_free);
  g_clear_pointer (&self->merge, gst_cl_kernel_free);
  g_clear_pointer (&self->parts, gst_cl_buffer_free);
  g_clear_pointer (&self->result, gst_cl_buffer_free);
  gst_clear_object (&self->context);
  g_free (self);
}

/* --- runs and results ----------------------------------------------------- */

static guint
divide_up (guint n, guint by)
{
  return (n + by - 1) / by;
}

static gboolean
run_clear (const GstClScopesOp *self, GError **error)
{
  const GstClArg args[] = { GST_CL_ULONG (self->layout.n_words),
    GST_CL_MEM (self->result) };

  return !self->clear ||
         gst_cl_kernel_launch (self->clear, self->layout.n_words, 1, 1, args,
             G_N_ELEMENTS (args), error);
}

/* Returns the columns that a work-group counts: COLUMNS and STRIP. */
static guint
count_columns (const GstClScopesOp *self)
{
  const guint n_bins = self->problem.waveform_bins;

  if (self->row->waveform_bands == 0 &&
      self->problem.source != GST_CL_SCOPES_COMPONENTS)
    return 16;

  return n_bins <= 256 ? 32 : n_bins <= 512 ? 16 : 8;
}

static gboolean
run_waveforms (const GstClScopesOp *self, const GstClPictureInput *input,
    GError **error)
{
  const GstClScopesLayout *layout = &self->layout;
  const guint n_bands = self->row->waveform_bands;
  const cl_int4 luma = gst_cl_yuv_argument (&self->problem.yuv, 0);
  cl_int4 first = { { 0 } };
  guint n_columns = 0, n = GST_CL_PICTURE_ARGUMENTS, x, n_rows;
  GstClArg args[GST_CL_PICTURE_ARGUMENTS + 4];

  if (!self->waveform)
    return TRUE;

  for (guint i = 0; i < layout->n_waveforms; i++) {
    first.s[i] = (cl_int) layout->first[i];
    n_columns = MAX (n_columns, layout->n_columns[i]);
  }
  gst_cl_picture_arguments_get (input->components, self->problem.n_components,
      &self->problem.matrix, input->is_interlaced, args);
  args[n++] = (GstClArg) GST_CL_INT4 (luma);
  args[n++] = (GstClArg) GST_CL_INT4 (first);
  if (n_bands > 0)
    args[n++] = (GstClArg) GST_CL_INT (n_bands);
  args[n++] = (GstClArg) GST_CL_MEM (self->result);

  x = divide_up (n_columns, count_columns (self)) *
      (guint) gst_cl_kernel_local_size (self->waveform, 0);
  n_rows = n_bands > 0 ? n_bands : layout->n_waveforms;

  return n_columns == 0 ||
         gst_cl_kernel_launch (self->waveform, x, n_rows,
             n_bands > 0 ? layout->n_waveforms : 1, args, n, error);
}

static gboolean
run_vectorscope (const GstClScopesOp *self, const GstClPictureInput *input,
    GError **error)
{
  const guint n_bins = self->problem.vectorscope_bins;
  const guint n_bands = self->n_vectorscope_bands;
  const guint uv_rows = MIN (8192 / MAX (n_bins, 1), n_bins); /* UV_ROWS */
  const GstClArg merge_args[] = { GST_CL_MEM (self->parts),
    GST_CL_INT (n_bands), GST_CL_ULONG (self->layout.vectorscope),
    GST_CL_MEM (self->result) };
  const cl_int4 of_u = gst_cl_yuv_argument (&self->problem.yuv, 1);
  const cl_int4 of_v = gst_cl_yuv_argument (&self->problem.yuv, 2);
  guint n = GST_CL_FRAME_ARGUMENTS;
  GstClArg args[GST_CL_FRAME_ARGUMENTS + 5];

  if (!self->vectorscope)
    return TRUE;

  gst_cl_frame_arguments_get (input->components, self->problem.n_components,
      args);
  args[n++] = (GstClArg) GST_CL_INT4 (of_u);
  args[n++] = (GstClArg) GST_CL_INT4 (of_v);
  if (!self->merge)
    args[n++] = (GstClArg) GST_CL_ULONG (self->layout.vectorscope);
  args[n++] = (GstClArg) GST_CL_INT (n_bands);
  args[n++] = (GstClArg) GST_CL_MEM (self->merge ? self->parts : self->result);

  return gst_cl_kernel_launch (self->vectorscope,
             n_bands * gst_cl_kernel_local_size (self->vectorscope, 0),
             self->merge ? 1 : divide_up (n_bins, uv_rows), 1, args, n,
             error) &&
         (!self->merge || gst_cl_kernel_launch (self->merge, n_bins, 1, 1,
                              merge_args, G_N_ELEMENTS (merge_args), error));
}

gboolean
gst_cl_scopes_op_run (gpointer op, gconstpointer user_input, GError **error)
{
  GstClScopesOp *self = op;
  const GstClPictureInput *input = user_input;

  if (!gst_cl_components_check_parts (input->components, self->problem.shapes,
          self->problem.n_components, "scopes", error))
    return FALSE;
  get_layout (&self->problem, input->components, &self->layout);

  return run_clear (self, error) && run_waveforms (self, input, error) &&
         run_vectorscope (self, input, error);
}

cl_mem
gst_cl_scopes_op_counts (const GstClScopesOp *self, GstClScopesLayout *layout)
{
  *layout = self->layout;

  return self->result;
}

gboolean
gst_cl_scopes_op_fetch (GstClScopesOp *self, guint slot, GError **error)
{
  GstClScopesLayout largest;
  Slot *at;

  g_return_val_if_fail (slot < GST_CL_SCOPES_SLOTS, FALSE);

  at = &self->slots[slot];
  at->layout = self->layout;
  get_layout (&self->problem, self->problem.shapes, &largest);
  if (!at->readback)
    at->readback = gst_cl_readback_new (self->context, 1,
        MAX (largest.n_words, 1) * sizeof (guint32), error);

  return at->readback &&
         gst_cl_readback_enqueue_part (at->readback, 0, self->result,
             MAX (at->layout.n_words, 1) * sizeof (guint32), error);
}

gboolean
gst_cl_scopes_op_result (GstClScopesOp *self, guint slot,
    GstClScopesCounts *counts, GError **error)
{
  const guint32 *words;
  const Slot *at;

  g_return_val_if_fail (
      slot < GST_CL_SCOPES_SLOTS && self->slots[slot].readback, FALSE);

  at = &self->slots[slot];
  words = gst_cl_readback_wait (at->readback, 0, error);
  if (!words)
    return FALSE;

  *counts = (GstClScopesCounts){ .layout = at->layout };
  for (guint i = 0; i < at->layout.n_waveforms; i++)
    counts->waveforms[i] = words + at->layout.first[i];
  if (self->problem.vectorscope_bins > 0)
    counts->vectorscope = words + at->layout.vectorscope;

  return TRUE;
}

/* --- table --------------------------------------------------------------- */

/* No element has these methods: the device decides. */
typedef enum { PLAIN = 1, STRIPS } Method;

static const Row in_strips = {
  .waveform = "scopes_cpu_waveform",
  .vectorscope = "scopes_cpu_vectorscope",
  .merge = "scopes_cpu_merge",
  .vectorscope_bands = 16,
  .knows_strides = TRUE,
};
static const Row plain = {
  .waveform = "scopes_waveform",
  .vectorscope = "scopes_vectorscope",
  .clear = "scopes_clear",
  .waveform_bands = 8,
  .vectorscope_bands = 64,
};

static const GstClInstanceFuncs funcs = {
  .create = gst_cl_scopes_op_new,
  .run = gst_cl_scopes_op_run,
  .free = gst_cl_scopes_op_free,
};

static const GstClImplementation rows[] = {
  {
      .name = "cpu",
      .method = STRIPS,
      .resource = "scopes/cpu.cl",
      .family = GST_CL_FAMILY_CPU,
      .funcs = &funcs,
      .data = &in_strips,
  },
  {
      .name = "plain",
      .method = PLAIN,
      .resource = "scopes/plain.cl",
      .family = GST_CL_FAMILY_ANY,
      .funcs = &funcs,
      .data = &plain,
  },
};

static gchar *
describe (gconstpointer user_problem)
{
  const GstClScopesProblem *problem = user_problem;
  const GstClSampleType *sample = &problem->shapes[0].sample;
  g_autofree gchar *shapes = gst_cl_components_describe (problem->shapes,
      problem->n_components);

  return g_strdup_printf (
      "scopes of %u+%u bits, kind %d, %u of source %d, bins %u and %u, %s, %s",
      sample->depth, sample->shift, problem->matrix.kind, problem->n_waveforms,
      problem->source, problem->waveform_bins, problem->vectorscope_bins,
      problem->has_rows_of_bins ? "rows of bins" : "rows of columns", shapes);
}

static gpointer
make_io (GstClContext *context, gconstpointer user_problem, GError **error)
{
  const GstClScopesProblem *problem = user_problem;

  return gst_cl_picture_input_new_zeroed (context, problem->shapes,
      problem->n_components, error);
}

const GstClOpTable gst_cl_scopes_table = {
  .name = "scopes",
  .rows = rows,
  .n_rows = G_N_ELEMENTS (rows),
  .describe = describe,
  .make_io = make_io,
  .free_io = gst_cl_picture_input_free,
  .answers = gst_cl_scopes_answers,
  .n_answers = GST_CL_SCOPES_N_ANSWERS,
  .is_alike = gst_cl_scopes_is_alike,
  .compute_answer = gst_cl_scopes_compute_answer,
};

const GstClTieredFuncs gst_cl_scopes_tiered = {
  .table = &gst_cl_scopes_table,
  .problem_bytes = sizeof (GstClScopesProblem),
  .create = gst_cl_scopes_op_new,
  .free = gst_cl_scopes_op_free,
  .run = gst_cl_scopes_op_run,
};
