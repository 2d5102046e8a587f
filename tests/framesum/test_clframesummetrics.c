/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* clframesum: each statistic beyond moments and range, from the samples. */

#include "elements/common.h"
#include "elements/frames.h"
#include "suite.h"

#include <math.h>

#define MAX_CODES 65536

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

/* --- values -------------------------------------------------------------- */

/* Entry @index of array @field. */
static const GValue *
entry (const GstStructure *structure, const gchar *field, guint index)
{
  const GValue *array = gst_structure_get_value (structure, field);

  fail_unless (array && GST_VALUE_HOLDS_ARRAY (array), "%s is not an array",
      field);
  fail_unless (index < gst_value_array_get_size (array), "%s has no entry %u",
      field, index);

  return gst_value_array_get_value (array, index);
}

static void
expect_uint (const GstStructure *structure, const gchar *field, guint index,
    guint expected)
{
  const guint got = g_value_get_uint (entry (structure, field, index));

  fail_unless (got == expected, "%s of component %u is %u, not %u", field,
      index, got, expected);
}

static void
expect_int (const GstStructure *structure, const gchar *field, guint index,
    gint expected)
{
  const gint got = g_value_get_int (entry (structure, field, index));

  fail_unless (got == expected, "%s of component %u is %d, not %d", field,
      index, got, expected);
}

static void
expect_near (gdouble got, gdouble expected, const gchar *what)
{
  fail_unless (fabs (got - expected) < 1e-9, "%s is %.17g, not %.17g", what,
      got, expected);
}

static void
expect_double (const GstStructure *structure, const gchar *field,
    gdouble expected)
{
  gdouble got;

  fail_unless (gst_structure_get_double (structure, field, &got), "no field %s",
      field);
  expect_near (got, expected, field);
}

/* --- one component ------------------------------------------------------- */

typedef struct {
  guint16 *codes, *previous; /* width x height */
  gint width, height;
  guint counts[MAX_CODES];
} Samples;

static void
get_samples (Samples *samples, GstBuffer *const *frames,
    const GstVideoInfo *info, guint component)
{
  memset (samples->counts, 0, sizeof samples->counts);
  samples->previous = frame_codes (frames[0], info, component, NULL, NULL);
  samples->codes = frame_codes (frames[1], info, component, &samples->width,
      &samples->height);
  for (gint i = 0; i < samples->width * samples->height; i++)
    samples->counts[samples->codes[i]]++;
}

static void
clear_samples (Samples *samples)
{
  g_free (samples->codes);
  g_free (samples->previous);
}

static void
expect_positions (const GstStructure *structure, guint c,
    const Samples *samples)
{
  gint min = 0, max = 0;

  for (gint i = 0; i < samples->width * samples->height; i++) {
    if (samples->codes[i] < samples->codes[min])
      min = i;
    if (samples->codes[i] > samples->codes[max])
      max = i;
  }
  expect_int (structure, "min-x", c, min % samples->width);
  expect_int (structure, "min-y", c, min / samples->width);
  expect_int (structure, "max-x", c, max % samples->width);
  expect_int (structure, "max-y", c, max / samples->width);
}

static gint
compare_codes (gconstpointer a, gconstpointer b)
{
  return *(const guint16 *) a - *(const guint16 *) b;
}

static void
expect_order (const GstStructure *structure, guint c, const Samples *samples)
{
  const gint n = samples->width * samples->height;
  g_autofree guint16 *sorted = g_memdup2 (samples->codes, n * sizeof *sorted);

  qsort (sorted, n, sizeof *sorted, compare_codes);
  expect_uint (structure, "low", c,
      sorted[(gint) MAX (lrint (n / 10.), 1) - 1]);
  expect_uint (structure, "median", c, sorted[n / 2]);
  expect_uint (structure, "high", c,
      sorted[(gint) MAX (lrint (n * 9 / 10.), 1) - 1]);
}

static void
expect_histogram (const GstStructure *structure, guint c,
    const Samples *samples, guint n_codes, guint n_bins)
{
  const gdouble n = samples->width * samples->height;
  const GValue *histogram = entry (structure, "histogram", c);
  gdouble entropy = 0;

  fail_unless_equals_int (gst_value_array_get_size (histogram), n_bins);
  for (guint b = 0; b < n_bins; b++) {
    const guint width = n_codes / n_bins;
    guint64 expected = 0;

    for (guint code = b * width; code < (b + 1) * width; code++)
      expected += samples->counts[code];
    fail_unless_equals_uint64 (
        g_value_get_uint64 (gst_value_array_get_value (histogram, b)),
        expected);
  }
  for (guint code = 0; code < n_codes; code++) {
    if (samples->counts[code] > 0)
      entropy -= samples->counts[code] / n * log2 (samples->counts[code] / n);
  }
  expect_near (g_value_get_double (entry (structure, "entropy", c)), entropy,
      "entropy");
}

