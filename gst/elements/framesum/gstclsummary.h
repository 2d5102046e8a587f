/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "gstcldistribution.h"
#include "gstclstatistictable.h"
#include "ops/metrics/metrics.h"

G_BEGIN_DECLS

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
