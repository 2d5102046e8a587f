/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* clframesum: zones, a rectangle and regions of interest; each must have the
 * results of a frame of its own, by the same kernels. tests/metrics compares
 * the kernels with their scalar reference for regions. */

#include "elements/common.h"
#include "elements/frames.h"
#include "suite.h"

/* All but positions, which are relative to the frame's corner; each region has
 * few bins. */
#define STATISTICS                                                             \
  "statistics=moments+range+histogram+percentiles+entropy+temporal+bit-depth+" \
  "outliers+repetition+gamut+saturation+hue histogram-bins=8 "

#define N_FIELDS 27 /* of a region, with these statistics */

/* Fields that belong to the frame, not to a region. */
static const gchar *const frame_fields[] = { "timestamp", "stream-time",
  "running-time", "duration", "frame", "element", "width", "height", "format",
  "depth", "components", NULL };

static GstStructure *
pop_message (GstHarness *h)
{
  g_autoptr (GstBus) bus = harness_bus (h);
  g_autoptr (GstMessage) message = NULL;

  harness_drain (h);
  message = pop_element_message (bus, "clframesum");
  fail_unless (message != NULL, "no message clframesum");

  return gst_structure_copy (gst_message_get_structure (message));
}

static GstStructure *
measure (GstHarness *h, GstBuffer *frame)
{
  gst_buffer_unref (harness_run (h, gst_buffer_ref (frame)));

  return pop_message (h);
}

/* --- cutting out --------------------------------------------------------- */

/* Returns the rectangle of @frame, whose edges are multiples of the chroma
 * subsampling, or those of the frame; transfer full. */
static GstBuffer *
cut_out (GstBuffer *frame, const GstVideoInfo *info,
    const GstVideoRectangle *rectangle, GstVideoInfo *cut_info)
{
  GstVideoFrame from, to;
  GstBuffer *cut;

  gst_video_info_set_format (cut_info, GST_VIDEO_INFO_FORMAT (info),
      rectangle->w, rectangle->h);
  cut = gst_buffer_new_allocate (NULL, GST_VIDEO_INFO_SIZE (cut_info), NULL);
  gst_buffer_memset (cut, 0, 0, GST_VIDEO_INFO_SIZE (cut_info));
  fail_unless (gst_video_frame_map (&from, info, frame, GST_MAP_READ));
  fail_unless (gst_video_frame_map (&to, cut_info, cut, GST_MAP_WRITE));

  for (guint c = 0; c < GST_VIDEO_FRAME_N_COMPONENTS (&to); c++) {
    const gint pstride = GST_VIDEO_FRAME_COMP_PSTRIDE (&to, c);
    const gint x = GST_VIDEO_FORMAT_INFO_SCALE_WIDTH (info->finfo, c,
        rectangle->x);
    const gint y = GST_VIDEO_FORMAT_INFO_SCALE_HEIGHT (info->finfo, c,
        rectangle->y);

    for (gint row = 0; row < GST_VIDEO_FRAME_COMP_HEIGHT (&to, c); row++) {
      const guint8 *src = GST_VIDEO_FRAME_COMP_DATA (&from, c);
      guint8 *dst = GST_VIDEO_FRAME_COMP_DATA (&to, c);

      src += (y + row) * GST_VIDEO_FRAME_COMP_STRIDE (&from, c) + x * pstride;
      dst += row * GST_VIDEO_FRAME_COMP_STRIDE (&to, c);
      for (gint i = 0; i < GST_VIDEO_FRAME_COMP_WIDTH (&to, c); i++)
        memcpy (dst + i * pstride, src + i * pstride,
            GST_VIDEO_FRAME_COMP_DEPTH (&to, c) > 8 ? 2 : 1);
    }
  }
  gst_video_frame_unmap (&to);
  gst_video_frame_unmap (&from);

  return cut;
}

