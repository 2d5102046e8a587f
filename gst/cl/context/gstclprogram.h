/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "gstclcontext.h"

G_BEGIN_DECLS

/* Built programs as the driver's own bytes. */

/* What the driver made of @program for @device. Of some drivers it is complete
 * only when a kernel has been created from @program. */
GBytes *gst_cl_binary_get (cl_program program, cl_device_id device,
    GError **error);

/* The program that @binary came from, built with @options for the context's
 * device. @binary must be what gst_cl_binary_get() gave for the same device,
 * driver and options: drivers crash on damaged ones. The caller owns one
 * reference. */
cl_program gst_cl_binary_load (GstClContext *context, GBytes *binary,
    const gchar *options, GError **error);

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
