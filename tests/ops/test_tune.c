/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Selection by measurement, with a mock clock and mock candidates. */

#include "folder.h"
#include "cl/context/gstclprogram.h"
#include "ops/tune.h"
#include "suite.h"
#include "tuningfile.h"

#include <glib/gstdio.h>

#define MAX_CANDIDATES 6
#define KEY            "made up"

static const GstClDevice device = { .platform_name = "Platform",
  .platform_version = "OpenCL 1.2",
  .name = "Device",
  .driver_version = "1.0",
  .compute_units = 2 };

/* --- candidates ---------------------------------------------------------- */

/* The time of a candidate, in microseconds, and where it fails. */
typedef struct {
  gint64 make_us, run_us;
  gint64 first_turn_us; /* additional time of its first turn */
  gboolean fails_to_make;
  guint fails_after; /* number of the failing run; 0: never */

  guint n_made, n_freed, n_calls, n_runs; /* so far */
} Fake;

static gint64 time_us;
static Fake fakes[MAX_CANDIDATES];
static const gchar *const names[MAX_CANDIDATES] = { "zero", "one", "two",
  "three", "four", "five" };

static gint64
now (void)
{
  return time_us;
}

static gpointer
make (gpointer user_data, guint index, GError **error)
{
  Fake *fake = &fakes[index];

  fail_unless (user_data == fakes);
  time_us += fake->make_us;
  fake->n_made++;
  if (!fake->fails_to_make)
    return fake;

  g_set_error (error, GST_CL_ERROR, CL_BUILD_PROGRAM_FAILURE, "does not build");

  return NULL;
}

static gboolean
run (gpointer user_data, gpointer made, guint n_times, GError **error)
{
  Fake *fake = made;

  fake->n_calls++;
  fake->n_runs += n_times;
  time_us += n_times * fake->run_us;
  if (fake->n_calls == 2) /* the first run is no turn */
    time_us += fake->first_turn_us;
  if (fake->fails_after == 0 || fake->n_runs < fake->fails_after)
    return TRUE;

  g_set_error (error, GST_CL_ERROR, CL_OUT_OF_RESOURCES, "does not run");

  return FALSE;
}

static void
free_made (gpointer made)
{
  Fake *fake = made;

  fake->n_freed++;
}

/* Returns a job of @n candidates with these run times in microseconds; their
 * other times are 0. */
static GstClTuneJob
make_job (guint n, ...)
{
  GstClTuneJob job = { .key = KEY,
    .version = 1,
    .names = names,
    .n_candidates = n,
    .make = make,
    .run = run,
    .free = free_made,
    .user_data = fakes,
    .now = now };
  va_list costs;

  memset (fakes, 0, sizeof fakes);
  va_start (costs, n);
  for (guint i = 0; i < n; i++)
    fakes[i].run_us = va_arg (costs, gint);
  va_end (costs);

  return job;
}

/* --- fixtures ------------------------------------------------------------ */

static GstClTuningDb *choices; /* of the current context */
static gint n_complaints;      /* lines at WARNING or above */

static void
count_complaints (GstDebugCategory *category, GstDebugLevel level,
    const gchar *file, const gchar *function, gint line, GObject *object,
    GstDebugMessage *message, gpointer user_data)
{
  if (level <= GST_LEVEL_WARNING)
    n_complaints++;
}

static void
setup (void)
{
  test_folder_setup ();
  g_setenv ("GST_OPENCL_CACHE_DIR", test_folder, TRUE);
  g_unsetenv ("GST_OPENCL_TUNE");
  choices = gst_cl_tuning_db_new (&device);
  n_complaints = 0;
  gst_debug_set_default_threshold (GST_LEVEL_WARNING);
  gst_debug_add_log_function (count_complaints, NULL, NULL);
}

static void
teardown (void)
{
  gst_debug_remove_log_function (count_complaints);
  fail_unless_equals_int (n_complaints, 0);
  g_clear_pointer (&choices, gst_cl_tuning_db_free);
  test_folder_teardown ();
}

/* Simulates another process, or this one on the next day. */
static void
start_anew (void)
{
  gst_cl_tuning_db_free (choices);
  choices = gst_cl_tuning_db_new (&device);
}

static guint
count_made (void)
{
  guint n = 0;

  for (guint i = 0; i < MAX_CANDIDATES; i++)
    n += fakes[i].n_made;

  return n;
}

/* @index is chosen, with or without a measurement; created objects are freed.
 */
static void
expect (const GstClTuneJob *job, guint index, gboolean is_measured)
{
  const guint n_made = count_made ();

  fail_unless_equals_int (gst_cl_tune_choose (choices, job, TRUE, NULL), index);
  fail_unless_equals_int (count_made () > n_made, is_measured);
  for (guint i = 0; i < job->n_candidates; i++)
    fail_unless_equals_int (fakes[i].n_freed,
        fakes[i].fails_to_make ? 0 : fakes[i].n_made);
}

