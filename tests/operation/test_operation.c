/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Operations on local means: every operation, border and sample type, from
 * samples and from sums, compared with the definition. */

#include <math.h>
#include <string.h>

#include "localmean/localmeanbench.h"
#include "localmean/localmeancase.h"
#include "operationbench.h"
#include "operationcase.h"
#include "operationreference.h"

#define FIRST_OPERATION GST_CL_LOCAL_MEAN_OPERATION_STDDEV
#define N_OPERATIONS    (GST_CL_LOCAL_MEAN_OPERATION_NICK - FIRST_OPERATION + 1)

/* Frames that are small enough for a loop over windows. */
#define MAX_WIDTH  300 /* more than a tile of the GPU kernels */
#define MAX_HEIGHT 40
#define MAX_WINDOW 33

#define CASES_OF_A_FORM N_OPERATIONS

/* A row of that method and family; the operation selects the implementation. */
static const GstClImplementation *
row_of_method (GstClLocalMeanMethod method, GstClFamily family)
{
  const GstClOpTable *table = &gst_cl_local_mean_table;

  for (guint i = 0; i < table->n_rows; i++) {
    if (table->rows[i].method == (gint) method &&
        table->rows[i].family == family)
      return &table->rows[i];
  }

  g_assert_not_reached ();
}

/* Common numbers, and invalid ones. */
static void
random_factors (Harness *h, GstClLocalMeanProblem *problem)
{
  const gdouble max = (1u << problem->sample.depth) - 1;

  problem->factors = (GstClLocalMeanFactors){
    .k = g_rand_double_range (h->rand, -1, 1),
    .r = g_rand_double_range (h->rand, 0, max / 2),
    .offset = g_rand_double_range (h->rand, -max / 8, max / 8),
    .target = g_rand_double_range (h->rand, 0, max),
    .invert = g_rand_boolean (h->rand),
  };
  if (g_rand_boolean (h->rand))
    problem->factors.offset = 0;
}

/* Every border and every sample type, but few pairs: each is a program. */
typedef struct {
  GstClBorder border;
  guint sample; /* index in test_samples */
  gint pixel_stride;
  gboolean is_common;   /* enough if borders are those of means */
  gboolean is_for_cpus; /* for operations with kernels for CPUs */
  gboolean is_direct;   /* for kernels for CPUs that slide on integral images */
} Form;

static const Form forms[] = {
  { GST_CL_BORDER_SHRINK, 0, 1, TRUE, TRUE, TRUE },
  { GST_CL_BORDER_REPLICATE, 0, 4, TRUE, TRUE, TRUE },
  { GST_CL_BORDER_CONSTANT, 0, 1, TRUE, FALSE, FALSE },
  { GST_CL_BORDER_REFLECT, 0, 1, FALSE, TRUE, FALSE },
  { GST_CL_BORDER_REFLECT_101, 0, 1, FALSE, FALSE, FALSE },
  { GST_CL_BORDER_WRAP, 0, 1, FALSE, FALSE, FALSE },
  { GST_CL_BORDER_VALID, 0, 1, TRUE, TRUE, TRUE },
  { GST_CL_BORDER_REFLECT_101, 1, 1, FALSE, TRUE, FALSE },
  { GST_CL_BORDER_VALID, 2, 2, TRUE, TRUE, FALSE },
  { GST_CL_BORDER_CONSTANT, 3, 1, FALSE, TRUE, FALSE },
  { GST_CL_BORDER_WRAP, 4, 1, FALSE, TRUE, FALSE },
};

static gboolean
starts_from_mean (const GstClLocalMeanProblem *problem)
{
  return gst_cl_local_mean_typical_operation (problem->operation) ==
         GST_CL_LOCAL_MEAN_OPERATION_DIFFERENCE;
}

