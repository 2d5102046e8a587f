/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* clframesumbatch: batches with nothing to measure, errors, properties,
 * states. */

#include "batches.h"
#include "elements/common.h"
#include "elements/reference.h"
#include "folder.h"
#include "suite.h"

#include <glib/gstdio.h>
#include <gst/analytics/gstanalyticsbatchmeta.h>

#define META "GstClFrameSumMeta"
#define AUDIO                                                                  \
  "audio/x-raw,format=S16LE,rate=48000,channels=2,layout=interleaved"

/* --- nothing to measure -------------------------------------------------- */

TEST (test_empty_batches)
{
  g_autoptr (GstHarness) h = harness_new ("clframesumbatch");
  g_autoptr (GstBus) bus = harness_bus (h);
  BatchedStream stream;

  batched_stream_init (&stream, "one", GST_VIDEO_FORMAT_GRAY8, 8, 8);
  batch_set_caps (h, &stream, 1);
  gst_buffer_unref (harness_run (h, batch_new (&stream, 0)));
  gst_buffer_unref (harness_run (h, batch_new (&stream, 1)));
  batched_stream_add_frames (&stream, 1);
  gst_buffer_unref (harness_run (h, batch_new (&stream, 1)));
  gst_buffer_unref (harness_run (h, batch_new (&stream, 1)));
  gst_buffer_unref (harness_run (h, batch_new (&stream, 0)));
  fail_unless_equals_int (batch_count_results (bus), 1);
  fail_unless (gst_harness_push_event (h, gst_event_new_eos ()));
  expect_no_error (bus);
  batched_stream_clear (&stream);
}

/* Audio, a stream without caps yet, and a stream that becomes audio: streams
 * that are no video pass unchanged. */
TEST (test_other_streams)
{
  g_autoptr (GstHarness) h = harness_new ("clframesumbatch");
  g_autoptr (GstBus) bus = harness_bus (h);
  g_autoptr (GstBuffer) sound = gst_buffer_new_and_alloc (16);
  g_autoptr (GstBuffer) out = NULL;
  g_autoptr (GstCaps) audio = gst_caps_from_string (AUDIO);
  BatchedStream streams[3];

  batched_stream_init_other (&streams[0], "sound", AUDIO);
  batched_stream_init_other (&streams[1], "nothing", NULL);
  batched_stream_init (&streams[2], "video", GST_VIDEO_FORMAT_GRAY8, 8, 8);
  batch_set_caps (h, streams, 3);
  batched_stream_add (&streams[0], gst_buffer_ref (sound));
  batched_stream_add (&streams[1], gst_event_new_gap (0, GST_SECOND));
  batched_stream_add_frames (&streams[2], 1);
  batched_stream_add (&streams[2], gst_event_new_caps (audio));
  batched_stream_add (&streams[2], gst_buffer_ref (sound));
  batched_stream_add_format (&streams[2], GST_VIDEO_FORMAT_GRAY8, 9, 9);
  batched_stream_add_frames (&streams[2], 1);
  out = harness_run (h, batch_new (streams, 3));
  fail_unless (batch_object (out, 0, 0) == GST_MINI_OBJECT_CAST (sound));
  fail_unless_equals_int (batch_count (out, 1), 1);
  fail_unless_equals_int (batch_count (out, 2), 5);
  fail_unless (batch_object (out, 2, 2) == GST_MINI_OBJECT_CAST (sound));
  fail_unless_equals_int (batch_count_results (bus), 2);
  expect_no_error (bus);
  for (guint i = 0; i < 3; i++)
    batched_stream_clear (&streams[i]);
}

/* The segment of a stream that was audio arrived before the first caps that can
 * be measured. */
