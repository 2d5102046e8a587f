/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "cl/video/gstclcomponent.h"
#include "common/gstclmoments.h"

G_BEGIN_DECLS

/* Metrics of regions of a frame, exact integers, all in one read of the frame
 * (two frames where the previous one is compared with). What people ask for
 * (percentiles, entropy, means, shares) follows from these on the host. */

/* What to find out; each costs only where asked for. Those marked L are of the
 * first component alone (luma; R, the first, of RGB), those marked C need a
 * luma and two chroma components in GStreamer's order (Y, U, V). */
typedef enum {
  GST_CL_METRIC_HISTOGRAM = 1 << 0, /* per component */
  GST_CL_METRIC_MOMENTS = 1 << 1,   /* sum, squares, min, max */
  GST_CL_METRIC_POSITIONS = 1 << 2, /* of the first least and greatest sample */
  GST_CL_METRIC_BITS = 1 << 3,      /* OR of all codes */
  GST_CL_METRIC_TEMPORAL = 1 << 4,  /* SAD to the previous frame */
  GST_CL_METRIC_FREEZE = 1 << 5,   /* SAD to the frozen reference; frame only */
  GST_CL_METRIC_CHROMA = 1 << 6,   /* C: histograms of saturation and hue */
  GST_CL_METRIC_OUTLIERS = 1 << 7, /* L: samples, FFmpeg's TOUT */
  GST_CL_METRIC_REPETITION = 1 << 8, /* L: rows, FFmpeg's VREP */
  GST_CL_METRIC_GAMUT = 1 << 9,      /* C or RGB/gray: samples of component 0 */
  GST_CL_METRIC_SHARPNESS = 1 << 10, /* L: squared gradient */
} GstClMetric;

#define GST_CL_METRICS_MAX_COMPONENTS 4
#define GST_CL_METRICS_MAX_REGIONS    1024
#define GST_CL_METRICS_HUES           360

/* In samples of component 0: sample i of a component that is subsampled by s
 * belongs to a region that i * s lies in, so that one column of 4:2:0 may hold
 * no chroma. x + width and y + height within the frame, width and height >= 1.
 * A region is measured as if it were cut out: what lies beyond is nobody's
 * neighbour. (Gamut alone takes the chroma of a sample from where it is.) */
typedef struct {
  gint x, y, width, height;
} GstClRegion;

/* What an instance is built for; all of it is fixed at construction. */
typedef struct {
  guint n_components; /* 1 .. 4 */
  /* Sizes, pixel strides and sample types of later frames; memory, offsets and
   * strides are not looked at. */
  GstClComponent shapes[GST_CL_METRICS_MAX_COMPONENTS];
  guint metrics;     /* GstClMetric */
  guint n_bins;      /* of a component's histogram: 1 << depth, or fewer, a
                        power of two: codes are folded */
  guint max_regions; /* of a frame, >= 1 */
  /* codes within gamut, per component, inclusive */
  guint gamut_low[GST_CL_METRICS_MAX_COMPONENTS];
  guint gamut_high[GST_CL_METRICS_MAX_COMPONENTS];
} GstClMetricsProblem;

/* One component within one region. What was not asked for is 0, NULL or, for
 * positions, -1, and so is everything about a component that has no sample
 * there. The count of moments is always set. */
typedef struct {
  GstClMoments moments;
  gint min_x, min_y, max_x, max_y; /* in samples of the component, from the
                                      frame's corner */
  guint bits;
  guint64 difference;       /* SAD to the previous frame */
  const guint32 *histogram; /* n_bins, or NULL */
} GstClComponentMetrics;

/* The metrics of one region, by component. */
typedef struct {
  GstClComponentMetrics components[4];
  const guint32 *saturation; /* n_bins counts of chroma pixels, floor of
                                hypot (u - mid, v - mid), capped; or NULL */
  const guint32 *hue;        /* 360 counts, or NULL */
  guint64 n_outliers, n_repeated_rows, n_out_of_gamut;
  guint64 sharpness, n_sharpness; /* sum of squares, differences */
  guint64 freeze_difference[4];   /* region 0 only, per component */
} GstClRegionMetrics;

typedef struct _GstClMetricsOp GstClMetricsOp;

/* A frame, and what is to be measured of it: see gst_cl_metrics_op_run(). */
typedef struct {
  const GstClComponent *components;
  const GstClRegion *regions;
  guint n_regions;
  guint64 largest_frozen;
} GstClMetricsIo;

/* Results on their way at a time. */
#define GST_CL_METRICS_SLOTS 64

G_END_DECLS
