/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Means of windows: methods to load their corners from an integral image, and
 * sliding, which needs none. */

#include "bench.h"

#include <string.h>

#include "cl/memory/gstclbuffer.h"
#include "ops/integral/integral.h"
#include "timing.h"
#include "windowsmethods.h"

#define TECHNIQUE      "windows"
/* Number of runs whose results are checked before the timed runs. The method
 * that is wrong on purpose needs more: on GPUs few of its results are wrong. */
#define N_CHECKS       10
#define N_WRONG_CHECKS 100

static const gint steps[] = { 1, 2, 4, 16 };
#define N_STEPS G_N_ELEMENTS (steps)

/* A frame, its reference, and the measurements. */
typedef struct {
  Bench *bench;
  const gchar *suffix; /* suffix of row names */
  gint64 allowed_us;   /* time of a row */
  WindowsFrame frame;
  guint8 *samples; /* the host's copy */
  guint8 *means;   /* at step 1 */

  gdouble image_us;
  gdouble median_us[WINDOWS_N_METHODS][N_STEPS]; /* 0: not run, or wrong */
  gdouble wrong_share; /* of NO_BARRIERS, maximum over the steps */
} Windows;

/* --- the reference, on the host ------------------------------------------ */

/* Means along a row of windows, from the sums of their columns. */
static void
average_row (const guint *columns, gint width, gint size, guint8 *means)
{
  const guint n = (guint) (size * size);
  guint sum = 0;

  for (gint x = 0; x < width; x++) {
    sum += columns[x];
    if (x >= size)
      sum -= columns[x - size];
    if (x >= size - 1)
      means[x - size + 1] = (guint8) ((sum + n / 2) / n);
  }
}

/* Returns the means, rounded half up, of all whole windows of @size x @size of
 * the tightly packed @samples: (width - size + 1) * (height - size + 1) of
 * them. transfer full */
static guint8 *
reference_means (const guint8 *samples, gint width, gint height, gint size)
{
  const gsize stride = (gsize) (width - size + 1);
  guint8 *means = g_malloc (stride * (height - size + 1));
  g_autofree guint *columns = g_new0 (guint, width);

  for (gint y = 0; y < height; y++) {
    const guint8 *row = samples + (gsize) y * width;

    for (gint x = 0; x < width; x++)
      columns[x] += row[x];
    if (y < size - 1)
      continue;

    average_row (columns, width, size, means + (y - size + 1) * stride);
    row -= (gsize) (size - 1) * width;
    for (gint x = 0; x < width; x++)
      columns[x] -= row[x];
  }

  return means;
}

/* Returns the integral image with its row and column of zeros, modulo 2^32.
 * transfer full */
static guint32 *
reference_sums (const guint8 *samples, gint width, gint height)
{
  const gsize stride = (gsize) width + 1;
  guint32 *sums = g_new0 (guint32, stride * (height + 1));

  for (gint y = 0; y < height; y++) {
    guint32 *above = sums + y * stride, *row = above + stride;
    guint32 row_sum = 0;

    for (gint x = 0; x < width; x++) {
      row_sum += samples[(gsize) y * width + x];
      row[x + 1] = above[x + 1] + row_sum;
    }
  }

  return sums;
}

/* --- a row ---------------------------------------------------------------- */

/* Runs @job @n_runs times, each on memory in which every result is wrong, and
 * adds the number of results that stay wrong to *@n_wrong. */
static gboolean
check_job (const Windows *self, WindowsJob *job, guint n_runs, guint64 *n_wrong,
    GError **error)
{
  GstClContext *context = self->frame.context;
  const gsize n_results = (gsize) job->columns * job->rows;
  const gsize stride = self->frame.samples.width - WINDOWS_SIZE + 1;
  g_autofree guint8 *want = g_malloc (n_results);
  g_autofree guint8 *got = g_malloc (n_results);

  for (gsize i = 0; i < n_results; i++) {
    const gsize y = i / job->columns, x = i % job->columns;

    want[i] = self->means[(stride * y + x) * job->step];
  }

  for (guint run = 0; run < n_runs; run++) {
    for (gsize i = 0; i < n_results; i++)
      got[i] = (guint8) ~want[i];
    if (!gst_cl_buffer_write (context, self->frame.results, 0, n_results, got,
            error) ||
        !windows_job_run (job, error) ||
        !gst_cl_buffer_read (context, self->frame.results, 0, n_results, got,
            error))
      return FALSE;
    for (gsize i = 0; i < n_results; i++)
      *n_wrong += got[i] != want[i];
  }

  return TRUE;
}

