/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The events that each detector finds in the statistics of frames. */

#include <math.h>

#include "eventlog.h"
#include "suite.h"
#include "statistics/blockiness/gstclblockiness.h"
#include "statistics/series/gstcleventsettings.h"

/* --- thresholds ----------------------------------------------------------- */

/* At 0.10, computed by hand: 16 + 21.9 at 8 bits, and correspondingly at
 * others. */
TEST (test_black_and_white_limits)
{
  static const struct {
    guint depth, black, white, full_black, full_white;
  } rows[] = {
    { 8, 37, 214, 25, 230 },
    { 10, 151, 853, 102, 921 },
    { 12, 606, 3410, 409, 3686 },
    { 16, 9702, 54554, 6553, 58982 },
  };

  for (guint i = 0; i < G_N_ELEMENTS (rows); i++) {
    const guint depth = rows[i].depth;

    fail_unless_equals_int (gst_cl_black_limit (0.1, depth, FALSE),
        rows[i].black);
    fail_unless_equals_int (gst_cl_white_limit (0.1, depth, FALSE),
        rows[i].white);
    fail_unless_equals_int (gst_cl_black_limit (0.1, depth, TRUE),
        rows[i].full_black);
    fail_unless_equals_int (gst_cl_white_limit (0.1, depth, TRUE),
        rows[i].full_white);
    fail_unless_equals_int (gst_cl_black_limit (1.0, depth, TRUE),
        (1 << depth) - 1);
    fail_unless_equals_int (gst_cl_white_limit (1.0, depth, TRUE), 0);
  }
}

/* The last sum that passes FFmpeg's comparison of doubles. */
TEST (test_freeze_limit)
{
  g_autoptr (GRand) rand = g_rand_new_with_seed (1);

  fail_unless_equals_uint64 (gst_cl_freeze_limit (0.001, 1000, 8), 256);
  fail_unless_equals_uint64 (gst_cl_freeze_limit (0.0, 1000, 8), 0);
  fail_unless_equals_uint64 (gst_cl_freeze_limit (1.0, 1000, 8), 255000);
  fail_unless_equals_uint64 (gst_cl_freeze_limit (0.5, 0, 8), 0);

  for (guint run = 0; run < 1000; run++) {
    const guint depth = g_rand_int_range (rand, 8, 17);
    const guint64 count = g_rand_int_range (rand, 1, 33177600 * 3 / 2);
    const gdouble noise = run % 2 ? g_rand_double (rand)
                                  : g_rand_int_range (rand, 1, 1000) / 1e6;
    const guint64 limit = gst_cl_freeze_limit (noise, count, depth);

    fail_unless ((gdouble) limit / count / (1 << depth) <= noise);
    fail_unless ((gdouble) (limit + 1) / count / (1 << depth) > noise ||
                 limit == count * ((1 << depth) - 1));
  }
}

/* --- black and white ------------------------------------------------------ */

static void
push_level (EventLog *log, guint code, guint n_samples, guint n_frames)
{
  event_log_set_level (log, 0, code, n_samples);
  event_log_push (log, n_frames);
}

TEST (test_black)
{
  g_autoptr (EventLog) log = event_log_new (GST_CL_EVENT_BLACK);

  push_level (log, 38, 1000, 30);
  push_level (log, 37, 979, 30);
  event_log_expect (log, "");
  push_level (log, 37, 980, 30);
  event_log_expect (log, "black start 6.0; ");
  fail_unless_equals_float (log->last.values[0].value, 0.98);
  fail_unless_equals_string (log->last.values[0].name, "ratio");
  push_level (log, 37, 979, 1);
  event_log_expect (log, "black end 9.0 (3.0); ");

  log->frame.is_full_range = TRUE;
  push_level (log, 26, 1000, 30);
  event_log_expect (log, "");
  push_level (log, 25, 1000, 30);
  event_log_expect (log, "black start 12.1; ");
}

