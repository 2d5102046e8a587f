/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Missing frames in generated timestamps, and the event gap. */

#include "eventlog.h"
#include "pagetable.h"
#include "suite.h"

#define N_FRAMES 300

/* --- generated timestamps ------------------------------------------------- */

/* Each returns the timestamp of frame @n in nanoseconds. */
typedef GstClockTime (*Timing) (guint n);

static GstClockTime
at_25 (guint n)
{
  return n * 40 * GST_MSECOND;
}

static GstClockTime
at_29_97 (guint n)
{
  return gst_util_uint64_scale (n, 1001 * GST_SECOND, 30000);
}

static GstClockTime
milliseconds (guint n)
{
  return at_29_97 (n) / GST_MSECOND * GST_MSECOND;
}

static GstClockTime
milliseconds_at_60 (guint n)
{
  return n * 1000 / 60 * GST_MSECOND;
}

static GstClockTime
ticks (guint n)
{
  return gst_util_uint64_scale (n * 3003, GST_SECOND, 90000);
}

/* Like those of a camera whose frames wait for a busy processor. */
static GstClockTime
jitter (guint n)
{
  g_autoptr (GRand) rand = g_rand_new_with_seed (n);

  return at_25 (n + 1) + g_rand_int_range (rand, 0, 12) * GST_MSECOND;
}

/* Every 50th frame is late by more than a frame, and those after it follow at
 * once. */
static GstClockTime
late (guint n)
{
  const guint phase = n % 50;

  return phase >= 20 && phase < 22 ? at_25 (n - phase + 22) - (22 - phase)
                                   : at_25 (n);
}

/* 24 frames a second, each shown for two or three fields in turn. */
static GstClockTime
pulldown (guint n)
{
  return gst_util_uint64_scale (n / 2 * 5 + n % 2 * 2, 1001 * GST_SECOND,
      60000);
}

static GstClockTime
variable (guint n)
{
  GstClockTime time = 0;
  g_autoptr (GRand) rand = g_rand_new_with_seed (1);

  while (n-- > 0)
    time += g_rand_int_range (rand, 15, 100) * GST_MSECOND;

  return time;
}

/* A screen recorder at 60 frames a second, of which it leaves out those that
 * change nothing. */
static GstClockTime
left_out (guint n)
{
  guint time = 0;
  g_autoptr (GRand) rand = g_rand_new_with_seed (1);

  while (n-- > 0)
    time += g_rand_int_range (rand, 1, 6);

  return milliseconds_at_60 (time);
}

/* A camera that gets dark after 150 frames. */
static GstClockTime
slows_down (guint n)
{
  return at_25 (n < 150 ? n : 2 * n - 150);
}

static GstClockTime
half_the_rate (guint n)
{
  return at_25 (2 * n);
}

static const struct {
  const gchar *name;
  Timing time;
  GstClockTime nominal;
} timings[] = {
  { "exact, 25 a second", at_25, 40000000 },
  { "exact, 30000/1001", at_29_97, 33366667 },
  { "milliseconds, 30000/1001", milliseconds, 33366667 },
  { "milliseconds, 60 a second", milliseconds_at_60, 16666667 },
  { "ticks of 1/90000 s", ticks, 33366667 },
  { "jitter of 12 ms at 25 a second", jitter, 40000000 },
  { "late frames, then two at once", late, 40000000 },
  { "2:3 pulldown", pulldown, 41708333 },
  { "variable, 15 to 100 ms", variable, 40000000 },
  { "variable, 1 to 5 sixtieths", left_out, 16666667 },
  { "from 25 to 12.5 a second", slows_down, 40000000 },
  { "12.5 a second, 25 in the caps", half_the_rate, 40000000 },
};

/* --- the truth ------------------------------------------------------------ */

/* Each returns TRUE if frame @n is missing. */

static gboolean
none (guint n)
{
  return FALSE;
}

static gboolean
one (guint n)
{
  return n == 100 || n == 200;
}

static gboolean
five (guint n)
{
  return n >= 100 && n < 105;
}

static gboolean
every_tenth (guint n)
{
  return n % 10 == 5 && n > 50 && n < 250;
}

static const struct {
  const gchar *name;
  gboolean (*misses) (guint n);
} losses[] = {
  { "none", none },
  { "two single frames", one },
  { "five in a row", five },
  { "every tenth", every_tenth },
};

/* --- series --------------------------------------------------------------- */

static void
push_at (EventLog *log, GstClockTime time)
{
  log->frame.time.timestamp = time;
  event_log_push (log, 1);
}

static guint64
take_missing (EventLog *log)
{
  g_autoptr (GstStructure) pooled = gst_structure_new_empty ("pooled");
  guint64 n;

  gst_cl_events_take_counts (log->events, pooled, N_FRAMES, 0);
  fail_unless (gst_structure_get_uint64 (pooled, "missing-frames", &n));

  return n;
}

