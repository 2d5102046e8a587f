/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* clframesum statistics=detection: the integers that events depend on, computed
 * from the samples. */

#include "elements/common.h"
#include "elements/frames.h"
#include "suite.h"

#define WIDTH  46
#define HEIGHT 22

/* With this noise, some frames replace the reference of freeze and some do
 * not. */
#define DESCRIPTION "clframesum statistics=detection freeze-noise=0.015 "

typedef struct {
  GstHarness *h;
  GstVideoInfo info;
  GstBuffer *reference; /* owned; NULL: none */
  GstBuffer *previous;  /* owned; NULL: none */
} Stream;

static void
stream_init (Stream *stream, GstVideoFormat format, const gchar *properties)
{
  g_autofree gchar *description = g_strconcat (DESCRIPTION, properties, NULL);

  *stream = (Stream){ .h = harness_new (description) };
  harness_set_format (stream->h, format, WIDTH, HEIGHT, &stream->info);
}

static void
stream_clear (Stream *stream)
{
  gst_clear_buffer (&stream->reference);
  gst_clear_buffer (&stream->previous);
  harness_free (stream->h);
}

static GstStructure *
measure (GstHarness *h, GstBuffer *frame)
{
  g_autoptr (GstBus) bus = harness_bus (h);
  G_GNUC_UNUSED g_autoptr (GstBuffer)
      out = harness_run (h, gst_buffer_ref (frame));
  g_autoptr (GstMessage) message = pop_element_message (bus, "clframesum");

  fail_unless (message != NULL, "no message");

  return gst_structure_copy (gst_message_get_structure (message));
}

/* --- from the samples ----------------------------------------------------- */

/* Adds the absolute differences of component @c of two frames to *sum, and
 * their number to *count. */
static void
add_difference (const GstVideoInfo *info, GstBuffer *a, GstBuffer *b, guint c,
    guint64 *sum, guint64 *count)
{
  const guint n = GST_VIDEO_INFO_COMP_WIDTH (info, c) *
                  GST_VIDEO_INFO_COMP_HEIGHT (info, c);
  g_autofree guint16 *x = frame_codes (a, info, c, NULL, NULL);
  g_autofree guint16 *y = frame_codes (b, info, c, NULL, NULL);

  for (guint i = 0; i < n; i++)
    *sum += ABS (x[i] - y[i]);
  *count += n;
}

static void
expect_gradient (const GstVideoInfo *info, GstBuffer *frame,
    const GstStructure *result)
{
  g_autofree guint16 *codes = frame_codes (frame, info, 0, NULL, NULL);
  guint64 sum = 0, count = 0;

  for (guint y = 0; y < HEIGHT; y++) {
    for (guint x = 0; x < WIDTH; x++) {
      const gint code = codes[y * WIDTH + x];

      if (x + 1 < WIDTH) {
        const gint difference = code - codes[y * WIDTH + x + 1];

        sum += difference * difference;
        count++;
      }
      if (y + 1 < HEIGHT) {
        const gint difference = code - codes[(y + 1) * WIDTH + x];

        sum += difference * difference;
        count++;
      }
    }
  }
  fail_unless_equals_uint64 (uint64_field (result, "gradient-sum"), sum);
  fail_unless_equals_uint64 (uint64_field (result, "gradient-count"), count);
}

/* Returns whether the frame replaces the reference. */
static gboolean
expect_reference (Stream *stream, GstBuffer *frame, const GstStructure *result)
{
  const GstVideoInfo *info = &stream->info;
  const gdouble scale = 1u << GST_VIDEO_INFO_COMP_DEPTH (info, 0);
  const guint64 limit = uint64_field (result, "reference-limit");
  guint64 sum = 0, count = 0;

  for (guint c = 0; stream->reference && c < GST_VIDEO_INFO_N_COMPONENTS (info);
       c++)
    add_difference (info, frame, stream->reference, c, &sum, &count);
  fail_unless_equals_uint64 (uint64_field (result, "reference-difference"),
      sum);
  fail_unless_equals_uint64 (uint64_field (result, "reference-count"), count);
  if (count > 0) {
    fail_unless ((gdouble) limit / count / scale <= 0.015);
    fail_unless ((gdouble) (limit + 1) / count / scale > 0.015);
  }

  return count == 0 || sum > limit;
}

static void
expect_previous (const Stream *stream, GstBuffer *frame,
    const GstStructure *result)
{
  const GstVideoInfo *info = &stream->info;
  const guint n = GST_VIDEO_INFO_IS_RGB (info)
                      ? GST_VIDEO_INFO_N_COMPONENTS (info)
                      : 1;
  guint64 sum = 0, count = 0;

  for (guint c = 0; stream->previous && c < n; c++)
    add_difference (info, frame, stream->previous, c, &sum, &count);
  fail_unless_equals_uint64 (uint64_field (result, "previous-difference"), sum);
  fail_unless_equals_uint64 (uint64_field (result, "previous-count"), count);
}

