/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Comparison of streams without a device: values, pooled results, which frames
 * are pairs, shifts. */

#include <gst/check/gstcheck.h>

#include <math.h>

#include "elements/compare/gstclcomparepairing.h"
#include "statistics/compare/gstclcompared.h"
#include "statistics/compare/gstcloffset.h"
#include "suite.h"

#define ALL_METRICS                                                            \
  (GST_CL_COMPARE_PSNR | GST_CL_COMPARE_SSIM | GST_CL_COMPARE_XPSNR |          \
      GST_CL_COMPARE_MAX_DIFFERENCE)

/* 4:2:0 of an odd size. */
static const GstClComparedShape shape = {
  .metrics = ALL_METRICS,
  .depth = 8,
  .n_components = 3,
  .components = { { "Y", 17, 9 }, { "U", 9, 5 }, { "V", 9, 5 } },
  .weighted = { 3, 8, { 17, 9, 9 }, { 9, 5, 5 } },
  .weighted_ids = { 0, 1, 2 },
};

static gdouble
entry (const GstStructure *structure, const gchar *name, guint i)
{
  const GValue *array = gst_structure_get_value (structure, name), *value;

  fail_unless (array != NULL, "there is no %s", name);
  value = gst_value_array_get_value (array, i);

  if (G_VALUE_HOLDS_INT64 (value))
    return (gdouble) g_value_get_int64 (value);

  return G_VALUE_HOLDS_UINT64 (value) ? (gdouble) g_value_get_uint64 (value)
                                      : g_value_get_double (value);
}

static gdouble
number (const GstStructure *structure, const gchar *name)
{
  gdouble x;

  fail_unless (gst_structure_get_double (structure, name, &x), "no %s", name);

  return x;
}

#define expect_near(found, expected)                                           \
  fail_unless (fabs ((gdouble) (found) - (gdouble) (expected)) <=              \
                       1e-9 * fabs ((gdouble) (expected)) ||                   \
                   (found) == (expected),                                      \
      "%.17g instead of %.17g", (gdouble) (found), (gdouble) (expected))

/* The values of a frame, by their definitions. */
TEST (test_values)
{
  g_autoptr (GstStructure) s = gst_structure_new_empty ("clcompare");
  const GstClCompared compared = {
    .components = { { .squares = 1530,
                        .n_different = 3,
                        .max = 30,
                        .first = 19,
                        .ssim_sum = GST_CL_COMPARED_SSIM_ONE * 3 / 4 * 3 },
        { .first = G_MAXUINT64 },
        { .squares = 45, .n_different = 45, .max = 1, .first = 0 } },
    .weighted = { 400, 0, 45 }
  };
  const gdouble mse = 1575.0 / (153 + 45 + 45);
  gint x, y;

  gst_cl_compared_add (s, &shape, &compared, TRUE);
  expect_near (entry (s, "mse", 0), 10.0);
  expect_near (entry (s, "psnr", 0), 10 * log10 (65025 / 10.0));
  fail_unless (isinf (entry (s, "psnr", 1)));
  expect_near (entry (s, "psnr", 2), 10 * log10 (65025));
  expect_near (number (s, "mse-all"), mse);
  expect_near (number (s, "psnr-all"), 10 * log10 (65025 / mse));
  /* 4 x 2 blocks have 3 windows; chroma of 2 x 1 blocks has none */
  expect_near (entry (s, "ssim", 0), 0.75);
  fail_unless (isnan (entry (s, "ssim", 1)));
  expect_near (number (s, "ssim-all"), 0.75);
  expect_near (entry (s, "xpsnr", 0), 10 * log10 (153 * 65025 / 400.0));
  fail_unless (isinf (entry (s, "xpsnr", 1)));
  expect_near (entry (s, "max-difference", 0), 30);
  expect_near (entry (s, "different-samples", 2), 45);
  fail_unless_equals_string (
      gst_structure_get_string (s, "first-difference-component"), "Y");
  fail_unless (gst_structure_get_int (s, "first-difference-x", &x) &&
               gst_structure_get_int (s, "first-difference-y", &y));
  fail_unless (x == 2 && y == 1);
  expect_near (number (s, "psnr.mse.y"), 10.0);
  expect_near (number (s, "psnr.psnr_avg"), 10 * log10 (65025 / mse));
  expect_near (number (s, "ssim.Y"), 0.75);
  expect_near (number (s, "ssim.dB"), 10 * log10 (4));
  expect_near (number (s, "xpsnr.xpsnr.v"), 10 * log10 (45 * 65025 / 45.0));
}

