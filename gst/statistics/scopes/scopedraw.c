/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Drawing of scopes: the table of implementations and their launches. */

#include "scopedraw.h"
#include "scopedrawprivate.h"

#include "cl/context/gstclkernel.h"
#include "cl/memory/gstclbuffer.h"
#include "ops/picture.h"

#define MAX_COMPONENTS GST_CL_PIXEL_COMPONENTS
#define MAX_PLANES     GST_CL_SCOPE_DRAW_MAX_PLANES

/* --- instances ------------------------------------------------------------ */

/* The constant of a row: kernels. */
typedef struct {
  const gchar *trace, *sum_bins, *find_peak, *bars, *zones, *rgb, *yuv;
  gboolean is_by_rows; /* a work-item draws a row, or the rows of a bin; and
                          kernels are built for strides */
} Row;

struct _GstClScopeDrawOp {
  GstClContext *context;
  const Row *row;
  GstClScopeDrawProblem problem;
  GstClKernel *trace, *sum_bins, *find_peak, *bars, *zones; /* NULL: not
                                                               needed */
  GstClKernel *frame;
  cl_mem scope, sums;
  cl_mem peaks; /* shared with the op that this one replaces, if any */
};

static gboolean
is_yuv (const GstClScopeDrawProblem *problem)
{
  return problem->format == GST_CL_DRAW_NV12 ||
         problem->format == GST_CL_DRAW_I420;
}

static gboolean
has_plot (const GstClScopeDrawProblem *problem, GstClPlotKind kind)
{
  for (guint i = 0; i < problem->n_plots; i++) {
    if (problem->plots[i].kind == kind)
      return TRUE;
  }

  return FALSE;
}

/* Returns the number of peaks that @plot holds. */
static gsize
count_peaks (const GstClPlot *plot)
{
  return plot->kind == GST_CL_PLOT_TRACE
             ? (gsize) plot->area.width * (gsize) plot->area.height *
                   plot->n_traces
             : 0;
}

static gboolean
build_kernels (GstClScopeDrawOp *self, const GstClCandidate *candidate,
    GError **error)
{
  const GstClScopeDrawProblem *problem = &self->problem;
  const gboolean has_traces = has_plot (problem, GST_CL_PLOT_TRACE);
  const gboolean has_bars = has_plot (problem, GST_CL_PLOT_BARS);
  const gboolean has_zones = has_plot (problem, GST_CL_PLOT_ZONES);
  const gboolean has_picture = problem->picture.width > 0;
  const Row *row = self->row;
  /* a drawing without samples has the same program for each layout */
  g_autofree gchar *picture = has_picture || has_zones
                                  ? gst_cl_picture_options (&problem->shape,
                                        row->is_by_rows)
                                  : g_strdup ("");
  g_autofree gchar *options = g_strdup_printf (
      "%s -DHOLDS_PEAKS=%d -DHAS_PICTURE=%d -DFORMAT=%d", picture,
      problem->holds_peaks ? 1 : 0, has_picture ? 1 : 0, problem->format);

  const GstClNamedKernel kernels[] = {
    { has_traces ? row->trace : NULL, &self->trace },
    { has_bars ? row->sum_bins : NULL, &self->sum_bins },
    { has_bars ? row->find_peak : NULL, &self->find_peak },
    { has_bars ? row->bars : NULL, &self->bars },
    { has_zones ? row->zones : NULL, &self->zones },
    { is_yuv (problem) ? row->yuv : row->rgb, &self->frame },
  };

  return gst_cl_candidate_build (candidate, self->context, options, kernels,
      G_N_ELEMENTS (kernels), error);
}

static gboolean
allocate_buffers (GstClScopeDrawOp *self, GError **error)
{
  const GstClScopeDrawProblem *problem = &self->problem;
  gsize n_peaks = 0;

  for (guint i = 0; problem->holds_peaks && i < problem->n_plots; i++)
    n_peaks += count_peaks (&problem->plots[i]);

  /* no plot draws some pixels */
  self->scope = gst_cl_buffer_new_zeroed (self->context,
      (gsize) problem->width * (gsize) problem->height * sizeof (guint32),
      error);
  if (!self->scope)
    return FALSE;
  self->sums = gst_cl_buffer_new (self->context,
      (MAX_COMPONENTS * GST_CL_SCOPES_MAX_BINS + 1) * sizeof (guint32), error);
  if (!self->sums)
    return FALSE;
  self->peaks = gst_cl_buffer_new_zeroed (self->context,
      MAX (n_peaks, 1) * sizeof (guint16), error);

  return self->peaks != NULL;
}

