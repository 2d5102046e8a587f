/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The two-buffer ping-pong reduction: round 1 reads samples and writes buffer
 * A, round 2 reads A and writes B, round 3 reads B and writes A, ... until one
 * partial per component is left. */

#include "momentsprivate.h"

#include "cl/memory/gstclbuffer.h"
#include "ops/sample.h"

/* Samples or partials in each direction of a block:
 * kernels/moments/plain.cl. */
#define BLOCK      16
#define MAX_ROUNDS 8 /* 16^8: any gint */

/* The data before or after a round: for each component a grid of samples or
 * partials. Vector element c holds component c. */
typedef struct {
  cl_int4 width, height;
  cl_int4 first; /* index of the component's first partial in the buffer */
  guint n_partials;
} Grid;

typedef struct {
  guint n_components;
  gboolean is_outer; /* one work-item per block, instead of one work-group */

  GstClKernel *samples;  /* round 1 */
  GstClKernel *partials; /* the later rounds; NULL if there are none */

  Grid grids[MAX_ROUNDS + 1]; /* 0: the samples; r: the result of round r */
  guint n_rounds;

  cl_mem buffers[2]; /* A, B; B is NULL if there is only one round */
} Rounds;

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

/* Components of different sizes have the same number of rounds: smaller ones
 * continue to merge their single partial. */
static void
count_rounds (Rounds *self, const GstClComponent *components)
{
  self->grids[0] = grid_of_samples (components, self->n_components);

  do {
    self->grids[self->n_rounds + 1] = grid_after_round (
        &self->grids[self->n_rounds], self->n_components);
    self->n_rounds++;
  } while (self->grids[self->n_rounds].n_partials > self->n_components);
}

/* --- creating and freeing ------------------------------------------------- */

static gboolean
build_kernels (Rounds *self, GstClContext *context, const gchar *resource,
    const GstClSampleType *sample, GError **error)
{
  g_autofree gchar *options = gst_cl_sample_type_option (sample);

  self->samples = gst_cl_kernel_new (context, resource, options,
      self->is_outer ? "moments_outer_samples" : "moments_inner_samples",
      error);
  if (!self->samples || self->n_rounds == 1)
    return self->samples != NULL;

  self->partials = gst_cl_kernel_new (context, resource, options,
      self->is_outer ? "moments_outer_partials" : "moments_inner_partials",
      error);

  return self->partials != NULL;
}

static gboolean
allocate_buffers (Rounds *self, GstClContext *context, GError **error)
{
  for (guint i = 0; i < MIN (self->n_rounds, 2); i++) {
    self->buffers[i] = gst_cl_buffer_new (context,
        self->grids[i + 1].n_partials * sizeof (GstClMoments), error);
    if (!self->buffers[i])
      return FALSE;
  }

  return TRUE;
}

static void
free_rounds (gpointer rounds)
{
  Rounds *self = rounds;

  if (!self)
    return;

  g_clear_pointer (&self->samples, gst_cl_kernel_free);
  g_clear_pointer (&self->partials, gst_cl_kernel_free);
  for (guint i = 0; i < G_N_ELEMENTS (self->buffers); i++)
    g_clear_pointer (&self->buffers[i], gst_cl_buffer_free);
  g_free (self);
}

G_DEFINE_AUTOPTR_CLEANUP_FUNC (Rounds, free_rounds)

static gpointer
create (GstClContext *context, const GstClCandidate *candidate,
    gconstpointer user_problem, GError **error)
{
  const GstClMomentsProblem *problem = user_problem;
  const GstClImplementation *row = candidate->implementation;
  g_autoptr (Rounds) self = g_new0 (Rounds, 1);

  self->n_components = problem->n_components;
  self->is_outer = row->method == GST_CL_REDUCTION_OUTER;
  count_rounds (self, problem->components);

  if (!build_kernels (self, context, row->resource,
          &problem->components[0].sample, error) ||
      !allocate_buffers (self, context, error))
    return NULL;

  return g_steal_pointer (&self);
}

/* Returns the buffer that a round writes: A and B alternate. */
static cl_mem
buffer_after (const Rounds *self, guint round)
{
  return self->buffers[(round - 1) % 2];
}

static cl_mem
get_result (gconstpointer rounds)
{
  const Rounds *self = rounds;

  return buffer_after (self, self->n_rounds);
}

/* --- processing ---------------------------------------------------------- */

/* Launches one work-item for each block of @after, in a grid that covers the
 * largest component. */
static gboolean
launch_outer (const Rounds *self, GstClKernel *kernel, const Grid *after,
    const GstClArg *args, guint n_args, GError **error)
{
  gint blocks_x = 0, blocks_y = 0;

  for (guint c = 0; c < self->n_components; c++) {
    blocks_x = MAX (blocks_x, after->width.s[c]);
    blocks_y = MAX (blocks_y, after->height.s[c]);
  }

  return gst_cl_kernel_launch (kernel, blocks_x, blocks_y, self->n_components,
      args, n_args, error);
}

/* Launches one work-group for each block. */
static gboolean
launch_inner (GstClKernel *kernel, const Grid *after, const GstClArg *args,
    guint n_args, GError **error)
{
  return gst_cl_kernel_launch (kernel, (gsize) after->n_partials * BLOCK, BLOCK,
      1, args, n_args, error);
}

static gboolean
launch (const Rounds *self, GstClKernel *kernel, const Grid *after,
    const GstClArg *args, guint n_args, GError **error)
{
  return self->is_outer
             ? launch_outer (self, kernel, after, args, n_args, error)
             : launch_inner (kernel, after, args, n_args, error);
}

static gboolean
reduce_samples (Rounds *self, const GstClComponent *components, GError **error)
{
  const Grid *after = &self->grids[1];
  GstClArg args[GST_CL_FRAME_ARGUMENTS + 3];

  gst_cl_frame_arguments_get (components, self->n_components, args);
  args[GST_CL_FRAME_ARGUMENTS] = (GstClArg) GST_CL_MEM (buffer_after (self, 1));
  args[GST_CL_FRAME_ARGUMENTS + 1] = (GstClArg) GST_CL_INT4 (after->first);
  args[GST_CL_FRAME_ARGUMENTS + 2] = (GstClArg) GST_CL_INT (
      components[0].sample.shift);

  return launch (self, self->samples, after, args, G_N_ELEMENTS (args), error);
}

/* Returns the result of the round before @round. */
static gboolean
reduce_partials (Rounds *self, guint round, GError **error)
{
  const Grid *before = &self->grids[round - 1];
  const Grid *after = &self->grids[round];
  const GstClArg args[] = {
    GST_CL_MEM (buffer_after (self, round - 1)),
    GST_CL_INT4 (before->width),
    GST_CL_INT4 (before->height),
    GST_CL_INT4 (before->first),
    GST_CL_MEM (buffer_after (self, round)),
    GST_CL_INT4 (after->first),
  };

  return launch (self, self->partials, after, args, G_N_ELEMENTS (args), error);
}

static gboolean
run (gpointer rounds, gconstpointer components, GError **error)
{
  Rounds *self = rounds;

  if (!reduce_samples (self, components, error))
    return FALSE;
  for (guint round = 2; round <= self->n_rounds; round++) {
    if (!reduce_partials (self, round, error))
      return FALSE;
  }

  return TRUE;
}

const GstClMomentsRow gst_cl_moments_rounds = {
  .funcs = {
      .create = create,
      .run = run,
      .free = free_rounds,
  },
  .get_result = get_result,
};
