/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Chooses among candidates by measurement. */

#include "tune.h"

#include "cl/context/gstclprogram.h"
#include "cl/device/gstclerror.h"
#include "common/gstcldebug.h"

GST_CL_DEBUG_CATEGORY (gst_cl_tune_debug, "cltune", "Choosing by measurement");

/* The duration of a round: as many runs as fit into this time, within limits,
 * so that the wait at its end counts little. */
#define TURN_US  1000
#define MAX_RUNS 32

/* More rounds of each candidate find no shorter one. */
#define MAX_ROUNDS 15

/* The maximum difference between two measurements of the same candidate. */
#define NOISE 0.05

typedef struct {
  const gchar *name;
  gpointer made;      /* NULL: not created, or it failed */
  gdouble fastest_us; /* of one run */
  gint64 turns_us;    /* of all its rounds so far */
  gboolean is_out;    /* it failed */
} Candidate;

typedef struct {
  const GstClTuneJob *job;
  gint64 (*now) (void);
  Candidate *candidates;
  guint n_tried;
  guint n_runs;        /* in a round */
  gint64 preparing_us; /* so far */
} Measurement;

gboolean
gst_cl_tune_is_on (void)
{
  return g_strcmp0 (g_getenv ("GST_OPENCL_TUNE"), "0") != 0;
}

/* --- rounds --------------------------------------------------------------- */

/* Returns FALSE if the candidate has failed, and is out. */
static gboolean
run_candidate (Measurement *self, Candidate *candidate, guint n_runs)
{
  const GstClTuneJob *job = self->job;
  g_autoptr (GError) reason = NULL;

  if (job->run (job->user_data, candidate->made, n_runs, &reason))
    return TRUE;

  GST_CAT_INFO (gst_cl_tune_debug (), "%s: left out %s: %s", job->key,
      candidate->name, reason->message);
  candidate->is_out = TRUE;
  candidate->fastest_us = G_MAXDOUBLE;

  return FALSE;
}

static void
make_candidate (Measurement *self, guint index)
{
  const GstClTuneJob *job = self->job;
  Candidate *candidate = &self->candidates[index];
  g_autoptr (GError) reason = NULL;

  candidate->made = job->make (job->user_data, index, &reason);
  if (candidate->made) {
    run_candidate (self, candidate, 1);
  } else {
    GST_CAT_INFO (gst_cl_tune_debug (), "%s: left out %s: %s", job->key,
        candidate->name, reason->message);
    candidate->is_out = TRUE;
  }
}

static void
make_candidates (Measurement *self)
{
  for (guint i = 0; i < self->job->n_candidates &&
                    (gst_cl_build_is_patient () ||
                        self->preparing_us < GST_CL_TUNE_PREPARING_US);
       i++) {
    const gint64 start = self->now ();

    make_candidate (self, i);
    self->n_tried++;
    if (i > 0)
      self->preparing_us += self->now () - start;
  }
}

static void
take_turn (Measurement *self, Candidate *candidate)
{
  const gint64 start = self->now ();
  gint64 elapsed_us;

  if (!run_candidate (self, candidate, self->n_runs))
    return;

  elapsed_us = self->now () - start;
  candidate->turns_us += elapsed_us;
  candidate->fastest_us = MIN (candidate->fastest_us,
      (gdouble) elapsed_us / self->n_runs);
}

/* Returns the number of runs in a round, measured with the first candidate that
 * works. */
static guint
count_runs (Measurement *self)
{
  self->n_runs = 1;
  for (guint i = 0; i < self->n_tried; i++) {
    Candidate *candidate = &self->candidates[i];

    if (!candidate->is_out)
      take_turn (self, candidate);
    if (!candidate->is_out)
      return (
          guint) CLAMP (TURN_US / MAX (candidate->fastest_us, 1), 1, MAX_RUNS);
  }

  return 1;
}

static const Candidate *
find_fastest (const Measurement *self)
{
  const Candidate *fastest = &self->candidates[0];

  for (guint i = 1; i < self->n_tried; i++) {
    if (self->candidates[i].fastest_us < fastest->fastest_us)
      fastest = &self->candidates[i];
  }

  return fastest;
}

/* Each candidate has the same share of the time, so that slow ones have fewer
 * rounds. */
static void
take_turns (Measurement *self)
{
  const gint64 share_us = GST_CL_TUNE_MEASURING_US / self->n_tried;

  self->n_runs = count_runs (self);

  for (guint round = 0; round < MAX_ROUNDS; round++) {
    for (guint i = 0; i < self->n_tried; i++) {
      Candidate *candidate = &self->candidates[i];

      if (!candidate->is_out && (round == 0 || candidate->turns_us < share_us))
        take_turn (self, candidate);
    }
  }
}

/* Returns NULL if no candidate has worked. */
static const Candidate *
pick_candidate (const Measurement *self)
{
  const Candidate *fastest = find_fastest (self);

  if (fastest->fastest_us >= (1 - NOISE) * self->candidates[0].fastest_us)
    fastest = &self->candidates[0];

  return fastest->fastest_us < G_MAXDOUBLE ? fastest : NULL;
}

/* --- the fastest candidate ------------------------------------------------ */

/* Returns the version and the names of the candidates, as the key's table. */
static gchar *
describe_table (const GstClTuneJob *job)
{
  GString *text = g_string_new (NULL);

  g_string_printf (text, "version %u", job->version);
  for (guint i = 0; i < job->n_candidates; i++)
    g_string_append_printf (text, "; %s", job->names[i]);

  return g_string_free (text, FALSE);
}

