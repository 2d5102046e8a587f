/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The implementations of local means and what follows from them: which there
 * are, what each computes, which is taken where. */

#include "localmeanprivate.h"
#include "localmeansliding.h"
#include "ops/operation/operation.h"
#include "ops/operation/operationbands.h"
#include "ops/operation/operationsliding.h"

/* On an H100 at 4K sliding takes 16 us at 3x3, 20 at 31x31, 34 at 101x101, an
 * integral image and its corners 63 whatever the window. */
#define MAX_SLIDING_ON_GPUS 128

/* To be raised when the kernels have changed so much that another candidate may
 * be the fastest. */
#define VERSION 3

/* --- what each computes -------------------------------------------------- */

static gboolean
is_copy (gconstpointer problem, const GstClDevice *device)
{
  const GstClLocalMeanProblem *p = problem;

  return p->operation == GST_CL_LOCAL_MEAN_OPERATION_COPY && !p->from_sums;
}

static gboolean
is_mean (gconstpointer problem, const GstClDevice *device)
{
  const GstClLocalMeanProblem *p = problem;

  return p->operation == GST_CL_LOCAL_MEAN_OPERATION_MEAN && !p->from_sums;
}

static gboolean
is_mean_of_sums (gconstpointer problem, const GstClDevice *device)
{
  const GstClLocalMeanProblem *p = problem;

  return p->operation == GST_CL_LOCAL_MEAN_OPERATION_MEAN && p->from_sums;
}

/* Operations that start from a rounded mean. */
static gboolean
needs_mean (gconstpointer problem, const GstClDevice *device)
{
  const GstClLocalMeanProblem *p = problem;

  return gst_cl_local_mean_starts_from_mean (p->operation) && !p->from_sums;
}

static gboolean
needs_mean_of_sums (gconstpointer problem, const GstClDevice *device)
{
  const GstClLocalMeanProblem *p = problem;

  return gst_cl_local_mean_starts_from_mean (p->operation) && p->from_sums;
}

/* Operations that start from the exact sums of windows. */
static gboolean
needs_sums (gconstpointer problem, const GstClDevice *device)
{
  const GstClLocalMeanProblem *p = problem;

  return gst_cl_local_mean_starts_from_sums (p->operation) && !p->from_sums;
}

static gboolean
needs_sums_of_sums (gconstpointer problem, const GstClDevice *device)
{
  const GstClLocalMeanProblem *p = problem;

  return gst_cl_local_mean_starts_from_sums (p->operation) && p->from_sums;
}

static gboolean
is_sliding_mean_cpu (gconstpointer problem, const GstClDevice *device)
{
  return is_mean (problem, device) &&
         gst_cl_local_mean_sliding_bytes_cpu_supports (problem, device);
}

static gboolean
is_sliding_mean_any_cpu (gconstpointer problem, const GstClDevice *device)
{
  return is_mean (problem, device) &&
         gst_cl_local_mean_sliding_any_cpu_supports (problem, device);
}

static gboolean
is_sliding_mean_gpu (gconstpointer problem, const GstClDevice *device)
{
  return is_mean (problem, device) &&
         gst_cl_local_mean_sliding_gpu_supports (problem, device);
}

static gboolean
needs_sliding_mean_cpu (gconstpointer problem, const GstClDevice *device)
{
  return needs_mean (problem, device) &&
         gst_cl_local_mean_sliding_bytes_cpu_supports (problem, device);
}

static gboolean
needs_sliding_mean_any_cpu (gconstpointer problem, const GstClDevice *device)
{
  return needs_mean (problem, device) &&
         gst_cl_local_mean_sliding_any_cpu_supports (problem, device);
}

static gboolean
needs_sliding_mean_gpu (gconstpointer problem, const GstClDevice *device)
{
  return needs_mean (problem, device) &&
         gst_cl_local_mean_sliding_gpu_supports (problem, device);
}

/* Two kernels slide for operations on CPUs: that of moments for those that take
 * the deviation, and one for all others. */
