/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "gstclmeasurement.h"
#include "series/gstclseries.h"

G_BEGIN_DECLS

/* The numbers of a frame as gst/series takes them: the first region stands for
 * the frame. */
typedef struct {
  GstClSeriesInput input;
  guint32 *folded[GST_VIDEO_MAX_COMPONENTS]; /* owned; NULL: none */
} GstClMeasuredInput;

/* Sets @self to what @measured, which has metrics, says of the frame shown at
 * @time. It borrows from @measured; gst_cl_measured_input_clear() frees the
 * rest. */
void gst_cl_measured_input_init (GstClMeasuredInput *self,
    const GstClMeasured *measured, const GstClFrameTime *time);
void gst_cl_measured_input_clear (GstClMeasuredInput *self);

G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (GstClMeasuredInput,
    gst_cl_measured_input_clear)

G_END_DECLS
