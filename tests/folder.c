/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Temporary folders of tests. */

#include "folder.h"

#include <glib/gstdio.h>
#include <gst/check/gstcheck.h>

gchar *test_folder;

void
test_folder_setup (void)
{
  test_folder = g_dir_make_tmp ("test-XXXXXX", NULL);
  fail_unless (test_folder != NULL);
}

void
test_folder_teardown (void)
{
  test_folder_remove (g_steal_pointer (&test_folder));
}

void
test_folder_remove (gchar *folder)
{
  GDir *entries = g_dir_open (folder, 0, NULL);
  const gchar *name;

  while ((name = g_dir_read_name (entries))) {
    gchar *path = g_build_filename (folder, name, NULL);

    if (g_file_test (path, G_FILE_TEST_IS_DIR) &&
        !g_file_test (path, G_FILE_TEST_IS_SYMLINK)) {
      test_folder_remove (path);
    } else {
      g_remove (path);
      g_free (path);
    }
  }
  g_dir_close (entries);
  fail_unless_equals_int (g_rmdir (folder), 0);
  g_free (folder);
}
