/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include <gst/gst.h>

G_BEGIN_DECLS

/* A file with one line per result: JSON, whose first line has the version of
 * the schema, or, if the name ends in .csv, comma-separated values. */
typedef struct _GstClRecord GstClRecord;

/* The kind of a line; in JSON it is "type": "frame", "event" or "pooled". */
typedef enum {
  GST_CL_RECORD_FRAME,  /* the statistics of a frame */
  GST_CL_RECORD_EVENT,  /* the start or the end of an event */
  GST_CL_RECORD_POOLED, /* the statistics of the stream */
} GstClRecordKind;

/* Returns the name of @kind; static. */
const gchar *gst_cl_record_kind_name (GstClRecordKind kind);

/* Opens a new file, or truncates an existing one. NULL with
 * GST_RESOURCE_ERROR_OPEN_WRITE; transfer full. */
GstClRecord *gst_cl_record_open (const gchar *location, GError **error);

/* Writes a line to the system, which keeps it even if the process crashes. A
 * .csv file has rows for frames only; other kinds do not change it. All rows
 * have the same columns. @has_packed: with packed fields (gstclline.h). If a
 * pipe is full, the function waits for the reader, except for events. FALSE
 * with GST_RESOURCE_ERROR_WRITE, also for a row with other columns; the file
 * then ends in a whole line, if the system allows it. Events: any thread; other
 * kinds: one thread at a time. */
gboolean gst_cl_record_write (GstClRecord *self, GstClRecordKind kind,
    const GstStructure *structure, gboolean has_packed, GError **error);

/* While @flushing is TRUE, and for good after gst_cl_record_stop(), no function
 * waits for a reader: whole lines are buffered and written before later ones.
 * Any thread. */
void gst_cl_record_set_flushing (GstClRecord *self, gboolean flushing);
void gst_cl_record_stop (GstClRecord *self);

/* Closes the file and frees @self in any case, within a second. FALSE with
 * GST_RESOURCE_ERROR_WRITE if a reader has not read all buffered lines, with
 * GST_RESOURCE_ERROR_CLOSE if the system could not store the written lines.
 * Accepts NULL. */
gboolean gst_cl_record_close (GstClRecord *self, GError **error);

G_END_DECLS
