/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* clframesumbatch: results and frames of each stream in batches equal those of
 * the same stream through a clframesum alone. */

#include "batchrun.h"
#include "elements/common.h"
#include "suite.h"

#define MANY "statistics=moments+range+histogram+entropy+temporal+saturation"

static const gchar *const ids[] = { "one", "two", "three" };

static void
init_three (BatchedStream *streams)
{
  batched_stream_init (&streams[0], ids[0], GST_VIDEO_FORMAT_NV12, 64, 48);
  batched_stream_init (&streams[1], ids[1], GST_VIDEO_FORMAT_GRAY8, 161, 7);
  batched_stream_init (&streams[2], ids[2], GST_VIDEO_FORMAT_RGB, 33, 17);
}

/* --- equal to a stream alone ---------------------------------------------- */

static void
run_three (const gchar *properties)
{
  BatchedStream streams[3];
  Run run;

  init_three (streams);
  run_init (&run, properties, streams, 3);
  for (guint i = 0; i < 4; i++) {
    batched_stream_add_frames (&streams[0], 1);
    batched_stream_add_frames (&streams[1], i);
    batched_stream_add_frames (&streams[2], 3 - i);
    run_push (&run);
  }
  run_end (&run, ids);
}

TEST (test_three_streams)
{
  run_three (MANY);
  run_three (MANY " stats-meta=false");
  run_three ("post-messages=false");
  run_three ("frame-interval=2 events=freeze");
}

/* More frames than an element may delay. */
TEST (test_large_batch)
{
  BatchedStream streams[2];
  Run run;

  batched_stream_init (&streams[0], ids[0], GST_VIDEO_FORMAT_GRAY8, 16, 16);
  batched_stream_init (&streams[1], ids[1], GST_VIDEO_FORMAT_GRAY8, 8, 8);
  run_init (&run, MANY, streams, 2);
  batched_stream_add_frames (&streams[0], 40);
  batched_stream_add_frames (&streams[1], 1);
  run_push (&run);
  run_end (&run, ids);
}

/* Lists stay lists, events keep their position between frames. */
TEST (test_lists_and_events)
{
  BatchedStream streams[3];
  GstEvent *gap = gst_event_new_gap (0, GST_SECOND);
  GstBuffer *out;
  Run run;

  init_three (streams);
  run_init (&run, MANY, streams, 3);
  batched_stream_add_list (&streams[0], 3);
  batched_stream_add_frames (&streams[0], 1);
  batched_stream_add_list (&streams[0], 0);
  batched_stream_add (&streams[1], gap);
  batched_stream_add_frames (&streams[1], 2);
  batched_stream_add_frames (&streams[2], 1);
  batched_stream_add (&streams[2], gst_event_ref (gap));
  batched_stream_add_list (&streams[2], 2);
  out = run_push (&run);
  fail_unless_equals_int (batch_count (out, 0), 3);
  fail_unless (GST_IS_BUFFER_LIST (batch_object (out, 0, 0)));
  fail_unless (GST_IS_BUFFER (batch_object (out, 0, 1)));
  fail_unless (GST_IS_BUFFER_LIST (batch_object (out, 0, 2)));
  fail_unless_equals_int (batch_count (out, 1), 3);
  fail_unless (batch_object (out, 1, 0) == GST_MINI_OBJECT_CAST (gap));
  fail_unless_equals_int (batch_count (out, 2), 3);
  fail_unless (batch_object (out, 2, 1) == GST_MINI_OBJECT_CAST (gap));
  run_end (&run, ids);
}

TEST (test_caps_change)
{
  BatchedStream streams[3];
  Run run;

  init_three (streams);
  run_init (&run, MANY, streams, 3);
  for (guint i = 0; i < 3; i++)
    batched_stream_add_frames (&streams[i], 2);
  batched_stream_add_format (&streams[1], GST_VIDEO_FORMAT_I420, 40, 30);
  batched_stream_add_frames (&streams[1], 2);
  run_push (&run);
  run_set_caps (&run);
  for (guint i = 0; i < 3; i++)
    batched_stream_add_frames (&streams[i], 1);
  run_push (&run);
  run_end (&run, ids);
}

