/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Local means: every row compared with the definition, and timing. */

#include <string.h>

#include "cl/device/gstclerror.h"
#include "localmeanbench.h"
#include "localmeancase.h"
#include "ops/integral/integral.h"
#include "localmeanreference.h"
#include "oprow.h"

#define CASE_PREFIX "localmean/"

/* Runs that compare async-copy with direct. */
#define N_REPEATED 320

/* Returns the row in the name of a case: "localmean/<row>/...". */
static const GstClImplementation *
labelled_row (const Harness *h)
{
  g_auto (GStrv) parts = g_strsplit (h->label, "/", 3);

  return op_row_find (&gst_cl_local_mean_table, parts[1]);
}

/* Returns whether the row computes means of samples: one row for each method
 * and family.
 */
static gboolean
makes_means (const GstClImplementation *row)
{
  const GstClLocalMeanProblem problem = { .window = { 1, 1, 0, 0, 1, 1,
                                              GST_CL_BORDER_SHRINK, 0 },
    .width = 1,
    .height = 1,
    .sample = { 1, 8, 0 } };
  const GstClDevice device = { .family = row->family };

  return gst_cl_implementation_supports (row, &problem, &device);
}

static void
check_means (Harness *h)
{
  const gint n_cases = (gint) harness_count (h, 2 * N_BORDERS, N_BORDERS);
  const GstClImplementation *row = labelled_row (h);
  guint n_sizes;
  const TestSize *sizes = harness_sizes (h, &n_sizes);

  for (guint i = 0; i < n_sizes && h->n_failed == 0; i++) {
    for (gint n = 0; n < n_cases && h->n_failed == 0; n++) {
      MeanCase c = mean_case_of_form (h, row, sizes[i].width, sizes[i].height,
          (guint) n);

      c.fill = n % N_FILL_TYPES;
      if (g_rand_boolean (h->rand))
        mean_case_use_strips (h, &c);
      mean_case_leave_out_rows (h, &c);
      mean_case_check (h, &c);
    }
  }
}

static void
check_copies (Harness *h)
{
  const GstClImplementation *row = labelled_row (h);
  guint n_sizes;
  const TestSize *sizes = harness_sizes (h, &n_sizes);

  for (guint i = 0; i < n_sizes && h->n_failed == 0; i++) {
    for (guint stride = 1; stride <= 4; stride++) {
      MeanCase c = mean_case_random (h, row, sizes[i].width, sizes[i].height);

      c.problem.operation = GST_CL_LOCAL_MEAN_OPERATION_COPY;
      /* each pair of strides is a program of the row for CPUs */
      c.problem.src_pixel_stride_bytes = (gint) stride;
      if (row->family == GST_CL_FAMILY_CPU)
        c.problem.dst_pixel_stride_bytes = 1 + (gint) ((stride + h->seed) % 4);
      mean_case_leave_out_rows (h, &c);
      mean_case_check (h, &c);
    }
  }
}

/* Sums of windows beyond 2^32: 64-bit sums, integer division. */
static void
check_huge_windows (Harness *h)
{
  const GstClImplementation *row = labelled_row (h);
  const gint width = 4127, height = 4099;
  GstClBorder borders[] = { GST_CL_BORDER_VALID, GST_CL_BORDER_SHRINK,
    GST_CL_BORDER_REPLICATE };

  for (guint i = 0; i < G_N_ELEMENTS (borders) && h->n_failed == 0; i++) {
    const MeanCase c = {
      .row = row,
      .problem = {
        .window = {
          .kernel_width = width,
          .kernel_height = height,
          .anchor_x = 3000,
          .anchor_y = 1000,
          .step_x = 4126,
          .step_y = 4098,
          .border = borders[i],
        },
        .width = width,
        .height = height,
        .src_pixel_stride_bytes = 1,
        .dst_pixel_stride_bytes = 1,
        .sum_bytes = 8,
        .sample = { 1, 8, 0 },
      },
      .fill = borders[i] == GST_CL_BORDER_VALID ? FILL_MAX : FILL_RANDOM,
    };

    g_assert_cmpint (gst_cl_window_sum_bytes (&c.problem.window, G_MAXUINT8),
        ==, 8);
    mean_case_check (h, &c);
  }
}

