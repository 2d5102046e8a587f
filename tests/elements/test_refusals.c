/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Input that an element does not support: one error that names it, and the
 * format to convert it to. */

#include "common.h"

#include "suite.h"

#define PARTS(...) ((const gchar *const[]){ __VA_ARGS__, NULL })
#define CAPS(fields)                                                           \
  "video/x-raw, " fields ", width=64, height=48, framerate=1/1"

static void
expect_refused (GstHarness *h, const gchar *caps, const gchar *const *parts)
{
  g_autoptr (GstBus) bus = harness_bus (h);

  gst_harness_set_src_caps_str (h, caps);
  fail_unless_equals_int (gst_harness_push (h, gst_buffer_new ()),
      GST_FLOW_NOT_NEGOTIATED);
  expect_one_error (bus, GST_STREAM_ERROR, GST_STREAM_ERROR_WRONG_TYPE, parts);
}

TEST (test_refused_input)
{
  static const struct {
    const gchar *line, *caps;
    const gchar *parts[4];
  } rows[] = {
    { "clframesum", CAPS ("format=NV12_10BE_8L128"),
        { "format NV12_10BE_8L128", "I420_10LE keeps every bit",
            "videoconvert dither=none ! video/x-raw,format=I420_10LE" } },
    { "cllocalmean", CAPS ("format=NV12_4L4"),
        { "format NV12_4L4", "I420 keeps every bit" } },
    { "clintegral", CAPS ("format=NV12_64Z32"), { "I420 keeps every bit" } },
    { "cldownload", CAPS ("format=NV12_32L32"), { "I420 keeps every bit" } },
    { "clupload", "video/x-raw(memory:GLMemory), format=RGBA",
        { "video/x-raw(memory:GLMemory)", "RGBA" } },
    { "clframesum",
        "video/x-raw(memory:DMABuf), format=DMA_DRM, "
        "drm-format=NV12:0x0100000000000002, width=64, height=48, "
        "framerate=25/1",
        { "modifier 0x0100000000000002", "NV12:0x0100000000000002",
            "drm-format=NV12\"" } },
    { "clframesum", "video/x-bayer, format=rggb",
        { "video/x-bayer", "Put \"bayer2rgb\" before" } },
    { "clframesum", "video/x-h264", { "Put \"decodebin\" before" } },
    { "clframesum", CAPS ("format=RGB8P"),
        { "format RGB8P", "ARGB keeps every bit" } },
    /* GStreamer refuses at the pad of the inner bin */
    { "( clupload ) ! clframesum", CAPS ("format=NV12_4L4"),
        { "I420 keeps every bit" } },
  };

  for (guint i = 0; i < G_N_ELEMENTS (rows); i++) {
    g_autoptr (GstHarness) h = harness_new (rows[i].line);

    expect_refused (h, rows[i].caps, rows[i].parts);
  }
}

/* Caps that arrive at the element in the thread of a queue. */
TEST (test_behind_a_queue)
{
  g_autoptr (GstHarness) h = harness_new ("queue ! clframesum");
  g_autoptr (GstBus) bus = harness_bus (h);
  g_autoptr (GstQuery) drain = gst_query_new_drain ();

  gst_harness_set_src_caps_str (h, CAPS ("format=NV12_4L4"));
  /* it is serialized: when it has arrived, so have the caps */
  gst_pad_peer_query (h->srcpad, drain);
  expect_one_error (bus, GST_STREAM_ERROR, GST_STREAM_ERROR_WRONG_TYPE,
      PARTS ("I420 keeps every bit"));
}

/* Caps that are sent again have no effect, unless others were accepted
 * between. */
TEST (test_refused_again)
{
  g_autoptr (GstHarness) h = harness_new ("clframesum");
  g_autoptr (GstBus) bus = harness_bus (h);

  for (guint i = 0; i < 2; i++) {
    expect_refused (h, CAPS ("format=NV12_4L4"), PARTS ("format NV12_4L4"));
    fail_unless_equals_int (gst_harness_push (h, gst_buffer_new ()),
        GST_FLOW_NOT_NEGOTIATED);
    gst_harness_set_src_caps_str (h, CAPS ("format=RGB"));
    expect_no_error (bus);
  }
}

/* Queries are answered, and post no error. */
TEST (test_question)
{
  g_autoptr (GstHarness) h = harness_new ("clframesum");
  g_autoptr (GstBus) bus = harness_bus (h);
  g_autoptr (GstCaps) caps = gst_caps_from_string (CAPS ("format=NV12_4L4"));

  fail_if (gst_pad_peer_query_accept_caps (h->srcpad, caps));
  gst_harness_set_src_caps_str (h, CAPS ("format=RGB"));
  fail_if (gst_pad_peer_query_accept_caps (h->srcpad, caps));
  expect_no_error (bus);
}

SUITE (.start = harness_share_context);
