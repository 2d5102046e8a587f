/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The memory layout of a buffer does not change the output. */

#include "common.h"
#include "frames.h"
#include "reference.h"
#include "suite.h"

static const gchar *const descriptions[] = {
  "clintegral",
  "clintegral layout=exclusive method=async-copy",
  "cllocalmean kernel-width=6 kernel-height=5",
  "cllocalmean border-mode=replicate method=async-copy step-x=2 planes=5",
  "clintegral ! cllocalmean kernel-width=4",
  "clscope kind=all mode=side",
};

/* Compares the output for each layout of a frame with that of the plain one.
 * Packed frames of 49 and of 25 columns have a place for each sample. */
static void
compare_format (GstHarness *h, GstVideoFormat format, gboolean is_packed)
{
  g_autoptr (GstBuffer) in = NULL;
  g_autoptr (GstBuffer) plain = NULL;
  GstVideoInfo info;

  harness_set_format (h, format, is_packed ? 49 : 35, 18, &info);
  in = frame_new (&info, format);
  plain = harness_run (h, gst_buffer_ref (in));
  for (guint l = LAYOUT_PLAIN + 1; l < N_LAYOUTS; l++) {
    g_autoptr (GstBuffer)
        out = harness_run (h, frame_copy_to_layout (in, &info, l));

    expect_same_bytes (plain, out);
  }
}

static void
compare_layouts (const gchar *description, gboolean with_video_meta)
{
  g_autoptr (GstHarness) h = with_video_meta
                                 ? harness_new_with_video_meta (description)
                                 : harness_new (description);
  g_autoptr (GstBus) bus = harness_bus (h);
  /* for clscope, each format has three programs */
  const guint step = strstr (description, "clscope") ? 18 : 1;
  guint n;
  const GstVideoFormat *formats = test_formats (&n);

  for (guint f = test_seed () % MIN (step, n); f < n; f += step)
    compare_format (h, formats[f], FALSE);
  formats = test_packed_formats (&n);
  for (guint f = test_seed () % MIN (step, n); f < n; f += step)
    compare_format (h, formats[f], TRUE);
  expect_no_error (bus);
}

LOOP_TEST (test_layouts, G_N_ELEMENTS (descriptions))
{
  compare_layouts (descriptions[__i__], FALSE);
}

LOOP_TEST (test_layouts_with_video_meta_downstream, G_N_ELEMENTS (descriptions))
{
  compare_layouts (descriptions[__i__], TRUE);
}

/* Downstream supports one layout only. Memory of any type is allowed if the
 * caps have the feature of device memory. */
TEST (test_layouts_of_downloads)
{
  g_autoptr (GstHarness) h = harness_new ("cldownload");
  g_autoptr (GstBus) bus = harness_bus (h);
  guint n;
  const GstVideoFormat *formats = test_formats (&n);

  for (guint f = 0; f < n; f++) {
    g_autoptr (GstBuffer) in = NULL;
    GstVideoInfo info;
    GstCaps *caps;

    harness_set_format (h, formats[f], 35, 18, &info);
    caps = gst_video_info_to_caps (&info);
    gst_caps_set_features_simple (caps,
        gst_caps_features_new ("memory:OpenCLMemory", NULL));
    gst_harness_set_src_caps (h, caps);
    in = frame_new (&info, f);
    for (guint l = 0; l < N_LAYOUTS; l++) {
      g_autoptr (GstBuffer)
          out = harness_run (h, frame_copy_to_layout (in, &info, l));

      frame_expect_components (out, in, &info, frame_layout_name (l));
    }
  }
  expect_no_error (bus);
}

TEST (test_layouts_of_frame_statistics)
{
  g_autoptr (GstHarness) h = harness_new ("clframesum");
  g_autoptr (GstBus) bus = harness_bus (h);
  guint n;
  const GstVideoFormat *formats = test_formats (&n);

  for (guint f = 0; f < n; f++) {
    g_autoptr (GstBuffer) in = NULL;
    GstVideoInfo info;

    harness_set_format (h, formats[f], 35, 18, &info);
    in = frame_new (&info, f);
    for (guint l = 0; l < N_LAYOUTS; l++) {
      GstBuffer *held = frame_copy_to_layout (in, &info, l);
      g_autoptr (GBytes) before = frame_bytes (held);
      g_autoptr (GBytes) after = NULL;
      g_autoptr (GstBuffer) out = harness_run (h, held);
      g_autoptr (GstStructure) stats = NULL;

      g_object_get (h->element, "stats", &stats, NULL);
      expect_statistics (stats, in, &info, 0xf);
      after = frame_bytes (out);
      fail_unless (g_bytes_equal (before, after), "layout %s: the bytes differ",
          frame_layout_name (l));
    }
  }
  expect_no_error (bus);
}

/* videocrop passes its input through, with offsets, where it may. */
TEST (test_videocrop)
{
  g_autoptr (GstHarness) whole = harness_new (
      "videocrop left=3 top=2 right=5 bottom=1 ! identity ! clintegral");
  g_autoptr (GstHarness) copied = harness_new (
      "videocrop left=3 top=2 right=5 "
      "bottom=1 ! identity drop-allocation=true ! clintegral");
  g_autoptr (GstBuffer) in = NULL;
  g_autoptr (GstBuffer) a = NULL;
  g_autoptr (GstBuffer) b = NULL;
  GstVideoInfo info;

  harness_set_format (whole, GST_VIDEO_FORMAT_RGB, 37, 21, &info);
  harness_set_format (copied, GST_VIDEO_FORMAT_RGB, 37, 21, &info);
  in = frame_new (&info, 7);
  a = harness_run (whole, gst_buffer_ref (in));
  b = harness_run (copied, gst_buffer_ref (in));
  fail_unless_equals_uint64 (gst_buffer_get_size (a), 29 * 18 * 3 * 4);
  expect_same_bytes (a, b);
}

SUITE (.start = harness_share_context);
