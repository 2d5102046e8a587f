/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Running elements: properties at their limits and set by another thread,
 * seeks, streams without timestamps. */

#include "changer.h"
#include "common.h"
#include "frames.h"
#include "reference.h"
#include "suite.h"

#define PAUSE_US   100 /* between two settings of another thread */
#define N_CHANGERS 4   /* threads that set the same settings, without a pause */

/* --- limits -------------------------------------------------------------- */

/* The mean of all samples of a GRAY8 frame. */
static guint8
mean_of_frame (GstBuffer *frame, const GstVideoInfo *info)
{
  gint width, height;
  g_autofree guint8 *samples = frame_component (frame, info, 0, &width,
      &height);
  guint sum = 0;

  for (gint i = 0; i < width * height; i++)
    sum += samples[i];

  return (sum + width * height / 2) / (width * height);
}

/* The largest window covers the frame from any position. */
TEST (test_largest_window)
{
  static const gchar *const methods[] = { "direct", "async-copy" };

  for (guint m = 0; m < G_N_ELEMENTS (methods); m++) {
    g_autofree gchar *description = g_strdup_printf (
        "cllocalmean kernel-width=32767 kernel-height=32767 "
        "method=%s",
        methods[m]);
    g_autoptr (GstHarness) h = harness_new (description);
    g_autoptr (GstBus) bus = harness_bus (h);
    g_autoptr (GstBuffer) in = NULL;
    g_autoptr (GstBuffer) out = NULL;
    g_autofree guint8 *means = NULL;
    GstVideoInfo info;

    harness_set_format (h, GST_VIDEO_FORMAT_GRAY8, 33, 17, &info);
    in = frame_new (&info, 1);
    out = harness_run (h, gst_buffer_ref (in));
    means = frame_component (out, &info, 0, NULL, NULL);
    for (guint i = 0; i < 33 * 17; i++)
      fail_unless_equals_int (means[i], mean_of_frame (in, &info));
    expect_no_error (bus);
  }
}

/* The anchor in the last column and row of the window: the samples before a
 * sample. */
TEST (test_largest_anchor)
{
  g_autoptr (GstHarness)
      h = harness_new ("cllocalmean kernel-width=32767 kernel-height=32767 "
                       "anchor-x=32766 anchor-y=32766");
  g_autoptr (GstBuffer) in = NULL;
  g_autoptr (GstBuffer) out = NULL;
  g_autofree guint8 *samples = NULL, *means = NULL;
  GstVideoInfo info;
  guint sum = 0;

  harness_set_format (h, GST_VIDEO_FORMAT_GRAY8, 33, 17, &info);
  in = frame_new (&info, 1);
  out = harness_run (h, gst_buffer_ref (in));
  samples = frame_component (in, &info, 0, NULL, NULL);
  means = frame_component (out, &info, 0, NULL, NULL);
  for (guint x = 0; x < 33; x++) {
    sum += samples[x];
    fail_unless_equals_int (means[x], (sum + (x + 1) / 2) / (x + 1));
  }
  fail_unless_equals_int (means[33 * 17 - 1], mean_of_frame (in, &info));
}

TEST (test_longest_steps_and_intervals)
{
  g_autoptr (GstHarness)
      means = harness_new ("cllocalmean step-x=32767 step-y=32767");
  g_autoptr (GstHarness) stats = harness_new (
      "clframesum interval=18446744073709551615 frame-interval=4294967295");
  g_autoptr (GstElement) element = harness_element (means, "cllocalmean");
  g_autoptr (GstBus) bus = harness_bus (stats);
  g_autoptr (GstBuffer) in = NULL;
  g_autoptr (GstBuffer) out = NULL;
  GstVideoInfo info, out_info;

  harness_set_format (means, GST_VIDEO_FORMAT_NV12, 33, 17, &info);
  in = frame_new (&info, 1);
  out = harness_run (means, gst_buffer_ref (in));
  harness_out_info (means, &out_info);
  fail_unless_equals_int (GST_VIDEO_INFO_WIDTH (&out_info), 1);
  expect_means (element, out, &out_info, in, &info);

  harness_set_format (stats, GST_VIDEO_FORMAT_NV12, 33, 17, &info);
  for (guint i = 0; i < 5; i++) {
    G_GNUC_UNUSED g_autoptr (GstBuffer)
        passed = harness_run (stats, gst_buffer_ref (in));
    g_autoptr (GstMessage) message = pop_element_message (bus, "clframesum");

    fail_unless ((message != NULL) == (i == 0));
  }
}

