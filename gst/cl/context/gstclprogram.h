/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "gstclcontext.h"

G_BEGIN_DECLS

/* Kernel @name of the program that is the kernel file @resource with the
 * headers that it includes (gstclsource.h), built with @options for the
 * context's device; built once per context and options, from any thread: who
 * needs one that another thread builds waits for it, and for no other one. Its
 * binary is kept on disk
 * (gstclcache.h): one that is found there is loaded instead, one that does not
 * do is built anew. The caller owns one reference. The error of a build carries
 * the driver's code and the first error line of its log; the whole log goes to
 * GST_ERROR.
 *
 * G_IO_ERROR_CANCELLED where the program is not there yet and the thread's
 * current GCancellable (g_cancellable_push_current()) says so; what is being
 * compiled then is finished, but not kept on disk.
 *
 * Kernel files are GResources; with
 * G_RESOURCE_OVERLAYS=/org/freedesktop/gstreamer/opencl/kernels=$PWD/kernels
 * they are read from the folder instead, to try an edited kernel at once. */
cl_kernel gst_cl_program_create_kernel (GstClContext *context,
    const gchar *resource, const gchar *options, const gchar *name,
    GError **error);

G_END_DECLS
