/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "elements/base/gstclbasefilter.h"

G_BEGIN_DECLS

#define GST_TYPE_CL_FRAME_SUM (gst_cl_frame_sum_get_type ())
G_DECLARE_FINAL_TYPE (GstClFrameSum, gst_cl_frame_sum, GST, CL_FRAME_SUM,
    GstClBaseFilter)

/* For a parent element. Between the two calls the watchdog counts no time,
 * because another element delays the frames of this one. Streaming thread. */
void gst_cl_frame_sum_suspend_watchdog (GstClFrameSum *self);
void gst_cl_frame_sum_resume_watchdog (GstClFrameSum *self);

/* Sets @element (borrowed), the parent of @self, as the element that results
 * name. Called before @self starts. */
void gst_cl_frame_sum_name_results (GstClFrameSum *self, GstElement *element);

GST_ELEMENT_REGISTER_DECLARE (clframesum)

G_END_DECLS
