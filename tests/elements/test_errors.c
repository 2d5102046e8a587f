/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Invalid input: one error message that names the cause, and the change to NULL
 * succeeds. */

#include "common.h"
#include "frames.h"
#include "kernelfolder.h"
#include "suite.h"

#define PARTS(...) ((const gchar *const[]){ __VA_ARGS__, NULL })

/* Runs @line until it fails; checks the bus and the change to NULL. */
static void
expect_pipeline_error (const gchar *line, GQuark domain, gint code,
    const gchar *const *parts)
{
  g_autoptr (GError) error = NULL;
  GstElement *pipeline = gst_parse_launch (line, &error);
  GstBus *bus;
  GstMessage *message;

  fail_unless (pipeline != NULL && error == NULL, "cannot create %s", line);
  bus = gst_element_get_bus (pipeline);
  gst_element_set_state (pipeline, GST_STATE_PLAYING);
  do
    message = gst_bus_timed_pop_filtered (bus, 60 * GST_SECOND,
        GST_MESSAGE_ERROR | GST_MESSAGE_EOS);
  while (message && GST_OBJECT_FLAG_IS_SET (GST_MESSAGE_SRC (message),
                        GST_ELEMENT_FLAG_SOURCE));
  fail_unless (message != NULL, "%s: neither EOS nor an error after a minute",
      line);
  fail_unless (GST_MESSAGE_TYPE (message) == GST_MESSAGE_ERROR,
      "%s: expected an error, found EOS", line);

  /* puts the message back, and waits for messages that may follow */
  gst_bus_post (bus, message);
  g_usleep (G_USEC_PER_SEC / 10);
  expect_one_error (bus, domain, code, parts);
  fail_unless (gst_element_set_state (pipeline, GST_STATE_NULL) ==
               GST_STATE_CHANGE_SUCCESS);
  gst_object_unref (bus);
  gst_object_unref (pipeline);
}

#define SOURCE(caps) "videotestsrc num-buffers=3 ! video/x-raw," caps " ! "

TEST (test_no_such_device)
{
  expect_pipeline_error (
      SOURCE ("format=GRAY8") "clframesum device=nonsense ! fakesink",
      GST_RESOURCE_ERROR, GST_RESOURCE_ERROR_NOT_FOUND,
      PARTS ("\"nonsense\"", "Available: 0.0"));
  expect_pipeline_error (SOURCE ("format=GRAY8") "clintegral device=99.0 ! "
                                                 "fakesink",
      GST_RESOURCE_ERROR, GST_RESOURCE_ERROR_NOT_FOUND, PARTS ("\"99.0\""));
}

TEST (test_not_negotiated)
{
  static const struct {
    const gchar *line;
    const gchar *parts[4];
  } rows[] = {
    { SOURCE (
          "format=GRAY8,width=20,height=10") "cllocalmean border-mode=valid "
                                             "kernel-height=11 ! fakesink",
        { "border-mode=valid", "kernel-height 11", "20x10" } },
    { SOURCE ("format=GRAY8,width=20,height=10") "cllocalmean "
                                                 "border-mode=valid "
                                                 "kernel-width=21 ! fakesink",
        { "kernel-width 21", "20x10" } },
    { SOURCE ("format=I420,width=20,height=20") "cllocalmean border-mode=valid "
                                                "! fakesink",
        { "border-mode=valid", "I420", "20x20" } },
    { SOURCE ("format=GRAY8") "cllocalmean kernel-width=4 anchor-x=4 ! "
                              "fakesink",
        { "anchor-x", "kernel-width is 4" } },
    { SOURCE ("format=GRAY8") "cllocalmean kernel-height=4 anchor-y=9 ! "
                              "fakesink",
        { "anchor-y", "kernel-height is 4" } },
    { SOURCE ("format=GRAY8") "clintegral component=1 ! fakesink",
        { "component", "GRAY8" } },
    { SOURCE ("format=I420") "clintegral component=3 ! fakesink",
        { "component", "I420" } },
    { SOURCE (
          "format=GRAY8,width=16,height=16") "clintegral ! cllocalmean "
                                             "border-mode=replicate "
                                             "kernel-width=32767 "
                                             "kernel-height=32767 ! fakesink",
        { "kernel-width 32767", "16x16" } },
    { SOURCE ("format=GRAY8,width=16,height=16") "clintegral sum-format=f32 ! "
                                                 "cllocalmean ! fakesink",
        { "sum-format=u32 or u64", "16x16" } },
    { SOURCE ("format=GRAY8") "clframesum planes=u+v ! fakesink",
        { "planes", "GRAY8" } },
  };

  for (guint i = 0; i < G_N_ELEMENTS (rows); i++)
    expect_pipeline_error (rows[i].line, GST_CORE_ERROR,
        GST_CORE_ERROR_NEGOTIATION, rows[i].parts);
}

