/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The table of video formats. */

#include "gstclformat.h"

/* Kernels read formats as they are if a component is in bytes, or in words of
 * 16 bits in the machine's byte order. Packed formats have layouts of their
 * planes. */
#define PACKED(...)    .planes = { __VA_ARGS__ }
#define PACKED_BE(...) PACKED (__VA_ARGS__), .is_big_endian = TRUE

static const GstClFormat all_formats[] = {
  /* clang-format off */
  { .name = "GRAY8" },
  { .name = "I420" },
  { .name = "YV12" },
  { .name = "Y41B" },
  { .name = "Y42B" },
  { .name = "Y444" },
  { .name = "YUV9" },
  { .name = "YVU9" },
  { .name = "NV12" },
  { .name = "NV21" },
  { .name = "NV16" },
  { .name = "NV61" },
  { .name = "NV24" },
  { .name = "A420" },
  { .name = "A422" },
  { .name = "A444" },
  { .name = "AV12" },
  { .name = "RGB" },
  { .name = "BGR" },
  { .name = "RGBx" },
  { .name = "BGRx" },
  { .name = "xRGB" },
  { .name = "xBGR" },
  { .name = "RGBA" },
  { .name = "BGRA" },
  { .name = "ARGB" },
  { .name = "ABGR" },
  { .name = "RBGA" },
  { .name = "RGBP" },
  { .name = "BGRP" },
  { .name = "GBR" },
  { .name = "GBRA" },
  { .name = "YUY2" },
  { .name = "UYVY" },
  { .name = "YVYU" },
  { .name = "VYUY", .has_layout = TRUE, .offsets = { 1, 2, 0 } },
  { .name = "IYU2" },
  { .name = "v308" },
  { .name = "AYUV" },
  { .name = "VUYA" },
#if G_BYTE_ORDER == G_LITTLE_ENDIAN
  { .name = "GRAY16_LE" },
  { .name = "GRAY10_LE16" },
  { .name = "I420_10LE" },
  { .name = "I420_12LE" },
  { .name = "I422_10LE" },
  { .name = "I422_12LE" },
  { .name = "Y444_10LE" },
  { .name = "Y444_12LE" },
  { .name = "Y444_16LE" },
  { .name = "P010_10LE" },
  { .name = "P012_LE" },
  { .name = "P016_LE" },
  { .name = "A420_10LE" },
  { .name = "A420_12LE" },
  { .name = "A420_16LE" },
  { .name = "A422_10LE" },
  { .name = "A422_12LE" },
  { .name = "A422_16LE" },
  { .name = "A444_10LE" },
  { .name = "A444_12LE" },
  { .name = "A444_16LE" },
  { .name = "GBR_10LE" },
  { .name = "GBR_12LE" },
  { .name = "GBR_16LE" },
  { .name = "GBRA_10LE" },
  { .name = "GBRA_12LE" },
  { .name = "v216" },
  { .name = "Y210", .has_layout = TRUE, .offsets = { 0, 2, 6 }, .shift = 6 },
  { .name = "Y212_LE", .has_layout = TRUE, .offsets = { 0, 2, 6 }, .shift = 4 },
  { .name = "Y216_LE", .has_layout = TRUE, .offsets = { 0, 2, 6 } },
  { .name = "Y412_LE", .has_layout = TRUE, .offsets = { 2, 0, 4, 6 },
    .shift = 4 },
  { .name = "Y416_LE", .has_layout = TRUE, .offsets = { 2, 0, 4, 6 } },
  { .name = "AYUV64" },
  { .name = "ARGB64" },
  { .name = "ARGB64_LE" },
  { .name = "RGBA64_LE" },
  { .name = "BGRA64_LE" },
  { .name = "ABGR64_LE" },
  { .name = "RGB16", PACKED ("BGR") },
  { .name = "BGR16", PACKED ("RGB") },
  { .name = "RGB15", PACKED ("BGR1") },
  { .name = "BGR15", PACKED ("RGB1") },
  { .name = "GRAY16_BE", PACKED_BE ("Y") },
  { .name = "I420_10BE", PACKED_BE ("6Y", "6U", "6V") },
  { .name = "I422_10BE", PACKED_BE ("6Y", "6U", "6V") },
  { .name = "Y444_10BE", PACKED_BE ("6Y", "6U", "6V") },
  { .name = "I420_12BE", PACKED_BE ("4Y", "4U", "4V") },
  { .name = "I422_12BE", PACKED_BE ("4Y", "4U", "4V") },
  { .name = "Y444_12BE", PACKED_BE ("4Y", "4U", "4V") },
  { .name = "Y444_16BE", PACKED_BE ("Y", "U", "V") },
  { .name = "P010_10BE", PACKED_BE ("Y6", "U6V6") },
  { .name = "P012_BE", PACKED_BE ("Y4", "U4V4") },
  { .name = "P016_BE", PACKED_BE ("Y", "UV") },
  { .name = "A420_10BE", PACKED_BE ("6Y", "6U", "6V", "6A") },
  { .name = "A420_12BE", PACKED_BE ("4Y", "4U", "4V", "4A") },
  { .name = "A420_16BE", PACKED_BE ("Y", "U", "V", "A") },
  { .name = "A422_10BE", PACKED_BE ("6Y", "6U", "6V", "6A") },
  { .name = "A422_12BE", PACKED_BE ("4Y", "4U", "4V", "4A") },
  { .name = "A422_16BE", PACKED_BE ("Y", "U", "V", "A") },
  { .name = "A444_10BE", PACKED_BE ("6Y", "6U", "6V", "6A") },
  { .name = "A444_12BE", PACKED_BE ("4Y", "4U", "4V", "4A") },
  { .name = "A444_16BE", PACKED_BE ("Y", "U", "V", "A") },
  { .name = "GBR_10BE", PACKED_BE ("6G", "6B", "6R") },
  { .name = "GBR_12BE", PACKED_BE ("4G", "4B", "4R") },
  { .name = "GBR_16BE", PACKED_BE ("G", "B", "R") },
  { .name = "GBRA_10BE", PACKED_BE ("6G", "6B", "6R", "6A") },
  { .name = "GBRA_12BE", PACKED_BE ("4G", "4B", "4R", "4A") },
  { .name = "Y212_BE", PACKED_BE ("Y4U4Y4V4") },
  { .name = "Y216_BE", PACKED_BE ("YUYV") },
  { .name = "Y412_BE", PACKED_BE ("U4Y4V4A4") },
  { .name = "Y416_BE", PACKED_BE ("UYVA") },
  { .name = "ARGB64_BE", PACKED_BE ("ARGB") },
  { .name = "RGBA64_BE", PACKED_BE ("RGBA") },
  { .name = "BGRA64_BE", PACKED_BE ("BGRA") },
  { .name = "ABGR64_BE", PACKED_BE ("ABGR") },
#endif
  { .name = "v210", PACKED ("UYV2YUY2VYU2YVY2") },
  { .name = "UYVP", PACKED_BE ("UYVY") },
  { .name = "Y410", PACKED ("UYVA") },
  { .name = "GRAY10_LE32", PACKED ("YYY2") },
  { .name = "NV12_10LE32", PACKED ("YYY2", "UVU2VUV2") },
  { .name = "NV16_10LE32", PACKED ("YYY2", "UVU2VUV2") },
  { .name = "NV12_10LE40", PACKED ("YYYY", "UVUV") },
  { .name = "NV16_10LE40", PACKED ("YYYY", "UVUV") },
  { .name = "RGB10A2_LE", PACKED ("RGBA") },
  { .name = "BGR10A2_LE", PACKED ("BGRA") },
  { .name = "RGB10x2_LE", PACKED ("RGB2") },
  { .name = "BGR10x2_LE", PACKED ("BGR2") },
  { .name = "r210", PACKED_BE ("2RGB") },
  { .name = "IYU1", PACKED ("UYYVYY") },
  /* clang-format on */
};

