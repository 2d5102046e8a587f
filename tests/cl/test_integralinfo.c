/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Caps and byte layout of integral images. */

#include "cl/video/gstclintegralinfo.h"

#include "suite.h"

#define FORMAT "format=" GST_CL_INTEGRAL_FORMAT_U32
#define REST   ", squares=false, tilted=false"

static GstClIntegralInfo
read_caps (const gchar *text)
{
  g_autoptr (GstCaps) caps = gst_caps_from_string (text);
  GstClIntegralInfo info;

  fail_unless (caps != NULL, "invalid caps: %s", text);
  fail_unless (gst_cl_integral_info_from_caps (&info, caps),
      "expected success for: %s", text);

  return info;
}

TEST (test_fixed_caps)
{
  GstClIntegralInfo info = read_caps (
      "video/x-integral-image, " FORMAT
      ", width=33, height=17, channels=3, framerate=30000/1001, "
      "layout=exclusive" REST);

  fail_unless_equals_int (info.width, 33);
  fail_unless_equals_int (info.height, 17);
  fail_unless_equals_int (info.channels, 3);
  fail_unless_equals_int (info.layout, GST_CL_LAYOUT_EXCLUSIVE);
  fail_unless_equals_int (info.sum_bytes, 4);
  fail_unless_equals_int (info.fps_n, 30000);
  fail_unless_equals_int (info.fps_d, 1001);

  info = read_caps ("video/x-integral-image, " FORMAT
                    ", width=1, height=1, channels=1, layout=inclusive" REST);
  fail_unless_equals_int (info.layout, GST_CL_LAYOUT_INCLUSIVE);
  fail_unless_equals_int (info.fps_n, 0);
  fail_unless_equals_int (info.fps_d, 1);
}

TEST (test_other_caps_are_refused)
{
  static const gchar *const texts[] = {
    "video/x-raw, format=GRAY8, width=3, height=3, framerate=0/1",
    "video/x-integral-image, format=F16LE, width=3, height=3, channels=1, "
    "layout=inclusive",
    "video/x-integral-image, width=3, height=3, channels=1, layout=inclusive",
    "video/x-integral-image, " FORMAT ", height=3, channels=1, "
    "layout=inclusive",
    "video/x-integral-image, " FORMAT ", width=3, channels=1, "
    "layout=inclusive",
    "video/x-integral-image, " FORMAT ", width=3, height=3, layout=inclusive",
    "video/x-integral-image, " FORMAT ", width=3, height=3, channels=1",
    "video/x-integral-image, " FORMAT ", width=0, height=3, channels=1, "
    "layout=inclusive",
    "video/x-integral-image, " FORMAT ", width=3, height=-3, channels=1, "
    "layout=inclusive",
    "video/x-integral-image, " FORMAT ", width=3, height=3, channels=5, "
    "layout=inclusive",
    /* 2^64 sums: the size in bytes wraps to 0 */
    "video/x-integral-image, " FORMAT ", width=2147483647, "
    "height=2147483647, channels=4, layout=exclusive",
  };

  for (guint i = 0; i < G_N_ELEMENTS (texts); i++) {
    g_autoptr (GstCaps) caps = gst_caps_from_string (texts[i]);
    GstClIntegralInfo info;

    fail_if (gst_cl_integral_info_from_caps (&info, caps),
        "expected failure for: %s", texts[i]);
  }
}

TEST (test_sum_formats)
{
  static const struct {
    const gchar *name;
    guint sum_bytes;
    gboolean is_float;
  } rows[] = { { GST_CL_INTEGRAL_FORMAT_U32, 4, FALSE },
    { GST_CL_INTEGRAL_FORMAT_U64, 8, FALSE },
    { GST_CL_INTEGRAL_FORMAT_F32, 4, TRUE } };

  for (guint i = 0; i < G_N_ELEMENTS (rows); i++) {
    g_autofree gchar *text = g_strdup_printf (
        "video/x-integral-image, format=%s, width=5, height=3, channels=2, "
        "layout=inclusive" REST,
        rows[i].name);
    const GstClIntegralInfo info = read_caps (text);
    const GstClSums sums = gst_cl_integral_info_sums (&info, NULL, 0);

    fail_unless_equals_int (sums.sum_bytes, rows[i].sum_bytes);
    fail_unless_equals_int (sums.is_float, rows[i].is_float);
    fail_unless_equals_uint64 (gst_cl_integral_info_size (&info),
        5 * 3 * 2 * rows[i].sum_bytes);
  }
}

