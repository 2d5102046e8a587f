/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* method=auto and reduction=auto by measurement: when elements measure, which
 * choices they store, and that every choice gives the same bits. */

#include "elements/common.h"
#include "elements/frames.h"
#include "elements/reference.h"
#include "suite.h"

#include <glib/gstdio.h>
#include <string.h>
#include <sys/resource.h>

#define WIDTH  66
#define HEIGHT 70
#define PREFIX "tuning-" /* of files of choices */

static const gchar *folder; /* of the choices */
static gint n_measured;     /* since the last check; atomic */
static GPtrArray *choices;  /* lines of clop, gchar * */

/* The log lines report the choices of the elements. */
static void
count_measurements (GstDebugCategory *category, GstDebugLevel level,
    const gchar *file, const gchar *function, gint line, GObject *object,
    GstDebugMessage *message, gpointer user_data)
{
  if (g_str_equal (gst_debug_category_get_name (category), "cltune") &&
      strstr (gst_debug_message_get (message), ": measured "))
    g_atomic_int_inc (&n_measured);
}

static void
keep_choice (GstDebugCategory *category, GstDebugLevel level, const gchar *file,
    const gchar *function, gint line, GObject *object, GstDebugMessage *message,
    gpointer user_data)
{
  if (g_str_equal (gst_debug_category_get_name (category), "clop"))
    g_ptr_array_add (choices, g_strdup (gst_debug_message_get (message)));
}

static void
expect_measured (gint n)
{
  fail_unless_equals_int (g_atomic_int_get (&n_measured), n);
  g_atomic_int_set (&n_measured, 0);
}

/* --- fixtures ------------------------------------------------------------ */

/* The folder is kept from run to run, for its programs; the choices must not
 * be. */
static void
forget_choices (void)
{
  g_autoptr (GDir) entries = g_dir_open (folder, 0, NULL);
  const gchar *name;

  while (entries && (name = g_dir_read_name (entries))) {
    g_autofree gchar *path = g_build_filename (folder, name, NULL);

    if (g_str_has_prefix (name, PREFIX))
      g_unlink (path);
  }
}

static void
setup (void)
{
  folder = g_getenv ("GST_OPENCL_CACHE_DIR");
  fail_unless (folder && folder[0],
      "GST_OPENCL_CACHE_DIR must be a folder whose choices may be deleted");
  forget_choices ();
  g_setenv ("GST_OPENCL_TUNE", "1", TRUE);

  gst_debug_set_threshold_for_name ("cltune", GST_LEVEL_INFO);
  gst_debug_add_log_function (count_measurements, NULL, NULL);
  g_atomic_int_set (&n_measured, 0);
}

static void
teardown (void)
{
  gst_debug_remove_log_function (count_measurements);
  forget_choices ();
}

/* --- harnesses ----------------------------------------------------------- */

/* A random frame of @width columns through @h; transfer full. */
static GstBuffer *
run (GstHarness *h, gint width)
{
  GstVideoInfo info;

  harness_set_format (h, GST_VIDEO_FORMAT_GRAY8, width, HEIGHT, &info);

  return harness_run (h, frame_new (&info, 7));
}

/* Runs in a harness of its own, like another process. */
static GstBuffer *
run_alone (const gchar *description)
{
  g_autoptr (GstHarness) h = harness_new (description);

  return run (h, WIDTH);
}

/* Compiles all programs that @description measures. Otherwise a choice may not
 * be final: the time for preparing candidates is limited. */
static void
make_programs (const gchar *description, gint width)
{
  gint n;

  do {
    g_autoptr (GstHarness) h = harness_new (description);

    gst_buffer_unref (run (h, width));
    n = g_atomic_int_exchange (&n_measured, 0);
  } while (n > 0);

  forget_choices ();
}

/* --- tests --------------------------------------------------------------- */

typedef struct {
  const gchar *automatic;
  const gchar *explicit[4]; /* NULL after the last */
} Line;

