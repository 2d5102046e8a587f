/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include <gst/base/gstbasetransform.h>

#include "cl/video/gstclframe.h"
#include "gstclinflight.h"
#include "gstclinplace.h"

G_BEGIN_DECLS

/* Base of every element: owns the device (properties `device`, `device-name`,
 * sharing), the memory of caps and buffers on both sides, the frames in flight
 * and the way of errors to the bus. */
#define GST_TYPE_CL_BASE_FILTER (gst_cl_base_filter_get_type ())
G_DECLARE_DERIVABLE_TYPE (GstClBaseFilter, gst_cl_base_filter, GST,
    CL_BASE_FILTER, GstBaseTransform)

struct _GstClBaseFilterClass {
  GstBaseTransformClass parent_class;

  gboolean works_in_place; /* gstclinplace.h; map_structure is NULL */

  /* Takes a copy of the properties, the snapshot, which map_structure(), configure()
   * and process() see: once before caps are negotiated, and once a buffer, so that
   * caps and frames have the same settings. Object lock held. */
  void (*take_settings) (GstClBaseFilter *self);

  /* What structure (of caps, raw video or integral image) the other pad has,
   * memory aside: transfer full, either order of preference. NULL: the very same
   * caps, memory included. */
  GstCaps *(*map_structure) (GstClBaseFilter *self, GstPadDirection direction,
      const GstStructure *structure);

  /* The part of an input of @width x @height pixels that the output shows. NULL: all
   * of it. Streaming thread. */
  void (*get_view) (GstClBaseFilter *self, gint width, gint height,
      GstVideoRectangle *view);

  /* Names of the properties that map_structure() depends on, for the error that
   * downstream does not take what they make of the input; NULL: none. */
  const gchar *caps_properties;

  /* Builds what process() needs for these fixed caps; called with the device
   * open, before the first buffer after caps or properties have changed. An error
   * ends in not-negotiated, its text on the bus. */
  gboolean (*configure) (GstClBaseFilter *self, GstCaps *in, GstCaps *out,
      GError **error);

  /* Enqueues the work for one buffer; a filter that works in place looks at @out
   * only. What it takes of them by @frames is kept until the
   * device is done, which process() need not wait for. */
  gboolean (*process) (GstClBaseFilter *self, GstClInFlight *frames,
      GstBuffer *in, GstBuffer *out, GError **error);
};

/* For configure(): TRUE if the caps of the input are new, so that a stream begins,
 * and it may take the time to measure; FALSE if it runs because a property has
 * changed. */
gboolean gst_cl_base_filter_may_measure (GstClBaseFilter *self);

/* For subclasses, between start() and stop(); streaming thread. */
GstClContext *gst_cl_base_filter_context (GstClBaseFilter *self);
GstAllocator *gst_cl_base_filter_allocator (GstClBaseFilter *self);

/* Waits for the device; gives upstream back what it read. An error is posted. */
gboolean gst_cl_base_filter_drain (GstClBaseFilter *self);

/* The same for the frame in flight with this number. */
gboolean gst_cl_base_filter_wait (GstClBaseFilter *self, guint64 number);

/* Posts @error. If it is one of OpenCL, buffers are refused from then on, and no
 * other is posted, until the element is stopped. Any thread. */
void gst_cl_base_filter_fail (GstClBaseFilter *self, const GError *error);

/* For setters of properties that are part of the snapshot: before the next buffer it
 * is taken, caps are negotiated anew, and configure() runs. Any thread, without the
 * object lock. */
void gst_cl_base_filter_mark_changed (GstClBaseFilter *self);

/* Of filters that work in place. Any thread. */
GstClInPlace *gst_cl_base_filter_in_place (GstClBaseFilter *self);

/* For GstBaseTransform.transform_ip of filters that work in place. */
GstFlowReturn gst_cl_base_filter_transform_ip (GstBaseTransform *trans,
    GstBuffer *buffer);

G_END_DECLS