TEST (test_black_of_ten_bits)
{
  g_autoptr (EventLog) log = event_log_new (GST_CL_EVENT_BLACK);

  log->frame.depth = 10;
  push_level (log, 152, 1000, 30);
  event_log_expect (log, "");
  push_level (log, 151, 1000, 30);
  event_log_expect (log, "black start 3.0; ");
}

/* Luma of YUV only; all three components of RGB. */
TEST (test_black_of_three_components)
{
  g_autoptr (EventLog) log = event_log_new (GST_CL_EVENT_BLACK);

  log->frame.n_components = 3;
  push_level (log, 0, 1000, 30);
  event_log_expect (log, "black start 0.0; ");
  log->frame.is_rgb = TRUE;
  event_log_push (log, 1);
  event_log_expect (log, "black end 3.0 (3.0); ");
  event_log_set_level (log, 1, 0, 1000);
  event_log_push (log, 30);
  event_log_expect (log, "");
  event_log_set_level (log, 2, 0, 1000);
  event_log_push (log, 30);
  event_log_expect (log, "black start 6.1; ");
}

TEST (test_white_with_hysteresis)
{
  g_autoptr (EventLog) log = event_log_new (GST_CL_EVENT_WHITE);

  push_level (log, 213, 1000, 30);
  push_level (log, 214, 979, 30);
  event_log_expect (log, "");
  push_level (log, 214, 980, 10);
  push_level (log, 255, 950, 20);
  event_log_expect (log, "white start 6.0; ");
  push_level (log, 255, 949, 1);
  event_log_expect (log, "white end 9.0 (3.0); ");
  push_level (log, 255, 970, 30);
  event_log_expect (log, "");

  /* A leaving threshold above the entering one is the same as no hysteresis. */
  log->settings.white_leave_ratio = 1.0;
  event_log_configure (log, GST_CL_EVENT_WHITE);
  push_level (log, 255, 980, 30);
  event_log_expect (log, "white start 12.1; ");
}

/* --- freeze --------------------------------------------------------------- */

static void
push_difference (EventLog *log, guint64 sad, guint n)
{
  log->frame.reference_sad = sad;
  log->frame.reference_count = 1000;
  log->frame.reference_limit = gst_cl_freeze_limit (0.001, 1000, 8);
  event_log_push (log, n);
}

TEST (test_freeze)
{
  g_autoptr (EventLog) log = event_log_new (GST_CL_EVENT_FREEZE);

  event_log_push (log, 1); /* no frame to compare with */
  push_difference (log, 257, 5);
  push_difference (log, 256, 19);
  event_log_expect (log, "");
  push_difference (log, 256, 1);
  event_log_expect (log, "freeze start 0.5; ");
  fail_unless_equals_string (log->last.values[0].name, "difference");
  fail_unless_equals_float (log->last.values[0].value, 0.001);
  push_difference (log, 0, 10);
  push_difference (log, 257, 1);
  event_log_expect (log, "freeze end 3.6 (3.1); ");

  /* The frame with motion is the next reference; it may complete the 2 s. */
  push_difference (log, 0, 19);
  event_log_expect (log, "");
  push_difference (log, 300, 1);
  event_log_expect (log, "freeze start 3.6; freeze end 5.6 (2.0); ");

  push_difference (log, 0, 18);
  push_difference (log, 300, 1);
  event_log_expect (log, "");
  push_difference (log, 0, 25);
  event_log_expect (log, "freeze start 7.5; ");
  gst_cl_events_finish (log->events);
  event_log_expect (log, "freeze end 10.1 (2.6); ");
}

/* After new caps there is no frame to compare with: a freeze ends. */
TEST (test_freeze_without_reference)
{
  g_autoptr (EventLog) log = event_log_new (GST_CL_EVENT_FREEZE);

  push_difference (log, 0, 30);
  event_log_expect (log, "freeze start 0.0; ");
  log->frame.reference_count = 0;
  event_log_push (log, 1);
  event_log_expect (log, "freeze end 3.0 (3.0); ");
}

