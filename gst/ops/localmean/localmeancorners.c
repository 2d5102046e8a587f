/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Means from the corners of windows on an integral image; what kernels see. */

#include "cl/context/gstclkernel.h"
#include "localmeanprivate.h"

/* A few bands per core even out cores that run at different speeds. */
#define BANDS_PER_COMPUTE_UNIT 4

#define RESULTS_PER_ITEM 4 /* where an item does not take a band */

struct _GstClLocalMeanCorners {
  GstClLocalMeanSpec spec;
  GstClKernel *kernel;
  gsize items_x, items_y;
};

/* --- what kernels see ---------------------------------------------------- */

guint
gst_cl_local_mean_largest_code (const GstClLocalMeanSpec *spec)
{
  return (1u << spec->sample.depth) - 1;
}

gchar *
gst_cl_local_mean_options (const GstClLocalMeanSpec *spec, guint sum_bytes)
{
  g_autofree gchar *sample = gst_cl_sample_options (&spec->sample);

  return g_strdup_printf (
      "%s -DSAMPLE_MAX=%u -DDST_PIXEL_STRIDE=%u -DBORDER=%d -DSUM_T=%s", sample,
      gst_cl_local_mean_largest_code (spec),
      spec->dst_pixel_stride_bytes / spec->sample.bytes,
      gst_cl_window_border_of_kernels (spec->window.border),
      sum_bytes == 8 ? "ulong" : "uint");
}

void
gst_cl_local_mean_results (const GstClLocalMeanSpec *spec, gint *width,
    gint *height)
{
  const cl_int4 grid = gst_cl_local_mean_grid (&spec->window, spec->width,
      spec->height);

  *width = grid.s[0];
  *height = grid.s[1];
}

cl_int4
gst_cl_local_mean_grid (const GstClWindow *window, gint width, gint height)
{
  return (cl_int4){ .s = { gst_cl_window_results (window->border, width,
                               window->kernel_width, window->step_x),
                        gst_cl_window_results (window->border, height,
                            window->kernel_height, window->step_y),
                        window->step_x, window->step_y } };
}

cl_int4
gst_cl_local_mean_window (const GstClWindow *window)
{
  const gboolean is_valid = window->border == GST_CL_BORDER_VALID;

  return (cl_int4){ .s = { window->kernel_width, window->kernel_height,
                        is_valid ? 0 : window->anchor_x,
                        is_valid ? 0 : window->anchor_y } };
}

GstClLocalMeanFrame
gst_cl_local_mean_frame (const GstClSums *sums, gint channel)
{
  const gboolean is_exclusive = sums->layout == GST_CL_LAYOUT_EXCLUSIVE;
  const gint row_sums = (sums->width + is_exclusive) * sums->channels;
  const gsize before = (is_exclusive ? row_sums + sums->channels : 0) + channel;

  return (GstClLocalMeanFrame){
    .first_sum = sums->offset_bytes / sums->sum_bytes + before,
    .first_word = (sums->offset_bytes + before * sums->sum_bytes) / 4,
    .size = { .s = { sums->width, sums->height, row_sums, sums->channels } },
  };
}

gsize
gst_cl_local_mean_bands (const GstClDevice *device, gint n_rows)
{
  return MIN ((guint) n_rows, device->compute_units * BANDS_PER_COMPUTE_UNIT);
}

/* --- corners ------------------------------------------------------------- */

static const gchar *
kernel_name (const GstClImplementation *variant)
{
  if (variant->family == GST_CL_FAMILY_CPU)
    return "localmean_cpu_means";

  return variant->method == GST_CL_LOCAL_MEAN_METHOD_ASYNC_COPY
             ? "localmean_async"
             : "localmean_direct";
}

static void
set_launch_size (GstClLocalMeanCorners *self,
    const GstClImplementation *variant, const GstClDevice *device)
{
  gint width, height;
  gsize strip;

  gst_cl_local_mean_results (&self->spec, &width, &height);
  if (variant->family == GST_CL_FAMILY_CPU) {
    self->items_x = gst_cl_local_mean_bands (device, height);
    self->items_y = 1;
  } else if (variant->method == GST_CL_LOCAL_MEAN_METHOD_ASYNC_COPY) {
    /* a work-group takes a strip of a row */
    strip = gst_cl_kernel_local_size (self->kernel, 0);
    self->items_x = (width + strip * RESULTS_PER_ITEM - 1) /
                    (strip * RESULTS_PER_ITEM) * strip;
    self->items_y = height;
  } else {
    self->items_x = width;
    self->items_y = (height + RESULTS_PER_ITEM - 1) / RESULTS_PER_ITEM;
  }
}

GstClLocalMeanCorners *
gst_cl_local_mean_corners_new (GstClContext *context,
    const GstClImplementation *variant, const GstClLocalMeanSpec *spec,
    guint sum_bytes, gint channels, GError **error)
{
  g_autoptr (GstClLocalMeanCorners) self = g_new0 (GstClLocalMeanCorners, 1);
  g_autofree gchar *common = gst_cl_local_mean_options (spec, sum_bytes);
  g_autoptr (GString) options = g_string_new (common);

  self->spec = *spec;
  if (variant->family == GST_CL_FAMILY_CPU)
    g_string_append_printf (options, " -DVECTORS=%d",
        channels == 1 && sum_bytes == 4);
  else
    g_string_append_printf (options, " -DRESULTS_PER_ITEM=%d",
        RESULTS_PER_ITEM);

  self->kernel = gst_cl_kernel_new (context, variant->resource, options->str,
      kernel_name (variant), error);
  if (!self->kernel)
    return NULL;
  set_launch_size (self, variant, context->device);

  return g_steal_pointer (&self);
}

void
gst_cl_local_mean_corners_free (GstClLocalMeanCorners *self)
{
  if (!self)
    return;

  gst_cl_kernel_free (self->kernel);
  g_free (self);
}

gboolean
gst_cl_local_mean_corners_run (GstClLocalMeanCorners *self,
    const GstClSums *sums, gint channel, const GstClComponent *dst,
    GError **error)
{
  const GstClLocalMeanFrame frame = gst_cl_local_mean_frame (sums, channel);
  const GstClArg args[] = {
    GST_CL_MEM (sums->mem),
    GST_CL_ULONG (frame.first_sum),
    GST_CL_INT4 (frame.size),
    GST_CL_MEM (dst->mem),
    GST_CL_ULONG (dst->offset_bytes),
    GST_CL_INT (dst->stride_bytes),
    GST_CL_INT4 (gst_cl_local_mean_window (&self->spec.window)),
    GST_CL_INT4 (gst_cl_local_mean_grid (&self->spec.window, self->spec.width,
        self->spec.height)),
    GST_CL_UINT (self->spec.window.border_value),
  };

  return gst_cl_kernel_launch (self->kernel, self->items_x, self->items_y, 1,
      args, G_N_ELEMENTS (args), error);
}