/* Checks that @description refuses a frame of 20x10, GRAY8. */
static void
expect_refused (const gchar *description, const gchar *const *parts)
{
  g_autoptr (GstHarness) h = harness_new (description);
  g_autoptr (GstBus) bus = harness_bus (h);
  GstVideoInfo info;

  harness_set_format (h, GST_VIDEO_FORMAT_GRAY8, 20, 10, &info);
  harness_run_into (h, frame_new (&info, 1), GST_FLOW_NOT_NEGOTIATED);
  expect_one_error (bus, GST_CORE_ERROR, GST_CORE_ERROR_NEGOTIATION, parts);
}

/* Properties of cllocalmean that exclude each other. */
TEST (test_properties_at_odds)
{
  static const struct {
    const gchar *description;
    const gchar *parts[4];
  } rows[] = {
    { "cllocalmean repeat=2 operation=stddev",
        { "20x10 frame of GRAY8", "repeat is 2", "operation" } },
    { "cllocalmean repeat=3 step-x=2",
        { "20x10 frame of GRAY8", "repeat is 3", "step-x" } },
    { "cllocalmean repeat=3 step-y=2",
        { "20x10 frame of GRAY8", "repeat is 3", "step-y" } },
    { "cllocalmean repeat=100 border-mode=valid kernel-height=2",
        { "20x10 frame of GRAY8", "repeat is 100", "border-mode" } },
    { "cllocalmean anchor-x=15",
        { "20x10 frame of GRAY8", "anchor-x is 15", "kernel-width is 15" } },
    { "clintegral ! cllocalmean repeat=2",
        { "20x10 integral image", "repeat is 2" } },
    { "clintegral ! cllocalmean method=sliding",
        { "20x10 integral image", "method is sliding" } },
    { "clintegral ! cllocalmean anchor-y=15",
        { "20x10 integral image", "anchor-y is 15" } },
  };

  for (guint i = 0; i < G_N_ELEMENTS (rows); i++)
    expect_refused (rows[i].description, rows[i].parts);
}

/* An integral image without squares has no deviations. */
TEST (test_deviations_without_squares)
{
  static const gchar *const operations[] = { "stddev", "niblack", "sauvola",
    "wolf", "nick" };

  for (guint i = 0; i < G_N_ELEMENTS (operations); i++) {
    g_autofree gchar *description = g_strdup_printf (
        "clintegral ! cllocalmean operation=%s", operations[i]);

    expect_refused (description,
        PARTS ("20x10 integral image", "operation", "squares=true"));
  }
}

/* 16,843,009 samples of 255 have the sum 2^32 - 1, and 515 x 32705 a larger
 * one. 515 x 32704 are supported, and with 64-bit sums all are. With shrink no
 * sum is larger than that of the frame. */