/* Consecutive, without gaps. */
TEST (test_arrays)
{
  const GstClIntegralInfo info = read_caps (
      "video/x-integral-image, " FORMAT ", width=5, height=3, channels=1, "
      "layout=inclusive, squares=true, tilted=true");
  GstClIntegralInfo tilted_only = info;
  const GstClSums squares = gst_cl_integral_info_squares (&info, NULL, 8);
  GstClSums tilted = gst_cl_integral_info_tilted (&info, NULL, 8);

  fail_unless (info.has_squares && info.has_tilted);
  fail_unless_equals_uint64 (squares.offset_bytes, 8 + 15 * 4);
  fail_unless_equals_int (squares.sum_bytes, 8);
  fail_unless_equals_uint64 (tilted.offset_bytes, 8 + 15 * (4 + 8));
  fail_unless_equals_int (tilted.sum_bytes, 4);
  fail_unless_equals_uint64 (gst_cl_integral_info_size (&info),
      15 * (4 + 8 + 4));

  tilted_only.has_squares = FALSE;
  tilted = gst_cl_integral_info_tilted (&tilted_only, NULL, 0);
  fail_unless_equals_uint64 (tilted.offset_bytes, 15 * 4);
  fail_unless_equals_uint64 (gst_cl_integral_info_size (&tilted_only),
      15 * (4 + 4));
}

TEST (test_structure_name)
{
  g_autoptr (GstStructure) raw = gst_structure_new_empty ("video/x-raw");
  g_autoptr (GstStructure)
      integral = gst_structure_new_empty ("video/x-integral-image");

  fail_if (gst_cl_integral_is_structure (raw));
  fail_unless (gst_cl_integral_is_structure (integral));
}

/* clintegral offers the caps of the template. */
TEST (test_template)
{
  g_autoptr (GstCaps) template = gst_caps_from_string (GST_CL_INTEGRAL_CAPS);
  static const gchar *const layouts[] = { "inclusive", "exclusive" };

  for (gint channels = 0; channels <= 5; channels++) {
    for (guint l = 0; l < G_N_ELEMENTS (layouts); l++) {
      g_autofree gchar *text = g_strdup_printf (
          "video/x-integral-image, " FORMAT
          ", width=1, height=9999, channels=%d, framerate=25/1, "
          "layout=%s" REST,
          channels, layouts[l]);
      g_autoptr (GstCaps) caps = gst_caps_from_string (text);

      fail_unless (gst_caps_is_subset (caps, template) ==
                       (channels >= 1 && channels <= 4),
          "expected 1 to 4 channels to be accepted, and no other number: %s",
          text);
    }
  }
}

TEST (test_sizes)
{
  GstClIntegralInfo info = { .width = 33,
    .height = 17,
    .channels = 3,
    .layout = GST_CL_LAYOUT_INCLUSIVE,
    .sum_bytes = 4 };

  fail_unless_equals_uint64 (gst_cl_integral_info_size (&info),
      33 * 17 * 3 * 4);
  info.layout = GST_CL_LAYOUT_EXCLUSIVE;
  fail_unless_equals_uint64 (gst_cl_integral_info_size (&info),
      34 * 18 * 3 * 4);
}

/* If sizes in bytes have 32 bits, such an image is not possible. */
TEST (test_size_that_32_bits_cannot_count)
{
  g_autoptr (GstCaps) caps = gst_caps_from_string (
      "video/x-integral-image, " FORMAT
      ", width=65536, height=65536, channels=4, layout=inclusive" REST);
  GstClIntegralInfo info;
  gboolean is_possible = gst_cl_integral_info_from_caps (&info, caps);

  fail_unless_equals_int (is_possible, sizeof (gsize) > 4);
  if (is_possible)
    fail_unless_equals_uint64 (gst_cl_integral_info_size (&info),
        G_GUINT64_CONSTANT (1) << 36);
}

TEST (test_layout_names)
{
  fail_unless_equals_string (gst_cl_layout_name (GST_CL_LAYOUT_INCLUSIVE),
      "inclusive");
  fail_unless_equals_string (gst_cl_layout_name (GST_CL_LAYOUT_EXCLUSIVE),
      "exclusive");
}

TEST (test_sums)
{
  const GstClIntegralInfo info = { .width = 5,
    .height = 7,
    .channels = 2,
    .layout = GST_CL_LAYOUT_EXCLUSIVE,
    .sum_bytes = 4 };
  cl_mem mem = (cl_mem) (guintptr) 64; /* never read */
  GstClSums sums = gst_cl_integral_info_sums (&info, mem, 12);

  fail_unless (sums.mem == mem);
  fail_unless_equals_uint64 (sums.offset_bytes, 12);
  fail_unless_equals_int (sums.layout, GST_CL_LAYOUT_EXCLUSIVE);
  fail_unless_equals_int (sums.width, 5);
  fail_unless_equals_int (sums.height, 7);
  fail_unless_equals_int (sums.channels, 2);
  fail_unless_equals_int (sums.sum_bytes, 4);
}