/* More than the formats of any GStreamer. */
#define MAX_FORMATS 512

/* The rows that the running GStreamer knows, and their places by format. */
static struct {
  GstClFormat rows[G_N_ELEMENTS (all_formats)];
  guint n_rows;
  const GstClFormat *by_format[MAX_FORMATS];
} known;

static void
find_known (void)
{
  for (guint i = 0; i < G_N_ELEMENTS (all_formats); i++) {
    const GstVideoFormat format = gst_video_format_from_string (
        all_formats[i].name);
    GstClFormat *row = &known.rows[known.n_rows];

    if (format == GST_VIDEO_FORMAT_UNKNOWN || format >= MAX_FORMATS)
      continue;
    *row = all_formats[i];
    row->format = format;
    if (row->planes[0])
      gst_cl_packing_init (&row->packing, gst_video_format_get_info (format),
          row->planes, row->is_big_endian);
    known.by_format[format] = row;
    known.n_rows++;
  }
}

const GstClFormat *
gst_cl_formats (guint *n_rows)
{
  static gsize is_found;

  if (g_once_init_enter (&is_found)) {
    find_known ();
    g_once_init_leave (&is_found, 1);
  }
  *n_rows = known.n_rows;

  return known.rows;
}

const GstClFormat *
gst_cl_format_find (GstVideoFormat format)
{
  guint n_rows;

  gst_cl_formats (&n_rows);

  return (guint) format < MAX_FORMATS ? known.by_format[format] : NULL;
}

