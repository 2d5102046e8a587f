/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Errors: the table of implementations, their launches, results, known answers.
 */

#include "errors.h"

#include "errors/cl_errors.clh"
#include "ops/knownanswer.h"

#define WORD_OFFSET(member)                                                    \
  (G_STRUCT_OFFSET (GstClErrors, member) / sizeof (guint64))

G_STATIC_ASSERT (ERRORS_SQUARES == WORD_OFFSET (squares));
G_STATIC_ASSERT (ERRORS_DIFFERENT == WORD_OFFSET (n_different));
G_STATIC_ASSERT (ERRORS_MAX == WORD_OFFSET (max));
G_STATIC_ASSERT (ERRORS_FIRST == WORD_OFFSET (first));
G_STATIC_ASSERT (ERRORS_N_WORDS * sizeof (guint64) == sizeof (GstClErrors));
G_STATIC_ASSERT (ERRORS_N_BINS == GST_CL_ERRORS_N_BINS);

/* Kernels and buffers of rows. */
enum { MEASURE, MERGE };
enum { RESULT, PARTS }; /* PARTS: the words of n_parts parts */

typedef struct {
  GstClPictureRow row;
  guint n_parts; /* of a component, that are merged */
} Row;

static const GstClErrorsProblem *
get_problem (const GstClPictureOp *op)
{
  return op->problem;
}

static const Row *
get_row (const GstClPictureOp *op)
{
  return (const Row *) op->row;
}

/* Returns the number of words of a component. */
static guint
count_words (const GstClPictureOp *op)
{
  return ERRORS_N_WORDS + (get_problem (op)->has_histogram ? ERRORS_N_BINS : 0);
}

static gchar *
get_options (const GstClPictureOp *op, guint c G_GNUC_UNUSED)
{
  const GstClSampleType *sample = &op->shape->shapes[0].sample;
  g_autofree gchar *type = gst_cl_sample_options (sample);

  return g_strdup_printf ("%s -DDEPTH=%u -DHAS_HISTOGRAM=%d", type,
      sample->depth, get_problem (op)->has_histogram ? 1 : 0);
}

static gsize
count_result_bytes (const GstClPictureOp *op,
    const GstClPictureSize *sizes G_GNUC_UNUSED)
{
  return op->shape->n_components * count_words (op) * sizeof (guint64);
}

static gsize
count_buffer_bytes (const GstClPictureOp *op, guint b)
{
  return b == PARTS ? get_row (op)->n_parts * count_result_bytes (op, NULL) : 0;
}

static gboolean
run (GstClPictureOp *op, const GstClPictureInput *input, GError **error)
{
  const guint n = op->shape->n_components, n_parts = get_row (op)->n_parts;
  GstClKernel *measure = op->kernels[0][MEASURE];
  GstClKernel *merge = op->kernels[0][MERGE];
  const GstClArg merge_args[] = { GST_CL_MEM (op->buffers[PARTS]),
    GST_CL_INT (n_parts), GST_CL_MEM (op->buffers[RESULT]) };
  GstClArg args[GST_CL_COMPARED_ARGUMENTS + 2];

  gst_cl_compared_arguments_get (input, n, args);
  args[GST_CL_COMPARED_ARGUMENTS] = (GstClArg) GST_CL_INT (n_parts);
  args[GST_CL_COMPARED_ARGUMENTS + 1] = (GstClArg) GST_CL_MEM (
      op->buffers[PARTS]);

  return gst_cl_kernel_launch (measure,
             n_parts * gst_cl_kernel_local_size (measure, 0), n, 1, args,
             G_N_ELEMENTS (args), error) &&
         gst_cl_kernel_launch (merge,
             count_words (op) * gst_cl_kernel_local_size (merge, 0), n, 1,
             merge_args, G_N_ELEMENTS (merge_args), error);
}

static const GstClPictureOpFuncs funcs = {
  .name = "errors",
  .problem_bytes = sizeof (GstClErrorsProblem),
  .word_bytes = sizeof (guint64),
  .n_answer_pictures = 1,
  .compares = TRUE,
  .get_options = get_options,
  .count_result_bytes = count_result_bytes,
  .count_buffer_bytes = count_buffer_bytes,
  .run = run,
};

const GstClErrors *
gst_cl_errors_get (const GstClPictureOp *op, gconstpointer words, guint c,
    const guint64 **histogram)
{
  const GstClErrors *errors = words;

  if (histogram) {
    const guint64 *bins = (const guint64 *) (errors + op->shape->n_components);

    *histogram = get_problem (op)->has_histogram ? bins + c * ERRORS_N_BINS
                                                 : NULL;
  }

  return &errors[c];
}

/* --- table --------------------------------------------------------------- */

static const Row in_bands = { .row = { .funcs = &funcs,
                                  .kernels = { "errors_cpu_measure",
                                      "errors_cpu_merge" } },
  .n_parts = 32 };
static const Row plain = {
  .row = { .funcs = &funcs, .kernels = { "errors_measure", "errors_merge" } },
  .n_parts = 512
};

static const GstClImplementation rows[] = {
  { GST_CL_PICTURE_OP_CPU_ROW ("errors", in_bands) },
  { GST_CL_PICTURE_OP_PLAIN_ROW ("errors", plain),
      .quick_on = GST_CL_FAMILY_BIT (GST_CL_FAMILY_CPU) },
};

static const GstClErrorsProblem problems[] = {
  { .picture = { .n_components = 2,
        .shapes = { GST_CL_ANSWER_8_BITS, GST_CL_ANSWER_8_BITS } } },
  { .picture = { .n_components = 1, .shapes = { GST_CL_ANSWER_8_BITS } },
      .has_histogram = TRUE },
  { .picture = { .n_components = 1, .shapes = { GST_CL_ANSWER_10_BITS } } },
  { .picture = { .n_components = 1, .shapes = { GST_CL_ANSWER_10_BITS } },
      .has_histogram = TRUE },
};

static const GstClAnswer answers[] = {
  { "two components", &problems[0], G_GUINT64_CONSTANT (0x869e4fc052c39cac) },
  { "bins", &problems[1], G_GUINT64_CONSTANT (0x16eda20d3204456d) },
  { "10 bits", &problems[2], G_GUINT64_CONSTANT (0x8d2554b61b252bbe) },
  { "bins of 10 bits", &problems[3], G_GUINT64_CONSTANT (0xae39715595fc951c) },
};

static gchar *
describe (gconstpointer user_problem)
{
  const GstClErrorsProblem *problem = user_problem;

  return gst_cl_picture_shape_describe (&problem->picture, "errors",
      problem->has_histogram ? "histogram, " : "");
}

static gboolean
is_alike (gconstpointer answered, gconstpointer problem)
{
  const GstClErrorsProblem *a = answered, *b = problem;

  return gst_cl_picture_op_is_alike (answered, problem) &&
         a->has_histogram == b->has_histogram;
}

const GstClOpTable gst_cl_errors_table = {
  .name = "errors",
  .describe = describe,
  .is_alike = is_alike,
  GST_CL_PICTURE_OP_TABLE (rows, answers),
};

const GstClTieredFuncs gst_cl_errors_tiered = {
  .table = &gst_cl_errors_table,
  .problem_bytes = sizeof (GstClErrorsProblem),
  GST_CL_PICTURE_OP_TIERED,
};
