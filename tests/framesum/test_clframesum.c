/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* clframesum: statistics, and how they are published. */

#include "elements/common.h"
#include "elements/frames.h"
#include "elements/reference.h"
#include "suite.h"

#include <gst/base/gstbasetransform.h>

#define ALL 0xf /* planes */

/* Returns the structure of the next message; transfer full. */
static GstStructure *
pop_message (GstBus *bus)
{
  g_autoptr (GstMessage) message = pop_element_message (bus, "clframesum");

  fail_unless (message != NULL, "no message");

  return gst_structure_copy (gst_message_get_structure (message));
}

static void
expect_no_message (GstBus *bus)
{
  fail_unless (pop_element_message (bus, "clframesum") == NULL);
}

/* Returns the structure of @buffer's meta with the name of the message, or
 * NULL. */
static GstStructure *
get_meta (GstBuffer *buffer)
{
  GstCustomMeta *meta = gst_buffer_get_custom_meta (buffer,
      "GstClFrameSumMeta");
  GstStructure *structure;

  if (!meta)
    return NULL;

  structure = gst_structure_copy (gst_custom_meta_get_structure (meta));
  gst_structure_set_name (structure, "clframesum");

  return structure;
}

static void
expect_equal (const GstStructure *a, const GstStructure *b)
{
  fail_unless (a && b);
  fail_unless (gst_structure_is_equal (a, b), "%s\n%s",
      gst_structure_to_string (a), gst_structure_to_string (b));
}

/* Runs one random frame. Its statistics must be correct and the same in
 * message, meta and property, and its bytes unchanged. */
static void
push_and_compare (GstHarness *h, const GstVideoInfo *info, guint seed,
    guint planes)
{
  g_autoptr (GstBus) bus = harness_bus (h);
  g_autoptr (GstBuffer) in = frame_new (info, seed);
  g_autoptr (GstBuffer) out = harness_run (h, gst_buffer_copy_deep (in));
  g_autoptr (GstStructure) message = pop_message (bus);
  g_autoptr (GstStructure) meta = get_meta (out);
  g_autoptr (GstStructure) stats = NULL;

  g_object_get (h->element, "stats", &stats, NULL);
  expect_statistics (message, in, info, planes);
  expect_equal (message, meta);
  expect_equal (message, stats);
  expect_same_bytes (in, out);
  expect_no_message (bus);
}

static void
run_and_compare (GstHarness *h, GstVideoFormat format, gint width, gint height,
    guint planes)
{
  GstVideoInfo info;

  harness_set_format (h, format, width, height, &info);
  push_and_compare (h, &info, width * 1000 + height, planes);
}

/* --- statistics ---------------------------------------------------------- */

static void
run_every_format (const gchar *description)
{
  g_autoptr (GstHarness) h = harness_new (description);
  g_autoptr (GstBus) bus = harness_bus (h);
  guint n;
  const GstVideoFormat *formats = test_formats (&n);

  for (guint f = 0; f < n; f++) {
    for (guint s = 0; s < n_test_sizes; s++)
      run_and_compare (h, formats[f], test_sizes[s].width, test_sizes[s].height,
          ALL);
  }
  expect_no_error (bus);
}

TEST (test_formats_auto)
{
  run_every_format ("clframesum");
}

TEST (test_formats_inner)
{
  run_every_format ("clframesum reduction=inner");
}

TEST (test_formats_outer)
{
  run_every_format ("clframesum reduction=outer");
}

TEST (test_odd_sizes)
{
  static const gchar *const reductions[] = { "auto", "inner", "outer" };
  static const FrameSize sizes[] = { { 1, 1000 }, { 1000, 1 }, { 257, 255 },
    { 521, 131 } };

  for (guint r = 0; r < G_N_ELEMENTS (reductions); r++) {
    g_autofree gchar *description = g_strdup_printf ("clframesum reduction=%s",
        reductions[r]);
    g_autoptr (GstHarness) h = harness_new (description);

    for (guint s = 0; s < G_N_ELEMENTS (sizes); s++) {
      run_and_compare (h, GST_VIDEO_FORMAT_I420, sizes[s].width,
          sizes[s].height, ALL);
      run_and_compare (h, GST_VIDEO_FORMAT_BGR, sizes[s].width, sizes[s].height,
          ALL);
    }
  }
}

