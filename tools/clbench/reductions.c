/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Reductions of a frame to one result. */

#include "bench.h"

#include "cl/memory/gstclbuffer.h"
#include "ops/choose.h"
#include "ops/moments/moments.h"
#include "timing.h"

#define TECHNIQUE  "reductions"
#define SIZE       4096 /* samples each way */
#define QUICK_SIZE 256

/* --- what clframesum takes ------------------------------------------------ */

typedef struct {
  GstClMomentsProblem problem; /* one component, of 8 bits */
  GstClMomentsOp *op;
} FrameSum;

static gboolean
run_frame_sum (gpointer user_data, GError **error)
{
  FrameSum *sum = user_data;

  return gst_cl_moments_op_run (sum->op, sum->problem.components, error);
}

static GstClMoments
sum_on_host (const guint8 *samples, gsize n_samples)
{
  GstClMoments moments = { .min = G_MAXUINT8, .count = (guint32) n_samples };

  for (gsize i = 0; i < n_samples; i++) {
    moments.sum += samples[i];
    moments.sum_squares += (guint64) samples[i] * samples[i];
    moments.min = MIN (moments.min, samples[i]);
    moments.max = MAX (moments.max, samples[i]);
  }

  return moments;
}

static gboolean
moments_equal (const GstClMoments *a, const GstClMoments *b)
{
  return a->count == b->count && a->sum == b->sum &&
         a->sum_squares == b->sum_squares && a->min == b->min &&
         a->max == b->max;
}

static gboolean
measure_frame_sum (Bench *bench, FrameSum *sum, const gchar *candidate,
    const GstClMoments *expected, GError **error)
{
  const GstClComponent *component = &sum->problem.components[0];
  g_autofree gchar *row = g_strdup_printf ("8-bit %dx%d: clframesum",
      component->width, component->height);
  g_autofree gchar *detail = g_strdup_printf ("takes %s here", candidate);
  g_autofree gchar *sentence = g_strdup_printf ("clframesum %s.", detail);
  GstClMoments moments;
  Spread spread;

  bench_progress (bench, "reductions: clframesum");
  if (!gst_cl_moments_op_run (sum->op, component, error) ||
      !gst_cl_moments_op_read (sum->op, &moments, error) ||
      !timing_measure (bench->context, run_frame_sum, sum,
          bench->allowed_us / 10, &spread, error))
    return FALSE;

  const ReportRow result = {
    .technique = TECHNIQUE,
    .row = row,
    .correct = moments_equal (&moments, expected),
    .median_us = spread.median,
    .low_us = spread.low,
    .high_us = spread.high,
    .detail = detail,
  };
  report_add (bench->report, &result);
  report_conclude (bench->report, TECHNIQUE, sentence);

  return TRUE;
}

static gboolean
bench_frame_sum (Bench *bench, cl_mem mem, gint size,
    const GstClMoments *expected, GError **error)
{
  FrameSum sum = { .problem = { .n_components = 1,
                       .components = { {
                           .mem = mem,
                           .stride_bytes = size,
                           .pixel_stride_bytes = 1,
                           .width = size,
                           .height = size,
                           .sample = { 1, 8, 0 },
                       } } } };
  const GstClCandidate candidate = gst_cl_op_table_choose (
      &gst_cl_moments_table, bench->context, GST_CL_METHOD_AUTO, &sum.problem,
      !bench->is_quick);
  gboolean is_done;

  sum.op = gst_cl_moments_op_new (bench->context, &candidate, &sum.problem,
      error);
  if (!sum.op)
    return FALSE;

  is_done = measure_frame_sum (bench, &sum, gst_cl_candidate_name (&candidate),
      expected, error);
  gst_cl_moments_op_free (sum.op);

  return is_done;
}

gboolean
bench_reductions (Bench *bench, GError **error)
{
  const gint size = bench->is_quick ? QUICK_SIZE : SIZE;
  const gsize n_samples = (gsize) size * size;
  g_autofree guint8 *samples = g_malloc (n_samples);
  GstClMoments expected;
  gboolean is_done;
  cl_mem mem;

  for (gsize i = 0; i < n_samples; i++)
    samples[i] = (guint8) g_rand_int (bench->rand);
  expected = sum_on_host (samples, n_samples);

  mem = gst_cl_buffer_new_filled (bench->context, n_samples, samples, error);
  if (!mem)
    return FALSE;

  is_done = bench_frame_sum (bench, mem, size, &expected, error);
  gst_cl_buffer_free (mem);

  return is_done;
}
