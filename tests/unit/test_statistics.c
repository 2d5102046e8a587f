/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* From exact sums to the structure that users read. */

#include <math.h>

#include <gst/check/gstcheck.h>

#include "elements/gstclstatistics.h"

/* --- moments ------------------------------------------------------------- */

static void
expect_moments (guint64 count, guint64 sum, guint64 sum_squares, gdouble mean,
    gdouble variance)
{
  const GstClFrameStats stats = { .count = count,
    .sum = sum,
    .sum_squares = sum_squares };
  gdouble got_mean, got_variance;

  gst_cl_statistics_moments (&stats, &got_mean, &got_variance);
  fail_unless (got_mean == mean, "mean %.17g, not %.17g", got_mean, mean);
  fail_unless (got_variance == variance, "variance %.17g, not %.17g",
      got_variance, variance);
}

GST_START_TEST (test_nothing)
{
  expect_moments (0, 0, 0, 0.0, 0.0);
}

GST_END_TEST;

/* Exactly zero: where squares of the mean are taken from the mean of squares
 * in floating point, what remains is noise. */
GST_START_TEST (test_equal_samples_do_not_vary)
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

GST_END_TEST;

/* Half 0, half 255 over 2^43 samples: squares sum up to more than 2^57. */
GST_START_TEST (test_sums_of_2_to_the_57)
{
  const guint64 half = G_GUINT64_CONSTANT (1) << 42;

  fail_unless (half * 255 * 255 > G_GUINT64_CONSTANT (1) << 57);
  expect_moments (2 * half, half * 255, half * 255 * 255, 127.5, 16256.25);
}

GST_END_TEST;

/* One sample in 2^40 differs by one: far below what doubles tell apart in the
 * sums themselves. */
GST_START_TEST (test_one_sample_differs)
{
  const guint64 n = G_GUINT64_CONSTANT (1) << 40;
  const gdouble p = 1.0 / n;

  expect_moments (n, n * 250 + 1, (n - 1) * 62500 + 63001, 250 + p, p - p * p);
}

GST_END_TEST;

/* Against long double over samples, small enough for it to be exact. */
GST_START_TEST (test_random_samples)
{
  g_autoptr (GRand) rand = g_rand_new_with_seed (1);

  for (guint run = 0; run < 200; run++) {
    const guint n = g_rand_int_range (rand, 1, 400);
    guint8 samples[400];
    GstClFrameStats stats = { .count = n };
    gdouble mean, variance;
    long double about = 0, exact_mean;

    for (guint i = 0; i < n; i++) {
      samples[i] = g_rand_int (rand);
      stats.sum += samples[i];
      stats.sum_squares += (guint64) samples[i] * samples[i];
    }
    exact_mean = (long double) stats.sum / n;
    for (guint i = 0; i < n; i++)
      about += (samples[i] - exact_mean) * (samples[i] - exact_mean);

    gst_cl_statistics_moments (&stats, &mean, &variance);
    fail_unless (fabsl (mean - exact_mean) <= 1e-13L);
    fail_unless (fabsl (variance - about / n) <= 1e-12L * (1 + about / n),
        "%u samples: %.17g, not %.17Lg", n, variance, about / n);
  }
}

GST_END_TEST;

/* --- structure ----------------------------------------------------------- */

static const GstClStatisticsTime time_of_frame = {
  .timestamp = 11 * GST_SECOND,
  .stream_time = 12 * GST_SECOND,
  .running_time = 13 * GST_SECOND,
  .duration = 14,
  .frame = G_GUINT64_CONSTANT (1) << 40,
};

static GstStructure *
make_structure (GstClStatistic which)
{
  const GstClFrameStats stats[] = {
    { 4, 10, 30, 1, 4 },
    { 2, 510, 130050, 255, 255 },
  };
  const guint ids[] = { 0, 2 };
  GstVideoInfo info;

  gst_video_info_set_format (&info, GST_VIDEO_FORMAT_NV12, 6, 2);

  return gst_cl_statistics_new ("clframesum", which, &info, &time_of_frame,
      stats, ids, G_N_ELEMENTS (ids));
}

static const GValue *
entry (const GstStructure *structure, const gchar *field, guint index,
    GType type)
{
  const GValue *array = gst_structure_get_value (structure, field), *value;

  fail_unless (array && GST_VALUE_HOLDS_ARRAY (array), "%s", field);
  fail_unless_equals_int (gst_value_array_get_size (array), 2);
  value = gst_value_array_get_value (array, index);
  fail_unless (G_VALUE_TYPE (value) == type, "%s holds %s", field,
      G_VALUE_TYPE_NAME (value));

  return value;
}

static void
expect_uint64s (const GstStructure *structure, const gchar *field, guint64 a,
    guint64 b)
{
  fail_unless_equals_uint64 (
      g_value_get_uint64 (entry (structure, field, 0, G_TYPE_UINT64)), a);
  fail_unless_equals_uint64 (
      g_value_get_uint64 (entry (structure, field, 1, G_TYPE_UINT64)), b);
}

