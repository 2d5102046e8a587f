/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* clframesum fields=true: each field has the results of a frame of its rows. */

#include "elements/common.h"
#include "elements/frames.h"
#include "suite.h"

/* All that fields have. */
#define STATISTICS                                                             \
  "statistics=moments+range+positions+histogram+percentiles+entropy+temporal+" \
  "saturation+hue+bit-depth+outliers+repetition+gamut+range-evidence+noise+"   \
  "profiles+blockiness"

/* Frames only. */
#define MORE "+fields+detection+active-area"

#define N_FRAMES 4

/* The values of a result, with these statistics, of grey, RGB and YUV. */
#define N_VALUES        40
#define N_CHROMA_VALUES 8

/* Fields of a result that belong to the frame. */
static const gchar *const frame_fields[] = { "timestamp", "stream-time",
  "running-time", "duration", "frame", "element", "width", "height", "format",
  "depth", "components", "noise-sum", "noise-count", "blockiness-units",
  "measured-x", "measured-y", "measured-width", "measured-height", NULL };

static const gchar *const parity_names[] = { "top", "bottom" };

/* --- frames --------------------------------------------------------------- */

static void
set_caps (GstHarness *h, GstVideoFormat format, GstVideoInterlaceMode mode,
    gint width, gint height, GstVideoInfo *info)
{
  gst_video_info_set_interlaced_format (info, format, mode, width, height);
  info->fps_n = 25;
  info->fps_d = 1;
  gst_harness_set_src_caps (h, gst_video_info_to_caps (info));
}

/* Returns the number of rows of a field of @n rows. */
static gint
count_rows (gint n, guint parity)
{
  return (n + (parity == 0 ? 1 : 0)) / 2;
}

/* Copies the rows of a field of @from to @to, a frame of their number. Rows
 * that the field lacks repeat its last one. */
static void
copy_field (const GstVideoFrame *from, GstVideoFrame *to, guint parity)
{
  for (guint c = 0; c < GST_VIDEO_FRAME_N_COMPONENTS (to); c++) {
    const guint plane = GST_VIDEO_FRAME_COMP_PLANE (to, c);
    const gint from_stride = GST_VIDEO_FRAME_PLANE_STRIDE (from, plane);
    const gint to_stride = GST_VIDEO_FRAME_PLANE_STRIDE (to, plane);
    const gint n_rows = count_rows (GST_VIDEO_FRAME_COMP_HEIGHT (from, c),
        parity);

    fail_unless_equals_int (from_stride, to_stride);
    for (gint y = 0; y < GST_VIDEO_FRAME_COMP_HEIGHT (to, c); y++) {
      const gint row = 2 * MIN (y, n_rows - 1) + (gint) parity;

      memcpy ((guint8 *) GST_VIDEO_FRAME_PLANE_DATA (to, plane) + y * to_stride,
          (guint8 *) GST_VIDEO_FRAME_PLANE_DATA (from, plane) +
              row * from_stride,
          to_stride);
    }
  }
}

/* Returns a field of @frame as a progressive frame; transfer full. */
static GstBuffer *
take_field (GstBuffer *frame, const GstVideoInfo *info, guint parity,
    const GstVideoInfo *field_info)
{
  GstBuffer *field = gst_buffer_new_allocate (NULL,
      GST_VIDEO_INFO_SIZE (field_info), NULL);
  GstVideoFrame from, to;

  gst_buffer_memset (field, 0, 0, GST_VIDEO_INFO_SIZE (field_info));
  fail_unless (gst_video_frame_map (&from, info, frame, GST_MAP_READ));
  fail_unless (gst_video_frame_map (&to, field_info, field, GST_MAP_WRITE));
  copy_field (&from, &to, parity);
  gst_video_frame_unmap (&to);
  gst_video_frame_unmap (&from);

  return field;
}

static GstStructure *
measure (GstHarness *h, GstBuffer *frame)
{
  g_autoptr (GstBus) bus = harness_bus (h);
  g_autoptr (GstMessage) message = NULL;

  gst_buffer_unref (harness_run (h, gst_buffer_ref (frame)));
  harness_drain (h);
  message = pop_element_message (bus, "clframesum");
  fail_unless (message != NULL, "no message clframesum");

  return gst_structure_copy (gst_message_get_structure (message));
}

