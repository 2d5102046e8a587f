/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Functions on the table of an op: the order, the candidates, and the rows that
 * have failed their self-test. */

#include "implementation.h"

/* --- instances ----------------------------------------------------------- */

gboolean
gst_cl_candidate_build (const GstClCandidate *candidate, GstClContext *context,
    const gchar *options, const GstClNamedKernel *kernels, guint n,
    GError **error)
{
  for (guint i = 0; i < n; i++) {
    if (!kernels[i].name)
      continue;
    *kernels[i].kernel = gst_cl_kernel_new (context,
        candidate->implementation->resource, options, kernels[i].name, error);
    if (!*kernels[i].kernel)
      return FALSE;
  }

  return TRUE;
}

gboolean
gst_cl_instance_init (GstClInstance *self, GstClContext *context,
    const GstClCandidate *candidate, gconstpointer problem, GError **error)
{
  self->funcs = candidate->implementation->funcs;
  self->data = self->funcs->create (context, candidate, problem, error);
  if (!self->data)
    self->funcs = NULL;

  return self->data != NULL;
}

gboolean
gst_cl_instance_run (const GstClInstance *self, gconstpointer io,
    GError **error)
{
  return self->funcs->run (self->data, io, error);
}

void
gst_cl_instance_clear (GstClInstance *self)
{
  if (self->data)
    self->funcs->free (self->data);
  *self = (GstClInstance){ NULL, NULL };
}

/* --- rows ---------------------------------------------------------------- */

gboolean
gst_cl_implementation_is_made_for (const GstClImplementation *row,
    gconstpointer problem, const GstClDevice *device)
{
  return !row->supports || row->supports (row, problem, device);
}

gboolean
gst_cl_implementation_supports (const GstClImplementation *row,
    gconstpointer problem, const GstClDevice *device)
{
  return gst_cl_implementation_is_made_for (row, problem, device) &&
         !gst_cl_row_has_failed (device, row);
}

/* Returns TRUE if @row, which supports @problem, is a row of @method. */
static gboolean
is_of_method (const GstClImplementation *row, gint method,
    gconstpointer problem, const GstClDevice *device)
{
  if (method != GST_CL_METHOD_AUTO)
    return row->method == method;

  return !row->is_preferred || row->is_preferred (problem, device);
}

static gboolean
is_fallback (const GstClImplementation *row, gint method, gconstpointer problem,
    const GstClDevice *device)
{
  return (row->fallback_for & GST_CL_METHOD (method)) != 0;
}

typedef gboolean (*Condition) (const GstClImplementation *row, gint method,
    gconstpointer problem, const GstClDevice *device);

/* Returns the first row that supports @problem and fulfils @condition: of the
 * device's family, else for any device. */
static const GstClImplementation *
find_first (const GstClOpTable *table, Condition condition, gint method,
    gconstpointer problem, const GstClDevice *device)
{
  const GstClFamily families[] = { device->family, GST_CL_FAMILY_ANY };

  for (guint f = 0; f < G_N_ELEMENTS (families); f++) {
    for (guint i = 0; i < table->n_rows; i++) {
      const GstClImplementation *row = &table->rows[i];

      if (row->family == families[f] &&
          gst_cl_implementation_supports (row, problem, device) &&
          condition (row, method, problem, device))
        return row;
    }
  }

  return NULL;
}

const GstClImplementation *
gst_cl_op_table_first (const GstClOpTable *table, gint method,
    gconstpointer problem, const GstClDevice *device)
{
  const GstClImplementation *row = find_first (table, is_of_method, method,
      problem, device);

  return row ? row : find_first (table, is_fallback, method, problem, device);
}

const GstClImplementation *
gst_cl_op_table_find_quick (const GstClOpTable *table, gconstpointer problem,
    const GstClDevice *device)
{
  const guint bit = GST_CL_FAMILY_BIT (device->family);

  for (guint i = 0; i < table->n_rows; i++) {
    const GstClImplementation *row = &table->rows[i];

    if ((row->quick_on & bit) &&
        gst_cl_implementation_supports (row, problem, device))
      return row;
  }

  return NULL;
}

