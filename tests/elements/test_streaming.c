/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Streams: new caps, states, several pipelines, tees, metas, seeks. */

#include "common.h"
#include "frames.h"
#include "reference.h"
#include "suite.h"

static const gchar *const descriptions[] = {
  "clintegral",
  "cllocalmean kernel-width=7 kernel-height=4",
  "clframesum",
  "clintegral ! cllocalmean",
  "clscope kind=all mode=overlay",
};

/* Returns the output of a new harness for one frame. transfer full */
static GstBuffer *
run_alone (const gchar *description, const GstVideoInfo *info, GstBuffer *in)
{
  g_autoptr (GstHarness) h = harness_new (description);

  gst_harness_set_src_caps (h, gst_video_info_to_caps (info));

  return harness_run (h, gst_buffer_ref (in));
}

LOOP_TEST (test_renegotiation, G_N_ELEMENTS (descriptions))
{
  typedef struct {
    GstVideoFormat format;
    gint width, height;
  } Row;
  static const Row others[] = {
    { GST_VIDEO_FORMAT_NV12, 65, 33 },
    { GST_VIDEO_FORMAT_RGB, 130, 70 },
    { GST_VIDEO_FORMAT_BGRA, 1, 1 },
    { GST_VIDEO_FORMAT_YUY2, 31, 8 },
  };
  const Row rows[] = {
    { GST_VIDEO_FORMAT_GRAY8, 64, 48 },
    { GST_VIDEO_FORMAT_GRAY8, 17, 9 },
    { GST_VIDEO_FORMAT_I420, 65, 33 },
    others[(test_seed () + (guint) __i__) % G_N_ELEMENTS (others)],
    { GST_VIDEO_FORMAT_GRAY8, 64, 48 },
  };
  const gchar *description = descriptions[__i__];
  g_autoptr (GstHarness) h = harness_new (description);
  g_autoptr (GstBus) bus = harness_bus (h);

  for (guint r = 0; r < G_N_ELEMENTS (rows); r++) {
    g_autoptr (GstBuffer) in = NULL;
    g_autoptr (GstBuffer) expected = NULL;
    GstVideoInfo info;

    harness_set_format (h, rows[r].format, rows[r].width, rows[r].height,
        &info);
    in = frame_new (&info, r);
    expected = run_alone (description, &info, in);
    for (guint i = 0; i < 3; i++) {
      g_autoptr (GstBuffer) out = harness_run (h, gst_buffer_ref (in));

      expect_same_bytes (expected, out);
    }
  }
  expect_no_error (bus);
}

/* --- states -------------------------------------------------------------- */

static void
wait_for_eos (GstElement *pipeline)
{
  g_autoptr (GstBus) bus = gst_element_get_bus (pipeline);
  g_autoptr (GstMessage) message = gst_bus_timed_pop_filtered (bus,
      60 * GST_SECOND, GST_MESSAGE_EOS | GST_MESSAGE_ERROR);

  fail_unless (message != NULL);
  fail_unless (GST_MESSAGE_TYPE (message) == GST_MESSAGE_EOS);
}

/* device-name is set while the element runs, and cleared afterwards. */
LOOP_TEST (test_up_and_down, G_N_ELEMENTS (descriptions))
{
  g_autofree gchar *line = g_strdup_printf (
      "videotestsrc num-buffers=4 ! %s name=filter ! fakesink",
      descriptions[__i__]);
  g_autoptr (GstElement) pipeline = gst_parse_launch (line, NULL);
  g_autoptr (GstElement)
      filter = gst_bin_get_by_name (GST_BIN (pipeline), "filter");

  for (guint i = 0; i < 5; i++) {
    g_autofree gchar *playing = NULL, *stopped = NULL;

    gst_element_set_state (pipeline, GST_STATE_PLAYING);
    wait_for_eos (pipeline);
    g_object_get (filter, "device-name", &playing, NULL);
    fail_unless (playing && playing[0]);
    fail_unless (gst_element_set_state (pipeline, GST_STATE_NULL) ==
                 GST_STATE_CHANGE_SUCCESS);
    g_object_get (filter, "device-name", &stopped, NULL);
    fail_unless (stopped == NULL);
  }
}

