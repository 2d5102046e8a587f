/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* clframesum: results that arrive after their frames, and frames that wait for
 * their results. */

#include "elements/common.h"
#include "elements/frames.h"
#include "elements/reference.h"
#include "suite.h"

#define FRAME_NS (GST_SECOND / 25) /* as in harness_set_format() */
#define META     "GstClFrameSumMeta"

/* Creates frame @i of a stream, with its own timestamp and contents. */
static GstBuffer *
timed_frame (const GstVideoInfo *info, guint i)
{
  GstBuffer *frame = frame_new_filled (info, i);

  GST_BUFFER_PTS (frame) = i * FRAME_NS;
  GST_BUFFER_DURATION (frame) = FRAME_NS;

  return frame;
}

/* Checks that @structure is that of frame @i. */
static void
expect_frame (const GstStructure *structure, guint i)
{
  guint64 timestamp, running_time, number;
  const GValue *min = gst_structure_get_value (structure, "min");

  fail_unless (gst_structure_get (structure, "timestamp", G_TYPE_UINT64,
      &timestamp, "running-time", G_TYPE_UINT64, &running_time, "frame",
      G_TYPE_UINT64, &number, NULL));
  fail_unless_equals_uint64 (timestamp, i * FRAME_NS);
  fail_unless_equals_uint64 (running_time, i * FRAME_NS);
  fail_unless_equals_uint64 (number, i);
  fail_unless_equals_int (g_value_get_uint (gst_value_array_get_value (min, 0)),
      i);
}

/* Takes messages off @bus: those of frames *next to @end - 1, and no others. */
static void
expect_messages (GstBus *bus, guint *next, guint end)
{
  GstMessage *message;

  while ((message = pop_element_message (bus, "clframesum"))) {
    expect_frame (gst_message_get_structure (message), (*next)++);
    gst_message_unref (message);
  }
  fail_unless_equals_int (*next, end);
}

/* The next available buffer is frame @i with its meta. */
static void
expect_buffer (GstHarness *h, guint i)
{
  g_autoptr (GstBuffer) out = gst_harness_try_pull (h);
  GstCustomMeta *meta;

  fail_unless (out != NULL);
  fail_unless_equals_uint64 (GST_BUFFER_PTS (out), i * FRAME_NS);
  meta = gst_buffer_get_custom_meta (out, META);
  fail_unless (meta != NULL);
  expect_frame (gst_custom_meta_get_structure (meta), i);
}

static void
push_frames (GstHarness *h, const GstVideoInfo *info, guint from, guint to)
{
  for (guint i = from; i < to; i++)
    fail_unless_equals_int (gst_harness_push (h, timed_frame (info, i)),
        GST_FLOW_OK);
}

static void
expect_latency (GstHarness *h, GstClockTime expected)
{
  GstQuery *query = gst_query_new_latency ();
  GstClockTime min, max;
  gboolean live;

  fail_unless (gst_pad_peer_query (h->sinkpad, query));
  gst_query_parse_latency (query, &live, &min, &max);
  fail_unless_equals_uint64 (min, expected);
  gst_query_unref (query);
}

/* --- messages only -------------------------------------------------------- */

/* Frames pass at once; results follow in order, with the timestamps of their
 * frames. */
TEST (test_messages_follow)
{
  g_autoptr (GstHarness) h = harness_new ("clframesum stats-meta=false");
  g_autoptr (GstBus) bus = harness_bus (h);
  GstVideoInfo info;
  guint next = 0;

  harness_set_format (h, GST_VIDEO_FORMAT_NV12, 64, 48, &info);
  for (guint i = 0; i < 100; i++)
    gst_buffer_unref (harness_run (h, timed_frame (&info, i)));
  harness_drain (h);
  expect_messages (bus, &next, 100);
  expect_latency (h, 0);
}

/* Events and queries that end or change the stream are handled after the
 * results of earlier frames. */
