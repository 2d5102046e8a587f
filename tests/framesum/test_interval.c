/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The frames of a stream that are measured. */

#include "elements/framesum/gstclinterval.h"

#include "suite.h"

#define NONE GST_CLOCK_TIME_NONE

/* Runs @n frames, one every @frame_ns (NONE: without timestamps). Writes an x
 * for each measured frame and a dot for each other frame. */
static gchar *
run (GstClInterval *interval, guint n, GstClockTime frame_ns, guint64 time,
    guint frames)
{
  GString *turns = g_string_new (NULL);

  for (guint i = 0; i < n; i++) {
    const GstClockTime running = frame_ns == NONE ? NONE : i * frame_ns;

    g_string_append_c (turns,
        gst_cl_interval_next (interval, running, time, frames) ? 'x' : '.');
  }

  return g_string_free (turns, FALSE);
}

static void
expect (guint n, GstClockTime frame_ns, guint64 time, guint frames,
    const gchar *turns)
{
  GstClInterval interval;
  g_autofree gchar *got = NULL;

  gst_cl_interval_restart (&interval);
  got = run (&interval, n, frame_ns, time, frames);
  fail_unless_equals_string (got, turns);
  fail_unless_equals_uint64 (interval.n_frames, n);
}

TEST (test_frames)
{
  expect (6, 40, 0, 1, "xxxxxx");
  expect (7, 40, 0, 3, "x..x..x");
  expect (7, NONE, 0, 3, "x..x..x");
  expect (4, 40, 0, G_MAXUINT, "x...");
}

TEST (test_time)
{
  expect (7, 40, 80, 1, "x.x.x.x");
  expect (7, 40, 81, 1, "x..x..x");
  expect (4, 40, 40, 1, "xxxx");
  expect (4, 40, G_MAXUINT64, 1, "x...");

  /* a frame without a timestamp is measured */
  expect (4, NONE, G_MAXUINT64, 1, "xxxx");
}

TEST (test_both)
{
  expect (9, 40, 120, 2, "x..x..x..");
  expect (9, 40, 60, 4, "x...x...x");
}

TEST (test_decreasing_timestamps)
{
  GstClInterval interval;

  gst_cl_interval_restart (&interval);
  fail_unless (gst_cl_interval_next (&interval, 1000, 500, 1));
  fail_if (gst_cl_interval_next (&interval, 1400, 500, 1));
  fail_unless (gst_cl_interval_next (&interval, 100, 500, 1));
  fail_if (gst_cl_interval_next (&interval, 599, 500, 1));
  fail_unless (gst_cl_interval_next (&interval, 600, 500, 1));
}

TEST (test_restart)
{
  GstClInterval interval;
  g_autofree gchar *before = NULL, *after = NULL;

  gst_cl_interval_restart (&interval);
  before = run (&interval, 4, 40, 0, 10);
  gst_cl_interval_restart (&interval);
  fail_unless_equals_uint64 (interval.n_frames, 0);
  after = run (&interval, 4, 40, 0, 10);
  fail_unless_equals_string (before, "x...");
  fail_unless_equals_string (after, "x...");
}
