/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Results as lines of a file. */

#define _POSIX_C_SOURCE 200809L /* open(), ftruncate() */

#include "gstclrecord.h"

#include <errno.h>
#include <fcntl.h>
#include <glib/gstdio.h>
#include <string.h>
#include <unistd.h>

#include "gstclcsv.h"
#include "gstcljson.h"

static const gchar *const kind_names[] = {
  [GST_CL_RECORD_FRAME] = "frame",
  [GST_CL_RECORD_EVENT] = "event",
  [GST_CL_RECORD_POOLED] = "pooled",
};

struct _GstClRecord {
  gchar *location;
  gint fd;
  GMutex lock;   /* over what follows, and the order of lines */
  GstClCsv *csv; /* NULL: JSON */
  GString *line;
};

/* Says why by errno. */
static void
set_error (GError **error, GstResourceError code, const gchar *what,
    const gchar *location)
{
  const gint reason = errno;

  g_set_error (error, GST_RESOURCE_ERROR, code, "Could not %s \"%s\": %s.",
      what, location, g_strerror (reason));
}

static gboolean
ends_in_csv (const gchar *location)
{
  const gchar *point = strrchr (location, '.');

  return point && g_ascii_strcasecmp (point, ".csv") == 0;
}

GstClRecord *
gst_cl_record_open (const gchar *location, GError **error)
{
  const gboolean is_csv = ends_in_csv (location);
  GstClRecord *self;
  gint fd;

  fd = g_open (location, O_WRONLY | O_CREAT | O_TRUNC | O_APPEND | O_CLOEXEC,
      0666);
  if (fd < 0) {
    set_error (error, GST_RESOURCE_ERROR_OPEN_WRITE, "open", location);
    return NULL;
  }

  self = g_new0 (GstClRecord, 1);
  self->location = g_strdup (location);
  self->fd = fd;
  self->csv = is_csv ? gst_cl_csv_new () : NULL;
  self->line = g_string_new (NULL);
  g_mutex_init (&self->lock);

  return self;
}

/* Shortens the file by its last @n_bytes; a pipe stays as it is. */
static void
take_back (gint fd, gsize n_bytes)
{
  const off_t start = lseek (fd, -(off_t) n_bytes, SEEK_END);

  if (start >= 0 && ftruncate (fd, start) != 0)
    GST_WARNING ("a line stays cut: %s", g_strerror (errno));
}

/* In one call to the system, so that a process that is killed leaves whole lines
 * (Linux may stop between two pages of memory, and then the last is cut). It
 * takes less at once only where the file may not grow. */
static gboolean
write_line (GstClRecord *self, GError **error)
{
  const GString *line = self->line;
  gsize n_done = 0;

  while (n_done < line->len) {
    const gssize n = write (self->fd, line->str + n_done, line->len - n_done);

    if (n >= 0) {
      n_done += n;
    } else if (errno != EINTR) {
      set_error (error, GST_RESOURCE_ERROR_WRITE, "write to", self->location);
      if (n_done > 0)
        take_back (self->fd, n_done);
      return FALSE;
    }
  }

  return TRUE;
}

gboolean
gst_cl_record_write (GstClRecord *self, GstClRecordKind kind,
    const GstStructure *structure, GError **error)
{
  g_autoptr (GMutexLocker) locker = g_mutex_locker_new (&self->lock);

  g_string_truncate (self->line, 0);
  if (!self->csv)
    gst_cl_json_append_line (self->line, kind_names[kind], structure);
  else if (kind == GST_CL_RECORD_FRAME)
    gst_cl_csv_append_row (self->csv, self->line, structure);

  return write_line (self, error);
}

gboolean
gst_cl_record_close (GstClRecord *self, GError **error)
{
  gboolean is_kept;

  if (!self)
    return TRUE;

  is_kept = close (self->fd) == 0 || errno == EINTR;
  if (!is_kept)
    set_error (error, GST_RESOURCE_ERROR_CLOSE, "close", self->location);
  gst_cl_csv_free (self->csv);
  g_string_free (self->line, TRUE);
  g_mutex_clear (&self->lock);
  g_free (self->location);
  g_free (self);

  return is_kept;
}
