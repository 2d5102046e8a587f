/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "statistics/metrics/metrics.h"

G_BEGIN_DECLS

/* The layout of a frame's components, and host copies of their memories. */
typedef struct {
  const GstClComponent *components;
  const guint8 *bytes[4];
} RefMetricFrame;

/* Computes the metrics of @region, sample by sample; its cl_mem is not used.
 * @previous, @reference: frames with the same layout; @reference is NULL if the
 * region is compared with none. The caller frees the counts by
 * ref_metrics_clear(). */
void ref_frame_metrics (const GstClMetricsProblem *problem,
    const RefMetricFrame *frame, const RefMetricFrame *previous,
    const RefMetricFrame *reference, const GstClRegion *region,
    GstClRegionMetrics *metrics);
void ref_metrics_clear (GstClRegionMetrics *metrics);

/* Returns the floor of 180 + atan2 (u, v) in degrees, modulo 360; u and v are
 * relative to their middle. */
guint ref_hue (gint u, gint v);

G_END_DECLS
