/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Integral images: every variant against the scalar reference. */

#include "integralcase.h"

#include <string.h>

#define CASE_PREFIX "integral/"

/* Sizes tried for each kernel that is built; the random numbers choose
 * which. */
#define SIZES_PER_SHAPE 5
#define REPEATED_RUNS   300
#define REPEATED_SIZE   211 /* largest side of those */

/* How components lie in memory: the closed sets that kernels are built for. */
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

/* What an array may hold. */
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

/* ---- checks of one variant ---- */

static const GstClImplementation *
current_variant (const Harness *h)
{
  return integral_variant (h->label + strlen (CASE_PREFIX));
}

static GstClIntegralOp *
new_op (Harness *h, const GstClImplementation *variant,
    const GstClIntegralSpec *spec)
{
  g_autoptr (GError) error = NULL;
  GstClIntegralOp *op = gst_cl_integral_op_new (h->context, variant, spec,
      &error);

  if (!op)
    harness_fail (h, error, "new %s %dx%d", variant->name, spec->width,
        spec->height);

  return op;
}

/* Two frames through one op: nothing of the first may show in the second. */
static void
check_spec (Harness *h, const GstClImplementation *variant,
    const GstClIntegralSpec *spec, gboolean is_planar)
{
  g_autoptr (GstClIntegralOp) op = new_op (h, variant, spec);
  Trial trial;

  if (!op)
    return;

  trial_init (h, &trial, spec, is_planar);
  trial_check (h, &trial, op, g_rand_int_range (h->rand, 0, N_FILL_TYPES));
  trial_check (h, &trial, op, FILL_RANDOM);
  trial_clear (&trial);
}

