/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/* Each flag of the property `statistics` and each field of a result. The flags,
 * the metrics that they need, the fields of messages and the JSON schema follow
 * from these rows; docs/adding-a-statistic.md adds one. docs/statistics.md
 * defines each field under its name. */

/* ROW (statistic, nick, metrics, description): GST_CL_STATISTIC_statistic, from
 * the last one to the first, so that a new row goes first. @metrics is a set of
 * GstClMetric. */
#define GST_CL_STATISTIC_TABLE(ROW)                                            \
  ROW (DETECTION, "detection",                                                 \
      GST_CL_METRIC_TEMPORAL | GST_CL_METRIC_FREEZE | GST_CL_METRIC_SHARPNESS, \
      "Integers from which events are detected, beside moments and "           \
      "histogram")                                                             \
  ROW (POSITIONS, "positions", GST_CL_METRIC_POSITIONS,                        \
      "Where the first minimum and maximum are")                               \
  ROW (GAMUT, "gamut", GST_CL_METRIC_GAMUT,                                    \
      "Share of samples out of the colour range (BRNG)")                       \
  ROW (REPETITION, "repetition", GST_CL_METRIC_REPETITION,                     \
      "Share of rows that repeat others (VREP)")                               \
  ROW (OUTLIERS, "outliers", GST_CL_METRIC_OUTLIERS,                           \
      "Share of samples that stand out from the rows around (TOUT)")           \
  ROW (BIT_DEPTH, "bit-depth", GST_CL_METRIC_BITS, "Bits in use")              \
  ROW (HUE, "hue", GST_CL_METRIC_CHROMA, "Mean and median hue")                \
  ROW (SATURATION, "saturation", GST_CL_METRIC_CHROMA, "Saturation")           \
  ROW (TEMPORAL, "temporal", GST_CL_METRIC_TEMPORAL,                           \
      "Difference to the previous frame")                                      \
  ROW (ENTROPY, "entropy", GST_CL_METRIC_HISTOGRAM, "Entropy in bits")         \
  ROW (PERCENTILES, "percentiles", GST_CL_METRIC_HISTOGRAM,                    \
      "10 %, median and 90 %")                                                 \
  ROW (HISTOGRAM, "histogram", GST_CL_METRIC_HISTOGRAM, "Histogram")           \
  ROW (RANGE, "range", GST_CL_METRIC_MOMENTS, "Minimum and maximum")           \
  ROW (MOMENTS, "moments", GST_CL_METRIC_MOMENTS,                              \
      "Count, sum, sum of squares, mean, variance, standard deviation")

/* ROW (name, statistic, kind, member): a field with a value a component, which
 * is a member of GstClComponentSummary; the numbers of the device are in its
 * member metrics. @kind is the type of both: UINT64, UINT, INT, DOUBLE;
 * COUNT: a guint32 whose field is a uint64; HISTOGRAM. */
#define GST_CL_COMPONENT_FIELDS(ROW)                                           \
  ROW ("count", MOMENTS, COUNT, metrics.moments.count)                         \
  ROW ("sum", MOMENTS, UINT64, metrics.moments.sum)                            \
  ROW ("sum-squares", MOMENTS, UINT64, metrics.moments.sum_squares)            \
  ROW ("mean", MOMENTS, DOUBLE, mean)                                          \
  ROW ("variance", MOMENTS, DOUBLE, variance)                                  \
  ROW ("stddev", MOMENTS, DOUBLE, stddev)                                      \
  ROW ("min", RANGE, UINT, metrics.moments.min)                                \
  ROW ("max", RANGE, UINT, metrics.moments.max)                                \
  ROW ("min-x", POSITIONS, INT, metrics.least_x)                               \
  ROW ("min-y", POSITIONS, INT, metrics.least_y)                               \
  ROW ("max-x", POSITIONS, INT, metrics.greatest_x)                            \
  ROW ("max-y", POSITIONS, INT, metrics.greatest_y)                            \
  ROW ("histogram", HISTOGRAM, HISTOGRAM, metrics.histogram)                   \
  ROW ("low", PERCENTILES, UINT, low)                                          \
  ROW ("median", PERCENTILES, UINT, median)                                    \
  ROW ("high", PERCENTILES, UINT, high)                                        \
  ROW ("entropy", ENTROPY, DOUBLE, entropy)                                    \
  ROW ("sum-differences", TEMPORAL, UINT64, metrics.difference)                \
  ROW ("mean-difference", TEMPORAL, DOUBLE, mean_difference)                   \
  ROW ("bit-depth", BIT_DEPTH, UINT, bit_depth)

/* ROW (name, statistic, kind, member): a field with one value, a member of
 * GstClSummary. */
#define GST_CL_REGION_FIELDS(ROW)                                              \
  ROW ("saturation-min", SATURATION, UINT, saturation_min)                     \
  ROW ("saturation-low", SATURATION, UINT, saturation_low)                     \
  ROW ("saturation-mean", SATURATION, DOUBLE, saturation_mean)                 \
  ROW ("saturation-high", SATURATION, UINT, saturation_high)                   \
  ROW ("saturation-max", SATURATION, UINT, saturation_max)                     \
  ROW ("hue-mean", HUE, DOUBLE, hues.mean)                                     \
  ROW ("hue-concentration", HUE, DOUBLE, hues.concentration)                   \
  ROW ("hue-median", HUE, UINT, hues.median)                                   \
  ROW ("outliers", OUTLIERS, DOUBLE, outliers)                                 \
  ROW ("repetition", REPETITION, DOUBLE, repetition)                           \
  ROW ("gamut", GAMUT, DOUBLE, gamut)
