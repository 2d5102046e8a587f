/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Flashes: the table of implementations, their launches, state and results. */

#include "flash.h"
#include "flashprivate.h"

#include <math.h>
#include <string.h>

#define FLASH_U64 guint64
#define FLASH_U32 guint32
#include "flash/cl_flash.clh"
#include "cl/context/gstclkernel.h"
#include "cl/memory/gstclbuffer.h"
#include "cl/memory/gstclreadback.h"
#include "ops/picture.h"

G_STATIC_ASSERT (FLASH_COLUMNS == GST_CL_FLASH_COLUMNS);
G_STATIC_ASSERT (FLASH_ROWS == GST_CL_FLASH_ROWS);
G_STATIC_ASSERT (FLASH_ONE == GST_CL_FLASH_ONE);
G_STATIC_ASSERT (FLASH_LUMINANCE_STEP == GST_CL_FLASH_LUMINANCE_STEP);
G_STATIC_ASSERT (FLASH_RED_STEP == GST_CL_FLASH_RED_STEP);
G_STATIC_ASSERT (FLASH_LARGEST == GST_CL_FLASH_LARGEST);
G_STATIC_ASSERT (sizeof (FlashTile) == sizeof (GstClFlashTile));

#define TILES_BYTES (FLASH_N_TILES * sizeof (FlashTile))

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

/* The constant of a row. */
typedef struct {
  const gchar *measure;
  guint n_sums;         /* of a result, and work-groups */
  gboolean keeps_codes; /* the state has the codes of the picture before */
} Row;

/* A result that is read. */
typedef struct {
  GstClReadback *readback; /* NULL before the first read */
  gint columns, rows;      /* of cells */
} Slot;

struct _GstClFlashOp {
  GstClContext *context;
  const Row *row;
  GstClFlashProblem problem;
  GstClKernel *measure;
  cl_mem light;
  cl_mem state; /* adopt() may move it to another instance */
  cl_int4 weights;
  gboolean has_state;
  gint width, height; /* of the last picture */
  cl_mem result;      /* of the last run: tiles, then sums */
  Slot slots[GST_CL_FLASH_SLOTS];
};

static gsize
count_result_bytes (const Row *row)
{
  return TILES_BYTES + row->n_sums * sizeof (FlashSums);
}

static gsize
count_state_bytes (const GstClFlashProblem *problem)
{
  const GstClComponent *shape = &problem->shapes[0];

  return (gsize) ((shape->width + 1) / 2) * ((shape->height + 1) / 2) *
         FLASH_N_STATES * sizeof (guint16);
}

static gboolean
build_kernel (GstClFlashOp *self, const gchar *resource, GError **error)
{
  const GstClFlashProblem *problem = &self->problem;
  g_autofree gchar *options = gst_cl_picture_options (problem->shapes,
      problem->n_components, &problem->matrix, problem->x_shift,
      problem->y_shift, self->row->keeps_codes);

  self->measure = gst_cl_kernel_new (self->context, resource, options,
      self->row->measure, error);

  return self->measure != NULL;
}

static gboolean
make_light (GstClFlashOp *self, GError **error)
{
  const gsize n_bytes = sizeof (guint32)
                        << (self->problem.curve.depth +
                               gst_cl_flash_fraction (&self->problem));
  g_autofree guint32 *light = g_malloc (n_bytes);

  gst_cl_flash_light (&self->problem, light);
  gst_cl_rgb_round_weights (self->problem.weights, 1 << FLASH_WEIGHT_SHIFT,
      self->weights.s);
  self->light = gst_cl_buffer_new_filled (self->context, n_bytes, light, error);

  return self->light != NULL;
}

