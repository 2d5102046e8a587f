/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Rows of steps: an integral image of the samples, then a row for sums; or
 * rounded means, then an operation on them. */

#include "localmeanprivate.h"

#include "cl/context/gstclprogram.h"
#include "cl/memory/gstclbuffer.h"
#include "ops/choose.h"
#include "ops/integral/integral.h"

#define SQUARE_SUM_BYTES 8 /* of an integral image of squares */

/* --- an integral image, then sums ----------------------------------------- */

/* The integral image of a large frame is made in strips. A strip is a number of
 * rows of results; its samples are those of their windows, so that neighbouring
 * strips share samples. All strips have the same number of rows: the last one
 * computes some results again. The sums of a strip begin with its first sample.
 * The differences of sums are the same as in one piece.
 *
 * With border WRAP, windows of the first and the last results have samples from
 * both ends of the frame, which are copied side by side. */

/* The most bytes of a strip's integral images and copied samples. During a
 * quick start (ops/tieredop.h) there are two instances. */
#define STRIP_BYTES (G_GUINT64_CONSTANT (1) << 29)

typedef struct {
  GstClContext *context;
  GstClLocalMeanProblem problem; /* of the frame */
  gboolean needs_squares;        /* FALSE: squares_op is NULL */
  GstClIntegralOp *sums_op, *squares_op;
  GstClSums sums, squares; /* overwritten by every run */

  gint n_all;             /* rows of results of the frame */
  gint n_results, n_rows; /* of a strip: rows of results, rows of samples */
  GstClComponent wrapped; /* copied samples; mem is NULL if there are none */

  GstClInstance then; /* run with the sums */
} ByImage;

static void
free_by_image (gpointer by_image)
{
  ByImage *self = by_image;

  if (!self)
    return;

  gst_cl_instance_clear (&self->then);
  gst_cl_integral_op_free (self->sums_op);
  gst_cl_integral_op_free (self->squares_op);
  gst_cl_buffer_free (self->sums.mem);
  gst_cl_buffer_free (self->squares.mem);
  gst_cl_buffer_free (self->wrapped.mem);
  gst_clear_object (&self->context);
  g_free (self);
}

G_DEFINE_AUTOPTR_CLEANUP_FUNC (ByImage, free_by_image)

/* --- strips --------------------------------------------------------------- */

/* Returns the rows of samples for @n_results rows of results: those of their
 * windows, and those up to the next result, which count for WOLF. */
static guint64
count_rows (const GstClWindow *window, gint n_results)
{
  return (guint64) n_results * window->step_y + window->kernel_height - 1;
}

/* Returns the rows of results that the problem leaves out at the end; their
 * samples count for WOLF. */
static gint
count_left_out (const GstClLocalMeanProblem *problem)
{
  const GstClWindow *window = &problem->window;
  gint width, height;

  gst_cl_local_mean_result_size (problem, &width, &height);

  return gst_cl_window_results (window->border, problem->height,
             window->kernel_height, window->step_y) -
         height;
}

/* Returns the bytes of a strip's largest buffer for each row of samples, and
 * sets *@all_bytes to those of all its buffers. */
static guint64
count_row_bytes (const ByImage *self, guint64 *all_bytes)
{
  const GstClLocalMeanProblem *p = &self->problem;
  const guint sum_bytes = gst_cl_local_mean_sum_bytes (p);
  const guint square_bytes = self->needs_squares ? SQUARE_SUM_BYTES : 0;
  const guint sample_bytes = p->window.border == GST_CL_BORDER_WRAP
                                 ? (guint) p->src_pixel_stride_bytes
                                 : 0;

  *all_bytes = (guint64) p->width * (sum_bytes + square_bytes + sample_bytes);

  return (guint64) p->width * MAX (sum_bytes, square_bytes);
}

/* Returns the most rows of samples of a strip; 0 with @error if the device
 * cannot store those of a single row of results. */