gpointer
gst_cl_scope_draw_op_new (GstClContext *context,
    const GstClCandidate *candidate, gconstpointer problem, GError **error)
{
  g_autoptr (GstClScopeDrawOp) self = g_new0 (GstClScopeDrawOp, 1);

  self->context = gst_object_ref (context);
  self->row = candidate->implementation->data;
  self->problem = *(const GstClScopeDrawProblem *) problem;

  return build_kernels (self, candidate, error) &&
                 allocate_buffers (self, error)
             ? g_steal_pointer (&self)
             : NULL;
}

void
gst_cl_scope_draw_op_free (gpointer op)
{
  GstClScopeDrawOp *self = op;

  if (!self)
    return;

  g_clear_pointer (&self->trace, gst_cl_kernel_free);
  g_clear_pointer (&self->sum_bins, gst_cl_kernel_free);
  g_clear_pointer (&self->find_peak, gst_cl_kernel_free);
  g_clear_pointer (&self->bars, gst_cl_kernel_free);
  g_clear_pointer (&self->zones, gst_cl_kernel_free);
  g_clear_pointer (&self->frame, gst_cl_kernel_free);
  g_clear_pointer (&self->scope, gst_cl_buffer_free);
  g_clear_pointer (&self->sums, gst_cl_buffer_free);
  g_clear_pointer (&self->peaks, gst_cl_buffer_free);
  gst_clear_object (&self->context);
  g_free (self);
}

/* Both ops keep their buffers; peaks go on in the newer one. */
static void
adopt (gpointer op, gpointer before)
{
  GstClScopeDrawOp *self = op, *other = before;
  cl_mem peaks = self->peaks;

  self->peaks = other->peaks;
  other->peaks = peaks;
}

/* --- the output ----------------------------------------------------------- */

guint
gst_cl_scope_draw_n_planes (const GstClScopeDrawProblem *problem)
{
  return problem->format == GST_CL_DRAW_I420   ? 3
         : problem->format == GST_CL_DRAW_NV12 ? 2
                                               : 1;
}

void
gst_cl_scope_draw_plane_size (const GstClScopeDrawProblem *problem, guint plane,
    gint *row_bytes, gint *n_rows)
{
  const gint half = (problem->out_width + 1) / 2;

  *n_rows = plane > 0 ? (problem->out_height + 1) / 2 : problem->out_height;
  *row_bytes = problem->out_width;
  if (!is_yuv (problem))
    *row_bytes = 4 * problem->out_width;
  else if (plane > 0)
    *row_bytes = problem->format == GST_CL_DRAW_NV12 ? 2 * half : half;
}

/* --- runs ----------------------------------------------------------------- */

guint32
gst_cl_scope_draw_gain (guint intensity, guint64 n_bins, guint64 n_samples)
{
  /* 64 shares are half of the full level: HALF_LEVEL */
  const guint64 gain = ((guint64) intensity << 14) * n_bins /
                       MAX (n_samples, 1);

  return (guint32) MIN (gain, G_MAXUINT32);
}

/* Arguments of the counts that @plot shows. */
typedef struct {
  cl_mem mem;
  cl_int4 first, n_columns, gains, wide_gains, colours;
  gint n_bins;
} Counts;

