/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* clframesum: results of streams that end, fail, or change to a format that
 * cannot be judged. */

#include "elements/common.h"
#include "faults/layer.h"
#include "elements/frames.h"
#include "suite.h"

#define FRAME_TIME (40 * GST_MSECOND)

typedef struct {
  GstHarness *h;
  GstBus *bus;
  GstElement *element;
  GstVideoInfo info;
  guint n_frames; /* pushed */
} Stream;

static void
stream_init (Stream *stream, const gchar *description)
{
  stream->n_frames = 0;
  stream->h = harness_new (description);
  stream->bus = harness_bus (stream->h);
  stream->element = harness_element (stream->h, "clframesum");
  harness_set_format (stream->h, GST_VIDEO_FORMAT_I420, 32, 16, &stream->info);
}

static void
stream_clear (Stream *stream)
{
  gst_clear_object (&stream->element);
  gst_clear_object (&stream->bus);
  harness_free (stream->h);
}

/* One black frame. */
static GstFlowReturn
push_frame (Stream *stream)
{
  GstBuffer *frame = frame_new_filled (&stream->info, 0);

  GST_BUFFER_PTS (frame) = stream->n_frames++ * FRAME_TIME;
  GST_BUFFER_DURATION (frame) = FRAME_TIME;

  return gst_harness_push (stream->h, frame);
}

static void
push_frames (Stream *stream, guint n_frames)
{
  for (guint i = 0; i < n_frames; i++)
    fail_unless_equals_int (push_frame (stream), GST_FLOW_OK);
}

static guint
count_messages (Stream *stream, const gchar *name)
{
  GstMessage *message;
  guint n = 0;

  for (; (message = pop_element_message (stream->bus, name)); n++)
    gst_message_unref (message);

  return n;
}

/* Checks that there is one pooled result, of @n_frames frames; @is_complete:
 * its field complete. */
static void
expect_pooled (Stream *stream, guint64 n_frames, gboolean is_complete)
{
  g_autoptr (GstMessage) message = NULL;
  const GstStructure *pooled;
  gboolean complete;
  guint64 frames;

  harness_drain (stream->h);
  message = pop_element_message (stream->bus, "clframesum-pooled");
  fail_unless (message != NULL);
  pooled = gst_message_get_structure (message);
  fail_unless (gst_structure_get (pooled, "frames", G_TYPE_UINT64, &frames,
      "complete", G_TYPE_BOOLEAN, &complete, NULL));
  fail_unless_equals_uint64 (frames, n_frames);
  fail_unless_equals_int (complete, is_complete);
  fail_unless_equals_int (count_messages (stream, "clframesum-pooled"), 0);
}

/* Delayed frames have been measured: a stop publishes their results. */
TEST (test_stop_publishes_delayed_frames)
{
  Stream stream;

  stream_init (&stream, "clframesum async-depth=8");
  push_frames (&stream, 5);
  fail_unless_equals_int (
      gst_element_set_state (stream.element, GST_STATE_READY),
      GST_STATE_CHANGE_SUCCESS);
  expect_pooled (&stream, 5, FALSE);
  stream_clear (&stream);
}

TEST (test_stop_posts_results_of_delayed_frames)
{
  Stream stream;

  stream_init (&stream, "clframesum async-depth=8");
  push_frames (&stream, 5);
  fail_unless_equals_int (count_messages (&stream, "clframesum"), 0);
  gst_element_set_state (stream.element, GST_STATE_READY);
  fail_unless_equals_int (count_messages (&stream, "clframesum"), 5);
  stream_clear (&stream);
}

/* A rectangle outside the frame ends the stream; upstream then sends EOS. */
TEST (test_own_error)
{
  Stream stream;

  stream_init (&stream, "clframesum");
  push_frames (&stream, 3);
  g_object_set (stream.element, "position-x", 1000, NULL);
  fail_if (push_frame (&stream) == GST_FLOW_OK);
  gst_harness_push_event (stream.h, gst_event_new_eos ());
  expect_pooled (&stream, 3, FALSE);
  stream_clear (&stream);
}

/* A result that fails after its frame has passed is missing from the pooled
 * result: no buffer reports it. So is one that fails when EOS waits for delayed
 * frames. */
LOOP_TEST (test_results_that_fail_alone, 2)
{
  static const struct {
    const gchar *description;
    guint n_before, n_failing, n_pooled;
  } rows[] = {
    { "clframesum stats-meta=false", 2, 1, 2 },
    { "clframesum async-depth=3", 5, 0, 2 },
  };
  Stream stream;

  stream_init (&stream, rows[__i__].description);
  push_frames (&stream, rows[__i__].n_before);
  if (rows[__i__].n_failing)
    harness_drain (stream.h);
  layer_fail_waits (TRUE);
  push_frames (&stream, rows[__i__].n_failing);
  gst_harness_push_event (stream.h, gst_event_new_eos ());
  layer_fail_waits (FALSE);
  expect_pooled (&stream, rows[__i__].n_pooled, FALSE);
  stream_clear (&stream);
}

