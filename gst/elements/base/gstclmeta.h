/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include <gst/video/video.h>

G_BEGIN_DECLS

/* What becomes of the metas of an input buffer. Those stay that are still true
 * of the output and say nothing about memory. Those about positions are scaled,
 * in the way of videoscale, or left out where they cannot be. Where the output
 * shows a part of the input, regions of interest are cut to that part. */
typedef enum {
  GST_CL_META_LEAVE_OUT,
  GST_CL_META_COPY,
  GST_CL_META_SCALE, /* copy, if input and output are of one size */
} GstClMetaUse;

GstClMetaUse gst_cl_meta_use (const GstMeta *meta);

/* Adds to @out the meta that @meta of @in becomes when @view, a part of a frame
 * of @in_width x @in_height pixels, is scaled to @out_width x @out_height. */
void gst_cl_meta_scale (GstMeta *meta, GstBuffer *in, gint in_width,
    gint in_height, const GstVideoRectangle *view, GstBuffer *out,
    gint out_width, gint out_height);

G_END_DECLS
