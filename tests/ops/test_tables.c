/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Which row of each op's table serves which problem, by device and method, and
 * what there is to measure: compared with tests/OP/implementations.txt.
 *
 * After a change that is meant, write these files anew and look at the diff:
 *
 *   WRITE_TABLES=1 meson test -C build "unit tables" && git diff tests
 */

#include <gst/check/gstcheck.h>

#include "grid.h"

static const GstClDevice devices[] = {
  { .name = "cpu",
      .family = GST_CL_FAMILY_CPU,
      .compute_units = 4,
      .local_bytes = 1 << 19 },
  { .name = "gpu",
      .family = GST_CL_FAMILY_GPU,
      .compute_units = 132,
      .local_bytes = 48 << 10 },
};

static const OpGrid *const grids[] = { &devicesync_grid, &integral_grid,
  &metrics_grid, &moments_grid };

/* --- as text ------------------------------------------------------------- */

static void
print_methods (GString *text, const OpGrid *grid, gconstpointer problem,
    const GstClDevice *device)
{
  for (gint method = 0; grid->methods[method]; method++) {
    const GstClImplementation *row = gst_cl_op_table_first (grid->table, method,
        problem, device);

    g_string_append_printf (text, "%s %s %s", method > 0 ? "," : "",
        grid->methods[method], row ? row->name : "none");
  }
}

static void
print_candidate (GString *text, const GstClCandidate *candidate)
{
  guint n_values = GST_CL_MAX_TUNING_VALUES;

  g_string_append_printf (text, " %s", candidate->implementation->name);
  while (n_values > 0 && candidate->values[n_values - 1] == 0)
    n_values--;
  for (guint i = 0; i < n_values; i++)
    g_string_append_printf (text, " %u", candidate->values[i]);
  if (candidate->tuning)
    g_string_append_printf (text, " (%s)", candidate->tuning->name);
}

static void
print_candidates (GString *text, const OpGrid *grid, gconstpointer problem,
    const GstClDevice *device)
{
  GstClCandidate candidates[GST_CL_MAX_CANDIDATES];
  const guint n = gst_cl_op_table_candidates (grid->table, problem, device,
      candidates);

  for (guint i = 0; i < n; i++) {
    g_string_append (text, i > 0 ? ";" : "");
    print_candidate (text, &candidates[i]);
  }
}

/* transfer full */
static gchar *
print_grid (const OpGrid *grid)
{
  GString *text = g_string_new (NULL);
  gconstpointer problem;

  for (guint i = 0; (problem = grid->get_problem (i)); i++) {
    g_autofree gchar *words = grid->table->describe (problem);

    g_string_append_printf (text, "%s\n", words);
    for (guint d = 0; d < G_N_ELEMENTS (devices); d++) {
      g_string_append_printf (text, "  %s:", devices[d].name);
      print_methods (text, grid, problem, &devices[d]);
      g_string_append (text, "\n    measured:");
      print_candidates (text, grid, problem, &devices[d]);
      g_string_append_c (text, '\n');
    }
  }

  return g_string_free (text, FALSE);
}

/* "row: kernel file", a line for each row, before @problems. transfer full */
static gchar *
print_rows_and (const OpGrid *grid, const gchar *problems)
{
  GString *text = g_string_new (NULL);

  for (guint i = 0; i < grid->table->n_rows; i++)
    g_string_append_printf (text, "%s: %s\n", grid->table->rows[i].name,
        grid->table->rows[i].resource);
  g_string_append (text, problems);

  return g_string_free (text, FALSE);
}

/* --- tests --------------------------------------------------------------- */

/* The first line that differs says more than two whole files. */
static void
compare_lines (const gchar *path, const gchar *got, const gchar *want)
{
  g_auto (GStrv) got_lines = g_strsplit (got, "\n", -1);
  g_auto (GStrv) want_lines = g_strsplit (want, "\n", -1);

  for (guint i = 0; got_lines[i] || want_lines[i]; i++)
    fail_unless (g_strcmp0 (got_lines[i], want_lines[i]) == 0,
        "%s:%u\n  has  %s\n  not  %s", path, i + 1,
        want_lines[i] ? want_lines[i] : "no more lines",
        got_lines[i] ? got_lines[i] : "no more lines");
}

