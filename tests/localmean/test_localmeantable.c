/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The implementations of local means by problem, device and method: compared
 * with implementations.txt beside this file. After a change that is meant,
 * write it anew and look at the diff:
 *
 *   WRITE_TABLES=1 meson test -C build "unit localmeantable" && git diff tests
 */

#include <gst/check/gstcheck.h>

#include "ops/localmean/localmean.h"

/* --- the grid ------------------------------------------------------------ */

static const struct {
  const gchar *name;
  GstClDevice device;
} devices[] = {
  { "cpu of 2 units", { .family = GST_CL_FAMILY_CPU, .compute_units = 2 } },
  { "cpu of 64 units", { .family = GST_CL_FAMILY_CPU, .compute_units = 64 } },
  { "gpu", { .family = GST_CL_FAMILY_GPU, .compute_units = 132 } },
};

static const gchar *const methods[] = {
  [GST_CL_LOCAL_MEAN_METHOD_AUTO] = "auto",
  [GST_CL_LOCAL_MEAN_METHOD_DIRECT] = "direct",
  [GST_CL_LOCAL_MEAN_METHOD_ASYNC_COPY] = "async-copy",
  [GST_CL_LOCAL_MEAN_METHOD_SLIDING] = "sliding",
};

static const gchar *const operations[] = { "mean", "copy", "stddev",
  "difference", "normalize", "mean-c", "bradley", "niblack", "sauvola", "wolf",
  "nick" };

/* Operations that no implementation tells apart: the first of each line is
 * printed. */
static const struct {
  guint n;
  GstClLocalMeanOperation operations[5];
} kinds[] = {
  { 1, { GST_CL_LOCAL_MEAN_OPERATION_MEAN } },
  { 1, { GST_CL_LOCAL_MEAN_OPERATION_COPY } },
  { 2, { GST_CL_LOCAL_MEAN_OPERATION_DIFFERENCE,
           GST_CL_LOCAL_MEAN_OPERATION_MEAN_C } },
  { 2, { GST_CL_LOCAL_MEAN_OPERATION_BRADLEY,
           GST_CL_LOCAL_MEAN_OPERATION_NORMALIZE } },
  { 5,
      { GST_CL_LOCAL_MEAN_OPERATION_SAUVOLA, GST_CL_LOCAL_MEAN_OPERATION_STDDEV,
          GST_CL_LOCAL_MEAN_OPERATION_NIBLACK, GST_CL_LOCAL_MEAN_OPERATION_WOLF,
          GST_CL_LOCAL_MEAN_OPERATION_NICK } },
};

static const struct {
  const gchar *name;
  GstClSampleType sample;
  guint sum_bytes; /* 0: from samples */
} inputs[] = {
  { "8 bits", { 1, 8, 0 }, 0 },
  { "10 bits", { 2, 10, 6 }, 0 },
  { "16 bits", { 2, 16, 0 }, 0 },
  { "sums of 4 bytes", { 1, 8, 0 }, 4 },
  { "sums of 8 bytes", { 2, 16, 0 }, 8 },
};

#define HALF (-100) /* anchors: half the window */

/* Frames are 3840x2160 unless the name says another size. Windows that stand
 * side by side lie on both sides of a limit. */
