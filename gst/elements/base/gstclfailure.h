/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "cl/context/gstclcontext.h"

G_BEGIN_DECLS

/* The OpenCL error that ended the stream of an element. The first thread that
 * finds the error posts it, once. A source also posts an error when it sees the
 * flow end, and the first error on the bus must be the cause; so the flow ends
 * only after the OpenCL error is on the bus. No thread blocks until then,
 * because a message handler may flush or stop the element before the post
 * returns; frames that arrive meanwhile are dropped. Embedded in its owner;
 * zero-initialized. Any thread. */
typedef struct {
  gint state; /* atomic */
} GstClFailure;

/* Clears the failure. */
void gst_cl_failure_clear (GstClFailure *self);

gboolean gst_cl_failure_is_set (GstClFailure *self);

/* Posts @error. After an OpenCL error, posts no further OpenCL error until
 * gst_cl_failure_clear(). Does not post an OpenCL error that another element of
 * the pipeline has posted or is about to post. */
void gst_cl_failure_post (GstClFailure *self, GstElement *element,
    GstClContext *context, const GError *error);

/* Returns the flow for a frame that was not processed because of an error:
 * GST_FLOW_ERROR, or GST_BASE_TRANSFORM_FLOW_DROPPED until the error is on the
 * bus. */
GstFlowReturn gst_cl_failure_flow (GstClFailure *self, GstElement *element,
    GstClContext *context);

/* Prevents repeated errors about caps and properties: upstream may offer the
 * same unsupported caps many times, and the element posts one error. Embedded
 * in its owner; zero-initialized. Streaming thread. */
typedef struct {
  GError *last; /* on the bus already; NULL after a success */
} GstClErrorLatch;

/* Posts @error (transfer full), unless it repeats the previous one: same domain
 * and code and, for errors about a property or caps, same text. (Drivers word
 * one failure in several ways.) Returns FALSE if another element of the
 * pipeline is about to post the failure. */
gboolean gst_cl_error_latch_post (GstClErrorLatch *self, GstElement *element,
    GstClContext *context, GError *error);

/* Clears the last error, because the caps and properties work now or the
 * element starts again. */
void gst_cl_error_latch_clear (GstClErrorLatch *self);

G_END_DECLS