gpointer
gst_cl_flash_op_new (GstClContext *context, const GstClCandidate *candidate,
    gconstpointer problem, GError **error)
{
  g_autoptr (GstClFlashOp) self = g_new0 (GstClFlashOp, 1);

  self->context = gst_object_ref (context);
  self->row = candidate->implementation->data;
  self->problem = *(const GstClFlashProblem *) problem;
  if (!build_kernel (self, candidate->implementation->resource, error) ||
      !make_light (self, error))
    return NULL;
  self->state = gst_cl_buffer_new (context, count_state_bytes (&self->problem),
      error);
  if (!self->state)
    return NULL;
  self->result = gst_cl_buffer_new (context, count_result_bytes (self->row),
      error);

  return self->result ? g_steal_pointer (&self) : NULL;
}

void
gst_cl_flash_op_free (gpointer op)
{
  GstClFlashOp *self = op;

  if (!self)
    return;

  for (guint i = 0; i < GST_CL_FLASH_SLOTS; i++)
    g_clear_pointer (&self->slots[i].readback, gst_cl_readback_free);
  g_clear_pointer (&self->measure, gst_cl_kernel_free);
  g_clear_pointer (&self->light, gst_cl_buffer_free);
  g_clear_pointer (&self->state, gst_cl_buffer_free);
  g_clear_pointer (&self->result, gst_cl_buffer_free);
  gst_clear_object (&self->context);
  g_free (self);
}

static void
adopt (gpointer op, gpointer before)
{
  GstClFlashOp *self = op, *other = before;
  const cl_mem state = self->state;

  self->state = other->state;
  self->has_state = other->has_state &&
                    (other->row->keeps_codes || !self->row->keeps_codes);
  self->width = other->width;
  self->height = other->height;
  other->state = state;
}

/* --- runs and results ----------------------------------------------------- */

gboolean
gst_cl_flash_op_run (gpointer op, gconstpointer components, GError **error)
{
  GstClFlashOp *self = op;
  const GstClFlashProblem *problem = &self->problem;
  const GstClRgbMatrix *matrix = &problem->matrix;
  const GstClComponent *first = components;
  const cl_int4 coefficients = gst_cl_rgb_argument (matrix);
  gboolean is_first;
  GstClArg args[GST_CL_FRAME_ARGUMENTS + 7];

  if (!gst_cl_components_check_parts (components, problem->shapes,
          problem->n_components, "flash", error))
    return FALSE;

  is_first = !self->has_state || self->width != first->width ||
             self->height != first->height;
  gst_cl_frame_arguments_get (components, problem->n_components, args);
  args[GST_CL_FRAME_ARGUMENTS] = (GstClArg) GST_CL_MEM (self->light);
  args[GST_CL_FRAME_ARGUMENTS + 1] = (GstClArg) GST_CL_MEM (self->state);
  args[GST_CL_FRAME_ARGUMENTS + 2] = (GstClArg) GST_CL_INT4 (coefficients);
  args[GST_CL_FRAME_ARGUMENTS + 3] = (GstClArg) GST_CL_INT (matrix->middle);
  args[GST_CL_FRAME_ARGUMENTS + 4] = (GstClArg) GST_CL_INT4 (self->weights);
  args[GST_CL_FRAME_ARGUMENTS + 5] = (GstClArg) GST_CL_INT (is_first);
  args[GST_CL_FRAME_ARGUMENTS + 6] = (GstClArg) GST_CL_MEM (self->result);

  /* a launch that fails leaves the state as it is, or undefined */
  self->has_state = FALSE;
  if (!gst_cl_kernel_launch (self->measure,
          self->row->n_sums * gst_cl_kernel_local_size (self->measure, 0), 1, 1,
          args, G_N_ELEMENTS (args), error))
    return FALSE;
  self->has_state = TRUE;
  self->width = first->width;
  self->height = first->height;

  return TRUE;
}

void
gst_cl_flash_op_forget (GstClFlashOp *self)
{
  self->has_state = FALSE;
}

