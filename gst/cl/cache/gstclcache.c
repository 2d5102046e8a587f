/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Program binaries on disk. */

#include "gstclcache.h"
#include "gstclfolder.h"

#include <glib/gstdio.h>
#include <string.h>

/* Part of each key and each file: increase it when the meaning of either
 * changes. */
#define FORMAT 2
#define SUFFIX ".clbin"

#define KEY_DIGITS   64 /* of SHA-256 */
#define DIGEST_BYTES 32

/* The bytes before the binary. Drivers do not validate binaries, and some crash
 * on a damaged one: the digest detects damage first. */
typedef struct {
  gchar magic[8];
  guint32 format; /* little-endian */
  guint8 digest[DIGEST_BYTES];
} Header;

#define HEADER_BYTES (8 + 4 + DIGEST_BYTES)
G_STATIC_ASSERT (sizeof (Header) == HEADER_BYTES); /* no padding */

static const gchar magic[8] = { 'G', 'S', 'T', 'C', 'L', 'B', 'I', 'N' };

/* --- keys ---------------------------------------------------------------- */

/* Hashes the length first, so that no two lists of strings have the same
 * bytes. */
static void
add_bytes (GChecksum *sum, gconstpointer data, gsize n_bytes)
{
  const guint64 length = GUINT64_TO_LE ((guint64) n_bytes);

  g_checksum_update (sum, (const guchar *) &length, sizeof length);
  g_checksum_update (sum, data, n_bytes);
}

static void
add_text (GChecksum *sum, const gchar *text)
{
  add_bytes (sum, text ? text : "", text ? strlen (text) : 0);
}

static void
add_number (GChecksum *sum, guint32 number)
{
  const guint32 bytes = GUINT32_TO_LE (number);

  add_bytes (sum, &bytes, sizeof bytes);
}

static void
add_device (GChecksum *sum, const GstClDevice *device)
{
  add_text (sum, device->platform_name);
  add_text (sum, device->platform_version);
  add_text (sum, device->name);
  add_text (sum, device->driver_version);
}

gchar *
gst_cl_cache_key (const GstClDevice *device, const gchar *source,
    const gchar *options)
{
  g_autoptr (GChecksum) sum = g_checksum_new (G_CHECKSUM_SHA256);

  add_number (sum, FORMAT);
  add_device (sum, device);
  add_text (sum, options);
  add_text (sum, source);

  return g_strdup (g_checksum_get_string (sum));
}

gchar *
gst_cl_cache_device_key (const GstClDevice *device)
{
  g_autoptr (GChecksum) sum = g_checksum_new (G_CHECKSUM_SHA256);

  add_device (sum, device);
  add_number (sum, device->compute_units);

  return g_strdup (g_checksum_get_string (sum));
}

/* --- files --------------------------------------------------------------- */

gchar *
gst_cl_cache_folder (void)
{
  const gchar *folder = g_getenv ("GST_OPENCL_CACHE_DIR");

  if (!folder)
    return g_build_filename (g_get_user_cache_dir (), "gst-opencl", NULL);

  return folder[0] ? g_strdup (folder) : NULL;
}

gboolean
gst_cl_cache_is_on (void)
{
  g_autofree gchar *folder = gst_cl_cache_folder ();
  g_autoptr (GError) error = NULL;

  /* it may not exist yet */
  return folder &&
         (gst_cl_folder_check (folder, &error) ||
             g_error_matches (error, G_FILE_ERROR, G_FILE_ERROR_NOENT));
}

static gchar *
file_name (const gchar *key)
{
  return g_strconcat (key, SUFFIX, NULL);
}

/* Includes the key: a file that was renamed to another key is rejected. */
static void
fill_header (Header *header, const gchar *key, gconstpointer data,
    gsize n_bytes)
{
  g_autoptr (GChecksum) sum = g_checksum_new (G_CHECKSUM_SHA256);
  gsize digest_bytes = DIGEST_BYTES;

  add_text (sum, key);
  add_bytes (sum, data, n_bytes);

  memcpy (header->magic, magic, sizeof magic);
  header->format = GUINT32_TO_LE (FORMAT);
  g_checksum_get_digest (sum, header->digest, &digest_bytes);
}

