/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Frame statistics: every row of the variant table, and every way that `auto`
 * may choose, against the reference. */

#include "momentscase.h"

#define N_RANDOM_FRAMES 40
#define N_REPEATS       300

/* --- rows ---------------------------------------------------------------- */

static const GstClImplementation *
find_row (const gchar *name)
{
  guint n_rows;
  const GstClImplementation *rows = gst_cl_moments_variants (&n_rows);

  return gst_cl_implementation_find (rows, n_rows, name);
}

static GstClMomentsOp *
op_new (Harness *h, const GstClImplementation *row, const TestFrame *frame)
{
  const GstClMomentsWay way = { .name = row->name, .variant = row };

  return frame_stats_case_op (h, &way, frame);
}

/* --- cases --------------------------------------------------------------- */

static TestSpacing
random_spacing (Harness *h)
{
  return (TestSpacing){
    .pad_bytes = g_rand_boolean (h->rand) ? g_rand_int_range (h->rand, 0, 37)
                                          : 0,
    .guard_bytes = g_rand_boolean (h->rand) ? g_rand_int_range (h->rand, 0, 70)
                                            : 0,
    .is_joined = g_rand_boolean (h->rand),
  };
}

static GstClSampleType
random_sample (Harness *h)
{
  return test_samples[g_rand_int_range (h->rand, 0, n_test_samples)];
}

/* One op, every fill. */
static void
check_format (Harness *h, const GstClImplementation *row,
    const TestFormat *format, GstClSampleType sample, gint width, gint height)
{
  g_autoptr (TestFrame) frame = test_frame_new (h, format, sample, width,
      height, random_spacing (h));
  g_autoptr (GstClMomentsOp) op = op_new (h, row, frame);

  /* with --small only random samples: none decides over what is touched */
  for (FillType fill = h->is_small ? FILL_RANDOM : 0; op && fill < N_FILL_TYPES;
       fill++) {
    test_frame_fill (h, frame, fill);
    frame_stats_case_check (h, op, frame, fill_type_name (fill));
  }
}

static void
check_row (Harness *h, const gchar *name)
{
  const GstClImplementation *row = find_row (name);
  const guint n_frames = harness_count (h, N_RANDOM_FRAMES, 0);
  /* round 1 of those with a tail is that of those without */
  const guint step = harness_count (h, g_str_has_suffix (name, "-tail") ? 3 : 1,
      7);
  guint n_sizes;
  const TestSize *sizes = harness_sizes (h, &n_sizes);

  for (guint i = 0; i < n_sizes; i++) {
    for (guint f = i % step; f < n_test_formats; f += step)
      check_format (h, row, &test_formats[f],
          (f + i) % 2 ? test_samples[0] : random_sample (h), sizes[i].width,
          sizes[i].height);
  }
  for (guint i = 0; i < n_frames; i++)
    check_format (h, row,
        &test_formats[g_rand_int_range (h->rand, 0, n_test_formats)],
        random_sample (h), g_rand_int_range (h->rand, 1, 700),
        g_rand_int_range (h->rand, 1, 300));
}

static void
check_cpu (Harness *h)
{
  check_row (h, "cpu");
}

static void
check_gpu (Harness *h)
{
  check_row (h, "gpu");
}

static void
check_outer_inner (Harness *h)
{
  check_row (h, "outer-inner");
}

static void
check_inner (Harness *h)
{
  check_row (h, "inner");
}

static void
check_outer (Harness *h)
{
  check_row (h, "outer");
}

static void
check_inner_tail (Harness *h)
{
  check_row (h, "inner-tail");
}

static void
check_outer_tail (Harness *h)
{
  check_row (h, "outer-tail");
}

static void
check_outer_inner_tail (Harness *h)
{
  check_row (h, "outer-inner-tail");
}

/* Calls @check with every row. */
static void
for_each_row (Harness *h,
    void (*check) (Harness *h, const GstClImplementation *row))
{
  guint n_rows;
  const GstClImplementation *rows = gst_cl_moments_variants (&n_rows);

  for (guint i = 0; i < n_rows; i++)
    check (h, &rows[i]);
}