/* Returns the element's message for the second of two cropped frames. */
static GstStructure *
measure_cut (GstHarness *h, GstBuffer *const *frames, const GstVideoInfo *info,
    const GstVideoRectangle *rectangle)
{
  GstStructure *structure = NULL;
  GstVideoInfo cut_info;

  harness_set_format (h, GST_VIDEO_INFO_FORMAT (info), rectangle->w,
      rectangle->h, &cut_info);
  for (guint i = 0; i < 2; i++) {
    g_autoptr (GstBuffer) cut = cut_out (frames[i], info, rectangle, &cut_info);

    g_clear_pointer (&structure, gst_structure_free);
    structure = measure (h, cut);
  }

  return structure;
}

/* --- comparing ----------------------------------------------------------- */

static void
expect_equal (const GValue *got, const GValue *expected, const gchar *what)
{
  g_autofree gchar *got_text = gst_value_serialize (got);
  g_autofree gchar *expected_text = gst_value_serialize (expected);

  fail_unless (gst_value_compare (got, expected) == GST_VALUE_EQUAL,
      "%s is %s, expected %s", what, got_text, expected_text);
}

/* Checks that region @index has the @n_fields fields of @cut. @prefix: the
 * prefix of the fields of these regions; NULL: the rectangle. */
static void
expect_region (const GstStructure *structure, const gchar *prefix, guint index,
    const GstStructure *cut, guint n_fields)
{
  guint n_compared = 0;

  for (gint i = 0; i < gst_structure_n_fields (cut); i++) {
    const gchar *name = gst_structure_nth_field_name (cut, i);
    g_autofree gchar *full_name = g_strconcat (prefix ? prefix : "", name,
        NULL);
    const GValue *expected = gst_structure_get_value (cut, name);
    const GValue *got = gst_structure_get_value (structure, full_name);

    if (g_strv_contains (frame_fields, name))
      continue;
    fail_unless (got != NULL, "no field %s", full_name);
    n_compared++;
    if (!prefix) {
      expect_equal (got, expected, full_name);
    } else if (!GST_VALUE_HOLDS_ARRAY (expected)) {
      expect_equal (gst_value_array_get_value (got, index), expected,
          full_name);
    } else {
      for (guint c = 0; c < gst_value_array_get_size (expected); c++)
        expect_equal (gst_value_array_get_value (
                          gst_value_array_get_value (got, c), index),
            gst_value_array_get_value (expected, c), full_name);
    }
  }
  fail_unless_equals_int (n_compared, n_fields);
}

static gint
get_side (const GstStructure *structure, const gchar *prefix, const gchar *name,
    guint index)
{
  g_autofree gchar *full_name = g_strconcat (prefix, name, NULL);

  return g_value_get_int (gst_value_array_get_value (
      gst_structure_get_value (structure, full_name), index));
}

static void
get_rectangle (const GstStructure *structure, const gchar *prefix, guint index,
    GstVideoRectangle *rectangle)
{
  rectangle->x = get_side (structure, prefix, "x", index);
  rectangle->y = get_side (structure, prefix, "y", index);
  rectangle->w = get_side (structure, prefix, "width", index);
  rectangle->h = get_side (structure, prefix, "height", index);
}

/* --- tests --------------------------------------------------------------- */

/* Two random frames; returns the message of @h for the second. */
static GstStructure *
measure_pair (GstHarness *h, GstVideoFormat format, gint width, gint height,
    GstVideoInfo *info, GstBuffer **frames)
{
  harness_set_format (h, format, width, height, info);
  for (guint i = 0; i < 2; i++)
    frames[i] = frame_new (info, i + width);
  gst_structure_free (measure (h, frames[0]));

  return measure (h, frames[1]);
}

static void
free_pair (GstBuffer **frames)
{
  gst_buffer_unref (frames[0]);
  gst_buffer_unref (frames[1]);
}