static void
add_row (const Windows *self, const gchar *name, const WindowsJob *job,
    gboolean expected_wrong, const Spread *spread, gdouble wrong_share)
{
  const gdouble us = MAX (spread->median, 1e-3);
  const gdouble gb_per_s = job->bytes_to_read / 1e3 / us;
  const gdouble us_per_megapixel = us * 1e6 / job->columns / job->rows;
  g_autoptr (GString) detail = g_string_new (NULL);
  GVariantBuilder figures;

  g_variant_builder_init (&figures, G_VARIANT_TYPE ("a{sd}"));
  g_variant_builder_add (&figures, "{sd}", "gb_per_s", gb_per_s);
  g_variant_builder_add (&figures, "{sd}", "us_per_megapixel",
      us_per_megapixel);
  g_string_append_printf (detail, "%.3g GB/s, %.0f us a megapixel", gb_per_s,
      us_per_megapixel);
  if (expected_wrong || wrong_share > 0) {
    g_variant_builder_add (&figures, "{sd}", "wrong_share", wrong_share);
    g_string_append_printf (detail, ", %.3g %% of results wrong",
        100 * wrong_share);
  }

  report_add (self->bench->report,
      &(ReportRow){
          .technique = TECHNIQUE,
          .row = name,
          .correct = wrong_share == 0,
          .expected_wrong = expected_wrong,
          .us = *spread,
          .detail = detail->str,
          .figures = g_variant_builder_end (&figures),
      });
}

static gboolean
measure_job (Windows *self, const gchar *name, WindowsJob *job,
    WindowsMethod method, gdouble *median_us, GError **error)
{
  const gboolean expected_wrong = method == WINDOWS_NO_BARRIERS;
  const guint n_checks = self->bench->is_quick ? 1
                         : expected_wrong      ? N_WRONG_CHECKS
                                               : N_CHECKS;
  guint64 n_wrong = 0;
  gdouble wrong_share;
  Spread spread;

  /* checks again after many runs */
  if (!check_job (self, job, n_checks, &n_wrong, error) ||
      !timing_measure (self->frame.context, windows_job_run, job,
          self->allowed_us, &spread, error) ||
      !check_job (self, job, 1, &n_wrong, error))
    return FALSE;

  wrong_share = (gdouble) n_wrong / (n_checks + 1) / job->columns / job->rows;
  add_row (self, name, job, expected_wrong, &spread, wrong_share);
  if (expected_wrong)
    self->wrong_share = MAX (self->wrong_share, wrong_share);
  if (expected_wrong || wrong_share == 0)
    *median_us = spread.median;

  return TRUE;
}

static gboolean
measure_method (Windows *self, WindowsMethod method, guint step, GError **error)
{
  g_autofree gchar *name = g_strdup_printf ("%s, step %d%s",
      windows_method_name (method), steps[step], self->suffix);
  g_autoptr (GError) failure = NULL;
  g_auto (WindowsJob) job;

  report_progress (self->bench->report, TECHNIQUE, name);
  if (windows_job_init (&job, &self->frame, method, steps[step], &failure))
    return measure_job (self, name, &job, method,
        &self->median_us[method][step], error);

  if (failure) {
    g_propagate_error (error, g_steal_pointer (&failure));
    return FALSE;
  }
  report_skip (self->bench->report, TECHNIQUE, name,
      "the plugin has no such kernel for this device");

  return TRUE;
}

/* --- the integral image --------------------------------------------------- */

typedef struct {
  const WindowsFrame *frame;
  GstClIntegralOp *op;
} Image;

static gboolean
run_image (gpointer user_data, GError **error)
{
  Image *image = user_data;

  return gst_cl_integral_op_run (image->op, &image->frame->samples,
      &image->frame->sums, error);
}

static gboolean
check_image (const Windows *self, gboolean *is_correct, GError **error)
{
  const GstClSums *sums = &self->frame.sums;
  const gsize size_bytes = (gsize) (sums->width + 1) * (sums->height + 1) *
                           sums->sum_bytes;
  g_autofree guint32 *got = g_malloc (size_bytes);
  g_autofree guint32 *want = reference_sums (self->samples, sums->width,
      sums->height);

  if (!gst_cl_buffer_read (self->frame.context, sums->mem, 0, size_bytes, got,
          error))
    return FALSE;
  *is_correct = memcmp (got, want, size_bytes) == 0;

  return TRUE;
}