/* The pipeline is stopped in the middle of an endless stream. */
LOOP_TEST (test_stop_while_playing, G_N_ELEMENTS (descriptions))
{
  g_autofree gchar *line = g_strdup_printf ("videotestsrc ! %s ! fakesink",
      descriptions[__i__]);

  for (guint i = 0; i < 5; i++) {
    g_autoptr (GstElement) pipeline = gst_parse_launch (line, NULL);

    gst_element_set_state (pipeline, GST_STATE_PLAYING);
    gst_element_get_state (pipeline, NULL, NULL, 60 * GST_SECOND);
    g_usleep (20000 * i);
    fail_unless (gst_element_set_state (pipeline, GST_STATE_NULL) ==
                 GST_STATE_CHANGE_SUCCESS);
  }
}

/* A stream continues after a flush, with the same settings. */
LOOP_TEST (test_flush, G_N_ELEMENTS (descriptions))
{
  g_autoptr (GstHarness) h = harness_new (descriptions[__i__]);
  g_autoptr (GstBuffer) in = NULL;
  g_autoptr (GstBuffer) before = NULL;
  g_autoptr (GstBuffer) after = NULL;
  GstSegment segment;
  GstVideoInfo info;

  harness_set_format (h, GST_VIDEO_FORMAT_I420, 33, 21, &info);
  in = frame_new (&info, 1);
  before = harness_run (h, gst_buffer_ref (in));
  fail_unless (gst_harness_push_event (h, gst_event_new_flush_start ()));
  fail_unless (gst_harness_push_event (h, gst_event_new_flush_stop (TRUE)));
  gst_segment_init (&segment, GST_FORMAT_TIME);
  fail_unless (gst_harness_push_event (h, gst_event_new_segment (&segment)));
  after = harness_run (h, gst_buffer_ref (in));
  expect_same_bytes (before, after);
  fail_unless (gst_harness_push_event (h, gst_event_new_eos ()));
}

/* --- several at once ----------------------------------------------------- */

typedef struct {
  const gchar *description;
  GstVideoFormat format;
  gint width, height;
} Stream;

/* Thread: pushes many frames, and compares each with its first result. */
static gpointer
run_stream (gpointer user_data)
{
  const Stream *stream = user_data;
  g_autoptr (GstHarness) h = harness_new (stream->description);
  g_autoptr (GstBuffer) in = NULL;
  g_autoptr (GstBuffer) expected = NULL;
  GstVideoInfo info;

  harness_set_format (h, stream->format, stream->width, stream->height, &info);
  in = frame_new (&info, stream->width);
  expected = run_alone (stream->description, &info, in);
  for (guint i = 0; i < 40; i++) {
    g_autoptr (GstBuffer) out = harness_run (h, gst_buffer_ref (in));

    expect_same_bytes (expected, out);
  }

  return NULL;
}

TEST (test_pipelines_at_once)
{
  static Stream streams[] = {
    { "clintegral", GST_VIDEO_FORMAT_GRAY8, 321, 201 },
    { "cllocalmean", GST_VIDEO_FORMAT_I420, 323, 205 },
    { "clintegral ! cllocalmean", GST_VIDEO_FORMAT_RGB, 161, 99 },
    { "clframesum", GST_VIDEO_FORMAT_NV12, 641, 99 },
    { "clscope kind=all", GST_VIDEO_FORMAT_NV12, 641, 99 },
  };
  GThread *threads[G_N_ELEMENTS (streams)];

  for (guint i = 0; i < G_N_ELEMENTS (streams); i++)
    threads[i] = g_thread_new (streams[i].description, run_stream, &streams[i]);
  for (guint i = 0; i < G_N_ELEMENTS (streams); i++)
    g_thread_join (threads[i]);
}

/* Returns the context in the element's answer to a query; transfer full. */
static GObject *
query_context (GstElement *element)
{
  GstQuery *query = gst_query_new_context ("gst.cl.context");
  g_autoptr (GstPad) pad = gst_element_get_static_pad (element, "src");
  GObject *object = NULL;
  GstContext *context;

  fail_unless (gst_pad_query (pad, query));
  gst_query_parse_context (query, &context);
  object = g_value_dup_object (
      gst_structure_get_value (gst_context_get_structure (context), "context"));
  fail_unless (object != NULL);
  gst_query_unref (query);

  return object;
}

