/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* cllocalmean: the fields of interlaced frames (interlace-mode=interleaved and
 * mixed). */

#include "elements/common.h"
#include "elements/frames.h"
#include "elements/localmean.h"
#include "suite.h"

#define WIDTH 18

#define INTERLEAVED GST_VIDEO_INTERLACE_MODE_INTERLEAVED
#define MIXED       GST_VIDEO_INTERLACE_MODE_MIXED
#define PROGRESSIVE GST_VIDEO_INTERLACE_MODE_PROGRESSIVE

/* --- frames and their fields --------------------------------------------- */

static void
set_format (GstHarness *h, GstVideoFormat format, GstVideoInterlaceMode mode,
    gint height, GstVideoInfo *info)
{
  gst_video_info_set_interlaced_format (info, format, mode, WIDTH, height);
  info->fps_n = 25;
  info->fps_d = 1;
  gst_harness_set_src_caps (h, gst_video_info_to_caps (info));
}

/* Returns the rows of component @component that are in the layout of the caps:
 * with two fields, there may be one more than the component has. */
static gint
count_layout_rows (const GstVideoInfo *info, guint component)
{
  const guint plane = (guint) GST_VIDEO_INFO_COMP_PLANE (info, component);
  const gsize start = GST_VIDEO_INFO_PLANE_OFFSET (info, plane);
  gsize end = GST_VIDEO_INFO_SIZE (info);

  for (guint p = 0; p < GST_VIDEO_INFO_N_PLANES (info); p++) {
    if (GST_VIDEO_INFO_PLANE_OFFSET (info, p) > start)
      end = MIN (end, GST_VIDEO_INFO_PLANE_OFFSET (info, p));
  }

  return (gint) (end - start) / GST_VIDEO_INFO_PLANE_STRIDE (info, plane);
}

/* Returns the rows of @frame from row @start on, every @step-th, as a
 * progressive picture, whose last row of chroma is 0 if there is none. */
static GstBuffer *
picture_of (GstBuffer *frame, const GstVideoInfo *info, gint start, gint step,
    GstVideoInfo *picture_info)
{
  const gint height = (GST_VIDEO_INFO_HEIGHT (info) - start + step - 1) / step;
  GstVideoFrame from, to;
  GstBuffer *picture;

  gst_video_info_set_format (picture_info, GST_VIDEO_INFO_FORMAT (info),
      (guint) GST_VIDEO_INFO_WIDTH (info), (guint) height);
  picture = frame_new_filled (picture_info, 0);
  fail_unless (
      gst_video_frame_map (&from, (GstVideoInfo *) info, frame, GST_MAP_READ));
  fail_unless (gst_video_frame_map (&to, picture_info, picture, GST_MAP_WRITE));
  for (guint c = 0; c < GST_VIDEO_INFO_N_COMPONENTS (info); c++) {
    const guint p = (guint) GST_VIDEO_INFO_COMP_PLANE (info, c);

    for (gint y = 0; y < GST_VIDEO_FRAME_COMP_HEIGHT (&to, c) &&
                     start + y * step < count_layout_rows (info, c);
         y++)
      memcpy ((guint8 *) to.data[p] + y * to.info.stride[p],
          (guint8 *) from.data[p] + (start + y * step) * from.info.stride[p],
          (gsize) to.info.stride[p]);
  }
  gst_video_frame_unmap (&from);
  gst_video_frame_unmap (&to);

  return picture;
}

/* The layouts of these formats have no row for the last chroma of a bottom
 * field in frames whose height is 2 modulo 4. */
static gboolean
may_lack_row (const GstVideoInfo *info)
{
  return GST_VIDEO_INFO_FORMAT (info) == GST_VIDEO_FORMAT_AV12 ||
         GST_VIDEO_INFO_FORMAT (info) == GST_VIDEO_FORMAT_P010_10LE;
}