/* Also creates the image, which all methods but sliding read. */
static gboolean
measure_image (Windows *self, GError **error)
{
  const WindowsFrame *frame = &self->frame;
  const GstClIntegralProblem problem = {
    .width = frame->samples.width,
    .height = frame->samples.height,
    .channels = 1,
    .pixel_stride_bytes = 1,
    .sample = frame->samples.sample,
    .layout = frame->sums.layout,
    .sum_bytes = frame->sums.sum_bytes,
  };
  const GstClDevice *device = frame->context->device;
  const GstClCandidate candidate = gst_cl_implementation_untuned (
      gst_cl_op_table_first (&gst_cl_integral_table,
          GST_CL_INTEGRAL_METHOD_MULTI_PASS, &problem, device),
      &problem, device);
  g_autofree gchar *name = g_strconcat ("integral image", self->suffix, NULL);
  g_autoptr (GstClIntegralOp) op = NULL;
  gboolean is_correct;
  Spread spread;

  report_progress (self->bench->report, TECHNIQUE, name);
  op = gst_cl_integral_op_new (frame->context, &candidate, &problem, error);
  if (!op ||
      !timing_measure (frame->context, run_image, &(Image){ frame, op },
          self->allowed_us, &spread, error) ||
      !check_image (self, &is_correct, error))
    return FALSE;

  self->image_us = spread.median;
  report_add (self->bench->report,
      &(ReportRow){
          .technique = TECHNIQUE,
          .row = name,
          .correct = is_correct,
          .us = spread,
          .detail = "input of all methods except sliding",
      });

  return TRUE;
}

/* --- conclusions ---------------------------------------------------------- */

/* Returns the fastest correct method that reads an integral image, except
 * @other; WINDOWS_N_METHODS: there is none. */
static WindowsMethod
find_fastest (const Windows *self, guint step, WindowsMethod other)
{
  WindowsMethod fastest = WINDOWS_N_METHODS;

  for (WindowsMethod method = 0; method < WINDOWS_N_METHODS; method++) {
    const gdouble us = self->median_us[method][step];

    if (us > 0 && method != other && method != WINDOWS_NO_BARRIERS &&
        method != WINDOWS_SLIDING &&
        (fastest == WINDOWS_N_METHODS || us < self->median_us[fastest][step]))
      fastest = method;
  }

  return fastest;
}

/* Appends a time. */
static void
append_us (GString *sentence, gdouble us)
{
  g_string_append_printf (sentence, "%.*f us", us < 100 ? 1 : 0, us);
}

static void
append_winner (const Windows *self, guint step, GString *sentence)
{
  const WindowsMethod first = find_fastest (self, step, WINDOWS_N_METHODS);
  const WindowsMethod second = find_fastest (self, step, first);
  const gdouble sliding_us = self->median_us[WINDOWS_SLIDING][step];
  gdouble us;

  g_string_append_printf (sentence, "at step %d ", steps[step]);
  if (second == WINDOWS_N_METHODS) {
    g_string_append (sentence, "fewer than two methods are correct; ");
    return;
  }

  us = self->median_us[first][step];
  g_string_append_printf (sentence, "'%s' wins with ",
      windows_method_name (first));
  append_us (sentence, us);
  g_string_append_printf (sentence, ", %.2f times as fast as '%s'",
      self->median_us[second][step] / us, windows_method_name (second));
  if (sliding_us > 0) {
    g_string_append (sentence, " (with the image ");
    append_us (sentence, self->image_us + us);
    g_string_append (sentence, ", sliding without one ");
    append_us (sentence, sliding_us);
    g_string_append_c (sentence, ')');
  }
  g_string_append (sentence, "; ");
}