/* A bus on which posting an error takes time. */
static GstBusSyncReply
post_late (GstBus *bus, GstMessage *message, gpointer user_data)
{
  if (GST_MESSAGE_TYPE (message) == GST_MESSAGE_ERROR)
    g_usleep (G_USEC_PER_SEC / 5);

  return GST_BUS_PASS;
}

/* The thread of late results detects a failed result, and so does a streaming
 * thread, of the same element or another one, before the error is on the bus:
 * the flow ends when the error is on the bus, and there is one error only. */
LOOP_TEST (test_error_is_posted_before_flow_ends, 3)
{
  static const gchar *const descriptions[] = { "clframesum stats-meta=false",
    "clframesum stats-meta=false ! clintegral",
    "clintegral ! cllocalmean ! clframesum stats-meta=false" };
  GstFlowReturn flow = GST_FLOW_OK;
  GstMessage *message;
  Stream stream;

  stream_init (&stream, descriptions[__i__]);
  push_frames (&stream, 5);
  harness_drain (stream.h);
  gst_bus_set_sync_handler (stream.bus, post_late, NULL, NULL);
  layer_fail_waits (TRUE);
  for (guint i = 0; i < 1000 && flow == GST_FLOW_OK; i++) {
    flow = push_frame (&stream);
    if (flow == GST_FLOW_OK)
      g_usleep (G_USEC_PER_SEC / 1000);
  }
  message = gst_bus_pop_filtered (stream.bus, GST_MESSAGE_ERROR);
  layer_fail_waits (FALSE);
  fail_unless_equals_int (flow, GST_FLOW_ERROR);
  fail_unless (message != NULL, "the flow ends, and there is no error");
  gst_message_unref (message);
  harness_drain (stream.h);
  expect_no_error (stream.bus);
  stream_clear (&stream);
}

/* A frame that could not be measured is missing, however many frames follow. */
TEST (test_error_amid_frames)
{
  GstSegment segment;
  Stream stream;

  stream_init (&stream, "clframesum");
  push_frames (&stream, 2);
  fail_unless_equals_int (gst_harness_push (stream.h, gst_buffer_new ()),
      GST_FLOW_ERROR);
  push_frames (&stream, 1);
  gst_harness_push_event (stream.h, gst_event_new_eos ());
  expect_pooled (&stream, 3, FALSE);

  /* frames after the end of the stream begin a new one */
  gst_harness_push_event (stream.h, gst_event_new_flush_start ());
  gst_harness_push_event (stream.h, gst_event_new_flush_stop (TRUE));
  gst_segment_init (&segment, GST_FORMAT_TIME);
  gst_harness_push_event (stream.h, gst_event_new_segment (&segment));
  push_frames (&stream, 1);
  gst_harness_push_event (stream.h, gst_event_new_eos ());
  expect_pooled (&stream, 1, TRUE);
  stream_clear (&stream);
}

TEST (test_end_of_stream)
{
  Stream stream;

  stream_init (&stream, "clframesum");
  push_frames (&stream, 3);
  gst_harness_push_event (stream.h, gst_event_new_eos ());
  expect_pooled (&stream, 3, TRUE);
  stream_clear (&stream);
}

/* The end of a segment after a segment seek. */
TEST (test_end_of_segment)
{
  Stream stream;

  stream_init (&stream, "clframesum events=black black-min-duration=40000000");
  push_frames (&stream, 3);
  gst_harness_push_event (stream.h,
      gst_event_new_segment_done (GST_FORMAT_TIME, 3 * FRAME_TIME));
  expect_pooled (&stream, 3, TRUE);
  push_frames (&stream, 2);
  gst_harness_push_event (stream.h, gst_event_new_eos ());
  expect_pooled (&stream, 2, TRUE);
  stream_clear (&stream);
}

/* Without luma it is unknown whether the picture is still black. */
TEST (test_frames_that_are_not_judged)
{
  const GstStructure *event;
  GstMessage *message;
  guint64 duration = 0;
  Stream stream;

  stream_init (&stream, "clframesum events=black black-min-duration=40000000");
  push_frames (&stream, 3);
  gst_util_set_object_arg (G_OBJECT (stream.element), "planes", "u+v");
  push_frames (&stream, 4);
  harness_drain (stream.h);
  while ((message = pop_element_message (stream.bus, "clframesum-event"))) {
    event = gst_message_get_structure (message);
    if (g_str_equal (gst_structure_get_string (event, "state"), "end"))
      gst_structure_get_uint64 (event, "duration", &duration);
    gst_message_unref (message);
  }
  fail_unless_equals_uint64 (duration, 3 * FRAME_TIME); /* to the last */
  stream_clear (&stream);
}
