/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What follows from local means and deviations. */

#include "localop.h"

#include <math.h>

#include "cl/gstclbuffer.h"
#include "cl/gstclkernel.h"
#include "localmeanprivate.h"

#define RESOURCE "localop.cl"
#define MAX_ARGS 24

/* kernels/localop.cl counts in these. */
#define PER_CODE   256
#define PER_WEIGHT 65536

struct _GstClLocalOp {
  GstClLocalMeanSpec spec;
  gint width, height; /* of the results */

  GstClKernel *apply;

  /* WOLF: largest deviation and smallest code of the frame */
  GstClKernel *clear, *find_extremes;
  cl_mem extremes;
};

gboolean
gst_cl_local_mean_needs_squares (GstClLocalMeanOperation operation)
{
  return operation == GST_CL_LOCAL_MEAN_OPERATION_STDDEV ||
         operation >= GST_CL_LOCAL_MEAN_OPERATION_NIBLACK;
}

gboolean
gst_cl_local_op_takes_means (GstClLocalMeanOperation operation)
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

static gboolean
prepare_extremes (GstClLocalOp *self, GstClContext *context, guint sum_bytes,
    GError **error)
{
  self->clear = make_kernel (context, &self->spec, sum_bytes, "localop_clear",
      error);
  if (!self->clear)
    return FALSE;

  self->find_extremes = make_kernel (context, &self->spec, sum_bytes,
      "localop_extremes", error);
  if (!self->find_extremes)
    return FALSE;

  self->extremes = gst_cl_buffer_new (context, 2 * sizeof (cl_uint), error);

  return self->extremes != NULL;
}

GstClLocalOp *
gst_cl_local_op_new (GstClContext *context, const GstClLocalMeanSpec *spec,
    guint sum_bytes, GError **error)
{
  const gchar *name = "localop_of_sums";
  g_autoptr (GstClLocalOp) self = g_new0 (GstClLocalOp, 1);

  self->spec = *spec;
  gst_cl_local_mean_results (spec, &self->width, &self->height);

  if (gst_cl_local_op_takes_means (spec->operation))
    name = "localop_of_means";
  else if (gst_cl_local_mean_needs_squares (spec->operation))
    name = "localop_of_moments";
  self->apply = make_kernel (context, spec, sum_bytes, name, error);
  if (!self->apply)
    return NULL;

  if (spec->operation == GST_CL_LOCAL_MEAN_OPERATION_WOLF &&
      !prepare_extremes (self, context, sum_bytes, error))
    return NULL;

  return g_steal_pointer (&self);
}

void
gst_cl_local_op_free (GstClLocalOp *self)
{
  if (!self)
    return;

  gst_cl_kernel_free (self->apply);
  gst_cl_kernel_free (self->clear);
  gst_cl_kernel_free (self->find_extremes);
  gst_cl_buffer_free (self->extremes);
  g_free (self);
}

/* --- arguments ----------------------------------------------------------- */

typedef struct {
  GstClArg args[MAX_ARGS];
  guint n;
} Arguments;

static void
add (Arguments *arguments, GstClArg arg)
{
  g_assert (arguments->n < MAX_ARGS);
  arguments->args[arguments->n++] = arg;
}

/* Samples, or sums to take them from. */
static void
add_pixels (Arguments *a, const GstClLocalOp *self,
    const GstClLocalOpInput *input)
{
  const GstClComponent *samples = input->samples;
  GstClLocalMeanFrame frame;

  if (samples) {
    add (a, (GstClArg) GST_CL_MEM (samples->mem));
    add (a, (GstClArg) GST_CL_ULONG (samples->offset_bytes));
    add (a, (GstClArg) GST_CL_INT (samples->stride_bytes));
    add (a, (GstClArg) GST_CL_INT (self->spec.src_pixel_stride_bytes /
                                   (gint) self->spec.sample.bytes));
    return;
  }

  frame = gst_cl_local_mean_frame (input->sums, input->channel);
  add (a, (GstClArg) GST_CL_MEM (input->sums->mem));
  add (a, (GstClArg) GST_CL_ULONG (frame.first_sum));
  add (a, (GstClArg) GST_CL_INT (frame.size.s[2]));
  add (a, (GstClArg) GST_CL_INT (frame.size.s[3]));
}