static const struct {
  const gchar *name;
  gint width, height, anchor_x;
  gint step_x, step_y;
  GstClBorder border;
  gint frame_width, frame_height; /* 0: the usual ones */
  gdouble k;
} windows[] = {
  { "1x1", 1, 1, HALF, 1, 1, GST_CL_BORDER_SHRINK, 0, 0, 0 },
  { "3x3", 3, 3, HALF, 1, 1, GST_CL_BORDER_REPLICATE, 0, 0, 0 },
  { "30x30", 30, 30, HALF, 1, 1, GST_CL_BORDER_CONSTANT, 0, 0, 0 },
  { "31x31", 31, 31, HALF, 1, 1, GST_CL_BORDER_SHRINK, 0, 0, 0 },
  { "31x31-k64", 31, 31, HALF, 1, 1, GST_CL_BORDER_SHRINK, 0, 0, 64 },
  { "31x31-steps2,1", 31, 31, HALF, 2, 1, GST_CL_BORDER_REFLECT, 0, 0, 0 },
  { "31x31-steps1,2", 31, 31, HALF, 1, 2, GST_CL_BORDER_WRAP, 0, 0, 0 },
  { "31x31-valid", 31, 31, HALF, 1, 1, GST_CL_BORDER_VALID, 0, 0, 0 },
  { "31x31-anchor-at-31", 31, 31, 31, 1, 1, GST_CL_BORDER_SHRINK, 0, 0, 0 },
  { "31x31-valid-anchor-at--1", 31, 31, -1, 1, 1, GST_CL_BORDER_VALID, 0, 0,
      0 },
  { "128x128", 128, 128, HALF, 1, 1, GST_CL_BORDER_REFLECT_101, 0, 0, 0 },
  { "129x3", 129, 3, HALF, 1, 1, GST_CL_BORDER_SHRINK, 0, 0, 0 },
  { "3x129", 3, 129, HALF, 1, 1, GST_CL_BORDER_SHRINK, 0, 0, 0 },
  { "129x129", 129, 129, HALF, 1, 1, GST_CL_BORDER_SHRINK, 0, 0, 0 },
  { "188x3", 188, 3, HALF, 1, 1, GST_CL_BORDER_SHRINK, 0, 0, 0 },
  { "200x3", 200, 3, HALF, 1, 1, GST_CL_BORDER_SHRINK, 0, 0, 0 },
  { "128x256", 128, 256, HALF, 1, 1, GST_CL_BORDER_SHRINK, 0, 0, 0 },
  { "128x257", 128, 257, HALF, 1, 1, GST_CL_BORDER_SHRINK, 0, 0, 0 },
  { "128x512", 128, 512, HALF, 1, 1, GST_CL_BORDER_SHRINK, 0, 0, 0 },
  { "128x513", 128, 513, HALF, 1, 1, GST_CL_BORDER_SHRINK, 0, 0, 0 },
  { "363x363", 363, 363, HALF, 1, 1, GST_CL_BORDER_SHRINK, 0, 0, 0 },
  { "364x363", 364, 363, HALF, 1, 1, GST_CL_BORDER_SHRINK, 0, 0, 0 },
  { "100x1300", 100, 1300, HALF, 1, 1, GST_CL_BORDER_SHRINK, 0, 0, 0 },
  { "2000x2000", 2000, 2000, HALF, 1, 1, GST_CL_BORDER_VALID, 0, 0, 0 },
  { "4000x4000", 4000, 4000, HALF, 1, 1, GST_CL_BORDER_SHRINK, 0, 0, 0 },
  { "4200x4200", 4200, 4200, HALF, 1, 1, GST_CL_BORDER_SHRINK, 0, 0, 0 },
  { "17000x1", 17000, 1, HALF, 1, 1, GST_CL_BORDER_SHRINK, 0, 0, 0 },
  { "1x32767", 1, 32767, HALF, 1, 1, GST_CL_BORDER_SHRINK, 0, 0, 0 },
  { "1x32768", 1, 32768, HALF, 1, 1, GST_CL_BORDER_SHRINK, 0, 0, 0 },
  { "3x33-of-64x32", 3, 33, HALF, 1, 1, GST_CL_BORDER_SHRINK, 64, 32, 0 },
  { "9x9-of-3x3", 9, 9, HALF, 1, 1, GST_CL_BORDER_REFLECT, 3, 3, 0 },
};

