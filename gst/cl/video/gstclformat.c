/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* THE table of video formats. */

#include "gstclformat.h"

/* Samples of more than 8 bits are read in the machine's byte order. */
static const GstClFormat formats[] = {
  /* clang-format off */
  /* format                  sample_t */
  { GST_VIDEO_FORMAT_GRAY8,  "uchar" },
  { GST_VIDEO_FORMAT_I420,   "uchar" },
  { GST_VIDEO_FORMAT_YV12,   "uchar" },
  { GST_VIDEO_FORMAT_Y41B,   "uchar" },
  { GST_VIDEO_FORMAT_Y42B,   "uchar" },
  { GST_VIDEO_FORMAT_Y444,   "uchar" },
  { GST_VIDEO_FORMAT_NV12,   "uchar" },
  { GST_VIDEO_FORMAT_NV21,   "uchar" },
  { GST_VIDEO_FORMAT_NV16,   "uchar" },
  { GST_VIDEO_FORMAT_NV24,   "uchar" },
  { GST_VIDEO_FORMAT_RGB,    "uchar" },
  { GST_VIDEO_FORMAT_BGR,    "uchar" },
  { GST_VIDEO_FORMAT_RGBx,   "uchar" },
  { GST_VIDEO_FORMAT_BGRx,   "uchar" },
  { GST_VIDEO_FORMAT_xRGB,   "uchar" },
  { GST_VIDEO_FORMAT_xBGR,   "uchar" },
  { GST_VIDEO_FORMAT_RGBA,   "uchar" },
  { GST_VIDEO_FORMAT_BGRA,   "uchar" },
  { GST_VIDEO_FORMAT_ARGB,   "uchar" },
  { GST_VIDEO_FORMAT_ABGR,   "uchar" },
  { GST_VIDEO_FORMAT_RGBP,   "uchar" },
  { GST_VIDEO_FORMAT_YUY2,   "uchar" },
  { GST_VIDEO_FORMAT_UYVY,   "uchar" },
  { GST_VIDEO_FORMAT_AYUV,   "uchar" },
#if G_BYTE_ORDER == G_LITTLE_ENDIAN
  { GST_VIDEO_FORMAT_GRAY16_LE,   "ushort" },
  { GST_VIDEO_FORMAT_I420_10LE,   "ushort" },
  { GST_VIDEO_FORMAT_I422_10LE,   "ushort" },
  { GST_VIDEO_FORMAT_Y444_10LE,   "ushort" },
  { GST_VIDEO_FORMAT_I420_12LE,   "ushort" },
  { GST_VIDEO_FORMAT_P010_10LE,   "ushort" },
  { GST_VIDEO_FORMAT_P016_LE,     "ushort" },
#endif
  /* clang-format on */
};

const GstClFormat *
gst_cl_formats (guint *n_rows)
{
  *n_rows = G_N_ELEMENTS (formats);

  return formats;
}

const GstClFormat *
gst_cl_format_find (GstVideoFormat format)
{
  for (guint i = 0; i < G_N_ELEMENTS (formats); i++) {
    if (formats[i].format == format)
      return &formats[i];
  }

  return NULL;
}

GstCaps *
gst_cl_format_make_caps (void)
{
  GstVideoFormat list[G_N_ELEMENTS (formats)];

  for (guint i = 0; i < G_N_ELEMENTS (formats); i++)
    list[i] = formats[i].format;

  return gst_video_make_raw_caps (list, G_N_ELEMENTS (list));
}

const gchar *
gst_cl_format_component_name (const GstVideoFormatInfo *info, guint component)
{
  static const gchar *const rgb[] = { "R", "G", "B", "A" };
  static const gchar *const yuv[] = { "Y", "U", "V", "A" };

  g_return_val_if_fail (component < G_N_ELEMENTS (rgb), NULL);

  return GST_VIDEO_FORMAT_INFO_IS_RGB (info) ? rgb[component] : yuv[component];
}

/* GStreamer says 1 for the V of P010 and P016, which is a sample, not a
 * byte. */
guint
gst_cl_format_component_offset (const GstVideoFormatInfo *info, guint component)
{
  const guint offset = GST_VIDEO_FORMAT_INFO_POFFSET (info, component);
  const guint bytes = (GST_VIDEO_FORMAT_INFO_DEPTH (info, component) + 7) / 8;

  return offset % bytes == 0 ? offset : offset * bytes;
}

guint
gst_cl_format_main_components (const GstVideoFormatInfo *info)
{
  guint n = 0;

  if (!GST_VIDEO_FORMAT_INFO_IS_RGB (info))
    return 1;

  while (n < GST_VIDEO_FORMAT_INFO_N_COMPONENTS (info) &&
         GST_VIDEO_FORMAT_INFO_PLANE (info, n) == 0)
    n++;

  return n;
}

gint
gst_cl_format_padding_offset (const GstVideoFormatInfo *info)
{
  guint used = 0;

  if (GST_VIDEO_FORMAT_INFO_N_PLANES (info) != 1 ||
      !GST_VIDEO_FORMAT_INFO_IS_RGB (info))
    return -1;

  for (guint c = 0; c < GST_VIDEO_FORMAT_INFO_N_COMPONENTS (info); c++)
    used |= 1u << gst_cl_format_component_offset (info, c);

  for (gint byte = 0; byte < GST_VIDEO_FORMAT_INFO_PSTRIDE (info, 0); byte++) {
    if (!(used & (1u << byte)))
      return byte;
  }

  return -1;
}

gboolean
gst_cl_format_is_subsampled (const GstVideoFormatInfo *info)
{
  for (guint c = 0; c < GST_VIDEO_FORMAT_INFO_N_COMPONENTS (info); c++) {
    if (GST_VIDEO_FORMAT_INFO_W_SUB (info, c) ||
        GST_VIDEO_FORMAT_INFO_H_SUB (info, c))
      return TRUE;
  }

  return FALSE;
}
