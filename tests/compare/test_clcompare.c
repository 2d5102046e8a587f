/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* clcompare: exact sums in any memory, pairs and frames without a partner,
 * events, several streams, ends, errors. */

#include "elements/common.h"
#include "elements/frames.h"
#include "suite.h"

#define MAX_INPUTS 3
#define FRAME      (40 * GST_MSECOND)

/* Harnesses of the pads of a clcompare. */
typedef struct {
  GstHarness *sinks[MAX_INPUTS]; /* sink_%u; the first one has the output */
  GstHarness *reference;
  guint n;
  GstBus *bus;
  GstVideoInfo info;
} Case;

static void
case_free (Case *self)
{
  gst_harness_teardown (self->reference);
  while (self->n > 1)
    gst_harness_teardown (self->sinks[--self->n]);
  gst_object_unref (self->bus);
  harness_free (self->sinks[0]);
  g_free (self);
}

G_DEFINE_AUTOPTR_CLEANUP_FUNC (Case, case_free)

/* Returns a harness of pad @pad. transfer full */
static GstHarness *
new_input (GstHarness *h, const gchar *pad, gboolean is_live)
{
  return is_live ? gst_harness_new_with_element (h->element, pad, NULL)
                 : harness_new_input (h, pad);
}

/* A clcompare with @properties and @n streams; @is_live: all but the first are
 * live. transfer full */
static Case *
case_new_full (const gchar *properties, guint n, gboolean is_live)
{
  g_autofree gchar *line = g_strdup_printf ("clcompare %s", properties);
  Case *self = g_new0 (Case, 1);

  self->sinks[self->n++] = harness_new_of_pad (line, "sink_0");
  for (; self->n < n; self->n++) {
    g_autofree gchar *pad = g_strdup_printf ("sink_%u", self->n);

    self->sinks[self->n] = new_input (self->sinks[0], pad, is_live);
  }
  self->reference = new_input (self->sinks[0], "reference", is_live);
  self->bus = harness_bus (self->sinks[0]);

  return self;
}

static Case *
case_new (const gchar *properties, guint n)
{
  return case_new_full (properties, n, FALSE);
}

static void
set_format (Case *self, GstVideoFormat format, gint width, gint height)
{
  for (guint i = 0; i < self->n; i++)
    harness_set_format (self->sinks[i], format, width, height, &self->info);
  harness_set_format (self->reference, format, width, height, &self->info);
}

/* Pushes @buffer (transfer full) for the time of frame @i. */
static void
push (GstHarness *h, GstBuffer *buffer, guint i)
{
  GST_BUFFER_PTS (buffer) = i * FRAME;
  GST_BUFFER_DURATION (buffer) = FRAME;
  fail_unless_equals_int (gst_harness_push (h, buffer), GST_FLOW_OK);
}

static void
push_filled (Case *self, GstHarness *h, guint8 value, guint i)
{
  push (h, frame_new_filled (&self->info, value), i);
}

/* The frames of one input. A pad holds one frame, and upstream waits, so that
 * inputs with other frames need threads of their own. */
typedef struct {
  Case *self;
  GstHarness *h;
  GThread *thread;
  guint n;
  guint missing;         /* bit i: there is no frame i */
  guint8 first, step;    /* the codes of frame i are first + step * i */
  GstClockTime distance; /* of frames; GST_CLOCK_TIME_NONE: without times */
} Feed;

static gpointer
feed_run (gpointer data)
{
  const Feed *feed = data;

  for (guint i = 0; i < feed->n; i++) {
    GstBuffer *buffer;

    if (feed->missing >> i & 1)
      continue;
    buffer = frame_new_filled (&feed->self->info,
        (guint8) (feed->first + feed->step * i));
    if (feed->distance != GST_CLOCK_TIME_NONE) {
      GST_BUFFER_PTS (buffer) = i * feed->distance;
      GST_BUFFER_DURATION (buffer) = feed->distance;
    }
    fail_unless_equals_int (gst_harness_push (feed->h, buffer), GST_FLOW_OK);
  }
  fail_unless (gst_harness_push_event (feed->h, gst_event_new_eos ()));

  return NULL;
}

static void wait_for_eos (Case *self);

/* Runs the @n feeds, each in a thread, to the end of the output. */
static void
run_feeds (Feed *feeds, guint n)
{
  for (guint i = 0; i < n; i++)
    feeds[i].thread = g_thread_new ("feed", feed_run, &feeds[i]);
  for (guint i = 0; i < n; i++)
    g_thread_join (feeds[i].thread);
  wait_for_eos (feeds[0].self);
}

/* Waits for a frame of the output. transfer full */
static GstBuffer *
pull (Case *self)
{
  GstBuffer *out = gst_harness_pull (self->sinks[0]);

  if (!out)
    expect_no_error (self->bus);
  fail_unless (out != NULL, "no output");

  return out;
}

/* Waits until the output has ended. */
static void
wait_for_eos (Case *self)
{
  GstEventType got = GST_EVENT_UNKNOWN;

  while (got != GST_EVENT_EOS) {
    g_autoptr (GstEvent) event = gst_harness_pull_event (self->sinks[0]);

    fail_unless (event != NULL, "no EOS");
    got = GST_EVENT_TYPE (event);
  }
}

static void
end (Case *self)
{
  for (guint i = 0; i < self->n; i++)
    fail_unless (gst_harness_push_event (self->sinks[i], gst_event_new_eos ()));
  fail_unless (gst_harness_push_event (self->reference, gst_event_new_eos ()));
  wait_for_eos (self);
}

/* Returns the structure of the next message @name; NULL: none. The caller owns
 * *@message. */
static const GstStructure *
next (Case *self, const gchar *name, GstMessage **message)
{
  gst_clear_message (message);
  *message = pop_element_message (self->bus, name);

  return *message ? gst_message_get_structure (*message) : NULL;
}

