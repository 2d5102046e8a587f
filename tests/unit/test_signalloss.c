/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The event signal-loss: by the clock and by the gap. */

#include <gst/check/gstcheck.h>

#include "eventlog.h"

GST_START_TEST (test_loss_seen_by_the_clock)
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
  log->figures.time.timestamp = 10 * GST_SECOND;
  event_log_push (log, 1);
  event_log_expect (log, "signal-loss end 10.0 (9.0); ");
  gst_cl_events_tick (log->events, 11 * GST_SECOND);
  event_log_expect (log, "");

  gst_cl_events_tick (log->events, 14 * GST_SECOND);
  event_log_expect (log, "signal-loss start 10.1; ");
  gst_cl_events_finish (log->events);
  event_log_expect (log, "signal-loss end 14.0 (3.9); ");
}

GST_END_TEST;

GST_START_TEST (test_loss_seen_by_a_gap)
{
  g_autoptr (EventLog) log = event_log_new (GST_CL_EVENT_SIGNAL_LOSS);

  event_log_push (log, 10);
  log->figures.time.timestamp = 2999 * GST_MSECOND;
  event_log_push (log, 1);
  event_log_expect (log, "");
  log->figures.time.timestamp += 2 * GST_SECOND;
  event_log_push (log, 1);
  event_log_expect (log, "signal-loss start 3.1; signal-loss end 5.1 (2.0); ");

  log->settings.signal_loss_timeout = 0;
  event_log_configure (log, GST_CL_EVENT_SIGNAL_LOSS);
  log->figures.time.timestamp += 100 * GST_SECOND;
  event_log_push (log, 1);
  event_log_expect (log, "");
}

GST_END_TEST;

GST_START_TEST (test_loss_before_the_first_frame)
{
  g_autoptr (EventLog) log = event_log_new (GST_CL_EVENT_SIGNAL_LOSS);

  gst_cl_events_tick (log->events, GST_SECOND);
  gst_cl_events_tick (log->events, 2 * GST_SECOND);
  event_log_expect (log, "");
  gst_cl_events_tick (log->events, 3 * GST_SECOND);
  event_log_expect (log, "signal-loss start 1.0; ");
  fail_if (GST_CLOCK_TIME_IS_VALID (log->last.start.timestamp));
  log->figures.time.timestamp = 5 * GST_SECOND;
  event_log_push (log, 1);
  event_log_expect (log, "signal-loss end 5.0 (4.0); ");
}

GST_END_TEST;

/* A single frame is no signal where some time is asked for. */
GST_START_TEST (test_recovery)
{
  g_autoptr (EventLog) log = event_log_new (0);

  log->settings.signal_loss_recovery = GST_SECOND;
  event_log_configure (log, GST_CL_EVENT_SIGNAL_LOSS);
  event_log_push (log, 10);
  log->figures.time.timestamp = 10 * GST_SECOND;
  event_log_push (log, 5);
  event_log_expect (log, "signal-loss start 1.0; ");
  log->figures.time.timestamp = 20 * GST_SECOND;
  event_log_push (log, 10);
  event_log_expect (log, "");
  event_log_push (log, 1);
  event_log_expect (log, "signal-loss end 20.0 (19.0); ");

  gst_cl_events_tick (log->events, 30 * GST_SECOND);
  event_log_expect (log, "signal-loss start 21.1; ");
  log->figures.time.timestamp = 31 * GST_SECOND;
  event_log_push (log, 2);
  gst_cl_events_finish (log->events);
  event_log_expect (log, "signal-loss end 31.0 (9.9); ");
}

GST_END_TEST;

/* After a frame whose end 64 bits do not hold none is ever due. */
GST_START_TEST (test_end_beyond_all_time)
{
  g_autoptr (EventLog) log = event_log_new (GST_CL_EVENT_SIGNAL_LOSS);

  log->figures.time.timestamp = GST_CLOCK_TIME_NONE - 10;
  event_log_push (log, 1);
  gst_cl_events_tick (log->events, GST_CLOCK_TIME_NONE - 1);
  event_log_expect (log, "");
}

GST_END_TEST;

static Suite *
signalloss_suite (void)
{
  Suite *suite = suite_create ("signalloss");
  TCase *loss = tcase_create ("loss");

  suite_add_tcase (suite, loss);
  tcase_add_test (loss, test_loss_seen_by_the_clock);
  tcase_add_test (loss, test_loss_seen_by_a_gap);
  tcase_add_test (loss, test_loss_before_the_first_frame);
  tcase_add_test (loss, test_recovery);
  tcase_add_test (loss, test_end_beyond_all_time);

  return suite;
}

GST_CHECK_MAIN (signalloss);
