/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Cases of the local mean's tests: random ones, and their results. */

#include "localmeancase.h"

#include <string.h>

#include "localmeanreference.h"
#include "operation/operationreference.h"

static const gchar *const border_names[] = { "shrink", "valid", "replicate",
  "constant", "reflect", "reflect-101", "wrap" };

static const gchar *const operation_names[] = { "mean", "copy", "stddev",
  "difference", "normalize", "mean-c", "bradley", "niblack", "sauvola", "wolf",
  "nick" };

const gchar *
mean_case_operation (GstClLocalMeanOperation operation)
{
  return operation_names[operation];
}

const GstClImplementation *
mean_case_implementation (const MeanCase *c)
{
  const GstClOpTable *table = &gst_cl_local_mean_table;
  const GstClDevice device = { .family = c->row->family };
  const GstClImplementation *row = gst_cl_op_table_first (table, c->row->method,
      &c->problem, &device);

  for (guint i = 0; i < table->n_rows && c->is_last; i++) {
    const GstClImplementation *other = &table->rows[i];

    if (other->method == row->method && other->family == row->family &&
        gst_cl_implementation_supports (other, &c->problem, &device))
      row = other;
  }

  return row;
}

/* Returns whether the kernel is built as for a GPU, where the border of plain
 * kernels is a constant: for one border, bytes and every other frame, so that
 * each device runs both forms and compiles few more programs. */
static gboolean
is_built_as_for_gpus (const MeanCase *c)
{
  return c->row->family != GST_CL_FAMILY_CPU && c->problem.from_sums &&
         c->problem.sample.bytes == 1 &&
         c->problem.window.border == GST_CL_BORDER_REFLECT_101 &&
         c->problem.width % 2 == 1;
}

GstClLocalMeanOp *
mean_case_op (const Harness *h, const MeanCase *c, GError **error)
{
  GstClDevice *device = h->context->device;
  const GstClFamily family = device->family;
  const GstClTuning tuning = { "of the case",
    { c->bands_percent, c->strip_results } };
  const GstClCandidate candidate = gst_cl_implementation_tuned (
      mean_case_implementation (c), &tuning, &c->problem, device);
  GstClLocalMeanOp *op;

  if (is_built_as_for_gpus (c))
    device->family = GST_CL_FAMILY_GPU;
  op = gst_cl_local_mean_op_new (h->context, &candidate, &c->problem, error);
  device->family = family;

  return op;
}

gchar *
mean_case_describe (const MeanCase *c)
{
  const GstClLocalMeanProblem *problem = &c->problem;
  const GstClWindow *w = &problem->window;

  return g_strdup_printf (
      "%s %s %dx%d depth %u, window %dx%d anchor %d,%d step %d,%d %s, pixel "
      "strides %d "
      "to %d, %s channel %d of %d, sum bytes %u, %u %% of the bands, "
      "strips of %u rows, %d rows of results, mask "
      "%x, fill %s",
      mean_case_implementation (c)->name, operation_names[problem->operation],
      problem->width, problem->height, problem->sample.depth, w->kernel_width,
      w->kernel_height, w->anchor_x, w->anchor_y, w->step_x, w->step_y,
      border_names[w->border], problem->src_pixel_stride_bytes,
      problem->dst_pixel_stride_bytes,
      !problem->from_sums                          ? "samples,"
      : problem->layout == GST_CL_LAYOUT_EXCLUSIVE ? "exclusive sums,"
                                                   : "inclusive sums,",
      c->channel, problem->channels, problem->sum_bytes, c->bands_percent,
      c->strip_results, problem->n_result_rows, c->sample_mask,
      fill_type_name (c->fill));
}

/* Random cases */

/* Returns a length of 1 .. @limit: often an extreme, or a common one. */
static gint
random_length (Harness *h, gint limit)
{
  const gint common[] = { 1, 2, 3, 15, 16, 31, limit - 1, limit };
  const gint choice = g_rand_int_range (h->rand, 0, 12);
  const gint length = choice < (gint) G_N_ELEMENTS (common)
                          ? common[choice]
                          : g_rand_int_range (h->rand, 1, limit + 1);

  return CLAMP (length, 1, limit);
}

static gint
random_anchor (Harness *h, gint length)
{
  const gint anchors[] = { 0, length / 2, length - 1,
    g_rand_int_range (h->rand, 0, length) };

  return anchors[g_rand_int_range (h->rand, 0, 4)];
}