static guint64
entry (const GstStructure *s, const gchar *name, guint i)
{
  return g_value_get_uint64 (
      gst_value_array_get_value (gst_structure_get_value (s, name), i));
}

/* Returns the next event as "name state pad frames" of its end. g_free() */
static gchar *
next_event (Case *self)
{
  g_autoptr (GstMessage) message = NULL;
  const GstStructure *s = next (self, "clcompare-event", &message);
  const gchar *side = s ? gst_structure_get_string (s, "side") : NULL;
  guint64 frames = 0;

  if (!s)
    return g_strdup ("none");
  gst_structure_get_uint64 (s, "frames", &frames);

  return g_strdup_printf ("%s %s %s %s %u @%u",
      gst_structure_get_string (s, "event"),
      gst_structure_get_string (s, "state"),
      gst_structure_get_string (s, "pad"), side ? side : "-", (guint) frames,
      (guint) uint64_field (s, "frame"));
}

#define expect_event(self, text)                                               \
  do {                                                                         \
    g_autofree gchar *event = next_event (self);                               \
                                                                               \
    fail_unless_equals_string (event, text);                                   \
  } while (0)

/* --- sums ----------------------------------------------------------------- */

/* Checks component @c of the result @s against the codes of both frames. */
static void
check_component (const GstStructure *s, guint c, GstBuffer *reference,
    GstBuffer *compared, const GstVideoInfo *info)
{
  gint width, height;
  g_autofree guint16 *a = frame_codes (reference, info, c, &width, &height);
  g_autofree guint16 *b = frame_codes (compared, info, c, NULL, NULL);
  guint64 squares = 0, n = 0, max = 0;

  for (gint i = 0; i < width * height; i++) {
    const guint64 difference = (guint64) ABS (a[i] - b[i]);

    squares += difference * difference;
    n += difference > 0;
    max = MAX (max, difference);
  }
  fail_unless_equals_uint64 (entry (s, "squared-error", c), squares);
  fail_unless_equals_uint64 (entry (s, "different-samples", c), n);
  fail_unless_equals_uint64 (entry (s, "max-difference", c), max);
}

typedef enum { IN_SYSTEM, IN_DEVICE, N_MEMORIES } Memory;

/* Returns @frame (transfer full) in @memory, with the caps of @h set to that.
 * transfer full */
static GstBuffer *
in_memory (Case *self, GstHarness *h, GstBuffer *frame, Memory memory)
{
  g_autoptr (GstHarness) upload = NULL;
  GstVideoInfo info;
  GstBuffer *uploaded;

  if (memory == IN_SYSTEM)
    return frame;

  upload = harness_new ("clupload");
  gst_harness_set_sink_caps_str (upload, "video/x-raw(memory:OpenCLMemory)");
  harness_set_format (upload, GST_VIDEO_INFO_FORMAT (&self->info),
      self->info.width, self->info.height, &info);
  uploaded = harness_run (upload, frame);
  gst_harness_set_src_caps (h, harness_out_caps (upload));

  return uploaded;
}

static const struct {
  GstVideoFormat format;
  gint width, height;
} pictures[] = {
  { GST_VIDEO_FORMAT_I420, 37, 19 },
  { GST_VIDEO_FORMAT_NV12, 64, 48 },
  { GST_VIDEO_FORMAT_P010_10LE, 22, 10 },
  { GST_VIDEO_FORMAT_RGB, 5, 3 },
  { GST_VIDEO_FORMAT_GRAY16_LE, 33, 33 },
};

/* In system memory and in device memory, in several layouts. */
LOOP_TEST (sums_are_exact, G_N_ELEMENTS (pictures))
{
  for (Memory memory = 0; memory < N_MEMORIES; memory++) {
    g_autoptr (Case) self = case_new ("metrics=psnr+max-difference", 1);
    g_autoptr (GstBuffer) out = NULL, a = NULL, b = NULL;
    g_autoptr (GstMessage) message = NULL;
    const FrameLayout layout = memory == IN_SYSTEM ? LAYOUT_PADDED
                                                   : LAYOUT_PLAIN;
    const GstStructure *s;

    set_format (self, pictures[__i__].format, pictures[__i__].width,
        pictures[__i__].height);
    a = frame_new (&self->info, 1);
    b = frame_new (&self->info, 2);
    push (self->reference,
        in_memory (self, self->reference,
            frame_copy_to_layout (a, &self->info, layout), memory),
        0);
    push (self->sinks[0],
        in_memory (self, self->sinks[0],
            frame_copy_to_layout (b, &self->info, layout), memory),
        0);
    out = pull (self);
    s = next (self, "clcompare", &message);
    fail_unless (s != NULL, "no result");
    for (guint c = 0; c < GST_VIDEO_INFO_N_COMPONENTS (&self->info); c++)
      check_component (s, c, a, b, &self->info);
  }
}

/* The frame of sink_0 passes, with the result. */
TEST (frames_pass)
{
  g_autoptr (Case) self = case_new ("", 1);
  g_autoptr (GstBuffer) out = NULL, in = NULL;
  const GstStructure *s;

  set_format (self, GST_VIDEO_FORMAT_GRAY8, 64, 48);
  in = frame_new (&self->info, 1);
  push_filled (self, self->reference, 9, 0);
  push (self->sinks[0], gst_buffer_copy (in), 0);
  out = pull (self);
  fail_unless (
      gst_buffer_peek_memory (out, 0) == gst_buffer_peek_memory (in, 0));
  fail_unless_equals_uint64 (GST_BUFFER_PTS (out), 0);
  s = gst_custom_meta_get_structure (
      gst_buffer_get_custom_meta (out, "GstClCompareMeta"));
  fail_unless (gst_structure_has_field (s, "psnr-all") &&
               gst_structure_has_field (s, "ssim-all"));
}