/* An op serves frames of its shape wherever they lie, and no others. */
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
      frame_stats_case_check (h, op, a, "first frame");
      frame_stats_case_check (h, op, b, "second frame");
    }

    if (gst_cl_moments_op_run (op, wider->components, NULL))
      harness_fail (h, NULL, "%s: took a frame of another size", row->name);
  }
}

static void
check_frames (Harness *h)
{
  for_each_row (h, check_frames_of_row);
}

/* Runs that follow each other at once use the same scratch. */
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
        harness_fail (h, error, "run without a read");
    }
    frame_stats_case_check (h, op, frame, row->name);
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
      frame_stats_case_check (h, op, frame, row->name);
  }
}

static void
check_large (Harness *h)
{
  for_each_row (h, check_large_of_row);
}

/* Every way for devices of @family, and that no two of them are the same. */
static void
check_ways_of_family (Harness *h, GstClFamily family, const TestFrame *frame)
{
  const GstClDevice device = { .family = family };
  GstClMomentsWay ways[GST_CL_MOMENTS_MAX_WAYS];
  const guint n_ways = gst_cl_moments_ways (&device, frame->components,
      frame->format->n_components, ways);

  if (n_ways < 2)
    harness_fail (h, NULL, "family %d: nothing to choose from", family);

  for (guint i = 0; i < n_ways; i++) {
    g_autoptr (GstClMomentsOp) op = frame_stats_case_op (h, &ways[i], frame);

    /* two runs: each leaves the next one what it needs */
    for (guint run = 0; op && run < 2; run++)
      frame_stats_case_check (h, op, frame, ways[i].name);
    for (guint j = 0; j < i; j++) {
      if (g_str_equal (ways[i].name, ways[j].name) ||
          (ways[i].variant == ways[j].variant &&
              ways[i].bands_percent == ways[j].bands_percent &&
              ways[i].tile_rows == ways[j].tile_rows))
        harness_fail (h, NULL, "%s: the same as %s", ways[i].name,
            ways[j].name);
    }
  }
}

/* Of one to four rounds, wide and tall. */
static void
check_ways (Harness *h)
{
  static const TestSize sizes[] = { { 9, 7 }, { 250, 33 }, { 700, 300 },
    { 4200, 37 }, { 35, 4300 } };
  const guint n_sizes = harness_count (h, G_N_ELEMENTS (sizes), 2);
  const guint step = harness_count (h, 3, 7);

  for (guint i = 0; i < n_sizes; i++) {
    for (guint f = i % step; f < n_test_formats; f += step) {
      g_autoptr (TestFrame)
          frame = test_frame_new (h, &test_formats[f], random_sample (h),
              sizes[i].width, sizes[i].height, random_spacing (h));

      test_frame_fill (h, frame, FILL_RANDOM);
      check_ways_of_family (h, GST_CL_FAMILY_CPU, frame);
      check_ways_of_family (h, GST_CL_FAMILY_GPU, frame);
    }
  }
}

/* There is a tail to choose where it saves a launch. */
static void
check_tails (Harness *h)
{
  static const struct {
    gint width;
    gboolean has_tail, has_late_tail; /* after round 1, after round 2 */
  } frames[] = {
    { 16, FALSE, FALSE },
    { 256, FALSE, FALSE },
    { 257, TRUE, FALSE },
    { 4096, TRUE, FALSE },
    { 4097, TRUE, TRUE },
  };
  const GstClDevice device = { .family = GST_CL_FAMILY_GPU };

  for (guint i = 0; i < G_N_ELEMENTS (frames); i++) {
    const GstClComponent shape = { .width = frames[i].width,
      .height = 9,
      .sample = test_samples[0] };
    GstClMomentsWay ways[GST_CL_MOMENTS_MAX_WAYS];
    const guint n_ways = gst_cl_moments_ways (&device, &shape, 1, ways);
    gboolean has_tail = FALSE, has_late_tail = FALSE;

    for (guint w = 0; w < n_ways; w++) {
      has_tail |= g_str_equal (ways[w].name, "outer-tail");
      has_late_tail |= g_str_equal (ways[w].name, "outer-inner-tail");
    }
    if (has_tail != frames[i].has_tail ||
        has_late_tail != frames[i].has_late_tail)
      harness_fail (h, NULL, "%d samples: tail %d, late tail %d",
          frames[i].width, has_tail, has_late_tail);
  }
}

