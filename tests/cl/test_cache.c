/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The store of program binaries: keys, files, and damaged files.
 */

#include "folder.h"
#include "cl/cache/gstclcache.h"
#include "suite.h"

#include <glib/gstdio.h>
#include <string.h>
#include <utime.h>

#define KEY "00112233445566778899aabbccddeeff00112233445566778899aabbccddeeff"
#define OTHER_KEY                                                              \
  "f0112233445566778899aabbccddeeff00112233445566778899aabbccddeeff"
#define BINARY "what a driver calls a binary"

/* --- keys ---------------------------------------------------------------- */

/* All parts of a key. */
typedef struct {
  gchar *platform_name, *platform_version, *name, *driver_version;
  const gchar *options, *source;
} Parts;

static const Parts usual = { "Platform", "OpenCL 1.2", "Device", "1.0", "-DA=1",
  "kernel" };

static gchar *
make_key (const Parts *parts)
{
  const GstClDevice device = { .platform_name = parts->platform_name,
    .platform_version = parts->platform_version,
    .name = parts->name,
    .driver_version = parts->driver_version };

  return gst_cl_cache_key (&device, parts->source, parts->options);
}

TEST (test_key_is_the_same_for_the_same_parts)
{
  g_autofree gchar *key = make_key (&usual);
  g_autofree gchar *again = make_key (&usual);

  fail_unless_equals_string (key, again);
  fail_unless_equals_int (strspn (key, "0123456789abcdef"), 64);
  fail_unless_equals_int (strlen (key), 64);
}

/* All keys differ, although many of their parts have the same concatenation. */
TEST (test_key_changes_with_every_part)
{
  /* clang-format off */
  const Parts parts[] = {
    usual,
    { "Platforn", "OpenCL 1.2", "Device", "1.0", "-DA=1", "kernel" },
    { "Platform", "OpenCL 1.3", "Device", "1.0", "-DA=1", "kernel" },
    { "Platform", "OpenCL 1.2", "device", "1.0", "-DA=1", "kernel" },
    { "Platform", "OpenCL 1.2", "Device", "1.1", "-DA=1", "kernel" },
    { "Platform", "OpenCL 1.2", "Device", "1.0", "-DA=2", "kernel" },
    { "Platform", "OpenCL 1.2", "Device", "1.0", "-DA=1", "Kernel" },
    { "Platform", "OpenCL 1.2", "Device", "1.0", "-DA=1", "kernel2" },
    { "Platform", "OpenCL 1.2", "Device", "1.0", "-DA=1kernel", "" },
    { "Platform", "OpenCL 1.2", "Device", "1.0", "", "-DA=1kernel" },
    { "Platform", "OpenCL 1.2", "Device", "1.0", "kernel", "-DA=1" },
    { "Platform", "OpenCL 1.2", "Device1", ".0", "-DA=1", "kernel" },
    { "Platform", "OpenCL 1.2Device", "", "1.0", "-DA=1", "kernel" },
    { "PlatformOpenCL 1.2", "", "Device", "1.0", "-DA=1", "kernel" },
    { "", "PlatformOpenCL 1.2", "Device", "1.0", "-DA=1", "kernel" },
    { "Platform", "OpenCL 1.2", "Device", "1.0", "-DA=1", NULL },
  };
  /* clang-format on */
  g_autoptr (GHashTable)
      keys = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, NULL);

  for (guint i = 0; i < G_N_ELEMENTS (parts); i++)
    fail_unless (g_hash_table_add (keys, make_key (&parts[i])),
        "the key of row %u equals an earlier one", i);
}

/* --- files --------------------------------------------------------------- */

static void
save (const gchar *where, const gchar *key, const gchar *text)
{
  g_autoptr (GBytes) binary = g_bytes_new (text, strlen (text));
  g_autoptr (GError) error = NULL;

  fail_unless (gst_cl_cache_save (where, key, binary, &error));
  g_assert_no_error (error);
}

