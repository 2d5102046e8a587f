/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Self-tests of the rows of the ops' tables by known answers. */

#include "selftest.h"

#include <gst/gst.h>
#include <string.h>

#include "cl/context/gstclprogram.h"
#include "cl/device/gstclerror.h"
#include "common/gstcldebug.h"
#include "implementation.h"

GST_CL_DEBUG_CATEGORY (gst_cl_self_test_debug, "clselftest",
    "Implementations tested by known answers");
#define GST_CAT_DEFAULT gst_cl_self_test_debug ()

#define PASSED  "passed"
#define FAILED  "failed"
#define CRASHED "crashed" /* the driver's compiler ended the process */

#define SEPARATOR "; tested: " /* of key and version in the text of a trial */

/* One test. */
typedef struct {
  GstClContext *context;
  const GstClOpTable *table;
  const GstClImplementation *row;
  const GstClAnswer *answer;
} Test;

/* Returns FALSE if environment variable GST_OPENCL_SELF_TEST is 0: then nothing
 * is tested, read or written. */
static gboolean
is_on (void)
{
  return g_strcmp0 (g_getenv ("GST_OPENCL_SELF_TEST"), "0") != 0;
}

/* --- stored verdicts ----------------------------------------------------- */

/* Transfer full. */
static gchar *
name_test (const Test *test)
{
  return g_strdup_printf ("%s %s, %s", test->table->name, test->row->name,
      test->answer->name);
}

const gchar *
gst_cl_self_test_kernels (void)
{
  static gchar *digest = NULL;

  if (g_once_init_enter (&digest))
    g_once_init_leave (&digest, gst_cl_source_digest ());

  return digest;
}

/* Returns what a verdict depends on besides the device: the kernels and the
 * answer. Transfer full. */
static gchar *
describe_version (const Test *test)
{
  return g_strdup_printf ("%s with kernels %s, %016" G_GINT64_MODIFIER "x",
      PACKAGE_VERSION, gst_cl_self_test_kernels (), test->answer->digest);
}

static void
store_verdict (const Test *test, const gchar *verdict, guint64 digest)
{
  g_autofree gchar *key = name_test (test);
  g_autofree gchar *version = describe_version (test);
  g_autofree gchar *found = g_strdup_printf ("%016" G_GINT64_MODIFIER "x",
      digest);
  g_autoptr (GError) reason = NULL;

  if (!gst_cl_tuning_db_remember (test->context->verdicts, key, version,
          verdict, found, &reason))
    GST_INFO ("%s: not stored: %s", key, reason->message);
}

/* Returns the stored verdict, transfer full; NULL if there is none. */
static gchar *
find_stored (const Test *test)
{
  g_autofree gchar *key = name_test (test);
  g_autofree gchar *version = describe_version (test);

  return gst_cl_tuning_db_find (test->context->verdicts, key, version);
}

/* --- testing ------------------------------------------------------------- */

static void
warn (const Test *test, const gchar *found)
{
  const GstClDevice *device = test->context->device;
  g_autofree gchar *key = name_test (test);

  GST_WARNING ("%s: wrong result on %u.%u \"%s\" (%s, driver %s): expected "
               "%016" G_GINT64_MODIFIER "x, found %s. The implementation is "
               "not used there. Please report this line to the authors of the "
               "plugin, and to those of the driver.",
      key, device->platform_index, device->device_index, device->name,
      device->platform_name, device->driver_version, test->answer->digest,
      found);
}

static void
fail (const Test *test, const gchar *found)
{
  gst_cl_row_set_failed (test->context->device, test->row);
  warn (test, found);
}

static void
fail_as_crashed (const Test *test)
{
  const GstClDevice *device = test->context->device;
  g_autofree gchar *key = name_test (test);

  gst_cl_row_set_failed (device, test->row);
  GST_WARNING ("%s: the compiler of %u.%u \"%s\" (%s, driver %s) ends its "
               "process with these kernels. The implementation is not used "
               "there. Please report this line to the authors of the plugin, "
               "and to those of the driver.",
      key, device->platform_index, device->device_index, device->name,
      device->platform_name, device->driver_version);
}

static void
pass (const Test *test)
{
  gst_cl_row_set_passed (test->context->device, test->row, test->answer);
}

static void
compute (const Test *test)
{
  const gint64 start = g_get_monotonic_time ();
  const GstClCandidate candidate = gst_cl_implementation_untuned (test->row,
      test->answer->problem, test->context->device);
  g_autofree gchar *key = name_test (test);
  g_autofree gchar *found = NULL;
  g_autoptr (GError) reason = NULL;
  guint64 digest;

  gboolean is_computed;

  gst_cl_trial_begin (test->context, test->table, test->row,
      test->answer->problem);
  is_computed = test->table->compute_answer (test->context, &candidate,
      test->answer->problem, &digest, &reason);
  gst_cl_trial_end ();
  if (!is_computed) {
    GST_INFO ("%s: not tested: %s", key, reason->message);
    /* no implementation of a step is left; steps have stored verdicts of their
     * own */
    if (g_error_matches (reason, GST_CL_ERROR, CL_INVALID_DEVICE))
      gst_cl_row_set_failed (test->context->device, test->row);
    return;
  }

  if (digest == test->answer->digest) {
    pass (test);
    store_verdict (test, PASSED, digest);
    GST_DEBUG ("%s: passed in %" G_GINT64_FORMAT " us", key,
        g_get_monotonic_time () - start);
    return;
  }

  found = g_strdup_printf ("%016" G_GINT64_MODIFIER "x", digest);
  fail (test, found);
  store_verdict (test, FAILED, digest);
}