/* Evidence: flags of frozen frames, but not of the first one, nor of the frame
 * that ends the freeze, unless no frame came for long. */
TEST (test_freeze_evidence)
{
  g_autoptr (EventLog) log = event_log_new (GST_CL_EVENT_FREEZE);
  guint64 *flags = &log->frame.buffer_flags;

  *flags = GST_BUFFER_FLAG_DISCONT;
  push_difference (log, 257, 1);
  *flags = 0;
  push_difference (log, 0, 20);
  fail_unless_equals_string (log->last.word.name, "evidence");
  fail_unless_equals_string (log->last.word.text, "picture");
  *flags = GST_BUFFER_FLAG_DISCONT;
  push_difference (log, 257, 1);
  fail_unless_equals_string (log->last.word.text, "picture");

  *flags = GST_BUFFER_FLAG_GAP | GST_BUFFER_FLAG_DISCONT;
  push_difference (log, 0, 1);
  *flags = 0;
  push_difference (log, 0, 20);
  fail_unless_equals_string (log->last.word.text, "gap");
  *flags = GST_BUFFER_FLAG_CORRUPTED;
  push_difference (log, 0, 1);
  *flags = 0;
  push_difference (log, 257, 1);
  fail_unless_equals_string (log->last.word.text, "corrupted");

  event_log_expect (log, "freeze start 0.0; freeze end 2.1 (2.1); "
                         "freeze start 2.1; freeze end 4.4 (2.3); ");
  push_difference (log, 0, 5);
  log->frame.time.timestamp += 3 * GST_SECOND;
  *flags = GST_BUFFER_FLAG_DISCONT;
  push_difference (log, 257, 1);
  event_log_expect (log, "freeze start 4.4; freeze end 8.0 (3.6); ");
  fail_unless_equals_string (log->last.word.text, "discont");
}

/* --- scene ---------------------------------------------------------------- */

static void
push_change (EventLog *log, guint64 sad)
{
  log->frame.previous_sad = sad;
  log->frame.previous_count = 1000;
  event_log_push (log, 1);
}

/* Percent of 256: 25600 is ten. */
TEST (test_scene)
{
  g_autoptr (EventLog) log = event_log_new (GST_CL_EVENT_SCENE);

  event_log_push (log, 1);
  push_change (log, 25599);
  event_log_expect (log, "");
  push_change (log, 51200);
  event_log_expect (log, "scene start 0.2; ");
  fail_unless_equals_uint64 (log->last.duration, 0);
  fail_unless_equals_string (log->last.values[0].name, "score");
  fail_unless_equals_string (log->last.values[1].name, "difference");
  fail_unless_equals_float (log->last.values[1].value, 20.0);
  fail_unless (log->last.values[0].value < 10.001);

  push_change (log, 51200); /* the same motion as before */
  push_change (log, 25600); /* 10, and 10 less */
  event_log_expect (log, "scene start 0.4; ");
  push_change (log, 0); /* ten less, but no change */
  push_change (log, 25600);
  event_log_expect (log, "scene start 0.6; ");

  log->frame.previous_count = 0;
  event_log_push (log, 1);
  gst_cl_events_finish (log->events);
  event_log_expect (log, "");
}

/* The score is a float: values closer to 10 than the resolution of floats are
 * 10. */
TEST (test_scene_score_is_a_float)
{
  g_autoptr (EventLog) log = event_log_new (GST_CL_EVENT_SCENE);

  log->frame.previous_count = G_GUINT64_CONSTANT (1000000000);
  log->frame.previous_sad = G_GUINT64_CONSTANT (25599999999);
  event_log_push (log, 1);
  event_log_expect (log, "scene start 0.0; ");
  fail_unless (log->last.values[0].value == 10.0);
  fail_unless (log->last.values[1].value < 10.0);
}

/* --- single-color --------------------------------------------------------- */

