/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Structural similarity of two pictures. */

#include "ssimreference.h"

#include "harness/frametest.h"

static gboolean
get_problem (const TestFrame *frame, guint variant G_GNUC_UNUSED,
    gpointer user_problem)
{
  test_frame_get_shape (frame, GST_CL_PICTURE_MAX_COMPONENTS, user_problem);

  return TRUE;
}

static gboolean
compare (const FrameRun *run, GError **error)
{
  const GstClPictureSize *sizes;
  const gint64 *sums = gst_cl_picture_op_result (run->op, run->slot, &sizes,
      error);

  if (!sums)
    return FALSE;

  for (guint c = 0; c < run->n_components; c++) {
    const gint64 want = ref_ssim (run->bytes[c], &run->parts[c],
        run->compared_bytes[c], &run->compared_parts[c]);

    frame_run_compare (run, c, "sum", &sums[c], &want, 1, sizeof want);
  }

  return TRUE;
}

/* Compares the frame with itself, or with its negative. */
static void
check_relation (FrameRun *run, FillType fill, gboolean is_negative)
{
  const TestFrame *frame = run->frame;
  const guint mask = is_negative ? (1u << frame->sample.depth) - 1 : 0;
  const GstClComponent *component = &frame->components[0];

  test_frame_fill (run->h, run->frame, fill);
  for (gint y = 0; y < component->height; y++) {
    for (gint x = 0; x < component->width; x++)
      test_frame_put (run->compared, 0, x, y,
          test_code_at (run->bytes[0], component, x, y) ^ mask);
  }
  test_frame_upload (run->h, run->compared);
  frame_run_check (run, 0);
}

/* Each window of equal pictures has the value 1. */
static void
check_ones (const FrameRun *run)
{
  const GstClPictureSize *sizes;
  const gint64 *sums = gst_cl_picture_op_result (run->op, 0, &sizes, NULL);
  const gint64 want = (gint64) (sizes[0].width / 4 - 1) *
                      (sizes[0].height / 4 - 1) * GST_CL_SSIM_ONE;

  frame_run_compare (run, 0, "windows of equal pictures", sums, &want, 1,
      sizeof want);
}

/* The greatest sums of each type, of equal and of opposite pictures. */
static void
check_extremes (Harness *h)
{
  static const GstClSampleType samples[] = { { 1, 8, 0 }, { 2, 16, 0 } };

  for (guint i = 0; i < G_N_ELEMENTS (samples); i++) {
    g_autoptr (TestFrame) frame = test_frame_new (h, test_format_find ("GRAY8"),
        samples[i], 1037, 203, test_spacing_random (h));
    g_auto (FrameRun) run;

    if (!frame_run_init (&run, h, frame, 0, NULL))
      continue;

    for (guint fill = 0; fill < N_FILL_TYPES; fill++) {
      check_relation (&run, fill, TRUE);
      check_relation (&run, fill, FALSE);
      check_ones (&run);
    }
  }
}

static const FrameTest test = {
  .funcs = &gst_cl_ssim_tiered,
  .n_components = GST_CL_PICTURE_MAX_COMPONENTS,
  .compares = TRUE,
  .many_samples = 50000,
  .get_problem = get_problem,
  .compare = compare,
  .check_more = check_extremes,
};

int
main (int argc, char **argv)
{
  return frame_test_main (argc, argv, &test);
}