static void
check_shape (Harness *h, const GstClImplementation *variant, const Shape *shape,
    const Array *array, const GstClSampleType *sample)
{
  const guint n = harness_count (h, 2 * SIZES_PER_SHAPE, 1);
  guint n_sizes;
  const TestSize *sizes = harness_sizes (h, &n_sizes);

  for (guint i = 0; i < n; i++) {
    const TestSize *size = &sizes[g_rand_int_range (h->rand, 0, n_sizes)];
    const GstClIntegralSpec spec = {
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

    check_spec (h, variant, &spec, shape->is_planar);
  }
}

/* The shape that most frames have, at every size. */
static void
check_sizes (Harness *h, const GstClImplementation *variant)
{
  guint n_sizes;
  const TestSize *sizes = harness_sizes (h, &n_sizes);

  for (guint i = 0; i < n_sizes; i++) {
    for (guint layout = 0; layout < 2; layout++) {
      const GstClIntegralSpec spec = {
        .width = sizes[i].width,
        .height = sizes[i].height,
        .channels = 1,
        .pixel_stride_bytes = 1,
        .sample = test_samples[0],
        .layout = layout ? GST_CL_LAYOUT_EXCLUSIVE : GST_CL_LAYOUT_INCLUSIVE,
        .sum_bytes = 4,
      };

      check_spec (h, variant, &spec, FALSE);
    }
  }
}

/* White frames of 16 bits, and for the first array of 8, as large as it takes
 * for a sum to pass 2^32: it wraps in four bytes, not in eight nor in a float.
 * Squares of 16 bits pass 2^53, what a double holds exactly. */
static void
check_wrap (Harness *h, const GstClImplementation *variant)
{
  for (guint n = 0; n <= G_N_ELEMENTS (arrays); n++) {
    const gboolean is_wide = n < G_N_ELEMENTS (arrays);
    const Array *array = &arrays[is_wide ? n : 0];
    const GstClSampleType
        *sample = &test_samples[is_wide ? n_test_samples - 1 : 0];
    const gint side = sample->bytes == 1 ? 4111 : 1451;
    const GstClIntegralSpec spec = {
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
    g_autoptr (GstClIntegralOp) op = new_op (h, variant, &spec);
    Trial trial;

    if (!op)
      return;

    trial_init (h, &trial, &spec, FALSE);
    trial_check (h, &trial, op, FILL_MAX);
    trial_clear (&trial);
  }
}

static void
check_variant (Harness *h)
{
  const GstClImplementation *variant = current_variant (h);

  check_sizes (h, variant);
  for (guint i = 0; i < G_N_ELEMENTS (shapes); i++) {
    /* of variants that are not for this device one half */
    if (i > 0 && variant->family != h->context->device->family &&
        g_rand_boolean (h->rand))
      continue;
    check_shape (h, variant, &shapes[i], &arrays[0], &test_samples[0]);
    /* each is one more build of the kernels: a part of them a run */
    for (guint n = 1; n < G_N_ELEMENTS (arrays); n++) {
      if (i == 0 || g_rand_int_range (h->rand, 0, 12) == 0)
        check_shape (h, variant, &shapes[i], &arrays[n], &test_samples[0]);
    }
    for (guint s = 1; s < n_test_samples; s++) {
      if (i == 0 || g_rand_int_range (h->rand, 0, 24) == 0)
        check_shape (h, variant, &shapes[i],
            &arrays[g_rand_int_range (h->rand, 0, G_N_ELEMENTS (arrays))],
            &test_samples[s]);
    }
  }
  if (!h->is_small)
    check_wrap (h, variant);
}

/* Tilted sums are made in one way, whatever the variant. */
static void
check_tilted (Harness *h)
{
  const GstClImplementation *variant = integral_variant ("multi-pass");

  /* each shape is a program; a third of them a run */
  for (guint i = 0; i < G_N_ELEMENTS (shapes); i++) {
    if (i > 0 && g_rand_int_range (h->rand, 0, 3) > 0)
      continue;
    for (guint n = 0; n < G_N_ELEMENTS (tilted_arrays); n++)
      check_shape (h, variant, &shapes[i], &tilted_arrays[n],
          &test_samples[(i + n) % n_test_samples]);
  }
}

/* What `auto` may choose on a device of @family. Tiles are programs of their
 * own: one of them a run. */
static void
check_ways_of (Harness *h, GstClFamily family)
{
  GstClDevice device = *h->context->device;
  GstClIntegralSpec spec = {
    .width = 777,
    .height = 333,
    .channels = 1,
    .pixel_stride_bytes = 1,
    .sample = test_samples[0],
    .sum_bytes = 4,
  };
  GstClIntegralWay ways[GST_CL_INTEGRAL_MAX_WAYS];
  guint n_ways, tried;

  device.family = family;
  n_ways = gst_cl_integral_ways (&device, &spec, ways);
  tried = (guint) g_rand_int_range (h->rand, 0, (gint) n_ways);

  for (guint i = 0; i < n_ways; i++) {
    spec.tiling = ways[i].tiling;
    if (i == tried || family == h->context->device->family)
      check_spec (h, ways[i].variant, &spec, FALSE);
  }
}

static void
check_ways (Harness *h)
{
  check_ways_of (h, GST_CL_FAMILY_CPU);
  check_ways_of (h, GST_CL_FAMILY_GPU);
}

/* ---- async copies against multi-pass, again and again ---- */

/* A missing barrier or wait shows in some runs only, so the same and other
 * sizes are tried many times. */
static void
check_repeated (Harness *h)
{
  const GstClImplementation *async = integral_variant ("async-copy");
  const GstClImplementation *multi_pass = integral_variant ("multi-pass");

  const guint n_runs = harness_count (h, REPEATED_RUNS, 3);
  const gint largest = (gint) harness_count (h, REPEATED_SIZE, 71);

  for (guint i = 0; i < n_runs && h->n_failed == 0; i++) {
    const GstClIntegralSpec spec = {
      .width = g_rand_int_range (h->rand, 1, largest) | 1,
      .height = g_rand_int_range (h->rand, 1, largest) | 1,
      .channels = 1,
      .pixel_stride_bytes = g_rand_int_range (h->rand, 1, 5),
      .sample = test_samples[0],
      .layout = g_rand_boolean (h->rand),
      .sum_bytes = g_rand_boolean (h->rand) ? 8 : 4,
    };
    g_autoptr (GstClIntegralOp) async_op = new_op (h, async, &spec);
    g_autoptr (GstClIntegralOp) multi_pass_op = new_op (h, multi_pass, &spec);
    g_autoptr (GError) error = NULL;
    Trial trial;

    if (!async_op || !multi_pass_op)
      return;

    trial_init (h, &trial, &spec, FALSE);
    trial_check (h, &trial, multi_pass_op, FILL_RANDOM);
    memcpy (trial.want, trial.got, trial.size_bytes);
    if (!trial_run (h, &trial, async_op, &error))
      harness_fail (h, error, "run %u", i);
    else
      test_bytes_equal (h, trial.got, trial.want, trial.size_bytes,
          "run %u: %dx%d, %u byte sums", i, spec.width, spec.height,
          spec.sum_bytes);
    trial_clear (&trial);
  }
}

/* ---- a single pass that waits in vain ---- */

/* Frames after which an op must know that one of them gave up. */
#define FRAMES_TO_KNOW 32

/* Every frame is right, those before the op knows and those after. */
static void
check_until_known (Harness *h, const GstClIntegralSpec *spec)
{
  const GstClImplementation *variant = integral_variant ("single-pass");
  g_autoptr (GstClIntegralOp) op = new_op (h, variant, spec);
  g_autoptr (GstClIntegralOp) next = NULL;
  Trial trial;

  if (!op)
    return;

  if (gst_cl_integral_op_has_given_up (op))
    harness_fail (h, NULL, "a new op on a new context has given up");
  trial_init (h, &trial, spec, FALSE);
  for (guint i = 0; i < FRAMES_TO_KNOW && h->n_failed == 0; i++)
    trial_check (h, &trial, op, FILL_RANDOM);
  if (!gst_cl_integral_op_has_given_up (op))
    harness_fail (h, NULL, "the op does not know after %d frames",
        FRAMES_TO_KNOW);

  next = new_op (h, variant, spec);
  if (next && !gst_cl_integral_op_has_given_up (next))
    harness_fail (h, NULL, "the next op of the context does not know");
  if (next)
    trial_check (h, &trial, next, FILL_RANDOM);
  trial_clear (&trial);
}

/* No group may wait at all: each tile but the first is late, and left to the
 * group that goes last. In contexts of their own, since one that has given up
 * does without single passes. */
static void
check_giving_up (Harness *h)
{
  for (guint i = 0; i < 2; i++) {
    const GstClIntegralSpec spec = {
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
      harness_fail (h, error, "new context");
      return;
    }

    g_setenv ("GST_OPENCL_SPIN_LIMIT", "0", TRUE);
    other.context = context;
    check_until_known (&other, &spec);
    h->n_failed = other.n_failed;
    g_unsetenv ("GST_OPENCL_SPIN_LIMIT");
  }
}

/* ---- benchmarks ---- */

/* More memory than caches hold, so that each run meets cold frames. */
#define BENCH_BYTES (128 << 20)
#define MAX_TRIALS  16

typedef struct {
  GstClIntegralOp *op;
  Trial trials[MAX_TRIALS];
  guint n_trials, next;
} Bench;

static gboolean
bench_run (gpointer user_data, GError **error)
{
  Bench *bench = user_data;
  const Trial *trial = &bench->trials[bench->next++ % bench->n_trials];

  return gst_cl_integral_op_run (bench->op, trial->components, &trial->sums,
      error);
}

static void
bench_spec (Harness *h, const gchar *suffix, const GstClIntegralSpec *spec)
{
  const GstClImplementation *variant = spec->kind == GST_CL_INTEGRAL_TILTED
                                           ? integral_variant ("multi-pass")
                                           : current_variant (h);
  const guint64 samples = (guint64) spec->width * spec->height * spec->channels;
  const guint64 bytes = samples * (spec->sample.bytes + spec->sum_bytes);
  g_autoptr (GstClIntegralOp) op = new_op (h, variant, spec);
  g_autofree gchar *name = g_strconcat (h->label, suffix, NULL);
  Bench bench = { .op = op };

  if (!op)
    return;

  bench.n_trials = CLAMP (BENCH_BYTES / bytes, 2, MAX_TRIALS);
  for (guint i = 0; i < bench.n_trials; i++) {
    trial_init (h, &bench.trials[i], spec, FALSE);
    trial_fill (h, &bench.trials[i], FILL_RANDOM);
  }
  harness_bench (h, name, spec->width, spec->height, bytes, bench_run, &bench);
  for (guint i = 0; i < bench.n_trials; i++)
    trial_clear (&bench.trials[i]);
}

static const GstClIntegralSpec bench_hd = { .width = 1920,
  .height = 1080,
  .channels = 1,
  .pixel_stride_bytes = 1,
  .sample = { .bytes = 1, .depth = 8 },
  .layout = GST_CL_LAYOUT_INCLUSIVE,
  .sum_bytes = 4 };

static void
bench_variant (Harness *h)
{
  GstClIntegralSpec spec = bench_hd;

  bench_spec (h, "", &spec);
  spec.sum_bytes = 8;
  bench_spec (h, " u64", &spec);
  spec.kind = GST_CL_INTEGRAL_SQUARES;
  bench_spec (h, " squares", &spec);
  spec.starts_at_word = TRUE;
  bench_spec (h, " squares at words", &spec);

  spec = bench_hd;
  spec.is_float = TRUE;
  bench_spec (h, " f32", &spec);

  spec = bench_hd;
  spec.sample = (GstClSampleType){ .bytes = 2, .depth = 10, .shift = 6 };
  spec.pixel_stride_bytes = 2;
  bench_spec (h, " p010", &spec);

  spec = bench_hd;
  spec.channels = spec.pixel_stride_bytes = 4;
  bench_spec (h, " rgba", &spec);

  for (gint times = 2; times <= 4; times *= 2) {
    spec = bench_hd;
    spec.width *= times;
    spec.height *= times;
    bench_spec (h, "", &spec);
  }
}

static void
bench_tilted (Harness *h)
{
  GstClIntegralSpec spec = bench_hd;

  spec.kind = GST_CL_INTEGRAL_TILTED;
  bench_spec (h, "", &spec);
}

int
main (int argc, char **argv)
{
  guint n_rows;
  const GstClImplementation *rows = gst_cl_integral_variants (&n_rows);
  g_autoptr (GPtrArray) names = g_ptr_array_new_with_free_func (g_free);
  g_autofree HarnessCase *cases = g_new0 (HarnessCase, n_rows + 4);

  for (guint i = 0; i < n_rows; i++) {
    g_ptr_array_add (names, g_strconcat (CASE_PREFIX, rows[i].name, NULL));
    cases[i] = (HarnessCase){ g_ptr_array_index (names, i), check_variant,
      bench_variant, FALSE };
  }
  cases[n_rows] = (HarnessCase){ CASE_PREFIX "async-copy-repeated",
    check_repeated, NULL, FALSE };
  cases[n_rows + 1] = (HarnessCase){ CASE_PREFIX "tilted", check_tilted,
    bench_tilted, FALSE };

  cases[n_rows + 2] = (HarnessCase){ CASE_PREFIX "single-pass-gives-up",
    check_giving_up, NULL, TRUE };
  cases[n_rows + 3] = (HarnessCase){ CASE_PREFIX "ways", check_ways, NULL,
    FALSE };

  return harness_main (argc, argv, cases, n_rows + 4);
}
