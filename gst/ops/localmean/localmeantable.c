/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The implementations of local means and of operations on them: the problems
 * that each supports, and the order of preference. */

#include "localmeanprivate.h"

/* On an H100 at 4K, sliding takes 16 us at 3x3, 20 us at 31x31, 34 us at
 * 101x101; an integral image and its corners take 63 us with any window. */
#define MAX_SLIDING_ON_GPUS 128

/* Increase it when kernels have changed so that another candidate may be the
 * fastest. */
#define VERSION 5

/* --- supported problems -------------------------------------------------- */

/* Bits of the operations with the same kernels, by the typical one. */
#define COPY_OPERATION (1u << GST_CL_LOCAL_MEAN_OPERATION_COPY)
#define MEAN_OPERATION (1u << GST_CL_LOCAL_MEAN_OPERATION_MEAN)
#define ON_MEANS       (1u << GST_CL_LOCAL_MEAN_OPERATION_DIFFERENCE)
#define ON_SUMS        (1u << GST_CL_LOCAL_MEAN_OPERATION_BRADLEY)
#define ON_SQUARES     (1u << GST_CL_LOCAL_MEAN_OPERATION_SAUVOLA)

/* Returns TRUE if @row, which needs no means, supports the window, the sample
 * type and the factors of @problem. A row that makes an integral image has the
 * limits of the row that follows. */
static gboolean
computes (const GstClImplementation *row, gconstpointer problem)
{
  const GstClLocalMeanRow *data = row->data;
  const GstClInstanceFuncs *funcs = data->then ? data->then->funcs : row->funcs;

  return !funcs->computes || funcs->computes (problem);
}

static gboolean
supports (const GstClImplementation *row, gconstpointer problem,
    const GstClDevice *device)
{
  const GstClLocalMeanProblem *p = problem;
  const GstClLocalMeanRow *data = row->data;
  const GstClImplementation *first = data->means ? data->means : row;
  const GstClLocalMeanRow *of_first = first->data;
  const guint operation = 1u
                          << gst_cl_local_mean_typical_operation (p->operation);

  return (data->operations & operation) != 0 &&
         p->from_sums == of_first->from_sums && computes (first, problem);
}

/* --- preferences --------------------------------------------------------- */

static gboolean
is_narrow (gconstpointer problem, const GstClDevice *device)
{
  const GstClLocalMeanProblem *p = problem;

  return MAX (p->window.kernel_width, p->window.kernel_height) <=
         MAX_SLIDING_ON_GPUS;
}

/* Before its own rows, a core sums as many rows as the window is tall. If its
 * own rows are fewer than half of these, an integral image may be faster.
 * Otherwise it is slower, and takes seconds to compile. */
static gboolean
may_be_faster_on_cpus (gconstpointer problem, const GstClDevice *device)
{
  const GstClLocalMeanProblem *p = problem;

  return device->family == GST_CL_FAMILY_CPU &&
         (guint64) p->window.kernel_height * device->compute_units >
             2 * (guint64) p->height;
}

/* On CPUs, the plain kernel represents integral images if the bands do not
 * support the problem. */
static gboolean
may_be_faster (gconstpointer problem, const GstClDevice *device)
{
  return device->family == GST_CL_FAMILY_GPU ||
         (may_be_faster_on_cpus (problem, device) &&
             !gst_cl_operation_bands.computes (problem));
}

/* Means first, if the first row by order is one kernel for everything: not if
 * that kernel is a candidate itself. */
static gboolean
may_be_faster_in_steps (gconstpointer problem, const GstClDevice *device)
{
  return device->family == GST_CL_FAMILY_GPU &&
         (is_narrow (problem, device) ||
             !gst_cl_operation_sliding_gpu.computes (problem));
}

/* Value 0 of the tuning: bands in percent of the default number. */
static const GstClTuning bands[] = {
  { "half the bands", { 50 } },
  { "twice the bands", { 200 } },
  { NULL, { 0 } },
};

/* --- the table ----------------------------------------------------------- */