static GstClWindow
random_window (Harness *h, gint width, gint height)
{
  GstClWindow w = { .border = g_rand_int_range (h->rand, 0, N_BORDERS),
    .border_value = g_rand_int_range (h->rand, 0, 256) };
  const gint choice = g_rand_int_range (h->rand, 0, 8);

  w.kernel_width = random_length (h, width);
  w.kernel_height = random_length (h, height);
  w.anchor_x = random_anchor (h, w.kernel_width);
  w.anchor_y = random_anchor (h, w.kernel_height);
  /* steps of 1, of 1 .. 5 each way, and the window's own size */
  w.step_x = choice < 3 ? 1 : g_rand_int_range (h->rand, 1, 6);
  w.step_y = choice < 3 ? 1 : g_rand_int_range (h->rand, 1, 6);
  if (choice == 7) {
    w.step_x = w.kernel_width;
    w.step_y = w.kernel_height;
  }

  return w;
}

MeanForm
mean_case_form (const Harness *h, const GstClImplementation *row, guint n)
{
  static const MeanForm forms[] = {
    { GST_CL_BORDER_SHRINK, 1, 1 },
    { GST_CL_BORDER_REPLICATE, 4, 4 },
    { GST_CL_BORDER_VALID, 2, 3 },
    { GST_CL_BORDER_REFLECT_101, 3, 1 },
    { GST_CL_BORDER_CONSTANT, 1, 4 },
    { GST_CL_BORDER_REFLECT, 1, 2 },
    { GST_CL_BORDER_WRAP, 1, 1 },
  };
  const guint n_common = row->family == h->context->device->family ? 2 : 1;
  MeanForm drawn[G_N_ELEMENTS (forms)];
  guint n_drawn = 0;

  /* Forms are arguments of plain kernels. For others each is a program: the
   * common ones, and some of the rest; the suite of cllocalmean's values has
   * them all. */
  for (guint i = 0; i < G_N_ELEMENTS (forms); i++) {
    if (row->family == GST_CL_FAMILY_ANY || i < n_common ||
        harness_draws (h, i, G_N_ELEMENTS (forms) - n_common))
      drawn[n_drawn++] = forms[i];
  }

  return drawn[n % n_drawn];
}

MeanCase
mean_case_random (Harness *h, const GstClImplementation *row, gint width,
    gint height)
{
  return (MeanCase) {
    .row = row,
    .problem = {
      .window = random_window (h, width, height),
      .width = width,
      .height = height,
      .src_pixel_stride_bytes = g_rand_int_range (h->rand, 1, 5),
      .dst_pixel_stride_bytes = g_rand_int_range (h->rand, 1, 5),
      .layout = g_rand_int_range (h->rand, 0, 2),
      .channels = 1,
      .sum_bytes = 4,
      .sample = { 1, 8, 0 },
    },
    .is_last = g_rand_boolean (h->rand),
    .bands_percent = 50 * (guint) g_rand_int_range (h->rand, 0, 5),
    .sample_mask = G_MAXUINT8,
    .src_pad = g_rand_int_range (h->rand, 0, 20),
    .dst_pad = g_rand_int_range (h->rand, 0, 20),
    .src_guard = g_rand_int_range (h->rand, 0, 40),
    .dst_guard = g_rand_int_range (h->rand, 0, 40),
    .fill = g_rand_int_range (h->rand, 0, N_FILL_TYPES),
  };
}

MeanCase
mean_case_of_form (Harness *h, const GstClImplementation *row, gint width,
    gint height, guint n)
{
  const MeanForm form = mean_case_form (h, row, n);
  MeanCase c = mean_case_random (h, row, width, height);

  c.problem.window.border = form.border;
  c.problem.src_pixel_stride_bytes = form.src_pixel_stride;
  c.problem.dst_pixel_stride_bytes = form.dst_pixel_stride;

  return c;
}

void
mean_case_use_strips (Harness *h, MeanCase *c)
{
  GstClWindow *window = &c->problem.window;

  c->strip_results = (guint) g_rand_int_range (h->rand, 1, 9);
  window->kernel_height = MIN (window->kernel_height,
      MAX (c->problem.height / 2, 1));
  window->anchor_y %= window->kernel_height;
}

static void
count_results (const MeanCase *c, gint *columns, gint *rows)
{
  ref_local_mean_size (c->problem.width, c->problem.height, &c->problem.window,
      columns, rows);
  if (c->problem.n_result_rows)
    *rows = c->problem.n_result_rows;
}

