/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SSIM: the table of implementations, their launches, known answers. */

#include "ssim.h"

#include "ops/knownanswer.h"
#include "ssim/cl_ssim.clh"

#include <math.h>

G_STATIC_ASSERT (GST_CL_SSIM_ONE == G_GINT64_CONSTANT (1) << SSIM_BITS);

/* Kernels and buffers of rows. */
enum { MEASURE, MERGE };
enum { RESULT, PARTS = 2 };

typedef struct {
  GstClPictureRow row;
  guint columns, rows; /* windows of a part */
} Row;

typedef struct {
  guint columns, rows; /* of windows, or of parts */
} Grid;

static const Row *
get_row (const GstClPictureOp *op)
{
  return (const Row *) op->row;
}

static Grid
get_windows (guint width, guint height)
{
  const guint columns = width / SSIM_BLOCK, rows = height / SSIM_BLOCK;

  return columns < 2 || rows < 2 ? (Grid){ 0, 0 }
                                 : (Grid){ columns - 1, rows - 1 };
}

/* Adds the parts that a component of @width x @height needs to @parts, which is
 * one for all components. */
static void
extend_parts (const GstClPictureOp *op, Grid *parts, guint width, guint height)
{
  const Row *row = get_row (op);
  const Grid windows = get_windows (width, height);

  parts->columns = MAX (parts->columns,
      (windows.columns + row->columns - 1) / row->columns);
  parts->rows = MAX (parts->rows, (windows.rows + row->rows - 1) / row->rows);
}

static gchar *
get_options (const GstClPictureOp *op, guint c G_GNUC_UNUSED)
{
  const GstClSampleType *sample = &op->shape->shapes[0].sample;
  g_autofree gchar *type = gst_cl_sample_options (sample);

  return g_strdup_printf ("%s -DDEPTH=%u", type, sample->depth);
}

static gsize
count_result_bytes (const GstClPictureOp *op,
    const GstClPictureSize *sizes G_GNUC_UNUSED)
{
  return op->shape->n_components * sizeof (gint64);
}

static gsize
count_buffer_bytes (const GstClPictureOp *op, guint b)
{
  const GstClPictureShape *shape = op->shape;
  Grid parts = { 1, 1 };

  if (b != PARTS)
    return 0;

  for (guint c = 0; c < shape->n_components; c++)
    extend_parts (op, &parts, (guint) shape->shapes[c].width,
        (guint) shape->shapes[c].height);

  return (gsize) parts.columns * parts.rows * shape->n_components *
         sizeof (gint64);
}

static gboolean
run (GstClPictureOp *op, const GstClPictureInput *input, GError **error)
{
  const guint n = op->shape->n_components;
  const gdouble max = (1u << op->shape->shapes[0].sample.depth) - 1;
  GstClKernel *measure = op->kernels[0][MEASURE];
  GstClKernel *merge = op->kernels[0][MERGE];
  Grid parts = { 1, 1 };
  GstClArg args[GST_CL_COMPARED_ARGUMENTS + 3];

  for (guint c = 0; c < n; c++)
    extend_parts (op, &parts, op->sizes[c].width, op->sizes[c].height);
  gst_cl_compared_arguments_get (input, n, args);
  args[GST_CL_COMPARED_ARGUMENTS] = (GstClArg) GST_CL_ULONG (
      floor (.01 * .01 * max * max * 64 + .5));
  args[GST_CL_COMPARED_ARGUMENTS + 1] = (GstClArg) GST_CL_ULONG (
      floor (.03 * .03 * max * max * 64 * 63 + .5));
  args[GST_CL_COMPARED_ARGUMENTS + 2] = (GstClArg) GST_CL_MEM (
      op->buffers[PARTS]);

  const GstClArg merge_args[] = { GST_CL_MEM (op->buffers[PARTS]),
    GST_CL_INT (parts.columns * parts.rows), GST_CL_MEM (op->buffers[RESULT]) };

  return gst_cl_kernel_launch (measure,
             parts.columns * gst_cl_kernel_local_size (measure, 0), parts.rows,
             n, args, G_N_ELEMENTS (args), error) &&
         gst_cl_kernel_launch (merge, n * gst_cl_kernel_local_size (merge, 0),
             1, 1, merge_args, G_N_ELEMENTS (merge_args), error);
}

static const GstClPictureOpFuncs funcs = {
  .name = "ssim",
  .problem_bytes = sizeof (GstClPictureShape),
  .word_bytes = sizeof (gint64),
  .n_answer_pictures = 2,
  .compares = TRUE,
  .get_options = get_options,
  .count_result_bytes = count_result_bytes,
  .count_buffer_bytes = count_buffer_bytes,
  .run = run,
};

/* --- table --------------------------------------------------------------- */

static const Row in_lines = { .row = { .funcs = &funcs,
                                  .kernels = { "ssim_cpu_measure",
                                      "ssim_cpu_merge" } },
  .columns = 255,
  .rows = 16 };
static const Row plain = { .row = { .funcs = &funcs,
                               .kernels = { "ssim_measure", "ssim_merge" } },
  .columns = 127,
  .rows = 8 };

static const GstClImplementation rows[] = {
  { GST_CL_PICTURE_OP_CPU_ROW ("ssim", in_lines) },
  { GST_CL_PICTURE_OP_PLAIN_ROW ("ssim", plain),
      .quick_on = GST_CL_FAMILY_BIT (GST_CL_FAMILY_CPU) },
};

static const GstClPictureShape problems[] = {
  { .n_components = 2,
      .shapes = { GST_CL_ANSWER_8_BITS, GST_CL_ANSWER_8_BITS } },
  { .n_components = 1, .shapes = { GST_CL_ANSWER_10_BITS } },
};

static const GstClAnswer answers[] = {
  { "two components", &problems[0], G_GUINT64_CONSTANT (0xc23a5d98230ca267) },
  { "10 bits", &problems[1], G_GUINT64_CONSTANT (0xe4e88b673442b863) },
};

static gchar *
describe (gconstpointer problem)
{
  return gst_cl_picture_shape_describe (problem, "ssim", "");
}

const GstClOpTable gst_cl_ssim_table = {
  .name = "ssim",
  .describe = describe,
  .is_alike = gst_cl_picture_op_is_alike,
  GST_CL_PICTURE_OP_TABLE (rows, answers),
};

const GstClTieredFuncs gst_cl_ssim_tiered = {
  .table = &gst_cl_ssim_table,
  .problem_bytes = sizeof (GstClPictureShape),
  GST_CL_PICTURE_OP_TIERED,
};