/* Half of the samples have @code, the others @code + @apart. */
static void
set_peak (EventLog *log, guint component, guint code, guint apart)
{
  event_log_set_level (log, component, code, N_SAMPLES);
  log->histograms[component][code] = N_SAMPLES / 2;
  log->histograms[component][code + apart] = N_SAMPLES - N_SAMPLES / 2;
}

TEST (test_single_color)
{
  g_autoptr (EventLog) log = event_log_new (GST_CL_EVENT_SINGLE_COLOR);

  log->frame.n_components = 3;
  set_peak (log, 0, 15, 1); /* at the edge of a sixteenth */
  set_peak (log, 1, 128, 1);
  event_log_push (log, 20);
  set_peak (log, 2, 230, 16);
  event_log_push (log, 5);
  set_peak (log, 2, 0, 16);
  event_log_push (log, 5);
  event_log_expect (log, "");

  set_peak (log, 2, 230, 15); /* sixteen codes: a sixteenth of 256 */
  event_log_push (log, 30);
  event_log_expect (log, "single-color start 3.0; ");
  fail_unless_equals_float (log->last.values[0].value, 1.0);

  /* 16 codes have 160 of the distributed samples: 1000 - n + 0.16 n. */
  event_log_set_level (log, 1, 255, 860);
  event_log_push (log, 1);
  event_log_expect (log, "");
  event_log_set_level (log, 1, 255, 840);
  event_log_push (log, 1);
  event_log_expect (log, "single-color end 6.1 (3.1); ");
}

/* --- noisy ---------------------------------------------------------------- */

/* A standard deviation of @noise codes of 8 bits. */
static void
push_noise (EventLog *log, gdouble noise, guint n)
{
  log->frame.noise_count = 1000000;
  log->frame.noise_sum = noise * 6e6 / sqrt (G_PI / 2);
  event_log_push (log, n);
}

TEST (test_noisy)
{
  g_autoptr (EventLog) log = event_log_new (GST_CL_EVENT_NOISY);

  push_noise (log, 0.029 * 256, 30);
  push_noise (log, 0.031 * 256, 10);
  push_noise (log, 0.026 * 256, 20);
  event_log_expect (log, "noisy start 3.0; ");
  fail_unless_equals_string (log->last.values[0].name, "noise");
  fail_unless (ABS (log->last.values[0].value - 0.026) < 1e-6);
  push_noise (log, 0.024 * 256, 1);
  event_log_expect (log, "noisy end 6.0 (3.0); ");

  /* shares of all codes, and a frame that is too small for neighbours */
  log->frame.depth = 10;
  push_noise (log, 0.031 * 1024, 21);
  event_log_expect (log, "noisy start 6.1; ");
  log->frame.noise_count = log->frame.noise_sum = 0;
  event_log_push (log, 1);
  event_log_expect (log, "noisy end 8.2 (2.1); ");
}

/* --- blocky --------------------------------------------------------------- */

static void
push_blocks (EventLog *log, gdouble blockiness, guint n)
{
  log->frame.blockiness = blockiness * GST_CL_BLOCKINESS_ONE;
  event_log_push (log, n);
}

TEST (test_blocky)
{
  g_autoptr (EventLog) log = event_log_new (GST_CL_EVENT_BLOCKY);

  push_blocks (log, 4.9, 30);
  push_blocks (log, 5.1, 40);
  event_log_expect (log, "blocky start 3.6; ");
  fail_unless_equals_string (log->last.values[0].name, "blockiness");
  fail_unless (fabs (log->last.values[0].value - 5.1) < 0.03, "found %g",
      log->last.values[0].value);
  push_blocks (log, 4.1, 50);
  event_log_expect (log, "");
  push_blocks (log, 1.0, 1);
  event_log_expect (log, "blocky end 12.0 (8.4); ");
}

