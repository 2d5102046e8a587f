/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* From exact metrics to derived statistics. */

#include "elements/framesum/gstclstatistics.h"
#include "elements/framesum/gstclsummary.h"

#include "suite.h"

#include <math.h>

/* --- moments ------------------------------------------------------------- */

static void
expect_moments (guint64 count, guint64 sum, guint64 sum_squares, gdouble mean,
    gdouble variance)
{
  gdouble got_mean, got_variance;

  gst_cl_summary_moments (count, sum, sum_squares, &got_mean, &got_variance);
  fail_unless (got_mean == mean, "mean %.17g, not %.17g", got_mean, mean);
  fail_unless (got_variance == variance, "variance %.17g, not %.17g",
      got_variance, variance);
}

TEST (test_nothing)
{
  expect_moments (0, 0, 0, 0.0, 0.0);
}

/* Exactly zero: the mean of squares minus the square of the mean leaves noise
 * in floating point. */
TEST (test_equal_samples_have_no_variance)
{
  static const guint64 counts[] = { 1, 3, 7, 2073600, 33177600,
    G_GUINT64_CONSTANT (1) << 31 };

  for (guint i = 0; i < G_N_ELEMENTS (counts); i++) {
    for (guint64 value = 0; value <= 65535; value += value < 255 ? 1 : 10880) {
      const guint64 n = counts[i];

      if (value <= 255 || n <= 33177600)
        expect_moments (n, n * value, n * value * value, value, 0.0);
    }
  }
}

/* Half 0, half 255 over 2^43 samples: the sum of squares is above 2^57. */
TEST (test_sums_of_2_to_the_57)
{
  const guint64 half = G_GUINT64_CONSTANT (1) << 42;

  fail_unless (half * 255 * 255 > G_GUINT64_CONSTANT (1) << 57);
  expect_moments (2 * half, half * 255, half * 255 * 255, 127.5, 16256.25);
}

/* One sample in 2^40 differs by one: far below the resolution of doubles for
 * the sums. */
TEST (test_one_sample_differs)
{
  const guint64 n = G_GUINT64_CONSTANT (1) << 40;
  const gdouble p = 1.0 / n;

  expect_moments (n, n * 250 + 1, (n - 1) * 62500 + 63001, 250 + p, p - p * p);
}

/* Compared with long double over samples, few enough for exact results. */
TEST (test_random_samples)
{
  g_autoptr (GRand) rand = g_rand_new_with_seed (1);

  for (guint run = 0; run < 200; run++) {
    const guint n = g_rand_int_range (rand, 1, 400);
    guint8 samples[400];
    guint64 sum = 0, sum_squares = 0;
    gdouble mean, variance;
    long double about = 0, exact_mean;

    for (guint i = 0; i < n; i++) {
      samples[i] = g_rand_int (rand);
      sum += samples[i];
      sum_squares += (guint64) samples[i] * samples[i];
    }
    exact_mean = (long double) sum / n;
    for (guint i = 0; i < n; i++)
      about += (samples[i] - exact_mean) * (samples[i] - exact_mean);

    gst_cl_summary_moments (n, sum, sum_squares, &mean, &variance);
    fail_unless (fabsl (mean - exact_mean) <= 1e-13L);
    fail_unless (fabsl (variance - about / n) <= 1e-12L * (1 + about / n),
        "%u samples: %.17g, not %.17Lg", n, variance, about / n);
  }
}

/* --- other values --------------------------------------------------------- */

/* A component without a sample in the region has no statistics. */
TEST (test_no_samples)
{
  const guint32 nothing[360] = { 0 };
  const GstClRegionMetrics metrics = {
    .components = { { .histogram = nothing, .least_x = -1 } },
    .saturation = nothing,
    .hue = nothing,
  };
  GstClSummary summary;

  gst_cl_summary_init (&summary, GST_CL_STATISTICS_ALL, &metrics, 1, 256, 0);
  fail_unless (summary.components[0].mean == 0);
  fail_unless (gst_cl_summary_entropy (&metrics.components[0], 256) == 0);
  fail_unless (
      gst_cl_summary_mean_difference (&metrics.components[0], 256) == 0);
  fail_unless_equals_int (summary.components[0].high, 0);
  fail_unless_equals_int (summary.components[0].metrics.least_x, -1);
  fail_unless (summary.saturation_mean == 0 && summary.hues.mean == 0);
  fail_unless (summary.outliers == 0 && summary.repetition == 0);
}

/* The ends of 10 bits are 64 and 940; codes 62 to 65 are at the low end. */
TEST (test_range_shares)
{
  guint32 histogram[1024] = { 0 };
  GstClComponentSummary summary = {
    .metrics = { .moments.count = 64, .histogram = histogram },
  };

  histogram[61] = 1;
  histogram[62] = 2;
  histogram[64] = 4;
  histogram[65] = 8;
  histogram[66] = 16;
  histogram[937] = 16;
  histogram[940] = 8;
  histogram[941] = 4;
  histogram[1023] = 5;
  gst_cl_summary_set_range (&summary, 1024, 64, 940);
  fail_unless (summary.range_below == 3 / 64.);
  fail_unless (summary.range_within == 52 / 64.);
  fail_unless (summary.range_above == 9 / 64.);
  fail_unless (summary.range_low_peak == 14 / 64.);
  fail_unless (summary.range_high_peak == 12 / 64.);

  /* alpha: all codes, of which the last one has no half above it */
  gst_cl_summary_set_range (&summary, 1024, 0, 1023);
  fail_unless (summary.range_within == 1.0);
  fail_unless (summary.range_low_peak == 0.0);
  fail_unless (summary.range_high_peak == 5 / 64.);
}

/* Each statistic needs a metric; some metrics serve several statistics. */
TEST (test_needs)
{
  const GstClStatistics zones = GST_CL_STATISTIC (ZONE_STILLNESS);
  GstClMetric all = 0;

  for (guint i = 0; i < GST_CL_N_STATISTICS; i++) {
    const GstClMetric metrics = gst_cl_statistics_metrics (
        G_GUINT64_CONSTANT (1) << i);

    fail_unless (metrics != 0 && (metrics & ~GST_CL_METRICS_ALL) == 0);
    all |= metrics;
  }
  fail_unless_equals_int (gst_cl_statistics_metrics (0), 0);
  fail_unless_equals_int (gst_cl_statistics_metrics (zones),
      GST_CL_METRIC_FREEZE | GST_CL_METRIC_ZONES);
  fail_unless_equals_int (
      gst_cl_statistics_metrics (GST_CL_STATISTICS_OF_DETECTION),
      GST_CL_METRIC_HISTOGRAM | GST_CL_METRIC_TEMPORAL | GST_CL_METRIC_FREEZE |
          GST_CL_METRIC_SHARPNESS | GST_CL_METRIC_MOMENTS);
  fail_unless_equals_int (gst_cl_statistics_metrics (GST_CL_STATISTICS_ALL),
      all);
}
