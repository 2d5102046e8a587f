/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Light: the table of implementations, their launches, and results. */

#include "light.h"
#include "lightprivate.h"

#include "cl/context/gstclkernel.h"
#include "cl/memory/gstclbuffer.h"
#include "cl/memory/gstclreadback.h"
#include "light/cl_light.clh"

G_STATIC_ASSERT (LIGHT_N_LEVEL == GST_CL_LEVELS_N_COMPONENTS);
G_STATIC_ASSERT (LIGHT_HISTOGRAM == GST_CL_LIGHT_HISTOGRAM);
G_STATIC_ASSERT (LIGHT_LEVELS == GST_CL_LIGHT_LEVELS);

/* --- instances ------------------------------------------------------------ */

/* The constant of a row. */
typedef struct {
  const gchar *measure, *merge, *levels; /* kernels */
  gint n_parts;                          /* histograms that are merged */
  gint level_columns, level_rows;        /* pixels of a tile */
  gboolean knows_strides;                /* kernels are built for them */
} Row;

/* A result that is read. */
typedef struct {
  GstClReadback *readback; /* NULL before the first read */
  guint64 n_pixels;
} Slot;

struct _GstClLightOp {
  GstClContext *context;
  const Row *row;
  GstClLightProblem problem;
  GstClKernel *measure, *merge, *levels; /* NULL: not needed */
  cl_mem parts;                          /* n_parts histograms */
  cl_mem result;                         /* of the last run */
  guint64 n_pixels;                      /* of it */
  cl_int4 weights;
  Slot slots[GST_CL_LIGHT_SLOTS];
};

static guint
count_codes (const GstClLightOp *self)
{
  return 1u << self->problem.shapes[0].sample.depth;
}

/* Returns the number of words of a result. */
static guint
count_words (const GstClLightOp *self)
{
  return count_codes (self) + LIGHT_N_MAX + LIGHT_N_LEVEL;
}

static gboolean
build_kernels (GstClLightOp *self, const gchar *resource, GError **error)
{
  const GstClLightProblem *problem = &self->problem;
  const Row *row = self->row;
  g_autofree gchar *picture = gst_cl_picture_options (problem->shapes,
      problem->n_components, &problem->matrix, problem->x_shift,
      problem->y_shift, row->knows_strides);
  g_autofree gchar *options = g_strdup_printf ("%s -DPARTS=%d", picture,
      problem->parts);

  self->merge = gst_cl_kernel_new (self->context, resource, options, row->merge,
      error);
  if (!self->merge)
    return FALSE;
  if (problem->parts & GST_CL_LIGHT_HISTOGRAM)
    self->measure = gst_cl_kernel_new (self->context, resource, options,
        row->measure, error);
  if ((problem->parts & GST_CL_LIGHT_HISTOGRAM) && !self->measure)
    return FALSE;
  if (problem->parts & GST_CL_LIGHT_LEVELS)
    self->levels = gst_cl_kernel_new (self->context, resource, options,
        row->levels, error);

  return !(problem->parts & GST_CL_LIGHT_LEVELS) || self->levels;
}

gpointer
gst_cl_light_op_new (GstClContext *context, const GstClCandidate *candidate,
    gconstpointer problem, GError **error)
{
  g_autoptr (GstClLightOp) self = g_new0 (GstClLightOp, 1);

  self->context = gst_object_ref (context);
  self->row = candidate->implementation->data;
  self->problem = *(const GstClLightProblem *) problem;
  gst_cl_rgb_round_weights (self->problem.weights, GST_CL_RGB_ONE,
      self->weights.s);
  if (!build_kernels (self, candidate->implementation->resource, error))
    return NULL;
  self->parts = gst_cl_buffer_new (context,
      (gsize) self->row->n_parts * (count_codes (self) + LIGHT_N_MAX) *
          sizeof (guint32),
      error);
  if (!self->parts)
    return NULL;
  self->result = gst_cl_buffer_new (context,
      count_words (self) * sizeof (guint32), error);

  return self->result ? g_steal_pointer (&self) : NULL;
}

