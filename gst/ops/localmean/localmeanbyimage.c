/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* An integral image of the samples, then whatever goes on from sums. */

#include "localmeanprivate.h"

#include "cl/memory/gstclbuffer.h"
#include "ops/choose.h"
#include "ops/integral/integral.h"

typedef struct {
  gboolean needs_squares; /* else squares_op is NULL */
  GstClIntegralOp *sums_op, *squares_op;
  GstClSums sums, squares; /* overwritten by every run */

  GstClInstance then; /* takes the sums */
} ByImage;

static void
free_by_image (gpointer by_image)
{
  ByImage *self = by_image;

  if (!self)
    return;

  gst_cl_instance_clear (&self->then);
  gst_cl_integral_op_free (self->sums_op);
  gst_cl_integral_op_free (self->squares_op);
  gst_cl_buffer_free (self->sums.mem);
  gst_cl_buffer_free (self->squares.mem);
  g_free (self);
}

G_DEFINE_AUTOPTR_CLEANUP_FUNC (ByImage, free_by_image)

static GstClIntegralOp *
make_image (GstClContext *context, const GstClLocalMeanProblem *problem,
    GstClIntegralKind kind, GstClSums *sums, GError **error)
{
  const GstClIntegralProblem integral = {
    .width = problem->width,
    .height = problem->height,
    .channels = 1,
    .pixel_stride_bytes = problem->src_pixel_stride_bytes,
    .sample = problem->sample,
    .layout = GST_CL_LAYOUT_INCLUSIVE,
    .sum_bytes = kind == GST_CL_INTEGRAL_SQUARES
                     ? 8
                     : gst_cl_local_mean_sum_bytes (problem),
    .kind = kind,
  };
  const guint64 size_bytes = (guint64) problem->width * problem->height *
                             integral.sum_bytes;
  GstClCandidate candidate;

  *sums = (GstClSums){
    .layout = integral.layout,
    .width = integral.width,
    .height = integral.height,
    .channels = integral.channels,
    .sum_bytes = integral.sum_bytes,
  };
  if (!gst_cl_buffer_check_size (context, size_bytes, error)) {
    g_prefix_error (error, "Smaller windows, with method=auto, need no "
                           "integral image of the frame. ");
    return NULL;
  }
  sums->mem = gst_cl_buffer_new (context, size_bytes, error);
  if (!sums->mem)
    return NULL;

  candidate = gst_cl_op_table_choose (&gst_cl_integral_table, context,
      GST_CL_INTEGRAL_METHOD_AUTO, &integral, FALSE, error);

  return candidate.implementation
             ? gst_cl_integral_op_new (context, &candidate, &integral, error)
             : NULL;
}

static gpointer
create (GstClContext *context, const GstClCandidate *candidate,
    gconstpointer problem, GError **error)
{
  const GstClLocalMeanRow *row = candidate->implementation->data;
  const GstClLocalMeanProblem *p = problem;
  GstClCandidate then = *candidate;
  g_autoptr (ByImage) self = g_new0 (ByImage, 1);

  self->needs_squares = gst_cl_local_mean_needs_squares (p->operation);
  then.implementation = row->then;
  self->sums_op = make_image (context, p, GST_CL_INTEGRAL_SUM, &self->sums,
      error);
  if (!self->sums_op)
    return NULL;
  if (self->needs_squares) {
    self->squares_op = make_image (context, p, GST_CL_INTEGRAL_SQUARES,
        &self->squares, error);
    if (!self->squares_op)
      return NULL;
  }

  return gst_cl_instance_init (&self->then, context, &then, p, error)
             ? g_steal_pointer (&self)
             : NULL;
}

static gboolean
run (gpointer by_image, gconstpointer io, GError **error)
{
  const ByImage *self = by_image;
  GstClLocalMeanIo frames = *(const GstClLocalMeanIo *) io;

  frames.sums = &self->sums;
  frames.squares = &self->squares;
  if (!gst_cl_integral_op_run (self->sums_op, frames.samples, &self->sums,
          error))
    return FALSE;
  if (self->needs_squares && !gst_cl_integral_op_run (self->squares_op,
                                 frames.samples, &self->squares, error))
    return FALSE;

  return gst_cl_instance_run (&self->then, &frames, error);
}

const GstClInstanceFuncs gst_cl_local_mean_by_image = {
  .create = create,
  .run = run,
  .free = free_by_image,
};
