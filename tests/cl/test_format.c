/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The table of formats against GStreamer's own. */

#include <gst/check/gstcheck.h>

#include "cl/video/gstclformat.h"

/* The documented support of the elements for each format. */
static const struct {
  const gchar *name;
  const gchar *components;
  guint n_main; /* summed together by clintegral */
  gint padding; /* byte of a pixel that is no component, or -1 */
  gboolean is_subsampled;
  guint depth, shift; /* 0: 8 bits */
} rows[] = {
  /* clang-format off */
  { "GRAY8", "Y",    1, -1, FALSE, 0, 0 },
  { "I420",  "YUV",  1, -1, TRUE, 0, 0 },
  { "YV12",  "YUV",  1, -1, TRUE, 0, 0 },
  { "Y41B",  "YUV",  1, -1, TRUE, 0, 0 },
  { "Y42B",  "YUV",  1, -1, TRUE, 0, 0 },
  { "Y444",  "YUV",  1, -1, FALSE, 0, 0 },
  { "NV12",  "YUV",  1, -1, TRUE, 0, 0 },
  { "NV21",  "YUV",  1, -1, TRUE, 0, 0 },
  { "NV16",  "YUV",  1, -1, TRUE, 0, 0 },
  { "NV24",  "YUV",  1, -1, FALSE, 0, 0 },
  { "RGB",   "RGB",  3, -1, FALSE, 0, 0 },
  { "BGR",   "RGB",  3, -1, FALSE, 0, 0 },
  { "RGBx",  "RGB",  3,  3, FALSE, 0, 0 },
  { "BGRx",  "RGB",  3,  3, FALSE, 0, 0 },
  { "xRGB",  "RGB",  3,  0, FALSE, 0, 0 },
  { "xBGR",  "RGB",  3,  0, FALSE, 0, 0 },
  { "RGBA",  "RGBA", 4, -1, FALSE, 0, 0 },
  { "BGRA",  "RGBA", 4, -1, FALSE, 0, 0 },
  { "ARGB",  "RGBA", 4, -1, FALSE, 0, 0 },
  { "ABGR",  "RGBA", 4, -1, FALSE, 0, 0 },
  { "YUY2",  "YUV",  1, -1, TRUE, 0, 0 },
  { "UYVY",  "YUV",  1, -1, TRUE, 0, 0 },
  { "AYUV",  "YUVA", 1, -1, FALSE, 0, 0 },
  { "RGBP",  "RGB",  1, -1, FALSE, 0, 0 },
#if G_BYTE_ORDER == G_LITTLE_ENDIAN
  { "GRAY16_LE", "Y",   1, -1, FALSE, 16, 0 },
  { "I420_10LE", "YUV", 1, -1, TRUE,  10, 0 },
  { "I422_10LE", "YUV", 1, -1, TRUE,  10, 0 },
  { "Y444_10LE", "YUV", 1, -1, FALSE, 10, 0 },
  { "I420_12LE", "YUV", 1, -1, TRUE,  12, 0 },
  { "P010_10LE", "YUV", 1, -1, TRUE,  10, 6 },
  { "P016_LE",   "YUV", 1, -1, TRUE,  16, 0 },
#endif
  /* clang-format on */
};

static const GstVideoFormatInfo *
info_of (guint row)
{
  GstVideoFormat format = gst_video_format_from_string (rows[row].name);

  fail_unless (format != GST_VIDEO_FORMAT_UNKNOWN, "GStreamer has no format %s",
      rows[row].name);

  return gst_video_format_get_info (format);
}

GST_START_TEST (test_every_format_has_a_row)
{
  for (guint i = 0; i < G_N_ELEMENTS (rows); i++) {
    const GstVideoFormatInfo *info = info_of (i);
    const GstClFormat *row = gst_cl_format_find (
        GST_VIDEO_FORMAT_INFO_FORMAT (info));

    fail_unless (row != NULL, "the table has no row for %s", rows[i].name);
    fail_unless (row->format == GST_VIDEO_FORMAT_INFO_FORMAT (info));
    fail_unless_equals_string (row->sample_t,
        rows[i].depth ? "ushort" : "uchar");
  }

  fail_unless (gst_cl_format_find (GST_VIDEO_FORMAT_UNKNOWN) == NULL);
  fail_unless (gst_cl_format_find (GST_VIDEO_FORMAT_RGB16) == NULL);
}

GST_END_TEST;

/* A row with a layout other than that of the kernels is accepted, but its
 * results are garbled. */
