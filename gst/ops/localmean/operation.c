/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Operations on local means, sums and deviations: one work-item per result. */

#include "localmeanprivate.h"

#include <math.h>

#include "cl/memory/gstclbuffer.h"

/* --- arguments of the kernels --------------------------------------------- */

/* The units of kernels/operation/cl_operation.clh. */
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
    const GstClLocalMeanProblem *problem, const GstClLocalMeanIo *io,
    gint row_length)
{
  const GstClWindow *window = &problem->window;
  const cl_int4 frame = { .s = { problem->width, problem->height, row_length,
                              (gint) gst_cl_window_outside (window) } };

  gst_cl_operation_add (a, (GstClArg) GST_CL_INT4 (frame));
  gst_cl_operation_add (a, (GstClArg) GST_CL_INT4 (gst_cl_window_argument (
                               window, io->strip.first_row)));
}

/* Returns @value times @unit, rounded, and clamped so that no product
 * overflows. */
static gint
fixed_point (gdouble value, gdouble unit)
{
  return (gint) CLAMP (floor (value * unit + .5), -(1 << 28), 1 << 28);
}

void
gst_cl_operation_add_results (GstClOperationArgs *a,
    const GstClLocalMeanProblem *problem, const GstClLocalMeanIo *io)
{
  const GstClComponent *dst = io->results;
  const GstClWindow *window = &problem->window;
  const gboolean is_valid = window->border == GST_CL_BORDER_VALID;
  const GstClLocalMeanFactors *f = io->factors ? io->factors
                                               : &problem->factors;
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
      (GstClArg) GST_CL_INT (
          (is_valid ? window->anchor_y : 0) + io->strip.first_row));
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
    GstClOperationArgs a, gsize x, gsize y, gboolean adds, GError **error)
{
  const GstClArg arg = gst_cl_operation_extremes_arg (self);

  gst_cl_operation_add (&a, arg);
  if (!adds && !gst_cl_kernel_launch (self->clear, 1, 1, 1, &arg, 1, error))
    return FALSE;

  return gst_cl_kernel_launch (self->find, x, y, 1, a.args, a.n, error);
}

GstClArg
gst_cl_operation_extremes_arg (const GstClOperationExtremes *self)
{
  return (GstClArg) GST_CL_MEM (self->mem);
}

typedef struct {
  GstClLocalMeanProblem problem;
  gint width, height; /* of the results */
  GstClKernel *apply;
  gboolean needs_squares;

  gboolean needs_extremes;          /* WOLF */
  GstClOperationExtremes *extremes; /* NULL: not needed */
} Operation;

static void
free_operation (gpointer operation)
{
  Operation *self = operation;

  if (!self)
    return;

  gst_cl_kernel_free (self->apply);
  gst_cl_operation_extremes_free (self->extremes);
  g_free (self);
}

/* --- creating ------------------------------------------------------------ */

static GstClKernel *
make_kernel (const Operation *self, GstClContext *context,
    const gchar *resource, const gchar *name, GError **error)
{
  const GstClLocalMeanProblem *problem = &self->problem;
  g_autofree gchar *options = gst_cl_window_plain_options (problem,
      gst_cl_local_mean_sum_bytes (problem), context->device);

  return gst_cl_kernel_new (context, resource, options, name, error);
}

/* Returns NULL with @error if kernel @name of @resource cannot be built. */
static Operation *
make_operation (GstClContext *context, const gchar *resource, const gchar *name,
    const GstClLocalMeanProblem *problem, GError **error)
{
  Operation *self = g_new0 (Operation, 1);

  self->problem = *problem;
  self->needs_squares = gst_cl_local_mean_needs_squares (problem->operation);
  gst_cl_local_mean_result_size (problem, &self->width, &self->height);
  self->apply = make_kernel (self, context, resource, name, error);
  if (!self->apply)
    g_clear_pointer (&self, free_operation);

  return self;
}

static gboolean
make_extremes (Operation *self, GstClContext *context, GError **error)
{
  const gchar *const resource = "operation/plainextremes.cl";
  GstClKernel *clear = make_kernel (self, context, resource, "operation_clear",
      error);
  GstClKernel *find = clear ? make_kernel (self, context, resource,
                                  "operation_extremes", error)
                            : NULL;

  self->extremes = gst_cl_operation_extremes_new (context, clear, find, error);

  return self->extremes != NULL;
}

static gpointer
create_on_sums (GstClContext *context, const GstClCandidate *candidate,
    gconstpointer problem, GError **error)
{
  const GstClLocalMeanProblem *p = problem;
  const GstClImplementation *row = candidate->implementation;
  const GstClLocalMeanRow *data = row->data;
  Operation *self = make_operation (context, row->resource, data->kernel, p,
      error);

  if (!self)
    return NULL;

  self->needs_extremes = p->operation == GST_CL_LOCAL_MEAN_OPERATION_WOLF;
  if (self->needs_extremes && !make_extremes (self, context, error))
    g_clear_pointer (&self, free_operation);

  return self;
}

static gpointer
create_on_means (GstClContext *context, const GstClCandidate *candidate,
    gconstpointer problem, GError **error)
{
  return make_operation (context, candidate->implementation->resource,
      "operation_of_means", problem, error);
}

/* --- arguments ----------------------------------------------------------- */

