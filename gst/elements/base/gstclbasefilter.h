/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include <gst/base/gstbasetransform.h>
#include <gst/video/video.h>

#include "cl/video/gstclframe.h"
#include "common/gstclproperty.h"
#include "gstclinflight.h"
#include "gstclinplace.h"

G_BEGIN_DECLS

/* Base class of all elements. It owns the device (properties `device` and
 * `device-name`, shared with neighbouring elements), negotiates the memory of
 * caps and buffers on both pads, holds the frames in flight, and posts errors
 * on the bus. */
#define GST_TYPE_CL_BASE_FILTER (gst_cl_base_filter_get_type ())
G_DECLARE_DERIVABLE_TYPE (GstClBaseFilter, gst_cl_base_filter, GST,
    CL_BASE_FILTER, GstBaseTransform)

struct _GstClBaseFilterClass {
  GstBaseTransformClass parent_class;

  gboolean splits_fields; /* the class processes fields of a frame separately */
  gboolean works_in_place; /* see gstclinplace.h; map_structure is NULL */

  /* Copies the properties into the snapshot that map_structure(), configure()
   * and process() read. Called once before caps are negotiated and once per
   * buffer, so that caps and frames use the same settings. Called with the
   * object lock held. */
  void (*take_settings) (GstClBaseFilter *self);

  /* Returns the caps of the other pad for @structure (raw video or an integral
   * image), without memory features, in order of preference. NULL: the same
   * caps, memory features included. transfer full */
  GstCaps *(*map_structure) (GstClBaseFilter *self, GstPadDirection direction,
      const GstStructure *structure);

  /* Sets @view to the part of @in, an input of @width x @height pixels, that
   * the output shows. NULL: the whole input. Streaming thread, after
   * configure(). */
  void (*get_view) (GstClBaseFilter *self, GstBuffer *in, gint width,
      gint height, GstVideoRectangle *view);

  /* Names of the properties that map_structure() depends on, for the error
   * message when downstream rejects the caps. NULL: none. */
  const gchar *caps_properties;

  /* Creates the ops that process() needs for these fixed caps. Called with the
   * device open, before the first buffer after caps or properties have changed.
   * On FALSE the error is posted and the flow is not-negotiated. */
  gboolean (*configure) (GstClBaseFilter *self, GstCaps *in, GstCaps *out,
      GError **error);

  /* Returns TRUE if process() writes system memory for output of these fixed
   * caps, with the device open. NULL: it always writes device memory. */
  gboolean (*writes_system_memory) (GstClBaseFilter *self, GstCaps *out);

  /* Enqueues the work for one buffer. A filter that works in place uses @out
   * only. Memory taken through @frames stays alive until the device has
   * finished, so process() need not wait. */
  gboolean (*process) (GstClBaseFilter *self, GstClInFlight *frames,
      GstBuffer *in, GstBuffer *out, GError **error);
};

/* For configure(). Returns TRUE if the input caps are new: a stream begins, and
 * there is time to measure implementations. Returns FALSE if configure() runs
 * because a property has changed. */
gboolean gst_cl_base_filter_may_measure (GstClBaseFilter *self);

/* Return the context and the allocator (borrowed). Both exist between start()
 * and stop(). Streaming thread. */
GstClContext *gst_cl_base_filter_context (GstClBaseFilter *self);
GstAllocator *gst_cl_base_filter_allocator (GstClBaseFilter *self);

/* Waits for the device and returns upstream's buffers. Returns FALSE if an
 * error has been posted or is about to be posted. Streaming thread. */
gboolean gst_cl_base_filter_drain (GstClBaseFilter *self);

/* Returns TRUE if gst_cl_base_filter_wait() does not block. Streaming thread.
 */
gboolean gst_cl_base_filter_is_done (GstClBaseFilter *self, guint64 number);

/* Waits for frame @number and returns its buffer to upstream. Returns FALSE if
 * an error has been posted or is about to be posted. Streaming thread. */
gboolean gst_cl_base_filter_wait (GstClBaseFilter *self, guint64 number);

/* Posts @error. After an OpenCL error the element rejects buffers and posts no
 * further OpenCL error until it is stopped. Any thread. */
void gst_cl_base_filter_fail (GstClBaseFilter *self, const GError *error);

/* Returns the flow for a frame that was not processed because of an error:
 * GST_FLOW_ERROR, or GST_BASE_TRANSFORM_FLOW_DROPPED while another thread is
 * about to post the error. Streaming thread. */
GstFlowReturn gst_cl_base_filter_failed_flow (GstClBaseFilter *self);

/* For property setters. The next buffer uses a new snapshot of the properties.
 * If @change needs other ops, configure() runs once the device has finished; if
 * it needs other caps, the element negotiates them first. Any thread, without
 * the object lock. */
void gst_cl_base_filter_mark_changed (GstClBaseFilter *self,
    GstClChange change);

/* Returns the state of a filter that works in place (borrowed). Any thread. */
GstClInPlace *gst_cl_base_filter_in_place (GstClBaseFilter *self);

/* GstBaseTransform.transform_ip for filters that work in place. */
GstFlowReturn gst_cl_base_filter_transform_ip (GstBaseTransform *trans,
    GstBuffer *buffer);

G_END_DECLS
