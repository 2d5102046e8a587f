/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "elements/base/gstclaggregator.h"

G_BEGIN_DECLS

#define GST_TYPE_CL_KERNEL_MIX (gst_cl_kernel_mix_get_type ())
G_DECLARE_FINAL_TYPE (GstClKernelMix, gst_cl_kernel_mix, GST, CL_KERNEL_MIX,
    GstClAggregator)

GST_ELEMENT_REGISTER_DECLARE (clkernelmix)

G_END_DECLS
