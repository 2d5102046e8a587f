/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Problems of local means: comparison, description, and the memory that a
 * measurement needs. */

#include "ops/localmean/localmean.h"

#include "suite.h"

/* A window of 31 x 31 samples on a frame of 3840 x 2160 bytes. */
static GstClLocalMeanProblem
make_problem (GstClLocalMeanOperation operation)
{
  return (GstClLocalMeanProblem){
    .operation = operation,
    .window = { .kernel_width = 31,
        .kernel_height = 31,
        .anchor_x = 15,
        .anchor_y = 15,
        .step_x = 1,
        .step_y = 1,
        .border = GST_CL_BORDER_SHRINK },
    .factors = { .r = 1 },
    .repeat = 1,
    .width = 3840,
    .height = 2160,
    .sample = { 1, 8, 0 },
    .src_pixel_stride_bytes = 1,
    .dst_pixel_stride_bytes = 1,
  };
}

/* Fields are compared, not the padding between them. */
TEST (test_problems_are_compared_by_field)
{
  GstClLocalMeanProblem a, b;

  memset (&a, 0, sizeof a);
  memset (&b, 0xff, sizeof b);
  b = (GstClLocalMeanProblem){ 0 };
  fail_unless (gst_cl_local_mean_problem_equal (&a, &b));
  b.window.border_value = 1;
  fail_if (gst_cl_local_mean_problem_equal (&a, &b));
  b = a;
  b.factors.offset = .5;
  fail_if (gst_cl_local_mean_problem_equal (&a, &b));
  b = a;
  b.sample.shift = 6;
  fail_if (gst_cl_local_mean_problem_equal (&a, &b));
}

static void
expect_described_alike (const GstClLocalMeanProblem *a,
    const GstClLocalMeanProblem *b, gboolean are_alike)
{
  g_autofree gchar *text = gst_cl_local_mean_table.describe (a);
  g_autofree gchar *other = gst_cl_local_mean_table.describe (b);

  fail_unless (g_str_equal (text, other) == are_alike,
      "expected %s descriptions: %s, %s", are_alike ? "equal" : "different",
      text, other);
}

/* A choice for one problem applies to all problems with its text. */
TEST (test_factors_that_change_the_candidates_are_described)
{
  GstClLocalMeanProblem a = make_problem (GST_CL_LOCAL_MEAN_OPERATION_SAUVOLA);
  GstClLocalMeanProblem b = a;

  b.factors.k = .5;
  expect_described_alike (&a, &b, TRUE);
  b.factors.k = -64;
  expect_described_alike (&a, &b, FALSE);
  b = a;
  b.factors.target = -1;
  expect_described_alike (&a, &b, FALSE);

  a.operation = b.operation = GST_CL_LOCAL_MEAN_OPERATION_MEAN;
  expect_described_alike (&a, &b, TRUE);
}

static void
expect_bytes (const GstClLocalMeanProblem *problem, guint64 bytes)
{
  fail_unless_equals_uint64 (gst_cl_local_mean_table.count_bytes (problem, 3),
      bytes);
}

TEST (test_squares_are_counted)
{
  const guint64 samples = 3840 * 2160;
  GstClLocalMeanProblem problem = make_problem (
      GST_CL_LOCAL_MEAN_OPERATION_MEAN);

  expect_bytes (&problem, 3 * 8 * samples);
  problem.operation = GST_CL_LOCAL_MEAN_OPERATION_SAUVOLA;
  expect_bytes (&problem, 3 * (8 + 8) * samples);

  /* candidates share an input of sums */
  problem.from_sums = TRUE;
  problem.layout = GST_CL_LAYOUT_INCLUSIVE;
  problem.channels = 2;
  problem.sum_bytes = 4;
  expect_bytes (&problem, 2 * (4 + 8) * samples);
}
