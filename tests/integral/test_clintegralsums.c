/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* clintegral: types of sums, and the elements that support them. */

#include "elements/common.h"
#include "elements/frames.h"
#include "elements/reference.h"
#include "suite.h"

static const gchar *const methods[] = { "auto", "multi-pass", "async-copy" };

static const gchar *
get_format (GstHarness *h)
{
  g_autoptr (GstCaps) caps = harness_out_caps (h);

  return g_intern_string (
      gst_structure_get_string (gst_caps_get_structure (caps, 0), "format"));
}

/* Runs one random frame and compares everything that its caps name. */
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

/* Every row of sum-format by every method, in one harness. */
TEST (test_sum_formats)
{
  static const struct {
    const gchar *nick, *name;
  } rows[] = { { "u64", "U64LE" }, { "f32", "F32LE" }, { "u32", "U32LE" },
    { "auto", "U32LE" } };
  static const FrameSize sizes[] = { { 1, 1 }, { 33, 17 }, { 521, 67 } };

  for (guint m = 0; m < G_N_ELEMENTS (methods); m++) {
    g_autofree gchar *description = g_strdup_printf ("clintegral method=%s",
        methods[m]);
    g_autoptr (GstHarness) h = harness_new (description);
    g_autoptr (GstBus) bus = harness_bus (h);

    for (guint r = 0; r < G_N_ELEMENTS (rows); r++) {
      gst_util_set_object_arg (G_OBJECT (h->element), "sum-format",
          rows[r].nick);
      for (guint s = 0; s < G_N_ELEMENTS (sizes); s++) {
        gst_util_set_object_arg (G_OBJECT (h->element), "layout",
            s & 1 ? "exclusive" : "inclusive");
        run_and_compare (h, GST_VIDEO_FORMAT_GRAY8, sizes[s].width,
            sizes[s].height, -1);
        fail_unless_equals_string (get_format (h), rows[r].name);
        run_and_compare (h, GST_VIDEO_FORMAT_BGR, sizes[s].width,
            sizes[s].height, -1);
      }
    }
    expect_no_error (bus);
  }
}

/* squares and tilted, with every type of sums, by one method, in one harness:
 * with an odd number of sums the squares start at a word. */
LOOP_TEST (test_arrays, G_N_ELEMENTS (methods))
{
  static const gchar *const nicks[] = { "u32", "u64", "f32" };
  static const FrameSize sizes[] = { { 1, 1 }, { 33, 17 }, { 130, 70 } };
  static const GstVideoFormat others[] = { GST_VIDEO_FORMAT_NV12,
    GST_VIDEO_FORMAT_RGB, GST_VIDEO_FORMAT_ABGR };
  const GstVideoFormat formats[] = { GST_VIDEO_FORMAT_GRAY8,
    others[(test_seed () + (guint) __i__) % G_N_ELEMENTS (others)] };
  g_autofree gchar *description = g_strdup_printf ("clintegral method=%s",
      methods[__i__]);
  g_autoptr (GstHarness) h = harness_new (description);
  g_autoptr (GstBus) bus = harness_bus (h);

  for (guint i = 0; i < 4 * G_N_ELEMENTS (nicks); i++) {
    gst_util_set_object_arg (G_OBJECT (h->element), "sum-format", nicks[i / 4]);
    gst_harness_set (h, "clintegral", "squares", i & 1, "tilted", i >> 1 & 1,
        NULL);
    for (guint s = 0; s < G_N_ELEMENTS (sizes); s++) {
      gst_util_set_object_arg (G_OBJECT (h->element), "layout",
          (i + s) & 1 ? "exclusive" : "inclusive");
      for (guint f = 0; f < G_N_ELEMENTS (formats); f++) {
        const gint component = formats[f] == GST_VIDEO_FORMAT_NV12 ? 1 : -1;

        gst_harness_set (h, "clintegral", "component", component, NULL);
        run_and_compare (h, formats[f], sizes[s].width, sizes[s].height,
            component);
      }
    }
  }
  expect_no_error (bus);
}

/* Nine samples, computed by hand, as in the documentation. */
TEST (test_tilted_by_hand)
{
  static const guint32 inclusive[] = { 1, 2, 3, 7, 11, 11, 22, 29, 26 };
  static const guint32 exclusive[] = { 0, 0, 0, 0, 0, 1, 2, 3, 1, 7, 11, 11, 7,
    22, 29, 26 };
  const guint8 samples[] = { 1, 2, 3, 0, 4, 5, 6, 0, 7, 8, 9, 0 };

  for (guint border = 0; border < 2; border++) {
    g_autoptr (GstHarness) h = harness_new ("clintegral tilted=true");
    g_autoptr (GstBuffer) out = NULL;
    const gsize n = (3 + border) * (3 + border);
    GstVideoInfo info;
    GstBuffer *in;

    gst_harness_set (h, "clintegral", "layout", border, NULL);
    harness_set_format (h, GST_VIDEO_FORMAT_GRAY8, 3, 3, &info);
    in = frame_new_filled (&info, 0);
    gst_buffer_fill (in, 0, samples, sizeof samples);
    out = harness_run (h, in);
    fail_unless_equals_uint64 (gst_buffer_get_size (out), 2 * 4 * n);
    fail_unless (gst_buffer_memcmp (out, 4 * n, border ? exclusive : inclusive,
                     4 * n) == 0);
  }
}

