/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The two-buffer ping-pong reduction: round 1 reads samples and writes buffer
 * A, round 2 reads A and writes B, round 3 reads B and writes A, ... until one
 * partial a component is left. The tail does the rounds that remain at once. */

#include "momentsprivate.h"

#include "cl/memory/gstclbuffer.h"
#include "ops/framearguments.h"
#include "ops/sample.h"

#define BLOCK      16 /* samples or partials on each side of a block */
#define MAX_ROUNDS 8  /* 16^8: any gint */

#define NO_TAIL G_MAXUINT

/* How each method does the rounds. */
typedef struct {
  GstClReduction method;
  gboolean first_is_outer, later_are_outer;
  guint tail_round; /* from this one on all are one launch: 2 and up, NO_TAIL */
} Plan;

static const Plan plans[] = {
  { GST_CL_REDUCTION_INNER, FALSE, FALSE, NO_TAIL },
  { GST_CL_REDUCTION_OUTER, TRUE, TRUE, NO_TAIL },
  { GST_CL_REDUCTION_OUTER_INNER, TRUE, FALSE, NO_TAIL },
  { GST_CL_REDUCTION_INNER_TAIL, FALSE, FALSE, 2 },
  { GST_CL_REDUCTION_OUTER_TAIL, TRUE, FALSE, 2 },
  { GST_CL_REDUCTION_OUTER_INNER_TAIL, TRUE, FALSE, 3 },
};

/* What there is before or after a round: for each component a grid of samples
 * or partials. Lane c of a vector is component c's. */
typedef struct {
  cl_int4 width, height;
  cl_int4 first; /* index of the component's first partial in the buffer */
  guint n_partials;
} Grid;

struct _GstClMomentsRounds {
  guint n_components;
  const Plan *plan;

  GstClKernel *samples;  /* round 1 */
  GstClKernel *partials; /* the rounds between; NULL where there are none */
  GstClKernel *tail;     /* NULL likewise */

  Grid grids[MAX_ROUNDS + 1]; /* 0: the samples; r: what round r leaves */
  guint n_rounds;