static void
expect_text (const gchar *where, const gchar *key, const gchar *text)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (GBytes) binary = gst_cl_cache_load (where, key, &error);
  g_autoptr (GBytes) expected = g_bytes_new (text, strlen (text));

  g_assert_no_error (error);
  fail_unless (g_bytes_equal (binary, expected));
}

static void
expect_failure (const gchar *where, const gchar *key, gint code)
{
  g_autoptr (GError) error = NULL;

  fail_unless (gst_cl_cache_load (where, key, &error) == NULL);
  fail_unless (g_error_matches (error, G_FILE_ERROR, code),
      "expected file error %d, found: %s", code,
      error ? error->message : "no error");
}

static gchar *
path_of (const gchar *key)
{
  g_autofree gchar *name = g_strconcat (key, ".clbin", NULL);

  return g_build_filename (test_folder, name, NULL);
}

static void
write_file (const gchar *key, const gchar *content, gsize n_bytes)
{
  g_autofree gchar *path = path_of (key);

  fail_unless (g_file_set_contents_full (path, content, n_bytes,
      G_FILE_SET_CONTENTS_CONSISTENT, 0600, NULL));
}

static gchar *
read_file (const gchar *key, gsize *n_bytes)
{
  g_autofree gchar *path = path_of (key);
  gchar *content;

  fail_unless (g_file_get_contents (path, &content, n_bytes, NULL));

  return content;
}

TEST (test_saved_binary_is_loaded)
{
  expect_failure (test_folder, KEY, G_FILE_ERROR_NOENT);
  save (test_folder, KEY, BINARY);
  save (test_folder, OTHER_KEY, "another");
  expect_text (test_folder, KEY, BINARY);
  expect_text (test_folder, OTHER_KEY, "another");

  save (test_folder, KEY, "in its place");
  expect_text (test_folder, KEY, "in its place");
}

TEST (test_folders_are_made)
{
  g_autofree gchar *outer = g_build_filename (test_folder, "a", NULL);
  g_autofree gchar *inner = g_build_filename (outer, "b", NULL);
  g_autofree gchar *file = g_build_filename (inner, KEY ".clbin", NULL);

  expect_failure (inner, KEY, G_FILE_ERROR_NOENT);
  save (inner, KEY, BINARY);
  expect_text (inner, KEY, BINARY);

  g_remove (file);
  g_remove (inner);
  g_remove (outer);
}

TEST (test_truncated_files_are_rejected)
{
  g_autofree gchar *content = NULL;
  gsize n_bytes;

  save (test_folder, KEY, BINARY);
  content = read_file (KEY, &n_bytes);
  for (gsize i = 0; i < n_bytes; i++) {
    write_file (KEY, content, i);
    expect_failure (test_folder, KEY, G_FILE_ERROR_INVAL);
  }
  write_file (KEY, content, n_bytes);
  expect_text (test_folder, KEY, BINARY);
}

/* A change of any bit of the magic number, the format, the digest and the
 * binary is detected. */
TEST (test_every_bit_counts)
{
  g_autofree gchar *content = NULL;
  gsize n_bytes;

  save (test_folder, KEY, BINARY);
  content = read_file (KEY, &n_bytes);
  for (gsize bit = 0; bit < n_bytes * 8; bit++) {
    content[bit / 8] ^= (gchar) (1 << bit % 8);
    write_file (KEY, content, n_bytes);
    expect_failure (test_folder, KEY, G_FILE_ERROR_INVAL);
    content[bit / 8] ^= (gchar) (1 << bit % 8);
  }
}

TEST (test_file_with_name_of_another_is_rejected)
{
  g_autofree gchar *content = NULL;
  gsize n_bytes;

  save (test_folder, KEY, BINARY);
  content = read_file (KEY, &n_bytes);
  write_file (OTHER_KEY, content, n_bytes);
  expect_failure (test_folder, OTHER_KEY, G_FILE_ERROR_INVAL);
}