TEST (test_zones)
{
  g_autoptr (GstHarness)
      h = harness_new ("clframesum " STATISTICS "grid-columns=3 grid-rows=2");
  g_autoptr (GstHarness) of_cut = harness_new ("clframesum " STATISTICS);
  g_autoptr (GstStructure) structure = NULL;
  GstBuffer *frames[2];
  GstVideoInfo info;
  gint columns, rows;

  structure = measure_pair (h, GST_VIDEO_FORMAT_I420, 60, 44, &info, frames);
  fail_unless (gst_structure_get_int (structure, "zone-columns", &columns));
  fail_unless (gst_structure_get_int (structure, "zone-rows", &rows));
  fail_unless (columns == 3 && rows == 2);
  for (guint zone = 0; zone < 6; zone++) {
    g_autoptr (GstStructure) cut = NULL;
    GstVideoRectangle rectangle;

    get_rectangle (structure, "zone-", zone, &rectangle);
    fail_unless (rectangle.x == (gint) (zone % 3) * 20 &&
                 rectangle.y == (gint) (zone / 3) * 22 && rectangle.w == 20 &&
                 rectangle.h == 22);
    cut = measure_cut (of_cut, frames, &info, &rectangle);
    expect_region (structure, "zone-", zone, cut, N_FIELDS);
  }
  free_pair (frames);
}

/* The statistics of the frame are the same with zones and without. */
TEST (test_zones_add_to_the_frame)
{
  g_autoptr (GstHarness)
      h = harness_new ("clframesum " STATISTICS "grid-columns=7 grid-rows=5");
  g_autoptr (GstHarness) plain = harness_new ("clframesum " STATISTICS);
  g_autoptr (GstStructure) structure = NULL;
  g_autoptr (GstStructure) expected = NULL;
  const GstVideoRectangle whole = { 0, 0, 61, 45 };
  GstBuffer *frames[2];
  GstVideoInfo info;

  structure = measure_pair (h, GST_VIDEO_FORMAT_I420, 61, 45, &info, frames);
  expected = measure_cut (plain, frames, &info, &whole);
  expect_region (structure, NULL, 0, expected, N_FIELDS);
  fail_if (gst_structure_has_field (structure, "measured-x"));
  free_pair (frames);
}

TEST (test_rectangle)
{
  const GstVideoRectangle rectangle = { 10, 6, 38, 31 };
  g_autoptr (GstHarness)
      h = harness_new ("clframesum " STATISTICS
                       "position-x=10 position-y=6 width=38 grid-rows=31");
  g_autoptr (GstHarness) of_cut = harness_new ("clframesum " STATISTICS);
  g_autoptr (GstStructure) structure = NULL;
  g_autoptr (GstStructure) cut = NULL;
  GstBuffer *frames[2];
  GstVideoInfo info;
  gint x, y, width, height;

  structure = measure_pair (h, GST_VIDEO_FORMAT_I420, 61, 37, &info, frames);
  cut = measure_cut (of_cut, frames, &info, &rectangle);
  expect_region (structure, NULL, 0, cut, N_FIELDS);
  fail_unless (gst_structure_get (structure, "measured-x", G_TYPE_INT, &x,
      "measured-y", G_TYPE_INT, &y, "measured-width", G_TYPE_INT, &width,
      "measured-height", G_TYPE_INT, &height, NULL));
  fail_unless (x == 10 && y == 6 && width == 38 && height == 31);
  /* zones divide the rectangle */
  fail_unless_equals_int (get_side (structure, "zone-", "x", 30), 10);
  fail_unless_equals_int (get_side (structure, "zone-", "y", 30), 36);
  free_pair (frames);
}

/* Regions are in pixels of the frame, also for subsampled components; a region
 * smaller than a sample has one. */
