/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Differences between two pictures. */

#include "errorsreference.h"

#include "harness/frametest.h"

enum { WITHOUT_HISTOGRAM, WITH_HISTOGRAM };

static guint
choose_variants (Harness *h, const TestFormat *format)
{
  return 1u << (harness_draws (h, format->kind, 2) ? WITH_HISTOGRAM
                                                   : WITHOUT_HISTOGRAM);
}

static gboolean
get_problem (const TestFrame *frame, guint variant, gpointer user_problem)
{
  GstClErrorsProblem *problem = user_problem;

  test_frame_get_shape (frame, GST_CL_PICTURE_MAX_COMPONENTS,
      &problem->picture);
  problem->has_histogram = variant == WITH_HISTOGRAM;

  return TRUE;
}

static gboolean
compare (const FrameRun *run, GError **error)
{
  gconstpointer words = gst_cl_picture_op_result (run->op, run->slot, NULL,
      error);

  if (!words)
    return FALSE;

  for (guint c = 0; c < run->n_components; c++) {
    const guint64 *histogram;
    const GstClErrors *errors = gst_cl_errors_get (run->op, words, c,
        &histogram);
    guint64 bins[GST_CL_ERRORS_N_BINS];
    GstClErrors want;

    ref_errors (run->bytes[c], &run->parts[c], run->compared_bytes[c],
        &run->compared_parts[c], &want, bins);
    frame_run_compare (run, c, "squares, different, max, first", errors, &want,
        sizeof want / sizeof (guint64), sizeof (guint64));
    if (histogram)
      frame_run_compare (run, c, "bin", histogram, bins, GST_CL_ERRORS_N_BINS,
          sizeof *bins);
  }

  return TRUE;
}

/* Sums of squares exceed 32 bits in each work-item, and 56 bits. */
static void
check_large (Harness *h)
{
  g_autoptr (TestFrame) frame = test_frame_new (h, test_format_find ("GRAY8"),
      (GstClSampleType){ 2, 16, 0 }, 8209, 4801, (TestSpacing){ 0, 0, FALSE });
  g_auto (FrameRun) run;

  if (frame_run_init (&run, h, frame, WITHOUT_HISTOGRAM, NULL))
    frame_run_check_fill (&run, 0, FILL_ZERO);
}

/* The only different sample is found wherever it is. */
static void
check_first (Harness *h)
{
  g_autoptr (TestFrame) frame = test_frame_new (h, test_format_find ("GRAY8"),
      (GstClSampleType){ 1, 8, 0 }, 643, 67, (TestSpacing){ 5, 0, FALSE });
  g_auto (FrameRun) run;

  if (!frame_run_init (&run, h, frame, WITHOUT_HISTOGRAM, NULL))
    return;

  for (guint i = 0; i < 50; i++) {
    const gint x = g_rand_int_range (h->rand, 0, frame->width);
    const gint y = g_rand_int_range (h->rand, 0, frame->height);

    test_frame_fill (h, frame, FILL_MAX);
    test_frame_fill (h, run.compared, FILL_MAX);
    test_frame_put (run.compared, 0, x, y, 254);
    test_frame_upload (h, run.compared);
    frame_run_check (&run, 0);
  }
}

static void
check_more (Harness *h)
{
  check_large (h);
  check_first (h);
}

static const FrameTest test = {
  .funcs = &gst_cl_errors_tiered,
  .n_components = GST_CL_PICTURE_MAX_COMPONENTS,
  .compares = TRUE,
  .many_samples = 50000,
  .choose_variants = choose_variants,
  .get_problem = get_problem,
  .compare = compare,
  .check_more = check_more,
};

int
main (int argc, char **argv)
{
  return frame_test_main (argc, argv, &test);
}