/* Creates a frame in which some bytes differ from those of the others. Codes
 * have at most 10 bits. */
static GstBuffer *
make_frame (const GstVideoInfo *info, guint number)
{
  GstBuffer *frame = frame_new (info, 3);

  gst_buffer_memset (frame, number * 7, number % 4,
      GST_VIDEO_INFO_SIZE (info) / (number % 3 == 0 ? 200 : 20));

  return frame;
}

/* Returns the number of frames that replaced the reference. */
static guint
expect_stream (Stream *stream, guint n_frames)
{
  guint n_replaced = 0;

  for (guint i = 0; i < n_frames; i++) {
    g_autoptr (GstBuffer) frame = make_frame (&stream->info, i);
    g_autoptr (GstStructure) result = measure (stream->h, frame);

    expect_gradient (&stream->info, frame, result);
    expect_previous (stream, frame, result);
    if (expect_reference (stream, frame, result)) {
      gst_buffer_replace (&stream->reference, frame);
      n_replaced++;
    }
    gst_buffer_replace (&stream->previous, frame);
  }

  return n_replaced;
}

/* --- tests ---------------------------------------------------------------- */

/* The fields need no event. */
TEST (test_fields)
{
  static const GstVideoFormat formats[] = { GST_VIDEO_FORMAT_GRAY8,
    GST_VIDEO_FORMAT_I420, GST_VIDEO_FORMAT_I420_10LE, GST_VIDEO_FORMAT_RGBA };
  guint n_replaced = 0;

  for (guint i = 0; i < G_N_ELEMENTS (formats); i++) {
    Stream stream;

    stream_init (&stream, formats[i], i % 2 ? "events=freeze+defocus" : "");
    n_replaced += expect_stream (&stream, 8);
    stream_clear (&stream);
  }
  fail_unless (n_replaced > 8 && n_replaced < 28,
      "expected 9 to 27 replaced samples, found %u", n_replaced);
}

/* After new caps there is no frame to compare with. */
TEST (test_new_caps)
{
  Stream stream;

  stream_init (&stream, GST_VIDEO_FORMAT_I420, "");
  expect_stream (&stream, 2);
  harness_set_format (stream.h, GST_VIDEO_FORMAT_RGB, WIDTH, HEIGHT,
      &stream.info);
  gst_clear_buffer (&stream.reference);
  gst_clear_buffer (&stream.previous);
  expect_stream (&stream, 2);
  stream_clear (&stream);
}

static void
expect_range (GstVideoFormat format, const gchar *colorimetry, gboolean is_full)
{
  g_autoptr (GstHarness) h = harness_new (DESCRIPTION);
  g_autoptr (GstStructure) result = NULL;
  g_autoptr (GstBuffer) frame = NULL;
  GstCaps *caps;
  gboolean found;
  GstVideoInfo info;

  gst_video_info_set_format (&info, format, WIDTH, HEIGHT);
  caps = gst_video_info_to_caps (&info);
  gst_caps_set_simple (caps, "colorimetry", G_TYPE_STRING, colorimetry, NULL);
  gst_harness_set_src_caps (h, caps);
  frame = frame_new (&info, 1);
  result = measure (h, frame);
  fail_unless (gst_structure_get_boolean (result, "full-range", &found));
  fail_unless_equals_int (found, is_full);
}

/* The element uses the range in the caps by the rule that the unit test `gamut`
 * checks. */
TEST (test_range)
{
  expect_range (GST_VIDEO_FORMAT_I420, "bt709", FALSE);
  expect_range (GST_VIDEO_FORMAT_I420, "1:0:0:0", TRUE);
  expect_range (GST_VIDEO_FORMAT_BGR, "2:0:0:0", FALSE);
}

/* Chroma cannot show an event, and has none of the fields. */
TEST (test_chroma)
{
  g_autoptr (GstHarness) h = harness_new (DESCRIPTION "planes=u+v");
  g_autoptr (GstStructure) result = NULL;
  g_autoptr (GstBuffer) frame = NULL;
  GstVideoInfo info;

  harness_set_format (h, GST_VIDEO_FORMAT_I420, WIDTH, HEIGHT, &info);
  frame = frame_new (&info, 1);
  result = measure (h, frame);
  fail_if (gst_structure_has_field (result, "full-range"));
  fail_if (gst_structure_has_field (result, "previous-count"));
}

SUITE (.start = harness_share_context);