/* One frame in four is a blocky key frame: the average counts. */
TEST (test_blocky_key_frames)
{
  g_autoptr (EventLog) log = event_log_new (GST_CL_EVENT_BLOCKY);

  push_blocks (log, 1, 30);
  for (guint i = 0; i < 10; i++) {
    push_blocks (log, 20, 1);
    push_blocks (log, 2, 3);
  }
  event_log_expect (log, "blocky start 3.8; ");
  push_blocks (log, 1, 20);
  event_log_expect (log, "blocky end 7.4 (3.6); ");

  /* a single one is no event */
  push_blocks (log, 30, 1);
  push_blocks (log, 1, 60);
  event_log_expect (log, "");
}

/* --- defocus -------------------------------------------------------------- */

/* A standard deviation of @contrast codes, with a gradient of @gradient times
 * its square between neighbours. */
static void
push_sharpness (EventLog *log, guint64 contrast, gdouble gradient, guint n)
{
  log->frame.moments[0].count = 1000;
  log->frame.moments[0].sum = 1000 * 100;
  log->frame.moments[0].sum_squares = 1000 * (10000 + contrast * contrast);
  log->frame.gradient_count = 1000;
  log->frame.gradient_sum = 1000 * contrast * contrast * gradient;
  event_log_push (log, n);
}

TEST (test_defocus)
{
  g_autoptr (EventLog) log = event_log_new (GST_CL_EVENT_DEFOCUS);

  push_sharpness (log, 50, 0.1, 30);
  push_sharpness (log, 50, 0.051, 30);
  event_log_expect (log, "");
  gst_cl_events_reset (log->events);

  push_sharpness (log, 50, 0.1, 30);
  push_sharpness (log, 50, 0.049, 10);
  push_sharpness (log, 50, 0.069, 20);
  event_log_expect (log, "defocus start 9.0; ");
  fail_unless_equals_string (log->last.values[0].name, "sharpness");
  fail_unless (ABS (log->last.values[0].value - 0.69) < 1e-9);

  /* For any duration: the average does not follow. */
  push_sharpness (log, 50, 0.049, 10000);
  event_log_expect (log, "");
  push_sharpness (log, 50, 0.071, 1);
  event_log_expect (log, "defocus end 1012.0 (1003.0); ");
}

/* A tenth of the contrast is a hundredth of the energy, and no defocus; a flat
 * frame is not judged. */
TEST (test_dusk_is_no_defocus)
{
  g_autoptr (EventLog) log = event_log_new (GST_CL_EVENT_DEFOCUS);

  push_sharpness (log, 50, 0.1, 30);
  push_sharpness (log, 5, 0.1, 50);
  push_sharpness (log, 0, 0.0, 50);
  event_log_expect (log, "");

  push_sharpness (log, 50, 0.02, 30);
  event_log_expect (log, "defocus start 13.0; ");
  push_sharpness (log, 0, 0.0, 50);
  event_log_expect (log, "");
  push_sharpness (log, 50, 0.1, 1);
  event_log_expect (log, "defocus end 21.0 (8.0); ");
}

/* The noise of a covered lens is forty times as sharp as the scene; afterwards
 * the scene is no defocus compared with it. Sharper scenes are learnt. */
TEST (test_noise_is_no_measure)
{
  g_autoptr (EventLog) log = event_log_new (GST_CL_EVENT_DEFOCUS);

  push_sharpness (log, 50, 0.1, 30);
  push_sharpness (log, 3, 4.0, 3000);
  push_sharpness (log, 50, 0.1, 30);
  event_log_expect (log, "");

  push_sharpness (log, 50, 1.0, 3000);
  push_sharpness (log, 50, 0.1, 21);
  event_log_expect (log, "defocus start 606.0; ");
}

/* A slow fade becomes the new average, which covers a minute. */
TEST (test_defocus_follows_the_average)
{
  g_autoptr (EventLog) log = event_log_new (GST_CL_EVENT_DEFOCUS);

  for (guint i = 0; i < 2000; i++)
    push_sharpness (log, 50, 0.1 - i * 0.00003, 1);
  event_log_expect (log, "");
  push_sharpness (log, 50, 0.004, 21);
  event_log_expect (log, "defocus start 200.0; ");
}
