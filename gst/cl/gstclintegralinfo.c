/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Caps of integral images. */

#include "gstclintegralinfo.h"

static const gchar *const layout_names[] = {
  [GST_CL_LAYOUT_INCLUSIVE] = "inclusive",
  [GST_CL_LAYOUT_EXCLUSIVE] = "exclusive",
};

const gchar *
gst_cl_layout_name (GstClLayout layout)
{
  return layout_names[layout];
}

gboolean
gst_cl_integral_is_structure (const GstStructure *structure)
{
  return gst_structure_has_name (structure, GST_CL_INTEGRAL_MEDIA_TYPE);
}

gboolean
gst_cl_integral_info_from_caps (GstClIntegralInfo *info, const GstCaps *caps)
{
  const GstStructure *structure = gst_caps_get_structure (caps, 0);
  const gchar *format, *layout;

  if (!gst_cl_integral_is_structure (structure))
    return FALSE;

  format = gst_structure_get_string (structure, "format");
  layout = gst_structure_get_string (structure, "layout");
  if (g_strcmp0 (format, GST_CL_INTEGRAL_FORMAT_U32) != 0 || !layout ||
      !gst_structure_get_int (structure, "width", &info->width) ||
      !gst_structure_get_int (structure, "height", &info->height) ||
      !gst_structure_get_int (structure, "channels", &info->channels))
    return FALSE;

  info->layout = g_str_equal (layout, layout_names[GST_CL_LAYOUT_EXCLUSIVE])
                     ? GST_CL_LAYOUT_EXCLUSIVE
                     : GST_CL_LAYOUT_INCLUSIVE;
  info->sum_bytes = 4;
  if (!gst_structure_get_fraction (structure, "framerate", &info->fps_n,
          &info->fps_d)) {
    info->fps_n = 0;
    info->fps_d = 1;
  }

  return TRUE;
}

gsize
gst_cl_integral_info_size (const GstClIntegralInfo *info)
{
  const gsize extra = info->layout == GST_CL_LAYOUT_EXCLUSIVE ? 1 : 0;

  return (info->width + extra) * (info->height + extra) * info->channels *
         info->sum_bytes;
}

GstClSums
gst_cl_integral_info_sums (const GstClIntegralInfo *info, cl_mem mem,
    gsize offset_bytes)
{
  return (GstClSums){
    .mem = mem,
    .offset_bytes = offset_bytes,
    .layout = info->layout,
    .width = info->width,
    .height = info->height,
    .channels = info->channels,
    .sum_bytes = info->sum_bytes,
  };
}