gboolean
gst_cl_op_table_has_failed_rows (const GstClOpTable *table, gint method,
    gconstpointer problem, const GstClDevice *device)
{
  for (guint i = 0; i < table->n_rows; i++) {
    const GstClImplementation *row = &table->rows[i];

    if (gst_cl_row_has_failed (device, row) &&
        gst_cl_implementation_is_made_for (row, problem, device) &&
        (is_of_method (row, method, problem, device) ||
            is_fallback (row, method, problem, device)))
      return TRUE;
  }

  return FALSE;
}

/* --- candidates ---------------------------------------------------------- */

GstClCandidate
gst_cl_implementation_tuned (const GstClImplementation *row,
    const GstClTuning *tuning, gconstpointer problem, const GstClDevice *device)
{
  GstClCandidate candidate = { .implementation = row, .tuning = tuning };

  if (row->resolve)
    row->resolve (problem, device, tuning, candidate.values);
  else if (tuning)
    memcpy (candidate.values, tuning->values, sizeof candidate.values);

  return candidate;
}

GstClCandidate
gst_cl_implementation_untuned (const GstClImplementation *row,
    gconstpointer problem, const GstClDevice *device)
{
  return gst_cl_implementation_tuned (row, NULL, problem, device);
}

static gboolean
are_equal_candidates (const GstClCandidate *a, const GstClCandidate *b)
{
  gboolean are_equal = a->implementation == b->implementation;

  for (guint i = 0; i < GST_CL_MAX_TUNING_VALUES; i++)
    are_equal = are_equal && a->values[i] == b->values[i];

  return are_equal;
}

typedef struct {
  const GstClOpTable *table;
  gconstpointer problem;
  const GstClDevice *device;
  GstClCandidate *candidates;
  guint n_candidates;
} Walk;

static void
add_candidate (Walk *walk, const GstClImplementation *row,
    const GstClTuning *tuning)
{
  const GstClCandidate candidate = gst_cl_implementation_tuned (row, tuning,
      walk->problem, walk->device);

  for (guint i = 0; i < walk->n_candidates; i++) {
    if (are_equal_candidates (&candidate, &walk->candidates[i]))
      return;
  }

  g_return_if_fail (walk->n_candidates < GST_CL_MAX_CANDIDATES);
  walk->candidates[walk->n_candidates++] = candidate;
}

static void
add_tunings (Walk *walk, const GstClImplementation *row)
{
  for (const GstClTuning *tuning = row->tunings; tuning && tuning->name;
       tuning++)
    add_candidate (walk, row, tuning);
}

/* A row of steps has kernels that the first row has not compiled. */
static gboolean
shares_file (const GstClImplementation *row, const GstClImplementation *first)
{
  return row == first ||
         (!row->has_steps && g_str_equal (row->resource, first->resource));
}

/* Returns TRUE if @row is a candidate and shares a kernel file with the first
 * row, or (@is_shared FALSE) does not share it. */
static gboolean
is_candidate (const Walk *walk, const GstClImplementation *row,
    gboolean is_shared)
{
  const GstClImplementation *first = walk->candidates[0].implementation;

  if (shares_file (row, first) != is_shared ||
      !gst_cl_implementation_supports (row, walk->problem, walk->device))
    return FALSE;

  return row == first ||
         (row->is_candidate && row->is_candidate (walk->problem, walk->device));
}

static void
add_rows (Walk *walk, gboolean is_shared)
{
  const GstClOpTable *table = walk->table;

  for (guint i = 0; i < table->n_rows; i++) {
    if (is_candidate (walk, &table->rows[i], is_shared))
      add_candidate (walk, &table->rows[i], NULL);
  }
  for (guint i = 0; i < table->n_rows; i++) {
    if (is_candidate (walk, &table->rows[i], is_shared))
      add_tunings (walk, &table->rows[i]);
  }
}

