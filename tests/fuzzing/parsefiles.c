/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Parsers of files that are kept on disk. */

#include "parsers.h"

#include <glib/gstdio.h>
#include <stdlib.h>
#include <string.h>

#include "cl/cache/gstclcache.h"
#include "cl/cache/gstcltuningdb.h"
#include "ops/selftest.h"
#include "tuningfile.h"

#define HEADER_BYTES 44 /* before the binary: magic, version, digest */

static GstClDevice device = {
  .name = (gchar *) "fuzzed",
  .platform_name = (gchar *) "fuzz",
  .platform_version = (gchar *) "OpenCL 1.2",
  .driver_version = (gchar *) "1",
  .compute_units = 1,
};

/* A folder of this process, which removes it at exit; the plugin uses it. */
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
  g_unlink (path); /* otherwise the end of a longer file stays */
  g_assert_true (g_file_set_contents_full (path, (const gchar *) data,
      (gssize) n_bytes, G_FILE_SET_CONTENTS_NONE, 0600, NULL));
}

/* Writes a file of some of the @texts, with other bytes between them, to @path.
 * Returns its content as a string, with spaces for zeros. transfer full */
static GByteArray *
compose (FuzzBytes *bytes, const gchar *const *texts, guint n_texts,
    const gchar *path)
{
  GByteArray *file = g_byte_array_new ();

  for (guint n = fuzz_bytes_below (bytes, 32); n > 0; n--) {
    const guint8 which = fuzz_bytes_u8 (bytes);

    if (which < 192) {
      const gchar *piece = texts[which % n_texts];

      g_byte_array_append (file, (const guint8 *) piece,
          (guint) strlen (piece));
    } else {
      const guint8 byte = fuzz_bytes_u8 (bytes);

      g_byte_array_append (file, &byte, 1);
    }
  }
  put (path, file->data ? file->data : (const guint8 *) "", file->len);
  for (guint i = 0; file->data && i < file->len; i++) {
    if (file->data[i] == 0)
      file->data[i] = ' ';
  }
  g_byte_array_append (file, (const guint8 *) "", 1);

  return file;
}

/* --- program cache ------------------------------------------------------- */

/* A saved and then changed binary loads unchanged, or not at all. */
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

/* Parts of such a file. */
static const gchar *const pieces[] = { "[integral 8x8]\n", "candidates=a b c\n",
  "fastest=b\n", "measured=a 1 us, b 2 us\n", "# comment\n", "[", "]", "=",
  "fastest=\\", "\n", "[]\n", "[integral 8x8]", "\xff\n", "candidates=\n",
  "fastest[de]=a\n", "key" };

/* An entry that is stored is found again, whatever else the file contains. */
void
fuzz_parse_tuning_file (FuzzBytes *bytes)
{
  GstClTuningDb *db = gst_cl_tuning_db_new (&device);
  g_autofree gchar *path = NULL;
  g_autofree gchar *first = NULL;
  g_autofree gchar *second = NULL;

  make_folder ();
  path = tuning_file_path ("tuning", &device);
  g_byte_array_unref (compose (bytes, pieces, G_N_ELEMENTS (pieces), path));

  first = gst_cl_tuning_db_find (db, "integral 8x8", "a b c");
  g_assert_true (
      gst_cl_tuning_db_remember (db, "moments", "d e", "e", "-", NULL));
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

/* --- verdicts of self-tests ----------------------------------------------- */

#define RIGHT G_GUINT64_CONSTANT (0x1234)

/* The result of the mock row, and the number of its runs. */
static guint64 result;
static guint n_computed;

static gboolean
compute_answer (GstClContext *context, const GstClCandidate *candidate,
    gconstpointer answered, guint64 *digest, GError **error)
{
  n_computed++;
  *digest = result;

  return TRUE;
}

static const GstClImplementation row = { .name = "row",
  .method = 1,
  .resource = "row.cl",
  .family = GST_CL_FAMILY_ANY };

static const GstClAnswer answer = { "answer", &row, RIGHT };

static const GstClOpTable table = { .name = "made-up",
  .rows = &row,
  .n_rows = 1,
  .answers = &answer,
  .n_answers = 1,
  .compute_answer = compute_answer };

/* Returns whether the row passes on a device that is opened in a new
 * process. */
static gboolean
passes (void)
{
  g_autoptr (GstClContext)
      context = gst_object_ref_sink (g_object_new (GST_TYPE_CL_CONTEXT, NULL));
  static gsize device_number = 0;
  gboolean is_right;

  device.id = (cl_device_id) GSIZE_TO_POINTER (++device_number);
  n_computed = 0;
  context->device = &device;
  context->verdicts = gst_cl_tuning_db_new_for_verdicts (&device);
  is_right = gst_cl_self_test_passes (context, &table, &row, &row);
  context->device = NULL; /* not counted */

  return is_right;
}

/* Returns the verdict of the file on the tested version of the row; verdicts on
 * other versions do not count. transfer full */
static gchar *
read_version (const gchar *path)
{
  g_autoptr (GKeyFile) file = g_key_file_new ();

  result = RIGHT;
  g_assert_true (passes ());
  g_assert_true (g_key_file_load_from_file (file, path, G_KEY_FILE_NONE, NULL));

  return g_key_file_get_value (file, "made-up row, answer", "tested", NULL);
}

/* The row passes by the verdict of the file on this version or, without one, by
 * its result, which is then stored. */
void
fuzz_parse_verdict_file (FuzzBytes *bytes)
{
  g_autoptr (GstClTuningDb) db = gst_cl_tuning_db_new_for_verdicts (&device);
  g_autofree gchar *path = NULL;
  g_autofree gchar *version = NULL;
  g_autofree gchar *tested = NULL;
  GByteArray *file;
  gboolean is_right;

  make_folder ();
  g_setenv ("GST_OPENCL_SELF_TEST", "1", TRUE);
  path = tuning_file_path ("verdicts", &device);
  version = read_version (path);
  tested = g_strconcat ("tested=", version, "\n", NULL);

  const gchar *const texts[] = { "[made-up row, answer]\n", tested,
    "verdict=passed\n", "verdict=failed\n", "digests=0000000000004321\n",
    "tested=0.0.1 with kernels 0, 0000000000001234\n", "verdict=\n",
    "[made-up row, answer]", "# comment\n", "[", "]", "=", "\n", "\xff\n",
    "verdict=passed\\", "verdict[de]=failed\n" };

  result = RIGHT + fuzz_bytes_below (bytes, 2);
  file = compose (bytes, texts, G_N_ELEMENTS (texts), path);
  is_right = passes ();
  if (n_computed > 0)
    g_assert_cmpint (is_right, ==, result == RIGHT);
  else
    g_assert_nonnull (
        strstr ((const gchar *) file->data, is_right ? "passed" : "failed"));
  g_assert_cmpint (passes (), ==, is_right);
  g_assert_cmpuint (n_computed, ==, 0);

  g_unlink (path);
  g_byte_array_unref (file);
}
