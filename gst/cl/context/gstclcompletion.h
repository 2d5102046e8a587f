/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "gstclcontext.h"

G_BEGIN_DECLS

/* Learning that a command is done without waiting in OpenCL; for the wait see
 * gst_cl_context_wait(). Any thread. */

/* Returns CL_COMPLETE if the command of @event has ended, more before, and less
 * if the device failed it, or it cannot be asked for. Its queue must have been
 * flushed. */
cl_int gst_cl_completion_state (cl_event event);

/* Sets *is_done to whether the command of @event has ended, without waiting.
 * FALSE with @error if the device failed it. Its queue must have been
 * flushed. */
gboolean gst_cl_completion_poll (cl_event event, gboolean *is_done,
    GError **error);

/* @code: CL_COMPLETE, or what the device failed the command with. Called once,
 * in a thread of the driver; must not call OpenCL. */
typedef void (*GstClCompletionFunc) (cl_int code, gpointer user_data);

/* Has @func called when the command of @event has ended. @user_data must live
 * until then. The queue must be flushed afterwards. */
gboolean gst_cl_completion_notify (cl_event event, GstClCompletionFunc func,
    gpointer user_data, GError **error);

G_END_DECLS