static void
expect_differences (const GstStructure *structure, guint c,
    const Samples *samples)
{
  const gint n = samples->width * samples->height;
  guint64 sum = 0;
  guint bits = 0;

  for (gint i = 0; i < n; i++) {
    sum += ABS (samples->codes[i] - samples->previous[i]);
    bits |= samples->codes[i];
  }
  fail_unless_equals_uint64 (
      g_value_get_uint64 (entry (structure, "sum-differences", c)), sum);
  expect_near (g_value_get_double (entry (structure, "mean-difference", c)),
      (gdouble) sum / n, "mean-difference");
  expect_uint (structure, "bit-depth", c, __builtin_popcount (bits));
}

/* --- chroma -------------------------------------------------------------- */

/* @u, @v: of a frame that has no grey sample. */
static void
expect_chroma (const GstStructure *structure, const Samples *u,
    const Samples *v, guint depth)
{
  const gint n = u->width * u->height, middle = 1 << (depth - 1);
  gdouble x = 0, y = 0, mean, hue_mean;
  guint64 sum = 0;
  guint min = G_MAXUINT, max = 0, got;

  for (gint i = 0; i < n; i++) {
    const gint from_u = u->codes[i] - middle, from_v = v->codes[i] - middle;
    const guint saturation = floor (hypot (from_u, from_v));
    const gdouble hue = floor (
        atan2 (from_u, from_v) * 180 / G_PI + 180 + 1e-9);

    sum += saturation;
    min = MIN (min, saturation);
    max = MAX (max, saturation);
    x += cos ((hue + .5) * G_PI / 180);
    y += sin ((hue + .5) * G_PI / 180);
  }
  mean = (gdouble) sum / n;
  hue_mean = fmod (atan2 (y, x) * 180 / G_PI + 360, 360);

  expect_double (structure, "saturation-mean", mean);
  fail_unless (gst_structure_get_uint (structure, "saturation-min", &got));
  fail_unless_equals_int (got, min);
  fail_unless (gst_structure_get_uint (structure, "saturation-max", &got));
  fail_unless_equals_int (got, MIN (max, (1u << depth) - 1));
  expect_double (structure, "hue-mean", hue_mean);
  expect_double (structure, "hue-concentration", hypot (x, y) / n);
}

/* --- the frame ----------------------------------------------------------- */

/* 16 bits are folded into bins, and more than 256 bins of a few samples add no
 * information. */
static guint
n_bins_of (guint depth)
{
  return depth > 8 ? 64 : 256;
}

/* Enables all statistics of @element. */
static void
set_all_statistics (GstElement *element)
{
  const GParamSpec *property = g_object_class_find_property (
      G_OBJECT_GET_CLASS (element), "statistics");

  g_object_set (element, "statistics",
      G_PARAM_SPEC_FLAGS (property)->flags_class->mask, NULL);
}

/* The statistics that run_format() checks. */
#define CHECKED                                                                \
  "positions+histogram+percentiles+entropy+temporal+saturation+hue+bit-depth"

static void
run_format (GstVideoFormat format, gboolean with_all)
{
  g_autofree gchar *description = NULL;
  g_autoptr (GstHarness) h = NULL;
  g_autoptr (GstStructure) first = NULL;
  g_autoptr (GstStructure) structure = NULL;
  g_autofree Samples *samples = g_new0 (Samples, GST_VIDEO_MAX_COMPONENTS);
  GstBuffer *frames[2];
  GstVideoInfo info;
  guint depth;

  gst_video_info_set_format (&info, format, 2, 2);
  depth = GST_VIDEO_INFO_COMP_DEPTH (&info, 0);
  description = g_strdup_printf (
      "clframesum statistics=" CHECKED " histogram-bins=%u", n_bins_of (depth));
  h = harness_new (description);
  if (with_all)
    set_all_statistics (h->element);
  harness_set_format (h, format, 67, 31, &info);
  for (guint i = 0; i < 2; i++)
    frames[i] = frame_new (&info, i + 1);
  first = measure (h, frames[0]);
  structure = measure (h, frames[1]);

  for (guint c = 0; c < GST_VIDEO_INFO_N_COMPONENTS (&info); c++) {
    get_samples (&samples[c], frames, &info, c);
    expect_positions (structure, c, &samples[c]);
    expect_order (structure, c, &samples[c]);
    expect_histogram (structure, c, &samples[c], 1u << depth,
        n_bins_of (depth));
    expect_differences (structure, c, &samples[c]);
    fail_unless (g_value_get_double (entry (first, "mean-difference", c)) == 0);
  }
  if (GST_VIDEO_INFO_IS_YUV (&info))
    expect_chroma (structure, &samples[1], &samples[2], depth);
  else
    fail_if (gst_structure_has_field (structure, "saturation-mean"));

  for (guint c = 0; c < GST_VIDEO_INFO_N_COMPONENTS (&info); c++)
    clear_samples (&samples[c]);
  gst_buffer_unref (frames[0]);
  gst_buffer_unref (frames[1]);
}