TEST (test_windows_beyond_32_bits)
{
  static const gchar *const borders[] = { "replicate", "constant", "reflect",
    "reflect-101", "wrap" };
  static const gchar *const taken[] = {
    "clintegral ! cllocalmean border-mode=replicate kernel-height=32704",
    "clintegral ! cllocalmean border-mode=shrink kernel-height=32767",
    ("clintegral sum-format=u64 ! cllocalmean border-mode=replicate "
     "kernel-height=32705"),
    "cllocalmean border-mode=replicate kernel-height=32705",
  };

  for (guint i = 0; i < G_N_ELEMENTS (borders); i++) {
    g_autofree gchar *description = g_strdup_printf (
        "clintegral ! cllocalmean border-mode=%s kernel-width=515 "
        "kernel-height=32705",
        borders[i]);

    expect_refused (description,
        PARTS ("20x10 integral image", "kernel-width 515", "32-bit"));
  }

  for (guint i = 0; i < G_N_ELEMENTS (taken); i++) {
    g_autofree gchar *description = g_strconcat (taken[i], " kernel-width=515",
        NULL);
    g_autoptr (GstHarness) h = harness_new (description);
    g_autoptr (GstBus) bus = harness_bus (h);
    g_autoptr (GstBuffer) out = NULL;
    GstVideoInfo info;

    harness_set_format (h, GST_VIDEO_FORMAT_GRAY8, 20, 10, &info);
    out = harness_run (h, frame_new_filled (&info, 255));
    expect_no_error (bus);
    fail_unless (gst_buffer_memcmp (out, 0, "\377\377\377\377", 4) == 0);
  }
}

/* An invalid value of a property while playing: every buffer is refused until
 * the property is valid again, and one error is posted. */
TEST (test_invalid_change_while_playing)
{
  static const struct {
    const gchar *factory, *property, *bad, *good;
  } rows[] = {
    { "cllocalmean", "anchor-x", "20", "0" },
    { "clintegral", "component", "2", "0" },
    { "clframesum", "planes", "v", "y" },
  };

  for (guint i = 0; i < G_N_ELEMENTS (rows); i++) {
    g_autoptr (GstHarness) h = harness_new (rows[i].factory);
    g_autoptr (GstBus) bus = harness_bus (h);
    GstVideoInfo info;

    harness_set_format (h, GST_VIDEO_FORMAT_GRAY8, 64, 32, &info);
    gst_buffer_unref (harness_run (h, frame_new (&info, 1)));
    gst_util_set_object_arg (G_OBJECT (h->element), rows[i].property,
        rows[i].bad);
    for (guint n = 0; n < 3; n++)
      harness_run_into (h, frame_new (&info, 1), GST_FLOW_NOT_NEGOTIATED);
    expect_one_error (bus, GST_CORE_ERROR, GST_CORE_ERROR_NEGOTIATION,
        PARTS (rows[i].property));
    gst_util_set_object_arg (G_OBJECT (h->element), rows[i].property,
        rows[i].good);
    gst_buffer_unref (harness_run (h, frame_new (&info, 1)));
    expect_no_error (bus);
  }
}

/* Output that downstream does not support: the error names the properties that
 * cause it, at the start, and once when one of them changes; the change can be
 * undone. */
TEST (test_refused_downstream)
{
  g_autoptr (GstHarness) sums = harness_new ("clintegral");
  g_autoptr (GstHarness) means = harness_new ("cllocalmean");
  g_autoptr (GstElement) element = harness_element (means, "cllocalmean");
  g_autoptr (GstBus) sums_bus = harness_bus (sums);
  g_autoptr (GstBus) means_bus = harness_bus (means);
  GstVideoInfo info;

  gst_harness_set_sink_caps_str (sums, "video/x-integral-image, format=U64LE");
  gst_harness_set_src_caps_str (sums, "video/x-raw, format=GRAY8, width=32, "
                                      "height=16, framerate=25/1");
  expect_one_error (sums_bus, GST_CORE_ERROR, GST_CORE_ERROR_NEGOTIATION,
      PARTS ("sum-format",
          "give video/x-integral-image, format=(string)U32LE, it ",
          "accepts video/x-integral-image, format=(string)U64LE"));

  gst_harness_set_sink_caps_str (means, "video/x-raw, width=32");
  harness_set_format (means, GST_VIDEO_FORMAT_GRAY8, 32, 16, &info);
  gst_buffer_unref (harness_run (means, frame_new (&info, 1)));
  g_object_set (element, "step-x", 2, NULL);
  for (guint i = 0; i < 2; i++)
    harness_run_into (means, frame_new (&info, 2), GST_FLOW_NOT_NEGOTIATED);
  expect_one_error (means_bus, GST_CORE_ERROR, GST_CORE_ERROR_NEGOTIATION,
      PARTS ("step-x", "give video/x-raw, width=(int)16, it ",
          "accepts video/x-raw, width=(int)32"));
  g_object_set (element, "step-x", 1, NULL);
  gst_buffer_unref (harness_run (means, frame_new (&info, 3)));
  expect_no_error (means_bus);
}

