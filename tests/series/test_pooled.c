/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Pooled statistics. */

#include <math.h>

#include "statistics/series/gstclpooled.h"

#include "suite.h"

#define ALL                                                                    \
  (GST_CL_STATISTIC (MOMENTS) | GST_CL_STATISTIC (RANGE) |                     \
      GST_CL_STATISTIC (HISTOGRAM) | GST_CL_STATISTIC (RANGE_EVIDENCE) |       \
      GST_CL_STATISTIC (NOISE) | GST_CL_STATISTIC (BLOCKINESS))
#define N_COMPONENTS 3
#define N_CODES      256
#define N_SAMPLES    500 /* a component of a frame */

static const gchar *const names[] = { "Y", "U", "V", "A", "other" };

/* --- frames --------------------------------------------------------------- */

typedef struct {
  GstClFrameTime time;
  GstClPooledFrame components[N_COMPONENTS];
  guint32 histograms[N_COMPONENTS][N_CODES];
} Frame;

static void
fill_frame (Frame *frame, GRand *rand, guint64 number)
{
  *frame = (Frame){
    .time = { number * 40, number * 40 + 7, number * 40 + 9, 40, number },
  };
  for (guint c = 0; c < N_COMPONENTS; c++) {
    GstClMoments *moments = &frame->components[c].moments;

    moments->min = G_MAXUINT32;
    frame->components[c].histogram = frame->histograms[c];
    for (guint i = 0; i < N_SAMPLES; i++) {
      const guint code = g_rand_int_range (rand, 3, 250);

      moments->count++;
      moments->sum += code;
      moments->sum_squares += code * code;
      moments->min = MIN (moments->min, code);
      moments->max = MAX (moments->max, code);
      frame->histograms[c][code]++;
    }
  }
}

static GstClPooled *
new_pooled (void)
{
  return gst_cl_pooled_new (ALL, 8, N_CODES, names, N_COMPONENTS);
}

/* Frames @first .. @end of the stream of @seed. */
static GstClPooled *
pool_frames (guint seed, guint first, guint end)
{
  const GstClSeriesFrame noise = { .noise_sum = G_MAXUINT64 / 2,
    .noise_count = 3 };
  GstClPooled *pooled = new_pooled ();

  for (guint i = first; i < end; i++) {
    g_autoptr (GRand) rand = g_rand_new_with_seed (seed + i);
    Frame frame;

    fill_frame (&frame, rand, i);
    gst_cl_pooled_add (pooled, &frame.time, frame.components,
        i % GST_CL_RANGE_N_EVIDENCES);
    gst_cl_pooled_add_numbers (pooled, &noise);
  }

  return pooled;
}

/* --- sums ----------------------------------------------------------------- */

TEST (test_sums)
{
  g_autoptr (GstClPooled) pooled = pool_frames (1, 10, 12);
  guint64 count = 0, sum = 0, squares = 0, bins = 0, bin_sum = 0;

  for (guint i = 10; i < 12; i++) {
    g_autoptr (GRand) rand = g_rand_new_with_seed (1 + i);
    Frame frame;

    fill_frame (&frame, rand, i);
    count += frame.components[1].moments.count;
    sum += frame.components[1].moments.sum;
    squares += frame.components[1].moments.sum_squares;
  }
  for (guint i = 0; i < N_CODES; i++) {
    bins += pooled->components[1].histogram[i];
    bin_sum += i * pooled->components[1].histogram[i];
  }

  fail_unless_equals_uint64 (pooled->n_frames, 2);
  fail_unless_equals_uint64 (pooled->components[1].count, count);
  fail_unless_equals_uint64 (pooled->components[1].sum.low, sum);
  fail_unless_equals_uint64 (pooled->components[1].sum.high, 0);
  fail_unless_equals_uint64 (pooled->components[1].sum_squares.low, squares);
  fail_unless_equals_uint64 (bins, count);
  fail_unless_equals_uint64 (bin_sum, sum);
  fail_unless (pooled->components[1].min >= 3);
  fail_unless (pooled->components[1].max <= 249);
  fail_unless (pooled->components[1].max > pooled->components[1].min);

  fail_unless_equals_uint64 (pooled->begin.timestamp, 400);
  fail_unless_equals_uint64 (pooled->begin.stream_time, 407);
  fail_unless_equals_uint64 (pooled->begin.running_time, 409);
  fail_unless_equals_uint64 (pooled->begin.frame, 10);
  fail_unless_equals_uint64 (pooled->end.timestamp, 480);
  fail_unless_equals_uint64 (pooled->end.stream_time, 487);
  fail_unless_equals_uint64 (pooled->end.running_time, 489);
  fail_unless_equals_uint64 (pooled->end.frame, 12);
  fail_unless_equals_uint64 (pooled->duration, 80);
}