  cl_mem buffers[2]; /* A, B; B is NULL if there is one launch only */
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

static const Plan *
find_plan (gint method)
{
  for (guint i = 0; i < G_N_ELEMENTS (plans); i++) {
    if ((gint) plans[i].method == method)
      return &plans[i];
  }

  g_return_val_if_reached (&plans[0]);
}

/* Components of different size take the same number of rounds: the smaller
 * ones go on merging their one partial. */
static void
plan_rounds (GstClMomentsRounds *self, const GstClComponent *components)
{
  self->grids[0] = grid_of_samples (components, self->n_components);

  do {
    self->grids[self->n_rounds + 1] = grid_after_round (
        &self->grids[self->n_rounds], self->n_components);
    self->n_rounds++;
  } while (self->grids[self->n_rounds].n_partials > self->n_components);
}

gboolean
gst_cl_moments_rounds_differ (const GstClImplementation *variant,
    const GstClComponent *components, guint n_components)
{
  const Plan *plan = find_plan (variant->method);
  GstClMomentsRounds rounds = { .n_components = n_components };

  plan_rounds (&rounds, components);

  return plan->tail_round == NO_TAIL || rounds.n_rounds > plan->tail_round;
}

/* The last round that is a launch of its own. */
static guint
last_own_round (const GstClMomentsRounds *self)
{
  return MIN (self->n_rounds, self->plan->tail_round - 1);
}

static gboolean
has_tail (const GstClMomentsRounds *self)
{
  return self->n_rounds > last_own_round (self);
}

/* --- life cycle ---------------------------------------------------------- */

static gboolean
build_kernels (GstClMomentsRounds *self, GstClContext *context,
    const gchar *resource, const GstClSampleType *sample, GError **error)
{
  const gboolean samples_outer = self->plan->first_is_outer;
  const gboolean partials_outer = self->plan->later_are_outer;
  g_autofree gchar *type = gst_cl_sample_options (sample);
  g_autofree gchar *options = g_strdup_printf ("%s -DBLOCK=%d", type, BLOCK);

  self->samples = gst_cl_kernel_new (context, resource, options,
      samples_outer ? "moments_outer_samples" : "moments_inner_samples", error);
  if (!self->samples)
    return FALSE;

  if (last_own_round (self) > 1) {
    self->partials = gst_cl_kernel_new (context, resource, options,
        partials_outer ? "moments_outer_partials" : "moments_inner_partials",
        error);
    if (!self->partials)
      return FALSE;
  }
  if (has_tail (self)) {
    self->tail = gst_cl_kernel_new (context, resource, options,
        "moments_tail_partials", error);
    if (!self->tail)
      return FALSE;
  }

  return TRUE;
}

static gboolean
allocate_buffers (GstClMomentsRounds *self, GstClContext *context,
    GError **error)
{
  for (guint i = 0; i < MIN (self->n_rounds, 2); i++) {
    self->buffers[i] = gst_cl_buffer_new (context,
        self->grids[i + 1].n_partials * sizeof (GstClMoments), error);
    if (!self->buffers[i])
      return FALSE;
  }

  return TRUE;
}

GstClMomentsRounds *
gst_cl_moments_rounds_new (GstClContext *context,
    const GstClImplementation *variant, const GstClComponent *components,
    guint n_components, GError **error)
{
  g_autoptr (GstClMomentsRounds) self = g_new0 (GstClMomentsRounds, 1);

  self->n_components = n_components;
  self->plan = find_plan (variant->method);
  plan_rounds (self, components);

  if (!build_kernels (self, context, variant->resource, &components[0].sample,
          error) ||
      !allocate_buffers (self, context, error))
    return NULL;

  return g_steal_pointer (&self);
}

void
gst_cl_moments_rounds_free (GstClMomentsRounds *self)
{
  if (!self)
    return;

  g_clear_pointer (&self->samples, gst_cl_kernel_free);
  g_clear_pointer (&self->partials, gst_cl_kernel_free);
  g_clear_pointer (&self->tail, gst_cl_kernel_free);
  for (guint i = 0; i < 2; i++)
    g_clear_pointer (&self->buffers[i], gst_cl_buffer_free);
  g_free (self);
}

/* Launches write A and B in turn. */
static cl_mem
buffer_after (const GstClMomentsRounds *self, guint n_launches)
{
  return self->buffers[(n_launches - 1) % 2];
}

cl_mem
gst_cl_moments_rounds_result (const GstClMomentsRounds *self)
{
  return buffer_after (self, last_own_round (self) + has_tail (self));
}

/* --- processing ---------------------------------------------------------- */

/* Enqueues @kernel over the blocks that leave @after: a work-item each, in a grid
 * that covers the largest component. */
static gboolean
launch_outer (const GstClMomentsRounds *self, GstClKernel *kernel,
    const Grid *after, const GstClArg *args, guint n_args, GError **error)
{
  gint blocks_x = 0, blocks_y = 0;

  for (guint c = 0; c < self->n_components; c++) {
    blocks_x = MAX (blocks_x, after->width.s[c]);
    blocks_y = MAX (blocks_y, after->height.s[c]);
  }

  return gst_cl_kernel_launch (kernel, blocks_x, blocks_y, self->n_components,
      args, n_args, error);
}

/* The same, a work-group each. */
static gboolean
launch_inner (GstClKernel *kernel, const Grid *after, const GstClArg *args,
    guint n_args, GError **error)
{
  return gst_cl_kernel_launch (kernel, (gsize) after->n_partials * BLOCK, BLOCK,
      1, args, n_args, error);
}

static gboolean
reduce_samples (GstClMomentsRounds *self, const GstClComponent *components,
    GError **error)
{
  const Grid *after = &self->grids[1];
  GstClArg args[GST_CL_FRAME_ARGUMENTS + 2];

  gst_cl_frame_arguments_get (components, self->n_components, args);
  args[GST_CL_FRAME_ARGUMENTS] = (GstClArg) GST_CL_MEM (buffer_after (self, 1));
  args[GST_CL_FRAME_ARGUMENTS + 1] = (GstClArg) GST_CL_INT4 (after->first);

  return self->plan->first_is_outer ? launch_outer (self, self->samples, after,
                                          args, G_N_ELEMENTS (args), error)
                                    : launch_inner (self->samples, after, args,
                                          G_N_ELEMENTS (args), error);
}

/* What round @round - 1 has left, by round @round alone or by the tail. */
static gboolean
reduce_partials (GstClMomentsRounds *self, guint round, gboolean is_tail,
    GError **error)
{
  const Grid *before = &self->grids[round - 1];
  const Grid *after = &self->grids[is_tail ? self->n_rounds : round];
  const GstClArg args[] = {
    GST_CL_MEM (buffer_after (self, round - 1)),
    GST_CL_INT4 (before->width),
    GST_CL_INT4 (before->height),
    GST_CL_INT4 (before->first),
    GST_CL_MEM (buffer_after (self, round)),
    GST_CL_INT4 (after->first),
  };

  if (is_tail)
    return gst_cl_kernel_launch (self->tail, BLOCK, BLOCK, self->n_components,
        args, G_N_ELEMENTS (args), error);

  return self->plan->later_are_outer
             ? launch_outer (self, self->partials, after, args,
                   G_N_ELEMENTS (args), error)
             : launch_inner (self->partials, after, args, G_N_ELEMENTS (args),
                   error);
}

gboolean
gst_cl_moments_rounds_run (GstClMomentsRounds *self,
    const GstClComponent *components, GError **error)
{
  const guint last = last_own_round (self);

  if (!reduce_samples (self, components, error))
    return FALSE;
  for (guint round = 2; round <= last; round++) {
    if (!reduce_partials (self, round, FALSE, error))
      return FALSE;
  }

  return !has_tail (self) || reduce_partials (self, last + 1, TRUE, error);
}
