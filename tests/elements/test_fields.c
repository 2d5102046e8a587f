/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Video with one field in each buffer (interlace-mode=alternate), through every
 * element, in system and device memory. */

#include "common.h"
#include "frames.h"
#include "localmean.h"
#include "reference.h"
#include "suite.h"

/* Sizes of frames; their fields have 9, 1, 1 and 2 rows. */
static const FrameSize sizes[] = { { 33, 17 }, { 1, 1 }, { 2, 1 }, { 1, 3 } };

/* Kernels run on the first N_FIXED, and on those of the others that the seed
 * chooses. */
#define N_FIXED 3
static const GstVideoFormat formats[] = { GST_VIDEO_FORMAT_GRAY8,
  GST_VIDEO_FORMAT_I420, GST_VIDEO_FORMAT_NV12, GST_VIDEO_FORMAT_YUY2,
  GST_VIDEO_FORMAT_YVU9, GST_VIDEO_FORMAT_RGBx, GST_VIDEO_FORMAT_GBRA,
#if G_BYTE_ORDER == G_LITTLE_ENDIAN
  GST_VIDEO_FORMAT_P010_10LE, GST_VIDEO_FORMAT_I422_12LE,
  GST_VIDEO_FORMAT_A420_10LE
#endif
};

/* Sets the caps of the next buffers: 50 fields a second. */
static void
set_format (GstHarness *h, GstVideoFormat format, gint width, gint height,
    GstVideoInfo *info)
{
  gst_video_info_set_interlaced_format (info, format,
      GST_VIDEO_INTERLACE_MODE_ALTERNATE, width, height);
  info->fps_n = 25;
  info->fps_d = 1;
  gst_harness_set_src_caps (h, gst_video_info_to_caps (info));
}

/* Returns a field with random bytes. */
static GstBuffer *
new_field (const GstVideoInfo *info, guint seed, gboolean is_bottom)
{
  GstBuffer *field = frame_new (info, seed);

  GST_BUFFER_FLAG_SET (field, is_bottom ? GST_VIDEO_BUFFER_FLAG_BOTTOM_FIELD
                                        : GST_VIDEO_BUFFER_FLAG_TOP_FIELD);

  return field;
}

/* Fields with rows of other strides, too. */
static GstBuffer *
in_layout (GstBuffer *field, const GstVideoInfo *info, guint seed)
{
  GstBuffer *copy = frame_copy_to_layout (field, info,
      seed % 2 ? LAYOUT_PADDED : LAYOUT_PLAIN);

  gst_buffer_copy_into (copy, field, GST_BUFFER_COPY_FLAGS, 0, -1);

  return copy;
}

/* Calls @compare with a harness of each line, for each size and each format, or
 * those of @step that the seed chooses. */
static void
for_all (const gchar *const *lines, guint n_lines, guint step,
    void (*compare) (GstHarness *, const GstVideoInfo *, guint seed))
{
  for (guint i = 0; i < n_lines; i++) {
    g_autoptr (GstHarness) h = harness_new (lines[i]);
    g_autoptr (GstBus) bus = harness_bus (h);

    for (guint f = 0; f < G_N_ELEMENTS (formats); f++) {
      if (f >= N_FIXED && (test_seed () + f) % step != 0)
        continue;
      for (guint s = 0; s < G_N_ELEMENTS (sizes); s++) {
        GstVideoInfo info;

        set_format (h, formats[f], sizes[s].width, sizes[s].height, &info);
        compare (h, &info, f * 10 + s);
      }
    }
    expect_no_error (bus);
  }
}

/* --- elements ------------------------------------------------------------ */

static void
compare_statistics (GstHarness *h, const GstVideoInfo *info, guint seed)
{
  g_autoptr (GstElement) element = harness_element (h, "clframesum");
  g_autoptr (GstBuffer) in = new_field (info, seed, seed % 2);
  g_autoptr (GstBuffer) out = harness_run (h, in_layout (in, info, seed));
  g_autoptr (GstStructure) stats = NULL;
  g_autoptr (GstCaps) caps = harness_out_caps (h);
  g_autoptr (GstCaps) sent = gst_pad_get_current_caps (h->srcpad);

  g_object_get (element, "stats", &stats, NULL);
  expect_statistics (stats, in, info, 0xf);
  fail_unless (gst_caps_is_equal (caps, sent));
}

TEST (test_statistics)
{
  static const gchar *const lines[] = { "clframesum reduction=inner",
    "clframesum statistics=moments+range+histogram",
    "clupload ! clframesum ! cldownload" };

  for_all (lines, G_N_ELEMENTS (lines), 3, compare_statistics);
}

