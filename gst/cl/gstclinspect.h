/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

struct _GstClContext;
struct _GstClFence;

/* Inner state of gst/cl, for tests alone: a plugin that is built with
 * -Dtests=disabled has none of these functions. Any thread. */

/* TRUE if @fence is signalled or has failed (gstclbatchqueue.c). */
gboolean gst_cl_fence_is_settled (struct _GstClFence *fence);

/* Bytes that are kept for @context (gstclquarantine.c). */
gsize gst_cl_quarantine_bytes (struct _GstClContext *context);

/* Bytes that are registered, in this process (gstclpinned.c). */
gsize gst_cl_registered_bytes (void);

G_END_DECLS
