/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Creates the ops of a frame from cllocalmean's properties and caps. */

#include "gstcllocalmeanrunner.h"

#include "cl/video/gstclformat.h"
#include "gstcllocalmeancaps.h"

GST_DEBUG_CATEGORY_EXTERN (gst_cl_local_mean_debug);
#define GST_CAT_DEFAULT gst_cl_local_mean_debug

struct _GstClLocalMeanRunner {
  guint n_components;
  /* Indices of ops, by set of rows and component; -1: no rows. */
  gint component_ops[GST_CL_N_ROW_SETS][GST_VIDEO_MAX_COMPONENTS];
  gint padding_ops[GST_CL_N_ROW_SETS]; /* with in_padding */
  gboolean has_frames, has_fields;     /* row sets that frames may need */
  gboolean lacks_fields;        /* gst_cl_local_mean_runner_lacks_fields() */
  gint in_padding, out_padding; /* byte within a pixel, or -1 */
  gboolean has_field_rows;      /* of gst_cl_component_of_field() */

  /* The ops: components of equal geometry share one. */
  GstClLocalMeanProblem problems[GST_CL_LOCAL_MEAN_MAX_OPS];
  GstClTieredOp *ops[GST_CL_LOCAL_MEAN_MAX_OPS]; /* of GstClLocalMeanOp */
  guint n_ops;

  GstClLocalMeanNeeds needs;
};

/* --- ops ----------------------------------------------------------------- */

/* Returns the index of the op for @problem, an existing or a new one; -1 with
 * @error. */
static gint
get_op (GstClLocalMeanRunner *self, const GstClLocalMeanSetup *setup,
    const GstClLocalMeanProblem *problem, GError **error)
{
  g_autoptr (GError) reason = NULL;
  GstClTieredOp *op;

  for (guint i = 0; i < self->n_ops; i++) {
    if (gst_cl_local_mean_problem_equal (&self->problems[i], problem))
      return (gint) i;
  }

  op = gst_cl_tiered_op_new (&gst_cl_local_mean_tiered, setup->context,
      setup->settings->method, problem, setup->may_measure, &reason);
  if (reason) {
    g_propagate_error (error, g_steal_pointer (&reason));
    return -1;
  }
  if (!op) {
    g_set_error (error, GST_CORE_ERROR, GST_CORE_ERROR_NEGOTIATION,
        "%dx%d integral image: property method is sliding, which needs "
        "samples.",
        problem->width, problem->height);
    return -1;
  }

  GST_INFO ("%dx%d, window %dx%d: %s", problem->width, problem->height,
      problem->window.kernel_width, problem->window.kernel_height,
      gst_cl_tiered_op_name (op));
  self->problems[self->n_ops] = *problem;
  self->ops[self->n_ops] = op;

  return (gint) self->n_ops++;
}

/* Sets @problem to copy single samples. From an integral image a sample is the
 * mean of a window of one sample, whose position is the anchor. The number of
 * samples is the number of windows; with VALID these are the samples at the
 * anchors. */
static void
make_single_sample (GstClLocalMeanProblem *problem)
{
  GstClWindow *window = &problem->window;

  if (window->border == GST_CL_BORDER_VALID) {
    window->anchor_x = -window->anchor_x;
    window->anchor_y = -window->anchor_y;
    problem->width -= window->kernel_width - 1;
    problem->height -= window->kernel_height - 1;
  } else {
    window->anchor_x = window->anchor_y = 0;
  }
  window->kernel_width = window->kernel_height = 1;
  window->border = GST_CL_BORDER_SHRINK;
  problem->operation = GST_CL_LOCAL_MEAN_OPERATION_MEAN;
}

/* Sets @problem for one component, filtered or copied. Leaves out results that
 * @out has no rows for: the last row of chroma of a bottom field. */
