/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Statistics of a frame: the table of implementations, and their results. */

#include "moments.h"
#include "momentsprivate.h"

#include "cl/context/gstclprogram.h"
#include "cl/memory/gstclreadback.h"
#include "ops/sample.h"

/* --- table --------------------------------------------------------------- */

/* In percent of the default number of bands. */
static const GstClTuning bands[] = {
  { "half the bands", { 50 } },
  { "twice the bands", { 200 } },
  { NULL, { 0 } },
};

static const GstClTuning tiles[] = {
  { "tiles of 32 rows", { 32 } },
  { "tiles of 128 rows", { 128 } },
  { "tiles of 256 rows", { 256 } },
  { NULL, { 0 } },
};

/* `inner` and `outer` are candidates on GPUs only: on CPUs they take many times
 * as long as `cpu`, and most of a second to compile. */
static const GstClImplementation rows[] = {
  {
      .name = "cpu",
      .method = GST_CL_REDUCTION_BANDS,
      .resource = "moments/cpu.cl",
      .family = GST_CL_FAMILY_CPU,
      .tunings = bands,
      .resolve = gst_cl_moments_bands_resolve,
      .funcs = &gst_cl_moments_bands.funcs,
      .data = &gst_cl_moments_bands,
  },
  {
      .name = "gpu",
      .method = GST_CL_REDUCTION_TILES,
      .resource = "moments/gpu.cl",
      .family = GST_CL_FAMILY_GPU,
      .tunings = tiles,
      .resolve = gst_cl_moments_tiles_resolve,
      .funcs = &gst_cl_moments_tiles.funcs,
      .data = &gst_cl_moments_tiles,
  },
  {
      .name = "inner",
      .method = GST_CL_REDUCTION_INNER,
      .quick_on = GST_CL_FAMILY_BIT (GST_CL_FAMILY_GPU),
      .resource = "moments/plain.cl",
      .family = GST_CL_FAMILY_ANY,
      .is_candidate = gst_cl_is_candidate_on_gpus,
      .funcs = &gst_cl_moments_rounds.funcs,
      .data = &gst_cl_moments_rounds,
  },
  {
      .name = "outer",
      .method = GST_CL_REDUCTION_OUTER,
      .resource = "moments/plain.cl",
      .family = GST_CL_FAMILY_ANY,
      .is_candidate = gst_cl_is_candidate_on_gpus,
      .funcs = &gst_cl_moments_rounds.funcs,
      .data = &gst_cl_moments_rounds,
  },
};

/* Excludes strides and offsets of frames, which may change. */
static gchar *
describe (gconstpointer user_problem)
{
  const GstClMomentsProblem *problem = user_problem;
  const GstClSampleType *sample = &problem->components[0].sample;
  g_autofree gchar *shapes = gst_cl_components_describe (problem->components,
      problem->n_components);

  return g_strdup_printf ("statistics of %u+%u bits, %s", sample->depth,
      sample->shift, shapes);
}

static gpointer
make_io (GstClContext *context, gconstpointer user_problem, GError **error)
{
  const GstClMomentsProblem *problem = user_problem;

  return gst_cl_components_new_zeroed (context, problem->components,
      problem->n_components, error);
}

static guint64
count_bytes (gconstpointer user_problem, guint n_candidates)
{
  const GstClMomentsProblem *problem = user_problem;

  return gst_cl_components_count_bytes (problem->components,
      problem->n_components);
}

const GstClOpTable gst_cl_moments_table = {
  .name = "moments",
  .rows = rows,
  .n_rows = G_N_ELEMENTS (rows),
  .describe = describe,
  .version = 1,
  .make_io = make_io,
  .free_io = gst_cl_components_free,
  .count_bytes = count_bytes,
  .answers = gst_cl_moments_answers,
  .n_answers = GST_CL_MOMENTS_N_ANSWERS,
  .compute_answer = gst_cl_moments_compute_answer,
};

/* --- op ------------------------------------------------------------------ */

struct _GstClMomentsOp {
  GstClContext *context;
  GstClMomentsProblem problem;
  GstClCandidate candidate;
  GstClInstance instance;
  GstClReadback *readback;

  gboolean is_quick;            /* built for the first frames alone */
  GstClMomentsBatcher *batcher; /* NULL until a frame may be batched */
  GstClBatchedFrame
      *batched[GST_CL_MOMENTS_SLOTS]; /* until the results have been read; NULL:
                                         none */
};