/* Returns TRUE if @row is to be run on @problem, a case of @form. */
static gboolean
serves (const GstClImplementation *row, const GstClLocalMeanProblem *problem,
    const Form *form)
{
  if (row->method != GST_CL_LOCAL_MEAN_METHOD_SLIDING)
    return TRUE;

  return row->family == GST_CL_FAMILY_CPU && !starts_from_mean (problem)
             ? form->is_for_cpus
             : form->is_common;
}

static MeanCase
random_case (Harness *h, const GstClImplementation *row, guint operation,
    const Form *form)
{
  const GstClSampleType sample = test_samples[form->sample];
  const gint bytes = (gint) sample.bytes;
  const gint width = g_rand_int_range (h->rand, 1,
      (gint) harness_count (h, MAX_WIDTH, 70));
  const gint height = g_rand_int_range (h->rand, 1,
      (gint) harness_count (h, MAX_HEIGHT, 12));
  MeanCase c = mean_case_random (h, row, width, height);
  GstClWindow *window = &c.problem.window;

  c.problem.operation = FIRST_OPERATION + operation;
  c.problem.sample = sample;
  window->border = form->border;
  window->border_value <<= sample.depth - 8;
  window->kernel_width = MIN (window->kernel_width, MAX_WINDOW);
  window->kernel_height = MIN (window->kernel_height, MAX_WINDOW);
  window->anchor_x %= window->kernel_width;
  window->anchor_y %= window->kernel_height;
  c.problem.src_pixel_stride_bytes = bytes * form->pixel_stride;
  c.problem.dst_pixel_stride_bytes = bytes * form->pixel_stride;
  c.src_pad *= bytes;
  c.dst_pad *= bytes;
  c.src_guard *= bytes;
  c.dst_guard *= bytes;
  random_factors (h, &c.problem);

  return c;
}

/* Always runs the first, a third of those for all rows and a sixth of the
 * others, each of which is a program; plain kernels run all with bytes, which
 * are one program. */
static gboolean
is_drawn (const Harness *h, const GstClImplementation *row, guint i)
{
  const Form *form = &forms[i];
  return i == 0 || (row->family == GST_CL_FAMILY_ANY && form->sample == 0) ||
         harness_draws (h, i, form->is_common && form->is_for_cpus ? 3 : 6);
}

/* Every operation with every border, and with samples of every type; then, if
 * there is an integral image, in strips. */
static void
check_samples (Harness *h, const GstClImplementation *row)
{
  const guint n_cases = row->method == GST_CL_LOCAL_MEAN_METHOD_DIRECT
                            ? 2 * CASES_OF_A_FORM
                            : CASES_OF_A_FORM;

  for (guint i = 0; i < G_N_ELEMENTS (forms); i++) {
    if (!is_drawn (h, row, i))
      continue;
    for (guint n = 0; n < n_cases && h->n_failed == 0; n++) {
      MeanCase c = random_case (h, row, n % N_OPERATIONS, &forms[i]);

      if (n >= CASES_OF_A_FORM)
        mean_case_use_strips (h, &c);
      mean_case_leave_out_rows (h, &c);
      if (serves (row, &c.problem, &forms[i]))
        mean_case_check (h, &c);
    }
  }
}

/* The smallest sample is below the last result, and counts, in strips too. */
static void
check_left_out (Harness *h, const GstClImplementation *row)
{
  for (guint strip_results = 0; strip_results < 4; strip_results++) {
    MeanCase c = mean_case_square (row, 20, 40, 3);
    TestPlane *src = test_plane_new (h, 20, 40, 1, 1, 0, 0);
    const GstClComponent *component = src->components;
    g_autoptr (GError) error = NULL;

    c.problem.operation = GST_CL_LOCAL_MEAN_OPERATION_WOLF;
    c.problem.factors = (GstClLocalMeanFactors){ .k = 0.5 };
    c.problem.window.step_y = 5;
    c.problem.n_result_rows = 7; /* of 8 */
    c.strip_results = strip_results;
    test_plane_fill (h, src, FILL_RANDOM);
    for (gint i = 0; i < 20 * 40; i++)
      src->bytes[component->offset_bytes + (gsize) i] =
          (guint8) (100 + g_rand_int_range (h->rand, 0, 20));
    src->bytes[component->offset_bytes + 20 * 39 + 7] = 0;
    if (!gst_cl_buffer_write (h->context, component->mem, 0, src->size_bytes,
            src->bytes, &error))
      harness_fail (h, error, "cannot upload samples");
    mean_case_check_plane (h, &c, src);
    test_plane_free (src);
  }
}

