/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "elements/base/gstclbasefilter.h"

G_BEGIN_DECLS

#define GST_TYPE_CL_LOCAL_MEAN (gst_cl_local_mean_get_type ())
G_DECLARE_FINAL_TYPE (GstClLocalMean, gst_cl_local_mean, GST, CL_LOCAL_MEAN,
    GstClBaseFilter)

GST_ELEMENT_REGISTER_DECLARE (cllocalmean)

G_END_DECLS