/* Each stream has its own result; the later ones have the first in `earlier`.
 */
TEST (several_streams)
{
  g_autoptr (Case) self = case_new ("metrics=max-difference+histogram", 3);
  g_autoptr (GstBuffer) out = NULL;
  const GstStructure *s;
  const GValue *earlier, *counts;

  set_format (self, GST_VIDEO_FORMAT_GRAY8, 8, 8);
  push_filled (self, self->reference, 100, 0);
  for (guint i = 0; i < 3; i++)
    push_filled (self, self->sinks[i], (guint8) (101 + i), 0);
  out = pull (self);
  s = gst_custom_meta_get_structure (
      gst_buffer_get_custom_meta (out, "GstClCompareMeta"));
  fail_unless_equals_string (gst_structure_get_string (s, "pad"), "sink_2");
  fail_unless_equals_uint64 (entry (s, "max-difference", 0), 3);
  earlier = gst_structure_get_value (s, "earlier");
  fail_unless_equals_int (gst_value_array_get_size (earlier), 2);
  for (guint i = 0; i < 2; i++) {
    s = gst_value_get_structure (gst_value_array_get_value (earlier, i));
    fail_unless_equals_uint64 (entry (s, "max-difference", 0), i + 1);
    counts = gst_value_array_get_value (
        gst_structure_get_value (s, "difference-histogram"), 0);
    for (guint d = 0; d < 256; d++)
      fail_unless_equals_uint64 (
          g_value_get_uint64 (gst_value_array_get_value (counts, d)),
          d == i + 1 ? 64 : 0);
  }
}

/* A stop without EOS publishes what there is. */
TEST (a_stop_ends_the_stream)
{
  g_autoptr (Case) self = case_new ("metrics=psnr post-messages=false", 1);
  g_autoptr (GstMessage) message = NULL;
  const GstStructure *s;
  gboolean is_complete;

  set_format (self, GST_VIDEO_FORMAT_GRAY8, 8, 8);
  push_filled (self, self->reference, 1, 0);
  push_filled (self, self->sinks[0], 1, 0);
  gst_buffer_unref (pull (self));
  gst_element_set_state (self->sinks[0]->element, GST_STATE_READY);
  do {
    s = next (self, "clcompare-pooled", &message);
    fail_unless (s != NULL, "no pooled result");
  } while (g_str_equal (gst_structure_get_string (s, "span"), "second"));
  fail_unless_equals_uint64 (uint64_field (s, "frames"), 1);
  fail_unless (
      gst_structure_get_boolean (s, "complete", &is_complete) && !is_complete);
}

/* Zones and regions of interest are measured as if they were cut out: sums of
 * the zones are those of the frame. */
TEST (zones_and_regions)
{
  g_autoptr (Case) self = case_new (
      "metrics=psnr+ssim+max-difference grid-columns=3 grid-rows=2", 1);
  g_autoptr (GstBuffer) out = NULL;
  g_autoptr (GstMessage) message = NULL;
  GstBuffer *reference;
  const GstStructure *s;
  const GValue *zones, *rois;
  guint64 sum = 0;

  set_format (self, GST_VIDEO_FORMAT_GRAY8, 60, 40);
  reference = frame_new (&self->info, 1);
  gst_buffer_add_video_region_of_interest_meta (reference, "face", 20, 20, 20,
      20);
  push (self->reference, reference, 0);
  push (self->sinks[0], frame_new (&self->info, 2), 0);
  out = pull (self);
  s = next (self, "clcompare", &message);
  zones = gst_value_array_get_value (
      gst_structure_get_value (s, "zone-squared-error"), 0);
  rois = gst_value_array_get_value (
      gst_structure_get_value (s, "roi-squared-error"), 0);
  fail_unless_equals_int (gst_value_array_get_size (zones), 6);
  fail_unless_equals_int (gst_value_array_get_size (rois), 1);
  for (guint i = 0; i < 6; i++)
    sum += g_value_get_uint64 (gst_value_array_get_value (zones, i));
  fail_unless_equals_uint64 (sum, entry (s, "squared-error", 0));
  /* the region is the fifth zone */
  fail_unless_equals_uint64 (
      g_value_get_uint64 (gst_value_array_get_value (rois, 0)),
      g_value_get_uint64 (gst_value_array_get_value (zones, 4)));
  fail_unless (gst_value_array_get_size (
                   gst_structure_get_value (s, "zone-ssim-all")) == 6);
  fail_unless (gst_structure_has_field (s, "roi-type") &&
               gst_structure_has_field (s, "zone-columns"));
}

/* --- pairs ---------------------------------------------------------------- */

/* Frame 2 is missing in the stream, frame 4 in the reference. */
TEST (missing_frames_are_reported)
{
  g_autoptr (Case) self = case_new ("metrics=max-difference", 1);
  g_autoptr (GstMessage) message = NULL;
  const GstStructure *s;
  guint64 n;

  set_format (self, GST_VIDEO_FORMAT_GRAY8, 8, 8);
  run_feeds ((Feed[]){ { self, self->reference, NULL, 7, 1 << 4, 0, 10, FRAME },
                 { self, self->sinks[0], NULL, 7, 1 << 2, 1, 10, FRAME } },
      2);

  for (guint i = 0; i < 7; i++) {
    if (i == 2 || i == 4)
      continue;
    s = next (self, "clcompare", &message);
    fail_unless (s != NULL, "no result");
    fail_unless_equals_uint64 (uint64_field (s, "timestamp"), i * FRAME);
    /* pairs show the same scene */
    fail_unless_equals_uint64 (entry (s, "max-difference", 0), 1);
  }
  s = next (self, "clcompare-pooled", &message);
  fail_unless_equals_string (gst_structure_get_string (s, "span"), "second");
  s = next (self, "clcompare-pooled", &message);
  fail_unless_equals_string (gst_structure_get_string (s, "span"), "stream");
  fail_unless_equals_uint64 (uint64_field (s, "frames"), 5);
  fail_unless_equals_uint64 (uint64_field (s, "unpaired-frames"), 1);
  fail_unless_equals_uint64 (uint64_field (s, "unpaired-reference-frames"), 1);
  fail_unless_equals_int (gst_harness_buffers_received (self->sinks[0]), 6);
  fail_unless (gst_structure_get_uint64 (s, "different-frames", &n) && n == 5);
}