static GstClLocalMeanProblem
make_problem (guint input, guint window, GstClLocalMeanOperation operation)
{
  const gint bytes = (gint) inputs[input].sample.bytes;
  const gboolean from_sums = inputs[input].sum_bytes > 0;
  const gint width = windows[window].width, height = windows[window].height;

  return (GstClLocalMeanProblem){
    .operation = operation,
    .window = { .kernel_width = width,
        .kernel_height = height,
        .anchor_x = windows[window].anchor_x == HALF ? width / 2
                                                     : windows[window].anchor_x,
        .anchor_y = height / 2,
        .step_x = windows[window].step_x,
        .step_y = windows[window].step_y,
        .border = windows[window].border },
    .factors = { .k = windows[window].k, .r = 1 },
    .repeat = 1,
    .width = windows[window].frame_width ? windows[window].frame_width : 3840,
    .height = windows[window].frame_height ? windows[window].frame_height
                                           : 2160,
    .sample = inputs[input].sample,
    .src_pixel_stride_bytes = from_sums ? 0 : bytes,
    .dst_pixel_stride_bytes = bytes,
    .from_sums = from_sums,
    .channels = from_sums ? 1 : 0,
    .sum_bytes = inputs[input].sum_bytes,
  };
}

/* --- what is chosen ------------------------------------------------------ */

/* The choice and, where there are more, what is measured. */
static gchar *
print_choice (guint device, gint method, const GstClLocalMeanProblem *problem)
{
  const GstClOpTable *table = &gst_cl_local_mean_table;
  const GstClDevice *d = &devices[device].device;
  const GstClImplementation *row = gst_cl_op_table_first (table, method,
      problem, d);
  GstClCandidate candidates[GST_CL_MAX_CANDIDATES];
  GString *text;
  guint n;

  if (!row)
    return g_strdup ("none");
  if (method != GST_CL_LOCAL_MEAN_METHOD_AUTO)
    return g_strdup (row->name);

  text = g_string_new (NULL);
  n = gst_cl_op_table_candidates (table, problem, d, candidates);
  for (guint i = 0; i < n; i++)
    g_string_append_printf (text, "%s%s", i > 0 ? ", " : "",
        gst_cl_candidate_name (&candidates[i]));

  return g_string_free (text, FALSE);
}

/* --- the table ----------------------------------------------------------- */

/* "choice: windows", a line for each choice, in the order of the windows. */
static void
print_block (GString *text, guint kind, guint input, guint device, gint method)
{
  g_autoptr (GPtrArray) choices = g_ptr_array_new_with_free_func (g_free);
  g_autoptr (GPtrArray) lines = g_ptr_array_new_with_free_func (g_free);

  for (guint w = 0; w < G_N_ELEMENTS (windows); w++) {
    const GstClLocalMeanProblem problem = make_problem (input, w,
        kinds[kind].operations[0]);
    gchar *choice = print_choice (device, method, &problem);
    gchar *line;
    guint at;

    for (guint i = 1; i < kinds[kind].n; i++) {
      const GstClLocalMeanProblem other = make_problem (input, w,
          kinds[kind].operations[i]);
      g_autofree gchar *same = print_choice (device, method, &other);

      fail_unless_equals_string (same, choice);
    }

    if (!g_ptr_array_find_with_equal_func (choices, choice, g_str_equal, &at)) {
      at = choices->len;
      g_ptr_array_add (choices, choice);
      g_ptr_array_add (lines, g_strdup (windows[w].name));
      continue;
    }
    g_free (choice);
    line = g_strjoin (" ", g_ptr_array_index (lines, at), windows[w].name,
        NULL);
    g_free (g_ptr_array_index (lines, at));
    g_ptr_array_index (lines, at) = line;
  }

  for (guint i = 0; i < choices->len; i++)
    g_string_append_printf (text, "%s, %s, %s, %s: %s -> %s\n",
        operations[kinds[kind].operations[0]], inputs[input].name,
        devices[device].name, methods[method],
        choices->len == 1 ? "all"
                          : (const gchar *) g_ptr_array_index (lines, i),
        (const gchar *) g_ptr_array_index (choices, i));
}

