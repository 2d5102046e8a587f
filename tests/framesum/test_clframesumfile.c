/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* clframesum: results in the file that `location` names. */

#define _POSIX_C_SOURCE 200809L /* symlink() */

#include <unistd.h>

#include "folder.h"
#include "elements/common.h"
#include "elements/frames.h"
#include "suite.h"

#define WIDTH  33
#define HEIGHT 17

/* A harness around clframesum with @properties, its results in @path. */
static GstHarness *
new_writer (const gchar *path, const gchar *properties)
{
  g_autofree gchar *description = g_strdup_printf ("clframesum location=%s %s",
      path, properties);

  return harness_new (description);
}

/* --- contents of a file --------------------------------------------------- */

/* Returns the rows of @path without line feeds; the last row must have one,
 * too. g_strfreev() */
static gchar **
read_rows (const gchar *path)
{
  g_autofree gchar *text = NULL;
  gsize length;

  fail_unless (g_file_get_contents (path, &text, &length, NULL));
  if (length == 0)
    return g_new0 (gchar *, 1);

  fail_unless (text[length - 1] == '\n', "the last row has no line feed");
  text[length - 1] = '\0';

  return g_strsplit (text, "\n", -1);
}

/* Returns the value of column @name of @row. g_free() */
static gchar *
cell (const gchar *names, const gchar *row, const gchar *name)
{
  g_auto (GStrv) columns = g_strsplit (names, ",", -1);
  g_auto (GStrv) values = g_strsplit (row, ",", -1);

  fail_unless_equals_int (g_strv_length (columns), g_strv_length (values));
  for (guint i = 0; columns[i]; i++) {
    if (g_str_equal (columns[i], name))
      return g_strdup (values[i]);
  }
  fail ("no column %s in %s", name, names);

  return NULL;
}

static void
expect_cell (const gchar *names, const gchar *row, const gchar *name,
    const gchar *expected)
{
  g_autofree gchar *value = cell (names, row, name);

  fail_unless_equals_string (value, expected);
}

/* Checks that @path has column names, then @n rows: frame i has the index i,
 * and samples of value i. */
static void
expect_frames (const gchar *path, guint n)
{
  g_auto (GStrv) rows = read_rows (path);

  if (n == 0) {
    fail_unless (rows[0] == NULL);
    return;
  }
  fail_unless_equals_int (g_strv_length (rows), 1 + n);
  for (guint i = 0; i < n; i++) {
    g_autofree gchar *number = g_strdup_printf ("%u", i);
    g_autofree gchar *sum = g_strdup_printf ("%u", i * WIDTH * HEIGHT);

    expect_cell (rows[0], rows[1 + i], "frame", number);
    expect_cell (rows[0], rows[1 + i], "mean-Y", number);
    expect_cell (rows[0], rows[1 + i], "max-Y", number);
    expect_cell (rows[0], rows[1 + i], "sum-Y", sum);
  }
}

/* Pushes @n frames; samples of frame i have the value i. */
static void
push_frames (GstHarness *h, guint n)
{
  GstVideoInfo info;

  harness_set_format (h, GST_VIDEO_FORMAT_GRAY8, WIDTH, HEIGHT, &info);
  for (guint i = 0; i < n; i++)
    fail_unless_equals_int (gst_harness_push (h, frame_new_filled (&info, i)),
        GST_FLOW_OK);
}

/* --- while frames pass --------------------------------------------------- */

/* The file is complete before it is closed, however the results are
 * published. */
TEST (test_every_result_is_a_row)
{
  static const gchar *const settings[] = { "", "async-depth=3",
    "stats-meta=false", "post-messages=false",
    "stats-meta=false post-messages=false" };

  for (guint i = 0; i < G_N_ELEMENTS (settings); i++) {
    g_autofree gchar *path = g_build_filename (test_folder, "a.csv", NULL);
    g_autoptr (GstHarness) h = new_writer (path, settings[i]);
    g_autoptr (GstBus) bus = harness_bus (h);

    expect_frames (path, 0);
    push_frames (h, 20);
    harness_drain (h);
    expect_frames (path, 20);
    expect_no_error (bus);
  }
}

/* A receiver of the message, or of the buffer, finds the row in the file. */
TEST (test_row_comes_first)
{
  g_autofree gchar *path = g_build_filename (test_folder, "a.csv", NULL);
  g_autoptr (GstHarness) h = new_writer (path, "stats-meta=false");
  g_autoptr (GstBus) bus = harness_bus (h);

  push_frames (h, 1);
  gst_message_unref (gst_bus_timed_pop_filtered (bus, GST_CLOCK_TIME_NONE,
      GST_MESSAGE_ELEMENT));
  expect_frames (path, 1);
}

