/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The table of formats against GStreamer's own. */

#include "cl/video/gstclformat.h"

#include "suite.h"

#include <string.h>

/* The documented support of the elements for each format. */
static const struct {
  const gchar *name;
  const gchar *components;
  guint n_main; /* summed together by clintegral */
  gint padding; /* byte of a pixel that is no component, or -1 */
  gboolean is_subsampled;
  guint depth, shift; /* 0: 8 bits */
  gboolean is_new;    /* GStreamer 1.22 does not know it */
} rows[] = {
  /* clang-format off */
  { "GRAY8", "Y", 1, -1, FALSE, 0, 0, FALSE },
  { "I420", "YUV", 1, -1, TRUE, 0, 0, FALSE },
  { "YV12", "YUV", 1, -1, TRUE, 0, 0, FALSE },
  { "Y41B", "YUV", 1, -1, TRUE, 0, 0, FALSE },
  { "Y42B", "YUV", 1, -1, TRUE, 0, 0, FALSE },
  { "YUV9", "YUV", 1, -1, TRUE, 0, 0, FALSE },
  { "YVU9", "YUV", 1, -1, TRUE, 0, 0, FALSE },
  { "NV12", "YUV", 1, -1, TRUE, 0, 0, FALSE },
  { "NV21", "YUV", 1, -1, TRUE, 0, 0, FALSE },
  { "NV16", "YUV", 1, -1, TRUE, 0, 0, FALSE },
  { "NV61", "YUV", 1, -1, TRUE, 0, 0, FALSE },
  { "YUY2", "YUV", 1, -1, TRUE, 0, 0, FALSE },
  { "UYVY", "YUV", 1, -1, TRUE, 0, 0, FALSE },
  { "YVYU", "YUV", 1, -1, TRUE, 0, 0, FALSE },
  { "VYUY", "YUV", 1, -1, TRUE, 0, 0, FALSE },
  { "Y444", "YUV", 1, -1, FALSE, 0, 0, FALSE },
  { "NV24", "YUV", 1, -1, FALSE, 0, 0, FALSE },
  { "IYU2", "YUV", 1, -1, FALSE, 0, 0, FALSE },
  { "v308", "YUV", 1, -1, FALSE, 0, 0, FALSE },
  { "A420", "YUVA", 1, -1, TRUE, 0, 0, FALSE },
  { "AV12", "YUVA", 1, -1, TRUE, 0, 0, FALSE },
  { "A422", "YUVA", 1, -1, TRUE, 0, 0, TRUE },
  { "A444", "YUVA", 1, -1, FALSE, 0, 0, TRUE },
  { "AYUV", "YUVA", 1, -1, FALSE, 0, 0, FALSE },
  { "VUYA", "YUVA", 1, -1, FALSE, 0, 0, FALSE },
  { "RGB", "RGB", 3, -1, FALSE, 0, 0, FALSE },
  { "BGR", "RGB", 3, -1, FALSE, 0, 0, FALSE },
  { "RGBx", "RGB", 3, 3, FALSE, 0, 0, FALSE },
  { "BGRx", "RGB", 3, 3, FALSE, 0, 0, FALSE },
  { "xRGB", "RGB", 3, 0, FALSE, 0, 0, FALSE },
  { "xBGR", "RGB", 3, 0, FALSE, 0, 0, FALSE },
  { "RGBA", "RGBA", 4, -1, FALSE, 0, 0, FALSE },
  { "BGRA", "RGBA", 4, -1, FALSE, 0, 0, FALSE },
  { "ARGB", "RGBA", 4, -1, FALSE, 0, 0, FALSE },
  { "ABGR", "RGBA", 4, -1, FALSE, 0, 0, FALSE },
  { "RBGA", "RGBA", 4, -1, FALSE, 0, 0, TRUE },
  { "RGBP", "RGB", 1, -1, FALSE, 0, 0, FALSE },
  { "BGRP", "RGB", 1, -1, FALSE, 0, 0, FALSE },
  { "GBR", "RGB", 1, -1, FALSE, 0, 0, FALSE },
  { "GBRA", "RGBA", 1, -1, FALSE, 0, 0, FALSE },
#if G_BYTE_ORDER == G_LITTLE_ENDIAN
  { "GRAY16_LE", "Y", 1, -1, FALSE, 16, 0, FALSE },
  { "GRAY10_LE16", "Y", 1, -1, FALSE, 10, 0, TRUE },
  { "I420_10LE", "YUV", 1, -1, TRUE, 10, 0, FALSE },
  { "I420_12LE", "YUV", 1, -1, TRUE, 12, 0, FALSE },
  { "I422_10LE", "YUV", 1, -1, TRUE, 10, 0, FALSE },
  { "I422_12LE", "YUV", 1, -1, TRUE, 12, 0, FALSE },
  { "Y444_10LE", "YUV", 1, -1, FALSE, 10, 0, FALSE },
  { "Y444_12LE", "YUV", 1, -1, FALSE, 12, 0, FALSE },
  { "Y444_16LE", "YUV", 1, -1, FALSE, 16, 0, FALSE },
  { "P010_10LE", "YUV", 1, -1, TRUE, 10, 6, FALSE },
  { "P012_LE", "YUV", 1, -1, TRUE, 12, 4, FALSE },
  { "P016_LE", "YUV", 1, -1, TRUE, 16, 0, FALSE },
  { "v216", "YUV", 1, -1, TRUE, 16, 0, FALSE },
  { "Y210", "YUV", 1, -1, TRUE, 10, 6, FALSE },
  { "Y212_LE", "YUV", 1, -1, TRUE, 12, 4, FALSE },
  { "Y216_LE", "YUV", 1, -1, TRUE, 16, 0, TRUE },
  { "A420_10LE", "YUVA", 1, -1, TRUE, 10, 0, FALSE },
  { "A420_12LE", "YUVA", 1, -1, TRUE, 12, 0, TRUE },
  { "A420_16LE", "YUVA", 1, -1, TRUE, 16, 0, TRUE },
  { "A422_10LE", "YUVA", 1, -1, TRUE, 10, 0, FALSE },
  { "A422_12LE", "YUVA", 1, -1, TRUE, 12, 0, TRUE },
  { "A422_16LE", "YUVA", 1, -1, TRUE, 16, 0, TRUE },
  { "A444_10LE", "YUVA", 1, -1, FALSE, 10, 0, FALSE },
  { "A444_12LE", "YUVA", 1, -1, FALSE, 12, 0, TRUE },
  { "A444_16LE", "YUVA", 1, -1, FALSE, 16, 0, TRUE },
  { "AYUV64", "YUVA", 1, -1, FALSE, 16, 0, FALSE },
  { "Y412_LE", "YUVA", 1, -1, FALSE, 12, 4, FALSE },
  { "Y416_LE", "YUVA", 1, -1, FALSE, 16, 0, TRUE },
  { "GBR_10LE", "RGB", 1, -1, FALSE, 10, 0, FALSE },
  { "GBR_12LE", "RGB", 1, -1, FALSE, 12, 0, FALSE },
  { "GBR_16LE", "RGB", 1, -1, FALSE, 16, 0, TRUE },
  { "GBRA_10LE", "RGBA", 1, -1, FALSE, 10, 0, FALSE },
  { "GBRA_12LE", "RGBA", 1, -1, FALSE, 12, 0, FALSE },
  { "ARGB64", "RGBA", 4, -1, FALSE, 16, 0, FALSE },
  { "ARGB64_LE", "RGBA", 4, -1, FALSE, 16, 0, FALSE },
  { "RGBA64_LE", "RGBA", 4, -1, FALSE, 16, 0, FALSE },
  { "BGRA64_LE", "RGBA", 4, -1, FALSE, 16, 0, FALSE },
  { "ABGR64_LE", "RGBA", 4, -1, FALSE, 16, 0, FALSE },
  { "RGB16", "RGB", 3, -1, FALSE, 0, 0, FALSE },
  { "BGR16", "RGB", 3, -1, FALSE, 0, 0, FALSE },
  { "RGB15", "RGB", 3, -1, FALSE, 0, 0, FALSE },
  { "BGR15", "RGB", 3, -1, FALSE, 0, 0, FALSE },
  { "GRAY16_BE", "Y", 1, -1, FALSE, 16, 0, FALSE },
  { "I420_10BE", "YUV", 1, -1, TRUE, 10, 0, FALSE },
  { "I422_10BE", "YUV", 1, -1, TRUE, 10, 0, FALSE },
  { "Y444_10BE", "YUV", 1, -1, FALSE, 10, 0, FALSE },
  { "I420_12BE", "YUV", 1, -1, TRUE, 12, 0, FALSE },
  { "I422_12BE", "YUV", 1, -1, TRUE, 12, 0, FALSE },
  { "Y444_12BE", "YUV", 1, -1, FALSE, 12, 0, FALSE },
  { "Y444_16BE", "YUV", 1, -1, FALSE, 16, 0, FALSE },
  { "P010_10BE", "YUV", 1, -1, TRUE, 10, 0, FALSE },
  { "P012_BE", "YUV", 1, -1, TRUE, 12, 0, FALSE },
  { "P016_BE", "YUV", 1, -1, TRUE, 16, 0, FALSE },
  { "A420_10BE", "YUVA", 1, -1, TRUE, 10, 0, FALSE },
  { "A420_12BE", "YUVA", 1, -1, TRUE, 12, 0, TRUE },
  { "A420_16BE", "YUVA", 1, -1, TRUE, 16, 0, TRUE },
  { "A422_10BE", "YUVA", 1, -1, TRUE, 10, 0, FALSE },
  { "A422_12BE", "YUVA", 1, -1, TRUE, 12, 0, TRUE },
  { "A422_16BE", "YUVA", 1, -1, TRUE, 16, 0, TRUE },
  { "A444_10BE", "YUVA", 1, -1, FALSE, 10, 0, FALSE },
  { "A444_12BE", "YUVA", 1, -1, FALSE, 12, 0, TRUE },
  { "A444_16BE", "YUVA", 1, -1, FALSE, 16, 0, TRUE },
  { "GBR_10BE", "RGB", 1, -1, FALSE, 10, 0, FALSE },
  { "GBR_12BE", "RGB", 1, -1, FALSE, 12, 0, FALSE },
  { "GBR_16BE", "RGB", 1, -1, FALSE, 16, 0, TRUE },
  { "GBRA_10BE", "RGBA", 1, -1, FALSE, 10, 0, FALSE },
  { "GBRA_12BE", "RGBA", 1, -1, FALSE, 12, 0, FALSE },
  { "Y212_BE", "YUV", 1, -1, TRUE, 12, 0, FALSE },
  { "Y216_BE", "YUV", 1, -1, TRUE, 16, 0, TRUE },
  { "Y412_BE", "YUVA", 1, -1, FALSE, 12, 0, FALSE },
  { "Y416_BE", "YUVA", 1, -1, FALSE, 16, 0, TRUE },
  { "ARGB64_BE", "RGBA", 4, -1, FALSE, 16, 0, FALSE },
  { "RGBA64_BE", "RGBA", 4, -1, FALSE, 16, 0, FALSE },
  { "BGRA64_BE", "RGBA", 4, -1, FALSE, 16, 0, FALSE },
  { "ABGR64_BE", "RGBA", 4, -1, FALSE, 16, 0, FALSE },
#endif
  { "v210", "YUV", 1, -1, TRUE, 10, 0, FALSE },
  { "UYVP", "YUV", 1, -1, TRUE, 10, 0, FALSE },
  { "Y410", "YUVA", 1, -1, FALSE, 10, 0, FALSE },
  { "GRAY10_LE32", "Y", 1, -1, FALSE, 10, 0, FALSE },
  { "NV12_10LE32", "YUV", 1, -1, TRUE, 10, 0, FALSE },
  { "NV16_10LE32", "YUV", 1, -1, TRUE, 10, 0, FALSE },
  { "NV12_10LE40", "YUV", 1, -1, TRUE, 10, 0, FALSE },
  { "NV16_10LE40", "YUV", 1, -1, TRUE, 10, 0, TRUE },
  { "RGB10A2_LE", "RGBA", 4, -1, FALSE, 10, 0, FALSE },
  { "BGR10A2_LE", "RGBA", 4, -1, FALSE, 10, 0, FALSE },
  { "RGB10x2_LE", "RGB", 3, -1, FALSE, 10, 0, TRUE },
  { "BGR10x2_LE", "RGB", 3, -1, FALSE, 10, 0, TRUE },
  { "r210", "RGB", 3, -1, FALSE, 10, 0, FALSE },
  { "IYU1", "YUV", 1, -1, TRUE, 0, 0, FALSE },
  /* clang-format on */
};

