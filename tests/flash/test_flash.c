/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Flashes, of sequences of pictures. */

#include "flashreference.h"

#include "harness/frametest.h"

static RefFlash reference;
static guint64 n_transitions; /* of all pictures */

static gboolean
get_problem (const TestFrame *frame, guint variant G_GNUC_UNUSED,
    gpointer user_problem)
{
  GstClFlashProblem *problem = user_problem;

  *problem = (GstClFlashProblem){
    .curve = { GST_CL_TRANSFER_BT1886, FALSE, frame->sample.depth,
        GST_CL_FLASH_REFERENCE },
    .weights = { 0.2627, 0.678, 0.0593 },
  };
  test_frame_get_shape (frame, GST_CL_PIXEL_COMPONENTS, &problem->picture);
  /* light above the limit of luminance, and above that of its memory */
  if (frame->sample.depth > 8)
    problem->curve.transfer = GST_CL_TRANSFER_PQ;

  return TRUE;
}

static gboolean
compare (const FrameRun *run, GError **error)
{
  static GstClFlashTile tiles[GST_CL_FLASH_N_TILES];
  GstClFlashCounts want, got;

  ref_flash_measure (&reference, run->problem, run->bytes, run->parts, &want,
      tiles);
  if (!gst_cl_flash_op_result (run->op, run->slot, &got, error))
    return FALSE;

  const guint64 numbers[][2] = { { got.n_cells, want.n_cells },
    { got.luminance, want.luminance }, { got.red, want.red },
    { got.n_changed_luminance, want.n_changed_luminance },
    { got.n_changed_red, want.n_changed_red } };
  static const gchar *const names[] = { "cells", "luminance", "red",
    "changed luminance", "changed red" };

  for (guint i = 0; i < G_N_ELEMENTS (names); i++)
    frame_run_compare (run, 0, names[i], &numbers[i][0], &numbers[i][1], 1,
        sizeof numbers[i][0]);
  /* four numbers of each tile */
  frame_run_compare (run, 0, "rises, falls, red rises, red falls", got.tiles,
      tiles, 4 * GST_CL_FLASH_N_TILES, sizeof (guint32));
  for (guint i = 0; i < GST_CL_FLASH_N_TILES; i++)
    n_transitions += (guint64) tiles[i].n_rises + tiles[i].n_falls +
                     tiles[i].n_red_rises + tiles[i].n_red_falls;

  return TRUE;
}

static void
forget (void)
{
  ref_flash_clear (&reference);
}

/* The state moves to another instance, as if the row changed. */
static void
check_adoption (Harness *h)
{
  const TestFormat *format = test_format_find ("I420");
  g_autoptr (TestFrame)
      frame = test_frame_new (h, format, test_sample_of_kind (h, format->kind),
          131, 67, (TestSpacing){ 0, 0, FALSE });
  g_auto (FrameRun) before = { 0 }, run = { 0 };

  if (n_transitions == 0)
    harness_fail (h, NULL, "no picture has a transition");
  if (!frame_run_init (&before, h, frame, 0, NULL) ||
      !frame_run_init (&run, h, frame, 0, NULL))
    return;
  frame_run_check_fill (&before, 0, FILL_RANDOM);
  gst_cl_flash_tiered.adopt (run.op, before.op);
  frame_run_check_fill (&run, 1, FILL_RANDOM);
}

static const FrameTest test = {
  .funcs = &gst_cl_flash_tiered,
  .n_components = GST_CL_PIXEL_COMPONENTS,
  .are_pictures = TRUE,
  .many_samples = G_MAXINT,
  .get_problem = get_problem,
  .compare = compare,
  .forget = forget,
  .check_more = check_adoption,
};

int
main (int argc, char **argv)
{
  return frame_test_main (argc, argv, &test);
}
