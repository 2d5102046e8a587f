/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Conversion of sizes and caps by a window. */

#include "cl/video/gstclintegralinfo.h"
#include "elements/base/gstclcaps.h"
#include "elements/localmean/gstcllocalmeancaps.h"
#include "suite.h"

/* --- dimensions ---------------------------------------------------------- */

/* Halves are rounded up; user_data: the number to add. */
static gint
halve_and_add (gint n, gboolean upper, gpointer user_data)
{
  return n / 2 + (upper && n % 2) + GPOINTER_TO_INT (user_data);
}

/* Maps field "width" of @in, which must become @width; NULL: no result. */
static void
expect_dimension (const gchar *in, gint add, const gchar *width)
{
  g_autoptr (GstStructure) from = gst_structure_from_string (in, NULL);
  g_autoptr (GstStructure) to = gst_structure_new_empty ("x");
  gboolean mapped = gst_cl_dimension_map (from, to, "width", halve_and_add,
      GINT_TO_POINTER (add));

  fail_unless (mapped == (width != NULL), "%s: expected %s", in,
      width ? "a result" : "no result");
  if (width) {
    g_autofree gchar *expected = g_strdup_printf ("x, width=(int)%s;", width);
    g_autofree gchar *text = gst_structure_to_string (to);

    fail_unless_equals_string (text, expected);
  }
}

TEST (test_dimension_values)
{
  expect_dimension ("x, width=8", 3, "7");
  expect_dimension ("x, width=9", 0, "[ 4, 5 ]");
  expect_dimension ("x, width=[8,17]", 1, "[ 5, 10 ]");
  expect_dimension ("x, width={8,20}", 0, "{ 4, 10 }");
  expect_dimension ("x, width={8,[11,20]}", 0, "{ 4, [ 5, 10 ] }");
  expect_dimension ("x, height=8", 0, NULL);
  expect_dimension ("x, width=(string)8", 0, NULL);
}

/* Caps know no size below one. */
TEST (test_dimensions_stay_positive)
{
  expect_dimension ("x, width=2", -5, "1");
  expect_dimension ("x, width=[2,20]", -5, "[ 1, 5 ]");
  expect_dimension ("x, width=[1,4]", -5, "1");
}

/* --- local means --------------------------------------------------------- */

/* The caps that the base class derives, structure by structure, without memory
 * features. */
static GstCaps *
map_caps (const GstClWindow *window, gboolean split_fields,
    GstPadDirection direction, const GstCaps *caps)
{
  GstCaps *mapped = gst_caps_new_empty ();

  for (guint i = 0; i < gst_caps_get_size (caps); i++)
    mapped = gst_caps_merge (mapped,
        gst_cl_local_mean_map_structure (window, split_fields, direction,
            gst_caps_get_structure (caps, i)));

  return mapped;
}

static GstClWindow
window_of (gint width, gint height, gint step_x, gint step_y,
    GstClBorder border)
{
  return (GstClWindow){ width, height, -1, -1, step_x, step_y, border, 0 };
}

static void
expect_mapped (GstClWindow window, gboolean split_fields,
    GstPadDirection direction, const gchar *in, const gchar *out)
{
  g_autoptr (GstCaps) from = gst_caps_from_string (in);
  g_autoptr (GstCaps) expected = gst_caps_from_string (out);
  g_autoptr (GstCaps)
      mapped = map_caps (&window, split_fields, direction, from);

  fail_unless (gst_caps_is_equal (mapped, expected),
      "%s: found %s, expected %s", in, gst_caps_to_string (mapped), out);
}

static void
expect_caps (GstClWindow window, GstPadDirection direction, const gchar *in,
    const gchar *out)
{
  expect_mapped (window, FALSE, direction, in, out);
}

#define FORWARD  GST_PAD_SINK
#define BACKWARD GST_PAD_SRC

TEST (test_step_1_keeps_caps)
{
  const gchar *raw = "video/x-raw, format=I420, width=33, height=17, "
                     "framerate=25/1, pixel-aspect-ratio=16/11, "
                     "colorimetry=bt709, chroma-site=mpeg2";
  const gchar *range = "video/x-raw, width=[1,max], height=[2,48]";

  expect_caps (window_of (15, 15, 1, 1, GST_CL_BORDER_SHRINK), FORWARD, raw,
      raw);
  expect_caps (window_of (99, 99, 1, 1, GST_CL_BORDER_REPLICATE), FORWARD, raw,
      raw);
  expect_caps (window_of (15, 15, 1, 1, GST_CL_BORDER_SHRINK), FORWARD, range,
      range);
}

