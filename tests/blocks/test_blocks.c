/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Steps between blocks, of one component of a frame. */

#include "blocksreference.h"

#include "harness/frametest.h"

static guint
choose_component (Harness *h, const TestFormat *format)
{
  return 1u << g_rand_int_range (h->rand, 0, (gint) format->n_components);
}

static gboolean
get_problem (const TestFrame *frame, guint component, gpointer problem)
{
  *(GstClPictureShape *) problem = (GstClPictureShape){
    .n_components = 1,
    .shapes = { frame->components[component] },
  };

  return TRUE;
}

static gboolean
compare (const FrameRun *run, GError **error)
{
  const guint width = (guint) run->parts[0].width;
  const guint height = (guint) run->parts[0].height;
  g_autofree guint64 *columns = g_new (guint64, width);
  g_autofree guint64 *rows = g_new (guint64, height);
  const GstClPictureSize *size;
  const guint64 *sums = gst_cl_picture_op_result (run->op, run->slot, &size,
      error);

  gdouble blockiness, right;

  if (!sums ||
      !gst_cl_blocks_op_result (run->op, run->slot, &blockiness, error))
    return FALSE;

  ref_blocks (run->bytes[0], &run->parts[0], columns, rows);
  frame_run_compare (run, 0, "number of columns", &size->width, &width, 1,
      sizeof width);
  frame_run_compare (run, 0, "number of rows", &size->height, &height, 1,
      sizeof height);
  frame_run_compare (run, 0, "column", sums, columns, MIN (width, size->width),
      sizeof *columns);
  frame_run_compare (run, 0, "row", sums + size->width, rows,
      MIN (height, size->height), sizeof *rows);
  right = gst_cl_blockiness (columns, width, rows, height);
  frame_run_compare (run, 0, "bits of blockiness", &blockiness, &right, 1,
      sizeof right);

  return TRUE;
}

/* The ratios of one column and of one row are the greatest ones, so that their
 * sums exceed 32 bits. */
static void
check_large (Harness *h)
{
  const gint width = 901, height = 701;
  g_autoptr (TestFrame) frame = test_frame_new (h, test_format_find ("GRAY8"),
      test_samples[0], width, height, (TestSpacing){ 0, 0, FALSE });
  g_auto (FrameRun) run;

  if (!frame_run_init (&run, h, frame, 0, NULL))
    return;
  test_frame_fill (h, frame, FILL_ZERO);
  for (gint y = height / 2; y < height; y++) {
    for (gint x = width / 2; x < width; x++)
      test_frame_put (frame, 0, x, y, 255);
  }
  test_frame_upload (h, frame);
  frame_run_check (&run, 0);
}

static const FrameTest test = {
  .funcs = &gst_cl_blocks_tiered,
  .n_components = 1,
  .many_samples = 50000,
  .choose_variants = choose_component,
  .get_problem = get_problem,
  .compare = compare,
  .check_more = check_large,
};

int
main (int argc, char **argv)
{
  return frame_test_main (argc, argv, &test);
}