static void
init_problem (GstClLocalMeanProblem *problem, const GstClLocalMeanSetup *setup,
    const GstClComponent *in, const GstClComponent *out, gboolean is_filtered)
{
  const GstClIntegralInfo *integral = setup->integral;
  gint n_columns, n_rows;

  *problem = (GstClLocalMeanProblem){ 0 };
  gst_cl_local_mean_settings_apply (setup->settings, &out->sample, problem);
  problem->dst_pixel_stride_bytes = out->pixel_stride_bytes;

  if (integral) {
    problem->from_sums = TRUE;
    problem->width = integral->width;
    problem->height = integral->height;
    problem->layout = integral->layout;
    problem->channels = integral->channels;
    problem->sum_bytes = integral->sum_bytes;
    if (!is_filtered)
      make_single_sample (problem);
  } else {
    problem->width = in->width;
    problem->height = in->height;
    problem->src_pixel_stride_bytes = in->pixel_stride_bytes;
    if (!is_filtered) {
      problem->operation = GST_CL_LOCAL_MEAN_OPERATION_COPY;
      problem->repeat = 1;
    }
    gst_cl_local_mean_result_size (problem, &n_columns, &n_rows);
    if (n_rows > out->height)
      problem->n_result_rows = out->height;
  }
}

/* Adds what all problems of this geometry have in common: members that depend
 * on properties are cleared. */
static void
add_need (GstClLocalMeanRunner *self, const GstClLocalMeanProblem *problem,
    gboolean is_filtered)
{
  GstClLocalMeanNeeds *needs = &self->needs;
  GstClLocalMeanProblem need = *problem;

  need.factors = (GstClLocalMeanFactors){ 0 };
  need.window = (GstClWindow){ 0 };
  need.repeat = 1;
  need.n_result_rows = 0;
  need.operation = is_filtered ? GST_CL_LOCAL_MEAN_OPERATION_MEAN
                               : GST_CL_LOCAL_MEAN_OPERATION_COPY;
  if (is_filtered)
    need.window.border = problem->window.border;
  for (guint i = 0; i < needs->n_problems; i++) {
    if (gst_cl_local_mean_problem_equal (&needs->problems[i], &need))
      return;
  }
  needs->problems[needs->n_problems++] = need;
}

static void
add_needs (GstClLocalMeanRunner *self, const GstClLocalMeanSetup *setup,
    const GstClComponent *in, const GstClComponent *out)
{
  GstClLocalMeanProblem problem;

  init_problem (&problem, setup, in, out, TRUE);
  add_need (self, &problem, TRUE);
  add_need (self, &problem, FALSE);
}

/* In mixed video, all frames have the height of progressive ones: that of the
 * output. */
static void
select_row_sets (GstClLocalMeanRunner *self, const GstClLocalMeanSetup *setup)
{
  const GstClLocalMeanSettings *settings = setup->settings;
  const GstVideoInfo *video = setup->video;
  const gboolean has_fields = video && gst_cl_local_mean_settings_split (
                                           settings, video);
  const gboolean is_mixed = settings->split_fields && video &&
                            GST_VIDEO_INFO_INTERLACE_MODE (video) ==
                                GST_VIDEO_INTERLACE_MODE_MIXED;
  const gboolean fits = is_mixed &&
                        gst_cl_local_mean_rows_of_fields (&settings->window,
                            GST_VIDEO_INFO_HEIGHT (video)) ==
                            GST_VIDEO_INFO_HEIGHT (setup->out);

  self->has_fields = has_fields || fits;
  self->has_frames = !has_fields;
  self->lacks_fields = is_mixed && !fits;
}

/* Returns the rows of the output: of a field in fields, else of a frame. */
static gint
count_rows (const GstClLocalMeanSetup *setup, gint height)
{
  const GstClWindow *window = &setup->settings->window;

  return setup->video && gst_cl_local_mean_settings_split (setup->settings,
                             setup->video)
             ? gst_cl_local_mean_rows_of_fields (window, height)
             : gst_cl_window_results (window->border, height,
                   window->kernel_height, window->step_y);
}

/* Returns @rows of @view, component @component of a frame of @info. */
static GstClComponent
rows_of (const GstClLocalMeanRunner *self, GstClComponent view,
    const GstVideoInfo *info, guint component, GstClRowSet rows)
{
  return self->has_field_rows
             ? gst_cl_component_of_field (view, info, component, rows)
             : gst_cl_component_rows (view, rows);
}

