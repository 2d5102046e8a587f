/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Upstream: pools that run dry, memory that it keeps, planes in pieces; and
 * downstream elements that accept any memory without support for it. */

#include "common.h"
#include "frames.h"
#include "suite.h"

/* --- pools --------------------------------------------------------------- */

#define N_FRAMES 30

static GstBufferPool *
new_bounded_pool (GstCaps *caps, guint size_bytes, guint n_buffers)
{
  GstBufferPool *pool = gst_buffer_pool_new ();
  GstStructure *config = gst_buffer_pool_get_config (pool);

  gst_buffer_pool_config_set_params (config, caps, size_bytes, n_buffers,
      n_buffers);
  fail_unless (gst_buffer_pool_set_config (pool, config));
  fail_unless (gst_buffer_pool_set_active (pool, TRUE));

  return pool;
}

/* A camera has no frame until it gets a buffer for it. */
static gpointer
feed (gpointer user_data)
{
  GstElement *source = user_data;
  GstBufferPool *pool = g_object_get_data (G_OBJECT (source), "pool");

  for (guint i = 0; i < N_FRAMES; i++) {
    GstBuffer *buffer = NULL;
    GstFlowReturn flow;

    if (gst_buffer_pool_acquire_buffer (pool, &buffer, NULL) != GST_FLOW_OK)
      return NULL;
    GST_BUFFER_PTS (buffer) = i * 40 * GST_MSECOND;
    g_signal_emit_by_name (source, "push-buffer", buffer, &flow);
    gst_buffer_unref (buffer);
  }
  {
    GstFlowReturn flow;

    g_signal_emit_by_name (source, "end-of-stream", &flow);
  }

  return NULL;
}

static const struct {
  const gchar *chain;
  guint n_buffers; /* the minimum: one is in flight */
} bounded[] = {
  { "clframesum", 2 },
  { "clframesum stats-meta=false", 2 },
  { "clframesum stats-meta=false frame-interval=100", 2 },
  { "clframesum async-depth=2", 2 },
  { "clframesum async-depth=8", 8 },
  { "clframesum async-depth=32", 3 },
  { "clupload ! clframesum async-depth=8 ! cldownload", 2 },
  { "clframesum async-depth=8 ! clframesum async-depth=8", 8 },
  { "clframesum async-depth=8 ! queue ! clframesum async-depth=8", 12 },
  { "clframesum async-depth=8 ! tee name=t t. ! queue ! fakesink t. ! queue",
      9 },
  { "cllocalmean", 1 },
  { "clintegral", 1 },
  { "clscope", 1 },
  { "clupload ! cllocalmean", 1 },
  { "clupload ! clframesum ! cldownload", 2 },
  { "cldownload ! clupload ! cllocalmean", 1 },
};

LOOP_TEST (test_bounded_pools, G_N_ELEMENTS (bounded))
{
  g_autoptr (GstCaps) caps = gst_caps_from_string (
      "video/x-raw,format=GRAY8,width=64,height=48,framerate=25/1");
  g_autofree gchar *line = g_strdup_printf (
      "appsrc name=source format=time ! %s ! fakesink enable-last-sample=false",
      bounded[__i__].chain);
  g_autoptr (GstElement) pipeline = gst_parse_launch (line, NULL);
  g_autoptr (GstElement)
      source = gst_bin_get_by_name (GST_BIN (pipeline), "source");
  g_autoptr (GstBus) bus = gst_element_get_bus (pipeline);
  GstBufferPool *pool = new_bounded_pool (caps, 64 * 48,
      bounded[__i__].n_buffers);
  GstMessage *message;
  GThread *thread;

  g_object_set (source, "caps", caps, NULL);
  g_object_set_data (G_OBJECT (source), "pool", pool);
  gst_element_set_state (pipeline, GST_STATE_PLAYING);
  thread = g_thread_new ("feed", feed, source);

  message = gst_bus_timed_pop_filtered (bus, 60 * GST_SECOND,
      GST_MESSAGE_EOS | GST_MESSAGE_ERROR);
  gst_buffer_pool_set_flushing (pool, TRUE);
  gst_element_set_state (pipeline, GST_STATE_NULL);
  g_thread_join (thread);
  fail_unless (message && GST_MESSAGE_TYPE (message) == GST_MESSAGE_EOS,
      "%s with an upstream pool of %u buffers: expected EOS, found an error "
      "or none in a minute",
      bounded[__i__].chain, bounded[__i__].n_buffers);
  gst_message_unref (message);
  gst_buffer_pool_set_active (pool, FALSE);
  gst_object_unref (pool);
}

