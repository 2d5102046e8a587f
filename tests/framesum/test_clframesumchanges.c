/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* clframesum: properties that other threads set while frames pass. */

#include "elements/changer.h"
#include "elements/common.h"
#include "elements/frames.h"
#include "suite.h"

#include <gst/check/gsttestclock.h>

#define FRAME_NS (GST_SECOND / 25) /* as in harness_set_format() */
#define META     "GstClFrameSumMeta"
#define N_FRAMES 1500
#define N_ROUNDS 1000
#define PAUSE_US 50 /* between settings */

/* --- frames -------------------------------------------------------------- */

/* Records of each frame. */
typedef struct {
  guint n_out; /* frames that were output */
  gboolean has_meta[N_FRAMES], has_message[N_FRAMES];
} Seen;

/* Returns the index of the frame of @structure. */
static guint
frame_of (const GstStructure *structure)
{
  guint64 timestamp, number;

  fail_unless (gst_structure_get (structure, "timestamp", G_TYPE_UINT64,
      &timestamp, "frame", G_TYPE_UINT64, &number, NULL));
  fail_unless_equals_uint64 (timestamp, number * FRAME_NS);
  fail_unless (number < N_FRAMES);

  return number;
}

/* Pulls the frames from @h, which must be complete and in order, and pops the
 * messages from @bus. */
static void
look (GstHarness *h, GstBus *bus, Seen *seen)
{
  GstBuffer *out;
  GstMessage *message;

  while ((out = gst_harness_try_pull (h))) {
    GstCustomMeta *meta = gst_buffer_get_custom_meta (out, META);

    fail_unless_equals_uint64 (GST_BUFFER_PTS (out), seen->n_out * FRAME_NS);
    if (meta) {
      fail_unless_equals_int (frame_of (gst_custom_meta_get_structure (meta)),
          seen->n_out);
      seen->has_meta[seen->n_out] = TRUE;
    }
    seen->n_out++;
    gst_buffer_unref (out);
  }
  while ((message = pop_element_message (bus, "clframesum"))) {
    const guint i = frame_of (gst_message_get_structure (message));

    fail_if (seen->has_message[i]);
    seen->has_message[i] = TRUE;
    gst_message_unref (message);
  }
}

static void
push_frame (GstHarness *h, GstBuffer *frame, guint i)
{
  GstBuffer *buffer = gst_buffer_copy (frame);

  GST_BUFFER_PTS (buffer) = i * FRAME_NS;
  GST_BUFFER_DURATION (buffer) = FRAME_NS;
  fail_unless_equals_int (gst_harness_push (h, buffer), GST_FLOW_OK);
}

static void
expect_latency (GstHarness *h, GstClockTime expected)
{
  GstQuery *query = gst_query_new_latency ();
  GstClockTime min;

  fail_unless (gst_pad_peer_query (h->sinkpad, query));
  gst_query_parse_latency (query, NULL, &min, NULL);
  fail_unless_equals_uint64 (min, expected);
  gst_query_unref (query);
}

/* At any time a meta, a message or both are enabled: a frame without either
 * would have used one setting for its meta and another for its message. The
 * other settings keep every frame measured, too. */
TEST (test_no_frame_mixes_settings)
{
  static const gchar *const changes[] = { "post-messages", "true", "stats-meta",
    "false", "stats-meta", "true", "post-messages", "false", NULL };
  static const gchar *const others[] = { "async-depth", "3", "interval", "1",
    "frame-interval", "1", "async-depth", "0", "interval", "0", "async-depth",
    "7", NULL };
  g_autoptr (GstHarness) h = harness_new ("clframesum post-messages=false");
  g_autoptr (GstBus) bus = harness_bus (h);
  Changer changers[2];
  g_autoptr (GstBuffer) frame = NULL;
  g_autofree Seen *seen = g_new0 (Seen, 1);
  guint n = 0;
  GstVideoInfo info;

  harness_set_format (h, GST_VIDEO_FORMAT_GRAY8, 16, 16, &info);
  frame = frame_new (&info, 1);
  changer_start (&changers[0], h->element, changes, PAUSE_US);
  changer_start (&changers[1], h->element, others, PAUSE_US);
  for (; n < N_FRAMES - 10; n++) {
    push_frame (h, frame, n);
    look (h, bus, seen);
  }
  for (guint i = 0; i < G_N_ELEMENTS (changers); i++)
    changer_stop (&changers[i]);

  /* the last settings apply from the next frame on */
  g_object_set (h->element, "stats-meta", TRUE, "post-messages", FALSE,
      "async-depth", 2, "frame-interval", 3, NULL);
  expect_latency (h, 2 * FRAME_NS);
  for (; n < N_FRAMES; n++) {
    push_frame (h, frame, n);
    look (h, bus, seen);
  }
  fail_unless_equals_int (seen->n_out, N_FRAMES - 2);
  fail_unless (gst_harness_push_event (h, gst_event_new_eos ()));
  look (h, bus, seen);

  fail_unless_equals_int (seen->n_out, N_FRAMES);
  for (guint i = 0; i < N_FRAMES - 10; i++)
    fail_unless (seen->has_meta[i] || seen->has_message[i], "frame %u", i);
  for (guint i = N_FRAMES - 10; i < N_FRAMES; i++) {
    fail_unless_equals_int (seen->has_meta[i], (i - (N_FRAMES - 11)) % 3 == 0);
    fail_if (seen->has_message[i]);
  }
  expect_no_error (bus);
}

/* A frame that passes without a meta has its result published by another
 * thread, with the settings at its arrival. A handler of the first message
 * blocks that thread until the settings have changed. */
typedef struct {
  GMutex lock;
  GCond changed;
  gboolean waits, may_go;
} Gate;

