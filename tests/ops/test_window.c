/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Arithmetic of sliding windows. */

#include "ops/localmean/localmeanproblem.h"

#include "suite.h"

/* Results found by testing every position. */
static gint
count_results (GstClBorder border, gint size, gint kernel, gint step)
{
  gint n = 0;

  for (gint at = 0; at < size; at += step) {
    if (border != GST_CL_BORDER_VALID || at + kernel <= size)
      n++;
  }

  return n;
}

TEST (test_results_match_a_count)
{
  for (gint border = GST_CL_BORDER_SHRINK; border <= GST_CL_BORDER_REPLICATE;
       border++) {
    for (gint size = 1; size <= 40; size++) {
      for (gint kernel = 1; kernel <= size + 2; kernel++) {
        for (gint step = 1; step <= size + 2; step++)
          fail_unless_equals_int (
              gst_cl_window_results (border, size, kernel, step),
              count_results (border, size, kernel, step));
      }
    }
  }
}

TEST (test_results_of_common_sizes)
{
  fail_unless_equals_int (
      gst_cl_window_results (GST_CL_BORDER_SHRINK, 1920, 15, 1), 1920);
  fail_unless_equals_int (
      gst_cl_window_results (GST_CL_BORDER_VALID, 1920, 15, 1), 1906);
  /* block means drop partial blocks */
  fail_unless_equals_int (
      gst_cl_window_results (GST_CL_BORDER_VALID, 1080, 16, 16), 67);
  fail_unless_equals_int (
      gst_cl_window_results (GST_CL_BORDER_SHRINK, 1080, 16, 16), 68);
  fail_unless_equals_int (
      gst_cl_window_results (GST_CL_BORDER_VALID, 15, 16, 1), 0);
  fail_unless_equals_int (
      gst_cl_window_results (GST_CL_BORDER_REPLICATE, 1, 1, G_MAXINT), 1);
}

static guint
sum_bytes (gint kernel_width, gint kernel_height, guint max_sample)
{
  const GstClWindow window = {
    .kernel_width = kernel_width,
    .kernel_height = kernel_height,
    .step_x = 1,
    .step_y = 1,
  };

  return gst_cl_window_sum_bytes (&window, max_sample);
}

TEST (test_sum_bytes)
{
  fail_unless_equals_int (sum_bytes (1, 1, 255), 4);
  fail_unless_equals_int (sum_bytes (1920, 1080, 255), 4);
  fail_unless_equals_int (sum_bytes (32767, 32767, 255), 8);

  /* n * 255 + n / 2 passes 2^32 - 1 between these two */
  fail_unless_equals_int (sum_bytes (16843009, 1, 255), 4);
  fail_unless_equals_int (sum_bytes (16843010, 1, 255), 8);

  /* the same at 16 bits */
  fail_unless_equals_int (sum_bytes (256, 256, 65535), 4);
  fail_unless_equals_int (sum_bytes (65538, 1, 65535), 8);
}

/* With SHRINK a window is cut to the plane; with the others it extends
 * beyond. */
TEST (test_sum_bytes_within_a_plane)
{
  for (GstClBorder border = 0; border <= GST_CL_BORDER_WRAP; border++) {
    const GstClWindow window = { .kernel_width = 32767,
      .kernel_height = 600,
      .border = border };
    const guint wide = border == GST_CL_BORDER_SHRINK ? 4 : 8;

    fail_unless_equals_int (
        gst_cl_window_sum_bytes_within (&window, 1920, 1080, 255), wide);
    fail_unless_equals_int (
        gst_cl_window_sum_bytes_within (&window, 28071, 1080, 255), wide);
    fail_unless_equals_int (
        gst_cl_window_sum_bytes_within (&window, 28072, 1080, 255), 8);
    fail_unless_equals_int (
        gst_cl_window_sum_bytes_within (&window, 1920, 1080, 65535), 8);
  }
}