TEST (test_video_after_sound)
{
  g_autoptr (GstHarness) h = harness_new ("clframesumbatch");
  g_autoptr (GstBus) bus = harness_bus (h);
  g_autoptr (GstBuffer) sound = gst_buffer_new_and_alloc (16);
  BatchedStream stream;

  batched_stream_init_other (&stream, "both", AUDIO);
  batch_set_caps (h, &stream, 1);
  batched_stream_add (&stream, gst_buffer_ref (sound));
  gst_buffer_unref (harness_run (h, batch_new (&stream, 1)));
  batched_stream_add (&stream, gst_buffer_ref (sound));
  for (guint i = 0; i < 2; i++) {
    batched_stream_add_format (&stream, GST_VIDEO_FORMAT_GRAY8, 9, 9);
    batched_stream_add_frames (&stream, 2);
    gst_buffer_unref (harness_run (h, batch_new (&stream, 1)));
  }
  fail_unless_equals_int (batch_count_results (bus), 4);
  expect_no_error (bus);
  batched_stream_clear (&stream);
}

/* Without a meta, frames pass unchanged; with one, the frames of a batch that
 * others hold, too, are not modified. */
TEST (test_frames_of_others)
{
  g_autoptr (GstHarness) h = harness_new ("clframesumbatch");
  g_autoptr (GstBus) bus = harness_bus (h);
  g_autoptr (GstBuffer) batch = NULL;
  g_autoptr (GstBuffer) out = NULL;
  g_autoptr (GstBuffer) passed = NULL;
  GstMiniObject *frame;
  BatchedStream stream;

  batched_stream_init (&stream, "one", GST_VIDEO_FORMAT_GRAY8, 8, 8);
  batch_set_caps (h, &stream, 1);
  batched_stream_add_frames (&stream, 1);
  batch = batch_new (&stream, 1);
  frame = batch_object (batch, 0, 0);
  out = harness_run (h, gst_buffer_ref (batch));
  fail_unless (batch_object (batch, 0, 0) == frame);
  fail_unless (
      gst_buffer_get_custom_meta (GST_BUFFER_CAST (frame), META) == NULL);
  fail_unless (gst_buffer_get_custom_meta (
                   GST_BUFFER_CAST (batch_object (out, 0, 0)), META) != NULL);

  g_object_set (h->element, "stats-meta", FALSE, NULL);
  passed = harness_run (h, gst_buffer_ref (batch));
  fail_unless (batch_object (passed, 0, 0) == frame);
  harness_drain (h);
  fail_unless_equals_int (batch_count_results (bus), 2);
  batched_stream_clear (&stream);
}

/* The caps query returns upstream what downstream accepts of each stream. */
TEST (test_caps_of_downstream)
{
  g_autoptr (GstHarness) h = harness_new ("clframesumbatch");
  g_autoptr (GstCaps) sum = gst_pad_peer_query_caps (h->srcpad, NULL);
  g_autoptr (GstCaps) wanted = NULL;
  g_autoptr (GstCaps) caps = NULL;
  BatchedStream stream;

  fail_unless_equals_int (gst_caps_get_size (sum), 1);
  fail_if (
      gst_structure_has_field (gst_caps_get_structure (sum, 0), "streams"));
  batched_stream_init (&stream, "one", GST_VIDEO_FORMAT_GRAY8, 8, 8);
  wanted = batch_caps (&stream, 1);
  gst_harness_set_sink_caps (h, gst_caps_ref (wanted));
  caps = gst_pad_peer_query_caps (h->srcpad, NULL);
  fail_unless (gst_caps_is_equal (caps, wanted));
  batched_stream_clear (&stream);
}

/* --- errors --------------------------------------------------------------- */

TEST (test_no_batch)
{
  g_autoptr (GstHarness) h = harness_new ("clframesumbatch");
  g_autoptr (GstBus) bus = harness_bus (h);

  batch_set_caps (h, NULL, 0);
  harness_run_into (h, gst_buffer_new (), GST_FLOW_ERROR);
  expect_one_error (bus, GST_STREAM_ERROR, GST_STREAM_ERROR_FORMAT, NULL);
}