static const GstVideoFormat formats[] = { GST_VIDEO_FORMAT_NV12,
  GST_VIDEO_FORMAT_BGRA, GST_VIDEO_FORMAT_P010_10LE, GST_VIDEO_FORMAT_GRAY16_LE,
  GST_VIDEO_FORMAT_A420, GST_VIDEO_FORMAT_AV12, GST_VIDEO_FORMAT_GBR,
  GST_VIDEO_FORMAT_YUV9, GST_VIDEO_FORMAT_VYUY, GST_VIDEO_FORMAT_Y210,
  GST_VIDEO_FORMAT_ARGB64_LE };

/* The first format with all statistics, which have programs of their own, and
 * N_CHOSEN others. */
#define N_CHOSEN 2

LOOP_TEST (test_classes, 1 + N_CHOSEN)
{
  const guint n_others = G_N_ELEMENTS (formats) - 1;
  const guint chosen = test_seed () + (guint) __i__ * n_others / N_CHOSEN;

  if (__i__ == 0)
    run_format (formats[0], TRUE);
  else
    run_format (formats[1 + chosen % n_others], FALSE);
}

/* The range in the caps defines the range of valid codes. */
TEST (test_gamut)
{
  static const struct {
    const gchar *colorimetry;
    gdouble expected;
  } rows[] = { { "1:4:0:0", 0.0 }, { "bt601", 0.25 }, { "1:4:0:0", 0.0 } };
  g_autoptr (GstHarness)
      h = harness_new ("clframesum statistics=gamut key-style=lavfi");

  for (guint i = 0; i < G_N_ELEMENTS (rows); i++) {
    g_autoptr (GstBuffer) frame = NULL;
    g_autoptr (GstStructure) structure = NULL;
    g_autoptr (GstCaps) caps = NULL;
    GstVideoInfo info;

    harness_set_format (h, GST_VIDEO_FORMAT_Y444, 32, 16, &info);
    fail_unless (gst_video_colorimetry_from_string (&info.colorimetry,
        rows[i].colorimetry));
    caps = gst_video_info_to_caps (&info);
    gst_harness_set_src_caps (h, gst_caps_ref (caps));
    frame = frame_new_filled (&info, 128);
    gst_buffer_memset (frame, 0, 236, 32 * 4);
    structure = measure (h, frame);
    expect_double (structure, "gamut", rows[i].expected);
    expect_double (structure, "BRNG", 0.25); /* FFmpeg ignores the range */
  }
}

/* Rows 4 to 15 repeat the fourth row before; one bright sample stands out of
 * them. */
TEST (test_rows)
{
  g_autoptr (GstHarness) h = harness_new ("clframesum");
  g_autoptr (GstBuffer) frame = NULL;
  g_autoptr (GstStructure) structure = NULL;
  GstVideoInfo info;

  set_all_statistics (h->element);
  harness_set_format (h, formats[0], 32, 16, &info);
  frame = frame_new_filled (&info, 100);
  /* three in a row: the middle one and both neighbours */
  gst_buffer_memset (frame, 8 * 32 + 10, 200, 3);
  structure = measure (h, frame);
  expect_double (structure, "outliers", 1 / (32. * 16));
  expect_double (structure, "repetition", 10 / 16.); /* not rows 8 and 12 */
  /* two edges of the row, six of its columns */
  expect_double (structure, "gradient-energy",
      8 * 100. * 100. / (31 * 16 + 32 * 15));
}

