/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Light: the table of implementations, their launches, results, known answers.
 */

#include "light.h"

#include "light/cl_light.clh"
#include "ops/knownanswer.h"

G_STATIC_ASSERT (LIGHT_N_LEVEL == GST_CL_LEVELS_N_COMPONENTS);
G_STATIC_ASSERT (LIGHT_HISTOGRAM == GST_CL_LIGHT_HISTOGRAM);
G_STATIC_ASSERT (LIGHT_LEVELS == GST_CL_LIGHT_LEVELS);

/* Kernels and buffers of rows. */
enum { MEASURE, MERGE, LEVELS };
enum { RESULT, PARTS }; /* PARTS: n_parts histograms */

typedef struct {
  GstClPictureRow row;
  guint n_parts;                   /* histograms that are merged */
  guint level_columns, level_rows; /* pixels of a tile */
  gboolean knows_strides;          /* kernels are built for them */
} Row;

static const GstClLightProblem *
get_problem (const GstClPictureOp *op)
{
  return op->problem;
}

static const Row *
get_row (const GstClPictureOp *op)
{
  return (const Row *) op->row;
}

static guint
count_codes (const GstClPictureOp *op)
{
  return 1u << op->shape->shapes[0].sample.depth;
}

/* Returns the number of words of a result. */
static guint
count_words (const GstClPictureOp *op)
{
  return count_codes (op) + LIGHT_N_MAX + LIGHT_N_LEVEL;
}

static gchar *
get_options (const GstClPictureOp *op, guint c G_GNUC_UNUSED)
{
  g_autofree gchar *picture = gst_cl_picture_options (op->shape,
      get_row (op)->knows_strides);

  return g_strdup_printf ("%s -DPARTS=%d", picture, get_problem (op)->parts);
}

static gboolean
needs_kernel (const GstClPictureOp *op, guint k)
{
  const GstClLightPart parts = get_problem (op)->parts;

  return k == MERGE || (k == MEASURE && parts & GST_CL_LIGHT_HISTOGRAM) ||
         (k == LEVELS && parts & GST_CL_LIGHT_LEVELS);
}

static gsize
count_result_bytes (const GstClPictureOp *op,
    const GstClPictureSize *sizes G_GNUC_UNUSED)
{
  return count_words (op) * sizeof (guint32);
}

static gsize
count_buffer_bytes (const GstClPictureOp *op, guint b)
{
  return b == PARTS ? (gsize) get_row (op)->n_parts *
                          (count_codes (op) + LIGHT_N_MAX) * sizeof (guint32)
                    : 0;
}

/* --- runs ----------------------------------------------------------------- */

static gboolean
run_measure (const GstClPictureOp *op, const GstClPictureInput *input,
    GError **error)
{
  GstClKernel *measure = op->kernels[0][MEASURE];
  const guint n_parts = get_row (op)->n_parts;
  GstClArg args[GST_CL_PICTURE_ARGUMENTS + 2];

  if (!measure)
    return TRUE;

  gst_cl_picture_arguments_get (input, op->shape, args);
  args[GST_CL_PICTURE_ARGUMENTS] = (GstClArg) GST_CL_INT (n_parts);
  args[GST_CL_PICTURE_ARGUMENTS + 1] = (GstClArg) GST_CL_MEM (
      op->buffers[PARTS]);

  return gst_cl_kernel_launch (measure,
      n_parts * gst_cl_kernel_local_size (measure, 0), 1, 1, args,
      G_N_ELEMENTS (args), error);
}

/* Without a histogram, no part is merged. */
static gboolean
run_merge (const GstClPictureOp *op, GError **error)
{
  const guint n_parts = op->kernels[0][MEASURE] ? get_row (op)->n_parts : 0;
  const GstClArg args[] = { GST_CL_MEM (op->buffers[PARTS]),
    GST_CL_INT (n_parts), GST_CL_MEM (op->buffers[RESULT]) };

  return gst_cl_kernel_launch (op->kernels[0][MERGE], count_words (op), 1, 1,
      args, G_N_ELEMENTS (args), error);
}

static gboolean
run_levels (const GstClPictureOp *op, const GstClPictureInput *input,
    GError **error)
{
  const GstClLightProblem *problem = get_problem (op);
  const Row *row = get_row (op);
  GstClKernel *levels = op->kernels[0][LEVELS];
  const guint n_fields = input->is_interlaced ? 2 : 1;
  const guint rows = (op->sizes[0].height + n_fields - 1) / n_fields;
  const guint columns = (op->sizes[0].width + row->level_columns - 1) /
                        row->level_columns;
  cl_int4 weights = { { 0 } };
  GstClArg args[GST_CL_PICTURE_ARGUMENTS + 4];

  if (!levels || rows == 0 || columns == 0)
    return TRUE;

  gst_cl_rgb_round_weights (problem->weights, GST_CL_RGB_ONE, weights.s);
  gst_cl_picture_arguments_get (input, op->shape, args);
  args[GST_CL_PICTURE_ARGUMENTS] = (GstClArg) GST_CL_INT4 (weights);
  args[GST_CL_PICTURE_ARGUMENTS + 1] = (GstClArg) GST_CL_INT (problem->low);
  args[GST_CL_PICTURE_ARGUMENTS + 2] = (GstClArg) GST_CL_INT (problem->high);
  args[GST_CL_PICTURE_ARGUMENTS + 3] = (GstClArg) GST_CL_MEM (
      op->buffers[RESULT]);

  return gst_cl_kernel_launch (levels,
      columns * gst_cl_kernel_local_size (levels, 0),
      (rows + row->level_rows - 1) / row->level_rows, n_fields, args,
      G_N_ELEMENTS (args), error);
}