static GstVideoFormat
format_of (guint row)
{
  return gst_video_format_from_string (rows[row].name);
}

/* Returns the first row from @row on whose format the running GStreamer knows;
 * the number of rows if there is none. */
static guint
first_known (guint row)
{
  while (row < G_N_ELEMENTS (rows) &&
         format_of (row) == GST_VIDEO_FORMAT_UNKNOWN) {
    fail_unless (rows[row].is_new, "%s", rows[row].name);
    row++;
  }

  return row;
}

static guint
count_known (void)
{
  guint n = 0;

  for (guint i = first_known (0); i < G_N_ELEMENTS (rows);
       i = first_known (i + 1))
    n++;

  return n;
}

static const GstVideoFormatInfo *
info_of (guint row)
{
  return gst_video_format_get_info (format_of (row));
}

TEST (test_every_format_has_a_row)
{
  for (guint i = first_known (0); i < G_N_ELEMENTS (rows);
       i = first_known (i + 1)) {
    const GstVideoFormatInfo *info = info_of (i);
    const GstClFormat *row = gst_cl_format_find (
        GST_VIDEO_FORMAT_INFO_FORMAT (info));

    fail_unless (row != NULL, "the table has no row for %s", rows[i].name);
    fail_unless (row->format == GST_VIDEO_FORMAT_INFO_FORMAT (info));
  }

  fail_unless (gst_cl_format_find (GST_VIDEO_FORMAT_UNKNOWN) == NULL);
  fail_unless (gst_cl_format_find (GST_VIDEO_FORMAT_NV12_4L4) == NULL);
}

