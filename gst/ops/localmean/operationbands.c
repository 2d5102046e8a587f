/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Operations on local means and deviations on CPUs, by bands of rows: running
 * sums of samples, or rows of integral images. */

#include "localmeanprivate.h"

#include <math.h>

#include "cl/memory/gstclbuffer.h"
#include "ops/sample.h"

/* kernels/operation/cpusliding.cl and operation/cpumoments.cl, Range */
#define MAX_KERNEL_SIZE      G_MAXINT16
#define MAX_ESTIMATE_SAMPLES 200000 /* without WIDE_SUMS */
#define MAX_WORD_SAMPLES     (1 << 15)
#define MAX_WEIGHT           63. /* 2^22 in 1/65536 */
#define MAX_TARGET           (1 << 24)

typedef struct {
  GstClLocalMeanProblem problem;
  gint n_bands, row_length;
  cl_mem scratch;

  GstClKernel *kernel;
  gboolean needs_squares;

  /* WOLF: of each band, its largest deviation and the smallest code of its
   * part */
  gboolean needs_extremes;
  cl_mem extremes; /* NULL: not needed */
} OperationBands;

static void
free_bands (gpointer operation)
{
  OperationBands *self = operation;

  if (!self)
    return;

  gst_cl_kernel_free (self->kernel);
  gst_cl_buffer_free (self->extremes);
  gst_cl_buffer_free (self->scratch);
  g_free (self);
}

G_DEFINE_AUTOPTR_CLEANUP_FUNC (OperationBands, free_bands)

/* --- supported problems --------------------------------------------------- */

gboolean
gst_cl_operation_bands_take_factors (const GstClLocalMeanFactors *factors)
{
  return fabs (factors->k) < MAX_WEIGHT && factors->target >= 0 &&
         factors->target < MAX_TARGET;
}

/* Limits for both samples and integral images. */
static gboolean
supports_window (const GstClLocalMeanProblem *problem)
{
  return problem->window.kernel_width <= MAX_KERNEL_SIZE &&
         problem->window.kernel_height <= MAX_KERNEL_SIZE &&
         gst_cl_window_has_inner_anchor (&problem->window) &&
         gst_cl_operation_bands_take_factors (&problem->factors);
}

/* Returns TRUE if 31 bits hold the sum of any window. */
static gboolean
has_small_sums (const GstClLocalMeanProblem *problem)
{
  /* integral images may be of any samples */
  const guint largest = problem->from_sums
                            ? G_MAXUINT16
                            : gst_cl_local_mean_largest_code (problem);

  return gst_cl_window_samples (&problem->window) * largest <= G_MAXINT32;
}

static gboolean
computes_samples (gconstpointer user_problem)
{
  const GstClLocalMeanProblem *problem = user_problem;

  return supports_window (problem) &&
         (gst_cl_local_mean_needs_squares (problem->operation) ||
             has_small_sums (problem));
}

static gboolean
computes_sums (gconstpointer user_problem)
{
  const GstClLocalMeanProblem *problem = user_problem;

  return supports_window (problem) &&
         (gst_cl_local_mean_needs_squares (problem->operation) ||
             gst_cl_window_samples (&problem->window) <= MAX_WORD_SAMPLES);
}

/* Returns TRUE if the kernel for moments needs sums of 64 bits. */
static gboolean
needs_wide_sums (const GstClLocalMeanProblem *problem)
{
  return gst_cl_local_mean_needs_squares (problem->operation) &&
         (!has_small_sums (problem) ||
             gst_cl_window_samples (&problem->window) > MAX_ESTIMATE_SAMPLES);
}

/* --- creating ------------------------------------------------------------ */

/* @source: options that define the input. */
static gboolean
make_kernel (OperationBands *self, GstClContext *context,
    const GstClImplementation *row, const gchar *source, GError **error)
{
  const GstClLocalMeanRow *data = row->data;
  const GstClLocalMeanProblem *problem = &self->problem;
  g_autofree gchar *sample = gst_cl_sample_options (&problem->sample);
  g_autofree gchar *options = g_strdup_printf (
      "%s %s -DSAMPLE_MAX=%u -DBORDER=%d -DDST_PIXEL_STRIDE=%d%s", sample,
      source, gst_cl_local_mean_largest_code (problem),
      gst_cl_window_border_of_kernels (problem->window.border),
      problem->dst_pixel_stride_bytes / (gint) problem->sample.bytes,
      needs_wide_sums (problem) ? " -DWIDE_SUMS=1" : "");

  self->kernel = gst_cl_kernel_new (context, row->resource, options,
      data->kernel, error);

  return self->kernel != NULL;
}

