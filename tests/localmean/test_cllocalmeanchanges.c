/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* cllocalmean: properties that change while playing, the frames that a change
 * applies to, and the programs that it needs. */

#include "elements/common.h"
#include "elements/frames.h"
#include "elements/localmean.h"
#include "suite.h"

/* All kernels may have to be compiled, on a busy machine. */
#define MAX_WAIT_S 120

/* Every property, there and back; each frame is compared with the settings at
 * its time. */
static const gchar *const changes[] = {
  "operation=stddev",
  "kernel-width=9 kernel-height=4",
  "operation=sauvola",
  "k=0.4",
  "r=70.5",
  "offset=-6.25",
  "invert=true",
  "border-mode=constant",
  "border-value=250",
  "operation=wolf anchor-x=0",
  "step-x=2",
  "operation=mean step-x=1",
  "repeat=3",
  "border-mode=reflect-101",
  "repeat=1 step-y=3",
  "operation=difference",
  "border-mode=valid",
  "operation=normalize target=90",
  "kernel-width=30 anchor-x=-1",
  "border-mode=wrap kernel-width=50 kernel-height=40 step-y=1",
  "operation=mean-c invert=false",
  "border-mode=reflect operation=bradley",
  "operation=nick k=-10",
  "operation=niblack planes=0",
  "planes=y",
  "operation=mean border-mode=replicate method=direct",
  "operation=mean-c method=async-copy",
  "method=auto",
  "operation=mean border-mode=shrink kernel-width=15 kernel-height=15",
  "k=-10 r=128 offset=0 target=128 border-value=0",
};

/* A change that the frame does not support posts one error, and can be
 * undone. */
TEST (test_mistakes)
{
  static const struct {
    const gchar *bad, *good;
    const gchar *parts[3];
  } rows[] = {
    { "repeat=2 operation=wolf", "repeat=1", { "repeat is 2", "operation" } },
    { "operation=mean repeat=3 step-y=2", "step-y=1", { "repeat", "step-y" } },
    { "border-mode=valid", "repeat=1", { "repeat is 3", "border-mode" } },
    { "kernel-width=34", "border-mode=wrap", { "kernel-width 34", "33x17" } },
  };
  g_autoptr (GstHarness) h = harness_new ("cllocalmean");
  g_autoptr (GstBus) bus = harness_bus (h);
  GstVideoInfo info;

  harness_set_format (h, GST_VIDEO_FORMAT_GRAY8, 33, 17, &info);
  for (guint i = 0; i < G_N_ELEMENTS (rows); i++) {
    local_mean_set (h, rows[i].bad);
    for (guint n = 0; n < 2; n++)
      harness_run_into (h, frame_new (&info, n), GST_FLOW_NOT_NEGOTIATED);
    expect_one_error (bus, GST_CORE_ERROR, GST_CORE_ERROR_NEGOTIATION,
        rows[i].parts);
    local_mean_set (h, rows[i].good);
    local_mean_push (h, &info, i);
    expect_no_error (bus);
  }
}

/* --- programs ------------------------------------------------------------ */

static gint n_programs; /* created so far, compiled or loaded; atomic */
static gint n_prepared; /* number of completed builds ahead; atomic */
static gint n_ops;      /* created so far; atomic */

static void
count_programs (GstDebugCategory *category, GstDebugLevel level,
    const gchar *file, const gchar *function, gint line, GObject *object,
    GstDebugMessage *message, gpointer user_data)
{
  const gchar *text = gst_debug_message_get (message);

  if (g_str_equal (gst_debug_category_get_name (category), "clprogram") &&
      (g_str_has_prefix (text, "built ") || g_str_has_prefix (text, "loaded ")))
    g_atomic_int_inc (&n_programs);
  if (g_str_equal (gst_debug_category_get_name (category), "cllocalmean") &&
      g_str_has_prefix (text, "prepared "))
    g_atomic_int_inc (&n_prepared);
  if (g_str_equal (gst_debug_category_get_name (category), "cllocalmean") &&
      strstr (text, ", window "))
    g_atomic_int_inc (&n_ops);
}

static void
setup_counter (void)
{
  g_atomic_int_set (&n_programs, 0);
  g_atomic_int_set (&n_prepared, 0);
  g_atomic_int_set (&n_ops, 0);
  gst_debug_set_active (TRUE);
  gst_debug_remove_log_function (gst_debug_log_default);
  gst_debug_set_threshold_for_name ("clprogram", GST_LEVEL_DEBUG);
  gst_debug_set_threshold_for_name ("cllocalmean", GST_LEVEL_DEBUG);
  gst_debug_add_log_function (count_programs, NULL, NULL);
}

