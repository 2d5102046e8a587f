/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Scopes: every row of the table on pictures of every shape and on parts of
 * them, compared with the reference. */

#include "scopesreference.h"

#include "harness/rows.h"
#include "harness/testframe.h"

#define MAX_COMPONENTS  GST_CL_SCOPES_MAX_COMPONENTS
#define N_RANDOM_FRAMES 8
#define MANY_SAMPLES    8000

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

static const GstClImplementation *
row_of_case (const Harness *h)
{
  return harness_row (h, &gst_cl_scopes_table);
}

/* Returns FALSE if the format has nothing to count. */
static gboolean
get_problem (const TestFrame *frame, guint variant, GstClScopesProblem *problem)
{
  *problem = (GstClScopesProblem){
    .n_components = MIN (frame->format->n_components, MAX_COMPONENTS),
    .source = variants[variant].source,
    .n_waveforms = variants[variant].n_waveforms,
    .waveform_bins = variants[variant].waveform_bins,
    .vectorscope_bins = variants[variant].vectorscope_bins,
    .has_rows_of_bins = variants[variant].has_rows_of_bins,
  };
  if (problem->source == GST_CL_SCOPES_COMPONENTS)
    problem->n_waveforms = MIN (problem->n_waveforms, problem->n_components);
  if (problem->n_components == 1)
    problem->vectorscope_bins = 0;
  for (guint c = 0; c < problem->n_components; c++)
    problem->shapes[c] = frame->components[c];
  test_frame_get_rgb (frame, &problem->matrix, &problem->x_shift,
      &problem->y_shift);

  gst_cl_yuv_matrix_init (&problem->yuv, 0.2126, 0.0722, 1, 1, 0,
      1 << (frame->sample.depth - 1));

  return problem->n_waveforms > 0 || problem->vectorscope_bins > 0;
}

static gpointer
op_of_problem (Harness *h, const GstClScopesProblem *problem)
{
  GstClCandidate candidate = gst_cl_implementation_untuned (row_of_case (h),
      problem, h->context->device);
  g_autoptr (GError) error = NULL;
  gpointer op = gst_cl_scopes_op_new (h->context, &candidate, problem, &error);

  if (!op)
    harness_fail (h, error, "cannot create an op");

  return op;
}

/* Counts @parts of @frame into @slot, and compares. */
static void
check_parts (Harness *h, GstClScopesOp *op, const GstClScopesProblem *problem,
    const TestFrame *frame, const GstClComponent *parts, gboolean is_interlaced,
    guint slot)
{
  const GstClPictureInput input = { parts, is_interlaced };
  const gsize n_most = (gsize) frame->width * MAX_COMPONENTS *
                           problem->waveform_bins +
                       (gsize) problem->vectorscope_bins *
                           problem->vectorscope_bins;
  g_autofree guint32 *want = g_new (guint32, n_most);
  const guint8 *bytes[MAX_COMPONENTS];
  const guint32 *found;
  GstClScopesCounts counts;
  gsize n_words;
  g_autoptr (GError) error = NULL;

  for (guint c = 0; c < problem->n_components; c++)
    bytes[c] = test_frame_bytes (frame, c);
  n_words = ref_scopes (problem, bytes, &input, want);
  if (!gst_cl_scopes_op_run (op, &input, &error) ||
      !gst_cl_scopes_op_fetch (op, slot, &error) ||
      !gst_cl_scopes_op_result (op, slot, &counts, &error)) {
    harness_fail (h, error, "cannot count %s %dx%d", frame->format->name,
        frame->width, frame->height);
    return;
  }

  found = problem->n_waveforms > 0 ? counts.waveforms[0] : counts.vectorscope;
  if (counts.layout.n_words != n_words) {
    harness_fail (h, NULL,
        "%" G_GSIZE_FORMAT " words instead of %" G_GSIZE_FORMAT,
        counts.layout.n_words, n_words);
    return;
  }
  for (gsize i = 0; i < n_words; i++) {
    if (found[i] != want[i]) {
      harness_fail (h, NULL,
          "%s of %u bits, %dx%d, part %dx%d, bins %u and %u: word "
          "%" G_GSIZE_FORMAT " of %" G_GSIZE_FORMAT " is %u, not %u",
          frame->format->name, frame->sample.depth, frame->width, frame->height,
          parts[0].width, parts[0].height, problem->waveform_bins,
          problem->vectorscope_bins, i, n_words, found[i], want[i]);
      return;
    }
  }
}

/* --- cases ---------------------------------------------------------------- */