static void
add_samples (GstClOperationArgs *a, const GstClLocalMeanProblem *problem,
    const GstClLocalMeanIo *io)
{
  gst_cl_operation_add_samples (a, io->samples);
  gst_cl_operation_add (a,
      (GstClArg) GST_CL_INT (
          problem->src_pixel_stride_bytes / (gint) problem->sample.bytes));
}

static void
add_sums_as_samples (GstClOperationArgs *a, const GstClLocalMeanIo *io)
{
  const GstClWindowSums sums = gst_cl_window_sums (io->sums, io->channel);

  gst_cl_operation_add (a, (GstClArg) GST_CL_MEM (io->sums->mem));
  gst_cl_operation_add (a, (GstClArg) GST_CL_ULONG (sums.first_sum));
  gst_cl_operation_add (a, (GstClArg) GST_CL_INT (sums.size.s[2]));
  gst_cl_operation_add (a, (GstClArg) GST_CL_INT (sums.size.s[3]));
}

/* PIXELS_ARGUMENTS: samples, or sums from which they are computed. */
static void
add_pixels (GstClOperationArgs *a, const Operation *self,
    const GstClLocalMeanIo *io)
{
  const GstClLocalMeanProblem *problem = &self->problem;

  if (problem->from_sums)
    add_sums_as_samples (a, io);
  else
    add_samples (a, problem, io);
  gst_cl_operation_add (a, (GstClArg) GST_CL_INT (problem->from_sums));
  gst_cl_operation_add (a,
      (GstClArg) GST_CL_INT4 (gst_cl_window_format (problem)));
}

/* Sums, and squares if there are any. */
static void
add_sums (GstClOperationArgs *a, const Operation *self,
    const GstClLocalMeanIo *io)
{
  const GstClWindow *window = &self->problem.window;
  const GstClWindowSums sums = gst_cl_window_sums (io->sums, io->channel);

  gst_cl_operation_add (a, (GstClArg) GST_CL_MEM (io->sums->mem));
  gst_cl_operation_add (a, (GstClArg) GST_CL_ULONG (sums.first_sum));
  gst_cl_operation_add (a, (GstClArg) GST_CL_INT4 (sums.size));
  gst_cl_operation_add (a, (GstClArg) GST_CL_INT4 (gst_cl_window_argument (
                               window, io->strip.first_row)));
  gst_cl_operation_add (a, (GstClArg) GST_CL_UINT (window->border_value));
  if (!self->needs_squares)
    return;

  /* in words of four bytes: arrays may start at any word */
  gst_cl_operation_add (a, (GstClArg) GST_CL_MEM (io->squares->mem));
  gst_cl_operation_add (a,
      (GstClArg) GST_CL_ULONG (
          gst_cl_window_sums (io->squares, io->channel).first_word));
}

/* --- running ------------------------------------------------------------- */

static gboolean
launch (const Operation *self, GstClOperationArgs *a,
    const GstClLocalMeanIo *io, GError **error)
{
  gst_cl_operation_add_results (a, &self->problem, io);

  return gst_cl_kernel_launch (self->apply, (gsize) self->width,
      (gsize) self->height, 1, a->args, a->n, error);
}

static gboolean
run_extremes (const Operation *self, const GstClLocalMeanIo *io, GError **error)
{
  const GstClLocalMeanProblem *problem = &self->problem;
  GstClOperationArgs a = { .n = 0 };

  add_pixels (&a, self, io);
  add_sums (&a, self, io);
  gst_cl_operation_add (&a,
      (GstClArg) GST_CL_INT4 (gst_cl_window_grid (problem)));

  return gst_cl_operation_extremes_find (self->extremes, a,
      MAX (problem->width, self->width), MAX (problem->height, self->height),
      io->strip.run == GST_CL_LOCAL_MEAN_RUN_MORE_EXTREMES, error);
}

static gboolean
run_on_sums (gpointer operation, gconstpointer io, GError **error)
{
  const Operation *self = operation;
  const GstClLocalMeanIo *frames = io;
  GstClOperationArgs a = { .n = 0 };

  if (self->needs_extremes &&
      frames->strip.run != GST_CL_LOCAL_MEAN_RUN_RESULTS &&
      !run_extremes (self, frames, error))
    return FALSE;
  if (frames->strip.run >= GST_CL_LOCAL_MEAN_RUN_FIRST_EXTREMES)
    return TRUE;

  add_pixels (&a, self, frames);
  add_sums (&a, self, frames);
  /* kernels do not read unneeded arguments */
  if (self->needs_squares)
    gst_cl_operation_add (&a,
        self->needs_extremes ? gst_cl_operation_extremes_arg (self->extremes)
                             : (GstClArg) GST_CL_MEM (frames->sums->mem));

  return launch (self, &a, frames, error);
}

static gboolean
run_on_means (gpointer operation, gconstpointer io, GError **error)
{
  const Operation *self = operation;
  const GstClLocalMeanIo *frames = io;
  GstClOperationArgs a = { .n = 0 };

  add_pixels (&a, self, frames);
  gst_cl_operation_add (&a, (GstClArg) GST_CL_MEM (frames->means->mem));
  gst_cl_operation_add (&a,
      (GstClArg) GST_CL_INT (frames->means->stride_bytes));

  return launch (self, &a, frames, error);
}

const GstClInstanceFuncs gst_cl_operation_on_sums = {
  .create = create_on_sums,
  .run = run_on_sums,
  .free = free_operation,
};

const GstClInstanceFuncs gst_cl_operation_on_means = {
  .create = create_on_means,
  .run = run_on_means,
  .free = free_operation,
};
