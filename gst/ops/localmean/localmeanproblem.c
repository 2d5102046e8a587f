/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Problems of local means, and their windows: comparison, description,
 * arguments of kernels. */

#include "localmeanproblem.h"

#include "ops/sample.h"

/* --- windows -------------------------------------------------------------- */

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

/* --- operations ---------------------------------------------------------- */

gboolean
gst_cl_local_mean_needs_squares (GstClLocalMeanOperation operation)
{
  return operation == GST_CL_LOCAL_MEAN_OPERATION_STDDEV ||
         operation >= GST_CL_LOCAL_MEAN_OPERATION_NIBLACK;
}

GstClLocalMeanOperation
gst_cl_local_mean_typical_operation (GstClLocalMeanOperation operation)
{
  if (operation < GST_CL_LOCAL_MEAN_OPERATION_STDDEV)
    return operation;
  if (operation == GST_CL_LOCAL_MEAN_OPERATION_DIFFERENCE ||
      operation == GST_CL_LOCAL_MEAN_OPERATION_MEAN_C)
    return GST_CL_LOCAL_MEAN_OPERATION_DIFFERENCE;

  return gst_cl_local_mean_needs_squares (operation)
             ? GST_CL_LOCAL_MEAN_OPERATION_SAUVOLA
             : GST_CL_LOCAL_MEAN_OPERATION_BRADLEY;
}

/* --- problems ------------------------------------------------------------ */

static gboolean
windows_are_equal (const GstClWindow *a, const GstClWindow *b)
{
  return a->kernel_width == b->kernel_width &&
         a->kernel_height == b->kernel_height && a->anchor_x == b->anchor_x &&
         a->anchor_y == b->anchor_y && a->step_x == b->step_x &&
         a->step_y == b->step_y && a->border == b->border &&
         a->border_value == b->border_value;
}

static gboolean
factors_are_equal (const GstClLocalMeanFactors *a,
    const GstClLocalMeanFactors *b)
{
  return a->k == b->k && a->r == b->r && a->offset == b->offset &&
         a->target == b->target && a->invert == b->invert;
}

gboolean
gst_cl_local_mean_problem_equal (const GstClLocalMeanProblem *a,
    const GstClLocalMeanProblem *b)
{
  return a->operation == b->operation &&
         windows_are_equal (&a->window, &b->window) &&
         factors_are_equal (&a->factors, &b->factors) &&
         a->repeat == b->repeat && a->width == b->width &&
         a->height == b->height && a->sample.bytes == b->sample.bytes &&
         a->sample.depth == b->sample.depth &&
         a->sample.shift == b->sample.shift &&
         a->src_pixel_stride_bytes == b->src_pixel_stride_bytes &&
         a->dst_pixel_stride_bytes == b->dst_pixel_stride_bytes &&
         a->from_sums == b->from_sums && a->layout == b->layout &&
         a->channels == b->channels && a->sum_bytes == b->sum_bytes &&
         a->n_result_rows == b->n_result_rows;
}

static gchar *
describe_input (const GstClLocalMeanProblem *self)
{
  if (!self->from_sums)
    return g_strdup_printf ("samples every %d bytes",
        self->src_pixel_stride_bytes);

  return g_strdup_printf ("%d %s sums of %u bytes", self->channels,
      self->layout == GST_CL_LAYOUT_EXCLUSIVE ? "exclusive" : "inclusive",
      self->sum_bytes);
}

gchar *
gst_cl_local_mean_problem_describe (const GstClLocalMeanProblem *self)
{
  static const gchar *const operations[] = {
    [GST_CL_LOCAL_MEAN_OPERATION_MEAN] = "mean",
    [GST_CL_LOCAL_MEAN_OPERATION_COPY] = "copy",
    [GST_CL_LOCAL_MEAN_OPERATION_DIFFERENCE] = "operation on means",
    [GST_CL_LOCAL_MEAN_OPERATION_BRADLEY] = "operation on sums",
    [GST_CL_LOCAL_MEAN_OPERATION_SAUVOLA] = "operation on sums and squares",
  };
  const GstClWindow *window = &self->window;
  g_autofree gchar *input = describe_input (self);

  return g_strdup_printf ("local %s %dx%d, %u+%u bits every %d bytes, from "
                          "%s, window %dx%d at %d,%d every %d,%d, border %d",
      operations[gst_cl_local_mean_typical_operation (self->operation)],
      self->width, self->height, self->sample.depth, self->sample.shift,
      self->dst_pixel_stride_bytes, input, window->kernel_width,
      window->kernel_height, window->anchor_x, window->anchor_y, window->step_x,
      window->step_y, window->border);
}

guint
gst_cl_local_mean_largest_code (const GstClLocalMeanProblem *self)
{
  return (1u << self->sample.depth) - 1;
}

guint
gst_cl_local_mean_sum_bytes (const GstClLocalMeanProblem *self)
{
  if (self->from_sums)
    return self->sum_bytes;

  return MAX (self->sum_bytes,
      gst_cl_window_sum_bytes_within (&self->window, self->width, self->height,
          gst_cl_local_mean_largest_code (self)));
}

void
gst_cl_local_mean_result_size (const GstClLocalMeanProblem *self, gint *width,
    gint *height)
{
  const GstClWindow *window = &self->window;

  *width = gst_cl_window_results (window->border, self->width,
      window->kernel_width, window->step_x);
  *height = self->n_result_rows
                ? self->n_result_rows
                : gst_cl_window_results (window->border, self->height,
                      window->kernel_height, window->step_y);
}

/* --- arguments of kernels ------------------------------------------------ */

/* Several bands per core balance cores that run at different speeds. */
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
gst_cl_window_argument (const GstClWindow *window, gint first_row)
{
  const gboolean is_valid = window->border == GST_CL_BORDER_VALID;

  return (cl_int4){ .s = { window->kernel_width, window->kernel_height,
                        is_valid ? 0 : window->anchor_x,
                        (is_valid ? 0 : window->anchor_y) - first_row } };
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
