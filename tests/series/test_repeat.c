/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Repeated frames in series of differences with known truth, and the event
 * repeat. tests/pipelines/test_repeat.py has clips with coding noise. */

#include <math.h>

#include "eventlog.h"

#include "suite.h"

#define N_FRAMES 600

/* Frames at the ends of a series, where there may be too few neighbours. */
#define MARGIN 10

/* --- the truth ------------------------------------------------------------ */

/* Each returns TRUE if frame @n repeats the frame before. */

static gboolean
never (guint n)
{
  return FALSE;
}

static gboolean
rarely (guint n)
{
  return n % 97 == 50;
}

static gboolean
in_runs (guint n)
{
  return n % 97 >= 50 && n % 97 < 57;
}

static gboolean
on_twos (guint n)
{
  return n % 2 != 0;
}

static gboolean
on_threes (guint n)
{
  return n % 3 != 0;
}

static gboolean
on_fives (guint n)
{
  return n % 5 != 0;
}

static gboolean
from_24_to_30 (guint n)
{
  return n % 5 == 4;
}

static gboolean
from_24_to_60 (guint n)
{
  return n % 5 != 0 && n % 5 != 2;
}

static gboolean
from_24_to_25 (guint n)
{
  return n % 25 == 24;
}

static const struct {
  const gchar *name;
  gboolean (*repeats) (guint n);
  guint period; /* of the event, or 0 */
} patterns[] = {
  { "never", never, 0 },
  { "rarely", rarely, 0 },
  { "seven in a row", in_runs, 0 },
  { "on twos", on_twos, 2 },
  { "on threes", on_threes, 3 },
  { "on fives", on_fives, 5 },
  { "24 to 30", from_24_to_30, 5 },
  { "24 to 60", from_24_to_60, 5 },
  { "24 to 25", from_24_to_25, 25 },
};

/* --- the motion ----------------------------------------------------------- */

/* Each returns the mean difference of frame @n from the frame before if it
 * does not repeat it, in codes. */

static gdouble
steady (guint n, GRand *rand)
{
  return 3.0;
}

static gdouble
slow (guint n, GRand *rand)
{
  return 0.6;
}

static gdouble
uneven (guint n, GRand *rand)
{
  return g_rand_double_range (rand, 2.5, 4.5);
}

/* From slow to fast and back. */
static gdouble
waves (guint n, GRand *rand)
{
  return 4.0 + 1.5 * sin (n / 15.0);
}

static gdouble
with_cuts (guint n, GRand *rand)
{
  return n % 60 == 30 ? 60.0 : 3.0;
}

/* A flash of one frame differs twice: when it begins and when it ends. */
static gdouble
with_flashes (guint n, GRand *rand)
{
  return n % 60 == 30 || n % 60 == 31 ? 80.0 : 3.0;
}

static gdouble
with_key_frames (guint n, GRand *rand)
{
  return n % 12 == 0 ? 4.5 : 3.0;
}

static const struct {
  const gchar *name;
  gdouble (*get) (guint n, GRand *rand);
} motions[] = {
  { "steady", steady },
  { "slow", slow },
  { "uneven", uneven },
  { "waves", waves },
  { "cuts", with_cuts },
  { "flashes", with_flashes },
  { "key frames", with_key_frames },
};

/* The differences of repeated frames, as share of those of others. */
static const gdouble noises[] = { 0.0, 0.1, 0.2 };

/* --- series --------------------------------------------------------------- */

/* Adds a frame that differs from the one before by @change codes. */
static void
push_change (EventLog *log, gdouble change)
{
  log->frame.previous_count = N_SAMPLES;
  log->frame.previous_sad = change * N_SAMPLES * (1 << (log->frame.depth - 8));
  event_log_push (log, 1);
}

static guint64
take_repeated (EventLog *log, guint64 n_frames)
{
  g_autoptr (GstStructure) pooled = gst_structure_new_empty ("pooled");
  guint64 n;

  gst_cl_events_take_counts (log->events, pooled, n_frames,
      n_frames * FRAME_TIME);
  fail_unless (gst_structure_get_uint64 (pooled, "repeated-frames", &n));

  return n;
}

