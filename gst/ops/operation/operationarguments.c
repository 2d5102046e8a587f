/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Arguments of the operations' kernels, and the extremes of a frame. */

#include "operationarguments.h"

#include <math.h>

#include "cl/memory/gstclbuffer.h"
#include "ops/window/windowarguments.h"

/* kernels/operation/plain.cl counts in these. */
#define PER_CODE   256
#define PER_WEIGHT 65536

/* --- arguments ----------------------------------------------------------- */

void
gst_cl_operation_add (GstClOperationArgs *arguments, GstClArg arg)
{
  g_assert (arguments->n < G_N_ELEMENTS (arguments->args));
  arguments->args[arguments->n++] = arg;
}

void
gst_cl_operation_add_samples (GstClOperationArgs *a, const GstClComponent *src)
{
  gst_cl_operation_add (a, (GstClArg) GST_CL_MEM (src->mem));
  gst_cl_operation_add (a, (GstClArg) GST_CL_ULONG (src->offset_bytes));
  gst_cl_operation_add (a, (GstClArg) GST_CL_INT (src->stride_bytes));
}

void
gst_cl_operation_add_window (GstClOperationArgs *a,
    const GstClLocalMeanProblem *problem, gint row_length)
{
  const GstClWindow *window = &problem->window;
  const cl_int4 frame = { .s = { problem->width, problem->height, row_length,
                              (gint) gst_cl_window_outside (window) } };

  gst_cl_operation_add (a, (GstClArg) GST_CL_INT4 (frame));
  gst_cl_operation_add (a,
      (GstClArg) GST_CL_INT4 (gst_cl_window_argument (window)));
}

/* @value times @unit, rounded, within what all products leave room for. */
static gint
fixed_point (gdouble value, gdouble unit)
{
  return (gint) CLAMP (floor (value * unit + .5), -(1 << 28), 1 << 28);
}

void
gst_cl_operation_add_results (GstClOperationArgs *a,
    const GstClLocalMeanProblem *problem, const GstClComponent *dst)
{
  const GstClWindow *window = &problem->window;
  const gboolean is_valid = window->border == GST_CL_BORDER_VALID;
  const GstClLocalMeanFactors *f = &problem->factors;
  const cl_int4 factors = { .s = { fixed_point (f->k, PER_WEIGHT),
                                MAX (fixed_point (f->r, PER_CODE), 1),
                                fixed_point (f->offset, PER_CODE),
                                fixed_point (f->target, 1) } };

  gst_cl_operation_add (a, (GstClArg) GST_CL_MEM (dst->mem));
  gst_cl_operation_add (a, (GstClArg) GST_CL_ULONG (dst->offset_bytes));
  gst_cl_operation_add (a, (GstClArg) GST_CL_INT (dst->stride_bytes));
  gst_cl_operation_add (a,
      (GstClArg) GST_CL_INT4 (gst_cl_window_grid (problem)));
  gst_cl_operation_add (a,
      (GstClArg) GST_CL_INT (is_valid ? window->anchor_x : 0));
  gst_cl_operation_add (a,
      (GstClArg) GST_CL_INT (is_valid ? window->anchor_y : 0));
  gst_cl_operation_add (a, (GstClArg) GST_CL_INT (problem->operation));
  gst_cl_operation_add (a, (GstClArg) GST_CL_INT4 (factors));
  gst_cl_operation_add (a, (GstClArg) GST_CL_INT (f->invert));
}

/* --- extremes ------------------------------------------------------------ */

struct _GstClOperationExtremes {
  GstClKernel *clear, *find;
  cl_mem mem; /* two cl_uint: largest deviation, smallest code */
};

GstClOperationExtremes *
gst_cl_operation_extremes_new (GstClContext *context, GstClKernel *clear,
    GstClKernel *find, GError **error)
{
  GstClOperationExtremes *self = g_new0 (GstClOperationExtremes, 1);

  self->clear = clear;
  self->find = find;
  if (clear && find)
    self->mem = gst_cl_buffer_new (context, 2 * sizeof (cl_uint), error);
  if (!self->mem)
    g_clear_pointer (&self, gst_cl_operation_extremes_free);

  return self;
}

void
gst_cl_operation_extremes_free (GstClOperationExtremes *self)
{
  if (!self)
    return;

  gst_cl_kernel_free (self->clear);
  gst_cl_kernel_free (self->find);
  gst_cl_buffer_free (self->mem);
  g_free (self);
}

gboolean
gst_cl_operation_extremes_find (GstClOperationExtremes *self,
    GstClOperationArgs a, gsize x, gsize y, GError **error)
{
  const GstClArg arg = gst_cl_operation_extremes_arg (self);

  gst_cl_operation_add (&a, arg);

  return gst_cl_kernel_launch (self->clear, 1, 1, 1, &arg, 1, error) &&
         gst_cl_kernel_launch (self->find, x, y, 1, a.args, a.n, error);
}

GstClArg
gst_cl_operation_extremes_arg (const GstClOperationExtremes *self)
{
  return (GstClArg) GST_CL_MEM (self->mem);
}