/* --- selection ------------------------------------------------------------ */

TEST (test_fastest_is_chosen)
{
  const GstClTuneJob job = make_job (4, 900, 700, 500, 800);

  expect (&job, 2, TRUE);
  expect (&job, 2, FALSE);
}

TEST (test_noise_keeps_first_candidate)
{
  GstClTuneJob job = make_job (3, 1000, 970, 960);

  expect (&job, 0, TRUE);
  job = make_job (3, 1000, 970, 940);
  job.key = "another";
  expect (&job, 2, TRUE);
}

/* Another process used the machine during one run of a candidate. */
TEST (test_one_slow_turn_is_ignored)
{
  const GstClTuneJob job = make_job (3, 900, 500, 700);

  fakes[1].first_turn_us = 5000;
  expect (&job, 1, TRUE);
}

/* The first run, in which a driver may compile, is no turn. */
TEST (test_first_run_is_not_measured)
{
  const GstClTuneJob job = make_job (2, 900, 500);

  fakes[1].make_us = 150000;
  expect (&job, 1, TRUE);
}

TEST (test_one_candidate_needs_no_measurement)
{
  const GstClTuneJob job = make_job (1, 900);

  expect (&job, 0, FALSE);
}

/* --- failures ------------------------------------------------------------ */

TEST (test_candidates_that_fail_are_left_out)
{
  const GstClTuneJob job = make_job (5, 900, 100, 200, 300, 700);

  fakes[1].fails_to_make = TRUE;
  fakes[2].fails_after = 1; /* at once */
  fakes[3].fails_after = 5; /* in the middle */
  expect (&job, 4, TRUE);
  start_anew ();
  expect (&job, 4, FALSE);
}

TEST (test_first_candidate_may_fail)
{
  GstClTuneJob job = make_job (3, 100, 900, 700);

  fakes[0].fails_to_make = TRUE;
  expect (&job, 2, TRUE);

  job = make_job (3, 100, 900, 700);
  job.key = "another";
  fakes[0].fails_after = 1;
  expect (&job, 2, TRUE);
}

/* If all candidates fail, no result is stored. */
TEST (test_all_may_fail)
{
  GstClTuneJob job = make_job (2, 900, 700);

  fakes[0].fails_to_make = fakes[1].fails_to_make = TRUE;
  expect (&job, 0, TRUE);
  fakes[0].fails_to_make = fakes[1].fails_to_make = FALSE;
  fakes[0].n_made = fakes[1].n_made = 0;
  expect (&job, 1, TRUE);
}

/* --- bounds -------------------------------------------------------------- */

TEST (test_measuring_is_bounded)
{
  static const gint costs_us[] = { 2, 50, 1000, 9000, 40000 };

  for (guint i = 0; i < G_N_ELEMENTS (costs_us); i++) {
    const gint us = costs_us[i];
    GstClTuneJob job = make_job (4, us, us, us, us / 2);
    const gint64 start_us = time_us;
    const gint64 first_us = 2 * (3 * us + us / 2); /* warm-up, first turns */

    job.key = names[i];
    expect (&job, 3, TRUE);
    fail_unless (time_us - start_us <=
                     GST_CL_TUNE_MEASURING_US + first_us + 4 * us,
        "candidates of %d us: measuring took %d us, expected at most %d", us,
        (gint) (time_us - start_us),
        (gint) (GST_CL_TUNE_MEASURING_US + first_us + 4 * us));
    for (guint c = 0; c < 4; c++)
      fail_unless (fakes[c].n_calls >= 2);
  }
}

/* A candidate that is a hundred times slower uses no turns of the others. */
TEST (test_slow_candidates_are_measured_less)
{
  const GstClTuneJob job = make_job (3, 1000, 100000, 900);

  expect (&job, 2, TRUE);
  fail_unless (fakes[1].n_calls <= 2);
  fail_unless (fakes[0].n_calls >= 10 && fakes[2].n_calls >= 10);
}

/* A choice among some candidates is not final; the next start measures more. */
TEST (test_preparing_is_bounded)
{
  const GstClTuneJob job = make_job (5, 900, 800, 700, 600, 500);

  fakes[0].make_us = 5000000; /* needed anyway */
  for (guint i = 1; i < 5; i++)
    fakes[i].make_us = GST_CL_TUNE_PREPARING_US * 2 / 3;
  expect (&job, 2, TRUE);
  fail_unless_equals_int (fakes[3].n_made, 0);
  expect (&job, 2, FALSE); /* not again in the lifetime of this context */

  fakes[1].make_us = fakes[2].make_us = 0; /* compiled */
  start_anew ();
  expect (&job, 4, TRUE);
  start_anew ();
  expect (&job, 4, FALSE);
}