static void
compare_sums (GstHarness *h, const GstVideoInfo *info, guint seed)
{
  g_autoptr (GstElement) element = harness_element (h, "clintegral");
  g_autoptr (GstBuffer) in = new_field (info, seed, FALSE);
  g_autoptr (GstBuffer) out = harness_run (h, in_layout (in, info, seed));
  g_autoptr (GstCaps) caps = harness_out_caps (h);
  const GstStructure *structure = gst_caps_get_structure (caps, 0);
  gint component, n, d;

  g_object_get (element, "component", &component, NULL);
  expect_integral (out, caps, in, info, component);
  fail_if (gst_structure_has_field (structure, "interlace-mode"));
  fail_unless (gst_structure_get_fraction (structure, "framerate", &n, &d));
  fail_unless (n == 50 && d == 1, "%d/%d integral images a second", n, d);
}

TEST (test_sums)
{
  static const gchar *const lines[] = { "clintegral layout=exclusive",
    "clintegral squares=true tilted=true",
    "clupload ! clintegral component=0 ! cldownload" };

  for_all (lines, G_N_ELEMENTS (lines), 3, compare_sums);
}

/* The subsampled rows of a field, not of a frame. */
TEST (test_chroma_sums)
{
  g_autoptr (GstHarness) h = harness_new ("clintegral component=1");

  for (guint s = 0; s < G_N_ELEMENTS (sizes); s++) {
    GstVideoInfo info;

    set_format (h, GST_VIDEO_FORMAT_I420, sizes[s].width, sizes[s].height,
        &info);
    compare_sums (h, &info, s);
  }
}

static void
compare_means (GstHarness *h, const GstVideoInfo *info, guint seed)
{
  g_autoptr (GstElement) element = harness_element (h, "cllocalmean");
  g_autoptr (GstBuffer) in = new_field (info, seed, TRUE);
  g_autoptr (GstBuffer) out = harness_run (h, in_layout (in, info, seed));
  GstVideoInfo out_info;

  harness_out_info (h, &out_info);
  fail_unless_equals_int (GST_VIDEO_INFO_INTERLACE_MODE (&out_info),
      GST_VIDEO_INTERLACE_MODE_ALTERNATE);
  fail_unless (GST_VIDEO_BUFFER_IS_BOTTOM_FIELD (out));
  expect_means (element, out, &out_info, in, info);
}

TEST (test_means)
{
  static const gchar *const lines[] = { "cllocalmean kernel-height=3",
    "cllocalmean step-y=2 operation=stddev kernel-width=3",
    "clupload ! cllocalmean border-mode=reflect ! cldownload" };

  for_all (lines, G_N_ELEMENTS (lines), 3, compare_means);
}

/* Windows of an integral image: its rows are those of the field, and the result
 * is a small progressive frame. */
TEST (test_means_of_sums)
{
  g_autoptr (GstHarness) h = harness_new (
      "clintegral ! cllocalmean kernel-width=5 kernel-height=3");
  g_autoptr (GstElement) element = harness_element (h, "cllocalmean");
  GstVideoInfo info, out_info;
  g_autoptr (GstBuffer) in = NULL;
  g_autoptr (GstBuffer) out = NULL;

  set_format (h, GST_VIDEO_FORMAT_GRAY8, 33, 17, &info);
  in = new_field (&info, 1, FALSE);
  out = harness_run (h, gst_buffer_ref (in));
  harness_out_info (h, &out_info);
  fail_unless_equals_int (GST_VIDEO_INFO_INTERLACE_MODE (&out_info),
      GST_VIDEO_INTERLACE_MODE_PROGRESSIVE);
  fail_unless_equals_int (GST_VIDEO_INFO_HEIGHT (&out_info), 9);
  expect_component_means (element, out, &out_info, 0, in, &info, 0);
}

static void
compare_transfer (GstHarness *h, const GstVideoInfo *info, guint seed)
{
  g_autoptr (GstBuffer) in = new_field (info, seed, TRUE);
  g_autoptr (GstBuffer) out = harness_run (h, in_layout (in, info, seed));

  for (guint c = 0; c < GST_VIDEO_INFO_N_COMPONENTS (info); c++) {
    gint width, height;
    g_autofree guint16 *sent = frame_codes (in, info, c, &width, &height);
    g_autofree guint16 *got = frame_codes (out, info, c, NULL, NULL);

    fail_unless (memcmp (sent, got, (gsize) width * height * sizeof *sent) == 0,
        "%s: component %u differs", GST_VIDEO_INFO_NAME (info), c);
  }
  fail_unless (GST_VIDEO_BUFFER_IS_BOTTOM_FIELD (out));
}