/* Frames before and after a flush are not compared. */
TEST (test_flush)
{
  BatchedStream streams[3];
  Run run;

  init_three (streams);
  run_init (&run, MANY, streams, 3);
  for (guint n = 0; n < 2; n++) {
    for (guint i = 0; i < 3; i++)
      batched_stream_add_frames (&streams[i], 1 + i);
    run_push (&run);
    if (n == 0)
      run_flush (&run);
  }
  run_end (&run, ids);
}

/* One stream was flushed between two frames of a batch, both of which pass. */
TEST (test_flush_of_one_stream)
{
  BatchedStream streams[3];
  Run run;

  init_three (streams);
  run_init (&run, MANY, streams, 3);
  for (guint i = 0; i < 3; i++)
    batched_stream_add_frames (&streams[i], 2);
  batched_stream_add (&streams[1], gst_event_new_flush_stop (TRUE));
  batched_stream_add (&streams[1],
      gst_event_ref (streams[1].sticky[STICKY_SEGMENT]));
  batched_stream_add_frames (&streams[1], 2);
  run_push (&run);
  run_end (&run, ids);
}

/* A stream that ends has one pooled result, in however many batches it ends. */
TEST (test_streams_end)
{
  BatchedStream streams[3];
  Run run;

  init_three (streams);
  run_init (&run, MANY, streams, 3);
  for (guint i = 0; i < 3; i++)
    batched_stream_add_frames (&streams[i], 1);
  batched_stream_add (&streams[1], gst_event_new_eos ());
  run_push (&run);
  for (guint n = 0; n < 2; n++) {
    batched_stream_add_frames (&streams[0], 1);
    run_push (&run);
  }
  run_end (&run, ids);
}

/* The pooled result is posted at once, by the element of the stream. */
TEST (test_stream_ends_early)
{
  g_autoptr (GstMessage) message = NULL;
  BatchedStream stream;
  guint index;
  Run run;

  batched_stream_init (&stream, ids[0], GST_VIDEO_FORMAT_GRAY8, 8, 8);
  run_init (&run, "", &stream, 1);
  batched_stream_add_frames (&stream, 1);
  batched_stream_add (&stream, gst_event_new_eos ());
  run_push (&run);
  message = pop_element_message (run.bus, "clframesum-pooled");
  fail_unless (message != NULL);
  fail_unless (gst_structure_get_uint (gst_message_get_structure (message),
      "stream-index", &index));
  fail_unless_equals_int (index, 0);
  fail_unless (GST_MESSAGE_SRC (message) == GST_OBJECT (run.h->element));
  run_clear (&run);
}

/* Another stream begins with the id of one that has ended. */
TEST (test_stream_begins_anew)
{
  BatchedStream stream;
  g_autoptr (GPtrArray) results = NULL;
  Run run;

  batched_stream_init (&stream, ids[0], GST_VIDEO_FORMAT_GRAY8, 8, 8);
  run_init (&run, "", &stream, 1);
  batched_stream_add_frames (&stream, 1);
  batched_stream_add (&stream, gst_event_new_eos ());
  run_push (&run);
  batched_stream_add (&stream, gst_event_new_stream_start (ids[1]));
  batched_stream_add (&stream, gst_event_ref (stream.sticky[STICKY_CAPS]));
  batched_stream_add (&stream, gst_event_ref (stream.sticky[STICKY_SEGMENT]));
  batched_stream_add_frames (&stream, 1);
  run_push (&run);
  results = take_results (run.bus);
  for (guint i = 0; i < 2; i++) /* a frame, the pooled result */
    gst_structure_free (pop_result (results, 0, ids[0]));
  gst_structure_free (pop_result (results, 0, ids[1]));
  fail_unless_equals_int (results->len, 0);
  run_clear (&run);
}

SUITE (.start = harness_share_context);
