/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Profiles: the table of implementations, their launches, and results. */

#include "profiles.h"
#include "profilesprivate.h"

#include "cl/context/gstclkernel.h"
#include "cl/memory/gstclbuffer.h"
#include "cl/memory/gstclreadback.h"
#include "ops/sample.h"
#include "profiles/cl_profiles.clh"

#include <string.h>

#define BANDS_PER_UNIT 4 /* a late band costs a quarter of a unit's time */

/* The numbers of 16 columns in a band take this much, kernels/profiles/cpu.cl:
 * four vectors of 32 bytes, and two of samples. */
#define CPU_COLUMNS      16
#define CPU_COLUMN_BYTES 192

#define COLUMNS 16 /* of kernels/profiles/plain.cl */

/* --- instances ------------------------------------------------------------ */

/* The constant of a row. */
typedef struct {
  const gchar *measure;
  const gchar *merge; /* of bands of a component, whose pixel stride the kernels
                         know; NULL: a launch measures all components */
} Row;

/* Sizes of components in a run. */
typedef struct {
  guint n_rows, n_columns;
} Size;

typedef struct {
  GstClReadback *readback; /* NULL before the first read into the slot */
  Size sizes[GST_CL_PROFILES_MAX_COMPONENTS];
} Slot;

struct _GstClProfilesOp {
  GstClContext *context;
  const Row *row;
  GstClProfilesProblem problem;

  /* of each component, or the first one for all of them */
  GstClKernel *measure[GST_CL_PROFILES_MAX_COMPONENTS];
  GstClKernel *merge[GST_CL_PROFILES_MAX_COMPONENTS]; /* or NULL */

  cl_mem result;                              /* of the last run */
  gsize result_bytes;                         /* of the largest frame */
  cl_mem partials;                            /* of a launch; or NULL */
  Size sizes[GST_CL_PROFILES_MAX_COMPONENTS]; /* of the last run */
  Slot slots[GST_CL_PROFILES_SLOTS];
};

static gsize
count_words (const Size *size)
{
  return (gsize) size->n_rows * N_ROW_NUMBERS +
         (gsize) size->n_columns * N_COLUMN_NUMBERS;
}

/* Returns the number of bands of rows, of which partial results exist. */
static guint
count_bands (const GstClProfilesOp *self, guint n_rows)
{
  const guint least = (n_rows + PROFILE_BAND_ROWS - 1) / PROFILE_BAND_ROWS;
  const guint wanted = self->context->device->compute_units * BANDS_PER_UNIT;

  return CLAMP (wanted, least, n_rows);
}

static gsize
count_partial_bytes (const GstClProfilesOp *self, const GstClComponent *shape)
{
  return (gsize) (shape->width + CPU_COLUMNS - 1) / CPU_COLUMNS *
         CPU_COLUMN_BYTES * count_bands (self, shape->height);
}

static gboolean
build_kernels (GstClProfilesOp *self, const GstClImplementation *row, guint c,
    GError **error)
{
  const GstClComponent *shape = &self->problem.shapes[c];
  g_autofree gchar *type = gst_cl_sample_options (&shape->sample);
  g_autofree gchar *options = g_strdup_printf ("%s -DDEPTH=%u", type,
      shape->sample.depth);
  g_autofree gchar *with_stride = g_strdup_printf ("%s -DSTRIDE=%d", options,
      gst_cl_component_pixel_stride (shape));

  if (self->row->merge) {
    g_free (options);
    options = g_steal_pointer (&with_stride);
  }
  self->measure[c] = gst_cl_kernel_new (self->context, row->resource, options,
      self->row->measure, error);
  if (!self->measure[c] || !self->row->merge)
    return self->measure[c] != NULL;
  self->merge[c] = gst_cl_kernel_new (self->context, row->resource, options,
      self->row->merge, error);

  return self->merge[c] != NULL;
}

static gboolean
allocate (GstClProfilesOp *self, GError **error)
{
  gsize partial_bytes = 0, n_words = 0;

  for (guint c = 0; c < self->problem.n_components; c++) {
    const GstClComponent *shape = &self->problem.shapes[c];
    const Size size = { shape->height, shape->width };

    n_words += count_words (&size);
    partial_bytes = MAX (partial_bytes, count_partial_bytes (self, shape));
  }
  self->result_bytes = n_words * sizeof (guint32);
  self->result = gst_cl_buffer_new (self->context, self->result_bytes, error);
  if (!self->result || !self->row->merge)
    return self->result != NULL;
  self->partials = gst_cl_buffer_new (self->context, partial_bytes, error);

  return self->partials != NULL;
}