/* --- comparing ------------------------------------------------------------ */

static gboolean
is_of_field (const GstStructure *structure, const gchar *name)
{
  return g_str_has_prefix (name, "field-") &&
         GST_VALUE_HOLDS_ARRAY (gst_structure_get_value (structure, name));
}

static guint
count_field_values (const GstStructure *structure)
{
  guint n = 0;

  for (gint i = 0; i < gst_structure_n_fields (structure); i++)
    n += is_of_field (structure, gst_structure_nth_field_name (structure, i));

  return n;
}

static void
expect_equal (const GValue *got, const GValue *expected, const gchar *place,
    const gchar *name)
{
  g_autofree gchar *got_text = gst_value_serialize (got);
  g_autofree gchar *expected_text = gst_value_serialize (expected);

  fail_unless (gst_value_compare (got, expected) == GST_VALUE_EQUAL,
      "%s, %s is %.200s, expected %.200s", place, name, got_text,
      expected_text);
}

/* Checks that field @parity of @structure has the values of @of_field, and no
 * others; of the first @n_components only, and without values of chroma, if
 * that is not 0. */
static void
expect_field (const GstStructure *structure, guint parity,
    const GstStructure *of_field, guint n_components, const gchar *place)
{
  guint n_compared = 0;

  for (gint i = 0; i < gst_structure_n_fields (of_field); i++) {
    const gchar *name = gst_structure_nth_field_name (of_field, i);
    g_autofree gchar *full_name = g_strconcat ("field-", name, NULL);
    const GValue *expected = gst_structure_get_value (of_field, name);
    const GValue *got = gst_structure_get_value (structure, full_name);
    guint n;

    if (g_strv_contains (frame_fields, name))
      continue;
    fail_unless (got != NULL, "%s: no %s", place, full_name);
    n_compared++;
    if (!GST_VALUE_HOLDS_ARRAY (expected)) {
      fail_unless_equals_int (gst_value_array_get_size (got), 2);
      if (n_components == 0 || !(g_str_has_prefix (name, "saturation") ||
                                   g_str_has_prefix (name, "hue")))
        expect_equal (gst_value_array_get_value (got, parity), expected, place,
            full_name);
      continue;
    }

    n = gst_value_array_get_size (expected);
    fail_unless_equals_int (gst_value_array_get_size (got), n);
    for (guint c = 0; c < (n_components > 0 ? n_components : n); c++)
      expect_equal (gst_value_array_get_value (
                        gst_value_array_get_value (got, c), parity),
          gst_value_array_get_value (expected, c), place, full_name);
  }

  fail_unless_equals_int (n_compared, count_field_values (structure));
  fail_unless (n_compared == N_VALUES ||
                   n_compared == N_VALUES + N_CHROMA_VALUES,
      "%s: %u values", place, n_compared);
}

/* Checks the counts, sums and extremes of component @c by its definition. */
static void
expect_moments (const GstStructure *structure, guint parity, GstBuffer *frame,
    const GstVideoInfo *info, guint c)
{
  static const gchar *const names[] = { "field-count", "field-sum", "field-min",
    "field-max" };
  gint width, height;
  g_autofree guint16 *codes = frame_codes (frame, info, c, &width, &height);
  guint64 expected[] = { 0, 0, G_MAXUINT64, 0 };

  for (gint y = (gint) parity; y < height; y += 2) {
    for (gint x = 0; x < width; x++) {
      const guint64 code = codes[y * width + x];

      expected[0]++;
      expected[1] += code;
      expected[2] = MIN (expected[2], code);
      expected[3] = MAX (expected[3], code);
    }
  }
  for (guint i = 0; i < G_N_ELEMENTS (names); i++) {
    const GValue *got = gst_value_array_get_value (
        gst_value_array_get_value (
            gst_structure_get_value (structure, names[i]), c),
        parity);

    fail_unless_equals_uint64 (G_VALUE_HOLDS_UINT (got)
                                   ? g_value_get_uint (got)
                                   : g_value_get_uint64 (got),
        expected[i]);
  }
}

