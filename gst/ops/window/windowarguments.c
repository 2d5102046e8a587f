/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Windows and integral images as kernels take them. */

#include "windowarguments.h"

#include "ops/sample.h"

/* A few bands per core even out cores that run at different speeds. */
#define BANDS_PER_COMPUTE_UNIT 4

gchar *
gst_cl_window_options (const GstClLocalMeanProblem *problem, guint sum_bytes)
{
  g_autofree gchar *sample = gst_cl_sample_options (&problem->sample);

  return g_strdup_printf (
      "%s -DSAMPLE_MAX=%u -DDST_PIXEL_STRIDE=%u -DBORDER=%d -DSUM_T=%s", sample,
      gst_cl_local_mean_largest_code (problem),
      problem->dst_pixel_stride_bytes / problem->sample.bytes,
      gst_cl_window_border_of_kernels (problem->window.border),
      sum_bytes == 8 ? "ulong" : "uint");
}

gchar *
gst_cl_window_plain_options (const GstClLocalMeanProblem *problem,
    guint sum_bytes, const GstClDevice *device)
{
  g_autofree gchar *types = gst_cl_sums_options (&problem->sample, sum_bytes);

  if (!gst_cl_device_prefers_constants (device))
    return g_steal_pointer (&types);

  return g_strdup_printf ("%s -DFIXED_BORDER=%d", types,
      problem->window.border);
}

cl_int4
gst_cl_window_format (const GstClLocalMeanProblem *problem)
{
  const GstClSampleType *sample = &problem->sample;

  return (cl_int4){
    .s = { problem->dst_pixel_stride_bytes / (gint) sample->bytes,
        (gint) sample->shift, (gint) gst_cl_local_mean_largest_code (problem),
        problem->window.border }
  };
}

cl_int4
gst_cl_window_grid (const GstClLocalMeanProblem *problem)
{
  gint width, height;

  gst_cl_local_mean_result_size (problem, &width, &height);

  return (cl_int4){ .s = { width, height, problem->window.step_x,
                        problem->window.step_y } };
}

cl_int4
gst_cl_window_argument (const GstClWindow *window)
{
  const gboolean is_valid = window->border == GST_CL_BORDER_VALID;

  return (cl_int4){ .s = { window->kernel_width, window->kernel_height,
                        is_valid ? 0 : window->anchor_x,
                        is_valid ? 0 : window->anchor_y } };
}

GstClWindowSums
gst_cl_window_sums (const GstClSums *sums, gint channel)
{
  const gboolean is_exclusive = sums->layout == GST_CL_LAYOUT_EXCLUSIVE;
  const gint row_sums = (sums->width + is_exclusive) * sums->channels;
  const gsize before = (is_exclusive ? row_sums + sums->channels : 0) + channel;

  return (GstClWindowSums){
    .first_sum = sums->offset_bytes / sums->sum_bytes + before,
    .first_word = (sums->offset_bytes + before * sums->sum_bytes) / 4,
    .size = { .s = { sums->width, sums->height, row_sums, sums->channels } },
  };
}

gsize
gst_cl_window_bands (const GstClDevice *device, gint n_rows)
{
  return MIN ((guint) n_rows, device->compute_units * BANDS_PER_COMPUTE_UNIT);
}