/* Names and numbers; fields that the format does not have are absent. */
TEST (test_planes)
{
  static const struct {
    const gchar *planes;
    GstVideoFormat format;
    guint expected;
  } rows[] = {
    { "5", GST_VIDEO_FORMAT_I420, 5 },
    { "y+v", GST_VIDEO_FORMAT_I420, 5 },
    { "y", GST_VIDEO_FORMAT_NV12, 1 },
    { "v", GST_VIDEO_FORMAT_NV21, 4 },
    { "u+v", GST_VIDEO_FORMAT_UYVY, 6 },
    { "g", GST_VIDEO_FORMAT_xBGR, 2 },
    { "r+a", GST_VIDEO_FORMAT_RGBA, 9 },
    { "r+a", GST_VIDEO_FORMAT_RGB, 1 },
    { "8", GST_VIDEO_FORMAT_AYUV, 8 },
    { "15", GST_VIDEO_FORMAT_RGBP, 7 },
  };
  g_autoptr (GstHarness) h = harness_new ("clframesum");

  for (guint i = 0; i < G_N_ELEMENTS (rows); i++) {
    gst_util_set_object_arg (G_OBJECT (h->element), "planes", rows[i].planes);
    run_and_compare (h, rows[i].format, 33, 17, rows[i].expected);
  }
}

/* Nothing to measure: the frame passes, with a result without components. */
TEST (test_no_planes)
{
  g_autoptr (GstHarness) h = harness_new ("clframesum planes=0");
  g_autoptr (GstBus) bus = harness_bus (h);
  g_autoptr (GstStructure) message = NULL;
  GstVideoInfo info;

  harness_set_format (h, GST_VIDEO_FORMAT_GRAY8, 33, 17, &info);
  gst_buffer_unref (harness_run (h, frame_new (&info, 1)));
  message = pop_message (bus);
  fail_unless_equals_int (gst_value_array_get_size (
                              gst_structure_get_value (message, "components")),
      0);
}

TEST (test_statistics_flags)
{
  static const struct {
    const gchar *statistics;
    gboolean has_moments, has_range;
  } rows[] = { { "moments", TRUE, FALSE }, { "range", FALSE, TRUE },
    { "moments+range", TRUE, TRUE }, { "0", FALSE, FALSE },
    { "3", TRUE, TRUE } };
  g_autoptr (GstHarness) h = harness_new ("clframesum");
  g_autoptr (GstBus) bus = harness_bus (h);
  GstVideoInfo info;

  harness_set_format (h, GST_VIDEO_FORMAT_NV16, 33, 17, &info);
  for (guint i = 0; i < G_N_ELEMENTS (rows); i++) {
    g_autoptr (GstStructure) message = NULL;

    gst_util_set_object_arg (G_OBJECT (h->element), "statistics",
        rows[i].statistics);
    gst_buffer_unref (harness_run (h, frame_new (&info, i)));
    message = pop_message (bus);
    fail_unless (gst_structure_has_field (message, "components"));
    fail_unless (gst_structure_has_field (message, "sum-squares") ==
                 rows[i].has_moments);
    fail_unless (gst_structure_has_field (message, "max") == rows[i].has_range);
  }
}

/* --- publishing of results ------------------------------------------------ */

/* Pushes one frame; there is a message and a meta, exactly as requested. */
static void
expect_published (GstHarness *h, const GstVideoInfo *info, gboolean message,
    gboolean meta)
{
  g_autoptr (GstBus) bus = harness_bus (h);
  g_autoptr (GstBuffer) out = harness_run (h, frame_new (info, 1));
  g_autoptr (GstMessage) posted = NULL;
  g_autoptr (GstStructure) put = get_meta (out);
  g_autoptr (GstStructure) stats = NULL;

  harness_drain (h);
  posted = pop_element_message (bus, "clframesum");
  fail_unless ((posted != NULL) == message);
  fail_unless ((put != NULL) == meta);
  g_object_get (h->element, "stats", &stats, NULL);
  fail_unless (stats != NULL);
  if (posted)
    expect_equal (gst_message_get_structure (posted), stats);
  if (put)
    expect_equal (put, stats);
}

TEST (test_messages_and_metas)
{
  g_autoptr (GstHarness) h = harness_new ("clframesum");
  g_autoptr (GstStructure) stats = NULL;
  GstVideoInfo info;

  g_object_get (h->element, "stats", &stats, NULL);
  fail_unless (stats == NULL);

  harness_set_format (h, GST_VIDEO_FORMAT_I420, 33, 17, &info);
  for (guint round = 0; round < 2; round++) {
    expect_published (h, &info, TRUE, TRUE);
    g_object_set (h->element, "post-messages", FALSE, NULL);
    expect_published (h, &info, FALSE, TRUE);
    g_object_set (h->element, "stats-meta", FALSE, NULL);
    expect_published (h, &info, FALSE, FALSE);
    g_object_set (h->element, "post-messages", TRUE, NULL);
    expect_published (h, &info, TRUE, FALSE);
    g_object_set (h->element, "stats-meta", TRUE, NULL);
    expect_published (h, &info, TRUE, TRUE);
  }
}

