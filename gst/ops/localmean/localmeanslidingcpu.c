/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Local means by running sums on CPUs: each work-item slides down a band. */

#include "localmeanprivate.h"

#include "cl/memory/gstclbuffer.h"
#include "ops/sample.h"

#define MAX_SUM_OF_SIGNED_LANES G_MAXINT32
#define NARROW_SAMPLES          256  /* of a window */
#define WIDE_COLUMNS            1024 /* of a window; wider ones use ANY */

typedef struct {
  GstClLocalMeanProblem problem;
  GstClKernel *kernel;
  gint n_bands, row_length;
  cl_mem scratch;
} Sliding;

static void
free_sliding (gpointer sliding)
{
  Sliding *self = sliding;

  if (!self)
    return;

  gst_cl_kernel_free (self->kernel);
  gst_cl_buffer_free (self->scratch);
  g_free (self);
}

G_DEFINE_AUTOPTR_CLEANUP_FUNC (Sliding, free_sliding)

static gboolean
slides (const GstClLocalMeanProblem *p)
{
  return p->window.kernel_width <= G_MAXINT16 &&
         p->window.kernel_height <= G_MAXINT16 &&
         gst_cl_window_sum_bytes (&p->window,
             gst_cl_local_mean_largest_code (p)) <= 4 &&
         gst_cl_window_has_inner_anchor (&p->window);
}

static gboolean
is_narrow (const GstClLocalMeanProblem *problem)
{
  return gst_cl_window_samples (&problem->window) <= NARROW_SAMPLES;
}

static gboolean
is_wide (const GstClLocalMeanProblem *problem)
{
  const GstClWindow *window = &problem->window;

  return window->kernel_width <= WIDE_COLUMNS &&
         gst_cl_window_samples (window) *
                 gst_cl_local_mean_largest_code (problem) <=
             MAX_SUM_OF_SIGNED_LANES;
}

static gboolean
computes_bytes (gconstpointer user_problem)
{
  const GstClLocalMeanProblem *p = user_problem;

  return p->sample.bytes == 1 && p->window.step_x == 1 &&
         p->window.step_y == 1 && (is_narrow (p) || is_wide (p)) && slides (p);
}

static gboolean
computes_any (gconstpointer user_problem)
{
  const GstClLocalMeanProblem *problem = user_problem;

  return slides (problem) && !computes_bytes (problem);
}

static GstClKernel *
make_kernel (GstClContext *context, const GstClLocalMeanProblem *problem,
    const gchar *resource, const gchar *name, GError **error)
{
  const guint bytes = problem->sample.bytes;
  g_autofree gchar *sample = gst_cl_sample_options (&problem->sample);
  g_autofree gchar *options = g_strdup_printf (
      "%s -DSAMPLE_MAX=%u -DBORDER=%d -DPIXEL_STRIDE=%u -DDST_PIXEL_STRIDE=%u",
      sample, gst_cl_local_mean_largest_code (problem),
      gst_cl_window_border_of_kernels (problem->window.border),
      problem->src_pixel_stride_bytes / bytes,
      problem->dst_pixel_stride_bytes / bytes);

  return gst_cl_kernel_new (context, resource, options, name, error);
}

/* Creates an instance with kernel @name of the candidate's file. */
static gpointer
make_sliding (GstClContext *context, const GstClCandidate *candidate,
    const GstClLocalMeanProblem *p, const gchar *name, GError **error)
{
  g_autoptr (Sliding) self = g_new0 (Sliding, 1);

  self->problem = *p;
  self->n_bands = gst_cl_sliding_bands (context->device, p,
      candidate->values[0]);
  self->kernel = make_kernel (context, p, candidate->implementation->resource,
      name, error);
  if (!self->kernel)
    return NULL;
  self->scratch = gst_cl_sliding_scratch (context, p->width,
      MAX (p->width, p->window.kernel_width), self->n_bands, &self->row_length,
      error);

  return self->scratch ? g_steal_pointer (&self) : NULL;
}

static gpointer
create_bytes (GstClContext *context, const GstClCandidate *candidate,
    gconstpointer problem, GError **error)
{
  return make_sliding (context, candidate, problem,
      is_narrow (problem) ? "localmean_sliding_cpu_narrow"
                          : "localmean_sliding_cpu_wide",
      error);
}

static gpointer
create_any (GstClContext *context, const GstClCandidate *candidate,
    gconstpointer problem, GError **error)
{
  return make_sliding (context, candidate, problem, "localmean_sliding_cpu_any",
      error);
}

static gboolean
run (gpointer sliding, gconstpointer io, GError **error)
{
  const Sliding *self = sliding;
  const GstClLocalMeanIo *frames = io;
  const GstClComponent *src = frames->samples, *dst = frames->results;
  const GstClLocalMeanProblem *problem = &self->problem;
  const GstClWindow *window = &problem->window;
  const cl_int4 frame = { .s = { problem->width, problem->height,
                              self->row_length,
                              (gint) gst_cl_window_outside (window) } };
  const GstClArg args[] = {
    GST_CL_MEM (src->mem),
    GST_CL_ULONG (src->offset_bytes),
    GST_CL_INT (src->stride_bytes),
    GST_CL_INT4 (frame),
    GST_CL_MEM (dst->mem),
    GST_CL_ULONG (dst->offset_bytes),
    GST_CL_INT (dst->stride_bytes),
    GST_CL_INT4 (gst_cl_window_argument (window, 0)),
    GST_CL_INT4 (gst_cl_window_grid (problem)),
    GST_CL_MEM (self->scratch),
  };

  return gst_cl_kernel_launch (self->kernel, self->n_bands, 1, 1, args,
      G_N_ELEMENTS (args), error);
}

const GstClInstanceFuncs gst_cl_local_mean_sliding_bytes_cpu = {
  .computes = computes_bytes,
  .create = create_bytes,
  .run = run,
  .free = free_sliding,
};

const GstClInstanceFuncs gst_cl_local_mean_sliding_any_cpu = {
  .computes = computes_any,
  .create = create_any,
  .run = run,
  .free = free_sliding,
};
