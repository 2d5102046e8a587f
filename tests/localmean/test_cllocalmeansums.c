/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* cllocalmean after clintegral: every form of integral image, compared with the
 * scalar references. */

#include "elements/common.h"
#include "elements/frames.h"
#include "elements/localmean.h"
#include "suite.h"

/* From sums of @sum_format to pixels: 1, 3 and 4 channels, 8 to 16 bits, both
 * layouts. The first N_FIXED are always tested. */
static const struct {
  GstVideoFormat in;
  const gchar *integral; /* properties of clintegral */
  GstVideoFormat out;
  const gchar *out_name;
  guint n_components;
} forms[] = {
  { GST_VIDEO_FORMAT_GRAY8, "sum-format=u32", GST_VIDEO_FORMAT_GRAY8, "GRAY8",
      1 },
  { GST_VIDEO_FORMAT_BGRx, "sum-format=u32 layout=exclusive",
      GST_VIDEO_FORMAT_RGB, "RGB", 3 },
  { GST_VIDEO_FORMAT_GRAY16_LE, "sum-format=u64", GST_VIDEO_FORMAT_GRAY16_LE,
      "GRAY16_LE", 1 },
  { GST_VIDEO_FORMAT_NV12, "sum-format=u64 layout=exclusive",
      GST_VIDEO_FORMAT_GRAY8, "GRAY8", 1 },
  { GST_VIDEO_FORMAT_ARGB, "sum-format=u64", GST_VIDEO_FORMAT_RGBA, "RGBA", 4 },
  { GST_VIDEO_FORMAT_P010_10LE, "sum-format=u32 layout=exclusive",
      GST_VIDEO_FORMAT_GRAY16_LE, "GRAY16_LE", 1 },
  { GST_VIDEO_FORMAT_I420_12LE, "sum-format=u64 layout=exclusive",
      GST_VIDEO_FORMAT_GRAY16_LE, "GRAY16_LE", 1 },
  { GST_VIDEO_FORMAT_YUY2, "sum-format=u32", GST_VIDEO_FORMAT_GRAY16_LE,
      "GRAY16_LE", 1 },
};

#define N_FIXED  2
#define N_CHOSEN 1
#define GRAY8_32 0
#define GRAY16   2

/* Returns the form of number @i of the fixed and the chosen ones. */
static guint
form_of (guint i)
{
  const guint n_others = G_N_ELEMENTS (forms) - N_FIXED;

  return i < N_FIXED
             ? i
             : N_FIXED + (test_seed () + i * n_others / N_CHOSEN) % n_others;
}

static GstHarness *
new_harness (guint form, const gchar *squares)
{
  g_autofree gchar *description = g_strdup_printf (
      "clintegral %s %s ! cllocalmean kernel-width=6 kernel-height=5 ! "
      "capsfilter caps=video/x-raw,format=%s",
      forms[form].integral, squares, forms[form].out_name);

  return harness_new (description);
}

static void
run_values (GstHarness *h, guint form, const gchar *const *values, guint n)
{
  g_autoptr (GstBus) bus = harness_bus (h);

  for (guint i = 0; i < n; i++) {
    local_mean_set (h, values[i]);
    local_mean_run_integral (h, forms[form].in, forms[form].out,
        forms[form].n_components);
  }
  expect_no_error (bus);
}

/* Operations that need no squares, with and without squares. */
LOOP_TEST (test_sums, N_FIXED + N_CHOSEN)
{
  static const gchar *const values[] = {
    "operation=mean",
    "planes=g+a step-y=3",
    "operation=difference planes=15 step-y=1",
    "operation=normalize target=140.25",
    "operation=mean-c offset=-2.5 anchor-x=0 anchor-y=4",
    "operation=bradley invert=true offset=0 planes=r+b",
  };
  const guint form = form_of ((guint) __i__);
  g_autoptr (GstHarness) h = new_harness (form, "");
  g_autoptr (GstHarness) with_squares = new_harness (form, "squares=true");

  run_values (h, form, values, G_N_ELEMENTS (values));
  run_values (with_squares, form, values, 1);
}

