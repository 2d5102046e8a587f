/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Events: intervals, times, settings, messages. test_detectors.c tests the
 * detectors, tests/pipelines/test_events.py compares them with FFmpeg. */

#include "eventlog.h"

#include "suite.h"

#define BLACK 16

static void
push_black (EventLog *log, guint n)
{
  event_log_set_level (log, 0, BLACK, N_SAMPLES);
  event_log_push (log, n);
}

static void
push_bright (EventLog *log, guint n)
{
  event_log_set_level (log, 0, BLACK, 0);
  event_log_push (log, n);
}

/* --- intervals ------------------------------------------------------------ */

/* 2 s are 20 frames and the next one, black or not. */
TEST (test_least_duration)
{
  g_autoptr (EventLog) log = event_log_new (GST_CL_EVENT_BLACK);

  push_bright (log, 5);
  push_black (log, 19);
  push_bright (log, 1);
  event_log_expect (log, "");

  push_black (log, 20);
  event_log_expect (log, "");
  push_bright (log, 1);
  event_log_expect (log, "black start 2.5; black end 4.5 (2.0); ");

  push_black (log, 20);
  event_log_expect (log, "");
  push_black (log, 1);
  event_log_expect (log, "black start 4.6; ");
  push_black (log, 100);
  event_log_expect (log, "");
  push_bright (log, 100);
  event_log_expect (log, "black end 16.7 (12.1); ");
}

TEST (test_no_least_duration)
{
  g_autoptr (EventLog) log = event_log_new (0);

  log->settings.black_min_duration = 0;
  event_log_configure (log, GST_CL_EVENT_BLACK);
  push_black (log, 1);
  event_log_expect (log, "black start 0.0; ");
  push_bright (log, 1);
  event_log_expect (log, "black end 0.1 (0.1); ");
}

/* It ends with the last frame. It starts as in FFmpeg, by the time of a frame:
 * 20 frames to the end are 1.9 s. */
TEST (test_end_of_stream)
{
  g_autoptr (EventLog) log = event_log_new (GST_CL_EVENT_BLACK);

  push_black (log, 20);
  gst_cl_events_finish (log->events);
  event_log_expect (log, "");

  push_black (log, 21);
  event_log_expect (log, "black start 2.0; ");
  gst_cl_events_finish (log->events);
  event_log_expect (log, "black end 4.1 (2.1); ");
  gst_cl_events_finish (log->events);
  event_log_expect (log, "");
}

/* Without durations, the last frame of a stream has the duration of the
 * others. */
TEST (test_end_without_duration)
{
  g_autoptr (EventLog) log = event_log_new (GST_CL_EVENT_BLACK);

  log->frame.time.duration = GST_CLOCK_TIME_NONE;
  push_black (log, 21);
  gst_cl_events_finish (log->events);
  event_log_expect (log, "black start 0.0; black end 2.1 (2.1); ");
}

TEST (test_flush_tells_nothing)
{
  g_autoptr (EventLog) log = event_log_new (GST_CL_EVENT_BLACK);

  push_black (log, 30);
  event_log_expect (log, "black start 0.0; ");
  gst_cl_events_reset (log->events);
  gst_cl_events_finish (log->events);
  push_bright (log, 1);
  push_black (log, 10);
  event_log_expect (log, "");
}

/* Events that are switched off end; events that stay enabled continue. */
TEST (test_configure_while_playing)
{
  g_autoptr (EventLog)
      log = event_log_new (GST_CL_EVENT_BLACK | GST_CL_EVENT_SINGLE_COLOR);

  push_black (log, 25);
  event_log_expect (log, "black start 0.0; single-color start 0.0; ");
  event_log_configure (log, GST_CL_EVENT_SINGLE_COLOR);
  event_log_expect (log, "black end 2.5 (2.5); ");
  push_black (log, 25);
  event_log_expect (log, "");

  event_log_configure (log, GST_CL_EVENT_BLACK | GST_CL_EVENT_SINGLE_COLOR);
  push_black (log, 21);
  event_log_expect (log, "black start 5.0; ");
}

/* --- times ---------------------------------------------------------------- */

TEST (test_no_timestamps)
{
  g_autoptr (EventLog) log = event_log_new (GST_CL_EVENT_BLACK);

  log->frame.time.timestamp = GST_CLOCK_TIME_NONE;
  push_black (log, 20);
  event_log_expect (log, "");
  push_bright (log, 1);
  event_log_expect (log, "black start -1.0; black end -1.0 (2.0); ");
  fail_unless_equals_uint64 (log->last.start.frame, 0);
  fail_unless_equals_uint64 (log->last.end.frame, 20);
}

