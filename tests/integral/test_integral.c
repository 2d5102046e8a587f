/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Integral images: every row against the scalar reference. */

#include "integralbench.h"
#include "integralcase.h"

#include <string.h>

/* Sizes tested with each kernel that is built; random numbers select them. */
#define SIZES_PER_SHAPE 5
#define REPEATED_RUNS   300
#define REPEATED_SIZE   211 /* largest side of those */

/* The memory layouts of components: the closed sets that kernels are built
 * for. */
typedef struct {
  gint channels, pixel_stride;
  gboolean is_planar; /* each component in a buffer of its own */
} Shape;

static const Shape shapes[] = {
  /* clang-format off */
  { 1, 1, FALSE }, { 1, 2, FALSE }, { 1, 3, FALSE }, { 1, 4, FALSE },
  { 2, 2, FALSE }, { 3, 1, TRUE },  { 3, 3, FALSE }, { 3, 4, FALSE },
  { 4, 4, FALSE },
  /* clang-format on */
};

/* Types of arrays. */
typedef struct {
  GstClIntegralKind kind;
  guint bytes;
  gboolean is_float;
} Array;

static const Array arrays[] = {
  /* clang-format off */
  { GST_CL_INTEGRAL_SUM, 4, FALSE },     { GST_CL_INTEGRAL_SUM, 8, FALSE },
  { GST_CL_INTEGRAL_SUM, 4, TRUE },
  { GST_CL_INTEGRAL_SQUARES, 8, FALSE }, { GST_CL_INTEGRAL_SQUARES, 8, TRUE },
  /* clang-format on */
};

static const Array tilted_arrays[] = {
  { GST_CL_INTEGRAL_TILTED, 4, FALSE },
  { GST_CL_INTEGRAL_TILTED, 8, FALSE },
  { GST_CL_INTEGRAL_TILTED, 4, TRUE },
};

/* ---- checks of one row ---- */

/* Two frames through one op: the results of the second must not depend on the
 * first. */
static void
check_op (Harness *h, GstClIntegralOp *op, const GstClIntegralProblem *problem,
    gboolean is_planar)
{
  IntegralCase pair;

  integral_case_init (h, &pair, problem, is_planar);
  integral_case_check (h, &pair, op,
      g_rand_int_range (h->rand, 0, N_FILL_TYPES));
  integral_case_check (h, &pair, op, FILL_RANDOM);
  integral_case_clear (&pair);
}

static void
check_problem (Harness *h, const GstClImplementation *row,
    const GstClIntegralProblem *problem, gboolean is_planar)
{
  g_autoptr (GstClIntegralOp) op = integral_case_op (h, row, problem);

  if (op)
    check_op (h, op, problem, is_planar);
}

static void
check_shape (Harness *h, const GstClImplementation *row, const Shape *shape,
    const Array *array, const GstClSampleType *sample)
{
  const guint n = harness_count (h, 2 * SIZES_PER_SHAPE, 1);
  guint n_sizes;
  const TestSize *sizes = harness_sizes (h, &n_sizes);

  for (guint i = 0; i < n; i++) {
    const TestSize *size = &sizes[g_rand_int_range (h->rand, 0, n_sizes)];
    const GstClIntegralProblem problem = {
      .width = size->width,
      .height = size->height,
      .channels = shape->channels,
      .pixel_stride_bytes = shape->pixel_stride * (gint) sample->bytes,
      .sample = *sample,
      .layout = i & 1 ? GST_CL_LAYOUT_EXCLUSIVE : GST_CL_LAYOUT_INCLUSIVE,
      .sum_bytes = array->bytes,
      .is_float = array->is_float,
      .kind = array->kind,
      .starts_at_word = i & 2 && array->bytes == 8,
    };

    check_problem (h, row, &problem, shape->is_planar);
  }
}

/* The shape of most frames, at every size. */
static void
check_sizes (Harness *h, const GstClImplementation *row)
{
  guint n_sizes;
  const TestSize *sizes = harness_sizes (h, &n_sizes);

  for (guint i = 0; i < n_sizes; i++) {
    for (guint layout = 0; layout < 2; layout++) {
      const GstClIntegralProblem problem = {
        .width = sizes[i].width,
        .height = sizes[i].height,
        .channels = 1,
        .pixel_stride_bytes = 1,
        .sample = test_samples[0],
        .layout = layout ? GST_CL_LAYOUT_EXCLUSIVE : GST_CL_LAYOUT_INCLUSIVE,
        .sum_bytes = 4,
      };

      check_problem (h, row, &problem, FALSE);
    }
  }
}

/* White frames of 16 bits and, for the first array, of 8, large enough for a
 * sum above 2^32: it wraps in four bytes, not in eight nor in a float. Sums of
 * squares of 16 bits exceed 2^53, the largest range that a double represents
 * exactly. */