static void
check_direct (Harness *h)
{
  const GstClImplementation *row = row_of_method (
      GST_CL_LOCAL_MEAN_METHOD_DIRECT, GST_CL_FAMILY_ANY);

  check_samples (h, row);
  check_left_out (h, row);
}

/* Operations on means with every form, and some of the others; a third of the
 * cases in strips. */
static void
check_direct_cpu (Harness *h)
{
  const GstClImplementation *row = row_of_method (
      GST_CL_LOCAL_MEAN_METHOD_DIRECT, GST_CL_FAMILY_CPU);

  for (guint i = 0; i < G_N_ELEMENTS (forms); i++) {
    if (!is_drawn (h, row, i))
      continue;
    for (guint n = 0; n < 3 * N_OPERATIONS && h->n_failed == 0; n++) {
      MeanCase c = random_case (h, row, n % N_OPERATIONS, &forms[i]);

      /* lanes process neighbours */
      if (n < N_OPERATIONS)
        c.problem.window.step_x = 1;
      if (n >= 2 * N_OPERATIONS)
        mean_case_use_strips (h, &c);
      mean_case_leave_out_rows (h, &c);
      if (forms[i].is_direct || starts_from_mean (&c.problem))
        mean_case_check (h, &c);
    }
  }
  check_left_out (h, row);
}

static void
check_sliding (Harness *h, GstClFamily family)
{
  const GstClImplementation *row = row_of_method (
      GST_CL_LOCAL_MEAN_METHOD_SLIDING, family);

  check_samples (h, row);
  check_left_out (h, row);
}

static void
check_sliding_cpu (Harness *h)
{
  check_sliding (h, GST_CL_FAMILY_CPU);
}

static void
check_sliding_gpu (Harness *h)
{
  check_sliding (h, GST_CL_FAMILY_GPU);
}

/* So many rows that the kernels use tall tiles. */
static void
check_tall (Harness *h)
{
  const gint n_rows = 8 * 32 * (gint) h->context->device->compute_units + 5;
  const GstClImplementation *row = row_of_method (
      GST_CL_LOCAL_MEAN_METHOD_SLIDING, GST_CL_FAMILY_GPU);

  for (guint n = 0; n < harness_count (h, N_OPERATIONS, 0); n++) {
    MeanCase c = mean_case_square (row, 20, n_rows, 9);

    c.problem.operation = FIRST_OPERATION + n;
    c.fill = FILL_RANDOM;
    random_factors (h, &c.problem);
    mean_case_check (h, &c);
  }
}

/* Wide windows */

/* Codes with small differences: variances that are small compared with their
 * operands, and samples close to their thresholds. */