/* A row with a layout other than that of the kernels is accepted, but its
 * results are garbled. */
TEST (test_rows_have_layouts_of_kernels)
{
  guint n_rows;
  const GstClFormat *table = gst_cl_formats (&n_rows);

  fail_unless_equals_int (n_rows, count_known ());
  for (guint i = 0; i < n_rows; i++) {
    const GstVideoFormatInfo *info = gst_video_format_get_info (
        table[i].format);
    const gchar *name = GST_VIDEO_FORMAT_INFO_NAME (info);

    fail_unless (gst_cl_format_find (table[i].format) == &table[i],
        "the table has two rows for %s", name);
    if (gst_cl_format_packing (info))
      continue;
    fail_if (GST_VIDEO_FORMAT_INFO_IS_COMPLEX (info), "%s is a complex format",
        name);
    fail_if (GST_VIDEO_FORMAT_INFO_IS_TILED (info), "%s is a tiled format",
        name);
    for (guint c = 0; c < GST_VIDEO_FORMAT_INFO_N_COMPONENTS (info); c++) {
      const gint bytes = GST_VIDEO_FORMAT_INFO_DEPTH (info, 0) > 8 ? 2 : 1;
      const gint stride = GST_VIDEO_FORMAT_INFO_PSTRIDE (info, c);

      fail_unless ((GST_VIDEO_FORMAT_INFO_DEPTH (info, c) + 7) / 8 ==
                       (guint) bytes,
          "%s: component %u does not have %d bytes", name, c, bytes);
      fail_unless (stride % bytes == 0 && stride >= bytes &&
                       stride <= 4 * bytes,
          "%s: component %u has a pixel stride of %d bytes", name, c, stride);
      fail_unless (gst_cl_format_component_offset (info, c) % bytes == 0,
          "%s: component %u is not aligned", name, c);
    }
  }
}

