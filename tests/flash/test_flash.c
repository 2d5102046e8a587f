/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Flashes: every row of the table on sequences of pictures of every shape and
 * on parts of them, compared with the reference. */

#include "flashreference.h"

#include "harness/testframe.h"
#include "harness/rows.h"

#include <string.h>

#define MAX_COMPONENTS  GST_CL_FLASH_MAX_COMPONENTS
#define N_RANDOM_FRAMES 8
#define N_PICTURES      5

static const GstClImplementation *
row_of_case (const Harness *h)
{
  return harness_row (h, &gst_cl_flash_table);
}

static void
get_problem (const TestFrame *frame, GstClFlashProblem *problem)
{
  *problem = (GstClFlashProblem){
    .n_components = MIN (frame->format->n_components, MAX_COMPONENTS),
    .curve = { GST_CL_TRANSFER_BT1886, FALSE, frame->sample.depth,
        GST_CL_FLASH_REFERENCE },
    .weights = { 0.2627, 0.678, 0.0593 },
  };
  for (guint c = 0; c < problem->n_components; c++)
    problem->shapes[c] = frame->components[c];
  test_frame_get_rgb (frame, &problem->matrix, &problem->x_shift,
      &problem->y_shift);
  /* light above the limit of luminance, and above that of its memory */
  if (frame->sample.depth > 8)
    problem->curve.transfer = GST_CL_TRANSFER_PQ;
}

static gpointer
op_of_problem (Harness *h, const GstClFlashProblem *problem)
{
  GstClCandidate candidate = gst_cl_implementation_untuned (row_of_case (h),
      problem, h->context->device);
  g_autoptr (GError) error = NULL;
  gpointer op = gst_cl_flash_op_new (h->context, &candidate, problem, &error);

  if (!op)
    harness_fail (h, error, "cannot create an op");

  return op;
}

static gpointer
op_new (Harness *h, const TestFrame *frame)
{
  GstClFlashProblem problem;

  get_problem (frame, &problem);

  return op_of_problem (h, &problem);
}

/* Measures @parts of @frame into @slot, and compares. Returns the sum of all
 * transitions. */
static guint64
check_parts (Harness *h, GstClFlashOp *op, RefFlash *reference,
    const GstClFlashProblem *problem, const TestFrame *frame,
    const GstClComponent *parts, guint slot)
{
  static GstClFlashTile tiles[GST_CL_FLASH_N_TILES];
  const guint8 *bytes[MAX_COMPONENTS];
  GstClFlashCounts want, found;
  g_autoptr (GError) error = NULL;
  guint64 n = 0;

  for (guint c = 0; c < problem->n_components; c++)
    bytes[c] = test_frame_bytes (frame, c);
  ref_flash_measure (reference, problem, bytes, parts, &want, tiles);
  if (!gst_cl_flash_op_run (op, parts, &error) ||
      !gst_cl_flash_op_fetch (op, slot, &error) ||
      !gst_cl_flash_op_result (op, slot, &found, &error)) {
    harness_fail (h, error, "cannot measure %s %dx%d", frame->format->name,
        frame->width, frame->height);
    return 0;
  }

  if (found.luminance != want.luminance || found.red != want.red ||
      found.n_changed_luminance != want.n_changed_luminance ||
      found.n_changed_red != want.n_changed_red ||
      found.n_cells != want.n_cells)
    harness_fail (h, NULL,
        "%s of %u bits, %dx%d pad %d guard %d, part %dx%d, picture %u: found "
        "(expected) luminance %" G_GUINT64_FORMAT " (%" G_GUINT64_FORMAT
        "), red %" G_GUINT64_FORMAT " (%" G_GUINT64_FORMAT
        "), changed %" G_GUINT64_FORMAT " (%" G_GUINT64_FORMAT
        "), red changed %" G_GUINT64_FORMAT " (%" G_GUINT64_FORMAT ")",
        frame->format->name, frame->sample.depth, frame->width, frame->height,
        frame->spacing.pad_bytes, frame->spacing.guard_bytes, parts[0].width,
        parts[0].height, slot, found.luminance, want.luminance, found.red,
        want.red, found.n_changed_luminance, want.n_changed_luminance,
        found.n_changed_red, want.n_changed_red);
  for (guint i = 0; i < GST_CL_FLASH_N_TILES; i++) {
    const GstClFlashTile *a = &found.tiles[i], *b = &want.tiles[i];

    n += (guint64) b->n_rises + b->n_falls + b->n_red_rises + b->n_red_falls;
    if (memcmp (a, b, sizeof *a) == 0)
      continue;
    harness_fail (h, NULL,
        "%s of %u bits, %dx%d, part %dx%d, picture %u: tile %u: found "
        "(expected) %u (%u) rises, %u (%u) falls, red %u (%u) and %u (%u)",
        frame->format->name, frame->sample.depth, frame->width, frame->height,
        parts[0].width, parts[0].height, slot, i, a->n_rises, b->n_rises,
        a->n_falls, b->n_falls, a->n_red_rises, b->n_red_rises, a->n_red_falls,
        b->n_red_falls);
    return n;
  }

  return n;
}