TEST (test_results_come_before)
{
  g_autoptr (GstHarness) h = harness_new ("clframesum stats-meta=false");
  g_autoptr (GstBus) bus = harness_bus (h);
  GstVideoInfo info;
  guint next = 0;

  harness_set_format (h, GST_VIDEO_FORMAT_GRAY8, 64, 48, &info);
  push_frames (h, &info, 0, 5);
  harness_set_format (h, GST_VIDEO_FORMAT_GRAY8, 640, 480, &info);
  push_frames (h, &info, 5, 6);
  g_object_set (h->element, "planes", 1, NULL);
  push_frames (h, &info, 6, 10);
  fail_unless (gst_harness_push_event (h, gst_event_new_gap (0, FRAME_NS)));
  expect_messages (bus, &next, 10);
  push_frames (h, &info, 10, 15);
  fail_unless (gst_harness_push_event (h, gst_event_new_eos ()));
  expect_messages (bus, &next, 15);
}

TEST (test_results_come_before_stop)
{
  g_autoptr (GstHarness) h = harness_new ("clframesum stats-meta=false");
  g_autoptr (GstBus) bus = harness_bus (h);
  GstVideoInfo info;
  guint next = 0;

  harness_set_format (h, GST_VIDEO_FORMAT_GRAY8, 640, 480, &info);
  push_frames (h, &info, 0, 8);
  gst_element_set_state (h->element, GST_STATE_NULL);
  expect_messages (bus, &next, 8);
}

/* --- delayed frames ------------------------------------------------------- */

TEST (test_async_depth)
{
  static const guint depths[] = { 0, 1, 4, 32 };

  for (guint d = 0; d < G_N_ELEMENTS (depths); d++) {
    const guint depth = depths[d];
    g_autoptr (GstHarness) h = harness_new ("clframesum");
    g_autoptr (GstBus) bus = harness_bus (h);
    GstVideoInfo info;
    guint next = 0, n = 0;

    g_object_set (h->element, "async-depth", depth, NULL);
    harness_set_format (h, GST_VIDEO_FORMAT_I420, 64, 48, &info);
    for (guint i = 0; i < 80; i++) {
      push_frames (h, &info, i, i + 1);
      if (i >= depth)
        expect_buffer (h, n++);
      fail_unless (gst_harness_try_pull (h) == NULL);
    }
    expect_latency (h, depth * FRAME_NS);
    expect_messages (bus, &next, 80 - depth);

    fail_unless (gst_harness_push_event (h, gst_event_new_eos ()));
    while (n < 80)
      expect_buffer (h, n++);
    expect_messages (bus, &next, 80);
  }
}

/* Frames that are not measured stay in order with those that are. */
TEST (test_order_with_interval)
{
  g_autoptr (GstHarness)
      h = harness_new ("clframesum async-depth=3 frame-interval=2");
  GstVideoInfo info;

  harness_set_format (h, GST_VIDEO_FORMAT_GRAY8, 64, 48, &info);
  push_frames (h, &info, 0, 20);
  harness_drain (h);
  for (guint i = 0; i < 20; i++) {
    g_autoptr (GstBuffer) out = gst_harness_try_pull (h);

    fail_unless_equals_uint64 (GST_BUFFER_PTS (out), i * FRAME_NS);
    fail_unless (
        (gst_buffer_get_custom_meta (out, META) != NULL) == (i % 2 == 0));
  }
}

/* A segment, new caps, a property: delayed frames are pushed first, with their
 * results. */
