/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Timing of integral images. */

#include "integralbench.h"
#include "integralcase.h"

/* More memory than caches hold, so that each run reads uncached frames. */
#define BENCH_BYTES (128 << 20)
#define MAX_PAIRS   16

typedef struct {
  GstClIntegralOp *op;
  IntegralCase pairs[MAX_PAIRS];
  guint n_pairs, next;
} Bench;

static gboolean
bench_run (gpointer user_data, GError **error)
{
  Bench *bench = user_data;
  const IntegralCase *pair = &bench->pairs[bench->next++ % bench->n_pairs];

  return gst_cl_integral_op_run (bench->op, pair->components, &pair->sums,
      error);
}

static void
bench_problem (Harness *h, const gchar *suffix,
    const GstClIntegralProblem *problem)
{
  const GstClImplementation *row = integral_case_row (h);
  const guint64 samples = (guint64) problem->width * problem->height *
                          problem->channels;
  const guint64 bytes = samples * (problem->sample.bytes + problem->sum_bytes);
  g_autoptr (GstClIntegralOp) op = integral_case_op (h, row, problem);
  g_autofree gchar *name = g_strconcat (h->label, suffix, NULL);
  Bench bench = { .op = op };

  if (!op)
    return;

  bench.n_pairs = CLAMP (BENCH_BYTES / bytes, 2, MAX_PAIRS);
  for (guint i = 0; i < bench.n_pairs; i++) {
    integral_case_init (h, &bench.pairs[i], problem, FALSE);
    integral_case_fill (h, &bench.pairs[i], FILL_RANDOM);
  }
  harness_bench (h, name, problem->width, problem->height, bytes, bench_run,
      &bench);
  for (guint i = 0; i < bench.n_pairs; i++)
    integral_case_clear (&bench.pairs[i]);
}

static const GstClIntegralProblem bench_hd = { .width = 1920,
  .height = 1080,
  .channels = 1,
  .pixel_stride_bytes = 1,
  .sample = { .bytes = 1, .depth = 8 },
  .layout = GST_CL_LAYOUT_INCLUSIVE,
  .sum_bytes = 4 };

void
integral_bench_row (Harness *h)
{
  GstClIntegralProblem problem = bench_hd;

  bench_problem (h, "", &problem);
  problem.sum_bytes = 8;
  bench_problem (h, " u64", &problem);
  problem.kind = GST_CL_INTEGRAL_SQUARES;
  bench_problem (h, " squares", &problem);
  problem.starts_at_word = TRUE;
  bench_problem (h, " squares at words", &problem);

  problem = bench_hd;
  problem.is_float = TRUE;
  bench_problem (h, " f32", &problem);

  problem = bench_hd;
  problem.sample = (GstClSampleType){ .bytes = 2, .depth = 10, .shift = 6 };
  problem.pixel_stride_bytes = 2;
  bench_problem (h, " p010", &problem);

  problem = bench_hd;
  problem.channels = problem.pixel_stride_bytes = 4;
  bench_problem (h, " rgba", &problem);

  for (gint times = 2; times <= 4; times *= 2) {
    problem = bench_hd;
    problem.width *= times;
    problem.height *= times;
    bench_problem (h, "", &problem);
  }
}

void
integral_bench_tilted (Harness *h)
{
  GstClIntegralProblem problem = bench_hd;

  problem.kind = GST_CL_INTEGRAL_TILTED;
  bench_problem (h, "", &problem);
}
