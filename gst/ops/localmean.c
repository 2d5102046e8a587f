/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Local means: an integral image where there is none yet, then its corners. */

#include "localmean.h"

#include "cl/gstclbuffer.h"
#include "cl/gstclkernel.h"
#include "integral.h"
#include "localmeansliding.h"

#define MAX_SAMPLE 255

/* Windows of this many samples and more overflow the kernels' remainders. */
#define MAX_WINDOW_SAMPLES (G_GUINT64_CONSTANT (1) << 30)

/* On an H100 at 4K sliding takes 37 us at 3x3, 57 at 31x31, 119 at 101x101, an
 * integral image and its corners 80 whatever the window. */
#define MAX_GPU_SLIDING 50

/* A few bands per core even out cores that run at different speeds. */
#define BANDS_PER_COMPUTE_UNIT 4

/* clang-format off */
static const GstClOpVariant variants[] = {
  { "sliding-cpu", GST_CL_LOCAL_MEAN_METHOD_SLIDING,
      "cpu/localmeansliding.cl", GST_CL_FAMILY_CPU },
  { "direct-cpu", GST_CL_LOCAL_MEAN_METHOD_DIRECT,
      "cpu/localmean.cl", GST_CL_FAMILY_CPU },
  { "direct", GST_CL_LOCAL_MEAN_METHOD_DIRECT,
      "localmean.cl", GST_CL_FAMILY_ANY },
  { "async-copy", GST_CL_LOCAL_MEAN_METHOD_ASYNC_COPY,
      "localmean.cl", GST_CL_FAMILY_ANY },
  { "sliding-gpu", GST_CL_LOCAL_MEAN_METHOD_SLIDING,
      "gpu/localmean.cl", GST_CL_FAMILY_GPU },
};
/* clang-format on */

/* How work-items are spread over the results. */
typedef enum {
  LAUNCH_BANDS,  /* a work-item takes a band of rows */
  LAUNCH_ITEMS,  /* a work-item takes a few results of a column */
  LAUNCH_STRIPS, /* a work-group takes a strip of a row */
} Launch;

/* What a row of the table means for this file; same order. */
static const struct {
  const gchar *means_kernel, *copy_kernel; /* NULL: localmeansliding.c's */
  Launch means_launch, copy_launch;
  gint results_per_item; /* of the means kernel, where it is not banded */
} plans[G_N_ELEMENTS (variants)] = {
  /* clang-format off */
  { NULL,                  NULL,                 LAUNCH_BANDS, LAUNCH_BANDS, 1 },
  { "localmean_cpu_means", "localmean_cpu_copy", LAUNCH_BANDS, LAUNCH_BANDS, 1 },
  { "localmean_direct",    "localmean_copy",     LAUNCH_ITEMS, LAUNCH_ITEMS, 4 },
  { "localmean_async",     "localmean_copy",    LAUNCH_STRIPS, LAUNCH_ITEMS, 4 },
  { NULL,                  NULL,                 LAUNCH_BANDS, LAUNCH_BANDS, 1 },
  /* clang-format on */
};

struct _GstClLocalMeanOp {
  GstClLocalMeanSpec spec;
  gint results_width, results_height;
  gint anchor_x, anchor_y; /* 0 with VALID, whose windows start at the result */

  GstClKernel *kernel;
  gsize items_x, items_y; /* of a launch */

  GstClLocalMeanSliding *sliding; /* NULL: from sums, or an integral image */
  GstClIntegralOp *integral;      /* raw input of MEAN only, as is sums.mem */
  GstClSums sums;
};

const GstClOpVariant *
gst_cl_local_mean_variants (guint *n_rows)
{
  *n_rows = G_N_ELEMENTS (variants);

  return variants;
}

gboolean
gst_cl_local_mean_takes_sums (const GstClOpVariant *variant)
{
  return variant->method != GST_CL_LOCAL_MEAN_METHOD_SLIDING;
}

