/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* clintegral: sums, caps, properties. */

#include "elements/common.h"
#include "elements/frames.h"
#include "elements/reference.h"
#include "suite.h"

/* Runs one random frame and compares. */
static void
run_and_compare (GstHarness *h, GstVideoFormat format, gint width, gint height,
    gint component)
{
  GstVideoInfo info;
  g_autoptr (GstBuffer) in = NULL;
  g_autoptr (GstBuffer) out = NULL;
  g_autoptr (GstCaps) caps = NULL;

  harness_set_format (h, format, width, height, &info);
  in = frame_new (&info, width * 1000 + height);
  out = harness_run (h, gst_buffer_ref (in));
  caps = harness_out_caps (h);
  expect_integral (out, caps, in, &info, component);
}

static void
run_every_format (const gchar *description, gint component)
{
  g_autoptr (GstHarness) h = harness_new (description);
  g_autoptr (GstBus) bus = harness_bus (h);
  guint n;
  const GstVideoFormat *formats = test_formats (&n);

  for (guint f = 0; f < n; f++) {
    for (guint s = 0; s < n_test_sizes; s++)
      run_and_compare (h, formats[f], test_sizes[s].width, test_sizes[s].height,
          component);
  }
  expect_no_error (bus);
}

TEST (test_formats_inclusive)
{
  run_every_format ("clintegral", -1);
}

TEST (test_formats_exclusive)
{
  run_every_format ("clintegral layout=exclusive", -1);
}

TEST (test_formats_first_component)
{
  run_every_format ("clintegral component=0", 0);
}

/* Each component separately, at its own size; the property changes in one
 * harness. */
TEST (test_every_component)
{
  g_autoptr (GstHarness) h = harness_new ("clintegral");
  guint n;
  const GstVideoFormat *formats = test_formats (&n);

  for (guint f = 0; f < n; f++) {
    const guint n_components = GST_VIDEO_FORMAT_INFO_N_COMPONENTS (
        gst_video_format_get_info (formats[f]));

    for (guint c = 0; c < n_components; c++) {
      gst_harness_set (h, "clintegral", "component", c, NULL);
      run_and_compare (h, formats[f], 33, 17, c);
    }
    gst_harness_set (h, "clintegral", "component", -1, NULL);
  }
}

TEST (test_methods)
{
  static const gchar *const methods[] = { "multi-pass", "async-copy" };
  static const FrameSize sizes[] = { { 1, 1 }, { 1, 600 }, { 600, 1 },
    { 257, 129 }, { 521, 67 } };
  static const GstVideoFormat formats[] = { GST_VIDEO_FORMAT_GRAY8,
    GST_VIDEO_FORMAT_RGB, GST_VIDEO_FORMAT_ARGB, GST_VIDEO_FORMAT_UYVY };

  for (guint m = 0; m < G_N_ELEMENTS (methods); m++) {
    g_autofree gchar *description = g_strdup_printf ("clintegral method=%s",
        methods[m]);
    g_autoptr (GstHarness) h = harness_new (description);

    for (guint f = 0; f < G_N_ELEMENTS (formats); f++) {
      for (guint s = 0; s < G_N_ELEMENTS (sizes); s++)
        run_and_compare (h, formats[f], sizes[s].width, sizes[s].height, -1);
    }
  }
}

/* One shape: on a CPU device kernels take long to compile. */
TEST (test_single_pass)
{
  g_autoptr (GstHarness) h = harness_new ("clintegral method=single-pass");

  run_and_compare (h, GST_VIDEO_FORMAT_GRAY8, 521, 131, -1);
}

/* The sum of the whole frame exceeds 2^32: sums wrap, and the sum of a window
 * that is below 2^32 is exact all the same. */
