/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Steps between blocks: every row of the table on components of every shape
 * and on parts of them, compared with the reference. */

#include "blocksreference.h"

#include "harness/testframe.h"
#include "harness/rows.h"

#define N_RANDOM_FRAMES 15
#define MANY_SAMPLES    50000

static const GstClImplementation *
row_of_case (const Harness *h)
{
  return harness_row (h, &gst_cl_blocks_table);
}

static GstClBlocksOp *
op_new (Harness *h, const TestFrame *frame, guint c)
{
  const GstClBlocksProblem problem = { frame->components[c] };
  const GstClCandidate candidate = gst_cl_implementation_untuned (
      row_of_case (h), &problem, h->context->device);
  g_autoptr (GError) error = NULL;
  GstClBlocksOp *op = gst_cl_blocks_op_new (h->context, &candidate, &problem,
      &error);

  if (!op)
    harness_fail (h, error, "cannot create an op for %s %dx%d",
        frame->format->name, frame->width, frame->height);

  return op;
}

/* --- comparison ----------------------------------------------------------- */

static void
compare (Harness *h, const TestFrame *frame, const GstClComponent *part,
    const gchar *what, const guint64 *got, const guint64 *want, guint n)
{
  for (guint i = 0; i < n; i++) {
    if (got[i] == want[i])
      continue;
    harness_fail (h, NULL,
        "%s of %u bits, %dx%d pad %d guard %d, part %dx%d at byte "
        "%" G_GSIZE_FORMAT ": %s %u: found (expected) %" G_GUINT64_FORMAT
        " (%" G_GUINT64_FORMAT ")",
        frame->format->name, frame->sample.depth, frame->width, frame->height,
        frame->spacing.pad_bytes, frame->spacing.guard_bytes, part->width,
        part->height, part->offset_bytes, what, i, got[i], want[i]);
    return;
  }
}

/* Measures @part of component @c into @slot, and compares. */
static void
check_part (Harness *h, GstClBlocksOp *op, const TestFrame *frame, guint c,
    const GstClComponent *part, guint slot)
{
  g_autofree guint64 *columns = g_new (guint64, part->width);
  g_autofree guint64 *rows = g_new (guint64, part->height);
  g_autoptr (GError) error = NULL;
  GstClBlockSums sums;

  if (!gst_cl_blocks_op_run (op, part, &error) ||
      !gst_cl_blocks_op_fetch (op, slot, &error) ||
      !gst_cl_blocks_op_result (op, slot, &sums, &error)) {
    harness_fail (h, error, "cannot measure %s %dx%d", frame->format->name,
        frame->width, frame->height);
    return;
  }
  ref_blocks (test_frame_bytes (frame, c), part, columns, rows);
  if (sums.n_columns != (guint) part->width ||
      sums.n_rows != (guint) part->height)
    harness_fail (h, NULL, "expected %dx%d sums, found %ux%u", part->width,
        part->height, sums.n_columns, sums.n_rows);
  else {
    compare (h, frame, part, "column", sums.columns, columns, part->width);
    compare (h, frame, part, "row", sums.rows, rows, part->height);
  }
}

/* --- cases ---------------------------------------------------------------- */

/* Only the random fill detects wrong accesses: it is enough for many samples,
 * and with --small. */
static void
check_format (Harness *h, const TestFormat *format, GstClSampleType sample,
    gint width, gint height)
{
  g_autoptr (TestFrame) frame = test_frame_new (h, format, sample, width,
      height, test_spacing_random (h));
  const guint c = g_rand_int_range (h->rand, 0, format->n_components);
  g_autoptr (GstClBlocksOp) op = op_new (h, frame, c);
  const gboolean is_random = h->is_small || width * height > MANY_SAMPLES;
  GstClComponent part;

  if (!op)
    return;

  for (FillType fill = is_random ? FILL_RANDOM : 0; fill < N_FILL_TYPES;
       fill++) {
    test_frame_fill (h, frame, fill);
    check_part (h, op, frame, c, &frame->components[c], fill);
  }
  part = test_part_random (h, &frame->components[c], FALSE);
  check_part (h, op, frame, c, &part, GST_CL_BLOCKS_SLOTS - 1);
  check_part (h, op, frame, c, &frame->components[c], 0);
}

/* Each ratio is the greatest one, so that sums exceed 32 bits. */
static void
check_large (Harness *h)
{
  g_autoptr (TestFrame) frame = test_frame_new (h, &test_formats[0],
      test_samples[0], 901, 601, (TestSpacing){ 0, 0, FALSE });
  g_autoptr (GstClBlocksOp) op = op_new (h, frame, 0);

  if (!op)
    return;
  test_frame_fill (h, frame, FILL_ALTERNATING);
  check_part (h, op, frame, 0, &frame->components[0], 0);
}

static gpointer
create_first (Harness *h, const TestFrame *frame)
{
  return op_new (h, frame, 0);
}

static const TestFrameOp frame_op = {
  .create = create_first,
  .run = gst_cl_blocks_op_run,
  .free = gst_cl_blocks_op_free,
  .n_components = 1,
};

static void
check_row (Harness *h)
{
  test_frames_each (h, N_RANDOM_FRAMES, FALSE, check_format);
  if (!h->is_small)
    check_large (h);
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
  return harness_rows_main (argc, argv, &gst_cl_blocks_table, check_row,
      bench_row, NULL, 0);
}
