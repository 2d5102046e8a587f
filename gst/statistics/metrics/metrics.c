/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Metrics of regions of a frame: the table of implementations, and creating and
 * freeing an instance. */

#include "metrics.h"
#include "metricsprivate.h"
#include "metricschroma.h"
#include "metricsrun.h"

#include "cl/memory/gstclbuffer.h"
#include "ops/sample.h"

/* The number of count words of a component from which clearing and merging them
 * for each item takes longer than counting. */
#define MANY_WORDS 16384

/* The local memory of a device that keeps the counts of pairs of codes, 256
 * KiB, in a near cache: PoCL reports the size of the level-2 cache. */
#define MIN_PAIRS_BYTES (512 * 1024)

/* The metrics that are derived from counts of pairs; counting pairs takes
 * longer than chroma alone. */
#define PAIR_METRICS (GST_CL_METRIC_HISTOGRAM | GST_CL_METRIC_CHROMA)

/* --- creating and freeing ------------------------------------------------- */

/* Returns the metrics that kernels are built for. For 8 bits every row computes
 * moments and bits from the counts of all codes, if there are any. */
static guint
built_metrics (const GstClMetricsFrame *frame)
{
  const gboolean has_counts = frame->metrics & GST_CL_METRIC_HISTOGRAM &&
                              frame->shapes[0].sample.depth == 8 &&
                              frame->n_bins == 256;

  return has_counts
             ? frame->metrics & ~(GST_CL_METRIC_MOMENTS | GST_CL_METRIC_BITS)
             : frame->metrics;
}

/* Returns only the options that the metrics need, so that more problems share a
 * program. */
static gchar *
kernel_options (const GstClMetricsFrame *frame, const GstClMetricsRow *row)
{
  const GstClComponent *first = &frame->shapes[0];
  const guint other = frame->n_components > 1 ? 1 : 0;
  const gint fold = first->sample.depth - g_bit_nth_lsf (frame->n_bins, -1);
  GString *options = g_string_new (NULL);
  g_autofree gchar *type = gst_cl_sample_options (&first->sample);

  g_string_printf (options, "%s -DMETRICS=%u -DDEPTH=%u", type,
      built_metrics (frame), first->sample.depth);
  if (frame->metrics & PAIR_METRICS) /* bins of codes, saturation and hue */
    g_string_append_printf (options, " -DFOLD=%d", fold);
  if (frame->metrics & GST_CL_METRIC_GAMUT)
    g_string_append_printf (options,
        " -DN_COMPONENTS=%u -DX_SHIFT=%u -DY_SHIFT=%u", frame->n_components,
        frame->x_shifts[other], frame->y_shifts[other]);
  if ((frame->metrics & GST_CL_METRIC_GAMUT) && frame->lacks_rows)
    g_string_append_printf (options, " -DCHROMA_ROWS=%d",
        frame->shapes[other].height);
  if (frame->has_pairs)
    g_string_append (options, " -DPAIRS_FIT=1");
  if (row->knows_strides)
    g_string_append_printf (options, " -DSTRIDE_FIRST=%d -DSTRIDE_OTHERS=%d",
        gst_cl_component_pixel_stride (first),
        gst_cl_component_pixel_stride (&frame->shapes[other]));

  return g_string_free (options, FALSE);
}

static GstClKernel *
build_kernel (GstClMetricsOp *self, const gchar *options, const gchar *name,
    GError **error)
{
  return gst_cl_kernel_new (self->context, self->implementation->resource,
      options, name, error);
}

static gboolean
build_kernels (GstClMetricsOp *self, GError **error)
{
  g_autofree gchar *options = kernel_options (&self->frame, self->row);

  self->measure = build_kernel (self, options, self->row->measure, error);
  if (!self->measure)
    return FALSE;
  self->finish = build_kernel (self, options, self->row->finish, error);
  if (!self->finish || !self->row->is_shared)
    return self->finish != NULL;
  self->clear = build_kernel (self, options, self->row->clear, error);

  return self->clear != NULL;
}