/* The rows of @out from row @start on, every @step-th, are those of @result. */
static void
expect_rows (GstBuffer *out, const GstVideoInfo *out_info, gint start,
    gint step, GstBuffer *result, const GstVideoInfo *result_info)
{
  GstVideoInfo info;
  g_autoptr (GstBuffer)
      picture = picture_of (out, out_info, start, step, &info);

  fail_unless_equals_int (GST_VIDEO_INFO_WIDTH (&info),
      GST_VIDEO_INFO_WIDTH (result_info));
  fail_unless_equals_int (GST_VIDEO_INFO_HEIGHT (&info),
      GST_VIDEO_INFO_HEIGHT (result_info));
  for (guint c = 0; c < GST_VIDEO_INFO_N_COMPONENTS (&info); c++) {
    gint width, height;
    g_autofree guint16 *got = frame_codes (picture, &info, c, &width, &height);
    g_autofree guint16 *want = frame_codes (result, result_info, c, NULL, NULL);

    if (may_lack_row (&info))
      height = MIN (height,
          (count_layout_rows (out_info, c) - start + step - 1) / step);
    for (gint y = 0; y < height; y++)
      fail_unless (memcmp (got + y * width, want + y * width,
                       (gsize) width * sizeof *got) == 0,
          "%s %dx%d, component %u: row %d of rows %d + n * %d differs",
          GST_VIDEO_INFO_NAME (out_info), GST_VIDEO_INFO_WIDTH (out_info),
          GST_VIDEO_INFO_HEIGHT (out_info), c, y, start, step);
  }

  if (frame_has_padding (&info)) {
    g_autofree guint8 *got = frame_padding (picture, &info);
    g_autofree guint8 *want = frame_padding (result, result_info);

    fail_unless (memcmp (got, want,
                     (gsize) GST_VIDEO_INFO_WIDTH (&info) *
                         (gsize) GST_VIDEO_INFO_HEIGHT (&info)) == 0);
  }
}

/* Pushes a frame with @flags through @h. The rows of its output are the results
 * of @picture, a harness with the same properties, for each field or for the
 * frame. Returns the height of the output. */
static gint
expect_pictures (GstHarness *h, const GstVideoInfo *info, guint flags,
    GstHarness *picture, gboolean has_fields, guint seed)
{
  const gint step = has_fields ? 2 : 1;
  g_autoptr (GstBuffer) in = frame_new (info, seed);
  g_autoptr (GstBuffer) out = NULL;
  GstVideoInfo out_info;
  gint n_rows = 0;

  GST_BUFFER_FLAG_SET (in, flags);
  out = harness_run (h, gst_buffer_ref (in));
  harness_out_info (h, &out_info);
  fail_unless_equals_int (GST_VIDEO_INFO_INTERLACE_MODE (&out_info),
      GST_VIDEO_INFO_INTERLACE_MODE (info));

  for (gint start = 0; start < MIN (step, GST_VIDEO_INFO_HEIGHT (info));
       start++) {
    GstVideoInfo in_info, result_info;
    GstBuffer *one = picture_of (in, info, start, step, &in_info);
    g_autoptr (GstBuffer) result = NULL;

    gst_harness_set_src_caps (picture, gst_video_info_to_caps (&in_info));
    result = harness_run (picture, one);
    harness_out_info (picture, &result_info);
    expect_rows (out, &out_info, start, step, result, &result_info);
    n_rows += GST_VIDEO_INFO_HEIGHT (&result_info);
  }
  fail_unless_equals_int (GST_VIDEO_INFO_HEIGHT (&out_info), n_rows);

  return n_rows;
}

static void
expect_no_warning (GstBus *bus)
{
  fail_if (gst_bus_pop_filtered (bus, GST_MESSAGE_WARNING));
}

/* --- results ------------------------------------------------------------- */

/* Compares fields of the first of @formats, and in every third of the tests,
 * numbered by @item, of another one; the seed chooses both. */
static void
compare_fields (const gchar *line, const GstVideoFormat *formats,
    guint n_formats, const gint *heights, guint n_heights, guint item)
{
  const GstVideoFormat chosen[] = { formats[0],
    formats[1 + (test_seed () / 3 + item) % (n_formats - 1)] };
  const guint n_chosen = (test_seed () + item) % 3 == 0 ? 2 : 1;
  g_autoptr (GstHarness) h = harness_new (line);
  g_autoptr (GstHarness) picture = harness_new (line);
  g_autoptr (GstBus) bus = harness_bus (h);

  for (guint f = 0; f < n_chosen; f++) {
    for (guint i = 0; i < n_heights; i++) {
      GstVideoInfo info;

      set_format (h, chosen[f], INTERLEAVED, heights[i], &info);
      expect_pictures (h, &info, 0, picture, TRUE, f * 10 + i);
    }
  }
  expect_no_warning (bus);
  expect_no_error (bus);
}