TEST (unpaired_events)
{
  g_autoptr (Case) self = case_new ("metrics=psnr", 2);

  set_format (self, GST_VIDEO_FORMAT_GRAY8, 8, 8);
  run_feeds (
      (Feed[]){ { self, self->reference, NULL, 6, 0, 1, 0, FRAME },
          { self, self->sinks[0], NULL, 6, 1 << 1 | 1 << 2, 1, 0, FRAME },
          { self, self->sinks[1], NULL, 5, 0, 1, 0, FRAME } },
      3);
  expect_event (self, "unpaired start sink_0 reference 0 @1");
  expect_event (self, "unpaired end sink_0 reference 2 @3");
  expect_event (self, "unpaired start sink_1 reference 0 @5");
  expect_event (self, "unpaired end sink_1 reference 1 @6");
  expect_event (self, "none");
}

/* Without times, in order; an input that ends early is not waited for. */
TEST (pairs_by_order)
{
  g_autoptr (Case) self = case_new ("metrics=max-difference pair=order", 1);
  g_autoptr (GstMessage) message = NULL;
  const GstStructure *s;

  set_format (self, GST_VIDEO_FORMAT_GRAY8, 8, 8);
  run_feeds (
      (Feed[]){
          { self, self->reference, NULL, 3, 0, 0, 10, GST_CLOCK_TIME_NONE },
          { self, self->sinks[0], NULL, 2, 0, 0, 11, GST_CLOCK_TIME_NONE } },
      2);
  for (guint i = 0; i < 2; i++) {
    s = next (self, "clcompare", &message);
    fail_unless_equals_uint64 (entry (s, "max-difference", 0), i);
  }
  s = next (self, "clcompare-pooled", &message);
  s = next (self, "clcompare-pooled", &message);
  fail_unless_equals_uint64 (uint64_field (s, "unpaired-reference-frames"), 1);
}

/* Starts a segment in @h. */
static void
push_segment (GstHarness *h, gdouble rate, GstClockTime start)
{
  GstSegment segment;

  gst_segment_init (&segment, GST_FORMAT_TIME);
  segment.rate = rate;
  segment.start = segment.position = start;
  fail_unless (gst_harness_push_event (h, gst_event_new_segment (&segment)));
}

/* At four times the rate, frames are a quarter of their duration apart. */
TEST (faster_segments)
{
  g_autoptr (Case) self = case_new ("metrics=max-difference", 1);
  g_autoptr (GstMessage) message = NULL;
  const GstStructure *s;

  set_format (self, GST_VIDEO_FORMAT_GRAY8, 8, 8);
  push_segment (self->reference, 4, 0);
  push_segment (self->sinks[0], 4, 0);
  run_feeds ((Feed[]){ { self, self->reference, NULL, 6, 0, 0, 10, FRAME },
                 { self, self->sinks[0], NULL, 6, 1 << 2, 1, 10, FRAME } },
      2);
  for (guint i = 0; i < 5; i++) {
    s = next (self, "clcompare", &message);
    fail_unless_equals_uint64 (entry (s, "max-difference", 0), 1);
  }
}

/* A frame that begins before the segment has its part in it. */
TEST (frames_are_clipped)
{
  g_autoptr (Case) self = case_new ("metrics=max-difference", 1);
  g_autoptr (GstBuffer) out = NULL;

  set_format (self, GST_VIDEO_FORMAT_GRAY8, 8, 8);
  push_segment (self->reference, 1, FRAME / 2);
  push_segment (self->sinks[0], 1, FRAME / 2);
  push_filled (self, self->reference, 1, 0);
  push_filled (self, self->sinks[0], 2, 0);
  out = pull (self);
  fail_unless_equals_uint64 (GST_BUFFER_PTS (out), FRAME / 2);
  fail_unless_equals_uint64 (GST_BUFFER_DURATION (out), FRAME / 2);
}

/* Five frames of a second have the same times at both rates. */
TEST (rates_without_a_multiple)
{
  g_autoptr (Case) self = case_new ("other-rates=true metrics=psnr", 1);
  g_autoptr (GstMessage) message = NULL;
  const GstClockTime distance = gst_util_uint64_scale (GST_SECOND, 1, 30);
  guint n = 0;

  gst_harness_set_src_caps_str (self->sinks[0],
      "video/x-raw,format=GRAY8,width=8,height=8,framerate=30/1");
  gst_harness_set_src_caps_str (self->reference,
      "video/x-raw,format=GRAY8,width=8,height=8,framerate=25/1");
  gst_video_info_set_format (&self->info, GST_VIDEO_FORMAT_GRAY8, 8, 8);
  run_feeds ((Feed[]){ { self, self->reference, NULL, 25, 0, 1, 0, FRAME },
                 { self, self->sinks[0], NULL, 30, 0, 1, 0, distance } },
      2);
  while (next (self, "clcompare", &message))
    n++;
  fail_unless_equals_int (n, 5);
}

