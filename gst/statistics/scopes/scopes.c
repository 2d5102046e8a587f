/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Scopes: the table of implementations, their launches, results, known answers.
 */

#include "scopes.h"

#include "ops/knownanswer.h"
#include "ops/sample.h"

/* Kernels of rows: CLEAR sets the result to 0 before others; MERGE adds the
 * vectorscopes of bands, in PARTS. */
enum { CLEAR, WAVEFORM, VECTORSCOPE, MERGE };
enum { RESULT, PARTS };

typedef struct {
  GstClPictureRow row;
  guint waveform_bands; /* bands of rows; 0: the kernel counts all rows */
  guint vectorscope_bands;
  gboolean knows_strides; /* kernels are built for them */
} Row;

static const GstClScopesProblem *
get_problem (const GstClPictureOp *op)
{
  return op->problem;
}

static const Row *
get_row (const GstClPictureOp *op)
{
  return (const Row *) op->row;
}

/* The Y of components is the first of them. */
static GstClScopesSource
get_source (const GstClScopesProblem *problem)
{
  return problem->source == GST_CL_SCOPES_LUMA &&
                 problem->picture.matrix.kind != GST_CL_RGB_RGB
             ? GST_CL_SCOPES_COMPONENTS
             : problem->source;
}

static guint
count_vectorscope_bands (const GstClPictureOp *op)
{
  const guint n = get_row (op)->vectorscope_bands;

  return op->row->kernels[MERGE]
             ? MIN (n, MAX (op->context->device->compute_units, 1))
             : n;
}

static void
get_layout (const GstClPictureOp *op, const GstClPictureSize *sizes,
    GstClScopesLayout *layout)
{
  const GstClScopesProblem *problem = get_problem (op);
  const gboolean is_of_pixels = get_source (problem) !=
                                GST_CL_SCOPES_COMPONENTS;

  *layout = (GstClScopesLayout){ 0 };
  layout->n_waveforms = problem->n_waveforms;
  for (guint i = 0; i < layout->n_waveforms; i++) {
    layout->first[i] = layout->n_words;
    layout->n_columns[i] = sizes[is_of_pixels ? 0 : i].width;
    layout->n_words += (gsize) layout->n_columns[i] * problem->waveform_bins;
  }
  layout->vectorscope = layout->n_words;
  layout->n_words += (gsize) problem->vectorscope_bins *
                     problem->vectorscope_bins;
}

/* Problems that differ only in unused options share a program: pixels alone
 * have subsampled chroma, and bins are those of the kernels that run. */
static gchar *
get_options (const GstClPictureOp *op, guint c G_GNUC_UNUSED)
{
  const GstClScopesProblem *problem = get_problem (op);
  const GstClScopesSource source = get_source (problem);
  const guint bins = problem->n_waveforms > 0 ? problem->waveform_bins
                                              : problem->vectorscope_bins;
  const guint uv_bins = problem->vectorscope_bins > 0
                            ? problem->vectorscope_bins
                            : bins;
  GstClPictureShape shape = *op->shape;
  g_autofree gchar *picture = NULL;

  if (source == GST_CL_SCOPES_COMPONENTS)
    shape.x_shift = shape.y_shift = 0;
  picture = gst_cl_picture_options (&shape, get_row (op)->knows_strides);

  return g_strdup_printf (
      "%s -DSOURCE=%d -DBINS=%u -DUV_BINS=%u -DHAS_ROWS_OF_BINS=%d", picture,
      source, MAX (bins, 1), MAX (uv_bins, 1),
      problem->has_rows_of_bins ? 1 : 0);
}

static gboolean
needs_kernel (const GstClPictureOp *op, guint k)
{
  const GstClScopesProblem *problem = get_problem (op);

  switch (k) {
    case CLEAR:
      return TRUE;
    case WAVEFORM:
      return problem->n_waveforms > 0;
    default:
      return problem->vectorscope_bins > 0;
  }
}

static gsize
count_result_bytes (const GstClPictureOp *op, const GstClPictureSize *sizes)
{
  GstClScopesLayout layout;

  get_layout (op, sizes, &layout);

  return MAX (layout.n_words, 1) * sizeof (guint32);
}

static gsize
count_buffer_bytes (const GstClPictureOp *op, guint b)
{
  const gsize n_bins = get_problem (op)->vectorscope_bins;

  return b == PARTS && op->kernels[0][MERGE]
             ? count_vectorscope_bands (op) * 2 * n_bins * n_bins *
                   sizeof (guint32)
             : 0;
}

/* --- runs ----------------------------------------------------------------- */

static guint
divide_up (guint n, guint by)
{
  return (n + by - 1) / by;
}

