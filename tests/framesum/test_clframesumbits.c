/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* clframesum: samples with fewer bits than the words of their format. */

#include "elements/common.h"
#include "elements/frames.h"
#include "suite.h"

#define N_CHECKED 25 /* frames that decide about the warning */

/* Returns a frame of words, random in the lowest @n_bits. */
static GstBuffer *
new_frame (const GstVideoInfo *info, guint n_bits, guint seed)
{
  GstBuffer *frame = frame_new (info, seed);
  GstMapInfo map;

  fail_unless (gst_buffer_map (frame, &map, GST_MAP_READWRITE));
  for (gsize i = 0; i + 1 < map.size; i += 2)
    GST_WRITE_UINT16_LE (map.data + i,
        GST_READ_UINT16_LE (map.data + i) & ((1u << n_bits) - 1));
  gst_buffer_unmap (frame, &map);
  GST_BUFFER_PTS (frame) = seed * 40 * GST_MSECOND;
  GST_BUFFER_DURATION (frame) = 40 * GST_MSECOND;

  return frame;
}

/* Measures frames whose samples have @n_bits, and returns each result, event
 * and pooled result as text, without the format. */
static gchar *
measure (GstVideoFormat format, guint n_bits, const gchar *properties)
{
  g_autofree gchar *line = g_strdup_printf (
      "clframesum name=sum key-style=lavfi "
      "statistics=0xfffffff grid-columns=2 black-min-duration=0 "
      "picture-black-ratio=0.1 white-ratio=0.1 white-leave-ratio=0.1 "
      "white-min-duration=0 freeze-duration=0 scene-threshold=1 "
      "events=black+white+freeze+scene+single-color+defocus+range "
      "range-min-duration=0 %s",
      properties);
  g_autoptr (GstHarness) h = harness_new (line);
  g_autoptr (GstBus) bus = harness_bus (h);
  GString *text = g_string_new (NULL);
  GstMessage *message;
  GstVideoInfo info;

  harness_set_format (h, format, 33, 17, &info);
  for (guint f = 0; f < 5; f++)
    gst_buffer_unref (
        harness_run (h, f == 2 ? new_frame (&info, n_bits - 4, f)
                               : new_frame (&info, n_bits, f - (f == 4))));
  gst_harness_push_event (h, gst_event_new_eos ());
  while ((message = gst_bus_pop_filtered (bus,
              GST_MESSAGE_ELEMENT | GST_MESSAGE_ERROR))) {
    g_autoptr (GstStructure)
        structure = gst_structure_copy (gst_message_get_structure (message));
    g_autofree gchar *found = NULL;

    gst_structure_remove_field (structure, "format");
    found = gst_structure_to_string (structure);
    g_string_append_printf (text, "%s\n", found);
    gst_message_unref (message);
  }
  fail_unless (strstr (text->str, "clframesum-pooled") != NULL);
  fail_unless (strstr (text->str, "clframesum-event") != NULL);

  return g_string_free (text, FALSE);
}

/* Every statistic and every event is that of a format with as many bits. The
 * seed chooses one of the second to the fourth row. */
TEST (test_as_the_narrow_format)
{
  static const struct {
    GstVideoFormat wide, narrow;
    guint n_bits;
    const gchar *options;
  } rows[] = {
    { GST_VIDEO_FORMAT_Y444_16LE, GST_VIDEO_FORMAT_Y444_10LE, 10, "" },
    { GST_VIDEO_FORMAT_Y444_16LE, GST_VIDEO_FORMAT_Y444_12LE, 12, "" },
    { GST_VIDEO_FORMAT_Y444_12LE, GST_VIDEO_FORMAT_Y444_10LE, 10, "" },
    { GST_VIDEO_FORMAT_Y444_16LE, GST_VIDEO_FORMAT_Y444_12LE, 12,
        "histogram-bins=48 planes=y" },
    { GST_VIDEO_FORMAT_Y444_16LE, GST_VIDEO_FORMAT_Y444_12LE, 12,
        "statistics=moments+range+histogram histogram-bins=16" },
  };

  for (guint n = 0; n < 3; n++) {
    const guint i = n == 0 ? 0 : n == 1 ? 1 + test_seed () % 3 : 4;
    g_autofree gchar *properties = g_strdup_printf ("%s significant-bits=%u",
        rows[i].options, rows[i].n_bits);
    g_autofree gchar *wide = measure (rows[i].wide, rows[i].n_bits, properties);
    g_autofree gchar *narrow = measure (rows[i].narrow, rows[i].n_bits,
        rows[i].options);

    fail_unless (g_str_equal (wide, narrow), "row %u: results differ", i);
  }
}

static gint
measured_depth (GstHarness *h, GstVideoFormat format)
{
  g_autoptr (GstStructure) stats = NULL;
  GstVideoInfo info;
  gint depth = 0;

  harness_set_format (h, format, 33, 17, &info);
  gst_buffer_unref (harness_run (h, frame_new (&info, 1)));
  g_object_get (h->element, "stats", &stats, NULL);
  gst_structure_get_int (stats, "depth", &depth);

  return depth;
}

/* A format with fewer bits keeps its depth; the property applies to the next
 * frame. */
