/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* XPSNR: the table of implementations, their launches, state, known answers. */

#include "xpsnr.h"

#include "cl/memory/gstclbuffer.h"
#include "ops/knownanswer.h"
#include "ops/sample.h"

/* Buffers: blocks; the history of the picture before, and of that before it,
 * which adopt() may move to another instance. */
enum { RESULT, LAST, EARLIER };

#define HISTORY_ALIGNMENT 4 /* kernels/xpsnr/cl_xpsnr.clh */

static const GstClXpsnrProblem *
get_problem (const GstClPictureOp *op)
{
  return op->problem;
}

static gchar *
get_options (const GstClPictureOp *op, guint c G_GNUC_UNUSED)
{
  const GstClXpsnrProblem *problem = get_problem (op);
  const GstClPictureShape *shape = op->shape;
  const GstClSampleType *sample = &shape->shapes[0].sample;
  g_autofree gchar *type = gst_cl_sample_options (sample);

  return g_strdup_printf (
      "%s -DDEPTH=%u -DORDER=%u -DIS_LARGE=%d -DSTRIDE_FIRST=%d "
      "-DSTRIDE_OTHERS=%d",
      type, sample->depth, problem->order, problem->is_large ? 1 : 0,
      gst_cl_component_pixel_stride (&shape->shapes[0]),
      gst_cl_component_pixel_stride (&shape->shapes[shape->n_components - 1]));
}

static gsize
count_result_bytes (const GstClPictureOp *op G_GNUC_UNUSED,
    const GstClPictureSize *sizes)
{
  const GstClXpsnrGrid grid = gst_cl_xpsnr_grid (sizes[0].width,
      sizes[0].height);

  return (gsize) grid.columns * grid.rows * sizeof (GstClXpsnrBlock);
}

/* A part of a picture may have more blocks than all of it. */
static gsize
count_most_result_bytes (const GstClPictureOp *op)
{
  return gst_cl_xpsnr_most_blocks ((guint) op->shape->shapes[0].width,
             (guint) op->shape->shapes[0].height) *
         sizeof (GstClXpsnrBlock);
}

/* Returns the bytes of the history of a picture of this size. */
static gsize
count_history_bytes (const GstClPictureOp *op, guint width, guint height)
{
  const GstClSampleType *sample = &op->shape->shapes[0].sample;
  const gsize row = (width + HISTORY_ALIGNMENT - 1) / HISTORY_ALIGNMENT *
                    HISTORY_ALIGNMENT;

  if (!get_problem (op)->is_large)
    return row * height * sample->bytes;

  return row / 2 * ((height + 1) / 2) *
         (sample->depth <= 14 ? sizeof (guint16) : sizeof (guint32));
}

static gsize
count_buffer_bytes (const GstClPictureOp *op, guint b)
{
  const GstClComponent *shape = &op->shape->shapes[0];

  return b == LAST || get_problem (op)->order > 1
             ? count_history_bytes (op, (guint) shape->width,
                   (guint) shape->height)
             : 0;
}

static void
adopt (gpointer user_op, gpointer user_before)
{
  GstClPictureOp *op = user_op, *before = user_before;

  for (guint b = LAST; b <= EARLIER; b++) {
    const cl_mem history = op->buffers[b];

    op->buffers[b] = before->buffers[b];
    before->buffers[b] = history;
  }
  op->has_state = before->has_state;
  op->state_size = before->state_size;
}

/* Makes the pictures before zeros, unless there are some of this size. */
static gboolean
prepare_history (GstClPictureOp *op, GError **error)
{
  const GstClPictureSize *size = &op->sizes[0];
  const gsize n_bytes = count_history_bytes (op, size->width, size->height);

  if ((op->has_state && op->state_size.width == size->width &&
          op->state_size.height == size->height) ||
      n_bytes == 0)
    return TRUE;

  for (guint b = LAST; b <= EARLIER; b++) {
    if (op->buffers[b] &&
        !gst_cl_buffer_clear (op->context, op->buffers[b], n_bytes, error))
      return FALSE;
  }

  return TRUE;
}

/* With order 2, the kernels have put this picture into the place of the earlier
 * one. */
static void
advance_history (GstClPictureOp *op)
{
  const cl_mem last = op->buffers[LAST];

  if (get_problem (op)->order == 1)
    return;
  op->buffers[LAST] = op->buffers[EARLIER];
  op->buffers[EARLIER] = last;
}

/* Returns the size of blocks of a component, which has @n samples in a
 * direction; the first one has @n_first. */
static cl_int
scale_block (const GstClXpsnrGrid *grid, guint n, guint n_first)
{
  return (cl_int) (grid->size > 0 ? (guint64) grid->size * n / MAX (n_first, 1)
                                  : n);
}

