/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The folder in which PoCL stores compiled kernels. */

#define _POSIX_C_SOURCE 200809L /* access() */

#include "gstclpocl.h"

#include <errno.h>
#include <gio/gio.h>
#include <glib/gstdio.h>
#include <sys/stat.h>
#include <unistd.h>

#define PLATFORM_NAME "Portable Computing Language"

/* The depth of the folders below the first that PoCL writes to for every
 * program: XY/REST. */
#define DEPTH 2

/* PoCL writes up to 1.7 MB for a program, and two threads may compile. */
#define ROOM_BYTES (8 * 1024 * 1024)

/* Follows PoCL (pocl_cache_init_topdir() of 3.1 to 6.0), which differs from
 * g_get_user_cache_dir(): without a home folder it uses /tmp. */
static gchar *
find_folder (void)
{
  const gchar *named = g_getenv ("POCL_CACHE_DIR");
  const gchar *keeps = g_getenv ("POCL_KERNEL_CACHE");
  const gchar *leaf = keeps && keeps[0] == '0' ? "uncached" : "kcache";
  const gchar *cache = g_getenv ("XDG_CACHE_HOME");
  const gchar *home = g_getenv ("HOME");

  if (named)
    return g_strdup (named);
  if (cache && cache[0])
    return g_build_filename (cache, "pocl", leaf, NULL);
  if (home)
    return g_build_filename (home, ".cache", "pocl", leaf, NULL);

  return g_build_filename ("/tmp", "pocl", leaf, NULL);
}

/* Returns @path, or the nearest existing parent folder, in which it would be
 * created. */
static gchar *
find_existing (const gchar *path)
{
  gchar *place = g_strdup (path);

  while (!g_file_test (place, G_FILE_TEST_EXISTS)) {
    gchar *parent = g_path_get_dirname (place); /* ends with "/" or "." */

    g_free (place);
    place = parent;
  }

  return place;
}

/* Returns NULL if @path is a folder that this process can read and write. */
static gchar *
find_fault_of (const gchar *path)
{
  GStatBuf status;
  gint code;

  if (g_stat (path, &status) != 0)
    return g_strdup_printf ("%s: %s", path, g_strerror (errno));
  if (!S_ISDIR (status.st_mode))
    return g_strdup_printf ("%s is not a folder", path);
  if (g_access (path, R_OK | W_OK | X_OK) == 0)
    return NULL;

  code = errno;

  return g_strdup_printf ("%s, of user %u, mode %o: %s for user %u", path,
      (guint) status.st_uid, (guint) status.st_mode & 0777, g_strerror (code),
      (guint) getuid ());
}

/* Returns the first fault of the folders in @path, @depth levels down. Ignores
 * files, which PoCL replaces. */
static gchar *
find_fault_below (const gchar *path, guint depth)
{
  g_autoptr (GDir) entries = depth > 0 ? g_dir_open (path, 0, NULL) : NULL;
  gchar *fault = NULL;
  const gchar *name;

  while (entries && !fault && (name = g_dir_read_name (entries))) {
    g_autofree gchar *entry = g_build_filename (path, name, NULL);

    if (!g_file_test (entry, G_FILE_TEST_IS_DIR))
      continue;
    fault = find_fault_of (entry);
    if (!fault)
      fault = find_fault_below (entry, depth - 1);
  }

  return fault;
}

gboolean
gst_cl_pocl_is (const gchar *platform_name)
{
  return g_str_equal (platform_name, PLATFORM_NAME);
}

gchar *
gst_cl_pocl_find_fault (const gchar *platform_name)
{
  g_autofree gchar *folder = NULL;
  g_autofree gchar *place = NULL;
  g_autofree gchar *fault = NULL;

  if (!gst_cl_pocl_is (platform_name))
    return NULL;

  folder = find_folder ();
  place = find_existing (folder);
  fault = find_fault_of (place);
  if (!fault)
    fault = find_fault_below (folder, DEPTH);
  if (!fault)
    return NULL;

  return g_strdup_printf (
      "PoCL cannot use its folder of compiled kernels, %s (%s). Let "
      "POCL_CACHE_DIR name a folder of the user who runs this, or chown -R "
      "that one to them.",
      folder, fault);
}

void
gst_cl_pocl_explain (const gchar *platform_name, GError **error)
{
  g_autofree gchar *fault = error ? gst_cl_pocl_find_fault (platform_name)
                                  : NULL;
  g_autofree gchar *message = NULL;

  if (!fault)
    return;

  message = (*error)->message;
  (*error)->message = g_strdup_printf ("%s. %s", message, fault);
}

gboolean
gst_cl_pocl_check_room (const gchar *platform_name, GError **error)
{
  g_autofree gchar *folder = NULL;
  g_autofree gchar *place = NULL;
  g_autoptr (GFile) file = NULL;
  g_autoptr (GFileInfo) info = NULL;
  guint64 n_free;

  if (!gst_cl_pocl_is (platform_name))
    return TRUE;

  folder = find_folder ();
  place = find_existing (folder);
  file = g_file_new_for_path (place);
  info = g_file_query_filesystem_info (file,
      G_FILE_ATTRIBUTE_FILESYSTEM_SIZE "," G_FILE_ATTRIBUTE_FILESYSTEM_FREE,
      NULL, NULL);
  /* some file systems do not know */
  if (!info || g_file_info_get_attribute_uint64 (info,
                   G_FILE_ATTRIBUTE_FILESYSTEM_SIZE) == 0)
    return TRUE;

  n_free = g_file_info_get_attribute_uint64 (info,
      G_FILE_ATTRIBUTE_FILESYSTEM_FREE);
  if (n_free >= ROOM_BYTES)
    return TRUE;

  g_set_error (error, GST_RESOURCE_ERROR, GST_RESOURCE_ERROR_NO_SPACE_LEFT,
      "No room for compiled kernels: PoCL's folder %s has %.1f MB free, and a "
      "program needs up to %d MB. Free space there, or let POCL_CACHE_DIR name "
      "a folder on another disk.",
      folder, (gdouble) n_free / (1024 * 1024), ROOM_BYTES / (1024 * 1024));

  return FALSE;
}
