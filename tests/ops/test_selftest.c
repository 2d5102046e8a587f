/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Self-tests of a mock op: when rows are tested, which verdicts are stored
 * where, and which row is used if some fail. No device. */

#include "cl/device/gstcldevice.h"
#include "folder.h"
#include "ops/choose.h"
#include "ops/selftest.h"
#include "suite.h"

#include <string.h>

#define RIGHT G_GUINT64_CONSTANT (0x1234)
#define WRONG G_GUINT64_CONSTANT (0x4321)

enum { METHOD_AUTO, METHOD_FAST, METHOD_SLOW };
enum { FAST, FAST_TOO, SLOW, N_ROWS };

/* Behaviour of the rows of the mock op. */
static guint64 results[N_ROWS]; /* digests; 0: an error */
static guint n_computed[N_ROWS];

/* Identity of devices in this process: a new one simulates another process. */
static gsize device_number;

static guint n_warnings;
static cl_int error_code; /* where a result is 0 */
static gchar *last_warning;

/* --- the op -------------------------------------------------------------- */

/* A problem is a number; even and odd ones use different kernels. */
static const gint one = 1, two = 2;

static const GstClImplementation rows[N_ROWS] = {
  [FAST] = { .name = "fast",
      .method = METHOD_FAST,
      .resource = "fast.cl",
      .family = GST_CL_FAMILY_GPU },
  [FAST_TOO] = { .name = "fast-too",
      .method = METHOD_FAST,
      .resource = "fast.cl",
      .family = GST_CL_FAMILY_ANY },
  [SLOW] = { .name = "slow",
      .method = METHOD_SLOW,
      .resource = "slow.cl",
      .family = GST_CL_FAMILY_ANY },
};

static GstClAnswer answers[] = {
  { "odd", &one, RIGHT },
  { "even", &two, RIGHT },
};

static gboolean
is_alike (gconstpointer answered, gconstpointer problem)
{
  return (*(const gint *) answered - *(const gint *) problem) % 2 == 0;
}

static gboolean
compute_answer (GstClContext *context, const GstClCandidate *candidate,
    gconstpointer answered, guint64 *digest, GError **error)
{
  const guint row = (guint) (candidate->implementation - rows);

  n_computed[row]++;
  *digest = results[row];
  if (results[row] != 0)
    return TRUE;

  g_set_error (error, GST_CL_ERROR, error_code, "made up");

  return FALSE;
}

static gchar *
describe (gconstpointer problem)
{
  return g_strdup_printf ("problem %d", *(const gint *) problem);
}

static const GstClOpTable table = {
  .name = "made-up",
  .rows = rows,
  .n_rows = N_ROWS,
  .describe = describe,
  .answers = answers,
  .n_answers = G_N_ELEMENTS (answers),
  .is_alike = is_alike,
  .compute_answer = compute_answer,
};

/* --- fixtures ------------------------------------------------------------ */

static void
count_warnings (GstDebugCategory *category, GstDebugLevel level,
    const gchar *file, const gchar *function, gint line, GObject *object,
    GstDebugMessage *message, gpointer user_data)
{
  if (level != GST_LEVEL_WARNING ||
      !g_str_equal (gst_debug_category_get_name (category), "clselftest"))
    return;

  n_warnings++;
  g_free (last_warning);
  last_warning = g_strdup (gst_debug_message_get (message));
}

static void
setup (void)
{
  error_code = CL_OUT_OF_RESOURCES;
  test_folder_setup ();
  g_setenv ("GST_OPENCL_CACHE_DIR", test_folder, TRUE);
  g_setenv ("GST_OPENCL_SELF_TEST", "1", TRUE);
  gst_debug_set_threshold_for_name ("clselftest", GST_LEVEL_WARNING);
  gst_debug_add_log_function (count_warnings, NULL, NULL);
  for (guint i = 0; i < N_ROWS; i++) {
    results[i] = RIGHT;
    n_computed[i] = 0;
  }
  answers[0].digest = RIGHT;
  n_warnings = 0;
  device_number++;
}

static void
teardown (void)
{
  gst_debug_remove_log_function (count_warnings);
  g_clear_pointer (&last_warning, g_free);
  test_folder_teardown ();
}

static GstClDevice *
make_device (const gchar *name, const gchar *driver_version)
{
  GstClDevice *device = g_rc_box_new0 (GstClDevice);

  device->id = (cl_device_id) GSIZE_TO_POINTER (device_number);
  device->name = g_strdup (name);
  device->platform_name = g_strdup ("Platform");
  device->platform_version = g_strdup ("OpenCL 1.2");
  device->driver_version = g_strdup (driver_version);
  device->family = GST_CL_FAMILY_GPU;
  device->compute_units = 2;

  return device;
}

/* Opening a device reads the file of verdicts, even if the process has them in
 * memory. */
