/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The two-buffer ping-pong reduction: round 1 reads samples and writes buffer
 * A, round 2 reads A and writes B, round 3 reads B and writes A, ... until one
 * partial a component is left. */

#include "framestatsprivate.h"

#include "cl/gstclbuffer.h"
#include "cl/gstclkernel.h"
#include "sample.h"

#define BLOCK      16 /* samples or partials on each side of a block */
#define MAX_ROUNDS 8  /* 16^8: any gint */

/* `auto`: a round with fewer blocks a compute unit than this leaves most of a
 * GPU idle if each block is the work of one work-item. */
#define MIN_OUTER_BLOCKS_PER_UNIT 16

/* What there is before or after a round: for each component a grid of samples
 * or partials. Lane c of a vector is component c's. */
typedef struct {
  cl_int4 width, height;
  cl_int4 first; /* index of the component's first partial in the buffer */
  guint n_partials;
} Grid;

/* One step of the reduction in its two forms; NULL where never used. */
typedef struct {
  GstClKernel *outer, *inner;
} Step;

struct _GstClFrameStatsRounds {
  guint n_components;
  guint min_outer_blocks; /* in a launch; fewer are reduced by inner */

  Step samples, partials;
  Grid grids[MAX_ROUNDS + 1]; /* 0: the samples; r: what round r leaves */
  guint n_rounds;

  cl_mem buffers[2]; /* A, B; B is NULL if there is one round only */
};

/* --- geometry ------------------------------------------------------------ */

static gint
n_blocks (gint size)
{
  return (size - 1) / BLOCK + 1;
}

static Grid
grid_of_samples (const GstClComponent *components, guint n_components)
{
  Grid grid = { 0 };

  for (guint c = 0; c < n_components; c++) {
    grid.width.s[c] = components[c].width;
    grid.height.s[c] = components[c].height;
  }

  return grid;
}

static Grid
grid_after_round (const Grid *before, guint n_components)
{
  Grid grid = { 0 };

  for (guint c = 0; c < n_components; c++) {
    grid.width.s[c] = n_blocks (before->width.s[c]);
    grid.height.s[c] = n_blocks (before->height.s[c]);
    grid.first.s[c] = grid.n_partials;
    grid.n_partials += (guint) grid.width.s[c] * grid.height.s[c];
  }

  return grid;
}

/* Components of different size take the same number of rounds: the smaller
 * ones go on merging their one partial. */
static void
plan_rounds (GstClFrameStatsRounds *self, const GstClComponent *components)
{
  self->grids[0] = grid_of_samples (components, self->n_components);

  do {
    self->grids[self->n_rounds + 1] = grid_after_round (
        &self->grids[self->n_rounds], self->n_components);
    self->n_rounds++;
  } while (self->grids[self->n_rounds].n_partials > self->n_components);
}

/* --- life cycle ---------------------------------------------------------- */

/* Work-items below which inner takes over: all or nothing for the plain rows.
 */
static guint
min_outer_blocks (const GstClContext *context, const GstClOpVariant *variant)
{
  switch (variant->method) {
    case GST_CL_REDUCTION_INNER:
      return G_MAXUINT;
    case GST_CL_REDUCTION_OUTER:
      return 0;
    default:
      return MIN_OUTER_BLOCKS_PER_UNIT * context->device->compute_units;
  }
}

static gboolean
build_step (GstClFrameStatsRounds *self, Step *step, GstClContext *context,
    const gchar *resource, const GstClSampleType *sample, const gchar *outer,
    const gchar *inner, GError **error)
{
  g_autofree gchar *type = gst_cl_sample_options (sample);
  g_autofree gchar *options = g_strdup_printf ("%s -DBLOCK=%d", type, BLOCK);

  if (self->min_outer_blocks < G_MAXUINT) {
    step->outer = gst_cl_kernel_new (context, resource, options, outer, error);
    if (!step->outer)
      return FALSE;
  }
  if (self->min_outer_blocks > 0) {
    step->inner = gst_cl_kernel_new (context, resource, options, inner, error);
    if (!step->inner)
      return FALSE;
  }

  return TRUE;
}

static gboolean
allocate_buffers (GstClFrameStatsRounds *self, GstClContext *context,
    GError **error)
{
  for (guint i = 0; i < MIN (self->n_rounds, 2); i++) {
    self->buffers[i] = gst_cl_buffer_new (context,
        self->grids[i + 1].n_partials * sizeof (GstClPartial), error);
    if (!self->buffers[i])
      return FALSE;
  }

  return TRUE;
}

