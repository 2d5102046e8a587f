/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Steps between blocks: the table of implementations, their launches, known
 * answers, and blockiness. */

#include "blocks.h"

#include "ops/knownanswer.h"
#include "ops/sample.h"

#define BANDS_PER_UNIT 4   /* a late band costs a quarter of a unit's time */
#define MAX_BAND_ROWS  128 /* RATIO_TERMS of kernels/blocks/cl_blocks.clh */
#define MERGED_COLUMNS 64  /* of kernels/blocks/cpu.cl */
#define N_LINES        8
#define COLUMNS        8 /* of kernels/blocks/plain.cl */

/* Kernels and buffers of rows. A row without MERGE has no bands. */
enum { MEASURE, MERGE };
enum { RESULT, COLUMN_SUMS, STEPS }; /* the last two of each band */

static guint
divide_up (guint n, guint divisor)
{
  return (n + divisor - 1) / divisor;
}

static guint
count_bands (const GstClPictureOp *op, guint n_rows)
{
  const guint wanted = op->context->device->compute_units * BANDS_PER_UNIT;

  return CLAMP (wanted, divide_up (n_rows, MAX_BAND_ROWS), n_rows);
}

static gchar *
get_options (const GstClPictureOp *op, guint c G_GNUC_UNUSED)
{
  const GstClComponent *shape = &op->shape->shapes[0];
  g_autofree gchar *type = gst_cl_sample_options (&shape->sample);
  g_autoptr (GString) text = g_string_new (type);

  g_string_append_printf (text, " -DDEPTH=%u", shape->sample.depth);
  if (op->row->kernels[MERGE])
    g_string_append_printf (text, " -DSTRIDE=%d",
        gst_cl_component_pixel_stride (shape));
  if (op->row->kernels[MERGE] && op->context->device->can_round_quotients)
    g_string_append (text,
        " -DROUNDS_QUOTIENTS=1 -cl-fp32-correctly-rounded-divide-sqrt");

  return g_string_free (g_steal_pointer (&text), FALSE);
}

static gsize
count_result_bytes (const GstClPictureOp *op G_GNUC_UNUSED,
    const GstClPictureSize *sizes)
{
  return ((gsize) sizes[0].width + sizes[0].height) * sizeof (guint64);
}

static gsize
count_buffer_bytes (const GstClPictureOp *op, guint b)
{
  const GstClComponent *shape = &op->shape->shapes[0];
  const gsize width = (gsize) shape->width;
  const gsize n_bands = count_bands (op, (guint) shape->height);

  if (!op->row->kernels[MERGE])
    return 0;

  return b == COLUMN_SUMS ? n_bands * width * sizeof (guint32)
                          : n_bands * N_LINES * width * shape->sample.bytes;
}

/* --- runs ----------------------------------------------------------------- */

static gboolean
run_bands (const GstClPictureOp *op, const GstClComponent *component,
    GError **error)
{
  const gint width = component->width;
  const guint n_bands = count_bands (op, (guint) component->height);
  const GstClArg args[] = {
    GST_CL_MEM (component->mem),
    GST_CL_ULONG (component->offset_bytes),
    GST_CL_INT (component->stride_bytes),
    GST_CL_INT (width),
    GST_CL_INT (component->height),
    GST_CL_INT (n_bands),
    GST_CL_MEM (op->buffers[COLUMN_SUMS]),
    GST_CL_MEM (op->buffers[STEPS]),
    GST_CL_MEM (op->buffers[RESULT]),
  };
  const GstClArg merge_args[] = {
    GST_CL_INT (width),
    GST_CL_INT (n_bands),
    GST_CL_MEM (op->buffers[COLUMN_SUMS]),
    GST_CL_MEM (op->buffers[RESULT]),
  };

  return gst_cl_kernel_launch (op->kernels[0][MEASURE], n_bands, 1, 1, args,
             G_N_ELEMENTS (args), error) &&
         gst_cl_kernel_launch (op->kernels[0][MERGE],
             divide_up ((guint) width, MERGED_COLUMNS), 1, 1, merge_args,
             G_N_ELEMENTS (merge_args), error);
}

static gboolean
run_groups (const GstClPictureOp *op, const GstClComponent *component,
    GError **error)
{
  GstClKernel *measure = op->kernels[0][MEASURE];
  const guint width = (guint) component->width;
  const gsize n_groups = (guint) component->height + divide_up (width, COLUMNS);
  const GstClArg args[] = {
    GST_CL_MEM (component->mem),
    GST_CL_ULONG (component->offset_bytes),
    GST_CL_INT (component->stride_bytes),
    GST_CL_INT (gst_cl_component_pixel_stride (component)),
    GST_CL_INT (component->width),
    GST_CL_INT (component->height),
    GST_CL_MEM (op->buffers[RESULT]),
  };

  return gst_cl_kernel_launch (measure,
      n_groups * gst_cl_kernel_local_size (measure, 0), 1, 1, args,
      G_N_ELEMENTS (args), error);
}

