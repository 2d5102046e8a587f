/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* clscope: caps, memory, changes while playing, held peaks, errors. */

#include "elements/common.h"
#include "elements/frames.h"
#include "elements/reference.h"
#include "suite.h"

#define PARTS(...) ((const gchar *const[]){ __VA_ARGS__, NULL })

static const gchar *const out_formats[] = { "RGBA", "BGRA", "RGBx", "BGRx",
  "NV12", "I420" };

/* Sets properties: words name=value. */
static void
set_properties (GstHarness *h, const gchar *text)
{
  g_autoptr (GstElement) element = harness_element (h, "clscope");
  g_auto (GStrv) words = g_strsplit (text, " ", -1);

  for (guint i = 0; words[i]; i++) {
    g_auto (GStrv) pair = g_strsplit (words[i], "=", 2);

    gst_util_set_object_arg (G_OBJECT (element), pair[0], pair[1]);
  }
}

/* --- caps ---------------------------------------------------------------- */

/* Sizes of the output, for a progressive input and what downstream accepts. The
 * heights of most have the same number of bins, and so the same programs. */
static const struct {
  const gchar *line, *downstream;
  FrameSize in, out;
} sizes[] = {
  { "clscope", NULL, { 64, 48 }, { 64, 48 } },
  { "clscope", "video/x-raw, width=100, height=60", { 64, 48 }, { 100, 60 } },
  { "clscope", "video/x-raw, width=[10,20], height=[60,70]", { 64, 48 },
      { 20, 60 } },
  { "clscope", "video/x-raw, width={100,70,10}", { 64, 48 }, { 70, 48 } },
  { "clscope width=30", NULL, { 64, 48 }, { 30, 48 } },
  { "clscope width=30 height=63", NULL, { 64, 48 }, { 30, 63 } },
  { "clscope mode=side", NULL, { 64, 48 }, { 128, 48 } },
  { "clscope mode=side width=31 height=40", NULL, { 64, 48 }, { 95, 48 } },
  { "clscope mode=side height=49", NULL, { 64, 48 }, { 128, 49 } },
  { "clscope mode=overlay", NULL, { 64, 48 }, { 64, 48 } },
  { "clscope mode=overlay width=300 height=300", NULL, { 65, 47 }, { 65, 47 } },
  { "clscope kind=all", NULL, { 1, 1 }, { 1, 1 } },
  { "clscope kind=all", NULL, { 2, 1 }, { 2, 1 } },
  { "clscope kind=parade", NULL, { 1, 1 }, { 1, 1 } },
  { "clscope kind=all mode=side", NULL, { 1, 1 }, { 2, 1 } },
  { "clscope kind=histogram mode=side", NULL, { 1, 3 }, { 2, 3 } },
  { "clscope kind=vectorscope mode=overlay", NULL, { 1, 3 }, { 1, 3 } },
};

TEST (test_output_sizes)
{
  static const GstVideoFormat formats[] = { GST_VIDEO_FORMAT_I420,
    GST_VIDEO_FORMAT_GRAY16_LE, GST_VIDEO_FORMAT_RGB };

  const GstVideoFormat format = formats[test_seed () % G_N_ELEMENTS (formats)];

  for (guint i = 0; i < G_N_ELEMENTS (sizes); i++) {
    g_autoptr (GstHarness) h = harness_new (sizes[i].line);
    g_autoptr (GstBus) bus = harness_bus (h);
    g_autoptr (GstBuffer) out = NULL;
    GstVideoInfo info, got;

    if (sizes[i].downstream)
      gst_harness_set_sink_caps_str (h, sizes[i].downstream);
    harness_set_format (h, format, sizes[i].in.width, sizes[i].in.height,
        &info);
    out = harness_run (h, frame_new (&info, i));
    harness_out_info (h, &got);
    fail_unless (GST_VIDEO_INFO_WIDTH (&got) == sizes[i].out.width &&
                     GST_VIDEO_INFO_HEIGHT (&got) == sizes[i].out.height,
        "%s: %dx%d", sizes[i].line, GST_VIDEO_INFO_WIDTH (&got),
        GST_VIDEO_INFO_HEIGHT (&got));
    fail_unless_equals_int (GST_VIDEO_INFO_FORMAT (&got),
        GST_VIDEO_FORMAT_RGBA);
    fail_unless_equals_uint64 (gst_buffer_get_size (out),
        GST_VIDEO_INFO_SIZE (&got));
    expect_no_error (bus);
  }
}

