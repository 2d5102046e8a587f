/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "ops/metrics/metrics.h"

G_BEGIN_DECLS

/* Where a frame's components lie, and host copies of their memories. */
typedef struct {
  const GstClComponent *components;
  const guint8 *bytes[4];
} RefMetricFrame;

/* Metrics of @region, sample by sample; their cl_mem is not used. @previous,
 * @reference: frames of the same shape. Counts are the caller's to free by
 * ref_metrics_clear(). */
void ref_frame_metrics (const GstClMetricsProblem *problem,
    const RefMetricFrame *frame, const RefMetricFrame *previous,
    const RefMetricFrame *reference, const GstClRegion *region,
    GstClRegionMetrics *metrics);
void ref_metrics_clear (GstClRegionMetrics *metrics);

/* Floor of 180 + atan2 (u, v) in degrees, modulo 360; u, v less their
 * middle. */
guint ref_hue (gint u, gint v);

G_END_DECLS
