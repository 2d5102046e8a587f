/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include <glib.h>

#include "gstclstatistictable.h"
#include "ops/metrics/metrics.h"

G_BEGIN_DECLS

/* What follows from a histogram: @counts[code] samples have the code, @n_codes
 * of them. Percentiles and linear means are those of FFmpeg's vf_signalstats.
 */

/* Returns the number of samples. */
guint64 gst_cl_distribution_count (const guint32 *counts, guint n_codes);

/* Returns the code of the @rank-th sample, from 1, of all in order; 0 for rank
 * 0 or where there is no sample. */
guint gst_cl_distribution_at (const guint32 *counts, guint n_codes,
    guint64 rank);

/* Returns the rank of the percentile @percent of @count samples, halves rounded
 * to the even number. It is 0 for very few samples, of which vf_signalstats
 * takes code 0. */
guint64 gst_cl_distribution_rank (guint64 count, guint percent);

/* Returns the rank of the median: the upper one of two. */
guint64 gst_cl_distribution_middle (guint64 count);

/* Least and greatest code that occurs, and the mean of all; 0 where there is no
 * sample. */
void gst_cl_distribution_range (const guint32 *counts, guint n_codes,
    guint *min, guint *max);
gdouble gst_cl_distribution_mean (const guint32 *counts, guint n_codes);

/* Returns Shannon's entropy in bits: 0 .. log2 (n_codes). */
gdouble gst_cl_distribution_entropy (const guint32 *counts, guint n_codes);

/* Folds the histogram: @bins[b], @n_bins of them, counts the codes with floor
 * (code * n_bins / n_codes) = b. */
void gst_cl_distribution_fold (const guint32 *counts, guint n_codes,
    guint64 *bins, guint n_bins);

/* Hues on the circle, in degrees. */
typedef struct {
  gdouble mean;          /* direction of the mean of unit vectors, [0, 360) */
  gdouble concentration; /* its length: 1: one hue, 0: none prevails */
  guint median;          /* on the circle cut open opposite of the mean */
} GstClHues;

/* Returns what follows from @counts[d] samples with hues of [d, d + 1) degrees;
 * all 0 where there is none. */
GstClHues gst_cl_distribution_hues (const guint32 counts[360]);

/* What to report: the flags of the property `statistics`. */
#define GST_CL_STATISTIC_INDEX(statistic, nick, metrics, description)          \
  GST_CL_STATISTIC_INDEX_##statistic,
enum { GST_CL_STATISTIC_TABLE (GST_CL_STATISTIC_INDEX) GST_CL_N_STATISTICS };
#undef GST_CL_STATISTIC_INDEX

#define GST_CL_STATISTIC_FLAG(statistic, nick, metrics, description)           \
  GST_CL_STATISTIC_##statistic = 1 << (GST_CL_N_STATISTICS - 1 -               \
                                       GST_CL_STATISTIC_INDEX_##statistic),
typedef enum { GST_CL_STATISTIC_TABLE (GST_CL_STATISTIC_FLAG) } GstClStatistic;
#undef GST_CL_STATISTIC_FLAG

#define GST_CL_STATISTICS_ALL ((1 << GST_CL_N_STATISTICS) - 1)

/* The statistics that need a luma and two chroma components. */
#define GST_CL_STATISTICS_OF_CHROMA                                            \
  (GST_CL_STATISTIC_SATURATION | GST_CL_STATISTIC_HUE)

/* The percentiles that `low` and `high` are. */
#define GST_CL_LOW_PERCENT  10
#define GST_CL_HIGH_PERCENT 90

/* What users get to know about a region of a frame; docs/statistics.md defines
 * each field under its name. What was not asked for is 0 or NULL, and so is
 * everything about a component that has no sample there. */
typedef struct {
  GstClComponentMetrics metrics; /* the histogram is borrowed */
  gdouble mean, variance, stddev;
  guint low, median, high;
  gdouble entropy; /* bits */
  gdouble mean_difference;
  guint bit_depth;
} GstClComponentSummary;

typedef struct {
  GstClComponentSummary components[4];
  guint saturation_min, saturation_low, saturation_high, saturation_max;
  gdouble saturation_mean;
  GstClHues hues;                      /* of all samples but grey */
  gdouble outliers, repetition, gamut; /* shares, 0 .. 1 */
} GstClSummary;

/* Returns the metrics that @statistics follow from. */
GstClMetric gst_cl_summary_needs (GstClStatistic statistics);

/* Summarizes the @metrics of a region of @n_rows rows, with @n_components
 * components and histograms of @n_codes codes. They have what
 * gst_cl_summary_needs() says. */
void gst_cl_summary_init (GstClSummary *summary, GstClStatistic statistics,
    const GstClRegionMetrics *metrics, guint n_components, guint n_codes,
    guint n_rows);

/* Sets mean and population variance from exact sums; 0 without samples. */
void gst_cl_summary_moments (guint64 count, guint64 sum, guint64 sum_squares,
    gdouble *mean, gdouble *variance);

G_END_DECLS