static gboolean
make_table (GstClMetricsOp *self, const GstClMetricsProblem *problem,
    GError **error)
{
  const gboolean is_used = (problem->metrics & GST_CL_METRIC_CHROMA) != 0;
  gsize n_bytes = 0;
  g_autofree gpointer table = is_used ? gst_cl_metrics_chroma_table (problem,
                                            &n_bytes)
                                      : NULL;

  self->table = is_used ? gst_cl_buffer_new_filled (self->context, n_bytes,
                              table, error)
                        : gst_cl_buffer_new (self->context, 1, error);

  return self->table != NULL;
}

static gboolean
check_problem (const GstClMetricsProblem *problem, GError **error)
{
  const guint depth = problem->shapes[0].sample.depth;

  if (problem->n_bins < 1 || problem->n_bins > 1u << depth ||
      (problem->n_bins & (problem->n_bins - 1)) != 0)
    return gst_cl_check (CL_INVALID_VALUE, "metrics: number of bins", error);

  if (problem->metrics & GST_CL_METRIC_CHROMA &&
      (problem->n_components < 3 ||
          problem->shapes[1].width != problem->shapes[2].width ||
          problem->shapes[1].height != problem->shapes[2].height))
    return gst_cl_check (CL_INVALID_VALUE, "metrics: no chroma components",
        error);

  return TRUE;
}

gpointer
gst_cl_metrics_op_new (GstClContext *context, const GstClCandidate *candidate,
    gconstpointer user_problem, GError **error)
{
  const GstClMetricsProblem *problem = user_problem;
  g_autoptr (GstClMetricsOp) self = NULL;

  g_return_val_if_fail (problem->n_components >= 1 &&
                            problem->n_components <=
                                GST_CL_METRICS_MAX_COMPONENTS &&
                            problem->max_regions >= 1,
      NULL);

  if (!check_problem (problem, error))
    return NULL;

  self = g_new0 (GstClMetricsOp, 1);
  self->context = gst_object_ref (context);
  self->implementation = candidate->implementation;
  self->row = candidate->implementation->data;
  self->max_regions = problem->max_regions;
  self->regions = g_array_new (FALSE, FALSE, sizeof (GstClRegion));
  gst_cl_metrics_layout_init (&self->layout);

  if (!gst_cl_metrics_frame_init (&self->frame, problem, error))
    return NULL;
  self->frame.n_items = candidate->values[0];
  self->frame.is_shared = self->row->is_shared;
  self->frame.has_pairs = self->row->counts_pairs &&
                          problem->shapes[0].sample.depth == 8 &&
                          (problem->metrics & PAIR_METRICS) == PAIR_METRICS &&
                          context->device->local_bytes >= MIN_PAIRS_BYTES;
  for (guint c = 0; c < problem->n_components; c++) {
    self->gamut_low.s[c] = problem->gamut_low[c];
    self->gamut_high.s[c] = problem->gamut_high[c];
  }

  if (!build_kernels (self, error) ||
      !gst_cl_metrics_memory_init (&self->memory, context, &self->frame,
          self->max_regions, error) ||
      !make_table (self, problem, error))
    return NULL;

  return g_steal_pointer (&self);
}

void
gst_cl_metrics_op_free (gpointer instance)
{
  GstClMetricsOp *self = instance;

  if (!self)
    return;

  for (guint i = 0; i < GST_CL_METRICS_SLOTS; i++)
    g_clear_pointer (&self->slots[i], gst_cl_metrics_results_free);
  g_clear_pointer (&self->measure, gst_cl_kernel_free);
  g_clear_pointer (&self->finish, gst_cl_kernel_free);
  g_clear_pointer (&self->clear, gst_cl_kernel_free);
  g_clear_pointer (&self->table, gst_cl_buffer_free);
  gst_cl_metrics_memory_clear (&self->memory);
  gst_cl_metrics_layout_clear (&self->layout);
  g_clear_pointer (&self->regions, g_array_unref);
  gst_clear_object (&self->context);
  g_free (self);
}

/* --- table --------------------------------------------------------------- */

/* No element has these methods: the device decides. */
typedef enum { PLAIN = 1, BANDS, GROUPS } Method;

