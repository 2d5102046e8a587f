/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Local means by running sums on CPUs: each work-item slides down a band. */

#include "localmeansliding.h"

#include "cl/context/gstclkernel.h"
#include "cl/memory/gstclbuffer.h"
#include "ops/sample.h"
#include "ops/window/slidingbands.h"
#include "ops/window/windowarguments.h"

#define MAX_SUM_OF_SIGNED_LANES G_MAXINT32
#define NARROW_SAMPLES          256  /* of a window */
#define WIDE_COLUMNS            1024 /* beyond, its parts cost more than ANY */

/* Kernels, the one with the strictest assumptions first: NARROW and WIDE take
 * samples of 8 bits and steps of 1. */
enum { NARROW, WIDE, ANY, N_KERNELS };

/* clang-format off */
static const struct {
  const gchar *resource, *name;
} table[N_KERNELS] = {
  { "localmean/cpusliding16.cl", "localmean_sliding_cpu_narrow" },
  { "localmean/cpusliding16.cl", "localmean_sliding_cpu_wide" },
  { "localmean/cpusliding.cl", "localmean_sliding_cpu_any" },
};
/* clang-format on */

typedef struct {
  GstClLocalMeanProblem problem;
  GstClKernel *kernels[N_KERNELS]; /* NULL: not for such samples */
  gint n_bands, row_length;
  cl_mem scratch;
} Sliding;

G_DEFINE_AUTOPTR_CLEANUP_FUNC (Sliding, gst_cl_local_mean_sliding_cpu_free)

gboolean
gst_cl_local_mean_sliding_cpu_supports (gconstpointer problem,
    const GstClDevice *device)
{
  const GstClLocalMeanProblem *p = problem;

  return !p->from_sums && p->window.kernel_width <= G_MAXINT16 &&
         p->window.kernel_height <= G_MAXINT16 &&
         gst_cl_window_sum_bytes (&p->window,
             gst_cl_local_mean_largest_code (p)) <= 4 &&
         gst_cl_window_has_inner_anchor (&p->window);
}

static guint
choose_kernel (const GstClLocalMeanProblem *problem)
{
  const GstClWindow *window = &problem->window;
  const guint64 n = gst_cl_window_samples (window);

  if (problem->sample.bytes == 2 || window->step_x != 1 || window->step_y != 1)
    return ANY;
  if (n <= NARROW_SAMPLES)
    return NARROW;

  return window->kernel_width <= WIDE_COLUMNS &&
                 n * gst_cl_local_mean_largest_code (problem) <=
                     MAX_SUM_OF_SIGNED_LANES
             ? WIDE
             : ANY;
}

static gboolean
create_kernels (Sliding *self, GstClContext *context, GError **error)
{
  const GstClLocalMeanProblem *problem = &self->problem;
  const guint bytes = problem->sample.bytes;
  g_autofree gchar *sample = gst_cl_sample_options (&problem->sample);
  g_autofree gchar *options = g_strdup_printf (
      "%s -DSAMPLE_MAX=%u -DBORDER=%d -DPIXEL_STRIDE=%u -DDST_PIXEL_STRIDE=%u",
      sample, gst_cl_local_mean_largest_code (problem),
      gst_cl_window_border_of_kernels (problem->window.border),
      problem->src_pixel_stride_bytes / bytes,
      problem->dst_pixel_stride_bytes / bytes);

  for (guint i = bytes == 2 ? ANY : NARROW; i < N_KERNELS; i++) {
    self->kernels[i] = gst_cl_kernel_new (context, table[i].resource, options,
        table[i].name, error);
    if (!self->kernels[i])
      return FALSE;
  }

  return TRUE;
}

gpointer
gst_cl_local_mean_sliding_cpu_new (GstClContext *context,
    const GstClCandidate *candidate, gconstpointer problem, GError **error)
{
  const GstClLocalMeanProblem *p = problem;
  g_autoptr (Sliding) self = g_new0 (Sliding, 1);

  self->problem = *p;
  self->n_bands = gst_cl_sliding_bands (context->device, p,
      candidate->values[0]);
  if (!create_kernels (self, context, error))
    return NULL;
  self->scratch = gst_cl_sliding_scratch (context, p->width,
      MAX (p->width, p->window.kernel_width), self->n_bands, &self->row_length,
      error);

  return self->scratch ? g_steal_pointer (&self) : NULL;
}

void
gst_cl_local_mean_sliding_cpu_free (gpointer sliding)
{
  Sliding *self = sliding;

  if (!self)
    return;

  for (guint i = 0; i < N_KERNELS; i++)
    gst_cl_kernel_free (self->kernels[i]);
  gst_cl_buffer_free (self->scratch);
  g_free (self);
}

gboolean
gst_cl_local_mean_sliding_cpu_run (gpointer sliding, gconstpointer io,
    GError **error)
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
    GST_CL_INT4 (gst_cl_window_argument (window)),
    GST_CL_INT4 (gst_cl_window_grid (problem)),
    GST_CL_MEM (self->scratch),
  };

  return gst_cl_kernel_launch (self->kernels[choose_kernel (problem)],
      self->n_bands, 1, 1, args, G_N_ELEMENTS (args), error);
}