/* Every repeated frame is found, but at the ends, and no other one. */
static void
check_series (guint pattern, guint motion, gdouble noise, guint depth)
{
  g_autoptr (EventLog) log = event_log_new (GST_CL_EVENT_REPEAT);
  g_autoptr (GRand) rand = g_rand_new_with_seed (1);
  guint64 n_found, n_repeats = 0, n_certain = 0;

  log->frame.depth = depth;
  for (guint n = 0; n < N_FRAMES; n++) {
    const gboolean repeats = patterns[pattern].repeats (n);
    const gdouble change = motions[motion].get (n, rand);

    push_change (log, repeats ? noise * MIN (change, 3.0) : change);
    n_repeats += repeats;
    n_certain += repeats && n >= MARGIN && n < N_FRAMES - MARGIN;
  }
  gst_cl_events_finish (log->events);
  n_found = take_repeated (log, N_FRAMES);
  fail_unless (n_found >= n_certain && n_found <= n_repeats,
      "%s, %s, %g: %u of %u", patterns[pattern].name, motions[motion].name,
      noise, (guint) n_found, (guint) n_repeats);
  if (n_repeats > 0)
    fail_unless_equals_float (log->last.values[0].value,
        patterns[pattern].period);
}

TEST (test_series)
{
  for (guint p = 0; p < G_N_ELEMENTS (patterns); p++) {
    for (guint m = 0; m < G_N_ELEMENTS (motions); m++) {
      for (guint i = 0; i < G_N_ELEMENTS (noises); i++)
        check_series (p, m, noises[i], i == 1 ? 10 : 8);
    }
  }
}

/* --- no evidence ---------------------------------------------------------- */

typedef gdouble (*Change) (guint n);

static gdouble
still (guint n)
{
  return 0.0;
}

/* Noise, and a key frame every 12 frames. */
static gdouble
still_and_coded (guint n)
{
  return n % 12 == 0 ? 0.45 : n % 3 == 0 ? 0.2 : 0.02;
}

static gdouble
slides (guint n)
{
  return n % 50 == 49 ? 40.0 : 0.01;
}

static gdouble
stops_and_goes (guint n)
{
  return n % 40 < 20 ? 3.0 : 0.0;
}

static gdouble
turning_point (guint n)
{
  return 5.0 * fabs (sin (n / 10.0));
}

static gdouble
cuts_in_stills (guint n)
{
  return n % 50 == 30 || n % 50 == 33 ? 50.0 : 0.0;
}

TEST (test_no_evidence)
{
  static const Change changes[] = { still, still_and_coded, slides,
    stops_and_goes, turning_point, cuts_in_stills };

  for (guint i = 0; i < G_N_ELEMENTS (changes); i++) {
    g_autoptr (EventLog) log = event_log_new (GST_CL_EVENT_REPEAT);

    for (guint n = 0; n < N_FRAMES; n++)
      push_change (log, changes[i](n));
    gst_cl_events_finish (log->events);
    fail_unless_equals_string (log->text->str, "");
    fail_unless_equals_uint64 (take_repeated (log, N_FRAMES), 0);
  }
}

/* --- the event ------------------------------------------------------------ */

static void
push_motion (EventLog *log, guint n)
{
  for (guint i = 0; i < n; i++)
    push_change (log, 3.0);
}

static void
expect_values (EventLog *log, gdouble period, gdouble n_frames)
{
  fail_unless_equals_string (log->last.values[0].name, "period");
  fail_unless_equals_float (log->last.values[0].value, period);
  fail_unless_equals_string (log->last.values[1].name, "frames");
  fail_unless_equals_float (log->last.values[1].value, n_frames);
}