static GstClContext *
open_device (const gchar *driver_version)
{
  GstClContext *context = gst_object_ref_sink (
      g_object_new (GST_TYPE_CL_CONTEXT, NULL));

  context->device = make_device ("Device", driver_version);
  context->tuning_db = gst_cl_tuning_db_new (context->device);
  context->verdicts = gst_cl_tuning_db_new_for_verdicts (context->device);

  return context;
}

static GstClContext *
open_anew (const gchar *driver_version)
{
  device_number++;

  return open_device (driver_version);
}

static void
expect_choice (GstClContext *context, gint method, const gint *problem,
    guint row)
{
  g_autoptr (GError) error = NULL;
  const GstClCandidate candidate = gst_cl_op_table_choose (&table, context,
      method, problem, FALSE, &error);

  g_assert_no_error (error);
  fail_unless (candidate.implementation == &rows[row], "expected %s, found %s",
      rows[row].name,
      candidate.implementation ? candidate.implementation->name : "none");
}

/* --- tests that run ------------------------------------------------------- */

TEST (test_once_a_process)
{
  g_autoptr (GstClContext) context = open_device ("1.0");
  g_autoptr (GstClContext) other = open_device ("1.0");

  for (guint i = 0; i < 3; i++) {
    expect_choice (context, METHOD_AUTO, &one, FAST);
    expect_choice (other, METHOD_AUTO, &one, FAST);
  }
  fail_unless_equals_int (n_computed[FAST], 1);
  fail_unless_equals_int (n_computed[FAST_TOO], 0);
  fail_unless_equals_int (n_computed[SLOW], 0);
  fail_unless_equals_int (n_warnings, 0);
}

TEST (test_each_answer_that_is_needed)
{
  g_autoptr (GstClContext) context = open_device ("1.0");
  const gint three = 3;

  expect_choice (context, METHOD_AUTO, &one, FAST);
  expect_choice (context, METHOD_AUTO, &three, FAST);
  fail_unless_equals_int (n_computed[FAST], 1);
  expect_choice (context, METHOD_AUTO, &two, FAST);
  fail_unless_equals_int (n_computed[FAST], 2);
}

TEST (test_verdicts_are_stored)
{
  results[FAST] = WRONG;
  for (guint i = 0; i < 2; i++) {
    g_autoptr (GstClContext) context = open_anew ("1.0");

    expect_choice (context, METHOD_AUTO, &one, FAST_TOO);
    fail_unless_equals_int (n_computed[FAST], 1);
    fail_unless_equals_int (n_computed[FAST_TOO], 1);
    fail_unless_equals_int (n_warnings, i + 1);
  }
}

TEST (test_no_files_without_folder)
{
  g_setenv ("GST_OPENCL_CACHE_DIR", "", TRUE);
  for (guint i = 0; i < 2; i++) {
    g_autoptr (GstClContext) context = open_anew ("1.0");

    expect_choice (context, METHOD_AUTO, &one, FAST);
    expect_choice (context, METHOD_AUTO, &one, FAST);
    fail_unless_equals_int (n_computed[FAST], i + 1);
  }
}

/* A repaired driver is used again, a broken one no longer. */
TEST (test_other_driver_is_tested_again)
{
  g_autoptr (GstClContext) old = open_anew ("1.0");

  results[FAST] = WRONG;
  expect_choice (old, METHOD_AUTO, &one, FAST_TOO);

  results[FAST] = RIGHT;
  g_autoptr (GstClContext) new = open_anew ("1.1");
  expect_choice (new, METHOD_AUTO, &one, FAST);
  fail_unless_equals_int (n_computed[FAST], 2);

  g_autoptr (GstClContext) old_again = open_anew ("1.0");
  expect_choice (old_again, METHOD_AUTO, &one, FAST_TOO);
  fail_unless_equals_int (n_computed[FAST], 2);
}

TEST (test_changed_answer_is_tested_again)
{
  g_autoptr (GstClContext) before = open_anew ("1.0");

  expect_choice (before, METHOD_AUTO, &one, FAST);
  answers[0].digest = WRONG;

  g_autoptr (GstClContext) after = open_anew ("1.0");
  expect_choice (after, METHOD_SLOW, &two, SLOW);
  fail_unless (!gst_cl_self_test_passes (after, &table, &rows[FAST], &one));
  fail_unless_equals_int (n_computed[FAST], 2);
}

TEST (test_error_is_not_stored_as_verdict)
{
  g_autoptr (GstClContext) context = open_device ("1.0");

  results[FAST] = 0;
  expect_choice (context, METHOD_AUTO, &one, FAST);
  expect_choice (context, METHOD_AUTO, &one, FAST);
  fail_unless_equals_int (n_computed[FAST], 2);

  results[FAST] = WRONG;
  expect_choice (context, METHOD_AUTO, &one, FAST_TOO);
  fail_unless_equals_int (n_warnings, 1);
}

