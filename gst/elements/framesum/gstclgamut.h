/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include <gst/video/video.h>

G_BEGIN_DECLS

/* The codes that the colour range of @info allows for component @component, all
 * of them if @info has the full range: 16 .. 235, chroma 16 .. 240, times
 * 2^(depth - 8). Where the caps name no range YUV is limited and others are full.
 * Alpha has no limits. */
void gst_cl_gamut_limits (const GstVideoInfo *info, guint component, guint *low,
    guint *high);

/* The same, but for YUV as if its range was limited: what FFmpeg's signalstats
 * takes BRNG for. */
void gst_cl_gamut_limits_lavfi (const GstVideoInfo *info, guint component,
    guint *low, guint *high);

/* TRUE if all codes are allowed. */
gboolean gst_cl_gamut_is_full (const GstVideoInfo *info);

G_END_DECLS
