/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Statistics of one frame, compared with the reference. */

#include "momentscase.h"

#include "momentsreference.h"

#include <string.h>

#define MAX_COMPONENTS GST_CL_MOMENTS_MAX_COMPONENTS

GstClMomentsProblem
moments_case_problem (const TestFrame *frame)
{
  GstClMomentsProblem problem = { .n_components = frame->format->n_components };

  for (guint c = 0; c < problem.n_components; c++)
    problem.components[c] = frame->components[c];

  return problem;
}

GstClMomentsOp *
moments_case_op (Harness *h, const GstClCandidate *candidate,
    const TestFrame *frame)
{
  const GstClMomentsProblem problem = moments_case_problem (frame);
  g_autoptr (GError) error = NULL;
  GstClMomentsOp *op = gst_cl_moments_op_new (h->context, candidate, &problem,
      &error);

  if (!op)
    harness_fail (h, error, "%s: cannot create an op for %s %dx%d",
        gst_cl_candidate_name (candidate), frame->format->name, frame->width,
        frame->height);

  return op;
}

static gboolean
stats_equal (const GstClMoments *a, const GstClMoments *b)
{
  return a->count == b->count && a->sum == b->sum &&
         a->sum_squares == b->sum_squares && a->min == b->min &&
         a->max == b->max;
}

static void
compare (Harness *h, const TestFrame *frame, guint c, const gchar *what,
    const GstClMoments *got)
{
  const GstClMoments want = ref_frame_stats (test_frame_bytes (frame, c),
      &frame->components[c]);

  if (stats_equal (got, &want))
    return;

  harness_fail (h, NULL,
      "%s of %u bits, %dx%d pad %d guard %d%s, component %u, %s: "
      "found (expected) count %u (%u), sum %" G_GUINT64_FORMAT
      " (%" G_GUINT64_FORMAT "), squares %" G_GUINT64_FORMAT
      " (%" G_GUINT64_FORMAT "), min %u (%u), max %u (%u)",
      frame->format->name, frame->sample.depth, frame->width, frame->height,
      frame->spacing.pad_bytes, frame->spacing.guard_bytes,
      frame->spacing.is_joined ? " joined" : "", c, what, got->count,
      want.count, got->sum, want.sum, got->sum_squares, want.sum_squares,
      got->min, want.min, got->max, want.max);
}

void
moments_case_compare (Harness *h, const TestFrame *frame, const gchar *what,
    const GstClMoments *results)
{
  for (guint c = 0; c < frame->format->n_components; c++)
    compare (h, frame, c, what, &results[c]);
}

void
moments_case_check (Harness *h, GstClMomentsOp *op, const TestFrame *frame,
    const gchar *what)
{
  GstClMoments results[MAX_COMPONENTS];
  g_autoptr (GError) error = NULL;

  memset (results, 0xA5, sizeof results);
  if (!gst_cl_moments_op_run (op, frame->components, &error) ||
      !gst_cl_moments_op_read (op, results, &error)) {
    harness_fail (h, error, "%s: cannot measure %s %dx%d", what,
        frame->format->name, frame->width, frame->height);
    return;
  }

  moments_case_compare (h, frame, what, results);
}
