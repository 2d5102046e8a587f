/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* From exact metrics to the structure of a result. */

#include <math.h>

#include "elements/base/gstclresultmeta.h"
#include "elements/framesum/gstclsignalstats.h"

#include "suite.h"

/* --- structure ----------------------------------------------------------- */

static const GstClFrameTime time_of_frame = {
  .timestamp = 11 * GST_SECOND,
  .stream_time = 12 * GST_SECOND,
  .running_time = 13 * GST_SECOND,
  .duration = 14,
  .frame = G_GUINT64_CONSTANT (1) << 40,
};

/* Y, U and V: 4 samples each, codes 1, 2, 3, 4; 7 alone; 0 and 255. */
static const guint32 histograms[3][256] = {
  { [1] = 1, [2] = 1, [3] = 1, [4] = 1 },
  { [7] = 4 },
  { [0] = 2, [255] = 2 },
};

/* One grey sample, three of hue 10. */
static const guint32 saturation[256] = { [0] = 1, [20] = 2, [40] = 1 };
static const guint32 hue[360] = { [180] = 1, [10] = 3 };

static const GstClRegionMetrics metrics_of_frame = {
  .components = {
      { .moments = { 10, 30, 4, 1, 4, 0 },
          .least_x = 0, .least_y = 0, .greatest_x = 1, .greatest_y = 1,
          .bits = 7, .difference = 6,
          .histogram = histograms[0] },
      { .moments = { 28, 196, 4, 7, 7, 0 },
          .least_x = 0, .least_y = 0, .greatest_x = 0, .greatest_y = 0,
          .bits = 7, .difference = 0,
          .histogram = histograms[1] },
      { .moments = { 510, 130050, 4, 0, 255, 0 },
          .least_x = 1, .least_y = 0, .greatest_x = 0, .greatest_y = 1,
          .bits = 255, .difference = 2,
          .histogram = histograms[2] },
  },
  .saturation = saturation,
  .hue = hue,
  .n_outliers = 1,
  .n_repeated_rows = 1,
  .n_out_of_gamut = 3,
  .sharpness = 6,
  .n_sharpness = 4,
};

#define ALL      GST_CL_STATISTICS_ALL
#define ORIGINAL (GST_CL_STATISTIC (MOMENTS) | GST_CL_STATISTIC (RANGE))
#define N_ROWS   2

static void
set_shape (GstClStatisticsShape *shape, GstClStatistics statistics)
{
  *shape = (GstClStatisticsShape){
    .component_ids = { 0, 1, 2 },
    .n_components = 3,
    .statistics = statistics,
    .depth = 8,
    .n_codes = 256,
    .n_bins = 256,
  };
  gst_video_info_set_format (&shape->info, GST_VIDEO_FORMAT_Y444, 2, 2);
}

static GstClSummary
summarize (const GstClStatisticsShape *shape)
{
  GstClSummary summary;

  gst_cl_summary_init (&summary, shape->statistics, &metrics_of_frame,
      shape->n_components, shape->n_codes, N_ROWS);

  return summary;
}

static GstStructure *
make_structure (GstClStatistics statistics)
{
  GstClStatisticsShape shape;
  GstStructure *structure;
  GstClSummary summary;

  set_shape (&shape, statistics);
  summary = summarize (&shape);
  structure = gst_cl_statistics_new ("clframesum", &shape, &time_of_frame,
      "\xffsum");
  gst_cl_statistics_add (structure, &shape, &summary);

  return structure;
}

/* Returns entry @index of array @field, which has @n entries, as text.
 * g_free() */
static gchar *
entry (const GstStructure *structure, const gchar *field, guint index, guint n)
{
  const GValue *array = gst_structure_get_value (structure, field);

  fail_unless (array && GST_VALUE_HOLDS_ARRAY (array), "%s is not an array",
      field);
  fail_unless_equals_int (gst_value_array_get_size (array), n);

  return gst_value_serialize (gst_value_array_get_value (array, index));
}

/* Checks that the array @field of the three components has this type and these
 * values. */