TEST (test_steps_divide_sizes)
{
  const GstClWindow window = window_of (5, 5, 4, 4, GST_CL_BORDER_SHRINK);

  expect_caps (window, FORWARD, "video/x-raw, width=33, height=16",
      "video/x-raw, width=9, height=4");
  expect_caps (window, FORWARD, "video/x-raw, width=[1,max], height={3,5,16}",
      "video/x-raw, width=[1,536870912], height={1,2,4}");
}

TEST (test_valid_uses_whole_windows)
{
  expect_caps (window_of (15, 7, 1, 1, GST_CL_BORDER_VALID), FORWARD,
      "video/x-raw, width=33, height=17", "video/x-raw, width=19, height=11");
  expect_caps (window_of (16, 16, 16, 16, GST_CL_BORDER_VALID), FORWARD,
      "video/x-raw, width=1920, height=1080",
      "video/x-raw, width=120, height=67");
  expect_caps (window_of (15, 7, 1, 1, GST_CL_BORDER_VALID), FORWARD,
      "video/x-raw, width=[10,33], height=[1,max]",
      "video/x-raw, width=[1,19], height=[1,2147483641]");
}

/* Backwards, several sizes have the same result. Integral images are another
 * possible input, for formats that they can become. With VALID, sizes smaller
 * than the window pass, too: configuring refuses them by name. */
TEST (test_sizes_backwards)
{
  expect_caps (window_of (5, 5, 4, 4, GST_CL_BORDER_SHRINK), BACKWARD,
      "video/x-raw, format=I420, width=9, height=4",
      "video/x-raw, format=I420, width=[33,36], height=[13,16]");
  expect_caps (window_of (16, 16, 16, 16, GST_CL_BORDER_VALID), BACKWARD,
      "video/x-raw, format=RGB, width=120, height=67",
      "video/x-raw, format=RGB, width=[1920,1935], height=[1072,1087];"
      "video/x-integral-image, channels=3, width=[1920,1935], "
      "height=[1072,1087]");
  expect_caps (window_of (15, 15, 1, 1, GST_CL_BORDER_SHRINK), BACKWARD,
      "video/x-raw, format=GRAY8, width=[1,max], height=[1,max]",
      "video/x-raw, format=GRAY8, width=[1,max], height=[1,max];"
      "video/x-integral-image, channels=1, width=[1,max], height=[1,max]");
  expect_caps (window_of (5, 5, 4, 4, GST_CL_BORDER_VALID), BACKWARD,
      "video/x-raw, format=Y444, width=[1,max], height=[1,max]",
      "video/x-raw, format=Y444, width=[1,max], height=[1,max]");
}

static gint
height_of (const GstCaps *caps)
{
  gint height;

  fail_unless (gst_structure_get_int (gst_caps_get_structure (caps, 0),
      "height", &height));

  return height;
}

/* Every size that a window produces maps back to the sizes that produce it, in
 * each mode: all of them if downstream names the mode. */