static Counts
get_counts (const GstClScopeDrawProblem *problem,
    const GstClScopeDrawInput *input, const GstClPlot *plot)
{
  const GstClScopesLayout *layout = &input->counts[plot->counts].layout;
  Counts counts = { .mem = input->counts[plot->counts].mem,
    .n_bins = plot->is_vectorscope ? (gint) problem->n_uv_bins
                                   : (gint) problem->n_bins[plot->counts] };

  for (guint i = 0; i < plot->n_traces; i++) {
    const guint trace = plot->first_trace + i;
    const guint n_columns = plot->is_vectorscope ? problem->n_uv_bins
                                                 : layout->n_columns[trace];
    const guint64 n_samples = plot->is_vectorscope
                                  ? input->counts[plot->counts].n_pairs
                                  : input->counts[plot->counts].n_rows[trace];
    const guint64 n_bins = (guint64) counts.n_bins *
                           (plot->is_vectorscope ? n_columns : 1);
    const guint n = MAX (n_columns / (guint) plot->area.width, 1);

    counts.first.s[i] = (cl_int) (plot->is_vectorscope ? layout->vectorscope
                                                       : layout->first[trace]);
    counts.n_columns.s[i] = (cl_int) n_columns;
    counts.gains.s[i] = (cl_int) gst_cl_scope_draw_gain (input->intensity,
        n_bins, n * n_samples);
    counts.wide_gains.s[i] = (cl_int) gst_cl_scope_draw_gain (input->intensity,
        n_bins, (n + 1) * n_samples);
    counts.colours.s[i] = (cl_int) plot->colours[i];
  }

  return counts;
}

/* Returns the work-items for each row of @width pixels. */
static gsize
items_of_row (const GstClScopeDrawOp *self, gint width)
{
  return self->row->is_by_rows ? 1 : width;
}

static cl_int4
get_area (const GstClDrawArea *area)
{
  const cl_int4 value = { { area->x, area->y, area->width, area->height } };

  return value;
}

static gboolean
run_trace (const GstClScopeDrawOp *self, const GstClScopeDrawInput *input,
    const GstClPlot *plot, gsize first_peak, GError **error)
{
  const Counts counts = get_counts (&self->problem, input, plot);
  const cl_int4 area = get_area (&plot->area);
  const GstClArg args[] = { GST_CL_MEM (counts.mem), GST_CL_INT4 (counts.first),
    GST_CL_INT4 (counts.n_columns), GST_CL_INT (counts.n_bins),
    GST_CL_INT (plot->n_traces), GST_CL_INT4 (counts.gains),
    GST_CL_INT4 (counts.wide_gains), GST_CL_INT4 (counts.colours),
    GST_CL_INT4 (area), GST_CL_INT (self->problem.width),
    GST_CL_ULONG (first_peak), GST_CL_UINT (input->fading),
    GST_CL_MEM (self->peaks), GST_CL_MEM (self->scope) };

  if (self->row->is_by_rows)
    return gst_cl_kernel_launch (self->trace, (gsize) counts.n_bins, 1, 1, args,
        G_N_ELEMENTS (args), error);

  return gst_cl_kernel_launch (self->trace, plot->area.width, plot->area.height,
      1, args, G_N_ELEMENTS (args), error);
}

static gboolean
run_bars (const GstClScopeDrawOp *self, const GstClScopeDrawInput *input,
    const GstClPlot *plot, GError **error)
{
  const Counts counts = get_counts (&self->problem, input, plot);
  const cl_int4 area = get_area (&plot->area);
  const GstClArg sum_args[] = { GST_CL_MEM (counts.mem),
    GST_CL_INT4 (counts.first), GST_CL_INT4 (counts.n_columns),
    GST_CL_MEM (self->sums) };
  const GstClArg peak_args[] = { GST_CL_INT (counts.n_bins),
    GST_CL_INT (plot->n_traces), GST_CL_MEM (self->sums) };
  const GstClArg args[] = { GST_CL_MEM (self->sums), GST_CL_INT (counts.n_bins),
    GST_CL_INT (plot->n_traces), GST_CL_INT4 (counts.colours),
    GST_CL_INT4 (area), GST_CL_INT (self->problem.width),
    GST_CL_MEM (self->scope) };

  return gst_cl_kernel_launch (self->sum_bins,
             (gsize) counts.n_bins *
                 gst_cl_kernel_local_size (self->sum_bins, 0),
             1, plot->n_traces, sum_args, G_N_ELEMENTS (sum_args), error) &&
         gst_cl_kernel_launch (self->find_peak, 1, 1, 1, peak_args,
             G_N_ELEMENTS (peak_args), error) &&
         gst_cl_kernel_launch (self->bars,
             items_of_row (self, plot->area.width), plot->area.height, 1, args,
             G_N_ELEMENTS (args), error);
}

