/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Medians and percentiles of samples. */

#include "timing.h"

#include "suite.h"

/* The spread of 0 .. n - 1, stored from the largest to the smallest. */
static Spread
spread_of_first (guint n)
{
  g_autoptr (GArray) samples = g_array_new (FALSE, FALSE, sizeof (gdouble));

  for (guint i = n; i > 0; i--) {
    const gdouble sample = i - 1;
    g_array_append_val (samples, sample);
  }

  return timing_spread (samples);
}

TEST (test_spread)
{
  static const struct {
    guint n;
    gdouble low, median, high;
  } cases[] = {
    { 0, 0, 0, 0 },
    { 1, 0, 0, 0 },
    { 2, 0, 1, 1 },
    { 3, 0, 1, 2 },
    { 10, 1, 5, 8 },
    { 11, 1, 5, 9 },
    { 101, 10, 50, 90 },
  };

  for (guint i = 0; i < G_N_ELEMENTS (cases); i++) {
    const Spread spread = spread_of_first (cases[i].n);

    fail_unless_equals_float (spread.low, cases[i].low);
    fail_unless_equals_float (spread.median, cases[i].median);
    fail_unless_equals_float (spread.high, cases[i].high);
  }
}

TEST (test_samples_are_sorted)
{
  static const gdouble unsorted[] = { 0.5, -1, 3e9, 0.25 };
  static const gdouble sorted[] = { -1, 0.25, 0.5, 3e9 };
  g_autoptr (GArray) samples = g_array_new (FALSE, FALSE, sizeof (gdouble));

  g_array_append_vals (samples, unsorted, G_N_ELEMENTS (unsorted));
  fail_unless_equals_float (timing_spread (samples).median, 0.5);
  for (guint i = 0; i < G_N_ELEMENTS (sorted); i++)
    fail_unless_equals_float (g_array_index (samples, gdouble, i), sorted[i]);
}