/* There is one error on @bus, of the element @name. */
static void
expect_error_of (GstBus *bus, const gchar *name)
{
  g_autoptr (GstMessage) error = gst_bus_pop_filtered (bus, GST_MESSAGE_ERROR);

  fail_unless (error != NULL);
  fail_unless_equals_string (GST_MESSAGE_SRC_NAME (error), name);
  fail_unless (gst_bus_pop_filtered (bus, GST_MESSAGE_ERROR) == NULL);
}

/* One stream is too small for the rectangle: one error names it, and the batch
 * is not pushed. */
TEST (test_error_of_one_stream)
{
  g_autoptr (GstHarness) h = harness_new ("clframesumbatch width=20");
  g_autoptr (GstBus) bus = harness_bus (h);
  BatchedStream streams[2];

  batched_stream_init (&streams[0], "one", GST_VIDEO_FORMAT_GRAY8, 40, 8);
  batched_stream_init (&streams[1], "two", GST_VIDEO_FORMAT_GRAY8, 8, 8);
  batch_set_caps (h, streams, 2);
  batched_stream_add_frames (&streams[0], 2);
  batched_stream_add_frames (&streams[1], 2);
  harness_run_into (h, batch_new (streams, 2), GST_FLOW_NOT_NEGOTIATED);
  expect_error_of (bus, "stream_1");
  for (guint i = 0; i < 2; i++)
    batched_stream_clear (&streams[i]);
}

TEST (test_buffer_too_small)
{
  g_autoptr (GstHarness) h = harness_new ("clframesumbatch");
  g_autoptr (GstBus) bus = harness_bus (h);
  BatchedStream streams[2];

  batched_stream_init (&streams[0], "one", GST_VIDEO_FORMAT_GRAY8, 8, 8);
  batched_stream_init (&streams[1], "two", GST_VIDEO_FORMAT_GRAY8, 8, 8);
  batch_set_caps (h, streams, 2);
  batched_stream_add_frames (&streams[0], 1);
  batched_stream_add (&streams[1], gst_buffer_new_and_alloc (5));
  fail_unless (gst_harness_push (h, batch_new (streams, 2)) != GST_FLOW_OK);
  fail_unless (gst_harness_try_pull (h) == NULL);
  expect_error_of (bus, "stream_1");
  for (guint i = 0; i < 2; i++)
    batched_stream_clear (&streams[i]);
}

static guint
count_lines (const gchar *folder, const gchar *name)
{
  g_autofree gchar *file = g_build_filename (folder, name, NULL);
  g_autofree gchar *text = NULL;
  guint n = 0;

  fail_unless (g_file_get_contents (file, &text, NULL, NULL), "cannot read %s",
      file);
  for (const gchar *c = text; *c; c++)
    n += *c == '\n';

  return n;
}

/* The element of the second stream cannot start, after the first stream of the
 * batch has been processed: one error names it, and the batch is not pushed.
 * The processed frames have been measured, and the next start works. */
TEST (test_stream_that_cannot_start)
{
  g_autoptr (GstHarness) h = harness_new ("clframesumbatch");
  g_autoptr (GstBus) bus = harness_bus (h);
  gchar *folder = g_dir_make_tmp ("clframesumbatch-XXXXXX", NULL);
  g_autofree gchar *location = g_build_filename (folder, "%u", "a.csv", NULL);
  g_autofree gchar *upper = g_build_filename (folder, "0", NULL);
  g_autofree gchar *lower = g_build_filename (folder, "1", NULL);
  BatchedStream streams[2];

  fail_unless (g_mkdir (upper, 0700) == 0);
  gst_element_set_state (h->element, GST_STATE_READY);
  g_object_set (h->element, "location", location, NULL);
  for (guint n = 1; n <= 2; n++) {
    gst_element_set_state (h->element, GST_STATE_PLAYING);
    batched_stream_init (&streams[0], "one", GST_VIDEO_FORMAT_GRAY8, 8, 8);
    batched_stream_init (&streams[1], "two", GST_VIDEO_FORMAT_GRAY8, 8, 8);
    batch_set_caps (h, streams, 2);
    batched_stream_add_frames (&streams[0], 2);
    batched_stream_add_frames (&streams[1], 2);
    if (n == 1) {
      harness_run_into (h, batch_new (streams, 2), GST_FLOW_ERROR);
      expect_error_of (bus, "stream_1");
    } else {
      gst_buffer_unref (harness_run (h, batch_new (streams, 2)));
      expect_no_error (bus);
    }
    gst_element_set_state (h->element, GST_STATE_READY);
    fail_unless_equals_int (GST_BIN_NUMCHILDREN (h->element), 0);
    fail_unless_equals_int (count_lines (upper, "a.csv"), 2 + 1);
    fail_unless (g_file_test (lower, G_FILE_TEST_EXISTS) == (n == 2));
    if (n == 1)
      fail_unless (g_mkdir (lower, 0700) == 0);
    for (guint i = 0; i < 2; i++)
      batched_stream_clear (&streams[i]);
  }
  test_folder_remove (folder);
}

