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

G_END_DECLS