static OperationBands *
make_bands (GstClContext *context, const GstClImplementation *row,
    const GstClLocalMeanProblem *problem, gint n_bands, const gchar *source,
    GError **error)
{
  g_autoptr (OperationBands) self = g_new0 (OperationBands, 1);

  self->problem = *problem;
  self->n_bands = n_bands;
  self->needs_squares = gst_cl_local_mean_needs_squares (problem->operation);
  self->needs_extremes = problem->operation == GST_CL_LOCAL_MEAN_OPERATION_WOLF;
  self->scratch = gst_cl_sliding_scratch (context, problem->width,
      problem->window.kernel_width, n_bands, &self->row_length, error);
  if (!self->scratch || !make_kernel (self, context, row, source, error))
    return NULL;
  if (!self->needs_extremes)
    return g_steal_pointer (&self);

  self->extremes = gst_cl_buffer_new (context, 2 * n_bands * sizeof (cl_uint),
      error);

  return self->extremes ? g_steal_pointer (&self) : NULL;
}

static gpointer
create_on_samples (GstClContext *context, const GstClCandidate *candidate,
    gconstpointer problem, GError **error)
{
  const GstClLocalMeanProblem *p = problem;
  g_autofree gchar *source = g_strdup_printf ("-DPIXEL_STRIDE=%d",
      p->src_pixel_stride_bytes / (gint) p->sample.bytes);

  return make_bands (context, candidate->implementation, p,
      gst_cl_sliding_bands (context->device, p, candidate->values[0]), source,
      error);
}

static gpointer
create_on_sums (GstClContext *context, const GstClCandidate *candidate,
    gconstpointer problem, GError **error)
{
  const GstClLocalMeanProblem *p = problem;
  g_autofree gchar *source = g_strdup_printf (
      "-DSLIDES_ON_SUMS=1 -DPIXEL_STRIDE=1 -DSUM_T=%s",
      gst_cl_local_mean_sum_bytes (p) == 8 ? "ulong" : "uint");
  gint width, height;

  gst_cl_local_mean_result_size (p, &width, &height);

  return make_bands (context, candidate->implementation, p,
      (gint) gst_cl_window_bands (context->device, height), source, error);
}

/* --- running ------------------------------------------------------------- */

/* SLIDING_ARGUMENTS of kernels/operation/cl_slidingsums.clh. */
static void
add_sums (GstClOperationArgs *a, const OperationBands *self,
    const GstClLocalMeanIo *io)
{
  const GstClWindowSums sums = gst_cl_window_sums (io->sums, io->channel);
  /* kernels do not read unneeded arguments */
  const GstClSums *squares = self->needs_squares ? io->squares : io->sums;

  gst_cl_operation_add (a, (GstClArg) GST_CL_MEM (io->sums->mem));
  gst_cl_operation_add (a, (GstClArg) GST_CL_ULONG (sums.first_sum));
  gst_cl_operation_add (a, (GstClArg) GST_CL_INT (sums.size.s[2]));
  gst_cl_operation_add (a, (GstClArg) GST_CL_INT (sums.size.s[3]));
  gst_cl_operation_add (a, (GstClArg) GST_CL_MEM (squares->mem));
  gst_cl_operation_add (a,
      (GstClArg) GST_CL_ULONG (
          gst_cl_window_sums (squares, io->channel).first_word));
}

/* finds_extremes of kernels/operation/cpumoments.cl */
typedef enum { RESULTS, EXTREMES, MORE_EXTREMES } Launch;

/* @a: arguments of the input. */
static gboolean
launch (const OperationBands *self, GstClOperationArgs a, Launch what,
    const GstClLocalMeanIo *io, GError **error)
{
  const GstClLocalMeanProblem *problem = &self->problem;

  gst_cl_operation_add_window (&a, problem, io, self->row_length);
  gst_cl_operation_add (&a, (GstClArg) GST_CL_MEM (self->scratch));
  if (self->needs_squares) {
    /* kernels do not access unneeded arguments */
    gst_cl_operation_add (&a,
        (GstClArg) GST_CL_MEM (
            self->needs_extremes ? self->extremes : self->scratch));
    gst_cl_operation_add (&a, (GstClArg) GST_CL_INT (what));
  }
  gst_cl_operation_add_results (&a, problem, io);

  return gst_cl_kernel_launch (self->kernel, self->n_bands, 1, 1, a.args, a.n,
      error);
}

