/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "gstcldistribution.h"
#include "ops/metrics/metrics.h"

G_BEGIN_DECLS

/* What to report: the flags of the property `statistics`. */
typedef enum {
  GST_CL_STATISTIC_MOMENTS = 1 << 0,
  GST_CL_STATISTIC_RANGE = 1 << 1,
  GST_CL_STATISTIC_HISTOGRAM = 1 << 2,
  GST_CL_STATISTIC_PERCENTILES = 1 << 3,
  GST_CL_STATISTIC_ENTROPY = 1 << 4,
  GST_CL_STATISTIC_TEMPORAL = 1 << 5,
  GST_CL_STATISTIC_SATURATION = 1 << 6,
  GST_CL_STATISTIC_HUE = 1 << 7,
  GST_CL_STATISTIC_BIT_DEPTH = 1 << 8,
  GST_CL_STATISTIC_OUTLIERS = 1 << 9,
  GST_CL_STATISTIC_REPETITION = 1 << 10,
  GST_CL_STATISTIC_GAMUT = 1 << 11,
  GST_CL_STATISTIC_POSITIONS = 1 << 12,
  GST_CL_STATISTIC_DETECTION = 1 << 13, /* of frames with brightness */
} GstClStatistic;

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
  GstClMoments moments;
  gdouble mean, variance, stddev;
  gint min_x, min_y, max_x, max_y; /* in samples; -1 where there are none */
  const guint32 *histogram;        /* borrowed from the metrics */
  guint low, median, high;
  gdouble entropy; /* bits */
  guint64 sum_differences;
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
