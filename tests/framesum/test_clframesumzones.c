/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* clframesum: events of zones. */

#include "elements/common.h"
#include "elements/frames.h"
#include "suite.h"

#define FRAME_TIME (40 * GST_MSECOND)
#define N_MODE     8 /* frames of each letter of a script */

/* An odd number of columns and rows of each of 2 x 2 zones. */
#define WIDTH  50
#define HEIGHT 30

#define SETTINGS                                                               \
  "post-messages=false black-min-duration=200000000 "                          \
  "white-min-duration=200000000 freeze-duration=200000000 "                    \
  "single-color-min-duration=200000000 defocus-min-duration=200000000 "

#define FIVE "events=black+white+freeze+single-color+defocus "

/* --- frames --------------------------------------------------------------- */

/* What a zone shows. */
enum {
  BLACK = 'b',
  WHITE = 'w',
  COVERED = 'c', /* one colour, and noise */
  STILL = 's',
  MOVING = 'm',
  BLURRED = 'd', /* moving */
};

static guint
ramp (guint x, guint period)
{
  return x % period * 224 / period + 16;
}

/* Returns the code of luma in frame @number. */
static guint8
shown_code (gchar mode, guint x, guint y, guint number)
{
  switch (mode) {
    case BLACK:
      return 16;
    case WHITE:
      return 250;
    case COVERED:
      return 120 + (x * 7 + y * 5 + number * 3) % 4;
    case STILL:
      return ramp (x, 8);
    case MOVING:
      return ramp (x + 3 * number, 8);
    default:
      return ramp (x + 3 * number, 24);
  }
}

/* Returns the zone of @n that has sample @at of @length. */
static guint
zone_at (guint at, guint length, guint n)
{
  guint zone = 0;

  while (zone + 1 < n && at >= length * (zone + 1) / n)
    zone++;

  return zone;
}

typedef struct {
  GstHarness *h;
  GstBus *bus;
  GstVideoInfo info;
  guint columns, rows;
  guint n_frames; /* pushed: the number of the next one */
} Stream;

static void
stream_init (Stream *stream, GstVideoFormat format, guint columns, guint rows,
    const gchar *properties)
{
  g_autofree gchar *description = g_strdup_printf ("clframesum " SETTINGS "%s",
      properties);

  *stream = (Stream){ .columns = columns, .rows = rows };
  stream->h = harness_new (description);
  stream->bus = harness_bus (stream->h);
  harness_set_format (stream->h, format, WIDTH, HEIGHT, &stream->info);
}

static void
stream_clear (Stream *stream)
{
  expect_no_error (stream->bus);
  gst_clear_object (&stream->bus);
  harness_free (stream->h);
}

/* Creates the next frame, grey; zone i shows @modes[i]. Transfer full. */
static GstBuffer *
make_frame (Stream *stream, const gchar *modes)
{
  GstBuffer *buffer = frame_new_filled (&stream->info, 128);
  const guint number = stream->n_frames;
  GstVideoFrame frame;

  fail_unless (
      gst_video_frame_map (&frame, &stream->info, buffer, GST_MAP_WRITE));
  for (guint y = 0; y < HEIGHT; y++) {
    guint8 *row = (guint8 *) GST_VIDEO_FRAME_COMP_DATA (&frame, 0) +
                  y * GST_VIDEO_FRAME_COMP_STRIDE (&frame, 0);

    for (guint x = 0; x < WIDTH; x++)
      row[x] = shown_code (
          modes[zone_at (y, HEIGHT, stream->rows) * stream->columns +
                zone_at (x, WIDTH, stream->columns)],
          x, y, number);
  }
  gst_video_frame_unmap (&frame);

  return buffer;
}

/* Pushes @frame (transfer full), the next one. */
static void
push_frame (Stream *stream, GstBuffer *frame)
{
  GST_BUFFER_PTS (frame) = stream->n_frames++ * FRAME_TIME;
  GST_BUFFER_DURATION (frame) = FRAME_TIME;
  fail_unless_equals_int (gst_harness_push (stream->h, frame), GST_FLOW_OK);
}

static void
push (Stream *stream, guint n_frames, const gchar *modes)
{
  for (guint i = 0; i < n_frames; i++)
    push_frame (stream, make_frame (stream, modes));
}

