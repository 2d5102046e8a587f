/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The event signal-loss: by the clock and by gaps. */

#include "eventlog.h"

#include "suite.h"

#define NONE GST_CLOCK_TIME_NONE

TEST (test_loss_detected_by_clock)
{
  g_autoptr (EventLog) log = event_log_new (GST_CL_EVENT_SIGNAL_LOSS);

  event_log_push (log, 10);
  gst_cl_events_tick (log->events, 2999 * GST_MSECOND);
  event_log_expect (log, "");
  gst_cl_events_tick (log->events, 3000 * GST_MSECOND);
  event_log_expect (log, "signal-loss start 1.0; ");
  fail_unless_equals_uint64 (log->last.start.timestamp, GST_SECOND);
  gst_cl_events_tick (log->events, 9000 * GST_MSECOND);
  event_log_expect (log, "");
  log->frame.time.timestamp = 10 * GST_SECOND;
  event_log_push (log, 1);
  event_log_expect (log, "signal-loss end 10.0 (9.0); ");
  gst_cl_events_tick (log->events, 11 * GST_SECOND);
  event_log_expect (log, "");

  gst_cl_events_tick (log->events, 14 * GST_SECOND);
  event_log_expect (log, "signal-loss start 10.1; ");
  gst_cl_events_finish (log->events);
  event_log_expect (log, "signal-loss end 14.0 (3.9); ");
}

TEST (test_loss_seen_by_a_gap)
{
  g_autoptr (EventLog) log = event_log_new (GST_CL_EVENT_SIGNAL_LOSS);

  event_log_push (log, 10);
  log->frame.time.timestamp = 2999 * GST_MSECOND;
  event_log_push (log, 1);
  event_log_expect (log, "");
  log->frame.time.timestamp += 2 * GST_SECOND;
  event_log_push (log, 1);
  event_log_expect (log, "signal-loss start 3.1; signal-loss end 5.1 (2.0); ");

  log->settings.signal_loss_timeout = 0;
  event_log_configure (log, GST_CL_EVENT_SIGNAL_LOSS);
  log->frame.time.timestamp += 100 * GST_SECOND;
  event_log_push (log, 1);
  event_log_expect (log, "");
}

TEST (test_loss_before_the_first_frame)
{
  g_autoptr (EventLog) log = event_log_new (GST_CL_EVENT_SIGNAL_LOSS);

  gst_cl_events_tick (log->events, GST_SECOND);
  gst_cl_events_tick (log->events, 2 * GST_SECOND);
  event_log_expect (log, "");
  gst_cl_events_tick (log->events, 3 * GST_SECOND);
  event_log_expect (log, "signal-loss start 1.0; ");
  fail_if (GST_CLOCK_TIME_IS_VALID (log->last.start.timestamp));
  log->frame.time.timestamp = 5 * GST_SECOND;
  event_log_push (log, 1);
  event_log_expect (log, "signal-loss end 5.0 (4.0); ");
}

/* A single frame is no signal if a minimum time is set. */
TEST (test_recovery)
{
  g_autoptr (EventLog) log = event_log_new (0);

  log->settings.signal_loss_recovery = GST_SECOND;
  event_log_configure (log, GST_CL_EVENT_SIGNAL_LOSS);
  event_log_push (log, 10);
  log->frame.time.timestamp = 10 * GST_SECOND;
  event_log_push (log, 5);
  event_log_expect (log, "signal-loss start 1.0; ");
  log->frame.time.timestamp = 20 * GST_SECOND;
  event_log_push (log, 10);
  event_log_expect (log, "");
  event_log_push (log, 1);
  event_log_expect (log, "signal-loss end 20.0 (19.0); ");

  gst_cl_events_tick (log->events, 30 * GST_SECOND);
  event_log_expect (log, "signal-loss start 21.1; ");
  log->frame.time.timestamp = 31 * GST_SECOND;
  event_log_push (log, 2);
  gst_cl_events_finish (log->events);
  event_log_expect (log, "signal-loss end 31.0 (9.9); ");
}