TEST (test_frames_that_are_skipped)
{
  g_autofree gchar *path = g_build_filename (test_folder, "a.csv", NULL);
  g_autoptr (GstHarness) h = new_writer (path, "frame-interval=3");
  g_auto (GStrv) rows = NULL;

  push_frames (h, 7);
  rows = read_rows (path);
  fail_unless_equals_int (g_strv_length (rows), 4);
  expect_cell (rows[0], rows[3], "frame", "6");
}

/* Frames without timestamps have empty cells; a file has one row of column
 * names. */
TEST (test_columns)
{
  g_autofree gchar *path = g_build_filename (test_folder, "a.csv", NULL);
  g_autoptr (GstHarness)
      h = new_writer (path, "name=sum statistics=range planes=y+v");
  g_autoptr (GstBus) bus = harness_bus (h);
  g_autoptr (GstBuffer) frame = NULL;
  g_auto (GStrv) rows = NULL;
  GstVideoInfo info;

  harness_set_format (h, GST_VIDEO_FORMAT_I420, 4, 2, &info);
  frame = frame_new_filled (&info, 8);
  GST_BUFFER_PTS (frame) = 40;
  GST_BUFFER_DURATION (frame) = 5;
  gst_buffer_unref (harness_run (h, g_steal_pointer (&frame)));
  frame = frame_new_filled (&info, 7);
  GST_BUFFER_PTS (frame) = GST_BUFFER_DURATION (frame) = GST_CLOCK_TIME_NONE;
  gst_buffer_unref (harness_run (h, g_steal_pointer (&frame)));
  expect_no_error (bus);

  harness_set_format (h, GST_VIDEO_FORMAT_GRAY8, WIDTH, HEIGHT, &info);
  harness_run_into (h, frame_new_filled (&info, 7), GST_FLOW_ERROR);
  expect_one_error (bus, GST_RESOURCE_ERROR, GST_RESOURCE_ERROR_WRITE,
      (const gchar *const[]){ path, "columns", "lines of JSON", NULL });

  rows = read_rows (path);
  fail_unless_equals_int (g_strv_length (rows), 3);
  fail_unless_equals_string (rows[0],
      "timestamp,stream-time,running-time,duration,frame,element,width,height,"
      "format,depth,min-Y,min-V,max-Y,max-V");
  fail_unless_equals_string (rows[1], "40,40,40,5,0,sum,4,2,I420,8,8,8,8,8");
  fail_unless_equals_string (rows[2], ",,,,1,sum,4,2,I420,8,7,7,7,7");
}

/* Whatever bytes the type of a region has, a file is UTF-8 and has a line of
 * JSON, or a row, for each frame. */
TEST (test_types_of_any_bytes)
{
  static const struct {
    const gchar *name, *type;
  } rows[] = {
    { "a.jsonl", "\"roi-type\":[\"\ufffd\\u001f\\\"\\u000a\"]" },
    { "a.csv", ",\"\ufffd\x1f\"\"\n\"," },
  };

  for (guint i = 0; i < G_N_ELEMENTS (rows); i++) {
    g_autofree gchar *path = g_build_filename (test_folder, rows[i].name, NULL);
    g_autoptr (GstHarness) h = new_writer (path, "");
    g_autofree gchar *text = NULL;
    GstBuffer *frame;
    GstVideoInfo info;

    harness_set_format (h, GST_VIDEO_FORMAT_GRAY8, WIDTH, HEIGHT, &info);
    frame = frame_new_filled (&info, 1);
    gst_buffer_add_video_region_of_interest_meta (frame, "\xff\x1f\"\n", 0, 0,
        8, 8);
    gst_buffer_unref (harness_run (h, frame));
    fail_unless (g_file_get_contents (path, &text, NULL, NULL));
    fail_unless (g_utf8_validate (text, -1, NULL), "not UTF-8: %s", text);
    fail_unless (strstr (text, rows[i].type) != NULL, "no \"%s\" in: %s",
        rows[i].type, text);
  }
}

/* --- change of the file --------------------------------------------------- */

/* A change of the property while frames pass takes effect at the next start,
 * which empties an existing file. */
