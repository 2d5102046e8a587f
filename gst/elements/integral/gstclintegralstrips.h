/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "cl/video/gstclintegralinfo.h"
#include "elements/base/gstclinflight.h"

G_BEGIN_DECLS

/* Integral images in host memory that exceed the largest buffer of the device:
 * the device sums strips of rows, and the host adds the strips above. */
typedef struct _GstClIntegralStrips GstClIntegralStrips;

/* Returns TRUE if @out exceeds the largest buffer of the device and can be made
 * from strips: tilted sums cannot, and pools of GStreamer have buffers of at
 * most 2^32 - 1 bytes. */
gboolean gst_cl_integral_strips_are_needed (GstClContext *context,
    const GstClIntegralInfo *out);

/* Returns the rows of @in in a strip; 0 if not even the lowest strip fits. */
gint gst_cl_integral_strips_rows (GstClContext *context, const GstVideoInfo *in,
    const GstClIntegralInfo *out);

/* Creates the ops for the components of @in from @first_component on. @method,
 * @may_measure: of gst_cl_tiered_op_new(). NULL with @error; transfer full. */
GstClIntegralStrips *gst_cl_integral_strips_new (GstClContext *context,
    const GstVideoInfo *in, const GstClIntegralInfo *out, guint first_component,
    gint method, gboolean may_measure, GError **error);
void gst_cl_integral_strips_free (GstClIntegralStrips *self); /* accepts NULL */

/* Writes the integral image of @in to @out, which is system memory; waits for
 * the device. @component_mask: bit c for component c. Each strip is a frame of
 * @frames; the last one becomes the current frame. */
gboolean gst_cl_integral_strips_run (GstClIntegralStrips *self,
    GstClInFlight *frames, GstBuffer *in, GstBuffer *out, guint component_mask,
    GError **error);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (GstClIntegralStrips, gst_cl_integral_strips_free)

G_END_DECLS