TEST (test_chroma_alone)
{
  const GstVideoRectangle rectangle = { 10, 6, 38, 30 };
  g_autoptr (GstHarness) h = harness_new (
      "clframesum statistics=moments planes=v position-x=10 position-y=6 "
      "width=38 height=30 grid-columns=38");
  g_autoptr (GstHarness)
      of_cut = harness_new ("clframesum statistics=moments planes=v");
  g_autoptr (GstStructure) structure = NULL;
  g_autoptr (GstStructure) cut = NULL;
  GstBuffer *frames[2];
  GstVideoInfo info;
  const GValue *counts;

  structure = measure_pair (h, GST_VIDEO_FORMAT_I420, 61, 37, &info, frames);
  cut = measure_cut (of_cut, frames, &info, &rectangle);
  expect_region (structure, NULL, 0, cut, 6);
  counts = gst_value_array_get_value (
      gst_structure_get_value (structure, "zone-count"), 0);
  for (guint i = 0; i < 38; i++)
    fail_unless_equals_uint64 (
        g_value_get_uint64 (gst_value_array_get_value (counts, i)), 15);
  free_pair (frames);
}

static void
add_roi (GstBuffer *buffer, const gchar *type, gint id, guint x, guint y,
    guint width, guint height)
{
  GstVideoRegionOfInterestMeta
      *meta = gst_buffer_add_video_region_of_interest_meta (buffer, type, x, y,
          width, height);

  meta->id = id;
}

/* Many overlapping regions, different ones with each frame. */
TEST (test_regions_of_interest)
{
  g_autoptr (GstHarness) h = harness_new ("clframesum " STATISTICS);
  g_autoptr (GstHarness) of_cut = harness_new ("clframesum " STATISTICS);
  GstBuffer *frames[2];
  GstVideoInfo info;

  harness_set_format (h, GST_VIDEO_FORMAT_I420, 120, 80, &info);
  for (guint i = 0; i < 2; i++)
    frames[i] = frame_new (&info, i);
  for (guint run = 0; run < 3; run++) {
    const guint n = 1 + 100 * run;
    g_autoptr (GstBuffer) buffer = gst_buffer_copy (frames[run % 2]);
    g_autoptr (GstStructure) structure = NULL;

    for (guint i = 0; i < n; i++)
      add_roi (buffer, i % 2 ? "face" : "car", i, i % 90 / 2 * 2,
          i % 60 / 2 * 2, 10 + i % 3 * 2, 12);
    structure = measure (h, buffer);
    fail_unless_equals_int (gst_value_array_get_size (
                                gst_structure_get_value (structure, "roi-id")),
        n);
    /* now the frames are in the other order */
    for (guint i = 0; run == 1 && i < n; i += 25) {
      g_autoptr (GstStructure) cut = NULL;
      GstVideoRectangle rectangle;
      const gint id = get_side (structure, "roi-", "id", i);
      const GValue *type = gst_value_array_get_value (
          gst_structure_get_value (structure, "roi-type"), i);

      get_rectangle (structure, "roi-", i, &rectangle);
      fail_unless_equals_int (rectangle.x, id % 90 / 2 * 2);
      fail_unless_equals_string (g_value_get_string (type),
          id % 2 ? "face" : "car");
      cut = measure_cut (of_cut, frames, &info, &rectangle);
      expect_region (structure, "roi-", i, cut, N_FIELDS);
    }
  }
  free_pair (frames);
}

/* Without regions, another op computes moments and range: frames with and
 * without regions alternate, with late results. */
