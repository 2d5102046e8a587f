/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Frame statistics: every row of the table, and every candidate of `auto`,
 * compared with the reference. */

#include "momentscase.h"
#include "harness/rows.h"

#define CASE_PREFIX "moments/"

#define N_RANDOM_FRAMES 15
#define N_REPEATS       300
#define MANY_SAMPLES    50000

/* --- rows ---------------------------------------------------------------- */

static GstClMomentsOp *
op_new (Harness *h, const GstClImplementation *row, const TestFrame *frame)
{
  const GstClMomentsProblem problem = moments_case_problem (frame);
  const GstClCandidate candidate = gst_cl_implementation_untuned (row, &problem,
      h->context->device);

  return moments_case_op (h, &candidate, frame);
}

static const GstClImplementation *
row_of_case (const Harness *h)
{
  return harness_row (h, &gst_cl_moments_table);
}

/* --- cases --------------------------------------------------------------- */

/* Runs one op on every fill. Only the random fill detects wrong accesses: it is
 * enough for many samples, which take time, and with --small. */
static void
check_format (Harness *h, const TestFormat *format, GstClSampleType sample,
    gint width, gint height)
{
  g_autoptr (TestFrame) frame = test_frame_new (h, format, sample, width,
      height, test_spacing_random (h));
  g_autoptr (GstClMomentsOp) op = op_new (h, row_of_case (h), frame);
  const gboolean is_random = h->is_small || width * height > MANY_SAMPLES;

  for (FillType fill = is_random ? FILL_RANDOM : 0; op && fill < N_FILL_TYPES;
       fill++) {
    test_frame_fill (h, frame, fill);
    moments_case_check (h, op, frame, fill_type_name (fill));
  }
}

static void
check_row (Harness *h)
{
  test_frames_each (h, N_RANDOM_FRAMES, FALSE, check_format);
}

/* Calls @check with every row. */
static void
for_each_row (Harness *h,
    void (*check) (Harness *h, const GstClImplementation *row))
{
  for (guint i = 0; i < gst_cl_moments_table.n_rows; i++)
    check (h, &gst_cl_moments_table.rows[i]);
}

/* An op supports frames of its shape in any memory layout, and no others. */
static void
check_frames_of_row (Harness *h, const GstClImplementation *row)
{
  for (guint f = 0; f < n_test_formats; f++) {
    g_autoptr (TestFrame) a = test_frame_new (h, &test_formats[f],
        test_samples[0], 179, 83, (TestSpacing){ 0, 0, FALSE });
    g_autoptr (TestFrame) b = test_frame_new (h, &test_formats[f],
        test_samples[0], 179, 83, (TestSpacing){ 13, 5, FALSE });
    g_autoptr (TestFrame) wider = test_frame_new (h, &test_formats[f],
        test_samples[0], 211, 83, (TestSpacing){ 0, 0, FALSE });
    g_autoptr (GstClMomentsOp) op = op_new (h, row, a);

    if (!op)
      return;

    test_frame_fill (h, a, FILL_RANDOM);
    test_frame_fill (h, b, FILL_RANDOM);
    for (guint i = 0; i < 3; i++) {
      moments_case_check (h, op, a, "first frame");
      moments_case_check (h, op, b, "second frame");
    }

    if (gst_cl_moments_op_run (op, wider->components, NULL))
      harness_fail (h, NULL,
          "%s: expected an error for a frame that is wider than the op",
          row->name);
  }
}

static void
check_frames (Harness *h)
{
  for_each_row (h, check_frames_of_row);
}

/* Consecutive runs use the same scratch memory. */
static void
check_repeat_of_row (Harness *h, const GstClImplementation *row)
{
  const guint n_runs = harness_count (h, N_REPEATS, 2);
  g_autoptr (TestFrame) frame = test_frame_new (h, &test_formats[1],
      test_samples[0], 177, 67, (TestSpacing){ 3, 1, TRUE });
  g_autoptr (GstClMomentsOp) op = op_new (h, row, frame);
  g_autoptr (GError) error = NULL;

  test_frame_fill (h, frame, FILL_RANDOM);
  for (guint i = 0; op && i < n_runs && h->n_failed == 0; i++) {
    for (guint j = 0; j < i % 3; j++) {
      if (!gst_cl_moments_op_run (op, frame->components, &error))
        harness_fail (h, error,
            "cannot measure a frame whose results are not read");
    }
    moments_case_check (h, op, frame, row->name);
  }
}

static void
check_repeat (Harness *h)
{
  for_each_row (h, check_repeat_of_row);
}

