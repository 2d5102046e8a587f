/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "gstclstatistics.h"

G_BEGIN_DECLS

/* Adds the keys of FFmpeg's signalstats (YMIN, YLOW, ...) for the statistics of
 * @shape: as int if FFmpeg prints %d, as double if it prints %g. @metrics and
 * @summary are those of the frame or the rectangle. */
void gst_cl_signalstats_add (GstStructure *structure,
    const GstClStatisticsShape *shape, const GstClRegionMetrics *metrics,
    const GstClSummary *summary);

G_END_DECLS
