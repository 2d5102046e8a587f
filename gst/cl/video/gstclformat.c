/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The table of video formats. */

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

/* --- the nearest format -------------------------------------------------- */

/* The information that a conversion keeps. */
typedef struct {
  guint kept;       /* bits of 4 x 4 pixels, with the original subsampling */
  guint added;      /* useless bits of 4 x 4 pixels */
  gboolean is_same; /* each component keeps its size and at least its depth;
                       none is missing */
} Fit;

/* Returns the number of samples of component @c in 4 x 4 pixels, the largest
 * subsampling. */
static guint
count_samples (const GstVideoFormatInfo *info, guint c)
{
  return 16 >> (GST_VIDEO_FORMAT_INFO_W_SUB (info, c) +
                   GST_VIDEO_FORMAT_INFO_H_SUB (info, c));
}

static gboolean
is_as_large (const GstVideoFormatInfo *a, const GstVideoFormatInfo *b, guint c)
{
  return GST_VIDEO_FORMAT_INFO_W_SUB (a, c) ==
             GST_VIDEO_FORMAT_INFO_W_SUB (b, c) &&
         GST_VIDEO_FORMAT_INFO_H_SUB (a, c) ==
             GST_VIDEO_FORMAT_INFO_H_SUB (b, c);
}

static Fit
compare (const GstVideoFormatInfo *from, const GstVideoFormatInfo *to)
{
  Fit fit = { .is_same = TRUE };

  for (guint c = 0; c < GST_VIDEO_MAX_COMPONENTS; c++) {
    const guint n_from = GST_VIDEO_FORMAT_INFO_N_COMPONENTS (from);
    const guint n_to = GST_VIDEO_FORMAT_INFO_N_COMPONENTS (to);
    const guint from_depth = c < n_from ? GST_VIDEO_FORMAT_INFO_DEPTH (from, c)
                                        : 0;
    const guint to_depth = c < n_to ? GST_VIDEO_FORMAT_INFO_DEPTH (to, c) : 0;
    const guint from_samples = c < n_from ? count_samples (from, c) : 0;
    const guint to_samples = c < n_to ? count_samples (to, c) : 0;
    const guint kept = MIN (from_depth, to_depth) *
                       MIN (from_samples, to_samples);

    fit.kept += kept;
    fit.added += to_depth * to_samples - kept;
    if (c < n_from && (to_depth < from_depth || !is_as_large (from, to, c)))
      fit.is_same = FALSE;
  }

  return fit;
}

static gboolean
is_nearer (const Fit *a, const Fit *b)
{
  if (a->is_same != b->is_same)
    return a->is_same;
  if (a->kept != b->kept)
    return a->kept > b->kept;

  return a->added < b->added;
}

GstVideoFormat
gst_cl_format_find_nearest (GstVideoFormat format, gboolean *keeps_all)
{
  const GstVideoFormatInfo *from = gst_video_format_get_info (format);
  const GstVideoFormatFlags model = GST_VIDEO_FORMAT_FLAG_YUV |
                                    GST_VIDEO_FORMAT_FLAG_RGB |
                                    GST_VIDEO_FORMAT_FLAG_GRAY;
  GstVideoFormat nearest = GST_VIDEO_FORMAT_UNKNOWN;
  Fit best = { 0 };

  for (guint i = 0; i < G_N_ELEMENTS (formats); i++) {
    const GstVideoFormatInfo *to = gst_video_format_get_info (
        formats[i].format);
    Fit fit;

    if ((GST_VIDEO_FORMAT_INFO_FLAGS (from) & model) !=
            (GST_VIDEO_FORMAT_INFO_FLAGS (to) & model) ||
        GST_VIDEO_FORMAT_INFO_HAS_PALETTE (from))
      continue;
    fit = compare (from, to);
    if (nearest == GST_VIDEO_FORMAT_UNKNOWN || is_nearer (&fit, &best)) {
      nearest = formats[i].format;
      best = fit;
    }
  }
  *keeps_all = best.is_same;

  return nearest;
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

/* GStreamer returns 1 for the V of P010 and P016, which is in samples, not in
 * bytes. */
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