/* --- cases ---------------------------------------------------------------- */

/* Pictures that are not filled at random differ from the one before in nearly
 * every cell. */
static void
check_format (Harness *h, const TestFormat *format, GstClSampleType sample,
    gint width, gint height)
{
  static const FillType fills[N_PICTURES] = { FILL_RANDOM, FILL_MAX, FILL_ZERO,
    FILL_RANDOM, FILL_RANDOM };
  g_autoptr (TestFrame) frame = test_frame_new (h, format, sample, width,
      height, test_spacing_random (h));
  GstClFlashProblem problem;
  g_autoptr (GstClFlashOp) op = NULL;
  RefFlash reference = { 0 };
  guint64 n_transitions = 0;

  get_problem (frame, &problem);
  op = op_of_problem (h, &problem);
  if (!op)
    return;

  for (guint i = 0; i < harness_count (h, N_PICTURES, 3); i++) {
    test_frame_fill (h, frame, fills[i]);
    n_transitions += check_parts (h, op, &reference, &problem, frame,
        problem.shapes, i);
  }
  if (n_transitions == 0)
    harness_fail (h, NULL, "%s %dx%d: no transition", format->name, width,
        height);

  /* without a picture before */
  gst_cl_flash_op_forget (op);
  ref_flash_clear (&reference);
  check_parts (h, op, &reference, &problem, frame, problem.shapes, N_PICTURES);

  /* the left part has the same chroma, of which it needs no more */
  if (width > 4 && height > 4) {
    GstClComponent parts[MAX_COMPONENTS];

    for (guint c = 0; c < problem.n_components; c++) {
      parts[c] = problem.shapes[c];
      parts[c].width = (parts[c].width + 1) / 2;
      parts[c].height = MAX (parts[c].height - 1, 1);
    }
    check_parts (h, op, &reference, &problem, frame, parts,
        GST_CL_FLASH_SLOTS - 1);
    test_frame_fill (h, frame, FILL_RANDOM);
    check_parts (h, op, &reference, &problem, frame, parts, 0);
  }
  ref_flash_clear (&reference);
}

/* The state moves to another instance, as if the row changed. */
static void
check_adoption (Harness *h)
{
  g_autoptr (TestFrame) frame = test_frame_new (h, test_format_find ("RGB"),
      test_sample_of_kind (h, test_format_find ("RGB")->kind), 131, 67,
      (TestSpacing){ 0, 0, FALSE });
  GstClFlashProblem problem;
  g_autoptr (GstClFlashOp) op = NULL, next = NULL;
  RefFlash reference = { 0 };

  get_problem (frame, &problem);
  op = op_of_problem (h, &problem);
  next = op_of_problem (h, &problem);
  if (!op || !next)
    return;

  test_frame_fill (h, frame, FILL_RANDOM);
  check_parts (h, op, &reference, &problem, frame, problem.shapes, 0);
  gst_cl_flash_tiered.adopt (next, op);
  test_frame_fill (h, frame, FILL_RANDOM);
  check_parts (h, next, &reference, &problem, frame, problem.shapes, 1);
  ref_flash_clear (&reference);
}

static const TestFrameOp frame_op = {
  .create = op_new,
  .run = gst_cl_flash_op_run,
  .free = gst_cl_flash_op_free,
  .n_components = MAX_COMPONENTS,
};

static void
check_row (Harness *h)
{
  test_frames_each (h, N_RANDOM_FRAMES, TRUE, check_format);
  check_adoption (h);
  test_frame_op_refusals (h, &frame_op);
}

static void
bench_row (Harness *h)
{
  test_frame_op_bench (h, &frame_op);
}

int
main (int argc, char **argv)
{
  return harness_rows_main (argc, argv, &gst_cl_flash_table, check_row,
      bench_row, NULL, 0);
}
