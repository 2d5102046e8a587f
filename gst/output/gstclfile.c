/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Writes text to a file or FIFO. */

#define _POSIX_C_SOURCE 200809L /* open(), ftruncate(), sigtimedwait() */

#include "gstclfile.h"

#include <errno.h>
#include <fcntl.h>
#include <glib/gstdio.h>
#include <signal.h>
#include <sys/stat.h>
#include <unistd.h>

#include "common/gstcldebug.h"

GST_CL_DEBUG_CATEGORY (gst_cl_file_debug, "clfile",
    "Files of frame statistics");
#define GST_CAT_DEFAULT gst_cl_file_debug ()

#define READER_COMES_US (5 * G_USEC_PER_SEC)
#define READER_LOOKS_US (10 * 1000)
#define READER_READS_US (1 * G_USEC_PER_SEC) /* the reader's time at closing */

struct _GstClFile {
  gchar *location;
  gint fd;       /* never blocks */
  GstPoll *poll; /* whether fd accepts more */

  GMutex lock;   /* protects the members below, and the order of writes */
  GString *kept; /* text that the system has not accepted yet */
  gboolean is_flushing, is_stopped;
};

/* Sets the error from errno. */
static void
set_error (GError **error, GstResourceError code, const gchar *what,
    const gchar *location)
{
  const gint reason = errno;

  g_set_error (error, GST_RESOURCE_ERROR, code, "Could not %s \"%s\": %s.",
      what, location,
      reason == EPIPE ? "its reader has closed it" : g_strerror (reason));
}

/* --- opening ------------------------------------------------------------- */

/* Returns TRUE if open() has failed because the FIFO has no reader. Keeps
 * errno. */
static gboolean
lacks_reader (const gchar *location)
{
  const gint reason = errno;
  GStatBuf status;
  const gboolean is_fifo = g_stat (location, &status) == 0 &&
                           S_ISFIFO (status.st_mode);

  errno = reason;

  return is_fifo && reason == ENXIO;
}

/* Opens the file. Polls for the reader of a FIFO, since a blocking open() may
 * wait for ever. */
static gint
open_for_writing (const gchar *location, GError **error)
{
  const gint64 end = g_get_monotonic_time () + READER_COMES_US;
  gint fd;

  while ((fd = g_open (location,
              O_WRONLY | O_CREAT | O_TRUNC | O_APPEND | O_CLOEXEC | O_NONBLOCK,
              0666)) < 0 &&
         lacks_reader (location) && g_get_monotonic_time () < end)
    g_usleep (READER_LOOKS_US);

  if (fd < 0 && lacks_reader (location))
    g_set_error (error, GST_RESOURCE_ERROR, GST_RESOURCE_ERROR_OPEN_WRITE,
        "Could not open \"%s\": no reader has opened this FIFO within "
        "%d seconds. Start its reader first.",
        location, (gint) (READER_COMES_US / G_USEC_PER_SEC));
  else if (fd < 0)
    set_error (error, GST_RESOURCE_ERROR_OPEN_WRITE, "open", location);

  return fd;
}

GstClFile *
gst_cl_file_open (const gchar *location, GError **error)
{
  const gint fd = open_for_writing (location, error);
  GstPollFD poll_fd = GST_POLL_FD_INIT;
  GstClFile *self;

  gst_cl_file_debug ();
  if (fd < 0)
    return NULL;

  self = g_new0 (GstClFile, 1);
  self->location = g_strdup (location);
  self->fd = poll_fd.fd = fd;
  self->poll = gst_poll_new (TRUE);
  gst_poll_add_fd (self->poll, &poll_fd);
  gst_poll_fd_ctl_write (self->poll, &poll_fd, TRUE);
  g_mutex_init (&self->lock);
  self->kept = g_string_new (NULL);

  return self;
}

/* --- writing ------------------------------------------------------------- */

/* Calls write() without SIGPIPE, and does not change the process's handling of
 * that signal. The signal is sent to the writing thread, which blocks it and
 * removes it, unless one was pending before. */
static gssize
write_without_signal (gint fd, const gchar *bytes, gsize n_bytes)
{
  const struct timespec now = { 0, 0 };
  sigset_t pipe_signal, waiting, usual;
  gssize n_written;
  gint reason;

  sigemptyset (&pipe_signal);
  sigaddset (&pipe_signal, SIGPIPE);
  sigemptyset (&waiting);
  sigpending (&waiting);
  pthread_sigmask (SIG_BLOCK, &pipe_signal, &usual);

  n_written = write (fd, bytes, n_bytes);
  reason = errno;
  if (n_written < 0 && reason == EPIPE && !sigismember (&waiting, SIGPIPE)) {
    while (sigtimedwait (&pipe_signal, NULL, &now) < 0 && errno == EINTR)
      ;
  }

  pthread_sigmask (SIG_SETMASK, &usual, NULL);
  errno = reason;

  return n_written;
}