static const GstClMetricsRow bands = {
  .measure = "metrics_cpu_measure",
  .finish = "metrics_cpu_merge",
  .knows_strides = TRUE,
  .counts_pairs = TRUE,
};

static const GstClMetricsRow groups = {
  .is_shared = TRUE,
  .measure = "metrics_gpu_measure",
  .finish = "metrics_gpu_advance",
  .clear = "metrics_gpu_clear",
};

static const GstClMetricsRow plain = {
  .measure = "metrics_measure",
  .finish = "metrics_merge",
};

/* The kind of problem, which decides how many items a frame is divided into:
 * that of the first component with another kind than USUAL. */
typedef enum { USUAL, SAMPLES_APART, MANY_COUNTS } Shape;

static Shape
find_shape (const GstClMetricsProblem *problem)
{
  for (guint c = 0; c < problem->n_components; c++) {
    if (gst_cl_component_pixel_stride (&problem->shapes[c]) > 1)
      return SAMPLES_APART;
    if (gst_cl_metrics_count_words (problem->metrics, problem->n_bins, c) >
        MANY_WORDS)
      return MANY_COUNTS;
  }

  return USUAL;
}

/* Value 0 is the number of items that a frame is divided into; there are no
 * other values. */
static void
resolve_bands (gconstpointer problem, const GstClDevice *device,
    const GstClTuning *tuning, guint *values)
{
  static const guint items_per_unit
      [] = { [USUAL] = 8, [SAMPLES_APART] = 8, [MANY_COUNTS] = 2 };

  values[0] = items_per_unit[find_shape (problem)] * device->compute_units;
}

static void
resolve_groups (gconstpointer problem, const GstClDevice *device,
    const GstClTuning *tuning, guint *values)
{
  static const guint items_per_unit
      [] = { [USUAL] = 1, [SAMPLES_APART] = 2, [MANY_COUNTS] = 1 };

  values[0] = items_per_unit[find_shape (problem)] * device->compute_units;
}

/* A program for CPUs has one pixel stride for all components but the first, and
 * one subsampling for components 1 and 2. Component 3 has the size of component
 * 0. AV12 has another pixel stride. */
static gboolean
has_regular_shapes (const GstClImplementation *row, gconstpointer user_problem,
    const GstClDevice *device)
{
  const GstClMetricsProblem *problem = user_problem;

  for (guint c = 2; c < problem->n_components; c++) {
    const GstClComponent *shape = &problem->shapes[c];
    const GstClComponent *sized = &problem->shapes[c == 3 ? 0 : 1];

    if (shape->width != sized->width || shape->height != sized->height ||
        shape->pixel_stride_bytes != problem->shapes[1].pixel_stride_bytes)
      return FALSE;
  }

  return TRUE;
}

static const GstClInstanceFuncs funcs = {
  .create = gst_cl_metrics_op_new,
  .run = gst_cl_metrics_run,
  .free = gst_cl_metrics_op_free,
};

static const GstClImplementation rows[] = {
  {
      .name = "cpu",
      .method = BANDS,
      .supports = has_regular_shapes,
      .resource = "metrics/cpu.cl",
      .family = GST_CL_FAMILY_CPU,
      .resolve = resolve_bands,
      .data = &bands,
      .funcs = &funcs,
  },
  {
      .name = "gpu",
      .method = GROUPS,
      .resource = "metrics/gpu.cl",
      .family = GST_CL_FAMILY_GPU,
      .resolve = resolve_groups,
      .data = &groups,
      .funcs = &funcs,
  },
  {
      .name = "plain",
      .method = PLAIN,
      .quick_on = GST_CL_FAMILY_BIT (GST_CL_FAMILY_CPU) |
                  GST_CL_FAMILY_BIT (GST_CL_FAMILY_GPU),
      .resource = "metrics/plain.cl",
      .family = GST_CL_FAMILY_ANY,
      .resolve = resolve_bands,
      .data = &plain,
      .funcs = &funcs,
  },
};

