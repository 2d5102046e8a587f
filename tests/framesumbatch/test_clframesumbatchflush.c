/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* clframesumbatch: flushes and changes of properties while a batch is
 * processed, from handlers of its messages and from other threads. */

#include "batches.h"
#include "elements/common.h"
#include "suite.h"

/* --- flushes from within --- */

typedef struct {
  GstHarness *h;
  guint n_left; /* messages until the flush */
} Flusher;

/* An application that seeks when it gets a result. */
static GstBusSyncReply
flush (GstBus *bus, GstMessage *message, gpointer data)
{
  Flusher *flusher = data;
  GstSegment segment;

  if (GST_MESSAGE_TYPE (message) == GST_MESSAGE_ELEMENT &&
      --flusher->n_left == 0) {
    gst_segment_init (&segment, GST_FORMAT_TIME);
    gst_harness_push_event (flusher->h, gst_event_new_flush_start ());
    gst_harness_push_event (flusher->h, gst_event_new_flush_stop (TRUE));
    gst_harness_push_event (flusher->h, gst_event_new_segment (&segment));
  }

  return GST_BUS_PASS;
}

/* At any result of a batch: the batch is dropped, and the next one is
 * complete. */
LOOP_TEST (test_flush_from_within, 4)
{
  g_autoptr (GstHarness) h = harness_new ("clframesumbatch");
  g_autoptr (GstBus) bus = harness_bus (h);
  Flusher flusher = { h, 1 + __i__ };
  g_autoptr (GstBuffer) out = NULL;
  BatchedStream streams[2];

  batched_stream_init (&streams[0], "one", GST_VIDEO_FORMAT_GRAY8, 8, 8);
  batched_stream_init (&streams[1], "two", GST_VIDEO_FORMAT_GRAY8, 9, 9);
  batch_set_caps (h, streams, 2);
  gst_bus_set_sync_handler (bus, flush, &flusher, NULL);
  batched_stream_add_frames (&streams[0], 2);
  batched_stream_add_list (&streams[1], 2);
  harness_run_into (h, batch_new (streams, 2), GST_FLOW_OK);
  fail_unless_equals_int (flusher.n_left, 0);
  gst_bus_set_sync_handler (bus, NULL, NULL, NULL);
  gst_bus_set_flushing (bus, TRUE);
  gst_bus_set_flushing (bus, FALSE);

  batched_stream_add_frames (&streams[0], 2);
  batched_stream_add_frames (&streams[1], 2);
  out = harness_run (h, batch_new (streams, 2));
  for (guint i = 0; i < 2; i++) {
    fail_unless_equals_int (batch_count (out, i), 2);
    batched_stream_clear (&streams[i]);
  }
  fail_unless_equals_int (batch_count_results (bus), 4);
}

/* Also for results that an event publishes, before or after frames. */
LOOP_TEST (test_flush_within_event, 2)
{
  g_autoptr (GstHarness) h = harness_new ("clframesumbatch");
  g_autoptr (GstBus) bus = harness_bus (h);
  Flusher flusher = { h, 1 };
  BatchedStream streams[2];

  batched_stream_init (&streams[0], "one", GST_VIDEO_FORMAT_GRAY8, 8, 8);
  batched_stream_init (&streams[1], "two", GST_VIDEO_FORMAT_GRAY8, 9, 9);
  batch_set_caps (h, streams, 2);
  batched_stream_add_frames (&streams[0], 1);
  batched_stream_add_frames (&streams[1], 1);
  gst_buffer_unref (harness_run (h, batch_new (streams, 2)));

  gst_bus_set_sync_handler (bus, flush, &flusher, NULL);
  if (__i__ == 0) {
    batched_stream_add (&streams[0], gst_event_new_eos ());
  } else {
    batched_stream_add_frames (&streams[0], 1);
    batched_stream_add_format (&streams[0], GST_VIDEO_FORMAT_GRAY8, 7, 7);
    batched_stream_add_frames (&streams[0], 1);
  }
  batched_stream_add_frames (&streams[1], 1);
  harness_run_into (h, batch_new (streams, 2), GST_FLOW_OK);
  fail_unless_equals_int (flusher.n_left, 0);
  gst_bus_set_sync_handler (bus, NULL, NULL, NULL);

  /* the flush restarts the stream that has ended */
  gst_clear_event (&streams[0].sticky[STICKY_EOS]);
  for (guint i = 0; i < 2; i++)
    batched_stream_add_frames (&streams[i], 1);
  gst_buffer_unref (harness_run (h, batch_new (streams, 2)));
  for (guint i = 0; i < 2; i++)
    batched_stream_clear (&streams[i]);
}

/* --- other threads --- */

typedef struct {
  GstHarness *h;
  GMutex lock; /* held while a batch is pushed, and while a flush ends */
  gint is_done;
} Meddler;

/* Sets properties and flushes while batches pass. */
static gpointer
meddle (gpointer data)
{
  Meddler *meddler = data;
  GstSegment segment;

  gst_segment_init (&segment, GST_FORMAT_TIME);
  for (guint i = 0; !g_atomic_int_get (&meddler->is_done); i++) {
    g_object_set (meddler->h->element, "planes", 1 + i % 3, "stats-meta",
        i % 5 != 0, NULL);
    g_usleep (2000);
    if (i % 2 == 0)
      continue;
    gst_harness_push_event (meddler->h, gst_event_new_flush_start ());
    g_mutex_lock (&meddler->lock);
    gst_harness_push_event (meddler->h, gst_event_new_flush_stop (TRUE));
    gst_harness_push_event (meddler->h, gst_event_new_segment (&segment));
    g_mutex_unlock (&meddler->lock);
  }

  return NULL;
}

TEST (test_other_threads)
{
  g_autoptr (GstHarness) h = harness_new ("clframesumbatch planes=1");
  g_autoptr (GstBus) bus = harness_bus (h);
  Meddler meddler = { .h = h };
  BatchedStream streams[2];
  GThread *thread;

  batched_stream_init (&streams[0], "one", GST_VIDEO_FORMAT_NV12, 16, 16);
  batched_stream_init (&streams[1], "two", GST_VIDEO_FORMAT_I420, 8, 8);
  batch_set_caps (h, streams, 2);
  g_mutex_init (&meddler.lock);
  thread = g_thread_new ("meddle", meddle, &meddler);
  for (guint i = 0; i < 100; i++) {
    GstFlowReturn flow;

    batched_stream_add_frames (&streams[0], 2);
    batched_stream_add_frames (&streams[1], 1);
    g_mutex_lock (&meddler.lock);
    flow = gst_harness_push (h, batch_new (streams, 2));
    g_mutex_unlock (&meddler.lock);
    fail_unless (flow == GST_FLOW_OK || flow == GST_FLOW_FLUSHING,
        "expected flow ok or flushing, found %s", gst_flow_get_name (flow));
    g_usleep (500);
  }
  g_atomic_int_set (&meddler.is_done, TRUE);
  g_thread_join (thread);
  g_mutex_clear (&meddler.lock);

  while (gst_harness_buffers_in_queue (h) > 0)
    gst_buffer_unref (gst_harness_pull (h));
  gst_buffer_unref (harness_run (h, batch_new (streams, 2)));
  expect_no_error (bus);
  for (guint i = 0; i < 2; i++)
    batched_stream_clear (&streams[i]);
}

SUITE (.start = harness_share_context);