/* Truncates the file by its last @n_bytes; does not change a pipe. */
static void
take_back (gint fd, gsize n_bytes)
{
  const off_t start = lseek (fd, -(off_t) n_bytes, SEEK_END);

  if (start >= 0 && ftruncate (fd, start) != 0)
    GST_WARNING ("a line remains incomplete: %s", g_strerror (errno));
}

/* Writes the buffered text in one system call, so that a killed process leaves
 * whole lines (Linux may stop between two pages of memory; then the last line
 * is incomplete). The system accepts less only if the file cannot grow or a
 * pipe is full. Lock held. */
static gboolean
write_kept (GstClFile *self, GError **error)
{
  gsize n_done = 0;

  while (n_done < self->kept->len) {
    const gssize n = write_without_signal (self->fd, self->kept->str + n_done,
        self->kept->len - n_done);

    if (n >= 0) {
      n_done += n;
    } else if (errno == EAGAIN) {
      break;
    } else if (errno != EINTR) {
      set_error (error, GST_RESOURCE_ERROR_WRITE, "write to", self->location);
      if (n_done > 0)
        take_back (self->fd, n_done);
      g_string_truncate (self->kept, 0);
      return FALSE;
    }
  }
  g_string_erase (self->kept, 0, n_done);

  return TRUE;
}

gboolean
gst_cl_file_write (GstClFile *self, const GString *text, GError **error)
{
  G_GNUC_UNUSED g_autoptr (GMutexLocker)
      locker = g_mutex_locker_new (&self->lock);

  g_string_append_len (self->kept, text->str, text->len);

  return write_kept (self, error);
}

gboolean
gst_cl_file_drain (GstClFile *self, GError **error)
{
  for (;;) {
    gboolean is_written, is_drained;

    g_mutex_lock (&self->lock);
    is_written = write_kept (self, error);
    is_drained = self->kept->len == 0;
    g_mutex_unlock (&self->lock);

    if (!is_written || is_drained)
      return is_written;
    if (gst_poll_wait (self->poll, GST_CLOCK_TIME_NONE) < 0 && errno != EINTR &&
        errno != EAGAIN)
      return TRUE; /* flushing */
  }
}

/* --- flushing ------------------------------------------------------------- */

void
gst_cl_file_set_flushing (GstClFile *self, gboolean flushing)
{
  G_GNUC_UNUSED g_autoptr (GMutexLocker)
      locker = g_mutex_locker_new (&self->lock);

  self->is_flushing = flushing;
  gst_poll_set_flushing (self->poll, flushing || self->is_stopped);
}

void
gst_cl_file_stop (GstClFile *self)
{
  G_GNUC_UNUSED g_autoptr (GMutexLocker)
      locker = g_mutex_locker_new (&self->lock);

  self->is_stopped = TRUE;
  gst_poll_set_flushing (self->poll, TRUE);
}

/* --- closing ------------------------------------------------------------- */

static gboolean
write_the_rest (GstClFile *self, GError **error)
{
  const gint64 end = g_get_monotonic_time () + READER_READS_US;
  gint64 rest;

  gst_poll_set_flushing (self->poll, FALSE);
  while (write_kept (self, error)) {
    if (self->kept->len == 0)
      return TRUE;
    rest = end - g_get_monotonic_time ();
    if (rest <= 0) {
      g_set_error (error, GST_RESOURCE_ERROR, GST_RESOURCE_ERROR_WRITE,
          "Could not write the last %" G_GSIZE_FORMAT
          " bytes to \"%s\": it is full, and its reader does not read.",
          self->kept->len, self->location);
      return FALSE;
    }
    gst_poll_wait (self->poll, rest * GST_USECOND);
  }

  return FALSE;
}

gboolean
gst_cl_file_close (GstClFile *self, GError **error)
{
  gboolean is_kept = write_the_rest (self, error);

  if (close (self->fd) != 0 && errno != EINTR && is_kept) {
    set_error (error, GST_RESOURCE_ERROR_CLOSE, "close", self->location);
    is_kept = FALSE;
  }
  gst_poll_free (self->poll);
  g_string_free (self->kept, TRUE);
  g_mutex_clear (&self->lock);
  g_free (self->location);
  g_free (self);

  return is_kept;
}