/* Single frames within three seconds are one event. */
TEST (test_single)
{
  g_autoptr (EventLog) log = event_log_new (GST_CL_EVENT_REPEAT);

  push_motion (log, 20);
  push_change (log, 0.5);
  push_motion (log, 12);
  push_change (log, 0.5);
  push_motion (log, 28);
  event_log_expect (log, "repeat start 2.0; ");
  push_motion (log, 12);
  event_log_expect (log, "");
  push_change (log, 0.5);
  event_log_expect (log, "repeat end 3.4 (1.4); ");
  expect_values (log, 0, 2);
  push_motion (log, 4);
  event_log_expect (log, "");
  gst_cl_events_finish (log->events);
  event_log_expect (log, "repeat start 7.4; repeat end 7.5 (0.1); ");
  expect_values (log, 0, 1);
  fail_unless_equals_uint64 (take_repeated (log, 79), 3);
}

/* The start message follows once the period is certain. */
TEST (test_pattern)
{
  g_autoptr (EventLog) log = event_log_new (GST_CL_EVENT_REPEAT);

  push_motion (log, 20);
  for (guint i = 0; i < 100; i++) {
    push_change (log, 0.1);
    push_motion (log, 1);
    if (i < 7)
      event_log_expect (log, "");
  }
  event_log_expect (log, "repeat start 2.0; ");
  expect_values (log, 2, 3);
  push_motion (log, 41);
  event_log_expect (log, "repeat end 21.9 (19.9); ");
  expect_values (log, 2, 100);
}

/* New caps end the event; the frame before them is decided without more
 * frames. */
TEST (test_new_caps)
{
  g_autoptr (EventLog) log = event_log_new (GST_CL_EVENT_REPEAT);

  push_motion (log, 20);
  push_change (log, 0.1);
  push_motion (log, 4);
  log->frame.previous_sad = log->frame.previous_count = 0;
  event_log_push (log, 1);
  event_log_expect (log, "repeat start 2.0; repeat end 2.1 (0.1); ");
  push_change (log, 0.1);
  push_motion (log, 20);
  gst_cl_events_finish (log->events);
  event_log_expect (log, "");
}

TEST (test_settings)
{
  g_autoptr (EventLog) log = event_log_new (GST_CL_EVENT_REPEAT);

  log->settings.repeat_ratio = 0.1;
  log->settings.repeat_motion = 3.0 / 256;
  event_log_configure (log, GST_CL_EVENT_REPEAT);
  push_motion (log, 20);
  push_change (log, 0.31);
  push_motion (log, 20);
  push_change (log, 0.29);
  push_motion (log, 20);
  gst_cl_events_finish (log->events);
  event_log_expect (log, "repeat start 4.1; repeat end 4.2 (0.1); ");

  log->settings.repeat_motion = 3.01 / 256;
  event_log_configure (log, GST_CL_EVENT_REPEAT);
  push_motion (log, 20);
  push_change (log, 0.0);
  push_motion (log, 20);
  gst_cl_events_finish (log->events);
  event_log_expect (log, "");
}

/* Counts are those since the last call, and of no flushed frame. */
TEST (test_counts)
{
  g_autoptr (EventLog) log = event_log_new (GST_CL_EVENT_REPEAT);
  g_autoptr (GstStructure) pooled = gst_structure_new_empty ("pooled");
  g_autofree gchar *text = NULL;

  push_motion (log, 20);
  push_change (log, 0.1);
  push_motion (log, 10);
  gst_cl_events_reset (log->events);
  push_motion (log, 20);
  push_change (log, 0.1);
  push_motion (log, 9);
  gst_cl_events_finish (log->events);
  gst_cl_events_take_counts (log->events, pooled, 30, 30 * FRAME_TIME);
  text = gst_structure_to_string (pooled);
  fail_unless_equals_string (text,
      "pooled, repeated-frames=(guint64)1, "
      "repeated-share=(double)0.033333333333333333, "
      "repeated-per-minute=(double)20;");
  fail_unless_equals_uint64 (take_repeated (log, 0), 0);
}
