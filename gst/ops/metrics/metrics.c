/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Metrics of regions of a frame: kernels, memory and order. */

#include "metrics.h"
#include "metricsprivate.h"
#include "metricsresults.h"

#include "cl/memory/gstclbuffer.h"
#include "cl/context/gstclkernel.h"
#include "ops/framearguments.h"
#include "ops/sample.h"

#include <string.h>

#define N_CLEAR_ARGS 3 /* of metrics_gpu_measure, the last ones */
#define MANY_WORDS   16384
#define MERGE_WORDS  2048 /* cl_metricparts.clh: METRIC_MERGE_WORDS */

/* What families differ in. */
typedef enum { PLAIN = 1, BANDS, GROUPS } Method;

static const struct {
  const gchar *measure;
  const gchar *merge;     /* or what moves the ring on, where the host merges */
  const gchar *clear;     /* of counts that items share; then the host merges */
  guint n_items_per_unit; /* of a frame, for each compute unit */
  guint n_items_if_apart; /* the same, where samples do not follow each other */
  guint n_items_if_many_words; /* of histograms */
} families[] = {
  /* clang-format off */
  [PLAIN]  = { "metrics_measure", "metrics_merge", NULL, 8, 8, 2 },
  [BANDS]  = { "metrics_cpu_measure", "metrics_cpu_merge", NULL, 8,
               8, 2 },
  [GROUPS] = { "metrics_gpu_measure", "metrics_gpu_advance",
               "metrics_gpu_clear", 1, 2, 1 },
  /* clang-format on */
};

static const GstClImplementation variants[] = {
  /* clang-format off */
  { .name = "cpu", .method = BANDS, .resource = "metrics/cpu.cl", .family = GST_CL_FAMILY_CPU },
  { .name = "gpu", .method = GROUPS, .resource = "metrics/gpu.cl", .family = GST_CL_FAMILY_GPU },
  { .name = "plain", .method = PLAIN, .resource = "metrics/plain.cl", .family = GST_CL_FAMILY_ANY },
  /* clang-format on */
};

struct _GstClMetricsOp {
  GstClContext *context;
  Method method;
  GstClMetricsFrame frame;
  guint max_regions;
  cl_int4 gamut_low, gamut_high;

  GstClKernel *measure, *merge, *clear;

  cl_mem table;      /* of saturation and hue */
  gboolean is_first; /* no frame before is to be compared with */

  GArray *regions; /* GstClRegion, what the plan is made of */
  GstClMetricsPlan plan;
  GstClMetricsMemory memory;

  GstClMetricsResults *slots[GST_CL_METRICS_SLOTS]; /* NULL where never used */
};

const GstClImplementation *
gst_cl_metrics_variants (guint *n_rows)
{
  *n_rows = G_N_ELEMENTS (variants);

  return variants;
}

/* --- life cycle ---------------------------------------------------------- */

/* Nothing that the metrics asked for do not need: one program serves more. */
static gchar *
kernel_options (const GstClMetricsFrame *frame, Method method)
{
  const GstClComponent *first = &frame->shapes[0];
  const guint other = frame->n_components > 1 ? 1 : 0;
  const gint fold = first->sample.depth - g_bit_nth_lsf (frame->n_bins, -1);
  GString *options = g_string_new (NULL);
  g_autofree gchar *type = gst_cl_sample_options (&first->sample);

  g_string_printf (options,
      "%s -DMETRICS=%u -DDEPTH=%u -DFOLD=%d"
      " -DN_COMPONENTS=%u",
      type, frame->metrics, first->sample.depth, fold, frame->n_components);
  if (frame->metrics & GST_CL_METRIC_GAMUT)
    g_string_append_printf (options, " -DX_SHIFT=%u -DY_SHIFT=%u",
        frame->x_shifts[other], frame->y_shifts[other]);
  if (method == BANDS)
    g_string_append_printf (options, " -DSTRIDE_FIRST=%d -DSTRIDE_OTHERS=%d",
        gst_cl_component_pixel_stride (first),
        gst_cl_component_pixel_stride (&frame->shapes[other]));

  return g_string_free (options, FALSE);
}

