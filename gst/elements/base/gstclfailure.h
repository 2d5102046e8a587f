/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "cl/context/gstclcontext.h"

G_BEGIN_DECLS

/* The failure of OpenCL that has ended the stream of an element: it is posted
 * once, by whichever thread comes across it first. A source that sees the flow
 * end posts an error, too, and the first error on the bus has to be the cause:
 * the flow ends when the error is on the bus. Nobody waits for that, since who
 * gets the message may flush or stop the element before the post returns.
 * Frames that come meanwhile are dropped. Part of its owner; all zeros means
 * that nothing has failed. Any thread. */
typedef struct {
  gint state; /* atomic */
} GstClFailure;

/* Nothing has failed any more. */
void gst_cl_failure_clear (GstClFailure *self);

gboolean gst_cl_failure_is_set (GstClFailure *self);

/* Posts @error. If it is of OpenCL, no other such error is posted until
 * gst_cl_failure_clear(), nor one that another element of the pipeline has
 * posted, or is about to post. */
void gst_cl_failure_post (GstClFailure *self, GstElement *element,
    GstClContext *context, const GError *error);

/* What a frame gets that was not processed because of an error:
 * GST_FLOW_ERROR, or GST_BASE_TRANSFORM_FLOW_DROPPED while the error is on its
 * way to the bus. */
GstFlowReturn gst_cl_failure_flow (GstClFailure *self, GstElement *element,
    GstClContext *context);

/* Keeps an element from posting the same error about caps and properties again
 * and again: upstream may offer what does not work many times, which is one
 * failure and one message. Part of its owner; all zeros means that nothing has
 * failed. Streaming thread. */
typedef struct {
  GError *last; /* on the bus already; NULL after a success */
} GstClErrorLatch;

/* Posts @error (transfer full), unless the error before was the same: of the
 * same domain and code and, if a property or the caps have to answer for it,
 * with the same text. A driver may word one failure in several ways. FALSE:
 * another element of the pipeline is about to post the failure. */
gboolean gst_cl_error_latch_post (GstClErrorLatch *self, GstElement *element,
    GstClContext *context, GError *error);

/* Forgets the last error: caps and properties work now, or the element starts
 * anew. */
void gst_cl_error_latch_clear (GstClErrorLatch *self);

G_END_DECLS