static gboolean
remove_of_field (GQuark field, GValue *value, gpointer user_data)
{
  return !(g_str_has_prefix (g_quark_to_string (field), "field-") &&
           GST_VALUE_HOLDS_ARRAY (value));
}

/* Checks that @structure has the values of @without, a result without
 * fields. */
static void
expect_frame (const GstStructure *structure, GstStructure *without)
{
  g_autoptr (GstStructure) frame = gst_structure_copy (structure);

  gst_structure_filter_and_map_in_place (frame, remove_of_field, NULL);
  gst_structure_remove_field (frame, "element");
  gst_structure_remove_field (without, "element");
  fail_unless (gst_structure_is_equal (frame, without));
}

/* --- tests ---------------------------------------------------------------- */

/* A sequence of frames with a rectangle; y 0, height 0: the whole frame. */
typedef struct {
  gint width, height, y, rows;
} Case;

static const Case cases[] = {
  { 67, 24, 0, 0 },
  { 34, 13, 0, 0 },
  { 40, 23, 5, 8 }, /* an odd row; even numbers of rows in each field */
  { 36, 22, 0, 0 }, /* 4:2:0: 6 rows of chroma, and 5 */
  { 36, 14, 3, 10 },
  { 36, 18, 0, 0 }, /* 4:1:0: 3 rows of chroma, and 2 */
  { 8, 5, 0, 0 },
};

/* The first N_FIXED, and another one. */
#define N_FIXED 2

static const GstVideoFormat formats[] = { GST_VIDEO_FORMAT_I420,
  GST_VIDEO_FORMAT_v210, GST_VIDEO_FORMAT_GRAY8, GST_VIDEO_FORMAT_NV12,
  GST_VIDEO_FORMAT_YVU9, GST_VIDEO_FORMAT_A420, GST_VIDEO_FORMAT_UYVY,
  GST_VIDEO_FORMAT_BGRA,
#if G_BYTE_ORDER == G_LITTLE_ENDIAN
  GST_VIDEO_FORMAT_GRAY16_LE, GST_VIDEO_FORMAT_I420_10LE
#endif
};

/* @more: statistics besides those of fields. */
static GstHarness *
new_of_frames (const Case *item, const gchar *more, const gchar *properties)
{
  g_autofree gchar *line = g_strdup_printf (
      "clframesum " STATISTICS "%s"
      " histogram-bins=64 async-depth=0 position-y=%d height=%d %s",
      more, item->y, item->rows, properties);

  return harness_new (line);
}

/* Returns TRUE if field @parity has fewer rows of chroma than a frame of its
 * height. */
static gboolean
lacks_chroma (const GstVideoInfo *info, guint parity,
    const GstVideoInfo *field_info)
{
  return GST_VIDEO_INFO_N_COMPONENTS (info) > 1 &&
         count_rows (GST_VIDEO_INFO_COMP_HEIGHT (info, 1), parity) <
             GST_VIDEO_INFO_COMP_HEIGHT (field_info, 1);
}

/* Returns the element for field @parity of frames of @item, as frames. */
static GstHarness *
new_of_field (const Case *item, guint parity)
{
  const gint y = count_rows (item->y, parity);
  const gint rows = item->rows > 0
                        ? count_rows (item->y + item->rows, parity) - y
                        : 0;
  g_autofree gchar *line = g_strdup_printf (
      "clframesum " STATISTICS
      " histogram-bins=64 async-depth=0 position-y=%d height=%d",
      y, rows);

  return harness_new (line);
}

