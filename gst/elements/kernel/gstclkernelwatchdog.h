/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include <gst/gst.h>

#include "cl/context/gstclcontext.h"

G_BEGIN_DECLS

/* Posts an error if kernels do not end. A launch cannot be cancelled, and
 * threads that wait for it keep waiting: the error says so. The system clock
 * calls the watchdog twice in each timeout, however many frames there are. */
typedef struct _GstClKernelWatchdog GstClKernelWatchdog;

/* Errors are posted by @element (borrowed until
 * gst_cl_kernel_watchdog_free()). transfer full */
GstClKernelWatchdog *gst_cl_kernel_watchdog_new (GstElement *element);
void gst_cl_kernel_watchdog_free (GstClKernelWatchdog *self); /* accepts NULL */

/* Called when all kernels of a frame are enqueued, those of the file @name.
 * @timeout: from now until they have ended; 0: any. FALSE with @error: the
 * device has failed. Streaming thread. */
gboolean gst_cl_kernel_watchdog_watch (GstClKernelWatchdog *self,
    GstClContext *context, const gchar *name, GstClockTime timeout,
    GError **error);

/* Forgets the kernels, which have ended or are never waited for. */
void gst_cl_kernel_watchdog_stop (GstClKernelWatchdog *self);

G_END_DECLS