TEST (test_component_names)
{
  for (guint i = first_known (0); i < G_N_ELEMENTS (rows);
       i = first_known (i + 1)) {
    const GstVideoFormatInfo *info = info_of (i);

    fail_unless_equals_int (GST_VIDEO_FORMAT_INFO_N_COMPONENTS (info),
        strlen (rows[i].components));
    fail_unless_equals_int (gst_cl_format_component_depth (info, 0),
        rows[i].depth ? rows[i].depth : 8);
    if (!gst_cl_format_packing (info))
      fail_unless_equals_int (gst_cl_format_component_shift (info, 0),
          rows[i].shift);
    for (guint c = 0; rows[i].components[c]; c++) {
      const gchar expected[] = { rows[i].components[c], '\0' };

      fail_unless_equals_string (gst_cl_format_component_name (info, c),
          expected);
    }
  }
}

/* Offsets are in bytes, although GStreamer uses other units for some
 * formats. */
TEST (test_component_offsets)
{
  static const struct {
    const gchar *name;
    guint offsets[3];
  } known[] = { { "NV12", { 0, 0, 1 } }, { "NV21", { 0, 1, 0 } },
    { "xBGR", { 3, 2, 1 } }, { "UYVY", { 1, 0, 2 } },
    { "I420_10LE", { 0, 0, 0 } }, { "P010_10LE", { 0, 0, 2 } },
    { "P016_LE", { 0, 0, 2 } }, { "GBR", { 0, 0, 0 } }, { "v216", { 2, 0, 4 } },
    { "Y210", { 0, 2, 6 } }, { "Y412_LE", { 2, 0, 4 } },
    { "VYUY", { 1, 2, 0 } }, { "BGRA64_LE", { 4, 2, 0 } } };

  for (guint i = 0; i < G_N_ELEMENTS (known); i++) {
    const GstVideoFormatInfo *info = gst_video_format_get_info (
        gst_video_format_from_string (known[i].name));

    for (guint c = 0; c < 3; c++)
      fail_unless (gst_cl_format_component_offset (info, c) ==
                       known[i].offsets[c],
          "%s, component %u: expected offset %u, found %u", known[i].name, c,
          known[i].offsets[c], gst_cl_format_component_offset (info, c));
  }
}

