/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include <gst/video/video.h>

#include "ops/localmean/localmeanproblem.h"

G_BEGIN_DECLS

/* Mapping of caps by cllocalmean's window: raw video to raw video with the size
 * of the results; an integral image to GRAY8, GRAY16, RGB or RGBA. */

/* Caps templates of the two pads. */
GstCaps *gst_cl_local_mean_make_sink_caps (void);
GstCaps *gst_cl_local_mean_make_src_caps (void);

/* For GstClBaseFilter.map_structure. */
GstCaps *gst_cl_local_mean_map_structure (const GstClWindow *window,
    GstPadDirection direction, const GstStructure *structure);

/* Sets @view to the part of a frame of @width x @height pixels that the results
 * show: with border-mode=valid the pixels at the anchors of whole windows, else
 * the whole frame. */
void gst_cl_local_mean_get_view (const GstClWindow *window, gint width,
    gint height, GstVideoRectangle *view);

G_END_DECLS