/* Pushes N_MODE frames for each letter of the scripts, one a zone. */
static void
push_scripts (Stream *stream, const gchar *const *scripts)
{
  const guint n = stream->columns * stream->rows;
  g_autofree gchar *modes = g_new0 (gchar, n + 1);

  for (guint i = 0; scripts[0][i]; i++) {
    for (guint zone = 0; zone < n; zone++)
      modes[zone] = scripts[zone][i];
    push (stream, N_MODE, modes);
  }
  fail_unless (gst_harness_push_event (stream->h, gst_event_new_eos ()));
}

/* --- events --------------------------------------------------------------- */

/* Checks that the events on the bus are @expected: the zone, if the event has
 * one, the kind, start or end, the time and, for an end, the duration, in
 * milliseconds. */
static void
expect_events (Stream *stream, const gchar *expected)
{
  g_autoptr (GString) text = g_string_new (NULL);
  GstMessage *message;

  harness_drain (stream->h);
  while ((message = pop_element_message (stream->bus, "clframesum-event"))) {
    const GstStructure *event = gst_message_get_structure (message);
    const gchar *state = gst_structure_get_string (event, "state");
    guint zone;

    if (gst_structure_get_uint (event, "zone", &zone))
      g_string_append_printf (text, "%u: ", zone);
    g_string_append_printf (text, "%s %s %" G_GUINT64_FORMAT,
        gst_structure_get_string (event, "event"), state,
        uint64_field (event, "timestamp") / GST_MSECOND);
    if (g_str_equal (state, "end"))
      g_string_append_printf (text, " (%" G_GUINT64_FORMAT ")",
          uint64_field (event, "duration") / GST_MSECOND);
    g_string_append (text, "; ");
    gst_message_unref (message);
  }
  fail_unless_equals_string (text->str, expected);
}

/* Appends the events on the bus to @texts[zone], all fields but those that name
 * the zone; those of frames go to @texts[0] if @are_of_frame, else nowhere. */
static void
take_events (Stream *stream, GString **texts, gboolean are_of_frame)
{
  GstMessage *message;

  harness_drain (stream->h);
  while ((message = pop_element_message (stream->bus, "clframesum-event"))) {
    g_autoptr (GstStructure)
        event = gst_structure_copy (gst_message_get_structure (message));
    guint zone = 0;
    const gboolean has_zone = gst_structure_get_uint (event, "zone", &zone);
    g_autofree gchar *text = NULL;

    gst_structure_remove_fields (event, "zone", "zone-x", "zone-y",
        "zone-width", "zone-height", NULL);
    text = gst_structure_to_string (event);
    if (has_zone != are_of_frame)
      g_string_append_printf (texts[zone], "%s\n", text);
    gst_message_unref (message);
  }
}

/* --- tests ---------------------------------------------------------------- */

static const gchar *const scripts[] = { "mbmms", "mmwmd", "msmcm", "mmmmm" };

/* Each zone has its own events, in the order of the zones, and the frame has
 * none. */
TEST (test_zones)
{
  Stream stream;

  stream_init (&stream, GST_VIDEO_FORMAT_GRAY8, 2, 2,
      FIVE "zone-events=true grid-columns=2 grid-rows=2");
  push_scripts (&stream, scripts);
  expect_events (&stream,
      "0: black start 320; 0: freeze start 320; 0: single-color start 320; "
      "2: freeze start 320; 0: black end 640 (320); 0: freeze end 640 (320); "
      "0: single-color end 640 (320); 2: freeze end 680 (360); "
      "1: white start 640; 1: freeze start 640; 1: single-color start 640; "
      "1: white end 960 (320); 1: freeze end 960 (320); "
      "1: single-color end 960 (320); 2: single-color start 960; "
      "2: single-color end 1280 (320); 0: freeze start 1280; "
      "1: defocus start 1280; 0: freeze end 1600 (320); "
      "1: defocus end 1600 (320); ");
  stream_clear (&stream);
}

