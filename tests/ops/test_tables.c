/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The row of each op's table for each problem, by device and method, and the
 * candidates of measurements: compared with tests/OP/implementations.txt.
 *
 * After an intended change, write these files again and check the diff:
 *
 *     WRITE_TABLES=1 meson test -C build "unit tables" && git diff tests
 */

#include "grid.h"

#include "cl/context/gstclprogram.h"
#include "suite.h"

#include <string.h>

static const GstClDevice common_devices[] = {
  { .name = "cpu",
      .family = GST_CL_FAMILY_CPU,
      .compute_units = 4,
      .local_bytes = 1 << 19 },
  { .name = "gpu",
      .family = GST_CL_FAMILY_GPU,
      .compute_units = 132,
      .local_bytes = 48 << 10 },
  { .name = "any",
      .family = GST_CL_FAMILY_ANY,
      .compute_units = 16,
      .local_bytes = 32 << 10 },
};

#define COMPONENT(pixel_bytes, ...)                                            \
  {                                                                            \
    .stride_bytes = 1920 * (pixel_bytes), .pixel_stride_bytes = (pixel_bytes), \
    .width = 1920, .height = 1080, .sample = {                                 \
      __VA_ARGS__                                                              \
    }                                                                          \
  }

const GstClComponent op_grid_components[N_OP_GRID_COMPONENTS] = {
  COMPONENT (1, 1, 8, 0),
  COMPONENT (4, 1, 8, 0),
  COMPONENT (4, 2, 10, 6),
};

static const OpGrid *const grids[] = { &blocks_grid, &cells_grid, &errors_grid,
  &flash_grid, &integral_grid, &light_grid, &local_mean_grid, &metrics_grid,
  &moments_grid, &packing_grid, &profiles_grid, &scope_draw_grid, &scopes_grid,
  &ssim_grid, &xpsnr_grid };

static guint
count_devices (const OpGrid *grid)
{
  return grid->devices ? grid->n_devices : G_N_ELEMENTS (common_devices);
}

static const GstClDevice *
get_device (const OpGrid *grid, guint index)
{
  return grid->devices ? &grid->devices[index] : &common_devices[index];
}

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
print_values (GString *text, const GstClCandidate *candidate)
{
  guint n_values = GST_CL_MAX_TUNING_VALUES;

  while (n_values > 0 && candidate->values[n_values - 1] == 0)
    n_values--;
  for (guint i = 0; i < n_values; i++)
    g_string_append_printf (text, " %u", candidate->values[i]);
}