static void
check (GstVideoFormat format, const Case *item)
{
  /* one format with them is enough: they need programs of their own */
  const gchar *more = format == GST_VIDEO_FORMAT_I420 ? MORE : "";
  g_autoptr (GstHarness) h = new_of_frames (item, more, "fields=true");
  g_autoptr (GstHarness) without = new_of_frames (item, more, "");
  GstHarness *of_field[] = { new_of_field (item, 0), new_of_field (item, 1) };
  GstVideoInfo info, other_info, field_info[2];
  g_autoptr (GstBus) bus = harness_bus (h);

  set_caps (h, format, GST_VIDEO_INTERLACE_MODE_INTERLEAVED, item->width,
      item->height, &info);
  set_caps (without, format, GST_VIDEO_INTERLACE_MODE_INTERLEAVED, item->width,
      item->height, &other_info);
  for (guint p = 0; p < 2; p++)
    harness_set_format (of_field[p], format, item->width,
        count_rows (item->height, p), &field_info[p]);

  for (guint i = 0; i < N_FRAMES; i++) {
    g_autoptr (GstBuffer) frame = frame_new (&info, i);
    g_autoptr (GstStructure) got = measure (h, frame);
    g_autoptr (GstStructure) alone = measure (without, frame);

    expect_frame (got, alone);
    for (guint p = 0; p < 2; p++) {
      g_autoptr (GstBuffer)
          field = take_field (frame, &info, p, &field_info[p]);
      g_autoptr (GstStructure) expected = measure (of_field[p], field);
      g_autofree gchar *place = g_strdup_printf ("%s %dx%d, frame %u, %s",
          GST_VIDEO_INFO_NAME (&info), item->width, item->height, i,
          parity_names[p]);
      const gboolean is_partial = lacks_chroma (&info, p, &field_info[p]);

      expect_field (got, p, expected, is_partial ? 1 : 0, place);
      for (guint c = 1; is_partial && item->rows == 0 && c < 3; c++)
        expect_moments (got, p, frame, &info, c);
    }
  }
  harness_free (of_field[0]);
  harness_free (of_field[1]);
  expect_no_error (bus);
}

LOOP_TEST (test_equal_to_frames, N_FIXED + 1)
{
  const guint n_others = G_N_ELEMENTS (formats) - N_FIXED;
  const guint f = (guint) __i__ < N_FIXED ? (guint) __i__
                                          : N_FIXED + test_seed () % n_others;

  for (guint i = 0; i < G_N_ELEMENTS (cases); i++)
    check (formats[f], &cases[i]);
}

/* Moments and range alone, which another op measures. */
TEST (test_moments)
{
  static const gchar *const reductions[] = { "auto", "inner", "outer" };

  for (guint r = 0; r < G_N_ELEMENTS (reductions); r++) {
    g_autofree gchar *line = g_strdup_printf (
        "clframesum fields=true async-depth=0 reduction=%s", reductions[r]);
    g_autoptr (GstHarness) h = harness_new (line);

    for (guint i = 0; i < 3; i++) {
      g_autoptr (GstBuffer) frame = NULL;
      g_autoptr (GstStructure) got = NULL;
      GstVideoInfo info;

      set_caps (h, GST_VIDEO_FORMAT_I420, GST_VIDEO_INTERLACE_MODE_INTERLEAVED,
          67, 12 + (gint) i, &info);
      frame = frame_new (&info, i);
      got = measure (h, frame);
      for (guint p = 0; p < 2; p++) {
        for (guint c = 0; c < 3; c++)
          expect_moments (got, p, frame, &info, c);
      }
    }
  }
}