/* --- another thread ------------------------------------------------------ */

/* Pushes @n_frames; each is output before the next is pushed. */
static void
run_frames (GstHarness *h, GstBuffer *in, guint n_frames)
{
  for (guint i = 0; i < n_frames; i++) {
    g_autoptr (GstBuffer) out = NULL;

    fail_unless_equals_int (gst_harness_push (h, gst_buffer_ref (in)),
        GST_FLOW_OK);
    out = gst_harness_try_pull (h);
    fail_unless (out != NULL, "no output for frame %u", i);
  }
}

/* Pushes frames while one thread changes @settings, and then while several
 * threads do so without a pause: a frame is configured once, however often they
 * change. The caller checks the output. */
static GstBuffer *
run_while_changing (GstHarness *h, GstElement *element,
    const gchar *const *settings, GstBuffer *in)
{
  Changer changer, changers[N_CHANGERS];

  changer_start (&changer, element, settings, PAUSE_US);
  run_frames (h, in, 150);
  changer_stop (&changer);

  for (guint c = 0; c < N_CHANGERS; c++)
    changer_start (&changers[c], element, settings, 0);
  run_frames (h, in, 50);
  for (guint c = 0; c < N_CHANGERS; c++)
    changer_stop (&changers[c]);

  return harness_run (h, gst_buffer_ref (in));
}

TEST (test_means_change_from_another_thread)
{
  static const gchar *const settings[] = { "kernel-width", "3", "step-x", "2",
    "border-mode", "valid", "planes", "r+b", "anchor-y", "0", "step-y", "3",
    "method", "async-copy", "border-mode", "replicate", "step-x", "1",
    "kernel-width", "9", "method", "direct", "planes", "15", "border-mode",
    "shrink", "step-y", "1", NULL };
  g_autoptr (GstHarness) h = harness_new ("cllocalmean");
  g_autoptr (GstBus) bus = harness_bus (h);
  g_autoptr (GstBuffer) in = NULL;
  g_autoptr (GstBuffer) out = NULL;
  GstVideoInfo info, out_info;

  harness_set_format (h, GST_VIDEO_FORMAT_RGBx, 65, 33, &info);
  in = frame_new (&info, 1);
  out = run_while_changing (h, h->element, settings, in);
  harness_out_info (h, &out_info);
  expect_means (h->element, out, &out_info, in, &info);
  expect_no_error (bus);
}

TEST (test_sums_change_from_another_thread)
{
  static const gchar *const settings[] = { "layout", "exclusive", "component",
    "2", "method", "async-copy", "layout", "inclusive", "component", "0",
    "method", "multi-pass", "component", "-1", NULL };
  g_autoptr (GstHarness) h = harness_new ("clintegral");
  g_autoptr (GstBus) bus = harness_bus (h);
  g_autoptr (GstBuffer) in = NULL;
  g_autoptr (GstBuffer) out = NULL;
  g_autoptr (GstCaps) caps = NULL;
  GstVideoInfo info;
  gint component;

  harness_set_format (h, GST_VIDEO_FORMAT_I420, 65, 33, &info);
  in = frame_new (&info, 1);
  out = run_while_changing (h, h->element, settings, in);
  caps = harness_out_caps (h);
  g_object_get (h->element, "component", &component, NULL);
  expect_integral (out, caps, in, &info, component);
  expect_no_error (bus);
}

/* The caps of each frame have layout and size, by which its sums are checked:
 * if caps and sums used different settings, one of them would be wrong. */
TEST (test_no_frame_mixes_settings)
{
  static const gchar *const settings[] = { "layout", "exclusive", "component",
    "2", "layout", "inclusive", "component", "0", NULL };
  g_autoptr (GstHarness) h = harness_new ("clintegral component=0");
  g_autoptr (GstBuffer) in = NULL;
  Changer changer;
  GstVideoInfo info;

  harness_set_format (h, GST_VIDEO_FORMAT_I420, 65, 33, &info);
  in = frame_new (&info, 1);
  changer_start (&changer, h->element, settings, PAUSE_US);
  for (guint i = 0; i < 300; i++) {
    g_autoptr (GstBuffer) out = harness_run (h, gst_buffer_ref (in));
    g_autoptr (GstCaps) caps = harness_out_caps (h);
    gint width;

    fail_unless (gst_structure_get_int (gst_caps_get_structure (caps, 0),
        "width", &width));
    expect_integral (out, caps, in, &info, width == 65 ? 0 : 2);
  }
  changer_stop (&changer);
}