TEST (test_main_components)
{
  for (guint i = first_known (0); i < G_N_ELEMENTS (rows);
       i = first_known (i + 1)) {
    const guint n = gst_cl_format_main_components (info_of (i));

    fail_unless (n == rows[i].n_main,
        "%s: expected %u main components, found %u", rows[i].name,
        rows[i].n_main, n);
  }
}

TEST (test_padding)
{
  for (guint i = first_known (0); i < G_N_ELEMENTS (rows);
       i = first_known (i + 1)) {
    const gint padding = gst_cl_format_padding_offset (info_of (i));

    fail_unless (padding == rows[i].padding,
        "%s: expected padding at %d, found %d", rows[i].name, rows[i].padding,
        padding);
  }
}

TEST (test_subsampling)
{
  for (guint i = first_known (0); i < G_N_ELEMENTS (rows);
       i = first_known (i + 1))
    fail_unless (gst_cl_format_is_subsampled (info_of (i)) ==
                     rows[i].is_subsampled,
        "%s: expected is_subsampled %d", rows[i].name, rows[i].is_subsampled);
}

TEST (test_caps_hold_every_row)
{
  g_autoptr (GstCaps) caps = gst_cl_format_make_caps ();

  for (guint i = first_known (0); i < G_N_ELEMENTS (rows);
       i = first_known (i + 1)) {
    g_autoptr (GstCaps) one = gst_caps_new_simple ("video/x-raw", "format",
        G_TYPE_STRING, rows[i].name, "width", G_TYPE_INT, 1, "height",
        G_TYPE_INT, G_MAXINT, "framerate", GST_TYPE_FRACTION, 0, 1, NULL);

    fail_unless (gst_caps_is_subset (one, caps), "the caps lack %s",
        rows[i].name);
  }
}

