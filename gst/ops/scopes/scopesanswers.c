/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The known answers of scopes. */

#include "scopesprivate.h"

#include "ops/selftest.h"

static const GstClScopesProblem problems[] = {
  {
      .n_components = 3,
      .shapes = { GST_CL_ANSWER_8_BITS, GST_CL_ANSWER_8_BITS,
          GST_CL_ANSWER_8_BITS },
      .matrix = { .kind = GST_CL_RGB_YUV },
      .n_waveforms = 3,
      .waveform_bins = 256,
      .vectorscope_bins = 256,
  },
  {
      .n_components = 3,
      .shapes = { GST_CL_ANSWER_8_BITS, GST_CL_ANSWER_8_BITS,
          GST_CL_ANSWER_8_BITS },
      .source = GST_CL_SCOPES_RGB,
      .n_waveforms = 3,
      .matrix = { GST_CL_RGB_YUV, 25000, -3000, -7000, 29000, 128 },
      .waveform_bins = 256,
      .has_rows_of_bins = TRUE,
  },
  {
      .n_components = 1,
      .shapes = { GST_CL_ANSWER_10_BITS },
      .n_waveforms = 1,
      .waveform_bins = 512,
      .has_rows_of_bins = TRUE,
  },
};

const GstClAnswer gst_cl_scopes_answers[] = {
  { "YUV", &problems[0], G_GUINT64_CONSTANT (0xcf82d1a18a3fb371) },
  { "RGB", &problems[1], G_GUINT64_CONSTANT (0x1eb3fda380012e9f) },
  { "grey of 10 bits", &problems[2], G_GUINT64_CONSTANT (0x05ae686f75496aed) },
};
G_STATIC_ASSERT (
    G_N_ELEMENTS (gst_cl_scopes_answers) == GST_CL_SCOPES_N_ANSWERS);

gboolean
gst_cl_scopes_is_alike (gconstpointer answered, gconstpointer problem)
{
  const GstClScopesProblem *a = answered, *b = problem;

  return a->shapes[0].sample.bytes == b->shapes[0].sample.bytes &&
         a->source == b->source;
}

gboolean
gst_cl_scopes_compute_answer (GstClContext *context,
    const GstClCandidate *candidate, gconstpointer answered, guint64 *digest,
    GError **error)
{
  const GstClScopesProblem *problem = answered;
  g_autoptr (GstClScopesOp)
      op = gst_cl_scopes_op_new (context, candidate, problem, error);
  GstClComponent components[GST_CL_SCOPES_MAX_COMPONENTS];
  GstMemory *memories[GST_CL_SCOPES_MAX_COMPONENTS + 1] = { NULL };
  const GstClPictureInput input = { components, TRUE };
  GstClScopesCounts counts;
  gboolean is_done;

  is_done = op &&
            gst_cl_answer_components (context, problem->shapes,
                problem->n_components, 0, components, memories, error) &&
            gst_cl_answer_run (candidate->implementation->funcs->run, op,
                &input, memories, error) &&
            gst_cl_scopes_op_fetch (op, 0, error) &&
            gst_cl_scopes_op_result (op, 0, &counts, error);
  if (is_done)
    *digest = gst_cl_answer_digest (GST_CL_ANSWER_DIGEST, counts.waveforms[0],
        counts.layout.n_words, sizeof (guint32));
  for (guint c = 0; c < problem->n_components; c++)
    g_clear_pointer (&memories[c], gst_memory_unref);

  return is_done;
}
