/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Copies of the samples that results belong to. */

#include "localmeanprivate.h"

#include "cl/context/gstclkernel.h"
#include "ops/sample.h"
#include "ops/window/windowarguments.h"

typedef struct {
  GstClLocalMeanProblem problem;
  GstClKernel *kernel;
  gsize items_x, items_y;
} Copy;

gpointer
gst_cl_local_mean_copy_new (GstClContext *context,
    const GstClCandidate *candidate, gconstpointer problem, GError **error)
{
  const GstClLocalMeanProblem *p = problem;
  const GstClImplementation *row = candidate->implementation;
  const GstClLocalMeanRow *data = row->data;
  g_autofree gchar *sample = gst_cl_sample_options (&p->sample);
  g_autofree gchar *options = g_strdup_printf (
      "%s -DPIXEL_STRIDE=%u -DDST_PIXEL_STRIDE=%u", sample,
      p->src_pixel_stride_bytes / p->sample.bytes,
      p->dst_pixel_stride_bytes / p->sample.bytes);
  GstClKernel *kernel = gst_cl_kernel_new (context, row->resource, options,
      data->kernel, error);
  Copy *self;
  gint width, height;

  if (!kernel)
    return NULL;

  gst_cl_local_mean_result_size (p, &width, &height);
  self = g_new0 (Copy, 1);
  self->problem = *p;
  self->kernel = kernel;
  if (row->family == GST_CL_FAMILY_CPU) {
    self->items_x = gst_cl_window_bands (context->device, height);
    self->items_y = 1;
  } else {
    self->items_x = width;
    self->items_y = height;
  }

  return self;
}

void
gst_cl_local_mean_copy_free (gpointer copy)
{
  Copy *self = copy;

  if (!self)
    return;

  gst_cl_kernel_free (self->kernel);
  g_free (self);
}

gboolean
gst_cl_local_mean_copy_run (gpointer copy, gconstpointer io, GError **error)
{
  const Copy *self = copy;
  const GstClLocalMeanIo *frames = io;
  const GstClComponent *src = frames->samples, *dst = frames->results;
  const GstClWindow *window = &self->problem.window;
  const gboolean is_valid = window->border == GST_CL_BORDER_VALID;
  const GstClArg args[] = {
    GST_CL_MEM (src->mem),
    GST_CL_ULONG (src->offset_bytes),
    GST_CL_INT (src->stride_bytes),
    GST_CL_INT (is_valid ? window->anchor_x : 0),
    GST_CL_INT (is_valid ? window->anchor_y : 0),
    GST_CL_MEM (dst->mem),
    GST_CL_ULONG (dst->offset_bytes),
    GST_CL_INT (dst->stride_bytes),
    GST_CL_INT4 (gst_cl_window_grid (&self->problem)),
  };

  return gst_cl_kernel_launch (self->kernel, self->items_x, self->items_y, 1,
      args, G_N_ELEMENTS (args), error);
}