static gboolean
run (GstClPictureOp *op, const GstClPictureInput *input, GError **error)
{
  const GstClPictureSize *first = &op->sizes[0];
  const GstClXpsnrGrid grid = gst_cl_xpsnr_grid (first->width, first->height);
  const guint n = op->shape->n_components;
  GstClKernel *measure = op->kernels[0][0];
  cl_int4 widths = { { 0 } }, heights = { { 0 } };
  GstClArg args[GST_CL_COMPARED_ARGUMENTS + 5], *more;
  gboolean is_done;

  for (guint c = 0; c < n; c++) {
    widths.s[c] = scale_block (&grid, op->sizes[c].width, first->width);
    heights.s[c] = scale_block (&grid, op->sizes[c].height, first->height);
  }
  gst_cl_compared_arguments_get (input, n, args);
  more = &args[GST_CL_COMPARED_ARGUMENTS];
  more[0] = (GstClArg) GST_CL_MEM (op->buffers[LAST]);
  more[1] = (GstClArg) GST_CL_MEM (
      op->buffers[EARLIER] ? op->buffers[EARLIER] : op->buffers[LAST]);
  more[2] = (GstClArg) GST_CL_INT4 (widths);
  more[3] = (GstClArg) GST_CL_INT4 (heights);
  more[4] = (GstClArg) GST_CL_MEM (op->buffers[RESULT]);

  /* a launch that fails leaves the history as it is, or undefined */
  is_done = prepare_history (op, error) &&
            gst_cl_kernel_launch (measure,
                grid.columns * gst_cl_kernel_local_size (measure, 0), grid.rows,
                n, args, G_N_ELEMENTS (args), error);
  if (is_done)
    advance_history (op);
  op->has_state = is_done;
  op->state_size = *first;

  return is_done;
}

static const GstClPictureOpFuncs funcs = {
  .name = "xpsnr",
  .problem_bytes = sizeof (GstClXpsnrProblem),
  .word_bytes = sizeof (guint64),
  .n_answer_pictures = 3, /* the third one has two before it */
  .compares = TRUE,
  .get_options = get_options,
  .count_result_bytes = count_result_bytes,
  .count_most_result_bytes = count_most_result_bytes,
  .count_buffer_bytes = count_buffer_bytes,
  .run = run,
};

/* --- table --------------------------------------------------------------- */

static const GstClPictureRow in_blocks = { .funcs = &funcs,
  .kernels = { "xpsnr_cpu_measure" } };
static const GstClPictureRow plain = { .funcs = &funcs,
  .kernels = { "xpsnr_measure" } };

static const GstClImplementation rows[] = {
  { GST_CL_PICTURE_OP_CPU_ROW ("xpsnr", in_blocks) },
  { GST_CL_PICTURE_OP_PLAIN_ROW ("xpsnr", plain) },
};

static const GstClXpsnrProblem problems[] = {
  { .picture = { .n_components = 3,
        .shapes = { GST_CL_ANSWER_8_BITS, GST_CL_ANSWER_8_BITS,
            GST_CL_ANSWER_8_BITS } },
      .order = 1 },
  { .picture = { .n_components = 1, .shapes = { GST_CL_ANSWER_10_BITS } },
      .order = 2 },
  { .picture = { .n_components = 1, .shapes = { GST_CL_ANSWER_8_BITS } },
      .order = 2,
      .is_large = TRUE },
  { .picture = { .n_components = 1, .shapes = { GST_CL_ANSWER_10_BITS } },
      .order = 1,
      .is_large = TRUE },
};

static const GstClAnswer answers[] = {
  { "three components", &problems[0], G_GUINT64_CONSTANT (0xafffaa0402f8bc6d) },
  { "10 bits, order 2", &problems[1], G_GUINT64_CONSTANT (0xef0291628e20df33) },
  { "large, order 2", &problems[2], G_GUINT64_CONSTANT (0xcf941f9d83c21260) },
  { "large, 10 bits", &problems[3], G_GUINT64_CONSTANT (0x2e3152e88a00971a) },
};

static gchar *
describe (gconstpointer user_problem)
{
  const GstClXpsnrProblem *problem = user_problem;
  g_autofree gchar *more = g_strdup_printf ("order %u, %s", problem->order,
      problem->is_large ? "large, " : "");

  return gst_cl_picture_shape_describe (&problem->picture, "XPSNR", more);
}

static gboolean
is_alike (gconstpointer user_answered, gconstpointer user_problem)
{
  const GstClXpsnrProblem *answered = user_answered, *problem = user_problem;

  return gst_cl_picture_op_is_alike (answered, problem) &&
         answered->is_large == problem->is_large;
}

const GstClOpTable gst_cl_xpsnr_table = {
  .name = "xpsnr",
  .describe = describe,
  .is_alike = is_alike,
  GST_CL_PICTURE_OP_TABLE (rows, answers),
};

const GstClTieredFuncs gst_cl_xpsnr_tiered = {
  .table = &gst_cl_xpsnr_table,
  .problem_bytes = sizeof (GstClXpsnrProblem),
  .adopt = adopt,
  GST_CL_PICTURE_OP_TIERED,
};
