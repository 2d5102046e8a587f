/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Local means: an integral image where there is none yet, then its corners. */

#include "localmean.h"

#include "cl/memory/gstclbuffer.h"
#include "ops/choose.h"
#include "ops/integral/integral.h"
#include "localmeanprivate.h"
#include "ops/operation/operation.h"
#include "ops/operation/operationbands.h"
#include "ops/operation/operationsliding.h"

/* Windows of this many samples and more overflow the kernels' remainders. */
#define MAX_WINDOW_SAMPLES (G_GUINT64_CONSTANT (1) << 30)

struct _GstClLocalMeanOp {
  GstClLocalMeanSpec spec;

  GstClLocalMeanCopy *copy; /* of COPY, which has nothing else */

  /* Means: from samples, or from an integral image. */
  GstClLocalMeanSliding *sliding;
  GstClLocalMeanCorners *corners;

  /* Raw input: what windows are taken from, overwritten by every run. */
  GstClIntegralOp *sums_op, *squares_op;
  GstClSums sums, squares;

  /* Operations straight from samples: on GPUs, on CPUs; there from sums, too. */
  GstClOperationSliding *sliding_op;
  GstClOperationBands *bands_op;

  /* Operations that follow, and the rounded means for those that take them. */
  GstClOperation *last;
  GstClComponent means;

  /* Between passes. */
  GstClComponent passes[2];
};

/* TRUE if results can be the samples of another pass. */
static gboolean
can_repeat (const GstClLocalMeanSpec *spec)
{
  return spec->operation == GST_CL_LOCAL_MEAN_OPERATION_MEAN &&
         !spec->from_sums && spec->window.border != GST_CL_BORDER_VALID &&
         spec->window.step_x == 1 && spec->window.step_y == 1 &&
         spec->src_pixel_stride_bytes == spec->dst_pixel_stride_bytes;
}

static gboolean
check_spec (const GstClLocalMeanSpec *spec, GError **error)
{
  const GstClWindow *window = &spec->window;
  g_autofree gchar *what = NULL;

  g_return_val_if_fail (spec->width >= 1 && spec->height >= 1, FALSE);
  g_return_val_if_fail (window->step_x >= 1 && window->step_y >= 1, FALSE);
  g_return_val_if_fail (window->kernel_width >= 1 && window->kernel_height >= 1,
      FALSE);
  g_return_val_if_fail (window->border != GST_CL_BORDER_VALID ||
                            (window->kernel_width <= spec->width &&
                                window->kernel_height <= spec->height),
      FALSE);
  g_return_val_if_fail (
      !(spec->from_sums && spec->operation == GST_CL_LOCAL_MEAN_OPERATION_COPY),
      FALSE);
  g_return_val_if_fail (spec->repeat <= 1 || can_repeat (spec), FALSE);

  if (gst_cl_window_samples (window) < MAX_WINDOW_SAMPLES)
    return TRUE;

  what = g_strdup_printf ("a window of %d x %d samples, 2^30 or more",
      window->kernel_width, window->kernel_height);
  return gst_cl_check (CL_INVALID_VALUE, what, error);
}

/* --- making -------------------------------------------------------------- */

/* An integral image of one component. */
static GstClIntegralOp *
make_integral (GstClContext *context, const GstClLocalMeanSpec *spec,
    GstClIntegralKind kind, GstClSums *sums, GError **error)
{
  const gboolean is_squares = kind == GST_CL_INTEGRAL_SQUARES;
  const GstClIntegralProblem integral = {
    .width = spec->width,
    .height = spec->height,
    .channels = 1,
    .pixel_stride_bytes = spec->src_pixel_stride_bytes,
    .sample = spec->sample,
    .layout = GST_CL_LAYOUT_INCLUSIVE,
    .sum_bytes = is_squares ? 8
                            : gst_cl_window_sum_bytes_within (&spec->window,
                                  spec->width, spec->height,
                                  gst_cl_local_mean_largest_code (spec)),
    .kind = kind,
  };
  const guint64 size_bytes = (guint64) spec->width * spec->height *
                             integral.sum_bytes;
  GstClCandidate candidate;

  *sums = (GstClSums){
    .layout = integral.layout,
    .width = integral.width,
    .height = integral.height,
    .channels = integral.channels,
    .sum_bytes = integral.sum_bytes,
  };
  if (!gst_cl_buffer_check_size (context, size_bytes, error))
    return NULL;
  sums->mem = gst_cl_buffer_new (context, size_bytes, error);
  if (!sums->mem)
    return NULL;

  candidate = gst_cl_op_table_choose (&gst_cl_integral_table, context,
      GST_CL_INTEGRAL_METHOD_AUTO, &integral, FALSE);

  return gst_cl_integral_op_new (context, &candidate, &integral, error);
}

/* A plane of @width x @height samples of the spec's type. */
static gboolean
make_plane (GstClComponent *plane, GstClContext *context,
    const GstClLocalMeanSpec *spec, gint width, gint height,
    gint pixel_stride_bytes, GError **error)
{
  *plane = (GstClComponent){
    .stride_bytes = width * pixel_stride_bytes,
    .pixel_stride_bytes = pixel_stride_bytes,
    .width = width,
    .height = height,
    .sample = spec->sample,
  };
  plane->mem = gst_cl_buffer_new (context, (gsize) plane->stride_bytes * height,
      error);

  return plane->mem != NULL;
}

