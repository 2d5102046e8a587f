/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Light: every row of the table on pictures of every shape and on parts of
 * them, progressive and interlaced, compared with the reference. */

#include "lightreference.h"

#include "harness/testframe.h"
#include "harness/rows.h"

#include <string.h>

#define MAX_COMPONENTS  GST_CL_LIGHT_MAX_COMPONENTS
#define N_RANDOM_FRAMES 12
#define MANY_SAMPLES    8000
#define MAX_SAMPLES     40000 /* the reference filters each pixel alone */

static const GstClImplementation *
row_of_case (const Harness *h)
{
  return harness_row (h, &gst_cl_light_table);
}

static void
get_problem (const TestFrame *frame, GstClLightProblem *problem)
{
  const gint n_codes = 1 << frame->sample.depth;

  *problem = (GstClLightProblem){
    .n_components = MIN (frame->format->n_components, MAX_COMPONENTS),
    .parts = GST_CL_LIGHT_HISTOGRAM | GST_CL_LIGHT_LEVELS,
    /* filtered random samples are near the middle */
    .low = n_codes * 2 / 5,
    .high = n_codes * 3 / 5,
    .weights = { 0.2627, 0.678, 0.0593 },
  };
  for (guint c = 0; c < problem->n_components; c++)
    problem->shapes[c] = frame->components[c];
  test_frame_get_rgb (frame, &problem->matrix, &problem->x_shift,
      &problem->y_shift);
}

static gpointer
op_of_problem (Harness *h, const GstClLightProblem *problem)
{
  GstClCandidate candidate = gst_cl_implementation_untuned (row_of_case (h),
      problem, h->context->device);
  g_autoptr (GError) error = NULL;
  gpointer op = gst_cl_light_op_new (h->context, &candidate, problem, &error);

  if (!op)
    harness_fail (h, error, "cannot create an op");

  return op;
}

static gpointer
op_new (Harness *h, const TestFrame *frame)
{
  GstClLightProblem problem;

  get_problem (frame, &problem);

  return op_of_problem (h, &problem);
}

/* Measures @parts of @frame into @slot, and compares. */
static void
check_parts (Harness *h, GstClLightOp *op, const GstClLightProblem *problem,
    const TestFrame *frame, const GstClComponent *parts, gboolean is_interlaced,
    guint slot)
{
  const GstClPictureInput input = { parts, is_interlaced };
  const guint n_codes = 1u << problem->shapes[0].sample.depth;
  g_autofree guint32 *histogram = g_new (guint32, n_codes);
  const guint8 *bytes[MAX_COMPONENTS];
  GstClLightCounts want, found;
  g_autoptr (GError) error = NULL;

  for (guint c = 0; c < problem->n_components; c++)
    bytes[c] = test_frame_bytes (frame, c);
  ref_light (problem, bytes, &input, histogram, &want);
  if (!gst_cl_light_op_run (op, &input, &error) ||
      !gst_cl_light_op_fetch (op, slot, &error) ||
      !gst_cl_light_op_result (op, slot, &found, &error)) {
    harness_fail (h, error, "cannot measure %s %dx%d", frame->format->name,
        frame->width, frame->height);
    return;
  }

  if (found.n_pixels == want.n_pixels &&
      memcmp (found.histogram, histogram, n_codes * sizeof *histogram) == 0 &&
      memcmp (found.max, want.max, sizeof want.max) == 0 &&
      memcmp (found.n_beyond, want.n_beyond, sizeof want.n_beyond) == 0)
    return;
  harness_fail (h, NULL,
      "%s of %u bits, %dx%d pad %d guard %d, part %dx%d%s: found (expected) "
      "greatest %u (%u), %u (%u), %u (%u); beyond %u (%u), %u (%u), %u (%u), "
      "%u (%u)",
      frame->format->name, frame->sample.depth, frame->width, frame->height,
      frame->spacing.pad_bytes, frame->spacing.guard_bytes, parts[0].width,
      parts[0].height, is_interlaced ? " interlaced" : "", found.max[0],
      want.max[0], found.max[1], want.max[1], found.max[2], want.max[2],
      found.n_beyond[0], want.n_beyond[0], found.n_beyond[1], want.n_beyond[1],
      found.n_beyond[2], want.n_beyond[2], found.n_beyond[3], want.n_beyond[3]);
}

/* --- cases ---------------------------------------------------------------- */

static void
check_format (Harness *h, const TestFormat *format, GstClSampleType sample,
    gint width, gint height)
{
  g_autoptr (TestFrame) frame = NULL;
  const GstClImplementation *row = row_of_case (h);
  GstClLightProblem problem;
  g_autoptr (GstClLightOp) op = NULL;
  const gboolean is_random = h->is_small || width * height > MANY_SAMPLES;

  if (width * height > MAX_SAMPLES)
    return;
  frame = test_frame_new (h, format, sample, width, height,
      test_spacing_random (h));
  get_problem (frame, &problem);
  if (row->supports && !row->supports (row, &problem, h->context->device))
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
      GST_CL_LIGHT_SLOTS - 1);

  /* the left part has the same chroma, of which it needs no more */
  if (width > 4 && height > 4 && !is_random) {
    GstClComponent parts[MAX_COMPONENTS];

    for (guint c = 0; c < problem.n_components; c++) {
      parts[c] = problem.shapes[c];
      parts[c].width = (parts[c].width + 1) / 2;
      parts[c].height = MAX (parts[c].height - 1, 1);
    }
    check_parts (h, op, &problem, frame, parts, TRUE, 0);
  }
}

/* Runs a picture of GstClComponent as a progressive one. */
static gboolean
run_progressive (gpointer op, gconstpointer components, GError **error)
{
  const GstClPictureInput input = { components, FALSE };

  return gst_cl_light_op_run (op, &input, error);
}

static const TestFrameOp frame_op = {
  .create = op_new,
  .run = run_progressive,
  .free = gst_cl_light_op_free,
  .n_components = MAX_COMPONENTS,
};

static void
check_row (Harness *h)
{
  test_frames_each (h, N_RANDOM_FRAMES, TRUE, check_format);
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
  return harness_rows_main (argc, argv, &gst_cl_light_table, check_row,
      bench_row, NULL, 0);
}
