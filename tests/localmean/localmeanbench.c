/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Timing of local means and of operations on them. */

#include "localmeanbench.h"

#include "localmeanreference.h"

/* Frames that a benchmark cycles through: more memory than caches hold. */
#define N_BENCH_FRAMES 8

typedef struct {
  GstClLocalMeanOp *op;
  TestPlane *src[N_BENCH_FRAMES], *dst[N_BENCH_FRAMES];
  GstClSums sums, squares; /* mem NULL: src is the input */
  guint next;
} Bench;

static gboolean
bench_run (gpointer user_data, GError **error)
{
  Bench *bench = user_data;
  const guint n = bench->next++ % N_BENCH_FRAMES;
  GstClLocalMeanIo io = { .samples = bench->src[n]->components,
    .results = bench->dst[n]->components };

  if (bench->sums.mem)
    io = (GstClLocalMeanIo){ .sums = &bench->sums,
      .squares = &bench->squares,
      .results = bench->dst[n]->components };

  return gst_cl_local_mean_op_run (bench->op, &io, error);
}

void
mean_case_bench (Harness *h, const MeanCase *c, const gchar *suffix)
{
  const gint width = c->problem.width, height = c->problem.height;
  g_autofree gchar *name = g_strdup_printf ("%s %s", h->label, suffix);
  const GstClSampleType sample = c->problem.sample;
  g_autofree guint32 *samples = NULL;
  g_autoptr (GError) error = NULL;
  guint64 bytes = (guint64) width * height *
                  (c->problem.from_sums ? c->problem.sum_bytes : sample.bytes);
  gint columns, rows;
  Bench bench = { 0 };

  ref_local_mean_size (width, height, &c->problem.window, &columns, &rows);
  bytes += (guint64) columns * rows * sample.bytes;

  for (guint i = 0; i < N_BENCH_FRAMES; i++) {
    bench.src[i] = test_plane_new_of (h, sample, width, height, 1,
        c->problem.src_pixel_stride_bytes / (gint) sample.bytes, 0, 0);
    bench.dst[i] = mean_case_results (h, c);
    test_plane_fill (h, bench.src[i], FILL_RANDOM);
  }
  if (c->problem.from_sums) {
    samples = mean_case_samples (bench.src[0]);
    bench.sums = mean_case_upload_sums (h, c, samples, 0, &error);
    if (!error)
      bench.squares = mean_case_upload_squares (h, c, samples, 0, &error);
  }
  if (!error)
    bench.op = mean_case_op (h, c, &error);

  if (error)
    harness_fail (h, error, "%s: cannot create an op", name);
  else
    harness_bench (h, name, width, height, bytes, bench_run, &bench);

  gst_cl_local_mean_op_free (bench.op);
  gst_cl_buffer_free (bench.sums.mem);
  gst_cl_buffer_free (bench.squares.mem);
  for (guint i = 0; i < N_BENCH_FRAMES; i++) {
    test_plane_free (bench.src[i]);
    test_plane_free (bench.dst[i]);
  }
}

MeanCase
mean_case_square (const GstClImplementation *row, gint width, gint height,
    gint size)
{
  return (MeanCase) {
    .row = row,
    .problem = {
      .window = {
        .kernel_width = size,
        .kernel_height = size,
        .anchor_x = size / 2,
        .anchor_y = size / 2,
        .step_x = 1,
        .step_y = 1,
      },
      .width = width,
      .height = height,
      .src_pixel_stride_bytes = 1,
      .dst_pixel_stride_bytes = 1,
      .channels = 1,
      .sum_bytes = 4,
      .sample = { 1, 8, 0 },
    },
  };
}
