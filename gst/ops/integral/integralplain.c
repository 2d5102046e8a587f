/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Integral images on any device: along the rows, then down the columns; tilted
 * ones along the diagonals first. */

#include "integralprivate.h"

/* Bands of rows: enough work-items for a GPU, but so few that adding the bands
 * above costs little. */
#define ROWS_PER_BAND 32
#define MAX_BANDS     64

enum { TOTALS }; /* scratch: of columns, by band */

static gchar *
plain_options (const GstClIntegralOp *op)
{
  return gst_cl_sums_options (&op->problem.sample, op->problem.sum_bytes);
}

static gboolean
allocate_plain (GstClIntegralOp *op, GError **error)
{
  op->n_bands = CLAMP (op->problem.height / ROWS_PER_BAND, 1, MAX_BANDS);

  return gst_cl_integral_allocate (op, TOTALS,
      op->n_bands * gst_cl_integral_row_length (&op->problem) *
          op->problem.sum_bytes,
      error);
}

/* Launches one work-group for each row of each component, including the border
 * row. */
static gboolean
launch_rows (GstClIntegralOp *op, const GstClComponent *components,
    const GstClSums *sums, GError **error)
{
  GstClKernel *kernel = op->kernels[0];
  const GstClIntegralProblem *problem = &op->problem;

  for (gint channel = 0; channel < problem->channels; channel++) {
    const GstClComponent *component = &components[channel];
    const GstClArg args[] = {
      GST_CL_MEM (component->mem),
      GST_CL_ULONG (component->offset_bytes),
      GST_CL_INT (component->stride_bytes),
      GST_CL_INT (gst_cl_integral_pixel_stride (problem)),
      GST_CL_INT (problem->width),
      GST_CL_MEM (sums->mem),
      GST_CL_ULONG (sums->offset_bytes),
      GST_CL_INT (problem->channels),
      GST_CL_INT (channel),
      GST_CL_INT (gst_cl_integral_border (problem)),
      GST_CL_INT (problem->sample.shift),
      GST_CL_INT (problem->kind == GST_CL_INTEGRAL_SQUARES),
    };

    if (!gst_cl_kernel_launch (kernel, gst_cl_kernel_local_size (kernel, 0),
            (gsize) problem->height + gst_cl_integral_border (problem), 1, args,
            G_N_ELEMENTS (args), error))
      return FALSE;
  }

  return TRUE;
}

/* Computes prefix sums down the columns of the first kernel's result. */
static gboolean
launch_columns (GstClIntegralOp *op, const GstClSums *sums, GError **error)
{
  const gint length = (gint) gst_cl_integral_row_length (&op->problem);
  const GstClArg args[] = {
    GST_CL_MEM (sums->mem),
    GST_CL_ULONG (sums->offset_bytes),
    GST_CL_INT (length),
    GST_CL_INT (op->problem.height + gst_cl_integral_border (&op->problem)),
    GST_CL_INT (op->n_bands),
    GST_CL_MEM (op->scratch[TOTALS]),
  };

  return gst_cl_kernel_launch (op->kernels[1], length, op->n_bands, 1, args,
             G_N_ELEMENTS (args), error) &&
         gst_cl_kernel_launch (op->kernels[2], length, op->n_bands, 1, args,
             G_N_ELEMENTS (args), error);
}

static gboolean
run_plain (GstClIntegralOp *op, const GstClComponent *components,
    const GstClSums *sums, GError **error)
{
  return launch_rows (op, components, sums, error) &&
         launch_columns (op, sums, error);
}

/* ---- tilted: a row contributes along two diagonals ---- */

/* Launches one work-item for each diagonal; @step: columns from one row to the
 * next. */
static gboolean
launch_diagonals (GstClIntegralOp *op, const GstClComponent *components,
    const GstClSums *sums, gint step, GError **error)
{
  const GstClIntegralProblem *problem = &op->problem;
  const gint border = gst_cl_integral_border (problem);
  const gsize n_diagonals = (gsize) problem->width + problem->height +
                            2 * border - 1;

  for (gint channel = 0; channel < problem->channels; channel++) {
    const GstClComponent *component = &components[channel];
    const GstClArg args[] = {
      GST_CL_MEM (component->mem),
      GST_CL_ULONG (component->offset_bytes),
      GST_CL_INT (component->stride_bytes),
      GST_CL_INT (gst_cl_integral_pixel_stride (problem)),
      GST_CL_INT (problem->width),
      GST_CL_INT (problem->height),
      GST_CL_MEM (sums->mem),
      GST_CL_ULONG (sums->offset_bytes),
      GST_CL_INT (problem->channels),
      GST_CL_INT (channel),
      GST_CL_INT (border),
      GST_CL_INT (step),
      GST_CL_INT (problem->sample.shift),
    };

    if (!gst_cl_kernel_launch (op->kernels[0], n_diagonals, 1, 1, args,
            G_N_ELEMENTS (args), error))
      return FALSE;
  }

  return TRUE;
}

static gboolean
run_tilted (GstClIntegralOp *op, const GstClComponent *components,
    const GstClSums *sums, GError **error)
{
  return launch_diagonals (op, components, sums, 1, error) &&
         launch_diagonals (op, components, sums, -1, error) &&
         launch_columns (op, sums, error);
}

/* ---- asynchronous copies: the same order, strips in local memory ---- */

static gboolean
run_async (GstClIntegralOp *op, const GstClComponent *components,
    const GstClSums *sums, GError **error)
{
  GstClKernel *columns = op->kernels[1];
  const gint length = (gint) gst_cl_integral_row_length (&op->problem);
  const GstClArg args[] = {
    GST_CL_MEM (sums->mem),
    GST_CL_ULONG (sums->offset_bytes),
    GST_CL_INT (length),
    GST_CL_INT (op->problem.height + gst_cl_integral_border (&op->problem)),
  };

  return launch_rows (op, components, sums, error) &&
         gst_cl_kernel_launch (columns, gst_cl_kernel_local_size (columns, 0),
             length, 1, args, G_N_ELEMENTS (args), error);
}

const GstClIntegralSteps gst_cl_integral_plain_steps = {
  .kernels = { "integral_rows", "integral_bands", "integral_columns" },
  .options = plain_options,
  .allocate = allocate_plain,
  .run = run_plain,
};

const GstClIntegralSteps gst_cl_integral_tilted_steps = {
  .kernels = { "integral_diagonals", "integral_bands", "integral_columns" },
  .options = plain_options,
  .allocate = allocate_plain,
  .run = run_tilted,
};

const GstClIntegralSteps gst_cl_integral_async_steps = {
  .kernels = { "integral_async_rows", "integral_async_columns" },
  .options = plain_options,
  .run = run_async,
};