/* Equal frames have the same fields. */
TEST (test_no_difference)
{
  g_autoptr (GstStructure) s = gst_structure_new_empty ("clcompare");
  const GstClCompared compared = {
    .components = { { .first = G_MAXUINT64 }, { .first = G_MAXUINT64 },
        { .first = G_MAXUINT64 } },
  };
  gint x = 0, y = 0;

  gst_cl_compared_add_first (s, &shape, &compared);
  fail_unless_equals_string (
      gst_structure_get_string (s, "first-difference-component"), "");
  fail_unless (gst_structure_get_int (s, "first-difference-x", &x) &&
               gst_structure_get_int (s, "first-difference-y", &y));
  fail_unless (x == -1 && y == -1);
}

static GstClFrameTime
time_of (guint64 frame)
{
  return (GstClFrameTime){ frame * 40 * GST_MSECOND, frame * 40 * GST_MSECOND,
    frame * 40 * GST_MSECOND, 40 * GST_MSECOND, frame };
}

/* The pooled PSNR is that of the mean MSE; ranks are those of frames. */
TEST (test_pool)
{
  const GstClComparedShape grey = { .metrics = ALL_METRICS,
    .depth = 8,
    .n_components = 1,
    .components = { { "GRAY", 16, 16 } },
    .weighted = { 1, 8, { 16 }, { 16 } } };
  GstClComparePool *pool = gst_cl_compare_pool_new (&grey);
  g_autoptr (GstStructure) s = NULL;
  gdouble reciprocals = 0;
  guint64 n;

  for (guint i = 0; i < 200; i++) {
    const guint64 squares = 256 * (i + 1);
    const GstClCompared compared = { .components = { { .squares = squares,
                                         .n_different = i < 150,
                                         .max = i,
                                         .ssim_sum = GST_CL_COMPARED_SSIM_ONE *
                                                     9 * i / 200 } },
      .weighted = { 256 * i } };
    const GstClFrameTime time = time_of (i);

    gst_cl_compare_pool_add (pool, &compared, &time);
    reciprocals += 1 / (1 + 10 * log10 (65025.0 / (i + 1)));
  }
  s = gst_cl_compare_pool_to_structure (pool, "pooled");
  gst_cl_compare_pool_free (pool);

  expect_near (entry (s, "mse", 0), 100.5);
  expect_near (number (s, "psnr-all"), 10 * log10 (65025 / 100.5));
  expect_near (entry (s, "squared-error", 0), 256 * 200 * 201 / 2);
  expect_near (entry (s, "squared-error-high", 0), 0);
  expect_near (number (s, "psnr-all-min"), 10 * log10 (65025 / 200.0));
  expect_near (number (s, "psnr-all-max"), 10 * log10 (65025));
  /* the second, the tenth and the hundredth of 200 */
  expect_near (number (s, "psnr-all-p1"), 10 * log10 (65025 / 199.0));
  expect_near (number (s, "psnr-all-p5"), 10 * log10 (65025 / 191.0));
  expect_near (number (s, "psnr-all-p50"), 10 * log10 (65025 / 101.0));
  fail_unless (fabs (number (s, "psnr-all-harmonic-mean") -
                     (200 / reciprocals - 1)) < 1e-5);
  fail_unless (fabs (entry (s, "ssim", 0) - 0.4975) < 1e-8);
  expect_near (entry (s, "max-difference", 0), 199);
  expect_near (entry (s, "different-samples", 0), 150);
  fail_unless (
      gst_structure_get_uint64 (s, "different-frames", &n) && n == 150);
  fail_unless (gst_structure_get_uint64 (s, "end-frame", &n) && n == 200);
}

static const gchar *const suffixes[] = { "mean", "min", "max", "harmonic-mean",
  "p1", "p5", "p50" };

/* Returns the value "NAME-@suffix" of @structure. */
static gdouble
value_of (const GstStructure *structure, const gchar *name, const gchar *suffix)
{
  g_autofree gchar *key = g_strdup_printf ("%s-%s", name, suffix);

  return number (structure, key);
}

static guint64
count_of (const GstStructure *structure, const gchar *name)
{
  guint64 n;

  fail_unless (gst_structure_get_uint64 (structure, name, &n), "no %s", name);

  return n;
}

static guint64
count_entry (const GstStructure *structure, const gchar *name, guint c)
{
  return g_value_get_uint64 (
      gst_value_array_get_value (gst_structure_get_value (structure, name), c));
}

static gint64
signed_entry (const GstStructure *structure, const gchar *name, guint c)
{
  return g_value_get_int64 (
      gst_value_array_get_value (gst_structure_get_value (structure, name), c));
}