TEST (test_transfers)
{
  static const gchar *const lines[] = { "clupload ! cldownload", "cldownload" };

  for_all (lines, G_N_ELEMENTS (lines), 1, compare_transfer);
}

/* --- caps ---------------------------------------------------------------- */

/* The height of the output in caps, for a height of the input. A window that
 * keeps the rows of each field keeps the height of the frame. */
TEST (test_heights)
{
  static const struct {
    const gchar *line;
    gint height, out_height;
  } rows[] = {
    { "cllocalmean", 17, 17 },
    { "cllocalmean", 16, 16 },
    { "cllocalmean step-y=2", 17, 10 },
    { "cllocalmean step-y=2", 15, 8 },
    { "cllocalmean kernel-height=3 border-mode=valid", 17, 14 },
    { "cllocalmean kernel-height=1 border-mode=valid", 17, 17 },
    { "clintegral", 17, 9 },
    { "clintegral", 16, 8 },
    { "clframesum", 17, 17 },
    { "clupload", 17, 17 },
  };

  for (guint i = 0; i < G_N_ELEMENTS (rows); i++) {
    g_autoptr (GstHarness) h = harness_new (rows[i].line);
    g_autoptr (GstCaps) caps = NULL;
    GstVideoInfo info;
    gint height;

    set_format (h, GST_VIDEO_FORMAT_GRAY8, 33, rows[i].height, &info);
    gst_buffer_unref (harness_run (h, new_field (&info, i, FALSE)));
    caps = harness_out_caps (h);
    gst_structure_get_int (gst_caps_get_structure (caps, 0), "height", &height);
    fail_unless (height == rows[i].out_height, "%s of %d: %d rows, not %d",
        rows[i].line, rows[i].height, height, rows[i].out_height);
  }
}

/* Upstream learns which heights of frames give the rows that downstream
 * needs. */
TEST (test_heights_backwards)
{
  static const struct {
    const gchar *line, *out;
    gint low, high, rate;
  } rows[] = {
    { "clintegral", "video/x-integral-image, height=9, framerate=50/1", 17, 18,
        25 },
    { "cllocalmean step-y=2",
        "video/x-raw(format:Interlaced), interlace-mode=alternate, height=10",
        17, 20, 50 },
    { "cllocalmean",
        "video/x-raw(format:Interlaced), interlace-mode=alternate, height=17",
        17, 17, 50 },
  };

  for (guint i = 0; i < G_N_ELEMENTS (rows); i++) {
    g_autoptr (GstHarness) h = harness_new (rows[i].line);
    g_autoptr (GstCaps) accepted = NULL;

    gst_harness_set_sink_caps_str (h, rows[i].out);
    accepted = gst_pad_peer_query_caps (h->srcpad, NULL);
    for (gint height = 1; height < 40; height++) {
      g_autofree gchar *text = g_strdup_printf (
          "video/x-raw(format:Interlaced), interlace-mode=alternate, "
          "height=%d, framerate=%d/1",
          height, rows[i].rate);
      g_autoptr (GstCaps) caps = gst_caps_from_string (text);

      fail_unless (gst_caps_can_intersect (caps, accepted) ==
                       (height >= rows[i].low && height <= rows[i].high),
          "%s: a height of %d", rows[i].line, height);
    }
  }
}

/* Errors name the feature: of the input, and of what downstream lacks. */
TEST (test_refusals)
{
  static const gchar *const input[] = { "(memory:GLMemory, format:Interlaced)",
    NULL };
  static const gchar *const output[] = { "they give video/x-raw(format:"
                                         "Interlaced)",
    "interlace-mode=(string)alternate", "it accepts video/x-raw", NULL };
  g_autoptr (GstHarness) h = harness_new ("clframesum");
  g_autoptr (GstHarness) mean = harness_new ("cllocalmean");
  g_autoptr (GstBus) bus = harness_bus (h);
  g_autoptr (GstBus) mean_bus = harness_bus (mean);
  GstVideoInfo info;

  gst_harness_set_src_caps_str (h,
      "video/x-raw(memory:GLMemory, format:Interlaced), format=RGBA, width=64, "
      "height=48, framerate=25/1, interlace-mode=alternate");
  fail_unless_equals_int (gst_harness_push (h, gst_buffer_new ()),
      GST_FLOW_NOT_NEGOTIATED);
  expect_one_error (bus, GST_STREAM_ERROR, GST_STREAM_ERROR_WRONG_TYPE, input);

  gst_harness_set_sink_caps_str (mean,
      "video/x-raw, interlace-mode=progressive");
  set_format (mean, GST_VIDEO_FORMAT_GRAY8, 33, 17, &info);
  fail_unless_equals_int (gst_harness_push (mean, new_field (&info, 1, FALSE)),
      GST_FLOW_NOT_NEGOTIATED);
  expect_one_error (mean_bus, GST_CORE_ERROR, GST_CORE_ERROR_NEGOTIATION,
      output);
}