static void
check_wrap (Harness *h, const GstClImplementation *row)
{
  for (guint n = 0; n <= G_N_ELEMENTS (arrays); n++) {
    const gboolean is_wide = n < G_N_ELEMENTS (arrays);
    const Array *array = &arrays[is_wide ? n : 0];
    const GstClSampleType
        *sample = &test_samples[is_wide ? n_test_samples - 1 : 0];
    const gint side = sample->bytes == 1 ? 4111 : 1451;
    const GstClIntegralProblem problem = {
      .width = side,
      .height = side,
      .channels = 1,
      .pixel_stride_bytes = (gint) sample->bytes,
      .sample = *sample,
      .layout = GST_CL_LAYOUT_INCLUSIVE,
      .sum_bytes = array->bytes,
      .is_float = array->is_float,
      .kind = array->kind,
    };
    g_autoptr (GstClIntegralOp) op = integral_case_op (h, row, &problem);
    IntegralCase pair;

    if (!op)
      return;

    integral_case_init (h, &pair, &problem, FALSE);
    integral_case_check (h, &pair, op, FILL_MAX);
    integral_case_clear (&pair);
  }
}

static void
check_row (Harness *h)
{
  const GstClImplementation *row = integral_case_row (h);
  const Shape
      *shape = &shapes[g_rand_int_range (h->rand, 0, G_N_ELEMENTS (shapes))];

  check_sizes (h, row);
  for (guint i = 0; i < G_N_ELEMENTS (shapes); i++) {
    if (i > 0 && !harness_draws (h, i, 2))
      continue;
    check_shape (h, row, &shapes[i], &arrays[0], &test_samples[0]);
  }
  /* Each is one more build of the kernels for CPUs: array and sample types with
   * one shape per run. */
  for (guint n = 1; n < G_N_ELEMENTS (arrays); n++)
    check_shape (h, row, shape, &arrays[n], &test_samples[0]);
  for (guint s = 1; s < n_test_samples; s++)
    check_shape (h, row, shape, &arrays[s % G_N_ELEMENTS (arrays)],
        &test_samples[s]);
  if (!h->is_small)
    check_wrap (h, row);
}

static void
check_tilted (Harness *h)
{
  const GstClImplementation *row = integral_case_row (h);

  for (guint i = 0; i < G_N_ELEMENTS (shapes); i++) {
    for (guint n = 0; n < G_N_ELEMENTS (tilted_arrays); n++)
      check_shape (h, row, &shapes[i], &tilted_arrays[n],
          &test_samples[(i + n) % n_test_samples]);
  }
}

/* The kernels that `auto` may choose on a device of @family. Each tile is a
 * program of its own: one of them per run. */
static void
check_candidates_of (Harness *h, GstClFamily family)
{
  GstClDevice device = *h->context->device;
  const GstClIntegralProblem problem = {
    .width = 777,
    .height = 333,
    .channels = 1,
    .pixel_stride_bytes = 1,
    .sample = test_samples[0],
    .sum_bytes = 4,
  };
  GstClCandidate candidates[GST_CL_MAX_CANDIDATES];
  guint n_candidates, tried;

  device.family = family;
  n_candidates = gst_cl_op_table_candidates (&gst_cl_integral_table, &problem,
      &device, candidates);
  tried = (guint) g_rand_int_range (h->rand, 0, (gint) n_candidates);

  for (guint i = 0; i < n_candidates; i++) {
    g_autoptr (GstClIntegralOp) op = NULL;

    if (i != tried && family != h->context->device->family)
      continue;
    op = integral_case_candidate (h, &candidates[i], &problem);
    if (op)
      check_op (h, op, &problem, FALSE);
  }
}

static void
check_candidates (Harness *h)
{
  check_candidates_of (h, GST_CL_FAMILY_CPU);
  check_candidates_of (h, GST_CL_FAMILY_GPU);
}

/* ---- async copies compared with multi-pass, repeatedly ---- */

/* A missing barrier or wait is only detected in some runs, so that the same and
 * other sizes are run many times. */
static void
check_repeated (Harness *h)
{
  const GstClImplementation *async = integral_row ("async-copy");
  const GstClImplementation *multi_pass = integral_row ("multi-pass");

  const guint n_runs = harness_count (h, REPEATED_RUNS, 3);
  const gint largest = (gint) harness_count (h, REPEATED_SIZE, 71);

  for (guint i = 0; i < n_runs && h->n_failed == 0; i++) {
    const GstClIntegralProblem problem = {
      .width = g_rand_int_range (h->rand, 1, largest) | 1,
      .height = g_rand_int_range (h->rand, 1, largest) | 1,
      .channels = 1,
      .pixel_stride_bytes = g_rand_int_range (h->rand, 1, 5),
      .sample = test_samples[0],
      .layout = g_rand_boolean (h->rand),
      .sum_bytes = g_rand_boolean (h->rand) ? 8 : 4,
    };
    g_autoptr (GstClIntegralOp)
        async_op = integral_case_op (h, async, &problem);
    g_autoptr (GstClIntegralOp)
        multi_pass_op = integral_case_op (h, multi_pass, &problem);
    g_autoptr (GError) error = NULL;
    IntegralCase pair;

    if (!async_op || !multi_pass_op)
      return;

    integral_case_init (h, &pair, &problem, FALSE);
    integral_case_check (h, &pair, multi_pass_op, FILL_RANDOM);
    memcpy (pair.want, pair.got, pair.size_bytes);
    if (!integral_case_run (h, &pair, async_op, &error))
      harness_fail (h, error, "run %u: the op with asynchronous copies fails",
          i);
    else
      test_bytes_equal (h, pair.got, pair.want, pair.size_bytes,
          "run %u: %dx%d, sums of %u bytes, multi-pass expected", i,
          problem.width, problem.height, problem.sum_bytes);
    integral_case_clear (&pair);
  }
}