TEST (test_caps_have_no_other_field)
{
  g_autoptr (GstCaps) caps = gst_cl_format_make_caps ();
  const GstStructure *structure = gst_caps_get_structure (caps, 0);
  const GValue *formats = gst_structure_get_value (structure, "format");

  fail_unless_equals_int (gst_caps_get_size (caps), 1);
  fail_unless_equals_string (gst_structure_get_name (structure), "video/x-raw");
  fail_unless (gst_caps_features_is_equal (gst_caps_get_features (caps, 0),
      GST_CAPS_FEATURES_MEMORY_SYSTEM_MEMORY));
  fail_unless_equals_int (gst_value_list_get_size (formats), count_known ());
}

/* --- nearest format ------------------------------------------------------- */

/* Returns a frame of @info with the samples of @from, converted by
 * videoconvert. */
static GstBuffer *
convert (GstBuffer *from, const GstVideoInfo *from_info,
    const GstVideoInfo *info)
{
  GstVideoConverter *converter = gst_video_converter_new (from_info, info,
      gst_structure_new ("options", GST_VIDEO_CONVERTER_OPT_DITHER_METHOD,
          GST_TYPE_VIDEO_DITHER_METHOD, GST_VIDEO_DITHER_NONE, NULL));
  GstBuffer *to = gst_buffer_new_allocate (NULL, info->size, NULL);
  GstVideoFrame from_frame, to_frame;

  fail_unless (converter != NULL);
  gst_buffer_memset (to, 0, 0, info->size);
  fail_unless (
      gst_video_frame_map (&from_frame, from_info, from, GST_MAP_READ));
  fail_unless (gst_video_frame_map (&to_frame, info, to, GST_MAP_WRITE));
  gst_video_converter_frame (converter, &from_frame, &to_frame);
  gst_video_frame_unmap (&from_frame);
  gst_video_frame_unmap (&to_frame);
  gst_video_converter_free (converter);

  return to;
}

static GstBuffer *
make_noise (const GstVideoInfo *info)
{
  guint8 *bytes = g_malloc (info->size);
  g_autoptr (GRand) random = g_rand_new_with_seed (1);

  for (gsize i = 0; i < info->size; i++)
    bytes[i] = g_rand_int (random);

  return gst_buffer_new_wrapped (bytes, info->size);
}

static void
expect_same (GstBuffer *a, GstBuffer *b, const gchar *name)
{
  GstMapInfo map;

  fail_unless (gst_buffer_map (a, &map, GST_MAP_READ));
  fail_unless (gst_buffer_memcmp (b, 0, map.data, map.size) == 0,
      "%s: the copies differ", name);
  gst_buffer_unmap (a, &map);
}

/* The nearest format of one that is refused converts back without loss if it
 * keeps every bit. */
TEST (test_nearest_formats)
{
  guint n_formats, n_kept = 0;
  const GstVideoFormat *others = gst_video_formats_raw (&n_formats);

  for (guint i = 0; i < n_formats; i++) {
    g_autoptr (GstBuffer) noise = NULL, frame = NULL, kept = NULL, back = NULL;
    gboolean keeps_all;
    GstVideoFormat nearest = gst_cl_format_find_nearest (others[i], &keeps_all);
    GstVideoInfo info, nearest_info;

    if (nearest == GST_VIDEO_FORMAT_UNKNOWN || !keeps_all ||
        gst_cl_format_find (others[i]))
      continue;
    n_kept++;
    gst_video_info_set_format (&info, others[i], 64, 32);
    gst_video_info_set_format (&nearest_info, nearest, 64, 32);
    noise = make_noise (&nearest_info);
    frame = convert (noise, &nearest_info, &info);
    kept = convert (frame, &info, &nearest_info);
    back = convert (kept, &nearest_info, &info);
    expect_same (frame, back, gst_video_format_to_string (others[i]));
  }
  fail_unless (n_kept > 0);
}

