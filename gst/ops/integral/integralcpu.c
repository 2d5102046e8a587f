/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Integral images on a CPU: bands of rows, one work-item each. */

#include "integralprivate.h"

#define MAX_BANDS 64

/* Usually more bands than cores, so that no core waits long for the last one,
 * and a multiple of the rows that are processed together. */
#define BANDS_PER_CORE    4
#define MIN_ROWS_PER_BAND 32

/* Tunings give bands with fewer rows. */
#define MIN_ROWS_PER_TUNED_BAND 8

#define MAX_ARGUMENTS 24

enum {
  TOTALS, /* scratch: of columns, by band */
  ABOVE,  /* row of sums above each band */
};

/* Returns TRUE if the column totals of a band need 64 bits: the sums have 64
 * bits, and a column of the frame may exceed 2^32 - 1. Sums of 32 bits are
 * modulo 2^32, and so may the totals be. Frames of one row use the program for
 * two rows. */
static gboolean
totals_are_wide (const GstClIntegralProblem *problem)
{
  const guint64 n_rows = MAX (problem->height, 2);

  return problem->sum_bytes == sizeof (cl_ulong) &&
         gst_cl_integral_max_value (problem) > G_MAXUINT32 / n_rows;
}

/* Returns the narrowest type for the sum of sixteen values. */
static const gchar *
partial_type (const GstClIntegralProblem *problem)
{
  const guint64 max = 16 * gst_cl_integral_max_value (problem);

  return max <= G_MAXUINT16 ? "ushort" : max <= G_MAXUINT32 ? "uint" : "ulong";
}

static gchar *
cpu_options (const GstClIntegralOp *op)
{
  const GstClIntegralProblem *problem = &op->problem;
  g_autofree gchar *sample = gst_cl_sample_options (&problem->sample);

  return g_strdup_printf ("%s -DSUM_T=%s -DCHANNELS=%d -DPIXEL_STRIDE=%d "
                          "-DSQUARES=%d -DSQUARE_T=%s -DPARTIAL_T=%s%s",
      sample, problem->sum_bytes == 8 ? "ulong -DSUM_IS_WIDE" : "uint",
      problem->channels, gst_cl_integral_pixel_stride (problem),
      problem->kind == GST_CL_INTEGRAL_SQUARES,
      problem->sample.bytes == 2 ? "uint" : "ushort", partial_type (problem),
      totals_are_wide (problem) ? " -DTOTAL_IS_WIDE" : "");
}

void
gst_cl_integral_cpu_resolve (gconstpointer user_problem,
    const GstClDevice *device, const GstClTuning *tuning, guint *values)
{
  const GstClIntegralProblem *problem = user_problem;
  const guint height = (guint) problem->height;
  const guint most = device->compute_units * BANDS_PER_CORE;
  const guint n_bands = CLAMP (height / MIN_ROWS_PER_BAND, 1,
      MIN (most, MAX_BANDS));

  if (!tuning)
    values[0] = n_bands;
  else
    values[0] = CLAMP (n_bands * tuning->values[0] / 100, 1,
        CLAMP (height / MIN_ROWS_PER_TUNED_BAND, 1, MAX_BANDS));
}

static gboolean
allocate_cpu (GstClIntegralOp *op, GError **error)
{
  const GstClIntegralProblem *problem = &op->problem;
  const gsize total_bytes = totals_are_wide (problem) ? sizeof (cl_ulong)
                                                      : sizeof (cl_uint);
  guint64 n_elements;

  op->n_bands = (gint) op->candidate.values[0];
  n_elements = (guint64) op->n_bands * problem->channels * problem->width;

  return gst_cl_integral_allocate (op, TOTALS, n_elements * total_bytes,
             error) &&
         gst_cl_integral_allocate (op, ABOVE, n_elements * problem->sum_bytes,
             error);
}

/* Fills the first arguments of both kernels; returns the number of @args
 * filled. */
static guint
fill_cpu_arguments (const GstClIntegralOp *op, const GstClComponent *components,
    GstClArg *args)
{
  const GstClIntegralProblem *problem = &op->problem;
  guint n = gst_cl_integral_fill_components (problem, components, args);

  args[n++] = (GstClArg) GST_CL_INT (problem->width);
  args[n++] = (GstClArg) GST_CL_INT (problem->height);
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

  /* no band is below the last one, whose totals are not needed */
  if (op->n_bands > 1 && !gst_cl_kernel_launch (op->kernels[0], op->n_bands - 1,
                             op->problem.channels, 1, args, n_args, error))
    return FALSE;

  args[n_args++] = (GstClArg) GST_CL_MEM (op->scratch[ABOVE]);
  args[n_args++] = (GstClArg) GST_CL_MEM (sums->mem);
  args[n_args++] = (GstClArg) GST_CL_ULONG (sums->offset_bytes);
  args[n_args++] = (GstClArg) GST_CL_INT (
      gst_cl_integral_border (&op->problem));

  return gst_cl_kernel_launch (op->kernels[1], op->n_bands, 1, 1, args, n_args,
      error);
}

const GstClIntegralSteps gst_cl_integral_cpu_steps = {
  .kernels = { "integral_cpu_bands", "integral_cpu_rows" },
  .options = cpu_options,
  .allocate = allocate_cpu,
  .run = run_cpu,
  .allows_word_alignment = TRUE,
};
