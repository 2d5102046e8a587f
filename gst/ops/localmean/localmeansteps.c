/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Rows of steps: an integral image of the samples, then a row for sums; or
 * rounded means, then an operation on them. */

#include "localmeanprivate.h"

#include "cl/context/gstclprogram.h"
#include "cl/memory/gstclbuffer.h"
#include "ops/choose.h"
#include "ops/integral/integral.h"

#define SQUARE_SUM_BYTES 8 /* of an integral image of squares */

/* --- an integral image, then sums ----------------------------------------- */

typedef struct {
  gboolean needs_squares; /* FALSE: squares_op is NULL */
  GstClIntegralOp *sums_op, *squares_op;
  GstClSums sums, squares; /* overwritten by every run */

  GstClInstance then; /* run with the sums */
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
                     ? SQUARE_SUM_BYTES
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
create_by_image (GstClContext *context, const GstClCandidate *candidate,
    gconstpointer problem, GError **error)
{
  const GstClLocalMeanRow *row = candidate->implementation->data;
  GstClLocalMeanProblem p = *(const GstClLocalMeanProblem *) problem;
  GstClCandidate then = *candidate;
  g_autoptr (ByImage) self = g_new0 (ByImage, 1);

  self->needs_squares = gst_cl_local_mean_needs_squares (p.operation);
  /* one program instead of two */
  if (self->needs_squares && gst_cl_build_is_quick ())
    p.sum_bytes = SQUARE_SUM_BYTES;
  then.implementation = row->then;
  self->sums_op = make_image (context, &p, GST_CL_INTEGRAL_SUM, &self->sums,
      error);
  if (!self->sums_op)
    return NULL;
  if (self->needs_squares) {
    self->squares_op = make_image (context, &p, GST_CL_INTEGRAL_SQUARES,
        &self->squares, error);
    if (!self->squares_op)
      return NULL;
  }

  return gst_cl_instance_init (&self->then, context, &then, &p, error)
             ? g_steal_pointer (&self)
             : NULL;
}

static gboolean
run_by_image (gpointer by_image, gconstpointer io, GError **error)
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
  .create = create_by_image,
  .run = run_by_image,
  .free = free_by_image,
};

/* --- means, then an operation --------------------------------------------- */

typedef struct {
  GstClInstance mean, operation;
  GstClComponent means; /* overwritten by every run */
} ByMeans;

static void
free_by_means (gpointer by_means)
{
  ByMeans *self = by_means;

  if (!self)
    return;

  gst_cl_instance_clear (&self->mean);
  gst_cl_instance_clear (&self->operation);
  gst_cl_buffer_free (self->means.mem);
  g_free (self);
}

G_DEFINE_AUTOPTR_CLEANUP_FUNC (ByMeans, free_by_means)

static gpointer
create_by_means (GstClContext *context, const GstClCandidate *candidate,
    gconstpointer problem, GError **error)
{
  const GstClLocalMeanProblem *p = problem;
  const GstClLocalMeanRow *row = candidate->implementation->data;
  GstClLocalMeanProblem mean = *p;
  GstClCandidate means = *candidate, operation = *candidate;
  g_autoptr (ByMeans) self = g_new0 (ByMeans, 1);
  gint width, height;

  mean.operation = GST_CL_LOCAL_MEAN_OPERATION_MEAN;
  mean.dst_pixel_stride_bytes = (gint) p->sample.bytes;
  means.implementation = row->means;
  if (!gst_cl_instance_init (&self->mean, context, &means, &mean, error))
    return NULL;

  gst_cl_local_mean_result_size (p, &width, &height);
  if (!gst_cl_local_mean_plane_init (&self->means, context, &p->sample, width,
          height, mean.dst_pixel_stride_bytes, error))
    return NULL;

  operation.implementation = row->then;

  return gst_cl_instance_init (&self->operation, context, &operation, p, error)
             ? g_steal_pointer (&self)
             : NULL;
}

static gboolean
run_by_means (gpointer by_means, gconstpointer io, GError **error)
{
  const ByMeans *self = by_means;
  GstClLocalMeanIo operation = *(const GstClLocalMeanIo *) io;
  GstClLocalMeanIo means = operation;

  means.results = &self->means;
  operation.means = &self->means;

  return gst_cl_instance_run (&self->mean, &means, error) &&
         gst_cl_instance_run (&self->operation, &operation, error);
}

const GstClInstanceFuncs gst_cl_local_mean_by_means = {
  .create = create_by_means,
  .run = run_by_means,
  .free = free_by_means,
};