static void
expect_doubles (const GstStructure *structure, const gchar *field, gdouble a,
    gdouble b)
{
  fail_unless_equals_float (
      g_value_get_double (entry (structure, field, 0, G_TYPE_DOUBLE)), a);
  fail_unless_equals_float (
      g_value_get_double (entry (structure, field, 1, G_TYPE_DOUBLE)), b);
}

static void
expect_uints (const GstStructure *structure, const gchar *field, guint a,
    guint b)
{
  fail_unless_equals_int (
      g_value_get_uint (entry (structure, field, 0, G_TYPE_UINT)), a);
  fail_unless_equals_int (
      g_value_get_uint (entry (structure, field, 1, G_TYPE_UINT)), b);
}

/* Names and types are a promise to bindings in other languages. */
GST_START_TEST (test_scalar_fields)
{
  static const struct {
    const gchar *name;
    guint64 value;
  } times[] = { { "timestamp", 11 * GST_SECOND },
    { "stream-time", 12 * GST_SECOND }, { "running-time", 13 * GST_SECOND },
    { "duration", 14 }, { "frame", G_GUINT64_CONSTANT (1) << 40 } };
  g_autoptr (GstStructure) structure = make_structure (GST_CL_STATISTICS_ALL);
  gint width, height, depth;

  fail_unless (gst_structure_has_name (structure, "clframesum"));
  for (guint i = 0; i < G_N_ELEMENTS (times); i++) {
    guint64 value;

    fail_unless (
        gst_structure_has_field_typed (structure, times[i].name, G_TYPE_UINT64),
        "%s", times[i].name);
    fail_unless (gst_structure_get_uint64 (structure, times[i].name, &value));
    fail_unless_equals_uint64 (value, times[i].value);
  }

  fail_unless (gst_structure_get_int (structure, "width", &width));
  fail_unless (gst_structure_get_int (structure, "height", &height));
  fail_unless (gst_structure_get_int (structure, "depth", &depth));
  fail_unless_equals_int (width, 6);
  fail_unless_equals_int (height, 2);
  fail_unless_equals_int (depth, 8);
  fail_unless_equals_string (gst_structure_get_string (structure, "format"),
      "NV12");
}

GST_END_TEST;

GST_START_TEST (test_array_fields)
{
  g_autoptr (GstStructure) structure = make_structure (GST_CL_STATISTICS_ALL);

  fail_unless_equals_string (
      g_value_get_string (entry (structure, "components", 0, G_TYPE_STRING)),
      "Y");
  fail_unless_equals_string (
      g_value_get_string (entry (structure, "components", 1, G_TYPE_STRING)),
      "V");
  expect_uint64s (structure, "count", 4, 2);
  expect_uint64s (structure, "sum", 10, 510);
  expect_uint64s (structure, "sum-squares", 30, 130050);
  expect_doubles (structure, "mean", 2.5, 255);
  expect_doubles (structure, "variance", 1.25, 0);
  expect_doubles (structure, "stddev", sqrt (1.25), 0);
  expect_uints (structure, "min", 1, 255);
  expect_uints (structure, "max", 4, 255);
}

GST_END_TEST;

#define N_SCALAR_FIELDS 9 /* and the array `components` */

GST_START_TEST (test_fields_follow_the_choice)
{
  g_autoptr (GstStructure) all = make_structure (GST_CL_STATISTICS_ALL);
  g_autoptr (GstStructure) moments = make_structure (GST_CL_STATISTIC_MOMENTS);
  g_autoptr (GstStructure) range = make_structure (GST_CL_STATISTIC_RANGE);
  g_autoptr (GstStructure) none = make_structure (0);

  fail_unless_equals_int (gst_structure_n_fields (all), N_SCALAR_FIELDS + 9);
  fail_unless_equals_int (gst_structure_n_fields (moments),
      N_SCALAR_FIELDS + 7);
  fail_unless_equals_int (gst_structure_n_fields (range), N_SCALAR_FIELDS + 3);
  fail_unless_equals_int (gst_structure_n_fields (none), N_SCALAR_FIELDS + 1);

  fail_if (gst_structure_has_field (moments, "min"));
  fail_unless (gst_structure_has_field (moments, "stddev"));
  fail_if (gst_structure_has_field (range, "mean"));
  fail_unless (gst_structure_has_field (range, "max"));
}

GST_END_TEST;

static Suite *
statistics_suite (void)
{
  Suite *suite = suite_create ("statistics");
  TCase *moments = tcase_create ("moments");
  TCase *structure = tcase_create ("structure");

  suite_add_tcase (suite, moments);
  tcase_add_test (moments, test_nothing);
  tcase_add_test (moments, test_equal_samples_do_not_vary);
  tcase_add_test (moments, test_sums_of_2_to_the_57);
  tcase_add_test (moments, test_one_sample_differs);
  tcase_add_test (moments, test_random_samples);

  suite_add_tcase (suite, structure);
  tcase_add_test (structure, test_scalar_fields);
  tcase_add_test (structure, test_array_fields);
  tcase_add_test (structure, test_fields_follow_the_choice);

  return suite;
}

GST_CHECK_MAIN (statistics);
