/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Cells: every row of the table on frames of every shape and on parts of them,
 * compared with the reference. */

#include "cellsreference.h"

#include "harness/testframe.h"
#include "harness/rows.h"

#define MAX_COMPONENTS  GST_CL_CELLS_MAX_COMPONENTS
#define N_RANDOM_FRAMES 15
#define MANY_SAMPLES    50000

static const GstClImplementation *
row_of_case (const Harness *h)
{
  return harness_row (h, &gst_cl_cells_table);
}

static gpointer
op_new (Harness *h, const TestFrame *frame)
{
  GstClCellsProblem problem = {
    .n_components = frame->format->n_components,
  };
  GstClCandidate candidate;
  g_autoptr (GError) error = NULL;
  gpointer op;

  for (guint c = 0; c < problem.n_components; c++)
    problem.shapes[c] = frame->components[c];
  candidate = gst_cl_implementation_untuned (row_of_case (h), &problem,
      h->context->device);
  op = gst_cl_cells_op_new (h->context, &candidate, &problem, &error);
  if (!op)
    harness_fail (h, error, "cannot create an op for %s %dx%d",
        frame->format->name, frame->width, frame->height);

  return op;
}

/* Measures @parts of @frame into @slot, and compares. */
static void
check_parts (Harness *h, GstClCellsOp *op, const TestFrame *frame,
    const GstClComponent *parts, guint slot)
{
  g_autoptr (GError) error = NULL;
  const guint32 *means;

  if (!gst_cl_cells_op_run (op, parts, &error) ||
      !gst_cl_cells_op_fetch (op, slot, &error) ||
      !(means = gst_cl_cells_op_result (op, slot, &error))) {
    harness_fail (h, error, "cannot measure %s %dx%d", frame->format->name,
        frame->width, frame->height);
    return;
  }
  for (guint c = 0; c < frame->format->n_components; c++) {
    guint32 want[GST_CL_N_CELLS];

    ref_cells (test_frame_bytes (frame, c), &parts[c], want);
    for (guint i = 0; i < GST_CL_N_CELLS; i++, means++) {
      if (*means == want[i])
        continue;
      harness_fail (h, NULL,
          "%s of %u bits, %dx%d pad %d guard %d, component %u, part %dx%d at "
          "byte %" G_GSIZE_FORMAT ": cell %u: found (expected) %u (%u)",
          frame->format->name, frame->sample.depth, frame->width, frame->height,
          frame->spacing.pad_bytes, frame->spacing.guard_bytes, c,
          parts[c].width, parts[c].height, parts[c].offset_bytes, i, *means,
          want[i]);
      return;
    }
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
  g_autoptr (GstClCellsOp) op = op_new (h, frame);
  const gboolean is_random = h->is_small || width * height > MANY_SAMPLES;
  GstClComponent parts[MAX_COMPONENTS];

  if (!op)
    return;

  for (FillType fill = is_random ? FILL_RANDOM : 0; fill < N_FILL_TYPES;
       fill++) {
    test_frame_fill (h, frame, fill);
    check_parts (h, op, frame, frame->components, fill);
  }
  for (guint c = 0; c < format->n_components; c++)
    parts[c] = test_part_random (h, &frame->components[c], TRUE);
  check_parts (h, op, frame, parts, GST_CL_CELLS_SLOTS - 1);
  check_parts (h, op, frame, frame->components, 0);
}

/* Sums of cells exceed 32 bits. */
static void
check_large (Harness *h)
{
  g_autoptr (TestFrame) frame = test_frame_new (h, test_format_find ("GRAY8"),
      (GstClSampleType){ 2, 16, 0 }, 8209, 4801, (TestSpacing){ 0, 0, FALSE });
  g_autoptr (GstClCellsOp) op = op_new (h, frame);

  if (!op)
    return;
  test_frame_fill (h, frame, FILL_MAX);
  check_parts (h, op, frame, frame->components, 0);
}

static const TestFrameOp frame_op = {
  .create = op_new,
  .run = gst_cl_cells_op_run,
  .free = gst_cl_cells_op_free,
  .n_components = GST_CL_CELLS_MAX_COMPONENTS,
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
  return harness_rows_main (argc, argv, &gst_cl_cells_table, check_row,
      bench_row, NULL, 0);
}
