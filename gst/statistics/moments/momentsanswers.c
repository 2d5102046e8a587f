/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The known answer of frame statistics: two consecutive frames, and both in one
 * launch if the row has such launches. */

#include "momentsprivate.h"

#include "cl/memory/gstclmemory.h"
#include "cl/memory/gstclreadback.h"
#include "ops/knownanswer.h"

#define N_FRAMES 2

static const GstClMomentsProblem luma = {
  .n_components = 1,
  .components = { GST_CL_ANSWER_8_BITS },
};

const GstClAnswer gst_cl_moments_answers[] = {
  { "luma", &luma, G_GUINT64_CONSTANT (0xd94a333e64a20860) },
};
G_STATIC_ASSERT (
    G_N_ELEMENTS (gst_cl_moments_answers) == GST_CL_MOMENTS_N_ANSWERS);

/* Returns frame @seed in device memory; NULL with @error, transfer full. */
static GstMemory *
frame_new (GstClContext *context, guint seed, GError **error)
{
  g_autofree guint8 *bytes = gst_cl_answer_samples (seed);

  return gst_cl_answer_memory_new (context, GST_CL_ANSWER_SAMPLES, bytes,
      error);
}

/* --- one frame per launch ------------------------------------------------- */

static gboolean
run (gpointer op, gconstpointer components, GError **error)
{
  return gst_cl_moments_op_run (op, components, error);
}

/* The second frame detects results that do not change. */
static gboolean
add_frame (GstClMomentsOp *op, GstClContext *context,
    const GstClMomentsProblem *problem, guint seed, guint64 *digest,
    GError **error)
{
  g_autoptr (GstMemory) samples = frame_new (context, seed, error);
  GstClComponent component = problem->components[0];
  GstMemory *const memories[] = { samples, NULL };
  GstClMoments moments;

  if (!samples)
    return FALSE;
  component.mem = gst_cl_memory_get_handle (samples);
  if (!gst_cl_answer_run (run, op, &component, memories, error) ||
      !gst_cl_moments_op_read (op, &moments, error))
    return FALSE;

  *digest = gst_cl_answer_moments (*digest, &moments);

  return TRUE;
}

static gboolean
compute_apart (GstClContext *context, const GstClCandidate *candidate,
    const GstClMomentsProblem *problem, guint64 *digest, GError **error)
{
  g_autoptr (GstClMomentsOp)
      op = gst_cl_moments_op_new (context, candidate, problem, error);
  gboolean is_run = op != NULL;

  for (guint i = 0; i < N_FRAMES && is_run; i++)
    is_run = add_frame (op, context, problem, i, digest, error);

  return is_run;
}

/* --- both frames in a launch ---------------------------------------------- */

typedef struct {
  const GstClMomentsBatchRow *row;
  gpointer instance;
} Batch;

static gboolean
run_batch (gpointer batch, gconstpointer parts, GError **error)
{
  const Batch *self = batch;

  return self->row->run (self->instance, parts, N_FRAMES, error);
}

/* @memories: N_FRAMES, and NULL at the end. */
static gboolean
measure_batch (Batch *self, GstClContext *context,
    const GstClMomentsProblem *problem, GstMemory *const *memories,
    guint64 *digest, GError **error)
{
  g_autoptr (GstClReadback) readback = gst_cl_readback_new (context, 1,
      N_FRAMES * sizeof (GstClMoments), error);
  GstClComponent components[N_FRAMES];
  GstClMomentsBatchPart parts[N_FRAMES] = { { .upload = NULL } };
  const GstClMoments *moments;

  for (guint i = 0; i < N_FRAMES; i++) {
    components[i] = problem->components[0];
    components[i].mem = gst_cl_memory_get_handle (memories[i]);
    parts[i].components = &components[i];
  }
  if (!readback || !gst_cl_answer_run (run_batch, self, parts, memories, error))
    return FALSE;
  if (!gst_cl_readback_enqueue (readback, 0,
          self->row->get_result (self->instance), error))
    return FALSE;
  moments = gst_cl_readback_wait (readback, 0, error);
  for (guint i = 0; i < N_FRAMES && moments; i++)
    *digest = gst_cl_answer_moments (*digest, &moments[i]);

  return moments != NULL;
}

static gboolean
compute_batch (GstClContext *context, const GstClCandidate *candidate,
    const GstClMomentsProblem *problem, guint64 *digest, GError **error)
{
  const GstClMomentsRow *row = candidate->implementation->data;
  g_autoptr (GstMemory) first = frame_new (context, 0, error);
  g_autoptr (GstMemory) second = first ? frame_new (context, 1, error) : NULL;
  GstMemory *const memories[] = { first, second, NULL };
  Batch batch = { row->batch, NULL };
  gboolean is_run;

  if (!second)
    return FALSE;
  batch.instance = row->batch->create (context, candidate, problem,
      gst_cl_context_find_queue (context, GST_CL_QUEUE_COMPUTE), error);
  if (!batch.instance)
    return FALSE;
  is_run = measure_batch (&batch, context, problem, memories, digest, error);
  row->batch->free (batch.instance);

  return is_run;
}

/* If the answers differ, the test fails. */
gboolean
gst_cl_moments_compute_answer (GstClContext *context,
    const GstClCandidate *candidate, gconstpointer answered, guint64 *digest,
    GError **error)
{
  const GstClMomentsRow *row = candidate->implementation->data;
  guint64 batch_digest = GST_CL_ANSWER_DIGEST;

  *digest = GST_CL_ANSWER_DIGEST;
  if (!compute_apart (context, candidate, answered, digest, error))
    return FALSE;
  if (!row->batch)
    return TRUE;
  if (!compute_batch (context, candidate, answered, &batch_digest, error))
    return FALSE;
  if (batch_digest != *digest)
    *digest = ~*digest;

  return TRUE;
}
