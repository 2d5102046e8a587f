/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Events and pooled results of a stream: which are published, and in which
 * order. */

#include "statistics/series/gstclseries.h"

#include "suite.h"

#define FRAME_TIME (40 * GST_MSECOND)

typedef struct {
  GstClSeries *series;
  GString *log;
  guint n_frames;
} Stream;

static void
log_result (GstClSeriesResult kind, GstStructure *structure, gpointer user_data)
{
  Stream *stream = user_data;
  gboolean is_complete;
  guint64 n;

  if (kind == GST_CL_SERIES_EVENT) {
    fail_unless (gst_structure_has_name (structure, "clframesum-event"));
    fail_unless (gst_structure_get_uint64 (structure, "frame", &n));
    g_string_append_printf (stream->log, "%s %s %" G_GUINT64_FORMAT "; ",
        gst_structure_get_string (structure, "event"),
        gst_structure_get_string (structure, "state"), n);
  } else {
    fail_unless (gst_structure_has_name (structure, "clframesum-pooled"));
    fail_unless (gst_structure_get_uint64 (structure, "frames", &n));
    fail_unless (
        gst_structure_get_boolean (structure, "complete", &is_complete));
    g_string_append_printf (stream->log, "%" G_GUINT64_FORMAT " frames%s; ", n,
        is_complete ? "" : ", incomplete");
  }
  gst_structure_free (structure);
}

static void
stream_init (Stream *stream, GstClEventType types)
{
  GstClEventSettings settings;

  gst_cl_event_settings_init (&settings);
  settings.black_min_duration = 2 * FRAME_TIME;
  *stream = (Stream){ .log = g_string_new (NULL) };
  stream->series = gst_cl_series_new (log_result, stream);
  gst_cl_series_configure (stream->series, types, 0, &settings);
}

static void
stream_clear (Stream *stream)
{
  gst_cl_series_free (stream->series);
  g_string_free (stream->log, TRUE);
}

/* Adds frames of four black samples of component @name. */
static void
add_black (Stream *stream, guint n_frames, const gchar *name, guint depth)
{
  g_autofree guint32 *histogram = g_new0 (guint32, 1u << depth);
  const GstClMoments moments = { .count = 4 };

  histogram[0] = 4;
  for (guint i = 0; i < n_frames; i++) {
    const guint64 number = stream->n_frames++;
    const GstClockTime time = number * FRAME_TIME;
    const GstClSeriesInput input = {
      .frame = { .time = { .timestamp = time,
                     .stream_time = time,
                     .running_time = time,
                     .duration = FRAME_TIME,
                     .frame = number },
          .depth = depth,
          .n_components = 1,
          .histograms = { histogram },
          .moments = { moments } },
      .has_brightness = *name == 'Y',
      .parts = GST_CL_STATISTIC (MOMENTS),
      .n_components = 1,
      .names = { name },
      .components = { { .moments = moments, .histogram = histogram } },
    };

    gst_cl_series_add (stream->series, &input);
  }
}

static void
expect (Stream *stream, const gchar *expected)
{
  fail_unless_equals_string (stream->log->str, expected);
  g_string_truncate (stream->log, 0);
}

TEST (test_end)
{
  Stream stream;

  stream_init (&stream, GST_CL_EVENT_BLACK);
  add_black (&stream, 5, "Y", 8);
  expect (&stream, "black start 0; ");
  gst_cl_series_finish (stream.series, TRUE);
  expect (&stream, "black end 5; 5 frames; ");
  gst_cl_series_finish (stream.series, TRUE);
  expect (&stream, "");
  stream_clear (&stream);
}

/* Another depth begins a new pooled result, and ends no event; another chroma
 * does both. */
TEST (test_changes)
{
  Stream stream;

  stream_init (&stream, GST_CL_EVENT_BLACK);
  add_black (&stream, 2, "Y", 8);
  add_black (&stream, 2, "Y", 10);
  expect (&stream, "black start 0; 2 frames; ");
  add_black (&stream, 3, "U", 10);
  expect (&stream, "black end 4; 2 frames; ");
  add_black (&stream, 1, "U", 10);
  gst_cl_series_finish (stream.series, FALSE);
  expect (&stream, "4 frames, incomplete; ");
  stream_clear (&stream);
}