static void
expect_times (const EventLog *log, GstClockTime noticed, GstClockTime ended,
    GstClockTime silence)
{
  const GstClockTime times[] = { noticed, ended, silence };

  for (guint i = 0; i < G_N_ELEMENTS (times); i++)
    fail_unless_equals_uint64 (log->last.times[i].time, times[i]);
}

/* Frames that arrive late with their original timestamps have no gap; the clock
 * detects the loss. */
TEST (test_stall)
{
  g_autoptr (EventLog) log = event_log_new (GST_CL_EVENT_SIGNAL_LOSS);
  g_autoptr (GstStructure) structure = NULL;
  guint64 silence;

  event_log_push (log, 10);
  gst_cl_events_tick (log->events, 3 * GST_SECOND);
  event_log_expect (log, "signal-loss start 1.0; ");
  expect_times (log, 3 * GST_SECOND, NONE, NONE);
  gst_cl_events_tick (log->events, 5 * GST_SECOND);
  log->now = 6 * GST_SECOND;
  event_log_push (log, 1);
  event_log_expect (log, "signal-loss end 1.0 (0.0); ");
  expect_times (log, 3 * GST_SECOND, 6 * GST_SECOND, 5100 * GST_MSECOND);
  structure = gst_cl_event_to_structure (&log->last);
  fail_unless (gst_structure_get_uint64 (structure, "silence", &silence));
  fail_unless_equals_uint64 (silence, 5100 * GST_MSECOND);

  /* after which the clock continues from the frame */
  gst_cl_events_tick (log->events, 4 * GST_SECOND);
  event_log_expect (log, "signal-loss start 1.1; ");
  gst_cl_events_tick (log->events, 5 * GST_SECOND);
  gst_cl_events_finish (log->events);
  event_log_expect (log, "signal-loss end 5.0 (3.9); ");
  expect_times (log, 4 * GST_SECOND, 5 * GST_SECOND, 4 * GST_SECOND);
}

/* A gap in the timestamps, and one that the clock did not detect, at once. */
TEST (test_gap_and_clock)
{
  g_autoptr (EventLog) log = event_log_new (GST_CL_EVENT_SIGNAL_LOSS);

  event_log_push (log, 10);
  log->frame.time.timestamp = 9 * GST_SECOND;
  event_log_push (log, 1);
  event_log_expect (log, "signal-loss start 1.0; signal-loss end 9.0 (8.0); ");
  expect_times (log, NONE, NONE, NONE);
  log->frame.time.timestamp = 20 * GST_SECOND;
  log->now = 9001 * GST_MSECOND;
  event_log_push (log, 1);
  event_log_expect (log,
      "signal-loss start 9.1; signal-loss end 20.0 (10.9); ");
  expect_times (log, log->now, log->now, GST_MSECOND);
}

/* Single frames do not end it: the loss lasts up to the frames that do. */
TEST (test_stall_with_recovery)
{
  g_autoptr (EventLog) log = event_log_new (0);

  log->settings.signal_loss_recovery = 200 * GST_MSECOND;
  event_log_configure (log, GST_CL_EVENT_SIGNAL_LOSS);
  event_log_push (log, 10);
  gst_cl_events_tick (log->events, 3 * GST_SECOND);
  event_log_expect (log, "signal-loss start 1.0; ");
  log->now = 4900 * GST_MSECOND; /* 4 s after the last */
  event_log_push (log, 1);
  gst_cl_events_tick (log->events, 6 * GST_SECOND);
  event_log_expect (log, "");
  log->now = 7 * GST_SECOND; /* 6 s after that one */
  event_log_push (log, 1);
  log->now = 1100 * GST_MSECOND;
  event_log_push (log, 2);
  event_log_expect (log, "signal-loss end 1.1 (0.1); ");
  expect_times (log, 3 * GST_SECOND, 7 * GST_SECOND, 10 * GST_SECOND);
}

/* After a frame whose end does not fit 64 bits no frame is ever due. */
TEST (test_end_beyond_all_time)
{
  g_autoptr (EventLog) log = event_log_new (GST_CL_EVENT_SIGNAL_LOSS);

  log->frame.time.timestamp = GST_CLOCK_TIME_NONE - 10;
  event_log_push (log, 1);
  gst_cl_events_tick (log->events, GST_CLOCK_TIME_NONE - 1);
  event_log_expect (log, "");
}