/* Checks that the results of parts @a and @b merge into @whole by the rules of
 * docs/clcompare.md. */
static void
check_merge (const GstStructure *whole, const GstStructure *a,
    const GstStructure *b, guint n_components)
{
  static const gchar *const counts[] = { "frames", "different-frames",
    "psnr-all-reciprocals", "ssim-all-reciprocals", "xpsnr-first-reciprocals" };
  static const gchar *const sums[] = { "different-samples", "xpsnr-units" };
  static const gchar *const series[] = { "psnr-all", "ssim-all",
    "xpsnr-first" };

  for (guint i = 0; i < G_N_ELEMENTS (counts); i++)
    fail_unless_equals_uint64 (count_of (whole, counts[i]),
        count_of (a, counts[i]) + count_of (b, counts[i]));
  for (guint c = 0; c < n_components; c++) {
    const guint64 low = count_entry (a, "squared-error", c) +
                        count_entry (b, "squared-error", c);
    const guint64 carry = low < count_entry (a, "squared-error", c);

    fail_unless_equals_uint64 (count_entry (whole, "squared-error", c), low);
    fail_unless_equals_uint64 (count_entry (whole, "squared-error-high", c),
        count_entry (a, "squared-error-high", c) +
            count_entry (b, "squared-error-high", c) + carry);
    for (guint i = 0; i < G_N_ELEMENTS (sums); i++)
      fail_unless_equals_uint64 (count_entry (whole, sums[i], c),
          count_entry (a, sums[i], c) + count_entry (b, sums[i], c));
    fail_unless_equals_int64 (signed_entry (whole, "ssim-units", c),
        signed_entry (a, "ssim-units", c) + signed_entry (b, "ssim-units", c));
    fail_unless_equals_uint64 (count_entry (whole, "max-difference", c),
        MAX (count_entry (a, "max-difference", c),
            count_entry (b, "max-difference", c)));
  }
  for (guint i = 0; i < G_N_ELEMENTS (series); i++) {
    g_autofree gchar *sum = g_strconcat (series[i], "-reciprocals", NULL);

    fail_unless (
        value_of (whole, series[i], "min") ==
        MIN (value_of (a, series[i], "min"), value_of (b, series[i], "min")));
    fail_unless (
        value_of (whole, series[i], "max") ==
        MAX (value_of (a, series[i], "max"), value_of (b, series[i], "max")));
    fail_unless (value_of (whole, series[i], "harmonic-mean") ==
                 (gdouble) count_of (whole, "frames") * 4294967296.0 /
                         (gdouble) count_of (whole, sum) -
                     1);
  }
}

/* Two parts of a stream have the integers of the whole. */
TEST (test_merge)
{
  const guint size = 1 << 15; /* sums exceed 64 bits */
  const GstClComparedShape large = { .metrics = ALL_METRICS,
    .depth = 16,
    .n_components = 3,
    .components = { { "Y", size, size }, { "U", size, size },
        { "V", size, size } },
    .weighted = { 3, 16, { size, size, size }, { size, size, size } },
    .weighted_ids = { 0, 1, 2 } };
  const gdouble windows = (gdouble) gst_cl_compared_windows (&large, 0) *
                          (gdouble) GST_CL_COMPARED_SSIM_ONE;
  GstClComparePool *pools[3]; /* the whole, its parts */
  g_autoptr (GRand) random = g_rand_new_with_seed (7);
  GstStructure *structures[3];

  for (guint p = 0; p < 3; p++)
    pools[p] = gst_cl_compare_pool_new (&large);
  for (guint i = 0; i < 50; i++) {
    const GstClFrameTime time = time_of (i);
    GstClCompared compared = { 0 };

    for (guint c = 0; c < large.n_components && i % 7 > 0; c++) {
      GstClComparedComponent *to = &compared.components[c];

      to->squares = (guint64) g_rand_int (random) << 29;
      to->n_different = (guint64) g_rand_int_range (random, 1, size);
      to->max = (guint64) g_rand_int_range (random, 1, 65536);
      to->ssim_sum = (gint64) (windows * g_rand_double_range (random, -0.1, 1));
      compared.weighted[c] = (guint64) g_rand_int (random) << 29;
    }
    gst_cl_compare_pool_add (pools[0], &compared, &time);
    gst_cl_compare_pool_add (pools[i < 23 ? 1 : 2], &compared, &time);
  }
  for (guint p = 0; p < 3; p++) {
    structures[p] = gst_cl_compare_pool_to_structure (pools[p], "pooled");
    gst_cl_compare_pool_free (pools[p]);
  }
  fail_unless (count_entry (structures[0], "squared-error-high", 0) > 0);
  check_merge (structures[0], structures[1], structures[2], 3);
  for (guint p = 0; p < 3; p++)
    gst_structure_free (structures[p]);
}

