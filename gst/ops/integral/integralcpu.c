/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Integral images on a CPU: bands of rows, one work-item each. */

#include "integralprivate.h"

/* Usually more bands than cores, so that none waits long for the last, and whole
 * groups of the rows that run together. */
#define BANDS_PER_CORE    4
#define MIN_ROWS_PER_BAND 32

#define MAX_ARGUMENTS 24

enum {
  TOTALS, /* scratch: of columns, by band */
  ABOVE,  /* row of sums above each band */
};

/* Column totals of a band need 64 bits; narrower sums wrap, and so may these. */
static gboolean
totals_are_wide (const GstClIntegralSpec *spec)
{
  return spec->sum_bytes == sizeof (cl_ulong) &&
         gst_cl_integral_max_value (spec) > G_MAXUINT32 / spec->height;
}

/* The narrowest type that holds the sum of sixteen values. */
static const gchar *
partial_type (const GstClIntegralSpec *spec)
{
  const guint64 max = 16 * gst_cl_integral_max_value (spec);

  return max <= G_MAXUINT16 ? "ushort" : max <= G_MAXUINT32 ? "uint" : "ulong";
}

static gchar *
cpu_options (const GstClIntegralSpec *spec)
{
  g_autofree gchar *sample = gst_cl_sample_options (&spec->sample);

  return g_strdup_printf ("%s -DSUM_T=%s -DCHANNELS=%d -DPIXEL_STRIDE=%d "
                          "-DSQUARES=%d -DSQUARE_T=%s -DPARTIAL_T=%s%s",
      sample, spec->sum_bytes == 8 ? "ulong -DSUM_IS_WIDE" : "uint",
      spec->channels, gst_cl_integral_pixel_stride (spec),
      spec->kind == GST_CL_INTEGRAL_SQUARES,
      spec->sample.bytes == 2 ? "uint" : "ushort", partial_type (spec),
      totals_are_wide (spec) ? " -DTOTAL_IS_WIDE" : "");
}

guint
gst_cl_integral_usual_bands (const GstClDevice *device,
    const GstClIntegralSpec *spec)
{
  const guint most = device->compute_units * BANDS_PER_CORE;

  return CLAMP ((guint) spec->height / MIN_ROWS_PER_BAND, 1,
      MIN (most, GST_CL_INTEGRAL_MAX_BANDS));
}

static gboolean
allocate_cpu (GstClIntegralOp *op, GError **error)
{
  const GstClIntegralSpec *spec = &op->spec;
  const gsize total_bytes = totals_are_wide (spec) ? sizeof (cl_ulong)
                                                   : sizeof (cl_uint);
  guint64 n_elements;

  op->n_bands = (gint) (spec->tiling.n_bands > 0
                            ? spec->tiling.n_bands
                            : gst_cl_integral_usual_bands (op->context->device,
                                  spec));
  n_elements = (guint64) op->n_bands * spec->channels * spec->width;

  return gst_cl_integral_allocate (op, TOTALS, n_elements * total_bytes,
             error) &&
         gst_cl_integral_allocate (op, ABOVE, n_elements * spec->sum_bytes,
             error);
}

/* What both kernels take first; returns how many @args it filled. */
static guint
fill_cpu_arguments (const GstClIntegralOp *op, const GstClComponent *components,
    GstClArg *args)
{
  const GstClIntegralSpec *spec = &op->spec;
  cl_int4 strides;
  guint n = 0;

  /* the kernels have room for four; those beyond the last repeat it */
  for (gint i = 0; i < GST_CL_INTEGRAL_MAX_CHANNELS; i++) {
    const GstClComponent *component = &components[MIN (i, spec->channels - 1)];

    strides.s[i] = component->stride_bytes;
    args[n] = (GstClArg) GST_CL_MEM (component->mem);
    args[n + GST_CL_INTEGRAL_MAX_CHANNELS] = (GstClArg) GST_CL_ULONG (
        component->offset_bytes);
    n++;
  }
  n += GST_CL_INTEGRAL_MAX_CHANNELS;

  args[n++] = (GstClArg) GST_CL_INT4 (strides);
  args[n++] = (GstClArg) GST_CL_INT (spec->width);
  args[n++] = (GstClArg) GST_CL_INT (spec->height);
  args[n++] = (GstClArg) GST_CL_INT (op->n_bands);
  args[n++] = (GstClArg) GST_CL_MEM (op->scratch[TOTALS]);

  return n;
}

static gboolean
run_cpu (GstClIntegralOp *op, const GstClComponent *components,
    const GstClSums *sums, GError **error)
{
  GstClArg args[MAX_ARGUMENTS];
  guint n_args = fill_cpu_arguments (op, components, args);

  /* nothing lies below the last band: its totals are not needed */
  if (op->n_bands > 1 && !gst_cl_kernel_launch (op->kernels[0], op->n_bands - 1,
                             op->spec.channels, 1, args, n_args, error))
    return FALSE;

  args[n_args++] = (GstClArg) GST_CL_MEM (op->scratch[ABOVE]);
  args[n_args++] = (GstClArg) GST_CL_MEM (sums->mem);
  args[n_args++] = (GstClArg) GST_CL_ULONG (sums->offset_bytes);
  args[n_args++] = (GstClArg) GST_CL_INT (gst_cl_integral_border (&op->spec));

  return gst_cl_kernel_launch (op->kernels[1], op->n_bands, 1, 1, args, n_args,
      error);
}

const GstClIntegralForm gst_cl_integral_cpu_form = {
  { "integral_cpu_bands", "integral_cpu_rows" },
  cpu_options,
  allocate_cpu,
  run_cpu,
  TRUE,
  FALSE,
};