/* @wrong_share: the greatest share of wrong results without barriers. */
static void
conclude (const Windows *self, gdouble wrong_share)
{
  const gdouble *with = self->median_us[WINDOWS_ONE_BUFFER];
  const gdouble *without = self->median_us[WINDOWS_NO_BARRIERS];
  const guint last = N_STEPS - 1;
  g_autoptr (GString) sentence = g_string_new (NULL);

  g_string_append_printf (sentence,
      "Windows of %dx%d from an integral image of %dx%d: ", WINDOWS_SIZE,
      WINDOWS_SIZE, self->frame.samples.width, self->frame.samples.height);
  append_winner (self, 0, sentence);
  append_winner (self, last, sentence);
  g_string_append (sentence, "strided copies without their barriers ");
  if (with[0] > 0 && with[last] > 0)
    g_string_append_printf (sentence,
        "take %.2f and %.2f times as long as with them and ",
        without[0] / with[0], without[last] / with[last]);
  if (wrong_share > 0)
    g_string_append_printf (sentence, "get up to %.3g %% of results wrong.",
        100 * wrong_share);
  else
    g_string_append (sentence, "have correct results here.");

  report_conclude (self->bench->report, TECHNIQUE, sentence->str);
}

/* --- frames --------------------------------------------------------------- */

static void
windows_clear (Windows *self)
{
  gst_cl_buffer_free (self->frame.samples.mem);
  gst_cl_buffer_free (self->frame.sums.mem);
  gst_cl_buffer_free (self->frame.results);
  g_free (self->samples);
  g_free (self->means);
}

G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (Windows, windows_clear)

static gboolean
prepare_frame (Windows *self, gint width, gint height, GError **error)
{
  WindowsFrame *frame = &self->frame;
  GstClContext *context = self->bench->profiling;
  const gsize n_samples = (gsize) width * height;
  g_autoptr (GRand) rand = bench_rand (self->bench, TECHNIQUE, "samples");

  self->samples = g_malloc (n_samples);
  for (gsize i = 0; i < n_samples; i++)
    self->samples[i] = (guint8) g_rand_int (rand);
  self->means = reference_means (self->samples, width, height, WINDOWS_SIZE);

  frame->context = context;
  frame->samples = (GstClComponent){
    .mem = gst_cl_buffer_new_filled (context, n_samples, self->samples, error),
    .stride_bytes = width,
    .pixel_stride_bytes = 1,
    .width = width,
    .height = height,
    .sample = { 1, 8, 0 },
  };
  if (!frame->samples.mem)
    return FALSE;

  frame->sums = (GstClSums){
    .mem = gst_cl_buffer_new (context,
        (gsize) (width + 1) * (height + 1) * sizeof (guint32), error),
    .layout = GST_CL_LAYOUT_EXCLUSIVE,
    .width = width,
    .height = height,
    .channels = 1,
    .sum_bytes = sizeof (guint32),
  };
  if (!frame->sums.mem)
    return FALSE;

  frame->results = gst_cl_buffer_new (context, n_samples, error);

  return frame->results != NULL;
}

/* Every row of a frame. */
static gboolean
measure_frame (Windows *self, gint width, gint height, GError **error)
{
  const GstClDevice *device = self->bench->profiling->device;

  if (!prepare_frame (self, width, height, error) ||
      !measure_image (self, error))
    return FALSE;

  for (WindowsMethod method = 0; method < WINDOWS_N_METHODS; method++) {
    for (guint step = 0;
         step < N_STEPS && windows_method_exists (method, device); step++) {
      if (!measure_method (self, method, step, error))
        return FALSE;
    }
  }

  return TRUE;
}

gboolean
bench_windows (Bench *bench, GError **error)
{
  const gboolean has_large = !bench->is_quick &&
                             bench->profiling->device->family ==
                                 GST_CL_FAMILY_GPU;
  const guint n_rows = (WINDOWS_N_METHODS * N_STEPS + 1) * (has_large ? 2 : 1);
  /* the rest is for compiling and checking */
  const gint64 allowed_us = bench->allowed_us * 2 / 3 / n_rows;
  g_auto (Windows)
      self = { .bench = bench, .suffix = "", .allowed_us = allowed_us };
  g_auto (Windows) large = { .bench = bench,
    .suffix = ", 3840x2160",
    .allowed_us = allowed_us };

  /* a quick frame is small enough for a simulated device, and has whole and
   * partial strips */
  if (!measure_frame (&self, bench->is_quick ? 301 : 1920,
          bench->is_quick ? 23 : 1080, error) ||
      (has_large && !measure_frame (&large, 3840, 2160, error)))
    return FALSE;
  conclude (&self, MAX (self.wrong_share, large.wrong_share));

  return TRUE;
}
