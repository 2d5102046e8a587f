/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The cadence that follows from the sums of frames. Frames against FFmpeg's
 * idet: tests/pipelines/test_idet.py. */

#include "statistics/fields/gstclfields.h"

#include "eventlog.h"
#include "suite.h"

/* Sums of a frame of a progressive picture that moves; it repeats @repeated of
 * the frame before. */
static GstClSeriesFieldSums
sums_of (GstClFieldsRepeat repeated)
{
  return (GstClSeriesFieldSums){ .has_previous = TRUE,
    .previous = { 100, 100 },
    .current = { 100, 100 },
    .own = { 10, 10 },
    .change = { repeated == GST_CL_FIELDS_TOP ? 0 : 100,
        repeated == GST_CL_FIELDS_BOTTOM ? 0 : 100 } };
}

static void
push (GstClFields *fields, GstClFieldsRepeat repeated, GstClFieldsType tag)
{
  const GstClSeriesFieldSums sums = sums_of (repeated);

  gst_cl_fields_add (fields, &sums, tag);
}

/* Frame @n of telecine that repeats the bottom field @distance frames after the
 * top field. */
static void
push_telecine (GstClFields *fields, guint n, guint distance)
{
  const guint phase = n % GST_CL_CADENCE_FRAMES;

  push (fields,
      phase == 0          ? GST_CL_FIELDS_TOP
      : phase == distance ? GST_CL_FIELDS_BOTTOM
                          : GST_CL_FIELDS_NEITHER,
      GST_CL_FIELDS_TFF);
}

/* The cadence of a frame depends on the tag of that frame, which is not the
 * newest one. */
TEST (test_tag)
{
  GstClFields fields = { 0 };

  for (guint i = 0; i < 20; i++) {
    push (&fields, GST_CL_FIELDS_NEITHER,
        i / 5 % 2 == 0 ? GST_CL_FIELDS_TFF : GST_CL_FIELDS_PROGRESSIVE);
    if (i > 0)
      fail_unless_equals_int (fields.cadence,
          (i - 1) / 5 % 2 == 0 ? GST_CL_CADENCE_2_2 : GST_CL_CADENCE_NONE);
  }
}

/* Every start of a cycle, with the top field repeated two or three frames
 * before the bottom field, which is bottom or top field first. */
LOOP_TEST (test_phase, 2 * GST_CL_CADENCE_FRAMES)
{
  const guint distance = 2 + __i__ / GST_CL_CADENCE_FRAMES;
  const guint start = __i__ % GST_CL_CADENCE_FRAMES;
  GstClFields fields = { 0 };

  for (guint i = 0; i < 30; i++) {
    push_telecine (&fields, i + start, distance);
    if (i < 2 * GST_CL_CADENCE_FRAMES) {
      fail_unless (fields.cadence != GST_CL_CADENCE_2_3);
      continue;
    }
    fail_unless_equals_int (fields.cadence, GST_CL_CADENCE_2_3);
    fail_unless_equals_int (fields.cadence_phase,
        (i - 1 + start) % GST_CL_CADENCE_FRAMES);
  }
}

/* A cut before frame 20: broken until two cycles fit. Frame 19 fits the cycle
 * after it, too. */
TEST (test_broken)
{
  GstClFields fields = { 0 };

  for (guint i = 0; i < 40; i++) {
    push_telecine (&fields, i + (i < 20 ? 0 : 2), 2);
    if (i < 2 * GST_CL_CADENCE_FRAMES)
      continue;
    fail_unless_equals_int (fields.cadence,
        i > 20 && i < 29 ? GST_CL_CADENCE_BROKEN : GST_CL_CADENCE_2_3);
  }
}

/* Coded frames: a repeated field changes, too, but less than others. */
LOOP_TEST (test_coded, 7)
{
  const guint64 change = 70 + __i__;
  GstClFields fields = { 0 };

  for (guint i = 0; i < 20; i++) {
    const guint phase = i % GST_CL_CADENCE_FRAMES;
    GstClSeriesFieldSums sums = sums_of (GST_CL_FIELDS_NEITHER);

    if (phase == 0)
      sums.change[0] = change;
    else if (phase == 2)
      sums.change[1] = change;
    gst_cl_fields_add (&fields, &sums, GST_CL_FIELDS_TFF);
  }
  /* 0.15 * (change + 100) = 100 - change */
  fail_unless_equals_int (fields.cadence,
      change <= 73 ? GST_CL_CADENCE_2_3 : GST_CL_CADENCE_2_2);
}

/* Frames that are compared with nothing start a new history. */
TEST (test_no_previous)
{
  GstClFields fields = { 0 };
  GstClSeriesFieldSums start = sums_of (GST_CL_FIELDS_NEITHER);

  for (guint i = 0; i < 12; i++)
    push_telecine (&fields, i, 2);
  fail_unless_equals_int (fields.cadence, GST_CL_CADENCE_2_3);

  start.has_previous = FALSE;
  gst_cl_fields_add (&fields, &start, GST_CL_FIELDS_TFF);
  fail_unless_equals_int (fields.cadence, GST_CL_CADENCE_UNKNOWN);
  fail_unless_equals_int (fields.cadence_phase, 0);
  /* the telecine of before is not broken by a repeated field */
  push (&fields, GST_CL_FIELDS_TOP, GST_CL_FIELDS_TFF);
  push (&fields, GST_CL_FIELDS_NEITHER, GST_CL_FIELDS_TFF);
  fail_unless_equals_int (fields.cadence, GST_CL_CADENCE_2_2);
}

/* Interlaced frames that are tagged as progressive: another order is another
 * event. */
TEST (test_another_order)
{
  g_autoptr (EventLog) log = event_log_new (GST_CL_EVENT_FIELD_ORDER);
  GstClSeriesFieldSums *sums = &log->frame.fields;

  log->frame.tagged_order = GST_CL_FIELDS_PROGRESSIVE;
  *sums = (GstClSeriesFieldSums){ TRUE, { 200, 100 }, { 100, 200 },
    { 300, 300 }, { 100, 100 } };
  event_log_push (log, 40);
  event_log_expect (log, "field-order start 0.0; ");
  fail_unless_equals_string (log->last.word.text, "top");

  sums->previous[0] = sums->current[1] = 100;
  sums->previous[1] = sums->current[0] = 200;
  event_log_push (log, 40);
  /* idet's multiple changes with the third frame of another order */
  event_log_expect (log, "field-order end 4.2 (4.2); field-order start 4.2; ");
  fail_unless_equals_string (log->last.word.text, "bottom");
}
