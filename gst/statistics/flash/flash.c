/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Flashes: the table of implementations, their launches, state, results, known
 * answers. */

#include "flash.h"

#include <math.h>

#define FLASH_U64 guint64
#define FLASH_U32 guint32
#include "cl/memory/gstclbuffer.h"
#include "flash/cl_flash.clh"
#include "ops/knownanswer.h"
#include "ops/sample.h"

G_STATIC_ASSERT (FLASH_COLUMNS == GST_CL_FLASH_COLUMNS);
G_STATIC_ASSERT (FLASH_ROWS == GST_CL_FLASH_ROWS);
G_STATIC_ASSERT (FLASH_ONE == GST_CL_FLASH_ONE);
G_STATIC_ASSERT (FLASH_LUMINANCE_STEP == GST_CL_FLASH_LUMINANCE_STEP);
G_STATIC_ASSERT (FLASH_RED_STEP == GST_CL_FLASH_RED_STEP);
G_STATIC_ASSERT (FLASH_LARGEST == GST_CL_FLASH_LARGEST);
G_STATIC_ASSERT (sizeof (FlashTile) == sizeof (GstClFlashTile));

#define TILES_BYTES (FLASH_N_TILES * sizeof (FlashTile))

/* Buffers: tiles, then sums; the state of each cell, which adopt() may move to
 * another instance; the light of each code. */
enum { RESULT, STATE, LIGHT };

typedef struct {
  GstClPictureRow row;
  guint n_sums;         /* of a result, and work-groups */
  gboolean keeps_codes; /* the state has the codes of the picture before */
} Row;

static const GstClFlashProblem *
get_problem (const GstClPictureOp *op)
{
  return op->problem;
}

static const Row *
get_row (const GstClPictureOp *op)
{
  return (const Row *) op->row;
}

/* --- light ---------------------------------------------------------------- */

guint
gst_cl_flash_fraction (const GstClFlashProblem *problem)
{
  return FLASH_FRACTION (problem->curve.depth);
}

void
gst_cl_flash_light (const GstClFlashProblem *problem, guint32 *light)
{
  const guint fraction = gst_cl_flash_fraction (problem);
  const guint n = 1u << (problem->curve.depth + fraction);

  for (guint i = 0; i < n; i++) {
    const gdouble code = (gdouble) i / (1u << fraction);
    const gdouble share = gst_cl_light_of_code (&problem->curve, code) /
                          GST_CL_FLASH_REFERENCE;

    light[i] = (guint32) MIN (llrint (share * FLASH_ONE), FLASH_LARGEST_LIGHT);
  }
}

/* --- instances ------------------------------------------------------------ */

static gchar *
get_options (const GstClPictureOp *op, guint c G_GNUC_UNUSED)
{
  return gst_cl_picture_options (op->shape, get_row (op)->keeps_codes);
}

static gsize
count_result_bytes (const GstClPictureOp *op,
    const GstClPictureSize *sizes G_GNUC_UNUSED)
{
  return TILES_BYTES + get_row (op)->n_sums * sizeof (FlashSums);
}

static gsize
count_buffer_bytes (const GstClPictureOp *op, guint b)
{
  const GstClComponent *shape = &op->shape->shapes[0];

  return b == STATE ? (gsize) ((shape->width + 1) / 2) *
                          (gsize) ((shape->height + 1) / 2) * FLASH_N_STATES *
                          sizeof (guint16)
                    : 0;
}

static gboolean
make_light (GstClPictureOp *op, GError **error)
{
  const GstClFlashProblem *problem = get_problem (op);
  const gsize n_bytes = sizeof (guint32) << (problem->curve.depth +
                                             gst_cl_flash_fraction (problem));
  g_autofree guint32 *light = g_malloc (n_bytes);

  gst_cl_flash_light (problem, light);
  op->buffers[LIGHT] = gst_cl_buffer_new_filled (op->context, n_bytes, light,
      error);

  return op->buffers[LIGHT] != NULL;
}

static void
adopt (gpointer user_op, gpointer user_before)
{
  GstClPictureOp *op = user_op, *before = user_before;
  const cl_mem state = op->buffers[STATE];

  op->buffers[STATE] = before->buffers[STATE];
  op->has_state = before->has_state &&
                  (get_row (before)->keeps_codes || !get_row (op)->keeps_codes);
  op->state_size = before->state_size;
  before->buffers[STATE] = state;
}

/* --- runs and results ----------------------------------------------------- */

static gboolean
run (GstClPictureOp *op, const GstClPictureInput *input, GError **error)
{
  const GstClRgbMatrix *matrix = &op->shape->matrix;
  GstClKernel *measure = op->kernels[0][0];
  const cl_int4 coefficients = gst_cl_rgb_argument (matrix);
  const gboolean is_first = !op->has_state ||
                            op->state_size.width != op->sizes[0].width ||
                            op->state_size.height != op->sizes[0].height;
  cl_int4 weights = { { 0 } };
  GstClArg args[GST_CL_FRAME_ARGUMENTS + 7];

  gst_cl_rgb_round_weights (get_problem (op)->weights, 1 << FLASH_WEIGHT_SHIFT,
      weights.s);
  gst_cl_frame_arguments_get (input->components, op->shape->n_components, args);
  args[GST_CL_FRAME_ARGUMENTS] = (GstClArg) GST_CL_MEM (op->buffers[LIGHT]);
  args[GST_CL_FRAME_ARGUMENTS + 1] = (GstClArg) GST_CL_MEM (op->buffers[STATE]);
  args[GST_CL_FRAME_ARGUMENTS + 2] = (GstClArg) GST_CL_INT4 (coefficients);
  args[GST_CL_FRAME_ARGUMENTS + 3] = (GstClArg) GST_CL_INT (matrix->middle);
  args[GST_CL_FRAME_ARGUMENTS + 4] = (GstClArg) GST_CL_INT4 (weights);
  args[GST_CL_FRAME_ARGUMENTS + 5] = (GstClArg) GST_CL_INT (is_first);
  args[GST_CL_FRAME_ARGUMENTS + 6] = (GstClArg) GST_CL_MEM (
      op->buffers[RESULT]);

  /* a launch that fails leaves the state as it is, or undefined */
  op->has_state = gst_cl_kernel_launch (measure,
      get_row (op)->n_sums * gst_cl_kernel_local_size (measure, 0), 1, 1, args,
      G_N_ELEMENTS (args), error);
  op->state_size = op->sizes[0];

  return op->has_state;
}

