/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* cllocalmean: every value of every property on every class of formats, against
 * the scalar references.
 *
 * A class is a depth (8, 10, 12, 16 bits), a layout (planar, semi-planar,
 * packed) and whether chroma is subsampled. Values are paired with GRAY8 and
 * another class; values that do not depend on the form of samples have fewer. A
 * border and a form of samples are a program: the seed chooses some of the
 * pairs. */

#include "elements/common.h"
#include "elements/frames.h"
#include "elements/localmean.h"
#include "elements/reference.h"
#include "suite.h"

/* One of each depth, layout and subsampling; packed and subsampled ones have 8
 * bits, and are tested with the borders. */
static const GstVideoFormat classes[] = {
  GST_VIDEO_FORMAT_GRAY8,
  GST_VIDEO_FORMAT_RGB,
  GST_VIDEO_FORMAT_P010_10LE,
  GST_VIDEO_FORMAT_I420_10LE,
  GST_VIDEO_FORMAT_GRAY16_LE,
};

#define FIRST_WIDE_CLASS 2
#define N_WIDE_CLASSES   (G_N_ELEMENTS (classes) - FIRST_WIDE_CLASS)

/* Returns the format of class I420_10LE in the run, of 10 or 12 bits. Both
 * occur with each border and number of the class. */
static GstVideoFormat
choose_planar (void)
{
  return test_seed () / 6 % 2 ? GST_VIDEO_FORMAT_I420_12LE
                              : GST_VIDEO_FORMAT_I420_10LE;
}

/* Returns the wide class of the run. */
static GstVideoFormat
choose_wide (void)
{
  const GstVideoFormat format =
      classes[FIRST_WIDE_CLASS + test_seed () % N_WIDE_CLASSES];

  return format == GST_VIDEO_FORMAT_I420_10LE ? choose_planar () : format;
}

/* Returns GRAY8 and, as the last of N_CHOSEN, RGB or the wide class of the
 * run. */
#define N_CHOSEN 2

static GstVideoFormat
choose_class (guint i)
{
  const gboolean is_wide = test_seed () / N_WIDE_CLASSES % 3 > 0;

  return i > 0 && is_wide ? choose_wide () : classes[i];
}

/* Returns whether a run has rows of @format: of those of more than 8 bits, the
 * rows of its wide class. */
static gboolean
is_chosen (GstVideoFormat format)
{
  const GstVideoFormatInfo *info = gst_video_format_get_info (format);
  const GstVideoFormatInfo *wide = gst_video_format_get_info (choose_wide ());

  return GST_VIDEO_FORMAT_INFO_DEPTH (info, 0) == 8 ||
         (GST_VIDEO_FORMAT_INFO_DEPTH (info, 0) ==
                 GST_VIDEO_FORMAT_INFO_DEPTH (wide, 0) &&
             GST_VIDEO_FORMAT_INFO_N_PLANES (info) ==
                 GST_VIDEO_FORMAT_INFO_N_PLANES (wide));
}

TEST (test_wide_formats_of_all_sizes)
{
  static const gchar *const steps[] = { "step-x=1 step-y=1",
    "step-x=2 step-y=3" };
  g_autoptr (GstHarness)
      h = harness_new ("cllocalmean kernel-width=5 kernel-height=4");
  g_autoptr (GstBus) bus = harness_bus (h);
  guint n;
  const GstVideoFormat *formats = test_wide_formats (&n);

  for (guint i = 0; i < G_N_ELEMENTS (steps); i++) {
    local_mean_set (h, steps[i]);
    for (guint f = 0; f < n; f++) {
      for (guint s = 0; s < n_test_sizes; s++)
        local_mean_run (h, formats[f], test_sizes[s].width,
            test_sizes[s].height);
    }
  }
  expect_no_error (bus);
}

/* --- borders ------------------------------------------------------------- */

