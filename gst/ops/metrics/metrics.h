/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "cl/video/gstclcomponent.h"
#include "common/gstclmoments.h"
#include "ops/implementation.h"

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

#define GST_CL_METRICS_MAX_REGIONS 1024
#define GST_CL_METRICS_HUES        360

/* In samples of component 0: sample i of a component that is subsampled by s
 * belongs to a region that i * s lies in, so that one column of 4:2:0 may hold
 * no chroma. x + width and y + height within the frame, width and height >= 1.
 * A region is measured as if it were cut out: what lies beyond is nobody's
 * neighbour. (Gamut alone takes the chroma of a sample from where it is.) */
typedef struct {
  gint x, y, width, height;
} GstClRegion;

typedef struct {
  guint n_components;           /* 1 .. 4 */
  const GstClComponent *shapes; /* as for GstClMomentsOp */
  guint metrics;                /* GstClMetric */
  guint n_bins;      /* of a component's histogram: 1 << depth, or fewer, a
                          power of two: codes are folded */
  guint max_regions; /* of a frame, >= 1 */
  /* codes within gamut, per component, inclusive */
  guint gamut_low[4], gamut_high[4];
} GstClMetricsSpec;

/* Results on their way at a time. */
#define GST_CL_METRICS_SLOTS 64

/* One component within one region. What was not asked for is 0, NULL or, for
 * positions, -1, and so is everything about a component that has no sample there.
 * The count of moments is always set. */
typedef struct {
  GstClMoments moments;
  gint min_x, min_y, max_x, max_y; /* in samples of the component, from the
                                      frame's corner */
  guint bits;
  guint64 difference;       /* SAD to the previous frame */
  const guint32 *histogram; /* n_bins, or NULL */
} GstClComponentMetrics;

/* Of one region; the same holds. */
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

GstClMetricsOp *gst_cl_metrics_op_new (GstClContext *context,
    const GstClImplementation *variant, const GstClMetricsSpec *spec,
    GError **error);
void gst_cl_metrics_op_free (GstClMetricsOp *op);
const GstClImplementation *gst_cl_metrics_variants (guint *n_rows);

/* Samples of all components in @region. */
guint64 gst_cl_metrics_op_count (const GstClMetricsOp *op,
    const GstClRegion *region);

/* Enqueues one frame. @regions: @n_regions, region 0 the whole frame or the
 * rectangle that is measured; they may overlap. @largest_frozen: largest sum of
 * freeze_difference over the components that counts as frozen; if it is
 * exceeded this frame becomes the reference. The first frame is compared with
 * itself. Waits for nothing, allocates nothing but where regions grow. */
gboolean gst_cl_metrics_op_run (GstClMetricsOp *op,
    const GstClComponent *components, const GstClRegion *regions,
    guint n_regions, guint64 largest_frozen, GError **error);

/* As gst_cl_moments_op_fetch() and _result(), of the first @n_regions of the
 * run's regions. What @results point to lasts until the slot is fetched into
 * again. */
gboolean gst_cl_metrics_op_fetch (GstClMetricsOp *op, guint slot,
    GError **error);
gboolean gst_cl_metrics_op_result (GstClMetricsOp *op, guint slot,
    GstClRegionMetrics *results, guint n_regions, GError **error);

/* The next frame is compared with itself: after a flush or a gap. */
void gst_cl_metrics_op_forget (GstClMetricsOp *op);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (GstClMetricsOp, gst_cl_metrics_op_free)

G_END_DECLS
