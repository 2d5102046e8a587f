/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* cllocalmean: means, windows, properties. */

#include "elements/common.h"
#include "elements/frames.h"
#include "elements/localmean.h"
#include "suite.h"

static gboolean
is_subsampled (GstVideoFormat format)
{
  const GstVideoFormatInfo *info = gst_video_format_get_info (format);

  return GST_VIDEO_FORMAT_INFO_N_COMPONENTS (info) > 1 &&
         (GST_VIDEO_FORMAT_INFO_W_SUB (info, 1) ||
             GST_VIDEO_FORMAT_INFO_H_SUB (info, 1));
}

/* --- formats ------------------------------------------------------------- */

static void
run_every_format (const gchar *description)
{
  g_autoptr (GstHarness) h = harness_new (description);
  g_autoptr (GstBus) bus = harness_bus (h);
  guint n;
  const GstVideoFormat *formats = test_formats (&n);

  for (guint f = 0; f < n; f++) {
    for (guint s = 0; s < n_test_sizes; s++)
      local_mean_run (h, formats[f], test_sizes[s].width, test_sizes[s].height);
  }
  expect_no_error (bus);
}

TEST (test_formats_shrink)
{
  run_every_format ("cllocalmean kernel-width=5 kernel-height=4");
}

TEST (test_formats_replicate)
{
  run_every_format (
      "cllocalmean kernel-width=4 kernel-height=3 border-mode=replicate");
}

/* Formats without subsampling; the others are refused (test_errors.c). */
TEST (test_formats_valid)
{
  g_autoptr (GstHarness) h = harness_new (
      "cllocalmean kernel-width=5 kernel-height=4 border-mode=valid");
  guint n;
  const GstVideoFormat *formats = test_formats (&n);

  for (guint f = 0; f < n; f++) {
    if (!is_subsampled (formats[f])) {
      local_mean_run (h, formats[f], 33, 17);
      local_mean_run (h, formats[f], 5, 4);
    }
  }
}

TEST (test_formats_steps)
{
  run_every_format (
      "cllocalmean kernel-width=3 kernel-height=5 step-x=2 step-y=3");
}

/* --- windows ------------------------------------------------------------- */

static const gchar *const borders[] = { "shrink", "replicate", "valid" };

TEST (test_kernel_sizes)
{
  static const FrameSize kernels[] = { { 1, 1 }, { 2, 2 }, { 1, 17 }, { 33, 1 },
    { 15, 15 }, { 33, 17 }, { 34, 18 }, { 200, 3 }, { 3, 200 }, { 32767, 1 } };
  g_autoptr (GstHarness) h = harness_new ("cllocalmean");
  GstVideoInfo info;

  harness_set_format (h, GST_VIDEO_FORMAT_GRAY8, 33, 17, &info);
  for (guint b = 0; b < G_N_ELEMENTS (borders); b++) {
    for (guint k = 0; k < G_N_ELEMENTS (kernels); k++) {
      g_autofree gchar *text = g_strdup_printf (
          "border-mode=%s kernel-width=%d kernel-height=%d", borders[b],
          kernels[k].width, kernels[k].height);

      if (g_str_equal (borders[b], "valid") &&
          (kernels[k].width > 33 || kernels[k].height > 17))
        continue;
      local_mean_set (h, text);
      local_mean_push (h, &info, k);
    }
  }
}

TEST (test_anchors)
{
  static const gchar *const anchors[] = { "anchor-x=0 anchor-y=0",
    "anchor-x=6 anchor-y=3", "anchor-x=0 anchor-y=3", "anchor-x=5 anchor-y=-1",
    "anchor-x=-1 anchor-y=-1" };
  g_autoptr (GstHarness)
      h = harness_new ("cllocalmean kernel-width=7 kernel-height=4");
  GstVideoInfo info;

  harness_set_format (h, GST_VIDEO_FORMAT_RGBx, 33, 17, &info);
  for (guint b = 0; b < G_N_ELEMENTS (borders); b++) {
    gst_util_set_object_arg (G_OBJECT (h->element), "border-mode", borders[b]);
    for (guint a = 0; a < G_N_ELEMENTS (anchors); a++) {
      local_mean_set (h, anchors[a]);
      local_mean_push (h, &info, a);
    }
  }
}