static guint
items_per_unit (const GstClMetricsOp *self)
{
  for (guint c = 0; c < self->frame.n_components; c++) {
    if (gst_cl_component_pixel_stride (&self->frame.shapes[c]) > 1)
      return families[self->method].n_items_if_apart;
    /* each item's are cleared and merged */
    if (gst_cl_metrics_frame_words (&self->frame, c) > MANY_WORDS)
      return families[self->method].n_items_if_many_words;
  }

  return families[self->method].n_items_per_unit;
}

static gboolean
build_kernels (GstClMetricsOp *self, const gchar *resource, GError **error)
{
  g_autofree gchar *options = kernel_options (&self->frame, self->method);
  const gchar *clear = families[self->method].clear;

  self->measure = gst_cl_kernel_new (self->context, resource, options,
      families[self->method].measure, error);
  if (self->measure)
    self->merge = gst_cl_kernel_new (self->context, resource, options,
        families[self->method].merge, error);
  if (self->merge && clear)
    self->clear = gst_cl_kernel_new (self->context, resource, options, clear,
        error);

  return self->merge && (!clear || self->clear);
}

static gboolean
make_table (GstClMetricsOp *self, const GstClMetricsSpec *spec, GError **error)
{
  const gboolean is_used = (spec->metrics & GST_CL_METRIC_CHROMA) != 0;
  gsize n_bytes = 0;
  g_autofree gpointer table = is_used
                                  ? gst_cl_metrics_chroma_table (spec, &n_bytes)
                                  : NULL;

  self->table = is_used ? gst_cl_buffer_new_filled (self->context, n_bytes,
                              table, error)
                        : gst_cl_buffer_new (self->context, 1, error);

  return self->table != NULL;
}

static gboolean
check_spec (const GstClMetricsSpec *spec, GError **error)
{
  const guint depth = spec->shapes[0].sample.depth;

  if (spec->n_bins < 1 || spec->n_bins > 1u << depth ||
      (spec->n_bins & (spec->n_bins - 1)) != 0)
    return gst_cl_check (CL_INVALID_VALUE, "metrics: number of bins", error);

  if (spec->metrics & GST_CL_METRIC_CHROMA &&
      (spec->n_components < 3 ||
          spec->shapes[1].width != spec->shapes[2].width ||
          spec->shapes[1].height != spec->shapes[2].height))
    return gst_cl_check (CL_INVALID_VALUE, "metrics: there is no chroma",
        error);

  return TRUE;
}

GstClMetricsOp *
gst_cl_metrics_op_new (GstClContext *context,
    const GstClImplementation *variant, const GstClMetricsSpec *spec,
    GError **error)
{
  g_autoptr (GstClMetricsOp) self = NULL;

  g_return_val_if_fail (spec->n_components >= 1 &&
                            spec->n_components <=
                                GST_CL_METRICS_MAX_COMPONENTS &&
                            spec->max_regions >= 1,
      NULL);

  if (!check_spec (spec, error))
    return NULL;

  self = g_new0 (GstClMetricsOp, 1);
  self->context = gst_object_ref (context);
  self->method = variant->method;
  self->max_regions = spec->max_regions;
  self->is_first = TRUE;
  self->regions = g_array_new (FALSE, FALSE, sizeof (GstClRegion));
  gst_cl_metrics_plan_init (&self->plan);

  if (!gst_cl_metrics_frame_init (&self->frame, spec, error))
    return NULL;
  self->frame.n_items = items_per_unit (self) * context->device->compute_units;
  self->frame.is_shared = families[self->method].clear != NULL;
  for (guint c = 0; c < spec->n_components; c++) {
    self->gamut_low.s[c] = spec->gamut_low[c];
    self->gamut_high.s[c] = spec->gamut_high[c];
  }

  if (!build_kernels (self, variant->resource, error) ||
      !gst_cl_metrics_memory_init (&self->memory, context, &self->frame,
          error) ||
      !make_table (self, spec, error))
    return NULL;

  return g_steal_pointer (&self);
}

void
gst_cl_metrics_op_free (GstClMetricsOp *self)
{
  if (!self)
    return;

  for (guint i = 0; i < GST_CL_METRICS_SLOTS; i++)
    g_clear_pointer (&self->slots[i], gst_cl_metrics_results_free);
  g_clear_pointer (&self->measure, gst_cl_kernel_free);
  g_clear_pointer (&self->merge, gst_cl_kernel_free);
  g_clear_pointer (&self->clear, gst_cl_kernel_free);
  g_clear_pointer (&self->table, gst_cl_buffer_free);
  gst_cl_metrics_memory_clear (&self->memory);
  gst_cl_metrics_plan_clear (&self->plan);
  g_clear_pointer (&self->regions, g_array_unref);
  gst_clear_object (&self->context);
  g_free (self);
}