static void
fill_nearly_even (Harness *h, TestPlane *plane)
{
  const GstClComponent *component = plane->components;
  const gint max = (1 << component->sample.depth) - 1;
  const gint base = g_rand_int_range (h->rand, 0, max - 16);
  const gint spread = 1 << g_rand_int_range (h->rand, 0, 5);
  const gint rarity = 1 << g_rand_int_range (h->rand, 0, 19);
  g_autoptr (GError) error = NULL;

  for (gint y = 0; y < component->height; y++) {
    guint8 *row = plane->bytes + component->offset_bytes +
                  (gsize) y * component->stride_bytes;

    for (gint x = 0; x < component->width; x++) {
      const gboolean differs = g_rand_int_range (h->rand, 0, rarity) == 0;
      const guint16 code = (guint16) (base + (differs ? g_rand_int_range (
                                                            h->rand, 0, spread)
                                                      : 0));

      if (component->sample.bytes == 2)
        memcpy (row + 2 * x, &code, sizeof code);
      else
        row[x] = (guint8) code;
    }
  }

  if (!gst_cl_buffer_write (h->context, component->mem, 0, plane->size_bytes,
          plane->bytes, &error))
    harness_fail (h, error, "cannot upload nearly uniform samples");
}

typedef struct {
  gint width, height, kernel_width, kernel_height;
} WideSize;

static MeanCase
wide_case (GstClSampleType sample, const WideSize *size)
{
  const GstClImplementation *row = row_of_method (
      GST_CL_LOCAL_MEAN_METHOD_SLIDING, GST_CL_FAMILY_CPU);
  MeanCase c = mean_case_square (row, size->width, size->height, 1);

  c.problem.sample = sample;
  c.problem.src_pixel_stride_bytes = (gint) sample.bytes;
  c.problem.dst_pixel_stride_bytes = (gint) sample.bytes;
  c.problem.window.kernel_width = size->kernel_width;
  c.problem.window.kernel_height = size->kernel_height;
  c.problem.window.border = GST_CL_BORDER_VALID;

  return c;
}

/* Windows on both sides of each limit of the kernels. Frames are so small that
 * there are few results. */
static void
check_wide (Harness *h, GstClSampleType sample, const WideSize *sizes,
    guint n_all)
{
  /* ALTERNATING: the largest deviations; MAX: the largest sums; ZERO: nearly
   * even */
  static const FillType fills[] = { FILL_RANDOM, FILL_ZERO, FILL_ALTERNATING,
    FILL_MAX };
  const guint n_sizes = harness_count (h, n_all, 0);

  for (guint n = 0; n < G_N_ELEMENTS (fills) * n_sizes; n++) {
    const WideSize *size = &sizes[n % n_sizes];
    MeanCase c = wide_case (sample, size);
    TestPlane *src = test_plane_new_of (h, sample, size->width, size->height, 1,
        1, 0, 0);

    c.fill = fills[n / n_sizes];
    test_plane_fill (h, src, c.fill);
    if (c.fill == FILL_ZERO)
      fill_nearly_even (h, src);
    for (guint i = 0; i < N_OPERATIONS && h->n_failed == 0; i++) {
      c.problem.operation = FIRST_OPERATION + i;
      random_factors (h, &c.problem);
      mean_case_check_plane (h, &c, src);
    }
    test_plane_free (src);
  }
}

static void
check_wide_bytes (Harness *h)
{
  static const WideSize sizes[] = { { 2920, 2903, 2903, 2902 },
    { 32784, 28, 32767, 27 }, { 30, 32768, 7, 32767 }, { 819, 802, 801, 801 },
    { 467, 450, 449, 449 }, { 465, 450, 448, 447 }, { 516, 402, 500, 400 },
    { 465, 450, 447, 447 }, { 420, 310, 400, 300 }, { 300, 260, 257, 257 },
    { 400, 320, 364, 317 }, { 160, 120, 101, 101 }, { 300, 100, 9, 7 },
    { 2000, 2, 1000, 1 } };

  check_wide (h, (GstClSampleType){ 1, 8, 0 }, sizes, G_N_ELEMENTS (sizes));
}

