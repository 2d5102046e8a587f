/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "gst/opencl/opencl.h"

#ifndef CL_TARGET_OPENCL_VERSION
#define CL_TARGET_OPENCL_VERSION 120
#endif
#include <CL/cl.h>

G_BEGIN_DECLS

/* Returns "CL_OUT_OF_RESOURCES" for -5; "unknown OpenCL error" for a code not
 * listed. */
const gchar *gst_cl_error_name (cl_int code);

/* Returns TRUE if @code is CL_SUCCESS. Otherwise sets @error to "@what: CL_NAME
 * (code)" and returns FALSE. @what names the object, not the function. This
 * function alone converts a cl_int to a GError. */
gboolean gst_cl_check (cl_int code, const gchar *what, GError **error);

/* Posts @error on the bus as an element error, under the GStreamer domain that
 * matches its code. An error of a GStreamer domain (resource, stream, ...) is
 * posted unchanged. Call it once per failure, where the element gives up; any
 * thread. */
#define gst_cl_post_error(element, error)                                      \
  gst_cl_post_error_full (GST_ELEMENT (element), error, __FILE__,              \
      GST_FUNCTION, __LINE__)

void gst_cl_post_error_full (GstElement *element, const GError *error,
    const gchar *file, const gchar *function, gint line);

/* Returns TRUE if @error, of OpenCL or of GStreamer, means that memory was
 * short: the failed call may succeed later. */
gboolean gst_cl_error_is_shortage (const GError *error);

/* Returns TRUE if @error, of any call, means that a program could not be
 * compiled. */
gboolean gst_cl_error_is_compiler_failure (const GError *error);

G_END_DECLS