/* A thread beside the frames prepares all candidates at once, unless another
 * thread waits for it. */
TEST (test_preparing_beside_frames)
{
  const GstClTuneJob job = make_job (5, 900, 800, 700, 600, 500);
  GstClBuildScope scope = { 0 };

  for (guint i = 1; i < 5; i++)
    fakes[i].make_us = GST_CL_TUNE_PREPARING_US * 2 / 3;
  gst_cl_build_scope_enter (&scope, GST_CL_BUILD_BESIDE);
  scope.hurries = TRUE;
  expect (&job, 2, TRUE);
  fail_unless_equals_int (fakes[3].n_made, 0);
  start_anew ();
  scope.hurries = FALSE;
  expect (&job, 4, TRUE);
  gst_cl_build_scope_leave ();
  start_anew ();
  expect (&job, 4, FALSE);
}

/* --- stored choices ------------------------------------------------------- */

TEST (test_second_start_measures_nothing)
{
  GstClTuneJob job = make_job (2, 900, 500);

  expect (&job, 1, TRUE);
  start_anew ();
  expect (&job, 1, FALSE);
  job.key = "another";
  expect (&job, 1, TRUE);
}

TEST (test_changed_table_is_measured_again)
{
  GstClTuneJob job = make_job (2, 900, 500);

  expect (&job, 1, TRUE);
  job.version++;
  expect (&job, 1, TRUE);
  job.n_candidates++;
  fakes[2].run_us = 300;
  expect (&job, 2, TRUE);
  start_anew ();
  expect (&job, 2, FALSE);
}

TEST (test_unknown_names_are_measured_again)
{
  const GstClTuneJob job = make_job (2, 900, 500);

  fail_unless (gst_cl_tuning_db_remember (choices, KEY, "version 1; zero; one",
      "someone else", "", NULL));
  start_anew ();
  expect (&job, 1, TRUE);
  start_anew ();
  expect (&job, 1, FALSE);
}

TEST (test_nowhere_to_remember)
{
  const GstClTuneJob job = make_job (2, 900, 500);

  g_setenv ("GST_OPENCL_CACHE_DIR", "/dev/null/x", TRUE);
  expect (&job, 1, TRUE);
  expect (&job, 1, FALSE);
  start_anew ();
  expect (&job, 1, TRUE);
}

/* --- times of measurement ------------------------------------------------- */

TEST (test_switched_off)
{
  const GstClTuneJob job = make_job (2, 900, 500);
  g_autofree gchar *path = tuning_file_path ("tuning", &device);

  g_setenv ("GST_OPENCL_TUNE", "0", TRUE);
  expect (&job, 0, FALSE);
  fail_if (g_file_test (path, G_FILE_TEST_EXISTS));

  g_setenv ("GST_OPENCL_TUNE", "1", TRUE);
  expect (&job, 1, TRUE);
  g_setenv ("GST_OPENCL_TUNE", "0", TRUE);
  expect (&job, 0, FALSE);
}

/* While a stream plays, nothing is measured: the stored choice is used, or the
 * first row of the table. */
TEST (test_not_now)
{
  const GstClTuneJob job = make_job (2, 900, 500);

  fail_unless_equals_int (gst_cl_tune_choose (choices, &job, FALSE, NULL), 0);
  fail_unless_equals_int (count_made (), 0);
  expect (&job, 1, TRUE);
  start_anew ();
  fail_unless_equals_int (gst_cl_tune_choose (choices, &job, FALSE, NULL), 1);
}

static GstClTuneReason
why (const GstClTuneJob *job, gboolean may_measure)
{
  GstClTuneReason reason;

  gst_cl_tune_choose (choices, job, may_measure, &reason);

  return reason;
}

TEST (test_reasons)
{
  GstClTuneJob job = make_job (1, 900);

  fail_unless_equals_int (why (&job, TRUE), GST_CL_TUNE_ONLY_ONE);

  job = make_job (2, 900, 500);
  fail_unless_equals_int (why (&job, FALSE), GST_CL_TUNE_NOT_NOW);
  fakes[0].fails_to_make = fakes[1].fails_to_make = TRUE;
  fail_unless_equals_int (why (&job, TRUE), GST_CL_TUNE_FAILED);
  fakes[0].fails_to_make = fakes[1].fails_to_make = FALSE;
  fail_unless_equals_int (why (&job, TRUE), GST_CL_TUNE_MEASURED);
  fail_unless_equals_int (why (&job, TRUE), GST_CL_TUNE_STORED);
  g_setenv ("GST_OPENCL_TUNE", "0", TRUE);
  fail_unless_equals_int (why (&job, TRUE), GST_CL_TUNE_SWITCHED_OFF);
}

SUITE (.setup = setup, .teardown = teardown);