/* The sizes of a pool have 32 bits, in which 2^32 bytes are 0, and most devices
 * have no buffer of such a size. The pages of the frame are not touched. */
TEST (test_too_large_a_frame)
{
  static const gchar *const cases[][2] = {
    { "clintegral sum-format=u64 squares=true", "4294967296 bytes" },
    { "clintegral sum-format=u64 squares=true layout=exclusive",
        "4295491600 bytes" },
  };

  for (guint i = 0; i < G_N_ELEMENTS (cases); i++) {
    g_autoptr (GstHarness) h = harness_new (cases[i][0]);
    g_autoptr (GstBus) bus = harness_bus (h);
    GstVideoInfo info;

    harness_set_format (h, GST_VIDEO_FORMAT_GRAY8, 16384, 16384, &info);
    harness_run_into (h,
        gst_buffer_new_wrapped (g_malloc0 (info.size), info.size),
        GST_FLOW_NOT_NEGOTIATED);
    expect_one_error (bus, GST_RESOURCE_ERROR, GST_RESOURCE_ERROR_NO_SPACE_LEFT,
        PARTS (cases[i][1], "At this width, frames of up to "));
  }
}

TEST (test_buffer_smaller_than_its_caps)
{
  static const gchar *const descriptions[] = { "clframesum", "cllocalmean",
    "clintegral", "clframesum stats-meta=false", "clscope" };

  for (guint i = 0; i < G_N_ELEMENTS (descriptions); i++) {
    g_autoptr (GstHarness) h = harness_new (descriptions[i]);
    g_autoptr (GstBus) bus = harness_bus (h);
    GstVideoInfo info;

    harness_set_format (h, GST_VIDEO_FORMAT_GRAY8, 32, 16, &info);
    harness_run_into (h, gst_buffer_new_allocate (NULL, 32 * 16 - 1, NULL),
        GST_FLOW_ERROR);
    expect_one_error (bus, GST_STREAM_ERROR, GST_STREAM_ERROR_FORMAT,
        PARTS ("511 bytes", "512"));

    /* and it continues afterwards */
    gst_buffer_unref (harness_run (h, frame_new (&info, 1)));
    expect_no_error (bus);
  }
}

TEST (test_integral_image_smaller_than_its_caps)
{
  g_autoptr (GstHarness) h = harness_new ("cllocalmean");
  g_autoptr (GstBus) bus = harness_bus (h);

  gst_harness_set_src_caps_str (h,
      "video/x-integral-image, format=U32LE, width=8, height=4, channels=1, "
      "layout=exclusive, squares=false, tilted=false, framerate=25/1");
  harness_run_into (h, gst_buffer_new_allocate (NULL, 8 * 4 * 4, NULL),
      GST_FLOW_ERROR);
  expect_one_error (bus, GST_STREAM_ERROR, GST_STREAM_ERROR_FORMAT,
      PARTS ("128 bytes", "180"));
}

/* GStreamer accepts caps without a field. The size in bytes of 2^64 sums wraps
 * to 0, which fits any buffer. */
TEST (test_integral_image_of_no_size)
{
  static const gchar *const caps[] = { "width=8, height=4, channels=1",
    "format=U32LE, width=8, height=4, channels=1",
    ("format=U32LE, width=2147483647, height=2147483647, channels=4, "
     "layout=exclusive") };

  for (guint i = 0; i < G_N_ELEMENTS (caps); i++) {
    g_autoptr (GstHarness) h = harness_new ("cllocalmean");
    g_autofree gchar *text = g_strdup_printf ("video/x-integral-image, %s, "
                                              "framerate=25/1",
        caps[i]);

    gst_harness_set_src_caps_str (h, text);
    harness_run_into (h, gst_buffer_new_allocate (NULL, 8, NULL),
        GST_FLOW_NOT_NEGOTIATED);
  }
}

/* Metas that contradict the caps: rows that are too short, a frame that is too
 * small, planes after the end of the memory, another format or none. */