/* The sizes of the input that upstream is offered. */
TEST (test_input_sizes)
{
  static const struct {
    const gchar *line, *out;
    const gchar *accepted, *refused; /* of the input */
  } rows[] = {
    { "clscope", "width=100, height=70", "width=1, height=1",
        "interlace-mode=alternate" },
    { "clscope mode=side", "width=100, height=70", "width=50, height=70",
        "width=51" },
    { "clscope mode=side", "width=100, height=70", "width=50", "height=69" },
    { "clscope mode=side width=30", "width=100, height=70", "width=70",
        "width=50" },
    { "clscope mode=side height=70", "width=100, height=70", "height=1",
        "height=71" },
    { "clscope mode=side height=70", "width=100, height=70", "height=70",
        "width=51" },
    { "clscope mode=side height=70", "width=100, height=80", "height=80",
        "height=1" },
    { "clscope mode=overlay", "width=100, height=70", "width=100, height=70",
        "width=99" },
  };

  for (guint i = 0; i < G_N_ELEMENTS (rows); i++) {
    g_autoptr (GstHarness) h = harness_new (rows[i].line);
    g_autofree gchar *out = g_strconcat ("video/x-raw, ", rows[i].out, NULL);
    g_autofree gchar *good = g_strconcat ("video/x-raw, ", rows[i].accepted,
        NULL);
    g_autofree gchar *bad = g_strconcat ("video/x-raw, ", rows[i].refused,
        NULL);
    g_autoptr (GstCaps) accepted = NULL;
    g_autoptr (GstCaps) good_caps = gst_caps_from_string (good);
    g_autoptr (GstCaps) bad_caps = gst_caps_from_string (bad);

    gst_harness_set_sink_caps_str (h, out);
    accepted = gst_pad_peer_query_caps (h->srcpad, NULL);
    fail_unless (gst_caps_can_intersect (good_caps, accepted), "%s: %s",
        rows[i].line, rows[i].accepted);
    if (strstr (bad, "alternate"))
      gst_caps_set_features_simple (bad_caps,
          gst_caps_features_new (GST_CAPS_FEATURE_FORMAT_INTERLACED, NULL));
    fail_if (gst_caps_can_intersect (bad_caps, accepted), "%s: %s",
        rows[i].line, rows[i].refused);
  }
}

/* A scope alone is a progressive picture with square pixels; with the picture,
 * pixels and fields are those of the input. The rate is always that of the
 * input; colorimetry is that of the output, which is SDR. */
TEST (test_other_fields)
{
  static const struct {
    const gchar *line;
    gint n, d; /* pixel-aspect-ratio */
    GstVideoInterlaceMode mode;
  } rows[] = {
    { "clscope", 1, 1, GST_VIDEO_INTERLACE_MODE_PROGRESSIVE },
    { "clscope mode=side", 16, 15, GST_VIDEO_INTERLACE_MODE_INTERLEAVED },
    { "clscope mode=overlay", 16, 15, GST_VIDEO_INTERLACE_MODE_INTERLEAVED },
  };

  for (guint i = 0; i < G_N_ELEMENTS (rows); i++) {
    g_autoptr (GstHarness) h = harness_new (rows[i].line);
    g_autoptr (GstCaps) out_caps = NULL;
    GstVideoInfo info, got;
    GstCaps *caps;

    gst_video_info_set_interlaced_format (&info, GST_VIDEO_FORMAT_I420,
        GST_VIDEO_INTERLACE_MODE_INTERLEAVED, 72, 56);
    info.fps_n = 30000;
    info.fps_d = 1001;
    info.par_n = 16;
    info.par_d = 15;
    info.colorimetry.matrix = GST_VIDEO_COLOR_MATRIX_BT2020;
    caps = gst_video_info_to_caps (&info);
    gst_caps_set_simple (caps, "mastering-display-info", G_TYPE_STRING,
        "34000:16000:13250:34500:7500:3000:15635:16450:10000000:1",
        "content-light-level", G_TYPE_STRING, "1000:400", NULL);
    gst_harness_set_src_caps (h, caps);
    gst_buffer_unref (harness_run (h, frame_new (&info, i)));
    harness_out_info (h, &got);
    out_caps = gst_pad_get_current_caps (h->sinkpad);
    fail_if (gst_structure_has_field (gst_caps_get_structure (out_caps, 0),
        "mastering-display-info"));
    fail_if (gst_structure_has_field (gst_caps_get_structure (out_caps, 0),
        "content-light-level"));
    fail_unless_equals_int (GST_VIDEO_INFO_PAR_N (&got), rows[i].n);
    fail_unless_equals_int (GST_VIDEO_INFO_PAR_D (&got), rows[i].d);
    fail_unless_equals_int (GST_VIDEO_INFO_INTERLACE_MODE (&got), rows[i].mode);
    fail_unless_equals_int (GST_VIDEO_INFO_FPS_N (&got), 30000);
    fail_unless_equals_int (GST_VIDEO_INFO_FPS_D (&got), 1001);
    fail_unless_equals_int (GST_VIDEO_INFO_COLORIMETRY (&got).matrix,
        GST_VIDEO_COLOR_MATRIX_RGB);
  }
}