static guint64
count_most_rows (const ByImage *self, GError **error)
{
  const GstClLocalMeanProblem *p = &self->problem;
  const GstClWindow *window = &p->window;
  const guint64 one = count_rows (window, 1);
  const guint64 least = MIN (one, (guint64) p->height);
  guint64 all_bytes;
  const guint64 row_bytes = count_row_bytes (self, &all_bytes);
  const guint64 fit = self->context->device->max_alloc_bytes / row_bytes;

  if (fit >= least)
    /* at least half of the rows are no neighbour's */
    return MIN (fit, MAX (STRIP_BYTES / all_bytes, 2 * one));

  gst_cl_buffer_check_size (self->context, least * row_bytes, error);
  g_prefix_error (error,
      "The integral image of the %" G_GUINT64_FORMAT
      " rows of a window is too large: at this width, windows of up to %d rows "
      "fit. Smaller windows, with method=auto, need no integral image. ",
      least, (gint) CLAMP ((gint64) fit - window->step_y + 1, 0, G_MAXINT));

  return 0;
}

/* Sets the size of strips. @n_results: rows of results, or 0 for the most.
 * FALSE with @error. */
static gboolean
choose_strips (ByImage *self, guint n_results, GError **error)
{
  const GstClLocalMeanProblem *p = &self->problem;
  const guint64 most_rows = count_most_rows (self, error);
  const gint n_left_out = count_left_out (p);
  guint64 n_rows;
  gint width, n_strips;

  if (most_rows == 0)
    return FALSE;

  gst_cl_local_mean_result_size (p, &width, &self->n_all);
  self->n_results = self->n_all;
  self->n_rows = p->height;
  if (n_results == 0 && most_rows < (guint64) p->height)
    n_results = (guint) MAX (
        (gint) ((most_rows - p->window.kernel_height + 1) / p->window.step_y) -
            n_left_out,
        1);
  if (n_results == 0 || n_results >= (guint) self->n_all)
    return TRUE;

  n_strips = (self->n_all - 1) / (gint) n_results + 1;
  n_results = (guint) (self->n_all - 1) / n_strips + 1;
  n_rows = count_rows (&p->window, (gint) n_results + n_left_out);
  if (n_rows < (guint64) p->height) {
    self->n_results = (gint) n_results;
    self->n_rows = (gint) n_rows;
  }

  return TRUE;
}

static gboolean
is_in_strips (const ByImage *self)
{
  return self->n_results < self->n_all;
}

/* Copies the strip that begins with row @start of @samples, before or after
 * which the frame is repeated. */
static gboolean
wrap_samples (const ByImage *self, const GstClComponent *samples, gint start,
    GError **error)
{
  const GstClComponent *to = &self->wrapped;
  const gint height = self->problem.height;
  GstClCopy copy = {
    .from = samples->mem,
    .rows = { .row_bytes = (gsize) to->stride_bytes - to->pixel_stride_bytes +
                           to->sample.bytes,
        .src_stride_bytes = samples->stride_bytes,
        .dst_stride_bytes = to->stride_bytes },
    .target.mem = to->mem,
  };
  gint n_rows;

  for (gint y = 0; y < self->n_rows; y += n_rows) {
    const gint from = (start + y + height) % height;

    n_rows = MIN (self->n_rows - y, height - from);
    copy.offset_bytes = samples->offset_bytes +
                        (gsize) from * samples->stride_bytes;
    copy.rows.n_rows = n_rows;
    copy.target.offset_bytes = (gsize) y * to->stride_bytes;
    if (!gst_cl_buffer_copy_rows (self->context, &copy, error))
      return FALSE;
  }

  return TRUE;
}

/* Sets @strip to the samples of the strip whose first result is in row @result;
 * *@first_row to the row in it that this result belongs to. */
static gboolean
get_samples (const ByImage *self, const GstClComponent *samples, gint result,
    GstClComponent *strip, gint *first_row, GError **error)
{
  const GstClWindow *window = &self->problem.window;
  const gboolean wraps = self->wrapped.mem != NULL;
  const gint last = self->problem.height - self->n_rows;
  const gint row = result * window->step_y;
  const gint above = window->border == GST_CL_BORDER_VALID ? 0
                                                           : window->anchor_y;
  const gint start = wraps ? row - above : CLAMP (row - above, 0, last);

  *first_row = row - start;
  if (start < 0 || start > last) {
    *strip = self->wrapped;
    return wrap_samples (self, samples, start, error);
  }

  *strip = *samples;
  strip->offset_bytes += (gsize) start * samples->stride_bytes;
  strip->height = self->n_rows;

  return TRUE;
}