static void
expect_array (const GstStructure *structure, const gchar *field, GType type,
    const gchar *y, const gchar *u, const gchar *v)
{
  const gchar *const expected[] = { y, u, v };
  const GValue *array = gst_structure_get_value (structure, field);

  for (guint i = 0; i < G_N_ELEMENTS (expected); i++) {
    g_autofree gchar *got = entry (structure, field, i, 3);

    fail_unless_equals_string (got, expected[i]);
    fail_unless (G_VALUE_TYPE (gst_value_array_get_value (array, i)) == type,
        "%s is not of type %s", field, g_type_name (type));
  }
}

static void
expect_value (const GstStructure *structure, const gchar *field, GType type,
    const gchar *expected)
{
  const GValue *value = gst_structure_get_value (structure, field);
  g_autofree gchar *got = NULL;

  fail_unless (value && G_VALUE_TYPE (value) == type, "%s is not of type %s",
      field, g_type_name (type));
  got = gst_value_serialize (value);
  fail_unless_equals_string (got, expected);
}

static void
expect_double (const GstStructure *structure, const gchar *field,
    gdouble expected)
{
  gdouble got;

  fail_unless (gst_structure_get_double (structure, field, &got), "no field %s",
      field);
  fail_unless (fabs (got - expected) < 1e-12, "%s is %.17g", field, got);
}

/* Names and types are API for bindings in other languages. */
TEST (test_scalar_fields)
{
  static const struct {
    const gchar *name;
    guint64 value;
  } times[] = { { "timestamp", 11 * GST_SECOND },
    { "stream-time", 12 * GST_SECOND }, { "running-time", 13 * GST_SECOND },
    { "duration", 14 }, { "frame", G_GUINT64_CONSTANT (1) << 40 } };
  g_autoptr (GstStructure) structure = make_structure (ORIGINAL);
  gint width, height, depth;

  fail_unless (gst_structure_has_name (structure, "clframesum"));
  for (guint i = 0; i < G_N_ELEMENTS (times); i++) {
    guint64 value;

    fail_unless (
        gst_structure_has_field_typed (structure, times[i].name, G_TYPE_UINT64),
        "no field %s of type guint64", times[i].name);
    fail_unless (gst_structure_get_uint64 (structure, times[i].name, &value));
    fail_unless_equals_uint64 (value, times[i].value);
  }

  fail_unless (gst_structure_get_int (structure, "width", &width));
  fail_unless (gst_structure_get_int (structure, "height", &height));
  fail_unless (gst_structure_get_int (structure, "depth", &depth));
  fail_unless_equals_int (width, 2);
  fail_unless_equals_int (height, 2);
  fail_unless_equals_int (depth, 8);
  fail_unless_equals_string (gst_structure_get_string (structure, "format"),
      "Y444");
  fail_unless_equals_string (gst_structure_get_string (structure, "element"),
      "\ufffdsum");
}

TEST (test_component_fields)
{
  g_autoptr (GstStructure) structure = make_structure (ALL);

  expect_array (structure, "components", G_TYPE_STRING, "Y", "U", "V");
  expect_array (structure, "count", G_TYPE_UINT64, "4", "4", "4");
  expect_array (structure, "sum", G_TYPE_UINT64, "10", "28", "510");
  expect_array (structure, "sum-squares", G_TYPE_UINT64, "30", "196", "130050");
  expect_array (structure, "mean", G_TYPE_DOUBLE, "2.5", "7", "127.5");
  expect_array (structure, "variance", G_TYPE_DOUBLE, "1.25", "0", "16256.25");
  expect_array (structure, "stddev", G_TYPE_DOUBLE, "1.1180339887498949", "0",
      "127.5");
  expect_array (structure, "min", G_TYPE_UINT, "1", "7", "0");
  expect_array (structure, "max", G_TYPE_UINT, "4", "7", "255");
  expect_array (structure, "min-x", G_TYPE_INT, "0", "0", "1");
  expect_array (structure, "min-y", G_TYPE_INT, "0", "0", "0");
  expect_array (structure, "max-x", G_TYPE_INT, "1", "0", "0");
  expect_array (structure, "max-y", G_TYPE_INT, "1", "0", "1");
  expect_array (structure, "low", G_TYPE_UINT, "1", "7", "0");
  expect_array (structure, "median", G_TYPE_UINT, "3", "7", "255");
  expect_array (structure, "high", G_TYPE_UINT, "4", "7", "255");
  expect_array (structure, "entropy", G_TYPE_DOUBLE, "2", "0", "1");
  expect_array (structure, "sum-differences", G_TYPE_UINT64, "6", "0", "2");
  expect_array (structure, "mean-difference", G_TYPE_DOUBLE, "1.5", "0", "0.5");
  expect_array (structure, "bit-depth", G_TYPE_UINT, "3", "3", "8");
}