TEST (test_sums_wrap)
{
  const gint width = 4200, height = 4100;
  g_autoptr (GstHarness) h = harness_new ("clintegral");
  g_autoptr (GstBuffer) out = NULL;
  const guint32 *sums;
  GstVideoInfo info;
  GstMapInfo map;
  guint32 window;

  harness_set_format (h, GST_VIDEO_FORMAT_GRAY8, width, height, &info);
  out = harness_run (h, frame_new_filled (&info, 255));
  fail_unless (gst_buffer_map (out, &map, GST_MAP_READ));
  sums = (const guint32 *) map.data;

  fail_unless ((guint64) width * height * 255 > G_MAXUINT32);
  for (gint y = 0; y < height; y += 41) {
    for (gint x = 0; x < width; x += 17) {
      const guint32 expected = (guint64) (x + 1) * (y + 1) * 255;

      if (sums[(gsize) y * width + x] != expected)
        fail ("sum at %d, %d is %u, expected %u", x, y,
            sums[(gsize) y * width + x], expected);
    }
  }

  /* the last 100 columns and 80 rows */
  window = sums[(gsize) (height - 1) * width + width - 1] -
           sums[(gsize) (height - 1) * width + width - 101] -
           sums[(gsize) (height - 81) * width + width - 1] +
           sums[(gsize) (height - 81) * width + width - 101];
  fail_unless_equals_int (window, 100 * 80 * 255);
  gst_buffer_unmap (out, &map);
}

/* --- caps ---------------------------------------------------------------- */

static void
expect_out_caps (GstHarness *h, const gchar *text)
{
  g_autoptr (GstCaps) caps = harness_out_caps (h);
  g_autoptr (GstCaps) expected = gst_caps_from_string (text);

  fail_unless (gst_caps_is_equal (caps, expected), "caps are %s, expected %s",
      gst_caps_to_string (caps), text);
}

#if G_BYTE_ORDER == G_LITTLE_ENDIAN
#define U32                                                                    \
  "video/x-integral-image, format=U32LE, squares=false, "                      \
  "tilted=false"
#else
#define U32 "video/x-integral-image, format=U32BE, squares=false, tilted=false"
#endif

/* Each field, by the documentation. */
TEST (test_caps)
{
  g_autoptr (GstHarness) h = harness_new ("clintegral");

  run_and_compare (h, GST_VIDEO_FORMAT_NV12, 33, 17, -1);
  expect_out_caps (h, U32 ", width=33, height=17, channels=1, framerate=25/1, "
                          "layout=inclusive");
  run_and_compare (h, GST_VIDEO_FORMAT_xBGR, 33, 17, -1);
  expect_out_caps (h, U32 ", width=33, height=17, channels=3, framerate=25/1, "
                          "layout=inclusive");
  run_and_compare (h, GST_VIDEO_FORMAT_RGBP, 33, 17, -1);
  expect_out_caps (h, U32 ", width=33, height=17, channels=1, framerate=25/1, "
                          "layout=inclusive");

  gst_harness_set (h, "clintegral", "layout", 1, "component", 3, NULL);
  run_and_compare (h, GST_VIDEO_FORMAT_RGBA, 33, 17, 3);
  expect_out_caps (h, U32 ", width=33, height=17, channels=1, framerate=25/1, "
                          "layout=exclusive");
  gst_harness_set (h, "clintegral", "component", 1, NULL);
  run_and_compare (h, GST_VIDEO_FORMAT_I420, 33, 17, 1);
  expect_out_caps (h, U32 ", width=17, height=9, channels=1, framerate=25/1, "
                          "layout=exclusive");
  run_and_compare (h, GST_VIDEO_FORMAT_Y41B, 33, 17, 1);
  expect_out_caps (h, U32 ", width=9, height=17, channels=1, framerate=25/1, "
                          "layout=exclusive");
}

