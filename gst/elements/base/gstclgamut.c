/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Valid codes of a colour range. */

#include "gstclgamut.h"

gboolean
gst_cl_gamut_info_from_caps (GstVideoInfo *info, const GstCaps *caps)
{
  const gchar *text = gst_structure_get_string (
      gst_caps_get_structure (caps, 0), "colorimetry");
  GstVideoColorimetry colorimetry;

  if (!gst_video_info_from_caps (info, caps))
    return FALSE;

  if (text && gst_video_colorimetry_from_string (&colorimetry, text))
    info->colorimetry.range = colorimetry.range;

  return TRUE;
}

gboolean
gst_cl_gamut_is_full (const GstVideoInfo *info)
{
  const GstVideoColorRange range = info->colorimetry.range;

  if (range == GST_VIDEO_COLOR_RANGE_UNKNOWN)
    return !GST_VIDEO_INFO_IS_YUV (info);

  return range == GST_VIDEO_COLOR_RANGE_0_255;
}

static void
find_limits (const GstVideoInfo *info, guint depth, guint component,
    GstVideoColorRange range, guint *low, guint *high)
{
  const gboolean is_chroma = GST_VIDEO_INFO_IS_YUV (info) && component > 0;

  *low = 0;
  *high = (1u << depth) - 1;
  if (range == GST_VIDEO_COLOR_RANGE_0_255 || component == GST_VIDEO_COMP_A)
    return;

  *low = 16u << (depth - 8);
  *high = (is_chroma ? 240u : 235u) << (depth - 8);
}

void
gst_cl_gamut_limits (const GstVideoInfo *info, guint depth, guint component,
    guint *low, guint *high)
{
  find_limits (info, depth, component,
      gst_cl_gamut_is_full (info) ? GST_VIDEO_COLOR_RANGE_0_255
                                  : GST_VIDEO_COLOR_RANGE_16_235,
      low, high);
}

void
gst_cl_gamut_limits_limited (const GstVideoInfo *info, guint depth,
    guint component, guint *low, guint *high)
{
  find_limits (info, depth, component, GST_VIDEO_COLOR_RANGE_16_235, low, high);
}

void
gst_cl_gamut_limits_lavfi (const GstVideoInfo *info, guint depth,
    guint component, guint *low, guint *high)
{
  if (GST_VIDEO_INFO_IS_YUV (info))
    find_limits (info, depth, component, GST_VIDEO_COLOR_RANGE_16_235, low,
        high);
  else
    gst_cl_gamut_limits (info, depth, component, low, high);
}