/* The message names the rectangle of the zone. */
TEST (test_message)
{
  g_autoptr (GstMessage) message = NULL;
  const GstStructure *event;
  gint x, y, width, height;
  Stream stream;
  guint zone;

  stream_init (&stream, GST_VIDEO_FORMAT_GRAY8, 2, 2,
      "events=black zone-events=true grid-columns=2 grid-rows=2");
  push (&stream, N_MODE, "mmbm");
  harness_drain (stream.h);
  message = pop_element_message (stream.bus, "clframesum-event");
  event = gst_message_get_structure (message);
  fail_unless (gst_structure_get (event, "zone", G_TYPE_UINT, &zone, "zone-x",
      G_TYPE_INT, &x, "zone-y", G_TYPE_INT, &y, "zone-width", G_TYPE_INT,
      &width, "zone-height", G_TYPE_INT, &height, NULL));
  fail_unless_equals_int (zone, 2);
  fail_unless_equals_int (x, 0);
  fail_unless_equals_int (y, 15);
  fail_unless_equals_int (width, 25);
  fail_unless_equals_int (height, 15);
  stream_clear (&stream);
}

/* The events of a zone are those of its rectangle, with the same values. */
LOOP_TEST (test_equal_to_rectangle, 2)
{
  static const GstVideoFormat formats[] = { GST_VIDEO_FORMAT_GRAY8,
    GST_VIDEO_FORMAT_I420 };
  const GstVideoFormat format = formats[__i__];
  GString *of_zones[4], *of_rectangle;
  Stream stream;

  for (guint i = 0; i < 4; i++)
    of_zones[i] = g_string_new (NULL);
  stream_init (&stream, format, 2, 2,
      FIVE "zone-events=true grid-columns=2 grid-rows=2");
  push_scripts (&stream, scripts);
  take_events (&stream, of_zones, FALSE);
  stream_clear (&stream);

  for (guint i = 0; i < 4; i++) {
    g_autofree gchar *properties = g_strdup_printf (FIVE
        "position-x=%d position-y=%d width=25 height=15",
        i % 2 * 25, i / 2 * 15);

    of_rectangle = g_string_new (NULL);
    stream_init (&stream, format, 2, 2, properties);
    push_scripts (&stream, scripts);
    take_events (&stream, &of_rectangle, TRUE);
    stream_clear (&stream);
    fail_unless_equals_string (of_zones[i]->str, of_rectangle->str);
    g_string_free (of_rectangle, TRUE);
  }
  for (guint i = 0; i < 4; i++)
    g_string_free (of_zones[i], TRUE);
}

/* One zone is the frame, whose events have no zone. */
TEST (test_one_zone)
{
  Stream stream;

  stream_init (&stream, GST_VIDEO_FORMAT_GRAY8, 1, 1,
      "events=black+freeze zone-events=true");
  push (&stream, N_MODE, "b");
  expect_events (&stream, "black start 0; freeze start 0; ");
  stream_clear (&stream);
}

TEST (test_changes_while_playing)
{
  Stream stream;
  GObject *element;

  stream_init (&stream, GST_VIDEO_FORMAT_GRAY8, 2, 1,
      "events=black+freeze grid-columns=2");
  element = G_OBJECT (stream.h->element);
  push (&stream, N_MODE, "bm");
  expect_events (&stream, "");
  g_object_set (element, "zone-events", TRUE, NULL);
  push (&stream, N_MODE, "bm");
  expect_events (&stream, "0: black start 320; 0: freeze start 320; ");

  /* freeze continues; 16 is no longer black */
  g_object_set (element, "pixel-black-threshold", 0.01, NULL);
  push (&stream, 1, "bm");
  expect_events (&stream, "0: black end 640 (320); ");
  g_object_set (element, "pixel-black-threshold", 0.1, NULL);
  push (&stream, 1, "bm");
  expect_events (&stream, "");

  /* other zones: all events begin anew */
  g_object_set (element, "grid-rows", 2, NULL);
  push (&stream, N_MODE, "bm");
  expect_events (&stream, "0: freeze end 720 (400); "
                          "0: black start 720; 0: freeze start 720; "
                          "2: black start 720; 2: freeze start 720; ");
  g_object_set (element, "position-y", 10, NULL);
  push (&stream, N_MODE, "bm");
  expect_events (&stream, "0: black end 1040 (320); 0: freeze end 1040 (320); "
                          "2: black end 1040 (320); 2: freeze end 1040 (320); "
                          "0: black start 1040; 0: freeze start 1040; "
                          "2: black start 1040; 2: freeze start 1040; ");
  g_object_set (element, "zone-events", FALSE, NULL);
  push (&stream, N_MODE, "bm");
  expect_events (&stream,
      "0: black end 1360 (320); 0: freeze end 1360 (320); "
      "2: black end 1360 (320); 2: freeze end 1360 (320); ");
  stream_clear (&stream);
}