/* --- docs/formats.md ------------------------------------------------------ */

#define TABLE_HEAD "| format | |\n|---|---|\n"

/* Returns the state of @format in docs/formats.md. Transfer full. */
static gchar *
describe (GstVideoFormat format)
{
  const GstClFormat *row = gst_cl_format_find (format);
  gboolean keeps_all;
  GstVideoFormat nearest;

  if (row)
    return g_strdup (row->planes[0] ? "accepted, unpacked" : "accepted");

  nearest = gst_cl_format_find_nearest (format, &keeps_all);
  if (nearest == GST_VIDEO_FORMAT_UNKNOWN)
    return g_strdup ("refused; none is near");

  return g_strdup_printf ("refused; %s %s",
      gst_video_format_to_string (nearest),
      keeps_all ? "keeps every bit" : "is the nearest");
}

static gint
compare_names (gconstpointer a, gconstpointer b, gpointer user_data)
{
  return g_ascii_strcasecmp (a, b);
}

/* Returns the states of the table in @page by name. Sets *start and *end to its
 * lines. Transfer full. */
static GTree *
read_table (const gchar *page, const gchar **start, const gchar **end)
{
  GTree *table = g_tree_new_full (compare_names, NULL, g_free, g_free);
  g_autofree gchar *text = NULL;
  g_auto (GStrv) lines = NULL;

  *start = strstr (page, TABLE_HEAD);
  fail_unless (*start != NULL);
  *start += strlen (TABLE_HEAD);
  *end = strstr (*start, "|\n\n");
  fail_unless (*end != NULL);
  *end += strlen ("|\n");
  text = g_strndup (*start, *end - *start);
  lines = g_strsplit (text, "\n", -1);
  for (guint i = 0; lines[i][0]; i++) {
    g_auto (GStrv) cells = g_strsplit (lines[i], "|", -1);

    fail_unless (g_strv_length (cells) == 4, "%s", lines[i]);
    g_tree_insert (table, g_strdup (g_strstrip (cells[1])),
        g_strdup (g_strstrip (cells[2])));
  }

  return table;
}

static gboolean
add_line (gpointer name, gpointer state, gpointer lines)
{
  g_string_append_printf (lines, "| %s | %s |\n", (gchar *) name,
      (gchar *) state);

  return FALSE;
}

/* The page has the state of each raw format of the running GStreamer.
 * WRITE_TABLES=1 writes the states, and keeps those of formats that only other
 * versions have. */
TEST (test_page)
{
  g_autofree gchar *path = g_build_filename (g_getenv ("TESTS_FOLDER"), "..",
      "docs", "formats.md", NULL);
  g_autofree gchar *page = NULL;
  g_autoptr (GTree) table = NULL;
  const gchar *start, *end;
  guint n_formats;
  const GstVideoFormat *formats = gst_video_formats_raw (&n_formats);

  fail_unless (g_file_get_contents (path, &page, NULL, NULL), "no %s", path);
  table = read_table (page, &start, &end);
  for (guint i = 0; i < n_formats; i++) {
    const gchar *name = gst_video_format_to_string (formats[i]);
    g_autofree gchar *state = describe (formats[i]);

    if (g_getenv ("WRITE_TABLES"))
      g_tree_insert (table, g_strdup (name), g_steal_pointer (&state));
    else
      fail_unless (g_strcmp0 (g_tree_lookup (table, name), state) == 0,
          "%s has \"%s\" for %s, not \"%s\"", path,
          (gchar *) g_tree_lookup (table, name), name, state);
  }
  if (g_getenv ("WRITE_TABLES")) {
    GString *text = g_string_new_len (page, start - page);

    g_tree_foreach (table, add_line, text);
    g_string_append (text, end);
    fail_unless (g_file_set_contents (path, text->str, -1, NULL));
    g_string_free (text, TRUE);
  }
}