GBytes *
gst_cl_cache_load (const gchar *folder, const gchar *key, GError **error)
{
  g_autofree gchar *name = file_name (key);
  g_autoptr (GBytes)
      file = gst_cl_folder_read (folder, name, GST_CL_CACHE_MAX_BYTES, error);
  const gchar *content;
  gsize n_bytes;
  Header expected;

  if (!file)
    return NULL;

  content = g_bytes_get_data (file, &n_bytes);
  if (n_bytes > HEADER_BYTES) {
    fill_header (&expected, key, content + HEADER_BYTES,
        n_bytes - HEADER_BYTES);
    if (memcmp (content, &expected, HEADER_BYTES) == 0)
      return g_bytes_new_from_bytes (file, HEADER_BYTES,
          n_bytes - HEADER_BYTES);
  }

  g_set_error (error, G_FILE_ERROR, G_FILE_ERROR_INVAL,
      "%s is damaged, or of another version", name);

  return NULL;
}

/* --- size of the cache --------------------------------------------------- */

typedef struct {
  gchar *path;
  gint64 modified; /* seconds */
} File;

static void
free_file (gpointer data)
{
  File *file = data;

  g_free (file->path);
  g_free (file);
}

static gint
compare_newest_first (gconstpointer a, gconstpointer b)
{
  const File *first = *(const File *const *) a;
  const File *second = *(const File *const *) b;

  return (second->modified > first->modified) -
         (second->modified < first->modified);
}

/* Returns TRUE for files of the cache, complete or left by an interrupted
 * write. The folder may have other files, which are never deleted. */
static gboolean
is_cache_file (const gchar *name)
{
  return strspn (name, "0123456789abcdef") == KEY_DIGITS &&
         g_str_has_prefix (name + KEY_DIGITS, SUFFIX);
}

/* Deletes the oldest files of @folder beyond the limit, never @kept. A file
 * that another process has deleted is no error. */
static void
delete_oldest (const gchar *folder, const gchar *kept)
{
  g_autoptr (GDir) entries = g_dir_open (folder, 0, NULL);
  g_autoptr (GPtrArray) files = g_ptr_array_new_with_free_func (free_file);
  const gchar *name;

  while (entries && (name = g_dir_read_name (entries))) {
    g_autofree gchar *path = g_build_filename (folder, name, NULL);
    GStatBuf status;

    if (is_cache_file (name) && !g_str_equal (name, kept) &&
        g_stat (path, &status) == 0) {
      File *file = g_new0 (File, 1);

      file->path = g_steal_pointer (&path);
      file->modified = status.st_mtime;
      g_ptr_array_add (files, file);
    }
  }

  g_ptr_array_sort (files, compare_newest_first);
  for (guint i = GST_CL_CACHE_MAX_FILES - 1; i < files->len; i++)
    g_unlink (((File *) g_ptr_array_index (files, i))->path);
}

gboolean
gst_cl_cache_save (const gchar *folder, const gchar *key, GBytes *binary,
    GError **error)
{
  g_autofree gchar *name = file_name (key);
  g_autofree gchar *content = NULL;
  gsize n_bytes;
  gconstpointer data = g_bytes_get_data (binary, &n_bytes);
  Header header;

  if (n_bytes > GST_CL_CACHE_MAX_BYTES - HEADER_BYTES) {
    g_set_error (error, G_FILE_ERROR, G_FILE_ERROR_INVAL,
        "a binary of %" G_GSIZE_FORMAT " bytes is too large", n_bytes);
    return FALSE;
  }

  fill_header (&header, key, data, n_bytes);
  content = g_malloc (HEADER_BYTES + n_bytes);
  memcpy (content, &header, HEADER_BYTES);
  memcpy (content + HEADER_BYTES, data, n_bytes);
  if (!gst_cl_folder_write (folder, name, content, HEADER_BYTES + n_bytes,
          error))
    return FALSE;

  delete_oldest (folder, name); /* the write above has verified the folder */

  return TRUE;
}