TEST (test_statistics_change_from_another_thread)
{
  static const gchar *const settings[] = { "planes", "y", "reduction", "inner",
    "stats-meta", "false", "planes", "15", "post-messages", "false",
    "reduction", "outer", "stats-meta", "true", "post-messages", "true", NULL };
  g_autoptr (GstHarness) h = harness_new ("clframesum");
  g_autoptr (GstBus) bus = harness_bus (h);
  g_autoptr (GstStructure) stats = NULL;
  g_autoptr (GstBuffer) in = NULL;
  g_autoptr (GstBuffer) out = NULL;
  GstVideoInfo info;
  guint planes;

  harness_set_format (h, GST_VIDEO_FORMAT_NV12, 65, 33, &info);
  in = frame_new (&info, 1);
  out = run_while_changing (h, h->element, settings, in);
  harness_drain (h);
  g_object_get (h->element, "stats", &stats, "planes", &planes, NULL);
  expect_statistics (stats, in, &info, planes);
  expect_same_bytes (in, out);
  expect_no_error (bus);
}

/* --- seeks and timestamps ------------------------------------------------- */

static const gchar *const descriptions[] = { "clintegral", "cllocalmean",
  "clframesum", "clframesum stats-meta=false", "clintegral ! cllocalmean",
  "clscope peak-hold=1" };

static void
wait_for (GstBus *bus, GstMessageType type)
{
  g_autoptr (GstMessage) message = gst_bus_timed_pop_filtered (bus,
      60 * GST_SECOND, type | GST_MESSAGE_ERROR);

  fail_unless (message != NULL);
  fail_unless (GST_MESSAGE_TYPE (message) == type);
}

/* Flushing seeks, in PAUSED and while playing, up to the end of a segment. */
LOOP_TEST (test_seeks, G_N_ELEMENTS (descriptions))
{
  g_autofree gchar *line = g_strdup_printf (
      "videotestsrc ! video/x-raw,width=64,height=48,framerate=25/1 ! %s ! "
      "fakesink sync=false",
      descriptions[__i__]);
  g_autoptr (GstElement) pipeline = gst_parse_launch (line, NULL);
  g_autoptr (GstBus) bus = gst_element_get_bus (pipeline);
  const GstSeekFlags flags = GST_SEEK_FLAG_FLUSH | GST_SEEK_FLAG_ACCURATE;

  gst_element_set_state (pipeline, GST_STATE_PAUSED);
  wait_for (bus, GST_MESSAGE_ASYNC_DONE);
  fail_unless (
      gst_element_seek_simple (pipeline, GST_FORMAT_TIME, flags, GST_SECOND));
  wait_for (bus, GST_MESSAGE_ASYNC_DONE);
  gst_element_set_state (pipeline, GST_STATE_PLAYING);
  g_usleep (20000);
  for (guint i = 1; i <= 3; i++)
    fail_unless (gst_element_seek (pipeline, 1.0, GST_FORMAT_TIME, flags,
        GST_SEEK_TYPE_SET, i * GST_SECOND, GST_SEEK_TYPE_SET,
        i * GST_SECOND + 200 * GST_MSECOND));
  wait_for (bus, GST_MESSAGE_EOS);
  fail_unless (gst_element_set_state (pipeline, GST_STATE_NULL) ==
               GST_STATE_CHANGE_SUCCESS);
}

/* Frames without timestamps are output without timestamps. */
LOOP_TEST (test_no_time, G_N_ELEMENTS (descriptions))
{
  g_autoptr (GstHarness) h = harness_new (descriptions[__i__]);
  g_autoptr (GstBus) bus = harness_bus (h);
  GstVideoInfo info;

  harness_set_format (h, GST_VIDEO_FORMAT_GRAY8, 32, 16, &info);
  for (guint i = 0; i < 3; i++) {
    g_autoptr (GstBuffer) out = harness_run (h, frame_new (&info, i));

    fail_if (GST_BUFFER_PTS_IS_VALID (out));
    fail_if (GST_BUFFER_DTS_IS_VALID (out));
    fail_if (GST_BUFFER_DURATION_IS_VALID (out));
  }
  expect_no_error (bus);
}
