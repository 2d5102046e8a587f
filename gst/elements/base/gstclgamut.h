/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include <gst/video/video.h>

G_BEGIN_DECLS

/* Reads fixed caps as gst_video_info_from_caps(), which replaces the whole
 * colorimetry, including the range, if the matrix in @caps is invalid for the
 * format; the range of @info is the one that @caps name. */
gboolean gst_cl_gamut_info_from_caps (GstVideoInfo *info, const GstCaps *caps);

/* Returns TRUE if the colour range of @info is full: all codes are valid. If
 * the caps name no range, YUV is limited and other formats are full. Matrix,
 * transfer function and primaries change nothing. */
gboolean gst_cl_gamut_is_full (const GstVideoInfo *info);

/* Sets *low and *high to the first and last valid code of component @component
 * in the colour range of @info: 16 .. 235 (chroma: 16 .. 240) times 2^(depth -
 * 8) for limited range; all codes for full range and for alpha. @depth: bits of
 * a code, at most those of @info. */
void gst_cl_gamut_limits (const GstVideoInfo *info, guint depth,
    guint component, guint *low, guint *high);

/* Sets *low and *high to the first and last code of component @component in
 * limited range, whatever the range of @info; for alpha all codes. */
void gst_cl_gamut_limits_limited (const GstVideoInfo *info, guint depth,
    guint component, guint *low, guint *high);

/* Sets *low and *high to the limits that FFmpeg's signalstats uses for BRNG:
 * always limited range for YUV. */
void gst_cl_gamut_limits_lavfi (const GstVideoInfo *info, guint depth,
    guint component, guint *low, guint *high);

G_END_DECLS
