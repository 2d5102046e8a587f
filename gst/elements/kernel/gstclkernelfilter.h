/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "elements/base/gstclbasefilter.h"

G_BEGIN_DECLS

#define GST_TYPE_CL_KERNEL_FILTER (gst_cl_kernel_filter_get_type ())
G_DECLARE_FINAL_TYPE (GstClKernelFilter, gst_cl_kernel_filter, GST,
    CL_KERNEL_FILTER, GstClBaseFilter)

GST_ELEMENT_REGISTER_DECLARE (clkernel)

G_END_DECLS