static void
teardown_counter (void)
{
  g_setenv ("GST_OPENCL_PREPARE", "0", TRUE);
  gst_debug_remove_log_function (count_programs);
  gst_debug_unset_threshold_for_name ("clprogram");
  gst_debug_unset_threshold_for_name ("cllocalmean");
}

/* Returns GRAY8 or GRAY16_LE: each needs programs of its own. */
static GstVideoFormat
choose_format (void)
{
  return test_seed () % 2 ? GST_VIDEO_FORMAT_GRAY16_LE : GST_VIDEO_FORMAT_GRAY8;
}

/* From the second time on, no change builds a program. */
TEST (test_every_property)
{
  g_autoptr (GstHarness) h = harness_new ("cllocalmean");
  g_autoptr (GstBus) bus = harness_bus (h);
  GstVideoInfo info;

  harness_set_format (h, choose_format (), 51, 42, &info);
  for (guint i = 0; i < 2 * G_N_ELEMENTS (changes); i++) {
    const gchar *text = changes[i % G_N_ELEMENTS (changes)];
    const gint before = g_atomic_int_get (&n_programs);

    local_mean_set (h, text);
    local_mean_push (h, &info, i);
    fail_unless (i < G_N_ELEMENTS (changes) ||
                     g_atomic_int_get (&n_programs) == before,
        "%s again: expected no new program", text);
  }
  fail_unless (g_atomic_int_get (&n_programs) > 0);
  expect_no_error (bus);
}

/* Sets the properties of each of @texts, up to NULL; a frame then creates no
 * program. The output is not checked: the reference is slow for large
 * windows. */
static void
expect_no_programs (GstHarness *h, const GstVideoInfo *info,
    const gchar *const *texts)
{
  for (guint i = 0; texts[i]; i++) {
    const gint before = g_atomic_int_get (&n_programs);

    local_mean_set (h, texts[i]);
    gst_buffer_unref (harness_run (h, frame_new (info, i)));
    fail_unless (g_atomic_int_get (&n_programs) == before,
        "%s: expected no new program, found %d", texts[i],
        g_atomic_int_get (&n_programs) - before);
  }
}

/* Windows, numbers, and operations on the same moments are arguments of
 * programs that the first frame has created. */
static const struct {
  const gchar *first;
  const gchar *changes[16];
} free_changes[] = {
  { "operation=mean step-y=1",
      { "kernel-width=3", "kernel-height=31", "kernel-width=40",
          "anchor-x=0 anchor-y=30", "kernel-width=1 kernel-height=31",
          "repeat=4", "repeat=1 step-y=2", "border-value=10" } },
  { "operation=difference step-y=1 anchor-x=-1 anchor-y=-1",
      { "operation=mean-c", "offset=12", "invert=true", "kernel-width=33",
          "operation=difference kernel-height=2", "step-x=2" } },
  { "operation=sauvola step-x=1",
      { "k=0.5", "r=100", "offset=3", "invert=true", "border-value=90",
          "kernel-width=100 kernel-height=100 anchor-x=7", "operation=niblack",
          "operation=wolf", "operation=nick", "operation=stddev",
          "step-x=3" } },
  { "operation=bradley step-x=1",
      { "k=0.5", "offset=3", "invert=true", "border-value=90",
          "operation=normalize target=7", "kernel-height=90 anchor-x=9" } },
};

TEST (test_changes_that_need_no_program)
{
  g_autoptr (GstHarness) h = harness_new ("cllocalmean");
  GstVideoInfo info;

  harness_set_format (h, GST_VIDEO_FORMAT_GRAY8, 51, 42, &info);
  for (guint i = 0; i < G_N_ELEMENTS (free_changes); i++) {
    local_mean_set (h, free_changes[i].first);
    local_mean_push (h, &info, 0);
    fail_unless (g_atomic_int_get (&n_programs) > 0);
    expect_no_programs (h, &info, free_changes[i].changes);
  }
}

/* Numbers of operations are arguments of kernels, and setting a value again
 * changes nothing: neither creates a new op. The results are compared, also for
 * the largest numbers. */