TEST (test_region_fields)
{
  g_autoptr (GstStructure) structure = make_structure (ALL);

  expect_value (structure, "saturation-min", G_TYPE_UINT, "0");
  expect_value (structure, "saturation-low", G_TYPE_UINT, "0");
  expect_value (structure, "saturation-mean", G_TYPE_DOUBLE, "20");
  expect_value (structure, "saturation-high", G_TYPE_UINT, "40");
  expect_value (structure, "saturation-max", G_TYPE_UINT, "40");
  /* grey is not among them */
  expect_double (structure, "hue-mean", 10.5);
  expect_double (structure, "hue-concentration", 1);
  expect_value (structure, "hue-median", G_TYPE_UINT, "10");
  expect_value (structure, "outliers", G_TYPE_DOUBLE, "0.25");
  expect_value (structure, "repetition", G_TYPE_DOUBLE, "0.5");
  expect_value (structure, "gamut", G_TYPE_DOUBLE, "0.75");
  expect_value (structure, "gradient-energy", G_TYPE_DOUBLE, "1.5");
}

TEST (test_histograms)
{
  GstClStatisticsShape shape;
  GstClSummary summary;

  set_shape (&shape, GST_CL_STATISTIC (HISTOGRAM));
  summary = summarize (&shape);
  for (guint n_bins = 4; n_bins <= 65536; n_bins *= 4) {
    const guint n = MIN (n_bins, 256);
    g_autoptr (GstStructure)
        structure = gst_cl_statistics_new ("s", &shape, &time_of_frame, "sum");
    const GValue *array;

    shape.n_bins = n_bins;
    gst_cl_statistics_add (structure, &shape, &summary);
    array = gst_structure_get_value (structure, "histogram");
    fail_unless_equals_int (gst_value_array_get_size (array), 3);
    array = gst_value_array_get_value (array, 2);
    fail_unless_equals_int (gst_value_array_get_size (array), n);
    for (guint b = 0; b < n; b++)
      fail_unless_equals_uint64 (
          g_value_get_uint64 (gst_value_array_get_value (array, b)),
          b == 0 || b == n - 1 ? 2 : 0);
  }
}

/* Checks that @value has the numbers @expected, little-endian. */
static void
expect_packed (const GValue *value, const guint32 *expected, guint n)
{
  const guint8 *bytes;
  gsize n_bytes;

  fail_unless (value && G_VALUE_HOLDS (value, G_TYPE_BYTES));
  bytes = g_bytes_get_data (g_value_get_boxed (value), &n_bytes);
  fail_unless_equals_int (n_bytes, 4 * n);
  for (guint i = 0; i < n; i++)
    fail_unless_equals_uint64 (GST_READ_UINT32_LE (bytes + 4 * i), expected[i]);
}

