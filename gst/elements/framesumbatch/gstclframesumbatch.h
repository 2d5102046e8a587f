/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include <gst/gst.h>

G_BEGIN_DECLS

#define GST_TYPE_CL_FRAME_SUM_BATCH (gst_cl_frame_sum_batch_get_type ())
G_DECLARE_FINAL_TYPE (GstClFrameSumBatch, gst_cl_frame_sum_batch, GST,
    CL_FRAME_SUM_BATCH, GstBin)

GST_ELEMENT_REGISTER_DECLARE (clframesumbatch)

G_END_DECLS