TEST (test_one_pipeline_shares_one_context)
{
  g_autoptr (GstElement) pipeline = gst_parse_launch (
      "videotestsrc num-buffers=30 ! video/x-raw,format=RGB ! tee name=t "
      "t. ! queue ! clintegral name=a ! cllocalmean name=b ! fakesink "
      "t. ! queue ! clframesum name=c ! fakesink",
      NULL);
  GObject *contexts[3];

  gst_element_set_state (pipeline, GST_STATE_PLAYING);
  wait_for_eos (pipeline);
  for (guint i = 0; i < 3; i++) {
    const gchar name[] = { "abc"[i], '\0' };
    g_autoptr (GstElement)
        element = gst_bin_get_by_name (GST_BIN (pipeline), name);

    contexts[i] = query_context (element);
    fail_unless (contexts[i] == contexts[0]);
  }

  /* and nothing of it is kept */
  g_object_add_weak_pointer (contexts[0], (gpointer *) &contexts[0]);
  for (guint i = 0; i < 3; i++)
    g_object_unref (contexts[i]);
  gst_element_set_state (pipeline, GST_STATE_NULL);
  gst_clear_object (&pipeline);
  fail_unless (contexts[0] == NULL);
}

/* --- metas of a buffer ---------------------------------------------------- */

static void
expect_carried (const gchar *description)
{
  g_autoptr (GstHarness) h = harness_new (description);
  g_autoptr (GstBuffer) out = NULL;
  GstBuffer *in;
  GstVideoInfo info;

  harness_set_format (h, GST_VIDEO_FORMAT_GRAY8, 32, 32, &info);
  in = frame_new (&info, 1);
  GST_BUFFER_PTS (in) = 123456;
  GST_BUFFER_DURATION (in) = 789;
  GST_BUFFER_OFFSET (in) = 42;
  GST_BUFFER_FLAG_SET (in, GST_BUFFER_FLAG_DISCONT);
  gst_buffer_add_video_region_of_interest_meta (in, "face", 1, 2, 3, 4);
  gst_buffer_add_custom_meta (in, "test-untagged");

  out = harness_run (h, in);
  fail_unless_equals_uint64 (GST_BUFFER_PTS (out), 123456);
  fail_unless_equals_uint64 (GST_BUFFER_DURATION (out), 789);
  fail_unless_equals_uint64 (GST_BUFFER_OFFSET (out), 42);
  fail_unless (GST_BUFFER_FLAG_IS_SET (out, GST_BUFFER_FLAG_DISCONT));
  fail_unless (gst_buffer_get_custom_meta (out, "test-untagged") != NULL);
  fail_unless (gst_buffer_get_meta (out,
                   GST_VIDEO_REGION_OF_INTEREST_META_API_TYPE) != NULL);
}

TEST (test_metas_and_times)
{
  static const gchar *tags[] = { NULL };

  gst_meta_register_custom ("test-untagged", tags, NULL, NULL, NULL);
  for (guint i = 0; i < G_N_ELEMENTS (descriptions); i++)
    expect_carried (descriptions[i]);
  expect_carried ("cllocalmean step-x=2");
  expect_carried ("clframesum stats-meta=false");
}

/* Returns the only region of interest of a 96x60 frame after @description. */
static void
get_region (const gchar *description, GstVideoRegionOfInterestMeta *region)
{
  g_autoptr (GstHarness) h = harness_new (description);
  g_autoptr (GstBuffer) out = NULL;
  GstVideoRegionOfInterestMeta *meta;
  GstVideoInfo info;
  GstBuffer *in;

  harness_set_format (h, GST_VIDEO_FORMAT_GRAY8, 96, 60, &info);
  in = frame_new (&info, 1);
  gst_buffer_add_video_region_of_interest_meta (in, "face", 31, 17, 41, 29);
  out = harness_run (h, in);
  fail_unless_equals_int (
      gst_buffer_get_n_meta (out, GST_VIDEO_REGION_OF_INTEREST_META_API_TYPE),
      1);
  meta = gst_buffer_get_video_region_of_interest_meta_id (out, 0);
  fail_unless (meta != NULL);
  *region = *meta;
}

static void
expect_region (const gchar *description, guint x, guint y, guint width,
    guint height)
{
  GstVideoRegionOfInterestMeta got;

  get_region (description, &got);
  fail_unless (got.x == x && got.y == y && got.w == width && got.h == height,
      "%s: region %u,%u %ux%u, expected %u,%u %ux%u", description, got.x, got.y,
      got.w, got.h, x, y, width, height);
}