/* Sums beyond 32 bits, and more than one segment of a row. */
static void
check_large_of_row (Harness *h, const GstClImplementation *row)
{
  for (guint i = 0; i < n_test_samples; i++) {
    const gint width = 8209;
    const guint max = (1u << test_samples[i].depth) - 1;
    const gint height = (gint) (G_MAXUINT32 / (width * max)) + 1;
    g_autoptr (TestFrame) frame = test_frame_new (h, &test_formats[0],
        test_samples[i], width, height, (TestSpacing){ 0, 0, FALSE });
    g_autoptr (GstClMomentsOp) op = op_new (h, row, frame);

    test_frame_fill (h, frame, FILL_MAX);
    if (op)
      moments_case_check (h, op, frame, row->name);
  }
}

static void
check_large (Harness *h)
{
  for_each_row (h, check_large_of_row);
}

static void
check_candidates_of (Harness *h, GstClFamily family, const TestFrame *frame)
{
  const GstClMomentsProblem problem = moments_case_problem (frame);
  const GstClDevice device = { .family = family, .compute_units = 3 };
  GstClCandidate candidates[GST_CL_MAX_CANDIDATES];
  const guint n_candidates = gst_cl_op_table_candidates (&gst_cl_moments_table,
      &problem, &device, candidates);

  if (n_candidates < 2)
    harness_fail (h, NULL,
        "device family %d: expected at least 2 candidates, found %u", family,
        n_candidates);

  for (guint i = 0; i < n_candidates; i++) {
    g_autoptr (GstClMomentsOp) op = moments_case_op (h, &candidates[i], frame);

    /* two runs: each prepares the memory of the next */
    for (guint run = 0; op && run < 2; run++)
      moments_case_check (h, op, frame, gst_cl_candidate_name (&candidates[i]));
  }
}

/* Frames of one to four rounds, wide and tall. */
static void
check_candidates (Harness *h)
{
  static const TestSize sizes[] = { { 9, 7 }, { 250, 33 }, { 700, 300 },
    { 4200, 37 }, { 35, 4300 } };
  const guint n_sizes = harness_count (h, G_N_ELEMENTS (sizes), 2);
  const guint step = harness_count (h, 3, 7);

  for (guint i = 0; i < n_sizes; i++) {
    for (guint f = i % step; f < n_test_formats; f += step) {
      g_autoptr (TestFrame) frame = test_frame_new (h, &test_formats[f],
          test_sample_of_kind (h, test_formats[f].kind), sizes[i].width,
          sizes[i].height, test_spacing_random (h));

      test_frame_fill (h, frame, FILL_RANDOM);
      check_candidates_of (h, GST_CL_FAMILY_CPU, frame);
      check_candidates_of (h, GST_CL_FAMILY_GPU, frame);
    }
  }
}

/* --- benchmark ----------------------------------------------------------- */

typedef struct {
  GstClMomentsOp *op;
  const TestFrame *frame;
} BenchRun;

static gboolean
bench_run (gpointer user_data, GError **error)
{
  BenchRun *run = user_data;

  return gst_cl_moments_op_run (run->op, run->frame->components, error);
}

static void
bench_format (Harness *h, const GstClImplementation *row,
    const TestFormat *format, GstClSampleType sample, gint width, gint height)
{
  g_autoptr (TestFrame) frame = test_frame_new (h, format, sample, width,
      height, (TestSpacing){ 0, 0, TRUE });
  g_autoptr (GstClMomentsOp) op = op_new (h, row, frame);
  g_autofree gchar *name = g_strdup_printf ("moments/%s/%s%s", row->name,
      format->name, sample.bytes == 2 ? " 16 bits" : "");
  BenchRun run = { op, frame };

  test_frame_fill (h, frame, FILL_RANDOM);
  if (op)
    harness_bench (h, name, width, height, frame->memories[0]->size_bytes,
        bench_run, &run);
}

static void
bench_row (Harness *h)
{
  static const gchar *const benched[] = { "GRAY8", "I420", "RGB", "ABGR" };
  const GstClImplementation *row = row_of_case (h);

  for (guint i = 0; i < G_N_ELEMENTS (benched); i++) {
    for (guint f = 0; f < n_test_formats; f++) {
      if (g_str_equal (test_formats[f].name, benched[i])) {
        bench_format (h, row, &test_formats[f], test_samples[0], 1920, 1080);
        bench_format (h, row, &test_formats[f], test_samples[0], 3840, 2160);
        bench_format (h, row, &test_formats[f],
            test_samples[n_test_samples - 1], 1920, 1080);
      }
    }
  }
}

/* Checks of all rows. */
static const HarnessCase more_cases[] = {
  { CASE_PREFIX "frames", check_frames, NULL, TRUE },
  { CASE_PREFIX "repeat", check_repeat, NULL, FALSE },
  { CASE_PREFIX "large", check_large, NULL, TRUE },
  { CASE_PREFIX "candidates", check_candidates, NULL, FALSE },
};

int
main (int argc, char **argv)
{
  return harness_rows_main (argc, argv, &gst_cl_moments_table, check_row,
      bench_row, more_cases, G_N_ELEMENTS (more_cases));
}
