/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Includes of kernel files: the files of a program, and the programs that a
 * header changes. */

#include "cl/cache/gstclcache.h"
#include "cl/context/gstclprogram.h"
#include "kernelfolder.h"
#include "suite.h"

#include <string.h>

static gchar *
load (const gchar *name)
{
  g_autoptr (GError) error = NULL;
  gchar *text = gst_cl_source_load (name, &error);

  g_assert_no_error (error);

  return text;
}

static guint
count (const gchar *text, const gchar *word)
{
  guint n = 0;

  for (const gchar *p = strstr (text, word); p; p = strstr (p + 1, word))
    n++;

  return n;
}

/* --- text ---------------------------------------------------------------- */

TEST (test_includes_are_replaced_in_place)
{
  g_autofree gchar *text = NULL;

  test_kernel_write ("a.cl", "first\n#include \"x.clh\"\nthird\n");
  test_kernel_write ("common/x.clh", "header");
  text = load ("a.cl");
  fail_unless_equals_string (text, "#line 1 \"a.cl\"\n"
                                   "first\n"
                                   "#line 1 \"common/x.clh\"\n"
                                   "header\n"
                                   "#line 3 \"a.cl\"\n"
                                   "third\n\n");
}

TEST (test_syntax_of_includes)
{
  g_autofree gchar *text = NULL;

  test_kernel_write ("common/x.clh", "header");
  test_kernel_write ("a.cl", "\t# include  \"x.clh\" /* why */");
  text = load ("a.cl");
  fail_unless_equals_int (count (text, "header"), 1);
  fail_unless_equals_int (count (text, "why"), 0);

  g_free (text);
  test_kernel_write ("a.cl",
      "#include <x.clh>\nint include; // #include \"x.clh\"\n");
  text = load ("a.cl");
  fail_unless_equals_string (text,
      "#line 1 \"a.cl\"\n"
      "#include <x.clh>\nint include; // #include \"x.clh\"\n\n");
}

TEST (test_header_is_included_once)
{
  g_autofree gchar *text = NULL;

  test_kernel_write ("a.cl", "#include \"x.clh\"\n#include \"y.clh\"\n"
                             "#include \"x.clh\"\nlast\n");
  test_kernel_write ("common/x.clh", "text of x\n");
  test_kernel_write ("common/y.clh", "#include \"x.clh\"\ntext of y\n");
  text = load ("a.cl");
  fail_unless_equals_int (count (text, "text of x"), 1);
  fail_unless_equals_int (count (text, "text of y"), 1);
  fail_unless (strstr (text, "text of x") < strstr (text, "text of y"));
  fail_unless (strstr (text, "#line 2 \"common/y.clh\"\ntext of y") != NULL);
  fail_unless (strstr (text, "#line 4 \"a.cl\"\nlast") != NULL);
}

TEST (test_own_folder_precedes_common_folder)
{
  g_autofree gchar *text = NULL;

  test_kernel_write ("op/a.cl", "#include \"x.clh\"\n#include \"y.clh\"\n");
  test_kernel_write ("op/x.clh", "own x\n");
  test_kernel_write ("common/x.clh", "common x\n");
  test_kernel_write ("common/y.clh", "#include \"x.clh\"\ncommon y\n");
  text = load ("op/a.cl");
  fail_unless_equals_int (count (text, "own x"), 1);
  fail_unless_equals_int (count (text, "common y"), 1);
  /* a header of the common folder does not find the files of op/ */
  fail_unless_equals_int (count (text, "common x"), 1);
}

TEST (test_a_circle_ends)
{
  g_autofree gchar *text = NULL;

  test_kernel_write ("a.cl", "#include \"x.clh\"\n");
  test_kernel_write ("common/x.clh", "#include \"y.clh\"\ntext of x\n");
  test_kernel_write ("common/y.clh", "#include \"x.clh\"\ntext of y\n");
  text = load ("a.cl");
  fail_unless_equals_int (count (text, "text of x"), 1);
  fail_unless_equals_int (count (text, "text of y"), 1);

  g_free (text);
  test_kernel_write ("common/x.clh", "#include \"x.clh\"\ntext of x\n");
  text = load ("common/x.clh");
  fail_unless_equals_int (count (text, "text of x"), 1);
}