/* Returns the output of one frame for @line; *info receives its caps, and
 * *is_device whether the output of clscope is in memory of the device. */
static GstBuffer *
run_line (const gchar *line, GstVideoFormat format, const gchar *downstream,
    GstVideoInfo *info, gboolean *is_device)
{
  g_autoptr (GstHarness) h = harness_new (line);
  g_autoptr (GstElement) element = harness_element (h, "clscope");
  g_autoptr (GstPad) pad = gst_element_get_static_pad (element, "src");
  g_autoptr (GstCaps) caps = NULL;
  GstBuffer *out;
  GstVideoInfo in_info;

  gst_harness_set_sink_caps_str (h, downstream);
  harness_set_format (h, format, 65, 47, &in_info);
  out = harness_run (h, frame_new (&in_info, format));
  harness_out_info (h, info);
  caps = gst_pad_get_current_caps (pad);
  *is_device = gst_caps_features_contains (gst_caps_get_features (caps, 0),
      "memory:OpenCLMemory");

  return out;
}

/* Every format of the output, from and into either memory; planar and packed
 * input alternate. */
TEST (test_memories)
{
  static const gchar *const lines[] = { "clupload ! clscope",
    "clscope ! capsfilter caps=video/x-raw(memory:OpenCLMemory) ! cldownload",
    ("clupload ! clscope ! capsfilter caps=video/x-raw(memory:OpenCLMemory) ! "
     "cldownload") };
  static const GstVideoFormat formats[] = { GST_VIDEO_FORMAT_I420,
    GST_VIDEO_FORMAT_v210 };

  for (guint i = 0; i < G_N_ELEMENTS (out_formats); i++) {
    const GstVideoFormat format =
        formats[(test_seed () + i) % G_N_ELEMENTS (formats)];
    const gchar *name = out_formats[i];
    g_autofree gchar *downstream = g_strdup_printf ("video/x-raw, format=%s",
        name);
    g_autoptr (GstBuffer) expected = NULL;
    gboolean is_device;
    GstVideoInfo info;

    expected = run_line ("clscope", format, downstream, &info, &is_device);
    fail_unless_equals_string (GST_VIDEO_INFO_NAME (&info), name);
    fail_if (is_device);
    for (guint l = 0; l < G_N_ELEMENTS (lines); l++) {
      g_autoptr (GstBuffer)
          out = run_line (lines[l], format, downstream, &info, &is_device);

      expect_same_bytes (expected, out);
      fail_unless_equals_int (is_device, l > 0);
    }
  }
}

/* Returns the output of a frame of @mode, which has the flag or not. */
static GstBuffer *
run_fields (GstVideoInterlaceMode mode, gboolean is_flagged)
{
  g_autoptr (GstHarness) h = harness_new ("clscope kind=parade-rgb");
  GstVideoInfo info;
  GstBuffer *in;

  gst_video_info_set_interlaced_format (&info, GST_VIDEO_FORMAT_I420, mode, 66,
      44);
  info.fps_n = 25;
  info.fps_d = 1;
  gst_harness_set_src_caps (h, gst_video_info_to_caps (&info));
  in = frame_new (&info, 1);
  if (is_flagged)
    GST_BUFFER_FLAG_SET (in, GST_VIDEO_BUFFER_FLAG_INTERLACED);

  return harness_run (h, in);
}

