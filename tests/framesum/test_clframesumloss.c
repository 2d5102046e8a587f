/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* clframesum: the event signal-loss, with a clock that the test controls. */

#define _POSIX_C_SOURCE 200809L /* mkfifo() */

#include <stdio.h>
#include <sys/stat.h>

#include "elements/common.h"
#include "elements/frames.h"
#include "folder.h"
#include "suite.h"

#include <gst/check/gsttestclock.h>

typedef struct {
  GstHarness *h;
  GstBus *bus;
  GstVideoInfo info;
} Camera;

/* Starts @description with a test clock at 0. */
static void
camera_init (Camera *camera, const gchar *description)
{
  camera->h = harness_new (description);
  camera->bus = harness_bus (camera->h);
  gst_element_set_state (camera->h->element, GST_STATE_PAUSED);
  gst_harness_use_testclock (camera->h);
  gst_element_set_state (camera->h->element, GST_STATE_PLAYING);
  harness_set_format (camera->h, GST_VIDEO_FORMAT_GRAY8, 16, 16, &camera->info);
}

static void
camera_clear (Camera *camera)
{
  gst_clear_object (&camera->bus);
  harness_free (camera->h);
}

/* Pushes a frame of 40 ms at @time. */
static void
push_frame (Camera *camera, GstClockTime time)
{
  GstBuffer *frame = frame_new (&camera->info, 1);

  GST_BUFFER_PTS (frame) = time;
  GST_BUFFER_DURATION (frame) = 40 * GST_MSECOND;
  gst_buffer_unref (harness_run (camera->h, frame));
}

/* Returns field @name of the next event, whose state must be @state. */
static guint64
pop_field (Camera *camera, const gchar *state, const gchar *name)
{
  g_autoptr (GstMessage)
      message = pop_element_message (camera->bus, "clframesum-event");
  const GstStructure *event;
  guint64 value;

  fail_unless (message != NULL);
  event = gst_message_get_structure (message);
  fail_unless_equals_string (gst_structure_get_string (event, "state"), state);
  fail_unless (gst_structure_get_uint64 (event, name, &value), "no %s", name);

  return value;
}

static guint
count_waits (Camera *camera)
{
  g_autoptr (GstTestClock) clock = gst_harness_get_testclock (camera->h);

  return gst_test_clock_peek_id_count (clock);
}

/* Advances the clock to @time, tick by tick. */
static void
wait_until (Camera *camera, GstClockTime time)
{
  g_autoptr (GstTestClock) clock = gst_harness_get_testclock (camera->h);

  while (gst_test_clock_get_next_entry_time (clock) <= time)
    fail_unless (gst_harness_crank_single_clock_wait (camera->h));
  gst_test_clock_set_time (clock, time);
}

/* Checks the next event: @state at @time; NULL: there is no event. */
static void
expect_loss (Camera *camera, const gchar *state, GstClockTime time)
{
  g_autoptr (GstMessage)
      message = pop_element_message (camera->bus, "clframesum-event");
  const GstStructure *event;
  guint64 running_time;

  if (!state) {
    fail_unless (message == NULL);
    return;
  }
  fail_unless (message != NULL);
  event = gst_message_get_structure (message);
  fail_unless_equals_string (gst_structure_get_string (event, "event"),
      "signal-loss");
  fail_unless_equals_string (gst_structure_get_string (event, "state"), state);
  gst_structure_get_uint64 (event, "running-time", &running_time);
  fail_unless_equals_uint64 (running_time, time);
}

TEST (test_frames_stop)
{
  Camera camera;

  camera_init (&camera, "clframesum events=signal-loss statistics=0");
  push_frame (&camera, 0);
  wait_until (&camera, 2 * GST_SECOND);
  expect_loss (&camera, NULL, 0);
  wait_until (&camera, 3 * GST_SECOND);
  expect_loss (&camera, "start", 40 * GST_MSECOND);
  wait_until (&camera, 5 * GST_SECOND);
  expect_loss (&camera, NULL, 0);
  push_frame (&camera, 5 * GST_SECOND);
  expect_loss (&camera, "end", 5 * GST_SECOND);

  /* not while paused, however long, nor after the end */
  gst_element_set_state (camera.h->element, GST_STATE_PAUSED);
  fail_unless_equals_int (count_waits (&camera), 0);
  wait_until (&camera, 60 * GST_SECOND);
  gst_element_set_state (camera.h->element, GST_STATE_PLAYING);
  wait_until (&camera, 62 * GST_SECOND);
  expect_loss (&camera, NULL, 0);
  gst_harness_push_event (camera.h, gst_event_new_eos ());
  wait_until (&camera, 70 * GST_SECOND);
  expect_loss (&camera, NULL, 0);
  camera_clear (&camera);
}