guint
gst_cl_op_table_candidates (const GstClOpTable *table, gconstpointer problem,
    const GstClDevice *device, GstClCandidate candidates[GST_CL_MAX_CANDIDATES])
{
  const GstClImplementation *first = gst_cl_op_table_first (table,
      GST_CL_METHOD_AUTO, problem, device);
  Walk walk = { table, problem, device, candidates, 0 };

  if (!first)
    return 0;

  add_candidate (&walk, first, NULL);
  add_rows (&walk, TRUE);
  add_rows (&walk, FALSE);

  return walk.n_candidates;
}

const gchar *
gst_cl_candidate_name (const GstClCandidate *candidate)
{
  return candidate->tuning ? candidate->tuning->name
                           : candidate->implementation->name;
}

gboolean
gst_cl_is_candidate_on_gpus (gconstpointer problem, const GstClDevice *device)
{
  return device->family == GST_CL_FAMILY_GPU;
}

/* --- known answers ------------------------------------------------------- */

const GstClAnswer *
gst_cl_op_table_find_answer (const GstClOpTable *table,
    const GstClImplementation *row, gconstpointer problem,
    const GstClDevice *device)
{
  const GstClAnswer *first = NULL;

  for (guint i = 0; i < table->n_answers; i++) {
    const GstClAnswer *answer = &table->answers[i];

    if (!gst_cl_implementation_is_made_for (row, answer->problem, device))
      continue;
    if (!first)
      first = answer;
    if (problem &&
        (!table->is_alike || table->is_alike (answer->problem, problem)))
      return answer;
  }

  return first;
}

/* --- results of self-tests ----------------------------------------------- */

static GMutex verdict_lock;
static GHashTable *verdicts; /* gchar *: see name_verdict(); verdict_lock */
static gint n_failed;        /* the number of failed rows; atomic: 0 in most
                                processes */

/* Returns the key of a self-test's result: the row passed the known answer
 * @answer or, if @answer is NULL, failed. Transfer full. */
static gchar *
name_verdict (const GstClDevice *device, gconstpointer row,
    gconstpointer answer)
{
  return g_strdup_printf ("%p %p %p", (gpointer) device->id, row, answer);
}

static gboolean
find_verdict (const GstClDevice *device, gconstpointer row,
    gconstpointer answer)
{
  g_autofree gchar *name = name_verdict (device, row, answer);
  gboolean is_known;

  g_mutex_lock (&verdict_lock);
  is_known = verdicts && g_hash_table_contains (verdicts, name);
  g_mutex_unlock (&verdict_lock);

  return is_known;
}

/* Returns FALSE if the verdict was known. */
static gboolean
add_verdict (const GstClDevice *device, gconstpointer row, gconstpointer answer)
{
  gboolean is_new;

  g_mutex_lock (&verdict_lock);
  if (!verdicts)
    verdicts = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, NULL);
  is_new = g_hash_table_add (verdicts, name_verdict (device, row, answer));
  g_mutex_unlock (&verdict_lock);

  return is_new;
}

gboolean
gst_cl_row_has_failed (const GstClDevice *device, gconstpointer row)
{
  return g_atomic_int_get (&n_failed) > 0 && find_verdict (device, row, NULL);
}

void
gst_cl_row_set_failed (const GstClDevice *device, gconstpointer row)
{
  if (add_verdict (device, row, NULL))
    g_atomic_int_inc (&n_failed);
}

gboolean
gst_cl_row_has_passed (const GstClDevice *device, gconstpointer row,
    gconstpointer answer)
{
  return find_verdict (device, row, answer);
}

void
gst_cl_row_set_passed (const GstClDevice *device, gconstpointer row,
    gconstpointer answer)
{
  add_verdict (device, row, answer);
}