static const gchar *const lines[] = {
  "cllocalmean kernel-width=5 kernel-height=4",
  "cllocalmean kernel-width=5 kernel-height=4 step-y=2 method=direct",
  "cllocalmean step-x=3 step-y=3 border-mode=replicate",
  "cllocalmean kernel-height=3 step-y=4 operation=sauvola",
  "cllocalmean kernel-height=1 step-y=4 planes=y method=sliding",
  "cllocalmean step-x=2 step-y=5 border-mode=wrap anchor-y=3",
  "clupload ! cllocalmean step-y=4 operation=difference ! cldownload",
};

/* Heights whose fields have odd and even numbers of rows, of luma and chroma;
 * results of both fields are as many, or one fewer of the bottom field. */
LOOP_TEST (test_fields, G_N_ELEMENTS (lines))
{
  static const GstVideoFormat formats[] = {
    GST_VIDEO_FORMAT_I420,
    GST_VIDEO_FORMAT_NV12,
    GST_VIDEO_FORMAT_GRAY8,
    GST_VIDEO_FORMAT_YUY2,
    GST_VIDEO_FORMAT_AV12,
    GST_VIDEO_FORMAT_RGBx,
    GST_VIDEO_FORMAT_Y42B,
#if G_BYTE_ORDER == G_LITTLE_ENDIAN
    GST_VIDEO_FORMAT_P010_10LE
#endif
  };
  static const gint heights[] = { 1, 3, 16, 17, 19, 20, 24 };

  compare_fields (lines[__i__], formats, G_N_ELEMENTS (formats), heights,
      G_N_ELEMENTS (heights), (guint) __i__);
}

/* Results of 10 rows, whose layout has no row for the last chroma of the bottom
 * field. */
TEST (test_results_without_chroma_row)
{
  static const GstVideoFormat formats[] = { GST_VIDEO_FORMAT_AV12,
    GST_VIDEO_FORMAT_NV12 };
  static const gint heights[] = { 19, 20 };

  compare_fields (lines[1], formats, G_N_ELEMENTS (formats), heights,
      G_N_ELEMENTS (heights), 0);
}

/* Frames and fields with a row of chroma for the bottom field that the frame
 * does not count: GStreamer has it in memory if heights are 2 modulo 4. */
LOOP_TEST (test_chroma_rows, G_N_ELEMENTS (lines))
{
  static const GstVideoFormat formats[] = {
    GST_VIDEO_FORMAT_I420,
    GST_VIDEO_FORMAT_NV12,
    GST_VIDEO_FORMAT_YVU9,
    GST_VIDEO_FORMAT_A420,
#if G_BYTE_ORDER == G_LITTLE_ENDIAN
    GST_VIDEO_FORMAT_I420_10LE
#endif
  };
  static const gint heights[] = { 2, 6, 10, 14, 18, 20, 22, 33 };

  compare_fields (lines[__i__], formats, G_N_ELEMENTS (formats), heights,
      G_N_ELEMENTS (heights), (guint) __i__);
}

/* Returns a copy of @frame, all rows of its layout, with odd row strides. */
static GstBuffer *
with_odd_strides (GstBuffer *frame, const GstVideoInfo *info)
{
  gsize offsets[GST_VIDEO_MAX_PLANES] = { 0 }, end = 0;
  gint strides[GST_VIDEO_MAX_PLANES] = { 0 };
  GstMapInfo from, to;
  GstBuffer *copy;

  for (guint p = 0; p < GST_VIDEO_INFO_N_PLANES (info); p++) {
    strides[p] = GST_VIDEO_INFO_PLANE_STRIDE (info, p) + 7;
    offsets[p] = end;
    end += (gsize) strides[p] * (gsize) count_layout_rows (info, p);
  }
  copy = gst_buffer_new_allocate (NULL, end, NULL);
  gst_buffer_memset (copy, 0, 0xee, end);
  fail_unless (gst_buffer_map (frame, &from, GST_MAP_READ));
  fail_unless (gst_buffer_map (copy, &to, GST_MAP_WRITE));
  for (guint p = 0; p < GST_VIDEO_INFO_N_PLANES (info); p++) {
    const gint stride = GST_VIDEO_INFO_PLANE_STRIDE (info, p);

    for (gint y = 0; y < count_layout_rows (info, p); y++)
      memcpy (to.data + offsets[p] + (gsize) (y * strides[p]),
          from.data + GST_VIDEO_INFO_PLANE_OFFSET (info, p) +
              (gsize) (y * stride),
          (gsize) stride);
  }
  gst_buffer_unmap (frame, &from);
  gst_buffer_unmap (copy, &to);
  gst_buffer_add_video_meta_full (copy, GST_VIDEO_FRAME_FLAG_NONE,
      GST_VIDEO_INFO_FORMAT (info), (guint) GST_VIDEO_INFO_WIDTH (info),
      (guint) GST_VIDEO_INFO_HEIGHT (info), GST_VIDEO_INFO_N_PLANES (info),
      offsets, strides);

  return copy;
}

