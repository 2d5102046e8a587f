/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include <gio/gio.h>

#include "gstclcontext.h"

G_BEGIN_DECLS

/* --- sources -------------------------------------------------------------- */

/* Embedded kernel files, includes resolved. Knows no OpenCL; any thread. */

/* The text of the kernel file @name, with every header that it or one of its
 * headers asks for by #include "header" in the place where it is first asked
 * for, once each, and no others. A header lies in the folder of the
 * file that asks for it, else in common/. Directives of
 * #line keep the names and lines of all files in what a compiler says.
 *
 * A line that begins with #include is one, whatever stands around it: includes
 * stand at the top of a file, outside of comments, and under no condition. As
 * each header is taken once, none needs a guard.
 *
 * NULL and an error of G_RESOURCE_ERROR where a file does not exist; the
 * message names the files and lines that asked for it. Transfer full. */
gchar *gst_cl_source_load (const gchar *name, GError **error);

/* A digest of all kernel files, in hexadecimal digits: it changes whenever a
 * file does. Takes a millisecond. transfer full */
gchar *gst_cl_source_digest (void);

/* --- binaries ------------------------------------------------------------- */

/* Built programs as the driver's own bytes. */

/* What the driver made of @program for @device. Of some drivers it is complete
 * only when a kernel has been created from @program. */
GBytes *gst_cl_binary_get (cl_program program, cl_device_id device,
    GError **error);

/* --- programs ------------------------------------------------------------- */

/* Kernel @name of the program that is the kernel file @resource with the
 * headers that it includes, built with @options for the context's device; built
 * once per context and options, from any thread: who needs one that another
 * thread builds waits for it, and for no other one. Its binary is kept on disk
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
