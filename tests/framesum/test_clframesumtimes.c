/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* clframesum: timestamps of results, and the frames that have one. */

#include "elements/common.h"
#include "elements/frames.h"
#include "suite.h"

/* Returns the structure of the next message; transfer full. */
static GstStructure *
pop_message (GstBus *bus)
{
  g_autoptr (GstMessage) message = pop_element_message (bus, "clframesum");

  fail_unless (message != NULL, "no message");

  return gst_structure_copy (gst_message_get_structure (message));
}

/* --- timestamps ----------------------------------------------------------- */

static void
expect_time (const GstStructure *stats, const gchar *field, guint64 expected)
{
  guint64 time;

  fail_unless (gst_structure_get_uint64 (stats, field, &time), "no field %s",
      field);
  fail_unless (time == expected, "%s is %" G_GUINT64_FORMAT, field, time);
}

static GstBuffer *
new_timed (const GstVideoInfo *info, GstClockTime pts, GstClockTime duration)
{
  GstBuffer *frame = frame_new (info, 1);

  GST_BUFFER_PTS (frame) = pts;
  GST_BUFFER_DURATION (frame) = duration;

  return frame;
}

TEST (test_times)
{
  g_autoptr (GstHarness) h = harness_new ("clframesum");
  g_autoptr (GstBus) bus = harness_bus (h);
  GstSegment segment;
  GstVideoInfo info;

  harness_set_format (h, GST_VIDEO_FORMAT_GRAY8, 33, 17, &info);
  gst_segment_init (&segment, GST_FORMAT_TIME);
  segment.start = 10 * GST_SECOND;
  segment.time = 100 * GST_SECOND;
  segment.base = 1000 * GST_SECOND;
  fail_unless (gst_harness_push_event (h, gst_event_new_segment (&segment)));

  for (guint64 i = 0; i < 3; i++) {
    G_GNUC_UNUSED g_autoptr (GstBuffer) out = harness_run (h,
        new_timed (&info, (12 + i) * GST_SECOND, 40 * GST_MSECOND));
    g_autoptr (GstStructure) message = pop_message (bus);

    expect_time (message, "timestamp", (12 + i) * GST_SECOND);
    expect_time (message, "stream-time", (102 + i) * GST_SECOND);
    expect_time (message, "running-time", (1002 + i) * GST_SECOND);
    expect_time (message, "duration", 40 * GST_MSECOND);
    expect_time (message, "frame", i);
  }
}

TEST (test_no_times)
{
  g_autoptr (GstHarness) h = harness_new ("clframesum");
  g_autoptr (GstBus) bus = harness_bus (h);
  GstVideoInfo info;

  harness_set_format (h, GST_VIDEO_FORMAT_GRAY8, 33, 17, &info);
  for (guint64 i = 0; i < 2; i++) {
    G_GNUC_UNUSED g_autoptr (GstBuffer) out = harness_run (h,
        new_timed (&info, GST_CLOCK_TIME_NONE, GST_CLOCK_TIME_NONE));
    g_autoptr (GstStructure) message = pop_message (bus);

    expect_time (message, "timestamp", GST_CLOCK_TIME_NONE);
    expect_time (message, "stream-time", GST_CLOCK_TIME_NONE);
    expect_time (message, "running-time", GST_CLOCK_TIME_NONE);
    expect_time (message, "duration", GST_CLOCK_TIME_NONE);
    expect_time (message, "frame", i);
  }
}

/* A stream in bytes has no timestamps. */
TEST (test_segment_of_bytes)
{
  g_autoptr (GstHarness) h = harness_new ("clframesum");
  g_autoptr (GstBus) bus = harness_bus (h);
  g_autoptr (GstStructure) message = NULL;
  GstSegment segment;
  GstVideoInfo info;

  harness_set_format (h, GST_VIDEO_FORMAT_GRAY8, 33, 17, &info);
  gst_segment_init (&segment, GST_FORMAT_BYTES);
  fail_unless (gst_harness_push_event (h, gst_event_new_segment (&segment)));
  gst_buffer_unref (harness_run (h, new_timed (&info, 0, GST_SECOND)));
  message = pop_message (bus);
  expect_time (message, "timestamp", 0);
  expect_time (message, "stream-time", GST_CLOCK_TIME_NONE);
  expect_time (message, "running-time", GST_CLOCK_TIME_NONE);
}