/* A mean of frames has the negative ones, too; the mean of a frame's windows is
 * rounded to the nearest unit. */
TEST (test_negative_ssim)
{
  const GstClComparedShape grey = { .metrics = GST_CL_COMPARE_SSIM,
    .depth = 8,
    .n_components = 1,
    .components = { { "GRAY", 16, 12 } } }; /* 3 x 2 windows */
  const gint64 one = GST_CL_COMPARED_SSIM_ONE;
  const struct {
    gint64 sum, units; /* of the frame, of all up to it */
  } frames[] = { { 6 * one, one }, { -3 * one, one / 2 },
    { -6 * one, -one / 2 }, { 2, -one / 2 }, { -2, -one / 2 },
    { -3, -one / 2 - 1 }, { -9, -one / 2 - 3 }, { 4, -one / 2 - 2 } };
  GstClComparePool *pool = gst_cl_compare_pool_new (&grey);

  for (guint i = 0; i < G_N_ELEMENTS (frames); i++) {
    const GstClCompared compared = { .components = {
                                         { .ssim_sum = frames[i].sum } } };
    const GstClFrameTime time = time_of (i);
    g_autoptr (GstStructure) s = NULL;

    gst_cl_compare_pool_add (pool, &compared, &time);
    s = gst_cl_compare_pool_to_structure (pool, "pooled");
    expect_near (entry (s, "ssim-units", 0), frames[i].units);
    fail_unless (
        fabs (entry (s, "ssim", 0) - number (s, "ssim-all-mean")) < 1e-9);
  }
  gst_cl_compare_pool_free (pool);
}

/* A series with a value of -1 or less has no harmonic mean. */
TEST (test_no_harmonic_mean)
{
  const GstClComparedShape grey = { .metrics = GST_CL_COMPARE_XPSNR,
    .depth = 8,
    .n_components = 1,
    .components = { { "GRAY", 16, 16 } },
    .weighted = { 1, 8, { 16 }, { 16 } } };
  const gdouble values[] = { 8, -0.5, -1.01, -6.4, 3 };
  GstClComparePool *pool = gst_cl_compare_pool_new (&grey);
  gdouble sum = 0;

  for (guint i = 0; i < G_N_ELEMENTS (values); i++) {
    const GstClCompared compared = {
      .weighted = { (guint64) (256 * 65025 / pow (10, values[i] / 10)) }
    };
    const GstClFrameTime time = time_of (i);
    g_autoptr (GstStructure) s = NULL;
    gdouble harmonic;

    gst_cl_compare_pool_add (pool, &compared, &time);
    sum += 1 / (1 + values[i]);
    s = gst_cl_compare_pool_to_structure (pool, "pooled");
    harmonic = number (s, "xpsnr-first-harmonic-mean");
    if (i < 2)
      fail_unless (fabs (harmonic - ((i + 1) / sum - 1)) < 1e-4);
    else
      fail_unless (isnan (harmonic), "%g after %g", harmonic, values[i]);
    fail_unless (fabs (number (s, "xpsnr-first-max") - 8) < 1e-4);
  }
  gst_cl_compare_pool_free (pool);
}

/* Frames without SSIM: nothing about them is a number, in any order. */
TEST (test_no_ssim)
{
  const GstClComparedShape grey = { .metrics = GST_CL_COMPARE_SSIM,
    .depth = 8,
    .n_components = 1,
    .components = { { "GRAY", 7, 9 } } };
  GstClComparePool *pool = gst_cl_compare_pool_new (&grey);
  g_autoptr (GstStructure) s = NULL;

  for (guint i = 0; i < 3; i++) {
    const GstClFrameTime time = time_of (i);

    gst_cl_compare_pool_add (pool, &(GstClCompared){ 0 }, &time);
  }
  s = gst_cl_compare_pool_to_structure (pool, "pooled");
  gst_cl_compare_pool_free (pool);
  fail_unless (isnan (entry (s, "ssim", 0)));
  for (guint i = 0; i < G_N_ELEMENTS (suffixes); i++)
    fail_unless (isnan (value_of (s, "ssim-all", suffixes[i])), "ssim-all-%s",
        suffixes[i]);
}

/* --- pairs ---------------------------------------------------------------- */

#define MS GST_MSECOND

static GstClPairHead
at (GstClockTime time)
{
  return (GstClPairHead){ TRUE, FALSE, time, 40 * MS };
}

static const GstClPairHead none = { FALSE, FALSE, 0, 0 },
                           ended = { FALSE, TRUE, 0, 0 };