GstClMomentsOp *
gst_cl_moments_op_new (GstClContext *context, const GstClCandidate *candidate,
    const GstClMomentsProblem *problem, GError **error)
{
  g_autoptr (GstClMomentsOp) self = NULL;

  g_return_val_if_fail (problem->n_components >= 1 &&
                            problem->n_components <=
                                GST_CL_MOMENTS_MAX_COMPONENTS,
      NULL);

  for (guint c = 0; c < problem->n_components; c++)
    g_return_val_if_fail (problem->components[c].sample.bytes ==
                                  problem->components[0].sample.bytes &&
                              problem->components[c].sample.shift ==
                                  problem->components[0].sample.shift,
        NULL);

  self = g_new0 (GstClMomentsOp, 1);
  self->context = gst_object_ref (context);
  self->problem = *problem;
  self->candidate = *candidate;
  self->is_quick = gst_cl_build_is_quick ();

  self->readback = gst_cl_readback_new (context, GST_CL_MOMENTS_SLOTS,
      problem->n_components * sizeof (GstClMoments), error);
  if (!self->readback)
    return NULL;

  return gst_cl_instance_init (&self->instance, context, candidate, problem,
             error)
             ? g_steal_pointer (&self)
             : NULL;
}

void
gst_cl_moments_op_free (GstClMomentsOp *self)
{
  if (!self)
    return;

  for (guint i = 0; i < GST_CL_MOMENTS_SLOTS; i++)
    gst_cl_batched_frame_free (self->batched[i]);
  gst_cl_moments_batcher_release (self->batcher);
  g_clear_pointer (&self->readback, gst_cl_readback_free);
  gst_cl_instance_clear (&self->instance);
  gst_clear_object (&self->context);
  g_free (self);
}

gboolean
gst_cl_moments_op_run (GstClMomentsOp *self, const GstClComponent *components,
    GError **error)
{
  return gst_cl_components_check_shapes (components, self->problem.components,
             self->problem.n_components, "frame statistics", error) &&
         gst_cl_instance_run (&self->instance, components, error);
}

gboolean
gst_cl_moments_op_fetch (GstClMomentsOp *self, guint slot, GError **error)
{
  const GstClMomentsRow *row = self->candidate.implementation->data;

  g_clear_pointer (&self->batched[slot], gst_cl_batched_frame_free);

  return gst_cl_readback_enqueue (self->readback, slot,
      row->get_result (self->instance.data), error);
}

cl_event
gst_cl_moments_op_fetched (GstClMomentsOp *self, guint slot)
{
  return gst_cl_readback_event (self->readback, slot);
}

gboolean
gst_cl_moments_op_is_batched (GstClMomentsOp *self,
    const GstClComponent *components)
{
  const GstClMomentsRow *row = self->candidate.implementation->data;

  if (self->is_quick || !row->batch ||
      !gst_cl_moments_batcher_takes (components, self->problem.n_components))
    return FALSE;
  if (!self->batcher)
    self->batcher = gst_cl_moments_batcher_get (self->context, &self->candidate,
        &self->problem);

  return gst_cl_moments_batcher_is_shared (self->batcher);
}

GstClFence *
gst_cl_moments_op_run_batched (GstClMomentsOp *self,
    const GstClComponent *components, const GstClPendingUpload *pending,
    guint slot, GError **error)
{
  GstClBatchedFrame *frame;

  g_return_val_if_fail (self->batcher, NULL);

  if (!gst_cl_components_check_shapes (components, self->problem.components,
          self->problem.n_components, "frame statistics", error))
    return NULL;

  g_clear_pointer (&self->batched[slot], gst_cl_batched_frame_free);
  frame = gst_cl_moments_batcher_add (self->batcher, self, components, pending,
      error);
  self->batched[slot] = frame;

  return frame ? gst_cl_fence_ref (gst_cl_batched_frame_fence (frame)) : NULL;
}

gboolean
gst_cl_moments_op_result (GstClMomentsOp *self, guint slot,
    GstClMoments *results, GError **error)
{
  GstClBatchedFrame *frame = g_steal_pointer (&self->batched[slot]);
  const GstClMoments *moments;

  if (frame) {
    const gboolean is_there = gst_cl_batched_frame_result (frame, results,
        error);

    gst_cl_batched_frame_free (frame);
    return is_there;
  }

  moments = gst_cl_readback_wait (self->readback, slot, error);
  if (!moments)
    return FALSE;

  for (guint c = 0; c < self->problem.n_components; c++)
    results[c] = moments[c];

  return TRUE;
}

gboolean
gst_cl_moments_op_read (GstClMomentsOp *self, GstClMoments *results,
    GError **error)
{
  return gst_cl_moments_op_fetch (self, 0, error) &&
         gst_cl_moments_op_result (self, 0, results, error);
}

/* --- tiers ---------------------------------------------------------------- */

static gpointer
create (GstClContext *context, const GstClCandidate *candidate,
    gconstpointer problem, GError **error)
{
  return gst_cl_moments_op_new (context, candidate, problem, error);
}

static void
free_op (gpointer op)
{
  gst_cl_moments_op_free (op);
}

static gboolean
run (gpointer op, gconstpointer io, GError **error)
{
  return gst_cl_moments_op_run (op, io, error);
}

const GstClTieredFuncs gst_cl_moments_tiered = {
  .table = &gst_cl_moments_table,
  .problem_bytes = sizeof (GstClMomentsProblem),
  .create = create,
  .free = free_op,
  .run = run,
};
