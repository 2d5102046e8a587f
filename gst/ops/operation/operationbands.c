/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What follows from local means and deviations, by running sums, or by rows of
 * integral images. */

#include "operationbands.h"

#include <math.h>

#include "cl/memory/gstclbuffer.h"
#include "cl/context/gstclkernel.h"
#include "ops/localmean/localmeanprivate.h"
#include "ops/localmean/localmeansliding.h"
#include "operation.h"

/* kernels/operation/cpusliding.cl and operation/cpumoments.cl, Range */
#define MAX_KERNEL_SIZE  G_MAXINT16
#define MAX_SUMS_WIDTH   (1 << 14)
#define MAX_BYTE_SAMPLES 132000
#define MAX_WORD_SAMPLES (1 << 15)
#define MAX_WEIGHT       63. /* 2^22 in 1/65536 */
#define MAX_TARGET       (1 << 24)

struct _GstClOperationBands {
  GstClLocalMeanSpec spec;
  guint sum_bytes; /* of the input; 0: samples */
  gint n_bands, row_length;
  cl_mem scratch;

  GstClKernel *kernel;

  /* WOLF: of each band, its largest deviation and its part's smallest code */
  cl_mem extremes;
};

/* Whatever the windows are taken from. */
static gboolean
takes_window (const GstClLocalMeanSpec *spec)
{
  const GstClLocalMeanFactors *f = &spec->factors;

  return spec->window.kernel_width <= MAX_KERNEL_SIZE &&
         spec->window.kernel_height <= MAX_KERNEL_SIZE &&
         gst_cl_window_has_inner_anchor (&spec->window) &&
         fabs (f->k) < MAX_WEIGHT && f->target >= 0 && f->target < MAX_TARGET;
}

gboolean
gst_cl_operation_bands_takes (const GstClLocalMeanSpec *spec)
{
  const guint64 n = gst_cl_window_samples (&spec->window);

  if (spec->from_sums || !takes_window (spec))
    return FALSE;

  switch (spec->operation) {
    case GST_CL_LOCAL_MEAN_OPERATION_NORMALIZE:
    case GST_CL_LOCAL_MEAN_OPERATION_BRADLEY:
      return n * gst_cl_local_mean_largest_code (spec) <= G_MAXINT32;
    default:
      return gst_cl_local_mean_needs_squares (spec->operation) &&
             n <= (spec->sample.bytes == 1 ? MAX_BYTE_SAMPLES
                                           : MAX_WORD_SAMPLES);
  }
}

gboolean
gst_cl_operation_bands_takes_sums (const GstClLocalMeanSpec *spec)
{
  return spec->operation >= GST_CL_LOCAL_MEAN_OPERATION_STDDEV &&
         (spec->from_sums || !gst_cl_operation_takes_means (spec->operation)) &&
         takes_window (spec) && spec->window.kernel_width <= MAX_SUMS_WIDTH &&
         gst_cl_window_samples (&spec->window) <= MAX_WORD_SAMPLES;
}

/* --- making -------------------------------------------------------------- */

/* What is read, as options: samples where they lie, or rows of sums. */
static gchar *
source_options (const GstClOperationBands *self)
{
  if (self->sum_bytes > 0)
    return g_strdup_printf ("-DSLIDES_ON_SUMS=1 -DPIXEL_STRIDE=1 -DSUM_T=%s",
        self->sum_bytes == 8 ? "ulong" : "uint");

  return g_strdup_printf ("-DPIXEL_STRIDE=%d",
      self->spec.src_pixel_stride_bytes / (gint) self->spec.sample.bytes);
}

static gboolean
make_kernel (GstClOperationBands *self, GstClContext *context, GError **error)
{
  const GstClLocalMeanSpec *spec = &self->spec;
  const gboolean has_moments = gst_cl_local_mean_needs_squares (
      spec->operation);
  g_autofree gchar *sample = gst_cl_sample_options (&spec->sample);
  g_autofree gchar *source = source_options (self);
  g_autofree gchar *options = g_strdup_printf (
      "%s %s -DSAMPLE_MAX=%u -DBORDER=%d -DDST_PIXEL_STRIDE=%d", sample, source,
      gst_cl_local_mean_largest_code (spec),
      gst_cl_window_border_of_kernels (spec->window.border),
      spec->dst_pixel_stride_bytes / (gint) spec->sample.bytes);

  self->kernel = gst_cl_kernel_new (context,
      has_moments ? "operation/cpumoments.cl" : "operation/cpusliding.cl",
      options,
      has_moments ? "operation_moments_cpu_band" : "operation_sliding_cpu_sums",
      error);
  if (!self->kernel)
    return FALSE;
  if (spec->operation != GST_CL_LOCAL_MEAN_OPERATION_WOLF)
    return TRUE;

  self->extremes = gst_cl_buffer_new (context,
      2 * self->n_bands * sizeof (cl_uint), error);

  return self->extremes != NULL;
}