/* Every layout that has that row gives the same results; samples of two bytes
 * at odd addresses are copied first. */
TEST (test_layouts)
{
  static const GstVideoFormat formats[] = {
    GST_VIDEO_FORMAT_I420,
#if G_BYTE_ORDER == G_LITTLE_ENDIAN
    GST_VIDEO_FORMAT_I420_10LE
#endif
  };
  static const FrameLayout layouts[] = { LAYOUT_SPLIT, LAYOUT_CUT,
    LAYOUT_UNALIGNED };
  g_autoptr (GstHarness) h = harness_new ("cllocalmean kernel-height=3");
  g_autoptr (GstBus) bus = harness_bus (h);

  for (guint f = 0; f < G_N_ELEMENTS (formats); f++) {
    g_autoptr (GstBuffer) in = NULL;
    g_autoptr (GstBuffer) out = NULL;
    GstVideoInfo info;

    set_format (h, formats[f], INTERLEAVED, 18, &info);
    in = frame_new (&info, f);
    out = harness_run (h, gst_buffer_ref (in));
    for (guint i = 0; i <= G_N_ELEMENTS (layouts); i++) {
      GstBuffer *other = i < G_N_ELEMENTS (layouts)
                             ? frame_copy_to_layout (in, &info, layouts[i])
                             : with_odd_strides (in, &info);
      g_autoptr (GstBuffer) got = harness_run (h, other);

      for (gint start = 0; start < 2; start++) {
        GstVideoInfo field_info;
        g_autoptr (GstBuffer)
            field = picture_of (out, &info, start, 2, &field_info);

        expect_rows (got, &info, start, 2, field, &field_info);
      }
    }
  }
  expect_no_error (bus);
}

/* Returns the odd rows of component @component as a picture of GRAY8. */
static GstBuffer *
bottom_of (GstBuffer *frame, const GstVideoInfo *info, guint component,
    GstVideoInfo *picture_info)
{
  gint width, height;
  g_autofree guint8 *samples = frame_component (frame, info, component, &width,
      &height);
  GstVideoFrame to;
  GstBuffer *picture;

  gst_video_info_set_format (picture_info, GST_VIDEO_FORMAT_GRAY8,
      (guint) width, (guint) height / 2);
  picture = frame_new_filled (picture_info, 0);
  fail_unless (gst_video_frame_map (&to, picture_info, picture, GST_MAP_WRITE));
  for (gint y = 0; y < height / 2; y++)
    memcpy ((guint8 *) to.data[0] + y * to.info.stride[0],
        samples + (2 * y + 1) * width, (gsize) width);
  gst_video_frame_unmap (&to);

  return picture;
}

/* Upstream's layout lacks that row: chroma of the bottom field is filtered as a
 * picture without it. The next frame has it. */
TEST (test_missing_chroma_row)
{
  static const gchar *const line = "cllocalmean kernel-height=3";
  g_autoptr (GstHarness) h = harness_new (line);
  g_autoptr (GstHarness) picture = harness_new (line);
  g_autoptr (GstBus) bus = harness_bus (h);

  for (guint f = 0; f < 2; f++) {
    g_autoptr (GstBuffer) in = NULL;
    g_autoptr (GstBuffer) out = NULL;
    GstVideoInfo info;

    set_format (h, f ? GST_VIDEO_FORMAT_NV12 : GST_VIDEO_FORMAT_I420,
        INTERLEAVED, 18, &info);
    in = frame_new (&info, f);
    out = harness_run (h, frame_copy_to_layout (in, &info, LAYOUT_PADDED));
    for (guint c = 1; c < 3; c++) {
      GstVideoInfo in_info, out_info;
      GstBuffer *one = bottom_of (in, &info, c, &in_info);
      g_autoptr (GstBuffer) want = NULL;
      g_autoptr (GstBuffer) got = bottom_of (out, &info, c, &out_info);

      gst_harness_set_src_caps (picture, gst_video_info_to_caps (&in_info));
      want = harness_run (picture, one);
      frame_expect_components (got, want, &out_info, "bottom field");
    }
    expect_pictures (h, &info, 0, picture, TRUE, f + 2);
  }
  expect_no_error (bus);
}

