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

/* Any thread may call these. */

/* @others (may be NULL): contexts of which those of other devices stand beside
 * @shared. transfer full */
GstContext *gst_cl_context_offer_new (GstClContext *shared, GPtrArray *others);

/* The context that @offer is of: an application's objects are wrapped. transfer
 * full; NULL without @error if there is none */
GstClContext *gst_cl_context_offer_read (GstContext *offer, GError **error);

/* An empty list for the next function. transfer full */
GPtrArray *gst_cl_context_offer_list_new (void);

/* Appends the contexts of @offer to @contexts, but lost ones, and those whose
 * device has one there. */
void gst_cl_context_offer_list (GstContext *offer, GPtrArray *contexts);

G_END_DECLS