TEST (test_error_names_including_lines)
{
  g_autoptr (GError) error = NULL;

  test_kernel_write ("a.cl", "first\n#include \"x.clh\"\n");
  test_kernel_write ("common/x.clh", "\n\n#include \"none.clh\"\n");
  fail_unless (gst_cl_source_load ("a.cl", &error) == NULL);
  fail_unless (
      g_error_matches (error, G_RESOURCE_ERROR, G_RESOURCE_ERROR_NOT_FOUND));
  fail_unless (g_str_has_prefix (error->message, "a.cl:2: common/x.clh:3: "),
      "expected the line of the include at the start of: %s", error->message);
  fail_unless (strstr (error->message, "common/none.clh") != NULL,
      "no common/none.clh in: %s", error->message);

  g_clear_error (&error);
  fail_unless (gst_cl_source_load ("none.cl", &error) == NULL);
  fail_unless (
      g_error_matches (error, G_RESOURCE_ERROR, G_RESOURCE_ERROR_NOT_FOUND));
}

/* The embedded files. */
TEST (test_program_contains_its_includes_only)
{
  g_autofree gchar *sums = load ("integral/plain.cl");
  g_autofree gchar *means = load ("localmean/cpu.cl");

  fail_unless_equals_int (count (sums, "#line 1 "), 6);
  fail_unless_equals_int (count (sums, "#line 1 \"common/cl_pixel.clh\""), 1);
  fail_unless_equals_int (count (means, "#line 1 \"common/cl_common.clh\""),
      1); /* included by cl_pixel.clh */
  fail_unless_equals_int (count (means, "METRIC"), 0);
}

/* --- keys ---------------------------------------------------------------- */

static gchar *
make_key (const gchar *name)
{
  const GstClDevice device = { .name = "Device" };
  g_autofree gchar *text = load (name);

  return gst_cl_cache_key (&device, text, "");
}

static void
expect_change (const gchar *name, const gchar *before, gboolean is_changed)
{
  g_autofree gchar *key = make_key (name);

  fail_unless (g_str_equal (key, before) != is_changed,
      "a change of %s: expected %s key", name,
      is_changed ? "another" : "the same");
}

TEST (test_header_changes_keys_of_its_programs_only)
{
  const gchar *const names[] = { "direct.cl", "nested.cl", "apart.cl" };
  const gboolean is_changed[] = { TRUE, TRUE, FALSE };
  gchar *keys[3];

  test_kernel_write ("direct.cl", "#include \"x.clh\"\n");
  test_kernel_write ("nested.cl", "#include \"y.clh\"\n");
  test_kernel_write ("apart.cl", "#include \"z.clh\"\n");
  test_kernel_write ("common/x.clh", "1\n");
  test_kernel_write ("common/y.clh", "#include \"x.clh\"\n");
  test_kernel_write ("common/z.clh", "1\n");
  for (guint i = 0; i < G_N_ELEMENTS (names); i++)
    keys[i] = make_key (names[i]);

  test_kernel_write ("common/x.clh", "2\n");
  for (guint i = 0; i < G_N_ELEMENTS (names); i++)
    expect_change (names[i], keys[i], is_changed[i]);

  test_kernel_write ("common/x.clh", "1\n");
  for (guint i = 0; i < G_N_ELEMENTS (names); i++) {
    expect_change (names[i], keys[i], FALSE);
    g_free (keys[i]);
  }
}

TEST (test_any_file_changes_the_digest)
{
  g_autofree gchar *before = gst_cl_source_digest ();
  g_autofree gchar *again = gst_cl_source_digest ();
  g_autofree gchar *after = NULL, *of_header = NULL;

  fail_unless_equals_string (again, before);
  test_kernel_write ("integral/plain.cl", "kernel\n");
  after = gst_cl_source_digest ();
  fail_if (g_str_equal (after, before));
  test_kernel_write ("common/cl_common.clh", "header\n");
  of_header = gst_cl_source_digest ();
  fail_if (g_str_equal (of_header, after));
}

SUITE (.start = test_kernel_folder_make, .end = test_kernel_folder_remove);