static gboolean
run_clear (const GstClPictureOp *op, const GstClScopesLayout *layout,
    GError **error)
{
  GstClKernel *clear = op->kernels[0][CLEAR];
  const GstClArg args[] = { GST_CL_ULONG (layout->n_words),
    GST_CL_MEM (op->buffers[RESULT]) };

  return !clear || gst_cl_kernel_launch (clear, layout->n_words, 1, 1, args,
                       G_N_ELEMENTS (args), error);
}

/* Returns the columns that a work-group counts: COLUMNS and STRIP. */
static guint
count_columns (const GstClPictureOp *op)
{
  const guint n_bins = get_problem (op)->waveform_bins;

  if (get_row (op)->waveform_bands == 0 &&
      get_source (get_problem (op)) != GST_CL_SCOPES_COMPONENTS)
    return 16;

  return n_bins <= 256 ? 32 : n_bins <= 512 ? 16 : 8;
}

static gboolean
run_waveforms (const GstClPictureOp *op, const GstClPictureInput *input,
    const GstClScopesLayout *layout, GError **error)
{
  GstClKernel *waveform = op->kernels[0][WAVEFORM];
  const guint n_bands = get_row (op)->waveform_bands;
  const cl_int4 luma = gst_cl_yuv_argument (&get_problem (op)->yuv, 0);
  cl_int4 first = { { 0 } };
  guint n_columns = 0, n = GST_CL_PICTURE_ARGUMENTS, x, n_rows;
  GstClArg args[GST_CL_PICTURE_ARGUMENTS + 4];

  if (!waveform)
    return TRUE;

  for (guint i = 0; i < layout->n_waveforms; i++) {
    first.s[i] = (cl_int) layout->first[i];
    n_columns = MAX (n_columns, layout->n_columns[i]);
  }
  gst_cl_picture_arguments_get (input, op->shape, args);
  args[n++] = (GstClArg) GST_CL_INT4 (luma);
  args[n++] = (GstClArg) GST_CL_INT4 (first);
  if (n_bands > 0)
    args[n++] = (GstClArg) GST_CL_INT (n_bands);
  args[n++] = (GstClArg) GST_CL_MEM (op->buffers[RESULT]);

  x = divide_up (n_columns, count_columns (op)) *
      (guint) gst_cl_kernel_local_size (waveform, 0);
  n_rows = n_bands > 0 ? n_bands : layout->n_waveforms;

  return n_columns == 0 ||
         gst_cl_kernel_launch (waveform, x, n_rows,
             n_bands > 0 ? layout->n_waveforms : 1, args, n, error);
}

static gboolean
run_vectorscope (const GstClPictureOp *op, const GstClPictureInput *input,
    const GstClScopesLayout *layout, GError **error)
{
  const GstClScopesProblem *problem = get_problem (op);
  GstClKernel *vectorscope = op->kernels[0][VECTORSCOPE];
  GstClKernel *merge = op->kernels[0][MERGE];
  const guint n_bins = problem->vectorscope_bins;
  const guint n_bands = count_vectorscope_bands (op);
  const guint uv_rows = MIN (8192 / MAX (n_bins, 1), n_bins); /* UV_ROWS */
  const GstClArg merge_args[] = { GST_CL_MEM (op->buffers[PARTS]),
    GST_CL_INT (n_bands), GST_CL_ULONG (layout->vectorscope),
    GST_CL_MEM (op->buffers[RESULT]) };
  const cl_int4 of_u = gst_cl_yuv_argument (&problem->yuv, 1);
  const cl_int4 of_v = gst_cl_yuv_argument (&problem->yuv, 2);
  guint n = GST_CL_FRAME_ARGUMENTS;
  GstClArg args[GST_CL_FRAME_ARGUMENTS + 5];

  if (!vectorscope)
    return TRUE;

  gst_cl_frame_arguments_get (input->components, op->shape->n_components, args);
  args[n++] = (GstClArg) GST_CL_INT4 (of_u);
  args[n++] = (GstClArg) GST_CL_INT4 (of_v);
  if (!merge)
    args[n++] = (GstClArg) GST_CL_ULONG (layout->vectorscope);
  args[n++] = (GstClArg) GST_CL_INT (n_bands);
  args[n++] = (GstClArg) GST_CL_MEM (op->buffers[merge ? PARTS : RESULT]);

  return gst_cl_kernel_launch (vectorscope,
             n_bands * gst_cl_kernel_local_size (vectorscope, 0),
             merge ? 1 : divide_up (n_bins, uv_rows), 1, args, n, error) &&
         (!merge || gst_cl_kernel_launch (merge, n_bins, 1, 1, merge_args,
                        G_N_ELEMENTS (merge_args), error));
}

static gboolean
run (GstClPictureOp *op, const GstClPictureInput *input, GError **error)
{
  GstClScopesLayout layout;

  get_layout (op, op->sizes, &layout);

  return run_clear (op, &layout, error) &&
         run_waveforms (op, input, &layout, error) &&
         run_vectorscope (op, input, &layout, error);
}

