/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Ownership and mode of the cache folder and its files: folders and files that
 * others can write or own are neither read, written nor cleared, and one
 * warning names the reason. */

#define _XOPEN_SOURCE 700 /* mkfifo(), symlink(), truncate() */

#include "folder.h"
#include "cl/cache/gstclcache.h"
#include "suite.h"

#include <glib/gstdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define HALF_A_KEY "00112233445566778899aabbccddeeff"
#define KEY        HALF_A_KEY HALF_A_KEY
#define BINARY     "what a driver calls a binary"
#define NOBODY     65534

static gchar *file; /* of KEY, in the folder */

/* --- warnings ------------------------------------------------------------ */

static gint n_warnings; /* atomic */
static gchar *warning;  /* the last one */

static void
note_warning (GstDebugCategory *category, GstDebugLevel level,
    const gchar *source, const gchar *function, gint line, GObject *object,
    GstDebugMessage *message, gpointer user_data)
{
  if (level > GST_LEVEL_WARNING ||
      !g_str_has_prefix (gst_debug_category_get_name (category), "cl"))
    return;

  g_atomic_int_inc (&n_warnings);
  g_free (warning);
  warning = g_strdup (gst_debug_message_get (message));
}

/* Checks that exactly one warning was logged since the last call, and that it
 * contains @what and @remedy. */
static void
expect_one_warning (const gchar *what, const gchar *remedy)
{
  fail_unless_equals_int (g_atomic_int_get (&n_warnings), 1);
  fail_unless (strstr (warning, what) != NULL, "no \"%s\" in: %s", what,
      warning);
  fail_unless (strstr (warning, remedy) != NULL, "no \"%s\" in: %s", remedy,
      warning);
  g_atomic_int_set (&n_warnings, 0);
}

static void
expect_no_warning (void)
{
  fail_unless_equals_int (g_atomic_int_get (&n_warnings), 0);
}

/* --- fixtures ------------------------------------------------------------ */

static void
setup (void)
{
  test_folder_setup ();
  file = g_build_filename (test_folder, KEY ".clbin", NULL);

  g_atomic_int_set (&n_warnings, 0);
  if (gst_debug_get_default_threshold () < GST_LEVEL_WARNING)
    gst_debug_set_default_threshold (GST_LEVEL_WARNING);
  gst_debug_add_log_function (note_warning, NULL, NULL);
}

static void
teardown (void)
{
  expect_no_warning ();
  gst_debug_remove_log_function (note_warning);
  g_clear_pointer (&warning, g_free);
  g_clear_pointer (&file, g_free);
  g_chmod (test_folder, 0700);
  test_folder_teardown ();
}

static gboolean
can_save (const gchar *where)
{
  g_autoptr (GBytes) binary = g_bytes_new (BINARY, strlen (BINARY));
  g_autoptr (GError) error = NULL;
  const gboolean is_saved = gst_cl_cache_save (where, KEY, binary, &error);

  fail_unless (is_saved == (error == NULL));
  fail_unless (!error || error->domain == G_FILE_ERROR);

  return is_saved;
}

static gboolean
can_load (const gchar *where)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (GBytes) binary = gst_cl_cache_load (where, KEY, &error);

  fail_unless ((binary != NULL) == (error == NULL));
  fail_unless (!error || error->domain == G_FILE_ERROR);

  return binary != NULL;
}

/* --- the folder ---------------------------------------------------------- */

TEST (test_folders_writable_by_others)
{
  static const mode_t modes[] = { 0770, 0720, 0707, 0702, 01777 };

  fail_unless (can_save (test_folder));
  for (guint i = 0; i < G_N_ELEMENTS (modes); i++) {
    fail_unless_equals_int (g_chmod (test_folder, modes[i]), 0);
    fail_if (can_load (test_folder), "%o", modes[i]);
    fail_if (can_save (test_folder), "%o", modes[i]);
  }
  expect_one_warning (test_folder, "chmod go-w");

  /* once no other user can write to it, its files are used again */
  fail_unless_equals_int (g_chmod (test_folder, 0755), 0);
  fail_unless (can_load (test_folder));
  fail_unless (can_save (test_folder));
}

TEST (test_one_warning_per_folder)
{
  g_autofree gchar *other = g_dir_make_tmp ("cache-XXXXXX", NULL);

  g_chmod (test_folder, 0770);
  g_chmod (other, 0770);
  for (guint i = 0; i < 3; i++)
    fail_if (can_load (test_folder) || can_save (test_folder));
  expect_one_warning (test_folder, "GST_OPENCL_CACHE_DIR");
  for (guint i = 0; i < 3; i++)
    fail_if (can_load (other) || can_save (other));
  expect_one_warning (other, "GST_OPENCL_CACHE_DIR");
  test_folder_remove (g_steal_pointer (&other));
}

/* Root gives a folder to another user; other users use a folder of root that
 * they may search. */
TEST (test_folders_of_another_user)
{
  const gchar *foreign = "/usr";

  if (geteuid () == 0) {
    fail_unless (can_save (test_folder));
    fail_unless_equals_int (chown (test_folder, NOBODY, (gid_t) -1), 0);
    foreign = test_folder;
  }
  fail_if (can_load (foreign));
  fail_if (can_save (foreign));
  expect_one_warning (foreign, "chown");
}