/* Returns FALSE if there is no stored verdict. */
static gboolean
look_up (const Test *test)
{
  g_autofree gchar *verdict = find_stored (test);

  if (g_strcmp0 (verdict, PASSED) == 0)
    pass (test);
  else if (g_strcmp0 (verdict, FAILED) == 0)
    fail (test, "another one, as stored");
  else if (g_strcmp0 (verdict, CRASHED) == 0)
    fail_as_crashed (test);
  else
    return FALSE;

  return TRUE;
}

static void
look_up_or_compute (const Test *test)
{
  if (!look_up (test))
    compute (test);
}

static gboolean
is_known (const Test *test)
{
  const GstClDevice *device = test->context->device;

  return gst_cl_row_has_failed (device, test->row) ||
         gst_cl_row_has_passed (device, test->row, test->answer);
}

/* Verdicts of crashes come from another process, also for rows that have passed
 * in this one. */
static gint n_crashes; /* recorded by this process; atomic */

static gboolean
has_crashed (const Test *test)
{
  g_autofree gchar *verdict = NULL;

  if (g_atomic_int_get (&n_crashes) == 0)
    return FALSE;
  verdict = find_stored (test);

  return g_strcmp0 (verdict, CRASHED) == 0;
}

gboolean
gst_cl_self_test_recall (GstClContext *context, const GstClOpTable *table,
    const GstClImplementation *row, gconstpointer problem)
{
  Test test = { context, table, row, NULL };

  gst_cl_self_test_debug ();
  if (!is_on ())
    return TRUE;
  if (gst_cl_row_has_failed (context->device, row))
    return FALSE;

  test.answer = gst_cl_op_table_find_answer (table, row, problem,
      context->device);
  if (test.answer && (!is_known (&test) || has_crashed (&test)))
    look_up (&test);

  return !gst_cl_row_has_failed (context->device, row);
}

gboolean
gst_cl_self_test_passes (GstClContext *context, const GstClOpTable *table,
    const GstClImplementation *row, gconstpointer problem)
{
  /* recursive: rows of steps choose other rows during their test */
  static GRecMutex lock;
  Test test = { context, table, row, NULL };

  gst_cl_self_test_debug ();
  if (!is_on ())
    return TRUE;
  if (gst_cl_row_has_failed (context->device, row))
    return FALSE;

  test.answer = gst_cl_op_table_find_answer (table, row, problem,
      context->device);
  if (!test.answer)
    return TRUE;

  if (has_crashed (&test)) {
    fail_as_crashed (&test);
    return FALSE;
  }
  if (is_known (&test))
    return !gst_cl_row_has_failed (context->device, row);

  switch (gst_cl_build_mode ()) {
    case GST_CL_BUILD_NOTHING:
      if (!look_up (&test))
        gst_cl_build_refuse ();
      break;
    case GST_CL_BUILD_QUICKLY:
    case GST_CL_BUILD_UNOPTIMIZED:
      look_up (&test); /* the thread that builds the preferred row tests it */
      break;
    default:
      g_rec_mutex_lock (&lock);
      if (!is_known (&test))
        look_up_or_compute (&test);
      g_rec_mutex_unlock (&lock);
  }

  return !gst_cl_row_has_failed (context->device, row);
}

/* --- crashes of drivers --------------------------------------------------- */

static GstClTrialReporter trial_reporter; /* NULL: nobody is interested */

void
gst_cl_self_test_set_reporter (GstClTrialReporter reporter)
{
  trial_reporter = reporter;
}

void
gst_cl_trial_begin (GstClContext *context, const GstClOpTable *table,
    const GstClImplementation *row, gconstpointer problem)
{
  Test test = { context, table, row, NULL };
  g_autofree gchar *key = NULL, *version = NULL, *trial = NULL;

  if (!trial_reporter)
    return;

  test.answer = gst_cl_op_table_find_answer (table, row, problem,
      context->device);
  if (test.answer) {
    key = name_test (&test);
    version = describe_version (&test);
  }
  trial = g_strdup_printf ("%s" SEPARATOR "%s", key ? key : "",
      version ? version : "");
  trial_reporter (trial);
}

void
gst_cl_trial_end (void)
{
  if (trial_reporter)
    trial_reporter (NULL);
}

gboolean
gst_cl_self_test_record_crash (GstClContext *context, const gchar *trial)
{
  g_auto (GStrv) parts = g_strsplit (trial, SEPARATOR, 2);
  g_autoptr (GError) reason = NULL;

  gst_cl_self_test_debug ();
  if (!parts[0] || !parts[0][0] || !parts[1])
    return FALSE;

  if (!gst_cl_tuning_db_remember (context->verdicts, parts[0], parts[1],
          CRASHED, "none", &reason))
    GST_INFO ("%s: not stored: %s", parts[0], reason->message);
  g_atomic_int_inc (&n_crashes);

  return TRUE;
}