TEST (test_delayed_frames_are_pushed_first)
{
  g_autoptr (GstHarness) h = harness_new ("clframesum async-depth=4");
  GstSegment segment;
  GstVideoInfo info;
  guint n = 0;

  harness_set_format (h, GST_VIDEO_FORMAT_GRAY8, 64, 48, &info);
  push_frames (h, &info, 0, 3);
  fail_unless (gst_harness_try_pull (h) == NULL);
  harness_set_format (h, GST_VIDEO_FORMAT_RGB, 32, 48, &info);
  while (n < 3)
    expect_buffer (h, n++);

  push_frames (h, &info, 3, 6);
  gst_segment_init (&segment, GST_FORMAT_TIME);
  fail_unless (gst_harness_push_event (h, gst_event_new_segment (&segment)));
  while (n < 6)
    expect_buffer (h, n++);

  /* the op is freed, the results of delayed frames are not */
  push_frames (h, &info, 6, 9);
  g_object_set (h->element, "reduction", 1, NULL);
  push_frames (h, &info, 9, 10);
  g_object_set (h->element, "async-depth", 0, NULL);
  push_frames (h, &info, 10, 11);
  while (n < 11)
    expect_buffer (h, n++);
  fail_unless (gst_harness_try_pull (h) == NULL);
}

static const struct {
  const gchar *description;
  guint depth;
} flushed[] = { { "clframesum async-depth=4", 4 }, { "clframesum", 2 } };

/* A flush drops the delayed frames; they have no results later. */
LOOP_TEST (test_flush_drops_delayed_frames, G_N_ELEMENTS (flushed))
{
  g_autoptr (GstHarness) h = harness_new (flushed[__i__].description);
  g_autoptr (GstBus) bus = harness_bus (h);
  GstSegment segment;
  GstVideoInfo info;
  guint next = 0;

  gst_harness_set_live (h, FALSE);
  harness_set_format (h, GST_VIDEO_FORMAT_GRAY8, 64, 48, &info);
  push_frames (h, &info, 0, flushed[__i__].depth);
  fail_unless (gst_harness_try_pull (h) == NULL);
  fail_unless (gst_harness_push_event (h, gst_event_new_flush_start ()));
  fail_unless (gst_harness_push_event (h, gst_event_new_flush_stop (TRUE)));
  gst_segment_init (&segment, GST_FORMAT_TIME);
  fail_unless (gst_harness_push_event (h, gst_event_new_segment (&segment)));
  push_frames (h, &info, 0, 2);
  fail_unless_equals_int (gst_harness_buffers_in_queue (h), 0);
  harness_drain (h);
  expect_buffer (h, 0);
  expect_buffer (h, 1);
  fail_unless (gst_harness_try_pull (h) == NULL);
  expect_messages (bus, &next, 2);
}

/* Delayed frames are freed with the element; upstream gets the buffers back. */
TEST (test_stop_drops_delayed_frames)
{
  g_autoptr (GstHarness) h = harness_new ("clframesum async-depth=8");
  GstBuffer *held[5];
  GstVideoInfo info;

  harness_set_format (h, GST_VIDEO_FORMAT_GRAY8, 64, 48, &info);
  for (guint i = 0; i < G_N_ELEMENTS (held); i++) {
    held[i] = timed_frame (&info, i);
    gst_harness_push (h, gst_buffer_ref (held[i]));
  }
  gst_element_set_state (h->element, GST_STATE_NULL);
  for (guint i = 0; i < G_N_ELEMENTS (held); i++) {
    fail_unless_equals_int (GST_MINI_OBJECT_REFCOUNT_VALUE (held[i]), 1);
    gst_buffer_unref (held[i]);
  }
}

/* Properties for metas and messages change: every result is published once, in
 * order. */
TEST (test_changes_of_publishing)
{
  g_autoptr (GstHarness) h = harness_new ("clframesum async-depth=2");
  g_autoptr (GstBus) bus = harness_bus (h);
  GstVideoInfo info;
  guint next = 0;

  harness_set_format (h, GST_VIDEO_FORMAT_GRAY8, 64, 48, &info);
  for (guint i = 0; i < 120; i++) {
    g_object_set (h->element, "stats-meta", i % 7 < 3, "async-depth", i % 5,
        NULL);
    push_frames (h, &info, i, i + 1);
  }
  harness_drain (h);
  expect_messages (bus, &next, 120);
  for (guint i = 0; i < 120; i++) {
    g_autoptr (GstBuffer) out = gst_harness_try_pull (h);

    fail_unless_equals_uint64 (GST_BUFFER_PTS (out), i * FRAME_NS);
  }
}