GstClFrameStatsRounds *
gst_cl_frame_stats_rounds_new (GstClContext *context,
    const GstClOpVariant *variant, const GstClComponent *components,
    guint n_components, GError **error)
{
  g_autoptr (GstClFrameStatsRounds) self = g_new0 (GstClFrameStatsRounds, 1);

  self->n_components = n_components;
  self->min_outer_blocks = min_outer_blocks (context, variant);
  plan_rounds (self, components);

  if (!build_step (self, &self->samples, context, variant->resource,
          &components[0].sample, "framestats_outer_samples",
          "framestats_inner_samples", error) ||
      !build_step (self, &self->partials, context, variant->resource,
          &components[0].sample, "framestats_outer_partials",
          "framestats_inner_partials", error) ||
      !allocate_buffers (self, context, error))
    return NULL;

  return g_steal_pointer (&self);
}

void
gst_cl_frame_stats_rounds_free (GstClFrameStatsRounds *self)
{
  if (!self)
    return;

  g_clear_pointer (&self->samples.outer, gst_cl_kernel_free);
  g_clear_pointer (&self->samples.inner, gst_cl_kernel_free);
  g_clear_pointer (&self->partials.outer, gst_cl_kernel_free);
  g_clear_pointer (&self->partials.inner, gst_cl_kernel_free);
  for (guint i = 0; i < 2; i++)
    g_clear_pointer (&self->buffers[i], gst_cl_buffer_free);
  g_free (self);
}

cl_mem
gst_cl_frame_stats_rounds_result (const GstClFrameStatsRounds *self)
{
  return self->buffers[(self->n_rounds - 1) % 2];
}

/* --- processing ---------------------------------------------------------- */

/* Enqueues @step over a grid of @blocks_x * @blocks_y blocks for each of
 * @n_layers components, @n_total blocks in all. */
static gboolean
launch_step (const GstClFrameStatsRounds *self, const Step *step, gint blocks_x,
    gint blocks_y, guint n_layers, guint n_total, const GstClArg *args,
    guint n_args, GError **error)
{
  if (n_total >= self->min_outer_blocks)
    return gst_cl_kernel_launch (step->outer, blocks_x, blocks_y, n_layers,
        args, n_args, error);

  return gst_cl_kernel_launch (step->inner, (gsize) blocks_x * BLOCK,
      (gsize) blocks_y * BLOCK, n_layers, args, n_args, error);
}

static gboolean
reduce_samples (GstClFrameStatsRounds *self, const GstClComponent *component,
    guint c, GError **error)
{
  const Grid *after = &self->grids[1];
  const gint blocks_x = after->width.s[c], blocks_y = after->height.s[c];
  const GstClArg args[] = {
    GST_CL_MEM (component->mem),
    GST_CL_ULONG (component->offset_bytes),
    GST_CL_INT (component->stride_bytes),
    GST_CL_INT (component->pixel_stride_bytes),
    GST_CL_INT (component->width),
    GST_CL_INT (component->height),
    GST_CL_MEM (self->buffers[0]),
    GST_CL_INT (after->first.s[c]),
  };

  return launch_step (self, &self->samples, blocks_x, blocks_y, 1,
      (guint) blocks_x * blocks_y, args, G_N_ELEMENTS (args), error);
}

/* @round: 2 and up; all components in one launch. */
static gboolean
reduce_partials (GstClFrameStatsRounds *self, guint round, GError **error)
{
  const Grid *before = &self->grids[round - 1], *after = &self->grids[round];
  const GstClArg args[] = {
    GST_CL_MEM (self->buffers[round % 2]),
    GST_CL_INT4 (before->width),
    GST_CL_INT4 (before->height),
    GST_CL_INT4 (before->first),
    GST_CL_MEM (self->buffers[(round - 1) % 2]),
    GST_CL_INT4 (after->first),
  };
  gint blocks_x = 0, blocks_y = 0;

  for (guint c = 0; c < self->n_components; c++) {
    blocks_x = MAX (blocks_x, after->width.s[c]);
    blocks_y = MAX (blocks_y, after->height.s[c]);
  }

  return launch_step (self, &self->partials, blocks_x, blocks_y,
      self->n_components, after->n_partials, args, G_N_ELEMENTS (args), error);
}

gboolean
gst_cl_frame_stats_rounds_run (GstClFrameStatsRounds *self,
    const GstClComponent *components, GError **error)
{
  for (guint c = 0; c < self->n_components; c++) {
    if (!reduce_samples (self, &components[c], c, error))
      return FALSE;
  }
  for (guint round = 2; round <= self->n_rounds; round++) {
    if (!reduce_partials (self, round, error))
      return FALSE;
  }

  return TRUE;
}