/* --- creating ------------------------------------------------------------- */

static GstClIntegralOp *
make_image (const ByImage *self, GstClIntegralKind kind, guint sum_bytes,
    GstClSums *sums, GError **error)
{
  const GstClLocalMeanProblem *problem = &self->problem;
  const GstClIntegralProblem integral = {
    .width = problem->width,
    .height = self->n_rows,
    .channels = 1,
    .pixel_stride_bytes = problem->src_pixel_stride_bytes,
    .sample = problem->sample,
    .layout = GST_CL_LAYOUT_INCLUSIVE,
    .sum_bytes = sum_bytes,
    .kind = kind,
  };
  GstClCandidate candidate;

  *sums = (GstClSums){
    .layout = integral.layout,
    .width = integral.width,
    .height = integral.height,
    .channels = integral.channels,
    .sum_bytes = integral.sum_bytes,
  };
  sums->mem = gst_cl_buffer_new (self->context,
      (gsize) sums->width * (gsize) sums->height * sum_bytes, error);
  if (!sums->mem)
    return NULL;

  candidate = gst_cl_op_table_choose (&gst_cl_integral_table, self->context,
      GST_CL_INTEGRAL_METHOD_AUTO, &integral, FALSE, error);

  return candidate.implementation ? gst_cl_integral_op_new (self->context,
                                        &candidate, &integral, error)
                                  : NULL;
}

static gboolean
make_images (ByImage *self, GError **error)
{
  self->sums_op = make_image (self, GST_CL_INTEGRAL_SUM,
      gst_cl_local_mean_sum_bytes (&self->problem), &self->sums, error);
  if (!self->sums_op || !self->needs_squares)
    return self->sums_op != NULL;

  self->squares_op = make_image (self, GST_CL_INTEGRAL_SQUARES,
      SQUARE_SUM_BYTES, &self->squares, error);

  return self->squares_op != NULL;
}

static gpointer
create_by_image (GstClContext *context, const GstClCandidate *candidate,
    gconstpointer problem, GError **error)
{
  const GstClLocalMeanRow *row = candidate->implementation->data;
  GstClCandidate then = *candidate;
  g_autoptr (ByImage) self = g_new0 (ByImage, 1);
  GstClLocalMeanProblem *p = &self->problem;
  GstClLocalMeanProblem strip;

  self->context = gst_object_ref (context);
  *p = *(const GstClLocalMeanProblem *) problem;
  self->needs_squares = gst_cl_local_mean_needs_squares (p->operation);
  /* one program instead of two */
  if (self->needs_squares && gst_cl_build_is_quick ())
    p->sum_bytes = SQUARE_SUM_BYTES;
  if (!choose_strips (self, candidate->values[GST_CL_LOCAL_MEAN_STRIP_RESULTS],
          error) ||
      !make_images (self, error))
    return NULL;

  strip = *p;
  if (is_in_strips (self)) {
    strip.height = self->n_rows;
    strip.n_result_rows = self->n_results;
    self->wrapped = gst_cl_local_mean_plane (&p->sample, p->width, self->n_rows,
        p->src_pixel_stride_bytes);
    if (p->window.border == GST_CL_BORDER_WRAP &&
        !gst_cl_local_mean_plane_allocate (&self->wrapped, context, error))
      return NULL;
  }
  then.implementation = row->then;

  return gst_cl_instance_init (&self->then, context, &then, &strip, error)
             ? g_steal_pointer (&self)
             : NULL;
}

/* --- running -------------------------------------------------------------- */

/* Runs the strip whose first result is in row @result. */
static gboolean
run_strip (const ByImage *self, const GstClLocalMeanIo *frame, gint result,
    GstClLocalMeanRun run, GError **error)
{
  GstClLocalMeanIo io = *frame;
  GstClComponent samples, results = *frame->results;

  io.samples = &samples;
  io.sums = &self->sums;
  io.squares = &self->squares;
  io.results = &results;
  io.strip.run = run;
  results.offset_bytes += (gsize) result * results.stride_bytes;
  results.height = self->n_results;

  return get_samples (self, frame->samples, result, &samples,
             &io.strip.first_row, error) &&
         gst_cl_integral_op_run (self->sums_op, &samples, &self->sums, error) &&
         (!self->needs_squares || gst_cl_integral_op_run (self->squares_op,
                                      &samples, &self->squares, error)) &&
         gst_cl_instance_run (&self->then, &io, error);
}