/* Regions of interest move with the pixels, as GStreamer scales them: the
 * region is 31,17 41x29 of 96x60. videoscale did the same until 1.28, where it
 * rounds. */
TEST (test_region_metas)
{
  static const struct {
    const gchar *description;
    gint width, height;
    GstVideoRectangle want;
  } rows[] = {
    { "cllocalmean", 96, 60, { 31, 17, 41, 29 } },
    { "cllocalmean step-x=2 step-y=3", 48, 20, { 15, 5, 20, 9 } },
    { "clintegral ! cllocalmean step-x=4", 24, 60, { 7, 17, 10, 29 } },
  };

  guint major, minor, micro, nano;

  gst_version (&major, &minor, &micro, &nano);
  for (guint i = 0; i < G_N_ELEMENTS (rows); i++) {
    const GstVideoRectangle *want = &rows[i].want;
    g_autofree gchar *scaled = g_strdup_printf (
        "videoscale ! capsfilter caps=video/x-raw,width=%d,height=%d",
        rows[i].width, rows[i].height);

    if (minor < 28)
      expect_region (scaled, want->x, want->y, want->w, want->h);
    expect_region (rows[i].description, want->x, want->y, want->w, want->h);
  }
}

/* If the border is cut off, so is the part of the region in it. The region is
 * 31,17 41x29 of 96x60. */
TEST (test_region_metas_without_border)
{
  expect_region ("cllocalmean kernel-width=11 kernel-height=7 "
                 "border-mode=valid",
      26, 14, 41, 29);
  expect_region ("cllocalmean kernel-width=11 kernel-height=7 anchor-x=0 "
                 "anchor-y=6 border-mode=valid",
      31, 11, 41, 29);
  expect_region ("cllocalmean kernel-width=81 kernel-height=41 "
                 "border-mode=valid",
      0, 0, 16, 20);
  expect_region ("cllocalmean kernel-width=8 kernel-height=8 step-x=8 "
                 "step-y=8 anchor-x=0 anchor-y=0 border-mode=valid",
      3, 2, 5, 3);
}

static gint n_lines; /* of the log about fields; atomic */

static void
count_lines (GstDebugCategory *category, GstDebugLevel level, const gchar *file,
    const gchar *function, gint line, GObject *object, GstDebugMessage *message,
    gpointer user_data)
{
  if (level == GST_LEVEL_INFO &&
      strstr (gst_debug_message_get (message), "both fields"))
    g_atomic_int_inc (&n_lines);
}

/* The log has one line, for each caps, about fields that elements mix. */
TEST (test_interlaced)
{
  static const struct {
    const gchar *line, *mode;
    gint n_lines;
  } rows[] = { { "clframesum", "interleaved", 1 },
    { "cllocalmean", "mixed", 0 }, { "clintegral", "interleaved", 1 },
    { "clframesum", "progressive", 0 }, { "clupload", "interleaved", 0 } };

  gst_debug_set_active (TRUE);
  gst_debug_remove_log_function (gst_debug_log_default);
  gst_debug_set_threshold_for_name ("clbasefilter", GST_LEVEL_INFO);
  gst_debug_add_log_function (count_lines, NULL, NULL);
  for (guint i = 0; i < G_N_ELEMENTS (rows); i++) {
    g_autoptr (GstHarness) h = harness_new (rows[i].line);
    g_autofree gchar *caps = g_strdup_printf (
        "video/x-raw, format=GRAY8, width=64, height=32, framerate=25/1, "
        "interlace-mode=%s",
        rows[i].mode);
    GstVideoInfo info;

    g_atomic_int_set (&n_lines, 0);
    gst_video_info_set_format (&info, GST_VIDEO_FORMAT_GRAY8, 64, 32);
    gst_harness_set_src_caps_str (h, caps);
    for (guint f = 0; f < 2; f++)
      gst_buffer_unref (harness_run (h, frame_new (&info, f)));
    fail_unless_equals_int (g_atomic_int_get (&n_lines), rows[i].n_lines);
  }
  gst_debug_remove_log_function (count_lines);
  gst_debug_unset_threshold_for_name ("clbasefilter");
}
