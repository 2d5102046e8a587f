/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The known answers of light. */

#include "lightprivate.h"

#include "ops/selftest.h"

#define BOTH (GST_CL_LIGHT_HISTOGRAM | GST_CL_LIGHT_LEVELS)
#define WEIGHTS                                                                \
  {                                                                            \
    0.2126, 0.7152, 0.0722                                                     \
  }

static const GstClLightProblem problems[] = {
  {
      .n_components = 3,
      .shapes = { GST_CL_ANSWER_8_BITS, GST_CL_ANSWER_8_BITS,
          GST_CL_ANSWER_8_BITS },
      .matrix = { GST_CL_RGB_YUV, 25000, -3000, -7000, 29000, 128 },
      .parts = BOTH,
      .low = 5,
      .high = 246,
      .weights = WEIGHTS,
  },
  {
      .n_components = 1,
      .shapes = { GST_CL_ANSWER_10_BITS },
      .matrix = { .kind = GST_CL_RGB_GREY },
      .parts = BOTH,
      .low = 200,
      .high = 800,
      .weights = WEIGHTS,
  },
};

const GstClAnswer gst_cl_light_answers[] = {
  { "YUV", &problems[0], G_GUINT64_CONSTANT (0x85e2c18f10df5c2e) },
  { "grey of 10 bits", &problems[1], G_GUINT64_CONSTANT (0x1f53113fbd3f84ed) },
};
G_STATIC_ASSERT (G_N_ELEMENTS (gst_cl_light_answers) == GST_CL_LIGHT_N_ANSWERS);

gboolean
gst_cl_light_is_alike (gconstpointer answered, gconstpointer problem)
{
  const GstClLightProblem *a = answered, *b = problem;

  return a->shapes[0].sample.bytes == b->shapes[0].sample.bytes;
}

guint64
gst_cl_light_digest (guint64 digest, const GstClLightCounts *counts)
{
  digest = gst_cl_answer_digest (digest, counts->histogram, counts->n_codes,
      sizeof *counts->histogram);
  digest = gst_cl_answer_digest (digest, counts->max,
      G_N_ELEMENTS (counts->max), sizeof counts->max[0]);

  return gst_cl_answer_digest (digest, counts->n_beyond,
      G_N_ELEMENTS (counts->n_beyond), sizeof counts->n_beyond[0]);
}

gboolean
gst_cl_light_compute_answer (GstClContext *context,
    const GstClCandidate *candidate, gconstpointer answered, guint64 *digest,
    GError **error)
{
  const GstClLightProblem *problem = answered;
  g_autoptr (GstClLightOp)
      op = gst_cl_light_op_new (context, candidate, problem, error);
  GstClComponent components[GST_CL_LIGHT_MAX_COMPONENTS];
  GstMemory *memories[GST_CL_LIGHT_MAX_COMPONENTS + 1] = { NULL };
  const GstClPictureInput input = { components, TRUE };
  GstClLightCounts counts;
  gboolean is_done;

  is_done = op &&
            gst_cl_answer_components (context, problem->shapes,
                problem->n_components, 0, components, memories, error) &&
            gst_cl_answer_run (candidate->implementation->funcs->run, op,
                &input, memories, error) &&
            gst_cl_light_op_fetch (op, 0, error) &&
            gst_cl_light_op_result (op, 0, &counts, error);
  if (is_done)
    *digest = gst_cl_light_digest (GST_CL_ANSWER_DIGEST, &counts);
  for (guint c = 0; c < problem->n_components; c++)
    g_clear_pointer (&memories[c], gst_memory_unref);

  return is_done;
}