/* @more: of all strips but the first, for which it is @first. */
static gboolean
run_strips (const ByImage *self, const GstClLocalMeanIo *frame,
    GstClLocalMeanRun first, GstClLocalMeanRun more, GError **error)
{
  for (gint result = 0; result < self->n_all; result += self->n_results) {
    if (!run_strip (self, frame, MIN (result, self->n_all - self->n_results),
            result == 0 ? first : more, error))
      return FALSE;
  }

  return TRUE;
}

static gboolean
run_by_image (gpointer by_image, gconstpointer io, GError **error)
{
  const ByImage *self = by_image;

  if (!is_in_strips (self) ||
      self->problem.operation != GST_CL_LOCAL_MEAN_OPERATION_WOLF)
    return run_strips (self, io, GST_CL_LOCAL_MEAN_RUN_ALL,
        GST_CL_LOCAL_MEAN_RUN_ALL, error);

  return run_strips (self, io, GST_CL_LOCAL_MEAN_RUN_FIRST_EXTREMES,
             GST_CL_LOCAL_MEAN_RUN_MORE_EXTREMES, error) &&
         run_strips (self, io, GST_CL_LOCAL_MEAN_RUN_RESULTS,
             GST_CL_LOCAL_MEAN_RUN_RESULTS, error);
}

const GstClInstanceFuncs gst_cl_local_mean_by_image = {
  .create = create_by_image,
  .run = run_by_image,
  .free = free_by_image,
};

/* --- means, then an operation --------------------------------------------- */

typedef struct {
  GstClInstance mean, operation;
  GstClComponent means; /* overwritten by every run */
} ByMeans;

static void
free_by_means (gpointer by_means)
{
  ByMeans *self = by_means;

  if (!self)
    return;

  gst_cl_instance_clear (&self->mean);
  gst_cl_instance_clear (&self->operation);
  gst_cl_buffer_free (self->means.mem);
  g_free (self);
}

G_DEFINE_AUTOPTR_CLEANUP_FUNC (ByMeans, free_by_means)

static gpointer
create_by_means (GstClContext *context, const GstClCandidate *candidate,
    gconstpointer problem, GError **error)
{
  const GstClLocalMeanProblem *p = problem;
  const GstClLocalMeanRow *row = candidate->implementation->data;
  GstClLocalMeanProblem mean = *p;
  GstClCandidate means = *candidate, operation = *candidate;
  g_autoptr (ByMeans) self = g_new0 (ByMeans, 1);
  gint width, height;

  mean.operation = GST_CL_LOCAL_MEAN_OPERATION_MEAN;
  mean.dst_pixel_stride_bytes = (gint) p->sample.bytes;
  means.implementation = row->means;
  if (!gst_cl_instance_init (&self->mean, context, &means, &mean, error))
    return NULL;

  gst_cl_local_mean_result_size (p, &width, &height);
  self->means = gst_cl_local_mean_plane (&p->sample, width, height,
      mean.dst_pixel_stride_bytes);
  if (!gst_cl_local_mean_plane_allocate (&self->means, context, error))
    return NULL;

  operation.implementation = row->then;

  return gst_cl_instance_init (&self->operation, context, &operation, p, error)
             ? g_steal_pointer (&self)
             : NULL;
}

static gboolean
run_by_means (gpointer by_means, gconstpointer io, GError **error)
{
  const ByMeans *self = by_means;
  GstClLocalMeanIo operation = *(const GstClLocalMeanIo *) io;
  GstClLocalMeanIo means = operation;

  means.results = &self->means;
  operation.means = &self->means;

  return gst_cl_instance_run (&self->mean, &means, error) &&
         gst_cl_instance_run (&self->operation, &operation, error);
}

const GstClInstanceFuncs gst_cl_local_mean_by_means = {
  .create = create_by_means,
  .run = run_by_means,
  .free = free_by_means,
};
