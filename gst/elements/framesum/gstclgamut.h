/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include <gst/video/video.h>

G_BEGIN_DECLS

/* Sets *low and *high to the first and last valid code of component @component
 * in the colour range of @info: 16 .. 235 (chroma: 16 .. 240) times 2^(depth -
 * 8) for limited range; all codes for full range and for alpha. If the caps
 * name no range, YUV is limited and other formats are full. @depth: bits of a
 * code, at most those of @info. */
void gst_cl_gamut_limits (const GstVideoInfo *info, guint depth,
    guint component, guint *low, guint *high);

/* Sets *low and *high to the limits that FFmpeg's signalstats uses for BRNG:
 * always limited range for YUV. */
void gst_cl_gamut_limits_lavfi (const GstVideoInfo *info, guint depth,
    guint component, guint *low, guint *high);

/* Sets the colour range of @info to the range that @caps name.
 * gst_video_info_from_caps() replaces the whole colorimetry, including the
 * range, if the matrix in @caps is invalid for the format. */
void gst_cl_gamut_read_range (GstVideoInfo *info, const GstCaps *caps);

/* Returns TRUE if the colour range of @info is full: all codes are valid. */
gboolean gst_cl_gamut_is_full (const GstVideoInfo *info);

G_END_DECLS
