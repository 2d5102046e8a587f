/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "gstclcontext.h"

G_BEGIN_DECLS

/* Returns CL_COMPLETE if the command of @event has ended, more before, and less
 * if the device failed it, or it cannot be asked for. Its queue must have been
 * flushed. Any thread. */
cl_int gst_cl_completion_state (cl_event event);

/* Waiting for one command. Drivers of GPUs spin meanwhile, so that the thread
 * goes on within microseconds of the end. While more threads wait than a
 * quarter of the machine's processors, those above that sleep, and look at the
 * command from time to time: others need the processors. */

/* Waits for *event, and no longer, and releases it; an error if the device
 * failed it. NULL: nothing to wait for. Any thread. */
gboolean gst_cl_context_wait (GstClContext *context, cl_event *event,
    const gchar *what, GError **error);

/* Waits where nobody reads what the command has written, as where something is
 * given back that the device has used: a command that has ended already costs
 * one question. */
gboolean gst_cl_context_wait_for_end (GstClContext *context, cl_event *event,
    const gchar *what, GError **error);

/* From now on all waits sleep, for what takes the device hundreds of
 * microseconds anyway. Any thread. */
void gst_cl_context_expect_long_waits (GstClContext *context);

G_END_DECLS
