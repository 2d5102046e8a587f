/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The known answer of frame statistics: two frames, one after the other. */

#include "momentsprivate.h"

#include "cl/memory/gstclmemory.h"
#include "ops/answer.h"

static const GstClMomentsProblem luma = {
  .n_components = 1,
  .components = { {
      .stride_bytes = GST_CL_ANSWER_WIDTH,
      .pixel_stride_bytes = 1,
      .width = GST_CL_ANSWER_WIDTH,
      .height = GST_CL_ANSWER_HEIGHT,
      .sample = { 1, 8, 0 },
  } },
};

const GstClAnswer gst_cl_moments_answers[] = {
  { "luma", &luma, G_GUINT64_CONSTANT (0xd94a333e64a20860) },
};
G_STATIC_ASSERT (
    G_N_ELEMENTS (gst_cl_moments_answers) == GST_CL_MOMENTS_N_ANSWERS);

static gboolean
run (gpointer op, gconstpointer components, GError **error)
{
  return gst_cl_moments_op_run (op, components, error);
}

/* The second frame tells results that stay what they were. */
static gboolean
add_frame (GstClMomentsOp *op, GstClContext *context,
    const GstClMomentsProblem *problem, guint seed, guint64 *digest,
    GError **error)
{
  g_autofree guint8 *bytes = gst_cl_answer_samples (seed);
  g_autoptr (GstMemory) samples = gst_cl_answer_memory_new (context,
      GST_CL_ANSWER_SAMPLES, bytes, error);
  GstClComponent component = problem->components[0];
  GstMemory *const memories[] = { samples, NULL };
  GstClMoments moments;

  if (!samples)
    return FALSE;
  component.mem = gst_cl_memory_handle (samples);
  if (!gst_cl_answer_run (run, op, &component, memories, error) ||
      !gst_cl_moments_op_read (op, &moments, error))
    return FALSE;

  *digest = gst_cl_answer_moments (*digest, &moments);

  return TRUE;
}

gboolean
gst_cl_moments_compute_answer (GstClContext *context,
    const GstClCandidate *candidate, gconstpointer answered, guint64 *digest,
    GError **error)
{
  const GstClMomentsProblem *problem = answered;
  g_autoptr (GstClMomentsOp)
      op = gst_cl_moments_op_new (context, candidate, problem, error);

  *digest = GST_CL_ANSWER_DIGEST;

  return op && add_frame (op, context, problem, 0, digest, error) &&
         add_frame (op, context, problem, 1, digest, error);
}
