/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Streams that start before the preferred kernels are compiled: the results of
 * all frames are those of a stream that waits for its kernels. */

#include "elements/common.h"
#include "elements/frames.h"
#include "folder.h"
#include "suite.h"

#include <glib/gstdio.h>

#define WIDTH  75
#define HEIGHT 41

/* The seeds of consecutive frames; they repeat. Frames that repeat are frozen:
 * each is compared with the reference of the event freeze, not only with the
 * frame before. */
static const guint seeds[] = { 1, 1, 2, 3, 3, 3, 4 };
#define PERIOD (G_N_ELEMENTS (seeds))

/* At least this many frames, of which the last ones follow the change. */
#define N_FRAMES 300
#define N_AFTER  (3 * PERIOD)
#define MOST     1000000 /* rows change before that */

static GMutex lock;
static GCond changed;
static gint n_started, n_ended; /* ops that compile beside; lock */
static gint n_built;            /* programs; atomic */
static gint n_processes;        /* that compile; atomic */
static gint n_warnings;         /* atomic */

static void
count (GstDebugCategory *category, GstDebugLevel level, const gchar *file,
    const gchar *function, gint line, GObject *object, GstDebugMessage *message,
    gpointer user_data)
{
  const gchar *text = gst_debug_message_get (message);

  if (level == GST_LEVEL_DEBUG && g_str_has_prefix (text, "built "))
    g_atomic_int_inc (&n_built);
  if (level == GST_LEVEL_DEBUG && g_str_has_suffix (text, " compiles"))
    g_atomic_int_inc (&n_processes);
  if (level == GST_LEVEL_WARNING)
    g_atomic_int_inc (&n_warnings);
  if (level != GST_LEVEL_INFO)
    return;

  g_mutex_lock (&lock);
  n_started += strstr (text, ": starts with ") != NULL;
  n_ended += strstr (text, " runs with ") != NULL;
  g_cond_broadcast (&changed);
  g_mutex_unlock (&lock);
}

static void
setup (void)
{
  n_started = n_ended = n_built = n_processes = n_warnings = 0;
  gst_debug_set_threshold_for_name ("clcompile", GST_LEVEL_DEBUG);
  gst_debug_set_threshold_for_name ("clprogram", GST_LEVEL_DEBUG);
  gst_debug_set_threshold_for_name ("clop", GST_LEVEL_INFO);
  gst_debug_add_log_function (count, NULL, NULL);
}

static void
teardown (void)
{
  gst_debug_remove_log_function (count);
  g_setenv ("GST_OPENCL_QUICK_START", "0", TRUE);
}

static gboolean
has_settled (void)
{
  gboolean is_equal;

  g_mutex_lock (&lock);
  is_equal = n_ended == n_started;
  g_mutex_unlock (&lock);

  return is_equal;
}

/* Returns the result of a frame: its bytes, or the fields of the meta except
 * times and names. Transfer full. */
static GBytes *
get_result (GstBuffer *buffer)
{
  static const gchar *const others[] = { "timestamp", "stream-time",
    "running-time", "duration", "frame", "element", NULL };
  GstCustomMeta *meta = gst_buffer_get_custom_meta (buffer,
      "GstClFrameSumMeta");
  g_autoptr (GstStructure) fields = NULL;
  gchar *text;
  gpointer bytes;
  gsize n_bytes;

  if (!meta) {
    gst_buffer_extract_dup (buffer, 0, -1, &bytes, &n_bytes);
    return g_bytes_new_take (bytes, n_bytes);
  }

  fields = gst_structure_copy (gst_custom_meta_get_structure (meta));
  for (guint i = 0; others[i]; i++)
    gst_structure_remove_field (fields, others[i]);
  text = gst_structure_to_string (fields);

  return g_bytes_new_take (text, strlen (text));
}