/* Waits until the element waits for the clock to be @time. */
static void
wait_for_deadline (Case *self, GstClockTime time)
{
  g_autoptr (GstTestClock) clock = gst_harness_get_testclock (self->sinks[0]);
  GstClockTime deadline = GST_CLOCK_TIME_NONE;

  for (guint i = 0; deadline != time && i < 10000; i++) {
    GstClockID id;

    gst_test_clock_wait_for_next_pending_id (clock, &id);
    deadline = gst_clock_id_get_time (id);
    gst_clock_id_unref (id);
    g_usleep (1000);
  }
  fail_unless_equals_uint64 (deadline, time);
}

/* Live inputs are waited for until their frame has ended, also after the pad
 * whose frames pass has ended. */
TEST (live_inputs)
{
  g_autoptr (Case)
      self = case_new_full ("metrics=psnr post-messages=false", 2, TRUE);
  g_autoptr (GstMessage) message = NULL;
  const GstStructure *s;

  gst_harness_use_testclock (self->sinks[0]);
  set_format (self, GST_VIDEO_FORMAT_GRAY8, 8, 8);
  push_filled (self, self->sinks[0], 1, 0);
  push_filled (self, self->sinks[1], 1, 0);
  push_filled (self, self->reference, 1, 0);
  gst_buffer_unref (pull (self));
  fail_unless (gst_harness_push_event (self->sinks[0], gst_event_new_eos ()));
  for (guint i = 1; i < 6; i++) {
    push_filled (self, self->reference, 1, i);
    wait_for_deadline (self, i * FRAME);
    push_filled (self, self->sinks[1], 1, i);
  }

  /* one that does not come: its time passes */
  push_filled (self, self->reference, 1, 6);
  do {
    fail_unless (gst_harness_crank_single_clock_wait (self->sinks[0]));
    s = next (self, "clcompare-event", &message);
  } while (!s || g_str_equal (gst_structure_get_string (s, "pad"), "sink_0"));
  fail_unless_equals_uint64 (uint64_field (s, "frame"), 6);
  fail_unless (gst_harness_push_event (self->sinks[1], gst_event_new_eos ()));
  fail_unless (gst_harness_push_event (self->reference, gst_event_new_eos ()));
  wait_for_eos (self);
  do {
    s = next (self, "clcompare-pooled", &message);
    fail_unless (s != NULL, "no pooled result of sink_1");
  } while (g_str_equal (gst_structure_get_string (s, "span"), "second") ||
           !g_str_equal (gst_structure_get_string (s, "pad"), "sink_1"));
  fail_unless_equals_uint64 (uint64_field (s, "frames"), 6);
}

/* --- events --------------------------------------------------------------- */

TEST (mismatches)
{
  g_autoptr (Case) self = case_new (
      "metrics=psnr+max-difference min-psnr=40 max-difference=3", 1);
  g_autoptr (GstMessage) message = NULL;
  const GstStructure *s;
  static const guint8 differences[] = { 0, 1, 4, 9, 2, 0, 9 };

  set_format (self, GST_VIDEO_FORMAT_GRAY8, 8, 8);
  for (guint i = 0; i < G_N_ELEMENTS (differences); i++) {
    push_filled (self, self->reference, 50, i);
    push_filled (self, self->sinks[0], (guint8) (50 + differences[i]), i);
  }
  end (self);
  s = next (self, "clcompare-event", &message);
  fail_unless (s != NULL, "no event");
  fail_unless_equals_string (
      gst_structure_get_string (s, "first-difference-component"), "Y");
  fail_unless_equals_string (gst_structure_get_string (s, "state"), "start");
  fail_unless_equals_uint64 (uint64_field (s, "frame"), 2);
  expect_event (self, "mismatch end sink_0 - 2 @4");
  expect_event (self, "mismatch start sink_0 - 0 @6");
  expect_event (self, "mismatch end sink_0 - 1 @7");
  expect_event (self, "none");
}

/* A threshold adds its metric. */
TEST (thresholds_are_measured)
{
  g_autoptr (Case) self = case_new ("metrics=psnr max-difference=3", 1);

  set_format (self, GST_VIDEO_FORMAT_GRAY8, 8, 8);
  push_filled (self, self->reference, 50, 0);
  push_filled (self, self->sinks[0], 54, 0);
  end (self);
  expect_event (self, "mismatch start sink_0 - 0 @0");
}

/* A stream that shows each picture three frames late. */
TEST (shifts_are_reported)
{
  g_autoptr (Case) self = case_new ("metrics=psnr post-messages=false", 1);
  g_autoptr (GstMessage) message = NULL;
  const GstStructure *s;
  gint offset;

  set_format (self, GST_VIDEO_FORMAT_GRAY8, 128, 72);
  for (guint i = 0; i < 30; i++) {
    push_filled (self, self->reference, (guint8) (20 + 5 * i), i);
    push_filled (self, self->sinks[0], (guint8) (20 + 5 * MAX (i, 3) - 15), i);
  }
  end (self);
  s = next (self, "clcompare-event", &message);
  fail_unless (s != NULL, "no event");
  fail_unless_equals_string (gst_structure_get_string (s, "event"), "offset");
  fail_unless (gst_structure_get_int (s, "offset-frames", &offset));
  fail_unless_equals_int (offset, 3);
  expect_event (self, "offset end sink_0 - 5 @30");
}

/* --- the stream ----------------------------------------------------------- */