static gboolean
needs_moments (gconstpointer problem)
{
  const GstClLocalMeanProblem *p = problem;

  return gst_cl_local_mean_needs_squares (p->operation);
}

static gboolean
slides_cpu (gconstpointer problem, const GstClDevice *device)
{
  return !needs_moments (problem) &&
         gst_cl_operation_sliding_cpu_supports (problem, device);
}

static gboolean
slides_moments_cpu (gconstpointer problem, const GstClDevice *device)
{
  return needs_moments (problem) &&
         gst_cl_operation_sliding_cpu_supports (problem, device);
}

static gboolean
has_any_bands (gconstpointer problem, const GstClDevice *device)
{
  return needs_sums (problem, device) &&
         gst_cl_operation_bands_support (problem);
}

static gboolean
has_bands (gconstpointer problem, const GstClDevice *device)
{
  return !needs_moments (problem) && has_any_bands (problem, device);
}

static gboolean
has_moments_bands (gconstpointer problem, const GstClDevice *device)
{
  return needs_moments (problem) && has_any_bands (problem, device);
}

/* From an integral image the bands also serve what starts from a mean. */
static gboolean
has_bands_of_sums (gconstpointer problem, const GstClDevice *device)
{
  const GstClLocalMeanProblem *p = problem;

  return p->from_sums && !needs_moments (problem) &&
         gst_cl_operation_bands_support (problem);
}

static gboolean
has_moments_bands_of_sums (gconstpointer problem, const GstClDevice *device)
{
  const GstClLocalMeanProblem *p = problem;

  return p->from_sums && needs_moments (problem) &&
         gst_cl_operation_bands_support (problem);
}

/* --- which is taken ------------------------------------------------------ */

static gboolean
is_narrow (gconstpointer problem, const GstClDevice *device)
{
  const GstClLocalMeanProblem *p = problem;

  return MAX (p->window.kernel_width, p->window.kernel_height) <=
         MAX_SLIDING_ON_GPUS;
}

/* A core slides over as many rows as the window is tall before its own: where
 * those are not half as many, an integral image may be faster. Elsewhere it is
 * not, and takes seconds to compile. */
static gboolean
may_be_faster_on_cpus (gconstpointer problem, const GstClDevice *device)
{
  const GstClLocalMeanProblem *p = problem;

  return device->family == GST_CL_FAMILY_CPU &&
         (guint64) p->window.kernel_height * device->compute_units >
             2 * (guint64) p->height;
}

/* The plain kernel stands for an integral image on CPUs as well where the bands
 * do not. */
static gboolean
may_be_faster (gconstpointer problem, const GstClDevice *device)
{
  return device->family == GST_CL_FAMILY_GPU ||
         (may_be_faster_on_cpus (problem, device) &&
             !has_any_bands (problem, device));
}

/* Means first, where the order gives one kernel that does all: not where that
 * kernel is a candidate itself. */
static gboolean
may_be_faster_in_steps (gconstpointer problem, const GstClDevice *device)
{
  return device->family == GST_CL_FAMILY_GPU &&
         (is_narrow (problem, device) ||
             !gst_cl_operation_sliding_gpu_supports (problem, device));
}

/* value 0 of the tuning: bands in hundredths of the usual number. */
static const GstClTuning bands[] = {
  { "half the bands", { 50 } },
  { "twice the bands", { 200 } },
  { NULL, { 0 } },
};

/* --- the table ----------------------------------------------------------- */

