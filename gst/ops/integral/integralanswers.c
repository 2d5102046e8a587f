/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Known answers of integral images. */

#include "integralprivate.h"

#include "cl/memory/gstclmemory.h"
#include "ops/knownanswer.h"

/* clintegral's default for a component of 8 bits, and its other arrays. */
#define ANSWERED(what, bytes)                                                  \
  {                                                                            \
    .width = GST_CL_ANSWER_WIDTH, .height = GST_CL_ANSWER_HEIGHT,              \
    .channels = 1, .pixel_stride_bytes = 1, .sample = { 1, 8, 0 },             \
    .layout = GST_CL_LAYOUT_INCLUSIVE, .sum_bytes = bytes, .kind = what,       \
  }

static const GstClIntegralProblem sums = ANSWERED (GST_CL_INTEGRAL_SUM, 4);
static const GstClIntegralProblem squares = ANSWERED (GST_CL_INTEGRAL_SQUARES,
    8);
static const GstClIntegralProblem tilted = ANSWERED (GST_CL_INTEGRAL_TILTED, 4);

const GstClAnswer gst_cl_integral_answers[] = {
  { "sums", &sums, G_GUINT64_CONSTANT (0xe892b9ecf0c0dd41) },
  { "squares", &squares, G_GUINT64_CONSTANT (0xad7e2d146825564c) },
  { "tilted", &tilted, G_GUINT64_CONSTANT (0x87d7df149e0c3088) },
};
G_STATIC_ASSERT (
    G_N_ELEMENTS (gst_cl_integral_answers) == GST_CL_INTEGRAL_N_ANSWERS);

gboolean
gst_cl_integral_is_alike (gconstpointer answered, gconstpointer problem)
{
  const GstClIntegralProblem *a = answered, *b = problem;

  return a->kind == b->kind;
}

static gboolean
run_op (GstClContext *context, const GstClCandidate *candidate,
    const GstClIntegralProblem *problem, GstMemory *samples, GstMemory *results,
    GError **error)
{
  const GstClComponent component = {
    .mem = gst_cl_memory_get_handle (samples),
    .stride_bytes = problem->width,
    .pixel_stride_bytes = problem->pixel_stride_bytes,
    .width = problem->width,
    .height = problem->height,
    .sample = problem->sample,
  };
  const GstClSums image = {
    .mem = gst_cl_memory_get_handle (results),
    .layout = problem->layout,
    .width = problem->width,
    .height = problem->height,
    .channels = problem->channels,
    .sum_bytes = problem->sum_bytes,
  };
  const GstClIntegralIo io = { &component, &image };
  GstMemory *const memories[] = { samples, results, NULL };
  g_autoptr (GstClIntegralOp)
      op = gst_cl_integral_op_new (context, candidate, problem, error);

  return op && gst_cl_answer_run (candidate->implementation->funcs->run, op,
                   &io, memories, error);
}

gboolean
gst_cl_integral_compute_answer (GstClContext *context,
    const GstClCandidate *candidate, gconstpointer answered, guint64 *digest,
    GError **error)
{
  const GstClIntegralProblem *problem = answered;
  g_autofree guint8 *bytes = gst_cl_answer_samples (0);
  g_autoptr (GstMemory) samples = NULL;
  g_autoptr (GstMemory) results = NULL;

  *digest = GST_CL_ANSWER_DIGEST;
  samples = gst_cl_answer_memory_new (context, GST_CL_ANSWER_SAMPLES, bytes,
      error);
  if (!samples)
    return FALSE;
  results = gst_cl_answer_memory_new (context,
      gst_cl_integral_count_sums (problem) * problem->sum_bytes, NULL, error);

  return results &&
         run_op (context, candidate, problem, samples, results, error) &&
         gst_cl_answer_memory_digest (results, problem->sum_bytes, digest,
             error);
}
