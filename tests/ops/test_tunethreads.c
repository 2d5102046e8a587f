/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Selection by measurement in several threads. */

#include "ops/tune.h"

#include "suite.h"

#define N_THREADS 8

static const GstClDevice device = { .compute_units = 2 };
static const gchar *const names[] = { "zero", "one" };

static GstClTuningDb *choices;
static gint n_running, n_overlaps, n_measured; /* atomic */

static void
setup (void)
{
  g_setenv ("GST_OPENCL_CACHE_DIR", "", TRUE);
  g_unsetenv ("GST_OPENCL_TUNE");
  choices = gst_cl_tuning_db_new (&device);
  g_atomic_int_set (&n_overlaps, 0);
  g_atomic_int_set (&n_measured, 0);
}

static void
teardown (void)
{
  g_clear_pointer (&choices, gst_cl_tuning_db_free);
}

static gpointer
make (gpointer user_data, guint index, GError **error)
{
  if (index == 0)
    g_atomic_int_inc (&n_measured);

  return user_data;
}

static gboolean
run (gpointer user_data, gpointer made, guint n_times, GError **error)
{
  if (g_atomic_int_add (&n_running, 1) > 0)
    g_atomic_int_inc (&n_overlaps);
  g_usleep (200);
  g_atomic_int_add (&n_running, -1);

  return TRUE;
}

static void
free_made (gpointer made)
{
}

static guint
choose (const gchar *key, gboolean may_measure)
{
  const GstClTuneJob job = { .key = key,
    .names = names,
    .n_candidates = G_N_ELEMENTS (names),
    .make = make,
    .run = run,
    .free = free_made,
    .user_data = &n_running };

  return gst_cl_tune_choose (choices, &job, may_measure, NULL);
}

static gpointer
choose_by_measurement (gpointer key)
{
  return GUINT_TO_POINTER (choose (key, TRUE));
}

/* Each of two jobs is measured once, and not at the same time as the other; all
 * threads that request one get the same. */
TEST (test_one_thread_at_a_time_measures)
{
  static gchar jobs[][8] = { "one", "another" };
  GThread *threads[N_THREADS];
  guint chosen[N_THREADS];

  for (guint i = 0; i < N_THREADS; i++)
    threads[i] = g_thread_new ("choose", choose_by_measurement, jobs[i % 2]);
  for (guint i = 0; i < N_THREADS; i++)
    chosen[i] = GPOINTER_TO_UINT (g_thread_join (threads[i]));

  for (guint i = 2; i < N_THREADS; i++)
    fail_unless_equals_int (chosen[i], chosen[i - 2]);
  fail_unless_equals_int (g_atomic_int_get (&n_overlaps), 0);
  fail_unless_equals_int (g_atomic_int_get (&n_measured), 2);
}

/* A playing stream is not blocked when another one begins. */
TEST (test_playing_stream_does_not_wait_for_measurement)
{
  fail_unless (gst_cl_tuning_db_remember (choices, "known",
      "version 0; zero; one", "one", "", NULL));

  gst_cl_tuning_db_begin_measuring (choices);
  fail_unless_equals_int (choose ("known", FALSE), 1);
  fail_unless_equals_int (choose ("known", TRUE), 1);
  fail_unless_equals_int (choose ("unknown", FALSE), 0);
  gst_cl_tuning_db_end_measuring (choices);
  fail_unless_equals_int (g_atomic_int_get (&n_measured), 0);
}

SUITE (.setup = setup, .teardown = teardown);