TEST (test_starts)
{
  g_autofree gchar *first = g_build_filename (test_folder, "1.csv", NULL);
  g_autofree gchar *second = g_build_filename (test_folder, "2.csv", NULL);
  g_autoptr (GstHarness) h = new_writer (first, "");
  g_autoptr (GstBus) bus = harness_bus (h);

  fail_unless (g_file_set_contents (second, "old\n", -1, NULL));
  push_frames (h, 2);
  g_object_set (h->element, "location", second, NULL);
  push_frames (h, 0);
  expect_frames (first, 2);

  for (guint round = 0; round < 2; round++) {
    gst_element_set_state (h->element, GST_STATE_READY);
    gst_element_set_state (h->element, GST_STATE_PLAYING);
    push_frames (h, 3);
    expect_frames (first, 2);
    expect_frames (second, 3);
  }

  gst_element_set_state (h->element, GST_STATE_READY);
  g_object_set (h->element, "location", "", NULL);
  gst_element_set_state (h->element, GST_STATE_PLAYING);
  push_frames (h, 1);
  expect_frames (second, 3);
  expect_no_error (bus);
}

/* The element stays stopped, and starts when the file can be created. */
TEST (test_cannot_open)
{
  g_autofree gchar *nowhere = g_build_filename (test_folder, "no", "a.csv",
      NULL);
  g_autofree gchar *path = g_build_filename (test_folder, "a.csv", NULL);
  g_autoptr (GstBus) bus = gst_bus_new ();
  GstElement *element = gst_element_factory_make ("clframesum", NULL);

  gst_element_set_bus (element, bus);
  g_object_set (element, "location", nowhere, NULL);
  fail_unless_equals_int (gst_element_set_state (element, GST_STATE_PAUSED),
      GST_STATE_CHANGE_FAILURE);
  expect_one_error (bus, GST_RESOURCE_ERROR, GST_RESOURCE_ERROR_OPEN_WRITE,
      (const gchar *const[]){ nowhere, "No such file", NULL });

  g_object_set (element, "location", path, NULL);
  fail_unless_equals_int (gst_element_set_state (element, GST_STATE_PAUSED),
      GST_STATE_CHANGE_SUCCESS);
  expect_frames (path, 0);
  expect_no_error (bus);
  gst_element_set_state (element, GST_STATE_NULL);
  gst_element_set_bus (element, NULL);
  gst_object_unref (element);
}

/* --- no space ------------------------------------------------------------ */

static const gchar *const no_space[] = { "full.csv", "No space left", NULL };

/* Returns the name of a file on a full disk. g_free() */
static gchar *
full_disk (void)
{
  gchar *path = g_build_filename (test_folder, "full.csv", NULL);

  fail_unless_equals_int (symlink ("/dev/full", path), 0);

  return path;
}

/* One error and no output frame; with another file it works again. */
TEST (test_no_space)
{
  g_autofree gchar *full = full_disk ();
  g_autofree gchar *path = g_build_filename (test_folder, "a.csv", NULL);
  g_autoptr (GstHarness) h = new_writer (full, "");
  g_autoptr (GstBus) bus = harness_bus (h);
  GstVideoInfo info;

  harness_set_format (h, GST_VIDEO_FORMAT_GRAY8, WIDTH, HEIGHT, &info);
  for (guint i = 0; i < 3; i++)
    harness_run_into (h, frame_new_filled (&info, i), GST_FLOW_ERROR);
  expect_one_error (bus, GST_RESOURCE_ERROR, GST_RESOURCE_ERROR_WRITE,
      no_space);

  gst_element_set_state (h->element, GST_STATE_READY);
  g_object_set (h->element, "location", path, NULL);
  gst_element_set_state (h->element, GST_STATE_PLAYING);
  push_frames (h, 2);
  expect_frames (path, 2);
  expect_no_error (bus);
}

/* The result is later than its frame, which may have passed: the next frame
 * ends the stream. */
TEST (test_no_space_after_the_frame)
{
  g_autofree gchar *full = full_disk ();
  g_autoptr (GstHarness) h = new_writer (full, "stats-meta=false");
  g_autoptr (GstBus) bus = harness_bus (h);
  GstBuffer *passed;
  GstVideoInfo info;

  harness_set_format (h, GST_VIDEO_FORMAT_GRAY8, WIDTH, HEIGHT, &info);
  gst_harness_push (h, frame_new_filled (&info, 0));
  harness_drain (h);
  passed = gst_harness_try_pull (h);
  gst_clear_buffer (&passed);
  for (guint i = 1; i < 4; i++)
    harness_run_into (h, frame_new_filled (&info, i), GST_FLOW_ERROR);
  harness_drain (h);
  expect_one_error (bus, GST_RESOURCE_ERROR, GST_RESOURCE_ERROR_WRITE,
      no_space);
}

SUITE (.start = harness_share_context, .setup = test_folder_setup,
    .teardown = test_folder_teardown);