gboolean
gst_cl_flash_op_fetch (GstClFlashOp *self, guint slot, GError **error)
{
  const gsize n_bytes = count_result_bytes (self->row);
  Slot *at;

  g_return_val_if_fail (slot < GST_CL_FLASH_SLOTS, FALSE);

  at = &self->slots[slot];
  at->columns = (self->width + 1) / 2;
  at->rows = (self->height + 1) / 2;
  if (!at->readback)
    at->readback = gst_cl_readback_new (self->context, 1, n_bytes, error);

  return at->readback &&
         gst_cl_readback_enqueue (at->readback, 0, self->result, error);
}

gboolean
gst_cl_flash_op_result (GstClFlashOp *self, guint slot,
    GstClFlashCounts *counts, GError **error)
{
  const FlashSums *sums;
  const guint8 *bytes;
  const Slot *at;

  g_return_val_if_fail (slot < GST_CL_FLASH_SLOTS && self->slots[slot].readback,
      FALSE);

  at = &self->slots[slot];
  bytes = gst_cl_readback_wait (at->readback, 0, error);
  if (!bytes)
    return FALSE;

  *counts = (GstClFlashCounts){
    .n_cells = (guint64) at->columns * at->rows,
    .columns = at->columns,
    .rows = at->rows,
    .tiles = (const GstClFlashTile *) bytes,
  };
  sums = (const FlashSums *) (bytes + TILES_BYTES);
  for (guint i = 0; i < self->row->n_sums; i++) {
    counts->luminance += sums[i].luminance;
    counts->red += sums[i].red;
    counts->n_changed_luminance += sums[i].n_changed_luminance;
    counts->n_changed_red += sums[i].n_changed_red;
  }

  return TRUE;
}

/* --- table --------------------------------------------------------------- */

/* No element has these methods: the device decides. */
typedef enum { PLAIN = 1, ROWS } Method;

static const Row in_rows = { "flash_cpu_measure", FLASH_ROWS, TRUE };
static const Row plain = { "flash_measure", FLASH_N_TILES, FALSE };

static const GstClInstanceFuncs funcs = {
  .create = gst_cl_flash_op_new,
  .run = gst_cl_flash_op_run,
  .free = gst_cl_flash_op_free,
};

static const GstClImplementation rows[] = {
  {
      .name = "cpu",
      .method = ROWS,
      .resource = "flash/cpu.cl",
      .family = GST_CL_FAMILY_CPU,
      .funcs = &funcs,
      .data = &in_rows,
  },
  {
      .name = "plain",
      .method = PLAIN,
      .resource = "flash/plain.cl",
      .family = GST_CL_FAMILY_ANY,
      .funcs = &funcs,
      .data = &plain,
  },
};

static gchar *
describe (gconstpointer user_problem)
{
  const GstClFlashProblem *problem = user_problem;
  const GstClSampleType *sample = &problem->shapes[0].sample;
  g_autofree gchar *shapes = gst_cl_components_describe (problem->shapes,
      problem->n_components);

  return g_strdup_printf ("flashes of %u+%u bits, kind %d, %s", sample->depth,
      sample->shift, problem->matrix.kind, shapes);
}

static gpointer
make_io (GstClContext *context, gconstpointer user_problem, GError **error)
{
  const GstClFlashProblem *problem = user_problem;

  return gst_cl_components_new_zeroed (context, problem->shapes,
      problem->n_components, error);
}

const GstClOpTable gst_cl_flash_table = {
  .name = "flash",
  .rows = rows,
  .n_rows = G_N_ELEMENTS (rows),
  .describe = describe,
  .make_io = make_io,
  .free_io = gst_cl_components_free,
  .answers = gst_cl_flash_answers,
  .n_answers = GST_CL_FLASH_N_ANSWERS,
  .is_alike = gst_cl_flash_is_alike,
  .compute_answer = gst_cl_flash_compute_answer,
};

const GstClTieredFuncs gst_cl_flash_tiered = {
  .table = &gst_cl_flash_table,
  .problem_bytes = sizeof (GstClFlashProblem),
  .create = gst_cl_flash_op_new,
  .free = gst_cl_flash_op_free,
  .run = gst_cl_flash_op_run,
  .adopt = adopt,
};