TEST (test_meta_against_caps)
{
  static const struct {
    guint width, height;
    gsize offset;
    gint stride;
    GstVideoFormat format;
    const gchar *part; /* part of the text */
  } rows[] = { { 32, 16, 0, 31, GST_VIDEO_FORMAT_GRAY8, "" },
    { 31, 16, 0, 32, GST_VIDEO_FORMAT_GRAY8, "" },
    { 32, 15, 0, 32, GST_VIDEO_FORMAT_GRAY8, "" },
    { 32, 16, 1, 32, GST_VIDEO_FORMAT_GRAY8,
        "512 bytes is smaller than its caps say: 512 bytes from byte 1 on" },
    { 32, 16, 0, 33, GST_VIDEO_FORMAT_GRAY8, "" },
    { 32, 16, G_MAXSIZE - 8, 32, GST_VIDEO_FORMAT_GRAY8,
        "begins 9 bytes before the buffer" },
    { 32, 16, 0, -32, GST_VIDEO_FORMAT_GRAY8, "" },
    { 32, 16, 0, 32, GST_VIDEO_FORMAT_GRAY16_LE, "" },
    { 32, 16, 0, 32, GST_VIDEO_FORMAT_UNKNOWN, "" },
    { 32, 16, 0, 32, (GstVideoFormat) 9999, "" } };

  for (guint i = 0; i < G_N_ELEMENTS (rows); i++) {
    g_autoptr (GstHarness) h = harness_new ("clframesum");
    g_autoptr (GstBus) bus = harness_bus (h);
    GstBuffer *buffer = gst_buffer_new_allocate (NULL, 32 * 16, NULL);
    gsize offsets[GST_VIDEO_MAX_PLANES] = { rows[i].offset };
    gint strides[GST_VIDEO_MAX_PLANES] = { rows[i].stride };
    GstVideoInfo info;

    harness_set_format (h, GST_VIDEO_FORMAT_GRAY8, 32, 16, &info);
    gst_buffer_add_video_meta_full (buffer, GST_VIDEO_FRAME_FLAG_NONE,
        GST_VIDEO_FORMAT_GRAY8, rows[i].width, rows[i].height, 1, offsets,
        strides)
        ->format = rows[i].format;
    harness_run_into (h, buffer, GST_FLOW_ERROR);
    expect_one_error (bus, GST_STREAM_ERROR, GST_STREAM_ERROR_FORMAT,
        PARTS (rows[i].part));
  }
}

/* Rows of 9 bytes, which GStreamer pads to 12, without a meta; and a width for
 * which GStreamer's rows are too short. */
TEST (test_rows_without_meta)
{
  static const struct {
    GstVideoFormat format;
    gsize n_bytes;
    const gchar *part;
  } rows[] = {
    { GST_VIDEO_FORMAT_RGB, 9 * 8,
        "Video whose rows lack GStreamer's padding needs a GstVideoMeta." },
    { GST_VIDEO_FORMAT_UYVP, 64, "UYVP needs an even width" },
  };

  for (guint i = 0; i < G_N_ELEMENTS (rows); i++) {
    g_autoptr (GstHarness) h = harness_new ("clframesum");
    g_autoptr (GstBus) bus = harness_bus (h);
    GstVideoInfo info;

    harness_set_format (h, rows[i].format, 3, 8, &info);
    harness_run_into (h, gst_buffer_new_allocate (NULL, rows[i].n_bytes, NULL),
        GST_FLOW_ERROR);
    expect_one_error (bus, GST_STREAM_ERROR, GST_STREAM_ERROR_FORMAT,
        PARTS (rows[i].part));
  }
}

/* The last test: a kernel file that does not compile replaces the real one. */
TEST (test_kernel_that_does_not_build)
{
  static const gchar *const files[] = { "integral/plain.cl", "integral/cpu.cl",
    "integral/gpu.cl" };

  for (guint i = 0; i < G_N_ELEMENTS (files); i++)
    test_kernel_write (files[i],
        "__kernel void broken (void) { this_is_no_function (); }\n");
  expect_pipeline_error (SOURCE ("format=GRAY8") "clintegral ! fakesink",
      GST_LIBRARY_ERROR, GST_LIBRARY_ERROR_INIT,
      PARTS ("integral/", "this_is_no_function"));
}

SUITE (.start = test_kernel_folder_make, .end = test_kernel_folder_remove);
