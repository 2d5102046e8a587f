/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Errors and activities of blocks, of sequences of pictures. */

#include "xpsnrcomponents.h"

#include "harness/frametest.h"

enum { LARGE = 1 << 0, SECOND_ORDER = 1 << 1, N_VARIANTS = 1 << 2 };

static RefXpsnr reference;

/* Two of four, so that each run tests both sizes of cells and both orders. */
static guint
choose_variants (Harness *h, const TestFormat *format)
{
  return harness_draws (h, format->kind, 2)
             ? 1u << 0 | 1u << (LARGE | SECOND_ORDER)
             : 1u << LARGE | 1u << SECOND_ORDER;
}

static gboolean
get_problem (const TestFrame *frame, guint variant, gpointer user_problem)
{
  GstClXpsnrProblem *problem = user_problem;

  *problem = (GstClXpsnrProblem){
    .order = variant & SECOND_ORDER ? 2 : 1,
    .is_large = variant & LARGE || gst_cl_xpsnr_is_large ((guint) frame->width,
                                       (guint) frame->height),
  };
  test_frame_get_shape (frame, GST_CL_XPSNR_COMPONENTS, &problem->picture);

  return TRUE;
}

static gboolean
compare (const FrameRun *run, GError **error)
{
  static const gchar *const names[] = { "squares 0", "squares 1", "squares 2",
    "spatial", "temporal" };
  const RefXpsnrPicture original = { run->bytes, run->parts };
  const RefXpsnrPicture compared = { run->compared_bytes, run->compared_parts };
  g_autofree GstClXpsnrBlock *want = NULL;
  const GstClXpsnrBlock *got;
  guint n_blocks;

  want = ref_xpsnr_measure_components (&reference, run->problem, &original,
      &compared, &n_blocks);
  got = gst_cl_picture_op_result (run->op, run->slot, NULL, error);
  if (!got)
    return FALSE;

  for (guint i = 0; i < n_blocks; i++) {
    const guint64 *a = got[i].squares, *b = want[i].squares;

    for (guint w = 0; w < G_N_ELEMENTS (names); w++) {
      g_autofree gchar *what = g_strdup_printf ("block %u of %u, %s", i,
          n_blocks, names[w]);

      frame_run_compare (run, 0, what, &a[w], &b[w], 1, sizeof *a);
    }
  }

  return TRUE;
}

static void
forget (void)
{
  ref_xpsnr_clear (&reference);
}

/* The history moves to another instance, as if the row changed. */
static void
check_adoption (Harness *h)
{
  const TestFormat *format = test_format_find ("I420");
  g_autoptr (TestFrame)
      frame = test_frame_new (h, format, test_sample_of_kind (h, format->kind),
          131, 67, (TestSpacing){ 0, 0, FALSE });

  for (guint variant = 0; variant < N_VARIANTS; variant++) {
    g_auto (FrameRun) before = { 0 }, run = { 0 };

    if (!frame_run_init (&before, h, frame, variant, NULL) ||
        !frame_run_init (&run, h, frame, variant, NULL))
      return;
    for (guint slot = 0; slot < 3; slot++)
      frame_run_check_fill (&before, slot, FILL_RANDOM);
    gst_cl_xpsnr_tiered.adopt (run.op, before.op);
    frame_run_check_fill (&run, 0, FILL_RANDOM);
  }
}

static const FrameTest test = {
  .funcs = &gst_cl_xpsnr_tiered,
  .n_components = GST_CL_XPSNR_COMPONENTS,
  .are_pictures = TRUE,
  .compares = TRUE,
  .many_samples = 50000,
  .choose_variants = choose_variants,
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
