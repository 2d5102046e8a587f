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
 * (two frames if it is compared with the previous one). The host computes
 * derived values (percentiles, entropy, means, shares) from these. */

/* The metrics; each costs time only if it is requested. Metrics whose numbers
 * have the scope FIRST are of the first component alone: luma, or R for RGB.
 * CHROMA needs a luma and two chroma components in GStreamer's order (Y, U, V).
 * The rows are in kernels/metrics/cl_metrictable.clh. */
#define GST_CL_METRIC_FLAG(metric, all, first, chroma)                         \
  GST_CL_METRIC_##metric = METRIC_##metric,
typedef enum { METRIC_TABLE (GST_CL_METRIC_FLAG) } GstClMetric;
#undef GST_CL_METRIC_FLAG

/* The metrics that compare a frame with the frame before. */
#define GST_CL_METRICS_OF_PREVIOUS                                             \
  (GST_CL_METRIC_TEMPORAL | GST_CL_METRIC_FIELDS)

#define GST_CL_METRICS_ALL            METRICS_ALL
#define GST_CL_METRICS_MAX_COMPONENTS 4
#define GST_CL_METRICS_MAX_REGIONS    1024
#define GST_CL_METRICS_HUES           N_HUES

/* A rectangle in samples of component 0: sample i of a component that is
 * subsampled by s belongs to the region that contains i * s, so that one column
 * of 4:2:0 may contain no chroma. x + width and y + height are within the
 * frame, width and height >= 1. A region is measured as if it were cut out:
 * samples outside are neighbours of no sample. (Only gamut uses the chroma at a
 * sample's position even if it is outside, and FIELDS counts even and odd rows
 * from the top of the frame.) */
typedef struct {
  gint x, y, width, height;
} GstClRegion;

/* The problem that an instance is built for; constant after construction. */
typedef struct {
  guint n_components; /* 1 .. 4 */
  /* Sizes, pixel strides and sample types of later frames; memory, offsets and
   * strides are ignored. */
  GstClComponent shapes[GST_CL_METRICS_MAX_COMPONENTS];
  /* How many rows a component has fewer than follow from its subsampling: 1 for
   * the chroma of some bottom fields. GAMUT uses its last row for these. */
  guint n_missing_rows[GST_CL_METRICS_MAX_COMPONENTS];
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

/* One component within one region. Values that were not requested are 0, NULL
 * or, for positions, -1, and so are all values of a component without samples
 * in the region. The count of moments is always set. */
typedef struct {
  GstClMoments moments;
  METRIC_NUMBERS (GST_CL_EACH_MEMBER)
  const guint32 *histogram; /* n_bins, or NULL */
} GstClComponentMetrics;

/* The metrics of one region, by component, and those of the first component. */
typedef struct {
  GstClComponentMetrics components[GST_CL_METRICS_MAX_COMPONENTS];
  METRIC_NUMBERS (GST_CL_FIRST_MEMBER)
  guint64 n_sharpness;       /* the number of differences whose squares
                                sharpness sums */
  guint64 n_noise;           /* the number of samples that noise sums */
  const guint32 *saturation; /* n_bins counts of chroma pixels by the floor of
                                hypot (u - mid, v - mid), capped; or NULL */
  const guint32 *hue;        /* 360 counts, or NULL */
} GstClRegionMetrics;

typedef struct _GstClMetricsOp GstClMetricsOp;

/* A frame, and what to measure. Region 0 is the whole frame or the measured
 * rectangle; regions may overlap. @limits[0] is the largest sum of
 * freeze_difference over the components of a frozen frame; if it is exceeded
 * this frame becomes the reference. With ZONES, @limits[r] is the same of
 * region r, which has a reference of its own: the regions 1 to @n_limits - 1
 * must not overlap each other. */
typedef struct {
  const GstClComponent *components;
  const GstClRegion *regions;
  guint n_regions;
  const guint64 *limits;
  guint n_limits;
} GstClMetricsIo;

/* The maximum number of results in flight. */
#define GST_CL_METRICS_SLOTS 64

G_END_DECLS
