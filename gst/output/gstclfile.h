/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include <gst/gst.h>

G_BEGIN_DECLS

/* A file that text goes into, which may be a FIFO whose reader is late, slow or
 * gone. What the system does not take at once, since a pipe is full, is kept
 * and goes before all that follows. */
typedef struct _GstClFile GstClFile;

/* Makes a file, or empties the one that is there; the reader of a FIFO has five
 * seconds to come. NULL with GST_RESOURCE_ERROR_OPEN_WRITE. */
GstClFile *gst_cl_file_open (const gchar *location, GError **error);

/* Hands @text to the system, as far as that takes it at once. FALSE with
 * GST_RESOURCE_ERROR_WRITE, the file then ending where @text began as far as
 * the system lets it. Any thread. */
gboolean gst_cl_file_write (GstClFile *self, const GString *text,
    GError **error);

/* Waits until the system has taken what is kept, or until it is told not to
 * wait. FALSE with GST_RESOURCE_ERROR_WRITE. One thread at a time. */
gboolean gst_cl_file_drain (GstClFile *self, GError **error);

/* While @flushing nobody waits in gst_cl_file_drain(). Any thread. */
void gst_cl_file_set_flushing (GstClFile *self, gboolean flushing);

/* Nobody waits there any more. Any thread. */
void gst_cl_file_stop (GstClFile *self);

/* Frees @self in any case. What is kept has one second to be taken. FALSE with
 * GST_RESOURCE_ERROR_WRITE if some of it was not, with GST_RESOURCE_ERROR_CLOSE
 * if the system could not keep what it had taken. */
gboolean gst_cl_file_close (GstClFile *self, GError **error);

G_END_DECLS
