/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "elements/base/gstclinflight.h"
#include "gstclframesumsettings.h"
#include "gstclstatistics.h"

G_BEGIN_DECLS

/* What clframesum measures of frames of one kind: components, planes, regions,
 * ops. It returns numbers, and knows nothing about what becomes of them. */
typedef struct _GstClMeasurement GstClMeasurement;

/* The numbers of one frame. What is borrowed lasts as long as the measurement
 * does and its slot is not used again. */
typedef struct {
  const GstClStatisticsShape *shape; /* borrowed */
  const GstClRegions *regions;       /* borrowed */
  gboolean has_region_histograms;    /* those of zones and regions are wanted */
  const GstClRegionMetrics
      *metrics;           /* borrowed, one a region; NULL: none was measured */
  gboolean has_previous;  /* there was a frame to be compared with */
  guint64 largest_frozen; /* gst_cl_metrics_op_run() got this limit */
} GstClMeasured;

/* How many results may be on their way at a time. */
#define GST_CL_MEASUREMENT_SLOTS 64

/* Returns a measurement for frames of @caps, which are fixed and raw video. It
 * measures nothing if no plane is set. NULL with GST_CORE_ERROR_NEGOTIATION if
 * `planes` names none of the components of the format, or if the regions do not
 * fit the frame.
 *
 * @extra is measured beside what the statistics of @settings follow from, where
 * gst_cl_statistics_has_brightness(). @may_measure: reduction=auto may take the
 * time to measure implementations (gst_cl_base_filter_may_measure()). transfer
 * full. Streaming thread. */
GstClMeasurement *gst_cl_measurement_new (GstClContext *context,
    const GstCaps *caps, const GstClFrameSumSettings *settings,
    GstClMetric extra, gboolean may_measure, GError **error);

/* References are counted, since results on their way hold one. Any thread. */
GstClMeasurement *gst_cl_measurement_ref (GstClMeasurement *self);
void gst_cl_measurement_unref (GstClMeasurement *self); /* accepts NULL */

/* Takes over @settings and @extra from the next frame on, which is still
 * compared with the one before. FALSE without @error where they differ in more
 * than regions: that needs a new measurement. FALSE with
 * GST_CORE_ERROR_NEGOTIATION where the regions do not fit the frame. Streaming
 * thread. */
gboolean gst_cl_measurement_adjust (GstClMeasurement *self,
    const GstClFrameSumSettings *settings, GstClMetric extra, GError **error);

/* Enqueues the measuring of @buffer. gst_cl_measurement_result() gets the
 * numbers from @slot. Streaming thread. */
gboolean gst_cl_measurement_enqueue (GstClMeasurement *self,
    GstClInFlight *frames, GstBuffer *buffer, guint slot, GError **error);

/* Waits for the device to fill @slot. TRUE with @measured. Any thread, one a
 * slot. */
gboolean gst_cl_measurement_result (GstClMeasurement *self, guint slot,
    GstClMeasured *measured, GError **error);

/* Compares the next frame with none, after a flush or a gap. Streaming thread.
 */
void gst_cl_measurement_forget (GstClMeasurement *self);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (GstClMeasurement, gst_cl_measurement_unref)

G_END_DECLS