/* With interlace-mode=mixed, each frame says whether chroma is that of two
 * fields. */
TEST (test_mixed_fields)
{
  g_autoptr (GstBuffer)
      frame = run_fields (GST_VIDEO_INTERLACE_MODE_PROGRESSIVE, FALSE);
  g_autoptr (GstBuffer)
      fields = run_fields (GST_VIDEO_INTERLACE_MODE_INTERLEAVED, FALSE);
  g_autoptr (GstBuffer)
      mixed_frame = run_fields (GST_VIDEO_INTERLACE_MODE_MIXED, FALSE);
  g_autoptr (GstBuffer)
      mixed_fields = run_fields (GST_VIDEO_INTERLACE_MODE_MIXED, TRUE);
  g_autoptr (GBytes) frame_only = frame_bytes (frame);
  g_autoptr (GBytes) fields_only = frame_bytes (fields);

  fail_if (g_bytes_equal (frame_only, fields_only));
  expect_same_bytes (frame, mixed_frame);
  expect_same_bytes (fields, mixed_fields);
}

/* --- errors --------------------------------------------------------------- */

TEST (test_refused_downstream)
{
  static const struct {
    const gchar *line, *downstream;
    const gchar *parts[4];
  } rows[] = {
    { "clscope", "video/x-raw, format=GRAY8",
        { "mode, width, height", "RGBA", "accepts video/x-raw" } },
    { "clscope width=30", "video/x-raw, width=64",
        { "width", "width=(int)30", "width=(int)64" } },
    { "clscope mode=side", "video/x-raw, width=64",
        { "mode", "width=(int)128", "width=(int)64" } },
    { "clscope mode=side", "video/x-raw, interlace-mode=alternate",
        { "mode" } },
  };

  for (guint i = 0; i < G_N_ELEMENTS (rows); i++) {
    g_autoptr (GstHarness) h = harness_new (rows[i].line);
    g_autoptr (GstBus) bus = harness_bus (h);
    GstVideoInfo info;

    gst_harness_set_sink_caps_str (h, rows[i].downstream);
    harness_set_format (h, GST_VIDEO_FORMAT_I420, 64, 48, &info);
    harness_run_into (h, frame_new (&info, 1), GST_FLOW_NOT_NEGOTIATED);
    expect_one_error (bus, GST_CORE_ERROR, GST_CORE_ERROR_NEGOTIATION,
        rows[i].parts);
  }
}

/* Buffers with one field each. */
TEST (test_refused_fields)
{
  g_autoptr (GstHarness) h = harness_new ("clscope");
  g_autoptr (GstBus) bus = harness_bus (h);

  gst_harness_set_src_caps_str (h,
      "video/x-raw(format:Interlaced), format=I420, width=64, height=48, "
      "framerate=25/1, interlace-mode=alternate");
  fail_unless_equals_int (gst_harness_push (h, gst_buffer_new ()),
      GST_FLOW_NOT_NEGOTIATED);
  expect_one_error (bus, GST_STREAM_ERROR, GST_STREAM_ERROR_WRONG_TYPE,
      PARTS ("format:Interlaced"));
}