TEST (test_packed_histograms)
{
  static const guint32 counts[256] = { [3] = 0x01020304, [255] = 5 };
  const GstClLightCounts light = { .histogram = counts, .n_codes = 256 };
  const GstClLightLevels levels = { 0 };
  GstClStatisticsShape shape;
  GstClSummary summary;

  set_shape (&shape,
      GST_CL_STATISTIC (HISTOGRAM) | GST_CL_STATISTIC (LIGHT_HISTOGRAM));
  shape.has_packed_histograms = TRUE;
  summary = summarize (&shape);
  summary.components[2].metrics.histogram = counts;
  for (guint n_bins = 4; n_bins <= 65536; n_bins *= 4) {
    const guint n = MIN (n_bins, 256);
    guint32 expected[256] = { 0 };
    g_autoptr (GstStructure) structure = gst_structure_new_empty ("s");
    const GValue *array;

    expected[3 * n / 256] = counts[3];
    expected[n - 1] = counts[255];
    shape.n_bins = n_bins;
    gst_cl_statistics_add (structure, &shape, &summary);
    gst_cl_statistics_add_light (structure, &shape, &levels, &light);
    fail_unless_equals_int (gst_structure_n_fields (structure), 2);
    array = gst_structure_get_value (structure, "histogram-data");
    fail_unless_equals_int (gst_value_array_get_size (array), 3);
    expect_packed (gst_value_array_get_value (array, 2), expected, n);
    expect_packed (gst_structure_get_value (structure, "light-histogram-data"),
        counts, 256);
  }
}

TEST (test_counts)
{
  static const guint32 counts[] = { 0x01020304, 2, 3, 4, 5, 6 };
  GstClStatisticsShape shape;
  GstClSummary summary;
  g_autoptr (GstStructure) structure = gst_structure_new_empty ("s");
  const GValue *array;

  set_shape (&shape,
      GST_CL_STATISTIC (WAVEFORM) | GST_CL_STATISTIC (VECTORSCOPE));
  summary = summarize (&shape);
  summary.components[1].waveform = (GstClCounts){ counts, { 2, 3 } };
  summary.vectorscope = (GstClCounts){ counts, { 2, 2 } };
  gst_cl_statistics_add (structure, &shape, &summary);
  fail_unless_equals_int (gst_structure_n_fields (structure), 4);
  array = gst_structure_get_value (structure, "waveform");
  expect_packed (gst_value_array_get_value (array, 1), counts, 6);
  expect_packed (gst_value_array_get_value (array, 2), counts, 0);
  expect_packed (gst_structure_get_value (structure, "vectorscope"), counts, 4);
  expect_array (structure, "waveform-shape", GST_TYPE_ARRAY,
      "< (uint)0, (uint)0 >", "< (uint)2, (uint)3 >", "< (uint)0, (uint)0 >");
  expect_value (structure, "vectorscope-shape", GST_TYPE_ARRAY,
      "< (uint)2, (uint)2 >");
}

#define N_SCALAR_FIELDS 10 /* and the array `components` */

TEST (test_fields_of_selected_statistics)
{
  static const guint n_fields[] = { 6, 2, 1, 3, 1, 2, 5, 3, 1, 1, 1, 1, 4 };

  for (guint i = 0; i < G_N_ELEMENTS (n_fields); i++) {
    g_autoptr (GstStructure) structure = make_structure (1 << i);

    fail_unless_equals_int (gst_structure_n_fields (structure),
        N_SCALAR_FIELDS + 1 + n_fields[i]);
  }
}

/* Alpha and chroma alone show no brightness. */
TEST (test_brightness)
{
  static const struct {
    GstVideoFormat format;
    guint component;
    gboolean has_brightness;
  } rows[] = { { GST_VIDEO_FORMAT_AYUV, 0, TRUE },
    { GST_VIDEO_FORMAT_AYUV, 1, FALSE }, { GST_VIDEO_FORMAT_AYUV, 3, FALSE },
    { GST_VIDEO_FORMAT_RGBA, 2, TRUE }, { GST_VIDEO_FORMAT_RGBA, 3, FALSE },
    { GST_VIDEO_FORMAT_GRAY8, 0, TRUE } };

  for (guint i = 0; i < G_N_ELEMENTS (rows); i++) {
    GstClStatisticsShape shape = { .component_ids = { rows[i].component } };

    gst_video_info_set_format (&shape.info, rows[i].format, 2, 2);
    fail_if (gst_cl_statistics_has_brightness (&shape), "no component");
    shape.n_components = 1;
    fail_unless_equals_int (gst_cl_statistics_has_brightness (&shape),
        rows[i].has_brightness);
  }
}