/* --- regions ------------------------------------------------------------- */

static gboolean
check_regions (const GstClMetricsOp *self, const GstClRegion *regions,
    guint n_regions, GError **error)
{
  const GstClComponent *frame = &self->frame.shapes[0];

  if (n_regions < 1 || n_regions > self->max_regions)
    return gst_cl_check (CL_INVALID_VALUE, "metrics: number of regions", error);

  for (guint i = 0; i < n_regions; i++) {
    const GstClRegion *region = &regions[i];

    if (region->x < 0 || region->y < 0 || region->width < 1 ||
        region->height < 1 || region->width > frame->width - region->x ||
        region->height > frame->height - region->y)
      return gst_cl_check (CL_INVALID_VALUE,
          "metrics: a region beyond the frame", error);
  }

  return TRUE;
}

static gboolean
regions_are_equal (const GstClRegion *a, const GstClRegion *b, guint n_regions)
{
  for (guint i = 0; i < n_regions; i++) {
    if (a[i].x != b[i].x || a[i].y != b[i].y || a[i].width != b[i].width ||
        a[i].height != b[i].height)
      return FALSE;
  }

  return TRUE;
}

/* Makes the plan anew if these regions are others than before. */
static gboolean
plan_regions (GstClMetricsOp *self, const GstClRegion *regions, guint n_regions,
    GError **error)
{
  GstClMetricsPlan *plan = &self->plan;

  if (self->regions->len == n_regions &&
      regions_are_equal ((const GstClRegion *) self->regions->data, regions,
          n_regions))
    return TRUE;
  if (!check_regions (self, regions, n_regions, error))
    return FALSE;

  /* not kept if anything fails: tried again with the next frame */
  g_array_set_size (self->regions, 0);
  gst_cl_metrics_plan_make (plan, &self->frame, regions, n_regions);

  if (!gst_cl_metrics_memory_take_plan (&self->memory, &self->frame, plan,
          error))
    return FALSE;

  g_array_append_vals (self->regions, regions, n_regions);

  return TRUE;
}

/* --- processing ---------------------------------------------------------- */

/* Words of counts that items share. */
static void
get_shared_words (const GstClMetricsOp *self, guint *first, guint *end)
{
  *first = self->plan.record_bytes / sizeof (guint32);
  *end = self->plan.result_bytes / sizeof (guint32);
}

/* Where the launch before has not. */
static gboolean
clear_counts (GstClMetricsOp *self, GError **error)
{
  const GstClMetricsMemory *memory = &self->memory;
  guint first, end;

  get_shared_words (self, &first, &end);
  if (!self->clear || first == end || memory->is_clear[memory->result])
    return TRUE;

  const GstClArg args[] = {
    GST_CL_MEM (memory->results[memory->result]),
    GST_CL_UINT (first),
    GST_CL_UINT (end),
  };

  return gst_cl_kernel_launch (self->clear, end - first, 1, 1, args,
      G_N_ELEMENTS (args), error);
}

static gboolean
measure_items (GstClMetricsOp *self, const GstClComponent *components,
    GError **error)
{
  const GstClMetricsMemory *memory = &self->memory;
  const cl_mem results = memory->results[memory->result];
  guint stale_first, stale_end;

  get_shared_words (self, &stale_first, &stale_end);

  const GstClArg more[] = {
    GST_CL_MEM (memory->items),
    GST_CL_INT (self->plan.items->len),
    GST_CL_MEM (memory->frames),
    GST_CL_ULONG (memory->frame_samples),
    GST_CL_MEM (memory->rings[memory->ring]),
    GST_CL_INT (self->is_first),
    GST_CL_MEM (self->table),
    GST_CL_INT4 (self->gamut_low),
    GST_CL_INT4 (self->gamut_high),
    GST_CL_MEM (self->frame.is_shared ? results : memory->records),
    GST_CL_MEM (results),
    /* from here on: where the launch clears the counts of the next */
    GST_CL_MEM (memory->results[(memory->result + 1) % memory->n_results]),
    GST_CL_UINT (stale_first),
    GST_CL_UINT (memory->n_results > 1 ? stale_end : stale_first),
  };
  GstClArg args[GST_CL_FRAME_ARGUMENTS + G_N_ELEMENTS (more)];
  const guint n_args = G_N_ELEMENTS (args) -
                       (self->frame.is_shared ? 0 : N_CLEAR_ARGS);

  gst_cl_frame_arguments_get (components, self->frame.n_components, args);
  memcpy (args + GST_CL_FRAME_ARGUMENTS, more, sizeof more);

  return gst_cl_kernel_launch (self->measure,
      self->plan.items->len * gst_cl_kernel_local_size (self->measure, 0), 1, 1,
      args, n_args, error);
}

