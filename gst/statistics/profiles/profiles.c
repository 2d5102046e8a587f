/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Profiles: the table of implementations, their launches, results, known
 * answers. */

#include "profiles.h"

#include "ops/knownanswer.h"
#include "ops/sample.h"
#include "profiles/cl_profiles.clh"

#include <string.h>

#define BANDS_PER_UNIT 4 /* a late band costs a quarter of a unit's time */

/* The numbers of 16 columns in a band take this much, kernels/profiles/cpu.cl:
 * four vectors of 32 bytes, and two of samples. */
#define CPU_COLUMNS      16
#define CPU_COLUMN_BYTES 192

#define COLUMNS 16 /* of kernels/profiles/plain.cl */

/* Kernels and buffers of rows. A row without MERGE measures all components in a
 * launch; others measure bands of a component, whose pixel stride the kernels
 * know. */
enum { MEASURE, MERGE };
enum { RESULT, PARTIALS };

typedef struct {
  guint n_rows, n_columns;
} Size;

/* A component without samples has no rows and no columns. */
static Size
get_size (guint width, guint height)
{
  return width == 0 || height == 0 ? (Size){ 0, 0 } : (Size){ height, width };
}

static gsize
count_words (Size size)
{
  return (gsize) size.n_rows * N_ROW_NUMBERS +
         (gsize) size.n_columns * N_COLUMN_NUMBERS;
}

/* Returns the number of bands of rows, of which partial results exist. */
static guint
count_bands (const GstClPictureOp *op, guint n_rows)
{
  const guint least = (n_rows + PROFILE_BAND_ROWS - 1) / PROFILE_BAND_ROWS;
  const guint wanted = op->context->device->compute_units * BANDS_PER_UNIT;

  return CLAMP (wanted, least, n_rows);
}

static gchar *
get_options (const GstClPictureOp *op, guint c)
{
  const GstClComponent *shape = &op->shape->shapes[c];
  g_autofree gchar *type = gst_cl_sample_options (&shape->sample);
  g_autofree gchar *stride = g_strdup_printf (" -DSTRIDE=%d",
      gst_cl_component_pixel_stride (shape));

  return g_strdup_printf ("%s -DDEPTH=%u%s", type, shape->sample.depth,
      op->row->kernels[MERGE] ? stride : "");
}

static gsize
count_result_bytes (const GstClPictureOp *op, const GstClPictureSize *sizes)
{
  gsize n_words = 0;

  for (guint c = 0; c < op->shape->n_components; c++)
    n_words += count_words (get_size (sizes[c].width, sizes[c].height));

  return n_words * sizeof (guint32);
}

static gsize
count_buffer_bytes (const GstClPictureOp *op, guint b)
{
  gsize most = 0;

  if (b != PARTIALS || !op->row->kernels[MERGE])
    return 0;

  for (guint c = 0; c < op->shape->n_components; c++) {
    const GstClComponent *shape = &op->shape->shapes[c];

    most = MAX (most, (gsize) (shape->width + CPU_COLUMNS - 1) / CPU_COLUMNS *
                          CPU_COLUMN_BYTES *
                          count_bands (op, (guint) shape->height));
  }

  return most;
}

/* --- runs ----------------------------------------------------------------- */

/* Enqueues all components. */
static gboolean
measure_all (const GstClPictureOp *op, const GstClComponent *components,
    GError **error)
{
  const guint n = op->shape->n_components;
  GstClKernel *measure = op->kernels[0][MEASURE];
  GstClArg args[GST_CL_FRAME_ARGUMENTS + 1];
  gsize n_groups = 0;

  for (guint c = 0; c < n; c++)
    n_groups = MAX (n_groups,
        (gsize) components[c].height +
            (gsize) (components[c].width + COLUMNS - 1) / COLUMNS);
  if (n_groups == 0)
    return TRUE;

  gst_cl_frame_arguments_get (components, n, args);
  args[GST_CL_FRAME_ARGUMENTS] = (GstClArg) GST_CL_MEM (op->buffers[RESULT]);

  return gst_cl_kernel_launch (measure,
      n_groups * gst_cl_kernel_local_size (measure, 0), n, 1, args,
      G_N_ELEMENTS (args), error);
}

/* Enqueues component @c. */
static gboolean
measure_component (const GstClPictureOp *op, const GstClComponent *component,
    guint c, guint first_word, GError **error)
{
  const gint width = component->width, height = component->height;
  const guint n_bands = count_bands (op, (guint) height);
  const GstClArg args[] = {
    GST_CL_MEM (component->mem),
    GST_CL_ULONG (component->offset_bytes),
    GST_CL_INT (component->stride_bytes),
    GST_CL_INT (width),
    GST_CL_INT (height),
    GST_CL_INT (n_bands),
    GST_CL_MEM (op->buffers[RESULT]),
    GST_CL_UINT (first_word),
    GST_CL_MEM (op->buffers[PARTIALS]),
  };
  const GstClArg merge_args[] = {
    GST_CL_INT (width),
    GST_CL_INT (height),
    GST_CL_INT (n_bands),
    GST_CL_MEM (op->buffers[RESULT]),
    GST_CL_UINT (first_word),
    GST_CL_MEM (op->buffers[PARTIALS]),
  };

  return gst_cl_kernel_launch (op->kernels[c][MEASURE], n_bands, 1, 1, args,
             G_N_ELEMENTS (args), error) &&
         gst_cl_kernel_launch (op->kernels[c][MERGE],
             (gsize) (width + CPU_COLUMNS - 1) / CPU_COLUMNS, 1, 1, merge_args,
             G_N_ELEMENTS (merge_args), error);
}