/* What computes the means of @spec as @variant says, or the nearest way. */
static gboolean
make_means (GstClLocalMeanOp *self, GstClContext *context,
    const GstClImplementation *variant, const GstClLocalMeanSpec *spec,
    GError **error)
{
  if (!gst_cl_local_mean_takes_sums (variant)) {
    const GstClLocalMeanSlidingSpec sliding = gst_cl_local_mean_sliding_spec (
        variant, spec);

    if (gst_cl_local_mean_slides_means (variant, spec)) {
      self->sliding = gst_cl_local_mean_sliding_new (context, &sliding, error);
      return self->sliding != NULL;
    }
    variant = gst_cl_local_mean_choose (GST_CL_LOCAL_MEAN_METHOD_DIRECT, spec,
        context->device);
  }

  if (!spec->from_sums) {
    self->sums_op = make_integral (context, spec, GST_CL_INTEGRAL_SUM,
        &self->sums, error);
    if (!self->sums_op)
      return FALSE;
  }
  self->corners = gst_cl_local_mean_corners_new (context, variant, spec,
      spec->from_sums ? spec->sum_bytes : self->sums.sum_bytes,
      spec->from_sums ? spec->channels : 1, error);

  return self->corners != NULL;
}

/* Mean, and the passes after the first. */
static gboolean
make_mean (GstClLocalMeanOp *self, GstClContext *context,
    const GstClImplementation *variant, GError **error)
{
  const GstClLocalMeanSpec *spec = &self->spec;

  if (!make_means (self, context, variant, spec, error))
    return FALSE;

  for (gint i = 0; i < MIN (spec->repeat - 1, 2); i++) {
    if (!make_plane (&self->passes[i], context, spec, spec->width, spec->height,
            spec->dst_pixel_stride_bytes, error))
      return FALSE;
  }

  return TRUE;
}

static gboolean
make_sliding_operation (GstClLocalMeanOp *self, GstClContext *context,
    const GstClImplementation *variant, GError **error)
{
  if (variant->family == GST_CL_FAMILY_GPU) {
    self->sliding_op = gst_cl_operation_sliding_new (context, &self->spec,
        error);
    return self->sliding_op != NULL;
  }

  self->bands_op = gst_cl_operation_bands_new (context, &self->spec, 0, error);

  return self->bands_op != NULL;
}

static gboolean
make_operation (GstClLocalMeanOp *self, GstClContext *context,
    const GstClImplementation *variant, GError **error)
{
  const GstClLocalMeanSpec *spec = &self->spec;
  const gboolean has_bands = variant->family == GST_CL_FAMILY_CPU &&
                             gst_cl_operation_bands_takes_sums (spec);
  GstClLocalMeanSpec plane = *spec;
  guint sum_bytes;
  gint width, height;

  if (gst_cl_local_mean_slides_operation (variant, spec))
    return make_sliding_operation (self, context, variant, error);

  if (gst_cl_operation_takes_means (spec->operation) && !has_bands) {
    plane.dst_pixel_stride_bytes = (gint) spec->sample.bytes;
    gst_cl_local_mean_results (spec, &width, &height);
    if (!make_means (self, context, variant, &plane, error) ||
        !make_plane (&self->means, context, spec, width, height,
            plane.dst_pixel_stride_bytes, error))
      return FALSE;
  } else if (!spec->from_sums) {
    self->sums_op = make_integral (context, spec, GST_CL_INTEGRAL_SUM,
        &self->sums, error);
    if (!self->sums_op)
      return FALSE;
  }

  if (!spec->from_sums && gst_cl_local_mean_needs_squares (spec->operation)) {
    self->squares_op = make_integral (context, spec, GST_CL_INTEGRAL_SQUARES,
        &self->squares, error);
    if (!self->squares_op)
      return FALSE;
  }
  sum_bytes = spec->from_sums ? spec->sum_bytes : MAX (self->sums.sum_bytes, 4);
  if (has_bands)
    self->bands_op = gst_cl_operation_bands_new (context, spec, sum_bytes,
        error);
  else
    self->last = gst_cl_operation_new (context, variant->family, spec,
        sum_bytes, error);

  return self->bands_op || self->last;
}

GstClLocalMeanOp *
gst_cl_local_mean_op_new (GstClContext *context,
    const GstClImplementation *variant, const GstClLocalMeanSpec *spec,
    GError **error)
{
  guint n_rows;
  const GstClImplementation *rows = gst_cl_local_mean_variants (&n_rows);
  g_autoptr (GstClLocalMeanOp) self = NULL;

  g_return_val_if_fail (variant >= rows && variant < rows + n_rows, NULL);
  g_return_val_if_fail (
      !spec->from_sums || gst_cl_local_mean_takes_sums (variant), NULL);
  if (!check_spec (spec, error))
    return NULL;

  self = g_new0 (GstClLocalMeanOp, 1);
  self->spec = *spec;
  switch (spec->operation) {
    case GST_CL_LOCAL_MEAN_OPERATION_COPY:
      self->copy = gst_cl_local_mean_copy_new (context, variant->family, spec,
          error);
      return self->copy ? g_steal_pointer (&self) : NULL;
    case GST_CL_LOCAL_MEAN_OPERATION_MEAN:
      return make_mean (self, context, variant, error) ? g_steal_pointer (&self)
                                                       : NULL;
    default:
      return make_operation (self, context, variant, error)
                 ? g_steal_pointer (&self)
                 : NULL;
  }
}

