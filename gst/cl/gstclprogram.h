/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "gstclcontext.h"

G_BEGIN_DECLS

/* The program made of the shared headers and the kernel file @resource, built
 * with @options for the context's device; built once per context and options,
 * from any thread. The caller owns one reference. CL_BUILD_PROGRAM_FAILURE
 * carries the first error line; the whole log goes to GST_ERROR.
 *
 * Kernel files are GResources; with
 * G_RESOURCE_OVERLAYS=/org/freedesktop/gstreamer/opencl/kernels=$PWD/kernels
 * they are read from the folder instead, to try an edited kernel at once. */
cl_program gst_cl_program_get (GstClContext *context, const gchar *resource,
    const gchar *options, GError **error);

G_END_DECLS