static gchar *
print_table (void)
{
  GString *text = g_string_new (NULL);

  for (guint kind = 0; kind < G_N_ELEMENTS (kinds); kind++) {
    for (guint input = 0; input < G_N_ELEMENTS (inputs); input++) {
      if (kinds[kind].operations[0] == GST_CL_LOCAL_MEAN_OPERATION_COPY &&
          inputs[input].sum_bytes > 0)
        continue;
      for (guint device = 0; device < G_N_ELEMENTS (devices); device++) {
        for (guint method = 0; method < G_N_ELEMENTS (methods); method++)
          print_block (text, kind, input, device, (gint) method);
      }
    }
  }

  return g_string_free (text, FALSE);
}

/* "row: kernel file", a line for each row, before @choices. */
static gchar *
print_rows_and (const gchar *choices)
{
  const GstClOpTable *table = &gst_cl_local_mean_table;
  GString *text = g_string_new (NULL);

  for (guint i = 0; i < table->n_rows; i++)
    g_string_append_printf (text, "%s: %s%s\n", table->rows[i].name,
        table->rows[i].resource, table->rows[i].has_steps ? " and others" : "");
  g_string_append (text, choices);

  return g_string_free (text, FALSE);
}

GST_START_TEST (test_choices_are_those_of_the_table)
{
  g_autofree gchar *path = g_build_filename (g_getenv ("TESTS_FOLDER"),
      "localmean", "implementations.txt", NULL);
  g_autofree gchar *choices = print_table ();
  g_autofree gchar *got = print_rows_and (choices);
  g_autofree gchar *want = NULL;
  g_auto (GStrv) got_lines = NULL, want_lines = NULL;

  if (g_getenv ("WRITE_TABLES"))
    fail_unless (g_file_set_contents (path, got, -1, NULL));
  fail_unless (g_file_get_contents (path, &want, NULL, NULL), "%s", path);
  got_lines = g_strsplit (got, "\n", -1);
  want_lines = g_strsplit (want, "\n", -1);
  for (guint i = 0; got_lines[i] && want_lines[i]; i++)
    fail_unless_equals_string (got_lines[i], want_lines[i]);
  fail_unless_equals_int (g_strv_length (got_lines),
      g_strv_length (want_lines));
}

GST_END_TEST;

/* A row that no problem leads to is not tested, or not needed. */
GST_START_TEST (test_every_row_is_reached)
{
  const GstClOpTable *table = &gst_cl_local_mean_table;
  g_autofree gchar *text = print_table ();
  g_auto (GStrv) words = g_strsplit_set (text, " ,\n", -1);

  for (guint i = 0; i < table->n_rows; i++) {
    const GstClImplementation *row = &table->rows[i];

    fail_unless (g_strv_contains ((const gchar *const *) words, row->name),
        "%s", row->name);
    fail_unless (row->method != GST_CL_METHOD_AUTO, "%s", row->name);
    for (guint j = 0; j < i; j++)
      fail_if (g_str_equal (row->name, table->rows[j].name), "%s", row->name);
  }
}

GST_END_TEST;

static void
expect_different_names (const GstClLocalMeanProblem *problem,
    const GstClDevice *device)
{
  GstClCandidate candidates[GST_CL_MAX_CANDIDATES];
  const guint n = gst_cl_op_table_candidates (&gst_cl_local_mean_table, problem,
      device, candidates);

  for (guint a = 0; a < n; a++) {
    for (guint b = 0; b < a; b++)
      fail_if (g_str_equal (gst_cl_candidate_name (&candidates[a]),
                   gst_cl_candidate_name (&candidates[b])),
          "%s", gst_cl_candidate_name (&candidates[a]));
  }
}

/* The tuning database tells candidates apart by their names. */
GST_START_TEST (test_names_of_candidates)
{
  for (guint kind = 0; kind < G_N_ELEMENTS (kinds); kind++) {
    for (guint input = 0; input < G_N_ELEMENTS (inputs); input++) {
      for (guint w = 0; w < G_N_ELEMENTS (windows); w++) {
        const GstClLocalMeanProblem problem = make_problem (input, w,
            kinds[kind].operations[0]);

        for (guint d = 0; d < G_N_ELEMENTS (devices); d++)
          expect_different_names (&problem, &devices[d].device);
      }
    }
  }
}