GstClOperationBands *
gst_cl_operation_bands_new (GstClContext *context,
    const GstClLocalMeanSpec *spec, guint sum_bytes, GError **error)
{
  g_autoptr (GstClOperationBands) self = NULL;
  const cl_int4 grid = gst_cl_local_mean_grid (&spec->window, spec->width,
      spec->height);

  g_return_val_if_fail (sum_bytes > 0 ? gst_cl_operation_bands_takes_sums (spec)
                                      : gst_cl_operation_bands_takes (spec),
      NULL);

  self = g_new0 (GstClOperationBands, 1);
  self->spec = *spec;
  self->sum_bytes = sum_bytes;
  self->n_bands = sum_bytes > 0
                      ? (gint) gst_cl_local_mean_bands (context->device,
                            grid.s[1])
                      : gst_cl_local_mean_sliding_bands (context->device,
                            &spec->window, spec->bands_percent, spec->height,
                            grid.s[1]);
  self->scratch = gst_cl_local_mean_sliding_scratch (context, spec->width,
      spec->window.kernel_width, self->n_bands, &self->row_length, error);
  if (!self->scratch || !make_kernel (self, context, error))
    return NULL;

  return g_steal_pointer (&self);
}

void
gst_cl_operation_bands_free (GstClOperationBands *self)
{
  if (!self)
    return;

  gst_cl_kernel_free (self->kernel);
  gst_cl_buffer_free (self->extremes);
  gst_cl_buffer_free (self->scratch);
  g_free (self);
}

/* --- running ------------------------------------------------------------- */

/* SLIDING_ARGUMENTS of kernels/operation/cl_slidingsums.clh. */
static void
add_sums (GstClOperationArgs *a, const GstClOperationBands *self,
    const GstClOperationInput *input)
{
  const gboolean has_squares = gst_cl_local_mean_needs_squares (
      self->spec.operation);
  const GstClLocalMeanFrame sums = gst_cl_local_mean_frame (input->sums,
      input->channel);
  /* what an operation does not need, it does not read */
  const GstClSums *squares = has_squares ? input->squares : input->sums;

  gst_cl_operation_add (a, (GstClArg) GST_CL_MEM (input->sums->mem));
  gst_cl_operation_add (a, (GstClArg) GST_CL_ULONG (sums.first_sum));
  gst_cl_operation_add (a, (GstClArg) GST_CL_INT (sums.size.s[2]));
  gst_cl_operation_add (a, (GstClArg) GST_CL_INT (sums.size.s[3]));
  gst_cl_operation_add (a, (GstClArg) GST_CL_MEM (squares->mem));
  gst_cl_operation_add (a,
      (GstClArg) GST_CL_ULONG (
          gst_cl_local_mean_frame (squares, input->channel).first_word));
}

static gboolean
launch (GstClOperationBands *self, const GstClOperationInput *input,
    gboolean finds_extremes, const GstClComponent *dst, GError **error)
{
  GstClOperationArgs a = { .n = 0 };

  if (self->sum_bytes > 0)
    add_sums (&a, self, input);
  else
    gst_cl_operation_add_samples (&a, input->samples);
  gst_cl_operation_add_window (&a, &self->spec, self->row_length);
  gst_cl_operation_add (&a, (GstClArg) GST_CL_MEM (self->scratch));
  if (gst_cl_local_mean_needs_squares (self->spec.operation)) {
    /* what an operation does not need, it does not touch */
    gst_cl_operation_add (&a,
        (GstClArg) GST_CL_MEM (
            self->extremes ? self->extremes : self->scratch));
    gst_cl_operation_add (&a, (GstClArg) GST_CL_INT (finds_extremes));
  }
  gst_cl_operation_add_results (&a, &self->spec, dst);

  return gst_cl_kernel_launch (self->kernel, self->n_bands, 1, 1, a.args, a.n,
      error);
}

gboolean
gst_cl_operation_bands_run (GstClOperationBands *self,
    const GstClOperationInput *input, const GstClComponent *dst, GError **error)
{
  if (self->extremes && !launch (self, input, TRUE, dst, error))
    return FALSE;

  return launch (self, input, FALSE, dst, error);
}