const GstClOpVariant *
gst_cl_local_mean_choose (gint method, const GstClLocalMeanSpec *spec,
    const GstClDevice *device)
{
  const GstClOpVariant *row = gst_cl_op_variant_choose (variants,
      G_N_ELEMENTS (variants), method, device);
  const gboolean is_wide = device->family == GST_CL_FAMILY_GPU &&
                           MAX (spec->window.kernel_width,
                               spec->window.kernel_height) > MAX_GPU_SLIDING;

  if (!row || gst_cl_local_mean_takes_sums (row))
    return row;
  if (method != GST_CL_LOCAL_MEAN_METHOD_AUTO)
    return spec->from_sums ? NULL : row;
  if (!spec->from_sums && !is_wide)
    return row;

  return gst_cl_op_variant_choose (variants, G_N_ELEMENTS (variants),
      GST_CL_LOCAL_MEAN_METHOD_DIRECT, device);
}

static gboolean
is_copy (const GstClLocalMeanSpec *spec)
{
  return spec->operation == GST_CL_LOCAL_MEAN_OPERATION_COPY;
}

static guint64
window_samples (const GstClWindow *window)
{
  return (guint64) window->kernel_width * window->kernel_height;
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
  g_return_val_if_fail (!(spec->from_sums && is_copy (spec)), FALSE);

  if (window_samples (window) < MAX_WINDOW_SAMPLES)
    return TRUE;

  what = g_strdup_printf ("a window of %d x %d samples, 2^30 or more",
      window->kernel_width, window->kernel_height);
  return gst_cl_check (CL_INVALID_VALUE, what, error);
}

/* An integral image of one component, which every run overwrites. */
static gboolean
create_scratch (GstClLocalMeanOp *self, GstClContext *context, GError **error)
{
  const GstClLocalMeanSpec *spec = &self->spec;
  const GstClIntegralSpec integral = {
    .width = spec->width,
    .height = spec->height,
    .channels = 1,
    .pixel_stride_bytes = spec->src_pixel_stride_bytes,
    .sample = { .bytes = 1, .depth = 8 },
    .layout = GST_CL_LAYOUT_INCLUSIVE,
    .sum_bytes = gst_cl_window_sum_bytes (&spec->window, MAX_SAMPLE),
  };
  const GstClOpVariant *rows, *row;
  guint n_rows;

  self->sums = (GstClSums){
    .layout = integral.layout,
    .width = integral.width,
    .height = integral.height,
    .channels = integral.channels,
    .sum_bytes = integral.sum_bytes,
  };
  self->sums.mem = gst_cl_buffer_new (context,
      (gsize) spec->width * spec->height * integral.sum_bytes, error);
  if (!self->sums.mem)
    return FALSE;

  rows = gst_cl_integral_variants (&n_rows);
  row = gst_cl_op_variant_choose (rows, n_rows, 0, context->device);
  self->integral = gst_cl_integral_op_new (context, row, &integral, error);

  return self->integral != NULL;
}

/* TRUE if sixteen neighbouring results come from neighbouring sums, and those
 * sums, cut to a mean of MAX_SAMPLE, fit an int. */
static gboolean
suits_vectors (const GstClLocalMeanOp *self)
{
  const GstClLocalMeanSpec *spec = &self->spec;

  if (spec->window.step_x != 1)
    return FALSE;
  if (is_copy (spec))
    return TRUE;

  return self->sums.channels == 1 && self->sums.sum_bytes == 4 &&
         window_samples (&spec->window) * MAX_SAMPLE <= G_MAXINT32;
}