/* The flags of buffers of mixed video do not matter. */
TEST (test_caps)
{
  static const struct {
    const gchar *line;
    GstVideoFormat format;
    GstVideoInterlaceMode mode;
    gint height;
    gboolean has_fields;
  } rows[] = {
    { "", GST_VIDEO_FORMAT_I420, GST_VIDEO_INTERLACE_MODE_INTERLEAVED, 12,
        TRUE },
    { "", GST_VIDEO_FORMAT_I420, GST_VIDEO_INTERLACE_MODE_MIXED, 12, TRUE },
    { "", GST_VIDEO_FORMAT_I420, GST_VIDEO_INTERLACE_MODE_PROGRESSIVE, 12,
        FALSE },
    { "", GST_VIDEO_FORMAT_I420, GST_VIDEO_INTERLACE_MODE_ALTERNATE, 12,
        FALSE },
    { "fields=false", GST_VIDEO_FORMAT_I420,
        GST_VIDEO_INTERLACE_MODE_INTERLEAVED, 12, FALSE },
    { "statistics=fields+detection", GST_VIDEO_FORMAT_I420,
        GST_VIDEO_INTERLACE_MODE_INTERLEAVED, 12, FALSE },
    { "statistics=0", GST_VIDEO_FORMAT_I420,
        GST_VIDEO_INTERLACE_MODE_INTERLEAVED, 12, FALSE },
    /* low frames and rectangles */
    { "", GST_VIDEO_FORMAT_GRAY8, GST_VIDEO_INTERLACE_MODE_INTERLEAVED, 2,
        TRUE },
    { "", GST_VIDEO_FORMAT_GRAY8, GST_VIDEO_INTERLACE_MODE_INTERLEAVED, 1,
        FALSE },
    { "", GST_VIDEO_FORMAT_I420, GST_VIDEO_INTERLACE_MODE_INTERLEAVED, 3,
        TRUE },
    { "", GST_VIDEO_FORMAT_I420, GST_VIDEO_INTERLACE_MODE_INTERLEAVED, 2,
        FALSE },
    { "planes=y", GST_VIDEO_FORMAT_I420, GST_VIDEO_INTERLACE_MODE_INTERLEAVED,
        2, TRUE },
    { "position-y=5 height=1", GST_VIDEO_FORMAT_GRAY8,
        GST_VIDEO_INTERLACE_MODE_INTERLEAVED, 12, FALSE },
    { "position-y=5 height=2", GST_VIDEO_FORMAT_GRAY8,
        GST_VIDEO_INTERLACE_MODE_INTERLEAVED, 12, TRUE },
  };

  for (guint i = 0; i < G_N_ELEMENTS (rows); i++) {
    g_autofree gchar *line = g_strconcat ("clframesum async-depth=0 "
                                          "fields=true ",
        rows[i].line, NULL);
    g_autoptr (GstHarness) h = harness_new (line);
    GstVideoInfo info;

    set_caps (h, rows[i].format, rows[i].mode, 16, rows[i].height, &info);
    for (guint k = 0; k < 2; k++) {
      g_autoptr (GstBuffer) frame = frame_new (&info, k);
      g_autoptr (GstStructure) got = NULL;

      if (k == 1)
        GST_BUFFER_FLAG_SET (frame, GST_VIDEO_BUFFER_FLAG_INTERLACED);
      got = measure (h, frame);
      fail_unless ((count_field_values (got) > 0) == rows[i].has_fields,
          "row %u: %u values", i, count_field_values (got));
    }
  }
}

/* Returns the difference of the first component of field @parity to the field
 * before it. */
static guint64
field_difference (const GstStructure *structure, guint parity)
{
  return g_value_get_uint64 (gst_value_array_get_value (
      gst_value_array_get_value (
          gst_structure_get_value (structure, "field-sum-differences"), 0),
      parity));
}

static GstBuffer *
new_of_codes (const GstVideoInfo *info, guint8 top, guint8 bottom)
{
  GstBuffer *frame = frame_new_filled (info, top);
  const gint stride = GST_VIDEO_INFO_PLANE_STRIDE (info, 0);

  for (gint y = 1; y < GST_VIDEO_INFO_HEIGHT (info); y += 2)
    gst_buffer_memset (frame, (gsize) y * stride, bottom, stride);

  return frame;
}

/* Each row: a change before the frame, the codes of its fields, and their
 * differences to the frame before. */