GST_END_TEST;

/* Fields count, not bytes between them. */
GST_START_TEST (test_problems_are_compared_by_field)
{
  GstClLocalMeanProblem a, b;

  memset (&a, 0, sizeof a);
  memset (&b, 0xff, sizeof b);
  b = (GstClLocalMeanProblem){ 0 };
  fail_unless (gst_cl_local_mean_problem_equal (&a, &b));
  b.window.border_value = 1;
  fail_if (gst_cl_local_mean_problem_equal (&a, &b));
  b = a;
  b.factors.offset = .5;
  fail_if (gst_cl_local_mean_problem_equal (&a, &b));
  b = a;
  b.sample.shift = 6;
  fail_if (gst_cl_local_mean_problem_equal (&a, &b));
}

GST_END_TEST;

static void
expect_described_alike (const GstClLocalMeanProblem *a,
    const GstClLocalMeanProblem *b, gboolean are_alike)
{
  g_autofree gchar *text = gst_cl_local_mean_table.describe (a);
  g_autofree gchar *other = gst_cl_local_mean_table.describe (b);

  fail_unless (g_str_equal (text, other) == are_alike, "%s, %s", text, other);
}

/* What is remembered for one problem holds for all with its text. */
GST_START_TEST (test_factors_that_change_the_candidates_are_described)
{
  GstClLocalMeanProblem a = make_problem (0, 3,
      GST_CL_LOCAL_MEAN_OPERATION_SAUVOLA);
  GstClLocalMeanProblem b = a;

  b.factors.k = .5;
  expect_described_alike (&a, &b, TRUE);
  b.factors.k = -64;
  expect_described_alike (&a, &b, FALSE);
  b = a;
  b.factors.target = -1;
  expect_described_alike (&a, &b, FALSE);

  a.operation = b.operation = GST_CL_LOCAL_MEAN_OPERATION_MEAN;
  expect_described_alike (&a, &b, TRUE);
}

GST_END_TEST;

static void
expect_bytes (const GstClLocalMeanProblem *problem, guint64 bytes)
{
  fail_unless_equals_uint64 (gst_cl_local_mean_table.count_bytes (problem, 3),
      bytes);
}

GST_START_TEST (test_squares_are_counted)
{
  const guint64 samples = 3840 * 2160;
  GstClLocalMeanProblem problem = make_problem (0, 3,
      GST_CL_LOCAL_MEAN_OPERATION_MEAN);

  expect_bytes (&problem, 3 * 8 * samples);
  problem.operation = GST_CL_LOCAL_MEAN_OPERATION_SAUVOLA;
  expect_bytes (&problem, 3 * (8 + 8) * samples);

  /* candidates share an input of sums */
  problem = make_problem (3, 3, GST_CL_LOCAL_MEAN_OPERATION_SAUVOLA);
  problem.layout = GST_CL_LAYOUT_INCLUSIVE;
  problem.channels = 2;
  expect_bytes (&problem, 2 * (4 + 8) * samples);
}

GST_END_TEST;

static Suite *
localmeantable_suite (void)
{
  Suite *suite = suite_create ("localmeantable");
  TCase *tcase = tcase_create ("table");

  suite_add_tcase (suite, tcase);
  tcase_add_test (tcase, test_choices_are_those_of_the_table);
  tcase_add_test (tcase, test_every_row_is_reached);
  tcase_add_test (tcase, test_names_of_candidates);
  tcase_add_test (tcase, test_problems_are_compared_by_field);
  tcase_add_test (tcase, test_factors_that_change_the_candidates_are_described);
  tcase_add_test (tcase, test_squares_are_counted);

  return suite;
}

GST_CHECK_MAIN (localmeantable);
