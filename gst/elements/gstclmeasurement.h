/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "gstclinflight.h"
#include "gstclstatistics.h"

G_BEGIN_DECLS

/* What clframesum measures of frames of one kind: components, planes, op. */
typedef struct _GstClMeasurement GstClMeasurement;

/* @caps: fixed, raw video. @planes: bit c for component c; 0 measures nothing, a
 * mask that names none of the format's components is an error. */
GstClMeasurement *gst_cl_measurement_new (GstClContext *context,
    const GstCaps *caps, guint planes, GstClReduction reduction,
    GError **error);
void gst_cl_measurement_free (GstClMeasurement *self); /* accepts NULL */

const GstVideoInfo *gst_cl_measurement_info (const GstClMeasurement *self);

/* Enqueues the measuring of @buffer, the results to come in @slot (below
 * GST_CL_FRAME_STATS_SLOTS). Streaming thread. */
gboolean gst_cl_measurement_enqueue (GstClMeasurement *self,
    GstClInFlight *frames, GstBuffer *buffer, guint slot, GError **error);

/* Waits for @slot. The structure is named @name; NULL with @error. Any thread,
 * one a slot. */
GstStructure *gst_cl_measurement_result (GstClMeasurement *self, guint slot,
    const gchar *name, GstClStatistic which, const GstClStatisticsTime *time,
    GError **error);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (GstClMeasurement, gst_cl_measurement_free)

G_END_DECLS
