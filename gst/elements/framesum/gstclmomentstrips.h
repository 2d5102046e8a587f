/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "elements/base/gstclinflight.h"
#include "gstclstatistics.h"

G_BEGIN_DECLS

/* Moments of whole frames that exceed the largest buffer of the device, from
 * horizontal strips. */
typedef struct _GstClMomentStrips GstClMomentStrips;

/* Returns TRUE if a plane of @shape exceeds the largest buffer of the device,
 * but strips of it do not. */
gboolean gst_cl_moment_strips_are_needed (GstClContext *context,
    const GstClStatisticsShape *shape);

/* Creates the ops for frames of @shape, which is borrowed. @reduction,
 * @may_measure: of gst_cl_tiered_op_new(). NULL with @error; transfer full. */
GstClMomentStrips *gst_cl_moment_strips_new (GstClContext *context,
    const GstClStatisticsShape *shape, gint reduction, gboolean may_measure,
    GError **error);
void gst_cl_moment_strips_free (GstClMomentStrips *self); /* accepts NULL */

/* Sets @moments to those of each component of @buffer; waits for the device.
 * @component_mask: bit c for component c. Each strip is a frame of
 * @frames; the last one becomes the current frame. FALSE with @error. */
gboolean gst_cl_moment_strips_measure (GstClMomentStrips *self,
    GstClInFlight *frames, GstBuffer *buffer, guint component_mask,
    GstClMoments *moments, GError **error);

G_END_DECLS