static const GstClPictureOpFuncs funcs = {
  .name = "scopes",
  .problem_bytes = sizeof (GstClScopesProblem),
  .word_bytes = sizeof (guint32),
  .n_answer_pictures = 1,
  .get_options = get_options,
  .needs_kernel = needs_kernel,
  .count_result_bytes = count_result_bytes,
  .count_buffer_bytes = count_buffer_bytes,
  .run = run,
};

/* --- results -------------------------------------------------------------- */

cl_mem
gst_cl_scopes_op_counts (const GstClPictureOp *op, GstClScopesLayout *layout)
{
  get_layout (op, op->sizes, layout);

  return op->buffers[RESULT];
}

gboolean
gst_cl_scopes_op_result (GstClPictureOp *op, guint slot,
    GstClScopesCounts *counts, GError **error)
{
  const GstClPictureSize *sizes;
  const guint32 *words = gst_cl_picture_op_result (op, slot, &sizes, error);

  if (!words)
    return FALSE;

  *counts = (GstClScopesCounts){ 0 };
  get_layout (op, sizes, &counts->layout);
  for (guint i = 0; i < counts->layout.n_waveforms; i++)
    counts->waveforms[i] = words + counts->layout.first[i];
  if (get_problem (op)->vectorscope_bins > 0)
    counts->vectorscope = words + counts->layout.vectorscope;

  return TRUE;
}

/* --- table --------------------------------------------------------------- */

static const Row in_strips = {
  .row = { .funcs = &funcs,
      .kernels = { NULL, "scopes_cpu_waveform", "scopes_cpu_vectorscope",
          "scopes_cpu_merge" } },
  .vectorscope_bands = 16,
  .knows_strides = TRUE,
};
static const Row plain = {
  .row = { .funcs = &funcs,
      .kernels = { "scopes_clear", "scopes_waveform", "scopes_vectorscope" } },
  .waveform_bands = 8,
  .vectorscope_bands = 64,
};

static const GstClImplementation rows[] = {
  { GST_CL_PICTURE_OP_CPU_ROW ("scopes", in_strips) },
  { GST_CL_PICTURE_OP_PLAIN_ROW ("scopes", plain) },
};

static const GstClScopesProblem problems[] = {
  {
      .picture = { .n_components = 3,
          .shapes = { GST_CL_ANSWER_8_BITS, GST_CL_ANSWER_8_BITS,
              GST_CL_ANSWER_8_BITS },
          .matrix = { .kind = GST_CL_RGB_YUV } },
      .n_waveforms = 3,
      .waveform_bins = 256,
      .vectorscope_bins = 256,
  },
  {
      .picture = { .n_components = 3,
          .shapes = { GST_CL_ANSWER_8_BITS, GST_CL_ANSWER_8_BITS,
              GST_CL_ANSWER_8_BITS },
          .matrix = { GST_CL_RGB_YUV, 25000, -3000, -7000, 29000, 128 } },
      .source = GST_CL_SCOPES_RGB,
      .n_waveforms = 3,
      .waveform_bins = 256,
      .has_rows_of_bins = TRUE,
  },
  {
      .picture = { .n_components = 1, .shapes = { GST_CL_ANSWER_10_BITS } },
      .n_waveforms = 1,
      .waveform_bins = 512,
      .has_rows_of_bins = TRUE,
  },
};

static const GstClAnswer answers[] = {
  { "YUV", &problems[0], G_GUINT64_CONSTANT (0xcf82d1a18a3fb371) },
  { "RGB", &problems[1], G_GUINT64_CONSTANT (0x1eb3fda380012e9f) },
  { "grey of 10 bits", &problems[2], G_GUINT64_CONSTANT (0x05ae686f75496aed) },
};

static gboolean
is_alike (gconstpointer answered, gconstpointer problem)
{
  const GstClScopesProblem *a = answered, *b = problem;

  return gst_cl_picture_op_is_alike (answered, problem) &&
         a->source == b->source;
}

static gchar *
describe (gconstpointer user_problem)
{
  const GstClScopesProblem *problem = user_problem;
  g_autofree gchar *more = g_strdup_printf (
      "kind %d, %u of source %d, bins %u and %u, %s, ",
      problem->picture.matrix.kind, problem->n_waveforms, problem->source,
      problem->waveform_bins, problem->vectorscope_bins,
      problem->has_rows_of_bins ? "rows of bins" : "rows of columns");

  return gst_cl_picture_shape_describe (&problem->picture, "scopes", more);
}

const GstClOpTable gst_cl_scopes_table = {
  .name = "scopes",
  .describe = describe,
  .is_alike = is_alike,
  GST_CL_PICTURE_OP_TABLE (rows, answers),
};

const GstClTieredFuncs gst_cl_scopes_tiered = {
  .table = &gst_cl_scopes_table,
  .problem_bytes = sizeof (GstClScopesProblem),
  GST_CL_PICTURE_OP_TIERED,
};
