/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Light, of progressive and interlaced pictures. */

#include "lightreference.h"

#include "harness/frametest.h"

static gboolean
get_problem (const TestFrame *frame, guint variant G_GNUC_UNUSED,
    gpointer user_problem)
{
  GstClLightProblem *problem = user_problem;
  const gint n_codes = 1 << frame->sample.depth;

  *problem = (GstClLightProblem){
    .parts = GST_CL_LIGHT_HISTOGRAM | GST_CL_LIGHT_LEVELS,
    /* filtered random samples are near the middle */
    .low = n_codes * 2 / 5,
    .high = n_codes * 3 / 5,
    .weights = { 0.2627, 0.678, 0.0593 },
  };
  test_frame_get_shape (frame, GST_CL_PIXEL_COMPONENTS, &problem->picture);

  return TRUE;
}

static gboolean
compare (const FrameRun *run, GError **error)
{
  const guint n_codes = 1u << run->frame->sample.depth;
  g_autofree guint32 *histogram = g_new (guint32, n_codes);
  GstClLightCounts want, got;

  if (!gst_cl_light_op_result (run->op, run->slot, &got, error))
    return FALSE;

  ref_light (run->problem, run->bytes, &run->input, histogram, &want);
  frame_run_compare (run, 0, "pixels", &got.n_pixels, &want.n_pixels, 1,
      sizeof want.n_pixels);
  frame_run_compare (run, 0, "code", got.histogram, histogram, n_codes,
      sizeof *histogram);
  frame_run_compare (run, 0, "greatest", got.max, want.max,
      G_N_ELEMENTS (want.max), sizeof *want.max);
  frame_run_compare (run, 0, "beyond", got.n_beyond, want.n_beyond,
      G_N_ELEMENTS (want.n_beyond), sizeof *want.n_beyond);

  return TRUE;
}

static const FrameTest test = {
  .funcs = &gst_cl_light_tiered,
  .n_components = GST_CL_PIXEL_COMPONENTS,
  .are_pictures = TRUE,
  .has_scan = TRUE,
  .many_samples = 8000, /* the reference filters each pixel alone */
  .max_samples = 40000,
  .get_problem = get_problem,
  .compare = compare,
};

int
main (int argc, char **argv)
{
  return frame_test_main (argc, argv, &test);
}