/* Makes the ops for @rows of all components. */
static gboolean
make_ops (GstClLocalMeanRunner *self, const GstClLocalMeanSetup *setup,
    GstClRowSet rows, GError **error)
{
  const GstClLocalMeanSettings *settings = setup->settings;
  const GstVideoInfo *video = setup->video, *out = setup->out;
  GstClLocalMeanProblem problem;

  for (guint c = 0; c < self->n_components; c++) {
    const GstClComponent to = rows_of (self, gst_cl_component_of_info (out, c),
        out, c, rows);
    GstClComponent from = { 0 };

    self->component_ops[rows][c] = -1;
    if (to.height == 0)
      continue;
    if (video)
      from = rows_of (self, gst_cl_component_of_info (video, c), video, c,
          rows);
    else if (!gst_cl_local_mean_settings_check_sums (settings, &to.sample,
                 setup->integral, error))
      return FALSE;
    init_problem (&problem, setup, &from, &to, settings->planes & (1u << c));
    self->component_ops[rows][c] = get_op (self, setup, &problem, error);
    if (self->component_ops[rows][c] < 0)
      return FALSE;
    add_needs (self, setup, &from, &to);
  }

  if (self->in_padding >= 0 && self->component_ops[rows][0] >= 0) {
    const GstClComponent to = gst_cl_component_rows (
        gst_cl_component_of_info (out, 0), rows);
    const GstClComponent from = gst_cl_component_rows (
        gst_cl_component_of_info (video, 0), rows);

    init_problem (&problem, setup, &from, &to, FALSE);
    self->padding_ops[rows] = get_op (self, setup, &problem, error);
    if (self->padding_ops[rows] < 0)
      return FALSE;
  }

  return TRUE;
}

static gboolean
make_all_ops (GstClLocalMeanRunner *self, const GstClLocalMeanSetup *setup,
    GError **error)
{
  for (GstClRowSet rows = GST_CL_ROWS_ALL; rows < GST_CL_N_ROW_SETS; rows++) {
    if ((rows == GST_CL_ROWS_ALL ? self->has_frames : self->has_fields) &&
        !make_ops (self, setup, rows, error))
      return FALSE;
  }

  return TRUE;
}

/* --- public functions ----------------------------------------------------- */

GstClLocalMeanRunner *
gst_cl_local_mean_runner_new (const GstClLocalMeanSetup *setup, GError **error)
{
  const GstClLocalMeanSettings *settings = setup->settings;
  const GstVideoInfo *video = setup->video, *out = setup->out;
  const GstClIntegralInfo *integral = setup->integral;
  const GstClWindow *window = &settings->window;
  const gint width = video ? GST_VIDEO_INFO_WIDTH (video) : integral->width;
  const gint height = video ? GST_VIDEO_INFO_FIELD_HEIGHT (video)
                            : integral->height;
  g_autoptr (GstClLocalMeanRunner) self = NULL;

  if (!gst_cl_local_mean_settings_check (settings, video, integral, error))
    return NULL;

  if (gst_cl_window_results (window->border, width, window->kernel_width,
          window->step_x) != GST_VIDEO_INFO_WIDTH (out) ||
      count_rows (setup, height) != GST_VIDEO_INFO_FIELD_HEIGHT (out)) {
    g_set_error (error, GST_CORE_ERROR, GST_CORE_ERROR_NEGOTIATION,
        "The properties give no output of %dx%d for an input of %dx%d.",
        GST_VIDEO_INFO_WIDTH (out), GST_VIDEO_INFO_FIELD_HEIGHT (out), width,
        height);
    return NULL;
  }

  self = g_new0 (GstClLocalMeanRunner, 1);
  self->has_field_rows = setup->has_field_rows;
  self->needs.method = settings->method;
  self->n_components = GST_VIDEO_INFO_N_COMPONENTS (out);
  self->in_padding = video ? gst_cl_format_padding_offset (video->finfo) : -1;
  self->out_padding = gst_cl_format_padding_offset (out->finfo);
  select_row_sets (self, setup);
  if (!make_all_ops (self, setup, error))
    return NULL;

  return g_steal_pointer (&self);
}

void
gst_cl_local_mean_runner_free (GstClLocalMeanRunner *self)
{
  if (!self)
    return;

  for (guint i = 0; i < self->n_ops; i++)
    gst_cl_tiered_op_free (self->ops[i]);
  g_free (self);
}

