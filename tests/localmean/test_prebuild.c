/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Programs of local means that are built ahead: after any change of window,
 * operation and numbers, the op finds its programs, on CPUs and on mock GPUs.
 * Kernels run in self-tests only. */

#include <gio/gio.h>

#include "elements/common.h"
#include "ops/localmean/localmean.h"
#include "ops/implementation.h"
#include "suite.h"

#define N_CHANGES 60 /* for each case */

static GstClDevice *device;

static void
setup (void)
{
  device = gst_cl_device_choose ("auto", NULL);
  fail_unless (device != NULL);
}

static void
teardown (void)
{
  g_clear_pointer (&device, gst_cl_device_unref);
}

static GstClContext *
open_context (GstClFamily family)
{
  g_autoptr (GError) error = NULL;
  GstClContext *context;

  device->family = family;
  context = gst_cl_context_new (device, FALSE, &error);
  g_assert_no_error (error);

  return context;
}

/* --- cases --------------------------------------------------------------- */

/* Settings that come with the caps; settings with one border and type share
 * programs. */
static const GstClLocalMeanProblem large = { .sample = { 1, 8, 0 },
  .width = 1920,
  .height = 1080,
  .src_pixel_stride_bytes = 1,
  .dst_pixel_stride_bytes = 1,
  .window.border = GST_CL_BORDER_SHRINK };

static const GstClLocalMeanProblem low = { .sample = { 1, 8, 0 },
  .width = 1000,
  .height = 200,
  .src_pixel_stride_bytes = 1,
  .dst_pixel_stride_bytes = 1,
  .window.border = GST_CL_BORDER_VALID };

static const GstClLocalMeanProblem deep = { .sample = { 2, 10, 6 },
  .width = 51,
  .height = 42,
  .src_pixel_stride_bytes = 4,
  .dst_pixel_stride_bytes = 4,
  .window.border = GST_CL_BORDER_REFLECT_101 };

static const GstClLocalMeanProblem sums = { .sample = { 1, 8, 0 },
  .width = 51,
  .height = 42,
  .dst_pixel_stride_bytes = 1,
  .from_sums = TRUE,
  .channels = 1,
  .sum_bytes = 4,
  .window.border = GST_CL_BORDER_SHRINK };

static const struct {
  GstClFamily family;
  const GstClLocalMeanProblem
      *problems[2]; /* one after the other; may be NULL */
} cases[] = {
  { GST_CL_FAMILY_CPU, { &large, &low } },
  { GST_CL_FAMILY_GPU, { &large, &low } },
  { GST_CL_FAMILY_CPU, { &deep } },
  { GST_CL_FAMILY_GPU, { &sums } },
};

/* Around every bound: small, wide, beyond 188, 447, 2^11, 2^12. */
static gint
random_size (GRand *rand, gint most)
{
  const gint limits[] = { 2, 20, 200, 500, 5000, 32768 };

  const gint limit = limits[g_rand_int_range (rand, 0, G_N_ELEMENTS (limits))];
  const gint size = g_rand_int_range (rand, 1, limit);

  return MIN (size, most);
}

static void
change (GRand *rand, GstClLocalMeanProblem *problem)
{
  GstClWindow *window = &problem->window;
  const gboolean is_valid = window->border == GST_CL_BORDER_VALID;

  do
    problem->operation = g_rand_int_range (rand, 0,
        GST_CL_LOCAL_MEAN_OPERATION_NICK + 1);
  while (problem->operation == GST_CL_LOCAL_MEAN_OPERATION_COPY);
  window->kernel_width = random_size (rand, is_valid ? problem->width : 32767);
  window->kernel_height = random_size (rand,
      is_valid ? problem->height : 32767);
  window->anchor_x = window->kernel_width / 2;
  window->anchor_y = window->kernel_height / 2;
  window->step_x = g_rand_int_range (rand, 1, 4);
  window->step_y = g_rand_int_range (rand, 1, 4);
  problem->factors = (GstClLocalMeanFactors){ .k = g_rand_double (rand),
    .r = 1 + g_rand_double (rand),
    .target = g_rand_int_range (rand, 0, 1 << problem->sample.depth) };
}

static void
expect_programs (GstClContext *context, GstClLocalMeanMethod method,
    const GstClLocalMeanProblem *problem, guint n_programs)
{
  const GstClCandidate candidate = gst_cl_local_mean_choose (context, method,
      problem, FALSE, NULL);
  g_autoptr (GError) error = NULL;
  G_GNUC_UNUSED g_autoptr (GstClLocalMeanOp)
      op = gst_cl_local_mean_op_new (context, &candidate, problem, &error);

  g_assert_no_error (error);
  fail_unless (g_hash_table_size (context->programs) == n_programs,
      "%s, operation %d, window %dx%d, step %d,%d: %u programs, expected %u",
      candidate.implementation->name, problem->operation,
      problem->window.kernel_width, problem->window.kernel_height,
      problem->window.step_x, problem->window.step_y,
      g_hash_table_size (context->programs), n_programs);
}