/* an op that is freed leaves no memory for a step of the row */
TEST (test_failing_step_excludes_row)
{
  g_autoptr (GstClContext) context = open_device ("1.0");

  results[FAST] = 0;
  error_code = CL_INVALID_DEVICE;
  for (guint i = 0; i < 2; i++)
    expect_choice (context, METHOD_AUTO, &one, FAST_TOO);
  fail_unless_equals_int (n_computed[FAST], 1);
  fail_unless_equals_int (n_warnings, 0); /* the step had memory of its own */
}

TEST (test_switched_off)
{
  g_autoptr (GstClContext) context = open_device ("1.0");

  g_setenv ("GST_OPENCL_SELF_TEST", "0", TRUE);
  results[FAST] = WRONG;
  expect_choice (context, METHOD_AUTO, &one, FAST);
  fail_unless_equals_int (n_computed[FAST], 0);
}

/* --- replacements --------------------------------------------------------- */

TEST (test_next_row_is_used)
{
  g_autoptr (GstClContext) context = open_device ("1.0");

  results[FAST] = results[FAST_TOO] = WRONG;
  for (guint i = 0; i < 2; i++)
    expect_choice (context, METHOD_AUTO, &one, SLOW);
  fail_unless_equals_int (n_warnings, 2);
  fail_unless (
      !gst_cl_implementation_supports (&rows[FAST], &one, context->device));
}

/* A method without a row uses any other: all have the same results. */
TEST (test_other_method_is_used)
{
  g_autoptr (GstClContext) context = open_device ("1.0");

  results[SLOW] = WRONG;
  for (guint i = 0; i < 2; i++)
    expect_choice (context, METHOD_SLOW, &one, FAST);
}

TEST (test_warning_names_problem_and_folder)
{
  static const gchar *const parts[] = { "made-up fast, odd", "\"Device\"",
    "Platform", "driver 1.0", "expected 0000000000001234",
    "found 0000000000004321", "report" };
  g_autoptr (GstClContext) context = open_device ("1.0");

  results[FAST] = WRONG;
  for (guint i = 0; i < 3; i++)
    expect_choice (context, METHOD_AUTO, &one, FAST_TOO);
  fail_unless_equals_int (n_warnings, 1);
  for (guint i = 0; i < G_N_ELEMENTS (parts); i++)
    fail_unless (strstr (last_warning, parts[i]) != NULL, "no \"%s\" in: %s",
        parts[i], last_warning);
}

/* Returns the error. transfer full */
static GError *
expect_no_choice (GstClContext *context, const gchar *const *parts)
{
  GError *error = NULL;
  const GstClCandidate candidate = gst_cl_op_table_choose (&table, context,
      METHOD_AUTO, &one, FALSE, &error);

  fail_unless (candidate.implementation == NULL);
  fail_unless (error != NULL);
  for (guint i = 0; parts[i]; i++)
    fail_unless (strstr (error->message, parts[i]) != NULL, "no \"%s\" in: %s",
        parts[i], error->message);

  return error;
}

/* The device is avoided after an element has failed with the error, and not
 * before: a choice may be one of several trials. */
TEST (test_nothing_is_left)
{
  static const gchar *const parts[] = { "Device", "Platform", "driver 1.0",
    "made-up", "property device", NULL };
  static const gchar *const next[] = { "driver 1.0",
    "After a restart, device=auto chooses Second.", NULL };
  g_autoptr (GstClContext) context = open_device ("1.0");
  GstElement *element = gst_object_ref_sink (gst_bin_new (NULL));
  GError *error;

  results[FAST] = results[FAST_TOO] = results[SLOW] = WRONG;
  for (guint i = 0; i < 2; i++) {
    error = expect_no_choice (context, parts);
    gst_cl_context_latch_failure (context, error, element);
    g_error_free (error);
  }
  fail_unless_equals_int (n_warnings, 3);
  fail_unless_equals_int (gst_cl_device_verdict_get (context->device),
      GST_CL_DEVICE_VERDICT_UNKNOWN);

  context->alternative = make_device ("Second", "2.0");
  error = expect_no_choice (context, next);
  fail_unless_equals_int (gst_cl_device_verdict_get (context->device),
      GST_CL_DEVICE_VERDICT_UNKNOWN);
  gst_cl_context_latch_failure (context, error, element);
  fail_unless_equals_int (gst_cl_device_verdict_get (context->device),
      GST_CL_DEVICE_VERDICT_UNABLE);
  g_error_free (error);
  gst_object_unref (element);
}

/* The op fails, not the device. */
TEST (test_no_error_without_supporting_row)
{
  const GstClOpTable empty = { .name = "empty", .describe = describe };
  g_autoptr (GstClContext) context = open_device ("1.0");
  g_autoptr (GError) error = NULL;

  fail_unless (
      gst_cl_op_table_choose (&empty, context, METHOD_AUTO, &one, FALSE, &error)
          .implementation == NULL);
  g_assert_no_error (error);
}

SUITE (.setup = setup, .teardown = teardown);