/* The arrays follow the sums, so that elements can ignore them. */
TEST (test_local_means_of_all_arrays)
{
  g_autoptr (GstHarness) alone = harness_new ("clintegral ! cllocalmean");
  g_autoptr (GstHarness)
      all = harness_new ("clintegral squares=true tilted=true ! cllocalmean");
  g_autoptr (GstBuffer) in = NULL;
  g_autoptr (GstBuffer) a = NULL;
  g_autoptr (GstBuffer) b = NULL;
  GstVideoInfo info;

  harness_set_format (alone, GST_VIDEO_FORMAT_RGB, 33, 17, &info);
  harness_set_format (all, GST_VIDEO_FORMAT_RGB, 33, 17, &info);
  in = frame_new (&info, 5);
  a = harness_run (alone, gst_buffer_ref (in));
  b = harness_run (all, gst_buffer_ref (in));
  expect_same_bytes (a, b);
}

/* A sum that wraps in 32 bits, fits 64, and is rounded in a float. */
TEST (test_sums_of_a_white_frame)
{
  const gint width = 4113, height = 4111;
  const guint64 total = (guint64) width * height * 255;
  const gsize last = (gsize) width * height - 1;
  static const gchar *const nicks[] = { "u32", "u64", "f32" };

  fail_unless (total > G_MAXUINT32 && (guint64) (gfloat) total != total);
  for (guint i = 0; i < G_N_ELEMENTS (nicks); i++) {
    g_autofree gchar *description = g_strdup_printf ("clintegral sum-format=%s",
        nicks[i]);
    g_autoptr (GstHarness) h = harness_new (description);
    g_autoptr (GstBuffer) out = NULL;
    GstVideoInfo info;
    GstMapInfo map;

    harness_set_format (h, GST_VIDEO_FORMAT_GRAY8, width, height, &info);
    out = harness_run (h, frame_new_filled (&info, 255));
    fail_unless (gst_buffer_map (out, &map, GST_MAP_READ));
    switch (i) {
      case 0:
        fail_unless_equals_uint64 (((const guint32 *) map.data)[last],
            (guint32) total);
        break;
      case 1:
        fail_unless_equals_uint64 (((const guint64 *) map.data)[last], total);
        break;
      default:
        fail_unless (((const gfloat *) map.data)[last] == (gfloat) total);
    }
    gst_buffer_unmap (out, &map);
  }
}

/* All types of sums link to cllocalmean; it refuses those it does not support
 * by name, which element errors tests. */
TEST (test_sums_link_to_local_means)
{
  static const gchar *const nicks[] = { "auto", "u32", "u64", "f32" };

  for (guint i = 0; i < G_N_ELEMENTS (nicks); i++) {
    GstElement *bin = gst_bin_new (NULL);
    GstElement *sums = gst_element_factory_make ("clintegral", NULL);
    GstElement *means = gst_element_factory_make ("cllocalmean", NULL);

    gst_bin_add_many (GST_BIN (bin), sums, means, NULL);
    gst_util_set_object_arg (G_OBJECT (sums), "sum-format", nicks[i]);
    fail_unless (gst_element_link (sums, means),
        "clintegral sum-format=%s does not link to cllocalmean", nicks[i]);
    gst_object_unref (bin);
  }
}

/* Downstream must request exactly the arrays that exist. */
TEST (test_arrays_backwards)
{
  for (guint i = 0; i < 16; i++) {
    g_autofree gchar *description = g_strdup_printf (
        "clintegral squares=%d tilted=%d", i & 1, i >> 1 & 1);
    g_autofree gchar *wanted = g_strdup_printf (
        "video/x-integral-image, squares=(boolean)%d, tilted=(boolean)%d",
        i >> 2 & 1, i >> 3 & 1);
    g_autoptr (GstHarness) h = harness_new (description);
    g_autoptr (GstCaps) sink_caps = NULL;

    gst_harness_set_sink_caps_str (h, wanted);
    sink_caps = gst_pad_peer_query_caps (h->srcpad, NULL);
    fail_unless (gst_caps_is_empty (sink_caps) == ((i & 3) != i >> 2),
        "%s, downstream requests %s: expected %s caps", description, wanted,
        (i & 3) != i >> 2 ? "empty" : "non-empty");
  }
}

/* The output caps name the raw formats that produce them. */
TEST (test_sum_format_backwards)
{
  static const struct {
    const gchar *nick, *wanted;
    gboolean can;
  } rows[] = {
    { "auto", "U32LE", TRUE },
    { "auto", "F32LE", FALSE },
    { "u32", "U64LE", FALSE },
    { "u64", "U64LE", TRUE },
    { "f32", "F32LE", TRUE },
    { "f32", "{ U32LE, U64LE }", FALSE },
  };

  for (guint i = 0; i < G_N_ELEMENTS (rows); i++) {
    g_autofree gchar *description = g_strdup_printf ("clintegral sum-format=%s",
        rows[i].nick);
    g_autofree gchar *wanted = g_strdup_printf (
        "video/x-integral-image, format=%s", rows[i].wanted);
    g_autoptr (GstHarness) h = harness_new (description);
    g_autoptr (GstCaps) sink_caps = NULL;
    g_autoptr (GstCaps)
        grey = gst_caps_from_string ("video/x-raw, format=GRAY8");

    gst_harness_set_sink_caps_str (h, wanted);
    sink_caps = gst_pad_peer_query_caps (h->srcpad, NULL);
    fail_unless (gst_caps_can_intersect (sink_caps, grey) == rows[i].can,
        "sum-format=%s, downstream requests %s: expected GRAY8 %s",
        rows[i].nick, rows[i].wanted,
        rows[i].can ? "to be possible" : "to be impossible");
  }
}

SUITE (.start = harness_share_context);
