/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "cl/video/gstclcomponent.h"
#include "common/gstclmoments.h"

#include <stdbool.h>

#define METRIC_U64 guint64
#define METRIC_U32 guint32
#define METRIC_I32 gint32
#include "metrics/cl_metrictable.clh"

G_BEGIN_DECLS

/* Metrics of regions of a frame, exact integers, all in one read of the frame
 * (two frames where the previous one is compared with). What people ask for
 * (percentiles, entropy, means, shares) follows from these on the host. */

/* What to find out; each costs only where asked for. Metrics whose numbers have
 * the scope FIRST are of the first component alone: luma; R, the first, of RGB.
 * CHROMA needs a luma and two chroma components in GStreamer's order (Y, U, V).
 * The rows are in kernels/metrics/cl_metrictable.clh. */
#define GST_CL_METRIC_FLAG(metric, all, first, chroma)                         \
  GST_CL_METRIC_##metric = METRIC_##metric,
typedef enum { METRIC_TABLE (GST_CL_METRIC_FLAG) } GstClMetric;
#undef GST_CL_METRIC_FLAG

#define GST_CL_METRICS_ALL            METRICS_ALL
#define GST_CL_METRICS_MAX_COMPONENTS 4
#define GST_CL_METRICS_MAX_REGIONS    1024
#define GST_CL_METRICS_HUES           N_HUES

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

/* Members by their scope in METRIC_NUMBERS. */
#define GST_CL_EACH_MOMENTS(type, name)
#define GST_CL_EACH_MIN(type, name)
#define GST_CL_EACH_MAX(type, name)
#define GST_CL_EACH_EACH(type, name)  METRIC_##type name;
#define GST_CL_EACH_FRAME(type, name) METRIC_##type name;
#define GST_CL_EACH_FIRST(type, name)
#define GST_CL_EACH_MEMBER(type, name, merge, metric, scope)                   \
  GST_CL_EACH_##scope (type, name)

#define GST_CL_FIRST_MOMENTS(type, name)
#define GST_CL_FIRST_MIN(type, name)
#define GST_CL_FIRST_MAX(type, name)
#define GST_CL_FIRST_EACH(type, name)
#define GST_CL_FIRST_FRAME(type, name)
#define GST_CL_FIRST_FIRST(type, name) METRIC_##type name;
#define GST_CL_FIRST_MEMBER(type, name, merge, metric, scope)                  \
  GST_CL_FIRST_##scope (type, name)

/* One component within one region. What was not asked for is 0, NULL or, for
 * positions, -1, and so is everything about a component that has no sample
 * there. The count of moments is always set. */
typedef struct {
  GstClMoments moments;
  METRIC_NUMBERS (GST_CL_EACH_MEMBER)
  const guint32 *histogram; /* n_bins, or NULL */
} GstClComponentMetrics;

/* The metrics of one region, by component, and those of the first component. */
typedef struct {
  GstClComponentMetrics components[GST_CL_METRICS_MAX_COMPONENTS];
  METRIC_NUMBERS (GST_CL_FIRST_MEMBER)
  guint64 n_sharpness;       /* differences whose squares sharpness sums */
  const guint32 *saturation; /* n_bins counts of chroma pixels, floor of
                                hypot (u - mid, v - mid), capped; or NULL */
  const guint32 *hue;        /* 360 counts, or NULL */
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