LOOP_TEST (test_sizes_forward_and_backward, 6)
{
  static const GstClBorder borders[] = { GST_CL_BORDER_SHRINK,
    GST_CL_BORDER_VALID };
  static const gchar *const modes[] = { "progressive", "interleaved", "mixed" };
  const gchar *mode = modes[__i__ % 3];
  const gboolean split_fields = __i__ >= 3;

  for (guint b = 0; b < G_N_ELEMENTS (borders); b++) {
    for (gint step = 1; step <= 5; step++) {
      const GstClWindow window = window_of (4, 3, step, step, borders[b]);
      GstCaps *caps[41], *results[41];

      for (gint size = 6; size <= 40; size++) {
        caps[size] = gst_caps_new_simple ("video/x-raw", "width", G_TYPE_INT,
            40, "height", G_TYPE_INT, size, "format", G_TYPE_STRING, "I420",
            "interlace-mode", G_TYPE_STRING, mode, NULL);
        results[size] = map_caps (&window, split_fields, FORWARD, caps[size]);
        fail_unless (gst_caps_is_fixed (results[size]));
      }
      for (gint size = 6; size <= 40; size++) {
        g_autoptr (GstCaps)
            back = map_caps (&window, split_fields, BACKWARD, results[size]);
        g_autoptr (GstCaps) any = gst_caps_copy (results[size]);
        g_autoptr (GstCaps) all = NULL;

        gst_structure_remove_field (gst_caps_get_structure (any, 0),
            "interlace-mode");
        all = map_caps (&window, split_fields, BACKWARD, any);
        for (gint other = 6; other <= 40; other++) {
          const gboolean is_source = height_of (results[other]) ==
                                     height_of (results[size]);

          fail_unless (gst_caps_is_subset (caps[other], back) == is_source,
              "height %d, step %d, %s: %s backwards from height %d", other,
              step, mode, is_source ? "missing" : "found", size);
          fail_unless (!is_source || gst_caps_is_subset (caps[other], all));
        }
      }
      for (gint size = 6; size <= 40; size++) {
        gst_caps_unref (caps[size]);
        gst_caps_unref (results[size]);
      }
    }
  }
}

/* Interleaved frames have the results of both fields; other modes do not, nor
 * do frames without the field interlace-mode, which are progressive. */
TEST (test_heights_of_fields)
{
  const GstClWindow window = window_of (5, 5, 1, 4, GST_CL_BORDER_SHRINK);
  const GstClWindow valid = window_of (1, 4, 1, 1, GST_CL_BORDER_VALID);
  const gchar *frames = "video/x-raw, format=I420, width=9, height=17, "
                        "interlace-mode={progressive, mixed}";
  const gchar *interleaved = "video/x-raw, format=I420, width=9, height=17, "
                             "interlace-mode=interleaved";
  const gchar *both = "video/x-raw, width=9, height=17, "
                      "interlace-mode={progressive, interleaved}";
  const gchar *range = "video/x-raw, width=9, height=[1,max], "
                       "interlace-mode=interleaved";

  expect_mapped (window, TRUE, FORWARD, frames,
      "video/x-raw, format=I420, width=9, height=5, "
      "interlace-mode={progressive, mixed}, pixel-aspect-ratio=1/4");
  expect_mapped (window, TRUE, FORWARD, interleaved,
      "video/x-raw, format=I420, width=9, height=5, "
      "interlace-mode=interleaved, pixel-aspect-ratio=1/4");
  expect_mapped (valid, TRUE, FORWARD, interleaved,
      "video/x-raw, format=I420, width=9, height=11, "
      "interlace-mode=interleaved");
  expect_mapped (valid, FALSE, FORWARD, interleaved,
      "video/x-raw, format=I420, width=9, height=14, "
      "interlace-mode=interleaved");
  expect_mapped (valid, TRUE, FORWARD, "video/x-raw, width=9, height=17",
      "video/x-raw, width=9, height=14");
  expect_mapped (valid, TRUE, FORWARD, both,
      "video/x-raw, width=9, height=14, interlace-mode=progressive;"
      "video/x-raw, width=9, height=11, interlace-mode=interleaved");
  expect_mapped (valid, TRUE, FORWARD, range,
      "video/x-raw, width=9, height=[1,2147483641], "
      "interlace-mode=interleaved");
}

/* One result is one row of the top field, or a window that does not fit. Odd
 * numbers of results have one height. */