gpointer
gst_cl_profiles_op_new (GstClContext *context, const GstClCandidate *candidate,
    gconstpointer problem, GError **error)
{
  g_autoptr (GstClProfilesOp) self = g_new0 (GstClProfilesOp, 1);
  guint n_kernels;

  self->context = gst_object_ref (context);
  self->row = candidate->implementation->data;
  self->problem = *(const GstClProfilesProblem *) problem;
  n_kernels = self->row->merge ? self->problem.n_components : 1;
  for (guint c = 0; c < n_kernels; c++) {
    if (!build_kernels (self, candidate->implementation, c, error))
      return NULL;
  }

  return allocate (self, error) ? g_steal_pointer (&self) : NULL;
}

void
gst_cl_profiles_op_free (gpointer op)
{
  GstClProfilesOp *self = op;

  if (!self)
    return;

  for (guint i = 0; i < GST_CL_PROFILES_SLOTS; i++)
    g_clear_pointer (&self->slots[i].readback, gst_cl_readback_free);
  for (guint c = 0; c < GST_CL_PROFILES_MAX_COMPONENTS; c++) {
    g_clear_pointer (&self->measure[c], gst_cl_kernel_free);
    g_clear_pointer (&self->merge[c], gst_cl_kernel_free);
  }
  g_clear_pointer (&self->result, gst_cl_buffer_free);
  g_clear_pointer (&self->partials, gst_cl_buffer_free);
  gst_clear_object (&self->context);
  g_free (self);
}

/* --- runs ----------------------------------------------------------------- */

/* Enqueues all components. */
static gboolean
measure_all (const GstClProfilesOp *self, const GstClComponent *components,
    GError **error)
{
  const guint n = self->problem.n_components;
  GstClKernel *measure = self->measure[0];
  GstClArg args[GST_CL_FRAME_ARGUMENTS + 1];
  gsize n_groups = 0;

  for (guint c = 0; c < n; c++)
    n_groups = MAX (n_groups,
        (gsize) components[c].height +
            (gsize) (components[c].width + COLUMNS - 1) / COLUMNS);
  if (n_groups == 0)
    return TRUE;

  gst_cl_frame_arguments_get (components, n, args);
  args[GST_CL_FRAME_ARGUMENTS] = (GstClArg) GST_CL_MEM (self->result);

  return gst_cl_kernel_launch (measure,
      n_groups * gst_cl_kernel_local_size (measure, 0), n, 1, args,
      G_N_ELEMENTS (args), error);
}

/* Enqueues component @c. */
static gboolean
measure_component (const GstClProfilesOp *self, const GstClComponent *component,
    guint c, guint first_word, GError **error)
{
  const gint width = component->width, height = component->height;
  const guint n_bands = count_bands (self, height);
  const GstClArg args[] = {
    GST_CL_MEM (component->mem),
    GST_CL_ULONG (component->offset_bytes),
    GST_CL_INT (component->stride_bytes),
    GST_CL_INT (width),
    GST_CL_INT (height),
    GST_CL_INT (n_bands),
    GST_CL_MEM (self->result),
    GST_CL_UINT (first_word),
    GST_CL_MEM (self->partials),
  };
  const GstClArg merge_args[] = {
    GST_CL_INT (width),
    GST_CL_INT (height),
    GST_CL_INT (n_bands),
    GST_CL_MEM (self->result),
    GST_CL_UINT (first_word),
    GST_CL_MEM (self->partials),
  };

  return gst_cl_kernel_launch (self->measure[c], n_bands, 1, 1, args,
             G_N_ELEMENTS (args), error) &&
         gst_cl_kernel_launch (self->merge[c],
             (width + CPU_COLUMNS - 1) / CPU_COLUMNS, 1, 1, merge_args,
             G_N_ELEMENTS (merge_args), error);
}

gboolean
gst_cl_profiles_op_run (gpointer op, gconstpointer user_components,
    GError **error)
{
  GstClProfilesOp *self = op;
  const guint n = self->problem.n_components;
  GstClComponent components[GST_CL_PROFILES_MAX_COMPONENTS];
  guint word = 0;

  memcpy (components, user_components, n * sizeof *components);
  if (!gst_cl_components_check_parts (components, self->problem.shapes, n,
          "profiles", error))
    return FALSE;

  for (guint c = 0; c < n; c++) {
    GstClComponent *component = &components[c];

    if (component->width < 1 || component->height < 1)
      component->width = component->height = 0;
    self->sizes[c] = (Size){ component->height, component->width };
    if (self->row->merge && component->width > 0 &&
        !measure_component (self, component, c, word, error))
      return FALSE;
    word += count_words (&self->sizes[c]);
  }

  return self->row->merge || measure_all (self, components, error);
}

/* --- results -------------------------------------------------------------- */