void
gst_cl_local_mean_op_free (GstClLocalMeanOp *self)
{
  if (!self)
    return;

  gst_cl_local_mean_copy_free (self->copy);
  gst_cl_local_mean_sliding_free (self->sliding);
  gst_cl_local_mean_corners_free (self->corners);
  gst_cl_integral_op_free (self->sums_op);
  gst_cl_integral_op_free (self->squares_op);
  gst_cl_operation_free (self->last);
  gst_cl_operation_sliding_free (self->sliding_op);
  gst_cl_operation_bands_free (self->bands_op);
  gst_cl_buffer_free (self->sums.mem);
  gst_cl_buffer_free (self->squares.mem);
  gst_cl_buffer_free (self->means.mem);
  for (guint i = 0; i < G_N_ELEMENTS (self->passes); i++)
    gst_cl_buffer_free (self->passes[i].mem);
  g_free (self);
}

/* --- running ------------------------------------------------------------- */

/* Means of samples into @dst. */
static gboolean
run_means (GstClLocalMeanOp *self, const GstClComponent *src,
    const GstClComponent *dst, GError **error)
{
  if (self->sliding)
    return gst_cl_local_mean_sliding_run (self->sliding, src, dst,
        &self->spec.window, error);

  return gst_cl_integral_op_run (self->sums_op, src, &self->sums, error) &&
         gst_cl_local_mean_corners_run (self->corners, &self->sums, 0, dst,
             error);
}

static gboolean
run_passes (GstClLocalMeanOp *self, const GstClComponent *src,
    const GstClComponent *dst, GError **error)
{
  const GstClComponent *from = src;

  for (gint pass = 1; pass < self->spec.repeat; pass++) {
    const GstClComponent *to = &self->passes[(pass - 1) % 2];

    if (!run_means (self, from, to, error))
      return FALSE;
    from = to;
  }

  return run_means (self, from, dst, error);
}

static gboolean
run_on_sums (GstClLocalMeanOp *self, const GstClOperationInput *input,
    const GstClComponent *dst, GError **error)
{
  return self->bands_op
             ? gst_cl_operation_bands_run (self->bands_op, input, dst, error)
             : gst_cl_operation_run (self->last, input, dst, error);
}

gboolean
gst_cl_local_mean_op_run (GstClLocalMeanOp *self, const GstClComponent *src,
    const GstClComponent *dst, GError **error)
{
  GstClOperationInput input = { .samples = src };

  g_return_val_if_fail (!self->spec.from_sums, FALSE);

  if (self->copy)
    return gst_cl_local_mean_copy_run (self->copy, src, dst, error);
  if (self->sliding_op)
    return gst_cl_operation_sliding_run (self->sliding_op, src, dst, error);
  if (self->bands_op && !self->sums_op)
    return gst_cl_operation_bands_run (self->bands_op, &input, dst, error);
  if (!self->last && !self->bands_op)
    return run_passes (self, src, dst, error);

  if (self->means.mem) {
    input.means = &self->means;
    return run_means (self, src, &self->means, error) &&
           gst_cl_operation_run (self->last, &input, dst, error);
  }

  input.sums = &self->sums;
  input.squares = &self->squares;
  return gst_cl_integral_op_run (self->sums_op, src, &self->sums, error) &&
         (!self->squares_op || gst_cl_integral_op_run (self->squares_op, src,
                                   &self->squares, error)) &&
         run_on_sums (self, &input, dst, error);
}

gboolean
gst_cl_local_mean_op_run_sums (GstClLocalMeanOp *self, const GstClSums *src,
    const GstClSums *squares, gint channel, const GstClComponent *dst,
    GError **error)
{
  GstClOperationInput input = { .sums = src,
    .squares = squares,
    .channel = channel };

  g_return_val_if_fail (self->spec.from_sums, FALSE);
  g_return_val_if_fail (src->layout == self->spec.layout, FALSE);
  g_return_val_if_fail (channel >= 0 && channel < src->channels, FALSE);
  g_return_val_if_fail (
      squares || !gst_cl_local_mean_needs_squares (self->spec.operation),
      FALSE);

  if (!self->last && !self->bands_op)
    return gst_cl_local_mean_corners_run (self->corners, src, channel, dst,
        error);

  if (self->means.mem) {
    input.means = &self->means;
    if (!gst_cl_local_mean_corners_run (self->corners, src, channel,
            &self->means, error))
      return FALSE;
  }

  return run_on_sums (self, &input, dst, error);
}