static void
check_wide_words (Harness *h)
{
  static const WideSize sizes[] = { { 30, 32768, 7, 32767 },
    { 467, 450, 449, 449 }, { 204, 184, 183, 183 }, { 274, 132, 257, 128 },
    { 272, 132, 256, 128 }, { 204, 184, 181, 181 }, { 160, 120, 101, 101 },
    { 300, 100, 9, 7 }, { 2000, 2, 1000, 1 } };
  static const WideSize sizes_of_10_bits[] = { { 467, 450, 449, 449 },
    { 465, 450, 447, 447 } };

  check_wide (h, (GstClSampleType){ 2, 16, 0 }, sizes, G_N_ELEMENTS (sizes));
  check_wide (h, (GstClSampleType){ 2, 10, 0 }, sizes_of_10_bits,
      G_N_ELEMENTS (sizes_of_10_bits));
}

/* Sets operation and factors so that the threshold of a random result is up to
 * 2/256 of a code away from where the result changes. A large k magnifies the
 * error of the deviation. */
static void
choose_close_factors (Harness *h, GstClLocalMeanProblem *p,
    const guint32 *samples)
{
  const gboolean is_nick = g_rand_boolean (h->rand);
  const gdouble most_k = is_nick || g_rand_boolean (h->rand) ? 1 : 10;
  const gint i = g_rand_int_range (h->rand, 0,
      p->width - p->window.kernel_width + 1);
  const gint j = g_rand_int_range (h->rand, 0,
      p->height - p->window.kernel_height + 1);
  RefMoments moments;
  gdouble m, s, of_k;

  ref_local_mean_moments (samples, p->width, p->height, &p->window, i, j,
      &moments);
  m = (gdouble) moments.sum / (gdouble) moments.n;
  s = ref_local_op_deviation (&moments) / 256.;
  of_k = is_nick ? sqrt (2 * s * s + m * m) : s;
  p->operation = is_nick ? GST_CL_LOCAL_MEAN_OPERATION_NICK
                         : GST_CL_LOCAL_MEAN_OPERATION_NIBLACK;
  p->factors = (GstClLocalMeanFactors){ .k = g_rand_double_range (h->rand,
                                            -most_k, most_k) };
  p->factors.offset = m + p->factors.k * of_k + .5 - samples[j * p->width + i] +
                      g_rand_int_range (h->rand, -2, 3) / 256.;
}

/* Nearly even samples close to their thresholds, in windows where the error of
 * estimates is largest: many samples, few of which differ. */
static void
check_close (Harness *h)
{
  static const WideSize sizes[] = { { 818, 803, 801, 801 },
    { 466, 451, 449, 449 }, { 464, 449, 447, 447 }, { 198, 183, 181, 181 } };
  static const GstClSampleType types[] = { { 1, 8, 0 }, { 2, 16, 0 } };

  for (guint n = 0; n < 80; n++) {
    const GstClSampleType sample = types[n % G_N_ELEMENTS (types)];
    const WideSize *size = &sizes[n / 2 % G_N_ELEMENTS (sizes)];
    MeanCase c = wide_case (sample, size);
    TestPlane *src = test_plane_new_of (h, sample, size->width, size->height, 1,
        1, 0, 0);
    g_autofree guint32 *samples = NULL;

    fill_nearly_even (h, src);
    samples = mean_case_samples (src);
    for (guint i = 0; i < 20 && h->n_failed == 0; i++) {
      choose_close_factors (h, &c.problem, samples);
      mean_case_check_plane (h, &c, src);
    }
    test_plane_free (src);
  }
}

