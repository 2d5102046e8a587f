/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* clframesum: events of measured frames, and the pooled result. */

#include "elements/common.h"
#include "elements/frames.h"
#include "suite.h"

#define WIDTH      48
#define HEIGHT     20
#define FRAME_TIME (40 * GST_MSECOND)

/* GRAY8 has full range: 26 of its 256 codes are black, 26 are white. */
#define BLACK 10
#define WHITE 250

#define SETTINGS                                                               \
  "black-min-duration=200000000 white-min-duration=200000000 "                 \
  "freeze-duration=200000000 "

#define FOUR "black+white+freeze+scene"

typedef struct {
  GstHarness *h;
  GstBus *bus;
  GstVideoInfo info;
  guint n_frames; /* pushed: the number of the next one */
} Stream;

static void
stream_init (Stream *stream, const gchar *properties)
{
  g_autofree gchar *description = g_strdup_printf ("clframesum " SETTINGS "%s",
      properties);

  stream->n_frames = 0;
  stream->h = harness_new (description);
  stream->bus = harness_bus (stream->h);
  harness_set_format (stream->h, GST_VIDEO_FORMAT_GRAY8, WIDTH, HEIGHT,
      &stream->info);
}

static void
stream_clear (Stream *stream)
{
  gst_clear_object (&stream->bus);
  harness_free (stream->h);
}

/* Creates the next frame of the stream; transfer full. */
static void
push_frame (Stream *stream, GstBuffer *frame)
{
  GST_BUFFER_PTS (frame) = stream->n_frames++ * FRAME_TIME;
  GST_BUFFER_DURATION (frame) = FRAME_TIME;
  fail_unless_equals_int (gst_harness_push (stream->h, frame), GST_FLOW_OK);
}

static void
push_filled (Stream *stream, guint n_frames, guint8 value)
{
  for (guint i = 0; i < n_frames; i++)
    push_frame (stream, frame_new_filled (&stream->info, value));
}

/* Grey, but no two frames are equal: neither frozen nor a cut between them. */
static void
push_moving (Stream *stream, guint n_frames)
{
  for (guint i = 0; i < n_frames; i++)
    push_filled (stream, 1, 100 + stream->n_frames % 2 * 2);
}

/* Checks that the events on the bus are @expected: the kind, start or end, the
 * time and, for an end, the duration, in milliseconds. */
static void
expect_events (Stream *stream, const gchar *expected)
{
  g_autoptr (GString) text = g_string_new (NULL);
  GstMessage *message;

  harness_drain (stream->h);
  while ((message = pop_element_message (stream->bus, "clframesum-event"))) {
    const GstStructure *event = gst_message_get_structure (message);
    const gchar *state = gst_structure_get_string (event, "state");

    g_string_append_printf (text, "%s %s %" G_GUINT64_FORMAT,
        gst_structure_get_string (event, "event"), state,
        uint64_field (event, "timestamp") / GST_MSECOND);
    fail_unless_equals_uint64 (uint64_field (event, "running-time"),
        uint64_field (event, "timestamp"));
    if (g_str_equal (state, "end"))
      g_string_append_printf (text, " (%" G_GUINT64_FORMAT ")",
          uint64_field (event, "duration") / GST_MSECOND);
    g_string_append (text, "; ");
    gst_message_unref (message);
  }
  fail_unless_equals_string (text->str, expected);
}

static void
push_eos (Stream *stream)
{
  fail_unless (gst_harness_push_event (stream->h, gst_event_new_eos ()));
}

/* --- events -------------------------------------------------------------- */

static void
expect_all_events (const gchar *properties)
{
  g_autofree gchar *all = g_strconcat ("events=" FOUR " ", properties, NULL);
  Stream stream;

  stream_init (&stream, all);
  push_moving (&stream, 5);
  push_filled (&stream, 10, BLACK);
  push_moving (&stream, 5);
  push_filled (&stream, 10, WHITE);
  push_eos (&stream);
  expect_events (&stream,
      "scene start 200; black start 200; freeze start 200; "
      "black end 600 (400); freeze end 600 (400); scene start 600; "
      "scene start 800; white start 800; freeze start 800; "
      "white end 1200 (400); freeze end 1200 (400); ");
  expect_no_error (stream.bus);
  stream_clear (&stream);
}