/* The evidence of three frames in a row is unknown, limited and full. */
TEST (test_range_evidence)
{
  static const struct {
    guint end;
    guint64 n_limited, n_full;
    const gchar *evidence;
  } rows[] = { { 1, 0, 0, "unknown" }, { 2, 1, 0, "limited" },
    { 6, 2, 2, "unknown" } };

  for (guint i = 0; i < G_N_ELEMENTS (rows); i++) {
    g_autoptr (GstClPooled) pooled = pool_frames (1, 0, rows[i].end);
    g_autoptr (GstStructure) structure = gst_cl_pooled_to_structure (pooled);
    guint64 n_limited, n_full;

    fail_unless (gst_structure_get (structure, "limited-frames", G_TYPE_UINT64,
        &n_limited, "full-frames", G_TYPE_UINT64, &n_full, NULL));
    fail_unless_equals_uint64 (n_limited, rows[i].n_limited);
    fail_unless_equals_uint64 (n_full, rows[i].n_full);
    fail_unless_equals_string (
        gst_structure_get_string (structure, "range-evidence"),
        rows[i].evidence);
  }
}

/* Each frame has half of 2^64 - 1 over three samples. */
TEST (test_noise)
{
  g_autoptr (GstClPooled) pooled = pool_frames (1, 0, 5);
  g_autoptr (GstStructure) structure = gst_cl_pooled_to_structure (pooled);
  guint64 count, sum, sum_high;
  gdouble noise;

  fail_unless (gst_structure_get (structure, "noise-count", G_TYPE_UINT64,
      &count, "noise-sum", G_TYPE_UINT64, &sum, "noise-sum-high", G_TYPE_UINT64,
      &sum_high, "noise", G_TYPE_DOUBLE, &noise, NULL));
  fail_unless_equals_uint64 (count, 15);
  fail_unless_equals_uint64 (sum_high, 2);
  fail_unless_equals_uint64 (sum, G_MAXUINT64 / 2 - 4);
  /* the square root of pi / 2 */
  noise /= 1.2533141373155003 / 6 * (G_MAXUINT64 / 2) / 3;
  fail_unless (ABS (noise - 1.0) < 1e-12, "%g", noise);
}

TEST (test_no_frames)
{
  g_autoptr (GstClPooled) nothing = new_pooled ();
  g_autoptr (GstClPooled) cleared = pool_frames (3, 5, 6);
  g_autoptr (GstStructure) expected = gst_cl_pooled_to_structure (nothing);
  g_autoptr (GstStructure) found = NULL;
  gdouble mean, variance;

  gst_cl_pooled_moments (nothing, 0, &mean, &variance);
  fail_unless (mean == 0.0 && variance == 0.0);
  gst_cl_pooled_clear (cleared);
  found = gst_cl_pooled_to_structure (cleared);
  fail_unless (gst_structure_is_equal (found, expected),
      "%" GST_PTR_FORMAT ": expected %" GST_PTR_FORMAT, found, expected);
}