/* --- properties and states ----------------------------------------------- */

/* Pushes a frame of one stream, NV12. Returns the stream's element; transfer
 * full. */
static GObject *
start_stream (GstHarness *h)
{
  BatchedStream stream;

  batched_stream_init (&stream, "one", GST_VIDEO_FORMAT_NV12, 8, 8);
  batch_set_caps (h, &stream, 1);
  batched_stream_add_frames (&stream, 1);
  gst_buffer_unref (harness_run (h, batch_new (&stream, 1)));
  batched_stream_clear (&stream);

  return gst_child_proxy_get_child_by_name (GST_CHILD_PROXY (h->element),
      "stream_0");
}

TEST (test_properties_reach_streams)
{
  g_autoptr (GstHarness) h = harness_new ("clframesumbatch planes=1");
  g_autoptr (GstBus) bus = harness_bus (h);
  g_autoptr (GObject) element = NULL;
  guint planes, events;
  gint depth;

  element = start_stream (h);
  g_object_get (element, "planes", &planes, "async-depth", &depth, NULL);
  fail_unless_equals_int (planes, 1);
  fail_unless_equals_int (depth, 1); /* a frame in the largest batch */
  fail_unless (gst_bus_pop_filtered (bus, GST_MESSAGE_LATENCY) == NULL);
  g_object_set (h->element, "planes", 2, "events", 1, NULL);
  g_object_get (element, "planes", &planes, "events", &events, NULL);
  fail_unless_equals_int (planes, 2);
  fail_unless_equals_int (events, 1);
  g_object_get (h->element, "planes", &planes, NULL);
  fail_unless_equals_int (planes, 2);
}

#define N_ROUNDS 3000

typedef struct {
  GstElement *batch;
  guint planes;
} Setting;

static gpointer
set_planes (gpointer user_data)
{
  const Setting *setting = user_data;

  for (guint i = 0; i < 3; i++)
    g_object_set (setting->batch, "planes", setting->planes, NULL);

  return NULL;
}

/* Each element has the properties of the bin, even if several threads set
 * them. */
TEST (test_property_of_threads)
{
  g_autoptr (GstHarness) h = harness_new ("clframesumbatch");
  const Setting one = { h->element, 1 }, two = { h->element, 2 };
  GObject *elements[2];
  BatchedStream streams[G_N_ELEMENTS (elements)];
  guint wanted, planes;

  for (guint i = 0; i < G_N_ELEMENTS (streams); i++) {
    batched_stream_init (&streams[i], "one", GST_VIDEO_FORMAT_NV12, 8, 8);
    batched_stream_add_frames (&streams[i], 1);
  }
  batch_set_caps (h, streams, G_N_ELEMENTS (streams));
  gst_buffer_unref (harness_run (h, batch_new (streams, 2)));
  for (guint i = 0; i < G_N_ELEMENTS (streams); i++) {
    elements[i] = gst_child_proxy_get_child_by_index (
        GST_CHILD_PROXY (h->element), i);
    batched_stream_clear (&streams[i]);
  }

  for (guint n = 0; n < N_ROUNDS; n++) {
    GThread *other = g_thread_new ("sets", set_planes, (gpointer) &one);

    set_planes ((gpointer) &two);
    g_thread_join (other);
    g_object_get (h->element, "planes", &wanted, NULL);
    for (guint i = 0; i < G_N_ELEMENTS (elements); i++) {
      g_object_get (elements[i], "planes", &planes, NULL);
      fail_unless_equals_int (planes, wanted);
    }
  }
  for (guint i = 0; i < G_N_ELEMENTS (elements); i++)
    gst_object_unref (elements[i]);
}