static gboolean
run_bands (const OperationBands *self, GstClOperationArgs a,
    const GstClLocalMeanIo *io, GError **error)
{
  const GstClLocalMeanRun run = io->strip.run;

  if (self->needs_extremes && run != GST_CL_LOCAL_MEAN_RUN_RESULTS &&
      !launch (self, a,
          run == GST_CL_LOCAL_MEAN_RUN_MORE_EXTREMES ? MORE_EXTREMES : EXTREMES,
          io, error))
    return FALSE;
  if (run >= GST_CL_LOCAL_MEAN_RUN_FIRST_EXTREMES)
    return TRUE;

  return launch (self, a, RESULTS, io, error);
}

static gboolean
run_on_samples (gpointer self, gconstpointer io, GError **error)
{
  const GstClLocalMeanIo *frames = io;
  GstClOperationArgs a = { .n = 0 };

  gst_cl_operation_add_samples (&a, frames->samples);

  return run_bands (self, a, frames, error);
}

static gboolean
run_on_sums (gpointer self, gconstpointer io, GError **error)
{
  const GstClLocalMeanIo *frames = io;
  GstClOperationArgs a = { .n = 0 };

  add_sums (&a, self, frames);

  return run_bands (self, a, frames, error);
}

const GstClInstanceFuncs gst_cl_operation_sliding_cpu = {
  .computes = computes_samples,
  .create = create_on_samples,
  .run = run_on_samples,
  .free = free_bands,
};

const GstClInstanceFuncs gst_cl_operation_bands = {
  .computes = computes_sums,
  .create = create_on_sums,
  .run = run_on_sums,
  .free = free_bands,
};

/* --- from rounded means --------------------------------------------------- */

typedef struct {
  GstClLocalMeanProblem problem;
  GstClKernel *kernel;
  gsize n_bands;
} OperationOnMeans;

/* The distance of samples is compiled into the kernel, which uses neither
 * borders nor sums. */
static gpointer
create_on_means (GstClContext *context, const GstClCandidate *candidate,
    gconstpointer problem, GError **error)
{
  const GstClLocalMeanProblem *p = problem;
  g_autofree gchar *sample = gst_cl_sample_options (&p->sample);
  g_autofree gchar *options = g_strdup_printf (
      "%s -DSAMPLE_MAX=%u -DPIXEL_STRIDE=%u -DDST_PIXEL_STRIDE=%u", sample,
      gst_cl_local_mean_largest_code (p),
      p->src_pixel_stride_bytes / p->sample.bytes,
      p->dst_pixel_stride_bytes / p->sample.bytes);
  GstClKernel *kernel = gst_cl_kernel_new (context, "operation/cpu.cl", options,
      "operation_cpu_of_means", error);
  OperationOnMeans *self;
  gint width, height;

  if (!kernel)
    return NULL;

  gst_cl_local_mean_result_size (p, &width, &height);
  self = g_new0 (OperationOnMeans, 1);
  self->problem = *p;
  self->kernel = kernel;
  self->n_bands = gst_cl_window_bands (context->device, height);

  return self;
}

static void
free_on_means (gpointer operation)
{
  OperationOnMeans *self = operation;

  if (!self)
    return;

  gst_cl_kernel_free (self->kernel);
  g_free (self);
}

static gboolean
run_on_means (gpointer operation, gconstpointer io, GError **error)
{
  const OperationOnMeans *self = operation;
  const GstClLocalMeanIo *frames = io;
  GstClOperationArgs a = { .n = 0 };

  gst_cl_operation_add_samples (&a, frames->samples);
  gst_cl_operation_add (&a, (GstClArg) GST_CL_MEM (frames->means->mem));
  gst_cl_operation_add (&a,
      (GstClArg) GST_CL_INT (frames->means->stride_bytes));
  gst_cl_operation_add_results (&a, &self->problem, frames);

  return gst_cl_kernel_launch (self->kernel, self->n_bands, 1, 1, a.args, a.n,
      error);
}

const GstClInstanceFuncs gst_cl_operation_on_means_cpu = {
  .create = create_on_means,
  .run = run_on_means,
  .free = free_on_means,
};