void
gst_cl_light_op_free (gpointer op)
{
  GstClLightOp *self = op;

  if (!self)
    return;

  for (guint i = 0; i < GST_CL_LIGHT_SLOTS; i++)
    g_clear_pointer (&self->slots[i].readback, gst_cl_readback_free);
  g_clear_pointer (&self->measure, gst_cl_kernel_free);
  g_clear_pointer (&self->merge, gst_cl_kernel_free);
  g_clear_pointer (&self->levels, gst_cl_kernel_free);
  g_clear_pointer (&self->parts, gst_cl_buffer_free);
  g_clear_pointer (&self->result, gst_cl_buffer_free);
  gst_clear_object (&self->context);
  g_free (self);
}

/* --- runs and results ----------------------------------------------------- */

static void
get_arguments (const GstClLightOp *self, const GstClPictureInput *input,
    GstClArg args[GST_CL_PICTURE_ARGUMENTS])
{
  gst_cl_picture_arguments_get (input->components, self->problem.n_components,
      &self->problem.matrix, input->is_interlaced, args);
}

static gboolean
run_measure (const GstClLightOp *self, const GstClPictureInput *input,
    GError **error)
{
  GstClArg args[GST_CL_PICTURE_ARGUMENTS + 2];

  if (!(self->problem.parts & GST_CL_LIGHT_HISTOGRAM))
    return TRUE;

  get_arguments (self, input, args);
  args[GST_CL_PICTURE_ARGUMENTS] = (GstClArg) GST_CL_INT (self->row->n_parts);
  args[GST_CL_PICTURE_ARGUMENTS + 1] = (GstClArg) GST_CL_MEM (self->parts);

  return gst_cl_kernel_launch (self->measure,
      self->row->n_parts * gst_cl_kernel_local_size (self->measure, 0), 1, 1,
      args, G_N_ELEMENTS (args), error);
}

/* Without a histogram, no part is merged. */
static gboolean
run_merge (const GstClLightOp *self, GError **error)
{
  const gboolean has_parts = (self->problem.parts & GST_CL_LIGHT_HISTOGRAM) !=
                             0;
  const GstClArg args[] = { GST_CL_MEM (self->parts),
    GST_CL_INT (has_parts ? self->row->n_parts : 0),
    GST_CL_MEM (self->result) };

  return gst_cl_kernel_launch (self->merge, count_words (self), 1, 1, args,
      G_N_ELEMENTS (args), error);
}

static gboolean
run_levels (const GstClLightOp *self, const GstClPictureInput *input,
    GError **error)
{
  const GstClComponent *first = &input->components[0];
  const gint n_fields = input->is_interlaced ? 2 : 1;
  const gint rows = (first->height + n_fields - 1) / n_fields;
  const gint columns = (first->width + self->row->level_columns - 1) /
                       self->row->level_columns;
  GstClArg args[GST_CL_PICTURE_ARGUMENTS + 4];

  if (!(self->problem.parts & GST_CL_LIGHT_LEVELS) || rows == 0 || columns == 0)
    return TRUE;

  get_arguments (self, input, args);
  args[GST_CL_PICTURE_ARGUMENTS] = (GstClArg) GST_CL_INT4 (self->weights);
  args[GST_CL_PICTURE_ARGUMENTS + 1] = (GstClArg) GST_CL_INT (
      self->problem.low);
  args[GST_CL_PICTURE_ARGUMENTS + 2] = (GstClArg) GST_CL_INT (
      self->problem.high);
  args[GST_CL_PICTURE_ARGUMENTS + 3] = (GstClArg) GST_CL_MEM (self->result);

  return gst_cl_kernel_launch (self->levels,
      columns * gst_cl_kernel_local_size (self->levels, 0),
      (rows + self->row->level_rows - 1) / self->row->level_rows, n_fields,
      args, G_N_ELEMENTS (args), error);
}

gboolean
gst_cl_light_op_run (gpointer op, gconstpointer user_input, GError **error)
{
  GstClLightOp *self = op;
  const GstClPictureInput *input = user_input;

  if (!gst_cl_components_check_parts (input->components, self->problem.shapes,
          self->problem.n_components, "light", error))
    return FALSE;
  self->n_pixels = (guint64) input->components[0].width *
                   input->components[0].height;

  return run_measure (self, input, error) && run_merge (self, error) &&
         run_levels (self, input, error);
}