static void
set_format (GstHarness *h, GstVideoInfo *info)
{
  harness_set_format (h, GST_VIDEO_FORMAT_I420, WIDTH, HEIGHT, info);
}

static GBytes *
run_frame (GstHarness *h, const GstVideoInfo *info, guint index)
{
  GstBuffer *frame = frame_new (info, seeds[index % PERIOD]);
  g_autoptr (GstBuffer) out = NULL;

  GST_BUFFER_PTS (frame) = index * (GST_SECOND / 25);
  GST_BUFFER_DURATION (frame) = GST_SECOND / 25;
  out = harness_run (h, frame);

  return get_result (out);
}

/* Fails unless the results of all frames of @description are those of a stream
 * without a quick start, while its ops change rows. */
static void
compare (const gchar *description)
{
  GBytes *expected[2 * PERIOD];
  GstVideoInfo info;
  GstHarness *h;
  guint n_left = N_AFTER;

  g_setenv ("GST_OPENCL_QUICK_START", "0", TRUE);
  h = harness_new (description);
  set_format (h, &info);
  for (guint i = 0; i < G_N_ELEMENTS (expected); i++)
    expected[i] = run_frame (h, &info, i);
  harness_free (h);
  fail_unless_equals_int (n_started, 0);

  g_setenv ("GST_OPENCL_QUICK_START", "1", TRUE);
  h = harness_new (description);
  set_format (h, &info);
  for (guint i = 0; i < N_FRAMES || n_left > 0; i++) {
    const guint at = i < 2 * PERIOD ? i : PERIOD + i % PERIOD;
    g_autoptr (GBytes) result = run_frame (h, &info, i);

    fail_unless (i < MOST);
    fail_unless (g_bytes_equal (result, expected[at]),
        "%s: frame %u differs from the one without quick start", description,
        i);
    if (has_settled () && n_left > 0)
      n_left--;
  }
  harness_free (h);
  fail_unless (n_started > 0);

  for (guint i = 0; i < G_N_ELEMENTS (expected); i++)
    g_bytes_unref (expected[i]);
}

TEST (test_moments)
{
  compare ("clframesum async-depth=0");
}

/* The next row compares with the frames that the quick one has kept. */
TEST (test_metrics)
{
  compare ("clframesum async-depth=0 statistics=moments+range+histogram+"
           "percentiles+entropy+temporal+saturation+hue+bit-depth+outliers+"
           "repetition+gamut+positions+detection events=black+freeze+scene");
}

TEST (test_temporal)
{
  compare ("clframesum async-depth=0 statistics=temporal");
}

/* Three ops. */
TEST (test_integral)
{
  compare ("clintegral squares=true tilted=true");
}

/* Ops for luma and for chroma. */
TEST (test_local_mean)
{
  compare ("cllocalmean kernel-width=15 kernel-height=15");
}

TEST (test_threshold)
{
  compare ("cllocalmean operation=sauvola kernel-width=9 kernel-height=9 "
           "planes=y");
}

/* A stream that keeps the device busy leaves it to the thread, too, which waits
 * for its own commands alone: the row changes while frames follow each other
 * without a pause. */
TEST (test_busy_device)
{
  g_autoptr (GstElement) pipeline = gst_parse_launch (
      "videotestsrc pattern=solid-color ! video/x-raw,format=GRAY8,width=1920,"
      "height=1080 ! clintegral ! fakesink",
      NULL);

  g_setenv ("GST_OPENCL_QUICK_START", "1", TRUE);
  fail_unless (pipeline != NULL);
  gst_element_set_state (pipeline, GST_STATE_PLAYING);
  g_mutex_lock (&lock);
  while (n_ended == 0)
    g_cond_wait (&changed, &lock);
  g_mutex_unlock (&lock);
  gst_element_set_state (pipeline, GST_STATE_NULL);
  fail_unless_equals_int (n_started, 1);
}

