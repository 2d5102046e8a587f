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

/* Sets @view to the rectangle of a frame of @width x @height pixels to which
 * the output corresponds, for scaling metas. With border-mode=valid it begins
 * at the first anchor and has one step per result, so it may extend beyond the
 * frame by less than one step. Else it is the whole frame. */
void gst_cl_local_mean_get_view (const GstClWindow *window, gint width,
    gint height, GstVideoRectangle *view);

G_END_DECLS
