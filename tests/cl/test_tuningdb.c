/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The tuning database: kept in memory and in a file, and damaged files. */

#define _XOPEN_SOURCE 700 /* mkfifo(), truncate() */

#include "folder.h"
#include "cl/cache/gstcltuningdb.h"
#include "suite.h"
#include "tuningfile.h"

#include <glib/gstdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define KEY   "sums 640x480, 1 of 8+0 bits"
#define TABLE "version 1; slow; fast"

static const GstClDevice device = { .platform_name = "Platform",
  .platform_version = "OpenCL 1.2",
  .name = "Device",
  .driver_version = "1.0",
  .compute_units = 2 };

static void
setup (void)
{
  test_folder_setup ();
  g_setenv ("GST_OPENCL_CACHE_DIR", test_folder, TRUE);
}

static void
remember (GstClTuningDb *choices, const gchar *key, const gchar *name,
    gboolean is_final)
{
  g_autoptr (GError) error = NULL;

  fail_unless (gst_cl_tuning_db_remember (choices, key, TABLE, name,
      is_final ? "timings" : NULL, &error));
  g_assert_no_error (error);
}

static void
expect (GstClTuningDb *choices, const gchar *key, const gchar *name)
{
  g_autofree gchar *found = gst_cl_tuning_db_find (choices, key, TABLE);

  fail_unless_equals_string (found, name);
}

/* Checks that a database that is opened later finds the choice @name; NULL:
 * finds none. */
static void
expect_on_disk (const gchar *key, const gchar *name)
{
  g_autoptr (GstClTuningDb) choices = gst_cl_tuning_db_new (&device);

  expect (choices, key, name);
}

/* Returns the entries of the file. transfer full */
static gchar *
read_file (gsize *n_bytes)
{
  g_autofree gchar *path = tuning_file_path ("tuning", &device);
  gchar *content;

  fail_unless (g_file_get_contents (path, &content, n_bytes, NULL));

  return content;
}

static void
write_file (const gchar *content, gsize n_bytes)
{
  g_autofree gchar *path = tuning_file_path ("tuning", &device);

  /* no need to sync the disk; a longer file before it keeps its end */
  g_unlink (path);
  fail_unless (g_file_set_contents_full (path, content, n_bytes,
      G_FILE_SET_CONTENTS_NONE, 0600, NULL));
}

TEST (test_final_choices_are_stored)
{
  g_autoptr (GstClTuningDb) choices = gst_cl_tuning_db_new (&device);

  expect (choices, KEY, NULL);
  remember (choices, KEY, "fast", TRUE);
  expect (choices, KEY, "fast");
  expect_on_disk (KEY, "fast");
  expect_on_disk ("another", NULL);

  remember (choices, KEY, "slow", TRUE);
  expect (choices, KEY, "slow");
  expect_on_disk (KEY, "slow");
}

TEST (test_provisional_choices_are_in_memory_only)
{
  g_autoptr (GstClTuningDb) choices = gst_cl_tuning_db_new (&device);

  remember (choices, KEY, "fast", FALSE);
  expect (choices, KEY, "fast");
  expect_on_disk (KEY, NULL);
}

TEST (test_choices_of_another_table_do_not_count)
{
  g_autoptr (GstClTuningDb) choices = gst_cl_tuning_db_new (&device);

  remember (choices, KEY, "fast", TRUE);
  for (guint i = 0; i < 2; i++) {
    g_autoptr (GstClTuningDb) again = gst_cl_tuning_db_new (&device);

    fail_unless (gst_cl_tuning_db_find (i ? again : choices, KEY,
                     "version 2; slow; fast") == NULL);
    fail_unless (gst_cl_tuning_db_find (i ? again : choices, KEY,
                     "version 1; slow; fast; new") == NULL);
  }
}

TEST (test_each_device_has_its_choices)
{
  /* clang-format off */
  const GstClDevice others[] = {
    { .platform_name = "Platforn", .platform_version = "OpenCL 1.2",
      .name = "Device", .driver_version = "1.0", .compute_units = 2 },
    { .platform_name = "Platform", .platform_version = "OpenCL 1.3",
      .name = "Device", .driver_version = "1.0", .compute_units = 2 },
    { .platform_name = "Platform", .platform_version = "OpenCL 1.2",
      .name = "device", .driver_version = "1.0", .compute_units = 2 },
    { .platform_name = "Platform", .platform_version = "OpenCL 1.2",
      .name = "Device", .driver_version = "1.1", .compute_units = 2 },
    { .platform_name = "Platform", .platform_version = "OpenCL 1.2",
      .name = "Device", .driver_version = "1.0", .compute_units = 3 },
  };
  /* clang-format on */
  g_autoptr (GstClTuningDb) choices = gst_cl_tuning_db_new (&device);

  remember (choices, KEY, "fast", TRUE);
  for (guint i = 0; i < G_N_ELEMENTS (others); i++) {
    g_autoptr (GstClTuningDb) other = gst_cl_tuning_db_new (&others[i]);

    expect (other, KEY, NULL);
    remember (other, KEY, "slow", TRUE);
  }
  expect_on_disk (KEY, "fast");
}

