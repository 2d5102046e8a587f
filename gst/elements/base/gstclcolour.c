/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Colorimetry. */

#include "gstclcolour.h"

#include <math.h>

#include "gstclgamut.h"

/* The peak of the display, cd/m2, if none is named. */
#define SDR_PEAK 200.0
#define HLG_PEAK 1000.0

/* Sets *kr and *kb to the coefficients of the caps, or of BT.709 if the caps
 * have none. */
static void
find_coefficients (const GstVideoInfo *info, gdouble *kr, gdouble *kb)
{
  if (gst_video_color_matrix_get_Kr_Kb (info->colorimetry.matrix, kr, kb))
    return;

  gst_video_color_matrix_get_Kr_Kb (GST_VIDEO_COLOR_MATRIX_BT709, kr, kb);
}

void
gst_cl_colour_matrix (const GstVideoInfo *info, guint depth,
    GstClRgbMatrix *matrix)
{
  gdouble kr, kb;

  find_coefficients (info, &kr, &kb);
  if (GST_VIDEO_INFO_IS_YUV (info))
    gst_cl_rgb_matrix_init (matrix, kr, kb, gst_cl_gamut_is_full (info), depth);
  else
    *matrix = (GstClRgbMatrix){
      .kind = GST_VIDEO_INFO_IS_RGB (info) ? GST_CL_RGB_RGB : GST_CL_RGB_GREY,
    };
}

void
gst_cl_colour_luma (const GstVideoInfo *info, gdouble weights[3])
{
  find_coefficients (info, &weights[0], &weights[2]);
  weights[1] = 1 - weights[0] - weights[2];
}

void
gst_cl_colour_luminance (const GstVideoInfo *info, gdouble weights[3])
{
  const gboolean is_wide = info->colorimetry.primaries ==
                           GST_VIDEO_COLOR_PRIMARIES_BT2020;

  gst_video_color_matrix_get_Kr_Kb (is_wide ? GST_VIDEO_COLOR_MATRIX_BT2020
                                            : GST_VIDEO_COLOR_MATRIX_BT709,
      &weights[0], &weights[2]);
  weights[1] = 1 - weights[0] - weights[2];
}

static GstClTransfer
find_transfer (const GstVideoInfo *info)
{
  switch (info->colorimetry.transfer) {
    case GST_VIDEO_TRANSFER_SMPTE2084:
      return GST_CL_TRANSFER_PQ;
    case GST_VIDEO_TRANSFER_ARIB_STD_B67:
      return GST_CL_TRANSFER_HLG;
    case GST_VIDEO_TRANSFER_GAMMA10:
      return GST_CL_TRANSFER_LINEAR;
    case GST_VIDEO_TRANSFER_BT709:
    case GST_VIDEO_TRANSFER_BT2020_10:
    case GST_VIDEO_TRANSFER_BT2020_12:
    case GST_VIDEO_TRANSFER_SMPTE240M:
      return GST_CL_TRANSFER_BT1886;
    default:
      return GST_CL_TRANSFER_SRGB;
  }
}

GstClLightCurve
gst_cl_colour_curve (const GstVideoInfo *info, guint depth, gint transfer,
    gdouble peak)
{
  const GstClTransfer found = transfer < 0 ? find_transfer (info)
                                           : (GstClTransfer) transfer;
  const gdouble usual = found == GST_CL_TRANSFER_HLG ? HLG_PEAK : SDR_PEAK;

  return (GstClLightCurve){
    .transfer = found,
    .is_full_range = gst_cl_gamut_is_full (info),
    .depth = depth,
    .peak = peak > 0 ? peak : usual,
  };
}

void
gst_cl_colour_preferred_range (const GstVideoInfo *info, guint depth, gint *low,
    gint *high)
{
  const gdouble white = (1u << depth) - 1;

  *low = 5 << (depth - 8);
  *high = 246 << (depth - 8);
  if (!gst_cl_gamut_is_full (info))
    return;

  *low = (gint) lrint ((5.0 - 16) / 219 * white);
  *high = (gint) lrint ((246.0 - 16) / 219 * white);
}
