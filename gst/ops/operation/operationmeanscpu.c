/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Operations on rounded means on CPUs: a band of rows for each work-item. */

#include "operation.h"

#include "operationarguments.h"
#include "ops/sample.h"
#include "ops/window/windowarguments.h"

typedef struct {
  GstClLocalMeanProblem problem;
  GstClKernel *kernel;
  gsize n_bands;
} OperationOnMeans;

/* The kernel has the distance of samples built in; borders and sums are
 * nothing to it. */
gpointer
gst_cl_operation_on_means_cpu_new (GstClContext *context,
    const GstClCandidate *candidate, gconstpointer problem, GError **error)
{
  const GstClLocalMeanProblem *p = problem;
  g_autofree gchar *sample = gst_cl_sample_options (&p->sample);
  g_autofree gchar *options = g_strdup_printf (
      "%s -DSAMPLE_MAX=%u -DPIXEL_STRIDE=%u -DDST_PIXEL_STRIDE=%u", sample,
      gst_cl_local_mean_largest_code (p),
      p->src_pixel_stride_bytes / p->sample.bytes,
      p->dst_pixel_stride_bytes / p->sample.bytes);
  GstClKernel *kernel = gst_cl_kernel_new (context, "operation/cpu.cl", options,
      "operation_cpu_of_means", error);
  OperationOnMeans *self;
  gint width, height;

  if (!kernel)
    return NULL;

  gst_cl_local_mean_result_size (p, &width, &height);
  self = g_new0 (OperationOnMeans, 1);
  self->problem = *p;
  self->kernel = kernel;
  self->n_bands = gst_cl_window_bands (context->device, height);

  return self;
}

void
gst_cl_operation_on_means_cpu_free (gpointer operation)
{
  OperationOnMeans *self = operation;

  if (!self)
    return;

  gst_cl_kernel_free (self->kernel);
  g_free (self);
}

gboolean
gst_cl_operation_on_means_cpu_run (gpointer operation, gconstpointer io,
    GError **error)
{
  const OperationOnMeans *self = operation;
  const GstClLocalMeanIo *frames = io;
  GstClOperationArgs a = { .n = 0 };

  gst_cl_operation_add_samples (&a, frames->samples);
  gst_cl_operation_add (&a, (GstClArg) GST_CL_MEM (frames->means->mem));
  gst_cl_operation_add (&a,
      (GstClArg) GST_CL_INT (frames->means->stride_bytes));
  gst_cl_operation_add_results (&a, &self->problem, frames->results);

  return gst_cl_kernel_launch (self->kernel, self->n_bands, 1, 1, a.args, a.n,
      error);
}