TEST (test_unknown_times)
{
  const GstClFrameTime unknown = { GST_CLOCK_TIME_NONE, GST_CLOCK_TIME_NONE,
    GST_CLOCK_TIME_NONE, GST_CLOCK_TIME_NONE, 3 };
  const GstClFrameTime known = { 100, 200, 300, GST_CLOCK_TIME_NONE, 2 };
  const GstClPooledFrame components[] = { { .moments.count = 0 } };
  g_autoptr (GstClPooled) pooled = gst_cl_pooled_new (0, 8, 0, names, 1);

  gst_cl_pooled_add (pooled, &unknown, components, GST_CL_RANGE_UNKNOWN);
  fail_unless_equals_uint64 (pooled->begin.timestamp, GST_CLOCK_TIME_NONE);
  fail_unless_equals_uint64 (pooled->end.timestamp, GST_CLOCK_TIME_NONE);
  gst_cl_pooled_add (pooled, &known, components, GST_CL_RANGE_UNKNOWN);
  gst_cl_pooled_add (pooled, &unknown, components, GST_CL_RANGE_UNKNOWN);
  fail_unless_equals_uint64 (pooled->begin.timestamp, 100);
  fail_unless_equals_uint64 (pooled->end.running_time, 300);
  fail_unless_equals_uint64 (pooled->begin.frame, 2);
  fail_unless_equals_uint64 (pooled->end.frame, 4);
  fail_unless_equals_uint64 (pooled->duration, 0);
}

/* Values that do not fit 64 bits are unknown. */
TEST (test_times_do_not_wrap)
{
  const GstClFrameTime late = { GST_CLOCK_TIME_NONE - 3, 200, 300,
    GST_CLOCK_TIME_NONE - 250, 0 };
  const GstClPooledFrame components[] = { { .moments.count = 0 } };
  g_autoptr (GstClPooled) pooled = gst_cl_pooled_new (0, 8, 0, names, 1);

  gst_cl_pooled_add (pooled, &late, components, GST_CL_RANGE_UNKNOWN);
  fail_unless_equals_uint64 (pooled->end.timestamp, GST_CLOCK_TIME_NONE);
  fail_unless_equals_uint64 (pooled->end.stream_time, GST_CLOCK_TIME_NONE - 50);
  fail_unless_equals_uint64 (pooled->end.running_time, GST_CLOCK_TIME_NONE);
  fail_unless_equals_uint64 (pooled->duration, GST_CLOCK_TIME_NONE - 250);
  gst_cl_pooled_add (pooled, &late, components, GST_CL_RANGE_UNKNOWN);
  fail_unless_equals_uint64 (pooled->duration, GST_CLOCK_TIME_NONE);
  gst_cl_pooled_add (pooled, &late, components, GST_CL_RANGE_UNKNOWN);
  fail_unless_equals_uint64 (pooled->duration, GST_CLOCK_TIME_NONE);
}

/* Frames with other settings begin a new result. */
TEST (test_settings)
{
  static const gchar *const others[] = { "R", "G", "B" };
  const GstClStatistics all = ALL;
  g_autoptr (GstClPooled) pooled = new_pooled ();

  fail_unless (
      gst_cl_pooled_is_of (pooled, all, 8, N_CODES, names, N_COMPONENTS));
  fail_if (gst_cl_pooled_is_of (pooled, GST_CL_STATISTIC (MOMENTS), 8, 0, names,
      N_COMPONENTS));
  fail_if (gst_cl_pooled_is_of (pooled, all, 10, N_CODES, names, N_COMPONENTS));
  fail_if (gst_cl_pooled_is_of (pooled, all, 8, 64, names, N_COMPONENTS));
  fail_if (
      gst_cl_pooled_is_of (pooled, all, 8, N_CODES, names, N_COMPONENTS - 1));
  fail_if (gst_cl_pooled_is_of (pooled, all, 8, N_CODES, others, N_COMPONENTS));
}

