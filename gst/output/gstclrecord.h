/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include <gst/gst.h>

G_BEGIN_DECLS

/* A file to which each result is written as a line while frames pass: JSON or,
 * if the name ends in .csv, comma-separated values. */
typedef struct _GstClRecord GstClRecord;

/* What a line is about; JSON has it as "type": "frame", "event" or "pooled". */
typedef enum {
  GST_CL_RECORD_FRAME,  /* the statistics of a frame */
  GST_CL_RECORD_EVENT,  /* the start or the end of an event */
  GST_CL_RECORD_POOLED, /* the statistics of the stream */
} GstClRecordKind;

/* Returns the name of @kind. static */
const gchar *gst_cl_record_kind_name (GstClRecordKind kind);

/* Opens a new file; one that is there is emptied. NULL with
 * GST_RESOURCE_ERROR_OPEN_WRITE. */
GstClRecord *gst_cl_record_open (const gchar *location, GError **error);

/* Hands a line to the system, which keeps it whatever becomes of the process.
 * Rows of values are about frames alone: other kinds leave such a file
 * unchanged. All rows have the same columns. Where a pipe is full, it waits for
 * the reader, except for events. FALSE with GST_RESOURCE_ERROR_WRITE, also for
 * a row with other columns; the file then ends in a whole line, as far as the
 * system lets it. Events: any thread; other kinds: one thread at a time. */
gboolean gst_cl_record_write (GstClRecord *self, GstClRecordKind kind,
    const GstStructure *structure, GError **error);

/* While @flushing, and for good after gst_cl_record_stop(), nothing waits for a
 * reader: lines are kept, whole, and written before those that follow. Any
 * thread. */
void gst_cl_record_set_flushing (GstClRecord *self, gboolean flushing);
void gst_cl_record_stop (GstClRecord *self);

/* Closes the file and frees @self in any case, within a second. FALSE with
 * GST_RESOURCE_ERROR_WRITE if a reader has not taken all that was kept for it,
 * with GST_RESOURCE_ERROR_CLOSE if the system could not keep what it had taken.
 * Accepts NULL. */
gboolean gst_cl_record_close (GstClRecord *self, GError **error);

G_END_DECLS