/* With any sequence of depths, a result is that of its frame. */
LOOP_TEST (depths_change, 5)
{
  static const struct {
    guint after, from, to;
  } changes[] = { { 17, 4, 32 }, { 12, 1, 12 }, { 23, 8, 32 }, { 33, 20, 32 },
    { 20, 32, 0 } };
  const guint after = changes[__i__].after, to = changes[__i__].to;
  GstHarness *h = harness_new ("clframesum");
  guint n = 0;
  GstVideoInfo info;

  g_object_set (h->element, "async-depth", changes[__i__].from, NULL);
  harness_set_format (h, GST_VIDEO_FORMAT_GRAY8, 64, 48, &info);
  push_frames (h, &info, 0, after);
  g_object_set (h->element, "async-depth", to, NULL);
  push_frames (h, &info, after, 100);
  fail_unless (gst_harness_push_event (h, gst_event_new_eos ()));
  while (gst_harness_buffers_in_queue (h) > 0)
    expect_buffer (h, n++);
  fail_unless_equals_int (n, 100);
  harness_free (h);
}

/* --- idle elements -------------------------------------------------------- */

/* A harness whose element is idle after 2 ms, as by default; transfer full. */
static GstHarness *
harness_new_idle (const gchar *description)
{
  g_setenv ("GST_OPENCL_IDLE_TIME", "", TRUE);

  return harness_new (description);
}

/* Waits for a frame that the thread of the idle element pushes under the stream
 * lock; transfer full. */
static GstBuffer *
pull (GstHarness *h)
{
  g_autoptr (GstElement) element = harness_element (h, "clframesum");
  g_autoptr (GstPad) pad = gst_element_get_static_pad (element, "sink");
  GstBuffer *buffer = gst_harness_pull (h);

  GST_PAD_STREAM_LOCK (pad);
  GST_PAD_STREAM_UNLOCK (pad);

  return buffer;
}

static const gchar *const idle[] = { "clframesum", "clframesum async-depth=8",
  "clframesum async-depth=2 frame-interval=2",
  "queue ! clframesum async-depth=2" };

/* A delayed frame leaves when its result is ready, though no frame follows:
 * pull() waits for it. */
LOOP_TEST (test_frames_leave_without_others, G_N_ELEMENTS (idle))
{
  g_autoptr (GstHarness) h = harness_new_idle (idle[__i__]);
  guint n = 0;
  GstVideoInfo info;

  gst_harness_set_live (h, FALSE);
  harness_set_format (h, GST_VIDEO_FORMAT_GRAY8, 64, 48, &info);
  for (guint n_at_once = 1; n_at_once < 10; n_at_once += 4) {
    push_frames (h, &info, n, n + n_at_once);
    for (guint end = n + n_at_once; n < end; n++) {
      g_autoptr (GstBuffer) out = pull (h);

      fail_unless (out != NULL, "%s: frame %u does not leave", idle[__i__], n);
      fail_unless_equals_uint64 (GST_BUFFER_PTS (out), n * FRAME_NS);
    }
  }
}

typedef struct {
  GMutex lock;
  GCond changed;
  GThread *thread; /* that pushed a frame; NULL: none */
} Downstream;

static GstFlowReturn
refuse (GstPad *pad, GstObject *parent, GstBuffer *buffer)
{
  Downstream *downstream = pad->chaindata;

  gst_buffer_unref (buffer);
  g_mutex_lock (&downstream->lock);
  downstream->thread = g_thread_self ();
  g_cond_signal (&downstream->changed);
  g_mutex_unlock (&downstream->lock);

  return GST_FLOW_ERROR;
}