/* Frames that arrive late with their old timestamps: the loss that the clock
 * detected is reported. */
TEST (test_stall)
{
  static const struct {
    const gchar *name;
    GstClockTime start, end;
  } fields[] = {
    { "noticed-running-time", 3 * GST_SECOND, 3 * GST_SECOND },
    { "ended-running-time", GST_CLOCK_TIME_NONE, 5500 * GST_MSECOND },
    { "silence", GST_CLOCK_TIME_NONE, 5500 * GST_MSECOND },
    { "duration", GST_CLOCK_TIME_NONE, 0 },
    { "running-time", 40 * GST_MSECOND, 40 * GST_MSECOND },
  };

  for (guint i = 0; i < G_N_ELEMENTS (fields); i++) {
    Camera camera;

    camera_init (&camera, "clframesum events=signal-loss statistics=0");
    push_frame (&camera, 0);
    wait_until (&camera, 3 * GST_SECOND);
    fail_unless_equals_uint64 (pop_field (&camera, "start", fields[i].name),
        fields[i].start);
    wait_until (&camera, 5500 * GST_MSECOND);
    push_frame (&camera, 40 * GST_MSECOND);
    fail_unless_equals_uint64 (pop_field (&camera, "end", fields[i].name),
        fields[i].end);
    camera_clear (&camera);
  }
}

/* A pause is no loss; after frames have returned, no clock is needed. */
TEST (test_stall_and_pause)
{
  Camera camera;

  camera_init (&camera, "clframesum events=signal-loss statistics=0");
  push_frame (&camera, 0);
  wait_until (&camera, 3 * GST_SECOND);
  pop_field (&camera, "start", "silence");
  gst_element_set_state (camera.h->element, GST_STATE_PAUSED);
  wait_until (&camera, 60 * GST_SECOND);
  push_frame (&camera, 40 * GST_MSECOND);
  fail_unless_equals_uint64 (pop_field (&camera, "end", "silence"),
      3 * GST_SECOND);
  camera_clear (&camera);
}

/* Never playing since the start, it has no clock. */
TEST (test_no_clock)
{
  g_autoptr (GstHarness) h = harness_new ("clframesum events=signal-loss");
  g_autoptr (GstBus) bus = harness_bus (h);
  Camera camera = { .h = h, .bus = bus };

  gst_element_set_state (h->element, GST_STATE_READY);
  gst_element_set_state (h->element, GST_STATE_PAUSED);
  harness_set_format (h, GST_VIDEO_FORMAT_GRAY8, 16, 16, &camera.info);
  push_frame (&camera, 0);
  push_frame (&camera, 9 * GST_SECOND);
  fail_unless_equals_uint64 (
      pop_field (&camera, "start", "noticed-running-time"),
      GST_CLOCK_TIME_NONE);
  fail_unless_equals_uint64 (pop_field (&camera, "end", "silence"),
      GST_CLOCK_TIME_NONE);
}

/* The time without frames begins with the change to PLAYING. A file that plays
 * more slowly than its timestamps has no loss; EOS ends a loss. */
TEST (test_no_frame_yet)
{
  Camera camera;

  camera_init (&camera, "clframesum events=signal-loss statistics=0 "
                        "signal-loss-timeout=1000000000");
  wait_until (&camera, 900 * GST_MSECOND);
  expect_loss (&camera, NULL, 0);
  wait_until (&camera, 1500 * GST_MSECOND);
  expect_loss (&camera, "start", 0);
  push_frame (&camera, 1500 * GST_MSECOND);
  expect_loss (&camera, "end", 1500 * GST_MSECOND);

  for (guint i = 0; i < 5; i++) {
    wait_until (&camera, (2200 + 700 * i) * GST_MSECOND);
    push_frame (&camera, (1540 + 40 * i) * GST_MSECOND);
  }
  expect_loss (&camera, NULL, 0);

  wait_until (&camera, 7500 * GST_MSECOND);
  expect_loss (&camera, "start", 1740 * GST_MSECOND);
  gst_harness_push_event (camera.h, gst_event_new_eos ());
  expect_loss (&camera, "end", 1700 * GST_MSECOND + 2500 * GST_MSECOND);
  camera_clear (&camera);
}

