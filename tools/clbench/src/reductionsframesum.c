/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The implementation that clframesum uses on the device, chosen and run as in
 * the element. */

#include "reductionsprivate.h"

#include "ops/choose.h"
#include "ops/moments/moments.h"
#include "timing.h"

#define ROW "clframesum, 8-bit"

typedef struct {
  GstClMomentsProblem problem; /* one component */
  GstClMomentsOp *op;
} FrameSum;

static gboolean
run_once (gpointer user_data, GError **error)
{
  FrameSum *sum = user_data;

  return gst_cl_moments_op_run (sum->op, sum->problem.components, error);
}

/* *@correct receives whether the result of a run equals that of plain code. */
static gboolean
check (FrameSum *sum, const ReductionFrame *frame, gboolean *correct,
    GError **error)
{
  const ReductionGrid grid = { frame->width, frame->height };
  /* one block for the whole frame */
  g_autofree GstClMoments *expected = reduction_reference (frame, NULL, grid,
      MAX (grid.width, grid.height), TRUE);
  GstClMoments result = { 0 };

  if (!run_once (sum, error) ||
      !gst_cl_moments_op_read (sum->op, &result, error))
    return FALSE;

  *correct = reduction_partials_equal (frame, &result, expected, 1);

  return TRUE;
}

static gboolean
add_row (Bench *bench, FrameSum *sum, const ReductionFrame *frame,
    const gchar *candidate, gint64 allowed_us, gchar **words, GError **error)
{
  ReportRow row = { .technique = REDUCTION_TECHNIQUE, .row = ROW };
  g_autofree gchar *detail = g_strdup_printf ("uses %s", candidate);
  g_autofree gchar *time = NULL;
  Spread spread;

  if (!check (sum, frame, &row.correct, error) ||
      !timing_measure (bench->context, run_once, sum, allowed_us, &spread,
          error))
    return FALSE;

  row.median_us = spread.median;
  row.low_us = spread.low;
  row.high_us = spread.high;
  row.detail = detail;
  report_add (bench->report, &row);

  time = report_format_us (spread.median);
  *words = g_strdup_printf ("clframesum uses %s, %s", candidate, time);

  return TRUE;
}

gboolean
reduction_bench_frame_sum (Bench *bench, const ReductionFrame *frame,
    cl_mem mem, gint64 allowed_us, gchar **words, GError **error)
{
  const GstClComponent component = {
    .mem = mem,
    .stride_bytes = frame->width,
    .pixel_stride_bytes = 1,
    .width = frame->width,
    .height = frame->height,
    .sample = { .bytes = 1, .depth = 8 },
  };
  FrameSum sum = { .problem = { 1, { component } } };
  GstClCandidate candidate;
  gboolean is_done;

  bench_progress (bench, REDUCTION_TECHNIQUE ": " ROW);
  candidate = gst_cl_op_table_choose (&gst_cl_moments_table, bench->context,
      GST_CL_REDUCTION_AUTO, &sum.problem, !bench->is_quick, error);
  if (!candidate.implementation)
    return FALSE;
  sum.op = gst_cl_moments_op_new (bench->context, &candidate, &sum.problem,
      error);
  if (!sum.op)
    return FALSE;

  is_done = add_row (bench, &sum, frame, gst_cl_candidate_name (&candidate),
      allowed_us, words, error);
  gst_cl_moments_op_free (sum.op);

  return is_done;
}