/* ---- a single pass that gives up ---- */

/* An op must fall back to several passes within this number of frames after one
 * gave up. */
#define MAX_FRAMES_TO_FALL_BACK 32

/* Every frame is correct, before and after the op has fallen back to several
 * passes. */
static void
check_fall_back (Harness *h, const GstClIntegralProblem *problem)
{
  const GstClImplementation *row = integral_row ("single-pass");
  g_autoptr (GstClIntegralOp) op = integral_case_op (h, row, problem);
  g_autoptr (GstClIntegralOp) next = NULL;
  IntegralCase pair;

  if (!op)
    return;

  if (gst_cl_integral_op_has_fallen_back (op))
    harness_fail (h, NULL,
        "a new op on a new context has fallen back to several passes");
  integral_case_init (h, &pair, problem, FALSE);
  for (guint i = 0; i < MAX_FRAMES_TO_FALL_BACK && h->n_failed == 0; i++)
    integral_case_check (h, &pair, op, FILL_RANDOM);
  if (!gst_cl_integral_op_has_fallen_back (op))
    harness_fail (h, NULL,
        "the op has not fallen back to several passes after %d frames",
        MAX_FRAMES_TO_FALL_BACK);

  next = integral_case_op (h, row, problem);
  if (next && !gst_cl_integral_op_has_fallen_back (next))
    harness_fail (h, NULL,
        "the next op of the context has not fallen back to several passes");
  if (next)
    integral_case_check (h, &pair, next, FILL_RANDOM);
  integral_case_clear (&pair);
}

/* The spin limit is 0: each tile except the first is left to the last group.
 * Uses a new context for each problem, because a context stops using single
 * passes once one gave up. */
static void
check_giving_up (Harness *h)
{
  for (guint i = 0; i < 2; i++) {
    const GstClIntegralProblem problem = {
      .width = 1032 - i,
      .height = 211,
      .channels = 1 + 2 * i,
      .pixel_stride_bytes = 1 + 2 * i,
      .layout = i ? GST_CL_LAYOUT_EXCLUSIVE : GST_CL_LAYOUT_INCLUSIVE,
      .sum_bytes = 4,
      .sample = { 1, 8, 0 },
    };
    g_autoptr (GError) error = NULL;
    g_autoptr (GstClContext)
        context = gst_cl_context_new (h->context->device, FALSE, &error);
    Harness other = *h;

    if (!context) {
      harness_fail (h, error, "cannot create a context");
      return;
    }

    g_setenv ("GST_OPENCL_SPIN_LIMIT", "0", TRUE);
    other.context = context;
    check_fall_back (&other, &problem);
    h->n_failed = other.n_failed;
    g_unsetenv ("GST_OPENCL_SPIN_LIMIT");
  }
}

int
main (int argc, char **argv)
{
  const GstClImplementation *rows = gst_cl_integral_table.rows;
  const guint n_rows = gst_cl_integral_table.n_rows;
  g_autoptr (GPtrArray) names = g_ptr_array_new_with_free_func (g_free);
  g_autofree HarnessCase *cases = g_new0 (HarnessCase, n_rows + 3);

  for (guint i = 0; i < n_rows; i++) {
    const gboolean is_tilted = g_str_equal (rows[i].name, "tilted");

    g_ptr_array_add (names,
        g_strconcat (INTEGRAL_CASE_PREFIX, rows[i].name, NULL));
    cases[i] = (HarnessCase){ g_ptr_array_index (names, i),
      is_tilted ? check_tilted : check_row,
      is_tilted ? integral_bench_tilted : integral_bench_row, FALSE };
  }
  cases[n_rows] = (HarnessCase){ INTEGRAL_CASE_PREFIX "async-copy-repeated",
    check_repeated, NULL, FALSE };
  cases[n_rows + 1] = (HarnessCase){ INTEGRAL_CASE_PREFIX
    "single-pass-gives-up",
    check_giving_up, NULL, TRUE };
  cases[n_rows + 2] = (HarnessCase){ INTEGRAL_CASE_PREFIX "candidates",
    check_candidates, NULL, FALSE };

  return harness_main (argc, argv, cases, n_rows + 3);
}