/* The seed chooses a format of 8 bits, and a wider class. */
static const struct {
  const gchar *border;
  GstVideoFormat formats[2];
} borders[] = {
  { "shrink", { GST_VIDEO_FORMAT_UYVY, GST_VIDEO_FORMAT_I420 } },
  { "replicate", { GST_VIDEO_FORMAT_NV12, GST_VIDEO_FORMAT_RGB } },
  { "constant", { GST_VIDEO_FORMAT_RGB, GST_VIDEO_FORMAT_BGRx } },
  { "reflect", { GST_VIDEO_FORMAT_I420, GST_VIDEO_FORMAT_AYUV } },
  { "reflect-101", { GST_VIDEO_FORMAT_NV12, GST_VIDEO_FORMAT_YUY2 } },
  { "wrap", { GST_VIDEO_FORMAT_BGR, GST_VIDEO_FORMAT_RGB } },
};

/* A run has every second border. */
#define N_BORDERS (G_N_ELEMENTS (borders) / 2)

static guint
choose_border (guint i)
{
  return 2 * i + test_seed () % 2;
}

/* Windows beyond one edge, and beyond several periods of the frame; sizes of
 * one and two samples, where mirrors meet. */
static void
run_windows (GstHarness *h, GstVideoFormat format)
{
  static const gchar *const windows[] = {
    "kernel-width=5 kernel-height=4 anchor-x=-1 anchor-y=-1",
    "kernel-width=6 kernel-height=7 anchor-x=0 anchor-y=6",
    "kernel-width=90 kernel-height=41 anchor-x=89 anchor-y=0",
  };

  for (guint w = 0; w < G_N_ELEMENTS (windows); w++) {
    local_mean_set (h, windows[w]);
    local_mean_run (h, format, 33, 17);
    local_mean_run (h, format, 2, 3);
    local_mean_run (h, format, 1, 1);
  }
}

LOOP_TEST (test_borders, N_BORDERS)
{
  const guint b = choose_border ((guint) __i__);
  g_autofree gchar *description = g_strdup_printf (
      "cllocalmean border-value=77.5 border-mode=%s", borders[b].border);
  g_autoptr (GstHarness) h = harness_new (description);
  g_autoptr (GstBus) bus = harness_bus (h);

  run_windows (h, borders[b].formats[(test_seed () / 2 + b / 2) % 2]);
  run_windows (h, choose_wide ());
  expect_no_error (bus);
}

/* Components of one size only; planar, packed, and of every depth. */
TEST (test_valid)
{
  static const struct {
    GstVideoFormat format;
    const gchar *values;
  } rows[] = {
    { GST_VIDEO_FORMAT_NV24, "operation=mean step-x=2 step-y=3" },
    { GST_VIDEO_FORMAT_Y444_10LE, "planes=13 anchor-x=0" },
    { GST_VIDEO_FORMAT_RGBP, "operation=sauvola step-x=1 step-y=1" },
    { GST_VIDEO_FORMAT_RGB, "operation=difference step-x=5 step-y=4" },
    { GST_VIDEO_FORMAT_GRAY16_LE, "operation=wolf anchor-x=4 anchor-y=1" },
    { GST_VIDEO_FORMAT_GRAY16_LE, "operation=mean-c" },
  };
  g_autoptr (GstHarness) h = harness_new (
      "cllocalmean border-mode=valid kernel-width=5 kernel-height=4");
  g_autoptr (GstBus) bus = harness_bus (h);

  for (guint i = 0; i < G_N_ELEMENTS (rows); i++) {
    if (!is_chosen (rows[i].format))
      continue;
    local_mean_set (h, rows[i].values);
    local_mean_run (h, rows[i].format, 33, 17);
    local_mean_run (h, rows[i].format, 5, 4);
  }
  expect_no_error (bus);
}

TEST (test_border_values)
{
  static const gchar *const values[] = { "border-value=0", "border-value=255",
    "border-value=0.125", "border-value=16.5", "border-value=254.9" };
  g_autoptr (GstHarness) h = harness_new (
      "cllocalmean border-mode=constant kernel-width=7 kernel-height=6");

  for (guint f = 1; f < N_CHOSEN; f++) {
    GstVideoInfo info;

    harness_set_format (h, choose_class (f), 33, 17, &info);
    for (guint v = 0; v < G_N_ELEMENTS (values); v++) {
      local_mean_set (h, values[v]);
      local_mean_push (h, &info, v);
    }
  }
}

/* --- operations ---------------------------------------------------------- */

/* Every operation, and every number that it has: usual, between, at both ends.
 * Each test sets the values that the ones before have changed. */