static void
check_variant (Harness *h, TestFrame *frame, guint variant)
{
  const gboolean is_random = h->is_small ||
                             frame->width * frame->height > MANY_SAMPLES;
  GstClScopesProblem problem;
  g_autoptr (GstClScopesOp) op = NULL;

  if (!get_problem (frame, variant, &problem))
    return;
  op = op_of_problem (h, &problem);
  if (!op)
    return;

  for (FillType fill = is_random ? FILL_RANDOM : 0; fill < N_FILL_TYPES;
       fill++) {
    test_frame_fill (h, frame, fill);
    check_parts (h, op, &problem, frame, problem.shapes, fill % 2, fill);
  }
  check_parts (h, op, &problem, frame, problem.shapes, FALSE,
      GST_CL_SCOPES_SLOTS - 1);

  /* the left part has the same chroma, of which it needs no more */
  if (frame->width > 4 && frame->height > 4) {
    GstClComponent parts[MAX_COMPONENTS];

    for (guint c = 0; c < problem.n_components; c++) {
      parts[c] = problem.shapes[c];
      parts[c].width = (parts[c].width + 1) / 2;
      parts[c].height = MAX (parts[c].height - 1, 1);
    }
    check_parts (h, op, &problem, frame, parts, TRUE, 0);
  }
}

static void
check_format (Harness *h, const TestFormat *format, GstClSampleType sample,
    gint width, gint height)
{
  g_autoptr (TestFrame) frame = test_frame_new (h, format, sample, width,
      height, test_spacing_random (h));

  for (guint i = 0; i < N_OTHERS; i++) {
    /* not in step with the types of samples */
    if (harness_draws (h, i + format->kind + h->seed / N_OTHERS, N_OTHERS))
      check_variant (h, frame, 1 + i);
  }
  if (format->n_components > 1 && format->places[1].pixel_stride == 4 &&
      format->places[1].x_shift == 0)
    check_variant (h, frame, LUMA);
}

/* Checks the counts of a frame whose samples are all the greatest code. */
static void
check_filled (Harness *h, TestFrame *frame, const GstClScopesProblem *problem)
{
  g_autoptr (GstClScopesOp) op = op_of_problem (h, problem);

  if (!op)
    return;
  test_frame_fill (h, frame, FILL_MAX);
  check_parts (h, op, problem, frame, problem->shapes, FALSE, 0);
}

/* More rows, and more pairs in a row, than counts of 16 bits can have. */
static void
check_large (Harness *h)
{
  static const TestSpacing spacing = { 0 };
  const GstClSampleType sample = { .bytes = 1, .depth = 8 };
  g_autoptr (TestFrame) tall = test_frame_new (h, test_format_find ("GRAY8"),
      sample, 3, 140000, spacing);
  g_autoptr (TestFrame) wide = test_frame_new (h, test_format_find ("Y444"),
      sample, 300001, 2, spacing);
  GstClScopesProblem problem;

  get_problem (tall, 1 + h->seed % 2, &problem);
  check_filled (h, tall, &problem);

  problem = (GstClScopesProblem){ .n_components = MAX_COMPONENTS,
    .matrix = { .kind = GST_CL_RGB_YUV },
    .vectorscope_bins = 4 };
  for (guint c = 0; c < MAX_COMPONENTS; c++)
    problem.shapes[c] = wide->components[c];
  check_filled (h, wide, &problem);
}

static gpointer
op_new (Harness *h, const TestFrame *frame)
{
  GstClScopesProblem problem;

  return get_problem (frame, 1, &problem) ? op_of_problem (h, &problem) : NULL;
}

/* Runs a picture of GstClComponent as a progressive one. */
static gboolean
run_progressive (gpointer op, gconstpointer components, GError **error)
{
  const GstClPictureInput input = { components, FALSE };

  return gst_cl_scopes_op_run (op, &input, error);
}

static const TestFrameOp frame_op = {
  .create = op_new,
  .run = run_progressive,
  .free = gst_cl_scopes_op_free,
  .n_components = MAX_COMPONENTS,
};

static void
check_row (Harness *h)
{
  test_frames_each (h, N_RANDOM_FRAMES, TRUE, check_format);
  if (!h->is_small)
    check_large (h);
  test_frame_op_refusals (h, &frame_op);
}

static void
bench_row (Harness *h)
{
  test_frame_op_bench (h, &frame_op);
}

int
main (int argc, char **argv)
{
  return harness_rows_main (argc, argv, &gst_cl_scopes_table, check_row,
      bench_row, NULL, 0);
}
