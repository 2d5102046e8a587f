/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Sliding windows: many windows on one frame, and samples of 16 bits, compared
 * with the definition. */

#include <string.h>

#include "localmeancase.h"
#include "oprow.h"

#define WINDOWS_OF_A_FRAME 12

/* Returns the row in the name of a case: "localmeansliding/<family>/...". */
static const GstClImplementation *
labelled_row (const Harness *h)
{
  return op_row_find (&gst_cl_local_mean_table,
      strstr (h->label, "/cpu/") ? "sliding-cpu" : "sliding-gpu");
}

/* Returns whether a row of the method and the family of @row supports @problem:
 * windows of bytes have a row of their own. */
static gboolean
slides (const GstClImplementation *row, const GstClLocalMeanProblem *problem)
{
  const GstClDevice device = { .family = row->family };
  const GstClImplementation *first = gst_cl_op_table_first (
      &gst_cl_local_mean_table, row->method, problem, &device);

  return first && first->method == row->method;
}

/* Windows that slide over frames of one size. */
static void
check_frame (Harness *h, gint width, gint height, const MeanForm *form)
{
  const GstClImplementation *row = labelled_row (h);
  const guint n_windows = harness_count (h, WINDOWS_OF_A_FRAME, 2);

  for (guint n = 0; n < n_windows && h->n_failed == 0; n++) {
    MeanCase c = mean_case_random (h, row, width, height);

    c.problem.window.border = form->border;
    c.problem.src_pixel_stride_bytes = form->src_pixel_stride;
    c.problem.dst_pixel_stride_bytes = form->dst_pixel_stride;
    if (n == 1) {
      /* from no row to one: changes of more than 16 bits with a sign */
      c.problem.window.kernel_width = MIN (width, 129 + 32 * (width % 5));
      c.problem.window.kernel_height = 1;
      c.problem.window.anchor_x = c.problem.window.kernel_width / 2;
      c.problem.window.anchor_y = 0;
      c.problem.window.step_x = c.problem.window.step_y = 1;
    }
    c.fill = n == 1 ? FILL_MAX : n % 2 ? FILL_RANDOM : n / 2 % N_FILL_TYPES;
    if (slides (row, &c.problem))
      mean_case_check (h, &c);
  }
}

static void
check_windows (Harness *h)
{
  const guint n_forms = harness_count (h, 3, 1);
  guint n_sizes;
  const TestSize *sizes = harness_sizes (h, &n_sizes);

  for (guint i = 0; i < n_sizes; i++) {
    for (guint k = 0; k < n_forms && h->n_failed == 0; k++) {
      const MeanForm form = mean_case_form (h, labelled_row (h), 3 * i + k);

      check_frame (h, sizes[i].width, sizes[i].height, &form);
    }
  }
}

/* Samples of 16 bits */

static void
check_wide_samples (Harness *h)
{
  static const GstClSampleType types[] = { { 2, 10, 6 }, { 2, 16, 0 } };

  const GstClImplementation *row = labelled_row (h);
  const guint n_windows = harness_count (h, 24, 6);
  const gint largest = (gint) harness_count (h, 300, 70);

  for (guint i = 0; i < n_windows && h->n_failed == 0; i++) {
    const gint width = g_rand_int_range (h->rand, 1, largest);
    const gint height = g_rand_int_range (h->rand, 1, 40);
    const MeanForm form = mean_case_form (h, row, i);
    const GstClSampleType type =
        types[((form.border == GST_CL_BORDER_SHRINK) + h->seed) % 2];
    const gint spacing = g_rand_boolean (h->rand) ? 2 : 0;
    MeanCase c = mean_case_random (h, row, width, height);

    c.problem.sample = type;
    c.problem.src_pixel_stride_bytes = c.problem.dst_pixel_stride_bytes = 2;
    c.problem.window.border = form.border;
    c.fill = FILL_RANDOM;
    c.src_pad = 2 * g_rand_int_range (h->rand, 0, 8);
    c.src_guard *= spacing;
    c.dst_pad *= spacing;
    c.dst_guard *= spacing;
    if (slides (row, &c.problem))
      mean_case_check (h, &c);
  }
}

/* @is_wanted: whether the row must support windows of @width x @height. */
static void
check_limit (Harness *h, GstClSampleType sample, gint width, gint height,
    gboolean is_wanted)
{
  const GstClLocalMeanProblem problem = {
    .sample = sample,
    .width = 300,
    .height = 4200,
    .window = { .kernel_width = width,
        .kernel_height = height,
        .step_x = 1,
        .step_y = 1 },
  };

  if (slides (labelled_row (h), &problem) != is_wanted)
    harness_fail (h, NULL, "window %dx%d, %u bits: the row %s", width, height,
        sample.depth, is_wanted ? "must support it" : "must not support it");
}

static void
check_limits (Harness *h)
{
  const gboolean is_cpu = labelled_row (h)->family == GST_CL_FAMILY_CPU;
  const GstClSampleType byte = { 1, 8, 0 }, word = { 2, 16, 0 };

  check_limit (h, byte, 188, 3, TRUE);
  check_limit (h, byte, 189, 3, is_cpu);
  check_limit (h, byte, 3, 32767, TRUE);
  check_limit (h, byte, 3, 32768, FALSE);
  check_limit (h, byte, 32767, 3, is_cpu);
  check_limit (h, byte, 32768, 3, FALSE);
  check_limit (h, word, 188, 348, TRUE);
  check_limit (h, word, 188, 400, FALSE);
}

int
main (int argc, char **argv)
{
  static const HarnessCase cases[] = {
    { "localmeansliding/cpu/windows", check_windows, NULL, FALSE },
    { "localmeansliding/cpu/wide-samples", check_wide_samples, NULL, FALSE },
    { "localmeansliding/cpu/limits", check_limits, NULL, FALSE },
    { "localmeansliding/gpu/windows", check_windows, NULL, FALSE },
    { "localmeansliding/gpu/wide-samples", check_wide_samples, NULL, FALSE },
    { "localmeansliding/gpu/limits", check_limits, NULL, FALSE },
  };

  return harness_main (argc, argv, cases, G_N_ELEMENTS (cases));
}