static gchar *
describe (gconstpointer user_problem)
{
  const GstClMetricsProblem *problem = user_problem;
  const GstClSampleType *sample = &problem->shapes[0].sample;
  g_autofree gchar *shapes = gst_cl_components_describe (problem->shapes,
      problem->n_components);

  return g_strdup_printf ("metrics %#x of %u+%u bits, %u bins, %s",
      problem->metrics, sample->depth, sample->shift, problem->n_bins, shapes);
}

/* A frame of zeros. */
typedef struct {
  GstClMetricsIo io;
  GstClComponent *components;
  GstClRegion region;
  guint64 limit;
} Trial;

static gpointer
make_io (GstClContext *context, gconstpointer user_problem, GError **error)
{
  const GstClMetricsProblem *problem = user_problem;
  GstClComponent *components = gst_cl_components_new_zeroed (context,
      problem->shapes, problem->n_components, error);
  Trial *trial;

  if (!components)
    return NULL;

  trial = g_new0 (Trial, 1);
  trial->components = components;
  trial->region.width = problem->shapes[0].width;
  trial->region.height = problem->shapes[0].height;
  trial->io = (GstClMetricsIo){ components, &trial->region, 1, &trial->limit,
    1 };

  return trial;
}

static void
free_io (gpointer io)
{
  Trial *trial = io;

  gst_cl_components_free (trial->components);
  g_free (trial);
}

const GstClOpTable gst_cl_metrics_table = {
  .name = "metrics",
  .rows = rows,
  .n_rows = G_N_ELEMENTS (rows),
  .describe = describe,
  .make_io = make_io,
  .free_io = free_io,
  .answers = gst_cl_metrics_answers,
  .n_answers = GST_CL_METRICS_N_ANSWERS,
  .compute_answer = gst_cl_metrics_compute_answer,
};

/* --- exported functions -------------------------------------------------- */

guint64
gst_cl_metrics_op_count (const GstClMetricsOp *self, const GstClRegion *region)
{
  return gst_cl_metrics_frame_count (&self->frame, region);
}

gboolean
gst_cl_metrics_op_run (GstClMetricsOp *self, const GstClMetricsIo *io,
    GError **error)
{
  return gst_cl_metrics_run (self, io, error);
}

gboolean
gst_cl_metrics_op_fetch (GstClMetricsOp *self, guint slot, GError **error)
{
  g_return_val_if_fail (slot < GST_CL_METRICS_SLOTS, FALSE);

  if (!self->slots[slot])
    self->slots[slot] = gst_cl_metrics_results_new (self->context,
        &self->frame);

  return gst_cl_metrics_results_fetch (self->slots[slot],
      self->memory.results[self->memory.fetched], &self->layout,
      (const GstClRegion *) self->regions->data, self->regions->len, error);
}

cl_event
gst_cl_metrics_op_fetched (GstClMetricsOp *self, guint slot)
{
  g_return_val_if_fail (slot < GST_CL_METRICS_SLOTS && self->slots[slot], NULL);

  return gst_cl_metrics_results_fetched (self->slots[slot]);
}

gboolean
gst_cl_metrics_op_result (GstClMetricsOp *self, guint slot,
    GstClRegionMetrics *results, guint n_regions, GError **error)
{
  g_return_val_if_fail (slot < GST_CL_METRICS_SLOTS && self->slots[slot],
      FALSE);

  return gst_cl_metrics_results_get (self->slots[slot], results, n_regions,
      error);
}

void
gst_cl_metrics_op_forget (GstClMetricsOp *self)
{
  self->n_known = 0;
}

void
gst_cl_metrics_op_forget_zones (GstClMetricsOp *self)
{
  self->n_known = MIN (self->n_known, 1);
}

/* --- tiers ---------------------------------------------------------------- */

static void
adopt (gpointer op, gpointer before)
{
  GstClMetricsOp *self = op, *other = before;

  gst_cl_metrics_memory_adopt (&self->memory, &other->memory);
  self->n_known = other->n_known;
}

const GstClTieredFuncs gst_cl_metrics_tiered = {
  .table = &gst_cl_metrics_table,
  .problem_bytes = sizeof (GstClMetricsProblem),
  .create = gst_cl_metrics_op_new,
  .free = gst_cl_metrics_op_free,
  .run = gst_cl_metrics_run,
  .adopt = adopt,
};
