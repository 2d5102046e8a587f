/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The known answers of profiles. */

#include "profilesprivate.h"

#include "cl/memory/gstclmemory.h"
#include "ops/selftest.h"

static const GstClProfilesProblem problems[] = {
  { 1, { GST_CL_ANSWER_8_BITS } },
  { 1, { GST_CL_ANSWER_10_BITS } },
};

const GstClAnswer gst_cl_profiles_answers[] = {
  { "luma", &problems[0], G_GUINT64_CONSTANT (0xbe2aac8786b2e2be) },
  { "10 bits", &problems[1], G_GUINT64_CONSTANT (0x4c043eb51713b7d1) },
};
G_STATIC_ASSERT (
    G_N_ELEMENTS (gst_cl_profiles_answers) == GST_CL_PROFILES_N_ANSWERS);

gboolean
gst_cl_profiles_is_alike (gconstpointer answered, gconstpointer problem)
{
  const GstClProfilesProblem *a = answered, *b = problem;

  return a->shapes[0].sample.bytes == b->shapes[0].sample.bytes;
}

guint64
gst_cl_profiles_digest (guint64 digest, const GstClProfile *profile)
{
  const guint32 *const rows[] = { profile->row_sum, profile->row_min,
    profile->row_max, profile->row_difference, profile->row_field_difference };
  const guint32 *const columns[] = { profile->column_sum, profile->column_min,
    profile->column_max, profile->column_difference };

  for (guint i = 0; i < G_N_ELEMENTS (rows); i++)
    digest = gst_cl_answer_digest (digest, rows[i], profile->n_rows,
        sizeof *rows[i]);
  for (guint i = 0; i < G_N_ELEMENTS (columns); i++)
    digest = gst_cl_answer_digest (digest, columns[i], profile->n_columns,
        sizeof *columns[i]);

  return digest;
}

gboolean
gst_cl_profiles_compute_answer (GstClContext *context,
    const GstClCandidate *candidate, gconstpointer answered, guint64 *digest,
    GError **error)
{
  const GstClProfilesProblem *problem = answered;
  g_autofree guint8 *bytes = gst_cl_answer_samples (0);
  g_autoptr (GstMemory) samples = gst_cl_answer_memory_new (context,
      GST_CL_ANSWER_SAMPLES, bytes, error);
  g_autoptr (GstClProfilesOp)
      op = samples ? gst_cl_profiles_op_new (context, candidate, problem, error)
                   : NULL;
  GstMemory *const memories[] = { samples, NULL };
  GstClComponent component = problem->shapes[0];
  GstClProfile profile;

  if (!op)
    return FALSE;
  component.mem = gst_cl_memory_handle (samples);
  if (!gst_cl_answer_run (candidate->implementation->funcs->run, op, &component,
          memories, error) ||
      !gst_cl_profiles_op_fetch (op, 0, error) ||
      !gst_cl_profiles_op_result (op, 0, &profile, error))
    return FALSE;

  *digest = gst_cl_profiles_digest (GST_CL_ANSWER_DIGEST, &profile);

  return TRUE;
}
