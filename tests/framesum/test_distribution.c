/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Values derived from a histogram, compared with those of its samples. */

#include "elements/framesum/gstcldistribution.h"

#include "suite.h"

#include <math.h>

#define N_CODES   256
#define N_SAMPLES 400

/* @n sorted samples, and the count of each code. */
static void
make_samples (GRand *rand, guint *samples, guint n, guint32 *counts)
{
  memset (counts, 0, N_CODES * sizeof *counts);
  for (guint i = 0; i < n; i++)
    counts[g_rand_int_range (rand, 0, N_CODES)]++;
  for (guint code = 0, i = 0; code < N_CODES; code++) {
    for (guint k = 0; k < counts[code]; k++)
      samples[i++] = code;
  }
}

TEST (test_order)
{
  g_autoptr (GRand) rand = g_rand_new_with_seed (1);

  for (guint n = 1; n <= N_SAMPLES; n++) {
    guint samples[N_SAMPLES], min, max;
    guint32 counts[N_CODES];
    guint64 sum = 0;

    make_samples (rand, samples, n, counts);
    for (guint i = 0; i < n; i++) {
      sum += samples[i];
      fail_unless_equals_int (gst_cl_distribution_at (counts, N_CODES, i + 1),
          samples[i]);
    }
    fail_unless_equals_uint64 (gst_cl_distribution_count (counts, N_CODES), n);
    fail_unless_equals_int (gst_cl_distribution_at (counts, N_CODES,
                                gst_cl_distribution_middle (n)),
        samples[n / 2]);
    gst_cl_distribution_range (counts, N_CODES, &min, &max);
    fail_unless_equals_int (min, samples[0]);
    fail_unless_equals_int (max, samples[n - 1]);
    fail_unless_equals_float (gst_cl_distribution_mean (counts, N_CODES),
        (gdouble) sum / n);
  }
}

TEST (test_nothing)
{
  const guint32 counts[360] = { 0 };
  const GstClHues hues = gst_cl_distribution_hues (counts);
  guint min, max;

  gst_cl_distribution_range (counts, N_CODES, &min, &max);
  fail_unless_equals_int (min, 0);
  fail_unless_equals_int (max, 0);
  fail_unless_equals_int (gst_cl_distribution_at (counts, N_CODES, 1), 0);
  fail_unless (gst_cl_distribution_mean (counts, N_CODES) == 0);
  fail_unless (gst_cl_distribution_entropy (counts, N_CODES) == 0);
  fail_unless (hues.mean == 0 && hues.concentration == 0 && hues.median == 0);
}

/* Halves round to the even rank, as lrint() rounds. */
TEST (test_ranks)
{
  static const struct {
    guint64 count;
    guint low, high;
  } rows[] = { { 0, 0, 0 }, { 1, 0, 1 }, { 5, 0, 4 }, { 6, 1, 5 }, { 10, 1, 9 },
    { 15, 2, 14 }, { 25, 2, 22 }, { 35, 4, 32 }, { 442368, 44237, 398131 } };

  for (guint i = 0; i < G_N_ELEMENTS (rows); i++) {
    fail_unless_equals_uint64 (gst_cl_distribution_rank (rows[i].count, 10),
        rows[i].low);
    fail_unless_equals_uint64 (gst_cl_distribution_rank (rows[i].count, 90),
        rows[i].high);
  }
}

TEST (test_entropy)
{
  guint32 counts[N_CODES] = { 0 };

  counts[7] = 12345;
  fail_unless (gst_cl_distribution_entropy (counts, N_CODES) == 0.0);
  counts[9] = 12345;
  fail_unless_equals_float (gst_cl_distribution_entropy (counts, N_CODES), 1.0);
  for (guint i = 0; i < N_CODES; i++)
    counts[i] = 3;
  fail_unless_equals_float (gst_cl_distribution_entropy (counts, N_CODES), 8.0);

  memset (counts, 0, sizeof counts);
  counts[0] = 1;
  counts[255] = 3;
  fail_unless (fabs (gst_cl_distribution_entropy (counts, N_CODES) -
                     (0.25 * 2 + 0.75 * log2 (4 / 3.0))) < 1e-15);
}

/* Every bin has its codes, whether or not their number divides the number of
 * codes. */
TEST (test_folding)
{
  static const guint n_bins[] = { 1, 2, 3, 7, 16, 100, 255, 256 };
  guint32 counts[N_CODES];

  for (guint i = 0; i < N_CODES; i++)
    counts[i] = i * i;
  for (guint k = 0; k < G_N_ELEMENTS (n_bins); k++) {
    guint64 expected[N_CODES] = { 0 };
    guint32 bins[N_CODES];

    gst_cl_distribution_fold (counts, N_CODES, bins, n_bins[k]);
    for (guint i = 0; i < N_CODES; i++)
      expected[(guint) floor (i * (gdouble) n_bins[k] / N_CODES)] += counts[i];
    for (guint b = 0; b < n_bins[k]; b++) {
      fail_unless_equals_uint64 (
          gst_cl_distribution_bin (counts, N_CODES, b, n_bins[k]), expected[b]);
      fail_unless_equals_uint64 (bins[b], expected[b]);
    }
  }
}

/* Large counts: more than 32 bits in total. */
TEST (test_folding_large_counts)
{
  const guint32 counts[4] = { G_MAXUINT32, G_MAXUINT32, G_MAXUINT32, 1 };
  const guint64 bin = gst_cl_distribution_bin (counts, 4, 0, 1);

  fail_unless_equals_uint64 (bin, G_GUINT64_CONSTANT (3) * G_MAXUINT32 + 1);
  fail_unless_equals_uint64 (gst_cl_distribution_count (counts, 4), bin);
}

/* --- hues ---------------------------------------------------------------- */

TEST (test_one_hue)
{
  for (guint i = 0; i < 360; i++) {
    guint32 counts[360] = { 0 };
    GstClHues hues;

    counts[i] = 1000;
    hues = gst_cl_distribution_hues (counts);
    fail_unless (fabs (hues.mean - (i + .5)) < 1e-9, "%u: %g", i, hues.mean);
    fail_unless (fabs (hues.concentration - 1) < 1e-9);
    fail_unless_equals_int (hues.median, i);
  }
}

/* A mean along the line is on the opposite side of the circle. */
TEST (test_hues_around_zero)
{
  guint32 counts[360] = { 0 };
  GstClHues hues;

  counts[358] = counts[359] = counts[0] = counts[1] = counts[2] = 10;
  hues = gst_cl_distribution_hues (counts);
  fail_unless (fabs (hues.mean - .5) < 1e-9, "%g", hues.mean);
  fail_unless_equals_int (hues.median, 0);
  fail_unless (hues.concentration > .99 && hues.concentration < 1);
}

TEST (test_no_hue_prevails)
{
  guint32 counts[360];
  GstClHues hues;

  for (guint i = 0; i < 360; i++)
    counts[i] = 5;
  hues = gst_cl_distribution_hues (counts);
  fail_unless (hues.concentration < 1e-12);
  fail_unless (hues.mean >= 0 && hues.mean < 360);

  memset (counts, 0, sizeof counts);
  counts[90] = 3;
  counts[270] = 1;
  hues = gst_cl_distribution_hues (counts);
  fail_unless (fabs (hues.mean - 90.5) < 1e-9);
  fail_unless (fabs (hues.concentration - .5) < 1e-9);
  fail_unless_equals_int (hues.median, 90);
}
