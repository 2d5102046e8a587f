/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* From a problem to the candidate that is made for it: by its method, or among
 * those of the table by measurement. */

#include "choose.h"
#include "selftest.h"
#include "tune.h"
#include "cl/device/gstclerror.h"
#include "common/gstcldebug.h"

#include <gst/gst.h>

GST_CL_DEBUG_CATEGORY (gst_cl_op_debug, "clop",
    "Which implementation of an op runs");
#define GST_CAT_DEFAULT gst_cl_op_debug ()

/* What candidates are measured with. */
typedef struct {
  const GstClOpTable *table;
  GstClContext *context;
  gconstpointer problem;
  const GstClCandidate *candidates;
  gpointer io; /* of all of them; made with the first instance */
} Trial;

/* --- the log ------------------------------------------------------------- */

/* transfer full */
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

/* --- measuring ----------------------------------------------------------- */

static gpointer
make (gpointer user_data, guint index, GError **error)
{
  Trial *trial = user_data;
  g_autofree GstClInstance *made = g_new0 (GstClInstance, 1);

  if (!trial->io)
    trial->io = trial->table->make_io (trial->context, trial->problem, error);
  if (!trial->io)
    return NULL;

  return gst_cl_instance_init (made, trial->context, &trial->candidates[index],
             trial->problem, error)
             ? g_steal_pointer (&made)
             : NULL;
}

static gboolean
run (gpointer user_data, gpointer user_made, guint n_times, GError **error)
{
  const Trial *trial = user_data;
  const GstClInstance *made = user_made;

  for (guint i = 0; i < n_times; i++) {
    if (!gst_cl_instance_run (made, trial->io, error))
      return FALSE;
  }
  if (made->funcs->check && !made->funcs->check (made->data, error))
    return FALSE;

  return gst_cl_context_finish (trial->context, error);
}

static void
free_made (gpointer user_made)
{
  gst_cl_instance_clear (user_made);
  g_free (user_made);
}

static const gchar *
explain (GstClTuneReason reason, gboolean is_too_large)
{
  static const gchar *const reasons[] = {
    [GST_CL_TUNE_ONLY_ONE] = "by order: there is no other candidate",
    [GST_CL_TUNE_SWITCHED_OFF] = "by order: measuring is switched off",
    [GST_CL_TUNE_NOT_NOW] = "by order: nothing is measured at this time",
    [GST_CL_TUNE_FAILED] = "by order: no candidate works",
    [GST_CL_TUNE_REMEMBERED] = "remembered to be the fastest",
    [GST_CL_TUNE_MEASURED] = "measured to be the fastest",
  };

  if (reason == GST_CL_TUNE_NOT_NOW && is_too_large)
    return "by order: measuring takes too much memory";

  return reasons[reason];
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
  const gboolean is_too_large = table->count_bytes &&
                                !gst_cl_tune_fits_memory (
                                    trial->context->device,
                                    table->count_bytes (trial->problem,
                                        n_candidates));
  GstClTuneReason reason;
  guint index;

  for (guint i = 0; i < n_candidates; i++)
    names[i] = gst_cl_candidate_name (&trial->candidates[i]);
  index = gst_cl_tune_choose (trial->context->tuning_db, &job,
      may_measure && !is_too_large && table->make_io, &reason);
  if (trial->io)
    table->free_io (trial->io);
  say (trial, &trial->candidates[index],
      explain (reason, may_measure && is_too_large));

  return index;
}

/* --- choosing ------------------------------------------------------------ */

static GstClCandidate
choose_by_method (const Trial *trial, gint method)
{
  const GstClDevice *device = trial->context->device;
  const GstClImplementation *row = gst_cl_op_table_first (trial->table, method,
      trial->problem, device);
  GstClCandidate candidate = { 0 };

  if (row)
    candidate = gst_cl_implementation_usual (row, trial->problem, device);
  say (trial, &candidate,
      !row ? "no implementation supports it"
      : row->method == method
          ? "by its method"
          : "in place of a method that does not support it");

  return candidate;
}

static GstClCandidate
choose_untested (const GstClOpTable *table, GstClContext *context, gint method,
    gconstpointer problem, gboolean may_measure)
{
  GstClCandidate candidates[GST_CL_MAX_CANDIDATES];
  Trial trial = { table, context, problem, candidates, NULL };
  guint n_candidates;

  if (method != GST_CL_METHOD_AUTO)
    return choose_by_method (&trial, method);

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
        "%s Started again, the pipeline takes %s by device=auto.", message,
        context->alternative->name);
  }
  g_propagate_error (error, g_steal_pointer (&reason));
}

GstClCandidate
gst_cl_op_table_choose (const GstClOpTable *table, GstClContext *context,
    gint method, gconstpointer problem, gboolean may_measure, GError **error)
{
  GstClCandidate candidate;

  gst_cl_op_debug ();
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
