/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* A FIFO as file: its reader is late, slow, absent or closes it. */

#define _GNU_SOURCE /* F_SETPIPE_SZ */

#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <sys/stat.h>
#include <unistd.h>

#include "folder.h"
#include "output/gstclfile.h"
#include "output/gstclrecord.h"
#include "suite.h"

#define PIPE_BYTES 4096

static gchar *path;

static void
make_fifo (void)
{
  test_folder_setup ();
  path = g_build_filename (test_folder, "fifo.jsonl", NULL);
  fail_unless_equals_int (mkfifo (path, 0600), 0);
}

static void
remove_fifo (void)
{
  g_clear_pointer (&path, g_free);
  test_folder_teardown ();
}

/* Does not block; the pipe has the smallest size. */
static gint
open_reader (void)
{
  const gint fd = open (path, O_RDONLY | O_NONBLOCK);

  fail_unless (fd >= 0);
  fcntl (fd, F_SETPIPE_SZ, PIPE_BYTES);

  return fd;
}

static GstClFile *
open_file (void)
{
  g_autoptr (GError) error = NULL;
  GstClFile *file = gst_cl_file_open (path, &error);

  fail_unless (file != NULL, "cannot open %s: %s", path,
      error ? error->message : "no error");

  return file;
}

/* Appends the data until the pipe is closed or, if it does not block, the
 * available data. */
static void
read_all (gint fd, GString *text)
{
  gchar bytes[1000];
  gssize n;

  while ((n = read (fd, bytes, sizeof bytes)) > 0)
    g_string_append_len (text, bytes, n);
}

/* Returns @n bytes without a repeated part. g_string_free() */
static GString *
make_text (guint n)
{
  GString *text = g_string_new (NULL);

  for (guint i = 0; text->len < n; i++)
    g_string_append_printf (text, "%u\n", i);

  return text;
}

/* --- opening ------------------------------------------------------------- */

TEST (test_nobody_reads)
{
  g_autoptr (GError) error = NULL;

  fail_unless (gst_cl_file_open (path, &error) == NULL);
  fail_unless (g_error_matches (error, GST_RESOURCE_ERROR,
      GST_RESOURCE_ERROR_OPEN_WRITE));
  fail_unless (strstr (error->message, path) != NULL);
  fail_unless (strstr (error->message, "Start its reader") != NULL);
}

static gpointer
read_later (gpointer data)
{
  gint fd;

  g_usleep (G_USEC_PER_SEC / 3);
  fd = open (path, O_RDONLY);
  read_all (fd, data);
  close (fd);

  return NULL;
}

TEST (test_reader_comes_late)
{
  g_autoptr (GString) text = make_text (100000), got = g_string_new (NULL);
  GThread *reader = g_thread_new ("reader", read_later, got);
  GstClFile *file = open_file ();

  fail_unless (gst_cl_file_write (file, text, NULL));
  fail_unless (gst_cl_file_drain (file, NULL));
  fail_unless (gst_cl_file_close (file, NULL));
  g_thread_join (reader);
  fail_unless (g_string_equal (got, text));
}

/* --- writing ------------------------------------------------------------- */

/* An error, and no signal; a thread that waits keeps waiting. */
TEST (test_reader_leaves)
{
  g_autoptr (GString) text = make_text (10);
  gint reader = open_reader ();
  GstClFile *file = open_file ();
  sigset_t signals, before, after;

  fail_unless (gst_cl_file_write (file, text, NULL));
  close (reader);
  sigemptyset (&signals);
  sigaddset (&signals, SIGPIPE);
  for (guint waits = 0; waits < 2; waits++) {
    g_autoptr (GError) error = NULL;

    if (waits) {
      pthread_sigmask (SIG_BLOCK, &signals, NULL);
      pthread_kill (pthread_self (), SIGPIPE);
    }
    pthread_sigmask (SIG_BLOCK, NULL, &before);
    fail_if (gst_cl_file_write (file, text, &error));
    fail_unless (
        g_error_matches (error, GST_RESOURCE_ERROR, GST_RESOURCE_ERROR_WRITE));
    fail_unless (strstr (error->message, "closed it") != NULL);
    fail_unless (signal (SIGPIPE, SIG_DFL) == SIG_DFL);
    pthread_sigmask (SIG_BLOCK, NULL, &after);
    fail_unless_equals_int (sigismember (&after, SIGPIPE),
        sigismember (&before, SIGPIPE));
    sigpending (&after);
    fail_unless_equals_int (sigismember (&after, SIGPIPE), waits);
  }
  fail_unless (gst_cl_file_close (file, NULL));
  signal (SIGPIPE, SIG_IGN); /* releases the thread that waits */
}

