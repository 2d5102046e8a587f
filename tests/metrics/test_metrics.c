/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Metrics of regions: every row of the table compared with the reference. */

#include "metricsbench.h"
#include "metricscase.h"
#include "harness/harness.h"
#include "metricsreference.h"
#include "harness/testframe.h"
#include "harness/rows.h"
#include "oprow.h"

#include <math.h>

#define CASE_PREFIX "metrics/"

#define N_RANDOM_FRAMES 6
#define BITS_16         4  /* index in test_samples */
#define N_LANES         32 /* largest vector: cl_lanes.clh */

static const GstClImplementation *
find_row (const gchar *name)
{
  return op_row_find (&gst_cl_metrics_table, name);
}

/* --- cases --------------------------------------------------------------- */

/* Every metric at once, with bytes and another sample type. */
static void
check_samples (Harness *h, const GstClImplementation *row)
{
  const TestFormat *format = test_format_find ("I420");
  const guint tried[] = { 0, g_rand_int_range (h->rand, 1, n_test_samples) };
  guint n_sizes;
  const TestSize *sizes = harness_sizes (h, &n_sizes);

  for (guint s = 0; s < G_N_ELEMENTS (tried); s++) {
    const GstClSampleType sample = test_samples[tried[s]];
    /* groups of work-items are slow on CPUs */
    const guint step = h->is_small                        ? 1
                       : row->family == GST_CL_FAMILY_GPU ? 8
                       : s == 0                           ? 1
                                                          : 2;
    /* with shifted ten bits, bins of four codes */
    const guint n_bins = 1u << (sample.depth - (sample.shift ? 2 : 0));

    for (guint i = s; i < n_sizes; i += step) {
      const gboolean is_slow = h->is_small && sizes[i].width > 100;

      /* subsampled chroma: one program for all sizes but these */
      if (sizes[i].width > 1 && sizes[i].height > 1 && !is_slow)
        metrics_case_check (h,
            &(MetricsCase){ row, format, sample, GST_CL_METRICS_ALL, n_bins,
                sizes[i].width, sizes[i].height });
    }
  }
}

/* Single samples, rows and columns; rows of more than one segment of sums. */
static void
check_lines (Harness *h, const GstClImplementation *row)
{
  static const TestSize sizes[] = { { 1, 1 }, { 7, 1 }, { 1, 7 }, { 300, 1 },
    { 1, 300 }, { 5, 2 }, { 8209, 7 } };

  for (guint i = 0; i < G_N_ELEMENTS (sizes); i++)
    metrics_case_check (h,
        &(MetricsCase){ row, test_format_find ("GRAY8"), test_samples[0],
            GST_CL_METRICS_ALL & ~GST_CL_METRIC_CHROMA, 256, sizes[i].width,
            sizes[i].height });
}

/* Components with pixel strides, and of different sizes: a format of them. */
static void
check_formats (Harness *h, const GstClImplementation *row)
{
  static const gchar *const names[] = { "Y41B", "NV12", "NV21", "RGB", "ABGR",
    "YUY2", "UYVY", "3 and 4" };
  const TestFormat *format = test_format_find (
      names[g_rand_int_range (h->rand, 0, G_N_ELEMENTS (names))]);
  const guint metrics = format->n_components >= 3
                            ? GST_CL_METRICS_ALL
                            : GST_CL_METRICS_ALL & ~GST_CL_METRIC_CHROMA;

  for (guint n = 0; n < N_RANDOM_FRAMES; n++)
    metrics_case_check (h,
        &(MetricsCase){ row, format, test_samples[0], metrics, 256,
            g_rand_int_range (h->rand, 5, n % 2 ? 700 : 40),
            g_rand_int_range (h->rand, 2, 90) });
}