TEST (test_steps)
{
  static const gchar *const steps[] = { "step-x=2 step-y=1",
    "step-x=1 step-y=5", "step-x=16 step-y=16", "step-x=33 step-y=17",
    "step-x=32767 step-y=32767" };
  g_autoptr (GstHarness)
      h = harness_new ("cllocalmean kernel-width=4 kernel-height=3 anchor-x=3");
  GstVideoInfo info;

  harness_set_format (h, GST_VIDEO_FORMAT_BGR, 33, 17, &info);
  for (guint b = 0; b < G_N_ELEMENTS (borders); b++) {
    gst_util_set_object_arg (G_OBJECT (h->element), "border-mode", borders[b]);
    for (guint s = 0; s < G_N_ELEMENTS (steps); s++) {
      local_mean_set (h, steps[s]);
      local_mean_push (h, &info, s);
    }
  }
}

/* Components that are not named are copied, and subsampled if there is a step;
 * names and numbers are equivalent. */
TEST (test_planes)
{
  static const struct {
    GstVideoFormat format;
    const gchar *planes;
  } rows[] = {
    { GST_VIDEO_FORMAT_I420, "y" },
    { GST_VIDEO_FORMAT_I420, "u+v" },
    { GST_VIDEO_FORMAT_NV12, "5" },
    { GST_VIDEO_FORMAT_YUY2, "y+v" },
    { GST_VIDEO_FORMAT_xRGB, "g" },
    { GST_VIDEO_FORMAT_RGBA, "r+g+b" },
    { GST_VIDEO_FORMAT_AYUV, "8" },
    { GST_VIDEO_FORMAT_RGB, "0" },
  };
  g_autoptr (GstHarness)
      h = harness_new ("cllocalmean kernel-width=6 kernel-height=5");

  for (guint i = 0; i < G_N_ELEMENTS (rows); i++) {
    gst_util_set_object_arg (G_OBJECT (h->element), "planes", rows[i].planes);
    local_mean_set (h, "step-x=1 step-y=1");
    local_mean_run (h, rows[i].format, 33, 17);
    local_mean_set (h, "step-x=3 step-y=2");
    local_mean_run (h, rows[i].format, 33, 17);
  }

  local_mean_set (h, "border-mode=valid planes=g anchor-x=1 anchor-y=4");
  local_mean_run (h, GST_VIDEO_FORMAT_RGBx, 33, 17);
}

TEST (test_methods)
{
  static const gchar *const methods[] = { "direct", "async-copy", "sliding" };
  static const FrameSize sizes[] = { { 1, 1 }, { 1, 300 }, { 300, 1 },
    { 257, 129 } };

  for (guint m = 0; m < G_N_ELEMENTS (methods); m++) {
    g_autofree gchar *description = g_strdup_printf (
        "cllocalmean kernel-width=9 kernel-height=6 method=%s", methods[m]);
    g_autoptr (GstHarness) h = harness_new (description);

    for (guint s = 0; s < G_N_ELEMENTS (sizes); s++) {
      local_mean_run (h, GST_VIDEO_FORMAT_GRAY8, sizes[s].width,
          sizes[s].height);
      local_mean_run (h, GST_VIDEO_FORMAT_BGRx, sizes[s].width,
          sizes[s].height);
    }
  }
}

/* --- integral images ----------------------------------------------------- */

/* The output for an integral image of a format, component by component. */
static const struct {
  GstVideoFormat in, out;
  guint n_components;
} integral_rows[] = {
  { GST_VIDEO_FORMAT_GRAY8, GST_VIDEO_FORMAT_GRAY8, 1 },
  { GST_VIDEO_FORMAT_I420, GST_VIDEO_FORMAT_GRAY8, 1 },
  { GST_VIDEO_FORMAT_UYVY, GST_VIDEO_FORMAT_GRAY8, 1 },
  { GST_VIDEO_FORMAT_RGB, GST_VIDEO_FORMAT_RGB, 3 },
  { GST_VIDEO_FORMAT_xBGR, GST_VIDEO_FORMAT_RGB, 3 },
  { GST_VIDEO_FORMAT_RGBA, GST_VIDEO_FORMAT_RGBA, 4 },
  { GST_VIDEO_FORMAT_ABGR, GST_VIDEO_FORMAT_RGBA, 4 },
};

