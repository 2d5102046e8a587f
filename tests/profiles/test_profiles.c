/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Profiles: every row of the table on frames of every shape and on parts of
 * them, compared with the reference. */

#include "profilesreference.h"

#include "harness/testframe.h"
#include "harness/rows.h"

#define MAX_COMPONENTS  GST_CL_PROFILES_MAX_COMPONENTS
#define N_RANDOM_FRAMES 15
#define MANY_SAMPLES    50000

static const GstClImplementation *
row_of_case (const Harness *h)
{
  return harness_row (h, &gst_cl_profiles_table);
}

static gpointer
op_new (Harness *h, const TestFrame *frame)
{
  GstClProfilesProblem problem = {
    .n_components = frame->format->n_components,
  };
  GstClCandidate candidate;
  g_autoptr (GError) error = NULL;
  gpointer op;

  for (guint c = 0; c < problem.n_components; c++)
    problem.shapes[c] = frame->components[c];
  candidate = gst_cl_implementation_untuned (row_of_case (h), &problem,
      h->context->device);
  op = gst_cl_profiles_op_new (h->context, &candidate, &problem, &error);
  if (!op)
    harness_fail (h, error, "cannot create an op for %s %dx%d",
        frame->format->name, frame->width, frame->height);

  return op;
}

/* --- comparison ----------------------------------------------------------- */

/* The place of numbers, for messages. */
typedef struct {
  Harness *h;
  const TestFrame *frame;
  const GstClComponent *part;
  guint component;
} Place;

static void
compare (const Place *place, const gchar *what, const guint32 *got,
    const guint32 *want, guint n)
{
  for (guint i = 0; i < n; i++) {
    if (got[i] == want[i])
      continue;
    harness_fail (place->h, NULL,
        "%s of %u bits, %dx%d pad %d guard %d, component %u, part %dx%d at "
        "byte %" G_GSIZE_FORMAT ": %s %u: found (expected) %u (%u)",
        place->frame->format->name, place->frame->sample.depth,
        place->frame->width, place->frame->height,
        place->frame->spacing.pad_bytes, place->frame->spacing.guard_bytes,
        place->component, place->part->width, place->part->height,
        place->part->offset_bytes, what, i, got[i], want[i]);
    return;
  }
}

static void
compare_profiles (const Place *place, const GstClProfile *got)
{
  GstClProfile want = ref_profile (
      test_frame_bytes (place->frame, place->component), place->part);
  const guint n_rows = want.n_rows, n_columns = want.n_columns;

  compare (place, "number of rows", &got->n_rows, &n_rows, 1);
  compare (place, "number of columns", &got->n_columns, &n_columns, 1);
  compare (place, "row-sum", got->row_sum, want.row_sum, n_rows);
  compare (place, "row-min", got->row_min, want.row_min, n_rows);
  compare (place, "row-max", got->row_max, want.row_max, n_rows);
  compare (place, "row-difference", got->row_difference, want.row_difference,
      n_rows);
  compare (place, "row-field-difference", got->row_field_difference,
      want.row_field_difference, n_rows);
  compare (place, "column-sum", got->column_sum, want.column_sum, n_columns);
  compare (place, "column-min", got->column_min, want.column_min, n_columns);
  compare (place, "column-max", got->column_max, want.column_max, n_columns);
  compare (place, "column-difference", got->column_difference,
      want.column_difference, n_columns);
  ref_profile_clear (&want);
}

/* Measures @parts of @frame into @slot, and compares. */
static void
check_parts (Harness *h, GstClProfilesOp *op, const TestFrame *frame,
    const GstClComponent *parts, guint slot)
{
  GstClProfile profiles[MAX_COMPONENTS];
  g_autoptr (GError) error = NULL;

  if (!gst_cl_profiles_op_run (op, parts, &error) ||
      !gst_cl_profiles_op_fetch (op, slot, &error) ||
      !gst_cl_profiles_op_result (op, slot, profiles, &error)) {
    harness_fail (h, error, "cannot measure %s %dx%d", frame->format->name,
        frame->width, frame->height);
    return;
  }
  for (guint c = 0; c < frame->format->n_components; c++) {
    const Place place = { h, frame, &parts[c], c };

    compare_profiles (&place, &profiles[c]);
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
  g_autoptr (GstClProfilesOp) op = op_new (h, frame);
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
  check_parts (h, op, frame, parts, GST_CL_PROFILES_SLOTS - 1);
  check_parts (h, op, frame, frame->components, 0);
}

/* Every vector of a row is full, and so are 16 bits of a sum. */
static void
check_large (Harness *h)
{
  g_autoptr (TestFrame) frame = test_frame_new (h, &test_formats[0],
      test_samples[0], 8209, 1201, (TestSpacing){ 0, 0, FALSE });
  g_autoptr (GstClProfilesOp) op = op_new (h, frame);

  if (!op)
    return;
  test_frame_fill (h, frame, FILL_MAX);
  check_parts (h, op, frame, frame->components, 0);
  test_frame_fill (h, frame, FILL_ALTERNATING);
  check_parts (h, op, frame, frame->components, 0);
}

static const TestFrameOp frame_op = {
  .create = op_new,
  .run = gst_cl_profiles_op_run,
  .free = gst_cl_profiles_op_free,
  .n_components = GST_CL_PROFILES_MAX_COMPONENTS,
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
  return harness_rows_main (argc, argv, &gst_cl_profiles_table, check_row,
      bench_row, NULL, 0);
}