/* Some metrics, in combinations. */
static void
check_some (Harness *h, const GstClImplementation *row)
{
  const GstClSampleType sample =
      test_samples[g_rand_int_range (h->rand, 0, n_test_samples)];
  const guint metrics = g_rand_int_range (h->rand, 1, GST_CL_METRICS_ALL);

  for (guint n = 0; n < N_RANDOM_FRAMES; n++)
    metrics_case_check (h,
        &(MetricsCase){ row, test_format_find ("Y444"), sample, metrics,
            1u << sample.depth, g_rand_int_range (h->rand, 1, 300),
            g_rand_int_range (h->rand, 1, 120) });
}

static const GstClImplementation *
row_of_case (const Harness *h)
{
  return harness_row (h, &gst_cl_metrics_table);
}

static void
check_row (Harness *h)
{
  const GstClImplementation *row = row_of_case (h);

  harness_choose_optimizer (h, row);
  check_samples (h, row);
  if (h->is_small)
    return;
  check_lines (h, row);
  check_formats (h, row);
  check_some (h, row);
}

/* Each metric alone, in one of the rows, with bytes or with words: many
 * programs, of which a run has half. */
static void
check_each (Harness *h)
{
  const guint n_rows = gst_cl_metrics_table.n_rows;

  harness_choose_optimizer (h, NULL);
  for (guint i = 0; i < n_rows * N_METRICS; i++) {
    const guint r = i % n_rows, metric = i / n_rows;
    const GstClSampleType sample = test_sample_of_kind (h,
        h->seed / n_rows + metric);

    if (harness_draws (h, r + metric, 2 * n_rows))
      metrics_case_check (h,
          &(MetricsCase){ &gst_cl_metrics_table.rows[r],
              test_format_find ("I420"), sample, 1u << metric,
              1u << sample.depth, 2 * N_LANES + 13, 19 });
  }
}

/* --- hue ----------------------------------------------------------------- */

/* Every pair of codes of @sample, in rows of one V each; each row is a separate
 * region, so that errors cannot cancel out. */
static void
check_hues_of (Harness *h, const GstClImplementation *row,
    GstClSampleType sample)
{
  const TestFormat *format = test_format_find ("Y444");
  const gint n_codes = 1 << sample.depth;
  g_autoptr (TestFrame) frame = test_frame_new (h, format, sample, n_codes,
      n_codes, (TestSpacing){ 0, 0, FALSE });

  test_frame_fill (h, frame, FILL_ZERO);
  for (gint y = 0; y < n_codes; y++) {
    for (gint x = 0; x < n_codes; x++) {
      test_frame_put (frame, 1, x, y, x);
      test_frame_put (frame, 2, x, y, y);
    }
  }
  test_frame_upload (h, frame);
  metrics_case_check_rows (h, row, frame, GST_CL_METRIC_CHROMA);
}

static void
check_hues (Harness *h)
{
  const GstClImplementation *rows = gst_cl_metrics_table.rows;

  for (guint s = 0; s < 2; s++) {
    if (harness_draws (h, s, 2))
      check_hues_of (h, &rows[0], test_samples[s]);
  }
}

/* More counts than a launch clears for the next. */
static void
check_many_counts (Harness *h)
{
  g_autoptr (TestFrame) frame = test_frame_new (h, test_format_find ("Y444"),
      test_samples[BITS_16], 40, 90, (TestSpacing){ 0, 0, FALSE });

  harness_choose_optimizer (h, find_row ("gpu"));
  test_frame_fill (h, frame, FILL_RANDOM);
  metrics_case_check_rows (h, find_row ("gpu"), frame,
      GST_CL_METRIC_HISTOGRAM | GST_CL_METRIC_POSITIONS);
}

/* 8K with the row that the device selects: a picture with every metric, and the
 * largest sums of samples of 16 bits. */
static void
check_large (Harness *h)
{
  const GstClImplementation *row = find_row (
      h->context->device->family == GST_CL_FAMILY_GPU ? "gpu" : "cpu");
  g_autoptr (TestFrame) picture = test_frame_new (h, test_format_find ("I420"),
      test_samples[0], 7680, 4320, (TestSpacing){ 0, 0, FALSE });
  g_autoptr (TestFrame) white = test_frame_new (h, test_format_find ("GRAY8"),
      test_samples[BITS_16], 7680, 4320, (TestSpacing){ 0, 0, FALSE });

  metrics_case_fill_picture (h, picture, 4);
  metrics_case_check_whole (h, row, picture, GST_CL_METRICS_ALL, 0);
  test_frame_fill (h, white, FILL_MAX);
  metrics_case_check_whole (h, row, white,
      GST_CL_METRICS_ALL & ~GST_CL_METRIC_CHROMA, 0);
}

