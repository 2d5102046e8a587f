/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Chooses the candidate for a problem: by its method, or by measurement among
 * the candidates of the table. */

#include "choose.h"

#include <gst/gst.h>

#include "common/gstcldebug.h"
#include "selftest.h"
#include "tune.h"

GST_CL_DEBUG_CATEGORY (gst_cl_op_debug, "clop",
    "Which implementation of an op runs");
#define GST_CAT_DEFAULT gst_cl_op_debug ()

/* Candidates use at most this fraction of the device's memory. */
#define MEMORY_PART 8

/* The data of a measurement. */
typedef struct {
  const GstClOpTable *table;
  GstClContext *context;
  gconstpointer problem;
  const GstClCandidate *candidates;
  gpointer io; /* of all instances; created with the first one */
} Trial;

/* Returns TRUE if candidates that need @n_bytes of the device's memory in all
 * may be measured: at most an eighth of it. */
static gboolean
has_memory (const GstClDevice *device, guint64 n_bytes)
{
  return n_bytes <= device->global_bytes / MEMORY_PART;
}

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
log_choice (const Trial *trial, const GstClCandidate *candidate,
    const gchar *reason)
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
  log_choice (trial, &trial->candidates[index],
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
  log_choice (trial, &candidate,
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

  if (method != GST_CL_METHOD_AUTO || !table->make_io || !gst_cl_tune_is_on ())
    return FALSE;

  job.n_candidates = gst_cl_op_table_candidates (table, problem,
      context->device, candidates);
  get_names (candidates, job.n_candidates, names);
  job.key = key = table->describe (problem);

  return job.n_candidates > 1 &&
         has_memory_for (table, context->device, problem, job.n_candidates) &&
         !gst_cl_tune_is_stored (context->tuning_db, &job);
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
