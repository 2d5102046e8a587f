/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Rounded means, then an operation that starts from them. */

#include "localmeanprivate.h"

#include "cl/memory/gstclbuffer.h"

typedef struct {
  const GstClLocalMeanRow *row;
  gpointer means_instance, operation_instance;
  GstClComponent means; /* overwritten by every run */
} ByMeans;

G_DEFINE_AUTOPTR_CLEANUP_FUNC (ByMeans, gst_cl_local_mean_by_means_free)

gpointer
gst_cl_local_mean_by_means_new (GstClContext *context,
    const GstClCandidate *candidate, gconstpointer problem, GError **error)
{
  const GstClLocalMeanProblem *p = problem;
  const GstClLocalMeanRow *row = candidate->implementation->data;
  GstClLocalMeanProblem mean = *p;
  GstClCandidate means = *candidate, operation = *candidate;
  g_autoptr (ByMeans) self = g_new0 (ByMeans, 1);
  gint width, height;

  self->row = row;
  mean.operation = GST_CL_LOCAL_MEAN_OPERATION_MEAN;
  mean.dst_pixel_stride_bytes = (gint) p->sample.bytes;
  means.implementation = row->means;
  self->means_instance = row->means->create (context, &means, &mean, error);
  if (!self->means_instance)
    return NULL;

  gst_cl_local_mean_result_size (p, &width, &height);
  if (!gst_cl_local_mean_plane_init (&self->means, context, &p->sample, width,
          height, mean.dst_pixel_stride_bytes, error))
    return NULL;

  operation.implementation = row->then;
  self->operation_instance = row->then->create (context, &operation, p, error);

  return self->operation_instance ? g_steal_pointer (&self) : NULL;
}

void
gst_cl_local_mean_by_means_free (gpointer by_means)
{
  ByMeans *self = by_means;

  if (!self)
    return;

  self->row->means->free (self->means_instance);
  self->row->then->free (self->operation_instance);
  gst_cl_buffer_free (self->means.mem);
  g_free (self);
}

gboolean
gst_cl_local_mean_by_means_run (gpointer by_means, gconstpointer io,
    GError **error)
{
  const ByMeans *self = by_means;
  GstClLocalMeanIo operation = *(const GstClLocalMeanIo *) io;
  GstClLocalMeanIo means = operation;

  means.results = &self->means;
  operation.means = &self->means;

  return self->row->means->run (self->means_instance, &means, error) &&
         self->row->then->run (self->operation_instance, &operation, error);
}