/* The components of a bottom field of 4:2:0, whose chroma lacks the last row:
 * each row of the field, and all of it. */
static void
check_missing_rows (Harness *h)
{
  static const gchar *formats[] = { "I420", "NV12" };

  for (guint i = 0; i < G_N_ELEMENTS (formats); i++) {
    for (guint r = 0; r < gst_cl_metrics_table.n_rows; r++) {
      if (!harness_draws (h, i + r, G_N_ELEMENTS (formats)))
        continue;

      const GstClImplementation *row = &gst_cl_metrics_table.rows[r];
      g_autoptr (TestFrame)
          frame = test_frame_new (h, test_format_find (formats[i]),
              test_samples[0], 131, 23, (TestSpacing){ 3, 5, FALSE });

      test_frame_fill (h, frame, FILL_RANDOM);
      frame->components[1].height--;
      frame->components[2].height--;
      metrics_case_check_rows (h, row, frame, GST_CL_METRICS_ALL);
      metrics_case_check_whole (h, row, frame, GST_CL_METRICS_ALL, 0);
    }
  }
}

/* Codes that alternate in each row: the pairs of one table are all equal, and
 * no sixteen neighbours are. */
static void
fill_alternating (Harness *h, TestFrame *frame)
{
  for (guint c = 0; c < frame->format->n_components; c++) {
    for (gint y = 0; y < frame->components[c].height; y++) {
      for (gint x = 0; x < frame->components[c].width; x++)
        test_frame_put (frame, c, x, y, x % 2 ? 77 * c : 255);
    }
  }
  test_frame_upload (h, frame);
}

/* Counts of one pair of chroma codes above 16 bits in each of two items, with
 * samples left over in each row: cl_metricpairs.clh. */
static void
check_many_pairs (Harness *h)
{
  static const gchar *formats[] = { "I420", "NV12", "Y444" };

  for (guint i = 0; i < G_N_ELEMENTS (formats); i++) {
    if (!harness_draws (h, i, G_N_ELEMENTS (formats)))
      continue;

    g_autoptr (TestFrame)
        frame = test_frame_new (h, test_format_find (formats[i]),
            test_samples[0], 2569, 1601, (TestSpacing){ 0, 0, FALSE });

    for (guint alternates = 0; alternates < 2; alternates++) {
      if (alternates)
        fill_alternating (h, frame);
      else
        test_frame_fill (h, frame, FILL_MAX);
      metrics_case_check_whole (h, find_row ("cpu"), frame,
          GST_CL_METRIC_HISTOGRAM | GST_CL_METRIC_CHROMA, 2);
    }
  }
}

/* The kernels compare y * 2^40 with x * tangent, rounded: for no x <= 2^15 is
 * the tangent so close to a whole number that rounding decides. */
static void
check_tangents (Harness *h)
{
  for (gint degrees = 1; degrees < 90; degrees++) {
    const long double tangent = degrees == 45
                                    ? 1
                                    : tanl (degrees * acosl (-1) / 180);
    const gint64 rounded = llroundl (tangent * (1LL << 40));

    for (gint64 x = 1; x <= 1 << 15 && degrees != 45; x++) {
      const long double exact = x * tangent;
      const long double gap = fabsl (exact - roundl (exact));

      /* half a unit of the tangent, and the error of long doubles */
      if (gap * (1LL << 40) <= x * 0.5L + 1) {
        harness_fail (h, NULL,
            "tangent of %d degrees times %d is %.12Lf, too close to a whole "
            "number",
            degrees, (gint) x, exact);
        return;
      }
    }
    if (degrees == 45 && rounded != 1LL << 40)
      harness_fail (h, NULL,
          "tangent of 45 degrees: expected 2^40, found %" G_GINT64_FORMAT,
          rounded);
  }
}

