/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include <gst/gst.h>

G_BEGIN_DECLS

/* A file or a FIFO to which text is written; the reader of a FIFO may be late,
 * slow or gone. What the system does not take at once, since a pipe is full, is
 * kept and goes before all that follows. */
typedef struct _GstClFile GstClFile;

/* Creates a file, or empties the one that is there. The reader of a FIFO has
 * five seconds to come. NULL with GST_RESOURCE_ERROR_OPEN_WRITE. */
GstClFile *gst_cl_file_open (const gchar *location, GError **error);

/* Hands @text to the system, as far as that takes it at once. FALSE with
 * GST_RESOURCE_ERROR_WRITE; the file then ends where @text began, as far as the
 * system lets it. Any thread. */
gboolean gst_cl_file_write (GstClFile *self, const GString *text,
    GError **error);

/* Waits until the system has taken what is kept, or until
 * gst_cl_file_set_flushing() or gst_cl_file_stop() ends the wait. FALSE with
 * GST_RESOURCE_ERROR_WRITE. One thread at a time. */
gboolean gst_cl_file_drain (GstClFile *self, GError **error);

/* While @flushing nobody waits in gst_cl_file_drain(). Any thread. */
void gst_cl_file_set_flushing (GstClFile *self, gboolean flushing);

/* Ends all waits in gst_cl_file_drain() for good. Any thread. */
void gst_cl_file_stop (GstClFile *self);

/* Closes the file and frees @self in any case. The system has one second to
 * take what is kept. FALSE with GST_RESOURCE_ERROR_WRITE if it has not taken
 * all, with GST_RESOURCE_ERROR_CLOSE if it could not keep what it had taken. */
gboolean gst_cl_file_close (GstClFile *self, GError **error);

G_END_DECLS
