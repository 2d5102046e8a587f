/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "gstcldistribution.h"
#include "statistics/flash/gstclflash.h"
#include "statistics/gstclstatistictable.h"
#include "statistics/light/gstcllight.h"
#include "statistics/metrics/metrics.h"
#include "statistics/profiles/gstclprofile.h"

G_BEGIN_DECLS

/* The percentiles of the fields `low` and `high`. */
#define GST_CL_LOW_PERCENT  10
#define GST_CL_HIGH_PERCENT 90

/* A two-dimensional histogram; all zeros: none. */
typedef struct {
  const guint32 *counts; /* in C order; borrowed */
  guint shape[2];
} GstClCounts;

/* The reported numbers of one region; docs/statistics.md defines each field.
 * Statistics that were not requested are 0 or NULL, as are those of a component
 * without samples in the region. */
typedef struct {
  GstClComponentMetrics metrics; /* the histogram is borrowed */
  GstClProfile profile;  /* borrowed; gst_cl_summary_init() does not set it */
  GBytes *copy;          /* of the arrays of profile, borrowed; or NULL */
  const guint32 *copied; /* the first number in copy */
  const guint32 *cells;  /* borrowed, as profile; NULL: none */
  GstClCounts waveform;  /* as profile: columns x bins */
  gdouble mean, variance, stddev;
  guint low, median, high;
  guint bit_depth;
  /* Shares; gst_cl_summary_set_range() sets them. */
  gdouble range_below, range_within, range_above;
  gdouble range_low_peak, range_high_peak;
} GstClComponentSummary;

typedef struct {
  GstClComponentSummary components[4];
  guint saturation_min, saturation_low, saturation_high, saturation_max;
  gdouble saturation_mean;
  GstClHues hues;                      /* of all samples except grey */
  gdouble outliers, repetition, gamut; /* shares, 0 .. 1 */
  gdouble noise;                       /* standard deviation, codes */
  gdouble gradient_energy;             /* squares of codes */
  gdouble blockiness;      /* gst_cl_summary_init() does not set these */
  GstClCounts vectorscope; /* bins of V x bins of U */
  GstClFlashState flash;
  GstClLightLevels light;
  gdouble levels[GST_CL_LEVELS_N_COMPONENTS]; /* shares */
  const gchar *range_evidence; /* unknown, limited, full; static */
} GstClSummary;

/* Return fields that are DERIVED. Without samples: 0. */
#define GST_CL_SUMMARY_ROW(...)
#define GST_CL_SUMMARY_DERIVED(name, statistic, function, ...)                 \
  gdouble function (const GstClComponentMetrics *metrics, guint n_codes);
GST_CL_COMPONENT_FIELDS (GST_CL_SUMMARY_ROW, GST_CL_SUMMARY_DERIVED)
#undef GST_CL_SUMMARY_ROW
#undef GST_CL_SUMMARY_DERIVED

/* Summarizes the @metrics of a region of @n_rows rows, with @n_components
 * components and histograms of @n_codes codes. @metrics must include those of
 * gst_cl_statistics_metrics(). */
void gst_cl_summary_init (GstClSummary *summary, GstClStatistics statistics,
    const GstClRegionMetrics *metrics, guint n_components, guint n_codes,
    guint n_rows);

/* Sets the shares of samples below, within and above the codes @low .. @high,
 * and at both ends, in the histogram of @n_codes codes of @summary. A code is
 * at an end if the end is the nearest code of 8 bits. */
void gst_cl_summary_set_range (GstClComponentSummary *summary, guint n_codes,
    guint low, guint high);

/* Sets mean and population variance from exact sums; both are 0 without
 * samples. */
void gst_cl_summary_moments (guint64 count, guint64 sum, guint64 sum_squares,
    gdouble *mean, gdouble *variance);

G_END_DECLS