TEST (test_starts_and_ends)
{
  expect_all_events ("");
}

TEST (test_results_that_follow)
{
  expect_all_events ("stats-meta=false");
}

TEST (test_frames_held_back)
{
  expect_all_events ("async-depth=3");
}

/* Events depend on the rectangle only. */
TEST (test_rectangle)
{
  Stream stream;

  stream_init (&stream, "events=" FOUR " height=10");
  for (guint i = 0; i < 8; i++) {
    GstBuffer *frame = frame_new (&stream.info, i);

    gst_buffer_memset (frame, 0, 0, 10 * WIDTH);
    push_frame (&stream, frame);
  }
  push_eos (&stream);
  expect_events (&stream, "black start 0; freeze start 0; black end 320 (320); "
                          "freeze end 320 (320); ");
  stream_clear (&stream);
}

/* frame-interval: every other frame is measured. */
TEST (test_interval)
{
  Stream stream;

  stream_init (&stream, "events=black frame-interval=2");
  push_moving (&stream, 5);
  push_filled (&stream, 10, BLACK);
  push_moving (&stream, 5);
  expect_events (&stream, "black start 240; black end 640 (400); ");
  stream_clear (&stream);
}

/* Rows of a periodic ramp from 0 to 255 over @period columns. */
static void
push_ramps (Stream *stream, guint n_frames, gint period)
{
  g_autofree guint8 *ramp = g_malloc (WIDTH * HEIGHT);

  for (gint at = 0; at < WIDTH * HEIGHT; at++)
    ramp[at] = at % WIDTH % period * 255 / (period - 1);
  for (guint i = 0; i < n_frames; i++)
    push_frame (stream, gst_buffer_new_memdup (ramp, WIDTH * HEIGHT));
}

TEST (test_colour_and_focus)
{
  Stream stream;

  stream_init (&stream, "events=single-color+defocus "
                        "single-color-min-duration=80000000 "
                        "defocus-min-duration=80000000");
  push_ramps (&stream, 5, WIDTH / 6);
  push_filled (&stream, 5, 77);
  push_ramps (&stream, 5, WIDTH / 6);
  push_ramps (&stream, 5, WIDTH); /* as dark and bright, but smooth */
  push_eos (&stream);
  expect_events (&stream, "single-color start 200; single-color end 400 (200); "
                          "defocus start 600; defocus end 800 (200); ");
  stream_clear (&stream);
}

/* GRAY8 has full range. */
TEST (test_range)
{
  g_autoptr (GstStructure) stats = NULL;
  g_autoptr (GstMessage) message = NULL;
  const GstStructure *pooled;
  guint64 n_limited;
  Stream stream;

  stream_init (&stream, "events=range range-min-duration=80000000 "
                        "statistics=range-evidence");
  push_filled (&stream, 5, 0);
  push_filled (&stream, 5, 16);
  push_filled (&stream, 5, 100);
  harness_drain (stream.h);
  g_object_get (stream.h->element, "stats", &stats, NULL);
  fail_unless_equals_string (gst_structure_get_string (stats, "range-evidence"),
      "unknown");
  fail_unless_equals_float (
      g_value_get_double (gst_value_array_get_value (
          gst_structure_get_value (stats, "range-within"), 0)),
      1.0);
  push_filled (&stream, 1, 0);
  expect_events (&stream, "range start 200; range end 600 (400); ");
  push_eos (&stream);
  message = pop_element_message (stream.bus, "clframesum-pooled");
  pooled = gst_message_get_structure (message);
  fail_unless (gst_structure_get_uint64 (pooled, "limited-frames", &n_limited));
  fail_unless_equals_uint64 (n_limited, 5);
  fail_unless_equals_string (
      gst_structure_get_string (pooled, "range-evidence"), "unknown");
  stream_clear (&stream);
}

/* Brightness rises, but for one frame. */
TEST (test_repeat)
{
  g_autoptr (GstMessage) message = NULL;
  gdouble per_minute;
  Stream stream;

  stream_init (&stream, "events=repeat statistics=0");
  for (guint i = 0; i < 75; i++)
    push_filled (&stream, 1, 2 * (i < 20 ? i : i - 1));
  expect_events (&stream, "repeat start 800; repeat end 840 (40); ");
  push_eos (&stream);
  message = pop_element_message (stream.bus, "clframesum-pooled");
  fail_unless (gst_structure_get_double (gst_message_get_structure (message),
      "repeated-per-minute", &per_minute));
  fail_unless_equals_float (per_minute, 20.0);
  stream_clear (&stream);
}