enum {
  COPY_CPU,
  COPY,
  SMALL_GPU,
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
  OPERATION_MOMENTS,
  OPERATION_BANDS_OF_SUMS_CPU,
  OPERATION_BANDS_MOMENTS_OF_SUMS_CPU,
  OPERATION_OF_SUMS,
  OPERATION_MOMENTS_OF_SUMS,
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

#define BY_DIRECT      GST_CL_LOCAL_MEAN_METHOD_DIRECT
#define BY_ASYNC_COPY  GST_CL_LOCAL_MEAN_METHOD_ASYNC_COPY
#define BY_SLIDING     GST_CL_LOCAL_MEAN_METHOD_SLIDING
#define FOR_DIRECT     GST_CL_METHOD (BY_DIRECT)
#define FOR_ASYNC_COPY GST_CL_METHOD (BY_ASYNC_COPY)
#define FOR_SLIDING    GST_CL_METHOD (BY_SLIDING)

/* Steps of rows, which are not rows themselves. */
static const GstClImplementation on_means = {
  .name = "on-means",
  .resource = "operation/plainmeans.cl",
  .funcs = &gst_cl_operation_on_means,
};

static const GstClImplementation on_means_cpu = {
  .name = "on-means-cpu",
  .resource = "operation/cpu.cl",
  .family = GST_CL_FAMILY_CPU,
  .funcs = &gst_cl_operation_on_means_cpu,
};

/* clang-format off */

#define ON_GPUS GST_CL_FAMILY_BIT (GST_CL_FAMILY_GPU)

/* What a row of means has in its data. */
#define OF_SAMPLES                                                             \
  { .operations = MEAN_OPERATION }
#define THROUGH(sums)                                                          \
  { .operations = MEAN_OPERATION, .then = &rows[sums] }
#define OF_SUMS(name)                                                          \
  { .operations = MEAN_OPERATION, .from_sums = TRUE, .kernel = name }

/* Two rows: a way to make means (@steps_: of several steps), and the same one
 * before operations on rounded means, which @step_ uses. The other members are
 * the same for both. */
#define MEANS(id, name_, method_, file_, funcs_, steps_, data_, step_, ...)    \
  [id] = { .name = name_, .method = method_, .resource = file_,                \
      .supports = supports, .funcs = &funcs_,                                  \
      .has_steps = steps_,                                                     \
      .data = &(const GstClLocalMeanRow) data_, __VA_ARGS__ },                 \
  [id##_THEN_OPERATION] = { .name = name_ "-then-operation",                   \
      .method = method_, .resource = file_,                                    \
      .supports = supports, .funcs = &gst_cl_local_mean_by_means,              \
      .has_steps = TRUE,                                                       \
      .data = &(const GstClLocalMeanRow) { .operations = ON_MEANS,             \
          .means = &rows[id], .then = &step_ }, __VA_ARGS__ },

/* If a window cannot slide, an integral image is the fallback of method
 * sliding, except if the input is an integral image. A row of two steps names
 * one kernel file: that of the second step after an integral image, or that of
 * the means. */
static const GstClImplementation rows[N_ROWS] = {

  /* copies of samples, for components that are not processed */
  [COPY_CPU] = { "copy-cpu", BY_DIRECT,
      "localmean/cpu.cl", GST_CL_FAMILY_CPU,
      .fallback_for = FOR_SLIDING,
      .supports = supports, .funcs = &gst_cl_local_mean_copy,
      .data = &(const GstClLocalMeanRow) {
          .operations = COPY_OPERATION, .kernel = "localmean_cpu_copy" } },
  [COPY] = { "copy", BY_ASYNC_COPY,
      "localmean/copy.cl", GST_CL_FAMILY_ANY,
      .fallback_for = FOR_DIRECT | FOR_SLIDING,
      .supports = supports, .funcs = &gst_cl_local_mean_copy,
      .data = &(const GstClLocalMeanRow) {
          .operations = COPY_OPERATION, .kernel = "localmean_copy" } },

  /* means of small windows, and operations on them, by one kernel */
  [SMALL_GPU] = { "small-gpu", BY_SLIDING,
      "operation/gpusmall.cl", GST_CL_FAMILY_GPU,
      .is_candidate = gst_cl_is_candidate_on_gpus,
      .supports = supports, .funcs = &gst_cl_operation_small_gpu,
      .data = &(const GstClLocalMeanRow) {
          .operations = MEAN_OPERATION | ON_MEANS } },

  /* means of samples */
  MEANS (SLIDING_CPU, "sliding-cpu", BY_SLIDING, "localmean/cpusliding.cl",
      gst_cl_local_mean_sliding_bytes_cpu, FALSE, OF_SAMPLES, on_means_cpu,
      .family = GST_CL_FAMILY_CPU, .tunings = bands)
  MEANS (SLIDING_ANY_CPU, "sliding-any-cpu", BY_SLIDING,
      "localmean/cpusliding.cl", gst_cl_local_mean_sliding_any_cpu, FALSE,
      OF_SAMPLES, on_means_cpu, .family = GST_CL_FAMILY_CPU, .tunings = bands)
  [SLIDING_GPU] = { "sliding-gpu", BY_SLIDING,
      "localmean/gpu.cl", GST_CL_FAMILY_GPU,
      .is_preferred = is_narrow, .is_candidate = gst_cl_is_candidate_on_gpus,
      .resolve = gst_cl_local_mean_sliding_gpu_resolve,
      .supports = supports, .funcs = &gst_cl_local_mean_sliding_gpu,
      .data = &(const GstClLocalMeanRow) { .operations = MEAN_OPERATION } },
  MEANS (DIRECT_CPU, "direct-cpu", BY_DIRECT, "localmean/cpu.cl",
      gst_cl_local_mean_by_image, TRUE, THROUGH (DIRECT_CPU_OF_SUMS),
      on_means_cpu, .family = GST_CL_FAMILY_CPU, .fallback_for = FOR_SLIDING,
      .is_candidate = may_be_faster_on_cpus)
  MEANS (DIRECT, "direct", BY_DIRECT, "localmean/plain.cl",
      gst_cl_local_mean_by_image, TRUE, THROUGH (DIRECT_OF_SUMS), on_means,
      .family = GST_CL_FAMILY_ANY, .fallback_for = FOR_SLIDING,
      .is_candidate = gst_cl_is_candidate_on_gpus, .quick_on = ON_GPUS)
  MEANS (ASYNC_COPY, "async-copy", BY_ASYNC_COPY, "localmean/asynccopy.cl",
      gst_cl_local_mean_by_image, TRUE, THROUGH (ASYNC_COPY_OF_SUMS), on_means,
      .family = GST_CL_FAMILY_ANY, .needs_optimizer = TRUE)

  /* means of an integral image's sums */
  MEANS (DIRECT_CPU_OF_SUMS, "direct-cpu-of-sums", BY_DIRECT,
      "localmean/cpu.cl", gst_cl_local_mean_corners, FALSE,
      OF_SUMS ("localmean_cpu_means"), on_means, .family = GST_CL_FAMILY_CPU)
  MEANS (DIRECT_OF_SUMS, "direct-of-sums", BY_DIRECT, "localmean/plain.cl",
      gst_cl_local_mean_corners, FALSE, OF_SUMS ("localmean_direct"), on_means,
      .family = GST_CL_FAMILY_ANY)
  MEANS (ASYNC_COPY_OF_SUMS, "async-copy-of-sums", BY_ASYNC_COPY,
      "localmean/asynccopy.cl", gst_cl_local_mean_corners, FALSE,
      OF_SUMS ("localmean_async"), on_means, .family = GST_CL_FAMILY_ANY,
      .is_candidate = gst_cl_is_candidate_on_gpus, .needs_optimizer = TRUE)

  /* operations by one kernel */
  [OPERATION_SLIDING_CPU] = { "operation-sliding-cpu", BY_SLIDING,
      "operation/cpusliding.cl", GST_CL_FAMILY_CPU,
      .tunings = bands,
      .supports = supports, .funcs = &gst_cl_operation_sliding_cpu,
      .data = &(const GstClLocalMeanRow) {
          .operations = ON_SUMS, .kernel = "operation_sliding_cpu_sums" } },
  [OPERATION_SLIDING_MOMENTS_CPU] = { "operation-sliding-moments-cpu",
      BY_SLIDING, "operation/cpumoments.cl", GST_CL_FAMILY_CPU,
      .tunings = bands,
      .supports = supports, .funcs = &gst_cl_operation_sliding_cpu,
      .data = &(const GstClLocalMeanRow) {
          .operations = ON_SQUARES, .kernel = "operation_moments_cpu_band" } },
  [OPERATION_SLIDING_GPU] = { "operation-sliding-gpu", BY_SLIDING,
      "operation/gpu.cl", GST_CL_FAMILY_GPU,
      .is_preferred = is_narrow, .is_candidate = gst_cl_is_candidate_on_gpus,
      .resolve = gst_cl_operation_sliding_gpu_resolve,
      .supports = supports, .funcs = &gst_cl_operation_sliding_gpu,
      .data = &(const GstClLocalMeanRow) {
          .operations = ON_MEANS | ON_SUMS | ON_SQUARES } },
  [OPERATION_BANDS_CPU] = { "operation-bands-cpu", BY_DIRECT,
      "operation/cpusliding.cl", GST_CL_FAMILY_CPU,
      .fallback_for = FOR_SLIDING,
      .is_candidate = may_be_faster_on_cpus,
      .supports = supports, .funcs = &gst_cl_local_mean_by_image,
      .has_steps = TRUE,
      .data = &(const GstClLocalMeanRow) {
          .operations = ON_SUMS, .then = &rows[OPERATION_BANDS_OF_SUMS_CPU] } },
  [OPERATION_BANDS_MOMENTS_CPU] = { "operation-bands-moments-cpu", BY_DIRECT,
      "operation/cpumoments.cl", GST_CL_FAMILY_CPU,
      .fallback_for = FOR_SLIDING,
      .is_candidate = may_be_faster_on_cpus,
      .supports = supports, .funcs = &gst_cl_local_mean_by_image,
      .has_steps = TRUE,
      .data = &(const GstClLocalMeanRow) {
          .operations = ON_SQUARES,
          .then = &rows[OPERATION_BANDS_MOMENTS_OF_SUMS_CPU] } },
  [OPERATION] = { "operation", BY_DIRECT,
      "operation/plainsums.cl", GST_CL_FAMILY_ANY,
      .quick_on = ON_GPUS,
      .fallback_for = FOR_SLIDING | FOR_ASYNC_COPY,
      .is_candidate = may_be_faster,
      .supports = supports, .funcs = &gst_cl_local_mean_by_image,
      .has_steps = TRUE,
      .data = &(const GstClLocalMeanRow) {
          .operations = ON_SUMS, .then = &rows[OPERATION_OF_SUMS] } },
  [OPERATION_MOMENTS] = { "operation-moments", BY_DIRECT,
      "operation/plainmoments.cl", GST_CL_FAMILY_ANY,
      .quick_on = ON_GPUS,
      .fallback_for = FOR_SLIDING | FOR_ASYNC_COPY,
      .is_candidate = may_be_faster,
      .supports = supports, .funcs = &gst_cl_local_mean_by_image,
      .has_steps = TRUE,
      .data = &(const GstClLocalMeanRow) {
          .operations = ON_SQUARES,
          .then = &rows[OPERATION_MOMENTS_OF_SUMS] } },
  [OPERATION_BANDS_OF_SUMS_CPU] = { "operation-bands-of-sums-cpu",
      BY_DIRECT, "operation/cpusliding.cl", GST_CL_FAMILY_CPU,
      .supports = supports, .funcs = &gst_cl_operation_bands,
      .data = &(const GstClLocalMeanRow) {
          .operations = ON_MEANS | ON_SUMS, .from_sums = TRUE,
          .kernel = "operation_sliding_cpu_sums" } },
  [OPERATION_BANDS_MOMENTS_OF_SUMS_CPU] = {
      "operation-bands-moments-of-sums-cpu",
      BY_DIRECT, "operation/cpumoments.cl", GST_CL_FAMILY_CPU,
      .supports = supports, .funcs = &gst_cl_operation_bands,
      .data = &(const GstClLocalMeanRow) {
          .operations = ON_SQUARES, .from_sums = TRUE,
          .kernel = "operation_moments_cpu_band" } },
  [OPERATION_OF_SUMS] = { "operation-of-sums", BY_DIRECT,
      "operation/plainsums.cl", GST_CL_FAMILY_ANY,
      .fallback_for = FOR_ASYNC_COPY,
      .supports = supports, .funcs = &gst_cl_operation_on_sums,
      .data = &(const GstClLocalMeanRow) {
          .operations = ON_SUMS, .from_sums = TRUE,
          .kernel = "operation_of_sums" } },
  [OPERATION_MOMENTS_OF_SUMS] = { "operation-moments-of-sums", BY_DIRECT,
      "operation/plainmoments.cl", GST_CL_FAMILY_ANY,
      .fallback_for = FOR_ASYNC_COPY,
      .supports = supports, .funcs = &gst_cl_operation_on_sums,
      .data = &(const GstClLocalMeanRow) {
          .operations = ON_SQUARES, .from_sums = TRUE,
          .kernel = "operation_of_moments" } },

  /* operations on rounded means, which come first */
  [SLIDING_GPU_THEN_OPERATION] = { "sliding-gpu-then-operation", BY_SLIDING,
      "localmean/gpu.cl", GST_CL_FAMILY_GPU,
      .is_preferred = is_narrow, .is_candidate = may_be_faster_in_steps,
      .resolve = gst_cl_local_mean_sliding_gpu_resolve,
      .supports = supports, .funcs = &gst_cl_local_mean_by_means,
      .has_steps = TRUE,
      .data = &(const GstClLocalMeanRow) {
          .operations = ON_MEANS,
          .means = &rows[SLIDING_GPU], .then = &on_means } },
};

/* clang-format on */

/* Factors change the choice of a row only if the bands do not support them. */
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
  .name = "localmean",
  .rows = rows,
  .n_rows = N_ROWS,
  .describe = describe,
  .version = VERSION,
  .make_io = gst_cl_local_mean_trial_new,
  .free_io = gst_cl_local_mean_trial_free,
  .count_bytes = gst_cl_local_mean_trial_count_bytes,
  .answers = gst_cl_local_mean_answers,
  .n_answers = GST_CL_LOCAL_MEAN_N_ANSWERS,
  .is_alike = gst_cl_local_mean_is_alike,
  .compute_answer = gst_cl_local_mean_compute_answer,
};