static GstBusSyncReply
wait_at_gate (GstBus *bus, GstMessage *message, gpointer user_data)
{
  Gate *gate = user_data;

  if (!gst_message_has_name (message, "clframesum"))
    return GST_BUS_PASS;

  g_mutex_lock (&gate->lock);
  gate->waits = TRUE;
  g_cond_signal (&gate->changed);
  while (!gate->may_go)
    g_cond_wait (&gate->changed, &gate->lock);
  g_mutex_unlock (&gate->lock);

  return GST_BUS_PASS;
}

TEST (test_late_results_keep_their_settings)
{
  g_autoptr (GstHarness) h = harness_new ("clframesum stats-meta=false");
  g_autoptr (GstBus) bus = harness_bus (h);
  g_autoptr (GstBuffer) frame = NULL;
  g_autofree Seen *seen = g_new0 (Seen, 1);
  Gate gate = { 0 };
  GstVideoInfo info;

  g_mutex_init (&gate.lock);
  g_cond_init (&gate.changed);
  harness_set_format (h, GST_VIDEO_FORMAT_GRAY8, 16, 16, &info);
  frame = frame_new (&info, 1);
  gst_bus_set_sync_handler (bus, wait_at_gate, &gate, NULL);
  for (guint i = 0; i < 3; i++)
    push_frame (h, frame, i);

  g_mutex_lock (&gate.lock);
  while (!gate.waits)
    g_cond_wait (&gate.changed, &gate.lock);
  g_object_set (h->element, "post-messages", FALSE, NULL);
  gate.may_go = TRUE;
  g_cond_signal (&gate.changed);
  g_mutex_unlock (&gate.lock);
  harness_drain (h);
  push_frame (h, frame, 3);
  harness_drain (h);

  gst_bus_set_sync_handler (bus, NULL, NULL, NULL);
  look (h, bus, seen);
  fail_unless_equals_int (seen->n_out, 4);
  for (guint i = 0; i < 4; i++) {
    fail_if (seen->has_meta[i]);
    fail_unless_equals_int (seen->has_message[i], i < 3);
  }
  g_cond_clear (&gate.changed);
  g_mutex_clear (&gate.lock);
}

/* --- two setters --------------------------------------------------------- */

/* Properties that are set by two threads at once: this one and one of @pool. */
typedef struct {
  GstElement *element;
  const gchar *names[2], *on[2], *off[2];
  GThreadPool *pool;
  gint n_ready; /* atomic */
} Setters;

static void
set_together (Setters *self, guint i)
{
  g_atomic_int_inc (&self->n_ready);
  while (g_atomic_int_get (&self->n_ready) < 2)
    ;
  gst_util_set_object_arg (G_OBJECT (self->element), self->names[i],
      self->on[i]);
}

static void
set_second (gpointer data, gpointer user_data)
{
  set_together (data, 1);
  g_atomic_int_inc (&((Setters *) data)->n_ready);
}

static void
setters_init (Setters *self)
{
  self->pool = g_thread_pool_new (set_second, NULL, 1, TRUE, NULL);
}

static void
setters_clear (Setters *self)
{
  g_thread_pool_free (self->pool, FALSE, TRUE);
}

/* Switches both properties off, then on at the same time. */
static void
run_round (Setters *self)
{
  for (guint i = 0; i < 2; i++)
    gst_util_set_object_arg (G_OBJECT (self->element), self->names[i],
        self->off[i]);
  g_atomic_int_set (&self->n_ready, 0);
  g_thread_pool_push (self->pool, self, NULL);
  set_together (self, 0);
  while (g_atomic_int_get (&self->n_ready) < 3)
    g_thread_yield ();
}

/* Whichever is second, the watchdog uses both properties, and waits. */
TEST (test_two_threads_set_the_watchdog)
{
  g_autoptr (GstHarness) h = harness_new ("clframesum");
  g_autoptr (GstTestClock) clock = NULL;
  Setters setters = { .element = h->element,
    .names = { "events", "signal-loss-timeout" },
    .on = { "signal-loss", "1000000000" },
    .off = { "0", "0" } };

  setters_init (&setters);
  gst_element_set_state (h->element, GST_STATE_PAUSED);
  gst_harness_use_testclock (h);
  gst_element_set_state (h->element, GST_STATE_PLAYING);
  clock = gst_harness_get_testclock (h);
  for (guint i = 0; i < N_ROUNDS; i++) {
    run_round (&setters);
    fail_unless_equals_int (gst_test_clock_peek_id_count (clock), 1);
  }
  setters_clear (&setters);
}

/* Whichever is second, the latency is that of both properties. */
TEST (test_two_set_the_latency)
{
  g_autoptr (GstHarness) h = harness_new ("clframesum");
  g_autoptr (GstBus) bus = harness_bus (h);
  Setters setters = { .element = h->element,
    .names = { "stats-meta", "async-depth" },
    .on = { "true", "5" },
    .off = { "false", "0" } };
  g_autoptr (GstBuffer) out = NULL;
  GstVideoInfo info;

  harness_set_format (h, GST_VIDEO_FORMAT_GRAY8, 16, 16, &info);
  out = harness_run (h, frame_new (&info, 1));
  fail_unless (out != NULL);
  setters_init (&setters);
  for (guint i = 0; i < N_ROUNDS; i++) {
    guint n_messages = 0;
    GstMessage *message;

    run_round (&setters);
    expect_latency (h, 5 * FRAME_NS);
    while ((message = gst_bus_pop (bus))) {
      n_messages += GST_MESSAGE_TYPE (message) == GST_MESSAGE_LATENCY;
      gst_message_unref (message);
    }
    fail_unless_equals_int (n_messages, 4);
  }
  setters_clear (&setters);
}