TEST (test_heights_of_fields_backwards)
{
  static const struct {
    gint kernel, step;
    GstClBorder border;
    const gchar *results, *sizes;
  } rows[] = {
    { 5, 4, GST_CL_BORDER_SHRINK, "1", "1" },
    { 5, 4, GST_CL_BORDER_SHRINK, "2", "[2,8]" },
    { 5, 4, GST_CL_BORDER_SHRINK, "3", "9" },
    { 5, 4, GST_CL_BORDER_SHRINK, "[2,3]", "[2,9]" },
    { 5, 4, GST_CL_BORDER_SHRINK, "[1,max]", "[1,max]" },
    { 5, 4, GST_CL_BORDER_VALID, "1", "[1,9]" },
    { 5, 4, GST_CL_BORDER_VALID, "2", "[10,16]" },
    { 5, 4, GST_CL_BORDER_VALID, "{3,5}", "{17,25}" },
  };

  for (guint i = 0; i < G_N_ELEMENTS (rows); i++) {
    g_autofree gchar *in = g_strdup_printf (
        "video/x-raw, format=YUY2, width=9, height=%s, "
        "interlace-mode=interleaved, pixel-aspect-ratio=1/4",
        rows[i].results);
    g_autofree gchar *out = g_strdup_printf (
        "video/x-raw, format=YUY2, width=9, height=%s, "
        "interlace-mode=interleaved, pixel-aspect-ratio=1/1",
        rows[i].sizes);

    expect_mapped (
        window_of (1, rows[i].kernel, 1, rows[i].step, rows[i].border), TRUE,
        BACKWARD, in, out);
  }

  /* downstream does not name a mode */
  expect_mapped (window_of (1, 4, 1, 1, GST_CL_BORDER_VALID), TRUE, BACKWARD,
      "video/x-raw, format=YUY2, width=9, height=14",
      "video/x-raw, format=YUY2, width=9, height=17;"
      "video/x-raw, format=YUY2, width=9, height=20, "
      "interlace-mode=interleaved");
  expect_mapped (window_of (1, 4, 1, 1, GST_CL_BORDER_SHRINK), TRUE, BACKWARD,
      "video/x-raw, format=YUY2, width=9, height=14",
      "video/x-raw, format=YUY2, width=9, height=14");
}

TEST (test_pixel_aspect_ratio)
{
  const GstClWindow wide = window_of (5, 5, 4, 2, GST_CL_BORDER_SHRINK);
  const GstClWindow even = window_of (5, 5, 3, 3, GST_CL_BORDER_SHRINK);

  expect_caps (wide, FORWARD,
      "video/x-raw, width=32, height=32, pixel-aspect-ratio=3/4",
      "video/x-raw, width=8, height=16, pixel-aspect-ratio=3/2");
  expect_caps (wide, FORWARD, "video/x-raw, width=32, height=32",
      "video/x-raw, width=8, height=16, pixel-aspect-ratio=2/1");
  expect_caps (wide, BACKWARD,
      "video/x-raw, format=I420, width=8, height=16, pixel-aspect-ratio=3/2",
      "video/x-raw, format=I420, width=[29,32], height=[31,32], "
      "pixel-aspect-ratio=3/4");
  expect_caps (even, FORWARD,
      "video/x-raw, width=32, height=32, pixel-aspect-ratio=3/4",
      "video/x-raw, width=11, height=11, pixel-aspect-ratio=3/4");
}

TEST (test_integral_images_become_frames)
{
  const GstClWindow window = window_of (5, 5, 2, 4, GST_CL_BORDER_SHRINK);

  expect_caps (window, FORWARD,
      "video/x-integral-image, format=U32LE, width=33, height=17, channels=1, "
      "framerate=25/1, layout=exclusive, squares=false, tilted=false",
      "video/x-raw, format=GRAY8, width=17, height=5, framerate=25/1;"
      "video/x-raw, format=GRAY16_LE, width=17, height=5, framerate=25/1");
  expect_caps (window, FORWARD,
      "video/x-integral-image, width=33, height=17, channels=3",
      "video/x-raw, format=RGB, width=17, height=5");
  expect_caps (window, FORWARD,
      "video/x-integral-image, width=33, height=17, channels=4",
      "video/x-raw, format=RGBA, width=17, height=5");
  expect_caps (window, FORWARD,
      "video/x-integral-image, width=33, height=17, channels=2", "EMPTY");
  expect_caps (window, FORWARD,
      "video/x-integral-image, width=33, height=17, channels=[2,4]",
      "video/x-raw, format=RGB, width=17, height=5;"
      "video/x-raw, format=RGBA, width=17, height=5");
}

TEST (test_templates)
{
  g_autoptr (GstCaps) sink = gst_cl_local_mean_make_sink_caps ();
  g_autoptr (GstCaps) src = gst_cl_local_mean_make_src_caps ();
  g_autoptr (GstCaps) integral = gst_caps_from_string (GST_CL_INTEGRAL_CAPS);

  fail_unless (gst_caps_is_subset (src, sink));
  fail_unless (gst_caps_is_subset (integral, sink));
  fail_if (gst_caps_can_intersect (integral, src));
}