/* Without a meta the same buffer is passed on, even if others hold references
 * to it. */
TEST (test_passthrough)
{
  g_autoptr (GstHarness) h = harness_new ("clframesum stats-meta=false");
  g_autoptr (GstBus) bus = harness_bus (h);
  GstBaseTransform *trans = GST_BASE_TRANSFORM (h->element);
  GstVideoInfo info;

  harness_set_format (h, GST_VIDEO_FORMAT_YUY2, 33, 17, &info);
  fail_unless (gst_base_transform_is_passthrough (trans));
  for (guint i = 0; i < 2; i++) {
    g_autoptr (GstBuffer) in = frame_new (&info, i);
    g_autoptr (GstBuffer) out = harness_run (h, gst_buffer_ref (in));
    g_autoptr (GstStructure) message = NULL;

    harness_drain (h);
    message = pop_message (bus);
    fail_unless (out == in);
    fail_unless (get_meta (out) == NULL);
    expect_statistics (message, in, &info, ALL);
  }

  /* a change takes effect with the next frame */
  for (guint i = 0; i < 4; i++) {
    const gboolean passes = i % 2;
    g_autoptr (GstBuffer) in = frame_new (&info, i);
    g_autoptr (GstBuffer) out = NULL;
    g_autoptr (GstStructure) meta = NULL;

    g_object_set (h->element, "stats-meta", !passes, NULL);
    out = harness_run (h, gst_buffer_ref (in));
    fail_unless (gst_base_transform_is_passthrough (trans) == passes);
    fail_unless ((out == in) == passes);
    meta = get_meta (out);
    fail_unless ((meta == NULL) == passes);
  }
}

/* A buffer that others hold, too, gets no meta. A copy of the buffer, but not
 * of its memory, gets it. */
TEST (test_shared_buffers_are_not_written)
{
  g_autoptr (GstHarness) h = harness_new ("clframesum");
  g_autoptr (GstBuffer) in = NULL;
  g_autoptr (GstBuffer) out = NULL;
  GstVideoInfo info;

  harness_set_format (h, GST_VIDEO_FORMAT_RGB, 33, 17, &info);
  in = frame_new (&info, 1);
  out = harness_run (h, gst_buffer_ref (in));
  fail_unless (out != in);
  fail_unless (get_meta (in) == NULL);
  fail_unless (gst_buffer_get_custom_meta (out, "GstClFrameSumMeta") != NULL);
  fail_unless (
      gst_buffer_peek_memory (in, 0) == gst_buffer_peek_memory (out, 0));
}

/* It describes the measured frame, whatever happens to the frame later. */
TEST (test_meta_survives_conversion)
{
  g_autoptr (GstHarness) h = harness_new (
      "clframesum ! videoconvert ! video/x-raw,format=RGB ! videoscale ! "
      "video/x-raw,width=8,height=6 ! videoconvert ! video/x-raw,format=NV12 ! "
      "identity");
  G_GNUC_UNUSED g_autoptr (GstBus) bus = harness_bus (h);
  g_autoptr (GstBuffer) in = NULL;
  g_autoptr (GstBuffer) out = NULL;
  g_autoptr (GstStructure) meta = NULL;
  GstVideoInfo info;

  harness_set_format (h, GST_VIDEO_FORMAT_Y42B, 34, 18, &info);
  in = frame_new (&info, 1);
  out = harness_run (h, gst_buffer_ref (in));
  meta = get_meta (out);
  fail_unless (meta != NULL);
  expect_statistics (meta, in, &info, ALL);
}

/* --- changes while playing ----------------------------------------------- */

TEST (test_changes_while_playing)
{
  static const struct {
    const gchar *property, *value;
    guint planes;
  } changes[] = {
    { "planes", "g", 2 },
    { "reduction", "inner", 2 },
    { "planes", "r+b", 5 },
    { "reduction", "outer", 5 },
    { "planes", "15", ALL },
    { "reduction", "auto", ALL },
  };
  g_autoptr (GstHarness) h = harness_new ("clframesum");
  g_autoptr (GstBus) bus = harness_bus (h);
  GstVideoInfo info;

  harness_set_format (h, GST_VIDEO_FORMAT_RGBA, 65, 31, &info);
  push_and_compare (h, &info, 0, ALL);
  for (guint i = 0; i < G_N_ELEMENTS (changes); i++) {
    gst_util_set_object_arg (G_OBJECT (h->element), changes[i].property,
        changes[i].value);
    push_and_compare (h, &info, i + 1, changes[i].planes);
  }
  expect_no_error (bus);
}

SUITE (.start = harness_share_context);