gboolean
gst_cl_light_op_fetch (GstClLightOp *self, guint slot, GError **error)
{
  Slot *at;

  g_return_val_if_fail (slot < GST_CL_LIGHT_SLOTS, FALSE);

  at = &self->slots[slot];
  at->n_pixels = self->n_pixels;
  if (!at->readback)
    at->readback = gst_cl_readback_new (self->context, 1,
        count_words (self) * sizeof (guint32), error);

  return at->readback &&
         gst_cl_readback_enqueue (at->readback, 0, self->result, error);
}

gboolean
gst_cl_light_op_result (GstClLightOp *self, guint slot,
    GstClLightCounts *counts, GError **error)
{
  const guint n_codes = count_codes (self);
  const guint32 *words;
  const Slot *at;

  g_return_val_if_fail (slot < GST_CL_LIGHT_SLOTS && self->slots[slot].readback,
      FALSE);

  at = &self->slots[slot];
  words = gst_cl_readback_wait (at->readback, 0, error);
  if (!words)
    return FALSE;

  *counts = (GstClLightCounts){
    .n_pixels = at->n_pixels,
    .n_codes = n_codes,
    .histogram = self->problem.parts & GST_CL_LIGHT_HISTOGRAM ? words : NULL,
  };
  for (guint i = 0; i < LIGHT_N_MAX; i++)
    counts->max[i] = words[n_codes + i];
  for (guint i = 0; i < LIGHT_N_LEVEL; i++)
    counts->n_beyond[i] = words[n_codes + LIGHT_N_MAX + i];

  return TRUE;
}

/* --- table --------------------------------------------------------------- */

/* No element has these methods: the device decides. */
typedef enum { PLAIN = 1, BANDS } Method;

static const Row in_bands = { "light_cpu_measure", "light_cpu_merge",
  "levels_cpu_measure", 32, 128, 16, TRUE };
static const Row plain = { "light_measure", "light_merge", "levels_measure",
  128, 32, 8, FALSE };

static const GstClInstanceFuncs funcs = {
  .create = gst_cl_light_op_new,
  .run = gst_cl_light_op_run,
  .free = gst_cl_light_op_free,
};

/* NVIDIA's compiler (driver 580.159.04) builds levels_cpu_measure for Y444 of
 * more than 8 bits into a program that accesses illegal memory; oclgrind and
 * PoCL find no fault. */
static gboolean
is_on_cpu (const GstClImplementation *row, gconstpointer problem,
    const GstClDevice *device)
{
  return device->family == GST_CL_FAMILY_CPU;
}

static const GstClImplementation rows[] = {
  {
      .name = "cpu",
      .method = BANDS,
      .resource = "light/cpu.cl",
      .family = GST_CL_FAMILY_CPU,
      .supports = is_on_cpu,
      .funcs = &funcs,
      .data = &in_bands,
  },
  {
      .name = "plain",
      .method = PLAIN,
      .resource = "light/plain.cl",
      .family = GST_CL_FAMILY_ANY,
      .funcs = &funcs,
      .data = &plain,
  },
};

static gchar *
describe (gconstpointer user_problem)
{
  const GstClLightProblem *problem = user_problem;
  const GstClSampleType *sample = &problem->shapes[0].sample;
  g_autofree gchar *shapes = gst_cl_components_describe (problem->shapes,
      problem->n_components);

  return g_strdup_printf ("light of %u+%u bits, kind %d, parts %d, %s",
      sample->depth, sample->shift, problem->matrix.kind, problem->parts,
      shapes);
}

static gpointer
make_io (GstClContext *context, gconstpointer user_problem, GError **error)
{
  const GstClLightProblem *problem = user_problem;

  return gst_cl_picture_input_new_zeroed (context, problem->shapes,
      problem->n_components, error);
}

const GstClOpTable gst_cl_light_table = {
  .name = "light",
  .rows = rows,
  .n_rows = G_N_ELEMENTS (rows),
  .describe = describe,
  .make_io = make_io,
  .free_io = gst_cl_picture_input_free,
  .answers = gst_cl_light_answers,
  .n_answers = GST_CL_LIGHT_N_ANSWERS,
  .is_alike = gst_cl_light_is_alike,
  .compute_answer = gst_cl_light_compute_answer,
};

const GstClTieredFuncs gst_cl_light_tiered = {
  .table = &gst_cl_light_table,
  .problem_bytes = sizeof (GstClLightProblem),
  .create = gst_cl_light_op_new,
  .free = gst_cl_light_op_free,
  .run = gst_cl_light_op_run,
};