void
mean_case_leave_out_rows (Harness *h, MeanCase *c)
{
  gint columns, rows;

  count_results (c, &columns, &rows);
  if (g_rand_boolean (h->rand) && rows > 1)
    c->problem.n_result_rows = g_rand_boolean (h->rand)
                                   ? rows - 1
                                   : g_rand_int_range (h->rand, 1, rows);
}

static guint16 *
reference (const MeanCase *c, const guint32 *samples)
{
  const GstClWindow *w = &c->problem.window;
  const gint width = c->problem.width, height = c->problem.height;
  const guint max_code = (1u << c->problem.sample.depth) - 1;
  gint columns, rows;

  if (c->problem.operation == GST_CL_LOCAL_MEAN_OPERATION_COPY)
    return ref_local_mean_copy (samples, width, height, w);
  if (c->problem.operation != GST_CL_LOCAL_MEAN_OPERATION_MEAN)
    return ref_local_op (samples, &c->problem);

  /* the one that reads fewer samples */
  ref_local_mean_size (width, height, w, &columns, &rows);
  if ((guint64) columns * rows * w->kernel_width * w->kernel_height <=
      (guint64) (width + 2 * w->kernel_width) * (height + 2 * w->kernel_height))
    return ref_local_mean (samples, width, height, w, c->problem.sum_bytes,
        max_code);

  return ref_local_mean_fast (samples, width, height, w, c->problem.sum_bytes,
      max_code);
}

TestPlane *
mean_case_results (Harness *h, const MeanCase *c)
{
  gint columns, rows;
  TestPlane *plane;

  count_results (c, &columns, &rows);
  plane = test_plane_new_of (h, c->problem.sample, columns, rows, 1,
      c->problem.dst_pixel_stride_bytes / (gint) c->problem.sample.bytes,
      c->dst_pad, c->dst_guard);
  test_plane_fill (h, plane, FILL_RANDOM);

  return plane;
}

static void
store_code (guint8 *bytes, const GstClSampleType *sample, guint code)
{
  const guint16 word = (guint16) (code << sample->shift);

  if (sample->bytes == 2)
    memcpy (bytes, &word, sizeof word);
  else
    *bytes = (guint8) code;
}

gboolean
mean_case_check_results (Harness *h, const MeanCase *c, TestPlane *plane,
    const guint16 *results)
{
  const GstClComponent *component = &plane->components[0];
  g_autofree guint8 *want = g_memdup2 (plane->bytes, plane->size_bytes);
  g_autofree gchar *what = mean_case_describe (c);
  const guint16 *next = results;

  for (gint y = 0; y < component->height; y++) {
    guint8 *row = want + component->offset_bytes +
                  (gsize) y * component->stride_bytes;

    for (gint x = 0; x < component->width; x++)
      store_code (row + x * component->pixel_stride_bytes, &c->problem.sample,
          *next++);
  }

  test_plane_download (h, plane);

  return test_bytes_equal (h, plane->bytes, want, plane->size_bytes, "%s",
      what);
}

guint32 *
mean_case_samples (const TestPlane *plane)
{
  const GstClComponent *component = &plane->components[0];
  guint32 *samples = g_new (guint32,
      (gsize) component->width * component->height);
  guint32 *next = samples;

  for (gint y = 0; y < component->height; y++) {
    const guint8 *row = plane->bytes + component->offset_bytes +
                        (gsize) y * component->stride_bytes;

    for (gint x = 0; x < component->width; x++)
      *next++ = test_code (row, &component->sample,
          (gsize) x * component->pixel_stride_bytes);
  }

  return samples;
}

static guint64
stored_sum (const guint8 *sums, guint sum_bytes, gsize index)
{
  guint64 sum = 0;

  memcpy (&sum, sums + index * sum_bytes, sum_bytes);

  return sum;
}

static void
store_sum (guint8 *sums, guint sum_bytes, gsize index, guint64 sum)
{
  memcpy (sums + index * sum_bytes, &sum, sum_bytes);
}