enum {
  COPY_CPU,
  COPY,
  SLIDING_CPU,
  SLIDING_ANY_CPU,
  SLIDING_GPU,
  DIRECT_CPU,
  DIRECT,
  ASYNC_COPY,
  DIRECT_CPU_OF_SUMS,
  DIRECT_OF_SUMS,
  ASYNC_COPY_OF_SUMS,
  OPERATION_SLIDING_CPU,
  OPERATION_SLIDING_MOMENTS_CPU,
  OPERATION_SLIDING_GPU,
  OPERATION_BANDS_CPU,
  OPERATION_BANDS_MOMENTS_CPU,
  OPERATION,
  OPERATION_BANDS_OF_SUMS_CPU,
  OPERATION_BANDS_MOMENTS_OF_SUMS_CPU,
  OPERATION_OF_SUMS,
  SLIDING_CPU_THEN_OPERATION,
  SLIDING_ANY_CPU_THEN_OPERATION,
  SLIDING_GPU_THEN_OPERATION,
  DIRECT_CPU_THEN_OPERATION,
  DIRECT_THEN_OPERATION,
  ASYNC_COPY_THEN_OPERATION,
  DIRECT_CPU_OF_SUMS_THEN_OPERATION,
  DIRECT_OF_SUMS_THEN_OPERATION,
  ASYNC_COPY_OF_SUMS_THEN_OPERATION,
  N_ROWS
};

#define COPIES                                                                 \
  .create = gst_cl_local_mean_copy_new, .run = gst_cl_local_mean_copy_run,     \
  .free = gst_cl_local_mean_copy_free
#define CORNERS                                                                \
  .create = gst_cl_local_mean_corners_new,                                     \
  .run = gst_cl_local_mean_corners_run, .free = gst_cl_local_mean_corners_free
#define SLIDING_MEANS_CPU(new)                                                 \
  .create = new, .run = gst_cl_local_mean_sliding_cpu_run,                     \
  .free = gst_cl_local_mean_sliding_cpu_free
#define FROM_IMAGE(row)                                                        \
  .create = gst_cl_local_mean_by_image_new,                                    \
  .run = gst_cl_local_mean_by_image_run,                                       \
  .free = gst_cl_local_mean_by_image_free, .has_steps = TRUE,                  \
  .data = &rows[row]
#define FROM_MEANS(row, operation)                                             \
  .create = gst_cl_local_mean_by_means_new,                                    \
  .run = gst_cl_local_mean_by_means_run,                                       \
  .free = gst_cl_local_mean_by_means_free, .has_steps = TRUE,                  \
  .data = &(const GstClLocalMeanSteps)                                         \
  {                                                                            \
    &rows[row], &operation                                                     \
  }

#define SLIDING_BANDS                                                          \
  .create = gst_cl_operation_sliding_cpu_new,                                  \
  .run = gst_cl_operation_sliding_cpu_run, .free = gst_cl_operation_bands_free
#define BANDS_OF_SUMS                                                          \
  .create = gst_cl_operation_bands_new, .run = gst_cl_operation_bands_run,     \
  .free = gst_cl_operation_bands_free

#define BY_DIRECT      GST_CL_LOCAL_MEAN_METHOD_DIRECT
#define BY_ASYNC_COPY  GST_CL_LOCAL_MEAN_METHOD_ASYNC_COPY
#define BY_SLIDING     GST_CL_LOCAL_MEAN_METHOD_SLIDING
#define FOR_DIRECT     GST_CL_METHOD (BY_DIRECT)
#define FOR_ASYNC_COPY GST_CL_METHOD (BY_ASYNC_COPY)
#define FOR_SLIDING    GST_CL_METHOD (BY_SLIDING)

/* Steps of rows, which are no rows themselves. */
static const GstClImplementation on_means = {
  .name = "on-means",
  .resource = "operation/plain.cl",
  .create = gst_cl_operation_on_means_new,
  .run = gst_cl_operation_on_means_run,
  .free = gst_cl_operation_free,
};

static const GstClImplementation on_means_cpu = {
  .name = "on-means-cpu",
  .resource = "operation/cpu.cl",
  .family = GST_CL_FAMILY_CPU,
  .create = gst_cl_operation_on_means_cpu_new,
  .run = gst_cl_operation_on_means_cpu_run,
  .free = gst_cl_operation_on_means_cpu_free,
};

/* clang-format off */