TEST (a_flush_discards_results)
{
  g_autoptr (Case) self = case_new ("metrics=psnr", 1);
  g_autoptr (GstMessage) message = NULL;
  const GstStructure *s;
  GstHarness *inputs[2];

  set_format (self, GST_VIDEO_FORMAT_GRAY8, 8, 8);
  inputs[0] = self->sinks[0];
  inputs[1] = self->reference;
  for (guint i = 0; i < 3; i++) {
    push_filled (self, self->reference, 1, i);
    push_filled (self, self->sinks[0], 2, i);
    gst_buffer_unref (pull (self));
  }
  /* as a seek does */
  for (guint stop = 0; stop < 2; stop++) {
    for (guint i = 0; i < 2; i++) {
      GstEvent *event = stop ? gst_event_new_flush_stop (TRUE)
                             : gst_event_new_flush_start ();

      gst_event_set_seqnum (event, 77);
      fail_unless (gst_harness_push_event (inputs[i], event));
    }
  }
  for (guint i = 0; i < 2; i++) {
    GstSegment segment;

    gst_segment_init (&segment, GST_FORMAT_TIME);
    fail_unless (
        gst_harness_push_event (inputs[i], gst_event_new_segment (&segment)));
  }
  push_filled (self, self->reference, 1, 0);
  push_filled (self, self->sinks[0], 2, 0);
  gst_buffer_unref (pull (self));
  end (self);
  do {
    s = next (self, "clcompare-pooled", &message);
    fail_unless (s != NULL, "no pooled result");
  } while (g_str_equal (gst_structure_get_string (s, "span"), "second"));
  fail_unless_equals_uint64 (uint64_field (s, "frames"), 1);
}

/* Returns the number of pairs of the next pooled result of a whole stream. */
static guint64
next_pooled_frames (Case *self)
{
  g_autoptr (GstMessage) message = NULL;
  const GstStructure *s;

  do {
    s = next (self, "clcompare-pooled", &message);
    fail_unless (s != NULL, "no pooled result");
  } while (g_str_equal (gst_structure_get_string (s, "span"), "second"));

  return uint64_field (s, "frames");
}

/* Another pixel aspect ratio continues the stream. */
TEST (caps_of_the_same_shape)
{
  static const gchar *const ratios[] = { "1/1", "4/3" };
  g_autoptr (Case) self = case_new ("metrics=psnr", 1);

  gst_video_info_set_format (&self->info, GST_VIDEO_FORMAT_GRAY8, 8, 8);
  for (guint i = 0; i < 2; i++) {
    g_autofree gchar *caps = g_strdup_printf (
        "video/x-raw,format=GRAY8,width=8,height=8,framerate=25/1,"
        "pixel-aspect-ratio=%s",
        ratios[i]);

    gst_harness_set_src_caps_str (self->sinks[0], caps);
    gst_harness_set_src_caps_str (self->reference, caps);
    push_filled (self, self->reference, 1, i);
    push_filled (self, self->sinks[0], 2, i);
    gst_buffer_unref (pull (self));
  }
  end (self);
  fail_unless_equals_uint64 (next_pooled_frames (self), 2);
}

/* A released pad has its pooled result, and the next one passes. */
TEST (pads_are_released)
{
  g_autoptr (Case) self = case_new ("metrics=psnr post-messages=false", 2);
  GstElement *element = self->sinks[0]->element;
  g_autoptr (GstPad) pad = gst_element_get_static_pad (element, "sink_1");
  g_autoptr (GstPad) peer = gst_pad_get_peer (pad);

  set_format (self, GST_VIDEO_FORMAT_GRAY8, 8, 8);
  for (guint i = 0; i < 3; i++) {
    push_filled (self, self->reference, 1, i);
    push_filled (self, self->sinks[0], 2, i);
    if (i < 2)
      push_filled (self, self->sinks[1], 2, i);
    if (i == 1) {
      gst_buffer_unref (pull (self));
      gst_buffer_unref (pull (self));
      fail_unless (gst_pad_unlink (peer, pad));
      gst_element_release_request_pad (element, pad);
    }
  }
  gst_buffer_unref (pull (self));
  fail_unless_equals_uint64 (next_pooled_frames (self), 2);
  self->n--;
  end (self);
  self->n++;
  fail_unless_equals_uint64 (next_pooled_frames (self), 3);
}

/* New caps of both begin new pooled results. */
TEST (caps_change)
{
  g_autoptr (Case) self = case_new ("metrics=psnr post-messages=false", 1);
  g_autoptr (GstMessage) message = NULL;
  guint64 frames[2];
  guint n = 0;

  for (guint i = 0; i < 5; i++) {
    if (i == 0 || i == 3)
      set_format (self, GST_VIDEO_FORMAT_GRAY8, 8 + (gint) i, 8);
    push_filled (self, self->reference, 1, i);
    push_filled (self, self->sinks[0], 2, i);
    gst_buffer_unref (pull (self));
  }
  end (self);
  for (const GstStructure *s;
       (s = next (self, "clcompare-pooled", &message));) {
    if (g_str_equal (gst_structure_get_string (s, "span"), "stream"))
      frames[n++] = uint64_field (s, "frames");
  }
  fail_unless_equals_int (n, 2);
  fail_unless (frames[0] == 3 && frames[1] == 2);
}

/* Buffers without memory, with results. */
TEST (no_output)
{
  g_autoptr (Case) self = case_new ("output=none", 1);
  g_autoptr (GstBuffer) out = NULL;

  set_format (self, GST_VIDEO_FORMAT_GRAY8, 8, 8);
  push_filled (self, self->reference, 1, 0);
  push_filled (self, self->sinks[0], 2, 0);
  out = pull (self);
  fail_unless_equals_int (gst_buffer_get_size (out), 0);
  fail_unless (gst_buffer_get_custom_meta (out, "GstClCompareMeta") != NULL);
}

/* --- maps ----------------------------------------------------------------- */