/* Every frame is refused until the property is right again; one error. */
TEST (test_wrong_regions)
{
  static const struct {
    const gchar *text, *name, *reason;
  } rows[] = {
    { "rectangle=nonsense", "rectangle", "not \"x,y,width,height\"" },
    { "rectangle=0,0,64", "rectangle", "not \"x,y,width,height\"" },
    { "rectangle=0,0,64,48,1", "rectangle", "not \"x,y,width,height\"" },
    { "rectangle=0,0,65,48", "rectangle", "exceeds" },
    { "rectangle=1,0,64,48", "rectangle", "exceeds" },
    { "rectangle=0,1,64,48", "rectangle", "exceeds" },
    { "rectangle=64,0,0,0", "rectangle", "exceeds" },
    { "rectangle=-1,0,8,8", "rectangle", "exceeds" },
    { "rectangle=0,0,8,-8", "rectangle", "exceeds" },
    { "rectangle=2147483647,0,2147483647,1", "rectangle", "exceeds" },
    { "lines=x", "lines", "not \"row\" or \"first-last\"" },
    { "lines=1-", "lines", "not \"row\" or \"first-last\"" },
    { "lines=1-2-3", "lines", "not \"row\" or \"first-last\"" },
    { "lines=1,2", "lines", "not \"row\" or \"first-last\"" },
    { "lines=48", "lines", "does not have" },
    { "lines=-1", "lines", "does not have" },
    { "lines=9-8", "lines", "does not have" },
    { "lines=40-48", "lines", "does not have" },
    { "rectangle=0,10,8,8 lines=0-9", "lines", "none is in the rectangle" },
    { "rectangle=0,10,8,8 lines=18", "lines", "none is in the rectangle" },
  };
  static const gchar *const right[] = { "rectangle=0,0,0,0 lines=",
    "rectangle= lines=0-47", "rectangle=63,47,1,1 lines=47" };
  g_autoptr (GstHarness) h = harness_new ("clscope");
  g_autoptr (GstBus) bus = harness_bus (h);
  GstVideoInfo info;

  harness_set_format (h, GST_VIDEO_FORMAT_I420, 64, 48, &info);
  for (guint i = 0; i < G_N_ELEMENTS (rows); i++) {
    set_properties (h, rows[i].text);
    for (guint n = 0; n < 2; n++)
      harness_run_into (h, frame_new (&info, n), GST_FLOW_NOT_NEGOTIATED);
    expect_one_error (bus, GST_CORE_ERROR, GST_CORE_ERROR_NEGOTIATION,
        PARTS ("64x48 frame of I420", rows[i].name, rows[i].reason));
    set_properties (h, right[i % G_N_ELEMENTS (right)]);
    gst_buffer_unref (harness_run (h, frame_new (&info, i)));
    expect_no_error (bus);
    set_properties (h, right[0]);
  }
}

/* --- changes while playing ----------------------------------------------- */

/* Every property. The output differs from the one before. */
static const gchar *const changes[] = {
  "kind=vectorscope",
  "kind=histogram",
  "kind=parade",
  "kind=parade-rgb",
  "kind=overlay-rgb",
  "intensity=0.5",
  "graticule=codes",
  "graticule=nits",
  "graticule=none",
  "kind=all",
  "graticule=ire",
  "rectangle=10,4,30,22",
  "lines=8-17",
  "rectangle=",
  "lines=",
  "width=100",
  "height=60",
  "mode=side",
  "height=0",
  "height=46",
  "mode=overlay",
  "width=0",
  "position=top-left",
  "position=top-right",
  "position=bottom-left",
  "opacity=0.3",
  "kind=false-colour",
  "legend=true",
  "kind=waveform",
  "mode=replace",
};

/* The next frame has the change, and is that of a new element with all changes
 * so far; upstream sends no caps. */
TEST (test_changes_while_playing)
{
  g_autoptr (GstHarness) h = harness_new ("clscope");
  g_autoptr (GstBus) bus = harness_bus (h);
  g_autoptr (GString) line = g_string_new ("clscope");
  g_autoptr (GstBuffer) in = NULL;
  g_autoptr (GstBuffer) last = NULL;
  GstVideoInfo info;

  harness_set_format (h, GST_VIDEO_FORMAT_I420, 65, 47, &info);
  in = frame_new (&info, 1);
  last = harness_run (h, gst_buffer_ref (in));
  for (guint i = 0; i < G_N_ELEMENTS (changes); i++) {
    g_autoptr (GstHarness) fresh = NULL;
    g_autoptr (GstBuffer) out = NULL;
    g_autoptr (GstBuffer) expected = NULL;
    g_autoptr (GBytes) last_bytes = frame_bytes (last);
    g_autoptr (GBytes) bytes = NULL;
    GstVideoInfo got, wanted;

    set_properties (h, changes[i]);
    out = harness_run (h, gst_buffer_ref (in));
    bytes = frame_bytes (out);
    fail_if (g_bytes_equal (bytes, last_bytes), "%s changes nothing",
        changes[i]);

    g_string_append_printf (line, " %s", changes[i]);
    fresh = harness_new ("clscope");
    set_properties (fresh, line->str + strlen ("clscope "));
    harness_set_format (fresh, GST_VIDEO_FORMAT_I420, 65, 47, &info);
    expected = harness_run (fresh, gst_buffer_ref (in));
    harness_out_info (h, &got);
    harness_out_info (fresh, &wanted);
    fail_unless (gst_video_info_is_equal (&got, &wanted), "caps after %s",
        changes[i]);
    expect_same_bytes (expected, out);
    gst_buffer_replace (&last, out);
  }
  expect_no_error (bus);
}