/* Sums, and squares where there are any. */
static void
add_sums (Arguments *a, const GstClLocalOp *self,
    const GstClLocalOpInput *input)
{
  const GstClLocalMeanFrame frame = gst_cl_local_mean_frame (input->sums,
      input->channel);

  add (a, (GstClArg) GST_CL_MEM (input->sums->mem));
  add (a, (GstClArg) GST_CL_ULONG (frame.first_sum));
  add (a, (GstClArg) GST_CL_INT4 (frame.size));
  add (a, (GstClArg) GST_CL_INT4 (gst_cl_local_mean_window (&self->spec)));
  add (a, (GstClArg) GST_CL_UINT (self->spec.window.border_value));
  if (!gst_cl_local_mean_needs_squares (self->spec.operation))
    return;

  /* counted in words of four bytes: arrays start at any of them */
  add (a, (GstClArg) GST_CL_MEM (input->squares->mem));
  add (a,
      (GstClArg) GST_CL_ULONG (
          gst_cl_local_mean_frame (input->squares, input->channel).first_word));
}

/* @value times @unit to the nearest integer that all products leave room for. */
static gint
fixed_point (gdouble value, gdouble unit)
{
  return (gint) CLAMP (floor (value * unit + .5), -(1 << 28), 1 << 28);
}

static void
add_results (Arguments *a, const GstClLocalOp *self, const GstClComponent *dst)
{
  const GstClWindow *window = &self->spec.window;
  const gboolean is_valid = window->border == GST_CL_BORDER_VALID;
  const GstClLocalMeanFactors *f = &self->spec.factors;
  const cl_int4 factors = { .s = { fixed_point (f->k, PER_WEIGHT),
                                MAX (fixed_point (f->r, PER_CODE), 1),
                                fixed_point (f->offset, PER_CODE),
                                fixed_point (f->target, 1) } };

  add (a, (GstClArg) GST_CL_MEM (dst->mem));
  add (a, (GstClArg) GST_CL_ULONG (dst->offset_bytes));
  add (a, (GstClArg) GST_CL_INT (dst->stride_bytes));
  add (a, (GstClArg) GST_CL_INT4 (gst_cl_local_mean_grid (&self->spec)));
  add (a, (GstClArg) GST_CL_INT (is_valid ? window->anchor_x : 0));
  add (a, (GstClArg) GST_CL_INT (is_valid ? window->anchor_y : 0));
  add (a, (GstClArg) GST_CL_INT (self->spec.operation));
  add (a, (GstClArg) GST_CL_INT4 (factors));
  add (a, (GstClArg) GST_CL_INT (f->invert));
}

/* --- running ------------------------------------------------------------- */

static gboolean
run_extremes (GstClLocalOp *self, const GstClLocalOpInput *input,
    GError **error)
{
  const GstClArg extremes = GST_CL_MEM (self->extremes);
  Arguments a = { .n = 0 };

  add_pixels (&a, self, input);
  add_sums (&a, self, input);
  add (&a, (GstClArg) GST_CL_INT4 (gst_cl_local_mean_grid (&self->spec)));
  add (&a, extremes);

  return gst_cl_kernel_launch (self->clear, 1, 1, 1, &extremes, 1, error) &&
         gst_cl_kernel_launch (self->find_extremes,
             MAX (self->spec.width, self->width),
             MAX (self->spec.height, self->height), 1, a.args, a.n, error);
}

gboolean
gst_cl_local_op_run (GstClLocalOp *self, const GstClLocalOpInput *input,
    const GstClComponent *dst, GError **error)
{
  Arguments a = { .n = 0 };

  if (self->extremes && !run_extremes (self, input, error))
    return FALSE;

  add_pixels (&a, self, input);
  if (input->means) {
    add (&a, (GstClArg) GST_CL_MEM (input->means->mem));
    add (&a, (GstClArg) GST_CL_INT (input->means->stride_bytes));
  } else {
    add_sums (&a, self, input);
  }
  /* what an operation does not need, it does not read */
  if (gst_cl_local_mean_needs_squares (self->spec.operation))
    add (&a, (GstClArg) GST_CL_MEM (
                 self->extremes ? self->extremes : input->sums->mem));
  add_results (&a, self, dst);

  return gst_cl_kernel_launch (self->apply, self->width, self->height, 1,
      a.args, a.n, error);
}
