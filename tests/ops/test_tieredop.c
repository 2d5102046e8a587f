/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Ops that change rows, of a made-up table: what is built in which mode and in
 * which thread, and what follows from a failure. No device. */

#include "cl/context/gstclprogram.h"
#include "cl/device/gstcldevice.h"
#include "ops/choose.h"
#include "ops/tieredop.h"
#include "suite.h"

/* Rows in order of preference: the quick one is preferred. */
enum { METHOD_AUTO, METHOD_FAST, METHOD_PLAIN, METHOD_ASYNC };
static const GstClImplementation rows[] = {
  { .name = "fast",
      .method = METHOD_FAST,
      .resource = "fast.cl",
      .family = GST_CL_FAMILY_GPU },
  { .name = "plain",
      .method = METHOD_PLAIN,
      .resource = "plain.cl",
      .family = GST_CL_FAMILY_ANY,
      .quick_on = GST_CL_FAMILY_BIT (GST_CL_FAMILY_GPU) },
  { .name = "async",
      .method = METHOD_ASYNC,
      .resource = "async.cl",
      .family = GST_CL_FAMILY_ANY,
      .needs_optimizer = TRUE },
};

static gchar *
describe (gconstpointer problem)
{
  return g_strdup ("a problem");
}

static const GstClOpTable table = {
  .rows = rows,
  .n_rows = G_N_ELEMENTS (rows),
  .describe = describe,
};

/* An op of the table. */
typedef struct {
  const GstClImplementation *row;
  GstClBuildMode mode; /* in which it was created */
  GThread *thread;     /* which created it */
  guint n_runs;
} Op;

static const gint problem = 7;
static gboolean is_compiled;  /* creating an op compiles nothing */
static gboolean fails_beside; /* ops cannot be created by another thread */
static gboolean fails_quickly;
static gboolean fails_choice; /* no row passes its self-test */
static gint n_ops;            /* that exist; atomic */
static gint n_created;        /* atomic */
static GMutex beside;         /* held while no op is created beside runs */
static gint n_warnings;       /* atomic */

static GstClCandidate
choose (GstClContext *context, gint method, gconstpointer user_problem,
    gboolean may_measure, GError **error)
{
  fail_unless_equals_int (*(const gint *) user_problem, problem);
  if (fails_choice && gst_cl_build_mode () == GST_CL_BUILD_BESIDE) {
    g_set_error (error, GST_CORE_ERROR, GST_CORE_ERROR_FAILED, "wrong results");
    return (GstClCandidate){ 0 };
  }

  return gst_cl_op_table_choose (&table, context, method, user_problem,
      may_measure, error);
}

static gpointer
create (GstClContext *context, const GstClCandidate *candidate,
    gconstpointer user_problem, GError **error)
{
  const GstClBuildMode mode = gst_cl_build_mode ();
  Op *op;

  if (mode == GST_CL_BUILD_NOTHING && !is_compiled) {
    gst_cl_build_refuse ();
    g_set_error (error, G_IO_ERROR, G_IO_ERROR_WOULD_BLOCK, "not compiled");
    return NULL;
  }
  if (mode == GST_CL_BUILD_BESIDE) {
    g_mutex_lock (&beside);
    g_mutex_unlock (&beside);
  }
  if ((mode == GST_CL_BUILD_BESIDE && fails_beside) ||
      ((mode == GST_CL_BUILD_QUICKLY || mode == GST_CL_BUILD_UNOPTIMIZED) &&
          fails_quickly)) {
    g_set_error (error, GST_CORE_ERROR, GST_CORE_ERROR_FAILED, "no memory");
    return NULL;
  }

  op = g_new0 (Op, 1);
  op->row = candidate->implementation;
  op->mode = mode;
  op->thread = g_thread_self ();
  g_atomic_int_inc (&n_ops);
  g_atomic_int_inc (&n_created);

  return op;
}

static void
free_op (gpointer op)
{
  g_atomic_int_add (&n_ops, -1);
  g_free (op);
}

static void
adopt (gpointer user_op, gpointer user_before)
{
  Op *op = user_op, *before = user_before;

  op->n_runs = before->n_runs;
}