/* --- regions ------------------------------------------------------------- */

/* Component by component, the zones row by row; then the regions of
 * interest. */
TEST (test_groups)
{
  const GstClRegionLabel label = { 42, "face" };
  const GstClRegion rectangles[] = { { 1, 2, 3, 4 }, { 1, 2, 3, 2 },
    { 1, 4, 3, 2 }, { 9, 8, 7, 6 } };
  g_autoptr (GstStructure) structure = NULL;
  GstClStatisticsShape shape;
  GstClSummary summaries[4];
  GstClRegions regions;

  set_shape (&shape, GST_CL_STATISTIC (RANGE) | GST_CL_STATISTIC (GAMUT));
  for (guint r = 0; r < 4; r++) {
    summaries[r] = summarize (&shape);
    summaries[r].components[2].metrics.moments.max = r;
    summaries[r].gamut = r;
  }
  gst_cl_regions_init (&regions);
  regions.rows = 2;
  g_array_append_vals (regions.regions, rectangles, 4);
  g_array_append_val (regions.labels, label);

  structure = gst_cl_statistics_new ("s", &shape, &time_of_frame, "sum");
  gst_cl_statistics_add_rectangle (structure, &regions);
  gst_cl_statistics_add_zones (structure, &shape, &regions, summaries);
  gst_cl_statistics_add_rois (structure, &shape, &regions, summaries);
  gst_cl_regions_clear (&regions);

  expect_value (structure, "measured-x", G_TYPE_INT, "1");
  expect_value (structure, "measured-y", G_TYPE_INT, "2");
  expect_value (structure, "measured-width", G_TYPE_INT, "3");
  expect_value (structure, "measured-height", G_TYPE_INT, "4");
  expect_value (structure, "zone-columns", G_TYPE_INT, "1");
  expect_value (structure, "zone-rows", G_TYPE_INT, "2");
  expect_value (structure, "zone-y", GST_TYPE_ARRAY, "< (int)2, (int)4 >");
  expect_value (structure, "zone-height", GST_TYPE_ARRAY, "< (int)2, (int)2 >");
  expect_value (structure, "zone-max", GST_TYPE_ARRAY,
      "< (array)< (uint)4, (uint)4 >, (array)< (uint)7, (uint)7 >, "
      "(array)< (uint)1, (uint)2 > >");
  expect_value (structure, "zone-gamut", GST_TYPE_ARRAY,
      "< (double)1, (double)2 >");
  expect_value (structure, "roi-id", GST_TYPE_ARRAY, "< (int)42 >");
  expect_value (structure, "roi-type", GST_TYPE_ARRAY, "< (string)face >");
  expect_value (structure, "roi-x", GST_TYPE_ARRAY, "< (int)9 >");
  expect_value (structure, "roi-width", GST_TYPE_ARRAY, "< (int)7 >");
  expect_value (structure, "roi-max", GST_TYPE_ARRAY,
      "< (array)< (uint)4 >, (array)< (uint)7 >, (array)< (uint)3 > >");
  expect_value (structure, "roi-gamut", GST_TYPE_ARRAY, "< (double)3 >");
}

/* --- meta ---------------------------------------------------------------- */

static void
expect_element (const GstStructure *result, const gchar *element)
{
  fail_unless_equals_string (gst_structure_get_string (result, "element"),
      element);
}

/* The meta has the last result of each element, the very last one as its
 * own. */