GST_START_TEST (test_rows_of_problems)
{
  const OpGrid *grid = grids[__i__];
  g_autofree gchar *path = g_build_filename (g_getenv ("TESTS_FOLDER"),
      grid->name, "implementations.txt", NULL);
  g_autofree gchar *problems = print_grid (grid);
  g_autofree gchar *got = print_rows_and (grid, problems);
  g_autofree gchar *want = NULL;
  g_autoptr (GError) error = NULL;

  if (g_getenv ("WRITE_TABLES"))
    fail_unless (g_file_set_contents (path, got, -1, &error), "%s",
        error ? error->message : "");
  fail_unless (g_file_get_contents (path, &want, NULL, &error), "%s",
      error ? error->message : "");
  compare_lines (path, got, want);
}

GST_END_TEST;

/* The log and the tuning database tell candidates apart by their names. */
GST_START_TEST (test_names_of_candidates)
{
  const OpGrid *grid = grids[__i__];
  gconstpointer problem;

  for (guint i = 0; (problem = grid->get_problem (i)); i++) {
    for (guint d = 0; d < G_N_ELEMENTS (devices); d++) {
      GstClCandidate candidates[GST_CL_MAX_CANDIDATES];
      const guint n = gst_cl_op_table_candidates (grid->table, problem,
          &devices[d], candidates);

      for (guint a = 0; a < n; a++) {
        for (guint b = 0; b < a; b++)
          fail_if (g_str_equal (gst_cl_candidate_name (&candidates[a]),
                       gst_cl_candidate_name (&candidates[b])),
              "%s", gst_cl_candidate_name (&candidates[a]));
      }
    }
  }
}

GST_END_TEST;

/* A row that no problem and no method leads to is not tested, or not needed.
 * The last one may wait for a family of devices that is still to come. */
GST_START_TEST (test_every_row_is_reached)
{
  const OpGrid *grid = grids[__i__];
  const GstClOpTable *table = grid->table;
  g_autofree gchar *text = print_grid (grid);

  for (guint i = 0; i + 1 < table->n_rows; i++)
    fail_unless (strstr (text, table->rows[i].name) != NULL, "%s",
        table->rows[i].name);
}

GST_END_TEST;

/* Each nick of a property has a row for each problem on each device. */
GST_START_TEST (test_every_method_has_a_row)
{
  const OpGrid *grid = grids[__i__];
  const GstClOpTable *table = grid->table;
  gconstpointer problem;

  for (guint i = 0; (problem = grid->get_problem (i)); i++) {
    for (guint d = 0; d < G_N_ELEMENTS (devices); d++) {
      for (gint method = 0; grid->methods[method]; method++) {
        const GstClImplementation *row = gst_cl_op_table_first (table, method,
            problem, &devices[d]);

        fail_unless (row != NULL, "problem %u, method %d", i, method);
        fail_unless (row->method == method || method == GST_CL_METHOD_AUTO ||
                     row->stands_in_for & GST_CL_METHOD (method));
        fail_unless (row->family == GST_CL_FAMILY_ANY ||
                     row->family == devices[d].family);
      }
    }
  }

  for (guint i = 0; i < table->n_rows; i++) {
    fail_unless (table->rows[i].method != GST_CL_METHOD_AUTO, "%s",
        table->rows[i].name);
    for (guint j = 0; j < i; j++)
      fail_if (g_str_equal (table->rows[i].name, table->rows[j].name));
  }
}

GST_END_TEST;

static Suite *
tables_suite (void)
{
  const gint n = G_N_ELEMENTS (grids);
  Suite *suite = suite_create ("tables");
  TCase *tcase = tcase_create ("tables");

  suite_add_tcase (suite, tcase);
  tcase_add_loop_test (tcase, test_rows_of_problems, 0, n);
  tcase_add_loop_test (tcase, test_names_of_candidates, 0, n);
  tcase_add_loop_test (tcase, test_every_row_is_reached, 0, n);
  tcase_add_loop_test (tcase, test_every_method_has_a_row, 0, n);

  return suite;
}

GST_CHECK_MAIN (tables);