static gboolean
create_kernel (GstClLocalMeanOp *self, GstClContext *context, guint plan,
    GError **error)
{
  const GstClLocalMeanSpec *spec = &self->spec;
  const gboolean copy = is_copy (spec);
  g_autoptr (GString) options = g_string_new (NULL);

  g_string_printf (options, "-DDST_PIXEL_STRIDE=%d",
      spec->dst_pixel_stride_bytes);
  if (copy)
    g_string_append_printf (options, " -DPIXEL_STRIDE=%d",
        spec->src_pixel_stride_bytes);
  else
    g_string_append_printf (options, " -DREPLICATE=%d -DSUM_T=%s",
        spec->window.border == GST_CL_BORDER_REPLICATE,
        self->sums.sum_bytes == 8 ? "ulong" : "uint");
  if (plans[plan].means_launch == LAUNCH_BANDS)
    g_string_append_printf (options, " -DVECTORS=%d", suits_vectors (self));
  else
    g_string_append_printf (options, " -DRESULTS_PER_ITEM=%d",
        plans[plan].results_per_item);

  self->kernel = gst_cl_kernel_new (context, variants[plan].resource,
      options->str, copy ? plans[plan].copy_kernel : plans[plan].means_kernel,
      error);

  return self->kernel != NULL;
}

static void
set_launch_size (GstClLocalMeanOp *self, const GstClDevice *device, guint plan)
{
  const gboolean copy = is_copy (&self->spec);
  const gint per_item = copy ? 1 : plans[plan].results_per_item;
  gsize strip;

  switch (copy ? plans[plan].copy_launch : plans[plan].means_launch) {
    case LAUNCH_BANDS:
      self->items_x = MIN ((guint) self->results_height,
          device->compute_units * BANDS_PER_COMPUTE_UNIT);
      self->items_y = 1;
      break;
    case LAUNCH_ITEMS:
      self->items_x = self->results_width;
      self->items_y = (self->results_height + per_item - 1) / per_item;
      break;
    case LAUNCH_STRIPS:
      strip = gst_cl_kernel_local_size (self->kernel, 0);
      self->items_x = (self->results_width + strip * per_item - 1) /
                      (strip * per_item) * strip;
      self->items_y = self->results_height;
      break;
  }
}

static GstClLocalMeanSlidingSpec
sliding_spec (const GstClOpVariant *variant, const GstClLocalMeanSpec *spec)
{
  return (GstClLocalMeanSlidingSpec){
    .family = variant->family,
    .sample = { .bytes = 1, .depth = 8 },
    .src_pixel_stride_bytes = spec->src_pixel_stride_bytes,
    .dst_pixel_stride_bytes = spec->dst_pixel_stride_bytes,
    .width = spec->width,
    .height = spec->height,
    .window = spec->window,
  };
}

static GstClLocalMeanOp *
new_sliding (GstClContext *context, const GstClLocalMeanSpec *spec,
    const GstClLocalMeanSlidingSpec *sliding, GError **error)
{
  g_autoptr (GstClLocalMeanOp) self = g_new0 (GstClLocalMeanOp, 1);

  self->spec = *spec;
  self->sliding = gst_cl_local_mean_sliding_new (context, sliding, error);

  return self->sliding ? g_steal_pointer (&self) : NULL;
}

GstClLocalMeanOp *
gst_cl_local_mean_op_new (GstClContext *context, const GstClOpVariant *variant,
    const GstClLocalMeanSpec *spec, GError **error)
{
  guint plan = variant - variants;
  const GstClWindow *window = &spec->window;
  const gboolean is_valid = window->border == GST_CL_BORDER_VALID;
  g_autoptr (GstClLocalMeanOp) self = NULL;

  g_return_val_if_fail (plan < G_N_ELEMENTS (variants), NULL);
  if (!check_spec (spec, error))
    return NULL;
  if (!gst_cl_local_mean_takes_sums (variant)) {
    const GstClLocalMeanSlidingSpec sliding = sliding_spec (variant, spec);

    g_return_val_if_fail (!spec->from_sums, NULL);
    if (!is_copy (spec) && gst_cl_local_mean_sliding_takes (&sliding, window))
      return new_sliding (context, spec, &sliding, error);
    variant = gst_cl_local_mean_choose (GST_CL_LOCAL_MEAN_METHOD_DIRECT, spec,
        context->device);
    plan = variant - variants;
  }

  self = g_new0 (GstClLocalMeanOp, 1);
  self->spec = *spec;
  self->anchor_x = is_valid ? 0 : window->anchor_x;
  self->anchor_y = is_valid ? 0 : window->anchor_y;
  self->results_width = gst_cl_window_results (window->border, spec->width,
      window->kernel_width, window->step_x);
  self->results_height = gst_cl_window_results (window->border, spec->height,
      window->kernel_height, window->step_y);

  if (spec->from_sums) {
    self->sums.channels = spec->channels;
    self->sums.sum_bytes = spec->sum_bytes;
  } else if (!is_copy (spec) && !create_scratch (self, context, error)) {
    return NULL;
  }

  if (!create_kernel (self, context, plan, error))
    return NULL;
  set_launch_size (self, context->device, plan);

  return g_steal_pointer (&self);
}