static gboolean
run (GstClPictureOp *op, const GstClPictureInput *input, GError **error)
{
  GstClComponent components[GST_CL_PICTURE_MAX_COMPONENTS];
  guint word = 0;

  for (guint c = 0; c < op->shape->n_components; c++) {
    const Size size = get_size (op->sizes[c].width, op->sizes[c].height);

    components[c] = input->components[c];
    components[c].width = (gint) size.n_columns;
    components[c].height = (gint) size.n_rows;
    if (op->row->is_by_component && size.n_rows > 0 &&
        !measure_component (op, &components[c], c, word, error))
      return FALSE;
    word += count_words (size);
  }

  return op->row->is_by_component || measure_all (op, components, error);
}

static const GstClPictureOpFuncs funcs = {
  .name = "profiles",
  .problem_bytes = sizeof (GstClPictureShape),
  .word_bytes = sizeof (guint32),
  .n_answer_pictures = 1,
  .get_options = get_options,
  .count_result_bytes = count_result_bytes,
  .count_buffer_bytes = count_buffer_bytes,
  .run = run,
};

/* --- results -------------------------------------------------------------- */

static GstClProfile
name_numbers (Size size, const guint32 *words)
{
  const guint32 *rows = words;
  const guint32 *columns = rows + (gsize) size.n_rows * N_ROW_NUMBERS;

  return (GstClProfile){
    .n_rows = size.n_rows,
    .n_columns = size.n_columns,
    .row_sum = rows + PROFILE_SUM * size.n_rows,
    .row_min = rows + PROFILE_MIN * size.n_rows,
    .row_max = rows + PROFILE_MAX * size.n_rows,
    .row_difference = rows + PROFILE_DIFFERENCE * size.n_rows,
    .row_field_difference = rows + PROFILE_FIELD_DIFFERENCE * size.n_rows,
    .column_sum = columns + PROFILE_SUM * size.n_columns,
    .column_min = columns + PROFILE_MIN * size.n_columns,
    .column_max = columns + PROFILE_MAX * size.n_columns,
    .column_difference = columns + PROFILE_DIFFERENCE * size.n_columns,
  };
}

gboolean
gst_cl_profiles_op_result (GstClPictureOp *op, guint slot,
    GstClProfile *profiles, GError **error)
{
  const GstClPictureSize *sizes;
  const guint32 *words = gst_cl_picture_op_result (op, slot, &sizes, error);

  if (!words)
    return FALSE;

  for (guint c = 0; c < op->shape->n_components; c++) {
    const Size size = get_size (sizes[c].width, sizes[c].height);

    profiles[c] = name_numbers (size, words);
    words += count_words (size);
  }

  return TRUE;
}

/* --- table --------------------------------------------------------------- */

static const GstClPictureRow bands = { .funcs = &funcs,
  .kernels = { "profiles_cpu_measure", "profiles_cpu_merge" },
  .is_by_component = TRUE };
static const GstClPictureRow plain = { .funcs = &funcs,
  .kernels = { "profiles_measure" } };

static const GstClImplementation rows[] = {
  { GST_CL_PICTURE_OP_CPU_ROW ("profiles", bands) },
  { GST_CL_PICTURE_OP_PLAIN_ROW ("profiles", plain),
      .quick_on = GST_CL_FAMILY_BIT (GST_CL_FAMILY_CPU) },
};

static const GstClPictureShape problems[] = {
  { .n_components = 1, .shapes = { GST_CL_ANSWER_8_BITS } },
  { .n_components = 1, .shapes = { GST_CL_ANSWER_10_BITS } },
};

static const GstClAnswer answers[] = {
  { "luma", &problems[0], G_GUINT64_CONSTANT (0xbe2aac8786b2e2be) },
  { "10 bits", &problems[1], G_GUINT64_CONSTANT (0x4c043eb51713b7d1) },
};

static gchar *
describe (gconstpointer problem)
{
  return gst_cl_picture_shape_describe (problem, "profiles", "");
}

const GstClOpTable gst_cl_profiles_table = {
  .name = "profiles",
  .describe = describe,
  .is_alike = gst_cl_picture_op_is_alike,
  GST_CL_PICTURE_OP_TABLE (rows, answers),
};

const GstClTieredFuncs gst_cl_profiles_tiered = {
  .table = &gst_cl_profiles_table,
  .problem_bytes = sizeof (GstClPictureShape),
  GST_CL_PICTURE_OP_TIERED,
};