/* What each value of the property comes to, by the family of the device. */
static void
check_choice (Harness *h)
{
  static const struct {
    GstClFamily family;
    gint method;
    const gchar *name;
  } choices[] = {
    { GST_CL_FAMILY_CPU, GST_CL_REDUCTION_AUTO, "cpu" },
    { GST_CL_FAMILY_CPU, GST_CL_REDUCTION_INNER, "inner" },
    { GST_CL_FAMILY_CPU, GST_CL_REDUCTION_OUTER, "outer" },
    { GST_CL_FAMILY_GPU, GST_CL_REDUCTION_AUTO, "gpu" },
    { GST_CL_FAMILY_GPU, GST_CL_REDUCTION_INNER, "inner" },
    { GST_CL_FAMILY_GPU, GST_CL_REDUCTION_OUTER, "outer" },
  };
  guint n_rows;
  const GstClImplementation *rows = gst_cl_moments_variants (&n_rows);

  for (guint i = 0; i < G_N_ELEMENTS (choices); i++) {
    const GstClDevice device = { .family = choices[i].family };
    const GstClImplementation *row = gst_cl_implementation_choose (rows, n_rows,
        choices[i].method, &device);

    if (!row || !g_str_equal (row->name, choices[i].name))
      harness_fail (h, NULL, "choice %u: %s for %s", i,
          row ? row->name : "none", choices[i].name);
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
bench_row (Harness *h, const gchar *name)
{
  static const gchar *const benched[] = { "GRAY8", "I420", "RGB", "ABGR" };
  const GstClImplementation *row = find_row (name);

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

static void
bench_cpu (Harness *h)
{
  bench_row (h, "cpu");
}

static void
bench_gpu (Harness *h)
{
  bench_row (h, "gpu");
}

static void
bench_outer_inner (Harness *h)
{
  bench_row (h, "outer-inner");
}

static void
bench_inner (Harness *h)
{
  bench_row (h, "inner");
}

static void
bench_outer (Harness *h)
{
  bench_row (h, "outer");
}

static void
bench_inner_tail (Harness *h)
{
  bench_row (h, "inner-tail");
}

static void
bench_outer_tail (Harness *h)
{
  bench_row (h, "outer-tail");
}

static void
bench_outer_inner_tail (Harness *h)
{
  bench_row (h, "outer-inner-tail");
}

static const HarnessCase cases[] = {
  { "moments/cpu", check_cpu, bench_cpu, FALSE },
  { "moments/gpu", check_gpu, bench_gpu, FALSE },
  { "moments/outer-inner", check_outer_inner, bench_outer_inner, FALSE },
  { "moments/inner", check_inner, bench_inner, FALSE },
  { "moments/outer", check_outer, bench_outer, FALSE },
  { "moments/inner-tail", check_inner_tail, bench_inner_tail, FALSE },
  { "moments/outer-tail", check_outer_tail, bench_outer_tail, FALSE },
  { "moments/outer-inner-tail", check_outer_inner_tail, bench_outer_inner_tail,
      FALSE },
  { "moments/frames", check_frames, NULL, TRUE },
  { "moments/repeat", check_repeat, NULL, FALSE },
  { "moments/large", check_large, NULL, TRUE },
  { "moments/ways", check_ways, NULL, FALSE },
  { "moments/tails", check_tails, NULL, FALSE },
  { "moments/choice", check_choice, NULL, FALSE },
};

int
main (int argc, char **argv)
{
  return harness_main (argc, argv, cases, G_N_ELEMENTS (cases));
}
