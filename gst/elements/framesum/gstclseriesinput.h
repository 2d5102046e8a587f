/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "gstclmeasurement.h"
#include "statistics/series/gstclevents.h"
#include "statistics/series/gstclseries.h"

G_BEGIN_DECLS

/* Returns the range that the samples of a region show. */
GstClRangeEvidence gst_cl_measured_evidence (const GstClStatisticsShape *shape,
    const GstClRegionMetrics *metrics);

/* The numbers of a frame as GstClSeriesInput: of the first region and of the
 * zones, if events are detected in these. All zeros: no frame. */
typedef struct {
  GstClSeriesInput input;
  GArray *zones;                            /* GstClSeriesZone; or NULL */
  GArray *folded[GST_VIDEO_MAX_COMPONENTS]; /* histograms of guint32; used again
                                               for the next frame; or NULL */
} GstClMeasuredInput;

/* Sets @self, which may have had a frame, from @measured, which has metrics,
 * and from @time. It borrows from @measured. */
void gst_cl_measured_input_init (GstClMeasuredInput *self,
    const GstClMeasured *measured, const GstClFrameTime *time);

/* Adds the zones of @measured, of the same frame. */
void gst_cl_measured_input_add_zones (GstClMeasuredInput *self,
    const GstClMeasured *measured);

void gst_cl_measured_input_clear (GstClMeasuredInput *self);

G_END_DECLS