static void
check_sums (Harness *h)
{
  /* by sample type; some means above 255; sums and totals that wrap */
  static const guint32 masks[] = { 0xff, 0x1ff, 0xffff, G_MAXUINT32 };
  const gint n_cases = (gint) harness_count (h, 8, 3);
  const GstClImplementation *row = labelled_row (h);
  guint n_sizes;
  const TestSize *sizes = harness_sizes (h, &n_sizes);

  for (guint i = 0; i < n_sizes && h->n_failed == 0; i++) {
    for (gint n = 0; n < n_cases && h->n_failed == 0; n++) {
      const guint at = i + (guint) n;
      /* one channel, several, sums of 8 bytes: for the row for CPUs each is a
       * program for each form, so that one of them is tested per form and
       * run */
      const guint kind = (row->family == GST_CL_FAMILY_ANY ? (guint) n
                                                           : at + h->seed) %
                         3;
      MeanCase c = mean_case_of_form (h, row, sizes[i].width, sizes[i].height,
          at);

      c.problem.from_sums = TRUE;
      c.problem.layout = n % 2;
      if (kind > 0)
        c.problem.channels = (gint) (kind == 1 ? 2 + at / 3 % 3
                                               : 1 + at / 3 % 4);
      c.problem.sum_bytes = kind == 2 ? 8 : 4;
      c.channel = g_rand_int_range (h->rand, 0, c.problem.channels);
      c.sample_mask = masks[g_rand_int_range (h->rand, 0, 4)];
      mean_case_check (h, &c);
    }
  }
}

/* The two references */

static void
check_reference (Harness *h)
{
  for (guint i = 0; i < 300 && h->n_failed == 0; i++) {
    const gint width = g_rand_int_range (h->rand, 1, 24);
    const gint height = g_rand_int_range (h->rand, 1, 24);
    MeanCase c = mean_case_random (h, gst_cl_local_mean_table.rows, width,
        height);
    const GstClWindow *w = &c.problem.window;
    g_autofree guint32 *samples = g_new (guint32, (gsize) width * height);
    g_autofree gchar *what = mean_case_describe (&c);
    g_autofree guint16 *want = NULL, *got = NULL;
    gint columns, rows;

    for (gint k = 0; k < width * height; k++)
      samples[k] = g_rand_int (h->rand) >> 24;
    want = ref_local_mean (samples, width, height, w, 4, G_MAXUINT8);
    got = ref_local_mean_fast (samples, width, height, w, 4, G_MAXUINT8);
    ref_local_mean_size (width, height, w, &columns, &rows);
    test_bytes_equal (h, (guint8 *) got, (guint8 *) want,
        (gsize) columns * rows * sizeof *got, "%s", what);
  }
}

static gboolean
run_samples (Harness *h, const MeanCase *c, const TestPlane *src,
    TestPlane *dst)
{
  const GstClLocalMeanIo io = { .samples = src->components,
    .results = dst->components };
  g_autoptr (GError) error = NULL;
  g_autofree gchar *what = mean_case_describe (c);
  g_autoptr (GstClLocalMeanOp) op = mean_case_op (h, c, &error);

  if (op && gst_cl_local_mean_op_run (op, &io, &error))
    return TRUE;

  harness_fail (h, error, "%s: the op fails", what);

  return FALSE;
}

/* The barriers and waits are necessary: async-copy equals direct, run after
 * run, at sizes with partial strips. */