/* A component may have no sample in the measured rectangle. */
TEST (test_no_samples)
{
  g_autoptr (GstClPooled)
      pooled = gst_cl_pooled_new (GST_CL_STATISTIC (RANGE), 8, 0, names, 1);
  const GstClFrameTime time = { 0 };
  const GstClPooledFrame nothing = { .histogram = NULL };
  const GstClPooledFrame sample = {
    .moments = { .count = 1, .min = 7, .max = 7 }
  };

  gst_cl_pooled_add (pooled, &time, &nothing, GST_CL_RANGE_UNKNOWN);
  fail_unless_equals_uint64 (pooled->components[0].min, G_MAXUINT32);
  gst_cl_pooled_add (pooled, &time, &sample, GST_CL_RANGE_UNKNOWN);
  gst_cl_pooled_add (pooled, &time, &nothing, GST_CL_RANGE_UNKNOWN);
  fail_unless_equals_uint64 (pooled->components[0].min, 7);
  fail_unless_equals_uint64 (pooled->components[0].max, 7);
}

/* --- 128 bits ------------------------------------------------------------- */

#define PIXELS_8K G_GUINT64_CONSTANT (33177600) /* 7680 x 4320 */
#define WHITE     G_GUINT64_CONSTANT (65535)

/* Two days of white 8K at 16 bits and 60 a second: both sums exceed 2^64, the
 * sum of the squares with the 130th frame. */
TEST (test_white_for_days)
{
  const GstClPooledFrame white = { .moments.count = PIXELS_8K,
    .moments.sum = PIXELS_8K * WHITE,
    .moments.sum_squares = PIXELS_8K * WHITE * WHITE };
  const GstClFrameTime time = { 0 };
  g_autoptr (GstClPooled)
      days = gst_cl_pooled_new (GST_CL_STATISTIC (MOMENTS), 16, 0, names, 1);
  gdouble mean, variance;
  const guint64 frames = 1 << 24;

  G_STATIC_ASSERT (2 * 60 * 86400 <= 1 << 24);
  for (guint i = 0; i < 129; i++)
    gst_cl_pooled_add (days, &time, &white, GST_CL_RANGE_UNKNOWN);
  fail_unless_equals_uint64 (days->components[0].sum_squares.high, 0);
  gst_cl_pooled_add (days, &time, &white, GST_CL_RANGE_UNKNOWN);
  fail_unless_equals_uint64 (days->components[0].sum_squares.high, 1);

  while (days->n_frames < frames)
    gst_cl_pooled_add (days, &time, &white, GST_CL_RANGE_UNKNOWN);

  fail_unless_equals_uint64 (days->components[0].count, PIXELS_8K * frames);
  fail_unless_equals_uint64 (days->components[0].sum.high,
      (PIXELS_8K * WHITE) >> 40);
  fail_unless_equals_uint64 (days->components[0].sum.low, (PIXELS_8K * WHITE)
                                                              << 24);
  fail_unless_equals_uint64 (days->components[0].sum_squares.high,
      (PIXELS_8K * WHITE * WHITE) >> 40);
  fail_unless_equals_uint64 (days->components[0].sum_squares.low,
      (PIXELS_8K * WHITE * WHITE) << 24);
  gst_cl_pooled_moments (days, 0, &mean, &variance);
  fail_unless (mean == 65535.0 && variance == 0.0,
      "mean %g, expected 65535; variance %g, expected 0", mean, variance);
}

/* --- moments -------------------------------------------------------------- */

/* Compared with long double over all samples. */
TEST (test_moments)
{
  g_autoptr (GRand) rand = g_rand_new_with_seed (6);
  const GstClFrameTime time = { 0 };

  for (guint run = 0; run < 100; run++) {
    g_autoptr (GstClPooled) pooled = gst_cl_pooled_new (
        GST_CL_STATISTIC (MOMENTS), 16, 0, names, 1);
    guint samples[200];
    const guint n = g_rand_int_range (rand, 1, G_N_ELEMENTS (samples));
    long double exact = 0, about = 0;
    gdouble mean, variance;

    for (guint i = 0; i < n; i++) {
      GstClPooledFrame frame = { .moments.count = 1 };

      samples[i] = 65000 + g_rand_int_range (rand, 0, run + 1);
      frame.moments.sum = samples[i];
      frame.moments.sum_squares = (guint64) samples[i] * samples[i];
      gst_cl_pooled_add (pooled, &time, &frame, GST_CL_RANGE_UNKNOWN);
      exact += samples[i];
    }
    exact /= n;
    for (guint i = 0; i < n; i++)
      about += (samples[i] - exact) * (samples[i] - exact);

    gst_cl_pooled_moments (pooled, 0, &mean, &variance);
    fail_unless (fabsl (mean - exact) <= 1e-11L);
    fail_unless (fabsl (variance - about / n) <= 1e-12L * (1 + about / n),
        "variance %.17g, expected %.17Lg", variance, about / n);
  }
}

