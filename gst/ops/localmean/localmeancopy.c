/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Copies of the samples that results belong to. */

#include "cl/context/gstclkernel.h"
#include "localmeanprivate.h"

struct _GstClLocalMeanCopy {
  GstClLocalMeanSpec spec;
  GstClKernel *kernel;
  gsize items_x, items_y;
};

GstClLocalMeanCopy *
gst_cl_local_mean_copy_new (GstClContext *context, GstClFamily family,
    const GstClLocalMeanSpec *spec, GError **error)
{
  const gboolean is_cpu = family == GST_CL_FAMILY_CPU;
  GstClLocalMeanCopy *self = g_new0 (GstClLocalMeanCopy, 1);
  g_autofree gchar *sample = gst_cl_sample_options (&spec->sample);
  g_autoptr (GString) options = g_string_new (sample);
  gint width, height;

  self->spec = *spec;
  gst_cl_local_mean_results (spec, &width, &height);
  g_string_append_printf (options, " -DPIXEL_STRIDE=%u -DDST_PIXEL_STRIDE=%u",
      spec->src_pixel_stride_bytes / spec->sample.bytes,
      spec->dst_pixel_stride_bytes / spec->sample.bytes);

  self->kernel = gst_cl_kernel_new (context,
      is_cpu ? "localmean/cpu.cl" : "localmean/plain.cl", options->str,
      is_cpu ? "localmean_cpu_copy" : "localmean_copy", error);
  if (!self->kernel) {
    gst_cl_local_mean_copy_free (self);
    return NULL;
  }

  self->items_x = is_cpu ? gst_cl_local_mean_bands (context->device, height)
                         : (gsize) width;
  self->items_y = is_cpu ? 1 : (gsize) height;

  return self;
}

void
gst_cl_local_mean_copy_free (GstClLocalMeanCopy *self)
{
  if (!self)
    return;

  gst_cl_kernel_free (self->kernel);
  g_free (self);
}

gboolean
gst_cl_local_mean_copy_run (GstClLocalMeanCopy *self, const GstClComponent *src,
    const GstClComponent *dst, GError **error)
{
  const GstClWindow *window = &self->spec.window;
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
    GST_CL_INT4 (gst_cl_local_mean_grid (&self->spec.window, self->spec.width,
        self->spec.height)),
  };

  return gst_cl_kernel_launch (self->kernel, self->items_x, self->items_y, 1,
      args, G_N_ELEMENTS (args), error);
}