static void
run_integrals (GstHarness *h)
{
  for (guint i = 0; i < G_N_ELEMENTS (integral_rows); i++)
    local_mean_run_integral (h, integral_rows[i].in, integral_rows[i].out,
        integral_rows[i].n_components);
}

TEST (test_integral_images)
{
  static const gchar *const layouts[] = { "inclusive", "exclusive" };
  static const gchar *const settings[] = { "border-mode=shrink",
    "border-mode=replicate", "border-mode=valid", "step-x=3 step-y=2",
    "border-mode=valid planes=g anchor-x=4 anchor-y=0",
    "method=async-copy planes=r+b", "kernel-width=1 kernel-height=1" };

  for (guint l = 0; l < G_N_ELEMENTS (layouts); l++) {
    for (guint s = 0; s < G_N_ELEMENTS (settings); s++) {
      g_autofree gchar *description = g_strdup_printf (
          "clintegral layout=%s ! cllocalmean kernel-width=6 kernel-height=5 "
          "%s",
          layouts[l], settings[s]);
      g_autoptr (GstHarness) h = harness_new (description);
      g_autoptr (GstBus) bus = harness_bus (h);

      run_integrals (h);
      expect_no_error (bus);
    }
  }
}

/* From host memory, as an application pushes it. */
TEST (test_integral_image_of_application)
{
  static const guint32 sums[] = { 10, 30, 60, 50, 120, 210 };
  g_autoptr (GstHarness)
      h = harness_new ("cllocalmean kernel-width=2 kernel-height=2 anchor-x=1 "
                       "anchor-y=1");
  g_autoptr (GstBuffer) out = NULL;
  static const guint8 means[] = { 10, 15, 25, 25, 30, 40 };
  GstVideoInfo info;

  gst_harness_set_src_caps_str (h,
      "video/x-integral-image, format=U32LE, width=3, height=2, channels=1, "
      "framerate=25/1, layout=inclusive, squares=false, tilted=false");
  out = harness_run (h,
      gst_buffer_new_wrapped (g_memdup2 (sums, sizeof sums), sizeof sums));
  harness_out_info (h, &info);
  {
    g_autofree guint8 *got = frame_component (out, &info, 0, NULL, NULL);

    fail_unless (memcmp (got, means, sizeof means) == 0);
  }
}

/* --- changes while playing ----------------------------------------------- */

/* One change per line, from the next buffer on, with new caps; upstream sends
 * no caps. */
TEST (test_changes_while_playing)
{
  static const gchar *const changes[] = {
    "kernel-width=8",
    "kernel-height=1",
    "anchor-x=7",
    "anchor-y=0",
    "step-x=2",
    "step-y=3",
    "method=async-copy",
    "planes=r+a",
    "border-mode=replicate",
    "border-mode=valid",
    "kernel-width=60 kernel-height=30",
    "operation=mean",
    "method=direct",
    "planes=15",
    "anchor-x=-1 anchor-y=-1 border-mode=shrink step-x=1 step-y=1",
    "kernel-width=15 kernel-height=15 method=auto",
  };
  g_autoptr (GstHarness) h = harness_new ("cllocalmean");
  g_autoptr (GstBus) bus = harness_bus (h);
  GstVideoInfo info;

  harness_set_format (h, GST_VIDEO_FORMAT_RGBA, 65, 31, &info);
  local_mean_push (h, &info, 0);
  for (guint i = 0; i < G_N_ELEMENTS (changes); i++) {
    local_mean_set (h, changes[i]);
    local_mean_push (h, &info, i + 1);
  }
  expect_no_error (bus);
}

/* Window and frame change at once, after a clintegral whose layout changes. */
TEST (test_changes_of_integral_images)
{
  g_autoptr (GstHarness) h = harness_new ("clintegral ! cllocalmean");
  g_autoptr (GstElement) integral = harness_element (h, "clintegral");

  run_integrals (h);
  gst_util_set_object_arg (G_OBJECT (integral), "layout", "exclusive");
  local_mean_set (h, "kernel-width=4 step-x=2");
  run_integrals (h);
  gst_util_set_object_arg (G_OBJECT (integral), "layout", "inclusive");
  local_mean_set (h, "step-x=1 kernel-height=17");
  run_integrals (h);
}

SUITE (.start = harness_share_context);