const GstClLocalMeanNeeds *
gst_cl_local_mean_runner_get_needs (const GstClLocalMeanRunner *self)
{
  return &self->needs;
}

gboolean
gst_cl_local_mean_needs_equal (const GstClLocalMeanNeeds *a,
    const GstClLocalMeanNeeds *b)
{
  if (a->method != b->method || a->n_problems != b->n_problems)
    return FALSE;

  for (guint i = 0; i < a->n_problems; i++) {
    if (!gst_cl_local_mean_problem_equal (&a->problems[i], &b->problems[i]))
      return FALSE;
  }

  return TRUE;
}

gboolean
gst_cl_local_mean_runner_lacks_fields (const GstClLocalMeanRunner *self)
{
  return self->lacks_fields;
}

gboolean
gst_cl_local_mean_runner_has_fields (const GstClLocalMeanRunner *self,
    gboolean is_interlaced)
{
  return self->has_fields && (is_interlaced || !self->has_frames);
}

gboolean
gst_cl_local_mean_runner_is_settled (const GstClLocalMeanRunner *self)
{
  for (guint i = 0; i < self->n_ops; i++) {
    if (!gst_cl_tiered_op_is_settled (self->ops[i]))
      return FALSE;
  }

  return TRUE;
}

/* Cannot fail: all implementations support the full ranges of these properties.
 */
void
gst_cl_local_mean_runner_set_factors (GstClLocalMeanRunner *self,
    const GstClLocalMeanSettings *settings)
{
  for (guint i = 0; i < self->n_ops; i++)
    gst_cl_local_mean_settings_get_factors (settings, &self->problems[i].sample,
        &self->problems[i].factors);
}

static gboolean
run_op (GstClLocalMeanRunner *self, gint op, GstClLocalMeanIo io,
    GError **error)
{
  GstClLocalMeanOp *current = gst_cl_tiered_op_next (self->ops[op], error);

  io.factors = &self->problems[op].factors;

  return current && gst_cl_local_mean_op_run (current, &io, error);
}

static gboolean
run_rows (GstClLocalMeanRunner *self, const GstClFrame *in,
    const GstClFrame *out, GstClRowSet rows, GError **error)
{
  for (guint c = 0; c < self->n_components; c++) {
    const GstClComponent from = rows_of (self, gst_cl_frame_component (in, c),
        &in->info, c, rows);
    const GstClComponent to = rows_of (self, gst_cl_frame_component (out, c),
        &out->info, c, rows);

    if (self->component_ops[rows][c] >= 0 &&
        !run_op (self, self->component_ops[rows][c],
            (GstClLocalMeanIo){ .samples = &from, .results = &to }, error))
      return FALSE;
  }

  if (self->in_padding >= 0 && self->component_ops[rows][0] >= 0) {
    const GstClComponent from = gst_cl_component_rows (
        gst_cl_frame_padding (in, self->in_padding), rows);
    const GstClComponent to = gst_cl_component_rows (
        gst_cl_frame_padding (out, self->out_padding), rows);

    return run_op (self, self->padding_ops[rows],
        (GstClLocalMeanIo){ .samples = &from, .results = &to }, error);
  }

  return TRUE;
}

gboolean
gst_cl_local_mean_runner_run (GstClLocalMeanRunner *self, const GstClFrame *in,
    const GstClFrame *out, gboolean is_interlaced, GError **error)
{
  if (!gst_cl_local_mean_runner_has_fields (self, is_interlaced))
    return run_rows (self, in, out, GST_CL_ROWS_ALL, error);

  return run_rows (self, in, out, GST_CL_ROWS_TOP, error) &&
         run_rows (self, in, out, GST_CL_ROWS_BOTTOM, error);
}

gboolean
gst_cl_local_mean_runner_run_sums (GstClLocalMeanRunner *self,
    const GstClSums *in, const GstClSums *squares, const GstClFrame *out,
    GError **error)
{
  for (guint c = 0; c < self->n_components; c++) {
    const GstClComponent to = gst_cl_frame_component (out, c);
    const GstClLocalMeanIo io = { .sums = in,
      .squares = squares,
      .channel = (gint) c,
      .results = &to };

    if (!run_op (self, self->component_ops[GST_CL_ROWS_ALL][c], io, error))
      return FALSE;
  }

  return TRUE;
}
