/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Functions of a histogram. */

#include "gstcldistribution.h"

#include <math.h>

#define N_HUES 360

guint64
gst_cl_distribution_count (const guint32 *counts, guint n_codes)
{
  guint64 count = 0;

  for (guint i = 0; i < n_codes; i++)
    count += counts[i];

  return count;
}

guint
gst_cl_distribution_at (const guint32 *counts, guint n_codes, guint64 rank)
{
  guint64 passed = 0;

  for (guint i = 0; i < n_codes; i++) {
    passed += counts[i];
    if (passed >= rank)
      return i;
  }

  return 0;
}

guint64
gst_cl_distribution_rank (guint64 count, guint percent)
{
  return llrint (count * percent / 100.0);
}

guint64
gst_cl_distribution_middle (guint64 count)
{
  return count / 2 + 1;
}

void
gst_cl_distribution_range (const guint32 *counts, guint n_codes, guint *min,
    guint *max)
{
  gboolean is_found = FALSE;

  *min = *max = 0;
  for (guint i = 0; i < n_codes; i++) {
    if (counts[i] == 0)
      continue;
    if (!is_found)
      *min = i;
    is_found = TRUE;
    *max = i;
  }
}

gdouble
gst_cl_distribution_mean (const guint32 *counts, guint n_codes)
{
  guint64 count = 0, sum = 0;

  for (guint i = 0; i < n_codes; i++) {
    count += counts[i];
    sum += (guint64) counts[i] * i;
  }

  return count > 0 ? (gdouble) sum / count : 0.0;
}

gdouble
gst_cl_distribution_entropy (const guint32 *counts, guint n_codes)
{
  const gdouble count = gst_cl_distribution_count (counts, n_codes);
  gdouble entropy = 0.0;

  for (guint i = 0; i < n_codes; i++) {
    if (counts[i] > 0)
      entropy -= counts[i] / count * log2 (counts[i] / count);
  }

  return entropy;
}

/* Returns the first code of bin @bin; n_codes if @bin is n_bins. */
static guint
first_code (guint n_codes, guint bin, guint n_bins)
{
  return ((guint64) bin * n_codes + n_bins - 1) / n_bins;
}

guint64
gst_cl_distribution_bin (const guint32 *counts, guint n_codes, guint bin,
    guint n_bins)
{
  const guint end = first_code (n_codes, bin + 1, n_bins);
  guint64 count = 0;

  for (guint i = first_code (n_codes, bin, n_bins); i < end; i++)
    count += counts[i];

  return count;
}

void
gst_cl_distribution_fold (const guint32 *counts, guint n_codes, guint32 *bins,
    guint n_bins)
{
  if (n_bins == n_codes) {
    memcpy (bins, counts, n_codes * sizeof *counts);
    return;
  }
  for (guint b = 0; b < n_bins; b++)
    bins[b] = (guint32) gst_cl_distribution_bin (counts, n_codes, b, n_bins);
}

/* --- hues ---------------------------------------------------------------- */

/* Returns the median of the hues, ordered from @start around the circle. */
static guint
median_from (const guint32 *counts, guint start, guint64 count)
{
  const guint64 rank = gst_cl_distribution_middle (count);
  guint64 passed = 0;
  guint hue = start;

  for (guint i = 0; i < N_HUES; i++) {
    hue = (start + i) % N_HUES;
    passed += counts[hue];
    if (passed >= rank)
      break;
  }

  return hue;
}

GstClHues
gst_cl_distribution_hues (const guint32 counts[360])
{
  const guint64 count = gst_cl_distribution_count (counts, N_HUES);
  GstClHues hues = { 0 };
  gdouble x = 0.0, y = 0.0;

  if (count == 0)
    return hues;

  for (guint i = 0; i < N_HUES; i++) {
    const gdouble angle = (i + .5) * G_PI / 180;

    if (counts[i] == 0)
      continue;
    x += counts[i] * cos (angle);
    y += counts[i] * sin (angle);
  }

  hues.mean = atan2 (y, x) * 180 / G_PI;
  if (hues.mean < 0)
    hues.mean += N_HUES;
  hues.concentration = MIN (hypot (x, y) / count, 1.0);
  hues.median = median_from (counts, ((guint) hues.mean + N_HUES / 2) % N_HUES,
      count);

  return hues;
}