/* --- held peaks ----------------------------------------------------------- */

/* A frame of one colour has one row with the level 255 * 16 / 17 of GREY, since
 * there are 16 bins: row 15 for black, and row 0 for white. */
#define FULL_LEVEL 240
#define GREY       220 /* of 255 */

/* Returns what is drawn for the first column of @row. */
static gint
drawn (GstBuffer *out, gint row)
{
  guint8 red;

  fail_unless_equals_int (
      gst_buffer_extract (out, (gsize) (row * 16 * 4), &red, 1), 1);

  return red;
}

static gint
colour_of (gint level)
{
  return (GREY * level + 127) / 255;
}

/* Frames: white, with these times, after a first one that is black. Its row
 * loses 256 levels in half a second; a level is rounded down. */
TEST (test_held_peaks)
{
  static const struct {
    GstClockTime time, duration; /* milliseconds, or NONE */
    gint level;
  } rows[] = {
    { 0, 40, FULL_LEVEL },
    { 100, 40, FULL_LEVEL - 52 }, /* 51.2 */
    { 200, 40, FULL_LEVEL - 103 },
    { 200, 40, FULL_LEVEL - 123 }, /* by the duration: 20.48 */
    { 150, 20, FULL_LEVEL - 134 }, /* 10.24 */
    { 170, 40, FULL_LEVEL - 144 }, /* by the times */
    { GST_CLOCK_TIME_NONE, 40, FULL_LEVEL - 164 },
    { 190, GST_CLOCK_TIME_NONE, FULL_LEVEL - 164 }, /* 1/256 */
    { 195, 40, FULL_LEVEL - 167 },                  /* 2.56 */
    { 10000, 40, 0 },
  };
  g_autoptr (GstHarness)
      h = harness_new ("clscope peak-hold=0.5 graticule=none");
  GstVideoInfo info;

  harness_set_format (h, GST_VIDEO_FORMAT_GRAY8, 16, 16, &info);
  for (guint i = 0; i < G_N_ELEMENTS (rows); i++) {
    GstBuffer *in = frame_new_filled (&info, i == 0 ? 0 : 255);
    g_autoptr (GstBuffer) out = NULL;

    GST_BUFFER_PTS (in) = GST_CLOCK_TIME_IS_VALID (rows[i].time)
                              ? rows[i].time * GST_MSECOND
                              : GST_CLOCK_TIME_NONE;
    GST_BUFFER_DURATION (in) = GST_CLOCK_TIME_IS_VALID (rows[i].duration)
                                   ? rows[i].duration * GST_MSECOND
                                   : GST_CLOCK_TIME_NONE;
    out = harness_run (h, in);
    fail_unless (drawn (out, 15) == colour_of (rows[i].level),
        "frame %u: %d, not %d", i, drawn (out, 15), colour_of (rows[i].level));
    fail_unless_equals_int (drawn (out, 0),
        i == 0 ? 0 : colour_of (FULL_LEVEL));
  }
}

/* Less than 1/256 of a level for each frame: the rests add up. */
TEST (test_slow_fading)
{
  g_autoptr (GstHarness)
      h = harness_new ("clscope peak-hold=3600 graticule=none");
  const gint n_frames = 600;
  GstVideoInfo info;

  harness_set_format (h, GST_VIDEO_FORMAT_GRAY8, 16, 16, &info);
  for (gint i = 0; i <= n_frames; i++) {
    GstBuffer *in = frame_new_filled (&info, i == 0 ? 0 : 255);
    g_autoptr (GstBuffer) out = NULL;

    GST_BUFFER_PTS (in) = (GstClockTime) i * 47 * GST_MSECOND;
    out = harness_run (h, in);
    if (i == n_frames) /* 28.2 s of an hour: 2.005 of 256 levels */
      fail_unless_equals_int (drawn (out, 15), colour_of (FULL_LEVEL - 3));
    if (i == n_frames - 5) /* 1.989 */
      fail_unless_equals_int (drawn (out, 15), colour_of (FULL_LEVEL - 2));
  }
}

