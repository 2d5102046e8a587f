/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include <gst/gst.h>

G_BEGIN_DECLS

/* Files in a folder of ours. What is kept there runs, or decides what runs, so
 * that a folder or a file counts only if it belongs to the effective user and
 * neither group nor others may write it; root's count as anybody else's. What
 * is refused is as if it were not there, and one line at WARNING, for each
 * folder of the process, says what is wrong and what to do. Any thread. */

/* FALSE with @error of G_FILE_ERROR: PERM or NOTDIR if @folder is refused, else
 * why it cannot be looked at, which is no warning. */
gboolean gst_cl_folder_check (const gchar *folder, GError **error);

/* What file @name of @folder holds. NULL with @error of G_FILE_ERROR: NOENT if
 * there is none, PERM if it is refused, which a link, anything but a regular
 * file, and a file of more than @max_bytes are too. Waits at no FIFO. */
GBytes *gst_cl_folder_read (const gchar *folder, const gchar *name,
    gsize max_bytes, GError **error);

/* Puts @n_bytes at @data in the place of file @name, making @folder if need be;
 * both are for nobody else. A reader sees the old file or the new one. */
gboolean gst_cl_folder_write (const gchar *folder, const gchar *name,
    gconstpointer data, gsize n_bytes, GError **error);

G_END_DECLS
