/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The known answers of blocks. */

#include "blocksprivate.h"

#include "cl/memory/gstclmemory.h"
#include "ops/selftest.h"

static const GstClBlocksProblem problems[] = {
  { GST_CL_ANSWER_8_BITS },
  { GST_CL_ANSWER_10_BITS },
};

const GstClAnswer gst_cl_blocks_answers[] = {
  { "luma", &problems[0], G_GUINT64_CONSTANT (0x519002c84450ab4d) },
  { "10 bits", &problems[1], G_GUINT64_CONSTANT (0xec9c158387ee5a38) },
};
G_STATIC_ASSERT (
    G_N_ELEMENTS (gst_cl_blocks_answers) == GST_CL_BLOCKS_N_ANSWERS);

gboolean
gst_cl_blocks_is_alike (gconstpointer answered, gconstpointer problem)
{
  const GstClBlocksProblem *a = answered, *b = problem;

  return a->shape.sample.bytes == b->shape.sample.bytes;
}

gboolean
gst_cl_blocks_compute_answer (GstClContext *context,
    const GstClCandidate *candidate, gconstpointer answered, guint64 *digest,
    GError **error)
{
  const GstClBlocksProblem *problem = answered;
  g_autofree guint8 *bytes = gst_cl_answer_samples (0);
  g_autoptr (GstMemory) samples = gst_cl_answer_memory_new (context,
      GST_CL_ANSWER_SAMPLES, bytes, error);
  g_autoptr (GstClBlocksOp)
      op = samples ? gst_cl_blocks_op_new (context, candidate, problem, error)
                   : NULL;
  GstMemory *const memories[] = { samples, NULL };
  GstClComponent component = problem->shape;
  GstClBlockSums sums;

  if (!op)
    return FALSE;
  component.mem = gst_cl_memory_handle (samples);
  if (!gst_cl_answer_run (candidate->implementation->funcs->run, op, &component,
          memories, error) ||
      !gst_cl_blocks_op_fetch (op, 0, error) ||
      !gst_cl_blocks_op_result (op, 0, &sums, error))
    return FALSE;

  *digest = gst_cl_answer_digest (GST_CL_ANSWER_DIGEST, sums.columns,
      sums.n_columns, sizeof *sums.columns);
  *digest = gst_cl_answer_digest (*digest, sums.rows, sums.n_rows,
      sizeof *sums.rows);

  return TRUE;
}