/* Returns the number of frames that are found to be missing. */
static guint64
find_missing (guint timing, guint loss, gboolean has_rate)
{
  g_autoptr (EventLog) log = event_log_new (GST_CL_EVENT_GAP);

  log->frame.nominal_duration = has_rate ? timings[timing].nominal : 0;
  for (guint n = 0; n < N_FRAMES; n++) {
    if (!losses[loss].misses (n))
      push_at (log, timings[timing].time (n));
  }
  gst_cl_events_finish (log->events);

  return take_missing (log);
}

/* --- docs/events.md ------------------------------------------------------- */

#define TABLE_HEAD                                                             \
  "| timestamps | none missing | two single frames | five in a row | "         \
  "20, every tenth |\n|---|---|---|---|---|\n"

/* The page has how many frames are found; WRITE_TABLES=1 writes it. */
TEST (test_page)
{
  g_autoptr (GString) table = g_string_new (TABLE_HEAD);

  for (guint t = 0; t < G_N_ELEMENTS (timings); t++) {
    g_string_append_printf (table, "| %s ", timings[t].name);
    for (guint l = 0; l < G_N_ELEMENTS (losses); l++)
      g_string_append_printf (table,
          "| %" G_GUINT64_FORMAT ", %" G_GUINT64_FORMAT " ",
          find_missing (t, l, TRUE), find_missing (t, l, FALSE));
    g_string_append (table, "|\n");
  }

  page_table_expect ("events.md", TABLE_HEAD, table->str);
}

/* --- the event ------------------------------------------------------------ */

static void
push_frames (EventLog *log, guint n)
{
  log->frame.nominal_duration = FRAME_TIME;
  event_log_push (log, n);
}

TEST (test_event)
{
  g_autoptr (EventLog) log = event_log_new (GST_CL_EVENT_GAP);

  push_frames (log, 10);
  log->frame.time.timestamp += 3 * FRAME_TIME;
  push_frames (log, 8);
  event_log_expect (log, "");
  push_frames (log, 1);
  event_log_expect (log, "gap start 1.0; gap end 1.3 (0.3); ");
  fail_unless_equals_string (log->last.values[0].name, "frames");
  fail_unless_equals_float (log->last.values[0].value, 3);
  fail_unless_equals_string (log->last.word.name, "evidence");
  fail_unless_equals_string (log->last.word.text, "timestamps");
  fail_unless_equals_uint64 (log->last.start.frame, 10);
  fail_unless_equals_uint64 (log->last.end.frame, 10);
  fail_unless_equals_uint64 (take_missing (log), 3);
  fail_unless_equals_uint64 (take_missing (log), 0);

  log->settings.gap_min_frames = 2;
  event_log_configure (log, GST_CL_EVENT_GAP);
  log->frame.time.timestamp += FRAME_TIME;
  push_frames (log, 10);
  event_log_expect (log, "");
}

/* The end of the stream decides with fewer frames, but two. */
TEST (test_end)
{
  g_autoptr (EventLog) log = event_log_new (GST_CL_EVENT_GAP);

  push_frames (log, 3);
  log->frame.time.timestamp += FRAME_TIME;
  log->frame.buffer_flags = GST_BUFFER_FLAG_DISCONT;
  push_frames (log, 1);
  log->frame.buffer_flags = GST_BUFFER_FLAG_CORRUPTED;
  push_frames (log, 2);
  log->frame.time.timestamp += FRAME_TIME;
  push_frames (log, 2);
  gst_cl_events_finish (log->events);
  event_log_expect (log, "gap start 0.3; gap end 0.4 (0.1); ");
  fail_unless_equals_string (log->last.word.text, "discont");
}

/* Frames that were not measured are not missing. */
TEST (test_frame_interval)
{
  g_autoptr (EventLog) log = event_log_new (GST_CL_EVENT_GAP);

  for (guint i = 0; i < 60; i++) {
    push_frames (log, 1);
    log->frame.time.timestamp += (i == 30 ? 6 : 4) * FRAME_TIME;
    log->frame.time.frame += 4;
  }
  event_log_expect (log, "gap start 15.5; gap end 15.7 (0.2); ");
  fail_unless_equals_float (log->last.values[0].value, 2);
}

/* Other segments, times that run backwards or are unknown, and other rates of
 * playback begin anew. */
TEST (test_breaks)
{
  g_autoptr (EventLog) log = event_log_new (GST_CL_EVENT_GAP);
  GstClFrameTime *time = &log->frame.time;

  push_frames (log, 20);
  time->timestamp -= 10 * FRAME_TIME;
  push_frames (log, 20);
  time->timestamp = GST_CLOCK_TIME_NONE;
  push_frames (log, 5);
  time->timestamp = 60 * GST_SECOND;
  push_frames (log, 20);
  for (guint i = 0; i < 40; i++) {
    time->stream_time = time->timestamp += i == 20 ? 9 * FRAME_TIME
                                                   : FRAME_TIME;
    time->running_time = time->timestamp / 2;
    gst_cl_events_measure (log->events, &log->frame);
    time->frame++;
  }
  gst_cl_events_finish (log->events);
  event_log_expect (log, "");
}
