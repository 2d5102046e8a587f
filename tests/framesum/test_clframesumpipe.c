/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* clframesum: results in a FIFO whose reader is slow, or closes it. */

#define _GNU_SOURCE /* F_SETPIPE_SZ */

#include <fcntl.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "folder.h"
#include "elements/common.h"
#include "elements/frames.h"
#include "suite.h"

#define WIDTH  33
#define HEIGHT 17

#define PIPE_BYTES 4096 /* a page, the minimum of Linux */

/* Pushes frames into a FIFO as fast as possible, until one blocks. */
typedef struct {
  gchar *path;
  gint reader; /* does not block */
  GstHarness *h;
  GstVideoInfo info;
  GThread *thread;
  gint n_pushed, reader_stops; /* atomic */
} Pipe;

static GstFlowReturn
push_frame (Pipe *pipe)
{
  return gst_harness_push (pipe->h, frame_new_filled (&pipe->info, 1));
}

static gpointer
push_without_end (gpointer data)
{
  Pipe *pipe = data;
  GstVideoInfo info;

  gst_video_info_set_format (&info, GST_VIDEO_FORMAT_GRAY8, WIDTH, HEIGHT);
  while (gst_harness_push (pipe->h, frame_new_filled (&info, 1)) == GST_FLOW_OK)
    g_atomic_int_inc (&pipe->n_pushed);

  return NULL;
}

static void
pipe_open (Pipe *pipe, const gchar *properties)
{
  g_autofree gchar *description = NULL;

  *pipe = (Pipe){ .path = g_build_filename (test_folder, "fifo.jsonl", NULL) };
  fail_unless_equals_int (mkfifo (pipe->path, 0600), 0);
  pipe->reader = open (pipe->path, O_RDONLY | O_NONBLOCK);
  fail_unless (pipe->reader >= 0);
  fcntl (pipe->reader, F_SETPIPE_SZ, PIPE_BYTES);
  description = g_strdup_printf ("clframesum location=%s %s", pipe->path,
      properties);
  pipe->h = harness_new (description);
  harness_set_format (pipe->h, GST_VIDEO_FORMAT_GRAY8, WIDTH, HEIGHT,
      &pipe->info);
}

static void
pipe_close (Pipe *pipe)
{
  if (pipe->reader >= 0)
    close (pipe->reader);
  harness_free (pipe->h);
  unlink (pipe->path);
  g_free (pipe->path);
}

static gboolean
is_full (const Pipe *pipe)
{
  gint n_bytes = 0;

  fail_unless_equals_int (ioctl (pipe->reader, FIONREAD, &n_bytes), 0);

  return n_bytes > PIPE_BYTES / 2; /* no other line fits */
}

/* Pushes frames until one blocks. */
static void
fill (Pipe *pipe)
{
  gint before;

  pipe->thread = g_thread_new ("pusher", push_without_end, pipe);
  do {
    before = g_atomic_int_get (&pipe->n_pushed);
    g_usleep (G_USEC_PER_SEC / 2);
  } while (!is_full (pipe) || g_atomic_int_get (&pipe->n_pushed) > before);
}

/* Thread that reads until it is stopped; returns the text. */
static gpointer
read_on (gpointer data)
{
  Pipe *pipe = data;
  GString *text = g_string_new (NULL);
  gchar bytes[1000];
  gboolean stops;
  gssize n;

  do {
    stops = g_atomic_int_get (&pipe->reader_stops);
    while ((n = read (pipe->reader, bytes, sizeof bytes)) > 0)
      g_string_append_len (text, bytes, n);
    g_usleep (1000);
  } while (!stops);

  return text;
}

/* Checks that @text has whole lines only, at least @n_least of them. */
static void
expect_lines (const GString *text, guint n_least)
{
  g_auto (GStrv) lines = g_strsplit (text->str, "\n", -1);
  const guint n = g_strv_length (lines) - 1;

  fail_unless (n >= n_least, "%u lines", n);
  fail_unless_equals_string (lines[n], "");
  for (guint i = 0; i < n; i++)
    fail_unless (g_str_has_prefix (lines[i], "{\"type\":\"") &&
                     g_str_has_suffix (lines[i], "}") &&
                     !strstr (lines[i] + 1, "{"),
        "line %u is cut: %s", i, lines[i]);
}