/* A change of the property takes effect without a frame. */
TEST (test_changes_while_playing)
{
  Camera camera;

  camera_init (&camera, "clframesum statistics=0");
  push_frame (&camera, 0);
  fail_unless_equals_int (count_waits (&camera), 0);
  wait_until (&camera, 10 * GST_SECOND);
  gst_util_set_object_arg (G_OBJECT (camera.h->element), "events",
      "signal-loss");
  fail_unless_equals_int (count_waits (&camera), 1);
  wait_until (&camera, 11 * GST_SECOND);
  expect_loss (&camera, NULL, 0);
  wait_until (&camera, 12 * GST_SECOND);
  expect_loss (&camera, "start", 10 * GST_SECOND);

  g_object_set (camera.h->element, "signal-loss-timeout",
      G_GUINT64_CONSTANT (0), NULL);
  fail_unless_equals_int (count_waits (&camera), 0);
  g_object_set (camera.h->element, "events", 0, NULL);
  expect_loss (&camera, "end", 12 * GST_SECOND);
  camera_clear (&camera);
}

/* EOS arrives while a message of the element is handled. */
typedef struct {
  Camera camera;
  FILE *lines;        /* the FIFO of results */
  GThread *thread;    /* pushes EOS; NULL: not yet */
  GAsyncQueue *ended; /* the harness, once EOS has been pushed */
  gboolean has_ended; /* before the handler has returned */
} Ending;

static gpointer
push_eos (gpointer user_data)
{
  Ending *ending = user_data;

  gst_harness_push_event (ending->camera.h, gst_event_new_eos ());
  g_async_queue_push (ending->ended, ending->camera.h);

  return NULL;
}

/* Returns when the line about the end of the loss has been written: after that
 * EOS posts its messages, and waits for the handler of the current message. */
static void
await_end_line (FILE *lines)
{
  gchar line[1000] = "";

  while (!strstr (line, "\"state\":\"end\""))
    fail_unless (fgets (line, sizeof line, lines) != NULL);
}

static GstBusSyncReply
flush_while_it_ends (GstBus *bus, GstMessage *message, gpointer user_data)
{
  Ending *ending = user_data;

  if (ending->thread || !gst_message_has_name (message, "clframesum-event"))
    return GST_BUS_PASS;

  ending->thread = g_thread_new ("eos", push_eos, ending);
  await_end_line (ending->lines);
  gst_harness_push_event (ending->camera.h, gst_event_new_flush_start ());
  ending->has_ended = g_async_queue_timeout_pop (ending->ended,
                          30 * G_USEC_PER_SEC) != NULL;

  return GST_BUS_PASS;
}

/* An application that seeks when it gets the message of a loss: the flush ends
 * the wait of EOS for this handler. */
TEST (test_flush_while_stream_ends)
{
  g_autofree gchar *folder = g_dir_make_tmp ("gst-opencl-loss-XXXXXX", NULL);
  g_autofree gchar *fifo = g_build_filename (folder, "fifo.jsonl", NULL);
  g_autofree gchar *description = g_strdup_printf (
      "clframesum events=signal-loss statistics=0 location=%s", fifo);
  Ending ending = { .ended = g_async_queue_new () };

  fail_unless_equals_int (mkfifo (fifo, 0600), 0);
  ending.lines = fopen (fifo, "r+"); /* "r" waits for a writer */
  fail_unless (ending.lines != NULL);
  camera_init (&ending.camera, description);
  push_frame (&ending.camera, 0);
  gst_bus_set_sync_handler (ending.camera.bus, flush_while_it_ends, &ending,
      NULL);
  wait_until (&ending.camera, 3 * GST_SECOND);
  gst_bus_set_sync_handler (ending.camera.bus, NULL, NULL, NULL);
  fail_unless (ending.thread != NULL);
  g_thread_join (ending.thread);
  fail_unless (ending.has_ended);

  camera_clear (&ending.camera);
  fclose (ending.lines);
  g_async_queue_unref (ending.ended);
  test_folder_remove (g_steal_pointer (&folder));
}

