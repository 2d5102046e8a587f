/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "gstclframesumsettings.h"
#include "elements/base/gstclinflight.h"
#include "gstclstatistics.h"
#include "gstclstreamanalysis.h"

G_BEGIN_DECLS

/* What clframesum measures of frames of one kind: components, planes, regions,
 * op. */
typedef struct _GstClMeasurement GstClMeasurement;

/* Results on their way at a time. */
#define GST_CL_MEASUREMENT_SLOTS 64

/* @caps: fixed, raw video. Planes 0 measures nothing; GST_CORE_ERROR_NEGOTIATION
 * if planes names none of the format's components, or if the regions do not go
 * with the frame. @may_measure: reduction=auto may take the time for it
 * (gst_cl_base_filter_may_measure()). */
GstClMeasurement *gst_cl_measurement_new (GstClContext *context,
    const GstCaps *caps, const GstClFrameSumSettings *settings,
    gboolean may_measure, GError **error);

/* Counted: the results on their way hold on to it, too. Any thread. */
GstClMeasurement *gst_cl_measurement_ref (GstClMeasurement *self);
void gst_cl_measurement_unref (GstClMeasurement *self); /* accepts NULL */

/* Takes over @settings from the next frame on, which then has a previous one
 * still. FALSE without @error where they differ in more than regions: that needs
 * a new measurement; with @error as above. Streaming thread. */
gboolean gst_cl_measurement_adjust (GstClMeasurement *self,
    const GstClFrameSumSettings *settings, GError **error);

/* Enqueues the measuring of @buffer, the results to come in @slot. Streaming
 * thread. */
gboolean gst_cl_measurement_enqueue (GstClMeasurement *self,
    GstClInFlight *frames, GstBuffer *buffer, guint slot, GError **error);

/* Waits for @slot and shows @watch its figures, those of a frame of epoch @epoch.
 * The structure is named @name; NULL with @error. Any thread, one a slot. */
GstStructure *gst_cl_measurement_result (GstClMeasurement *self, guint slot,
    const gchar *name, const GstClFrameTime *time, GstClStreamAnalysis *watch,
    guint epoch, GError **error);

/* The next frame has no previous one. Streaming thread. */
void gst_cl_measurement_forget (GstClMeasurement *self);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (GstClMeasurement, gst_cl_measurement_unref)

G_END_DECLS