/* Where a window cannot slide, an integral image stands in for method sliding,
 * but not where the input is one. A row of two steps names one kernel file:
 * that of what goes on from an image, or that of the means. */
static const GstClImplementation rows[N_ROWS] = {

  /* copies of samples, for components that are left out */
  [COPY_CPU] = { "copy-cpu", BY_DIRECT,
      "localmean/cpu.cl", GST_CL_FAMILY_CPU,
      .stands_in_for = FOR_SLIDING,
      .supports = is_copy, COPIES, .data = "localmean_cpu_copy" },
  [COPY] = { "copy", BY_ASYNC_COPY,
      "localmean/plain.cl", GST_CL_FAMILY_ANY,
      .stands_in_for = FOR_DIRECT | FOR_SLIDING,
      .supports = is_copy, COPIES, .data = "localmean_copy" },

  /* means of samples */
  [SLIDING_CPU] = { "sliding-cpu", BY_SLIDING,
      GST_CL_LOCAL_MEAN_SLIDING_BYTES_FILE, GST_CL_FAMILY_CPU,
      .supports = is_sliding_mean_cpu, .tunings = bands,
      SLIDING_MEANS_CPU (gst_cl_local_mean_sliding_bytes_cpu_new) },
  [SLIDING_ANY_CPU] = { "sliding-any-cpu", BY_SLIDING,
      GST_CL_LOCAL_MEAN_SLIDING_ANY_FILE, GST_CL_FAMILY_CPU,
      .supports = is_sliding_mean_any_cpu, .tunings = bands,
      SLIDING_MEANS_CPU (gst_cl_local_mean_sliding_any_cpu_new) },
  [SLIDING_GPU] = { "sliding-gpu", BY_SLIDING,
      "localmean/gpu.cl", GST_CL_FAMILY_GPU,
      .supports = is_sliding_mean_gpu, .suits = is_narrow,
      .is_candidate = gst_cl_is_candidate_on_gpus,
      .create = gst_cl_local_mean_sliding_gpu_new,
      .run = gst_cl_local_mean_sliding_gpu_run,
      .free = gst_cl_local_mean_sliding_gpu_free },
  [DIRECT_CPU] = { "direct-cpu", BY_DIRECT,
      "localmean/cpu.cl", GST_CL_FAMILY_CPU,
      .stands_in_for = FOR_SLIDING,
      .supports = is_mean, .is_candidate = may_be_faster_on_cpus,
      FROM_IMAGE (DIRECT_CPU_OF_SUMS) },
  [DIRECT] = { "direct", BY_DIRECT,
      "localmean/plain.cl", GST_CL_FAMILY_ANY,
      .stands_in_for = FOR_SLIDING,
      .supports = is_mean, .is_candidate = gst_cl_is_candidate_on_gpus,
      FROM_IMAGE (DIRECT_OF_SUMS) },
  [ASYNC_COPY] = { "async-copy", BY_ASYNC_COPY,
      "localmean/plain.cl", GST_CL_FAMILY_ANY,
      .supports = is_mean, FROM_IMAGE (ASYNC_COPY_OF_SUMS) },

  /* means of an integral image's sums */
  [DIRECT_CPU_OF_SUMS] = { "direct-cpu-of-sums", BY_DIRECT,
      "localmean/cpu.cl", GST_CL_FAMILY_CPU,
      .supports = is_mean_of_sums, CORNERS, .data = "localmean_cpu_means" },
  [DIRECT_OF_SUMS] = { "direct-of-sums", BY_DIRECT,
      "localmean/plain.cl", GST_CL_FAMILY_ANY,
      .supports = is_mean_of_sums, CORNERS, .data = "localmean_direct" },
  [ASYNC_COPY_OF_SUMS] = { "async-copy-of-sums", BY_ASYNC_COPY,
      "localmean/plain.cl", GST_CL_FAMILY_ANY,
      .supports = is_mean_of_sums, .is_candidate = gst_cl_is_candidate_on_gpus,
      CORNERS, .data = "localmean_async" },

  /* operations by one kernel */
  [OPERATION_SLIDING_CPU] = { "operation-sliding-cpu", BY_SLIDING,
      "operation/cpusliding.cl", GST_CL_FAMILY_CPU,
      .supports = slides_cpu, .tunings = bands,
      SLIDING_BANDS, .data = "operation_sliding_cpu_sums" },
  [OPERATION_SLIDING_MOMENTS_CPU] = { "operation-sliding-moments-cpu",
      BY_SLIDING, "operation/cpumoments.cl", GST_CL_FAMILY_CPU,
      .supports = slides_moments_cpu, .tunings = bands,
      SLIDING_BANDS, .data = "operation_moments_cpu_band" },
  [OPERATION_SLIDING_GPU] = { "operation-sliding-gpu", BY_SLIDING,
      "operation/gpu.cl", GST_CL_FAMILY_GPU,
      .supports = gst_cl_operation_sliding_gpu_supports, .suits = is_narrow,
      .is_candidate = gst_cl_is_candidate_on_gpus,
      .resolve = gst_cl_operation_sliding_gpu_resolve,
      .create = gst_cl_operation_sliding_gpu_new,
      .run = gst_cl_operation_sliding_gpu_run,
      .free = gst_cl_operation_sliding_gpu_free },
  [OPERATION_BANDS_CPU] = { "operation-bands-cpu", BY_DIRECT,
      "operation/cpusliding.cl", GST_CL_FAMILY_CPU,
      .stands_in_for = FOR_SLIDING,
      .supports = has_bands, .is_candidate = may_be_faster_on_cpus,
      FROM_IMAGE (OPERATION_BANDS_OF_SUMS_CPU) },
  [OPERATION_BANDS_MOMENTS_CPU] = { "operation-bands-moments-cpu", BY_DIRECT,
      "operation/cpumoments.cl", GST_CL_FAMILY_CPU,
      .stands_in_for = FOR_SLIDING,
      .supports = has_moments_bands, .is_candidate = may_be_faster_on_cpus,
      FROM_IMAGE (OPERATION_BANDS_MOMENTS_OF_SUMS_CPU) },
  [OPERATION] = { "operation", BY_DIRECT,
      "operation/plain.cl", GST_CL_FAMILY_ANY,
      .stands_in_for = FOR_SLIDING | FOR_ASYNC_COPY,
      .supports = needs_sums, .is_candidate = may_be_faster,
      FROM_IMAGE (OPERATION_OF_SUMS) },
  [OPERATION_BANDS_OF_SUMS_CPU] = { "operation-bands-of-sums-cpu",
      BY_DIRECT, "operation/cpusliding.cl", GST_CL_FAMILY_CPU,
      .supports = has_bands_of_sums,
      BANDS_OF_SUMS, .data = "operation_sliding_cpu_sums" },
  [OPERATION_BANDS_MOMENTS_OF_SUMS_CPU] = {
      "operation-bands-moments-of-sums-cpu",
      BY_DIRECT, "operation/cpumoments.cl", GST_CL_FAMILY_CPU,
      .supports = has_moments_bands_of_sums,
      BANDS_OF_SUMS, .data = "operation_moments_cpu_band" },
  [OPERATION_OF_SUMS] = { "operation-of-sums", BY_DIRECT,
      "operation/plain.cl", GST_CL_FAMILY_ANY,
      .stands_in_for = FOR_ASYNC_COPY,
      .supports = needs_sums_of_sums,
      .create = gst_cl_operation_on_sums_new,
      .run = gst_cl_operation_on_sums_run,
      .free = gst_cl_operation_free },

  /* operations on rounded means, which come first */
  [SLIDING_CPU_THEN_OPERATION] = { "sliding-cpu-then-operation", BY_SLIDING,
      GST_CL_LOCAL_MEAN_SLIDING_BYTES_FILE, GST_CL_FAMILY_CPU,
      .supports = needs_sliding_mean_cpu, .tunings = bands,
      FROM_MEANS (SLIDING_CPU, on_means_cpu) },
  [SLIDING_ANY_CPU_THEN_OPERATION] = { "sliding-any-cpu-then-operation",
      BY_SLIDING, GST_CL_LOCAL_MEAN_SLIDING_ANY_FILE, GST_CL_FAMILY_CPU,
      .supports = needs_sliding_mean_any_cpu, .tunings = bands,
      FROM_MEANS (SLIDING_ANY_CPU, on_means_cpu) },
  [SLIDING_GPU_THEN_OPERATION] = { "sliding-gpu-then-operation", BY_SLIDING,
      "localmean/gpu.cl", GST_CL_FAMILY_GPU,
      .supports = needs_sliding_mean_gpu, .suits = is_narrow,
      .is_candidate = may_be_faster_in_steps,
      FROM_MEANS (SLIDING_GPU, on_means) },
  [DIRECT_CPU_THEN_OPERATION] = { "direct-cpu-then-operation", BY_DIRECT,
      "localmean/cpu.cl", GST_CL_FAMILY_CPU,
      .stands_in_for = FOR_SLIDING,
      .supports = needs_mean, .is_candidate = may_be_faster_on_cpus,
      FROM_MEANS (DIRECT_CPU, on_means_cpu) },
  [DIRECT_THEN_OPERATION] = { "direct-then-operation", BY_DIRECT,
      "localmean/plain.cl", GST_CL_FAMILY_ANY,
      .stands_in_for = FOR_SLIDING,
      .supports = needs_mean, .is_candidate = gst_cl_is_candidate_on_gpus,
      FROM_MEANS (DIRECT, on_means) },
  [ASYNC_COPY_THEN_OPERATION] = { "async-copy-then-operation", BY_ASYNC_COPY,
      "localmean/plain.cl", GST_CL_FAMILY_ANY,
      .supports = needs_mean, FROM_MEANS (ASYNC_COPY, on_means) },
  [DIRECT_CPU_OF_SUMS_THEN_OPERATION] = { "direct-cpu-of-sums-then-operation",
      BY_DIRECT, "localmean/cpu.cl", GST_CL_FAMILY_CPU,
      .supports = needs_mean_of_sums,
      FROM_MEANS (DIRECT_CPU_OF_SUMS, on_means) },
  [DIRECT_OF_SUMS_THEN_OPERATION] = { "direct-of-sums-then-operation",
      BY_DIRECT, "localmean/plain.cl", GST_CL_FAMILY_ANY,
      .supports = needs_mean_of_sums,
      FROM_MEANS (DIRECT_OF_SUMS, on_means) },
  [ASYNC_COPY_OF_SUMS_THEN_OPERATION] = { "async-copy-of-sums-then-operation",
      BY_ASYNC_COPY, "localmean/plain.cl", GST_CL_FAMILY_ANY,
      .supports = needs_mean_of_sums,
      .is_candidate = gst_cl_is_candidate_on_gpus,
      FROM_MEANS (ASYNC_COPY_OF_SUMS, on_means) },
};

/* clang-format on */

/* Factors decide what serves an operation only by being beyond what the bands
 * take. */
static gchar *
describe (gconstpointer problem)
{
  const GstClLocalMeanProblem *p = problem;
  g_autofree gchar *text = gst_cl_local_mean_problem_describe (p);

  if (p->operation < GST_CL_LOCAL_MEAN_OPERATION_STDDEV ||
      gst_cl_operation_bands_take_factors (&p->factors))
    return g_steal_pointer (&text);

  return g_strconcat (text, ", factors beyond the bands", NULL);
}

const GstClOpTable gst_cl_local_mean_table = {
  .rows = rows,
  .n_rows = N_ROWS,
  .describe = describe,
  .version = VERSION,
  .make_io = gst_cl_local_mean_trial_new,
  .free_io = gst_cl_local_mean_trial_free,
  .count_bytes = gst_cl_local_mean_trial_count_bytes,
};