TEST (test_previous)
{
  enum { NOTHING, FLUSH, OTHER_RECTANGLE, OFF_AND_ON, CAPS };
  static const struct {
    guint change;
    guint8 codes[2];
    guint64 differences[2];
  } rows[] = {
    { NOTHING, { 10, 50 }, { 0, 0 } },
    { NOTHING, { 11, 53 }, { 1, 3 } },
    { NOTHING, { 53, 11 }, { 42, 42 } },
    { FLUSH, { 10, 50 }, { 0, 0 } },
    { NOTHING, { 15, 50 }, { 5, 0 } },
    { OTHER_RECTANGLE, { 15, 52 }, { 0, 2 } },
    { OFF_AND_ON, { 11, 53 }, { 0, 0 } },
    { CAPS, { 10, 50 }, { 0, 0 } },
    { NOTHING, { 10, 57 }, { 0, 7 } },
  };
  g_autoptr (GstHarness) h = harness_new (
      "clframesum fields=true statistics=temporal async-depth=0 height=16");
  GstVideoInfo info;
  GstSegment segment;
  gint height = 20;

  gst_segment_init (&segment, GST_FORMAT_TIME);
  set_caps (h, GST_VIDEO_FORMAT_GRAY8, GST_VIDEO_INTERLACE_MODE_MIXED, 4,
      height, &info);
  for (guint i = 0; i < G_N_ELEMENTS (rows); i++) {
    g_autoptr (GstBuffer) frame = NULL;
    g_autoptr (GstStructure) got = NULL;

    switch (rows[i].change) {
      case FLUSH:
        gst_harness_push_event (h, gst_event_new_flush_start ());
        gst_harness_push_event (h, gst_event_new_flush_stop (TRUE));
        gst_harness_push_event (h, gst_event_new_segment (&segment));
        break;
      case OTHER_RECTANGLE:
        gst_harness_set (h, "clframesum", "position-y", 1, NULL);
        break;
      case OFF_AND_ON:
        gst_harness_set (h, "clframesum", "fields", FALSE, NULL);
        frame = new_of_codes (&info, 1, 2);
        got = measure (h, frame);
        fail_unless_equals_int (count_field_values (got), 0);
        g_clear_pointer (&frame, gst_buffer_unref);
        g_clear_pointer (&got, gst_structure_free);
        gst_harness_set (h, "clframesum", "fields", TRUE, NULL);
        break;
      case CAPS:
        set_caps (h, GST_VIDEO_FORMAT_GRAY8, GST_VIDEO_INTERLACE_MODE_MIXED, 4,
            ++height, &info);
        break;
      default:
        break;
    }

    frame = new_of_codes (&info, rows[i].codes[0], rows[i].codes[1]);
    got = measure (h, frame);
    for (guint p = 0; p < 2; p++) {
      const guint64 n = 8 * 4; /* samples of a field of 16 rows */

      fail_unless (field_difference (got, p) == n * rows[i].differences[p],
          "frame %u, %s: %" G_GUINT64_FORMAT, i, parity_names[p],
          field_difference (got, p));
    }
  }
}

/* Zones, regions of interest and keys of signalstats are of the frame. */
TEST (test_regions)
{
  static const gchar line[] =
      "clframesum async-depth=0 statistics=moments+temporal+gamut "
      "key-style=lavfi grid-columns=2 grid-rows=3 fields=";
  g_autoptr (GstHarness) h = NULL;
  g_autoptr (GstHarness) without = NULL;
  g_autofree gchar *with_fields = g_strconcat (line, "true", NULL);
  g_autofree gchar *without_fields = g_strconcat (line, "false", NULL);
  GstVideoInfo info, other_info;

  h = harness_new (with_fields);
  without = harness_new (without_fields);
  set_caps (h, GST_VIDEO_FORMAT_NV12, GST_VIDEO_INTERLACE_MODE_INTERLEAVED, 34,
      17, &info);
  set_caps (without, GST_VIDEO_FORMAT_NV12,
      GST_VIDEO_INTERLACE_MODE_INTERLEAVED, 34, 17, &other_info);
  for (guint i = 0; i < N_FRAMES; i++) {
    g_autoptr (GstBuffer) frame = frame_new (&info, i);
    g_autoptr (GstStructure) got = NULL;
    g_autoptr (GstStructure) expected = NULL;

    if (i % 2)
      gst_buffer_add_video_region_of_interest_meta (frame, "face", 1, 3, 5, 5);
    got = measure (h, frame);
    expected = measure (without, frame);
    expect_frame (got, expected);
    fail_unless_equals_int (count_field_values (got), 9);
  }
}

SUITE (.start = harness_share_context);
