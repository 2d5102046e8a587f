/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Computes reported statistics from exact metrics. */

#include "gstclsummary.h"

#include <math.h>
#include <string.h>

#include "statistics/noise/gstclnoise.h"
#include "statistics/range/gstclrange.h"

/* --- one component ------------------------------------------------------- */

void
gst_cl_summary_moments (guint64 count, guint64 sum, guint64 sum_squares,
    gdouble *mean, gdouble *variance)
{
  guint64 pivot, squares;
  gdouble fraction;

  *mean = *variance = 0.0;
  if (count == 0)
    return;

  /* Shifted by the integer part of the mean, the sum of squares is an exact
   * integer below 2^64, computed modulo 2^64. The floating-point correction is
   * below one, so there is no cancellation. */
  pivot = sum / count;
  squares = sum_squares - 2 * pivot * sum + count * pivot * pivot;
  fraction = (gdouble) (sum % count) / count;

  *mean = pivot + fraction;
  *variance = MAX ((gdouble) squares / count - fraction * fraction, 0.0);
}

static gdouble
share (guint64 part, guint64 whole)
{
  return whole > 0 ? (gdouble) part / whole : 0.0;
}

/* Returns a percentile; there is at least one sample. */
static guint
percentile (const guint32 *counts, guint n_codes, guint64 count, guint percent)
{
  const guint64 rank = gst_cl_distribution_rank (count, percent);

  return gst_cl_distribution_at (counts, n_codes, MAX (rank, 1));
}

static guint
count_bits (guint32 word)
{
  guint n = 0;

  for (; word; word &= word - 1)
    n++;

  return n;
}

static void
summarize_component (GstClComponentSummary *summary, GstClStatistics statistics,
    const GstClComponentMetrics *metrics, guint n_codes)
{
  const guint32 *histogram = metrics->histogram;
  const GstClMoments *moments = &metrics->moments;
  const guint64 count = moments->count;

  *summary = (GstClComponentSummary){
    .metrics = *metrics,
    .bit_depth = count_bits (metrics->bits),
  };
  gst_cl_summary_moments (count, moments->sum, moments->sum_squares,
      &summary->mean, &summary->variance);
  summary->stddev = sqrt (summary->variance);

  if (statistics & GST_CL_STATISTIC (PERCENTILES)) {
    summary->low = percentile (histogram, n_codes, count, GST_CL_LOW_PERCENT);
    summary->median = gst_cl_distribution_at (histogram, n_codes,
        gst_cl_distribution_middle (count));
    summary->high = percentile (histogram, n_codes, count, GST_CL_HIGH_PERCENT);
  }
}

/* --- fields that are DERIVED --------------------------------------------- */

gdouble
gst_cl_summary_entropy (const GstClComponentMetrics *metrics, guint n_codes)
{
  return gst_cl_distribution_entropy (metrics->histogram, n_codes);
}

gdouble
gst_cl_summary_mean_difference (const GstClComponentMetrics *metrics,
    guint n_codes)
{
  return share (metrics->difference, metrics->moments.count);
}

/* --- the range of colours ------------------------------------------------- */

/* Returns the number of samples whose nearest code of 8 bits is @end. */
static guint64
count_peak (const guint32 *counts, guint n_codes, guint end)
{
  const guint step = n_codes / 256;
  const guint first = end - MIN (step / 2, end);

  return gst_cl_distribution_count (counts + first,
      MIN (step, n_codes - first));
}

void
gst_cl_summary_set_range (GstClComponentSummary *summary, guint n_codes,
    guint low, guint high)
{
  const guint32 *histogram = summary->metrics.histogram;
  const guint64 count = summary->metrics.moments.count;
  const guint64 below = gst_cl_distribution_count (histogram, low);
  const guint64 within = gst_cl_distribution_count (histogram + low,
      high - low + 1);

  summary->range_below = share (below, count);
  summary->range_within = share (within, count);
  summary->range_above = share (count - below - within, count);
  summary->range_low_peak = share (count_peak (histogram, n_codes, low), count);
  summary->range_high_peak = share (count_peak (histogram, n_codes, high),
      count);
}

/* --- the region ---------------------------------------------------------- */

static void
summarize_saturation (GstClSummary *summary, const guint32 *counts,
    guint n_codes)
{
  const guint64 count = gst_cl_distribution_count (counts, n_codes);

  gst_cl_distribution_range (counts, n_codes, &summary->saturation_min,
      &summary->saturation_max);
  summary->saturation_low = percentile (counts, n_codes, count,
      GST_CL_LOW_PERCENT);
  summary->saturation_high = percentile (counts, n_codes, count,
      GST_CL_HIGH_PERCENT);
  summary->saturation_mean = gst_cl_distribution_mean (counts, n_codes);
}

/* Grey has no hue; the device counts it at the angle of atan2 (0, 0). */
static void
summarize_hues (GstClSummary *summary, const GstClRegionMetrics *metrics)
{
  const guint hue_of_grey = GST_CL_METRICS_HUES / 2;
  guint32 counts[GST_CL_METRICS_HUES];

  for (guint i = 0; i < GST_CL_METRICS_HUES; i++)
    counts[i] = metrics->hue[i];
  counts[hue_of_grey] -= metrics->saturation[0];
  summary->hues = gst_cl_distribution_hues (counts);
}

void
gst_cl_summary_init (GstClSummary *summary, GstClStatistics statistics,
    const GstClRegionMetrics *metrics, guint n_components, guint n_codes,
    guint n_rows)
{
  const guint64 count = metrics->components[0].moments.count;

  *summary = (GstClSummary){
    .outliers = share (metrics->n_outliers, count),
    .repetition = share (metrics->n_repeated_rows, n_rows),
    .gamut = share (metrics->n_out_of_gamut, count),
    .noise = gst_cl_noise_deviation (metrics->noise, metrics->n_noise),
    .gradient_energy = share (metrics->sharpness, metrics->n_sharpness),
    .range_evidence = gst_cl_range_evidence_name (GST_CL_RANGE_UNKNOWN),
  };
  for (guint c = 0; c < n_components; c++)
    summarize_component (&summary->components[c], statistics,
        &metrics->components[c], n_codes);
  if (statistics & GST_CL_STATISTIC (SATURATION))
    summarize_saturation (summary, metrics->saturation, n_codes);
  if (statistics & GST_CL_STATISTIC (HUE))
    summarize_hues (summary, metrics);
}