static const Line lines[] = {
  { "clintegral",
      { "clintegral method=multi-pass", "clintegral method=async-copy",
          "clintegral method=single-pass" } },
  { "cllocalmean",
      { "cllocalmean method=direct", "cllocalmean method=async-copy",
          "cllocalmean method=sliding" } },
  { "clframesum", { "clframesum reduction=outer" } },
};

/* Choices by measurement, from the file, by the table, and by each method. */
LOOP_TEST (test_every_choice_gives_the_same_bits, G_N_ELEMENTS (lines))
{
  const Line *line = &lines[__i__];
  g_autoptr (GstBuffer) measured = NULL;
  g_autoptr (GstBuffer) remembered = NULL;
  g_autoptr (GstBuffer) plain = NULL;

  make_programs (line->automatic, WIDTH);
  measured = run_alone (line->automatic);
  expect_measured (1);
  remembered = run_alone (line->automatic);
  expect_same_bytes (measured, remembered);
  expect_measured (0);

  g_setenv ("GST_OPENCL_TUNE", "0", TRUE);
  plain = run_alone (line->automatic);
  expect_same_bytes (measured, plain);
  g_setenv ("GST_OPENCL_TUNE", "1", TRUE);

  for (guint i = 0; line->explicit[i]; i++) {
    g_autoptr (GstBuffer) out = run_alone (line->explicit[i]);

    expect_same_bytes (measured, out);
  }
  expect_measured (0);
}

/* Checks that @description makes @n_choices choices, the last one for @problem,
 * with @end at the end of its log line. */
static void
expect_choice (const gchar *description, guint n_choices, const gchar *problem,
    const gchar *end)
{
  G_GNUC_UNUSED g_autoptr (GstBuffer) out = run_alone (description);
  const gchar *choice;

  fail_unless_equals_int (choices->len, n_choices);
  choice = g_ptr_array_index (choices, n_choices - 1);
  fail_unless (g_str_has_prefix (choice, problem) &&
                   g_str_has_suffix (choice, end),
      "%s: expected a choice for \"%s\" that ends with \"%s\", found \"%s\"",
      description, problem, end, choice);
  g_ptr_array_set_size (choices, 0);
}

/* GST_DEBUG=clop:5 */
TEST (test_log_names_choice_and_reason)
{
  static const gchar problem[] = "integral sums 66x70, 1 of 8+0 bits every 1 "
                                 "bytes, integers of 4 bytes: ";
  static const gchar tilted[] = "integral tilted sums 66x70, 1 of 8+0 bits "
                                "every 1 bytes, integers of 4 bytes: ";

  make_programs ("clintegral", WIDTH);
  choices = g_ptr_array_new_with_free_func (g_free);
  gst_debug_set_threshold_for_name ("clop", GST_LEVEL_DEBUG);
  gst_debug_add_log_function (keep_choice, NULL, NULL);

  expect_choice ("clintegral method=async-copy", 1, problem,
      "async-copy, by its method");
  expect_choice ("clintegral", 1, problem, ", measured as the fastest");
  expect_choice ("clintegral", 1, problem, ", stored as the fastest");
  g_setenv ("GST_OPENCL_TUNE", "0", TRUE);
  expect_choice ("clintegral", 1, problem, ", by order: measuring is disabled");
  g_setenv ("GST_OPENCL_TUNE", "1", TRUE);

  expect_choice ("clintegral tilted=true method=single-pass", 2, tilted,
      "tilted, as the fallback of its method");
  expect_choice ("clintegral tilted=true", 2, tilted,
      "tilted, by order: there is no other candidate");

  gst_debug_remove_log_function (keep_choice);
  g_ptr_array_unref (choices);
}

/* Returns the result of clframesum for one frame; transfer full. */
static gchar *
measure_alone (const gchar *description)
{
  g_autoptr (GstHarness) h = harness_new (description);
  G_GNUC_UNUSED g_autoptr (GstBuffer) out = run (h, WIDTH);
  g_autoptr (GstStructure) stats = NULL;

  g_object_get (h->element, "stats", &stats, NULL);
  fail_unless (stats != NULL);

  return gst_structure_to_string (stats);
}