/* The output caps restrict the input caps. */
TEST (test_caps_backwards)
{
  g_autoptr (GstHarness) h = harness_new ("clintegral");
  g_autoptr (GstCaps) wanted = gst_caps_from_string (
      U32 ", width=33, height=17, channels=3, framerate=25/1, "
          "layout=inclusive");
  g_autoptr (GstCaps) sink_caps = NULL;
  g_autoptr (GstCaps) fitting = gst_caps_from_string (
      "video/x-raw, format=RGB, width=33, height=17, framerate=25/1");
  g_autoptr (GstCaps) other_size = gst_caps_from_string (
      "video/x-raw, format=RGB, width=32, height=17, framerate=25/1");

  gst_harness_set_sink_caps (h, gst_caps_ref (wanted));
  sink_caps = gst_pad_peer_query_caps (h->srcpad, NULL);
  fail_unless (gst_caps_can_intersect (sink_caps, fitting));
  fail_if (gst_caps_can_intersect (sink_caps, other_size));
  run_and_compare (h, GST_VIDEO_FORMAT_RGB, 33, 17, -1);
}

/* --- changes while playing ----------------------------------------------- */

static gint
get_channels (GstHarness *h)
{
  g_autoptr (GstCaps) caps = harness_out_caps (h);
  gint channels = 0;

  gst_structure_get_int (gst_caps_get_structure (caps, 0), "channels",
      &channels);

  return channels;
}

/* Pushes a frame of the current caps. */
static void
push_and_compare (GstHarness *h, const GstVideoInfo *info, guint seed,
    gint component)
{
  g_autoptr (GstBuffer) in = frame_new (info, seed);
  g_autoptr (GstBuffer) out = harness_run (h, gst_buffer_ref (in));
  g_autoptr (GstCaps) caps = harness_out_caps (h);

  expect_integral (out, caps, in, info, component);
}

static const gchar *
get_layout (GstHarness *h)
{
  g_autoptr (GstCaps) caps = harness_out_caps (h);

  return g_intern_string (
      gst_structure_get_string (gst_caps_get_structure (caps, 0), "layout"));
}

/* Properties change from the next buffer on, with new caps; upstream sends no
 * caps. */
TEST (test_changes_while_playing)
{
  g_autoptr (GstHarness) h = harness_new ("clintegral");
  g_autoptr (GstBus) bus = harness_bus (h);
  guint seed = 0;
  GstVideoInfo info;

  harness_set_format (h, GST_VIDEO_FORMAT_RGB, 65, 31, &info);
  for (guint round = 0; round < 3; round++) {
    push_and_compare (h, &info, seed++, -1);
    fail_unless_equals_string (get_layout (h), "inclusive");

    gst_util_set_object_arg (G_OBJECT (h->element), "layout", "exclusive");
    push_and_compare (h, &info, seed++, -1);
    fail_unless_equals_string (get_layout (h), "exclusive");

    gst_harness_set (h, "clintegral", "component", 1, NULL);
    push_and_compare (h, &info, seed++, 1);
    fail_unless_equals_int (get_channels (h), 1);

    gst_util_set_object_arg (G_OBJECT (h->element), "method", "async-copy");
    push_and_compare (h, &info, seed++, 1);
    gst_util_set_object_arg (G_OBJECT (h->element), "sum-format", "u32");
    push_and_compare (h, &info, seed++, 1);
    gst_util_set_object_arg (G_OBJECT (h->element), "method", "multi-pass");
    push_and_compare (h, &info, seed++, 1);

    /* all in one step */
    gst_util_set_object_arg (G_OBJECT (h->element), "layout", "inclusive");
    gst_util_set_object_arg (G_OBJECT (h->element), "method", "auto");
    gst_util_set_object_arg (G_OBJECT (h->element), "sum-format", "auto");
    gst_harness_set (h, "clintegral", "component", -1, NULL);
    push_and_compare (h, &info, seed++, -1);
    fail_unless_equals_int (get_channels (h), 3);
  }
  expect_no_error (bus);
}

SUITE (.start = harness_share_context);