GST_START_TEST (test_rows_have_layouts_of_kernels)
{
  guint n_rows;
  const GstClFormat *table = gst_cl_formats (&n_rows);

  fail_unless_equals_int (n_rows, G_N_ELEMENTS (rows));
  for (guint i = 0; i < n_rows; i++) {
    const GstVideoFormatInfo *info = gst_video_format_get_info (
        table[i].format);
    const gchar *name = GST_VIDEO_FORMAT_INFO_NAME (info);

    fail_unless (gst_cl_format_find (table[i].format) == &table[i],
        "the table has two rows for %s", name);
    fail_if (GST_VIDEO_FORMAT_INFO_IS_COMPLEX (info), "%s is a complex format",
        name);
    fail_if (GST_VIDEO_FORMAT_INFO_IS_TILED (info), "%s is a tiled format",
        name);
    for (guint c = 0; c < GST_VIDEO_FORMAT_INFO_N_COMPONENTS (info); c++) {
      const gint bytes = g_str_equal (table[i].sample_t, "ushort") ? 2 : 1;
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

GST_END_TEST;

GST_START_TEST (test_component_names)
{
  for (guint i = 0; i < G_N_ELEMENTS (rows); i++) {
    const GstVideoFormatInfo *info = info_of (i);

    fail_unless_equals_int (GST_VIDEO_FORMAT_INFO_N_COMPONENTS (info),
        strlen (rows[i].components));
    fail_unless_equals_int (GST_VIDEO_FORMAT_INFO_DEPTH (info, 0),
        rows[i].depth ? rows[i].depth : 8);
    fail_unless_equals_int (GST_VIDEO_FORMAT_INFO_SHIFT (info, 0),
        rows[i].shift);
    for (guint c = 0; rows[i].components[c]; c++) {
      const gchar expected[] = { rows[i].components[c], '\0' };

      fail_unless_equals_string (gst_cl_format_component_name (info, c),
          expected);
    }
  }
}

GST_END_TEST;

/* Offsets are in bytes, although GStreamer uses other units for some
 * formats. */
GST_START_TEST (test_component_offsets)
{
  static const struct {
    const gchar *name;
    guint offsets[3];
  } known[] = { { "NV12", { 0, 0, 1 } }, { "NV21", { 0, 1, 0 } },
    { "xBGR", { 3, 2, 1 } }, { "UYVY", { 1, 0, 2 } },
    { "I420_10LE", { 0, 0, 0 } }, { "P010_10LE", { 0, 0, 2 } },
    { "P016_LE", { 0, 0, 2 } } };

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

GST_END_TEST;

GST_START_TEST (test_main_components)
{
  for (guint i = 0; i < G_N_ELEMENTS (rows); i++) {
    const guint n = gst_cl_format_main_components (info_of (i));

    fail_unless (n == rows[i].n_main,
        "%s: expected %u main components, found %u", rows[i].name,
        rows[i].n_main, n);
  }
}

GST_END_TEST;

GST_START_TEST (test_padding)
{
  for (guint i = 0; i < G_N_ELEMENTS (rows); i++) {
    const gint padding = gst_cl_format_padding_offset (info_of (i));

    fail_unless (padding == rows[i].padding,
        "%s: expected padding at %d, found %d", rows[i].name, rows[i].padding,
        padding);
  }
}

GST_END_TEST;

GST_START_TEST (test_subsampling)
{
  for (guint i = 0; i < G_N_ELEMENTS (rows); i++)
    fail_unless (gst_cl_format_is_subsampled (info_of (i)) ==
                     rows[i].is_subsampled,
        "%s: expected is_subsampled %d", rows[i].name, rows[i].is_subsampled);
}

GST_END_TEST;

GST_START_TEST (test_caps_hold_every_row)
{
  g_autoptr (GstCaps) caps = gst_cl_format_make_caps ();

  for (guint i = 0; i < G_N_ELEMENTS (rows); i++) {
    g_autoptr (GstCaps) one = gst_caps_new_simple ("video/x-raw", "format",
        G_TYPE_STRING, rows[i].name, "width", G_TYPE_INT, 1, "height",
        G_TYPE_INT, G_MAXINT, "framerate", GST_TYPE_FRACTION, 0, 1, NULL);

    fail_unless (gst_caps_is_subset (one, caps), "the caps lack %s",
        rows[i].name);
  }
}

GST_END_TEST;

GST_START_TEST (test_caps_have_no_other_field)
{
  g_autoptr (GstCaps) caps = gst_cl_format_make_caps ();
  const GstStructure *structure = gst_caps_get_structure (caps, 0);
  const GValue *formats = gst_structure_get_value (structure, "format");

  fail_unless_equals_int (gst_caps_get_size (caps), 1);
  fail_unless_equals_string (gst_structure_get_name (structure), "video/x-raw");
  fail_unless (gst_caps_features_is_equal (gst_caps_get_features (caps, 0),
      GST_CAPS_FEATURES_MEMORY_SYSTEM_MEMORY));
  fail_unless_equals_int (gst_value_list_get_size (formats),
      G_N_ELEMENTS (rows));
}

GST_END_TEST;

/* --- nearest format
 * -------------------------------------------------------- */

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

/* A format that keeps every bit converts back without loss. */
GST_START_TEST (test_nearest_formats)
{
  guint n_formats, n_kept = 0;
  const GstVideoFormat *others = gst_video_formats_raw (&n_formats);

  for (guint i = 0; i < n_formats; i++) {
    g_autoptr (GstBuffer) noise = NULL, frame = NULL, kept = NULL, back = NULL;
    gboolean keeps_all;
    GstVideoFormat nearest = gst_cl_format_find_nearest (others[i], &keeps_all);
    GstVideoInfo info, nearest_info;

    if (nearest == GST_VIDEO_FORMAT_UNKNOWN || !keeps_all)
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
  fail_unless (n_kept > G_N_ELEMENTS (rows));
}

GST_END_TEST;

static Suite *
format_suite (void)
{
  Suite *suite = suite_create ("format");
  TCase *table = tcase_create ("table");

  suite_add_tcase (suite, table);
  tcase_add_test (table, test_every_format_has_a_row);
  tcase_add_test (table, test_rows_have_layouts_of_kernels);
  tcase_add_test (table, test_component_names);
  tcase_add_test (table, test_component_offsets);
  tcase_add_test (table, test_main_components);
  tcase_add_test (table, test_padding);
  tcase_add_test (table, test_subsampling);
  tcase_add_test (table, test_caps_hold_every_row);
  tcase_add_test (table, test_caps_have_no_other_field);
  tcase_add_test (table, test_nearest_formats);

  return suite;
}

GST_CHECK_MAIN (format);