/* Returns the path of the tuning database in @folder, or NULL. */
static gchar *
find_tuning_db (const gchar *folder)
{
  g_autoptr (GDir) dir = g_dir_open (folder, 0, NULL);
  const gchar *name;

  while ((name = g_dir_read_name (dir))) {
    if (g_str_has_prefix (name, "tuning-"))
      return g_build_filename (folder, name, NULL);
  }

  return NULL;
}

/* Runs frames until the op does not change rows any more. */
static void
run_until_settled (const gchar *description)
{
  GstHarness *h = harness_new (description);
  GstVideoInfo info;

  set_format (h, &info);
  for (guint i = 0; i < PERIOD || !has_settled (); i++)
    g_bytes_unref (run_frame (h, &info, i));
  harness_free (h);
}

/* If all programs are cached and no choice is stored, a stream starts with the
 * preferred row, and the candidates are measured beside its frames. With both,
 * nothing is compiled or measured. */
static void
check_undecided (void)
{
  gchar *folder = g_dir_make_tmp ("cache-XXXXXX", NULL);
  gint n_at_first;
  g_autofree gchar *before = NULL;
  g_autofree gchar *after = NULL;

  g_setenv ("GST_OPENCL_QUICK_START", "1", TRUE);
  g_setenv ("GST_OPENCL_TUNE", "1", TRUE);
  g_setenv ("GST_OPENCL_CACHE_DIR", folder, TRUE);
  run_until_settled ("clintegral");
  fail_unless_equals_int (n_started, 1);
  n_at_first = g_atomic_int_get (&n_built);
  fail_unless (n_at_first > 0);
  before = find_tuning_db (folder);
  fail_unless (before != NULL);

  fail_unless_equals_int (g_unlink (before), 0);
  run_until_settled ("clintegral");
  fail_unless_equals_int (n_started, 2);
  after = find_tuning_db (folder);
  fail_unless (after != NULL);

  run_until_settled ("clintegral");
  fail_unless_equals_int (n_started, 2);
  fail_unless_equals_int (g_atomic_int_get (&n_built), n_at_first);

  g_setenv ("GST_OPENCL_CACHE_DIR", "", TRUE);
  g_setenv ("GST_OPENCL_TUNE", "0", TRUE);
  test_folder_remove (folder);
}

TEST (test_undecided)
{
  check_undecided ();
}

/* The candidates are compiled and measured in the compile process. That
 * program loads GLib with the plugin, whose synchronization the thread
 * sanitizer then does not see. */
TEST (test_undecided_in_compile_process)
{
  g_setenv ("TSAN_OPTIONS", "report_bugs=0", TRUE);
  g_unsetenv ("GST_OPENCL_COMPILER");
  check_undecided ();
  fail_unless (g_atomic_int_get (&n_processes) >= 2);
  fail_unless_equals_int (g_atomic_int_get (&n_warnings), 0);
  g_setenv ("GST_OPENCL_COMPILER", "", TRUE);
}

/* The property makes the first frame wait for the preferred row, which is the
 * only one. */
TEST (test_wait_for_kernels)
{
  g_autoptr (GstHarness) h = NULL;
  GstVideoInfo info;

  g_setenv ("GST_OPENCL_QUICK_START", "1", TRUE);
  h = harness_new ("clintegral wait-for-kernels=true");
  set_format (h, &info);
  g_bytes_unref (run_frame (h, &info, 0));
  fail_unless_equals_int (n_started, 0);
  fail_unless (g_atomic_int_get (&n_built) > 0);
}

/* A stream may end while its kernels are compiled. */
TEST (test_one_frame)
{
  GstVideoInfo info;
  GstHarness *h;

  g_setenv ("GST_OPENCL_QUICK_START", "1", TRUE);
  h = harness_new ("clframesum async-depth=0 statistics=entropy");
  set_format (h, &info);
  g_bytes_unref (run_frame (h, &info, 0));
  harness_free (h);
}

SUITE (.setup = setup, .teardown = teardown);