static const gchar *const valid_lines[] = {
  "cllocalmean kernel-width=4 kernel-height=3 border-mode=valid",
  "cllocalmean kernel-width=4 kernel-height=4 border-mode=valid step-y=2",
  "cllocalmean kernel-width=3 kernel-height=2 border-mode=valid step-y=3",
  "cllocalmean kernel-width=4 kernel-height=4 border-mode=valid step-x=4 "
  "step-y=4",
  "cllocalmean kernel-width=1 kernel-height=5 border-mode=valid step-y=5 "
  "operation=wolf anchor-y=4",
};

LOOP_TEST (test_valid, G_N_ELEMENTS (valid_lines))
{
  static const GstVideoFormat formats[] = { GST_VIDEO_FORMAT_GRAY8,
    GST_VIDEO_FORMAT_Y444, GST_VIDEO_FORMAT_BGRx, GST_VIDEO_FORMAT_RGB };
  static const gint heights[] = { 10, 11, 12, 16, 17, 18, 21 };

  compare_fields (valid_lines[__i__], formats, G_N_ELEMENTS (formats), heights,
      G_N_ELEMENTS (heights), (guint) __i__);
}

/* A window must fit into each field; the frame is taller than it. */
TEST (test_small_fields)
{
  static const gchar *const parts[] = { "18x17", "kernel-height 9",
    "each of its fields", NULL };
  g_autoptr (GstHarness) h = harness_new (
      "cllocalmean kernel-width=1 kernel-height=9 border-mode=valid");
  g_autoptr (GstBus) bus = harness_bus (h);
  g_autoptr (GstBuffer) out = NULL;
  GstVideoInfo info;

  set_format (h, GST_VIDEO_FORMAT_GRAY8, INTERLEAVED, 17, &info);
  harness_run_into (h, frame_new (&info, 1), GST_FLOW_NOT_NEGOTIATED);
  expect_one_error (bus, GST_CORE_ERROR, GST_CORE_ERROR_NEGOTIATION, parts);
  local_mean_set (h, "split-fields=false");
  local_mean_push (h, &info, 2);
  local_mean_set (h, "split-fields=true kernel-height=8");
  out = harness_run (h, frame_new (&info, 3));
  harness_out_info (h, &info);
  fail_unless_equals_int (GST_VIDEO_INFO_HEIGHT (&info), 3);
  expect_no_error (bus);
}

/* In mixed video, the buffer says whether it is interlaced. All frames have the
 * height of progressive ones. */
TEST (test_mixed_video)
{
  static const struct {
    const gchar *line;
    GstVideoInterlaceMode mode;
    gint height;
    gboolean is_interlaced, has_fields;
  } rows[] = {
    { "cllocalmean kernel-height=3", MIXED, 12, FALSE, FALSE },
    { "cllocalmean kernel-height=3", MIXED, 12, TRUE, TRUE },
    { "cllocalmean kernel-height=3 split-fields=false", MIXED, 12, TRUE,
        FALSE },
    { "cllocalmean kernel-height=3 split-fields=false", INTERLEAVED, 12, TRUE,
        FALSE },
    { "cllocalmean kernel-height=3", PROGRESSIVE, 12, TRUE, FALSE },
    { "cllocalmean kernel-height=3 step-y=2", MIXED, 12, FALSE, FALSE },
    { "cllocalmean kernel-height=3 step-y=2", MIXED, 12, TRUE, TRUE },
    { "cllocalmean kernel-height=3 step-y=4", MIXED, 20, TRUE, FALSE },
    { "cllocalmean kernel-height=3 step-y=4", MIXED, 17, TRUE, TRUE },
    { "cllocalmean kernel-height=3 step-y=2 split-fields=false", MIXED, 12,
        TRUE, FALSE },
  };

  for (guint i = 0; i < G_N_ELEMENTS (rows); i++) {
    g_autoptr (GstHarness) h = harness_new (rows[i].line);
    g_autoptr (GstHarness) picture = harness_new (rows[i].line);
    GstVideoInfo info;

    set_format (h, GST_VIDEO_FORMAT_I420, rows[i].mode, rows[i].height, &info);
    expect_pictures (h, &info,
        rows[i].is_interlaced ? GST_VIDEO_BUFFER_FLAG_INTERLACED : 0, picture,
        rows[i].has_fields, i);
  }
}

