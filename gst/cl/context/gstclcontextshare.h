/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "gstclcontext.h"

G_BEGIN_DECLS

/* The type of the GstContext through which elements and applications share a
 * GstClContext.
 *
 * Fields of the structure:
 *   context      GstClContext; among elements of this plugin
 *   cl-platform  pointer, cl_platform_id
 *   cl-device    pointer, cl_device_id
 *   cl-context   pointer, cl_context
 *   cl-queue     pointer, cl_command_queue: the compute queue, in-order
 *   others       GstValueArray of GstClContext, of other devices; a bin
 *                keeps only the last GstContext that it was offered
 * A GstContext of the plugin has all fields; others only if there are any. An
 * application that shares its own objects sets cl-context and, unless the
 * context has one device only, cl-device. If it sets cl-queue, its commands and
 * the plugin's run in the order of their enqueuing. All objects are retained;
 * the application may release its references.
 */
#define GST_CL_CONTEXT_TYPE "gst.cl.context"

/* Shares one GstClContext per device among the elements of a pipeline and the
 * application, through GstContext, as GL and CUDA do. */

/* Returns the context for @element with the device that @wanted names. In this
 * order: a context that the element has received and that matches; one of a
 * neighbour (downstream, upstream, then the application or bin by
 * NEED_CONTEXT); one that another bin around the element has; a new one.
 * HAVE_CONTEXT then offers that context, and also received contexts that did
 * not match. "auto" accepts any offered context; of several, that of the device
 * which it would open. Elements of one pipeline wait for each other; the caller
 * must hold no lock. Transfer full; NULL with @error, also if the application's
 * objects cannot be used. */
GstClContext *gst_cl_context_share_ensure (GstElement *element,
    const gchar *wanted, GError **error);

/* Answers the CONTEXT query with @context (may be NULL). Returns FALSE if the
 * query is for another type, or if there is no context. */
gboolean gst_cl_context_share_answer_query (GstQuery *query,
    GstClContext *context);

G_END_DECLS
