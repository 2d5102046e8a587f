/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include <gst/gst.h>

G_BEGIN_DECLS

/* A file that takes each result as a line, while frames pass: of JSON or, if
 * its name ends in .csv, of comma-separated values. */
typedef struct _GstClRecord GstClRecord;

/* What a line tells about; JSON has it as "type": "frame", "event",
 * "pooled". */
typedef enum {
  GST_CL_RECORD_FRAME,  /* statistics of one */
  GST_CL_RECORD_EVENT,  /* start or end of one */
  GST_CL_RECORD_POOLED, /* statistics of the stream */
} GstClRecordKind;

/* A new file; one that is there is emptied. NULL with
 * GST_RESOURCE_ERROR_OPEN_WRITE. */
GstClRecord *gst_cl_record_open (const gchar *location, GError **error);

/* Hands a line to the system, which keeps it whatever becomes of the process;
 * rows of values are of frames alone, other kinds leave the file as it is.
 * Where a pipe is full, waits for its reader, but not with events. FALSE with
 * GST_RESOURCE_ERROR_WRITE, the file then ending in a whole line as far as the
 * system lets it. Events: any thread; others: one at a time. */
gboolean gst_cl_record_write (GstClRecord *self, GstClRecordKind kind,
    const GstStructure *structure, GError **error);

/* While @flushing, and for good after gst_cl_record_stop(), nothing waits for a
 * reader: lines are kept, whole, to be written before those that follow. Any
 * thread. */
void gst_cl_record_set_flushing (GstClRecord *self, gboolean flushing);
void gst_cl_record_stop (GstClRecord *self);

/* Frees @self in any case, within a second. FALSE with GST_RESOURCE_ERROR_WRITE
 * if a reader has not taken all that was kept for it, with
 * GST_RESOURCE_ERROR_CLOSE if the system could not keep what it had taken.
 * Accepts NULL. */
gboolean gst_cl_record_close (GstClRecord *self, GError **error);

G_END_DECLS