/* Three frames do not come. */
TEST (test_gap)
{
  g_autoptr (GstMessage) message = NULL;
  Stream stream;

  stream_init (&stream, "events=gap statistics=0");
  push_filled (&stream, 10, 0);
  stream.n_frames += 3;
  push_filled (&stream, 10, 0);
  expect_events (&stream, "gap start 400; gap end 520 (120); ");
  push_eos (&stream);
  message = pop_element_message (stream.bus, "clframesum-pooled");
  fail_unless_equals_uint64 (
      uint64_field (gst_message_get_structure (message), "missing-frames"), 3);
  stream_clear (&stream);
}

/* The flags of buffers are evidence. */
TEST (test_evidence)
{
  static const gchar *const expected[] = { "picture", "corrupted" };
  g_autoptr (GstMessage) message = NULL;
  GstBuffer *frame;
  Stream stream;

  stream_init (&stream, "events=freeze statistics=0");
  push_filled (&stream, 8, 100);
  frame = frame_new_filled (&stream.info, 100);
  GST_BUFFER_FLAG_SET (frame, GST_BUFFER_FLAG_CORRUPTED);
  push_frame (&stream, frame);
  push_eos (&stream);
  for (guint i = 0; i < G_N_ELEMENTS (expected); i++) {
    message = pop_element_message (stream.bus, "clframesum-event");
    fail_unless_equals_string (
        gst_structure_get_string (gst_message_get_structure (message),
            "evidence"),
        expected[i]);
    gst_clear_message (&message);
  }
  stream_clear (&stream);
}

TEST (test_flush)
{
  Stream stream;

  stream_init (&stream, "events=" FOUR);
  push_filled (&stream, 10, BLACK);
  expect_events (&stream, "black start 0; freeze start 0; ");
  fail_unless (gst_harness_push_event (stream.h, gst_event_new_flush_start ()));
  fail_unless (
      gst_harness_push_event (stream.h, gst_event_new_flush_stop (TRUE)));
  fail_unless (gst_harness_push_event (stream.h,
      gst_event_new_segment (&(GstSegment){ .rate = 1.0,
          .applied_rate = 1.0,
          .format = GST_FORMAT_TIME,
          .stop = GST_CLOCK_TIME_NONE,
          .duration = GST_CLOCK_TIME_NONE })));
  stream.n_frames = 0;
  push_filled (&stream, 4, BLACK);
  push_eos (&stream);
  expect_events (&stream, "");
  stream_clear (&stream);
}

TEST (test_changes_while_playing)
{
  Stream stream;

  stream_init (&stream, "");
  push_filled (&stream, 10, BLACK);
  expect_events (&stream, "");

  gst_util_set_object_arg (G_OBJECT (stream.h->element), "events", "black");
  push_filled (&stream, 6, BLACK);
  expect_events (&stream, "black start 400; ");

  /* the same metrics: black continues */
  gst_util_set_object_arg (G_OBJECT (stream.h->element), "events",
      "black+white");
  push_filled (&stream, 4, BLACK);
  expect_events (&stream, "");

  g_object_set (stream.h->element, "pixel-black-threshold", 0.02, NULL);
  push_filled (&stream, 1, BLACK);
  expect_events (&stream, "black end 800 (400); ");

  /* other metrics: the next frame has no frame to be compared with */
  gst_util_set_object_arg (G_OBJECT (stream.h->element), "events",
      "freeze+scene");
  push_filled (&stream, 1, WHITE);
  push_filled (&stream, 6, WHITE);
  expect_events (&stream, "freeze start 840; ");
  g_object_set (stream.h->element, "events", 0, NULL);
  push_filled (&stream, 1, WHITE);
  expect_events (&stream, "freeze end 1120 (280); ");
  expect_no_error (stream.bus);
  stream_clear (&stream);
}

