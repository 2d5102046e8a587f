/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include <gst/base/gstbasetransform.h>

#include "cl/gstclframe.h"

G_BEGIN_DECLS

/* Base of every filter: owns the device (properties `device`, `device-name`,
 * sharing), the import of input buffers, the pool of output buffers and the way
 * of errors to the bus. */
#define GST_TYPE_CL_BASE_FILTER (gst_cl_base_filter_get_type ())
G_DECLARE_DERIVABLE_TYPE (GstClBaseFilter, gst_cl_base_filter, GST,
    CL_BASE_FILTER, GstBaseTransform)

struct _GstClBaseFilterClass {
  GstBaseTransformClass parent_class;

  /* Builds what process() needs for these fixed caps; called with the device
   * open, whenever caps are set. An error ends in not-negotiated, its text on
   * the bus. */
  gboolean (*configure) (GstClBaseFilter *self, GstCaps *in, GstCaps *out,
      GError **error);

  /* Enqueues the work for one buffer; @in and @out are the same for a filter
   * that works in place. Nothing that it took needs to be waited for: where
   * host memory is read in place, the base class waits before @in goes back.
   */
  gboolean (*process) (GstClBaseFilter *self, GstBuffer *in, GstBuffer *out,
      GError **error);
};

/* For subclasses, between start() and stop(); streaming thread. */
GstClContext *gst_cl_base_filter_context (GstClBaseFilter *self);

/* gst_cl_frame_take() and gst_cl_importer_take() of the filter's importer; the
 * base class releases what was taken after process(). Input in slots 0 .. 3;
 * the output needs no slot. */
gboolean gst_cl_base_filter_take_frame (GstClBaseFilter *self,
    GstBuffer *buffer, const GstVideoInfo *info, guint plane_mask,
    GstMapFlags flags, const GstClFrame **frame, GError **error);
gboolean gst_cl_base_filter_take_bytes (GstClBaseFilter *self,
    GstBuffer *buffer, gsize size_bytes, GstMapFlags flags,
    const GstClRange **range, GError **error);

/* For setters of properties that configure() or the caps depend on: before the
 * next buffer, caps are negotiated anew and configure() runs. Any thread. */
void gst_cl_base_filter_mark_changed (GstClBaseFilter *self);

/* For configure(), where a property has changed again since the caps were made
 * from it: the next buffer is dropped, the one after it finds the two in step.
 */
void gst_cl_base_filter_skip_buffer (GstClBaseFilter *self);

/* For GstBaseTransform.transform_ip of filters that work in place. */
GstFlowReturn gst_cl_base_filter_transform_ip (GstBaseTransform *trans,
    GstBuffer *buffer);

G_END_DECLS
