/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Means in a grid of cells. */

#include "cellsreference.h"

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
  const guint32 *means = gst_cl_picture_op_result (run->op, run->slot, NULL,
      error);

  if (!means)
    return FALSE;

  for (guint c = 0; c < run->n_components; c++, means += GST_CL_N_CELLS) {
    guint32 want[GST_CL_N_CELLS];

    ref_cells (run->bytes[c], &run->parts[c], want);
    frame_run_compare (run, c, "cell", means, want, GST_CL_N_CELLS,
        sizeof *want);
  }

  return TRUE;
}

/* Sums of cells exceed 32 bits. */
static void
check_large (Harness *h)
{
  g_autoptr (TestFrame) frame = test_frame_new (h, test_format_find ("GRAY8"),
      (GstClSampleType){ 2, 16, 0 }, 8209, 4801, (TestSpacing){ 0, 0, FALSE });
  g_auto (FrameRun) run;

  if (frame_run_init (&run, h, frame, 0, NULL))
    frame_run_check_fill (&run, 0, FILL_MAX);
}

static const FrameTest test = {
  .funcs = &gst_cl_cells_tiered,
  .n_components = GST_CL_PICTURE_MAX_COMPONENTS,
  .many_samples = 50000,
  .get_problem = get_problem,
  .compare = compare,
  .check_more = check_large,
};

int
main (int argc, char **argv)
{
  return frame_test_main (argc, argv, &test);
}