/* The allocation query asks for the buffers that the element keeps. */
TEST (test_buffers_asked_for)
{
  static const struct {
    const gchar *description;
    gboolean is_live;
    guint min;
  } rows[] = {
    { "clframesum", TRUE, 4 },
    { "clframesum", FALSE, 6 },
    { "clframesum stats-meta=false", FALSE, 4 },
    { "clframesum async-depth=16", TRUE, 20 },
    { "clframesum async-depth=16 stats-meta=false", TRUE, 4 },
    { "cllocalmean", TRUE, 4 },
  };

  for (guint r = 0; r < G_N_ELEMENTS (rows); r++) {
    g_autoptr (GstHarness) h = harness_new (rows[r].description);
    GstVideoInfo info;
    GstQuery *query;
    GstCaps *caps;
    guint min;

    gst_harness_set_live (h, rows[r].is_live);
    harness_set_format (h, GST_VIDEO_FORMAT_GRAY8, 32, 16, &info);
    caps = gst_video_info_to_caps (&info);
    query = gst_query_new_allocation (caps, TRUE);
    fail_unless (gst_pad_query (GST_PAD_PEER (h->srcpad), query));
    fail_unless (gst_query_get_n_allocation_pools (query) > 0);
    gst_query_parse_nth_allocation_pool (query, 0, NULL, NULL, &min, NULL);
    fail_unless_equals_int (min, rows[r].min);
    gst_query_unref (query);
    gst_caps_unref (caps);
  }
}

/* --- memory -------------------------------------------------------------- */

/* A frame that the application keeps holds no reference to the plugin's
 * objects. */
TEST (test_kept_frames)
{
  GstHarness *h = harness_new ("cllocalmean");
  GstQuery *query = gst_query_new_context ("gst.cl.context");
  GstBuffer *kept;
  GstContext *context;
  GstVideoInfo info;
  gpointer watched;

  harness_set_format (h, GST_VIDEO_FORMAT_GRAY8, 64, 48, &info);
  kept = frame_new (&info, 1);
  gst_buffer_unref (harness_run (h, gst_buffer_ref (kept)));

  fail_unless (gst_pad_query (GST_PAD_PEER (h->srcpad), query));
  gst_query_parse_context (query, &context);
  watched = g_value_get_object (
      gst_structure_get_value (gst_context_get_structure (context), "context"));
  g_object_add_weak_pointer (watched, &watched);
  gst_query_unref (query);
  harness_free (h);

  fail_unless (watched == NULL);
  gst_buffer_unref (kept);
}

/* Planes whose rows are in two memories. */
TEST (test_planes_in_pieces)
{
  static const gchar *const chains[] = { "clupload ! cldownload",
    ("clupload ! capsfilter caps=video/x-raw(memory:OpenCLMemory) ! identity ! "
     "cldownload"),
    "cllocalmean kernel-width=1 kernel-height=1" };

  for (guint c = 0; c < G_N_ELEMENTS (chains); c++) {
    g_autoptr (GstHarness) h = harness_new (chains[c]);
    g_autoptr (GstBuffer) whole = NULL, out = NULL;
    g_autoptr (GBytes) want = NULL, got = NULL;
    GstBuffer *pieces = gst_buffer_new ();
    GstVideoInfo info;
    gsize size;

    harness_set_format (h, GST_VIDEO_FORMAT_GRAY8, 32, 17, &info);
    whole = frame_new (&info, c);
    want = frame_bytes (whole);
    size = g_bytes_get_size (want);
    gst_buffer_append_memory (pieces,
        gst_allocator_alloc (NULL, 32 * 7 + 8, NULL));
    gst_buffer_append_memory (pieces,
        gst_allocator_alloc (NULL, size - 32 * 7 - 8, NULL));
    gst_buffer_fill (pieces, 0, g_bytes_get_data (want, NULL), size);
    gst_buffer_copy_into (pieces, whole, GST_BUFFER_COPY_TIMESTAMPS, 0, -1);

    out = harness_run (h, pieces);
    got = frame_bytes (out);
    fail_unless (g_bytes_equal (got, want), "%s: the output differs",
        chains[c]);
  }
}

/* --- neighbours ---------------------------------------------------------- */

/* These accept any memory, and support the system's only. */
TEST (test_elements_that_accept_any_memory)
{
  static const gchar *const lines[] = { "cllocalmean ! videocrop left=8",
    "clframesum ! videocrop left=8 ! cllocalmean",
    "clintegral ! cllocalmean ! videocrop top=2 ! clframesum",
    "clscope ! videocrop left=8 ! clscope" };

  for (guint i = 0; i < G_N_ELEMENTS (lines); i++) {
    g_autofree gchar *line = g_strdup_printf (
        "videotestsrc num-buffers=3 ! video/x-raw,format=GRAY8 ! %s ! fakesink",
        lines[i]);

    run_pipeline (line);
  }
}
