/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Histograms of scopes, of progressive and interlaced pictures. */

#include "scopesreference.h"

#include "harness/frametest.h"

#define MAX_COMPONENTS GST_CL_PIXEL_COMPONENTS

/* What is counted: each makes other kernels. The first is for pictures of RGB
 * alone, and one of the others for each kind of format, in turn. */
static const struct {
  GstClScopesSource source;
  guint n_waveforms, waveform_bins, vectorscope_bins;
  gboolean has_rows_of_bins;
} variants[] = {
  { GST_CL_SCOPES_LUMA, 1, 256, 128, TRUE },
  { GST_CL_SCOPES_COMPONENTS, 3, 256, 256, FALSE },
  { GST_CL_SCOPES_COMPONENTS, 1, 1024, 64, TRUE },
  { GST_CL_SCOPES_RGB, 3, 256, 0, TRUE },
  { GST_CL_SCOPES_RGB, 3, 100, 0, FALSE },
  { GST_CL_SCOPES_COMPONENTS, 2, 1, 1024, TRUE },
  { GST_CL_SCOPES_COMPONENTS, 0, 0, 37, FALSE },
};
#define LUMA     0 /* variants */
#define N_OTHERS (G_N_ELEMENTS (variants) - 1)

static guint
choose_variants (Harness *h, const TestFormat *format)
{
  const gboolean has_luma = format->n_components > 1 &&
                            format->places[1].pixel_stride == 4 &&
                            format->places[1].x_shift == 0;
  guint chosen = has_luma ? 1 << LUMA : 0;

  for (guint i = 0; i < N_OTHERS; i++) {
    /* not in step with the types of samples */
    if (harness_draws (h, i + format->kind + h->seed / N_OTHERS, N_OTHERS))
      chosen |= 2u << i;
  }

  return chosen;
}

static gboolean
get_problem (const TestFrame *frame, guint variant, gpointer user_problem)
{
  GstClScopesProblem *problem = user_problem;

  *problem = (GstClScopesProblem){
    .source = variants[variant].source,
    .n_waveforms = variants[variant].n_waveforms,
    .waveform_bins = variants[variant].waveform_bins,
    .vectorscope_bins = variants[variant].vectorscope_bins,
    .has_rows_of_bins = variants[variant].has_rows_of_bins,
  };
  test_frame_get_shape (frame, MAX_COMPONENTS, &problem->picture);
  if (problem->source == GST_CL_SCOPES_COMPONENTS)
    problem->n_waveforms = MIN (problem->n_waveforms,
        problem->picture.n_components);
  if (problem->picture.n_components == 1)
    problem->vectorscope_bins = 0;
  gst_cl_yuv_matrix_init (&problem->yuv, 0.2126, 0.0722, 1, 1, 0,
      1 << (frame->sample.depth - 1));

  return problem->n_waveforms > 0 || problem->vectorscope_bins > 0;
}

static gboolean
compare (const FrameRun *run, GError **error)
{
  const GstClScopesProblem *problem = run->problem;
  const gsize n_most = (gsize) run->frame->width * MAX_COMPONENTS *
                           problem->waveform_bins +
                       (gsize) problem->vectorscope_bins *
                           problem->vectorscope_bins;
  g_autofree guint32 *want = g_new (guint32, n_most);
  const gsize n_words = ref_scopes (problem, run->bytes, &run->input, want);
  GstClScopesCounts got;

  if (!gst_cl_scopes_op_result (run->op, run->slot, &got, error))
    return FALSE;

  frame_run_compare (run, 0, "number of words", &got.layout.n_words, &n_words,
      1, sizeof n_words);
  frame_run_compare (run, 0, "word",
      problem->n_waveforms > 0 ? got.waveforms[0] : got.vectorscope, want,
      MIN (n_words, got.layout.n_words), sizeof *want);

  return TRUE;
}

/* More rows, and more pairs in a row, than counts of 16 bits can have. */
static void
check_large (Harness *h)
{
  static const TestSpacing spacing = { 0 };
  g_autoptr (TestFrame) tall = test_frame_new (h, test_format_find ("GRAY8"),
      test_samples[0], 3, 140000, spacing);
  g_autoptr (TestFrame) wide = test_frame_new (h, test_format_find ("Y444"),
      test_samples[0], 300001, 2, spacing);
  const GstClScopesProblem pairs = {
    .picture = { .n_components = MAX_COMPONENTS,
        .shapes = { wide->components[0], wide->components[1],
            wide->components[2] },
        .matrix = { .kind = GST_CL_RGB_YUV } },
    .vectorscope_bins = 4,
  };
  g_auto (FrameRun) of_rows = { 0 }, of_pairs = { 0 };

  if (frame_run_init (&of_rows, h, tall, 1 + h->seed % 2, NULL))
    frame_run_check_fill (&of_rows, 0, FILL_MAX);
  if (frame_run_init (&of_pairs, h, wide, 0, &pairs))
    frame_run_check_fill (&of_pairs, 0, FILL_MAX);
}

static const FrameTest test = {
  .funcs = &gst_cl_scopes_tiered,
  .n_components = MAX_COMPONENTS,
  .are_pictures = TRUE,
  .has_scan = TRUE,
  .many_samples = 8000,
  .choose_variants = choose_variants,
  .get_problem = get_problem,
  .compare = compare,
  .check_more = check_large,
};

int
main (int argc, char **argv)
{
  return frame_test_main (argc, argv, &test);
}
