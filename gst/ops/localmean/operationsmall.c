/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Means of small windows and operations on them, in a GPU's registers. */

#include "localmeanprivate.h"

#define RESOURCE "operation/gpusmall.cl"

/* Equal to the numbers in kernels/operation/gpusmall.cl. */
#define COLUMNS     8 /* results in a row of a work-item */
#define ROWS        4
#define LANES       32 /* work-items of a work-group, and rows of them */
#define GROUPS      4
#define SOURCE_OCTS 1 /* bits of access */
#define RESULT_OCTS 2

#define QUAD 4 /* samples that are loaded at once */

/* The supported windows: samples in each direction. */
static const gint sizes[] = { 3, 5, 7 };

typedef struct {
  GstClLocalMeanProblem problem;
  GstClKernel *kernels[G_N_ELEMENTS (sizes)];
  guint choice; /* index of the kernel for the problem's window */
} Small;

static void
free_small (gpointer operation)
{
  Small *self = operation;

  if (!self)
    return;

  for (guint i = 0; i < G_N_ELEMENTS (sizes); i++)
    gst_cl_kernel_free (self->kernels[i]);
  g_free (self);
}

/* The kernels compute one result for each sample. */
static gboolean
computes (gconstpointer user_problem)
{
  const GstClLocalMeanProblem *p = user_problem;
  const GstClWindow *w = &p->window;
  gboolean is_known = FALSE;

  for (guint i = 0; i < G_N_ELEMENTS (sizes); i++)
    is_known |= w->kernel_width == sizes[i] && w->kernel_height == sizes[i];

  return is_known && w->anchor_x == w->kernel_width / 2 &&
         w->anchor_y == w->kernel_height / 2 && w->step_x == 1 &&
         w->step_y == 1 && w->border != GST_CL_BORDER_VALID &&
         p->sample.bytes == 1 && p->src_pixel_stride_bytes == 1 &&
         p->dst_pixel_stride_bytes == 1 && p->n_result_rows == 0;
}

static gpointer
create (GstClContext *context, const GstClCandidate *candidate,
    gconstpointer problem, GError **error)
{
  const GstClLocalMeanProblem *p = problem;
  Small *self = g_new0 (Small, 1);
  g_autofree gchar *options = g_strdup_printf ("-DBORDER=%d -DOPERATION=%d",
      gst_cl_window_border_of_kernels (p->window.border), p->operation);

  self->problem = *p;
  for (guint i = 0; i < G_N_ELEMENTS (sizes); i++) {
    g_autofree gchar *name = g_strdup_printf ("operation_small_gpu_%d",
        sizes[i]);

    self->kernels[i] = gst_cl_kernel_new (context, RESOURCE, options, name,
        error);
    if (!self->kernels[i]) {
      free_small (self);
      return NULL;
    }
    if (p->window.kernel_width == sizes[i])
      self->choice = i;
  }

  return self;
}

/* Returns TRUE if every row of @component begins at a multiple of @n bytes. */
static gboolean
is_aligned (const GstClComponent *component, gint n)
{
  return component->offset_bytes % n == 0 && component->stride_bytes % n == 0;
}

/* Sets the first and the end of the results, of @size along an axis, that
 * blocks of @block compute with @margin samples before and after each. */
static void
find_inner (gint size, gint block, gint margin, gint *start, gint *end)
{
  const gint first = (margin + block - 1) / block * block;
  const gint n = MAX (size - margin - first, 0) / block;

  *start = n > 0 ? first : 0;
  *end = *start + n * block;
}

/* Returns the columns and rows of results that need no samples beyond an edge:
 * none if samples cannot be loaded in groups of four. */
static cl_int4
inner_results (const Small *self, const GstClComponent *src,
    const GstClComponent *dst)
{
  const GstClLocalMeanProblem *p = &self->problem;
  cl_int4 inner = { .s = { 0 } };

  if (!is_aligned (src, QUAD) || !is_aligned (dst, QUAD))
    return inner;

  find_inner (p->width, COLUMNS, QUAD, &inner.s[0], &inner.s[2]);
  find_inner (p->height, ROWS, sizes[self->choice] / 2, &inner.s[1],
      &inner.s[3]);
  if (inner.s[2] == 0 || inner.s[3] == 0)
    inner = (cl_int4){ .s = { 0 } };

  return inner;
}

static gsize
count_groups (gsize n, gsize of_a_group)
{
  return (n + of_a_group - 1) / of_a_group;
}

static gboolean
run (gpointer operation, gconstpointer io, GError **error)
{
  const Small *self = operation;
  const GstClLocalMeanProblem *p = &self->problem;
  const GstClLocalMeanIo *frames = io;
  const GstClComponent *src = frames->samples, *dst = frames->results;
  const cl_int4 frame = { .s = { p->width, p->height, 0,
                              (gint) gst_cl_window_outside (&p->window) } };
  const cl_int4 inner = inner_results (self, src, dst);
  const gsize inner_columns = inner.s[2] - inner.s[0];
  const gsize inner_rows = inner.s[3] - inner.s[1];
  const gsize n_inner_groups = count_groups (inner_columns, LANES * COLUMNS) *
                               count_groups (inner_rows, GROUPS * ROWS);
  const gsize n_outer_groups = count_groups ((gsize) p->width * p->height -
                                                 inner_columns * inner_rows,
      LANES * GROUPS);
  const gint access = (is_aligned (src, 8) ? SOURCE_OCTS : 0) |
                      (is_aligned (dst, 8) ? RESULT_OCTS : 0);
  GstClOperationArgs a = { .n = 0 };

  gst_cl_operation_add_samples (&a, src);
  gst_cl_operation_add (&a, (GstClArg) GST_CL_INT4 (frame));
  gst_cl_operation_add (&a, (GstClArg) GST_CL_INT4 (inner));
  gst_cl_operation_add (&a, (GstClArg) GST_CL_INT ((gint) n_outer_groups));
  gst_cl_operation_add (&a, (GstClArg) GST_CL_INT (access));
  gst_cl_operation_add_results (&a, p, frames);

  return gst_cl_kernel_launch (self->kernels[self->choice],
      (n_outer_groups + n_inner_groups) * LANES, GROUPS, 1, a.args, a.n, error);
}

const GstClInstanceFuncs gst_cl_operation_small_gpu = {
  .computes = computes,
  .create = create,
  .run = run,
  .free = free_small,
};
