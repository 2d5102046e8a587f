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

G_END_DECLS