/* A jump back, as between two files, counts as the duration of a frame. */
TEST (test_time_runs_backwards)
{
  g_autoptr (EventLog) log = event_log_new (GST_CL_EVENT_BLACK);

  log->frame.time.timestamp = 100 * GST_SECOND;
  push_black (log, 10);
  log->frame.time.timestamp = 0;
  push_black (log, 10);
  event_log_expect (log, "");
  push_bright (log, 1);
  event_log_expect (log, "black start 100.0; black end 1.0 (2.0); ");
}

/* An event longer than 64 bits of nanoseconds has an unknown duration. */
TEST (test_time_does_not_wrap)
{
  g_autoptr (EventLog) log = event_log_new (GST_CL_EVENT_BLACK);

  push_black (log, 1);
  log->frame.time.timestamp = GST_CLOCK_TIME_NONE - 10;
  push_black (log, 1);
  event_log_expect (log, "black start 0.0; ");
  log->frame.time.timestamp = 0;
  push_black (log, 1);
  push_bright (log, 1);
  event_log_expect (log, "black end 0.1 (-1.0); ");
}

/* --- messages ------------------------------------------------------------- */

static void
expect_uint64 (const GstStructure *structure, const gchar *field,
    guint64 expected)
{
  guint64 value;

  fail_unless (gst_structure_get_uint64 (structure, field, &value),
      "no field %s", field);
  fail_unless (value == expected,
      "%s is %" G_GUINT64_FORMAT ", expected %" G_GUINT64_FORMAT, field, value,
      expected);
}

TEST (test_structure)
{
  const GstClEvent event = {
    .type = GST_CL_EVENT_SCENE,
    .name = "scene",
    .start = { 1, 2, 3, 4, 5 },
    .end = { 11, 12, 13, 14, 15 },
    .duration = 10,
    .values = { { "score", 12.5 }, { "difference", 13.0 } },
  };
  GstClEvent end = event;
  g_autoptr (GstStructure) begin = gst_cl_event_to_structure (&event);
  g_autoptr (GstStructure) finish = NULL;
  gdouble score;

  fail_unless (gst_structure_has_name (begin, "clframesum-event"));
  fail_unless_equals_string (gst_structure_get_string (begin, "event"),
      "scene");
  fail_unless_equals_string (gst_structure_get_string (begin, "state"),
      "start");
  expect_uint64 (begin, "timestamp", 1);
  expect_uint64 (begin, "stream-time", 2);
  expect_uint64 (begin, "running-time", 3);
  expect_uint64 (begin, "duration", 10);
  expect_uint64 (begin, "frame", 5);
  fail_unless (gst_structure_get_double (begin, "score", &score));
  fail_unless_equals_float (score, 12.5);
  fail_unless (
      gst_structure_has_field_typed (begin, "difference", G_TYPE_DOUBLE));
  fail_unless_equals_int (gst_structure_n_fields (begin), 9);

  end.is_end = TRUE;
  end.values[0].name = NULL;
  finish = gst_cl_event_to_structure (&end);
  fail_unless_equals_string (gst_structure_get_string (finish, "state"), "end");
  expect_uint64 (finish, "timestamp", 11);
  expect_uint64 (finish, "stream-time", 12);
  expect_uint64 (finish, "running-time", 13);
  expect_uint64 (finish, "frame", 15);
  expect_uint64 (finish, "start-timestamp", 1);
  expect_uint64 (finish, "start-stream-time", 2);
  expect_uint64 (finish, "start-running-time", 3);
  expect_uint64 (finish, "start-frame", 5);
  fail_unless_equals_int (gst_structure_n_fields (finish), 11);
}

/* The names and flags of the property `events`. */
TEST (test_names)
{
  static const gchar *const names[] = { "black", "white", "freeze", "scene",
    "single-color", "defocus", "signal-loss", "range", "noisy", "border",
    "repeat", "gap", "blocky", "field-order", "card", "flash", "levels" };
  GFlagsClass *klass = g_type_class_ref (
      gst_cl_enum_get_type (&gst_cl_events_enum));

  fail_unless_equals_int (klass->n_values, G_N_ELEMENTS (names));
  for (guint i = 0; i < G_N_ELEMENTS (names); i++) {
    fail_unless_equals_string (klass->values[i].value_nick, names[i]);
    fail_unless_equals_int (klass->values[i].value, 1 << i);
  }
  g_type_class_unref (klass);
}

TEST (test_needs)
{
  fail_unless_equals_uint64 (gst_cl_events_needs (0), 0);
  fail_unless_equals_uint64 (gst_cl_events_needs (GST_CL_EVENT_SIGNAL_LOSS), 0);
  fail_unless_equals_uint64 (
      gst_cl_events_needs (GST_CL_EVENT_BLACK | GST_CL_EVENT_WHITE),
      GST_CL_STATISTIC (BRIGHTNESS));
  fail_unless_equals_uint64 (
      gst_cl_events_needs (GST_CL_EVENT_FREEZE | GST_CL_EVENT_DEFOCUS),
      GST_CL_STATISTIC (STILLNESS) | GST_CL_STATISTIC (SHARPNESS));
  fail_unless_equals_uint64 (
      gst_cl_events_needs (GST_CL_EVENT_SCENE | GST_CL_EVENT_SINGLE_COLOR),
      GST_CL_STATISTIC (CHANGE) | GST_CL_STATISTIC (HISTOGRAM));
}