/* Pushes @n frames, 40 ms each from @start on, and writes an x for each
 * measured frame. g_free() */
static gchar *
run_frames (GstHarness *h, const GstVideoInfo *info, GstClockTime start,
    guint n)
{
  g_autoptr (GstBus) bus = harness_bus (h);
  GString *turns = g_string_new (NULL);

  for (guint i = 0; i < n; i++) {
    g_autoptr (GstBuffer) out = harness_run (h,
        new_timed (info, start + i * 40 * GST_MSECOND, 40 * GST_MSECOND));
    g_autoptr (GstMessage) message = pop_element_message (bus, "clframesum");
    GstCustomMeta *meta = gst_buffer_get_custom_meta (out, "GstClFrameSumMeta");

    fail_unless ((message != NULL) == (meta != NULL));
    g_string_append_c (turns, message ? 'x' : '.');
  }

  return g_string_free (turns, FALSE);
}

static void
expect_turns (GstHarness *h, const GstVideoInfo *info, const gchar *expected)
{
  g_autofree gchar *turns = run_frames (h, info, 0, strlen (expected));

  fail_unless_equals_string (turns, expected);
}

TEST (test_intervals)
{
  static const struct {
    const gchar *settings, *turns;
  } rows[] = {
    { "frame-interval=3", "x..x..x..x" },
    { "interval=100000000", "x..x..x..x" },
    { "interval=80000000", "x.x.x.x.x." },
    { "interval=80000000 frame-interval=5", "x....x....x" },
    { "interval=200000000 frame-interval=2", "x....x....x" },
  };

  for (guint i = 0; i < G_N_ELEMENTS (rows); i++) {
    g_autofree gchar *description = g_strdup_printf ("clframesum %s",
        rows[i].settings);
    g_autoptr (GstHarness) h = harness_new (description);
    GstVideoInfo info;

    harness_set_format (h, GST_VIDEO_FORMAT_GRAY8, 33, 17, &info);
    expect_turns (h, &info, rows[i].turns);
  }
}

/* A flush restarts the count: the next frame is measured, as frame 0. */
TEST (test_flush_restarts_counting)
{
  g_autoptr (GstHarness) h = harness_new ("clframesum frame-interval=4");
  g_autoptr (GstBus) bus = harness_bus (h);
  g_autoptr (GstStructure) message = NULL;
  GstSegment segment;
  GstVideoInfo info;

  harness_set_format (h, GST_VIDEO_FORMAT_GRAY8, 33, 17, &info);
  expect_turns (h, &info, "x..");
  fail_unless (gst_harness_push_event (h, gst_event_new_flush_start ()));
  fail_unless (gst_harness_push_event (h, gst_event_new_flush_stop (TRUE)));
  gst_segment_init (&segment, GST_FORMAT_TIME);
  fail_unless (gst_harness_push_event (h, gst_event_new_segment (&segment)));

  gst_buffer_unref (harness_run (h, new_timed (&info, 0, 40 * GST_MSECOND)));
  message = pop_message (bus);
  expect_time (message, "frame", 0);
}

TEST (test_intervals_change_while_playing)
{
  g_autoptr (GstHarness) h = harness_new ("clframesum");
  GstVideoInfo info;

  harness_set_format (h, GST_VIDEO_FORMAT_RGBA, 33, 17, &info);
  expect_turns (h, &info, "xxx");
  g_object_set (h->element, "frame-interval", 2, NULL);
  expect_turns (h, &info, ".x.x");
  g_object_set (h->element, "frame-interval", 1, "interval",
      (guint64) 120 * GST_MSECOND, NULL);
  expect_turns (h, &info, "x..x");
  g_object_set (h->element, "interval", (guint64) 0, NULL);
  expect_turns (h, &info, "xx");
}

SUITE (.start = harness_share_context);
