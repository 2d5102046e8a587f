/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include <gst/video/video.h>

G_BEGIN_DECLS

/* Sets *low and *high to the first and last code that the colour range of @info
 * allows for component @component: 16 .. 235, for chroma 16 .. 240, times
 * 2^(depth - 8); all codes if the range is full, and for alpha. Where the caps
 * name no range, YUV is limited and others are full. */
void gst_cl_gamut_limits (const GstVideoInfo *info, guint component, guint *low,
    guint *high);

/* Sets *low and *high to the codes by which FFmpeg's signalstats counts BRNG:
 * YUV is limited, whatever its range. */
void gst_cl_gamut_limits_lavfi (const GstVideoInfo *info, guint component,
    guint *low, guint *high);

/* Sets the colour range of @info to the one that @caps name.
 * gst_video_info_from_caps() replaces the whole colorimetry, and with it the
 * range, where the format cannot have the matrix of @caps: YUV needs one. */
void gst_cl_gamut_read_range (GstVideoInfo *info, const GstCaps *caps);

/* Returns TRUE if the colour range of @info is full, so that all codes are
 * allowed. */
gboolean gst_cl_gamut_is_full (const GstVideoInfo *info);

G_END_DECLS
