/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What follows from local means and deviations. */

#include "operation.h"

#include "cl/context/gstclkernel.h"
#include "ops/localmean/localmeanprivate.h"

#define RESOURCE     "operation/plain.cl"
#define CPU_RESOURCE "operation/cpu.cl"

struct _GstClOperation {
  GstClLocalMeanSpec spec;
  gint width, height; /* of the results */

  GstClKernel *apply;
  gsize items_x, items_y;
  gboolean is_cpu; /* apply is one for CPUs */

  /* WOLF */
  GstClOperationExtremes *extremes;
  GstClKernel *find_extremes;
};

gboolean
gst_cl_local_mean_needs_squares (GstClLocalMeanOperation operation)
{
  return operation == GST_CL_LOCAL_MEAN_OPERATION_STDDEV ||
         operation >= GST_CL_LOCAL_MEAN_OPERATION_NIBLACK;
}

gboolean
gst_cl_operation_takes_means (GstClLocalMeanOperation operation)
{
  return operation == GST_CL_LOCAL_MEAN_OPERATION_DIFFERENCE ||
         operation == GST_CL_LOCAL_MEAN_OPERATION_MEAN_C;
}

/* --- making -------------------------------------------------------------- */

static GstClKernel *
make_kernel (GstClContext *context, const GstClLocalMeanSpec *spec,
    guint sum_bytes, const gchar *name, GError **error)
{
  g_autofree gchar *common = gst_cl_local_mean_options (spec, sum_bytes);
  g_autofree gchar *options = g_strdup_printf ("%s -DFROM_SUMS=%d", common,
      spec->from_sums);

  return gst_cl_kernel_new (context, RESOURCE, options, name, error);
}

/* Kernels for CPUs take rounded means, whatever border and sums those are from,
 * and have the step of the samples built in. */
static gboolean
make_cpu_kernel (GstClOperation *self, GstClContext *context, GError **error)
{
  const GstClLocalMeanSpec *spec = &self->spec;
  g_autofree gchar *sample = gst_cl_sample_options (&spec->sample);
  g_autofree gchar *options = g_strdup_printf (
      "%s -DSAMPLE_MAX=%u -DPIXEL_STRIDE=%u -DDST_PIXEL_STRIDE=%u", sample,
      gst_cl_local_mean_largest_code (spec),
      spec->src_pixel_stride_bytes / spec->sample.bytes,
      spec->dst_pixel_stride_bytes / spec->sample.bytes);

  self->apply = gst_cl_kernel_new (context, CPU_RESOURCE, options,
      "operation_cpu_of_means", error);
  self->items_x = gst_cl_local_mean_bands (context->device, self->height);
  self->items_y = 1;

  return self->apply != NULL;
}

GstClOperation *
gst_cl_operation_new (GstClContext *context, GstClFamily family,
    const GstClLocalMeanSpec *spec, guint sum_bytes, GError **error)
{
  const gchar *name = "operation_of_sums";
  g_autoptr (GstClOperation) self = g_new0 (GstClOperation, 1);

  self->spec = *spec;
  gst_cl_local_mean_results (spec, &self->width, &self->height);
  self->items_x = (gsize) self->width;
  self->items_y = (gsize) self->height;
  self->is_cpu = family == GST_CL_FAMILY_CPU && !spec->from_sums &&
                 gst_cl_operation_takes_means (spec->operation);
  if (self->is_cpu)
    return make_cpu_kernel (self, context, error) ? g_steal_pointer (&self)
                                                  : NULL;

  if (gst_cl_operation_takes_means (spec->operation))
    name = "operation_of_means";
  else if (gst_cl_local_mean_needs_squares (spec->operation))
    name = "operation_of_moments";
  self->apply = make_kernel (context, spec, sum_bytes, name, error);
  if (!self->apply)
    return NULL;

  if (spec->operation == GST_CL_LOCAL_MEAN_OPERATION_WOLF) {
    self->extremes = gst_cl_operation_extremes_new (context,
        make_kernel (context, spec, sum_bytes, "operation_clear", error),
        error);
    if (!self->extremes)
      return NULL;
    self->find_extremes = make_kernel (context, spec, sum_bytes,
        "operation_extremes", error);
    if (!self->find_extremes)
      return NULL;
  }

  return g_steal_pointer (&self);
}

