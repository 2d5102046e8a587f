/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The known-answer test of rows that measure several frames in a launch. */

#include "momentsbatchanswer.h"

#include "statistics/moments/momentsprivate.h"

static const GstClMomentsBatchRow *right_row; /* called by wrong_run() */

/* Measures the first frame of a launch in the place of each frame. */
static gboolean
wrong_run (gpointer instance, const GstClMomentsBatchPart *parts, guint n_parts,
    GError **error)
{
  GstClMomentsBatchPart wrong[GST_CL_MOMENTS_BATCH_FRAMES];

  for (guint i = 0; i < n_parts; i++)
    wrong[i] = parts[0];

  return right_row->run (instance, wrong, n_parts, error);
}

/* Returns the digest of the answer of a row whose launches of several frames
 * are those of @batch. */
static guint64
compute_answer (Harness *h, const GstClImplementation *implementation,
    const GstClMomentsBatchRow *batch)
{
  const gconstpointer problem = gst_cl_moments_answers[0].problem;
  GstClMomentsRow row = *(const GstClMomentsRow *) implementation->data;
  GstClImplementation changed = *implementation;
  GstClCandidate candidate;
  g_autoptr (GError) error = NULL;
  guint64 digest = 0;

  row.batch = batch;
  changed.data = &row;
  candidate = gst_cl_implementation_untuned (&changed, problem,
      h->context->device);
  if (!gst_cl_moments_compute_answer (h->context, &candidate, problem, &digest,
          &error))
    harness_fail (h, error, "%s: cannot compute the answer",
        implementation->name);

  return digest;
}

void
moments_batch_check_answer (Harness *h,
    const GstClImplementation *implementation)
{
  const GstClMomentsRow *row = implementation->data;
  const guint64 right = gst_cl_moments_answers[0].digest;
  GstClMomentsBatchRow wrong = *row->batch;

  right_row = row->batch;
  wrong.run = wrong_run;
  if (compute_answer (h, implementation, row->batch) != right)
    harness_fail (h, NULL, "%s: the digest is not the known answer",
        implementation->name);
  if (compute_answer (h, implementation, &wrong) == right)
    harness_fail (h, NULL,
        "%s: the digest is the known answer, although launches of several "
        "frames measure the first frame only",
        implementation->name);
}