TEST (test_longer_and_foreign_files_are_rejected)
{
  g_autofree gchar *content = NULL;
  gsize n_bytes;

  save (test_folder, KEY, BINARY);
  content = read_file (KEY, &n_bytes);
  write_file (KEY, content, n_bytes + 1); /* its final zero too */
  expect_failure (test_folder, KEY, G_FILE_ERROR_INVAL);
  write_file (KEY, BINARY BINARY BINARY, 3 * strlen (BINARY));
  expect_failure (test_folder, KEY, G_FILE_ERROR_INVAL);

  save (test_folder, KEY, BINARY); /* in its place */
  expect_text (test_folder, KEY, BINARY);
}

TEST (test_read_only_folders)
{
  const gchar *const folders[] = { "/dev/null", "/dev/null/x" };
  g_autoptr (GBytes) binary = g_bytes_new (BINARY, strlen (BINARY));

  for (guint i = 0; i < G_N_ELEMENTS (folders); i++) {
    g_autoptr (GError) error = NULL;

    expect_failure (folders[i], KEY, G_FILE_ERROR_NOTDIR);
    fail_if (gst_cl_cache_save (folders[i], KEY, binary, &error));
    fail_unless (error != NULL && error->domain == G_FILE_ERROR);
  }
}

/* --- bound --------------------------------------------------------------- */

static gchar *
nth_key (guint n)
{
  return g_strdup_printf ("%064x", n);
}

static gboolean
is_there (const gchar *key)
{
  g_autofree gchar *path = path_of (key);

  return g_file_test (path, G_FILE_TEST_EXISTS);
}

/* Creates a file that was written at @when. */
static void
make_old_file (const gchar *key, time_t when)
{
  g_autofree gchar *path = path_of (key);
  const struct utimbuf times = { when, when };

  write_file (key, "old", 3);
  fail_unless_equals_int (g_utime (path, (struct utimbuf *) &times), 0);
}

TEST (test_oldest_files_are_removed)
{
  g_autofree gchar *foreign = g_build_filename (test_folder, "notes.txt", NULL);
  const guint n_old = GST_CL_CACHE_MAX_FILES + 3;
  const time_t now = time (NULL);

  fail_unless (g_file_set_contents (foreign, "mine", 4, NULL));
  for (guint i = 0; i < n_old; i++) {
    g_autofree gchar *key = nth_key (i);

    make_old_file (key, now - 1000 - i); /* greater numbers are older */
  }
  save (test_folder, KEY, BINARY);

  for (guint i = 0; i < n_old; i++) {
    g_autofree gchar *key = nth_key (i);

    fail_unless (is_there (key) == (i < GST_CL_CACHE_MAX_FILES - 1),
        "file %u: expected %s", i,
        i < GST_CL_CACHE_MAX_FILES - 1 ? "a file" : "no file");
  }
  expect_text (test_folder, KEY, BINARY);
  fail_unless (g_file_test (foreign, G_FILE_TEST_EXISTS));
}

/* The file that was just saved is kept, even if others have times in the
 * future. */
TEST (test_newest_file_is_kept_with_any_clock)
{
  const time_t tomorrow = time (NULL) + 86400;

  for (guint i = 0; i < GST_CL_CACHE_MAX_FILES; i++) {
    g_autofree gchar *key = nth_key (i);

    make_old_file (key, tomorrow);
  }
  save (test_folder, KEY, BINARY);
  expect_text (test_folder, KEY, BINARY);
}

/* --- folder -------------------------------------------------------------- */

TEST (test_the_environment_names_the_folder)
{
  g_autofree gchar *standard = NULL, *named = NULL, *off = NULL;

  g_unsetenv ("GST_OPENCL_CACHE_DIR");
  standard = gst_cl_cache_folder ();
  fail_unless (g_str_has_prefix (standard, g_get_user_cache_dir ()));
  fail_unless (g_str_has_suffix (standard, "/gst-opencl"));

  g_setenv ("GST_OPENCL_CACHE_DIR", "/some/where", TRUE);
  named = gst_cl_cache_folder ();
  fail_unless_equals_string (named, "/some/where");

  g_setenv ("GST_OPENCL_CACHE_DIR", "", TRUE);
  off = gst_cl_cache_folder ();
  fail_unless (off == NULL);
}

SUITE (.setup = test_folder_setup, .teardown = test_folder_teardown);
