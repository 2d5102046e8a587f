/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "elements/base/gstclinflight.h"
#include "gstclframesumsettings.h"
#include "gstclpicture.h"

G_BEGIN_DECLS

/* Measures frames of fixed caps for clframesum: components, planes, regions and
 * ops. It returns numbers and does not publish them. */
typedef struct _GstClMeasurement GstClMeasurement;

/* The numbers of one frame. Borrowed members are valid while the measurement
 * exists and its slot is not reused. */
typedef struct {
  const GstClStatisticsShape *shape; /* borrowed */
  const GstClRegions *regions;       /* borrowed */
  gboolean has_region_histograms;    /* of zones and regions */
  guint buffer_flags;                /* GST_BUFFER_FLAGS of the buffer */
  guint used_bits; /* of the largest code, if samples may have fewer bits than
                      the format; 0: not known */
  GstClMeasuredPicture frame; /* in all regions */
  gboolean has_fields;        /* the next member is set */
  GstClMeasuredPicture fields[GST_CL_MEASURED_FIELDS]; /* in region 0 */
} GstClMeasured;

/* Maximum number of pending results. */
#define GST_CL_MEASUREMENT_SLOTS 64

/* Returns a measurement for frames of @caps, which are fixed raw video. It
 * measures nothing if no plane is selected. Returns NULL with
 * GST_CORE_ERROR_NEGOTIATION if `planes` names no component of the format, if
 * `significant-bits` is too small, or if the regions do not fit the frame.
 *
 * @extra: numbers to measure in addition to the statistics of @settings, where
 * gst_cl_statistics_has_brightness(). @may_measure: reduction=auto may spend
 * time on measuring implementations (gst_cl_base_filter_may_measure()).
 * transfer full. Streaming thread. */
GstClMeasurement *gst_cl_measurement_new (GstClContext *context,
    const GstCaps *caps, const GstClFrameSumSettings *settings,
    GstClStatistics extra, gboolean may_measure, GError **error);

/* Reference-counted, because each pending result holds a reference. Any thread.
 */
GstClMeasurement *gst_cl_measurement_ref (GstClMeasurement *self);
void gst_cl_measurement_unref (GstClMeasurement *self); /* accepts NULL */

/* Applies @settings and @extra from the next frame on; that frame is still
 * compared with the previous one. Returns FALSE without @error if other
 * numbers or kernels are needed, and so a new measurement. Returns FALSE with
 * GST_CORE_ERROR_NEGOTIATION if the regions do not fit the frame. Streaming
 * thread. */
gboolean gst_cl_measurement_adjust (GstClMeasurement *self,
    const GstClFrameSumSettings *settings, GstClStatistics extra,
    GError **error);

/* Enqueues the measurement of @buffer; gst_cl_measurement_result() reads the
 * numbers from @slot. @freeze_noise: the property. Streaming thread. */
gboolean gst_cl_measurement_enqueue (GstClMeasurement *self,
    GstClInFlight *frames, GstBuffer *buffer, guint slot, gdouble freeze_noise,
    GError **error);

/* Waits for the device and sets @measured to the numbers in @slot. Returns
 * FALSE with @error. Any thread, one per slot. */
gboolean gst_cl_measurement_result (GstClMeasurement *self, guint slot,
    GstClMeasured *measured, GError **error);

/* Forgets the previous frame after a flush or a gap: the next frame is compared
 * with none. Streaming thread. */
void gst_cl_measurement_forget_previous (GstClMeasurement *self);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (GstClMeasurement, gst_cl_measurement_unref)

G_END_DECLS