static gboolean
merge_items (GstClMetricsOp *self, guint64 largest_frozen, GError **error)
{
  const GstClMetricsMemory *memory = &self->memory;
  const cl_mem results = memory->results[memory->result];
  const GstClArg args[] = {
    GST_CL_MEM (memory->items),
    GST_CL_MEM (memory->spans),
    GST_CL_INT (self->plan.spans->len),
    GST_CL_MEM (memory->records),
    GST_CL_MEM (results),
    GST_CL_MEM (results),
    GST_CL_MEM (memory->rings[memory->ring]),
    GST_CL_INT (self->is_first),
    GST_CL_INT (self->plan.n_reference_items),
    GST_CL_ULONG (largest_frozen),
  };
  guint n_words = 0;

  for (guint c = 0; c < self->frame.n_components; c++)
    n_words = MAX (n_words, gst_cl_metrics_frame_words (&self->frame, c));

  return gst_cl_kernel_launch (self->merge, self->plan.spans->len,
      MAX (1, (n_words + MERGE_WORDS - 1) / MERGE_WORDS), 1, args,
      G_N_ELEMENTS (args), error);
}

/* What is left to do where the host merges. */
static gboolean
advance_ring (GstClMetricsOp *self, guint64 largest_frozen, GError **error)
{
  const GstClMetricsMemory *memory = &self->memory;
  const GstClArg args[] = {
    GST_CL_MEM (memory->results[memory->result]),
    GST_CL_MEM (memory->rings[memory->ring]),
    GST_CL_INT (self->is_first),
    GST_CL_INT (self->plan.n_reference_items),
    GST_CL_ULONG (largest_frozen),
  };

  if (!(self->frame.metrics & GST_CL_METRIC_FREEZE))
    return TRUE;

  return gst_cl_kernel_launch (self->merge, 1, 1, 1, args, G_N_ELEMENTS (args),
      error);
}

static gboolean
finish_items (GstClMetricsOp *self, guint64 largest_frozen, GError **error)
{
  return self->frame.is_shared ? advance_ring (self, largest_frozen, error)
                               : merge_items (self, largest_frozen, error);
}

guint64
gst_cl_metrics_op_count (const GstClMetricsOp *self, const GstClRegion *region)
{
  return gst_cl_metrics_frame_count (&self->frame, region);
}

gboolean
gst_cl_metrics_op_run (GstClMetricsOp *self, const GstClComponent *components,
    const GstClRegion *regions, guint n_regions, guint64 largest_frozen,
    GError **error)
{
  if (!gst_cl_components_check_shapes (components, self->frame.shapes,
          self->frame.n_components, "metrics", error) ||
      !plan_regions (self, regions, n_regions, error) ||
      !clear_counts (self, error) || !measure_items (self, components, error) ||
      !finish_items (self, largest_frozen, error))
    return FALSE;

  gst_cl_metrics_memory_turn (&self->memory);
  self->is_first = FALSE;

  return TRUE;
}

gboolean
gst_cl_metrics_op_fetch (GstClMetricsOp *self, guint slot, GError **error)
{
  g_return_val_if_fail (slot < GST_CL_METRICS_SLOTS, FALSE);

  if (!self->slots[slot])
    self->slots[slot] = gst_cl_metrics_results_new (self->context,
        &self->frame);

  return gst_cl_metrics_results_fetch (self->slots[slot],
      self->memory.results[self->memory.fetched], &self->plan,
      (const GstClRegion *) self->regions->data, self->regions->len, error);
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
  self->is_first = TRUE;
}
