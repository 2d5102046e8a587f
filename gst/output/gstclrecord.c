/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Writes results as lines of a file. */

#include "gstclrecord.h"

#include <string.h>

#include "gstclline.h"
#include "gstclfile.h"

struct _GstClRecord {
  GstClFile *file;
  gchar *location;
  GMutex lock;   /* protects the members below, and the order of lines */
  GstClCsv *csv; /* NULL: JSON */
  GString *line;
  gboolean has_lines; /* one was written */
};

const gchar *
gst_cl_record_kind_name (GstClRecordKind kind)
{
  static const gchar *const names[] = {
    [GST_CL_RECORD_FRAME] = "frame",
    [GST_CL_RECORD_EVENT] = "event",
    [GST_CL_RECORD_POOLED] = "pooled",
  };

  return names[kind];
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
  GstClFile *file = gst_cl_file_open (location, error);
  GstClRecord *self;

  if (!file)
    return NULL;

  self = g_new0 (GstClRecord, 1);
  self->file = file;
  self->location = g_strdup (location);
  self->csv = ends_in_csv (location) ? gst_cl_csv_new () : NULL;
  self->line = g_string_new (NULL);
  g_mutex_init (&self->lock);

  return self;
}

static gboolean
set_columns_error (const GstClRecord *self, GError **error)
{
  g_set_error (error, GST_RESOURCE_ERROR, GST_RESOURCE_ERROR_WRITE,
      "The columns of \"%s\" would change: the caps, a property or the number "
      "of regions of interest changed. Use a location that does not end in "
      ".csv: lines of JSON can have such results.",
      self->location);

  return FALSE;
}

static gboolean
write_line (GstClRecord *self, GstClRecordKind kind,
    const GstStructure *structure, gboolean has_packed, GError **error)
{
  G_GNUC_UNUSED g_autoptr (GMutexLocker)
      locker = g_mutex_locker_new (&self->lock);

  g_string_truncate (self->line, 0);
  if (!self->csv)
    gst_cl_json_append_line (self->line, gst_cl_record_kind_name (kind),
        !self->has_lines, structure, has_packed);
  else if (kind == GST_CL_RECORD_FRAME &&
           !gst_cl_csv_append_row (self->csv, self->line, structure,
               has_packed))
    return set_columns_error (self, error);

  if (!gst_cl_file_write (self->file, self->line, error))
    return FALSE;
  self->has_lines = TRUE;

  return TRUE;
}

/* Writing an event does not wait, since some events are posted from the clock's
 * thread, and a process has only one. */
gboolean
gst_cl_record_write (GstClRecord *self, GstClRecordKind kind,
    const GstStructure *structure, gboolean has_packed, GError **error)
{
  return write_line (self, kind, structure, has_packed, error) &&
         (kind == GST_CL_RECORD_EVENT || gst_cl_file_drain (self->file, error));
}

void
gst_cl_record_set_flushing (GstClRecord *self, gboolean flushing)
{
  gst_cl_file_set_flushing (self->file, flushing);
}

void
gst_cl_record_stop (GstClRecord *self)
{
  gst_cl_file_stop (self->file);
}

gboolean
gst_cl_record_close (GstClRecord *self, GError **error)
{
  gboolean is_kept;

  if (!self)
    return TRUE;

  is_kept = gst_cl_file_close (self->file, error);
  gst_cl_csv_free (self->csv);
  g_string_free (self->line, TRUE);
  g_free (self->location);
  g_mutex_clear (&self->lock);
  g_free (self);

  return is_kept;
}