/* --- settings ------------------------------------------------------------- */

/* The defaults of FFmpeg's filters; blackdetect's times are seconds. */
TEST (test_defaults)
{
  GstClEventSettings settings;

  gst_cl_event_settings_init (&settings);
  fail_unless_equals_float (settings.pixel_black_threshold, 0.10);
  fail_unless_equals_float (settings.picture_black_ratio, 0.98);
  fail_unless_equals_uint64 (settings.black_min_duration, 2 * GST_SECOND);
  fail_unless_equals_float (settings.freeze_noise, 0.001);
  fail_unless_equals_uint64 (settings.freeze_duration, 2 * GST_SECOND);
  fail_unless_equals_float (settings.scene_threshold, 10.0);
}

/* Each row: its own field, its default, its name. */
TEST (test_properties)
{
  const guint n = GST_CL_EVENT_N_PROPERTIES;
  g_autoptr (GHashTable) names = g_hash_table_new (g_str_hash, g_str_equal);
  GstClEventSettings settings, changed;

  fail_unless (gst_cl_event_property (n) == NULL);
  /* the last member is a pointer, whose size depends on the machine */
  fail_unless_equals_int ((n - 1) * 8,
      G_STRUCT_OFFSET (GstClEventSettings, card_file));
  gst_cl_event_settings_init (&settings);
  gst_cl_event_settings_init (&changed);
  for (guint i = 0; i < n; i++) {
    GParamSpec *pspec = g_param_spec_ref_sink (
        gst_cl_property_spec (gst_cl_event_property (i)));
    g_auto (GValue) value = G_VALUE_INIT;

    fail_unless (g_param_spec_is_valid_name (pspec->name), "invalid name %s",
        pspec->name);
    fail_unless (g_hash_table_add (names, (gpointer) pspec->name),
        "two properties are named %s", pspec->name);
    g_value_init (&value, pspec->value_type);
    gst_cl_property_get (gst_cl_event_property (i), &settings, &value);
    fail_unless (g_param_value_defaults (pspec, &value),
        "property %s: the value is not the default", pspec->name);

    if (pspec->value_type == G_TYPE_UINT64)
      g_value_set_uint64 (&value, i + 1);
    else if (pspec->value_type == G_TYPE_STRING)
      g_value_set_static_string (&value, "a file");
    else
      g_value_set_double (&value, (i + 1) / 64.0);
    gst_cl_property_set (gst_cl_event_property (i), &changed, &value);
    g_param_spec_unref (pspec);
  }

  for (guint i = 0; i < n; i++) {
    GParamSpec *pspec = g_param_spec_ref_sink (
        gst_cl_property_spec (gst_cl_event_property (i)));
    g_auto (GValue) value = G_VALUE_INIT;

    g_value_init (&value, pspec->value_type);
    gst_cl_property_get (gst_cl_event_property (i), &changed, &value);
    if (pspec->value_type == G_TYPE_UINT64) {
      fail_unless_equals_uint64 (g_value_get_uint64 (&value), i + 1);
    } else if (pspec->value_type == G_TYPE_STRING) {
      fail_unless_equals_string (g_value_get_string (&value), "a file");
    } else {
      fail_unless_equals_float (g_value_get_double (&value), (i + 1) / 64.0);
    }
    g_param_spec_unref (pspec);
  }
}

/* A change of any one property makes settings differ. */
TEST (test_equal)
{
  GstClEventSettings initial, changed;

  gst_cl_event_settings_init (&initial);
  for (guint i = 0; i < GST_CL_EVENT_N_PROPERTIES; i++) {
    const GstClProperty *row = gst_cl_event_property (i);
    g_auto (GValue) value = G_VALUE_INIT;

    changed = initial;
    fail_unless (gst_cl_event_settings_equal (&initial, &changed));
    if (row->type == GST_CL_PROPERTY_UINT64) {
      g_value_init (&value, G_TYPE_UINT64);
      g_value_set_uint64 (&value, row->values.u64.initial + 1);
    } else if (row->type == GST_CL_PROPERTY_STRING) {
      g_value_init (&value, G_TYPE_STRING);
      g_value_set_static_string (&value, "a file");
    } else {
      g_value_init (&value, G_TYPE_DOUBLE);
      g_value_set_double (&value, 1 / 64.0);
    }
    gst_cl_property_set (row, &changed, &value);
    fail_if (gst_cl_event_settings_equal (&initial, &changed),
        "property %s: the settings are equal after a change", row->name);
  }
}
