/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Rounded means, then an operation that starts from them. */

#include "localmeanprivate.h"

#include "cl/memory/gstclbuffer.h"

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
create (GstClContext *context, const GstClCandidate *candidate,
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
run (gpointer by_means, gconstpointer io, GError **error)
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
  .create = create,
  .run = run,
  .free = free_by_means,
};
