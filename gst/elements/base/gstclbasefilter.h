/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include <gst/base/gstbasetransform.h>
#include <gst/video/video.h>

#include "cl/video/gstclframe.h"
#include "common/gstclproperty.h"
#include "gstclinflight.h"
#include "gstclinplace.h"

G_BEGIN_DECLS

/* The base class of every element. It owns the device (properties `device` and
 * `device-name`, shared with neighbours), the memory of caps and buffers on
 * both sides, the frames in flight, and the way of errors to the bus. */
#define GST_TYPE_CL_BASE_FILTER (gst_cl_base_filter_get_type ())
G_DECLARE_DERIVABLE_TYPE (GstClBaseFilter, gst_cl_base_filter, GST,
    CL_BASE_FILTER, GstBaseTransform)

struct _GstClBaseFilterClass {
  GstBaseTransformClass parent_class;

  gboolean works_in_place; /* see gstclinplace.h; map_structure is NULL */

  /* Takes a copy of the properties, the snapshot, which map_structure(),
   * configure() and process() see. Called once before caps are negotiated and
   * once a buffer, so that caps and frames have the same settings. The object
   * lock is held. */
  void (*take_settings) (GstClBaseFilter *self);

  /* Returns what the other pad has for @structure (raw video or an integral
   * image, memory aside), either order of preference. transfer full. NULL: the
   * very same caps, memory included. */
  GstCaps *(*map_structure) (GstClBaseFilter *self, GstPadDirection direction,
      const GstStructure *structure);

  /* Sets @view to the part of an input of @width x @height pixels that the
   * output shows. NULL: all of it. Streaming thread. */
  void (*get_view) (GstClBaseFilter *self, gint width, gint height,
      GstVideoRectangle *view);

  /* The names of the properties that map_structure() depends on. They are part
   * of the error that says that downstream refuses the caps. NULL: there are
   * none. */
  const gchar *caps_properties;

  /* Builds what process() needs for these fixed caps. Called with the device
   * open, before the first buffer after caps or properties have changed. An
   * error is posted, and the flow is not-negotiated. */
  gboolean (*configure) (GstClBaseFilter *self, GstCaps *in, GstCaps *out,
      GError **error);

  /* Enqueues the work for one buffer; a filter that works in place looks at
   * @out only. What it takes of the buffers by @frames is kept until the device
   * is done, so that process() does not wait. */
  gboolean (*process) (GstClBaseFilter *self, GstClInFlight *frames,
      GstBuffer *in, GstBuffer *out, GError **error);
};

/* For configure(): TRUE if the caps of the input are new, so that a stream
 * begins and there is time to measure implementations; FALSE if configure()
 * runs because a property has changed. */
gboolean gst_cl_base_filter_may_measure (GstClBaseFilter *self);

/* Both are borrowed, and there between start() and stop(). Streaming thread. */
GstClContext *gst_cl_base_filter_context (GstClBaseFilter *self);
GstAllocator *gst_cl_base_filter_allocator (GstClBaseFilter *self);

/* Waits for the device, and gives upstream back the buffers that it read. FALSE
 * with an error that is on the bus or on its way there. Streaming thread. */
gboolean gst_cl_base_filter_drain (GstClBaseFilter *self);

/* Waits for the frame in flight that has this number, and gives its buffer
 * back. FALSE with an error that is on the bus or on its way there. Streaming
 * thread. */
gboolean gst_cl_base_filter_wait (GstClBaseFilter *self, guint64 number);

/* Posts @error. After an error of OpenCL buffers are refused, and no other such
 * error is posted, until the element is stopped. Any thread. */
void gst_cl_base_filter_fail (GstClBaseFilter *self, const GError *error);

/* What a frame gets that was not processed because of an error: GST_FLOW_ERROR,
 * or GST_BASE_TRANSFORM_FLOW_DROPPED while another thread is about to post the
 * error. Streaming thread. */
GstFlowReturn gst_cl_base_filter_failed_flow (GstClBaseFilter *self);

/* For setters of properties that are part of the snapshot. Before the next
 * buffer the snapshot is taken. If @change needs other ops, configure() runs
 * when the device is done; if it needs other caps, these are negotiated before.
 * Any thread, without the object lock. */
void gst_cl_base_filter_mark_changed (GstClBaseFilter *self,
    GstClChange change);

/* The state of a filter that works in place; borrowed. Any thread. */
GstClInPlace *gst_cl_base_filter_in_place (GstClBaseFilter *self);

/* GstBaseTransform.transform_ip for filters that work in place. */
GstFlowReturn gst_cl_base_filter_transform_ip (GstBaseTransform *trans,
    GstBuffer *buffer);

G_END_DECLS
