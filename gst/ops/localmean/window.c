/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Arithmetic of sliding windows; no device. */

#include "window.h"

gint
gst_cl_window_results (GstClBorder border, gint size, gint kernel, gint step)
{
  if (border != GST_CL_BORDER_VALID)
    return (size - 1) / step + 1;

  return kernel > size ? 0 : (size - kernel) / step + 1;
}

gint
gst_cl_window_border_of_kernels (GstClBorder border)
{
  return border == GST_CL_BORDER_VALID ? GST_CL_BORDER_SHRINK : border;
}

guint64
gst_cl_window_samples (const GstClWindow *window)
{
  return (guint64) window->kernel_width * window->kernel_height;
}

guint
gst_cl_window_outside (const GstClWindow *window)
{
  return window->border == GST_CL_BORDER_CONSTANT ? window->border_value : 0;
}

guint
gst_cl_window_sum_bytes (const GstClWindow *window, guint max_sample)
{
  return gst_cl_window_samples (window) * max_sample > G_MAXUINT32 ? 8 : 4;
}

guint
gst_cl_window_sum_bytes_within (const GstClWindow *window, gint width,
    gint height, guint max_sample)
{
  GstClWindow widest = *window;

  if (window->border == GST_CL_BORDER_SHRINK) {
    widest.kernel_width = MIN (window->kernel_width, width);
    widest.kernel_height = MIN (window->kernel_height, height);
  }

  return gst_cl_window_sum_bytes (&widest, max_sample);
}

gboolean
gst_cl_window_has_inner_anchor (const GstClWindow *window)
{
  return window->border == GST_CL_BORDER_VALID ||
         (window->anchor_x >= 0 && window->anchor_x < window->kernel_width &&
             window->anchor_y >= 0 && window->anchor_y < window->kernel_height);
}