gboolean
gst_cl_flash_op_result (GstClPictureOp *op, guint slot,
    GstClFlashCounts *counts, GError **error)
{
  const GstClPictureSize *sizes;
  const guint8 *bytes = gst_cl_picture_op_result (op, slot, &sizes, error);
  const FlashSums *sums;

  if (!bytes)
    return FALSE;

  *counts = (GstClFlashCounts){
    .columns = (gint) (sizes[0].width + 1) / 2,
    .rows = (gint) (sizes[0].height + 1) / 2,
    .tiles = (const GstClFlashTile *) bytes,
  };
  counts->n_cells = (guint64) counts->columns * (guint64) counts->rows;
  sums = (const FlashSums *) (bytes + TILES_BYTES);
  for (guint i = 0; i < get_row (op)->n_sums; i++) {
    counts->luminance += sums[i].luminance;
    counts->red += sums[i].red;
    counts->n_changed_luminance += sums[i].n_changed_luminance;
    counts->n_changed_red += sums[i].n_changed_red;
  }

  return TRUE;
}

/* Rows have different numbers of sums. */
static gboolean
add_digest (GstClPictureOp *op, guint slot, guint64 *digest, GError **error)
{
  GstClFlashCounts counts;

  if (!gst_cl_flash_op_result (op, slot, &counts, error))
    return FALSE;

  const guint64 sums[] = { counts.luminance, counts.red,
    counts.n_changed_luminance, counts.n_changed_red };

  *digest = gst_cl_answer_digest (*digest, sums, G_N_ELEMENTS (sums),
      sizeof sums[0]);
  *digest = gst_cl_answer_digest (*digest, counts.tiles,
      TILES_BYTES / sizeof (guint32), sizeof (guint32));

  return TRUE;
}

static const GstClPictureOpFuncs funcs = {
  .name = "flash",
  .problem_bytes = sizeof (GstClFlashProblem),
  .n_answer_pictures = 2, /* the second one is compared with the first */
  .get_options = get_options,
  .count_result_bytes = count_result_bytes,
  .count_buffer_bytes = count_buffer_bytes,
  .init = make_light,
  .run = run,
  .add_digest = add_digest,
};

/* --- table --------------------------------------------------------------- */

static const Row in_rows = { .row = { .funcs = &funcs,
                                 .kernels = { "flash_cpu_measure" } },
  .n_sums = FLASH_ROWS,
  .keeps_codes = TRUE };
static const Row plain = { .row = { .funcs = &funcs,
                               .kernels = { "flash_measure" } },
  .n_sums = FLASH_N_TILES };

static const GstClImplementation rows[] = {
  { GST_CL_PICTURE_OP_CPU_ROW ("flash", in_rows) },
  { GST_CL_PICTURE_OP_PLAIN_ROW ("flash", plain) },
};

/* Linear light: the answer depends on no function of libm. */
#define LINEAR_CURVE(bits)                                                     \
  {                                                                            \
    .transfer = GST_CL_TRANSFER_LINEAR, .is_full_range = TRUE, .depth = bits,  \
    .peak = GST_CL_FLASH_REFERENCE,                                            \
  }

#define WEIGHTS                                                                \
  {                                                                            \
    0.2126, 0.7152, 0.0722                                                     \
  }

static const GstClFlashProblem problems[] = {
  {
      .picture = { .n_components = 3,
          .shapes = { GST_CL_ANSWER_8_BITS, GST_CL_ANSWER_8_BITS,
              GST_CL_ANSWER_8_BITS },
          .matrix = { .kind = GST_CL_RGB_RGB } },
      .curve = LINEAR_CURVE (8),
      .weights = WEIGHTS,
  },
  {
      .picture = { .n_components = 1,
          .shapes = { GST_CL_ANSWER_10_BITS },
          .matrix = { .kind = GST_CL_RGB_GREY } },
      .curve = LINEAR_CURVE (10),
      .weights = WEIGHTS,
  },
};

static const GstClAnswer answers[] = {
  { "RGB", &problems[0], G_GUINT64_CONSTANT (0xa56992276dbad8ce) },
  { "grey of 10 bits", &problems[1], G_GUINT64_CONSTANT (0xcdb179ef86ae364e) },
};

static gchar *
describe (gconstpointer user_problem)
{
  const GstClFlashProblem *problem = user_problem;
  g_autofree gchar *more = g_strdup_printf ("kind %d, ",
      problem->picture.matrix.kind);

  return gst_cl_picture_shape_describe (&problem->picture, "flashes", more);
}

const GstClOpTable gst_cl_flash_table = {
  .name = "flash",
  .describe = describe,
  .is_alike = gst_cl_picture_op_is_alike,
  GST_CL_PICTURE_OP_TABLE (rows, answers),
};

const GstClTieredFuncs gst_cl_flash_tiered = {
  .table = &gst_cl_flash_table,
  .problem_bytes = sizeof (GstClFlashProblem),
  .adopt = adopt,
  GST_CL_PICTURE_OP_TIERED,
};