static void
get_picture (const GstClScopeDrawOp *self, const GstClScopeDrawInput *input,
    GstClArg args[GST_CL_PICTURE_ARGUMENTS])
{
  const GstClPictureInput picture = { input->components, input->is_interlaced,
    NULL };

  gst_cl_picture_arguments_get (&picture, &self->problem.shape, args);
}

static gboolean
run_zones (const GstClScopeDrawOp *self, const GstClScopeDrawInput *input,
    const GstClPlot *plot, GError **error)
{
  const cl_int4 area = get_area (&plot->area);
  const cl_int4 luma = gst_cl_yuv_argument (&self->problem.yuv, 0);
  GstClArg args[GST_CL_PICTURE_ARGUMENTS + 5];

  get_picture (self, input, args);
  args[GST_CL_PICTURE_ARGUMENTS] = (GstClArg) GST_CL_INT4 (luma);
  args[GST_CL_PICTURE_ARGUMENTS + 1] = (GstClArg) GST_CL_MEM (input->zones);
  args[GST_CL_PICTURE_ARGUMENTS + 2] = (GstClArg) GST_CL_INT4 (area);
  args[GST_CL_PICTURE_ARGUMENTS + 3] = (GstClArg) GST_CL_INT (
      self->problem.width);
  args[GST_CL_PICTURE_ARGUMENTS + 4] = (GstClArg) GST_CL_MEM (self->scope);

  return gst_cl_kernel_launch (self->zones,
      items_of_row (self, plot->area.width), plot->area.height, 1, args,
      G_N_ELEMENTS (args), error);
}

static gboolean
run_plots (const GstClScopeDrawOp *self, const GstClScopeDrawInput *input,
    GError **error)
{
  gsize first_peak = 0;

  for (guint i = 0; i < self->problem.n_plots; i++) {
    const GstClPlot *plot = &self->problem.plots[i];
    gboolean is_done = FALSE;

    switch (plot->kind) {
      case GST_CL_PLOT_TRACE:
        is_done = run_trace (self, input, plot, first_peak, error);
        break;
      case GST_CL_PLOT_BARS:
        is_done = run_bars (self, input, plot, error);
        break;
      case GST_CL_PLOT_ZONES:
        is_done = run_zones (self, input, plot, error);
        break;
    }
    if (!is_done)
      return FALSE;
    first_peak += count_peaks (plot);
  }

  return TRUE;
}

/* Sets the arguments of the planes; returns their number. */
static guint
get_planes (const GstClScopeDrawOp *self, const GstClScopeDrawInput *input,
    GstClArg *args)
{
  const GstClScopeDrawProblem *problem = &self->problem;
  const guint n_planes = gst_cl_scope_draw_n_planes (problem);
  cl_int4 strides = { { 0 } };
  guint n = 0;

  if (!is_yuv (problem)) {
    args[n++] = (GstClArg) GST_CL_MEM (input->planes[0].mem);
    args[n++] = (GstClArg) GST_CL_ULONG (input->planes[0].offset_bytes);
    args[n++] = (GstClArg) GST_CL_INT (input->planes[0].stride_bytes);
    args[n++] = (GstClArg) GST_CL_INT (problem->out_width);
    return n;
  }

  for (guint i = 0; i < MAX_PLANES; i++) {
    const cl_int4 row = gst_cl_yuv_argument (&problem->out_yuv, i);

    args[n++] = (GstClArg) GST_CL_INT4 (row);
  }
  for (guint i = 0; i < MAX_PLANES; i++) {
    const guint plane = MIN (i, n_planes - 1);

    args[n++] = (GstClArg) GST_CL_MEM (input->planes[plane].mem);
    args[n++] = (GstClArg) GST_CL_ULONG (input->planes[plane].offset_bytes);
    strides.s[i] = input->planes[plane].stride_bytes;
  }
  args[n++] = (GstClArg) GST_CL_INT4 (strides);
  args[n++] = (GstClArg) GST_CL_INT (problem->out_width);
  args[n++] = (GstClArg) GST_CL_INT (problem->out_height);

  return n;
}