/* --- messages ------------------------------------------------------------- */

/* Names and types are API for bindings in other languages. */
TEST (test_structure)
{
  static const struct {
    const gchar *name;
    GType type, entry;
  } fields[] = { { "frames", G_TYPE_UINT64, 0 },
    { "timestamp", G_TYPE_UINT64, 0 }, { "stream-time", G_TYPE_UINT64, 0 },
    { "running-time", G_TYPE_UINT64, 0 }, { "frame", G_TYPE_UINT64, 0 },
    { "end-timestamp", G_TYPE_UINT64, 0 },
    { "end-stream-time", G_TYPE_UINT64, 0 },
    { "end-running-time", G_TYPE_UINT64, 0 }, { "end-frame", G_TYPE_UINT64, 0 },
    { "duration", G_TYPE_UINT64, 0 }, { "depth", G_TYPE_INT, 0 },
    { "components", 0, G_TYPE_STRING }, { "count", 0, G_TYPE_UINT64 },
    { "sum", 0, G_TYPE_UINT64 }, { "sum-high", 0, G_TYPE_UINT64 },
    { "sum-squares", 0, G_TYPE_UINT64 },
    { "sum-squares-high", 0, G_TYPE_UINT64 }, { "mean", 0, G_TYPE_DOUBLE },
    { "variance", 0, G_TYPE_DOUBLE }, { "stddev", 0, G_TYPE_DOUBLE },
    { "min", 0, G_TYPE_UINT }, { "max", 0, G_TYPE_UINT },
    { "histogram", 0, -1 }, { "limited-frames", G_TYPE_UINT64, 0 },
    { "full-frames", G_TYPE_UINT64, 0 }, { "range-evidence", G_TYPE_STRING, 0 },
    { "noise-count", G_TYPE_UINT64, 0 }, { "noise-sum", G_TYPE_UINT64, 0 },
    { "noise-sum-high", G_TYPE_UINT64, 0 }, { "noise", G_TYPE_DOUBLE, 0 },
    { "blockiness-units", G_TYPE_UINT64, 0 },
    { "blockiness", G_TYPE_DOUBLE, 0 } };
  g_autoptr (GstClPooled) pooled = pool_frames (7, 0, 2);
  g_autoptr (GstStructure) structure = gst_cl_pooled_to_structure (pooled);

  fail_unless (gst_structure_has_name (structure, "clframesum-pooled"));
  fail_unless_equals_int (gst_structure_n_fields (structure),
      G_N_ELEMENTS (fields));
  for (guint i = 0; i < G_N_ELEMENTS (fields); i++) {
    const GValue *value = gst_structure_get_value (structure, fields[i].name);
    const gboolean is_array = fields[i].type == 0;
    const GType entry = fields[i].entry == (GType) -1 ? GST_TYPE_ARRAY
                                                      : fields[i].entry;

    fail_unless (value != NULL, "no field %s", fields[i].name);
    fail_unless (
        G_VALUE_HOLDS (value, is_array ? GST_TYPE_ARRAY : fields[i].type),
        "field %s has another type", fields[i].name);
    if (is_array) {
      fail_unless_equals_int (gst_value_array_get_size (value), N_COMPONENTS);
      fail_unless (G_VALUE_HOLDS (gst_value_array_get_value (value, 2), entry),
          "array %s has entries of another type", fields[i].name);
    }
  }
}