/* Sets a property, which was just set on an element of a stream, to another
 * value. */
static void
set_to_three (GObject *element, GParamSpec *spec, gpointer batch)
{
  guint planes;

  g_object_get (element, "planes", &planes, NULL);
  if (planes != 3)
    g_object_set (batch, "planes", 3, NULL);
}

static void
watch_planes (GstBin *bin, GstElement *element, gpointer user_data)
{
  g_signal_connect (element, "notify::planes", G_CALLBACK (set_to_three), bin);
}

/* A handler of a notify signal of an element may set properties of the bin. */
TEST (test_property_by_handler)
{
  g_autoptr (GstHarness) h = harness_new ("clframesumbatch planes=1");
  g_autoptr (GObject) element = NULL;
  guint planes;

  g_signal_connect (h->element, "element-added", G_CALLBACK (watch_planes),
      NULL);
  element = start_stream (h);
  g_object_get (element, "planes", &planes, NULL);
  fail_unless_equals_int (planes, 3);
  g_object_get (h->element, "planes", &planes, NULL);
  fail_unless_equals_int (planes, 3);
}

/* A file for each stream; in the next start, too. */
TEST (test_files)
{
  g_autoptr (GstHarness) h = harness_new ("clframesumbatch");
  gchar *folder = g_dir_make_tmp ("clframesumbatch-XXXXXX", NULL);
  g_autofree gchar *location = g_build_filename (folder, "%u.csv", NULL);
  BatchedStream streams[2];

  gst_element_set_state (h->element, GST_STATE_READY);
  g_object_set (h->element, "location", location, NULL);
  for (guint n = 1; n <= 2; n++) {
    fail_unless_equals_int (
        gst_element_set_state (h->element, GST_STATE_PLAYING),
        GST_STATE_CHANGE_SUCCESS);
    batched_stream_init (&streams[0], "one", GST_VIDEO_FORMAT_GRAY8, 8, 8);
    batched_stream_init (&streams[1], "two", GST_VIDEO_FORMAT_GRAY8, 8, 8);
    batch_set_caps (h, streams, 2);
    batched_stream_add_frames (&streams[0], n);
    batched_stream_add_frames (&streams[1], 3);
    gst_buffer_unref (harness_run (h, batch_new (streams, 2)));
    gst_element_set_state (h->element, GST_STATE_READY);
    fail_unless_equals_int (GST_BIN_NUMCHILDREN (h->element), 0);
    fail_unless_equals_int (count_lines (folder, "0.csv"), n + 1);
    fail_unless_equals_int (count_lines (folder, "1.csv"), 3 + 1);
    for (guint i = 0; i < 2; i++)
      batched_stream_clear (&streams[i]);
  }
  test_folder_remove (folder);
}

TEST (test_location_of_all)
{
  g_autoptr (GstHarness) h = harness_new ("clframesumbatch");
  g_autoptr (GstBus) bus = harness_bus (h);
  const gchar *const parts[] = { NULL };

  gst_element_set_state (h->element, GST_STATE_READY);
  g_object_set (h->element, "location", "/nowhere/frames.jsonl", NULL);
  fail_unless_equals_int (gst_element_set_state (h->element, GST_STATE_PAUSED),
      GST_STATE_CHANGE_FAILURE);
  expect_one_error (bus, GST_RESOURCE_ERROR, GST_RESOURCE_ERROR_SETTINGS,
      parts);
}

SUITE (.start = harness_share_context);
