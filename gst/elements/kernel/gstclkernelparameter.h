/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include <gst/gst.h>

#include "ops/kernel/parameter.h"

G_BEGIN_DECLS

/* A parameter of a kernel as an object: a child of clkernel with the
 * controllable property `value`, for GstControlBinding and for
 * `NAME::value=...` in launch lines. */
#define GST_TYPE_CL_KERNEL_PARAMETER (gst_cl_kernel_parameter_get_type ())
G_DECLARE_FINAL_TYPE (GstClKernelParameter, gst_cl_kernel_parameter, GST,
    CL_KERNEL_PARAMETER, GstObject)

/* Called when the property is set, in the thread that sets it. */
typedef void (*GstClKernelParameterFunc) (gpointer user_data, const gchar *name,
    gdouble value);

/* Creates the object of @parameter, which has one number. @func is called until
 * gst_cl_kernel_parameter_detach(), with a reference to @owner (borrowed) that
 * keeps @user_data alive. transfer full */
GstClKernelParameter *gst_cl_kernel_parameter_new (
    const GstClParameter *parameter, GstClKernelParameterFunc func,
    GObject *owner, gpointer user_data);
void gst_cl_kernel_parameter_detach (GstClKernelParameter *self);

/* Sets what the property returns, without a call. */
void gst_cl_kernel_parameter_show (GstClKernelParameter *self, gdouble value);

G_END_DECLS