TEST (test_results_of_several_elements)
{
  static const gchar *const elements[] = { "a", "b", "c", "a", "c" };
  static const gchar *no_tags[] = { NULL };
  g_autoptr (GstBuffer) buffer = gst_buffer_new ();
  const GstStructure *latest;
  GstClStatisticsShape shape;
  const GValue *earlier;

  gst_meta_register_custom ("Meta", no_tags, NULL, NULL, NULL);
  set_shape (&shape, GST_CL_STATISTIC (RANGE));
  for (guint i = 0; i < G_N_ELEMENTS (elements); i++) {
    const GstClFrameTime time = { .frame = i };
    g_autoptr (GstStructure)
        structure = gst_cl_statistics_new ("s", &shape, &time, elements[i]);

    gst_cl_result_meta_add (buffer, "Meta", structure);
    latest = gst_custom_meta_get_structure (
        gst_buffer_get_custom_meta (buffer, "Meta"));
    expect_element (latest, elements[i]);
    fail_unless_equals_int (gst_structure_has_field (latest, "earlier"), i > 0);
  }
  fail_unless_equals_int (
      gst_buffer_get_n_meta (buffer, gst_meta_get_info ("Meta")->api), 1);
  expect_value (latest, "frame", G_TYPE_UINT64, "4");
  earlier = gst_structure_get_value (latest, "earlier");
  fail_unless_equals_int (gst_value_array_get_size (earlier), 2);
  for (guint i = 0; i < 2; i++) {
    const GstStructure *result = gst_value_get_structure (
        gst_value_array_get_value (earlier, i));

    expect_element (result, i == 0 ? "b" : "a");
    expect_value (result, "frame", G_TYPE_UINT64, i == 0 ? "1" : "3");
    fail_if (gst_structure_has_field (result, "earlier"));
  }
}

/* --- signalstats --------------------------------------------------------- */

/* The values of FFmpeg 5.1's signalstats for such a frame, by its
 * definitions. */
TEST (test_keys_of_signalstats)
{
  g_autoptr (GstStructure) structure = NULL;
  GstClStatisticsShape shape;
  GstClSummary summary;

  set_shape (&shape, ALL);
  summary = summarize (&shape);
  summary.blockiness = 1.5;
  structure = gst_structure_new_empty ("s");
  gst_cl_signalstats_add (structure, &shape, &metrics_of_frame, &summary);

  expect_value (structure, "YMIN", G_TYPE_INT, "1");
  expect_value (structure, "YLOW", G_TYPE_INT, "0"); /* 10 % is not a sample */
  expect_value (structure, "YAVG", G_TYPE_DOUBLE, "2.5");
  expect_value (structure, "YHIGH", G_TYPE_INT, "4");
  expect_value (structure, "YMAX", G_TYPE_INT, "4");
  expect_value (structure, "UAVG", G_TYPE_DOUBLE, "7");
  expect_value (structure, "VMAX", G_TYPE_INT, "255");
  expect_value (structure, "SATMIN", G_TYPE_INT, "0");
  expect_value (structure, "SATLOW", G_TYPE_INT, "0");
  expect_value (structure, "SATAVG", G_TYPE_DOUBLE, "20");
  expect_value (structure, "SATHIGH", G_TYPE_INT, "40");
  expect_value (structure, "SATMAX", G_TYPE_INT, "40");
  expect_value (structure, "HUEMED", G_TYPE_INT, "10");
  expect_value (structure, "HUEAVG", G_TYPE_DOUBLE, "52.5");
  expect_value (structure, "YDIF", G_TYPE_DOUBLE, "1.5");
  expect_value (structure, "VDIF", G_TYPE_DOUBLE, "0.5");
  expect_value (structure, "YBITDEPTH", G_TYPE_INT, "3");
  expect_value (structure, "VBITDEPTH", G_TYPE_INT, "8");
  expect_value (structure, "TOUT", G_TYPE_DOUBLE, "0.25");
  expect_value (structure, "VREP", G_TYPE_DOUBLE, "0.5");
  expect_value (structure, "BRNG", G_TYPE_DOUBLE, "0.75");
  expect_value (structure, "block", G_TYPE_DOUBLE, "1.5");
  fail_unless_equals_int (gst_structure_n_fields (structure), 32);
}

