/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Checks the owner and the mode of a folder and its files before they are
 * used. */

#define _POSIX_C_SOURCE 200809L /* O_NOFOLLOW */

#include "gstclfolder.h"
#include "common/gstcldebug.h"

#include <errno.h>
#include <fcntl.h>
#include <glib/gstdio.h>
#include <sys/stat.h>
#include <unistd.h>

GST_CL_DEBUG_CATEGORY (gst_cl_folder_debug, "clfolder",
    "Folder of compiled kernels");
#define GST_CAT_DEFAULT gst_cl_folder_debug ()

#define MAY_OTHERS_WRITE (S_IWGRP | S_IWOTH)

/* Does not follow links or block on a FIFO; child processes do not inherit
 * it. */
#define OPEN_FLAGS (O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY | O_CLOEXEC)

/* --- refusing ------------------------------------------------------------ */

/* Returns TRUE once per folder and process. */
static gboolean
is_first_word_about (const gchar *folder)
{
  static GMutex lock;
  static GHashTable *told; /* gchar *folder; lock */
  gboolean is_first;

  g_mutex_lock (&lock);
  if (!told)
    told = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, NULL);
  is_first = g_hash_table_add (told, g_strdup (folder));
  g_mutex_unlock (&lock);

  return is_first;
}

static void
refuse_folder (const gchar *folder, GFileError code, const gchar *reason,
    GError **error)
{
  g_set_error (error, G_FILE_ERROR, code, "%s %s", folder, reason);
  if (is_first_word_about (folder))
    GST_WARNING ("%s %s. Compiled kernels and measurements are neither stored "
                 "there nor read from there. Set GST_OPENCL_CACHE_DIR to "
                 "another folder, or to nothing to disable the cache.",
        folder, reason);
}

static void
refuse_file (const gchar *path, const gchar *folder, const gchar *reason,
    GError **error)
{
  g_set_error (error, G_FILE_ERROR, G_FILE_ERROR_PERM, "%s %s", path, reason);
  if (is_first_word_about (folder))
    GST_WARNING ("%s %s. Such files are not used, and are replaced if "
                 "possible. Delete them, and find out who writes there.",
        path, reason);
}

/* Returns what is wrong with the owner or the mode; NULL if nothing is. */
static gchar *
find_fault (const struct stat *status)
{
  const guint mode = status->st_mode & 0777;

  if (status->st_uid != geteuid ())
    return g_strdup_printf ("belongs to user %u, but the process to user %u: "
                            "chown it if it should belong to that user",
        (guint) status->st_uid, (guint) geteuid ());
  if (status->st_mode & MAY_OTHERS_WRITE)
    return g_strdup_printf ("has mode %o, so that other users can write code "
                            "that this process runs: chmod go-w it",
        mode);

  return NULL;
}

/* --- opening ------------------------------------------------------------- */

static void
set_error_from_errno (gint code, const gchar *what, GError **error)
{
  g_set_error (error, G_FILE_ERROR, g_file_error_from_errno (code), "%s: %s",
      what, g_strerror (code));
}

/* Uses the path, which needs no right to read the folder; follows links. */
gboolean
gst_cl_folder_check (const gchar *folder, GError **error)
{
  g_autofree gchar *fault = NULL;
  struct stat status;

  gst_cl_folder_debug ();

  if (g_stat (folder, &status) != 0) {
    set_error_from_errno (errno, folder, error);
    return FALSE;
  }
  if (!S_ISDIR (status.st_mode)) {
    refuse_folder (folder, G_FILE_ERROR_NOTDIR, "is not a folder", error);
    return FALSE;
  }
  fault = find_fault (&status);
  if (fault)
    refuse_folder (folder, G_FILE_ERROR_PERM, fault, error);

  return !fault;
}