/* --- tests --------------------------------------------------------------- */

static void
check_changes (GstClContext *context, GstClLocalMeanProblem problem,
    GRand *rand)
{
  guint n_programs;

  gst_cl_local_mean_prebuild (context, GST_CL_LOCAL_MEAN_METHOD_AUTO, &problem);
  n_programs = g_hash_table_size (context->programs);
  fail_unless (n_programs > 1);
  for (guint i = 0; i < N_CHANGES; i++) {
    change (rand, &problem);
    expect_programs (context, GST_CL_LOCAL_MEAN_METHOD_AUTO, &problem,
        n_programs);
  }
}

LOOP_TEST (test_programs_of_changes_are_built_ahead, G_N_ELEMENTS (cases))
{
  g_autoptr (GstClContext) context = open_context (cases[__i__].family);
  g_autoptr (GRand) rand = g_rand_new_with_seed (__i__);

  for (guint i = 0; i < G_N_ELEMENTS (cases[__i__].problems); i++) {
    if (cases[__i__].problems[i])
      check_changes (context, *cases[__i__].problems[i], rand);
  }
}

/* Components that are not filtered. */
LOOP_TEST (test_programs_of_copies_are_built_ahead, 2)
{
  GstClLocalMeanProblem problem = __i__ ? sums : large;
  g_autoptr (GstClContext) context = open_context (GST_CL_FAMILY_GPU);

  problem.operation = GST_CL_LOCAL_MEAN_OPERATION_COPY;
  problem.window.border = GST_CL_BORDER_WRAP;
  gst_cl_local_mean_prebuild (context, GST_CL_LOCAL_MEAN_METHOD_AUTO, &problem);
  fail_unless_equals_int (g_hash_table_size (context->programs), 1);
  if (problem.from_sums) {
    problem.operation = GST_CL_LOCAL_MEAN_OPERATION_MEAN;
    problem.window.border = GST_CL_BORDER_SHRINK;
  }
  problem.window.kernel_width = problem.window.kernel_height = 1;
  problem.window.step_x = problem.window.step_y = 3;
  expect_programs (context, GST_CL_LOCAL_MEAN_METHOD_AUTO, &problem, 1);
}

/* A cancelled build creates nothing; the programs are then built when
 * needed. */
TEST (test_cancelled)
{
  g_autoptr (GstClContext) context = open_context (GST_CL_FAMILY_GPU);
  g_autoptr (GCancellable) cancellable = g_cancellable_new ();
  GstClLocalMeanProblem problem = sums;
  GstClCandidate candidate;
  g_autoptr (GError) error = NULL;
  GstClLocalMeanOp *op;

  problem.window = (GstClWindow){ 9, 9, 4, 4, 1, 1, GST_CL_BORDER_SHRINK, 0 };
  candidate = gst_cl_local_mean_choose (context, GST_CL_LOCAL_MEAN_METHOD_AUTO,
      &problem, FALSE, NULL);
  g_cancellable_cancel (cancellable);
  g_cancellable_push_current (cancellable);
  gst_cl_local_mean_prebuild (context, GST_CL_LOCAL_MEAN_METHOD_AUTO, &problem);
  fail_unless (
      context->programs == NULL || g_hash_table_size (context->programs) == 0);
  op = gst_cl_local_mean_op_new (context, &candidate, &problem, &error);
  fail_unless (op == NULL);
  fail_unless (g_error_matches (error, G_IO_ERROR, G_IO_ERROR_CANCELLED));
  g_cancellable_pop_current (cancellable);

  expect_programs (context, GST_CL_LOCAL_MEAN_METHOD_AUTO, &problem, 1);
}

/* Programs that are built ahead have been tested, so that no frame waits for a
 * test. */
TEST (test_rows_are_tested)
{
  const GstClOpTable *table = &gst_cl_local_mean_table;
  const gint method = GST_CL_LOCAL_MEAN_METHOD_AUTO;
  g_autoptr (GstClContext) context = open_context (device->family);
  GstClLocalMeanProblem problem = large;
  const GstClImplementation *row;
  const GstClAnswer *answer;

  problem.operation = GST_CL_LOCAL_MEAN_OPERATION_COPY;
  row = gst_cl_op_table_first (table, method, &problem, device);
  answer = gst_cl_op_table_find_answer (table, row, &problem, device);
  fail_if (gst_cl_row_has_passed (device, row, answer));

  g_setenv ("GST_OPENCL_SELF_TEST", "1", TRUE);
  gst_cl_local_mean_prebuild (context, method, &problem);
  g_setenv ("GST_OPENCL_SELF_TEST", "0", TRUE);
  fail_unless (gst_cl_row_has_passed (device, row, answer));
}

SUITE (.setup = setup, .teardown = teardown);
