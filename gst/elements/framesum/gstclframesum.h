/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "elements/base/gstclbasefilter.h"

G_BEGIN_DECLS

#define GST_TYPE_CL_FRAME_SUM (gst_cl_frame_sum_get_type ())
G_DECLARE_FINAL_TYPE (GstClFrameSum, gst_cl_frame_sum, GST, CL_FRAME_SUM,
    GstClBaseFilter)

GST_ELEMENT_REGISTER_DECLARE (clframesum)

G_END_DECLS