/* Other zones, in the same number: each has a reference of its own, and 102 is
 * frozen after 101, not after 100. */
TEST (test_references_of_other_zones)
{
  static const guint8 codes[] = { 100, 100, 100, 100, 100, 100, 101, 102, 102,
    102, 102, 102, 102 };
  Stream stream;

  stream_init (&stream, GST_VIDEO_FORMAT_GRAY8, 1, 1,
      "events=freeze freeze-noise=0.005 zone-events=true grid-columns=2");
  for (guint i = 0; i < G_N_ELEMENTS (codes); i++) {
    GstBuffer *frame = frame_new_filled (&stream.info, codes[i]);

    if (codes[i] == 101)
      g_object_set (stream.h->element, "grid-columns", 1, "grid-rows", 2, NULL);
    push_frame (&stream, frame);
  }
  expect_events (&stream,
      "freeze start 0; 0: freeze start 0; 1: freeze start 0; "
      "0: freeze end 240 (240); 1: freeze end 240 (240); "
      "freeze end 280 (280); 0: freeze start 240; 1: freeze start 240; "
      "freeze start 280; ");
  stream_clear (&stream);
}

/* Regions of interest have no events, and do not end those of zones. */
TEST (test_regions_of_interest)
{
  Stream stream;

  stream_init (&stream, GST_VIDEO_FORMAT_GRAY8, 2, 1,
      "events=black+freeze zone-events=true grid-columns=2 roi-meta=true");
  for (guint i = 0; i < 2 * N_MODE; i++) {
    GstBuffer *frame = make_frame (&stream, "bm");

    if (i % 3 == 1)
      gst_buffer_add_video_region_of_interest_meta (frame, "face", 0, 0, 10,
          10);
    push_frame (&stream, frame);
  }
  push (&stream, 1, "mm");
  expect_events (&stream, "0: black start 0; 0: freeze start 0; "
                          "0: black end 640 (640); 0: freeze end 640 (640); ");
  stream_clear (&stream);
}

TEST (test_flush)
{
  Stream stream;

  stream_init (&stream, GST_VIDEO_FORMAT_GRAY8, 2, 1,
      "events=black+freeze zone-events=true grid-columns=2");
  push (&stream, N_MODE, "bm");
  expect_events (&stream, "0: black start 0; 0: freeze start 0; ");
  fail_unless (gst_harness_push_event (stream.h, gst_event_new_flush_start ()));
  fail_unless (
      gst_harness_push_event (stream.h, gst_event_new_flush_stop (TRUE)));
  fail_unless (gst_harness_push_event (stream.h,
      gst_event_new_segment (&(GstSegment){ .rate = 1.0,
          .applied_rate = 1.0,
          .format = GST_FORMAT_TIME,
          .stop = GST_CLOCK_TIME_NONE,
          .duration = GST_CLOCK_TIME_NONE })));
  push (&stream, 4, "bm");
  fail_unless (gst_harness_push_event (stream.h, gst_event_new_eos ()));
  expect_events (&stream, "");
  stream_clear (&stream);
}

/* Nearly the greatest number of zones, all black. */
TEST (test_many_zones)
{
  const guint columns = 33, rows = 30;
  GstMessage *message;
  guint n_events = 0;
  Stream stream;

  stream_init (&stream, GST_VIDEO_FORMAT_GRAY8, 1, 1,
      "events=black+freeze zone-events=true grid-columns=33 grid-rows=30");
  push (&stream, N_MODE, "b");
  fail_unless (gst_harness_push_event (stream.h, gst_event_new_eos ()));
  harness_drain (stream.h);
  while ((message = pop_element_message (stream.bus, "clframesum-event"))) {
    n_events++;
    gst_message_unref (message);
  }
  fail_unless_equals_int (n_events, 4 * (columns * rows + 1));
  stream_clear (&stream);
}

SUITE (.start = harness_share_context);