/* Windows with sums of 64 bits that are larger than their frames. */
static void
check_beyond (Harness *h, GstClLocalMeanMethod method, gboolean from_sums)
{
  const GstClImplementation *row = row_of_method (method, GST_CL_FAMILY_CPU);

  for (guint n = 0; n < harness_count (h, 5 * G_N_ELEMENTS (forms), 5); n++) {
    const Form *form = &forms[n / 5];
    MeanCase c = random_case (h, row, 0, form);
    GstClLocalMeanProblem *p = &c.problem;

    if (form->border == GST_CL_BORDER_VALID ||
        (form->border != GST_CL_BORDER_CONSTANT && !is_drawn (h, row, n / 5)))
      continue;
    p->operation = n % 5 == 0 ? GST_CL_LOCAL_MEAN_OPERATION_STDDEV
                              : GST_CL_LOCAL_MEAN_OPERATION_NIBLACK + n % 5 - 1;
    p->width = g_rand_int_range (h->rand, 17, 40);
    p->height = g_rand_int_range (h->rand, 1, 6);
    p->window.kernel_width = g_rand_int_range (h->rand, 448, 460);
    p->window.kernel_height = g_rand_int_range (h->rand, 448, 460);
    p->window.anchor_x = g_rand_int_range (h->rand, 0, p->window.kernel_width);
    p->window.anchor_y = g_rand_int_range (h->rand, 0, p->window.kernel_height);
    if (from_sums) {
      p->from_sums = TRUE;
      p->sample.shift = 0;
      p->sum_bytes = p->sample.depth == 8 ? 4 : 8;
      c.sample_mask = (1u << p->sample.depth) - 1;
    }
    mean_case_check (h, &c);
  }
}

static void
check_beyond_samples (Harness *h)
{
  check_beyond (h, GST_CL_LOCAL_MEAN_METHOD_SLIDING, FALSE);
}

static void
check_beyond_direct (Harness *h)
{
  check_beyond (h, GST_CL_LOCAL_MEAN_METHOD_DIRECT, FALSE);
}

/* Sums of 32 bits that hold the sum of a window, but not that of its rows. */
static void
check_modular_sums (Harness *h)
{
  const GstClImplementation *row = row_of_method (
      GST_CL_LOCAL_MEAN_METHOD_DIRECT, GST_CL_FAMILY_CPU);
  MeanCase c = mean_case_square (row, 740, 181, 1);

  c.problem.from_sums = TRUE;
  c.problem.window.kernel_width = 700;
  c.problem.window.kernel_height = 180;
  c.problem.window.border = GST_CL_BORDER_VALID;
  c.sample_mask = 0xffff;
  for (guint i = 0; i < harness_count (h, N_OPERATIONS, 1); i++) {
    c.problem.operation = FIRST_OPERATION + i;
    random_factors (h, &c.problem);
    mean_case_check (h, &c);
  }
}

static void
check_beyond_sums (Harness *h)
{
  check_modular_sums (h);
  check_beyond (h, GST_CL_LOCAL_MEAN_METHOD_DIRECT, TRUE);
}

/* From sums */

static void
check_sums_of (Harness *h, const GstClImplementation *row)
{
  static const gint channels[] = { 1, 3, 4 };
  /* only every fifth form if each form is a separate program */
  const guint step = row->family == GST_CL_FAMILY_ANY ? 1 : 5;
  const guint first = (guint) g_rand_int_range (h->rand, 0, (gint) step);

  for (guint n = 0; first + step * (n / CASES_OF_A_FORM) < G_N_ELEMENTS (forms);
       n++) {
    const Form *form = &forms[first + step * (n / CASES_OF_A_FORM)];
    MeanCase c = random_case (h, row, n % N_OPERATIONS, form);

    c.problem.from_sums = TRUE;
    c.problem.channels =
        channels[(n + n / CASES_OF_A_FORM) % G_N_ELEMENTS (channels)];
    c.channel = g_rand_int_range (h->rand, 0, c.problem.channels);
    c.problem.sample.shift = 0;
    c.problem.sum_bytes = c.problem.sample.depth == 8 ? 4 : 8;
    /* in every fourth case, samples exceed the greatest code of the results */
    c.sample_mask = n % 4 == 3 ? 0xffff : (1u << c.problem.sample.depth) - 1;
    mean_case_check (h, &c);
    if (h->n_failed > 0)
      break;
  }
}

static void
check_sums (Harness *h)
{
  check_sums_of (h,
      row_of_method (GST_CL_LOCAL_MEAN_METHOD_DIRECT, GST_CL_FAMILY_ANY));
}

