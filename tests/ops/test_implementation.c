/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The row of an op's table for a device and a method. */

#include "ops/implementation.h"

#include "suite.h"

static const GstClDevice cpu = { .family = GST_CL_FAMILY_CPU };
static const GstClDevice gpu = { .family = GST_CL_FAMILY_GPU };

static const GstClImplementation rows[] = {
  { .name = "one",
      .method = 1,
      .resource = "one.cl",
      .family = GST_CL_FAMILY_ANY },
  { .name = "one-cpu",
      .method = 1,
      .resource = "cpu/one.cl",
      .family = GST_CL_FAMILY_CPU },
  { .name = "two",
      .method = 2,
      .resource = "two.cl",
      .family = GST_CL_FAMILY_ANY },
  { .name = "two-gpu",
      .method = 2,
      .resource = "gpu/two.cl",
      .family = GST_CL_FAMILY_GPU },
  { .name = "two-gpu-again",
      .method = 2,
      .resource = "gpu/two.cl",
      .family = GST_CL_FAMILY_GPU },
  { .name = "three-cpu",
      .method = 3,
      .resource = "cpu/three.cl",
      .family = GST_CL_FAMILY_CPU },
};

static const gchar *
choose (gint method, const GstClDevice *device)
{
  static const GstClOpTable simple = { .rows = rows,
    .n_rows = G_N_ELEMENTS (rows) };
  const GstClImplementation *row = gst_cl_op_table_first (&simple, method, NULL,
      device);

  return row ? row->name : "none";
}

TEST (test_own_family_first)
{
  fail_unless_equals_string (choose (1, &cpu), "one-cpu");
  fail_unless_equals_string (choose (1, &gpu), "one");
  fail_unless_equals_string (choose (2, &cpu), "two");
  fail_unless_equals_string (choose (2, &gpu), "two-gpu");
}

TEST (test_auto_uses_first_row_of_family)
{
  const GstClOpTable one_row = { .rows = rows, .n_rows = 1 };

  fail_unless_equals_string (choose (0, &cpu), "one-cpu");
  fail_unless_equals_string (choose (0, &gpu), "two-gpu");
  fail_unless (gst_cl_op_table_first (&one_row, 0, NULL, &cpu) == &rows[0]);
}

TEST (test_no_row)
{
  const GstClOpTable no_rows = { .rows = rows };

  fail_unless_equals_string (choose (3, &gpu), "none");
  fail_unless_equals_string (choose (4, &cpu), "none");
  fail_unless (gst_cl_op_table_first (&no_rows, 0, NULL, &cpu) == NULL);
}

/* --- problems and tunings ------------------------------------------------ */

/* A problem is a number: "even" and "even-gpu" support even ones. */
static gboolean
is_even (const GstClImplementation *row, gconstpointer problem,
    const GstClDevice *device)
{
  return *(const guint *) problem % 2 == 0;
}

/* Resolves a tuning in percent, to 4 at most. */
static void
resolve (gconstpointer problem, const GstClDevice *device,
    const GstClTuning *tuning, guint *values)
{
  values[0] = MIN (2 * (tuning ? tuning->values[0] : 100) / 100, 4);
}

static const GstClTuning tunings[] = {
  { "half", { 50 } },
  { "once", { 100 } },
  { "twice", { 200 } },
  { "four times", { 400 } },
  { NULL, { 0 } },
};

static const GstClTuning as_it_stands[] = { { "seven", { 7, 1 } },
  { NULL, { 0 } } };

static const GstClImplementation numbers[] = {
  { .name = "other-file",
      .method = 2,
      .resource = "any.cl",
      .family = GST_CL_FAMILY_ANY,
      .is_candidate = gst_cl_is_candidate_on_gpus,
      .fallback_for = GST_CL_METHOD (3),
      .tunings = as_it_stands },
  { .name = "even-gpu",
      .method = 1,
      .resource = "gpu.cl",
      .family = GST_CL_FAMILY_GPU,
      .supports = is_even,
      .tunings = tunings,
      .resolve = resolve },
  { .name = "even",
      .method = 3,
      .resource = "gpu.cl",
      .family = GST_CL_FAMILY_ANY,
      .supports = is_even,
      .is_candidate = gst_cl_is_candidate_on_gpus },
  { .name = "never-measured",
      .method = 1,
      .resource = "gpu.cl",
      .family = GST_CL_FAMILY_ANY },
  { .name = "even-in-steps",
      .method = 1,
      .resource = "gpu.cl",
      .family = GST_CL_FAMILY_ANY,
      .supports = is_even,
      .is_candidate = gst_cl_is_candidate_on_gpus,
      .has_steps = TRUE },
};

