/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Profiles of rows and columns. */

#include "profilesreference.h"

#include "harness/frametest.h"

static gboolean
get_problem (const TestFrame *frame, guint variant G_GNUC_UNUSED,
    gpointer user_problem)
{
  test_frame_get_shape (frame, GST_CL_PICTURE_MAX_COMPONENTS, user_problem);

  return TRUE;
}

static void
compare_profile (const FrameRun *run, guint c, const GstClProfile *got)
{
  GstClProfile want = ref_profile (run->bytes[c], &run->parts[c]);
  const struct {
    const gchar *what;
    const guint32 *got, *want;
    guint n;
  } arrays[] = {
    { "number of rows", &got->n_rows, &want.n_rows, 1 },
    { "number of columns", &got->n_columns, &want.n_columns, 1 },
    { "row-sum", got->row_sum, want.row_sum, want.n_rows },
    { "row-min", got->row_min, want.row_min, want.n_rows },
    { "row-max", got->row_max, want.row_max, want.n_rows },
    { "row-difference", got->row_difference, want.row_difference, want.n_rows },
    { "row-field-difference", got->row_field_difference,
        want.row_field_difference, want.n_rows },
    { "column-sum", got->column_sum, want.column_sum, want.n_columns },
    { "column-min", got->column_min, want.column_min, want.n_columns },
    { "column-max", got->column_max, want.column_max, want.n_columns },
    { "column-difference", got->column_difference, want.column_difference,
        want.n_columns },
  };

  for (guint i = 0; i < G_N_ELEMENTS (arrays); i++)
    frame_run_compare (run, c, arrays[i].what, arrays[i].got, arrays[i].want,
        arrays[i].n, sizeof (guint32));
  ref_profile_clear (&want);
}

static gboolean
compare (const FrameRun *run, GError **error)
{
  GstClProfile profiles[GST_CL_PICTURE_MAX_COMPONENTS];

  if (!gst_cl_profiles_op_result (run->op, run->slot, profiles, error))
    return FALSE;

  for (guint c = 0; c < run->n_components; c++)
    compare_profile (run, c, &profiles[c]);

  return TRUE;
}

/* Every vector of a row is full, and so are 16 bits of a sum. */
static void
check_large (Harness *h)
{
  g_autoptr (TestFrame) frame = test_frame_new (h, test_format_find ("GRAY8"),
      test_samples[0], 8209, 1201, (TestSpacing){ 0, 0, FALSE });
  g_auto (FrameRun) run;

  if (!frame_run_init (&run, h, frame, 0, NULL))
    return;
  frame_run_check_fill (&run, 0, FILL_MAX);
  frame_run_check_fill (&run, 0, FILL_ALTERNATING);
}

static const FrameTest test = {
  .funcs = &gst_cl_profiles_tiered,
  .n_components = GST_CL_PICTURE_MAX_COMPONENTS,
  .many_samples = 50000,
  .get_problem = get_problem,
  .compare = compare,
  .check_more = check_large,
};

int
main (int argc, char **argv)
{
  return frame_test_main (argc, argv, &test);
}
