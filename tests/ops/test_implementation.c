/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Which row of an op's table a device and a method get. */

#include <gst/check/gstcheck.h>

#include "ops/moments/moments.h"
#include "ops/integral/integral.h"
#include "ops/localmean/localmean.h"

static const GstClDevice cpu = { .family = GST_CL_FAMILY_CPU };
static const GstClDevice gpu = { .family = GST_CL_FAMILY_GPU };

static const GstClImplementation rows[] = {
  { "one", 1, "one.cl", GST_CL_FAMILY_ANY },
  { "one-cpu", 1, "cpu/one.cl", GST_CL_FAMILY_CPU },
  { "two", 2, "two.cl", GST_CL_FAMILY_ANY },
  { "two-gpu", 2, "gpu/two.cl", GST_CL_FAMILY_GPU },
  { "two-gpu-again", 2, "gpu/two.cl", GST_CL_FAMILY_GPU },
  { "three-cpu", 3, "cpu/three.cl", GST_CL_FAMILY_CPU },
};

static const gchar *
choose (gint method, const GstClDevice *device)
{
  const GstClImplementation *row = gst_cl_implementation_choose (rows,
      G_N_ELEMENTS (rows), method, device);

  return row ? row->name : "none";
}

GST_START_TEST (test_own_family_first)
{
  fail_unless_equals_string (choose (1, &cpu), "one-cpu");
  fail_unless_equals_string (choose (1, &gpu), "one");
  fail_unless_equals_string (choose (2, &cpu), "two");
  fail_unless_equals_string (choose (2, &gpu), "two-gpu");
}

GST_END_TEST;

GST_START_TEST (test_auto_takes_the_first_of_its_family)
{
  fail_unless_equals_string (choose (0, &cpu), "one-cpu");
  fail_unless_equals_string (choose (0, &gpu), "two-gpu");
  fail_unless (gst_cl_implementation_choose (rows, 1, 0, &cpu) == &rows[0]);
}

GST_END_TEST;

GST_START_TEST (test_no_row)
{
  fail_unless_equals_string (choose (3, &gpu), "none");
  fail_unless_equals_string (choose (4, &cpu), "none");
  fail_unless (gst_cl_implementation_choose (rows, 0, 0, &cpu) == NULL);
}

GST_END_TEST;

typedef const GstClImplementation *(*Table) (guint *n_rows);

/* Each nick of a property has a row on each device; 0 is auto. */
static void
expect_rows (Table table, gint last_method)
{
  static const GstClDevice *const devices[] = { &cpu, &gpu };
  guint n_rows;
  const GstClImplementation *variants = table (&n_rows);

  for (guint d = 0; d < G_N_ELEMENTS (devices); d++) {
    for (gint method = 0; method <= last_method; method++) {
      const GstClImplementation *row = gst_cl_implementation_choose (variants,
          n_rows, method, devices[d]);

      fail_unless (row != NULL, "method %d, device %u", method, d);
      fail_unless (method == 0 || row->method == method);
      fail_unless (row->family == GST_CL_FAMILY_ANY ||
                   row->family == devices[d]->family);
    }
  }

  for (guint i = 0; i < n_rows; i++) {
    fail_unless (variants[i].method != 0, "%s", variants[i].name);
    for (guint j = 0; j < i; j++)
      fail_if (g_str_equal (variants[i].name, variants[j].name));
  }
}

GST_START_TEST (test_every_method_has_a_row)
{
  expect_rows (gst_cl_integral_variants, GST_CL_INTEGRAL_METHOD_SINGLE_PASS);
  expect_rows (gst_cl_local_mean_variants, GST_CL_LOCAL_MEAN_METHOD_SLIDING);
  expect_rows (gst_cl_moments_variants, GST_CL_REDUCTION_OUTER);
}

GST_END_TEST;

GST_START_TEST (test_sums_get_a_row_that_takes_them)
{
  static const GstClDevice *const devices[] = { &cpu, &gpu };
  const GstClWindow window = { .kernel_width = 15, .kernel_height = 15 };
  const GstClWindow wide = { .kernel_width = 15, .kernel_height = 301 };
  const GstClLocalMeanSpec sums = { .window = window, .from_sums = TRUE };
  const GstClLocalMeanSpec samples = { .window = window };
  const GstClLocalMeanSpec many = { .window = wide };

  for (guint d = 0; d < G_N_ELEMENTS (devices); d++) {
    const GstClImplementation *row = gst_cl_local_mean_choose (
        GST_CL_LOCAL_MEAN_METHOD_AUTO, &sums, devices[d]);

    fail_unless (row && gst_cl_local_mean_takes_sums (row));
    fail_unless (gst_cl_local_mean_choose (GST_CL_LOCAL_MEAN_METHOD_SLIDING,
                     &sums, devices[d]) == NULL);
    row = gst_cl_local_mean_choose (GST_CL_LOCAL_MEAN_METHOD_SLIDING, &many,
        devices[d]);
    fail_unless (row && row->method == GST_CL_LOCAL_MEAN_METHOD_SLIDING);
    row = gst_cl_local_mean_choose (GST_CL_LOCAL_MEAN_METHOD_AUTO, &samples,
        devices[d]);
    fail_unless (row && row->method == GST_CL_LOCAL_MEAN_METHOD_SLIDING);
    row = gst_cl_local_mean_choose (GST_CL_LOCAL_MEAN_METHOD_AUTO, &many,
        devices[d]);
    fail_unless (
        row &&
        row->method == (devices[d] == &gpu ? GST_CL_LOCAL_MEAN_METHOD_DIRECT
                                           : GST_CL_LOCAL_MEAN_METHOD_SLIDING));
  }
}

GST_END_TEST;

static Suite *
variant_suite (void)
{
  Suite *suite = suite_create ("variant");
  TCase *choice = tcase_create ("choice");

  suite_add_tcase (suite, choice);
  tcase_add_test (choice, test_own_family_first);
  tcase_add_test (choice, test_auto_takes_the_first_of_its_family);
  tcase_add_test (choice, test_no_row);
  tcase_add_test (choice, test_every_method_has_a_row);
  tcase_add_test (choice, test_sums_get_a_row_that_takes_them);

  return suite;
}

GST_CHECK_MAIN (variant);