/* Changes of opacity and intensity keep peaks, others end them. */
TEST (test_peaks_and_other_properties)
{
  static const struct {
    const gchar *text;
    gboolean keeps;
  } rows[] = {
    { "intensity=0.3", TRUE },
    { "opacity=0.5", TRUE },
    { "graticule=none", TRUE }, /* as before */
    { "legend=true", FALSE },
    { "position=top-left", FALSE },
    { "rectangle=0,0,0,0", FALSE },
  };

  for (guint i = 0; i < G_N_ELEMENTS (rows); i++) {
    g_autoptr (GstHarness)
        h = harness_new ("clscope peak-hold=1000 graticule=none");
    g_autoptr (GstBuffer) out = NULL;
    GstVideoInfo info;

    harness_set_format (h, GST_VIDEO_FORMAT_GRAY8, 16, 16, &info);
    gst_buffer_unref (harness_run (h, frame_new_filled (&info, 0)));
    set_properties (h, rows[i].text);
    out = harness_run (h, frame_new_filled (&info, 255));
    fail_unless ((drawn (out, 15) > 0) == rows[i].keeps, "%s", rows[i].text);
  }
}

/* Peaks end with the property, and with caps. */
TEST (test_peaks_end)
{
  static const gchar *const texts[] = { "peak-hold=0", "peak-hold=10",
    "peak-hold=20" };
  g_autoptr (GstHarness) h = harness_new ("clscope graticule=none");
  GstVideoInfo info;

  harness_set_format (h, GST_VIDEO_FORMAT_GRAY8, 16, 16, &info);
  for (guint i = 0; i < G_N_ELEMENTS (texts); i++) {
    set_properties (h, texts[i]);
    gst_buffer_unref (harness_run (h, frame_new_filled (&info, 0)));
    for (guint n = 0; n < 2; n++) {
      g_autoptr (GstBuffer)
          out = harness_run (h, frame_new_filled (&info, 255));

      fail_unless_equals_int (drawn (out, 15),
          i == 0 ? 0 : colour_of (FULL_LEVEL));
    }
  }
  harness_set_format (h, GST_VIDEO_FORMAT_I420, 16, 16, &info);
  {
    g_autoptr (GstBuffer) out = harness_run (h, frame_new_filled (&info, 255));

    fail_unless_equals_int (drawn (out, 15), 0);
  }
}

/* --- metas ---------------------------------------------------------------- */

/* Returns the output of @line for a frame with a region of interest. transfer
 * full */
static GstBuffer *
run_region (const gchar *line)
{
  g_autoptr (GstHarness) h = harness_new (line);
  GstVideoInfo info;
  GstBuffer *in;

  harness_set_format (h, GST_VIDEO_FORMAT_GRAY8, 64, 48, &info);
  in = frame_new (&info, 1);
  gst_buffer_add_video_region_of_interest_meta (in, "face", 31, 17, 33, 29);

  return harness_run (h, in);
}

/* Regions of interest stay where the picture is; a scope alone has none. */
TEST (test_regions_of_interest)
{
  static const gchar *const lines[] = { "clscope mode=side",
    "clscope mode=side height=60", "clscope mode=overlay",
    "clscope kind=false-colour" };
  static const gchar *const alone[] = { "clscope", "clscope width=32" };

  for (guint i = 0; i < G_N_ELEMENTS (lines); i++) {
    g_autoptr (GstBuffer) out = run_region (lines[i]);
    GstVideoRegionOfInterestMeta
        *meta = gst_buffer_get_video_region_of_interest_meta_id (out, 0);

    fail_unless (meta && meta->x == 31 && meta->y == 17 && meta->w == 33 &&
                     meta->h == 29,
        "%s: %u,%u %ux%u", lines[i], meta ? meta->x : 0, meta ? meta->y : 0,
        meta ? meta->w : 0, meta ? meta->h : 0);
  }
  for (guint i = 0; i < G_N_ELEMENTS (alone); i++) {
    g_autoptr (GstBuffer) out = run_region (alone[i]);

    fail_if (gst_buffer_get_video_region_of_interest_meta_id (out, 0), "%s",
        alone[i]);
  }
}

SUITE (.start = harness_share_context);