static const gchar *const operations[] = {
  "operation=stddev",
  "operation=difference",
  "operation=normalize",
  "operation=normalize target=0",
  "operation=normalize target=255",
  "operation=normalize target=99.6",
  "operation=mean-c",
  "operation=mean-c offset=7 invert=true",
  "operation=mean-c offset=-3.75 invert=false",
  "operation=mean-c offset=0.5",
  "operation=mean-c offset=255",
  "operation=mean-c offset=-255 invert=true",
  "operation=bradley offset=0",
  "operation=bradley k=0.4 invert=false",
  "operation=bradley k=10 offset=-2.25",
  "operation=bradley k=-9.5 offset=1",
  "operation=niblack k=-10 offset=0",
  "operation=niblack k=0.5 offset=12.5 invert=true",
  "operation=niblack k=10 offset=-1",
  "operation=sauvola k=-10 offset=0 invert=false",
  "operation=sauvola k=0.34 r=64.3",
  "operation=sauvola k=-0.5 r=255 invert=true",
  "operation=sauvola k=-0.01 r=0.00390625",
  "operation=wolf k=-10 r=128 invert=false",
  "operation=wolf k=0.25 offset=-20",
  "operation=wolf k=-1.5 offset=3 invert=true",
  "operation=nick k=-10 offset=0 invert=false",
  "operation=nick k=-0.2 offset=-5.125",
  "operation=nick k=0.1 invert=true",
};

LOOP_TEST (test_operations, N_CHOSEN)
{
  g_autoptr (GstHarness)
      h = harness_new ("cllocalmean kernel-width=7 kernel-height=6");
  g_autoptr (GstBus) bus = harness_bus (h);
  GstVideoInfo info;

  harness_set_format (h, choose_class ((guint) __i__), 33, 17, &info);
  for (guint i = 0; i < G_N_ELEMENTS (operations); i++) {
    local_mean_set (h, operations[i]);
    local_mean_push (h, &info, i);
  }
  expect_no_error (bus);
}

/* Operations on the windows' sums; the others use rounded means, which other
 * tests compare. With one of the borders that the kernel tests leave out. */
TEST (test_operations_at_borders)
{
  static const gchar *const kinds[] = { "stddev", "wolf", "bradley",
    "normalize" };
  static const gchar *const windows[] = { "kernel-width=6 kernel-height=9",
    "kernel-width=81 kernel-height=40" };
  g_autofree gchar *description = g_strdup_printf (
      "cllocalmean border-value=200 border-mode=%s",
      borders[3 + test_seed () % 3].border);
  g_autoptr (GstHarness) h = harness_new (description);
  g_autoptr (GstBus) bus = harness_bus (h);
  GstVideoInfo info;

  harness_set_format (h, GST_VIDEO_FORMAT_GRAY8, 33, 17, &info);
  for (guint k = 0; k < G_N_ELEMENTS (kinds); k++) {
    gst_util_set_object_arg (G_OBJECT (h->element), "operation", kinds[k]);
    for (guint w = 0; w < G_N_ELEMENTS (windows); w++) {
      local_mean_set (h, windows[w]);
      local_mean_push (h, &info, k);
    }
  }
  expect_no_error (bus);
}

/* With one level the deviation of a window is 0, and normalize has a mean of
 * 0. */
TEST (test_flat_frames)
{
  static const guint8 levels[] = { 0, 1, 128, 255 };
  g_autoptr (GstHarness) h = harness_new ("cllocalmean");
  GstVideoInfo info, out_info;

  harness_set_format (h, GST_VIDEO_FORMAT_GRAY8, 33, 17, &info);
  for (guint i = 0; i < G_N_ELEMENTS (operations); i++) {
    local_mean_set (h, operations[i]);
    for (guint l = 0; l < G_N_ELEMENTS (levels); l++) {
      g_autoptr (GstBuffer) in = frame_new_filled (&info, levels[l]);
      g_autoptr (GstBuffer) out = harness_run (h, gst_buffer_ref (in));

      harness_out_info (h, &out_info);
      expect_means (h->element, out, &out_info, in, &info);
    }
  }
}

/* --- passes, planes, steps, anchors, methods ----------------------------- */

