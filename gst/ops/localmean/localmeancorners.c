/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Means from the corners of windows on an integral image. */

#include "localmeanprivate.h"

/* The results of a work-item, for kernels without bands; the same number as in
 * kernels/localmean/plain.cl. */
#define RESULTS_PER_ITEM 4

typedef struct {
  GstClLocalMeanProblem problem;
  GstClKernel *kernel;
  gboolean is_plain; /* the kernel takes its format as an argument */
  gsize items_x, items_y;
} Corners;

static void
free_corners (gpointer corners)
{
  Corners *self = corners;

  if (!self)
    return;

  gst_cl_kernel_free (self->kernel);
  g_free (self);
}

/* Transfer full. */
static gchar *
kernel_options (const GstClContext *context, const GstClImplementation *row,
    const GstClLocalMeanProblem *problem)
{
  const guint sum_bytes = gst_cl_local_mean_sum_bytes (problem);
  const gint channels = problem->from_sums ? problem->channels : 1;
  g_autofree gchar *constants = NULL;

  if (row->family != GST_CL_FAMILY_CPU)
    return gst_cl_window_plain_options (problem, sum_bytes, context->device);

  constants = gst_cl_window_options (problem, sum_bytes);

  return g_strdup_printf ("%s -DVECTORS=%d", constants,
      channels == 1 && sum_bytes == 4);
}

static GstClKernel *
make_kernel (GstClContext *context, const GstClImplementation *row,
    const GstClLocalMeanProblem *problem, GError **error)
{
  const GstClLocalMeanRow *data = row->data;
  g_autofree gchar *options = kernel_options (context, row, problem);

  return gst_cl_kernel_new (context, row->resource, options, data->kernel,
      error);
}

static gpointer
create (GstClContext *context, const GstClCandidate *candidate,
    gconstpointer problem, GError **error)
{
  const GstClImplementation *row = candidate->implementation;
  GstClKernel *kernel = make_kernel (context, row, problem, error);
  Corners *self;
  gint width, height;
  gsize strip;

  if (!kernel)
    return NULL;

  self = g_new0 (Corners, 1);
  self->problem = *(const GstClLocalMeanProblem *) problem;
  self->kernel = kernel;
  self->is_plain = row->family != GST_CL_FAMILY_CPU;
  gst_cl_local_mean_result_size (problem, &width, &height);
  if (row->family == GST_CL_FAMILY_CPU) {
    self->items_x = gst_cl_window_bands (context->device, height);
    self->items_y = 1;
  } else if (row->method == GST_CL_LOCAL_MEAN_METHOD_ASYNC_COPY) {
    /* a work-group computes a strip of a row */
    strip = gst_cl_kernel_local_size (kernel, 0);
    self->items_x = (width + strip * RESULTS_PER_ITEM - 1) /
                    (strip * RESULTS_PER_ITEM) * strip;
    self->items_y = height;
  } else {
    self->items_x = width;
    self->items_y = (height + RESULTS_PER_ITEM - 1) / RESULTS_PER_ITEM;
  }

  return self;
}

static gboolean
run (gpointer corners, gconstpointer io, GError **error)
{
  const Corners *self = corners;
  const GstClLocalMeanIo *frames = io;
  const GstClComponent *dst = frames->results;
  const GstClWindow *window = &self->problem.window;
  const GstClWindowSums sums = gst_cl_window_sums (frames->sums,
      frames->channel);
  const GstClArg args[] = {
    GST_CL_MEM (frames->sums->mem),
    GST_CL_ULONG (sums.first_sum),
    GST_CL_INT4 (sums.size),
    GST_CL_MEM (dst->mem),
    GST_CL_ULONG (dst->offset_bytes),
    GST_CL_INT (dst->stride_bytes),
    GST_CL_INT4 (gst_cl_window_argument (window, frames->strip.first_row)),
    GST_CL_INT4 (gst_cl_window_grid (&self->problem)),
    GST_CL_UINT (window->border_value),
    /* is_plain */
    GST_CL_INT4 (gst_cl_window_format (&self->problem)),
  };

  return gst_cl_kernel_launch (self->kernel, self->items_x, self->items_y, 1,
      args, G_N_ELEMENTS (args) - (self->is_plain ? 0 : 1), error);
}

const GstClInstanceFuncs gst_cl_local_mean_corners = {
  .create = create,
  .run = run,
  .free = free_corners,
};
