/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Operations on local means and deviations, by running sums on GPUs. */

#include "localmeanprivate.h"

#define RESOURCE          "operation/gpu.cl"
#define ROW_GROUPS        4 /* of a work-group */
#define FEW_ROWS          4 /* of an item */
#define MANY_ROWS         8
#define GROUPS_PER_UNIT   8 /* work-groups that keep a compute unit busy */
#define MAX_KERNEL_HEIGHT G_MAXINT16
#define DOT4_CAPABILITY   61        /* NVIDIA's dp4a */
#define MAX_OF_SQUARES    (1 << 16) /* samples of a window */

typedef struct {
  GstClLocalMeanProblem problem;
  gint rows_per_item;
  GstClKernel *apply;

  gboolean needs_extremes;          /* WOLF */
  GstClOperationExtremes *extremes; /* NULL: it needs none */
} SlidingOperation;

static void
free_operation (gpointer operation)
{
  SlidingOperation *self = operation;

  if (!self)
    return;

  gst_cl_kernel_free (self->apply);
  gst_cl_operation_extremes_free (self->extremes);
  g_free (self);
}

static gboolean
computes (gconstpointer user_problem)
{
  const GstClLocalMeanProblem *p = user_problem;
  const GstClWindow *window = &p->window;
  const guint64 n = gst_cl_window_samples (window);

  if (p->sample.bytes != 1 || window->step_y != 1 ||
      !gst_cl_window_has_inner_anchor (window) ||
      window->kernel_width > GST_CL_TILE_WIDEST_WINDOW ||
      window->kernel_height > MAX_KERNEL_HEIGHT ||
      gst_cl_window_sum_bytes (window, G_MAXUINT8) > 4)
    return FALSE;

  return n <= MAX_OF_SQUARES || !gst_cl_local_mean_needs_squares (p->operation);
}

void
gst_cl_operation_sliding_gpu_resolve (gconstpointer user_problem,
    const GstClDevice *device, const GstClTuning *tuning, guint *values)
{
  const GstClLocalMeanProblem *problem = user_problem;
  const cl_int4 grid = gst_cl_window_grid (problem);
  const gint results = gst_cl_sliding_tile_results (&problem->window,
      grid.s[0]);
  const guint n_across = (guint) ((grid.s[0] - 1) / results + 1);
  const guint n_down = (guint) ((grid.s[1] - 1) / (MANY_ROWS * ROW_GROUPS) + 1);
  const gboolean has_many = (guint64) n_across * n_down >=
                            GROUPS_PER_UNIT * device->compute_units;

  /* A tall tile begins with the sums of no more rows than a flat one, but there
   * are fewer tall tiles. With squares, local memory is too small for one. */
  values[0] = has_many && !gst_cl_local_mean_needs_squares (problem->operation)
                  ? MANY_ROWS
                  : FEW_ROWS;
}

static GstClKernel *
make_kernel (const SlidingOperation *self, GstClContext *context,
    const gchar *name, GError **error)
{
  g_autofree gchar *options = g_strdup_printf (
      "-DBORDER=%d -DLINE_GROUPS=%d -DROWS=%d -DHAS_DOT4=%d",
      gst_cl_window_border_of_kernels (self->problem.window.border), ROW_GROUPS,
      self->rows_per_item,
      context->device->compute_capability >= DOT4_CAPABILITY);

  return gst_cl_kernel_new (context, RESOURCE, options, name, error);
}

static gboolean
make_extremes (SlidingOperation *self, GstClContext *context, GError **error)
{
  GstClKernel *clear = make_kernel (self, context,
      "operation_sliding_gpu_clear", error);
  GstClKernel *find = clear ? make_kernel (self, context,
                                  "operation_sliding_gpu_extremes", error)
                            : NULL;

  self->extremes = gst_cl_operation_extremes_new (context, clear, find, error);

  return self->extremes != NULL;
}

static gpointer
create (GstClContext *context, const GstClCandidate *candidate,
    gconstpointer problem, GError **error)
{
  const GstClLocalMeanProblem *p = problem;
  SlidingOperation *self = g_new0 (SlidingOperation, 1);

  self->problem = *p;
  self->rows_per_item = (gint) candidate->values[0];
  self->needs_extremes = p->operation == GST_CL_LOCAL_MEAN_OPERATION_WOLF;
  self->apply = make_kernel (self, context,
      gst_cl_local_mean_needs_squares (p->operation)
          ? "operation_sliding_gpu_moments"
          : "operation_sliding_gpu_means",
      error);
  if (!self->apply ||
      (self->needs_extremes && !make_extremes (self, context, error)))
    g_clear_pointer (&self, free_operation);

  return self;
}

static gboolean
run (gpointer operation, gconstpointer io, GError **error)
{
  const SlidingOperation *self = operation;
  const GstClLocalMeanIo *frames = io;
  const GstClComponent *src = frames->samples, *dst = frames->results;
  const GstClLocalMeanProblem *problem = &self->problem;
  const cl_int4 grid = gst_cl_window_grid (problem);
  const cl_int4 tile = gst_cl_sliding_tile (problem, grid.s[0], src, dst);
  const gsize x = ((grid.s[0] - 1) / tile.s[0] + 1) * (gsize) GST_CL_TILE_LANES;
  const gsize y = (grid.s[1] - 1) / self->rows_per_item + 1;
  GstClOperationArgs a = { .n = 0 };

  gst_cl_operation_add_samples (&a, src);
  gst_cl_operation_add_window (&a, problem, frames, 0);
  gst_cl_operation_add (&a, (GstClArg) GST_CL_INT4 (tile));

  if (self->needs_extremes) {
    GstClOperationArgs of_extremes = a;

    gst_cl_operation_add (&of_extremes, (GstClArg) GST_CL_INT4 (grid));
    if (!gst_cl_operation_extremes_find (self->extremes, of_extremes, x, y,
            FALSE, error))
      return FALSE;
  }

  /* kernels do not read unneeded arguments */
  gst_cl_operation_add (&a, self->needs_extremes
                                ? gst_cl_operation_extremes_arg (self->extremes)
                                : (GstClArg) GST_CL_MEM (src->mem));
  gst_cl_operation_add_results (&a, problem, frames);

  return gst_cl_kernel_launch (self->apply, x, y, 1, a.args, a.n, error);
}

const GstClInstanceFuncs gst_cl_operation_sliding_gpu = {
  .computes = computes,
  .create = create,
  .run = run,
  .free = free_operation,
};