TEST (test_values)
{
  static const gchar *const parts[] = { "significant-bits is 8", NULL };
  g_autoptr (GstHarness) h = harness_new ("clframesum significant-bits=12");
  g_autoptr (GstBus) bus = harness_bus (h);
  GstVideoInfo info;

  fail_unless_equals_int (measured_depth (h, GST_VIDEO_FORMAT_GRAY16_LE), 12);
  fail_unless_equals_int (measured_depth (h, GST_VIDEO_FORMAT_I420_10LE), 10);
  fail_unless_equals_int (measured_depth (h, GST_VIDEO_FORMAT_GRAY8), 8);
  gst_harness_set (h, "clframesum", "significant-bits", 16, NULL);
  fail_unless_equals_int (measured_depth (h, GST_VIDEO_FORMAT_GRAY16_LE), 16);
  gst_harness_set (h, "clframesum", "significant-bits", 9, NULL);
  fail_unless_equals_int (measured_depth (h, GST_VIDEO_FORMAT_GRAY16_LE), 9);
  gst_harness_set (h, "clframesum", "significant-bits", 0, NULL);
  fail_unless_equals_int (measured_depth (h, GST_VIDEO_FORMAT_GRAY16_LE), 16);
  expect_no_error (bus);

  gst_harness_set (h, "clframesum", "significant-bits", 8, NULL);
  gst_video_info_set_format (&info, GST_VIDEO_FORMAT_GRAY16_LE, 33, 17);
  harness_run_into (h, frame_new (&info, 1), GST_FLOW_NOT_NEGOTIATED);
  expect_one_error (bus, GST_CORE_ERROR, GST_CORE_ERROR_NEGOTIATION, parts);
}

/* --- the warning --------------------------------------------------------- */

/* Returns the text of the only warning on @bus, or NULL. g_free() */
static gchar *
pop_warning (GstBus *bus)
{
  g_autoptr (GstMessage)
      message = gst_bus_pop_filtered (bus, GST_MESSAGE_WARNING);
  g_autoptr (GError) warning = NULL;

  if (!message)
    return NULL;
  gst_message_parse_warning (message, &warning, NULL);
  fail_unless (
      g_error_matches (warning, GST_STREAM_ERROR, GST_STREAM_ERROR_FORMAT));
  fail_if (gst_bus_pop_filtered (bus, GST_MESSAGE_WARNING));

  return g_strdup (warning->message);
}

static void
push_frames (GstHarness *h, const GstVideoInfo *info, guint n_bits, guint n)
{
  for (guint f = 0; f < n; f++)
    gst_buffer_unref (harness_run (h, new_frame (info, n_bits, f)));
  harness_drain (h);
}

/* The sentence names the property and the bits, after the last frame of the
 * check and only once. Black frames do not count. */
TEST (test_warning)
{
  g_autoptr (GstHarness) h = harness_new ("clframesum async-depth=0");
  g_autoptr (GstBus) bus = harness_bus (h);
  g_autofree gchar *text = NULL;
  GstVideoInfo info;

  harness_set_format (h, GST_VIDEO_FORMAT_GRAY16_LE, 33, 17, &info);
  push_frames (h, &info, 8, 2 * N_CHECKED);
  push_frames (h, &info, 11, N_CHECKED - 1);
  fail_if (pop_warning (bus));
  push_frames (h, &info, 12, 1);
  text = pop_warning (bus);
  fail_unless_equals_string (text,
      "No sample of the first 25 frames uses more than 12 of the 16 bits of "
      "GRAY16_LE: if samples have fewer bits, set the property "
      "significant-bits to their number.");
  push_frames (h, &info, 12, 2 * N_CHECKED);
  fail_if (pop_warning (bus));
}

TEST (test_no_warning)
{
  static const struct {
    const gchar *line;
    GstVideoFormat format;
    guint n_bits, n_bits_of_last;
    gboolean warns;
  } rows[] = {
    { "clframesum", GST_VIDEO_FORMAT_GRAY16_LE, 14, 14, TRUE },
    { "clframesum", GST_VIDEO_FORMAT_GRAY16_LE, 15, 12, FALSE },
    { "clframesum", GST_VIDEO_FORMAT_GRAY16_LE, 12, 16, FALSE },
    { "clframesum", GST_VIDEO_FORMAT_GRAY16_LE, 16, 12, FALSE },
    { "clframesum significant-bits=12", GST_VIDEO_FORMAT_GRAY16_LE, 12, 12,
        FALSE },
    { "clframesum significant-bits=16", GST_VIDEO_FORMAT_GRAY16_LE, 12, 12,
        FALSE },
    { "clframesum", GST_VIDEO_FORMAT_I420_12LE, 10, 10, FALSE },
    { "clframesum", GST_VIDEO_FORMAT_Y444_16LE, 12, 12, TRUE },
    { "clframesum planes=y", GST_VIDEO_FORMAT_Y444_16LE, 12, 12, FALSE },
    { "clframesum statistics=percentiles", GST_VIDEO_FORMAT_GRAY16_LE, 12, 12,
        FALSE },
    { "clframesum statistics=moments+histogram", GST_VIDEO_FORMAT_GRAY16_LE, 12,
        12, TRUE },
    { "clframesum stats-meta=false", GST_VIDEO_FORMAT_GRAY16_LE, 12, 12, TRUE },
  };

  for (guint i = 0; i < G_N_ELEMENTS (rows); i++) {
    g_autoptr (GstHarness) h = harness_new (rows[i].line);
    g_autoptr (GstBus) bus = harness_bus (h);
    g_autofree gchar *text = NULL;
    GstVideoInfo info;

    harness_set_format (h, rows[i].format, 33, 17, &info);
    push_frames (h, &info, rows[i].n_bits, N_CHECKED - 1);
    push_frames (h, &info, rows[i].n_bits_of_last, 2);
    gst_harness_push_event (h, gst_event_new_eos ());
    text = pop_warning (bus);
    fail_unless ((text != NULL) == rows[i].warns, "row %u: %s", i,
        text ? text : "no warning");
  }
}

SUITE (.start = harness_share_context);