/* The next frame returns how a delayed frame has fared downstream, once. */
TEST (test_flow_of_frames_that_left)
{
  g_autoptr (GstHarness) h = harness_new_idle ("clframesum");
  GstPad *pad = GST_PAD_PEER (h->srcpad);
  Downstream downstream = { .thread = NULL };
  GstVideoInfo info;

  gst_harness_set_live (h, FALSE);
  harness_set_format (h, GST_VIDEO_FORMAT_GRAY8, 64, 48, &info);
  gst_pad_set_chain_function_full (h->sinkpad, refuse, &downstream, NULL);
  push_frames (h, &info, 0, 1);
  g_mutex_lock (&downstream.lock);
  while (!downstream.thread)
    g_cond_wait (&downstream.changed, &downstream.lock);
  g_mutex_unlock (&downstream.lock);
  fail_if (downstream.thread == g_thread_self ());

  /* not before the push has returned */
  GST_PAD_STREAM_LOCK (pad);
  fail_unless_equals_int (gst_harness_push (h, timed_frame (&info, 1)),
      GST_FLOW_ERROR);
  push_frames (h, &info, 2, 3);
  GST_PAD_STREAM_UNLOCK (pad);
}

static gint n_flushes; /* by flush_here(); atomic */

/* An element whose application seeks in a handler of the buffer. */
static GstFlowReturn
flush_here (GstPad *pad, GstObject *parent, GstBuffer *buffer)
{
  GstHarness *h = pad->chaindata;
  GstSegment segment;

  gst_buffer_unref (buffer);
  if (g_atomic_int_get (&n_flushes) > 0)
    return GST_FLOW_OK;

  fail_unless (gst_harness_push_event (h, gst_event_new_flush_start ()));
  fail_unless (gst_harness_push_event (h, gst_event_new_flush_stop (TRUE)));
  gst_segment_init (&segment, GST_FORMAT_TIME);
  fail_unless (gst_harness_push_event (h, gst_event_new_segment (&segment)));
  g_atomic_int_inc (&n_flushes);

  return GST_FLOW_FLUSHING;
}

/* Downstream flushes in the thread that pushes a delayed frame: the first frame
 * after the flush is accepted. */
TEST (test_flush_while_a_frame_leaves)
{
  g_autoptr (GstHarness) h = harness_new_idle ("clframesum");
  GstPad *pad = GST_PAD_PEER (h->srcpad);
  GstVideoInfo info;

  gst_harness_set_live (h, FALSE);
  harness_set_format (h, GST_VIDEO_FORMAT_GRAY8, 64, 48, &info);
  g_atomic_int_set (&n_flushes, 0);
  gst_pad_set_chain_function_full (h->sinkpad, flush_here, h, NULL);
  push_frames (h, &info, 0, 1);
  while (!g_atomic_int_get (&n_flushes))
    g_thread_yield ();

  /* not before the push has returned */
  GST_PAD_STREAM_LOCK (pad);
  push_frames (h, &info, 1, 2);
  GST_PAD_STREAM_UNLOCK (pad);
}

/* Elements stop while frames leave. */
TEST (test_stops_of_idle_elements)
{
  g_autoptr (GstHarness) h = harness_new_idle ("clframesum async-depth=4");
  GstVideoInfo info;

  for (guint i = 0; i < 50; i++) {
    gst_element_set_state (h->element, GST_STATE_READY);
    gst_element_set_state (h->element, GST_STATE_PLAYING);
    harness_set_format (h, GST_VIDEO_FORMAT_GRAY8, 64, 48, &info);
    push_frames (h, &info, 0, 3);
    g_usleep (i * 100);
  }
  gst_element_set_state (h->element, GST_STATE_READY);
}

/* --- automatic depth ----------------------------------------------------- */

/* How the source pad of a harness answers LATENCY queries. */
typedef struct {
  GstPadQueryFunction query; /* the harness's */
  gboolean refuses;
  guint n_queries;
} Upstream;