/* Checks @map, in any memory, against the codes of the first components. */
static void
check_map (GstBuffer *map, const GstVideoInfo *map_info, GstBuffer *reference,
    GstBuffer *compared, const GstVideoInfo *info, guint gain)
{
  const guint depth = GST_VIDEO_INFO_COMP_DEPTH (info, 0);
  gint width, height, map_width, map_height;
  g_autofree guint16 *a = frame_codes (reference, info, 0, &width, &height);
  g_autofree guint16 *b = frame_codes (compared, info, 0, NULL, NULL);
  g_autofree guint16 *levels = frame_codes (map, map_info, 0, &map_width,
      &map_height);

  fail_unless (map_width == width && map_height == height);
  for (gint i = 0; i < width * height; i++)
    fail_unless_equals_int (levels[i],
        MIN (255, (gint) gain * ABS (a[i] - b[i]) / (1 << (depth - 8))));
}

/* From and to system memory and device memory, in several layouts. */
LOOP_TEST (maps_are_exact, G_N_ELEMENTS (pictures) * N_MEMORIES * N_MEMORIES)
{
  const guint picture = __i__ / (N_MEMORIES * N_MEMORIES);
  const Memory from = __i__ / N_MEMORIES % N_MEMORIES, to = __i__ % N_MEMORIES;
  const FrameLayout layout = from == IN_SYSTEM ? LAYOUT_PADDED : LAYOUT_PLAIN;
  g_autoptr (Case) self = case_new ("output=map metrics=psnr", 1);
  g_autoptr (GstBuffer) a = NULL, b = NULL;
  const guint gains[] = { 1, 3, 255 };

  if (to == IN_DEVICE)
    gst_harness_set_sink_caps_str (self->sinks[0],
        "video/x-raw(memory:OpenCLMemory)");
  set_format (self, pictures[picture].format, pictures[picture].width,
      pictures[picture].height);
  a = frame_new (&self->info, 1);
  b = frame_new (&self->info, 2);
  for (guint i = 0; i < G_N_ELEMENTS (gains); i++) {
    g_autoptr (GstBuffer) out = NULL;
    g_autoptr (GstCaps) caps = NULL;
    GstVideoInfo info;

    g_object_set (self->sinks[0]->element, "map-gain", gains[i], NULL);
    push (self->reference,
        in_memory (self, self->reference,
            frame_copy_to_layout (a, &self->info, layout), from),
        i);
    push (self->sinks[0],
        in_memory (self, self->sinks[0],
            frame_copy_to_layout (b, &self->info, layout), from),
        i);
    out = pull (self);
    harness_out_info (self->sinks[0], &info);
    caps = harness_out_caps (self->sinks[0]);
    fail_unless (gst_caps_features_contains (gst_caps_get_features (caps, 0),
                     "memory:OpenCLMemory") == (to == IN_DEVICE));
    check_map (out, &info, a, b, &self->info, gains[i]);
    fail_unless_equals_uint64 (GST_BUFFER_PTS (out), i * FRAME);
    fail_unless_equals_uint64 (GST_BUFFER_DURATION (out), FRAME);
    fail_unless (gst_buffer_get_custom_meta (out, "GstClCompareMeta") != NULL);
  }
}

/* The output follows new caps of the inputs. */
TEST (map_caps)
{
  g_autoptr (Case) self = case_new ("output=map", 1);

  for (gint i = 1; i <= 2; i++) {
    g_autofree gchar *text = g_strdup_printf (
        "video/x-raw,format=I420,width=%d,height=8,framerate=25/%d,"
        "pixel-aspect-ratio=4/%d,colorimetry=bt709",
        8 * i, i, 2 * i + 1);
    g_autoptr (GstCaps) caps = gst_caps_from_string (text);
    g_autoptr (GstBuffer) out = NULL;
    GstVideoInfo info;

    fail_unless (gst_video_info_from_caps (&self->info, caps));
    gst_harness_set_src_caps_str (self->sinks[0], text);
    gst_harness_set_src_caps_str (self->reference, text);
    push_filled (self, self->reference, 7, (guint) i);
    push_filled (self, self->sinks[0], 5, (guint) i);
    out = pull (self);
    harness_out_info (self->sinks[0], &info);
    fail_unless (GST_VIDEO_INFO_FORMAT (&info) == GST_VIDEO_FORMAT_GRAY8);
    fail_unless (info.width == 8 * i && info.height == 8 && info.fps_n == 25 &&
                 info.fps_d == i && info.par_n == 4 && info.par_d == 2 * i + 1);
  }
}

/* Frame 2 is missing in the first stream, frame 4 in the reference: the second
 * stream has more results than there are maps. */
TEST (unpaired_frames_have_no_map)
{
  g_autoptr (Case) self = case_new ("output=map metrics=max-difference", 2);
  g_autoptr (GstMessage) message = NULL;
  guint n = 0;

  set_format (self, GST_VIDEO_FORMAT_GRAY8, 8, 8);
  run_feeds ((Feed[]){ { self, self->reference, NULL, 6, 1 << 4, 0, 10, FRAME },
                 { self, self->sinks[0], NULL, 6, 1 << 2, 1, 10, FRAME },
                 { self, self->sinks[1], NULL, 6, 0, 2, 10, FRAME } },
      3);
  for (guint i = 0; i < 6; i++) {
    g_autoptr (GstBuffer) out = NULL;
    g_autoptr (GBytes) bytes = NULL;

    if (i == 2 || i == 4)
      continue;
    out = pull (self);
    fail_unless_equals_uint64 (GST_BUFFER_PTS (out), i * FRAME);
    bytes = frame_bytes (out);
    fail_unless_equals_int (*(const guint8 *) g_bytes_get_data (bytes, NULL),
        1);
  }
  fail_unless (gst_harness_try_pull (self->sinks[0]) == NULL);
  while (next (self, "clcompare", &message))
    n++;
  fail_unless_equals_int (n, 4 + 5);
}

/* --- errors --------------------------------------------------------------- */

