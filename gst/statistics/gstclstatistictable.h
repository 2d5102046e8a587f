/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include <glib.h>

/* All numbers of a frame that clframesum can measure. The flags of the property
 * `statistics`, the metrics that they need, the fields of messages and the JSON
 * schema are generated from these rows; docs/adding-a-statistic.md shows how to
 * add one. docs/statistics.md defines each field. */

/* A set of numbers: what is measured, reported or pooled, or what a detector
 * reads. GST_CL_STATISTIC (NOISE) is the set of one row. */
typedef guint64 GstClStatistics;

#define GST_CL_STATISTIC(statistic)                                            \
  (G_GUINT64_CONSTANT (1) << GST_CL_STATISTIC_BIT_##statistic)

/* ROW (statistic, nick, metrics, of, where, description): a flag of the
 * property `statistics`, from the last one to the first; a new row is inserted
 * at the top, so that the others keep their bits.
 *
 * metrics  set of GstClMetric that it needs
 * of       what a picture must have: ANY, BRIGHTNESS, COLOUR or CHROMA
 * where    what has it: FRAMES alone, PICTURES (frames and fields), or REGIONS
 *          (zones and regions of interest, too)
 */
#define GST_CL_STATISTIC_TABLE(ROW)                                            \
  ROW (GRADIENT_ENERGY, "gradient-energy", GST_CL_METRIC_SHARPNESS, ANY,       \
      REGIONS, "Energy of the gradient, a measure of sharpness")               \
  ROW (VECTORSCOPE, "vectorscope", GST_CL_METRIC_MOMENTS, CHROMA, FRAMES,      \
      "How often each pair of U and V occurs (not for R, G, B and "            \
      "grey)")                                                                 \
  ROW (WAVEFORM, "waveform", GST_CL_METRIC_MOMENTS, ANY, FRAMES,               \
      "Histogram of each column")                                              \
  ROW (LEVELS, "levels", GST_CL_METRIC_MOMENTS, COLOUR, FRAMES,                \
      "Shares of pixels beyond the preferred range of EBU R 103")              \
  ROW (LIGHT_HISTOGRAM, "light-histogram", GST_CL_METRIC_MOMENTS, COLOUR,      \
      FRAMES, "Histogram of the maximum of R, G and B")                        \
  ROW (LIGHT, "light", GST_CL_METRIC_MOMENTS, COLOUR, FRAMES,                  \
      "Light levels in cd/m2 (MaxCLL, MaxFALL, percentiles)")                  \
  ROW (FLASH, "flash", GST_CL_METRIC_MOMENTS, COLOUR, FRAMES,                  \
      "Flashes of luminance and of saturated red")                             \
  ROW (CELLS, "cells", GST_CL_METRIC_MOMENTS, ANY, PICTURES,                   \
      "Means in a grid of 32 x 18 cells")                                      \
  ROW (BLOCKINESS, "blockiness", GST_CL_METRIC_MOMENTS, ANY, PICTURES,         \
      "How much edges of blocks stand out (blockdetect)")                      \
  ROW (ACTIVE_AREA, "active-area", GST_CL_METRIC_MOMENTS, BRIGHTNESS, FRAMES,  \
      "The picture without its borders")                                       \
  ROW (PROFILES, "profiles", GST_CL_METRIC_MOMENTS, ANY, PICTURES,             \
      "Sums, extremes and differences of each row and column")                 \
  ROW (NOISE, "noise", GST_CL_METRIC_NOISE, ANY, REGIONS,                      \
      "Standard deviation of the noise")                                       \
  ROW (FIELDS, "fields", GST_CL_METRIC_FIELDS, ANY, FRAMES,                    \
      "Field order (idet)")                                                    \
  ROW (RANGE_EVIDENCE, "range-evidence", GST_CL_METRIC_HISTOGRAM, ANY,         \
      REGIONS,                                                                 \
      "Shares of samples below, within and above limited range, and "          \
      "the range that they show")                                              \
  ROW (DETECTION, "detection",                                                 \
      GST_CL_METRIC_TEMPORAL | GST_CL_METRIC_FREEZE | GST_CL_METRIC_SHARPNESS, \
      BRIGHTNESS, FRAMES,                                                      \
      "Integers from which events are detected, beside moments and "           \
      "histogram")                                                             \
  ROW (POSITIONS, "positions", GST_CL_METRIC_POSITIONS, ANY, REGIONS,          \
      "Where the first minimum and maximum are")                               \
  ROW (GAMUT, "gamut", GST_CL_METRIC_GAMUT, ANY, REGIONS,                      \
      "Share of samples out of the colour range (BRNG)")                       \
  ROW (REPETITION, "repetition", GST_CL_METRIC_REPETITION, ANY, REGIONS,       \
      "Share of rows that repeat others (VREP)")                               \
  ROW (OUTLIERS, "outliers", GST_CL_METRIC_OUTLIERS, ANY, REGIONS,             \
      "Share of samples that stand out from the rows around (TOUT)")           \
  ROW (BIT_DEPTH, "bit-depth", GST_CL_METRIC_BITS, ANY, REGIONS,               \
      "Bits in use")                                                           \
  ROW (HUE, "hue", GST_CL_METRIC_CHROMA, CHROMA, REGIONS,                      \
      "Mean and median hue")                                                   \
  ROW (SATURATION, "saturation", GST_CL_METRIC_CHROMA, CHROMA, REGIONS,        \
      "Saturation")                                                            \
  ROW (TEMPORAL, "temporal", GST_CL_METRIC_TEMPORAL, ANY, REGIONS,             \
      "Difference to the previous frame")                                      \
  ROW (ENTROPY, "entropy", GST_CL_METRIC_HISTOGRAM, ANY, REGIONS,              \
      "Entropy in bits")                                                       \
  ROW (PERCENTILES, "percentiles", GST_CL_METRIC_HISTOGRAM, ANY, REGIONS,      \
      "10 %, median and 90 %")                                                 \
  ROW (HISTOGRAM, "histogram", GST_CL_METRIC_HISTOGRAM, ANY, REGIONS,          \
      "Histogram")                                                             \
  ROW (RANGE, "range", GST_CL_METRIC_MOMENTS, ANY, REGIONS,                    \
      "Minimum and maximum")                                                   \
  ROW (MOMENTS, "moments", GST_CL_METRIC_MOMENTS, ANY, REGIONS,                \
      "Count, sum, sum of squares, mean, variance, standard deviation")

/* ROW (statistic, metrics): numbers that detectors read, or need, and that no
 * flag names. GST_CL_STATISTICS_OF_DETECTION are fields of
 * statistics=detection. */
#define GST_CL_DETECTED_TABLE(ROW)                                             \
  /* histograms of Y, or of R, G and B */                                      \
  ROW (BRIGHTNESS, GST_CL_METRIC_HISTOGRAM)                                    \
  /* previous_sad, previous_count */                                           \
  ROW (CHANGE, GST_CL_METRIC_TEMPORAL)                                         \
  /* reference_sad, .._count, .._limit, buffer_flags; of zones, too */         \
  ROW (STILLNESS, GST_CL_METRIC_FREEZE)                                        \
  ROW (ZONE_STILLNESS, GST_CL_METRIC_FREEZE | GST_CL_METRIC_ZONES)             \
  /* gradient_*, moments[0] */                                                 \
  ROW (SHARPNESS, GST_CL_METRIC_SHARPNESS | GST_CL_METRIC_MOMENTS)             \
  /* nominal_duration, buffer_flags; only measured frames are analyzed */      \
  ROW (TIMES, GST_CL_METRIC_MOMENTS)

#define GST_CL_STATISTICS_OF_DETECTION                                         \
  (GST_CL_STATISTIC (BRIGHTNESS) | GST_CL_STATISTIC (CHANGE) |                 \
      GST_CL_STATISTIC (STILLNESS) | GST_CL_STATISTIC (SHARPNESS) |            \
      GST_CL_STATISTIC (TIMES))

/* Flags have the low bits, in the order of the property, which has 32: a flag
 * more would be one of a second property, made from the same rows. Other
 * numbers have the high bits. */
#define GST_CL_STATISTIC_ROW(statistic, ...) GST_CL_STATISTIC_ROW_##statistic,
enum { GST_CL_STATISTIC_TABLE (GST_CL_STATISTIC_ROW) GST_CL_N_STATISTICS };
enum { GST_CL_DETECTED_TABLE (GST_CL_STATISTIC_ROW) GST_CL_N_DETECTED };
#undef GST_CL_STATISTIC_ROW

#define GST_CL_FLAG_BIT(statistic, ...)                                        \
  GST_CL_STATISTIC_BIT_##statistic = GST_CL_N_STATISTICS - 1 -                 \
                                     GST_CL_STATISTIC_ROW_##statistic,
#define GST_CL_DETECTED_BIT(statistic, metrics)                                \
  GST_CL_STATISTIC_BIT_##statistic = 63 - GST_CL_STATISTIC_ROW_##statistic,
enum {
  GST_CL_STATISTIC_TABLE (GST_CL_FLAG_BIT)
      GST_CL_DETECTED_TABLE (GST_CL_DETECTED_BIT)
};
#undef GST_CL_FLAG_BIT
#undef GST_CL_DETECTED_BIT

G_STATIC_ASSERT (GST_CL_N_STATISTICS <= 32);

#define GST_CL_STATISTICS_ALL                                                  \
  ((G_GUINT64_CONSTANT (1) << GST_CL_N_STATISTICS) - 1)

/* ROW (name, statistic, kind, member, unit, key, words): a field of a result.
 *
 * name       of the field
 * statistic  the flag that it belongs to
 * kind       type of the member and of the field: UINT64, UINT, INT, DOUBLE,
 *            TEXT; COUNT: a guint32 whose field is a uint64; HISTOGRAM or,
 *            instead, if histograms are packed, PACKED_HISTOGRAM; ROWS and
 *            COLUMNS: an array of GstClProfile, and CELLS: an array of
 *            GST_CL_N_CELLS; a field of GBytes, which zones and regions of
 *            interest do not have; COUNTS: a GstClCounts, packed, and SHAPE,
 *            its shape
 * member     of GstClComponentSummary, whose member metrics has the numbers of
 *            the device; or of GstClSummary
 * unit       CODES, SQUARES (of codes), SHARE (0 .. 1), RATIO, DEGREES, BITS
 *            or LIGHT (cd/m2): a rule of clqc can limit the field; NONE
 * key        of signalstats that has the same meaning, for a component without
 *            its letter; or ""
 * words      what the field is, for people, before the name of a component
 */

/* Fields with one value per component.
 * DERIVED (name, statistic, function, unit, key, words): a double that follows
 * from others; function is in gstclsummary.c: of GstClComponentMetrics and the
 * number of codes of a histogram. */
#define GST_CL_COMPONENT_FIELDS(ROW, DERIVED)                                  \
  ROW ("count", MOMENTS, COUNT, metrics.moments.count, NONE, "",               \
      "number of samples of")                                                  \
  ROW ("sum", MOMENTS, UINT64, metrics.moments.sum, NONE, "", "sum of")        \
  ROW ("sum-squares", MOMENTS, UINT64, metrics.moments.sum_squares, NONE, "",  \
      "sum of squares of")                                                     \
  ROW ("mean", MOMENTS, DOUBLE, mean, CODES, "AVG", "mean")                    \
  ROW ("variance", MOMENTS, DOUBLE, variance, SQUARES, "", "variance")         \
  ROW ("stddev", MOMENTS, DOUBLE, stddev, CODES, "", "standard deviation")     \
  ROW ("min", RANGE, UINT, metrics.moments.min, CODES, "MIN", "least")         \
  ROW ("max", RANGE, UINT, metrics.moments.max, CODES, "MAX", "greatest")      \
  ROW ("min-x", POSITIONS, INT, metrics.least_x, NONE, "",                     \
      "column of the first least")                                             \
  ROW ("min-y", POSITIONS, INT, metrics.least_y, NONE, "",                     \
      "row of the first least")                                                \
  ROW ("max-x", POSITIONS, INT, metrics.greatest_x, NONE, "",                  \
      "column of the first greatest")                                          \
  ROW ("max-y", POSITIONS, INT, metrics.greatest_y, NONE, "",                  \
      "row of the first greatest")                                             \
  ROW ("histogram", HISTOGRAM, HISTOGRAM, metrics.histogram, NONE, "",         \
      "histogram of")                                                          \
  ROW ("histogram-data", HISTOGRAM, PACKED_HISTOGRAM, metrics.histogram, NONE, \
      "", "packed histogram of")                                               \
  ROW ("low", PERCENTILES, UINT, low, CODES, "LOW", "10 % percentile of")      \
  ROW ("median", PERCENTILES, UINT, median, CODES, "", "median of")            \
  ROW ("high", PERCENTILES, UINT, high, CODES, "HIGH", "90 % percentile of")   \
  DERIVED ("entropy", ENTROPY, gst_cl_summary_entropy, NONE, "",               \
      "entropy in bits of")                                                    \
  ROW ("sum-differences", TEMPORAL, UINT64, metrics.difference, NONE, "",      \
      "sum of differences to the frame before in")                             \
  DERIVED ("mean-difference", TEMPORAL, gst_cl_summary_mean_difference, CODES, \
      "DIF", "difference to the frame before in")                              \
  ROW ("bit-depth", BIT_DEPTH, UINT, bit_depth, BITS, "BITDEPTH",              \
      "bits in use of")                                                        \
  ROW ("range-below", RANGE_EVIDENCE, DOUBLE, range_below, SHARE, "",          \
      "share of samples below limited range of")                               \
  ROW ("range-within", RANGE_EVIDENCE, DOUBLE, range_within, SHARE, "",        \
      "share of samples within limited range of")                              \
  ROW ("range-above", RANGE_EVIDENCE, DOUBLE, range_above, SHARE, "",          \
      "share of samples above limited range of")                               \
  ROW ("range-low-peak", RANGE_EVIDENCE, DOUBLE, range_low_peak, SHARE, "",    \
      "share of samples at the low end of limited range of")                   \
  ROW ("range-high-peak", RANGE_EVIDENCE, DOUBLE, range_high_peak, SHARE, "",  \
      "share of samples at the high end of limited range of")                  \
  ROW ("row-sum", PROFILES, ROWS, profile.row_sum, NONE, "",                   \
      "sum of each row of")                                                    \
  ROW ("row-min", PROFILES, ROWS, profile.row_min, NONE, "",                   \
      "least of each row of")                                                  \
  ROW ("row-max", PROFILES, ROWS, profile.row_max, NONE, "",                   \
      "greatest of each row of")                                               \
  ROW ("row-difference", PROFILES, ROWS, profile.row_difference, NONE, "",     \
      "sum of differences of each row to the one before in")                   \
  ROW ("row-field-difference", PROFILES, ROWS, profile.row_field_difference,   \
      NONE, "", "sum of differences of each row to the row two before in")     \
  ROW ("column-sum", PROFILES, COLUMNS, profile.column_sum, NONE, "",          \
      "sum of each column of")                                                 \
  ROW ("column-min", PROFILES, COLUMNS, profile.column_min, NONE, "",          \
      "least of each column of")                                               \
  ROW ("column-max", PROFILES, COLUMNS, profile.column_max, NONE, "",          \
      "greatest of each column of")                                            \
  ROW ("column-difference", PROFILES, COLUMNS, profile.column_difference,      \
      NONE, "", "sum of differences of each column to the one before in")      \
  ROW ("cell-means", CELLS, CELLS, cells, NONE, "", "mean of each cell of")    \
  ROW ("waveform", WAVEFORM, COUNTS, waveform, NONE, "",                       \
      "histogram of each column of")                                           \
  ROW ("waveform-shape", WAVEFORM, SHAPE, waveform, NONE, "",                  \
      "columns and bins of the waveform of")

/* Fields with one value. */
#define GST_CL_REGION_FIELDS(ROW)                                              \
  ROW ("saturation-min", SATURATION, UINT, saturation_min, CODES, "SATMIN",    \
      "least saturation")                                                      \
  ROW ("saturation-low", SATURATION, UINT, saturation_low, CODES, "SATLOW",    \
      "10 % percentile of saturation")                                         \
  ROW ("saturation-mean", SATURATION, DOUBLE, saturation_mean, CODES,          \
      "SATAVG", "mean saturation")                                             \
  ROW ("saturation-high", SATURATION, UINT, saturation_high, CODES, "SATHIGH", \
      "90 % percentile of saturation")                                         \
  ROW ("saturation-max", SATURATION, UINT, saturation_max, CODES, "SATMAX",    \
      "greatest saturation")                                                   \
  ROW ("hue-mean", HUE, DOUBLE, hues.mean, DEGREES, "HUEAVG", "mean hue")      \
  ROW ("hue-concentration", HUE, DOUBLE, hues.concentration, SHARE, "",        \
      "concentration of hues")                                                 \
  ROW ("hue-median", HUE, UINT, hues.median, DEGREES, "HUEMED", "median hue")  \
  ROW ("outliers", OUTLIERS, DOUBLE, outliers, SHARE, "TOUT",                  \
      "share of samples that stand out (dropouts)")                            \
  ROW ("repetition", REPETITION, DOUBLE, repetition, SHARE, "VREP",            \
      "share of repeated rows")                                                \
  ROW ("gamut", GAMUT, DOUBLE, gamut, SHARE, "BRNG",                           \
      "share of samples out of the colour range")                              \
  ROW ("range-evidence", RANGE_EVIDENCE, TEXT, range_evidence, NONE, "",       \
      "colour range that the samples show")                                    \
  ROW ("noise", NOISE, DOUBLE, noise, CODES, "", "noise")                      \
  ROW ("gradient-energy", GRADIENT_ENERGY, DOUBLE, gradient_energy, NONE, "",  \
      "energy of the gradient")                                                \
  ROW ("blockiness", BLOCKINESS, DOUBLE, blockiness, RATIO, "", "blockiness")  \
  ROW ("flash-luminance-area", FLASH, DOUBLE, flash.area[0], SHARE, "",        \
      "share of cells whose luminance has changed")                            \
  ROW ("flash-luminance-difference", FLASH, DOUBLE, flash.difference[0], NONE, \
      "", "accumulated difference of the mean luminance")                      \
  ROW ("flash-red-area", FLASH, DOUBLE, flash.area[1], SHARE, "",              \
      "share of cells whose saturated red has changed")                        \
  ROW ("flash-red-difference", FLASH, DOUBLE, flash.difference[1], NONE, "",   \
      "accumulated difference of the mean saturated red")                      \
  ROW ("light-max", LIGHT, DOUBLE, light.max, LIGHT, "",                       \
      "greatest light of R, G and B")                                          \
  ROW ("light-average", LIGHT, DOUBLE, light.average, LIGHT, "",               \
      "average of the maximum of R, G and B")                                  \
  ROW ("light-robust-max", LIGHT, DOUBLE, light.robust_max, LIGHT, "",         \
      "99.99 % percentile of the maximum of R, G and B")                       \
  ROW ("light-left-out", LIGHT, DOUBLE, light.left_out, SHARE, "",             \
      "share of pixels above that percentile")                                 \
  ROW ("levels-r", LEVELS, DOUBLE, levels[0], SHARE, "",                       \
      "share of pixels whose R is beyond the preferred range")                 \
  ROW ("levels-g", LEVELS, DOUBLE, levels[1], SHARE, "",                       \
      "share of pixels whose G is beyond the preferred range")                 \
  ROW ("levels-b", LEVELS, DOUBLE, levels[2], SHARE, "",                       \
      "share of pixels whose B is beyond the preferred range")                 \
  ROW ("levels-y", LEVELS, DOUBLE, levels[3], SHARE, "",                       \
      "share of pixels whose Y is beyond the preferred range")                 \
  ROW ("vectorscope", VECTORSCOPE, COUNTS, vectorscope, NONE, "",              \
      "histogram of pairs of U and V")                                         \
  ROW ("vectorscope-shape", VECTORSCOPE, SHAPE, vectorscope, NONE, "",         \
      "bins of V and of U")