/* Blocks of mixed video, of frames and of fields in one stream; the region of
 * interest moves by the anchor, in rows of the frame. */
TEST (test_mixed_blocks)
{
  static const gchar *const line = "cllocalmean kernel-width=1 kernel-height=4 "
                                   "step-y=4 border-mode=valid";
  g_autoptr (GstHarness) h = harness_new (line);
  g_autoptr (GstHarness) picture = harness_new (line);
  g_autoptr (GstBus) bus = harness_bus (h);
  GstVideoInfo info;

  set_format (h, GST_VIDEO_FORMAT_GRAY8, MIXED, 24, &info);
  for (guint i = 0; i < 4; i++) {
    const guint flags = i % 2 ? GST_VIDEO_BUFFER_FLAG_INTERLACED : 0;
    GstBuffer *in = frame_new (&info, i);
    g_autoptr (GstBuffer) out = NULL;
    GstVideoRegionOfInterestMeta *region;

    expect_pictures (h, &info, flags, picture, i % 2, i);
    GST_BUFFER_FLAG_SET (in, flags);
    gst_buffer_add_video_region_of_interest_meta (in, "face", 1, 14, 5, 8);
    out = harness_run (h, in);
    region = gst_buffer_get_video_region_of_interest_meta_id (out, 0);
    fail_unless (region && region->y == (i % 2 ? 2 : 3) && region->h == 2);
  }
  expect_no_warning (bus);
}

/* --- caps ---------------------------------------------------------------- */

/* The height changes with the next frame; upstream sends no caps. */
TEST (test_changes_while_playing)
{
  static const struct {
    const gchar *values;
    gboolean has_fields;
    gint height;
  } rows[] = {
    { "step-y=3", TRUE, 8 },
    { "split-fields=false", FALSE, 7 },
    { "split-fields=true", TRUE, 8 },
    { "border-mode=valid kernel-height=4", TRUE, 6 },
    { "split-fields=false", FALSE, 6 },
    { "step-y=1", FALSE, 17 },
    { "split-fields=true", TRUE, 14 },
    { "border-mode=shrink", TRUE, 20 },
    { "split-fields=false", FALSE, 20 },
  };
  g_autoptr (GstHarness) h = harness_new ("cllocalmean kernel-width=3");
  g_autoptr (GstHarness) picture = harness_new ("cllocalmean kernel-width=3");
  g_autoptr (GstBus) bus = harness_bus (h);
  GstVideoInfo info;

  set_format (h, GST_VIDEO_FORMAT_YUY2, INTERLEAVED, 20, &info);
  set_format (h, GST_VIDEO_FORMAT_GRAY8, INTERLEAVED, 20, &info);
  expect_pictures (h, &info, 0, picture, TRUE, 0);
  for (guint i = 0; i < G_N_ELEMENTS (rows); i++) {
    local_mean_set (h, rows[i].values);
    local_mean_set (picture, rows[i].values);
    fail_unless_equals_int (
        expect_pictures (h, &info, 0, picture, rows[i].has_fields, i + 1),
        rows[i].height);
  }
  expect_no_error (bus);
}

/* Downstream requests a height and no mode: upstream may send interlaced frames
 * that give it, and is told so. The error names the property. */