static GstPadProbeReturn
take_five_seconds (GstPad *pad, GstPadProbeInfo *info, gpointer user_data)
{
  wait_until (user_data, 5 * GST_SECOND);

  return GST_PAD_PROBE_OK;
}

/* The five seconds do not count: the loss starts two seconds without frames
 * after them. */
static void
expect_loss_after_five_seconds (Camera *camera)
{
  wait_until (camera, 6900 * GST_MSECOND);
  expect_loss (camera, NULL, 0);
  wait_until (camera, 9 * GST_SECOND);
  expect_loss (camera, "start", 40 * GST_MSECOND);
}

/* A blocked element downstream is no loss, and its time does not count. */
TEST (test_slow_downstream)
{
  g_autoptr (GstPad) pad = NULL;
  Camera camera;
  gulong probe;

  camera_init (&camera, "clframesum events=signal-loss statistics=0");
  pad = gst_element_get_static_pad (camera.h->element, "src");
  probe = gst_pad_add_probe (pad, GST_PAD_PROBE_TYPE_BUFFER, take_five_seconds,
      &camera, NULL);
  push_frame (&camera, 0);
  gst_pad_remove_probe (pad, probe);
  expect_loss_after_five_seconds (&camera);
  camera_clear (&camera);
}

/* A query that waits for earlier frames, or for downstream elements, blocks the
 * frames after it. */
TEST (test_query_takes_long)
{
  g_autoptr (GstPad) pad = NULL;
  g_autoptr (GstQuery) query = NULL;
  g_autoptr (GstCaps) caps = NULL;
  Camera camera;
  gulong probe;

  camera_init (&camera, "clframesum events=signal-loss statistics=0");
  push_frame (&camera, 0);
  pad = gst_element_get_static_pad (camera.h->element, "src");
  probe = gst_pad_add_probe (pad,
      GST_PAD_PROBE_TYPE_QUERY_DOWNSTREAM | GST_PAD_PROBE_TYPE_PUSH,
      take_five_seconds, &camera, NULL);
  caps = gst_video_info_to_caps (&camera.info);
  query = gst_query_new_allocation (caps, FALSE);
  gst_pad_peer_query (camera.h->srcpad, query);
  gst_pad_remove_probe (pad, probe);
  expect_loss_after_five_seconds (&camera);
  camera_clear (&camera);
}

/* The time before a flush does not count. */
TEST (test_flush)
{
  Camera camera;

  camera_init (&camera, "clframesum events=signal-loss statistics=0");
  push_frame (&camera, 100 * GST_SECOND);
  gst_harness_push_event (camera.h, gst_event_new_flush_start ());
  gst_harness_push_event (camera.h, gst_event_new_flush_stop (TRUE));
  wait_until (&camera, 3 * GST_SECOND);
  expect_loss (&camera, "start", 0);
  camera_clear (&camera);
}

/* The element plays before it gets its clock, and gets another one. */
TEST (test_clock_while_playing)
{
  Camera camera;

  camera_init (&camera, "clframesum events=signal-loss statistics=0");
  gst_element_set_state (camera.h->element, GST_STATE_PAUSED);
  gst_element_set_clock (camera.h->element, NULL);
  gst_element_set_state (camera.h->element, GST_STATE_PLAYING);
  push_frame (&camera, 0);
  fail_unless_equals_int (count_waits (&camera), 0);
  gst_harness_use_testclock (camera.h);
  fail_unless_equals_int (count_waits (&camera), 1);
  wait_until (&camera, 3 * GST_SECOND);
  expect_loss (&camera, "start", 40 * GST_MSECOND);
  gst_element_set_clock (camera.h->element, NULL);
  fail_unless_equals_int (count_waits (&camera), 0);
  camera_clear (&camera);
}

/* The element stops while the clock ticks. */
TEST (test_stops)
{
  for (guint i = 0; i < 20; i++) {
    g_autoptr (GstHarness) h = harness_new (
        "clframesum events=signal-loss signal-loss-timeout=1000000");

    gst_element_set_state (h->element, GST_STATE_PAUSED);
    gst_harness_use_systemclock (h);
    gst_element_set_state (h->element, GST_STATE_PLAYING);
    g_usleep (i * 500);
  }
}

SUITE (.start = harness_share_context);