static const GstClOpTable table = { .rows = numbers,
  .n_rows = G_N_ELEMENTS (numbers) };

static const gchar *
first_of (gint method, guint problem, const GstClDevice *device)
{
  const GstClImplementation *row = gst_cl_op_table_first (&table, method,
      &problem, device);

  return row ? row->name : "none";
}

TEST (test_rows_that_support_the_problem)
{
  fail_unless_equals_string (first_of (0, 2, &gpu), "even-gpu");
  fail_unless_equals_string (first_of (0, 1, &gpu), "other-file");
  fail_unless_equals_string (first_of (1, 2, &gpu), "even-gpu");
  fail_unless_equals_string (first_of (1, 1, &gpu), "never-measured");
}

TEST (test_fallback_rows)
{
  fail_unless_equals_string (first_of (3, 2, &gpu), "even");
  fail_unless_equals_string (first_of (3, 1, &gpu), "other-file");
  fail_unless_equals_string (first_of (4, 1, &gpu), "none");
}

/* "slide-gpu" supports every number, and is preferred for those below ten. */
static gboolean
is_small (gconstpointer problem, const GstClDevice *device)
{
  return *(const guint *) problem < 10;
}

static const GstClImplementation sizes[] = {
  { .name = "slide-gpu",
      .method = 1,
      .resource = "gpu.cl",
      .family = GST_CL_FAMILY_GPU,
      .is_preferred = is_small },
  { .name = "direct-cpu",
      .method = 2,
      .resource = "cpu.cl",
      .family = GST_CL_FAMILY_CPU,
      .fallback_for = GST_CL_METHOD (1) },
  { .name = "direct",
      .method = 2,
      .resource = "any.cl",
      .family = GST_CL_FAMILY_ANY,
      .fallback_for = GST_CL_METHOD (1) | GST_CL_METHOD (3) },
};

static const gchar *
first_of_sizes (gint method, guint problem, const GstClDevice *device)
{
  const GstClOpTable of_sizes = { .rows = sizes,
    .n_rows = G_N_ELEMENTS (sizes) };

  return gst_cl_op_table_first (&of_sizes, method, &problem, device)->name;
}

/* A method selects a row even if it is not preferred. */
TEST (test_auto_skips_rows_that_are_not_preferred)
{
  fail_unless_equals_string (first_of_sizes (0, 9, &gpu), "slide-gpu");
  fail_unless_equals_string (first_of_sizes (0, 10, &gpu), "direct");
  fail_unless_equals_string (first_of_sizes (1, 10, &gpu), "slide-gpu");
}

TEST (test_fallbacks_of_device_family_first)
{
  fail_unless_equals_string (first_of_sizes (1, 9, &cpu), "direct-cpu");
  fail_unless_equals_string (first_of_sizes (3, 9, &cpu), "direct");
  fail_unless_equals_string (first_of_sizes (3, 9, &gpu), "direct");
}

/* transfer full */
static gchar *
join_candidates (guint problem, const GstClDevice *device)
{
  GstClCandidate candidates[GST_CL_MAX_CANDIDATES];
  const guint n = gst_cl_op_table_candidates (&table, &problem, device,
      candidates);
  GString *text = g_string_new (NULL);

  for (guint i = 0; i < n; i++)
    g_string_append_printf (text, "%s%s %u %u", i > 0 ? ", " : "",
        gst_cl_candidate_name (&candidates[i]), candidates[i].values[0],
        candidates[i].values[1]);

  return g_string_free (text, FALSE);
}

/* "once" has the default tuning, "four times" is resolved to "twice". */
TEST (test_candidates)
{
  g_autofree gchar *even = join_candidates (2, &gpu);
  g_autofree gchar *odd = join_candidates (1, &gpu);
  g_autofree gchar *elsewhere = join_candidates (2, &cpu);

  fail_unless_equals_string (even, "even-gpu 2 0, even 0 0, half 1 0, "
                                   "twice 4 0, other-file 0 0, "
                                   "even-in-steps 0 0, seven 7 1");
  fail_unless_equals_string (odd, "other-file 0 0, seven 7 1");
  fail_unless_equals_string (elsewhere, "other-file 0 0, seven 7 1");
}

TEST (test_no_candidates)
{
  const GstClOpTable even_only = { .rows = numbers + 1, .n_rows = 2 };
  GstClCandidate candidates[GST_CL_MAX_CANDIDATES];
  const guint odd = 1;

  fail_unless_equals_int (
      gst_cl_op_table_candidates (&even_only, &odd, &gpu, candidates), 0);
}