static gboolean
count_latency_query (GstPad *pad, GstObject *parent, GstQuery *query)
{
  Upstream *upstream = pad->querydata;

  if (GST_QUERY_TYPE (query) == GST_QUERY_LATENCY) {
    upstream->n_queries++;
    if (upstream->refuses)
      return FALSE;
  }

  return upstream->query (pad, parent, query);
}

static void
watch_upstream (GstHarness *h, Upstream *upstream)
{
  upstream->query = GST_PAD_QUERYFUNC (h->srcpad);
  gst_pad_set_query_function_full (h->srcpad, count_latency_query, upstream,
      NULL);
}

static const struct {
  const gchar *description;
  gboolean is_live, refuses;
  guint depth;
} automatic[] = {
  { "clframesum", FALSE, FALSE, 2 },
  { "clframesum", TRUE, FALSE, 0 },
  { "clframesum", FALSE, TRUE, 0 },
  { "clframesum stats-meta=false", FALSE, FALSE, 0 },
};

/* By default, upstream's answer to one query says how many frames are delayed;
 * EOS pushes them in order, also if the stream is shorter
 * than the depth. */
LOOP_TEST (test_automatic_depth, G_N_ELEMENTS (automatic))
{
  static const guint lengths[] = { 1, 10 };
  const guint depth = automatic[__i__].depth;

  for (guint l = 0; l < G_N_ELEMENTS (lengths); l++) {
    const guint length = lengths[l];
    g_autoptr (GstHarness) h = harness_new (automatic[__i__].description);
    g_autoptr (GstBus) bus = harness_bus (h);
    Upstream upstream = { .refuses = automatic[__i__].refuses };
    guint n_queries, next = 0, n_delayed = MIN (depth, length);
    GstVideoInfo info;
    gint property;

    watch_upstream (h, &upstream);
    gst_harness_set_live (h, automatic[__i__].is_live);
    harness_set_format (h, GST_VIDEO_FORMAT_GRAY8, 64, 48, &info);
    push_frames (h, &info, 0, 1);
    n_queries = upstream.n_queries;
    fail_unless (n_queries > 0);
    push_frames (h, &info, 1, length);
    fail_unless_equals_int (upstream.n_queries, n_queries);
    fail_unless_equals_int (gst_harness_buffers_in_queue (h),
        length - n_delayed);
    g_object_get (h->element, "async-depth", &property, NULL);
    fail_unless_equals_int (property, -1);
    if (!upstream.refuses)
      expect_latency (h, depth * FRAME_NS);

    fail_unless (gst_harness_push_event (h, gst_event_new_eos ()));
    expect_messages (bus, &next, length);
    fail_unless_equals_int (gst_harness_buffers_in_queue (h), length);
    for (guint i = 0; i < length; i++) {
      g_autoptr (GstBuffer) out = gst_harness_pull (h);

      fail_unless_equals_uint64 (GST_BUFFER_PTS (out), i * FRAME_NS);
    }
  }
}

/* The sink of another branch has its first frame, and no room for more, until
 * the sink behind the element has one, too. */
TEST (test_automatic_depth_behind_a_tee)
{
  g_autoptr (GstElement) pipeline = gst_parse_launch (
      "videotestsrc ! video/x-raw,format=GRAY8,width=64,height=48 ! tee name=t "
      "t. ! queue max-size-buffers=1 ! fakesink "
      "t. ! queue ! clframesum ! fakesink",
      NULL);

  g_setenv ("GST_OPENCL_IDLE_TIME", "", TRUE);
  fail_unless (pipeline != NULL);
  gst_element_set_state (pipeline, GST_STATE_PAUSED);
  fail_unless_equals_int (
      gst_element_get_state (pipeline, NULL, NULL, GST_CLOCK_TIME_NONE),
      GST_STATE_CHANGE_SUCCESS);
  gst_element_set_state (pipeline, GST_STATE_NULL);
}