static gboolean
run_frame (const GstClScopeDrawOp *self, const GstClScopeDrawInput *input,
    GError **error)
{
  const GstClScopeDrawProblem *problem = &self->problem;
  const GstClDrawArea of_scope = { problem->scope_x, problem->scope_y,
    problem->width, problem->height };
  const cl_int4 picture_area = get_area (&problem->picture);
  const cl_int4 scope_area = get_area (&of_scope);
  const gint n_codes = MAX (problem->white - problem->black, 1);
  const gint code_shift = (gint) problem->shape.shapes[0].sample.depth + 5;
  const gint scale = ((255 << code_shift) + n_codes / 2) / n_codes;
  const gint shift = is_yuv (problem) ? 1 : 0;
  guint n = GST_CL_PICTURE_ARGUMENTS;
  GstClArg args[GST_CL_PICTURE_ARGUMENTS + 7 + 12];

  get_picture (self, input, args);
  args[n++] = (GstClArg) GST_CL_INT4 (picture_area);
  args[n++] = (GstClArg) GST_CL_INT4 (scope_area);
  args[n++] = (GstClArg) GST_CL_INT (problem->black);
  args[n++] = (GstClArg) GST_CL_INT (scale);
  args[n++] = (GstClArg) GST_CL_INT (input->opacity);
  args[n++] = (GstClArg) GST_CL_MEM (input->graticule);
  args[n++] = (GstClArg) GST_CL_MEM (self->scope);
  n += get_planes (self, input, args + n);

  return gst_cl_kernel_launch (self->frame,
      items_of_row (self, (problem->out_width + shift) >> shift),
      (problem->out_height + shift) >> shift, 1, args, n, error);
}

gboolean
gst_cl_scope_draw_op_run (gpointer op, gconstpointer user_input, GError **error)
{
  GstClScopeDrawOp *self = op;
  const GstClScopeDrawInput *input = user_input;

  return gst_cl_components_check_parts (input->components,
             self->problem.shape.shapes, self->problem.shape.n_components,
             "the drawing of scopes", error) &&
         run_plots (self, input, error) && run_frame (self, input, error);
}

/* --- table --------------------------------------------------------------- */

/* No element has these methods: the device decides. */
typedef enum { PLAIN = 1, ROWS } Method;

static const Row by_rows = { "draw_trace_cpu", "sum_bins_cpu", "find_peak_cpu",
  "draw_bars_cpu", "draw_zones_cpu", "draw_rgb_cpu", "draw_yuv_cpu", TRUE };

static const Row plain = { "draw_trace", "sum_bins", "find_peak", "draw_bars",
  "draw_zones", "draw_rgb", "draw_yuv", FALSE };

static const GstClInstanceFuncs funcs = {
  .create = gst_cl_scope_draw_op_new,
  .run = gst_cl_scope_draw_op_run,
  .free = gst_cl_scope_draw_op_free,
};

static const GstClImplementation rows[] = {
  {
      .name = "cpu",
      .method = ROWS,
      .resource = "scopedraw/cpu.cl",
      .family = GST_CL_FAMILY_CPU,
      .funcs = &funcs,
      .data = &by_rows,
  },
  {
      .name = "plain",
      .method = PLAIN,
      .resource = "scopedraw/plain.cl",
      .family = GST_CL_FAMILY_ANY,
      .funcs = &funcs,
      .data = &plain,
  },
};

static gchar *
describe (gconstpointer user_problem)
{
  const GstClScopeDrawProblem *problem = user_problem;
  const GstClSampleType *sample = &problem->shape.shapes[0].sample;
  g_autofree gchar *shapes = gst_cl_components_describe (problem->shape.shapes,
      problem->shape.n_components);

  return g_strdup_printf ("scope of %dx%d with %u plots in %dx%d of format %d, "
                          "of %u+%u bits, kind %d, %s",
      problem->width, problem->height, problem->n_plots, problem->out_width,
      problem->out_height, problem->format, sample->depth, sample->shift,
      problem->shape.matrix.kind, shapes);
}

/* --- memory for trials ---------------------------------------------------- */