static const GstClTieredFuncs funcs = {
  .table = &table,
  .problem_bytes = sizeof problem,
  .choose = choose,
  .create = create,
  .free = free_op,
  .adopt = adopt,
};

/* --- helpers ------------------------------------------------------------- */

static void
count_warnings (GstDebugCategory *category, GstDebugLevel level,
    const gchar *file, const gchar *function, gint line, GObject *object,
    GstDebugMessage *message, gpointer user_data)
{
  if (level == GST_LEVEL_WARNING)
    g_atomic_int_inc (&n_warnings);
}

static void
setup (void)
{
  g_setenv ("GST_OPENCL_QUICK_START", "1", TRUE);
  g_setenv ("GST_OPENCL_SELF_TEST", "0", TRUE);
  g_setenv ("GST_OPENCL_TUNE", "0", TRUE);
  gst_debug_set_threshold_for_name ("clop", GST_LEVEL_WARNING);
  gst_debug_add_log_function (count_warnings, NULL, NULL);
  is_compiled = fails_beside = fails_quickly = fails_choice = FALSE;
  n_created = n_warnings = 0;
}

static void
teardown (void)
{
  gst_debug_remove_log_function (count_warnings);
  fail_unless_equals_int (n_ops, 0);
}

static GstClContext *
open_device (void)
{
  GstClContext *context = gst_object_ref_sink (
      g_object_new (GST_TYPE_CL_CONTEXT, NULL));
  GstClDevice *device = g_rc_box_new0 (GstClDevice);

  device->name = g_strdup ("Device");
  device->platform_name = g_strdup ("Platform");
  device->platform_version = g_strdup ("OpenCL 1.2");
  device->driver_version = g_strdup ("1.0");
  device->family = GST_CL_FAMILY_GPU;
  device->compute_units = 2;
  context->device = device;
  context->tuning_db = gst_cl_tuning_db_new (device);
  context->verdicts = gst_cl_tuning_db_new_for_verdicts (device);

  return context;
}

static GstClTieredOp *
make (GstClContext *context, gint method)
{
  g_autoptr (GError) error = NULL;
  GstClTieredOp *self = gst_cl_tiered_op_new (&funcs, context, method, &problem,
      FALSE, &error);

  g_assert_no_error (error);
  fail_unless (self != NULL);

  return self;
}

static Op *
run (GstClTieredOp *self)
{
  g_autoptr (GError) error = NULL;
  Op *op = gst_cl_tiered_op_next (self, &error);

  g_assert_no_error (error);
  op->n_runs++;

  return op;
}

/* Runs until the other thread has ended; returns the last run's op, and how
 * many runs there were. */
static Op *
run_until_settled (GstClTieredOp *self, guint *n_runs)
{
  Op *op;

  *n_runs = 0;
  do {
    g_thread_yield ();
    op = run (self);
    (*n_runs)++;
  } while (!gst_cl_tiered_op_is_settled (self));

  return op;
}

/* --- tests --------------------------------------------------------------- */

/* The quick row runs first; the preferred one is built beside it, and goes on
 * with what the quick one has kept. */
TEST (test_change)
{
  g_autoptr (GstClContext) context = open_device ();
  g_autoptr (GstClTieredOp) self = make (context, METHOD_AUTO);
  Op *quick = gst_cl_tiered_op_current (self), *last;
  guint n_runs;

  fail_unless_equals_string (gst_cl_tiered_op_name (self), "plain");
  fail_unless_equals_int (quick->mode, GST_CL_BUILD_QUICKLY);
  fail_unless (quick->thread == g_thread_self ());
  fail_if (gst_cl_tiered_op_is_settled (self));

  last = run_until_settled (self, &n_runs);
  fail_unless_equals_string (gst_cl_tiered_op_name (self), "fast");
  fail_unless (last->row == &rows[0]);
  fail_unless_equals_int (last->mode, GST_CL_BUILD_BESIDE);
  fail_if (last->thread == g_thread_self ());
  fail_unless_equals_int (last->n_runs, n_runs);

  /* the first op's results may still be read; nothing changes any more */
  fail_unless_equals_int (quick->n_runs, n_runs - 1);
  fail_unless (run (self) == last);
  fail_unless_equals_int (n_created, 2);
  fail_unless_equals_int (n_warnings, 0);
}

