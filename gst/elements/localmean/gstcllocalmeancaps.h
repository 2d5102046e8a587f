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

/* For GstClBaseFilter.map_structure. @split_fields: the fields of frames with
 * interlace-mode=interleaved are filtered separately. */
GstCaps *gst_cl_local_mean_map_structure (const GstClWindow *window,
    gboolean split_fields, GstPadDirection direction,
    const GstStructure *structure);

/* Returns the rows of results of both fields of a frame of @height rows. The
 * top field has as many as the bottom field, or one more. Returns 0 if a window
 * of VALID does not fit into each field. */
gint gst_cl_local_mean_rows_of_fields (const GstClWindow *window, gint height);

/* Sets @view to the rectangle of a frame of @width x @height pixels to which
 * the output corresponds, for scaling metas. With border-mode=valid it begins
 * at the first anchor and has one step per result, so it may extend beyond the
 * frame by less than one step. Else it is the whole frame. @has_fields: the
 * fields of the frame are filtered separately. */
void gst_cl_local_mean_get_view (const GstClWindow *window, gboolean has_fields,
    gint width, gint height, GstVideoRectangle *view);

G_END_DECLS
