/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Small windows on GPUs: means and operations on them, compared with the
 * definition. */

#include "localmean/localmeancase.h"
#include "oprow.h"

#define ROW          "small-gpu"
#define MAX_WIDTH    150 /* several blocks of results */
#define MAX_HEIGHT   40
#define N_FRAMES     24 /* of a border */
#define N_OPERATIONS 3

static const GstClLocalMeanOperation operations[N_OPERATIONS] = {
  GST_CL_LOCAL_MEAN_OPERATION_MEAN,
  GST_CL_LOCAL_MEAN_OPERATION_DIFFERENCE,
  GST_CL_LOCAL_MEAN_OPERATION_MEAN_C,
};

/* Every kind of access: eight samples at once, four, and one. */
static void
choose_alignment (Harness *h, MeanCase *c)
{
  static const gint units[] = { 8, 8, 4, 1 };
  const gint unit = units[g_rand_int_range (h->rand, 0, 4)];
  const gint rest = (c->problem.width + unit - 1) / unit * unit -
                    c->problem.width;

  c->src_guard = unit * g_rand_int_range (h->rand, 0, 5);
  c->dst_guard = unit * g_rand_int_range (h->rand, 0, 5);
  c->src_pad = rest + unit * g_rand_int_range (h->rand, 0, 3);
  c->dst_pad = rest + unit * g_rand_int_range (h->rand, 0, 3);
}

/* Common offsets of thresholds, and offsets beyond all codes. */
static gdouble
random_offset (Harness *h)
{
  const gdouble offsets[] = { 0, 2, -2, .5, -.5, 255, -255, 256, -256, 257, 300,
    -1000, g_rand_double_range (h->rand, -20, 20) };

  return offsets[g_rand_int_range (h->rand, 0, G_N_ELEMENTS (offsets))];
}

static MeanCase
random_case (Harness *h, const GstClImplementation *row, guint n,
    GstClBorder border)
{
  MeanCase c = mean_case_random (h, row,
      g_rand_int_range (h->rand, 1, (gint) harness_count (h, MAX_WIDTH, 70)),
      g_rand_int_range (h->rand, 1, (gint) harness_count (h, MAX_HEIGHT, 12)));
  GstClLocalMeanProblem *problem = &c.problem;
  const gint size = 3 + 2 * (gint) (n / N_OPERATIONS % 3);

  c.is_last = FALSE;
  problem->operation = operations[n % N_OPERATIONS];
  problem->window = (GstClWindow){ size, size, size / 2, size / 2, 1, 1, border,
    (guint) g_rand_int_range (h->rand, 0, 256) };
  problem->src_pixel_stride_bytes = problem->dst_pixel_stride_bytes = 1;
  problem->factors = (GstClLocalMeanFactors){ .offset = random_offset (h),
    .invert = g_rand_boolean (h->rand) };
  choose_alignment (h, &c);
  c.fill = n % 7 == 0 ? FILL_MAX : n % 5 == 0 ? FILL_ALTERNATING : FILL_RANDOM;

  return c;
}

static void
check_border (Harness *h, GstClBorder border)
{
  const GstClImplementation *row = op_row_find (&gst_cl_local_mean_table, ROW);

  for (guint n = 0; n < N_FRAMES && h->n_failed == 0; n++) {
    MeanCase c = random_case (h, row, n, border);

    /* each operation is a program; not in step with the border */
    if (border != GST_CL_BORDER_SHRINK &&
        !harness_draws (h, n + h->seed / N_BORDERS, N_OPERATIONS))
      continue;
    if (mean_case_implementation (&c) == row)
      mean_case_check (h, &c);
    else
      harness_fail (h, NULL, "%s does not support windows of width %d", ROW,
          c.problem.window.kernel_width);
  }
}

/* Checks SHRINK, which has smaller divisors at the edges. To save programs,
 * checks the other borders on a GPU only, and on a CPU one of them with one of
 * the operations. */
static void
check_borders (Harness *h)
{
  check_border (h, GST_CL_BORDER_SHRINK);
  for (guint i = GST_CL_BORDER_REPLICATE; i < N_BORDERS; i++) {
    if (harness_draws (h, i, N_BORDERS - GST_CL_BORDER_REPLICATE))
      check_border (h, i);
  }
}

/* The row does not support problems that differ in one parameter from its
 * own. */
static void
check_unsupported (Harness *h)
{
  const GstClImplementation *row = op_row_find (&gst_cl_local_mean_table, ROW);

  for (guint n = 0; n < 10; n++) {
    MeanCase c = random_case (h, row, 0, GST_CL_BORDER_REPLICATE);
    GstClLocalMeanProblem *p = &c.problem;

    switch (n) {
      case 0:
        p->window.kernel_width = 4;
        break;
      case 1:
        p->window.kernel_height = 5;
        break;
      case 2:
        p->window.anchor_x = 0;
        break;
      case 3:
        p->window.anchor_y = 2;
        break;
      case 4:
        p->window.step_x = 2;
        break;
      case 5:
        p->window.step_y = 2;
        break;
      case 6:
        p->window.border = GST_CL_BORDER_VALID;
        break;
      case 7:
        p->src_pixel_stride_bytes = 3;
        break;
      case 8:
        p->dst_pixel_stride_bytes = 2;
        break;
      default:
        p->operation = GST_CL_LOCAL_MEAN_OPERATION_SAUVOLA;
    }
    if (mean_case_implementation (&c) == row)
      harness_fail (h, NULL, "%s supports problem %u, expected no support", ROW,
          n);
  }
}

int
main (int argc, char **argv)
{
  static const HarnessCase cases[] = {
    { "operation/small-gpu", check_borders, NULL, FALSE },
    { "operation/small-gpu-unsupported", check_unsupported, NULL, FALSE },
  };

  return harness_main (argc, argv, cases, G_N_ELEMENTS (cases));
}
