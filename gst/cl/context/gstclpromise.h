/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "cl/device/gstclerror.h"

G_BEGIN_DECLS

/* The event of a command that another thread is about to enqueue. Any thread;
 * references are counted. */
typedef struct _GstClPromise GstClPromise;

/* Enqueues what waits for a thread to do so; returns at once where one is at
 * it. */
typedef void (*GstClPromiseFunc) (gpointer user_data);

/* @hurry is called with @user_data, again and again, by threads that wait for
 * the promise, and no more once it is kept or broken: @user_data must last
 * until then, and as long as such a thread may be in @hurry. transfer full */
GstClPromise *gst_cl_promise_new (GstClPromiseFunc hurry, gpointer user_data);
GstClPromise *gst_cl_promise_ref (GstClPromise *promise);
void gst_cl_promise_unref (GstClPromise *promise); /* accepts NULL */

/* The command has been enqueued, and its queue flushed: @event (transfer full)
 * is its event. One of these two is called, once. */
void gst_cl_promise_keep (GstClPromise *promise, cl_event event);

/* It could not be enqueued, because of @error. */
void gst_cl_promise_break (GstClPromise *promise, const GError *error);

/* Waits until the command has been enqueued, not for its end, and sets *event
 * (transfer full). FALSE with @error if it could not be. */
gboolean gst_cl_promise_wait (GstClPromise *promise, cl_event *event,
    GError **error);

/* Waits as that does. */
void gst_cl_promise_settle (GstClPromise *promise);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (GstClPromise, gst_cl_promise_unref)

G_END_DECLS
