/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

/* The exact sums of a set of samples: one component of a frame, or of a region.
 * Kernels compute them, ops read them, and statistics, events, pooled results
 * and messages are derived from them. This header depends on GLib alone, so
 * that any file may include it. */
typedef struct {
  guint64 sum, sum_squares; /* of the codes, and of their squares */
  guint32 count;            /* samples: a frame has less than 2^32 */
  guint32 min, max;         /* undefined if count is 0 */
  guint32 unused;
} GstClMoments;

/* Partial of kernels/moments/cl_partial.clh has the same layout, and so have
 * the first fields of MetricRecord of kernels/metrics/cl_metrics.clh. */
G_STATIC_ASSERT (sizeof (GstClMoments) == 32);
G_STATIC_ASSERT (G_STRUCT_OFFSET (GstClMoments, sum_squares) == 8);
G_STATIC_ASSERT (G_STRUCT_OFFSET (GstClMoments, count) == 16);
G_STATIC_ASSERT (G_STRUCT_OFFSET (GstClMoments, min) == 20);
G_STATIC_ASSERT (G_STRUCT_OFFSET (GstClMoments, max) == 24);

G_END_DECLS
