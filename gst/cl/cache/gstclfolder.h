/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include <gst/gst.h>

G_BEGIN_DECLS

/* Files in a private folder. Cached files are executed, or decide what is
 * executed. Therefore a folder or file is accepted only if it belongs to the
 * effective user and neither the group nor others can write it; files of root
 * are rejected like those of any other user. A rejected folder or file counts
 * as missing; one line at WARNING, once per folder and process, gives the
 * reason and the remedy. Any thread. */

/* Returns TRUE if @folder is accepted. Returns FALSE with @error of
 * G_FILE_ERROR: PERM or NOTDIR if @folder is rejected, else the error of the
 * system call, without a warning. */
gboolean gst_cl_folder_check (const gchar *folder, GError **error);

/* Returns the contents of file @name in @folder. Returns NULL with @error of
 * G_FILE_ERROR: NOENT if the file does not exist, PERM if the file is rejected.
 * Symbolic links, other files that are not regular, and files of more than
 * @max_bytes are rejected, too. Does not block on a FIFO. */
GBytes *gst_cl_folder_read (const gchar *folder, const gchar *name,
    gsize max_bytes, GError **error);

/* Writes @n_bytes at @data to file @name, and creates @folder if necessary;
 * both are accessible only to the user. Replaces the old file atomically. */
gboolean gst_cl_folder_write (const gchar *folder, const gchar *name,
    gconstpointer data, gsize n_bytes, GError **error);

G_END_DECLS