/* --- fields in time ------------------------------------------------------ */

static gdouble
mean_difference (const GstCustomMeta *meta)
{
  const GValue *array = gst_structure_get_value (
      gst_custom_meta_get_structure ((GstCustomMeta *) meta),
      "mean-difference");

  return g_value_get_double (gst_value_array_get_value (array, 0));
}

/* A field is compared with the last field of its parity. Each row: the value of
 * all samples, the parity, and the expected difference. */
TEST (test_parity)
{
  static const struct {
    guint8 value;
    gboolean is_bottom;
    gdouble difference;
  } rows[] = { { 10, FALSE, 0 }, { 100, TRUE, 0 }, { 13, FALSE, 3 },
    { 107, TRUE, 7 }, { 12, FALSE, 1 }, { 12, FALSE, 0 }, { 105, TRUE, 2 } };
  g_autoptr (GstHarness)
      h = harness_new ("clframesum statistics=moments+temporal async-depth=0");
  GstVideoInfo info;

  set_format (h, GST_VIDEO_FORMAT_GRAY8, 33, 17, &info);
  for (guint i = 0; i < G_N_ELEMENTS (rows); i++) {
    GstBuffer *in = frame_new_filled (&info, rows[i].value);
    g_autoptr (GstBuffer) out = NULL;
    gdouble got;

    GST_BUFFER_FLAG_SET (in, rows[i].is_bottom
                                 ? GST_VIDEO_BUFFER_FLAG_BOTTOM_FIELD
                                 : GST_VIDEO_BUFFER_FLAG_TOP_FIELD);
    out = harness_run (h, in);
    got = mean_difference (
        gst_buffer_get_custom_meta (out, "GstClFrameSumMeta"));
    fail_unless (got == rows[i].difference, "field %u: %f, not %f", i, got,
        rows[i].difference);
  }
}

/* Regions and rectangles count rows of the field. */
TEST (test_regions)
{
  static const struct {
    const gchar *line;
    guint y, height;
  } rows[] = {
    { "cllocalmean", 3, 5 },
    { "clintegral", 3, 5 },
    { "cllocalmean kernel-width=1 kernel-height=3 border-mode=valid", 2, 5 },
  };
  g_autoptr (GstHarness) h = harness_new ("clframesum position-y=2 height=7");
  g_autoptr (GstBus) bus = harness_bus (h);
  GstVideoInfo info;

  set_format (h, GST_VIDEO_FORMAT_GRAY8, 33, 17, &info);
  gst_buffer_unref (harness_run (h, new_field (&info, 0, FALSE)));
  expect_no_error (bus);
  gst_harness_set (h, "clframesum", "height", 8, NULL);
  harness_run_into (h, new_field (&info, 0, FALSE), GST_FLOW_NOT_NEGOTIATED);
  expect_one_error (bus, GST_CORE_ERROR, GST_CORE_ERROR_NEGOTIATION,
      (const gchar *const[]){ "33x9", "height 8", NULL });

  for (guint i = 0; i < G_N_ELEMENTS (rows); i++) {
    g_autoptr (GstHarness) filter = harness_new (rows[i].line);
    GstBuffer *in;
    g_autoptr (GstBuffer) out = NULL;
    GstVideoRegionOfInterestMeta *roi;

    set_format (filter, GST_VIDEO_FORMAT_GRAY8, 33, 17, &info);
    in = new_field (&info, i, FALSE);
    gst_buffer_add_video_region_of_interest_meta (in, "face", 1, 3, 5, 5);
    out = harness_run (filter, in);
    roi = gst_buffer_get_video_region_of_interest_meta_id (out, 0);
    fail_unless (roi && roi->y == rows[i].y && roi->h == rows[i].height,
        "%s: region at %u of %u rows", rows[i].line, roi ? roi->y : 0,
        roi ? roi->h : 0);
  }
}

/* A delayed buffer is a field: half of the duration of a frame. */
TEST (test_latency)
{
  g_autoptr (GstHarness) h = harness_new ("clframesum async-depth=3");
  GstVideoInfo info;

  set_format (h, GST_VIDEO_FORMAT_GRAY8, 33, 17, &info);
  gst_harness_push (h, new_field (&info, 0, FALSE));
  fail_unless_equals_uint64 (gst_harness_query_latency (h),
      3 * 20 * GST_MSECOND);
}

SUITE (.start = harness_share_context);