TEST (test_miss)
{
  Stream stream;

  stream_init (&stream, 0);
  add_black (&stream, 2, "Y", 8);
  gst_cl_series_miss (stream.series);
  gst_cl_series_finish (stream.series, TRUE);
  expect (&stream, "2 frames, incomplete; ");
  add_black (&stream, 1, "Y", 8);
  gst_cl_series_finish (stream.series, TRUE);
  expect (&stream, "1 frames; ");
  stream_clear (&stream);
}

TEST (test_reset)
{
  Stream stream;

  stream_init (&stream, GST_CL_EVENT_BLACK);
  add_black (&stream, 4, "Y", 8);
  gst_cl_series_miss (stream.series);
  expect (&stream, "black start 0; ");
  gst_cl_series_reset (stream.series);
  add_black (&stream, 1, "Y", 8);
  gst_cl_series_finish (stream.series, TRUE);
  expect (&stream, "1 frames; ");
  stream_clear (&stream);
}

/* Each member is stored in the field of its name. */
TEST (test_fields)
{
  const GstClSeriesFrame frame = { .nominal_duration = 18,
    .buffer_flags = 19,
    .is_full_range = TRUE,
    .previous_sad = 1,
    .previous_count = 2,
    .reference_sad = 3,
    .reference_count = 4,
    .reference_limit = 5,
    .gradient_sum = 6,
    .gradient_count = 7,
    .noise_sum = 8,
    .noise_count = 9,
    .blockiness = 26,
    .borders = { .width = { 18, 19, 20, 21 }, .limit = { 22, 23, 24, 25 } },
    .flash = { .transitions = { 28, 30 },
        .result = { 29, 31 },
        .region_transitions = { 32, 34 },
        .region_result = { 33, 35 },
        .x = 36,
        .y = 37,
        .width = 38,
        .height = 39 },
    .tagged_order = 27,
    .fields = { .has_previous = TRUE,
        .previous = { 10, 11 },
        .current = { 12, 13 },
        .own = { 14, 15 },
        .change = { 16, 17 } } };
  g_autoptr (GstStructure) structure = gst_structure_new_empty ("fields");
  g_autofree gchar *text = NULL;

  gst_cl_series_frame_add_fields (&frame, ~0, structure);
  text = gst_structure_to_string (structure);
  fail_unless_equals_string (text,
      "fields, full-range=(boolean)true, nominal-duration=(guint64)18, "
      "buffer-flags=(guint64)19, "
      "previous-difference=(guint64)1, "
      "previous-count=(guint64)2, reference-difference=(guint64)3, "
      "reference-count=(guint64)4, reference-limit=(guint64)5, "
      "gradient-sum=(guint64)6, gradient-count=(guint64)7, "
      "noise-sum=(guint64)8, noise-count=(guint64)9, "
      "blockiness-units=(guint64)26, "
      "border-left=(guint64)18, border-right=(guint64)19, "
      "border-top=(guint64)20, border-bottom=(guint64)21, "
      "border-left-limit=(guint64)22, border-right-limit=(guint64)23, "
      "border-top-limit=(guint64)24, border-bottom-limit=(guint64)25, "
      "field-tag=(guint64)27, "
      "field-compared=(boolean)true, field-previous-top=(guint64)10, "
      "field-previous-bottom=(guint64)11, field-current-top=(guint64)12, "
      "field-current-bottom=(guint64)13, field-own-top=(guint64)14, "
      "field-own-bottom=(guint64)15, field-change-top=(guint64)16, "
      "field-change-bottom=(guint64)17, "
      "flash-luminance-transitions=(guint64)28, "
      "flash-luminance-result=(guint64)29, "
      "flash-red-transitions=(guint64)30, flash-red-result=(guint64)31, "
      "flash-region-luminance-transitions=(guint64)32, "
      "flash-region-luminance-result=(guint64)33, "
      "flash-region-red-transitions=(guint64)34, "
      "flash-region-red-result=(guint64)35, flash-region-x=(guint64)36, "
      "flash-region-y=(guint64)37, flash-region-width=(guint64)38, "
      "flash-region-height=(guint64)39;");
}
