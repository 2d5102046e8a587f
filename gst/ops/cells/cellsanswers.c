/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The known answers of cells. */

#include "cellsprivate.h"

#include "cl/memory/gstclmemory.h"
#include "common/gstclcells.h"
#include "ops/selftest.h"

static const GstClCellsProblem problems[] = {
  { 1, { GST_CL_ANSWER_8_BITS } },
  { 1, { GST_CL_ANSWER_10_BITS } },
};

const GstClAnswer gst_cl_cells_answers[] = {
  { "luma", &problems[0], G_GUINT64_CONSTANT (0x6dfa5f23189d59b8) },
  { "10 bits", &problems[1], G_GUINT64_CONSTANT (0x9da6a7403a82dfa9) },
};
G_STATIC_ASSERT (G_N_ELEMENTS (gst_cl_cells_answers) == GST_CL_CELLS_N_ANSWERS);

gboolean
gst_cl_cells_is_alike (gconstpointer answered, gconstpointer problem)
{
  const GstClCellsProblem *a = answered, *b = problem;

  return a->shapes[0].sample.bytes == b->shapes[0].sample.bytes;
}

gboolean
gst_cl_cells_compute_answer (GstClContext *context,
    const GstClCandidate *candidate, gconstpointer answered, guint64 *digest,
    GError **error)
{
  const GstClCellsProblem *problem = answered;
  g_autofree guint8 *bytes = gst_cl_answer_samples (0);
  g_autoptr (GstMemory) samples = gst_cl_answer_memory_new (context,
      GST_CL_ANSWER_SAMPLES, bytes, error);
  g_autoptr (GstClCellsOp)
      op = samples ? gst_cl_cells_op_new (context, candidate, problem, error)
                   : NULL;
  GstMemory *const memories[] = { samples, NULL };
  GstClComponent component = problem->shapes[0];
  const guint32 *means;

  if (!op)
    return FALSE;
  component.mem = gst_cl_memory_handle (samples);
  if (!gst_cl_answer_run (candidate->implementation->funcs->run, op, &component,
          memories, error) ||
      !gst_cl_cells_op_fetch (op, 0, error))
    return FALSE;
  means = gst_cl_cells_op_result (op, 0, error);
  if (!means)
    return FALSE;

  *digest = gst_cl_answer_digest (GST_CL_ANSWER_DIGEST, means, GST_CL_N_CELLS,
      sizeof *means);

  return TRUE;
}