gboolean
gst_cl_profiles_op_fetch (GstClProfilesOp *self, guint slot, GError **error)
{
  Slot *at = &self->slots[slot];
  gsize n_words = 0;

  g_return_val_if_fail (slot < GST_CL_PROFILES_SLOTS, FALSE);

  if (!at->readback)
    at->readback = gst_cl_readback_new (self->context, 1, self->result_bytes,
        error);
  if (!at->readback)
    return FALSE;

  for (guint c = 0; c < self->problem.n_components; c++) {
    at->sizes[c] = self->sizes[c];
    n_words += count_words (&self->sizes[c]);
  }

  return gst_cl_readback_enqueue_part (at->readback, 0, self->result,
      n_words * sizeof (guint32), error);
}

static GstClProfile
name_numbers (const Size *size, const guint32 *words)
{
  const guint32 *rows = words;
  const guint32 *columns = rows + (gsize) size->n_rows * N_ROW_NUMBERS;

  return (GstClProfile){
    .n_rows = size->n_rows,
    .n_columns = size->n_columns,
    .row_sum = rows + PROFILE_SUM * size->n_rows,
    .row_min = rows + PROFILE_MIN * size->n_rows,
    .row_max = rows + PROFILE_MAX * size->n_rows,
    .row_difference = rows + PROFILE_DIFFERENCE * size->n_rows,
    .row_field_difference = rows + PROFILE_FIELD_DIFFERENCE * size->n_rows,
    .column_sum = columns + PROFILE_SUM * size->n_columns,
    .column_min = columns + PROFILE_MIN * size->n_columns,
    .column_max = columns + PROFILE_MAX * size->n_columns,
    .column_difference = columns + PROFILE_DIFFERENCE * size->n_columns,
  };
}

gboolean
gst_cl_profiles_op_result (GstClProfilesOp *self, guint slot,
    GstClProfile *profiles, GError **error)
{
  const guint32 *words;

  g_return_val_if_fail (
      slot < GST_CL_PROFILES_SLOTS && self->slots[slot].readback, FALSE);

  words = gst_cl_readback_wait (self->slots[slot].readback, 0, error);
  if (!words)
    return FALSE;

  for (guint c = 0; c < self->problem.n_components; c++) {
    const Size *size = &self->slots[slot].sizes[c];

    profiles[c] = name_numbers (size, words);
    words += count_words (size);
  }

  return TRUE;
}

/* --- table --------------------------------------------------------------- */

/* No element has these methods: the device decides. */
typedef enum { PLAIN = 1, BANDS } Method;

static const Row bands = { "profiles_cpu_measure", "profiles_cpu_merge" };
static const Row plain = { "profiles_measure", NULL };

static const GstClInstanceFuncs funcs = {
  .create = gst_cl_profiles_op_new,
  .run = gst_cl_profiles_op_run,
  .free = gst_cl_profiles_op_free,
};

static const GstClImplementation rows[] = {
  {
      .name = "cpu",
      .method = BANDS,
      .resource = "profiles/cpu.cl",
      .family = GST_CL_FAMILY_CPU,
      .funcs = &funcs,
      .data = &bands,
  },
  {
      .name = "plain",
      .method = PLAIN,
      .quick_on = GST_CL_FAMILY_BIT (GST_CL_FAMILY_CPU),
      .resource = "profiles/plain.cl",
      .family = GST_CL_FAMILY_ANY,
      .funcs = &funcs,
      .data = &plain,
  },
};

static gchar *
describe (gconstpointer user_problem)
{
  const GstClProfilesProblem *problem = user_problem;
  const GstClSampleType *sample = &problem->shapes[0].sample;
  g_autofree gchar *shapes = gst_cl_components_describe (problem->shapes,
      problem->n_components);

  return g_strdup_printf ("profiles of %u+%u bits, %s", sample->depth,
      sample->shift, shapes);
}

static gpointer
make_io (GstClContext *context, gconstpointer user_problem, GError **error)
{
  const GstClProfilesProblem *problem = user_problem;

  return gst_cl_components_new_zeroed (context, problem->shapes,
      problem->n_components, error);
}

const GstClOpTable gst_cl_profiles_table = {
  .name = "profiles",
  .rows = rows,
  .n_rows = G_N_ELEMENTS (rows),
  .describe = describe,
  .make_io = make_io,
  .free_io = gst_cl_components_free,
  .answers = gst_cl_profiles_answers,
  .n_answers = GST_CL_PROFILES_N_ANSWERS,
  .is_alike = gst_cl_profiles_is_alike,
  .compute_answer = gst_cl_profiles_compute_answer,
};

const GstClTieredFuncs gst_cl_profiles_tiered = {
  .table = &gst_cl_profiles_table,
  .problem_bytes = sizeof (GstClProfilesProblem),
  .create = gst_cl_profiles_op_new,
  .free = gst_cl_profiles_op_free,
  .run = gst_cl_profiles_op_run,
};