/* No field for chroma if there is none, or if it is not measured. */
TEST (test_no_chroma)
{
  static const struct {
    GstVideoFormat format;
    const gchar *planes;
    gboolean has_chroma;
  } rows[] = { { GST_VIDEO_FORMAT_GRAY8, "y", FALSE },
    { GST_VIDEO_FORMAT_NV12, "y+u", FALSE },
    { GST_VIDEO_FORMAT_NV12, "y+u+v", TRUE },
    { GST_VIDEO_FORMAT_AYUV, "u+v+a", FALSE } };
  g_autoptr (GstHarness) h = harness_new ("clframesum statistics=hue");

  for (guint i = 0; i < G_N_ELEMENTS (rows); i++) {
    g_autoptr (GstBuffer) frame = NULL;
    g_autoptr (GstStructure) structure = NULL;
    GstVideoInfo info;

    gst_util_set_object_arg (G_OBJECT (h->element), "planes", rows[i].planes);
    harness_set_format (h, rows[i].format, 33, 17, &info);
    frame = frame_new (&info, 1);
    structure = measure (h, frame);
    fail_unless_equals_int (gst_structure_has_field (structure, "hue-mean"),
        rows[i].has_chroma);
  }
}

/* Histograms of zones and regions of interest can be omitted, from the next
 * frame on; all other fields stay. */
TEST (test_region_histograms)
{
  g_autoptr (GstHarness)
      h = harness_new ("clframesum grid-columns=2 "
                       "statistics=moments+histogram+entropy");
  GstVideoInfo info;

  harness_set_format (h, GST_VIDEO_FORMAT_I420, 32, 16, &info);
  for (guint i = 0; i < 3; i++) {
    const gboolean has_them = i != 1;
    g_autoptr (GstStructure) stats = NULL;
    GstBuffer *frame = frame_new (&info, i);

    g_object_set (h->element, "region-histograms", has_them, NULL);
    gst_buffer_add_video_region_of_interest_meta (frame, "face", 2, 2, 8, 8);
    gst_buffer_unref (harness_run (h, frame));
    g_object_get (h->element, "stats", &stats, NULL);
    fail_unless (gst_structure_has_field (stats, "histogram"));
    fail_unless (gst_structure_has_field (stats, "zone-entropy"));
    fail_unless (gst_structure_has_field (stats, "roi-mean"));
    fail_unless_equals_int (gst_structure_has_field (stats, "zone-histogram"),
        has_them);
    fail_unless_equals_int (gst_structure_has_field (stats, "roi-histogram"),
        has_them);
  }
}

/* The range that samples show is of codes, however few bins are reported. */
TEST (test_range_evidence_of_bins)
{
  static const gchar *const lines[] = {
    "clframesum statistics=range-evidence",
    "clframesum statistics=histogram+range-evidence histogram-bins=2",
  };
  static const gchar *const names[] = { "range-below", "range-within",
    "range-above", "range-low-peak", "range-high-peak" };
  gdouble values[G_N_ELEMENTS (lines)][G_N_ELEMENTS (names)];

  for (guint i = 0; i < G_N_ELEMENTS (lines); i++) {
    g_autoptr (GstHarness) h = harness_new (lines[i]);
    g_autoptr (GstBuffer) frame = NULL;
    g_autoptr (GstStructure) structure = NULL;
    GstVideoInfo info;

    harness_set_format (h, GST_VIDEO_FORMAT_GRAY8, 33, 19, &info);
    frame = frame_new (&info, 1);
    structure = measure (h, frame);
    for (guint n = 0; n < G_N_ELEMENTS (names); n++)
      values[i][n] = g_value_get_double (entry (structure, names[n], 0));
  }
  for (guint n = 0; n < G_N_ELEMENTS (names); n++)
    fail_unless (values[0][n] == values[1][n], "%s: %g, with two bins %g",
        names[n], values[0][n], values[1][n]);
}

/* Events that need no other kernels keep the measurement: the next frame is
 * compared with the one before. */
TEST (test_events_that_need_no_other_kernels)
{
  static const gchar *const pairs[][2] = { { "black", "black+single-color" },
    { "defocus", "defocus+gap" }, { "border", "border+gap" } };

  for (guint i = 0; i < G_N_ELEMENTS (pairs); i++) {
    g_autoptr (GstHarness) h = harness_new ("clframesum statistics=temporal");
    GstVideoInfo info;

    harness_set_format (h, GST_VIDEO_FORMAT_GRAY8, 64, 48, &info);
    for (guint n = 0; n < 3; n++) {
      g_autoptr (GstBuffer) frame = frame_new (&info, n);
      g_autoptr (GstStructure) structure = NULL;

      gst_util_set_object_arg (G_OBJECT (h->element), "events",
          pairs[i][n < 2 ? 0 : 1]);
      structure = measure (h, frame);
      fail_unless_equals_int (n > 0,
          g_value_get_uint64 (entry (structure, "sum-differences", 0)) > 0);
    }
  }
}