const GstClPacking *
gst_cl_format_packing (const GstVideoFormatInfo *info)
{
  const GstClFormat *row = gst_cl_format_find (
      GST_VIDEO_FORMAT_INFO_FORMAT (info));

  return row && row->planes[0] ? &row->packing : NULL;
}

guint
gst_cl_format_component_depth (const GstVideoFormatInfo *info, guint component)
{
  const GstClPacking *packing = gst_cl_format_packing (info);

  return packing ? packing->depth
                 : GST_VIDEO_FORMAT_INFO_DEPTH (info, component);
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
  guint n_rows;
  const GstClFormat *formats = gst_cl_formats (&n_rows);

  /* the colours of a palette are ARGB of 8 bits */
  if (GST_VIDEO_FORMAT_INFO_HAS_PALETTE (from)) {
    *keeps_all = TRUE;
    return GST_VIDEO_FORMAT_ARGB;
  }

  for (guint i = 0; i < n_rows; i++) {
    const GstVideoFormatInfo *to = gst_video_format_get_info (
        formats[i].format);
    Fit fit;

    if ((GST_VIDEO_FORMAT_INFO_FLAGS (from) & model) !=
        (GST_VIDEO_FORMAT_INFO_FLAGS (to) & model))
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
  GstVideoFormat list[G_N_ELEMENTS (all_formats)];
  guint n_rows;
  const GstClFormat *formats = gst_cl_formats (&n_rows);

  for (guint i = 0; i < n_rows; i++)
    list[i] = formats[i].format;

  return gst_video_make_raw_caps (list, n_rows);
}

const gchar *
gst_cl_format_component_name (const GstVideoFormatInfo *info, guint component)
{
  static const gchar *const rgb[] = { "R", "G", "B", "A" };
  static const gchar *const yuv[] = { "Y", "U", "V", "A" };

  g_return_val_if_fail (component < G_N_ELEMENTS (rgb), NULL);

  return GST_VIDEO_FORMAT_INFO_IS_RGB (info) ? rgb[component] : yuv[component];
}

static guint
component_bytes (const GstVideoFormatInfo *info, guint component)
{
  return (GST_VIDEO_FORMAT_INFO_DEPTH (info, component) + 7) / 8;
}

/* Returns the row with the layout of @info; NULL: GStreamer's is right. */
static const GstClFormat *
find_layout (const GstVideoFormatInfo *info)
{
  const GstClFormat *row = gst_cl_format_find (
      GST_VIDEO_FORMAT_INFO_FORMAT (info));

  return row && row->has_layout ? row : NULL;
}

/* --- components ----------------------------------------------------------- */

/* GStreamer returns 1 for the V of P010 and P016, which is in samples, not in
 * bytes. */
guint
gst_cl_format_component_offset (const GstVideoFormatInfo *info, guint component)
{
  const GstClFormat *layout = find_layout (info);
  const guint offset = GST_VIDEO_FORMAT_INFO_POFFSET (info, component);
  const guint bytes = component_bytes (info, component);

  if (layout)
    return layout->offsets[component];

  return offset % bytes == 0 ? offset : offset * bytes;
}

guint
gst_cl_format_component_shift (const GstVideoFormatInfo *info, guint component)
{
  const GstClFormat *layout = find_layout (info);

  return layout ? layout->shift : GST_VIDEO_FORMAT_INFO_SHIFT (info, component);
}

guint
gst_cl_format_main_components (const GstVideoFormatInfo *info)
{
  const guint plane = GST_VIDEO_FORMAT_INFO_PLANE (info, 0);
  guint n = 1;

  if (!GST_VIDEO_FORMAT_INFO_IS_RGB (info))
    return 1;

  while (n < GST_VIDEO_FORMAT_INFO_N_COMPONENTS (info) &&
         GST_VIDEO_FORMAT_INFO_PLANE (info, n) == plane)
    n++;

  return n;
}

gint
gst_cl_format_padding_offset (const GstVideoFormatInfo *info)
{
  guint used = 0;

  if (GST_VIDEO_FORMAT_INFO_N_PLANES (info) != 1 ||
      !GST_VIDEO_FORMAT_INFO_IS_RGB (info) || gst_cl_format_packing (info))
    return -1;

  for (guint c = 0; c < GST_VIDEO_FORMAT_INFO_N_COMPONENTS (info); c++)
    used |= ((1u << component_bytes (info, c)) - 1)
            << gst_cl_format_component_offset (info, c);

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