static void
print_candidate (GString *text, const GstClCandidate *candidate)
{
  g_string_append_printf (text, " %s", candidate->implementation->name);
  print_values (text, candidate);
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

/* Returns the rows of the methods and the candidates by device. transfer full
 */
static gchar *
print_problem (const OpGrid *grid, gconstpointer problem)
{
  GString *text = g_string_new (NULL);

  for (guint d = 0; d < count_devices (grid); d++) {
    const GstClDevice *device = get_device (grid, d);

    g_string_append_printf (text, "  %s:", device->name);
    print_methods (text, grid, problem, device);
    g_string_append (text, "\n    measured:");
    print_candidates (text, grid, problem, device);
    g_string_append_c (text, '\n');
  }

  return g_string_free (text, FALSE);
}

/* Returns the row of @method for @problem, and for AUTO all candidates.
 * transfer full */
static gchar *
print_choice (const OpGrid *grid, gconstpointer problem,
    const GstClDevice *device, gint method)
{
  const GstClImplementation *row = gst_cl_op_table_first (grid->table, method,
      problem, device);
  GstClCandidate candidates[GST_CL_MAX_CANDIDATES];
  GString *text;
  guint n;

  if (!row || method != GST_CL_METHOD_AUTO)
    return g_strdup (row ? row->name : "none");

  text = g_string_new (NULL);
  n = gst_cl_op_table_candidates (grid->table, problem, device, candidates);
  for (guint i = 0; i < n; i++) {
    g_string_append_printf (text, "%s%s", i > 0 ? ", " : "",
        gst_cl_candidate_name (&candidates[i]));
    if (!candidates[i].tuning)
      print_values (text, &candidates[i]);
  }

  return g_string_free (text, FALSE);
}

/* The problems, or members of a group, with the same choice. */
typedef struct {
  gchar *choice;
  GString *members;
} Line;

static void
free_line (gpointer user_line)
{
  Line *line = user_line;

  g_free (line->choice);
  g_string_free (line->members, TRUE);
  g_free (line);
}

/* Returns the line of @choice, which is added if it is new. */
static Line *
find_line (GPtrArray *lines, const gchar *choice)
{
  Line *line;

  for (guint i = 0; i < lines->len; i++) {
    line = g_ptr_array_index (lines, i);
    if (g_str_equal (line->choice, choice))
      return line;
  }

  line = g_new (Line, 1);
  *line = (Line){ g_strdup (choice), g_string_new (NULL) };
  g_ptr_array_add (lines, line);

  return line;
}

/* Returns lines "members -> choice" for problems @start to before @end, in the
 * order of members. transfer full */
static gchar *
print_group (const OpGrid *grid, guint start, guint end,
    const GstClDevice *device, gint method)
{
  GString *text = g_string_new (NULL);
  g_autoptr (GPtrArray) lines = g_ptr_array_new_with_free_func (free_line);
  g_autoptr (GHashTable) line_of = g_hash_table_new (g_str_hash, g_str_equal);

  for (guint i = start; i < end; i++) {
    const gchar *member = grid->name_member (i);
    g_autofree gchar *choice = print_choice (grid, grid->get_problem (i),
        device, method);
    Line *line = g_hash_table_lookup (line_of, member);

    if (line) {
      fail_unless_equals_string (choice, line->choice);
      continue;
    }
    line = find_line (lines, choice);
    g_string_append_printf (line->members, " %s", member);
    g_hash_table_insert (line_of, (gpointer) member, line);
  }

  for (guint i = 0; i < lines->len; i++) {
    const Line *line = g_ptr_array_index (lines, i);

    g_string_append_printf (text, " %s -> %s\n",
        lines->len == 1 ? " all" : line->members->str, line->choice);
  }

  return g_string_free (text, FALSE);
}

/* Returns the first problem after @first that is of another group, or the
 * end. */
static guint
find_end (const OpGrid *grid, guint first)
{
  g_autofree gchar *group = grid->name_group (first);

  for (guint i = first + 1;; i++) {
    g_autofree gchar *other = grid->name_group (i);

    if (g_strcmp0 (group, other) != 0)
      return i;
  }
}

/* Adds @name, a problem or "group, device, method", to the line of @choice.
 * Both are transfer full. */
static void
add_choice (GPtrArray *lines, const gchar *separator, gchar *name,
    gchar *choice)
{
  GString *members = find_line (lines, choice)->members;

  g_string_append_printf (members, "%s%s", members->len > 0 ? separator : "",
      name);
  g_free (name);
  g_free (choice);
}

/* Names problems with the same choices together. transfer full */
static gchar *
print_grid (const OpGrid *grid)
{
  GString *text = g_string_new (NULL);
  g_autoptr (GPtrArray) lines = g_ptr_array_new_with_free_func (free_line);
  gconstpointer problem;

  for (guint i = 0; !grid->name_group && (problem = grid->get_problem (i)); i++)
    add_choice (lines, "\n", grid->table->describe (problem),
        print_problem (grid, problem));

  for (guint first = 0, end; grid->name_group && grid->get_problem (first);
       first = end) {
    g_autofree gchar *group = grid->name_group (first);

    end = find_end (grid, first);
    for (guint d = 0; d < count_devices (grid); d++) {
      const GstClDevice *device = get_device (grid, d);

      for (gint method = 0; grid->methods[method]; method++)
        add_choice (lines, "; ",
            g_strdup_printf ("%s, %s, %s", group, device->name,
                grid->methods[method]),
            print_group (grid, first, end, device, method));
    }
  }

  for (guint i = 0; i < lines->len; i++) {
    const Line *line = g_ptr_array_index (lines, i);

    g_string_append_printf (text, "%s\n%s", line->members->str, line->choice);
  }

  return g_string_free (text, FALSE);
}

/* "row: kernel file", a line for each row, before @problems. transfer full */
static gchar *
print_rows_and (const OpGrid *grid, const gchar *problems)
{
  GString *text = g_string_new (NULL);

  for (guint i = 0; i < grid->table->n_rows; i++)
    g_string_append_printf (text, "%s: %s%s\n", grid->table->rows[i].name,
        grid->table->rows[i].resource,
        grid->table->rows[i].has_steps ? " and others" : "");
  g_string_append (text, problems);

  return g_string_free (text, FALSE);
}

/* --- tests --------------------------------------------------------------- */

/* Fails at the first line that differs, and names only this line. */
static void
compare_lines (const gchar *path, const gchar *got, const gchar *want)
{
  g_auto (GStrv) got_lines = g_strsplit (got, "\n", -1);
  g_auto (GStrv) want_lines = g_strsplit (want, "\n", -1);

  for (guint i = 0; got_lines[i] || want_lines[i]; i++)
    fail_unless (g_strcmp0 (got_lines[i], want_lines[i]) == 0,
        "%s:%u\n  expected %s\n  found    %s", path, i + 1,
        want_lines[i] ? want_lines[i] : "no more lines",
        got_lines[i] ? got_lines[i] : "no more lines");
}

LOOP_TEST (test_rows_of_problems, G_N_ELEMENTS (grids))
{
  const OpGrid *grid = grids[__i__];
  g_autofree gchar *path = g_build_filename (g_getenv ("TESTS_FOLDER"),
      grid->name, "implementations.txt", NULL);
  g_autofree gchar *problems = print_grid (grid);
  g_autofree gchar *got = print_rows_and (grid, problems);
  g_autofree gchar *want = NULL;
  g_autoptr (GError) error = NULL;

  if (g_getenv ("WRITE_TABLES"))
    fail_unless (g_file_set_contents (path, got, -1, &error), "%s: %s", path,
        error ? error->message : "");
  fail_unless (g_file_get_contents (path, &want, NULL, &error), "%s: %s", path,
      error ? error->message : "");
  compare_lines (path, got, want);
}

/* The log and the tuning database identify candidates by name. */
LOOP_TEST (test_names_of_candidates, G_N_ELEMENTS (grids))
{
  const OpGrid *grid = grids[__i__];
  gconstpointer problem;

  for (guint i = 0; (problem = grid->get_problem (i)); i++) {
    for (guint d = 0; d < count_devices (grid); d++) {
      GstClCandidate candidates[GST_CL_MAX_CANDIDATES];
      const guint n = gst_cl_op_table_candidates (grid->table, problem,
          get_device (grid, d), candidates);

      for (guint a = 0; a < n; a++) {
        for (guint b = 0; b < a; b++)
          fail_if (g_str_equal (gst_cl_candidate_name (&candidates[a]),
                       gst_cl_candidate_name (&candidates[b])),
              "two candidates are named %s",
              gst_cl_candidate_name (&candidates[a]));
      }
    }
  }
}

/* Drivers compute wrong results of asynchronous copies if they do not optimize.
 */
LOOP_TEST (test_asynchronous_copies_are_optimized, G_N_ELEMENTS (grids))
{
  const OpGrid *grid = grids[__i__];

  for (guint i = 0; i < grid->table->n_rows; i++) {
    const GstClImplementation *row = &grid->table->rows[i];
    g_autofree gchar *source = gst_cl_source_load (row->resource, NULL);

    fail_unless (source != NULL, "%s: no file %s", row->name, row->resource);
    fail_unless (row->needs_optimizer ==
                     (strstr (source, "async_work_group") != NULL),
        "%s", row->name);
  }
}

/* Marks the rows that are selected for @problem, by order or by measurement. */
static void
mark_rows (const OpGrid *grid, gconstpointer problem, const GstClDevice *device,
    gboolean *is_reached)
{
  const GstClOpTable *table = grid->table;
  GstClCandidate candidates[GST_CL_MAX_CANDIDATES];
  const guint n = gst_cl_op_table_candidates (table, problem, device,
      candidates);

  for (guint i = 0; i < n; i++)
    is_reached[candidates[i].implementation - table->rows] = TRUE;
  for (gint method = 0; grid->methods[method]; method++) {
    const GstClImplementation *row = gst_cl_op_table_first (table, method,
        problem, device);

    if (row)
      is_reached[row - table->rows] = TRUE;
  }
}

/* A row that no problem and no method selects is untested or unnecessary. */
LOOP_TEST (test_every_row_is_reached, G_N_ELEMENTS (grids))
{
  const OpGrid *grid = grids[__i__];
  const GstClOpTable *table = grid->table;
  g_autofree gboolean *is_reached = g_new0 (gboolean, table->n_rows);
  gconstpointer problem;

  for (guint i = 0; (problem = grid->get_problem (i)); i++) {
    for (guint d = 0; d < count_devices (grid); d++)
      mark_rows (grid, problem, get_device (grid, d), is_reached);
  }

  for (guint i = 0; i < table->n_rows; i++)
    fail_unless (is_reached[i], "no problem has row %s", table->rows[i].name);
}

/* Each nick of a property has a row for each problem on each device, except for
 * the problems of grid->lacks(). */
LOOP_TEST (test_every_method_has_a_row, G_N_ELEMENTS (grids))
{
  const OpGrid *grid = grids[__i__];
  const GstClOpTable *table = grid->table;
  gconstpointer problem;

  for (guint i = 0; (problem = grid->get_problem (i)); i++) {
    for (guint d = 0; d < count_devices (grid); d++) {
      for (gint method = 0; grid->methods[method]; method++) {
        const GstClImplementation *row = gst_cl_op_table_first (table, method,
            problem, get_device (grid, d));

        fail_unless ((row == NULL) ==
                         (grid->lacks && grid->lacks (method, problem)),
            "problem %u, method %d on %s: expected %s, found %s", i, method,
            get_device (grid, d)->name, row ? "no row" : "a row",
            row ? row->name : "none");
        if (!row)
          continue;
        fail_unless (row->method == method || method == GST_CL_METHOD_AUTO ||
                     row->fallback_for & GST_CL_METHOD (method));
        fail_unless (row->family == GST_CL_FAMILY_ANY ||
                     row->family == get_device (grid, d)->family);
      }
    }
  }

  for (guint i = 0; i < table->n_rows; i++) {
    fail_unless (table->rows[i].method != GST_CL_METHOD_AUTO,
        "row %s has the method auto", table->rows[i].name);
    for (guint j = 0; j < i; j++)
      fail_if (g_str_equal (table->rows[i].name, table->rows[j].name));
  }
}

/* Each row has a known-answer test on each of its devices, and each problem
 * that selects it has an answer that it supports. */
LOOP_TEST (test_every_row_has_an_answer, G_N_ELEMENTS (grids))
{
  const OpGrid *grid = grids[__i__];
  const GstClOpTable *table = grid->table;

  fail_unless (table->n_answers > 0);
  for (guint i = 0; i < table->n_rows; i++) {
    const GstClImplementation *row = &table->rows[i];

    for (guint d = 0; d < G_N_ELEMENTS (common_devices); d++) {
      const GstClDevice *device = &common_devices[d];

      if (row->family == GST_CL_FAMILY_ANY || row->family == device->family)
        fail_unless (gst_cl_op_table_find_answer (table, row, NULL, device) !=
                         NULL,
            "%s: row %s supports no known answer on %s", table->name, row->name,
            device->name);
    }
  }
}

/* Answers are identified by their names, which groups of files have. */
LOOP_TEST (test_names_of_answers, G_N_ELEMENTS (grids))
{
  const GstClOpTable *table = grids[__i__]->table;

  for (guint a = 0; a < table->n_answers; a++) {
    fail_if (strpbrk (table->answers[a].name, "[]"));
    for (guint b = 0; b < a; b++)
      fail_if (g_str_equal (table->answers[a].name, table->answers[b].name));
  }
}