static gpointer
drain (gpointer data)
{
  return GINT_TO_POINTER (gst_cl_file_drain (data, NULL));
}

static void
expect_drained (GThread *drainer)
{
  fail_unless (GPOINTER_TO_INT (g_thread_join (drainer)));
}

/* Nothing is lost, and everything is in order. */
TEST (test_flush_and_go_on)
{
  g_autoptr (GString) text = make_text (PIPE_BYTES * 5);
  g_autoptr (GString) got = g_string_new (NULL);
  gint reader = open_reader ();
  GstClFile *file = open_file ();
  GThread *drainer;

  fail_unless (gst_cl_file_write (file, text, NULL));
  drainer = g_thread_new ("drain", drain, file);
  g_usleep (G_USEC_PER_SEC / 20);
  gst_cl_file_set_flushing (file, TRUE);
  expect_drained (drainer);
  fail_unless (gst_cl_file_write (file, text, NULL));
  fail_unless (gst_cl_file_drain (file, NULL));

  gst_cl_file_set_flushing (file, FALSE);
  drainer = g_thread_new ("drain", drain, file);
  while (got->len < 2 * text->len)
    read_all (reader, got);
  expect_drained (drainer);
  g_string_append_len (text, text->str, text->len);
  fail_unless (g_string_equal (got, text));
  fail_unless (gst_cl_file_close (file, NULL));
  close (reader);
}

/* The end of a flush does not cancel a stop; lost data is reported. */
TEST (test_stop)
{
  g_autoptr (GString) text = make_text (PIPE_BYTES * 5);
  g_autoptr (GError) error = NULL;
  gint reader = open_reader ();
  GstClFile *file = open_file ();

  fail_unless (gst_cl_file_write (file, text, NULL));
  gst_cl_file_set_flushing (file, TRUE);
  gst_cl_file_stop (file);
  gst_cl_file_set_flushing (file, FALSE);
  fail_unless (gst_cl_file_drain (file, NULL));
  fail_if (gst_cl_file_close (file, &error));
  fail_unless (
      g_error_matches (error, GST_RESOURCE_ERROR, GST_RESOURCE_ERROR_WRITE));
  fail_unless (strstr (error->message, path) != NULL);
  fail_unless (strstr (error->message, " bytes") != NULL);
  close (reader);
}

/* The thread of the clock writes some. */
TEST (test_events_do_not_wait)
{
  g_autoptr (GString) got = g_string_new (NULL);
  g_autoptr (GstStructure)
      structure = gst_structure_new ("e", "n", G_TYPE_INT, 1, NULL);
  static const gchar first_line[] =
      "{\"type\":\"event\",\"schema\":1,\"n\":1}\n";
  g_autoptr (GString) line = g_string_new ("{\"type\":\"event\",\"n\":1}\n");
  const guint n = 2 * PIPE_BYTES / line->len;
  GThread *reader;
  gint fd = open_reader ();
  GstClRecord *record = gst_cl_record_open (path, NULL);

  fail_unless (record != NULL);
  for (guint i = 0; i <= n; i++)
    fail_unless (gst_cl_record_write (record, GST_CL_RECORD_EVENT, structure,
        FALSE, NULL));
  reader = g_thread_new ("reader", read_later, got);
  fail_unless (gst_cl_record_write (record, GST_CL_RECORD_POOLED, structure,
      FALSE, NULL));
  fail_unless (gst_cl_record_close (record, NULL));
  g_thread_join (reader);
  fail_unless (g_str_has_prefix (got->str, first_line));
  g_string_erase (got, 0, sizeof first_line - 1);
  for (guint i = 0; i < n; i++)
    fail_unless (g_str_has_prefix (got->str + i * line->len, line->str));
  fail_unless_equals_string (got->str + n * line->len,
      "{\"type\":\"pooled\",\"n\":1}\n");
  close (fd);
}

SUITE (.setup = make_fifo, .teardown = remove_fifo);