/* Reductions differ in speed only; their results are no frames. */
TEST (test_every_reduction_gives_the_same_statistics)
{
  static const gchar *const explicit[] = {
    "clframesum name=one reduction=inner", "clframesum name=one reduction=outer"
  };
  g_autofree gchar *measured = NULL;
  g_autofree gchar *remembered = NULL;
  g_autofree gchar *plain = NULL;

  make_programs ("clframesum", WIDTH);
  measured = measure_alone ("clframesum name=one");
  expect_measured (1);
  remembered = measure_alone ("clframesum name=one");
  fail_unless_equals_string (measured, remembered);
  expect_measured (0);

  g_setenv ("GST_OPENCL_TUNE", "0", TRUE);
  plain = measure_alone ("clframesum name=one");
  fail_unless_equals_string (measured, plain);
  g_setenv ("GST_OPENCL_TUNE", "1", TRUE);

  for (guint i = 0; i < G_N_ELEMENTS (explicit); i++) {
    g_autofree gchar *other = measure_alone (explicit[i]);

    fail_unless_equals_string (measured, other);
  }
  expect_measured (0);
}

TEST (test_figures_have_no_reduction)
{
  G_GNUC_UNUSED g_autofree gchar *stats = measure_alone (
      "clframesum statistics=histogram");

  expect_measured (0);
}

/* Operations of one kind share a choice. */
TEST (test_each_kind_of_operation_is_measured)
{
  static const gchar *const kinds[][2] = {
    { "operation=difference", "operation=mean-c" },
    { "operation=bradley", "operation=normalize" },
    { "operation=sauvola", "operation=stddev" },
  };

  for (guint i = 0; i < G_N_ELEMENTS (kinds); i++) {
    for (guint n = 0; n < G_N_ELEMENTS (kinds[i]); n++) {
      g_autofree gchar *line = g_strconcat ("cllocalmean ", kinds[i][n], NULL);
      g_autoptr (GstBuffer) chosen = NULL;
      g_autoptr (GstBuffer) plain = NULL;

      if (n == 0)
        make_programs (line, WIDTH);
      chosen = run_alone (line);
      expect_measured (n == 0 ? 1 : 0);
      g_setenv ("GST_OPENCL_TUNE", "0", TRUE);
      plain = run_alone (line);
      g_setenv ("GST_OPENCL_TUNE", "1", TRUE);
      expect_same_bytes (chosen, plain);
    }
  }
}

LOOP_TEST (test_new_caps_are_measured_once, G_N_ELEMENTS (lines))
{
  const Line *line = &lines[__i__];
  g_autoptr (GstHarness) h = harness_new (line->automatic);
  static const gint widths[] = { WIDTH, WIDTH + 30, WIDTH, WIDTH + 30 };

  make_programs (line->automatic, WIDTH);
  make_programs (line->automatic, WIDTH + 30);
  for (guint i = 0; i < G_N_ELEMENTS (widths); i++) {
    G_GNUC_UNUSED g_autoptr (GstBuffer) out = run (h, widths[i]);

    expect_measured (i < 2 ? 1 : 0);
  }
}

/* A context keeps choices that cannot be stored on disk. */
TEST (test_elements_of_a_pipeline_measure_once)
{
  make_programs ("clintegral", WIDTH);
  run_pipeline ("videotestsrc num-buffers=2 ! "
                "video/x-raw,format=GRAY8,width=66,height=70 ! tee name=t "
                "t. ! queue ! clintegral ! fakesink async=false "
                "t. ! queue ! clintegral ! fakesink async=false "
                "t. ! queue ! clintegral ! fakesink async=false");
  expect_measured (1);
}

typedef struct {
  const gchar *property, *value;
} Change;

static const Change changes[][4] = {
  { { "layout", "exclusive" }, { "sum-format", "u64" },
      { "method", "multi-pass" }, { "method", "auto" } },
  { { "kernel-width", "9" }, { "step-x", "2" }, { "method", "direct" },
      { "method", "auto" } },
  { { "planes", "0x0f" }, { "statistics", "histogram" },
      { "reduction", "outer" }, { "reduction", "auto" } },
};

