/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "cl/device/gstclerror.h"

G_BEGIN_DECLS

/* The end of commands that another thread enqueues and waits for. Any thread;
 * references are counted. */
typedef struct _GstClPromise GstClPromise;

GstClPromise *gst_cl_promise_new (void); /* transfer full */
GstClPromise *gst_cl_promise_ref (GstClPromise *promise);
void gst_cl_promise_unref (GstClPromise *promise); /* accepts NULL */

/* The commands have ended, and the host sees what they have written. One of
 * these two is called, once, by a thread with a reference of its own. */
void gst_cl_promise_keep (GstClPromise *promise);

/* They could not be enqueued, or failed, because of @error (copied). Some may
 * still run. */
void gst_cl_promise_break (GstClPromise *promise, const GError *error);

/* Sleeps until the commands have ended. FALSE with @error if they could not be
 * enqueued, or failed. */
gboolean gst_cl_promise_wait (GstClPromise *promise, GError **error);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (GstClPromise, gst_cl_promise_unref)

G_END_DECLS