TEST (test_requested_height)
{
  static const gchar *const parts[] = { "split-fields", "height=(int)7",
    "height=(int)8", NULL };
  g_autoptr (GstHarness) h = harness_new ("cllocalmean step-y=3");
  g_autoptr (GstBus) bus = harness_bus (h);
  g_autoptr (GstCaps) accepted = NULL;
  g_autoptr (GstBuffer) out = NULL;
  GstVideoInfo info;

  gst_harness_set_sink_caps_str (h, "video/x-raw, height=8");
  accepted = gst_pad_peer_query_caps (h->srcpad, NULL);
  for (gint height = 1; height < 40; height++) {
    g_autofree gchar *text = g_strdup_printf (
        "video/x-raw, height=%d, interlace-mode=interleaved", height);
    g_autoptr (GstCaps) caps = gst_caps_from_string (text);

    fail_unless (gst_caps_can_intersect (caps, accepted) ==
                     (height >= 20 && height <= 24),
        "a height of %d", height);
  }

  set_format (h, GST_VIDEO_FORMAT_GRAY8, INTERLEAVED, 20, &info);
  out = harness_run (h, frame_new (&info, 1));
  harness_out_info (h, &info);
  fail_unless_equals_int (GST_VIDEO_INFO_HEIGHT (&info), 8);
  expect_no_error (bus);

  set_format (h, GST_VIDEO_FORMAT_GRAY8, PROGRESSIVE, 20, &info);
  harness_run_into (h, frame_new (&info, 2), GST_FLOW_NOT_NEGOTIATED);
  expect_one_error (bus, GST_CORE_ERROR, GST_CORE_ERROR_NEGOTIATION, parts);
}

/* One warning per start if windows of interlaced frames have rows of both
 * fields, although split-fields is true: in mixed video, if results of fields
 * are not as many rows as those of a frame. */
TEST (test_warning_of_fields)
{
  static const struct {
    const gchar *line;
    GstVideoInterlaceMode mode;
    gboolean is_expected;
  } rows[] = {
    { "cllocalmean step-y=5", GST_VIDEO_INTERLACE_MODE_MIXED, TRUE },
    { "cllocalmean kernel-height=1 step-y=5", GST_VIDEO_INTERLACE_MODE_MIXED,
        TRUE },
    { "cllocalmean kernel-width=3 kernel-height=3 border-mode=valid",
        GST_VIDEO_INTERLACE_MODE_MIXED, TRUE },
    { "cllocalmean step-y=2", GST_VIDEO_INTERLACE_MODE_MIXED, FALSE },
    { "cllocalmean kernel-width=3 kernel-height=1 border-mode=valid",
        GST_VIDEO_INTERLACE_MODE_MIXED, FALSE },
    { "cllocalmean step-y=5 split-fields=false", GST_VIDEO_INTERLACE_MODE_MIXED,
        FALSE },
    { "cllocalmean step-y=5", GST_VIDEO_INTERLACE_MODE_INTERLEAVED, FALSE },
    { "cllocalmean kernel-width=3 kernel-height=3 border-mode=valid",
        GST_VIDEO_INTERLACE_MODE_INTERLEAVED, FALSE },
    { "cllocalmean step-y=5", GST_VIDEO_INTERLACE_MODE_PROGRESSIVE, FALSE },
    { "cllocalmean step-y=5", GST_VIDEO_INTERLACE_MODE_ALTERNATE, FALSE },
  };

  for (guint i = 0; i < G_N_ELEMENTS (rows); i++) {
    g_autoptr (GstHarness) h = harness_new (rows[i].line);
    g_autoptr (GstBus) bus = harness_bus (h);
    guint n_warnings = 0;
    GstMessage *message;

    for (gint width = 18; width < 21; width += 2) {
      GstVideoInfo info;

      gst_video_info_set_interlaced_format (&info, GST_VIDEO_FORMAT_Y444,
          rows[i].mode, width, 12);
      gst_harness_set_src_caps (h, gst_video_info_to_caps (&info));
      gst_buffer_unref (harness_run (h, frame_new (&info, 7)));
    }
    while ((message = gst_bus_pop_filtered (bus, GST_MESSAGE_WARNING))) {
      g_autoptr (GError) warning = NULL;

      gst_message_parse_warning (message, &warning, NULL);
      fail_unless (
          g_error_matches (warning, GST_STREAM_ERROR, GST_STREAM_ERROR_FORMAT));
      fail_unless (strstr (warning->message, "split-fields=false") != NULL);
      gst_message_unref (message);
      n_warnings++;
    }
    fail_unless (n_warnings == (rows[i].is_expected ? 1 : 0),
        "row %u: %u warnings", i, n_warnings);
  }
}

SUITE (.start = harness_share_context);