static gboolean
run (GstClPictureOp *op, const GstClPictureInput *input, GError **error)
{
  const GstClComponent *component = &input->components[0];

  if (component->width < 1 || component->height < 1)
    return gst_cl_check (CL_INVALID_VALUE, "blocks: no samples", error);

  return op->kernels[0][MERGE] ? run_bands (op, component, error)
                               : run_groups (op, component, error);
}

static const GstClPictureOpFuncs funcs = {
  .name = "blocks",
  .problem_bytes = sizeof (GstClPictureShape),
  .word_bytes = sizeof (guint64),
  .n_answer_pictures = 1,
  .get_options = get_options,
  .count_result_bytes = count_result_bytes,
  .count_buffer_bytes = count_buffer_bytes,
  .run = run,
};

/* --- blockiness ----------------------------------------------------------- */

#define FIRST_PERIOD 3
#define LAST_PERIOD  24
#define FIRST        3 /* the first step with a ratio */
#define LAST         4 /* behind the last one */

/* Returns how much greater the sums at the last line of each period are than
 * others, of the period where that is most. An edge may be a line beside, where
 * a picture was scaled: @near is scratch memory for the greatest sum of each
 * line and of those beside, @n elements. Integers, because sums of floats wait
 * for each other. */
static gdouble
compare_periods (const guint64 *sums, guint n, guint64 *near)
{
  gdouble most = 0.0;
  guint64 total = 0;
  guint n_all;

  if (n < FIRST + LAST + 1)
    return 0.0;
  n_all = n - FIRST - LAST;
  for (guint i = FIRST; i < n - LAST; i++) {
    total += sums[i];
    near[i] = MAX (MAX (sums[i - 1], sums[i]), sums[i + 1]);
  }

  for (guint period = FIRST_PERIOD; period <= LAST_PERIOD; period++) {
    guint64 edges = 0, of_edges = 0;
    guint n_edges = 0;
    const guint first = FIRST + (period - 1 + period - FIRST % period) % period;

    for (guint i = first; i < n - LAST; i += period) {
      edges += near[i];
      of_edges += sums[i];
      n_edges++;
    }
    if (n_edges == 0 || n_edges == n_all || total <= of_edges)
      continue;
    most = MAX (most, (gdouble) edges / n_edges /
                          ((gdouble) (total - of_edges) / (n_all - n_edges)));
  }

  return most;
}

gdouble
gst_cl_blockiness (const guint64 *columns, guint n_columns, const guint64 *rows,
    guint n_rows)
{
  g_autofree guint64 *near = g_new (guint64, MAX (n_columns, n_rows));

  return MAX (compare_periods (columns, n_columns, near),
      compare_periods (rows, n_rows, near));
}

gboolean
gst_cl_blocks_op_result (GstClPictureOp *op, guint slot, gdouble *blockiness,
    GError **error)
{
  const GstClPictureSize *sizes;
  const guint64 *words = gst_cl_picture_op_result (op, slot, &sizes, error);

  if (!words)
    return FALSE;
  *blockiness = gst_cl_blockiness (words, sizes[0].width,
      words + sizes[0].width, sizes[0].height);

  return TRUE;
}

/* --- table --------------------------------------------------------------- */

static const GstClPictureRow bands = { .funcs = &funcs,
  .kernels = { "blocks_cpu_measure", "blocks_cpu_merge" } };
static const GstClPictureRow plain = { .funcs = &funcs,
  .kernels = { "blocks_measure" } };

static const GstClImplementation rows[] = {
  { GST_CL_PICTURE_OP_CPU_ROW ("blocks", bands) },
  { GST_CL_PICTURE_OP_PLAIN_ROW ("blocks", plain),
      .quick_on = GST_CL_FAMILY_BIT (GST_CL_FAMILY_CPU) },
};

static const GstClPictureShape problems[] = {
  { .n_components = 1, .shapes = { GST_CL_ANSWER_8_BITS } },
  { .n_components = 1, .shapes = { GST_CL_ANSWER_10_BITS } },
};

static const GstClAnswer answers[] = {
  { "luma", &problems[0], G_GUINT64_CONSTANT (0x519002c84450ab4d) },
  { "10 bits", &problems[1], G_GUINT64_CONSTANT (0xec9c158387ee5a38) },
};

static gchar *
describe (gconstpointer problem)
{
  return gst_cl_picture_shape_describe (problem, "blocks", "");
}

const GstClOpTable gst_cl_blocks_table = {
  .name = "blocks",
  .describe = describe,
  .is_alike = gst_cl_picture_op_is_alike,
  GST_CL_PICTURE_OP_TABLE (rows, answers),
};

const GstClTieredFuncs gst_cl_blocks_tiered = {
  .table = &gst_cl_blocks_table,
  .problem_bytes = sizeof (GstClPictureShape),
  GST_CL_PICTURE_OP_TIERED,
};