/* Sends other caps without a segment. */
static void
push_caps (GstHarness *h)
{
  g_autoptr (GstCaps) now = gst_pad_get_current_caps (h->srcpad);
  g_autoptr (GstCaps) caps = gst_caps_copy (now);
  gint width;

  gst_structure_get_int (gst_caps_get_structure (caps, 0), "width", &width);
  gst_caps_set_simple (caps, "width", G_TYPE_INT, width + 1, NULL);
  fail_unless (gst_harness_push_event (h, gst_event_new_caps (caps)));
}

static void
push_segment (GstHarness *h)
{
  GstSegment segment;

  gst_segment_init (&segment, GST_FORMAT_TIME);
  fail_unless (gst_harness_push_event (h, gst_event_new_segment (&segment)));
}

static void
push_reconfigure (GstHarness *h)
{
  fail_unless (
      gst_harness_push_upstream_event (h, gst_event_new_reconfigure ()));
}

static void
query_latency (GstHarness *h)
{
  g_autoptr (GstQuery) query = gst_query_new_latency ();

  fail_unless (gst_pad_peer_query (h->sinkpad, query));
}

static void (*const changes_of_liveness[]) (GstHarness *h) = { push_caps,
  push_segment, push_reconfigure, query_latency };

/* Pushes @n frames of the current caps; returns how many are delayed. */
static guint
count_delayed (GstHarness *h, guint n)
{
  g_autoptr (GstCaps) caps = gst_pad_get_current_caps (h->srcpad);
  const guint n_before = gst_harness_buffers_in_queue (h);
  GstVideoInfo info;

  fail_unless (gst_video_info_from_caps (&info, caps));
  push_frames (h, &info, 0, n);

  return n - (gst_harness_buffers_in_queue (h) - n_before);
}

/* A frame after new caps, a segment, RECONFIGURE or a LATENCY query is delayed
 * as upstream answers now; a LATENCY message asks for the new latency. */
LOOP_TEST (test_liveness_changes, G_N_ELEMENTS (changes_of_liveness))
{
  g_autoptr (GstHarness) h = harness_new ("clframesum");
  g_autoptr (GstBus) bus = harness_bus (h);
  GstVideoInfo info;

  gst_harness_set_live (h, FALSE);
  harness_set_format (h, GST_VIDEO_FORMAT_GRAY8, 64, 48, &info);
  fail_unless_equals_int (count_delayed (h, 5), 2);
  for (guint i = 0; i < 4; i++) {
    const gboolean is_live = i % 2 == 0;
    GstMessage *message;

    gst_bus_set_flushing (bus, TRUE);
    gst_bus_set_flushing (bus, FALSE);
    gst_harness_set_live (h, is_live);
    fail_unless_equals_int (count_delayed (h, 5), 0);
    fail_unless (gst_bus_pop_filtered (bus, GST_MESSAGE_LATENCY) == NULL);
    changes_of_liveness[__i__](h);
    count_delayed (h, 5);
    message = gst_bus_pop_filtered (bus, GST_MESSAGE_LATENCY);
    fail_unless (message != NULL);
    gst_message_unref (message);
    expect_latency (h, is_live ? 0 : 2 * FRAME_NS);
    harness_drain (h);
    fail_unless_equals_int (count_delayed (h, 5), is_live ? 0 : 2);
  }
}

/* The answer to one stream says nothing about the next. */
TEST (test_liveness_after_stop)
{
  g_autoptr (GstHarness) h = harness_new ("clframesum");
  GstVideoInfo info;

  gst_harness_set_live (h, FALSE);
  harness_set_format (h, GST_VIDEO_FORMAT_GRAY8, 64, 48, &info);
  fail_unless_equals_int (count_delayed (h, 5), 2);
  gst_element_set_state (h->element, GST_STATE_READY);
  gst_harness_set_live (h, TRUE);
  gst_element_set_state (h->element, GST_STATE_PLAYING);
  expect_latency (h, 0);
}

/* Frames leave when others follow, except in tests that say otherwise. */
static void
setup (void)
{
  g_setenv ("GST_OPENCL_IDLE_TIME", "0", TRUE);
}

SUITE (.setup = setup);