TEST (test_changes_that_need_no_op)
{
  static const struct {
    const gchar *text;
    gint n_ops; /* made for it */
  } rows[] = {
    { "operation=sauvola", 1 },
    { "k=0.5", 0 },
    { "r=100 offset=3", 0 },
    { "invert=true", 0 },
    { "kernel-width=15 operation=sauvola method=auto", 0 },
    { "kernel-width=14", 1 },
    { "k=0.3", 0 },
    { "operation=normalize target=90", 1 },
    { "target=3", 0 },
    { "target=255", 0 },
    { "operation=wolf", 1 },
    { "k=10 r=255 offset=255", 0 },
    { "k=-9.9 offset=-255 invert=false", 0 },
  };
  g_autoptr (GstHarness) h = harness_new ("cllocalmean");
  GstVideoInfo info;

  harness_set_format (h, choose_format (), 51, 42, &info);
  local_mean_push (h, &info, 0);
  for (guint i = 0; i < G_N_ELEMENTS (rows); i++) {
    const gint before = g_atomic_int_get (&n_ops);

    local_mean_set (h, rows[i].text);
    local_mean_push (h, &info, i);
    fail_unless_equals_int (g_atomic_int_get (&n_ops) - before, rows[i].n_ops);
  }
}

/* --- programs that are built ahead ---------------------------------------- */

static GstHarness *
preparing_harness_new (void)
{
  g_setenv ("GST_OPENCL_PREPARE", "1", TRUE);

  return harness_new ("cllocalmean");
}

/* Waits until *counter is @least or more. */
static void
wait_for (gint *counter, gint least)
{
  for (guint i = 0; g_atomic_int_get (counter) < least; i++) {
    fail_unless (i < MAX_WAIT_S * 100);
    g_usleep (G_USEC_PER_SEC / 100);
  }
}

/* Changes that need programs other than those of the first frame. */
TEST (test_prepared_changes_build_nothing)
{
  static const gchar *const changes_ahead[] = { "operation=difference",
    "step-y=3", "operation=sauvola", "step-y=1", "kernel-width=200",
    "kernel-height=400 kernel-width=400", "operation=bradley", "operation=mean",
    "step-y=2", "kernel-width=32767 kernel-height=32767", "operation=wolf",
    "operation=mean-c", "operation=normalize planes=0", "planes=y", NULL };
  g_autoptr (GstHarness) h = preparing_harness_new ();
  GstVideoInfo info;

  harness_set_format (h, GST_VIDEO_FORMAT_GRAY8, 51, 42, &info);
  local_mean_push (h, &info, 0);
  wait_for (&n_prepared, 1);
  expect_no_programs (h, &info, changes_ahead);

  /* another border is prepared again, other windows are not */
  fail_unless_equals_int (g_atomic_int_get (&n_prepared), 1);
  local_mean_set (h, "border-mode=constant kernel-width=9 kernel-height=9");
  local_mean_push (h, &info, 0);
  wait_for (&n_prepared, 2);
  for (guint i = 0; i < G_N_ELEMENTS (free_changes); i++) {
    const gchar *const first[] = { free_changes[i].first, NULL };

    expect_no_programs (h, &info, first);
    expect_no_programs (h, &info, free_changes[i].changes);
  }
}

/* A stop waits for one program at most, and preparing ends there; the next
 * start begins again. */
TEST (test_stopped_while_preparing)
{
  for (guint i = 0; i < 3; i++) {
    GstHarness *h = preparing_harness_new ();
    GstVideoInfo info;
    gint n_first, n_stopping;

    harness_set_format (h, GST_VIDEO_FORMAT_GRAY8, 51, 42, &info);
    local_mean_push (h, &info, 0);
    n_first = g_atomic_int_get (&n_programs);
    if (i > 0)
      wait_for (&n_programs, n_first + (gint) i);
    n_stopping = g_atomic_int_get (&n_programs);
    harness_free (h);
    fail_unless (g_atomic_int_get (&n_programs) <= n_stopping + 1);
    fail_unless_equals_int (g_atomic_int_get (&n_prepared), 0);
  }
}

TEST (test_preparing_is_disabled)
{
  g_autoptr (GstHarness) h = NULL;
  GstVideoInfo info;
  gint n_first;

  g_setenv ("GST_OPENCL_PREPARE", "0", TRUE);
  h = harness_new ("cllocalmean");
  harness_set_format (h, GST_VIDEO_FORMAT_GRAY8, 51, 42, &info);
  local_mean_push (h, &info, 0);
  n_first = g_atomic_int_get (&n_programs);
  g_usleep (3 * G_USEC_PER_SEC / 2);
  fail_unless_equals_int (g_atomic_int_get (&n_programs), n_first);
}

SUITE (.setup = setup_counter, .teardown = teardown_counter);