TEST (test_keys_of_selected_statistics)
{
  static const guint n_keys[] = { 3, 6, 0, 6, 0, 3, 5, 2, 3, 1, 1, 1, 0 };

  for (guint i = 0; i < G_N_ELEMENTS (n_keys); i++) {
    g_autoptr (GstStructure) structure = gst_structure_new_empty ("s");
    GstClStatisticsShape shape;
    GstClSummary summary;

    set_shape (&shape, 1 << i);
    summary = summarize (&shape);
    gst_cl_signalstats_add (structure, &shape, &metrics_of_frame, &summary);
    fail_unless_equals_int (gst_structure_n_fields (structure), n_keys[i]);
  }
}

/* --- which statistics ----------------------------------------------------- */

/* What pictures lack: @components of @format are measured. */
TEST (test_of_picture)
{
  const GstClStatistics of_chroma = GST_CL_STATISTIC (HUE) |
                                    GST_CL_STATISTIC (SATURATION) |
                                    GST_CL_STATISTIC (VECTORSCOPE);
  const GstClStatistics of_colour = GST_CL_STATISTIC (FLASH) |
                                    GST_CL_STATISTIC (LIGHT) |
                                    GST_CL_STATISTIC (LIGHT_HISTOGRAM) |
                                    GST_CL_STATISTIC (LEVELS);
  const GstClStatistics of_brightness = GST_CL_STATISTIC (DETECTION) |
                                        GST_CL_STATISTIC (ACTIVE_AREA);
  const struct {
    GstVideoFormat format;
    guint components[3], n_components;
    GstVideoInterlaceMode mode;
    GstClStatistics lacks;
  } rows[] = {
    { GST_VIDEO_FORMAT_I420, { 0, 1, 2 }, 3, 0, 0 },
    { GST_VIDEO_FORMAT_I420, { 0 }, 1, 0, of_chroma | of_colour },
    { GST_VIDEO_FORMAT_I420, { 1, 2 }, 2, 0,
        of_chroma | of_colour | of_brightness },
    { GST_VIDEO_FORMAT_GRAY8, { 0 }, 1, 0, of_chroma },
    { GST_VIDEO_FORMAT_RGB, { 0, 1, 2 }, 3, 0, of_chroma },
    { GST_VIDEO_FORMAT_I420, { 0, 1, 2 }, 3, GST_VIDEO_INTERLACE_MODE_ALTERNATE,
        GST_CL_STATISTIC (FIELDS) },
  };

  for (guint i = 0; i < G_N_ELEMENTS (rows); i++) {
    GstClStatisticsShape shape = { .n_components = rows[i].n_components };

    memcpy (shape.component_ids, rows[i].components, sizeof rows[i].components);
    gst_video_info_set_interlaced_format (&shape.info, rows[i].format,
        rows[i].mode, 32, 32);
    fail_unless_equals_uint64 (gst_cl_statistics_of_picture (ALL, &shape),
        ALL & ~rows[i].lacks);
  }
}

/* What fields, and zones and regions of interest, have. */
TEST (test_of_fields_and_regions)
{
  const GstClStatistics of_fields_alone = GST_CL_STATISTIC (PROFILES) |
                                          GST_CL_STATISTIC (BLOCKINESS) |
                                          GST_CL_STATISTIC (CELLS);
  const GstClStatistics of_frames = GST_CL_STATISTIC (FIELDS) |
                                    GST_CL_STATISTIC (DETECTION) |
                                    GST_CL_STATISTIC (ACTIVE_AREA) |
                                    GST_CL_STATISTIC (FLASH) |
                                    GST_CL_STATISTIC (LIGHT) |
                                    GST_CL_STATISTIC (LIGHT_HISTOGRAM) |
                                    GST_CL_STATISTIC (LEVELS) |
                                    GST_CL_STATISTIC (WAVEFORM) |
                                    GST_CL_STATISTIC (VECTORSCOPE);

  fail_unless_equals_uint64 (gst_cl_statistics_of_fields (ALL),
      ALL & ~of_frames);
  fail_unless_equals_uint64 (gst_cl_statistics_of_regions (ALL),
      ALL & ~of_frames & ~of_fields_alone);
}
