/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "gstclcontext.h"

G_BEGIN_DECLS

/* A GstContext by which elements and applications share what they have opened.
 *
 * Fields of the structure:
 *   context      GstClContext; among elements of this plugin
 *   cl-platform  pointer, cl_platform_id
 *   cl-device    pointer, cl_device_id
 *   cl-context   pointer, cl_context
 *   cl-queue     pointer, cl_command_queue: the compute queue, in-order
 *   others       GstValueArray of GstClContext: those of other devices; a bin
 *                keeps only the last GstContext that it was offered
 * What we offer has all of them, others only if there are any. An application
 * that hands in its own objects sets cl-context and, unless it has one device
 * only, cl-device; with its own cl-queue the order of its commands and ours is
 * that of their enqueuing. All are retained; the application may release its
 * references. */
#define GST_CL_CONTEXT_TYPE "gst.cl.context"

/* Sharing one GstClContext a device among the elements of a pipeline, and with
 * the application, through GstContext, as GL and CUDA do. */

/* The context for @element with the device that @wanted names: one that the
 * element was given before and that fits, else a neighbour's (downstream,
 * upstream, then the application or bin by NEED_CONTEXT), else one that another
 * bin around the element knows of, else a new one. HAVE_CONTEXT then offers
 * that one, and those that did not fit beside it. "auto" takes any that is
 * offered, and of several at once that of the device which it would open.
 * Elements of one pipeline wait for each other; no other lock may be held.
 * transfer full; NULL with @error, also where the application's objects cannot
 * be used. */
GstClContext *gst_cl_context_share_ensure (GstElement *element,
    const gchar *wanted, GError **error);

/* For the CONTEXT query: answers with @context (may be NULL). FALSE if the
 * query is for another type, or nothing is there to answer with. */
gboolean gst_cl_context_share_answer_query (GstQuery *query,
    GstClContext *context);

G_END_DECLS
