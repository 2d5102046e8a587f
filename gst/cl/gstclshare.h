/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "gstclcontext.h"

G_BEGIN_DECLS

/* Sharing one GstClContext among the elements of a pipeline through GstContext,
 * as GL and CUDA do. */
#define GST_CL_CONTEXT_TYPE "gst.cl.context"

/* The context for @element with the device that @wanted names: *@shared if it
 * is set and fits (see gst_cl_share_set_context()), else a neighbour's
 * (downstream, upstream, then the application or bin by NEED_CONTEXT), else a
 * new one, which HAVE_CONTEXT then offers to the others. @shared is read and
 * written under the object lock, which must not be held. transfer full; NULL
 * with @error. */
GstClContext *gst_cl_share_ensure (GstElement *element, GstClContext **shared,
    const gchar *wanted, GError **error);

/* For GstElement.set_context: keeps what @context carries in *@shared, unless
 * there is one already. Posts nothing (the caller may hold the bin's lock). */
void gst_cl_share_set_context (GstElement *element, GstContext *context,
    GstClContext **shared);

/* For the CONTEXT query: answers with @shared. FALSE if it is not of our type
 * or @shared is NULL. */
gboolean gst_cl_share_answer_query (GstQuery *query, GstClContext *shared);

G_END_DECLS
