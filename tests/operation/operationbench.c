/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Timing of operations on local means. */

#include "operationbench.h"

#include "localmean/localmeanbench.h"

#define FIRST_OPERATION GST_CL_LOCAL_MEAN_OPERATION_STDDEV
#define LAST_OPERATION  GST_CL_LOCAL_MEAN_OPERATION_NICK

static const TestSize hd = { 1920, 1080 };
static const GstClLocalMeanProblem bytes = { .sample = { 1, 8, 0 } };

/* @operation in a square window of @size, with the other parameters of
 * @problem. */
static void
bench_one (Harness *h, GstClLocalMeanMethod method,
    const GstClLocalMeanProblem *problem, const TestSize *frame, gint size,
    GstClLocalMeanOperation operation)
{
  MeanCase c = mean_case_square (NULL, frame->width, frame->height, size);
  const guint depth = problem->sample.depth;
  g_autofree gchar *suffix = NULL;

  c.problem.operation = operation;
  c.problem.sample = problem->sample;
  c.problem.src_pixel_stride_bytes = (gint) problem->sample.bytes;
  c.problem.dst_pixel_stride_bytes = (gint) problem->sample.bytes;
  c.problem.from_sums = problem->from_sums;
  c.problem.sum_bytes = problem->sum_bytes;
  c.problem.factors = (GstClLocalMeanFactors){ .k = .2,
    .r = 128 << (depth - 8),
    .target = 200 << (depth - 8) };
  c.row = gst_cl_op_table_first (&gst_cl_local_mean_table, method, &c.problem,
      h->context->device);
  suffix = g_strdup_printf ("%s %dx%d, %u bits%s",
      mean_case_operation (operation), size, size, depth,
      !problem->from_sums       ? ""
      : problem->sum_bytes == 8 ? ", sums of 8 bytes"
                                : ", sums of 4 bytes");
  mean_case_bench (h, &c, suffix);
}

static void
bench_all (Harness *h, GstClLocalMeanMethod method,
    const GstClLocalMeanProblem *problem, const TestSize *frame, gint size)
{
  for (guint n = FIRST_OPERATION; n <= LAST_OPERATION; n++)
    bench_one (h, method, problem, frame, size, (GstClLocalMeanOperation) n);
}

void
bench_operations (Harness *h)
{
  static const TestSize frames[] = { { 1920, 1080 }, { 3840, 2160 } };
  static const gint windows[] = { 15, 31, 101 };

  for (guint i = 0; i < G_N_ELEMENTS (frames) * G_N_ELEMENTS (windows); i++)
    bench_all (h, GST_CL_LOCAL_MEAN_METHOD_AUTO, &bytes,
        &frames[i / G_N_ELEMENTS (windows)],
        windows[i % G_N_ELEMENTS (windows)]);
}

void
bench_windows (Harness *h)
{
  static const TestSize frames[] = { { 1920, 1080 }, { 3840, 2160 },
    { 7680, 4320 } };
  static const gint windows[] = { 3, 15, 31, 101 };

  for (guint i = 0; i < G_N_ELEMENTS (frames) * G_N_ELEMENTS (windows); i++) {
    const TestSize *frame = &frames[i / G_N_ELEMENTS (windows)];
    const gint window = windows[i % G_N_ELEMENTS (windows)];

    bench_one (h, GST_CL_LOCAL_MEAN_METHOD_AUTO, &bytes, frame, window,
        GST_CL_LOCAL_MEAN_OPERATION_MEAN_C);
    bench_one (h, GST_CL_LOCAL_MEAN_METHOD_AUTO, &bytes, frame, window,
        GST_CL_LOCAL_MEAN_OPERATION_SAUVOLA);
  }
}

void
bench_depths (Harness *h)
{
  static const GstClLocalMeanProblem problems[] = { { .sample = { 1, 8, 0 } },
    { .sample = { 2, 10, 0 } }, { .sample = { 2, 16, 0 } } };

  for (guint i = 0; i < G_N_ELEMENTS (problems); i++)
    bench_all (h, GST_CL_LOCAL_MEAN_METHOD_AUTO, &problems[i], &hd, 31);
}

void
bench_direct_operations (Harness *h)
{
  bench_all (h, GST_CL_LOCAL_MEAN_METHOD_DIRECT, &bytes, &hd, 31);
}

void
bench_operations_on_sums (Harness *h)
{
  static const GstClLocalMeanProblem problems[] = {
    { .sample = { 1, 8, 0 }, .from_sums = TRUE, .sum_bytes = 4 },
    { .sample = { 2, 16, 0 }, .from_sums = TRUE, .sum_bytes = 8 },
  };

  for (guint i = 0; i < G_N_ELEMENTS (problems); i++)
    bench_all (h, GST_CL_LOCAL_MEAN_METHOD_AUTO, &problems[i], &hd, 31);
}