void
gst_cl_operation_free (GstClOperation *self)
{
  if (!self)
    return;

  gst_cl_kernel_free (self->apply);
  gst_cl_kernel_free (self->find_extremes);
  gst_cl_operation_extremes_free (self->extremes);
  g_free (self);
}

/* --- arguments ----------------------------------------------------------- */

/* Samples, or sums to take them from. */
static void
add_pixels (GstClOperationArgs *a, const GstClOperation *self,
    const GstClOperationInput *input)
{
  const GstClComponent *samples = input->samples;
  GstClLocalMeanFrame frame;

  if (samples) {
    gst_cl_operation_add_samples (a, samples);
    if (!self->is_cpu)
      gst_cl_operation_add (a,
          (GstClArg) GST_CL_INT (self->spec.src_pixel_stride_bytes /
                                 (gint) self->spec.sample.bytes));
    return;
  }

  frame = gst_cl_local_mean_frame (input->sums, input->channel);
  gst_cl_operation_add (a, (GstClArg) GST_CL_MEM (input->sums->mem));
  gst_cl_operation_add (a, (GstClArg) GST_CL_ULONG (frame.first_sum));
  gst_cl_operation_add (a, (GstClArg) GST_CL_INT (frame.size.s[2]));
  gst_cl_operation_add (a, (GstClArg) GST_CL_INT (frame.size.s[3]));
}

/* Sums, and squares where there are any. */
static void
add_sums (GstClOperationArgs *a, const GstClOperation *self,
    const GstClOperationInput *input)
{
  const GstClLocalMeanFrame frame = gst_cl_local_mean_frame (input->sums,
      input->channel);

  gst_cl_operation_add (a, (GstClArg) GST_CL_MEM (input->sums->mem));
  gst_cl_operation_add (a, (GstClArg) GST_CL_ULONG (frame.first_sum));
  gst_cl_operation_add (a, (GstClArg) GST_CL_INT4 (frame.size));
  gst_cl_operation_add (a,
      (GstClArg) GST_CL_INT4 (gst_cl_local_mean_window (&self->spec.window)));
  gst_cl_operation_add (a,
      (GstClArg) GST_CL_UINT (self->spec.window.border_value));
  if (!gst_cl_local_mean_needs_squares (self->spec.operation))
    return;

  /* counted in words of four bytes: arrays start at any of them */
  gst_cl_operation_add (a, (GstClArg) GST_CL_MEM (input->squares->mem));
  gst_cl_operation_add (a,
      (GstClArg) GST_CL_ULONG (
          gst_cl_local_mean_frame (input->squares, input->channel).first_word));
}

/* --- running ------------------------------------------------------------- */

static gboolean
run_extremes (GstClOperation *self, const GstClOperationInput *input,
    GError **error)
{
  GstClOperationArgs a = { .n = 0 };

  add_pixels (&a, self, input);
  add_sums (&a, self, input);
  gst_cl_operation_add (&a,
      (GstClArg) GST_CL_INT4 (gst_cl_local_mean_grid (&self->spec.window,
          self->spec.width, self->spec.height)));
  gst_cl_operation_add (&a, gst_cl_operation_extremes_arg (self->extremes));

  return gst_cl_operation_extremes_clear (self->extremes, error) &&
         gst_cl_kernel_launch (self->find_extremes,
             MAX (self->spec.width, self->width),
             MAX (self->spec.height, self->height), 1, a.args, a.n, error);
}

gboolean
gst_cl_operation_run (GstClOperation *self, const GstClOperationInput *input,
    const GstClComponent *dst, GError **error)
{
  GstClOperationArgs a = { .n = 0 };

  if (self->extremes && !run_extremes (self, input, error))
    return FALSE;

  add_pixels (&a, self, input);
  if (input->means) {
    gst_cl_operation_add (&a, (GstClArg) GST_CL_MEM (input->means->mem));
    gst_cl_operation_add (&a,
        (GstClArg) GST_CL_INT (input->means->stride_bytes));
  } else {
    add_sums (&a, self, input);
  }
  /* what an operation does not need, it does not read */
  if (gst_cl_local_mean_needs_squares (self->spec.operation))
    gst_cl_operation_add (&a,
        self->extremes ? gst_cl_operation_extremes_arg (self->extremes)
                       : (GstClArg) GST_CL_MEM (input->sums->mem));
  gst_cl_operation_add_results (&a, &self->spec, dst);

  return gst_cl_kernel_launch (self->apply, self->items_x, self->items_y, 1,
      a.args, a.n, error);
}