TEST (test_repeat)
{
  static const gint passes[] = { 1, 2, 3, 8, 100 };
  g_autoptr (GstHarness)
      h = harness_new ("cllocalmean kernel-width=4 kernel-height=3");
  g_autoptr (GstBus) bus = harness_bus (h);
  GstVideoInfo info;

  for (guint f = 0; f < N_CHOSEN; f++) {
    harness_set_format (h, choose_class (f), 33, 17, &info);
    for (guint p = 0; p < G_N_ELEMENTS (passes); p++) {
      g_object_set (h->element, "repeat", passes[p], NULL);
      local_mean_push (h, &info, p);
    }
  }

  harness_set_format (h, GST_VIDEO_FORMAT_GRAY8, 33, 17, &info);
  g_object_set (h->element, "repeat", 3, "border-value", 99., NULL);
  for (guint b = 0; b < N_BORDERS; b++) {
    gst_util_set_object_arg (G_OBJECT (h->element), "border-mode",
        borders[choose_border (b)].border);
    local_mean_push (h, &info, b);
  }
  expect_no_error (bus);
}

/* Components that are not filtered are copied, including the bits below the
 * codes, which are 0 in the input. */
TEST (test_planes_and_steps)
{
  const struct {
    GstVideoFormat format;
    const gchar *values;
  } rows[] = {
    { GST_VIDEO_FORMAT_P010_10LE, "planes=y" },
    { GST_VIDEO_FORMAT_P010_10LE, "planes=u operation=stddev" },
    { GST_VIDEO_FORMAT_P010_10LE, "planes=u+v step-x=3 step-y=2" },
    { choose_planar (), "planes=u+v operation=mean step-x=1" },
    { choose_planar (), "planes=y step-y=1 repeat=3" },
    { GST_VIDEO_FORMAT_GRAY16_LE, "planes=0 repeat=1" },
    { GST_VIDEO_FORMAT_GRAY16_LE, "planes=y step-x=33 step-y=17" },
    { GST_VIDEO_FORMAT_RGB, "planes=g operation=difference step-x=1 repeat=1" },
    { GST_VIDEO_FORMAT_RGB, "planes=r+b operation=bradley step-y=1" },
    { GST_VIDEO_FORMAT_RGBx, "planes=g operation=mean" },
  };
  g_autoptr (GstHarness) h = harness_new (
      "cllocalmean kernel-width=6 kernel-height=5 anchor-x=1 anchor-y=4");
  g_autoptr (GstBus) bus = harness_bus (h);

  for (guint i = 0; i < G_N_ELEMENTS (rows); i++) {
    if (!is_chosen (rows[i].format))
      continue;
    local_mean_set (h, rows[i].values);
    local_mean_run (h, rows[i].format, 33, 17);
  }
  expect_no_error (bus);
}

/* Methods give the same bits; "sliding" uses the implementation of "direct" if
 * it has none. With a border that test_borders has, too. */
LOOP_TEST (test_methods, 4)
{
  const struct {
    GstVideoFormat format;
    const gchar *values;
  } rows[] = {
    { choose_wide (), "anchor-x=8 anchor-y=0" },
    { choose_wide (), "step-y=2" },
    { GST_VIDEO_FORMAT_GRAY8, "operation=difference" },
    { GST_VIDEO_FORMAT_GRAY8, "operation=mean-c offset=3" },
  };
  static const gchar *const methods[] = { "auto", "direct", "async-copy",
    "sliding" };
  g_autoptr (GstHarness) h = harness_new (
      "cllocalmean kernel-width=9 kernel-height=6 border-value=31");
  g_autoptr (GstBus) bus = harness_bus (h);

  gst_util_set_object_arg (G_OBJECT (h->element), "border-mode",
      borders[choose_border (test_seed () / 2 % N_BORDERS)].border);
  gst_util_set_object_arg (G_OBJECT (h->element), "method", methods[__i__]);
  for (guint i = 0; i < G_N_ELEMENTS (rows); i++) {
    local_mean_set (h, rows[i].values);
    local_mean_run (h, rows[i].format, 33, 17);
    local_mean_run (h, rows[i].format, 257, 3);
  }
  expect_no_error (bus);
}

SUITE (.start = harness_share_context);