/* Returns -1 if there is no such candidate. */
static gint
find_index (const GstClTuneJob *job, const gchar *name)
{
  for (guint i = 0; i < job->n_candidates; i++) {
    if (g_strcmp0 (job->names[i], name) == 0)
      return (gint) i;
  }

  return -1;
}

static gint
find_stored (GstClTuningDb *db, const GstClTuneJob *job, const gchar *table)
{
  g_autofree gchar *name = gst_cl_tuning_db_find (db, job->key, table);
  const gint index = find_index (job, name);

  if (index >= 0)
    GST_CAT_DEBUG (gst_cl_tune_debug (), "%s: %s, as stored", job->key, name);

  return index;
}

static gint64
sum_turns_us (const Measurement *self)
{
  gint64 sum_us = 0;

  for (guint i = 0; i < self->n_tried; i++)
    sum_us += self->candidates[i].turns_us;

  return sum_us;
}

static gchar *
describe_timings (const Measurement *self)
{
  GString *text = g_string_new (NULL);

  for (guint i = 0; i < self->n_tried; i++) {
    const Candidate *candidate = &self->candidates[i];

    g_string_append_printf (text, "%s%s ", i > 0 ? "; " : "", candidate->name);
    if (candidate->fastest_us < G_MAXDOUBLE)
      g_string_append_printf (text, "%.1f us", candidate->fastest_us);
    else
      g_string_append (text, "failed");
  }

  return g_string_free (text, FALSE);
}

/* Returns -1 if no candidate works. */
static gint
conclude (const Measurement *self, GstClTuningDb *db, const gchar *table)
{
  const GstClTuneJob *job = self->job;
  const Candidate *chosen = pick_candidate (self);
  const gboolean is_final = self->n_tried == job->n_candidates;
  g_autofree gchar *timings = describe_timings (self);
  g_autoptr (GError) reason = NULL;

  GST_CAT_INFO (gst_cl_tune_debug (),
      "%s: measured %s: %s (%u of %u candidates, made ready in "
      "%" G_GINT64_FORMAT " us, measured in %" G_GINT64_FORMAT " us)",
      job->key, chosen ? chosen->name : "nothing", timings, self->n_tried,
      job->n_candidates, self->preparing_us, sum_turns_us (self));
  if (!chosen)
    return -1;

  if (!gst_cl_tuning_db_remember (db, job->key, table, chosen->name,
          is_final ? timings : NULL, &reason))
    GST_CAT_INFO (gst_cl_tune_debug (), "%s: not stored: %s", job->key,
        reason->message);

  return (gint) (chosen - self->candidates);
}

/* Returns -1 if no candidate works. */
static gint
measure (GstClTuningDb *db, const GstClTuneJob *job, const gchar *table)
{
  g_autofree Candidate *candidates = g_new0 (Candidate, job->n_candidates);
  Measurement self = { .job = job,
    .now = job->now ? job->now : g_get_monotonic_time,
    .candidates = candidates };
  gint index;

  for (guint i = 0; i < job->n_candidates; i++) {
    candidates[i].name = job->names[i];
    candidates[i].fastest_us = G_MAXDOUBLE;
  }

  make_candidates (&self);
  take_turns (&self);
  index = conclude (&self, db, table);

  for (guint i = 0; i < job->n_candidates; i++)
    g_clear_pointer (&candidates[i].made, job->free);

  return index;
}

static gint
find_or_measure (GstClTuningDb *db, const GstClTuneJob *job, const gchar *table,
    GstClTuneReason *reason)
{
  gint index;

  gst_cl_tuning_db_begin_measuring (db);
  index = find_stored (db, job, table);
  *reason = GST_CL_TUNE_STORED;
  if (index < 0) {
    index = measure (db, job, table);
    *reason = index < 0 ? GST_CL_TUNE_FAILED : GST_CL_TUNE_MEASURED;
  }
  gst_cl_tuning_db_end_measuring (db);

  return index;
}

/* Returns -1 for candidate 0, and sets *@reason. */
static gint
choose (GstClTuningDb *db, const GstClTuneJob *job, gboolean may_measure,
    GstClTuneReason *reason)
{
  g_autofree gchar *table = NULL;
  gint index;

  *reason = GST_CL_TUNE_ONLY_ONE;
  if (job->n_candidates < 2)
    return -1;

  *reason = GST_CL_TUNE_SWITCHED_OFF;
  if (!gst_cl_tune_is_on ())
    return -1;

  table = describe_table (job);
  index = find_stored (db, job, table);
  *reason = index >= 0 ? GST_CL_TUNE_STORED : GST_CL_TUNE_NOT_NOW;
  if (index >= 0 || !may_measure)
    return index;

  return find_or_measure (db, job, table, reason);
}

guint
gst_cl_tune_choose (GstClTuningDb *db, const GstClTuneJob *job,
    gboolean may_measure, GstClTuneReason *reason)
{
  GstClTuneReason ignored;
  gint index;

  gst_cl_tune_debug ();
  index = choose (db, job, may_measure, reason ? reason : &ignored);

  return (guint) MAX (index, 0);
}

gboolean
gst_cl_tune_is_stored (GstClTuningDb *db, const GstClTuneJob *job)
{
  g_autofree gchar *table = describe_table (job);

  return find_stored (db, job, table) >= 0;
}