/* An integral image of @samples to the power of @power. */
static GstClSums
upload_table (Harness *h, const MeanCase *c, const guint32 *samples, gint power,
    guint sum_bytes, gsize guard_bytes, GError **error)
{
  const GstClLocalMeanProblem *problem = &c->problem;
  const gint extra = problem->layout == GST_CL_LAYOUT_EXCLUSIVE;
  const gsize row_sums = (gsize) (problem->width + extra) * problem->channels;
  const gsize size_bytes = guard_bytes +
                           row_sums * (problem->height + extra) * sum_bytes;
  g_autofree guint8 *bytes = g_malloc (size_bytes);
  guint8 *sums = bytes + guard_bytes;
  GstClSums result = {
    .offset_bytes = guard_bytes,
    .layout = problem->layout,
    .width = problem->width,
    .height = problem->height,
    .channels = problem->channels,
    .sum_bytes = sum_bytes,
  };

  for (gsize i = 0; i < size_bytes; i++)
    bytes[i] = (guint8) g_rand_int (h->rand);

  for (gint y = -extra; y < problem->height; y++) {
    guint64 row_sum = 0;

    for (gint x = -extra; x < problem->width; x++) {
      const gsize index = (y + extra) * row_sums +
                          (gsize) (x + extra) * problem->channels + c->channel;

      if (x >= 0 && y >= 0) {
        const guint64 sample = samples[(gsize) y * problem->width + x];

        row_sum += power == 2 ? sample * sample : sample;
      }
      store_sum (sums, sum_bytes, index,
          row_sum +
              (y > 0 ? stored_sum (sums, sum_bytes, index - row_sums) : 0));
    }
  }

  result.mem = gst_cl_buffer_new (h->context, size_bytes, error);
  if (result.mem && !gst_cl_buffer_write (h->context, result.mem, 0, size_bytes,
                        bytes, error))
    g_clear_pointer (&result.mem, gst_cl_buffer_free);

  return result;
}

GstClSums
mean_case_upload_sums (Harness *h, const MeanCase *c, const guint32 *samples,
    gint guard_sums, GError **error)
{
  return upload_table (h, c, samples, 1, c->problem.sum_bytes,
      (gsize) guard_sums * c->problem.sum_bytes, error);
}

GstClSums
mean_case_upload_squares (Harness *h, const MeanCase *c, const guint32 *samples,
    gint guard_words, GError **error)
{
  return upload_table (h, c, samples, 2, 8, (gsize) guard_words * 4, error);
}

/* Runs the op of the case on @input, of @samples, and compares. */
static void
run_and_compare (Harness *h, const MeanCase *c, const GstClLocalMeanIo *input,
    const guint32 *samples)
{
  g_autoptr (GError) error = NULL;
  g_autofree gchar *what = mean_case_describe (c);
  g_autoptr (GstClLocalMeanOp) op = mean_case_op (h, c, &error);
  TestPlane *dst = mean_case_results (h, c);
  GstClLocalMeanIo io = *input;

  io.results = dst->components;
  if (op && gst_cl_local_mean_op_run (op, &io, &error)) {
    g_autofree guint16 *want = reference (c, samples);

    mean_case_check_results (h, c, dst, want);
  } else {
    harness_fail (h, error, "%s: the op fails", what);
  }
  test_plane_free (dst);
}

void
mean_case_check_plane (Harness *h, const MeanCase *c, const TestPlane *src)
{
  g_autofree guint32 *samples = mean_case_samples (src);

  run_and_compare (h, c, &(GstClLocalMeanIo){ .samples = src->components },
      samples);
}

static void
check_sums (Harness *h, const MeanCase *c)
{
  const gboolean has_squares = c->problem.operation >=
                               GST_CL_LOCAL_MEAN_OPERATION_STDDEV;
  const gsize n = (gsize) c->problem.width * c->problem.height;
  g_autofree guint32 *samples = g_new (guint32, n);
  g_autoptr (GError) error = NULL;
  GstClSums sums, squares = { 0 };
  const GstClLocalMeanIo input = { .sums = &sums,
    .squares = &squares,
    .channel = c->channel };

  for (gsize i = 0; i < n; i++)
    samples[i] = g_rand_int (h->rand) & c->sample_mask;
  sums = mean_case_upload_sums (h, c, samples, g_rand_int_range (h->rand, 0, 9),
      &error);
  if (sums.mem && has_squares)
    squares = mean_case_upload_squares (h, c, samples, 1, &error);
  if (error)
    harness_fail (h, error, "cannot upload integral images");
  else
    run_and_compare (h, c, &input, samples);
  gst_cl_buffer_free (sums.mem);
  gst_cl_buffer_free (squares.mem);
}

void
mean_case_check (Harness *h, const MeanCase *c)
{
  const GstClLocalMeanProblem *problem = &c->problem;
  TestPlane *src;

  if (problem->from_sums) {
    check_sums (h, c);
    return;
  }

  src = test_plane_new_of (h, problem->sample, problem->width, problem->height,
      1, problem->src_pixel_stride_bytes / (gint) problem->sample.bytes,
      c->src_pad, c->src_guard);
  test_plane_fill (h, src, c->fill);
  mean_case_check_plane (h, c, src);
  test_plane_free (src);
}
