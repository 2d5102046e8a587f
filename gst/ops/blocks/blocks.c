/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Steps between blocks: the table of implementations, their launches, and
 * results. */

#include "blocks.h"
#include "blocksprivate.h"

#include "cl/context/gstclkernel.h"
#include "cl/memory/gstclbuffer.h"
#include "cl/memory/gstclreadback.h"
#include "ops/sample.h"

#define BANDS_PER_UNIT 4   /* a late band costs a quarter of a unit's time */
#define MAX_BAND_ROWS  128 /* RATIO_TERMS of kernels/blocks/cl_blocks.clh */
#define MERGED_COLUMNS 64  /* of kernels/blocks/cpu.cl */
#define N_LINES        8
#define COLUMNS        8 /* of kernels/blocks/plain.cl */

/* --- instances ------------------------------------------------------------ */

/* The constant of a row. */
typedef struct {
  const gchar *measure;
  const gchar *merge; /* of bands; NULL: there are no bands */
} Row;

typedef struct {
  GstClReadback *readback; /* NULL before the first read into the slot */
  guint n_columns, n_rows;
} Slot;

struct _GstClBlocksOp {
  GstClContext *context;
  const Row *row;
  GstClComponent shape;
  GstClKernel *measure;
  GstClKernel *merge; /* or NULL */

  cl_mem result;      /* of the last run */
  cl_mem columns;     /* sums of bands; or NULL */
  cl_mem steps;       /* lines of steps of bands; or NULL */
  gint width, height; /* of the last run */
  Slot slots[GST_CL_BLOCKS_SLOTS];
};

static guint
divide_up (guint n, guint divisor)
{
  return (n + divisor - 1) / divisor;
}

static guint
count_bands (const GstClBlocksOp *self, guint n_rows)
{
  const guint wanted = self->context->device->compute_units * BANDS_PER_UNIT;

  return CLAMP (wanted, divide_up (n_rows, MAX_BAND_ROWS), n_rows);
}

static gsize
count_result_bytes (gint width, gint height)
{
  return ((gsize) width + height) * sizeof (guint64);
}

static gboolean
build_kernels (GstClBlocksOp *self, const GstClImplementation *row,
    GError **error)
{
  g_autofree gchar *type = gst_cl_sample_options (&self->shape.sample);
  g_autoptr (GString) text = g_string_new (type);
  const gchar *options;

  g_string_append_printf (text, " -DDEPTH=%u", self->shape.sample.depth);
  if (self->row->merge)
    g_string_append_printf (text, " -DSTRIDE=%d",
        gst_cl_component_pixel_stride (&self->shape));
  if (self->row->merge && self->context->device->can_round_quotients)
    g_string_append (text,
        " -DROUNDS_QUOTIENTS=1 -cl-fp32-correctly-rounded-divide-sqrt");
  options = text->str;

  self->measure = gst_cl_kernel_new (self->context, row->resource, options,
      self->row->measure, error);
  if (!self->measure || !self->row->merge)
    return self->measure != NULL;
  self->merge = gst_cl_kernel_new (self->context, row->resource, options,
      self->row->merge, error);

  return self->merge != NULL;
}

static gboolean
allocate (GstClBlocksOp *self, GError **error)
{
  const gsize width = self->shape.width, height = self->shape.height;
  const gsize n_bands = count_bands (self, height);

  self->result = gst_cl_buffer_new (self->context,
      count_result_bytes (width, height), error);
  if (!self->result || !self->row->merge)
    return self->result != NULL;
  self->columns = gst_cl_buffer_new (self->context,
      n_bands * width * sizeof (guint32), error);
  if (!self->columns)
    return FALSE;
  self->steps = gst_cl_buffer_new (self->context,
      n_bands * N_LINES * width * self->shape.sample.bytes, error);

  return self->steps != NULL;
}

gpointer
gst_cl_blocks_op_new (GstClContext *context, const GstClCandidate *candidate,
    gconstpointer problem, GError **error)
{
  g_autoptr (GstClBlocksOp) self = g_new0 (GstClBlocksOp, 1);

  self->context = gst_object_ref (context);
  self->row = candidate->implementation->data;
  self->shape = ((const GstClBlocksProblem *) problem)->shape;

  return build_kernels (self, candidate->implementation, error) &&
                 allocate (self, error)
             ? g_steal_pointer (&self)
             : NULL;
}

void
gst_cl_blocks_op_free (gpointer op)
{
  GstClBlocksOp *self = op;

  if (!self)
    return;

  for (guint i = 0; i < GST_CL_BLOCKS_SLOTS; i++)
    g_clear_pointer (&self->slots[i].readback, gst_cl_readback_free);
  g_clear_pointer (&self->measure, gst_cl_kernel_free);
  g_clear_pointer (&self->merge, gst_cl_kernel_free);
  g_clear_pointer (&self->result, gst_cl_buffer_free);
  g_clear_pointer (&self->columns, gst_cl_buffer_free);
  g_clear_pointer (&self->steps, gst_cl_buffer_free);
  gst_clear_object (&self->context);
  g_free (self);
}

/* --- runs ----------------------------------------------------------------- */

