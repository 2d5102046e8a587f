/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What follows from local means and deviations, by running sums. */

#include "localopbands.h"

#include <math.h>

#include "cl/gstclbuffer.h"
#include "cl/gstclkernel.h"
#include "localmeanprivate.h"
#include "localmeansliding.h"
#include "localop.h"

/* kernels/cpu/localopsliding.cl and localopmoments.cl, Range */
#define MAX_KERNEL_SIZE  G_MAXINT16
#define MAX_BYTE_SAMPLES 132000
#define MAX_WORD_SAMPLES (1 << 15)
#define MAX_WEIGHT       63. /* 2^22 in 1/65536 */
#define MAX_TARGET       (1 << 24)

struct _GstClLocalOpBands {
  GstClLocalMeanSpec spec;
  gint n_bands, row_length;
  cl_mem scratch;

  GstClKernel *kernel;

  /* WOLF: of each band, its largest deviation and its part's smallest code */
  cl_mem extremes;
};

gboolean
gst_cl_local_op_bands_takes (const GstClLocalMeanSpec *spec)
{
  const GstClWindow *window = &spec->window;
  const guint64 n = gst_cl_window_samples (window);
  const GstClLocalMeanFactors *f = &spec->factors;

  if (spec->from_sums || window->kernel_width > MAX_KERNEL_SIZE ||
      window->kernel_height > MAX_KERNEL_SIZE ||
      !gst_cl_window_has_inner_anchor (window))
    return FALSE;

  switch (spec->operation) {
    case GST_CL_LOCAL_MEAN_OPERATION_NORMALIZE:
    case GST_CL_LOCAL_MEAN_OPERATION_BRADLEY:
      return n * gst_cl_local_mean_largest_code (spec) <= G_MAXINT32 &&
             fabs (f->k) < MAX_WEIGHT && f->target >= 0 &&
             f->target < MAX_TARGET;
    default:
      return gst_cl_local_mean_needs_squares (spec->operation) &&
             n <= (spec->sample.bytes == 1 ? MAX_BYTE_SAMPLES
                                           : MAX_WORD_SAMPLES);
  }
}

/* --- making -------------------------------------------------------------- */

static gboolean
make_kernel (GstClLocalOpBands *self, GstClContext *context, GError **error)
{
  const GstClLocalMeanSpec *spec = &self->spec;
  const gboolean has_moments = gst_cl_local_mean_needs_squares (
      spec->operation);
  g_autofree gchar *sample = gst_cl_sample_options (&spec->sample);
  g_autofree gchar *options = g_strdup_printf (
      "%s -DSAMPLE_MAX=%u -DBORDER=%d -DPIXEL_STRIDE=%d -DDST_PIXEL_STRIDE=%d",
      sample, gst_cl_local_mean_largest_code (spec),
      gst_cl_window_border_of_kernels (spec->window.border),
      spec->src_pixel_stride_bytes / (gint) spec->sample.bytes,
      spec->dst_pixel_stride_bytes / (gint) spec->sample.bytes);

  self->kernel = gst_cl_kernel_new (context,
      has_moments ? "cpu/localopmoments.cl" : "cpu/localopsliding.cl", options,
      has_moments ? "localop_moments_cpu_band" : "localop_sliding_cpu_sums",
      error);
  if (!self->kernel)
    return FALSE;
  if (spec->operation != GST_CL_LOCAL_MEAN_OPERATION_WOLF)
    return TRUE;

  self->extremes = gst_cl_buffer_new (context,
      2 * self->n_bands * sizeof (cl_uint), error);

  return self->extremes != NULL;
}

GstClLocalOpBands *
gst_cl_local_op_bands_new (GstClContext *context,
    const GstClLocalMeanSpec *spec, GError **error)
{
  g_autoptr (GstClLocalOpBands) self = NULL;

  g_return_val_if_fail (gst_cl_local_op_bands_takes (spec), NULL);

  self = g_new0 (GstClLocalOpBands, 1);
  self->spec = *spec;
  self->n_bands = gst_cl_local_mean_sliding_bands (context->device,
      &spec->window, spec->bands_percent, spec->height,
      gst_cl_local_mean_grid (&spec->window, spec->width, spec->height).s[1]);
  self->scratch = gst_cl_local_mean_sliding_scratch (context, spec->width,
      spec->window.kernel_width, self->n_bands, &self->row_length, error);
  if (!self->scratch || !make_kernel (self, context, error))
    return NULL;

  return g_steal_pointer (&self);
}

void
gst_cl_local_op_bands_free (GstClLocalOpBands *self)
{
  if (!self)
    return;

  gst_cl_kernel_free (self->kernel);
  gst_cl_buffer_free (self->extremes);
  gst_cl_buffer_free (self->scratch);
  g_free (self);
}

/* --- running ------------------------------------------------------------- */

static gboolean
launch (GstClLocalOpBands *self, const GstClComponent *src,
    gboolean finds_extremes, const GstClComponent *dst, GError **error)
{
  GstClLocalOpArgs a = { .n = 0 };

  gst_cl_local_op_add_source (&a, &self->spec, src, self->row_length);
  gst_cl_local_op_add (&a, (GstClArg) GST_CL_MEM (self->scratch));
  if (gst_cl_local_mean_needs_squares (self->spec.operation)) {
    /* what an operation does not need, it does not touch */
    gst_cl_local_op_add (&a,
        (GstClArg) GST_CL_MEM (self->extremes ? self->extremes : src->mem));
    gst_cl_local_op_add (&a, (GstClArg) GST_CL_INT (finds_extremes));
  }
  gst_cl_local_op_add_results (&a, &self->spec, dst);

  return gst_cl_kernel_launch (self->kernel, self->n_bands, 1, 1, a.args, a.n,
      error);
}

gboolean
gst_cl_local_op_bands_run (GstClLocalOpBands *self, const GstClComponent *src,
    const GstClComponent *dst, GError **error)
{
  if (self->extremes && !launch (self, src, TRUE, dst, error))
    return FALSE;

  return launch (self, src, FALSE, dst, error);
}