/* --- refused problems ----------------------------------------------------- */

static void
check_refused (Harness *h)
{
  static const GstClRegion bad[] = {
    { 0, 0, 65, 48 },
    { 0, 0, 64, 49 },
    { -1, 0, 4, 4 },
    { 3, 3, 0, 4 },
    { 60, 3, 5, 4 },
    { 1, 1, G_MAXINT, 1 },
  };
  const GstClRegion whole[] = { { 0, 0, 64, 48 }, { 0, 0, 64, 48 } };
  const guint64 limit = 0;
  g_autoptr (TestFrame) frame = test_frame_new (h, test_format_find ("GRAY8"),
      test_samples[0], 64, 48, (TestSpacing){ 0, 0, FALSE });
  GstClMetricsIo io = { frame->components, whole, 1, &limit, 1 };
  const GstClMetricsProblem problem = { .n_components = 1,
    .shapes = { frame->components[0] },
    .metrics = GST_CL_METRIC_MOMENTS | GST_CL_METRIC_HISTOGRAM,
    .n_bins = 256,
    .max_regions = 1 };
  GstClMetricsProblem chroma = problem, bins = problem;
  const GstClImplementation *rows = gst_cl_metrics_table.rows;
  GstClMetricsOp *op = metrics_case_op (h, find_row ("plain"), &problem, 0,
      NULL);

  if (!op) {
    harness_fail (h, NULL, "cannot create an op of row plain");
    return;
  }

  test_frame_fill (h, frame, FILL_RANDOM);
  for (guint i = 0; i < G_N_ELEMENTS (bad); i++) {
    io.regions = &bad[i];
    if (gst_cl_metrics_op_run (op, &io, NULL))
      harness_fail (h, NULL,
          "region %d,%d %dx%d of a frame of 64x48: expected an error", bad[i].x,
          bad[i].y, bad[i].width, bad[i].height);
  }
  io.regions = whole;
  io.n_regions = 2;
  if (gst_cl_metrics_op_run (op, &io, NULL))
    harness_fail (h, NULL, "2 regions with max_regions = 1: expected an error");
  io.n_regions = 1;
  if (!gst_cl_metrics_op_run (op, &io, NULL))
    harness_fail (h, NULL,
        "the whole frame after invalid regions: expected success");
  gst_cl_metrics_op_free (op);

  chroma.metrics |= GST_CL_METRIC_CHROMA;
  bins.n_bins = 255;
  if (metrics_case_op (h, &rows[0], &chroma, 0, NULL) ||
      metrics_case_op (h, &rows[0], &bins, 0, NULL))
    harness_fail (h, NULL,
        "expected no op for chroma metrics of GRAY8, and none for 255 bins");
}

/* --- benchmark ----------------------------------------------------------- */

static void
bench_row (Harness *h)
{
  metrics_bench_row (h, row_of_case (h));
}

static const HarnessCase more_cases[] = {
  { CASE_PREFIX "each", check_each, NULL, TRUE },
  { CASE_PREFIX "hues", check_hues, NULL, TRUE },
  { CASE_PREFIX "many-counts", check_many_counts, NULL, TRUE },
  { CASE_PREFIX "large", check_large, NULL, TRUE },
  { CASE_PREFIX "many-pairs", check_many_pairs, NULL, TRUE },
  { CASE_PREFIX "missing-rows", check_missing_rows, NULL, TRUE },
  { CASE_PREFIX "tangents", check_tangents, NULL, FALSE },
  { CASE_PREFIX "refused", check_refused, NULL, FALSE },
  { CASE_PREFIX "beside-peers", NULL, metrics_bench_beside_peers, FALSE },
};

int
main (int argc, char **argv)
{
  return harness_rows_main (argc, argv, &gst_cl_metrics_table, check_row,
      bench_row, more_cases, G_N_ELEMENTS (more_cases));
}
