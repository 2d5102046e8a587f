/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "elements/base/gstclbasefilter.h"

G_BEGIN_DECLS

#define GST_TYPE_CL_FRAME_SUM (gst_cl_frame_sum_get_type ())
G_DECLARE_FINAL_TYPE (GstClFrameSum, gst_cl_frame_sum, GST, CL_FRAME_SUM,
    GstClBaseFilter)

/* From the first call to the second no frame is expected: whoever feeds the
 * element is kept waiting, by others. Streaming thread. */
void gst_cl_frame_sum_rest (GstClFrameSum *self);
void gst_cl_frame_sum_go_on (GstClFrameSum *self);

/* Results have the name of @element (borrowed), which @self is a part of, as
 * that of their element. Called before @self starts. */
void gst_cl_frame_sum_name_results (GstClFrameSum *self, GstElement *element);

GST_ELEMENT_REGISTER_DECLARE (clframesum)

G_END_DECLS
