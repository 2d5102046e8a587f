/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Tables of pages that have the results of tests. */

#include "pagetable.h"

#include <string.h>

#include <gst/check/gstcheck.h>

#define LAST_ROW_END "|\n"

void
page_table_expect (const gchar *page, const gchar *head, const gchar *table)
{
  g_autofree gchar *path = g_build_filename (g_getenv ("TESTS_FOLDER"), "..",
      "docs", page, NULL);
  g_autofree gchar *text = NULL;
  const gchar *start, *end;

  fail_unless (g_file_get_contents (path, &text, NULL, NULL), "no %s", path);
  start = strstr (text, head);
  fail_unless (start != NULL);
  end = strstr (start, LAST_ROW_END "\n");
  fail_unless (end != NULL);
  end += strlen (LAST_ROW_END);
  if (g_getenv ("WRITE_TABLES")) {
    g_autofree gchar *before = g_strndup (text, start - text);
    g_autofree gchar *written = g_strconcat (before, table, end, NULL);

    fail_unless (g_file_set_contents (path, written, -1, NULL));
  } else {
    g_autofree gchar *found = g_strndup (start, end - start);

    fail_unless_equals_string (found, table);
  }
}