/* Alpha is not judged, nor is YUV without Y; grey chroma is not black. */
TEST (test_planes)
{
  Stream stream;

  stream_init (&stream, "events=" FOUR " planes=u+v");
  harness_set_format (stream.h, GST_VIDEO_FORMAT_I420, WIDTH, HEIGHT,
      &stream.info);
  push_filled (&stream, 8, 0);
  push_eos (&stream);
  expect_events (&stream, "");
  stream_clear (&stream);

  stream_init (&stream, "events=" FOUR " planes=r+a");
  harness_set_format (stream.h, GST_VIDEO_FORMAT_RGBA, WIDTH, HEIGHT,
      &stream.info);
  push_filled (&stream, 8, 0);
  expect_events (&stream, "black start 0; freeze start 0; ");
  stream_clear (&stream);
}

/* --- pooled -------------------------------------------------------------- */

/* NULL if there is none. */
static GstStructure *
pop_pooled (Stream *stream)
{
  g_autoptr (GstMessage) message = NULL;

  harness_drain (stream->h);
  message = pop_element_message (stream->bus, "clframesum-pooled");

  return message ? gst_structure_copy (gst_message_get_structure (message))
                 : NULL;
}

#define IS_COMPLETE(pooled)                                                    \
  g_value_get_boolean (gst_structure_get_value (pooled, "complete"))

#define POOL "statistics=moments+range+histogram "

/* Returns the pooled result of random frames @first to @end - 1, and the sums
 * of these frames in @sums (count, sum, sum of squares of luma). */
static GstStructure *
pool (const gchar *properties, guint first, guint end, guint64 sums[3])
{
  static const gchar *const names[] = { "count", "sum", "sum-squares" };
  g_autofree gchar *all = g_strconcat (POOL, properties, NULL);
  GstStructure *pooled;
  GstMessage *message;
  Stream stream;

  memset (sums, 0, 3 * sizeof *sums);
  stream_init (&stream, all);
  harness_set_format (stream.h, GST_VIDEO_FORMAT_NV12, WIDTH, HEIGHT,
      &stream.info);
  for (stream.n_frames = first; stream.n_frames < end;)
    push_frame (&stream, frame_new (&stream.info, stream.n_frames));
  harness_drain (stream.h);
  while ((message = pop_element_message (stream.bus, "clframesum"))) {
    for (guint i = 0; i < 3; i++)
      sums[i] += g_value_get_uint64 (gst_value_array_get_value (
          gst_structure_get_value (gst_message_get_structure (message),
              names[i]),
          0));
    gst_message_unref (message);
  }
  push_eos (&stream);
  pooled = pop_pooled (&stream);
  fail_unless (pooled != NULL);
  fail_unless (pop_pooled (&stream) == NULL);
  stream_clear (&stream);

  return pooled;
}

/* Entry @index of the array @field of luma, which has 64 or 32 bits. */
static guint64
luma_entry (const GstStructure *pooled, const gchar *field, guint index)
{
  const GValue *value = gst_value_array_get_value (
      gst_structure_get_value (pooled, field), 0);

  if (GST_VALUE_HOLDS_ARRAY (value))
    value = gst_value_array_get_value (value, index);

  return G_VALUE_HOLDS_UINT64 (value) ? g_value_get_uint64 (value)
                                      : g_value_get_uint (value);
}

static guint64
scalar (const GstStructure *pooled, const gchar *field)
{
  guint64 number = 0;

  fail_unless (gst_structure_get_uint64 (pooled, field, &number), "no field %s",
      field);

  return number;
}

/* The parts merge into the whole as in docs/statistics.md. */