static void
wait_for_error (GstBus *bus)
{
  g_autoptr (GstMessage) message = gst_bus_timed_pop_filtered (bus,
      GST_CLOCK_TIME_NONE, GST_MESSAGE_ERROR);

  gst_bus_post (bus, g_steal_pointer (&message));
}

#define CAPS(format, width, rest)                                              \
  "video/x-raw,format=" format ",width=" width ",height=8,framerate=25/1" rest

/* What the stream and the reference have, and what the message says. */
static const struct {
  const gchar *properties, *stream, *reference, *parts[5];
} refusals[] = {
  { "", CAPS ("GRAY8", "16", ""), CAPS ("GRAY8", "8", ""),
      { "sink_0 has 16x8, reference has 8x8",
          "videoscale ! video/x-raw,width=8,height=8" } },
  { "", CAPS ("I420", "8", ""), CAPS ("NV12", "8", ""),
      { "sink_0 has I420, reference has NV12", "videoconvert",
          "format=NV12" } },
  { "", CAPS ("I420", "8", ",colorimetry=1:4:5:1"),
      CAPS ("I420", "8", ",colorimetry=2:4:5:1"),
      { "sink_0 has 1:4:5:1, reference has 2:4:5:1", "videoconvert" } },
  { "", "video/x-raw,format=GRAY8,width=8,height=8,framerate=50/1",
      CAPS ("GRAY8", "8", ""),
      { "50/1 frames a second", "25/1", "videorate", "other-rates=true" } },
  { "metrics=xpsnr", "video/x-raw,format=GRAY8,width=8,height=8,framerate=0/1",
      "video/x-raw,format=GRAY8,width=8,height=8,framerate=0/1",
      { "no frame rate", "XPSNR" } },
};

LOOP_TEST (errors_name_both, G_N_ELEMENTS (refusals))
{
  g_autoptr (Case) self = case_new (refusals[__i__].properties, 1);

  gst_harness_set_src_caps_str (self->sinks[0], refusals[__i__].stream);
  gst_harness_set_src_caps_str (self->reference, refusals[__i__].reference);
  push (self->reference, gst_buffer_new_allocate (NULL, 512, NULL), 0);
  push (self->sinks[0], gst_buffer_new_allocate (NULL, 512, NULL), 0);
  wait_for_error (self->bus);
  expect_one_error (self->bus, GST_STREAM_ERROR, GST_STREAM_ERROR_WRONG_TYPE,
      refusals[__i__].parts);
}

TEST (a_map_is_grey)
{
  static const gchar *const parts[] = { "GRAY8", "output", NULL };
  g_autoptr (Case) self = case_new ("output=map", 1);

  gst_harness_set_sink_caps_str (self->sinks[0], "video/x-raw,format=RGB");
  set_format (self, GST_VIDEO_FORMAT_RGB, 8, 8);
  push_filled (self, self->reference, 1, 0);
  push_filled (self, self->sinks[0], 1, 0);
  wait_for_error (self->bus);
  expect_one_error (self->bus, GST_CORE_ERROR, GST_CORE_ERROR_NEGOTIATION,
      parts);
}

TEST (too_many_zones)
{
  static const gchar *const parts[] = { "grid-columns 8, grid-rows 8",
    "63 zones", NULL };
  g_autoptr (Case) self = case_new ("grid-columns=8 grid-rows=8", 1);

  set_format (self, GST_VIDEO_FORMAT_GRAY8, 16, 16);
  push_filled (self, self->reference, 1, 0);
  push_filled (self, self->sinks[0], 1, 0);
  wait_for_error (self->bus);
  expect_one_error (self->bus, GST_CORE_ERROR, GST_CORE_ERROR_NEGOTIATION,
      parts);
}

TEST (other_rates)
{
  g_autoptr (Case) self = case_new ("other-rates=true metrics=psnr", 1);
  g_autoptr (GstMessage) message = NULL;
  guint n = 0;

  gst_harness_set_src_caps_str (self->sinks[0],
      "video/x-raw,format=GRAY8,width=8,height=8,framerate=50/1");
  gst_harness_set_src_caps_str (self->reference, CAPS ("GRAY8", "8", ""));
  gst_video_info_set_format (&self->info, GST_VIDEO_FORMAT_GRAY8, 8, 8);
  run_feeds ((Feed[]){ { self, self->reference, NULL, 4, 0, 1, 0, FRAME },
                 { self, self->sinks[0], NULL, 8, 0, 1, 0, FRAME / 2 } },
      2);
  while (next (self, "clcompare", &message))
    n++;
  fail_unless_equals_int (n, 4);
}

TEST (frames_need_times)
{
  static const gchar *const parts[] = { "sink_0", "without timestamps",
    "pair=order", NULL };
  g_autoptr (Case) self = case_new ("", 1);

  set_format (self, GST_VIDEO_FORMAT_GRAY8, 8, 8);
  push_filled (self, self->reference, 1, 0);
  fail_unless_equals_int (
      gst_harness_push (self->sinks[0], frame_new_filled (&self->info, 1)),
      GST_FLOW_OK);
  wait_for_error (self->bus);
  expect_one_error (self->bus, GST_STREAM_ERROR, GST_STREAM_ERROR_FAILED,
      parts);
}

TEST (a_reference_is_needed)
{
  static const gchar *const parts[] = { "reference", NULL };
  g_autoptr (GstHarness) h = harness_new_of_pad ("clcompare", "sink_0");
  g_autoptr (GstBus) bus = harness_bus (h);
  GstVideoInfo info;

  harness_set_format (h, GST_VIDEO_FORMAT_GRAY8, 8, 8, &info);
  push (h, frame_new_filled (&info, 1), 0);
  wait_for_error (bus);
  expect_one_error (bus, GST_STREAM_ERROR, GST_STREAM_ERROR_FAILED, parts);
}

SUITE (.start = harness_share_context);
