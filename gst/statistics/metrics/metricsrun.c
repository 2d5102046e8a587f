/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Metrics of regions of a frame: one run, from regions to launches. */

#include "metricsrun.h"
#include "ops/sample.h"

#include <string.h>

#define N_CLEAR_ARGS 3 /* of metrics_gpu_measure, the last ones */

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
          "metrics: region outside the frame", error);
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

/* Creates a new layout if the regions differ from the previous ones. */
static gboolean
lay_out_regions (GstClMetricsOp *self, const GstClRegion *regions,
    guint n_regions, guint n_references, GError **error)
{
  GstClMetricsLayout *layout = &self->layout;

  if (self->regions->len == n_regions &&
      layout->references->len == n_references &&
      regions_are_equal ((const GstClRegion *) self->regions->data, regions,
          n_regions))
    return TRUE;
  if (!check_regions (self, regions, n_regions, error))
    return FALSE;

  /* cleared, so that a failure is repeated with the next frame */
  g_array_set_size (self->regions, 0);
  gst_cl_metrics_layout_make (layout, &self->frame, regions, n_regions,
      n_references);

  if (!gst_cl_metrics_memory_take_layout (&self->memory, &self->frame, layout,
          error))
    return FALSE;

  g_array_append_vals (self->regions, regions, n_regions);

  return TRUE;
}

/* Sets the limits of the references if they differ from the previous ones. */
static gboolean
set_limits (GstClMetricsOp *self, const guint64 *limits, GError **error)
{
  const GArray *references = self->layout.references;
  gboolean has_changed = !self->memory.references;

  for (guint i = 0; i < references->len; i++) {
    MetricReference *reference = &g_array_index (references, MetricReference,
        i);

    has_changed |= reference->largest_frozen != limits[i];
    reference->largest_frozen = limits[i];
  }

  return !has_changed || gst_cl_metrics_memory_take_references (&self->memory,
                             &self->layout, error);
}

/* --- processing ---------------------------------------------------------- */

/* Returns the words of counts that items share. */
static void
get_shared_words (const GstClMetricsOp *self, guint *first, guint *end)
{
  *first = self->layout.record_bytes / sizeof (guint32);
  *end = self->layout.result_bytes / sizeof (guint32);
}

/* Clears the counts unless the previous launch has. */
static gboolean
clear_counts (GstClMetricsOp *self, GError **error)
{
  const GstClMetricsMemory *memory = &self->memory;
  guint first, end;

  get_shared_words (self, &first, &end);
  if (!self->frame.is_shared || first == end ||
      memory->is_clear[memory->result])
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
    GST_CL_INT (self->layout.items->len),
    GST_CL_MEM (memory->frames),
    GST_CL_ULONG (memory->frame_samples),
    GST_CL_MEM (memory->rings[memory->ring]),
    GST_CL_INT (self->n_known),
    GST_CL_MEM (self->table),
    GST_CL_INT4 (self->gamut_low),
    GST_CL_INT4 (self->gamut_high),
    GST_CL_MEM (self->frame.is_shared ? results : memory->records),
    GST_CL_MEM (results),
    /* the last N_CLEAR_ARGS arguments, only if is_shared: the results of the
     * next launch, whose counts this launch clears */
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
      self->layout.items->len * gst_cl_kernel_local_size (self->measure, 0), 1,
      1, args, n_args, error);
}

static gboolean
merge_items (GstClMetricsOp *self, GError **error)
{
  const GstClMetricsMemory *memory = &self->memory;
  const cl_mem results = memory->results[memory->result];
  const GstClArg args[] = {
    GST_CL_MEM (memory->items),
    GST_CL_MEM (memory->spans),
    GST_CL_INT (self->layout.spans->len),
    GST_CL_MEM (memory->records),
    GST_CL_MEM (results),
    GST_CL_MEM (results),
    GST_CL_MEM (memory->rings[memory->ring]),
    GST_CL_INT (self->n_known),
    GST_CL_MEM (memory->references),
    GST_CL_INT (self->layout.references->len),
  };
  guint n_words = 0;

  for (guint c = 0; c < self->frame.n_components; c++)
    n_words = MAX (n_words, gst_cl_metrics_count_words (self->frame.metrics,
                                self->frame.n_bins, c));

  return gst_cl_kernel_launch (self->finish, self->layout.spans->len,
      MAX (1, (n_words + METRIC_MERGE_WORDS - 1) / METRIC_MERGE_WORDS), 1, args,
      G_N_ELEMENTS (args), error);
}

/* The remaining work if the host merges. */
static gboolean
advance_rings (GstClMetricsOp *self, GError **error)
{
  const GstClMetricsMemory *memory = &self->memory;
  const GstClArg args[] = {
    GST_CL_MEM (memory->results[memory->result]),
    GST_CL_MEM (memory->rings[memory->ring]),
    GST_CL_INT (self->n_known),
    GST_CL_MEM (memory->references),
  };

  if (!(self->frame.metrics & GST_CL_METRIC_FREEZE))
    return TRUE;

  return gst_cl_kernel_launch (self->finish,
      self->layout.references->len * gst_cl_kernel_local_size (self->finish, 0),
      1, 1, args, G_N_ELEMENTS (args), error);
}

static gboolean
finish_items (GstClMetricsOp *self, GError **error)
{
  return self->frame.is_shared ? advance_rings (self, error)
                               : merge_items (self, error);
}

gboolean
gst_cl_metrics_run (gpointer instance, gconstpointer user_io, GError **error)
{
  GstClMetricsOp *self = instance;
  const GstClMetricsIo *io = user_io;
  const guint n_references = self->frame.metrics & GST_CL_METRIC_ZONES
                                 ? MIN (io->n_limits, io->n_regions)
                                 : 1;

  if (!gst_cl_components_check_shapes (io->components, self->frame.shapes,
          self->frame.n_components, "metrics", error) ||
      !lay_out_regions (self, io->regions, io->n_regions, n_references,
          error) ||
      !set_limits (self, io->limits, error) || !clear_counts (self, error) ||
      !measure_items (self, io->components, error) ||
      !finish_items (self, error))
    return FALSE;

  gst_cl_metrics_memory_turn (&self->memory);
  self->n_known = n_references;

  return TRUE;
}