static gboolean
run (GstClPictureOp *op, const GstClPictureInput *input, GError **error)
{
  return run_measure (op, input, error) && run_merge (op, error) &&
         run_levels (op, input, error);
}

static const GstClPictureOpFuncs funcs = {
  .name = "light",
  .problem_bytes = sizeof (GstClLightProblem),
  .word_bytes = sizeof (guint32),
  .n_answer_pictures = 1,
  .get_options = get_options,
  .needs_kernel = needs_kernel,
  .count_result_bytes = count_result_bytes,
  .count_buffer_bytes = count_buffer_bytes,
  .run = run,
};

gboolean
gst_cl_light_op_result (GstClPictureOp *op, guint slot,
    GstClLightCounts *counts, GError **error)
{
  const guint n_codes = count_codes (op);
  const GstClPictureSize *sizes;
  const guint32 *words = gst_cl_picture_op_result (op, slot, &sizes, error);

  if (!words)
    return FALSE;

  *counts = (GstClLightCounts){
    .n_pixels = (guint64) sizes[0].width * sizes[0].height,
    .n_codes = n_codes,
    .histogram = op->kernels[0][MEASURE] ? words : NULL,
  };
  for (guint i = 0; i < LIGHT_N_MAX; i++)
    counts->max[i] = words[n_codes + i];
  for (guint i = 0; i < LIGHT_N_LEVEL; i++)
    counts->n_beyond[i] = words[n_codes + LIGHT_N_MAX + i];

  return TRUE;
}

/* --- table --------------------------------------------------------------- */

static const Row in_bands = {
  .row = { .funcs = &funcs,
      .kernels = { "light_cpu_measure", "light_cpu_merge",
          "levels_cpu_measure" } },
  .n_parts = 32,
  .level_columns = 512,
  .level_rows = 32,
  .knows_strides = TRUE,
};
static const Row plain = {
  .row = { .funcs = &funcs,
      .kernels = { "light_measure", "light_merge", "levels_measure" } },
  .n_parts = 128,
  .level_columns = 32,
  .level_rows = 8,
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
  { GST_CL_PICTURE_OP_CPU_ROW ("light", in_bands), .supports = is_on_cpu },
  { GST_CL_PICTURE_OP_PLAIN_ROW ("light", plain) },
};

#define WEIGHTS                                                                \
  {                                                                            \
    0.2126, 0.7152, 0.0722                                                     \
  }

static const GstClLightProblem problems[] = {
  {
      .picture = { .n_components = 3,
          .shapes = { GST_CL_ANSWER_8_BITS, GST_CL_ANSWER_8_BITS,
              GST_CL_ANSWER_8_BITS },
          .matrix = { GST_CL_RGB_YUV, 25000, -3000, -7000, 29000, 128 } },
      .parts = GST_CL_LIGHT_HISTOGRAM | GST_CL_LIGHT_LEVELS,
      .low = 5,
      .high = 246,
      .weights = WEIGHTS,
  },
  {
      .picture = { .n_components = 1,
          .shapes = { GST_CL_ANSWER_10_BITS },
          .matrix = { .kind = GST_CL_RGB_GREY } },
      .parts = GST_CL_LIGHT_HISTOGRAM | GST_CL_LIGHT_LEVELS,
      .low = 200,
      .high = 800,
      .weights = WEIGHTS,
  },
};

static const GstClAnswer answers[] = {
  { "YUV", &problems[0], G_GUINT64_CONSTANT (0x85e2c18f10df5c2e) },
  { "grey of 10 bits", &problems[1], G_GUINT64_CONSTANT (0x1f53113fbd3f84ed) },
};

static gchar *
describe (gconstpointer user_problem)
{
  const GstClLightProblem *problem = user_problem;
  g_autofree gchar *more = g_strdup_printf ("kind %d, parts %d, ",
      problem->picture.matrix.kind, problem->parts);

  return gst_cl_picture_shape_describe (&problem->picture, "light", more);
}

const GstClOpTable gst_cl_light_table = {
  .name = "light",
  .describe = describe,
  .is_alike = gst_cl_picture_op_is_alike,
  GST_CL_PICTURE_OP_TABLE (rows, answers),
};

const GstClTieredFuncs gst_cl_light_tiered = {
  .table = &gst_cl_light_table,
  .problem_bytes = sizeof (GstClLightProblem),
  GST_CL_PICTURE_OP_TIERED,
};
