/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Readers of files that are kept on disk. */

#include "parsers.h"

#include <glib/gstdio.h>
#include <stdlib.h>
#include <string.h>

#include "cl/cache/gstclcache.h"
#include "cl/cache/gstcltuningdb.h"

#define HEADER_BYTES 44 /* before the binary: magic, version, digest */

static GstClDevice device = {
  .name = (gchar *) "fuzzed",
  .platform_name = (gchar *) "fuzz",
  .platform_version = (gchar *) "OpenCL 1.2",
  .driver_version = (gchar *) "1",
  .compute_units = 1,
};

/* A folder of our own, gone with the process; the plugin looks there. */
static gchar *folder;

static void
remove_folder (void)
{
  GDir *entries = g_dir_open (folder, 0, NULL);
  const gchar *name;

  while (entries && (name = g_dir_read_name (entries))) {
    g_autofree gchar *path = g_build_filename (folder, name, NULL);

    g_unlink (path);
  }
  g_clear_pointer (&entries, g_dir_close);
  g_rmdir (folder);
  g_clear_pointer (&folder, g_free);
}

static void
make_folder (void)
{
  if (folder)
    return;

  folder = g_dir_make_tmp ("gst-opencl-fuzz-XXXXXX", NULL);
  g_assert_nonnull (folder);
  g_setenv ("GST_OPENCL_CACHE_DIR", folder, TRUE);
  atexit (remove_folder);
}

static void
put (const gchar *path, const guint8 *data, gsize n_bytes)
{
  g_assert_true (g_file_set_contents_full (path, (const gchar *) data,
      (gssize) n_bytes, G_FILE_SET_CONTENTS_NONE, 0600, NULL));
}

/* --- program cache ------------------------------------------------------- */

/* What was saved and then changed comes back as it was saved, or not. */
void
fuzz_parse_cache_file (FuzzBytes *bytes)
{
  static const gchar text[] = "what a driver has made of a program";
  g_autoptr (GBytes) saved = g_bytes_new_static (text, sizeof text);
  g_autofree gchar *key = gst_cl_cache_key (&device, "source", "options");
  g_autofree gchar *name = g_strconcat (key, ".clbin", NULL);
  g_autoptr (GBytes) loaded = NULL;
  g_autofree gchar *path = NULL;
  g_autofree gchar *content = NULL;
  g_autoptr (GError) error = NULL;
  gsize n_bytes, place;

  make_folder ();
  path = g_build_filename (folder, name, NULL);
  if (fuzz_bytes_u8 (bytes) & 1) {
    put (path, bytes->data + bytes->position, bytes->n_bytes - bytes->position);
  } else {
    g_assert_true (gst_cl_cache_save (folder, key, saved, NULL));
    g_assert_true (g_file_get_contents (path, &content, &n_bytes, NULL));
    g_assert_cmpuint (n_bytes, ==, HEADER_BYTES + sizeof text);
    place = fuzz_bytes_below_many (bytes, n_bytes);
    content[place] ^= (gchar) fuzz_bytes_u8 (bytes);
    put (path, (const guint8 *) content,
        n_bytes - fuzz_bytes_below (bytes, 64));
  }

  loaded = gst_cl_cache_load (folder, key, &error);
  g_assert_true ((loaded != NULL) == (error == NULL));
  if (loaded)
    g_assert_true (g_bytes_equal (loaded, saved));
  g_unlink (path);
}

/* --- tuning database ----------------------------------------------------- */

/* Pieces of such a file, between which anything may stand. */
static const gchar *const pieces[] = { "[integral 8x8]\n", "candidates=a b c\n",
  "fastest=b\n", "measured=a 1 us, b 2 us\n", "# comment\n", "[", "]", "=",
  "fastest=\\", "\n", "[]\n", "[integral 8x8]", "\xff\n", "candidates=\n",
  "fastest[de]=a\n", "key" };

static GByteArray *
compose (FuzzBytes *bytes)
{
  GByteArray *file = g_byte_array_new ();

  for (guint n = fuzz_bytes_below (bytes, 32); n > 0; n--) {
    const guint8 which = fuzz_bytes_u8 (bytes);

    if (which < 192) {
      const gchar *piece = pieces[which % G_N_ELEMENTS (pieces)];

      g_byte_array_append (file, (const guint8 *) piece,
          (guint) strlen (piece));
    } else {
      const guint8 byte = fuzz_bytes_u8 (bytes);

      g_byte_array_append (file, &byte, 1);
    }
  }

  return file;
}

/* What is remembered beside whatever the file had is found again. */
void
fuzz_parse_tuning_file (FuzzBytes *bytes)
{
  GstClTuningDb *db = gst_cl_tuning_db_new (&device);
  GByteArray *file = NULL;
  g_autofree gchar *path = NULL;
  g_autofree gchar *first = NULL;
  g_autofree gchar *second = NULL;

  make_folder ();
  path = gst_cl_tuning_db_path (db);
  file = compose (bytes);
  put (path, file->data ? file->data : (const guint8 *) "", file->len);
  g_byte_array_unref (file);

  first = gst_cl_tuning_db_find (db, "integral 8x8", "a b c");
  g_assert_true (
      gst_cl_tuning_db_remember (db, "moments", "d e", "e", "-", TRUE, NULL));
  gst_cl_tuning_db_free (db);

  db = gst_cl_tuning_db_new (&device);
  second = gst_cl_tuning_db_find (db, "moments", "d e");
  g_assert_cmpstr (second, ==, "e");
  g_clear_pointer (&second, g_free);
  second = gst_cl_tuning_db_find (db, "integral 8x8", "a b c");
  g_assert_cmpstr (first, ==, second);
  gst_cl_tuning_db_free (db);
  g_unlink (path);
}
