/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Chooses the candidate for a problem: by its method, or by measurement among
 * the candidates of the table. */

#include "choose.h"

#include <gst/gst.h>

#include "cl/device/gstclerror.h"
#include "common/gstcldebug.h"
#include "selftest.h"

/* --- measuring candidates ------------------------------------------------- */

GST_CL_DEBUG_CATEGORY (gst_cl_tune_debug, "cltune", "Choosing by measurement");

/* The duration of a round: as many runs as fit into this time, within limits,
 * so that the wait at its end counts little. */
#define TURN_US  1000
#define MAX_RUNS 32

/* More rounds of each candidate find no shorter one. */
#define MAX_ROUNDS 15

/* Candidates use at most this fraction of the device's memory. */
#define MEMORY_PART 8

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

/* Returns TRUE if candidates that need @n_bytes of the device's memory in all
 * may be measured: at most an eighth of it. */
static gboolean
has_memory (const GstClDevice *device, guint64 n_bytes)
{
  return n_bytes <= device->global_bytes / MEMORY_PART;
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
pick (const Measurement *self)
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
  const Candidate *chosen = pick (self);
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

  if (!gst_cl_tuning_db_remember (db, job->key, table, chosen->name, timings,
          is_final, &reason))
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

GST_CL_DEBUG_CATEGORY (gst_cl_op_debug, "clop",
    "Which implementation of an op runs");
#define GST_CAT_DEFAULT gst_cl_op_debug ()

/* The data of a measurement. */
typedef struct {
  const GstClOpTable *table;
  GstClContext *context;
  gconstpointer problem;
  const GstClCandidate *candidates;
  gpointer io; /* of all instances; created with the first one */
} Trial;

/* --- the log ------------------------------------------------------------- */

/* Transfer full. */
static gchar *
describe_candidate (const GstClCandidate *candidate)
{
  GString *text = g_string_new (candidate->implementation->name);
  guint n_values = GST_CL_MAX_TUNING_VALUES;

  if (candidate->tuning)
    g_string_append_printf (text, " with %s", candidate->tuning->name);
  while (n_values > 0 && candidate->values[n_values - 1] == 0)
    n_values--;
  for (guint i = 0; i < n_values; i++)
    g_string_append_printf (text, "%s%u", i == 0 ? " (" : ", ",
        candidate->values[i]);
  if (n_values > 0)
    g_string_append_c (text, ')');

  return g_string_free (text, FALSE);
}

static void
say (const Trial *trial, const GstClCandidate *candidate, const gchar *reason)
{
  g_autofree gchar *problem = NULL;
  g_autofree gchar *chosen = NULL;

  if (gst_debug_category_get_threshold (GST_CAT_DEFAULT) < GST_LEVEL_DEBUG)
    return;

  problem = trial->table->describe (trial->problem);
  chosen = candidate->implementation ? describe_candidate (candidate)
                                     : g_strdup ("nothing");
  GST_DEBUG_OBJECT (trial->context, "%s: %s, %s", problem, chosen, reason);
}

/* --- candidates of an op -------------------------------------------------- */

typedef struct {
  GstClInstance instance;
  const GstClImplementation *row;
  gboolean has_run;
} Made;

static gpointer
make (gpointer user_data, guint index, GError **error)
{
  Trial *trial = user_data;
  g_autofree Made *made = g_new0 (Made, 1);
  gboolean is_made;

  if (!trial->io)
    trial->io = trial->table->make_io (trial->context, trial->problem, error);
  if (!trial->io)
    return NULL;

  made->row = trial->candidates[index].implementation;
  gst_cl_trial_begin (trial->context, trial->table, made->row, trial->problem);
  is_made = gst_cl_instance_init (&made->instance, trial->context,
      &trial->candidates[index], trial->problem, error);
  gst_cl_trial_end ();

  return is_made ? g_steal_pointer (&made) : NULL;
}

static gboolean
run_made (const Trial *trial, const GstClInstance *instance, guint n_times,
    GError **error)
{
  for (guint i = 0; i < n_times; i++) {
    if (!gst_cl_instance_run (instance, trial->io, error))
      return FALSE;
  }
  if (instance->funcs->check && !instance->funcs->check (instance->data, error))
    return FALSE;

  return gst_cl_context_finish (trial->context, error);
}

/* Some drivers compile at the first run, which is not timed. */
static gboolean
run (gpointer user_data, gpointer user_made, guint n_times, GError **error)
{
  const Trial *trial = user_data;
  Made *made = user_made;
  gboolean is_done;

  if (made->has_run)
    return run_made (trial, &made->instance, n_times, error);

  made->has_run = TRUE;
  gst_cl_trial_begin (trial->context, trial->table, made->row, trial->problem);
  is_done = run_made (trial, &made->instance, n_times, error);
  gst_cl_trial_end ();

  return is_done;
}

static void
free_made (gpointer user_made)
{
  Made *made = user_made;

  gst_cl_instance_clear (&made->instance);
  g_free (made);
}

static const gchar *
explain (GstClTuneReason reason, gboolean is_too_large)
{
  static const gchar *const reasons[] = {
    [GST_CL_TUNE_ONLY_ONE] = "by order: there is no other candidate",
    [GST_CL_TUNE_SWITCHED_OFF] = "by order: measuring is disabled",
    [GST_CL_TUNE_NOT_NOW] = "by order: measuring is not allowed now",
    [GST_CL_TUNE_FAILED] = "by order: no candidate works",
    [GST_CL_TUNE_STORED] = "stored as the fastest",
    [GST_CL_TUNE_MEASURED] = "measured as the fastest",
  };

  if (reason == GST_CL_TUNE_NOT_NOW && is_too_large)
    return "by order: measuring takes too much memory";

  return reasons[reason];
}

static void
get_names (const GstClCandidate *candidates, guint n_candidates,
    const gchar **names)
{
  for (guint i = 0; i < n_candidates; i++)
    names[i] = gst_cl_candidate_name (&candidates[i]);
}

/* Returns TRUE if @device has the memory to measure the candidates. */
static gboolean
has_memory_for (const GstClOpTable *table, const GstClDevice *device,
    gconstpointer problem, guint n_candidates)
{
  return !table->count_bytes ||
         has_memory (device, table->count_bytes (problem, n_candidates));
}

static guint
choose_fastest (Trial *trial, guint n_candidates, gboolean may_measure)
{
  const GstClOpTable *table = trial->table;
  g_autofree gchar *key = table->describe (trial->problem);
  const gchar *names[GST_CL_MAX_CANDIDATES];
  const GstClTuneJob job = {
    .key = key,
    .version = table->version,
    .names = names,
    .n_candidates = n_candidates,
    .make = make,
    .run = run,
    .free = free_made,
    .user_data = trial,
  };
  const gboolean is_too_large = !has_memory_for (table, trial->context->device,
      trial->problem, n_candidates);
  GstClTuneReason reason;
  guint index;

  get_names (trial->candidates, n_candidates, names);
  index = gst_cl_tune_choose (trial->context->tuning_db, &job,
      may_measure && !is_too_large && table->make_io, &reason);
  if (trial->io)
    table->free_io (trial->io);
  say (trial, &trial->candidates[index],
      explain (reason, may_measure && is_too_large));

  return index;
}

/* --- the candidate for a problem ------------------------------------------ */

static GstClCandidate
choose_by_method (const Trial *trial, gint method)
{
  const GstClDevice *device = trial->context->device;
  const GstClImplementation *row = gst_cl_op_table_first (trial->table, method,
      trial->problem, device);
  GstClCandidate candidate = { 0 };

  if (row)
    candidate = gst_cl_implementation_untuned (row, trial->problem, device);
  say (trial, &candidate,
      !row                    ? "no implementation supports it"
      : row->method == method ? "by its method"
                              : "as the fallback of its method");

  return candidate;
}

static GstClCandidate
choose_untested (const GstClOpTable *table, GstClContext *context, gint method,
    gconstpointer problem, gboolean may_measure)
{
  GstClCandidate candidates[GST_CL_MAX_CANDIDATES];
  Trial trial = { table, context, problem, candidates, NULL };
  gboolean all_work = TRUE;
  guint n_candidates;

  if (method != GST_CL_METHOD_AUTO)
    return choose_by_method (&trial, method);

  n_candidates = gst_cl_op_table_candidates (table, problem, context->device,
      candidates);
  /* a row that crashes must not be measured */
  for (guint i = 0; i < n_candidates; i++)
    all_work &= gst_cl_self_test_recall (context, table,
        candidates[i].implementation, problem);
  if (!all_work)
    n_candidates = gst_cl_op_table_candidates (table, problem, context->device,
        candidates);
  if (n_candidates == 0)
    return choose_by_method (&trial, method);

  return candidates[choose_fastest (&trial, n_candidates, may_measure)];
}

static void
set_all_failed (const GstClOpTable *table, GstClContext *context,
    GError **error)
{
  const GstClDevice *device = context->device;
  g_autoptr (GError) reason = g_error_new (GST_CL_ERROR, CL_INVALID_DEVICE,
      "%s (%s, driver %s) gives wrong results: no implementation of op %s "
      "passes its self-test there. Choose another device by property device; "
      "an update of the driver may help.",
      device->name, device->platform_name, device->driver_version, table->name);

  if (context->alternative) {
    g_autofree gchar *message = g_steal_pointer (&reason->message);

    reason->message = g_strdup_printf (
        "%s After a restart, device=auto chooses %s.", message,
        context->alternative->name);
  }
  g_propagate_error (error, g_steal_pointer (&reason));
}

gboolean
gst_cl_op_table_is_undecided (const GstClOpTable *table, GstClContext *context,
    gint method, gconstpointer problem)
{
  GstClCandidate candidates[GST_CL_MAX_CANDIDATES];
  const gchar *names[GST_CL_MAX_CANDIDATES];
  GstClTuneJob job = { .version = table->version, .names = names };
  g_autofree gchar *key = NULL;
  g_autofree gchar *described = NULL;

  if (method != GST_CL_METHOD_AUTO || !table->make_io || !gst_cl_tune_is_on ())
    return FALSE;

  job.n_candidates = gst_cl_op_table_candidates (table, problem,
      context->device, candidates);
  get_names (candidates, job.n_candidates, names);
  job.key = key = table->describe (problem);
  described = describe_table (&job);

  return job.n_candidates > 1 &&
         has_memory_for (table, context->device, problem, job.n_candidates) &&
         find_stored (context->tuning_db, &job, described) < 0;
}

GstClCandidate
gst_cl_op_table_choose_quick (const GstClOpTable *table, GstClContext *context,
    gint method, gconstpointer problem, GstClBuildMode *mode)
{
  const GstClDevice *device = context->device;
  const GstClImplementation *row = NULL;

  do {
    row = method == GST_CL_METHOD_AUTO
              ? gst_cl_op_table_find_quick (table, problem, device)
              : NULL;
    *mode = GST_CL_BUILD_QUICKLY;
    if (!row) {
      row = gst_cl_op_table_first (table, method, problem, device);
      if (row && !row->needs_optimizer)
        *mode = GST_CL_BUILD_UNOPTIMIZED;
    }
  } while (row && !gst_cl_self_test_passes (context, table, row, problem));

  return row ? gst_cl_implementation_untuned (row, problem, device)
             : (GstClCandidate){ 0 };
}

GstClCandidate
gst_cl_op_table_choose (const GstClOpTable *table, GstClContext *context,
    gint method, gconstpointer problem, gboolean may_measure, GError **error)
{
  GstClCandidate candidate;
  GstClBuildMode mode;

  gst_cl_op_debug ();
  if (gst_cl_build_is_quick ())
    return gst_cl_op_table_choose_quick (table, context, method, problem,
        &mode); /* a step of a row */

  for (;;) {
    candidate = choose_untested (table, context, method, problem, may_measure);
    if (candidate.implementation && gst_cl_self_test_passes (context, table,
                                        candidate.implementation, problem))
      return candidate;

    if (candidate.implementation)
      continue; /* its row is out now */
    if (!gst_cl_op_table_has_failed_rows (table, method, problem,
            context->device))
      return candidate;
    if (method == GST_CL_METHOD_AUTO)
      break;
    method = GST_CL_METHOD_AUTO;
  }

  set_all_failed (table, context, error);

  return candidate;
}