TEST (test_files_of_other_users_are_kept)
{
  for (guint i = 0; i < GST_CL_CACHE_MAX_FILES + 3; i++) {
    g_autofree gchar *path = g_strdup_printf ("%s/%064x.clbin", test_folder, i);

    fail_unless (g_file_set_contents (path, "old", 3, NULL));
  }
  g_chmod (test_folder, 0770);
  fail_if (can_save (test_folder));
  expect_one_warning (test_folder, "chmod go-w");

  for (guint i = 0; i < GST_CL_CACHE_MAX_FILES + 3; i++) {
    g_autofree gchar *path = g_strdup_printf ("%s/%064x.clbin", test_folder, i);

    fail_unless (g_file_test (path, G_FILE_TEST_EXISTS), "file %u was removed",
        i);
  }
}

TEST (test_links_are_followed)
{
  g_autofree gchar *link = g_strconcat (test_folder, "-link", NULL);

  fail_unless_equals_int (symlink (test_folder, link), 0);
  fail_unless (can_save (link));
  fail_unless (can_load (link));

  g_chmod (test_folder, 0770);
  fail_if (can_load (link));
  expect_one_warning (link, "chmod go-w");
  g_remove (link);
}

TEST (test_fifo_instead_of_folder)
{
  fail_unless_equals_int (mkfifo (file, 0600), 0);
  fail_if (can_load (file));
  fail_if (can_save (file));
  expect_one_warning (file, "GST_OPENCL_CACHE_DIR");
}

TEST (test_missing_folder_causes_no_warning)
{
  g_autofree gchar *missing = g_build_filename (test_folder, "a", NULL);

  fail_if (can_load (missing));
  fail_if (can_load ("/dev/null/x"));
  fail_if (can_save ("/dev/null/x"));
}

/* --- files --------------------------------------------------------------- */

/* Anything in place of the file is not used, one warning reports it, and the
 * next binary replaces it. */
static void
expect_refused (const gchar *what)
{
  fail_if (can_load (test_folder));
  fail_if (can_load (test_folder));
  expect_one_warning (what, file);
  fail_unless (can_save (test_folder));
  fail_unless (can_load (test_folder));
}

TEST (test_files_writable_by_group)
{
  fail_unless (can_save (test_folder));
  fail_unless_equals_int (g_chmod (file, 0664), 0);
  expect_refused ("mode 664");
}

TEST (test_files_writable_by_all)
{
  fail_unless (can_save (test_folder));
  fail_unless_equals_int (g_chmod (file, 0602), 0);
  expect_refused ("mode 602");
}

TEST (test_files_of_another_user)
{
  if (geteuid () != 0)
    return; /* only root can give a file away */

  fail_unless (can_save (test_folder));
  fail_unless_equals_int (chown (file, NOBODY, (gid_t) -1), 0);
  expect_refused ("user 65534");
}

TEST (test_fifos)
{
  fail_unless_equals_int (mkfifo (file, 0600), 0);
  expect_refused ("not a regular file");
}

TEST (test_folders)
{
  fail_unless_equals_int (g_mkdir (file, 0700), 0);
  fail_if (can_load (test_folder));
  expect_one_warning ("not a regular file", file);
  fail_if (can_save (test_folder));
}

/* The target of the link is a valid file. */
TEST (test_links)
{
  g_autofree gchar *target = g_build_filename (test_folder, "target", NULL);

  fail_unless (can_save (test_folder));
  fail_unless_equals_int (g_rename (file, target), 0);
  fail_unless_equals_int (symlink (target, file), 0);
  expect_refused ("link");
  fail_if (g_file_test (file, G_FILE_TEST_IS_SYMLINK));
}

/* It uses no more bytes on disk than the others. */
TEST (test_huge_files)
{
  fail_unless (can_save (test_folder));
  fail_unless (truncate (file, (off_t) 1 << 40) == 0);
  expect_refused ("1099511627776 bytes");
}

/* If users have a group of their own, files have mode 664. */
TEST (test_saved_files_are_private)
{
  const mode_t before = umask (0);
  struct stat status;

  fail_unless (can_save (test_folder));
  umask (before);
  fail_unless_equals_int (g_stat (file, &status), 0);
  fail_unless_equals_int (status.st_mode & 0777, 0600);
  fail_unless (can_load (test_folder));
}

TEST (test_too_large_binary_is_not_saved)
{
  g_autofree gchar *data = g_malloc0 (GST_CL_CACHE_MAX_BYTES);
  g_autoptr (GBytes) binary = g_bytes_new_take (g_steal_pointer (&data),
      GST_CL_CACHE_MAX_BYTES);
  g_autoptr (GError) error = NULL;

  fail_if (gst_cl_cache_save (test_folder, KEY, binary, &error));
  fail_unless (error && error->domain == G_FILE_ERROR);
  fail_if (g_file_test (file, G_FILE_TEST_EXISTS));
}

SUITE (.setup = setup, .teardown = teardown);
