/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include <gst/gst.h>

G_BEGIN_DECLS

/* A file or FIFO for text output; the reader of a FIFO may be late or slow, or
 * may exit. Text that the system does not accept at once, because a pipe is
 * full, is buffered and written before all later text. */
typedef struct _GstClFile GstClFile;

/* Creates a file, or truncates an existing one. The reader of a FIFO must open
 * it within five seconds. NULL with GST_RESOURCE_ERROR_OPEN_WRITE; transfer
 * full. */
GstClFile *gst_cl_file_open (const gchar *location, GError **error);

/* Writes @text as far as the system accepts it without blocking; buffers the
 * rest. FALSE with GST_RESOURCE_ERROR_WRITE; the file is then truncated to its
 * size before @text, if the system allows it. Any thread. */
gboolean gst_cl_file_write (GstClFile *self, const GString *text,
    GError **error);

/* Waits until the system has accepted the buffered text, or until
 * gst_cl_file_set_flushing() or gst_cl_file_stop() ends the wait. FALSE with
 * GST_RESOURCE_ERROR_WRITE. One thread at a time. */
gboolean gst_cl_file_drain (GstClFile *self, GError **error);

/* While @flushing is TRUE, gst_cl_file_drain() does not wait. Any thread. */
void gst_cl_file_set_flushing (GstClFile *self, gboolean flushing);

/* Ends all waits in gst_cl_file_drain(), also later ones. Any thread. */
void gst_cl_file_stop (GstClFile *self);

/* Closes the file and frees @self in any case. Waits at most one second for the
 * system to accept the buffered text. FALSE with GST_RESOURCE_ERROR_WRITE if
 * text remains, with GST_RESOURCE_ERROR_CLOSE if the system could not store the
 * written text. */
gboolean gst_cl_file_close (GstClFile *self, GError **error);

G_END_DECLS