/* Two processes that write to the file without knowledge of each other. */
TEST (test_entries_of_others_are_kept)
{
  g_autoptr (GstClTuningDb) one = gst_cl_tuning_db_new (&device);
  g_autoptr (GstClTuningDb) two = gst_cl_tuning_db_new (&device);

  expect (one, KEY, NULL);
  expect (two, KEY, NULL);
  remember (one, "of one", "fast", TRUE);
  remember (two, "of two", "slow", TRUE);
  remember (one, "of one again", "slow", TRUE);
  expect_on_disk ("of one", "fast");
  expect_on_disk ("of two", "slow");
  expect_on_disk ("of one again", "slow");
}

/* Each process finds entries that the other does not have. */
TEST (test_verdicts_have_a_separate_file)
{
  g_autoptr (GstClTuningDb) choices = gst_cl_tuning_db_new (&device);
  g_autoptr (GstClTuningDb)
      verdicts = gst_cl_tuning_db_new_for_verdicts (&device);
  g_autoptr (GstClTuningDb) again = gst_cl_tuning_db_new_for_verdicts (&device);
  g_autofree gchar *path = tuning_file_path ("verdicts", &device);
  g_autofree gchar *content = NULL;

  remember (verdicts, KEY, "passed", TRUE);
  expect (choices, KEY, NULL);
  expect (again, KEY, "passed");
  fail_unless (g_file_get_contents (path, &content, NULL, NULL));
  fail_unless (strstr (path, "/verdicts-") != NULL);
  fail_unless (strstr (content,
      "# Implementations that passed or failed their self-tests"));
  fail_unless (strstr (content, "\nverdict=passed\n"));
}

TEST (test_file_is_readable_text)
{
  g_autoptr (GstClTuningDb) choices = gst_cl_tuning_db_new (&device);
  g_autofree gchar *content = NULL;
  g_autofree gchar *closed = NULL;
  g_auto (GStrv) parts = NULL;
  gsize n_bytes;

  remember (choices, KEY, "fast", TRUE);
  content = read_file (&n_bytes);
  /* before 2.84, GLib adds an empty line before a group that follows a
   * comment */
  parts = g_strsplit (content, "\n\n", 2);
  closed = g_strjoinv ("\n", parts);
  fail_unless_equals_string (closed,
      "# The fastest implementations, as measured by auto, on\n"
      "# Device (Platform, driver 1.0).\n"
      "# May be deleted at any time: auto then measures again.\n"
      "[" KEY "]\n"
      "candidates=" TABLE "\n"
      "measured=timings\n"
      "fastest=fast\n");
}

TEST (test_oldest_choices_are_removed)
{
  g_autoptr (GstClTuningDb) choices = gst_cl_tuning_db_new (&device);
  GString *content = g_string_new (NULL);

  for (guint i = 0; i < GST_CL_TUNING_DB_MAX; i++)
    g_string_append_printf (content,
        "[sums %ux1]\ncandidates=" TABLE "\nfastest=fast\n", i);
  write_file (content->str, content->len);
  g_string_free (content, TRUE);
  expect_on_disk ("sums 0x1", "fast");

  remember (choices, "sums 0x1", "slow", TRUE); /* no longer the oldest */
  expect_on_disk ("sums 1x1", "fast");
  remember (choices, "last", "fast", TRUE);
  expect_on_disk ("sums 1x1", NULL);
  expect_on_disk ("sums 2x1", "fast");
  expect_on_disk ("sums 0x1", "slow");
  expect_on_disk ("last", "fast");
}

/* --- invalid files -------------------------------------------------------- */

/* Whatever the file contains, the next choice is stored. */
static void
replace (void)
{
  g_autoptr (GstClTuningDb) choices = gst_cl_tuning_db_new (&device);

  remember (choices, KEY, "fast", TRUE);
  expect_on_disk (KEY, "fast");
}

