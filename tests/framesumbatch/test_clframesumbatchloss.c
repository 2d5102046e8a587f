/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* clframesumbatch: signal-loss of streams in batches, with a clock that the
 * test controls. */

#include "batches.h"
#include "elements/common.h"
#include "elements/frames.h"
#include "suite.h"

#include <gst/check/gsttestclock.h>

typedef struct {
  GstHarness *h;
  GstBus *bus;
  BatchedStream streams[2];
} Cameras;

/* Playing, the clock at 0. */
static void
cameras_init (Cameras *cameras)
{
  GstHarness *h = harness_new (
      "clframesumbatch events=signal-loss statistics=0");

  cameras->h = h;
  cameras->bus = harness_bus (h);
  gst_element_set_state (h->element, GST_STATE_PAUSED);
  gst_harness_use_testclock (h);
  gst_element_set_state (h->element, GST_STATE_PLAYING);
  batched_stream_init (&cameras->streams[0], "one", GST_VIDEO_FORMAT_GRAY8, 8,
      8);
  batched_stream_init (&cameras->streams[1], "two", GST_VIDEO_FORMAT_GRAY8, 8,
      8);
  batch_set_caps (h, cameras->streams, 2);
}

static void
cameras_clear (Cameras *cameras)
{
  for (guint i = 0; i < 2; i++)
    batched_stream_clear (&cameras->streams[i]);
  gst_object_unref (cameras->bus);
  harness_free (cameras->h);
}

static void
add_frame (BatchedStream *stream, GstClockTime time)
{
  GstBuffer *frame = frame_new (&stream->info, 1);

  GST_BUFFER_PTS (frame) = time;
  GST_BUFFER_DURATION (frame) = 40 * GST_MSECOND;
  batched_stream_add (stream, frame);
}

/* A batch at @time with a frame of each of the first @n streams. */
static void
push_frames (Cameras *cameras, guint n, GstClockTime time)
{
  for (guint i = 0; i < n; i++)
    add_frame (&cameras->streams[i], time);
  gst_buffer_unref (harness_run (cameras->h, batch_new (cameras->streams, 2)));
}

/* Advances the clock to @time, tick by tick. */
static void
wait_until (GstHarness *h, GstClockTime time)
{
  g_autoptr (GstTestClock) clock = gst_harness_get_testclock (h);
  GstClockTime next;

  while ((next = gst_test_clock_get_next_entry_time (clock)) <= time) {
    GstClockID id;

    gst_test_clock_set_time (clock, next);
    id = gst_test_clock_process_next_clock_id (clock);
    if (id)
      gst_clock_id_unref (id);
  }
  gst_test_clock_set_time (clock, time);
}

/* Checks that the next event is a loss of stream @index; -1: there is none. */
static void
expect_loss (Cameras *cameras, gint index)
{
  g_autoptr (GstMessage)
      message = pop_element_message (cameras->bus, "clframesum-event");
  guint of;

  if (index < 0) {
    fail_unless (message == NULL);
    return;
  }
  fail_unless (message != NULL);
  fail_unless (gst_structure_get_uint (gst_message_get_structure (message),
      "stream-index", &of));
  fail_unless_equals_int (of, index);
}

/* Batches continue without one of their streams. */
TEST (test_one_stream_stops)
{
  Cameras cameras;

  cameras_init (&cameras);
  push_frames (&cameras, 2, 0);
  for (guint i = 1; i <= 4; i++) {
    wait_until (cameras.h, i * GST_SECOND);
    push_frames (&cameras, 1, i * GST_SECOND);
  }
  expect_loss (&cameras, 1);
  expect_loss (&cameras, -1);
  cameras_clear (&cameras);
}

/* Measures two planes from the next event on. */
static GstBusSyncReply
set_planes (GstBus *bus, GstMessage *message, gpointer element)
{
  if (gst_message_has_name (message, "clframesum-event"))
    g_object_set (element, "planes", 2, NULL);

  return GST_BUS_PASS;
}

/* A property that ends an event of a stream: the handler of its message may set
 * another property before the first is set on all streams. */
TEST (test_property_by_handler_of_message)
{
  Cameras cameras;
  guint planes, events;

  cameras_init (&cameras);
  push_frames (&cameras, 2, 0);
  wait_until (cameras.h, 4 * GST_SECOND);
  expect_loss (&cameras, 0);
  expect_loss (&cameras, 1);
  gst_bus_set_sync_handler (cameras.bus, set_planes, cameras.h->element, NULL);
  g_object_set (cameras.h->element, "events", 0, NULL);
  gst_bus_set_sync_handler (cameras.bus, NULL, NULL, NULL);
  expect_loss (&cameras, 0); /* their ends */
  expect_loss (&cameras, 1);
  expect_loss (&cameras, -1);
  for (guint i = 0; i < 2; i++) {
    g_autoptr (GObject) element = gst_child_proxy_get_child_by_index (
        GST_CHILD_PROXY (cameras.h->element), i);

    g_object_get (element, "planes", &planes, "events", &events, NULL);
    fail_unless_equals_int (planes, 2);
    fail_unless_equals_int (events, 0);
  }
  cameras_clear (&cameras);
}

static GstPadProbeReturn
keep_waiting (GstPad *pad, GstPadProbeInfo *info, gpointer data)
{
  const GstClockTime *time = g_object_get_data (G_OBJECT (pad), "time");

  wait_until (data, *time);

  return GST_PAD_PROBE_REMOVE;
}

/* Downstream blocks each buffer for ten seconds. */
static void
block (Cameras *cameras, GstPadProbeType type, const GstClockTime *time)
{
  g_object_set_data (G_OBJECT (cameras->h->sinkpad), "time", (gpointer) time);
  gst_pad_add_probe (cameras->h->sinkpad, type, keep_waiting, cameras->h, NULL);
}

/* Time that other elements need for a batch, an event or a query is no loss of
 * any stream, in its first batch or later. */
TEST (test_downstream_waits)
{
  static const GstClockTime times[] = { 10 * GST_SECOND, 20 * GST_SECOND,
    30 * GST_SECOND, 40 * GST_SECOND };
  Cameras cameras;

  cameras_init (&cameras);
  block (&cameras, GST_PAD_PROBE_TYPE_BUFFER, &times[0]);
  push_frames (&cameras, 2, 0);
  expect_loss (&cameras, -1);
  block (&cameras, GST_PAD_PROBE_TYPE_BUFFER, &times[1]);
  push_frames (&cameras, 2, 40 * GST_MSECOND);
  expect_loss (&cameras, -1);
  block (&cameras, GST_PAD_PROBE_TYPE_EVENT_DOWNSTREAM, &times[2]);
  gst_harness_push_event (cameras.h,
      gst_event_new_gap (80 * GST_MSECOND, GST_SECOND));
  expect_loss (&cameras, -1);
  block (&cameras, GST_PAD_PROBE_TYPE_QUERY_DOWNSTREAM, &times[3]);
  harness_drain (cameras.h);
  expect_loss (&cameras, -1);

  wait_until (cameras.h, 44 * GST_SECOND);
  expect_loss (&cameras, 0);
  expect_loss (&cameras, 1);
  expect_loss (&cameras, -1);
  cameras_clear (&cameras);
}

SUITE (.start = harness_share_context);