static void
check_repeated (Harness *h)
{
  const GstClOpTable *table = &gst_cl_local_mean_table;
  const GstClImplementation *direct = op_row_find (table, "direct");
  const GstClImplementation *async = op_row_find (table, "async-copy");
  const guint n_runs = harness_count (h, N_REPEATED, 4);
  const gint half_height = (gint) harness_count (h, 60, 6);

  for (guint i = 0; i < n_runs && h->n_failed == 0; i++) {
    const gint width = g_rand_int_range (h->rand, 0, 400) * 2 + 1;
    const gint height = g_rand_int_range (h->rand, 0, half_height) * 2 + 1;
    MeanCase c = mean_case_of_form (h, async, width, height, i);
    g_autofree gchar *what = mean_case_describe (&c);
    TestPlane *src = test_plane_new (h, width, height, 1,
        c.problem.src_pixel_stride_bytes, c.src_pad, c.src_guard);
    TestPlane *got = mean_case_results (h, &c);
    TestPlane *want = mean_case_results (h, &c);

    /* bytes that are not written are the same in both */
    test_plane_fill (h, got, FILL_ZERO);
    test_plane_fill (h, want, FILL_ZERO);
    test_plane_fill (h, src, FILL_RANDOM);
    run_samples (h, &c, src, got);
    c.row = direct;
    run_samples (h, &c, src, want);
    test_plane_download (h, got);
    test_plane_download (h, want);
    test_bytes_equal (h, got->bytes, want->bytes, got->size_bytes, "run %u: %s",
        i, what);

    test_plane_free (src);
    test_plane_free (got);
    test_plane_free (want);
  }
}

/* Timing */

static void
bench_means (Harness *h)
{
  static const TestSize frames[] = { { 1920, 1080 }, { 3840, 2160 },
    { 7680, 4320 } };
  static const gint windows[] = { 3, 15, 31, 101 };

  for (guint f = 0; f < G_N_ELEMENTS (frames); f++) {
    const gint width = frames[f].width, height = frames[f].height;
    MeanCase c;

    for (guint i = 0; i < G_N_ELEMENTS (windows); i++) {
      g_autofree gchar *suffix = g_strdup_printf ("%dx%d", windows[i],
          windows[i]);

      c = mean_case_square (labelled_row (h), width, height, windows[i]);
      mean_case_bench (h, &c, suffix);
    }

    c = mean_case_square (labelled_row (h), width, height, 15);
    c.problem.window.border = GST_CL_BORDER_REPLICATE;
    mean_case_bench (h, &c, "15x15 replicate");

    c = mean_case_square (labelled_row (h), width, height, 15);
    c.problem.from_sums = TRUE;
    if (c.row->method != GST_CL_LOCAL_MEAN_METHOD_SLIDING)
      mean_case_bench (h, &c, "15x15 from sums");

    c = mean_case_square (labelled_row (h), width, height, 16);
    c.problem.window.border = GST_CL_BORDER_VALID;
    c.problem.window.step_x = c.problem.window.step_y = 16;
    mean_case_bench (h, &c, "16x16 step 16");
  }
}

static void
bench_copies (Harness *h)
{
  MeanCase c = mean_case_square (labelled_row (h), 1920, 1080, 1);

  c.problem.operation = GST_CL_LOCAL_MEAN_OPERATION_COPY;
  mean_case_bench (h, &c, "");
}

/* Frames of measurements contain all input, including squares. */
static void
check_trial (Harness *h)
{
  const GstClOpTable *table = &gst_cl_local_mean_table;
  const gchar *const rows[] = { "operation-moments-of-sums",
    "operation-bands-moments-of-sums-cpu" };

  for (guint i = 0; i < G_N_ELEMENTS (rows); i++) {
    MeanCase c = mean_case_square (op_row_find (table, rows[i]), 33, 17, 3);
    g_autoptr (GError) error = NULL;
    g_autoptr (GstClLocalMeanOp) op = NULL;
    gpointer io;

    c.problem.operation = GST_CL_LOCAL_MEAN_OPERATION_SAUVOLA;
    c.problem.factors.r = 1;
    c.problem.from_sums = TRUE;
    op = mean_case_op (h, &c, &error);
    io = op ? table->make_io (h->context, &c.problem, &error) : NULL;
    if (!io || !gst_cl_local_mean_op_run (op, io, &error) ||
        !gst_cl_context_finish (h->context, &error))
      harness_fail (h, error, "%s: cannot run on a frame of a measurement",
          rows[i]);
    if (io)
      table->free_io (io);
  }
}