static void
check_sums_cpu (Harness *h)
{
  check_sums_of (h,
      row_of_method (GST_CL_LOCAL_MEAN_METHOD_DIRECT, GST_CL_FAMILY_CPU));
}

/* Passes */

/* An op of several passes equals as many ops of one pass, one after the
 * other. */
static void
check_repeat (Harness *h)
{
  const GstClImplementation *row = row_of_method (
      GST_CL_LOCAL_MEAN_METHOD_SLIDING, GST_CL_FAMILY_CPU);

  for (gint repeat = 1; repeat <= 5 && h->n_failed == 0; repeat++) {
    MeanCase c = random_case (h, row, 0, &forms[repeat % 2 ? 3 : 7]);
    GstClLocalMeanProblem *problem = &c.problem;
    g_autoptr (GError) error = NULL;
    g_autoptr (GstClLocalMeanOp) op = NULL;
    g_autofree guint32 *samples = NULL;
    g_autofree guint16 *want = NULL;
    TestPlane *src, *dst;
    GstClLocalMeanIo io = { 0 };

    problem->operation = GST_CL_LOCAL_MEAN_OPERATION_MEAN;
    problem->repeat = repeat;
    problem->window.border = GST_CL_BORDER_REFLECT;
    problem->window.step_x = problem->window.step_y = 1;
    src = test_plane_new_of (h, problem->sample, problem->width,
        problem->height, 1,
        problem->src_pixel_stride_bytes / (gint) problem->sample.bytes,
        2 * c.src_pad, 2 * c.src_guard);
    dst = mean_case_results (h, &c);
    test_plane_fill (h, src, FILL_RANDOM);
    samples = mean_case_samples (src);
    for (gint pass = 0; pass < repeat; pass++) {
      g_free (want);
      want = ref_local_op (samples, problem);
      for (gint i = 0; i < problem->width * problem->height; i++)
        samples[i] = want[i];
    }

    io.samples = src->components;
    io.results = dst->components;
    op = mean_case_op (h, &c, &error);
    if (op && gst_cl_local_mean_op_run (op, &io, &error))
      mean_case_check_results (h, &c, dst, want);
    else
      harness_fail (h, error, "an op of %d passes fails", repeat);
    test_plane_free (src);
    test_plane_free (dst);
  }
}

int
main (int argc, char **argv)
{
  static const HarnessCase cases[] = {
    { "operation/reference", local_op_check_reference, NULL, FALSE },
    { "operation/direct", check_direct, bench_operations, FALSE },
    { "operation/direct-cpu", check_direct_cpu, bench_direct_operations,
        FALSE },
    { "operation/sliding-cpu", check_sliding_cpu, bench_depths, FALSE },
    { "operation/sliding-cpu-wide", check_wide_bytes, NULL, TRUE },
    { "operation/sliding-cpu-wide-words", check_wide_words, NULL, TRUE },
    { "operation/sliding-cpu-close", check_close, NULL, TRUE },
    { "operation/sliding-cpu-beyond", check_beyond_samples, NULL, FALSE },
    { "operation/direct-cpu-beyond", check_beyond_direct, NULL, FALSE },
    { "operation/sums-cpu-beyond", check_beyond_sums, NULL, FALSE },
    { "operation/sliding-gpu", check_sliding_gpu, NULL, FALSE },
    { "operation/sliding-gpu-tall", check_tall, NULL, FALSE },
    { "operation/windows", NULL, bench_windows, FALSE },
    { "operation/sums", check_sums, bench_operations_on_sums, FALSE },
    { "operation/sums-cpu", check_sums_cpu, NULL, FALSE },
    { "operation/repeat", check_repeat, NULL, FALSE },
  };

  return harness_main (argc, argv, cases, G_N_ELEMENTS (cases));
}
