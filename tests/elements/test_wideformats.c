/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Samples of more than 8 bits, in every element that supports them. */

#include "common.h"
#include "frames.h"
#include "reference.h"
#include "suite.h"

/* One random frame through clframesum. */
static void
compare_statistics (GstHarness *h, GstVideoFormat format, gint width,
    gint height, guint planes)
{
  g_autoptr (GstBuffer) in = NULL;
  g_autoptr (GstBuffer) out = NULL;
  g_autoptr (GstStructure) stats = NULL;
  GstVideoInfo info;

  harness_set_format (h, format, width, height, &info);
  in = frame_new (&info, width * 1000 + height);
  out = harness_run (h, gst_buffer_copy_deep (in));
  g_object_get (h->element, "stats", &stats, NULL);
  expect_statistics (stats, in, &info, planes);
  expect_same_bytes (in, out);
}

TEST (test_statistics)
{
  static const gchar *const reductions[] = { "auto", "inner", "outer" };
  guint n;
  const GstVideoFormat *formats = test_wide_formats (&n);

  for (guint r = 0; r < G_N_ELEMENTS (reductions); r++) {
    g_autofree gchar *description = g_strdup_printf ("clframesum reduction=%s",
        reductions[r]);
    g_autoptr (GstHarness) h = harness_new (description);
    g_autoptr (GstBus) bus = harness_bus (h);

    for (guint f = 0; f < n; f++) {
      for (guint s = 0; s < n_test_sizes; s++)
        compare_statistics (h, formats[f], test_sizes[s].width,
            test_sizes[s].height, 0xf);
    }
    gst_util_set_object_arg (G_OBJECT (h->element), "planes", "v");
    compare_statistics (h, GST_VIDEO_FORMAT_P010_10LE, 33, 17, 4);
    compare_statistics (h, GST_VIDEO_FORMAT_I422_10LE, 33, 17, 4);
    expect_no_error (bus);
  }
}

/* White is 1023 whatever the unused bits below contain: codes are shifted
 * down. */
TEST (test_codes)
{
  g_autoptr (GstHarness) h = harness_new ("clframesum planes=y");
  g_autoptr (GstStructure) stats = NULL;
  const GValue *max;
  GstVideoInfo info;

  harness_set_format (h, GST_VIDEO_FORMAT_P010_10LE, 64, 8, &info);
  gst_buffer_unref (harness_run (h, frame_new_filled (&info, 255)));
  g_object_get (h->element, "stats", &stats, NULL);
  max = gst_value_array_get_value (gst_structure_get_value (stats, "max"), 0);
  fail_unless_equals_int (g_value_get_uint (max), 1023);
}

static void
compare_sums (GstHarness *h, GstVideoFormat format, gint width, gint height,
    gint component)
{
  g_autoptr (GstBuffer) in = NULL;
  g_autoptr (GstBuffer) out = NULL;
  g_autoptr (GstCaps) caps = NULL;
  GstVideoInfo info;

  gst_harness_set (h, "clintegral", "component", component, NULL);
  harness_set_format (h, format, width, height, &info);
  in = frame_new (&info, width * 1000 + height);
  out = harness_run (h, gst_buffer_ref (in));
  caps = harness_out_caps (h);
  expect_integral (out, caps, in, &info, component);
}

/* By every method, each component separately, with all arrays: a third of the
 * formats, which the seed selects for the properties. */
LOOP_TEST (test_sums, 5)
{
  static const gchar *const properties[] = { "", "method=multi-pass",
    "method=async-copy layout=exclusive", "sum-format=f32", "sum-format=u32" };
  guint n;
  const GstVideoFormat *formats = test_wide_formats (&n);
  g_autofree gchar *description = g_strdup_printf (
      "clintegral squares=true tilted=true %s", properties[__i__]);
  g_autoptr (GstHarness) h = harness_new (description);
  g_autoptr (GstBus) bus = harness_bus (h);

  for (guint f = ((guint) __i__ + test_seed ()) % 3; f < n; f += 3) {
    for (guint s = 0; s < n_test_sizes; s++)
      compare_sums (h, formats[f], test_sizes[s].width, test_sizes[s].height,
          -1);
    for (gint c = 0; c < (gint) GST_VIDEO_FORMAT_INFO_N_COMPONENTS (
                             gst_video_format_get_info (formats[f]));
         c++)
      compare_sums (h, formats[f], 33, 17, c);
  }
  expect_no_error (bus);
}