/* Frames whose integral image exceeds the device's buffers are computed in
 * strips of the rows that fit. The error for windows of more rows names the
 * height of those that fit, and both sizes. */
static void
check_no_space (Harness *h)
{
  static const gchar *const parts[] = { "windows of up to 8 rows fit",
    "A buffer of 1188 bytes is needed", "allows 1056 bytes",
    "Smaller windows" };
  GstClDevice *device = (GstClDevice *) h->context->device;
  const guint64 max_alloc_bytes = device->max_alloc_bytes;
  MeanCase c = mean_case_square (
      op_row_find (&gst_cl_local_mean_table, "direct"), 33, 17, 8);
  g_autoptr (GError) error = NULL;
  GstClLocalMeanOp *op;

  device->max_alloc_bytes = 8 * 33 * 4;
  op = mean_case_op (h, &c, &error);
  if (!op)
    harness_fail (h, error, "a strip of eight rows");
  gst_cl_local_mean_op_free (op);

  c.problem.window.kernel_height = 9;
  op = mean_case_op (h, &c, &error);
  device->max_alloc_bytes = max_alloc_bytes;
  if (op || !gst_cl_error_is_shortage (error))
    harness_fail (h, error,
        "a window of nine rows: expected a shortage, found %s",
        op ? "an op" : "another error");
  for (guint i = 0; error && i < G_N_ELEMENTS (parts); i++) {
    if (!strstr (error->message, parts[i]))
      harness_fail (h, error, "expected \"%s\"", parts[i]);
  }
  gst_cl_local_mean_op_free (op);
}

int
main (int argc, char **argv)
{
  static const HarnessCase per_row[] = {
    { "means", check_means, bench_means, FALSE },
    { "sums", check_sums, NULL, FALSE },
    { "huge-windows", check_huge_windows, NULL, TRUE },
    { "copies", check_copies, bench_copies, FALSE },
  };
  static const HarnessCase single[] = {
    { CASE_PREFIX "reference", check_reference, NULL, FALSE },
    { CASE_PREFIX "async-copy-repeated", check_repeated, NULL, FALSE },
    { CASE_PREFIX "trial", check_trial, NULL, FALSE },
    { CASE_PREFIX "no-space", check_no_space, NULL, FALSE },
  };
  const GstClOpTable *table = &gst_cl_local_mean_table;
  g_autoptr (GArray) cases = g_array_new (FALSE, FALSE, sizeof (HarnessCase));
  g_autoptr (GPtrArray) names = g_ptr_array_new_with_free_func (g_free);

  g_array_append_vals (cases, single, G_N_ELEMENTS (single));
  for (guint i = 0; i < table->n_rows; i++) {
    const GstClImplementation *row = &table->rows[i];

    if (!makes_means (row))
      continue;
    for (guint k = 0; k < G_N_ELEMENTS (per_row); k++) {
      HarnessCase one = per_row[k];

      if (one.check == check_sums &&
          row->method == GST_CL_LOCAL_MEAN_METHOD_SLIDING)
        continue;
      one.name = g_strdup_printf (CASE_PREFIX "%s/%s", row->name, one.name);
      g_ptr_array_add (names, (gpointer) one.name);
      g_array_append_val (cases, one);
    }
  }

  return harness_main (argc, argv, (const HarnessCase *) cases->data,
      cases->len);
}