static gboolean
run_bands (const GstClBlocksOp *self, const GstClComponent *component,
    GError **error)
{
  const gint width = component->width;
  const guint n_bands = count_bands (self, component->height);
  const GstClArg args[] = {
    GST_CL_MEM (component->mem),
    GST_CL_ULONG (component->offset_bytes),
    GST_CL_INT (component->stride_bytes),
    GST_CL_INT (width),
    GST_CL_INT (component->height),
    GST_CL_INT (n_bands),
    GST_CL_MEM (self->columns),
    GST_CL_MEM (self->steps),
    GST_CL_MEM (self->result),
  };
  const GstClArg merge_args[] = {
    GST_CL_INT (width),
    GST_CL_INT (n_bands),
    GST_CL_MEM (self->columns),
    GST_CL_MEM (self->result),
  };

  return gst_cl_kernel_launch (self->measure, n_bands, 1, 1, args,
             G_N_ELEMENTS (args), error) &&
         gst_cl_kernel_launch (self->merge, divide_up (width, MERGED_COLUMNS),
             1, 1, merge_args, G_N_ELEMENTS (merge_args), error);
}

static gboolean
run_groups (const GstClBlocksOp *self, const GstClComponent *component,
    GError **error)
{
  const gint width = component->width, height = component->height;
  const gsize n_groups = height + divide_up (width, COLUMNS);
  const GstClArg args[] = {
    GST_CL_MEM (component->mem),
    GST_CL_ULONG (component->offset_bytes),
    GST_CL_INT (component->stride_bytes),
    GST_CL_INT (gst_cl_component_pixel_stride (component)),
    GST_CL_INT (width),
    GST_CL_INT (height),
    GST_CL_MEM (self->result),
  };

  return gst_cl_kernel_launch (self->measure,
      n_groups * gst_cl_kernel_local_size (self->measure, 0), 1, 1, args,
      G_N_ELEMENTS (args), error);
}

gboolean
gst_cl_blocks_op_run (gpointer op, gconstpointer user_component, GError **error)
{
  GstClBlocksOp *self = op;
  const GstClComponent *component = user_component;

  if (!gst_cl_components_check_parts (component, &self->shape, 1, "blocks",
          error))
    return FALSE;
  if (component->width < 1 || component->height < 1)
    return gst_cl_check (CL_INVALID_VALUE, "blocks: no samples", error);

  self->width = component->width;
  self->height = component->height;

  return self->row->merge ? run_bands (self, component, error)
                          : run_groups (self, component, error);
}

/* --- results -------------------------------------------------------------- */

gboolean
gst_cl_blocks_op_fetch (GstClBlocksOp *self, guint slot, GError **error)
{
  Slot *at = &self->slots[slot];

  g_return_val_if_fail (slot < GST_CL_BLOCKS_SLOTS, FALSE);

  if (!at->readback)
    at->readback = gst_cl_readback_new (self->context, 1,
        count_result_bytes (self->shape.width, self->shape.height), error);
  if (!at->readback)
    return FALSE;
  at->n_columns = self->width;
  at->n_rows = self->height;

  return gst_cl_readback_enqueue_part (at->readback, 0, self->result,
      count_result_bytes (self->width, self->height), error);
}

gboolean
gst_cl_blocks_op_result (GstClBlocksOp *self, guint slot, GstClBlockSums *sums,
    GError **error)
{
  const Slot *at = &self->slots[slot];
  const guint64 *words;

  g_return_val_if_fail (slot < GST_CL_BLOCKS_SLOTS && at->readback, FALSE);

  words = gst_cl_readback_wait (at->readback, 0, error);
  if (!words)
    return FALSE;

  *sums = (GstClBlockSums){ at->n_columns, at->n_rows, words,
    words + at->n_columns };

  return TRUE;
}

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

/* --- table --------------------------------------------------------------- */

/* No element has these methods: the device decides. */
typedef enum { PLAIN = 1, BANDS } Method;

static const Row bands = { "blocks_cpu_measure", "blocks_cpu_merge" };
static const Row plain = { "blocks_measure", NULL };

static const GstClInstanceFuncs funcs = {
  .create = gst_cl_blocks_op_new,
  .run = gst_cl_blocks_op_run,
  .free = gst_cl_blocks_op_free,
};

static const GstClImplementation rows[] = {
  {
      .name = "cpu",
      .method = BANDS,
      .resource = "blocks/cpu.cl",
      .family = GST_CL_FAMILY_CPU,
      .funcs = &funcs,
      .data = &bands,
  },
  {
      .name = "plain",
      .method = PLAIN,
      .quick_on = GST_CL_FAMILY_BIT (GST_CL_FAMILY_CPU),
      .resource = "blocks/plain.cl",
      .family = GST_CL_FAMILY_ANY,
      .funcs = &funcs,
      .data = &plain,
  },
};

static gchar *
describe (gconstpointer user_problem)
{
  const GstClComponent *shape = &((const GstClBlocksProblem *) user_problem)
                                     ->shape;
  g_autofree gchar *size = gst_cl_components_describe (shape, 1);

  return g_strdup_printf ("blocks of %u+%u bits, %s", shape->sample.depth,
      shape->sample.shift, size);
}

static gpointer
make_io (GstClContext *context, gconstpointer user_problem, GError **error)
{
  const GstClBlocksProblem *problem = user_problem;

  return gst_cl_components_new_zeroed (context, &problem->shape, 1, error);
}

const GstClOpTable gst_cl_blocks_table = {
  .name = "blocks",
  .rows = rows,
  .n_rows = G_N_ELEMENTS (rows),
  .describe = describe,
  .make_io = make_io,
  .free_io = gst_cl_components_free,
  .answers = gst_cl_blocks_answers,
  .n_answers = GST_CL_BLOCKS_N_ANSWERS,
  .is_alike = gst_cl_blocks_is_alike,
  .compute_answer = gst_cl_blocks_compute_answer,
};

const GstClTieredFuncs gst_cl_blocks_tiered = {
  .table = &gst_cl_blocks_table,
  .problem_bytes = sizeof (GstClBlocksProblem),
  .create = gst_cl_blocks_op_new,
  .free = gst_cl_blocks_op_free,
  .run = gst_cl_blocks_op_run,
};