/* With a method, its own row runs first, without optimization. */
TEST (test_method)
{
  g_autoptr (GstClContext) context = open_device ();
  g_autoptr (GstClTieredOp) self = make (context, METHOD_FAST);
  Op *quick = gst_cl_tiered_op_current (self), *last;
  guint n_runs;

  fail_unless (quick->row == &rows[0]);
  fail_unless_equals_int (quick->mode, GST_CL_BUILD_UNOPTIMIZED);
  last = run_until_settled (self, &n_runs);
  fail_unless (last->row == &rows[0]);
  fail_unless_equals_int (last->mode, GST_CL_BUILD_BESIDE);
}

TEST (test_method_that_needs_the_optimizer)
{
  g_autoptr (GstClContext) context = open_device ();
  g_autoptr (GstClTieredOp) self = make (context, METHOD_ASYNC);
  Op *quick = gst_cl_tiered_op_current (self);

  fail_unless (quick->row == &rows[2]);
  fail_unless_equals_int (quick->mode, GST_CL_BUILD_QUICKLY);
}

/* Compiled kernels run at once, without another thread. */
TEST (test_compiled)
{
  g_autoptr (GstClContext) context = open_device ();
  g_autoptr (GstClTieredOp) self = NULL;

  is_compiled = TRUE;
  self = make (context, METHOD_AUTO);
  fail_unless (gst_cl_tiered_op_is_settled (self));
  fail_unless (run (self)->row == &rows[0]);
  fail_unless_equals_int (n_created, 1);
}

TEST (test_switched_off)
{
  g_autoptr (GstClContext) context = open_device ();
  g_autoptr (GstClTieredOp) self = NULL;

  g_setenv ("GST_OPENCL_QUICK_START", "0", TRUE);
  self = make (context, METHOD_AUTO);
  fail_unless (gst_cl_tiered_op_is_settled (self));
  fail_unless (run (self)->row == &rows[0]);
  fail_unless_equals_int (run (self)->mode, GST_CL_BUILD_NOW);
}

/* The stream continues with the row that it has, and one line warns. */
TEST (test_preferred_row_fails)
{
  g_autoptr (GstClContext) context = open_device ();
  g_autoptr (GstClTieredOp) self = NULL;
  guint n_runs;

  fails_beside = TRUE;
  self = make (context, METHOD_AUTO);
  fail_unless (run_until_settled (self, &n_runs)->row == &rows[1]);
  fail_unless (run (self)->row == &rows[1]);
  fail_unless_equals_int (n_warnings, 1);
}

/* Without a quick row, the preferred one is built before the first run. */
TEST (test_quick_row_fails)
{
  g_autoptr (GstClContext) context = open_device ();
  g_autoptr (GstClTieredOp) self = NULL;

  fails_quickly = TRUE;
  self = make (context, METHOD_AUTO);
  fail_unless (gst_cl_tiered_op_is_settled (self));
  fail_unless (run (self)->row == &rows[0]);
  fail_unless_equals_int (run (self)->mode, GST_CL_BUILD_NOW);
}

/* A device whose rows all give wrong results is used no longer. */
TEST (test_all_rows_are_wrong)
{
  g_autoptr (GstClContext) context = open_device ();
  g_autoptr (GstClTieredOp) self = NULL;
  g_autoptr (GError) error = NULL;

  fails_choice = TRUE;
  self = make (context, METHOD_AUTO);
  while (gst_cl_tiered_op_next (self, &error))
    g_thread_yield ();
  fail_unless (g_error_matches (error, GST_CORE_ERROR, GST_CORE_ERROR_FAILED));
  g_clear_error (&error);
  fail_if (gst_cl_tiered_op_next (self, &error) != NULL);
}

/* Freeing an op does not wait for the preferred row, which is built in the
 * background for the next start, even after a single frame. The op of the
 * frames is freed at once. */