G_STATIC_ASSERT (G_N_ELEMENTS (changes) == G_N_ELEMENTS (lines));

/* Properties that change while playing are not measured: the stream must not
 * block. */
LOOP_TEST (test_changed_properties_are_not_measured, G_N_ELEMENTS (lines))
{
  g_autoptr (GstHarness) h = harness_new (lines[__i__].automatic);
  G_GNUC_UNUSED g_autoptr (GstBuffer) out = run (h, WIDTH);

  expect_measured (1);
  for (guint i = 0; i < G_N_ELEMENTS (changes[__i__]); i++) {
    const Change *change = &changes[__i__][i];

    gst_util_set_object_arg (G_OBJECT (h->element), change->property,
        change->value);
    gst_buffer_unref (run (h, WIDTH));
    expect_measured (0);
  }
}

TEST (test_only_auto_measures)
{
  G_GNUC_UNUSED g_autoptr (GstBuffer)
      out = run_alone ("clintegral method=multi-pass");

  expect_measured (0);
}

TEST (test_switched_off)
{
  g_autoptr (GDir) entries = NULL;
  const gchar *name;

  g_setenv ("GST_OPENCL_TUNE", "0", TRUE);
  gst_buffer_unref (run_alone ("clintegral"));
  expect_measured (0);
  entries = g_dir_open (folder, 0, NULL);
  while ((name = g_dir_read_name (entries)))
    fail_if (g_str_has_prefix (name, PREFIX), "unexpected file %s", name);
}

TEST (test_deleted_choices_are_measured_again)
{
  for (guint i = 0; i < 2; i++) {
    G_GNUC_UNUSED g_autoptr (GstBuffer) out = run_alone ("clintegral");

    expect_measured (1);
    forget_choices ();
  }
}

/* --- caps without a matching buffer --------------------------------------- */

static glong
peak_kilobytes (void)
{
  struct rusage usage;

  fail_unless_equals_int (getrusage (RUSAGE_SELF, &usage), 0);

  return usage.ru_maxrss;
}

/* Nothing is measured, and nothing large allocated, before a buffer with the
 * size of the caps has arrived. */
TEST (test_buffers_too_small)
{
  static const gchar *const descriptions[] = { "clintegral", "cllocalmean",
    "clframesum", "clframesum statistics=histogram" };
  static const gchar *const sizes[] = { "width=40000,height=40000",
    "width=2147483647,height=1", "width=640,height=480" };

  for (guint i = 0; i < G_N_ELEMENTS (descriptions); i++) {
    for (guint s = 0; s < G_N_ELEMENTS (sizes); s++) {
      g_autoptr (GstHarness) h = harness_new (descriptions[i]);
      g_autofree gchar *caps = g_strdup_printf (
          "video/x-raw,format=GRAY8,framerate=25/1,%s", sizes[s]);
      const glong before = peak_kilobytes ();

      gst_harness_set_src_caps_str (h, caps);
      fail_unless (gst_harness_push (h,
                       gst_buffer_new_allocate (NULL, 64, NULL)) < GST_FLOW_EOS,
          "expected an error for a buffer of 64 bytes with %s", caps);
      expect_measured (0);
      fail_unless (peak_kilobytes () - before < 64 * 1024,
          "%s, %s: the peak of memory grows by %ld kB, expected less than 64 "
          "MB",
          descriptions[i], caps, peak_kilobytes () - before);
    }
  }
}

/* A buffer of the right size after a buffer that is too small. */
TEST (test_buffer_that_fits)
{
  g_autoptr (GstHarness) h = harness_new ("clframesum");
  GstVideoInfo info;

  harness_set_format (h, GST_VIDEO_FORMAT_GRAY8, WIDTH, HEIGHT, &info);
  harness_run_into (h, gst_buffer_new_allocate (NULL, 64, NULL),
      GST_FLOW_ERROR);
  expect_measured (0);
  gst_buffer_unref (harness_run (h, frame_new (&info, 1)));
  expect_measured (1);
}

SUITE (.setup = setup, .teardown = teardown);