static void
free_io (gpointer io)
{
  GstClScopeDrawInput *input = io;

  if (!input)
    return;

  gst_cl_components_free ((gpointer) input->components);
  for (guint i = 0; i < G_N_ELEMENTS (input->counts); i++)
    g_clear_pointer (&input->counts[i].mem, gst_cl_buffer_free);
  g_clear_pointer (&input->graticule, gst_cl_buffer_free);
  g_clear_pointer (&input->zones, gst_cl_buffer_free);
  for (guint i = 0; i < MAX_PLANES; i++)
    g_clear_pointer (&input->planes[i].mem, gst_cl_buffer_free);
  g_free (input);
}

/* Allocates counts @index for waveforms of one column and a vectorscope. */
static gboolean
make_counts (GstClContext *context, const GstClScopeDrawProblem *problem,
    guint index, GstClScopeDrawInput *input, GError **error)
{
  GstClScopesLayout *layout = &input->counts[index].layout;
  const guint n_bins = problem->n_bins[index];

  layout->n_waveforms = MAX_COMPONENTS;
  for (guint i = 0; i < MAX_COMPONENTS; i++) {
    layout->first[i] = layout->n_words;
    layout->n_columns[i] = 1;
    layout->n_words += n_bins;
    input->counts[index].n_rows[i] = 1;
  }
  layout->vectorscope = layout->n_words;
  layout->n_words += (gsize) problem->n_uv_bins * problem->n_uv_bins;
  input->counts[index].n_pairs = 1;
  input->counts[index].mem = gst_cl_buffer_new_zeroed (context,
      MAX (layout->n_words, 1) * sizeof (guint32), error);

  return input->counts[index].mem != NULL;
}

static gpointer
make_io (GstClContext *context, gconstpointer user_problem, GError **error)
{
  const GstClScopeDrawProblem *problem = user_problem;
  const guint n_codes = 1u << problem->shape.shapes[0].sample.depth;
  GstClScopeDrawInput *input = g_new0 (GstClScopeDrawInput, 1);
  gboolean is_made;

  input->components = gst_cl_components_new_zeroed (context,
      problem->shape.shapes, problem->shape.n_components, error);
  is_made = input->components != NULL;
  for (guint i = 0; is_made && i < G_N_ELEMENTS (input->counts); i++)
    is_made = make_counts (context, problem, i, input, error);
  if (is_made)
    input->graticule = gst_cl_buffer_new_zeroed (context,
        (gsize) problem->width * (gsize) problem->height * sizeof (guint32),
        error);
  is_made = is_made && input->graticule;
  if (is_made)
    input->zones = gst_cl_buffer_new_zeroed (context,
        n_codes * sizeof (guint32), error);
  is_made = is_made && input->zones;
  for (guint i = 0; is_made && i < gst_cl_scope_draw_n_planes (problem); i++) {
    gint row_bytes, n_rows;

    gst_cl_scope_draw_plane_size (problem, i, &row_bytes, &n_rows);
    input->planes[i].stride_bytes = row_bytes;
    input->planes[i].mem = gst_cl_buffer_new_zeroed (context,
        (gsize) row_bytes * (gsize) n_rows, error);
    is_made = input->planes[i].mem != NULL;
  }
  if (!is_made)
    g_clear_pointer (&input, free_io);

  return input;
}

const GstClOpTable gst_cl_scope_draw_table = {
  .name = "scopedraw",
  .rows = rows,
  .n_rows = G_N_ELEMENTS (rows),
  .describe = describe,
  .make_io = make_io,
  .free_io = free_io,
  .answers = gst_cl_scope_draw_answers,
  .n_answers = GST_CL_SCOPE_DRAW_N_ANSWERS,
  .is_alike = gst_cl_scope_draw_is_alike,
  .compute_answer = gst_cl_scope_draw_compute_answer,
};

const GstClTieredFuncs gst_cl_scope_draw_tiered = {
  .table = &gst_cl_scope_draw_table,
  .problem_bytes = sizeof (GstClScopeDrawProblem),
  .create = gst_cl_scope_draw_op_new,
  .free = gst_cl_scope_draw_op_free,
  .run = gst_cl_scope_draw_op_run,
  .adopt = adopt,
};