void
gst_cl_local_mean_op_free (GstClLocalMeanOp *self)
{
  if (!self)
    return;

  g_clear_pointer (&self->kernel, gst_cl_kernel_free);
  g_clear_pointer (&self->sliding, gst_cl_local_mean_sliding_free);
  g_clear_pointer (&self->integral, gst_cl_integral_op_free);
  g_clear_pointer (&self->sums.mem, gst_cl_buffer_free);
  g_free (self);
}

static cl_int4
results_grid (const GstClLocalMeanOp *self)
{
  return (cl_int4){ .s = { self->results_width, self->results_height,
                        self->spec.window.step_x, self->spec.window.step_y } };
}

static gboolean
run_copy (GstClLocalMeanOp *self, const GstClComponent *src,
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
    GST_CL_INT4 (results_grid (self)),
  };

  return gst_cl_kernel_launch (self->kernel, self->items_x, self->items_y, 1,
      args, G_N_ELEMENTS (args), error);
}

/* The kernels see every layout as S(1, 1) and what follows it. */
static gboolean
run_means (GstClLocalMeanOp *self, const GstClSums *src, gint channel,
    const GstClComponent *dst, GError **error)
{
  const GstClWindow *window = &self->spec.window;
  const gboolean is_exclusive = src->layout == GST_CL_LAYOUT_EXCLUSIVE;
  const gint row_sums = (src->width + is_exclusive) * src->channels;
  const gsize first_sum = src->offset_bytes / src->sum_bytes +
                          (is_exclusive ? row_sums + src->channels : 0) +
                          channel;
  const cl_int4 frame = { .s = { src->width, src->height, row_sums,
                              src->channels } };
  const cl_int4 window_size = { .s = { window->kernel_width,
                                    window->kernel_height, self->anchor_x,
                                    self->anchor_y } };
  const GstClArg args[] = {
    GST_CL_MEM (src->mem),
    GST_CL_ULONG (first_sum),
    GST_CL_INT4 (frame),
    GST_CL_MEM (dst->mem),
    GST_CL_ULONG (dst->offset_bytes),
    GST_CL_INT (dst->stride_bytes),
    GST_CL_INT4 (window_size),
    GST_CL_INT4 (results_grid (self)),
  };

  return gst_cl_kernel_launch (self->kernel, self->items_x, self->items_y, 1,
      args, G_N_ELEMENTS (args), error);
}

gboolean
gst_cl_local_mean_op_run (GstClLocalMeanOp *self, const GstClComponent *src,
    const GstClComponent *dst, GError **error)
{
  g_return_val_if_fail (!self->spec.from_sums, FALSE);

  if (is_copy (&self->spec))
    return run_copy (self, src, dst, error);
  if (self->sliding)
    return gst_cl_local_mean_sliding_run (self->sliding, src, dst,
        &self->spec.window, error);

  return gst_cl_integral_op_run (self->integral, src, &self->sums, error) &&
         run_means (self, &self->sums, 0, dst, error);
}

gboolean
gst_cl_local_mean_op_run_sums (GstClLocalMeanOp *self, const GstClSums *src,
    gint channel, const GstClComponent *dst, GError **error)
{
  g_return_val_if_fail (self->spec.from_sums, FALSE);
  g_return_val_if_fail (src->layout == self->spec.layout, FALSE);
  g_return_val_if_fail (channel >= 0 && channel < src->channels, FALSE);

  return run_means (self, src, channel, dst, error);
}