static void
expect_pooled_parts (const gchar *properties, guint n_bins)
{
  guint64 sums[3], of_front[3], of_back[3];
  static const gchar *const summed[] = { "count", "sum", "sum-high",
    "sum-squares", "sum-squares-high" };
  g_autoptr (GstStructure) whole = pool (properties, 0, 9, sums);
  g_autoptr (GstStructure) front = pool (properties, 0, 4, of_front);
  g_autoptr (GstStructure) back = pool (properties, 4, 9, of_back);

  fail_unless_equals_int (gst_value_array_get_size (gst_value_array_get_value (
                              gst_structure_get_value (whole, "histogram"), 0)),
      n_bins);
  fail_unless_equals_uint64 (scalar (whole, "frames"), 9);
  fail_unless_equals_uint64 (sums[0], 9 * WIDTH * HEIGHT);
  fail_unless_equals_uint64 (luma_entry (whole, "count", 0), sums[0]);
  fail_unless_equals_uint64 (luma_entry (whole, "sum", 0), sums[1]);
  fail_unless_equals_uint64 (luma_entry (whole, "sum-squares", 0), sums[2]);

  fail_unless_equals_uint64 (scalar (whole, "duration"),
      scalar (front, "duration") + scalar (back, "duration"));
  fail_unless_equals_uint64 (scalar (whole, "timestamp"),
      scalar (front, "timestamp"));
  fail_unless_equals_uint64 (scalar (whole, "end-running-time"),
      scalar (back, "end-running-time"));
  for (guint i = 0; i < G_N_ELEMENTS (summed); i++)
    fail_unless_equals_uint64 (luma_entry (whole, summed[i], 0),
        luma_entry (front, summed[i], 0) + luma_entry (back, summed[i], 0));
  fail_unless_equals_uint64 (luma_entry (whole, "min", 0),
      MIN (luma_entry (front, "min", 0), luma_entry (back, "min", 0)));
  fail_unless_equals_uint64 (luma_entry (whole, "max", 0),
      MAX (luma_entry (front, "max", 0), luma_entry (back, "max", 0)));
  for (guint bin = 0; bin < n_bins; bin++)
    fail_unless_equals_uint64 (luma_entry (whole, "histogram", bin),
        luma_entry (front, "histogram", bin) +
            luma_entry (back, "histogram", bin));
}

TEST (test_pooled_parts)
{
  expect_pooled_parts ("", 256);
}

/* Folded on the host, since 48 is no power of two; with the derived results. */
TEST (test_pooled_folded)
{
  expect_pooled_parts ("histogram-bins=48 stats-meta=false", 48);
}

/* A change of size continues the result, a change of components starts a new
 * one; a flush clears it. */
TEST (test_pooled_changes)
{
  g_autoptr (GstStructure) grey = NULL;
  g_autoptr (GstStructure) colour = NULL;
  Stream stream;

  stream_init (&stream, "");
  push_filled (&stream, 3, 1);
  harness_set_format (stream.h, GST_VIDEO_FORMAT_GRAY8, 7, 5, &stream.info);
  push_filled (&stream, 2, 2);
  fail_unless (pop_pooled (&stream) == NULL);
  harness_set_format (stream.h, GST_VIDEO_FORMAT_RGB, 7, 5, &stream.info);
  push_filled (&stream, 4, 3);
  grey = pop_pooled (&stream);
  fail_unless (IS_COMPLETE (grey));
  fail_unless_equals_uint64 (uint64_field (grey, "frames"), 5);
  push_eos (&stream);
  colour = pop_pooled (&stream);
  fail_unless (IS_COMPLETE (colour));
  fail_unless_equals_uint64 (uint64_field (colour, "frames"), 4);
  fail_unless_equals_uint64 (uint64_field (colour, "frame"), 5);
  stream_clear (&stream);

  stream_init (&stream, "");
  push_filled (&stream, 3, 1);
  gst_harness_push_event (stream.h, gst_event_new_flush_start ());
  gst_harness_push_event (stream.h, gst_event_new_flush_stop (TRUE));
  push_eos (&stream);
  fail_unless (pop_pooled (&stream) == NULL);
  stream_clear (&stream);
}

/* The stream ends without EOS: after an error, or because the application stops
 * it. */
TEST (test_stop)
{
  g_autoptr (GstElement) element = NULL;
  g_autoptr (GstStructure) pooled = NULL;
  Stream stream;

  stream_init (&stream, "events=black stats-meta=false");
  element = harness_element (stream.h, "clframesum");
  push_filled (&stream, 10, BLACK);
  fail_unless_equals_int (gst_element_set_state (element, GST_STATE_READY),
      GST_STATE_CHANGE_SUCCESS);
  for (guint i = 0; i < 2; i++) {
    g_autoptr (GstMessage)
        message = pop_element_message (stream.bus, "clframesum-event");

    fail_unless (message != NULL);
    fail_unless_equals_string (
        gst_structure_get_string (gst_message_get_structure (message), "state"),
        i == 0 ? "start" : "end");
  }
  pooled = pop_pooled (&stream);
  fail_if (IS_COMPLETE (pooled));
  fail_unless_equals_uint64 (uint64_field (pooled, "frames"), 10);
  stream_clear (&stream);
}

SUITE (.start = harness_share_context);