TEST (test_first_frame)
{
  for (guint n = 0; n <= 5; n++) {
    g_autoptr (GstClContext) context = open_device ();
    GstClTieredOp *self = make (context, METHOD_AUTO);

    n_created = 0;
    g_mutex_lock (&beside);
    for (guint i = 0; i < n; i++)
      run (self);
    gst_cl_tiered_op_free (self);
    fail_unless_equals_int (n_ops, 0);
    g_mutex_unlock (&beside);
    gst_cl_tiered_ops_wait (context);
    fail_unless_equals_int (n_created, n > 0);
    fail_unless_equals_int (n_ops, 0);
  }
}

/* Creates an op as an element does whose property has changed. */
static GstClTieredOp *
make_for_change (GstClContext *context)
{
  GstClBuildScope scope = { .is_change = TRUE };
  GstClTieredOp *self;

  gst_cl_build_scope_enter (&scope, GST_CL_BUILD_CONFIGURE);
  self = make (context, METHOD_AUTO);
  gst_cl_build_scope_leave ();

  return self;
}

/* Nothing is built while a property changes again and again, wherever the op is
 * freed, and for the last value only after a while. */
TEST (test_changes_of_a_property)
{
  g_autoptr (GstClContext) context = open_device ();
  g_autoptr (GstClTieredOp) last = NULL;
  gint64 begin_us;
  guint n_runs;

  for (guint i = 0; i < 20; i++) {
    g_autoptr (GstClTieredOp) self = make_for_change (context);

    for (guint n = i % 5; n > 0; n--)
      run (self);
  }
  gst_cl_tiered_ops_wait (context);
  fail_unless_equals_int (n_created, 20);

  begin_us = g_get_monotonic_time ();
  last = make_for_change (context);
  fail_unless (run_until_settled (last, &n_runs)->row == &rows[0]);
  fail_unless (g_get_monotonic_time () - begin_us >= 300 * 1000);
}

/* Nor for an op that others replace when caps change. */
TEST (test_replaced_op)
{
  g_autoptr (GstClContext) context = open_device ();
  GstClTieredOp *self = make (context, METHOD_AUTO);
  GstClBuildScope scope = { 0 };

  run (self);
  gst_cl_build_scope_enter (&scope, GST_CL_BUILD_CONFIGURE);
  gst_cl_tiered_op_free (self);
  gst_cl_build_scope_leave ();
  gst_cl_tiered_ops_wait (context);
  fail_unless_equals_int (n_created, 1);
}

/* An element that stops does not wait for the ops of others. */
TEST (test_wait)
{
  g_autoptr (GstClContext) context = open_device ();
  g_autoptr (GstClTieredOp) other = make (context, METHOD_AUTO);
  guint n_runs;

  g_mutex_lock (&beside);
  for (guint i = 0; i < 5; i++)
    run (other);
  gst_cl_tiered_ops_wait (context);
  g_mutex_unlock (&beside);
  fail_unless (run_until_settled (other, &n_runs)->row == &rows[0]);
}

/* The element's property says what the environment variable says. */
TEST (test_complete)
{
  g_autoptr (GstClContext) context = open_device ();
  GstClBuildScope scope = { .is_complete = TRUE };
  g_autoptr (GstClTieredOp) self = NULL;

  gst_cl_build_scope_enter (&scope, GST_CL_BUILD_CONFIGURE);
  self = make (context, METHOD_AUTO);
  gst_cl_build_scope_leave ();
  fail_unless (gst_cl_tiered_op_is_settled (self));
  fail_unless (run (self)->row == &rows[0]);
}

/* An op may be freed at any time. */
TEST (test_free)
{
  g_autoptr (GstClContext) context = open_device ();

  for (guint i = 0; i < 100; i++) {
    g_autoptr (GstClTieredOp) self = make (context, METHOD_AUTO);

    for (guint n = i % 8; n > 0; n--)
      run (self);
  }
  gst_cl_tiered_ops_wait (context);
}

SUITE (.setup = setup, .teardown = teardown);