/* Returns FALSE with @error if the file with @status is rejected. */
static gboolean
check_file (const struct stat *status, const gchar *path, const gchar *folder,
    gsize max_bytes, GError **error)
{
  g_autofree gchar *fault = NULL;

  if (S_ISLNK (status->st_mode))
    fault = g_strdup ("is a symbolic link");
  else if (!S_ISREG (status->st_mode))
    fault = g_strdup ("is not a regular file");
  else if ((guint64) status->st_size > max_bytes)
    fault = g_strdup_printf ("has %" G_GUINT64_FORMAT
                             " bytes, more than any file of the plugin",
        (guint64) status->st_size);
  else
    fault = find_fault (status);
  if (fault)
    refuse_file (path, folder, fault, error);

  return !fault;
}

/* Returns -1 with @error if the file is rejected. Checks the open file, since
 * the path may name another file a moment later. If the file cannot be opened,
 * checks the path, for a better error message. */
static gint
open_file (const gchar *path, const gchar *folder, gsize max_bytes,
    gsize *n_bytes, GError **error)
{
  const gint fd = g_open (path, OPEN_FLAGS, 0);
  const gint code = errno;
  struct stat status;
  const gboolean is_known = (fd >= 0 ? fstat (fd, &status)
                                     : g_lstat (path, &status)) == 0;
  const gboolean will_do = is_known &&
                           check_file (&status, path, folder, max_bytes, error);

  if (fd >= 0 && will_do) {
    *n_bytes = (gsize) status.st_size;
    return fd;
  }

  if (!is_known || will_do)
    set_error_from_errno (code, path, error);
  if (fd >= 0)
    close (fd);

  return -1;
}

/* --- reading and writing ------------------------------------------------- */

/* Reads up to @n_bytes into @content; returns the number of bytes read. */
static gsize
read_all (gint fd, gchar *content, gsize n_bytes)
{
  gsize n_done = 0;
  gssize n;

  do {
    n = read (fd, content + n_done, n_bytes - n_done);
    n_done += MAX (n, 0);
  } while ((n > 0 && n_done < n_bytes) || (n < 0 && errno == EINTR));

  return n_done;
}

GBytes *
gst_cl_folder_read (const gchar *folder, const gchar *name, gsize max_bytes,
    GError **error)
{
  g_autofree gchar *path = g_build_filename (folder, name, NULL);
  g_autofree gchar *content = NULL;
  gsize n_bytes = 0;
  gint fd;

  if (!gst_cl_folder_check (folder, error))
    return NULL;
  fd = open_file (path, folder, max_bytes, &n_bytes, error);
  if (fd < 0)
    return NULL;

  content = g_malloc (MAX (n_bytes, 1));
  n_bytes = read_all (fd, content, n_bytes); /* fewer: the file is truncated */
  close (fd);

  return g_bytes_new_take (g_steal_pointer (&content), n_bytes);
}

/* Before a write, deletes an existing file that a read would reject: some
 * versions of GLib, such as 2.90, give the new file the mode of the old one. */
static void
remove_rejected (const gchar *path)
{
  g_autofree gchar *fault = NULL;
  struct stat status;

  if (g_lstat (path, &status) != 0)
    return;
  fault = find_fault (&status);
  if (fault)
    g_unlink (path);
}

gboolean
gst_cl_folder_write (const gchar *folder, const gchar *name, gconstpointer data,
    gsize n_bytes, GError **error)
{
  g_autofree gchar *path = g_build_filename (folder, name, NULL);

  /* leaves an existing folder unchanged */
  if (g_mkdir_with_parents (folder, 0700) != 0 && errno != EEXIST &&
      errno != ENOTDIR) {
    set_error_from_errno (errno, folder, error);
    return FALSE;
  }
  if (!gst_cl_folder_check (folder, error))
    return FALSE;

  remove_rejected (path);

  /* as g_file_set_contents(), with another mode */
  return g_file_set_contents_full (path, data, (gssize) n_bytes,
      G_FILE_SET_CONTENTS_CONSISTENT | G_FILE_SET_CONTENTS_ONLY_EXISTING, 0600,
      error);
}