TEST (test_regions_of_interest_now_and_then)
{
  g_autoptr (GstHarness) h = harness_new ("clframesum stats-meta=false");
  g_autoptr (GstBus) bus = harness_bus (h);
  g_autoptr (GstBuffer) frame = NULL;
  g_autoptr (GstStructure) expected = NULL;
  GstVideoInfo info;

  harness_set_format (h, GST_VIDEO_FORMAT_NV12, 64, 48, &info);
  frame = frame_new (&info, 1);
  for (guint i = 0; i < 8; i++) {
    GstBuffer *buffer = gst_buffer_copy (frame);

    if (i % 3 == 1)
      add_roi (buffer, "whole", 5, 0, 0, 1000, 1000);
    fail_unless_equals_int (gst_harness_push (h, buffer), GST_FLOW_OK);
  }
  harness_drain (h);

  for (guint i = 0; i < 8; i++) {
    g_autoptr (GstMessage) message = pop_element_message (bus, "clframesum");
    const GstStructure *structure = gst_message_get_structure (message);
    const gboolean has_roi = i % 3 == 1;

    if (i == 0)
      expected = gst_structure_copy (structure);
    expect_equal (gst_structure_get_value (structure, "sum-squares"),
        gst_structure_get_value (expected, "sum-squares"), "sum-squares");
    fail_unless_equals_int (gst_structure_has_field (structure, "roi-id"),
        has_roi);
    if (has_roi) {
      const GValue *array = gst_structure_get_value (structure, "roi-sum");
      const GValue *inner = gst_value_array_get_value (array, 2);

      expect_equal (gst_value_array_get_value (inner, 0),
          gst_value_array_get_value (gst_structure_get_value (expected, "sum"),
              2),
          "roi-sum");
    }
  }
  gst_harness_set (h, "clframesum", "roi-meta", FALSE, NULL);
  add_roi (frame, "whole", 5, 0, 0, 10, 10);
  gst_clear_structure (&expected);
  expected = measure (h, frame);
  fail_if (gst_structure_has_field (expected, "roi-id"));
}

/* --- changes and errors -------------------------------------------------- */

static gdouble
difference_of (const GstStructure *structure)
{
  return g_value_get_double (gst_value_array_get_value (
      gst_structure_get_value (structure, "mean-difference"), 0));
}

/* A change of regions keeps the previous frame for comparison; a change of
 * statistics or a flush does not. */
TEST (test_changes_while_playing)
{
  static const struct {
    const gchar *property, *value;
    gboolean has_previous;
  } changes[] = {
    { "grid-columns", "4", TRUE },
    { "position-x", "3", TRUE },
    { "statistics", "temporal+entropy", FALSE },
    { "position-x", "0", TRUE },
  };
  g_autoptr (GstHarness) h = harness_new ("clframesum statistics=temporal");
  GstVideoInfo info;

  harness_set_format (h, GST_VIDEO_FORMAT_GRAY8, 64, 48, &info);
  for (guint i = 0; i < G_N_ELEMENTS (changes); i++) {
    g_autoptr (GstBuffer) old = frame_new (&info, 2 * i);
    g_autoptr (GstBuffer) new = frame_new (&info, 2 * i + 1);
    g_autoptr (GstStructure) before = measure (h, old);
    g_autoptr (GstStructure) after = NULL;

    gst_util_set_object_arg (G_OBJECT (h->element), changes[i].property,
        changes[i].value);
    after = measure (h, new);
    fail_unless (difference_of (before) > 0 || i == 0);
    fail_unless_equals_int (difference_of (after) > 0, changes[i].has_previous);
  }

  fail_unless (gst_harness_push_event (h, gst_event_new_flush_start ()));
  fail_unless (gst_harness_push_event (h, gst_event_new_flush_stop (TRUE)));
  {
    g_autoptr (GstBuffer) frame = frame_new (&info, 99);
    g_autoptr (GstStructure) structure = NULL;
    GstSegment segment;

    gst_segment_init (&segment, GST_FORMAT_TIME);
    fail_unless (gst_harness_push_event (h, gst_event_new_segment (&segment)));
    structure = measure (h, frame);
    fail_unless (difference_of (structure) == 0);
  }
}

TEST (test_settings_beyond_the_frame)
{
  static const gchar *const parts[] = { "33x17", "GRAY8", "position-x 33",
    NULL };
  g_autoptr (GstHarness) h = harness_new ("clframesum position-x=33");
  g_autoptr (GstBus) bus = harness_bus (h);
  GstVideoInfo info;

  harness_set_format (h, GST_VIDEO_FORMAT_GRAY8, 33, 17, &info);
  harness_run_into (h, frame_new (&info, 1), GST_FLOW_NOT_NEGOTIATED);
  expect_one_error (bus, GST_CORE_ERROR, GST_CORE_ERROR_NEGOTIATION, parts);
}

SUITE (.start = harness_share_context);