/* Properties with which lines are written in the streaming thread, and in the
 * thread of late results. */
static const gchar *const pipe_settings[] = { "statistics=histogram",
  "statistics=histogram stats-meta=false",
  "statistics=histogram async-depth=3" };

/* A bus on which posting an error takes time. */
static GstBusSyncReply
post_late (GstBus *bus, GstMessage *message, gpointer user_data)
{
  if (GST_MESSAGE_TYPE (message) == GST_MESSAGE_ERROR)
    g_usleep (G_USEC_PER_SEC / 5);

  return GST_BUS_PASS;
}

/* There is one error, which is on the bus before the stream ends; SIGPIPE does
 * not end the process. */
TEST (test_reader_leaves)
{
  const gchar *const parts[] = { "fifo.jsonl", "closed it", NULL };

  for (guint i = 0; i < G_N_ELEMENTS (pipe_settings); i++) {
    g_autoptr (GstBus) bus = NULL;
    Pipe pipe;

    pipe_open (&pipe, pipe_settings[i]);
    bus = harness_bus (pipe.h);
    gst_bus_set_sync_handler (bus, post_late, NULL, NULL);
    fail_unless_equals_int (push_frame (&pipe), GST_FLOW_OK);
    harness_drain (pipe.h);
    expect_no_error (bus);
    close (pipe.reader);
    pipe.reader = -1;
    push_without_end (&pipe);
    expect_one_error (bus, GST_RESOURCE_ERROR, GST_RESOURCE_ERROR_WRITE, parts);
    pipe_close (&pipe);
  }
}

/* The error reports what is lost. */
TEST (test_stop_without_reader)
{
  const gchar *const parts[] = { "fifo.jsonl", "does not read", NULL };

  for (guint i = 0; i < G_N_ELEMENTS (pipe_settings); i++) {
    g_autoptr (GstBus) bus = NULL;
    Pipe pipe;

    pipe_open (&pipe, pipe_settings[i]);
    bus = harness_bus (pipe.h);
    fill (&pipe);
    expect_no_error (bus);
    gst_element_set_state (pipe.h->element, GST_STATE_READY);
    g_thread_join (pipe.thread);
    expect_one_error (bus, GST_RESOURCE_ERROR, GST_RESOURCE_ERROR_WRITE, parts);
    pipe_close (&pipe);
  }
}

/* A flush does not wait; earlier lines are complete, and later ones follow
 * them. */
TEST (test_flush_without_reader)
{
  for (guint i = 0; i < G_N_ELEMENTS (pipe_settings); i++) {
    g_autoptr (GString) text = NULL;
    g_autoptr (GstBus) bus = NULL;
    GstSegment segment;
    GThread *reader;
    Pipe pipe;

    pipe_open (&pipe, pipe_settings[i]);
    bus = harness_bus (pipe.h);
    fill (&pipe);
    fail_unless (gst_harness_push_event (pipe.h, gst_event_new_flush_start ()));
    g_thread_join (pipe.thread);
    fail_unless (
        gst_harness_push_event (pipe.h, gst_event_new_flush_stop (TRUE)));

    /* later lines wait for the reader again, after the earlier ones */
    reader = g_thread_new ("reader", read_on, &pipe);
    gst_segment_init (&segment, GST_FORMAT_TIME);
    fail_unless (
        gst_harness_push_event (pipe.h, gst_event_new_segment (&segment)));
    for (guint frame = 0; frame < 20; frame++)
      fail_unless_equals_int (push_frame (&pipe), GST_FLOW_OK);
    harness_drain (pipe.h);
    g_atomic_int_set (&pipe.reader_stops, TRUE);
    text = g_thread_join (reader);
    expect_lines (text, 20);
    expect_no_error (bus);
    pipe_close (&pipe);
  }
}

SUITE (.setup = test_folder_setup, .teardown = test_folder_teardown);