/* --- rectangles ----------------------------------------------------------- */

/* Returns the results of an element whose rectangle changes with each frame. */
static GPtrArray *
measure_rectangles (const gchar *line)
{
  static const gint rectangles[][4] = { { 0, 0, 48, 32 }, { 0, 0, 0, 0 },
    { 6, 4, 34, 18 }, { 0, 0, 0, 0 }, { 2, 2, 1, 1 }, { 64, 0, 200, 200 } };
  g_autoptr (GstHarness) h = harness_new (line);
  GPtrArray *results = g_ptr_array_new_with_free_func (
      (GDestroyNotify) gst_structure_free);
  GstBuffer *out;
  GstVideoInfo info;

  harness_set_format (h, GST_VIDEO_FORMAT_I420, 321, 203, &info);
  for (guint i = 0; i < G_N_ELEMENTS (rectangles); i++) {
    const gint *r = rectangles[i];

    g_object_set (h->element, "position-x", r[0], "position-y", r[1], "width",
        r[2], "height", r[3], NULL);
    fail_unless_equals_int (gst_harness_push (h, frame_new (&info, i)),
        GST_FLOW_OK);
  }
  fail_unless (gst_harness_push_event (h, gst_event_new_eos ()));
  while ((out = gst_harness_try_pull (h))) {
    g_ptr_array_add (results,
        gst_structure_copy (gst_custom_meta_get_structure (
            gst_buffer_get_custom_meta (out, "GstClFrameSumMeta"))));
    gst_buffer_unref (out);
  }
  fail_unless_equals_int (results->len, G_N_ELEMENTS (rectangles));

  return results;
}

static gboolean
expect_field (GQuark id, const GValue *value, gpointer all)
{
  const GValue *same = gst_structure_id_get_value (all, id);

  if (id != g_quark_from_static_string ("element"))
    fail_unless (same && gst_value_compare (value, same) == GST_VALUE_EQUAL,
        "%s differs", g_quark_to_string (id));

  return TRUE;
}

/* Ops that share a buffer and a read give what each of them gives alone, while
 * results of other sizes are pending. */
TEST (test_rectangles_while_results_are_pending)
{
  static const gchar *const lines[] = { "clframesum statistics=profiles",
    "clframesum statistics=blockiness", "clframesum statistics=cells",
    "clframesum statistics=waveform+vectorscope", "clframesum statistics=flash",
    "clframesum statistics=light+light-histogram+levels" };
  g_autoptr (GPtrArray) all = measure_rectangles (
      "clframesum async-depth=16 statistics=profiles+blockiness+cells+waveform+"
      "vectorscope+flash+light+light-histogram+levels");

  for (guint i = 0; i < G_N_ELEMENTS (lines); i++) {
    g_autoptr (GPtrArray) one = measure_rectangles (lines[i]);

    for (guint n = 0; n < one->len; n++)
      gst_structure_foreach (one->pdata[n], expect_field, all->pdata[n]);
  }
}

/* Events that these pictures cannot have are not measured; those that are added
 * while they are, are detected. */
TEST (test_events_added_to_others_without_colour)
{
  static const gchar *const pairs[][2] = { { "flash", "flash+black" },
    { "levels", "levels+gap" } };

  for (guint i = 0; i < G_N_ELEMENTS (pairs); i++) {
    g_autoptr (GstHarness) h = harness_new (
        "clframesum statistics=0 planes=y black-min-duration=0");
    g_autoptr (GstBus) bus = harness_bus (h);
    g_autoptr (GstMessage) message = NULL;
    GstVideoInfo info;

    harness_set_format (h, GST_VIDEO_FORMAT_I420, 64, 48, &info);
    for (guint n = 0; n < 20; n++) {
      GstBuffer *frame = frame_new (&info, n);

      gst_buffer_memset (frame, 0, 16, 64 * 48);
      /* a gap in the middle */
      GST_BUFFER_PTS (frame) = (n < 10 ? n : n + 30) * GST_SECOND / 25;
      GST_BUFFER_DURATION (frame) = GST_SECOND / 25;
      gst_util_set_object_arg (G_OBJECT (h->element), "events",
          pairs[i][n < 1 ? 0 : 1]);
      fail_unless_equals_int (gst_harness_push (h, frame), GST_FLOW_OK);
    }
    fail_unless (gst_harness_push_event (h, gst_event_new_eos ()));
    message = pop_element_message (bus, "clframesum-event");
    fail_unless (message != NULL, "%s to %s", pairs[i][0], pairs[i][1]);
  }
}

SUITE (.start = harness_share_context);