/* auto selects wide sums if 16 bits may fill every sample, and only then. */
TEST (test_auto)
{
  g_autoptr (GstHarness) h = harness_new ("clintegral");
  guint n;
  const GstVideoFormat *formats = test_wide_formats (&n);

  for (guint f = 0; f < n; f++) {
    const GstVideoFormatInfo *info = gst_video_format_get_info (formats[f]);
    g_autoptr (GstCaps) caps = NULL;

    compare_sums (h, formats[f], 33, 17, -1);
    caps = harness_out_caps (h);
    fail_unless_equals_string (
        gst_structure_get_string (gst_caps_get_structure (caps, 0), "format"),
        GST_VIDEO_FORMAT_INFO_DEPTH (info, 0) == 16 ? "U64LE" : "U32LE");
  }
}

/* If downstream supports 32-bit sums only, upstream selects formats that have
 * them. */
TEST (test_auto_backwards)
{
  g_autoptr (GstHarness) h = harness_new ("clintegral");
  g_autoptr (GstCaps) sink_caps = NULL;
  g_autoptr (GstCaps)
      bits_10 = gst_caps_from_string ("video/x-raw, format=P010_10LE");
  g_autoptr (GstCaps) bits_16 = gst_caps_from_string (
      "video/x-raw, format={ P016_LE, GRAY16_LE }");

  gst_harness_set_sink_caps_str (h, "video/x-integral-image, format=U32LE");
  sink_caps = gst_pad_peer_query_caps (h->srcpad, NULL);
  fail_unless (gst_caps_can_intersect (sink_caps, bits_10));
  fail_if (gst_caps_can_intersect (sink_caps, bits_16));
}

/* The samples of all components, without padding. */
static void
expect_same_picture (GstBuffer *a, GstBuffer *b, const GstVideoInfo *info)
{
  for (guint c = 0; c < GST_VIDEO_INFO_N_COMPONENTS (info); c++) {
    gint width, height;
    g_autofree guint16 *codes_of_a = frame_codes (a, info, c, &width, &height);
    g_autofree guint16 *codes_of_b = frame_codes (b, info, c, NULL, NULL);

    fail_unless (memcmp (codes_of_a, codes_of_b,
                     (gsize) width * height * sizeof *codes_of_a) == 0,
        "%s: component %u differs", GST_VIDEO_INFO_NAME (info), c);
  }
}

/* In any layout of a buffer, and through the memory of the device. */
LOOP_TEST (test_layouts, 6)
{
  static const gchar *const descriptions[] = {
    "clintegral squares=true",
    "clintegral method=async-copy layout=exclusive",
    "clupload ! clintegral ! cldownload",
    "clupload ! clframesum ! cldownload",
    "cllocalmean kernel-width=5 kernel-height=3",
    "clupload ! cllocalmean operation=stddev ! cldownload",
  };
  const gboolean is_same = strstr (descriptions[__i__], "clframesum") != NULL;
  const gboolean is_video = is_same ||
                            strstr (descriptions[__i__], "cllocalmean");
  guint n;
  const GstVideoFormat *formats = test_wide_formats (&n);
  g_autoptr (GstHarness) h = harness_new (descriptions[__i__]);
  g_autoptr (GstBus) bus = harness_bus (h);

  for (guint f = 0; f < n; f++) {
    g_autoptr (GstBuffer) in = NULL;
    g_autoptr (GstBuffer) plain = NULL;
    GstVideoInfo info;

    harness_set_format (h, formats[f], 35, 18, &info);
    in = frame_new (&info, f);
    plain = harness_run (h, gst_buffer_ref (in));
    if (is_same)
      expect_same_picture (plain, in, &info);
    for (guint l = LAYOUT_PLAIN + 1; l < N_LAYOUTS; l++) {
      GstBuffer *held = frame_copy_to_layout (in, &info, l);
      g_autoptr (GstBuffer) out = harness_run (h, held);

      if (is_video)
        expect_same_picture (plain, out, &info);
      else
        expect_same_bytes (plain, out);
    }
  }
  expect_no_error (bus);
}

SUITE (.start = harness_share_context);