LOOP_TEST (test_squares, N_FIXED + N_CHOSEN)
{
  static const gchar *const values[] = {
    "operation=stddev",
    "operation=niblack k=-0.4 step-x=2",
    "operation=sauvola k=0.3 r=100 step-x=1 step-y=2",
    "operation=wolf k=0.5 offset=1.5 step-y=1",
    "operation=nick k=-0.1 invert=true planes=r+b",
    "operation=stddev anchor-x=0 anchor-y=4 planes=15",
  };
  static const gchar *const extras[] = { "squares=true",
    "squares=true tilted=true" };
  const guint form = form_of ((guint) __i__);
  g_autoptr (GstHarness) h = new_harness (form, extras[form % 2]);

  run_values (h, form, values, G_N_ELEMENTS (values));
}

/* Every border, half of them from 32-bit sums to 8 bits, the others from 64-bit
 * sums to 16; windows that stay within one period of the frame, and larger
 * ones. */
#define N_BORDERS 2 /* of these, chosen by the seed */

static const struct {
  const gchar *border;
  guint form;
} borders[] = {
  { "constant", GRAY8_32 },
  { "reflect-101", GRAY8_32 },
  { "valid", GRAY8_32 },
  { "replicate", GRAY16 },
  { "reflect", GRAY16 },
  { "wrap", GRAY16 },
  { "valid", GRAY16 },
};

LOOP_TEST (test_borders, N_BORDERS)
{
  const guint n = G_N_ELEMENTS (borders);
  const guint b = (test_seed () + (guint) __i__ * n / N_BORDERS) % n;
  g_autoptr (GstHarness) h = new_harness (borders[b].form, "squares=true");
  g_autofree gchar *border = g_strdup_printf (
      "border-mode=%s border-value=180.5 operation=mean", borders[b].border);
  const gchar *const values[] = { border, "operation=stddev",
    "operation=difference", "operation=wolf step-x=3 step-y=2",
    "kernel-width=71 kernel-height=40 operation=bradley", "operation=nick" };
  const gboolean is_valid = g_str_equal (borders[b].border, "valid");

  /* the last windows are larger than all frames */
  run_values (h, borders[b].form, values,
      G_N_ELEMENTS (values) - (is_valid ? 2 : 0));
}

TEST (test_methods)
{
  static const gchar *const values[] = { "method=async-copy operation=mean",
    "step-x=2 method=direct", "operation=mean-c method=async-copy" };
  const guint rows[] = { GRAY8_32, form_of (N_FIXED) };

  for (guint r = 0; r < G_N_ELEMENTS (rows); r++) {
    g_autoptr (GstHarness) h = new_harness (rows[r], "");

    run_values (h, rows[r], values, G_N_ELEMENTS (values));
  }
}

/* Codes above the largest of GRAY8 are cut to it. */
TEST (test_codes_beyond_the_result)
{
  static const gchar *const values[] = { "operation=mean", "planes=0",
    "border-mode=constant planes=y", "border-value=255" };
  g_autoptr (GstHarness) h = harness_new (
      "clintegral ! cllocalmean kernel-width=2 kernel-height=1 ! "
      "capsfilter caps=video/x-raw,format=GRAY8");

  for (guint i = 0; i < G_N_ELEMENTS (values); i++) {
    local_mean_set (h, values[i]);
    local_mean_run_integral (h, GST_VIDEO_FORMAT_Y444_10LE,
        GST_VIDEO_FORMAT_GRAY8, 1);
  }
}

/* GRAY8 has priority if both formats are possible. */
TEST (test_format_of_the_result)
{
  g_autoptr (GstHarness) h = harness_new ("clintegral ! cllocalmean");

  local_mean_run_integral (h, GST_VIDEO_FORMAT_NV12, GST_VIDEO_FORMAT_GRAY8, 1);
  gst_harness_set_sink_caps_str (h, "video/x-raw, format=GRAY16_LE");
  local_mean_run_integral (h, GST_VIDEO_FORMAT_GRAY16_LE,
      GST_VIDEO_FORMAT_GRAY16_LE, 1);
}

SUITE (.start = harness_share_context);