/* Checks what is chosen of a reference and two inputs. */
static void
check_pairs (GstClPairing pairing, GstClPairHead reference, GstClPairHead a,
    GstClPairHead b, gboolean is_late, const gchar *expected)
{
  const GstClPairHead heads[] = { a, b };
  gboolean takes[2];
  const gboolean has_reference = gst_cl_pair_choose (pairing, &reference, heads,
      2, is_late, takes);
  g_autofree gchar *found = g_strdup_printf ("%c%c%c",
      has_reference ? 'r' : '-', takes[0] ? 'a' : '-', takes[1] ? 'b' : '-');

  fail_unless_equals_string (found, expected);
}

TEST (test_pairs)
{
  const GstClPairing time = GST_CL_PAIR_TIME, order = GST_CL_PAIR_ORDER;
  GstClPairHead fast = at (20 * MS), unknown = at (1);

  check_pairs (time, at (0), at (0), at (0), FALSE, "rab");
  check_pairs (time, at (40 * MS), at (59 * MS), at (21 * MS), FALSE, "rab");
  /* half a frame away is no pair */
  check_pairs (time, at (40 * MS), at (60 * MS), at (40 * MS), FALSE, "r-b");
  check_pairs (time, at (40 * MS), at (20 * MS), at (40 * MS), FALSE, "-a-");
  check_pairs (time, at (40 * MS), at (0), at (0), FALSE, "-ab");
  /* a frame early first, then the pair */
  check_pairs (time, at (80 * MS), at (40 * MS), at (80 * MS), FALSE, "-a-");
  check_pairs (time, at (0), at (40 * MS), at (80 * MS), FALSE, "r--");
  /* half of the shorter frame */
  fast.duration = 20 * MS;
  check_pairs (time, at (32 * MS), fast, at (32 * MS), FALSE, "-a-");
  /* without a duration, the same time */
  unknown.duration = GST_CLOCK_TIME_NONE;
  check_pairs (time, unknown, unknown, at (1), FALSE, "rab");

  /* waiting, ends */
  check_pairs (time, at (0), none, at (0), FALSE, "---");
  check_pairs (time, at (0), none, at (0), TRUE, "r-b");
  check_pairs (time, none, at (0), at (0), FALSE, "---");
  check_pairs (time, at (0), ended, at (0), FALSE, "r-b");
  check_pairs (time, at (0), ended, ended, FALSE, "r--");
  check_pairs (time, ended, at (0), ended, FALSE, "-a-");
  check_pairs (time, ended, ended, ended, FALSE, "---");

  check_pairs (order, at (0), at (999 * MS), at (1), FALSE, "rab");
  check_pairs (order, at (0), none, at (1), FALSE, "---");
  check_pairs (order, at (0), ended, at (1), FALSE, "r-b");
  check_pairs (order, ended, ended, at (1), FALSE, "--b");
}

/* --- shifts --------------------------------------------------------------- */

/* Sets the cells of picture @i of a moving scene, with coding noise. */
static void
draw (guint32 *cells, gint i, guint noise)
{
  for (guint c = 0; c < GST_CL_N_CELLS; c++)
    cells[c] = 1000 + (guint32) (i * 37 + (gint) c * 11) % 640 +
               (c * 7 + noise) % 3;
}

TEST (test_shifts)
{
  GstClOffset *offset = gst_cl_offset_new (10);
  guint32 cells[GST_CL_N_CELLS];
  gint found = 99;

  for (gint shift = -5; shift <= 5; shift++) {
    gst_cl_offset_forget (offset);
    for (gint i = 0; i < 10; i++) {
      guint32 other[GST_CL_N_CELLS];

      draw (cells, 50 + i, 0);
      draw (other, 50 + i - shift, 2);
      fail_unless_equals_int (gst_cl_offset_add (offset, cells, other, &found),
          i == 9);
    }
    fail_unless_equals_int (found, shift);
  }

  /* twice a second */
  for (gint i = 10; i < 30; i++) {
    draw (cells, 50 + i, 0);
    fail_unless_equals_int (gst_cl_offset_add (offset, cells, cells, &found),
        i % 5 == 4);
  }
  fail_unless_equals_int (found, 0);

  /* a still picture of other brightness has none */
  gst_cl_offset_forget (offset);
  for (gint i = 0; i < 10; i++) {
    guint32 other[GST_CL_N_CELLS];

    draw (cells, 50, 0);
    draw (other, 51, 0);
    gst_cl_offset_add (offset, cells, other, &found);
  }
  fail_unless_equals_int (found, 0);
  gst_cl_offset_free (offset);
}
