/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Copies of the samples that results belong to. */

#include "localmeanprivate.h"

#include "ops/sample.h"

typedef struct {
  GstClLocalMeanProblem problem;
  GstClKernel *kernel;
  gint src_pixel_stride, dst_pixel_stride; /* samples */
  gboolean is_plain; /* the kernel takes these as arguments */
  gsize items_x, items_y;
} Copy;

static void
free_copy (gpointer copy)
{
  Copy *self = copy;

  if (!self)
    return;

  gst_cl_kernel_free (self->kernel);
  g_free (self);
}

/* Transfer full. */
static gchar *
kernel_options (const Copy *self)
{
  const GstClSampleType *sample = &self->problem.sample;
  g_autofree gchar *type = gst_cl_sample_type_option (sample);

  if (self->is_plain)
    return gst_cl_sums_options (sample, 4);

  return g_strdup_printf ("%s -DPIXEL_STRIDE=%d -DDST_PIXEL_STRIDE=%d", type,
      self->src_pixel_stride, self->dst_pixel_stride);
}

static gpointer
create (GstClContext *context, const GstClCandidate *candidate,
    gconstpointer problem, GError **error)
{
  const GstClLocalMeanProblem *p = problem;
  const GstClImplementation *row = candidate->implementation;
  const GstClLocalMeanRow *data = row->data;
  Copy *self = g_new0 (Copy, 1);
  g_autofree gchar *options = NULL;
  gint width, height;

  self->problem = *p;
  self->src_pixel_stride = p->src_pixel_stride_bytes / (gint) p->sample.bytes;
  self->dst_pixel_stride = p->dst_pixel_stride_bytes / (gint) p->sample.bytes;
  self->is_plain = row->family != GST_CL_FAMILY_CPU;
  options = kernel_options (self);
  self->kernel = gst_cl_kernel_new (context, row->resource, options,
      data->kernel, error);
  if (!self->kernel) {
    free_copy (self);
    return NULL;
  }

  gst_cl_local_mean_result_size (p, &width, &height);
  if (row->family == GST_CL_FAMILY_CPU) {
    self->items_x = gst_cl_window_bands (context->device, height);
    self->items_y = 1;
  } else {
    self->items_x = width;
    self->items_y = height;
  }

  return self;
}

static gboolean
run (gpointer copy, gconstpointer io, GError **error)
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
    /* is_plain */
    GST_CL_INT (self->src_pixel_stride),
    GST_CL_INT (self->dst_pixel_stride),
  };

  return gst_cl_kernel_launch (self->kernel, self->items_x, self->items_y, 1,
      args, G_N_ELEMENTS (args) - (self->is_plain ? 0 : 2), error);
}

const GstClInstanceFuncs gst_cl_local_mean_copy = {
  .create = create,
  .run = run,
  .free = free_copy,
};