TEST (test_damaged_files)
{
  static const gchar *const contents[] = { "", "\n", "[", "[" KEY, "[]\n=\n",
    "[" KEY "]\n", "[" KEY "]\ncandidates\n", "fastest=fast\n",
    "[" KEY "]\ncandidates=" TABLE "\n", "[" KEY "]\nfastest=fast\n",
    "[" KEY "]\ncandidates=" TABLE "\nfastest=\xff\xfe\n",
    "[" KEY "]\ncandidates=" TABLE "\nfastest=\\x\\\n",
    "\x7f"
    "ELF" };

  for (guint i = 0; i < G_N_ELEMENTS (contents); i++) {
    write_file (contents[i], strlen (contents[i]));
    expect_on_disk (KEY, NULL);
    replace ();
  }
}

/* Opens a database with a file of the first @n_bytes of @content. It may find
 * valid entries, and must not fail. */
static void
look (const gchar *content, gsize n_bytes)
{
  g_autoptr (GstClTuningDb) choices = gst_cl_tuning_db_new (&device);

  write_file (content, n_bytes);
  g_free (gst_cl_tuning_db_find (choices, KEY, TABLE));
}

TEST (test_truncated_and_corrupted_files)
{
  g_autofree gchar *content = NULL;
  gsize n_bytes;

  replace ();
  content = read_file (&n_bytes);
  for (gsize i = 0; i < n_bytes; i++) {
    look (content, i);
    content[i] ^= (gchar) (1 << i % 8);
    look (content, n_bytes);
    content[i] ^= (gchar) (1 << i % 8);
  }
  replace ();
}

TEST (test_unwritable_locations)
{
  const gchar *const folders[] = { "/dev/null", "/dev/null/x" };

  for (guint i = 0; i < G_N_ELEMENTS (folders); i++) {
    g_autoptr (GstClTuningDb) choices = gst_cl_tuning_db_new (&device);
    g_autoptr (GError) error = NULL;

    g_setenv ("GST_OPENCL_CACHE_DIR", folders[i], TRUE);
    expect (choices, KEY, NULL);
    fail_if (gst_cl_tuning_db_remember (choices, KEY, TABLE, "fast", "timings",
        &error));
    fail_unless (error && error->domain == G_FILE_ERROR);
    expect (choices, KEY, "fast");
    expect_on_disk (KEY, NULL);
  }
}

/* The contents of other files at the path are ignored, and the next choice
 * replaces the file. */
TEST (test_foreign_files_are_kept)
{
  g_autoptr (GstClTuningDb) choices = gst_cl_tuning_db_new (&device);
  g_autofree gchar *path = tuning_file_path ("tuning", &device);

  remember (choices, KEY, "fast", TRUE);
  fail_unless_equals_int (g_chmod (path, 0664), 0);
  expect_on_disk (KEY, NULL);
  replace ();

  if (geteuid () == 0) {
    fail_unless_equals_int (chown (path, 65534, (gid_t) -1), 0);
    expect_on_disk (KEY, NULL);
    replace ();
  }

  g_remove (path);
  fail_unless_equals_int (mkfifo (path, 0600), 0);
  expect_on_disk (KEY, NULL); /* and does not wait for a writer */
  replace ();

  fail_unless (truncate (path, (off_t) 1 << 40) == 0);
  expect_on_disk (KEY, NULL);
  replace ();
}

TEST (test_folder_writable_by_others)
{
  g_autoptr (GstClTuningDb) choices = gst_cl_tuning_db_new (&device);
  g_autoptr (GError) error = NULL;

  remember (choices, KEY, "fast", TRUE);
  fail_unless_equals_int (g_chmod (test_folder, 0707), 0);
  expect_on_disk (KEY, NULL);
  fail_if (gst_cl_tuning_db_remember (choices, KEY, TABLE, "slow", "timings",
      &error));
  fail_unless (g_error_matches (error, G_FILE_ERROR, G_FILE_ERROR_PERM));
  expect (choices, KEY, "slow");

  fail_unless_equals_int (g_chmod (test_folder, 0700), 0);
  expect_on_disk (KEY, "fast");
}

TEST (test_disabled_cache_stores_nothing)
{
  g_autoptr (GstClTuningDb) choices = gst_cl_tuning_db_new (&device);

  g_setenv ("GST_OPENCL_CACHE_DIR", "", TRUE);
  remember (choices, KEY, "fast", TRUE);
  expect (choices, KEY, "fast");
  expect_on_disk (KEY, NULL);
}

SUITE (.setup = setup, .teardown = test_folder_teardown);
