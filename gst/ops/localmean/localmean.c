/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Local means of one component, in one pass or several. */

#include "localmeanprivate.h"

#include "cl/memory/gstclbuffer.h"
#include "ops/choose.h"

/* Windows of this many samples or more overflow the kernels' remainders. */
#define MAX_WINDOW_SAMPLES (G_GUINT64_CONSTANT (1) << 30)

struct _GstClLocalMeanOp {
  GstClInstance instance;

  gint n_passes;
  GstClComponent passes[2]; /* results of one pass, samples of the next */
};

/* --- choosing ------------------------------------------------------------ */

GstClCandidate
gst_cl_local_mean_choose (GstClContext *context, gint method,
    const GstClLocalMeanProblem *problem, gboolean may_measure, GError **error)
{
  GstClLocalMeanProblem typical = *problem;

  typical.repeat = 1;
  typical.operation = gst_cl_local_mean_typical_operation (problem->operation);

  return gst_cl_op_table_choose (&gst_cl_local_mean_table, context, method,
      &typical, may_measure, error);
}

/* --- creating ------------------------------------------------------------ */

/* Returns TRUE if results can be the samples of another pass. */
static gboolean
can_repeat (const GstClLocalMeanProblem *problem)
{
  return problem->operation == GST_CL_LOCAL_MEAN_OPERATION_MEAN &&
         !problem->from_sums && problem->window.border != GST_CL_BORDER_VALID &&
         problem->window.step_x == 1 && problem->window.step_y == 1 &&
         problem->src_pixel_stride_bytes == problem->dst_pixel_stride_bytes &&
         problem->n_result_rows == 0;
}

static gboolean
check_problem (const GstClLocalMeanProblem *problem, GError **error)
{
  const GstClWindow *window = &problem->window;
  g_autofree gchar *what = NULL;

  g_return_val_if_fail (problem->width >= 1 && problem->height >= 1, FALSE);
  g_return_val_if_fail (window->step_x >= 1 && window->step_y >= 1, FALSE);
  g_return_val_if_fail (window->kernel_width >= 1 && window->kernel_height >= 1,
      FALSE);
  g_return_val_if_fail (window->border != GST_CL_BORDER_VALID ||
                            (window->kernel_width <= problem->width &&
                                window->kernel_height <= problem->height),
      FALSE);
  g_return_val_if_fail (problem->repeat <= 1 || can_repeat (problem), FALSE);

  if (gst_cl_window_samples (window) < MAX_WINDOW_SAMPLES)
    return TRUE;

  what = g_strdup_printf ("a window of %d x %d samples, 2^30 or more",
      window->kernel_width, window->kernel_height);
  return gst_cl_check (CL_INVALID_VALUE, what, error);
}

GstClComponent
gst_cl_local_mean_plane (const GstClSampleType *sample, gint width, gint height,
    gint pixel_stride_bytes)
{
  return (GstClComponent){
    .stride_bytes = width * pixel_stride_bytes,
    .pixel_stride_bytes = pixel_stride_bytes,
    .width = width,
    .height = height,
    .sample = *sample,
  };
}

gboolean
gst_cl_local_mean_plane_allocate (GstClComponent *plane, GstClContext *context,
    GError **error)
{
  plane->mem = gst_cl_buffer_new (context,
      (gsize) plane->stride_bytes * plane->height, error);

  return plane->mem != NULL;
}

GstClLocalMeanOp *
gst_cl_local_mean_op_new (GstClContext *context,
    const GstClCandidate *candidate, const GstClLocalMeanProblem *problem,
    GError **error)
{
  g_autoptr (GstClLocalMeanOp) self = NULL;

  if (!check_problem (problem, error))
    return NULL;

  self = g_new0 (GstClLocalMeanOp, 1);
  self->n_passes = MAX (problem->repeat, 1);
  for (gint i = 0; i < MIN (self->n_passes - 1, 2); i++) {
    self->passes[i] = gst_cl_local_mean_plane (&problem->sample, problem->width,
        problem->height, problem->dst_pixel_stride_bytes);
    if (!gst_cl_local_mean_plane_allocate (&self->passes[i], context, error))
      return NULL;
  }

  return gst_cl_instance_init (&self->instance, context, candidate, problem,
             error)
             ? g_steal_pointer (&self)
             : NULL;
}

void
gst_cl_local_mean_op_free (GstClLocalMeanOp *self)
{
  if (!self)
    return;

  gst_cl_instance_clear (&self->instance);
  for (guint i = 0; i < G_N_ELEMENTS (self->passes); i++)
    gst_cl_buffer_free (self->passes[i].mem);
  g_free (self);
}

/* --- running ------------------------------------------------------------- */

gboolean
gst_cl_local_mean_op_run (GstClLocalMeanOp *self, const GstClLocalMeanIo *io,
    GError **error)
{
  GstClLocalMeanIo pass = *io;

  for (gint i = 1; i < self->n_passes; i++) {
    pass.results = &self->passes[(i - 1) % 2];
    if (!gst_cl_instance_run (&self->instance, &pass, error))
      return FALSE;
    pass.samples = pass.results;
  }
  pass.results = io->results;

  return gst_cl_instance_run (&self->instance, &pass, error);
}

/* --- tiers ---------------------------------------------------------------- */

static GstClCandidate
choose (GstClContext *context, gint method, gconstpointer problem,
    gboolean may_measure, GError **error)
{
  return gst_cl_local_mean_choose (context, method, problem, may_measure,
      error);
}

static gpointer
create (GstClContext *context, const GstClCandidate *candidate,
    gconstpointer problem, GError **error)
{
  return gst_cl_local_mean_op_new (context, candidate, problem, error);
}

static void
free_op (gpointer op)
{
  gst_cl_local_mean_op_free (op);
}

static gboolean
run (gpointer op, gconstpointer io, GError **error)
{
  return gst_cl_local_mean_op_run (op, io, error);
}

const GstClTieredFuncs gst_cl_local_mean_tiered = {
  .table = &gst_cl_local_mean_table,
  .problem_bytes = sizeof (GstClLocalMeanProblem),
  .choose = choose,
  .create = create,
  .free = free_op,
  .run = run,
};
