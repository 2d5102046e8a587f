/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Drawing of scopes: random plots of random counts, with pictures of every
 * format, compared with the reference; two frames each, so that peaks fade. */

#include "scopedrawreference.h"

#include "harness/rows.h"
#include "harness/testframe.h"

#include <string.h>

#define MAX_COMPONENTS  GST_CL_PIXEL_COMPONENTS
#define MAX_COUNTS      GST_CL_SCOPE_DRAW_MAX_COUNTS
#define MAX_PLANES      GST_CL_SCOPE_DRAW_MAX_PLANES
#define N_RANDOM_FRAMES 8
#define MAX_SAMPLES     40000
#define MAX_SIDE        150  /* of the scope and of the output */
#define GUARD           0xa5 /* between rows */

/* A problem with the memory of its frames, on the host and on the device. */
typedef struct {
  GstClScopeDrawProblem problem;
  GstClScopeDrawInput input;
  guint32 *counts[MAX_COUNTS], *graticule, *zones;
  guint8 *out, *want; /* all planes, one after the other */
  gsize n_out_bytes;
  cl_mem out_mem;
  GstClScopeDrawOp *op;
} Drawing;

static void
drawing_free (gpointer user_data)
{
  Drawing *self = user_data;

  gst_cl_scope_draw_op_free (self->op);
  for (guint i = 0; i < MAX_COUNTS; i++) {
    g_free (self->counts[i]);
    g_clear_pointer (&self->input.counts[i].mem, gst_cl_buffer_free);
  }
  g_free (self->graticule);
  g_free (self->zones);
  g_free (self->out);
  g_free (self->want);
  g_clear_pointer (&self->input.graticule, gst_cl_buffer_free);
  g_clear_pointer (&self->input.zones, gst_cl_buffer_free);
  g_clear_pointer (&self->out_mem, gst_cl_buffer_free);
  g_free (self);
}

G_DEFINE_AUTOPTR_CLEANUP_FUNC (Drawing, drawing_free)

static gint
draw_int (Harness *h, gint low, gint high)
{
  return g_rand_int_range (h->rand, low, high + 1);
}

/* --- random problems ------------------------------------------------------ */

static void
draw_area (Harness *h, gint width, gint height, GstClDrawArea *area)
{
  area->width = draw_int (h, 1, width);
  area->height = draw_int (h, 1, height);
  area->x = draw_int (h, 0, width - area->width);
  area->y = draw_int (h, 0, height - area->height);
}

/* Sets @plot to a random part of the @index-th of @n columns of the scope. */
static void
draw_plot (Harness *h, const GstClScopeDrawProblem *problem, guint index,
    guint n, GstClPlot *plot)
{
  const gint left = problem->width * (gint) index / (gint) n;
  const gint right = problem->width * (gint) (index + 1) / (gint) n;

  plot->kind = (GstClPlotKind) index % 3;
  plot->counts = index % MAX_COUNTS;
  plot->is_vectorscope = plot->kind == GST_CL_PLOT_TRACE && index > 2;
  plot->n_traces = plot->is_vectorscope
                       ? 1
                       : (guint) draw_int (h, 1, MAX_COMPONENTS);
  plot->first_trace = MAX_COMPONENTS - plot->n_traces;
  for (guint i = 0; i < MAX_COMPONENTS; i++)
    plot->colours[i] = g_rand_int (h->rand) >> 8;
  draw_area (h, right - left, problem->height, &plot->area);
  plot->area.x += left;
}

static void
draw_problem (Harness *h, const TestFrame *frame, gboolean holds_peaks,
    gboolean has_picture, GstClDrawFormat format,
    GstClScopeDrawProblem *problem)
{
  *problem = (GstClScopeDrawProblem){
    .width = draw_int (h, 5, MAX_SIDE),
    .height = draw_int (h, 1, MAX_SIDE),
    .n_bins = { (guint) draw_int (h, 1, 70), 64 },
    .n_uv_bins = (guint) draw_int (h, 1, 40),
    .holds_peaks = holds_peaks,
    .black = draw_int (h, 0, 20),
    .white = draw_int (h, 3 << (frame->sample.depth - 2),
        1 << frame->sample.depth),
    .format = format,
  };
  problem->n_plots = (guint) draw_int (h, 0, 5);
  for (guint i = 0; i < problem->n_plots; i++)
    draw_plot (h, problem, i, problem->n_plots, &problem->plots[i]);
  /* bars have one plot */
  if (problem->n_plots > 4)
    problem->plots[4].kind = GST_CL_PLOT_ZONES;
  test_frame_get_shape (frame, MAX_COMPONENTS, &problem->shape);
  gst_cl_yuv_matrix_init (&problem->yuv, 0.2126, 0.0722, 1, 1, 0, 0);
  gst_cl_yuv_matrix_init (&problem->out_yuv, 0.299, 0.114, 219. / 255,
      224. / 255, 16, 128);
  problem->scope_x = draw_int (h, 0, 9);
  problem->scope_y = draw_int (h, 0, 9);
  problem->out_width = problem->scope_x + problem->width + draw_int (h, 0, 9);
  problem->out_height = problem->scope_y + problem->height + draw_int (h, 0, 9);
  if (has_picture)
    draw_area (h, problem->out_width, problem->out_height, &problem->picture);
}

static guint32 *
random_words (Harness *h, gsize n, guint n_bits)
{
  guint32 *words = g_new (guint32, n);

  for (gsize i = 0; i < n; i++)
    words[i] = g_rand_int (h->rand) >> (32 - n_bits);

  return words;
}

static void
draw_counts (Harness *h, Drawing *self, guint index)
{
  GstClScopesLayout *layout = &self->input.counts[index].layout;

  layout->n_waveforms = MAX_COMPONENTS;
  for (guint i = 0; i < MAX_COMPONENTS; i++) {
    layout->first[i] = layout->n_words;
    layout->n_columns[i] = (guint) draw_int (h, 1, 400);
    layout->n_words += self->problem.n_bins[index] * layout->n_columns[i];
    self->input.counts[index].n_rows[i] = (guint) draw_int (h, 1, 3000);
  }
  layout->vectorscope = layout->n_words;
  layout->n_words += self->problem.n_uv_bins * self->problem.n_uv_bins;
  self->input.counts[index].n_pairs = (guint64) draw_int (h, 1, 1 << 22);
  self->counts[index] = random_words (h, layout->n_words,
      (guint) draw_int (h, 1, 10));
  self->input.counts[index].mem = gst_cl_buffer_new_filled (h->context,
      layout->n_words * sizeof (guint32), self->counts[index], NULL);
}

static void
make_planes (Harness *h, Drawing *self)
{
  const GstClScopeDrawProblem *problem = &self->problem;
  const gboolean is_yuv = problem->format >= GST_CL_DRAW_NV12;
  const guint n_planes = !is_yuv                               ? 1
                         : problem->format == GST_CL_DRAW_NV12 ? 2
                                                               : 3;

  for (guint i = 0; i < n_planes; i++) {
    const gint n_rows = i > 0 ? (problem->out_height + 1) / 2
                              : problem->out_height;

    self->input.planes[i].offset_bytes = self->n_out_bytes;
    self->input.planes[i].stride_bytes = draw_int (h, 0, 7) +
                                         (problem->out_width + 1) *
                                             (is_yuv ? 1 : 4);
    self->n_out_bytes += (gsize) self->input.planes[i].stride_bytes *
                         (gsize) n_rows;
  }
  self->out = g_malloc (self->n_out_bytes);
  self->want = g_malloc (self->n_out_bytes);
  memset (self->want, GUARD, self->n_out_bytes);
  self->out_mem = gst_cl_buffer_new_filled (h->context, self->n_out_bytes,
      self->want, NULL);
  for (guint i = 0; i < MAX_PLANES; i++)
    self->input.planes[i].mem = self->out_mem;
}

static Drawing *
drawing_new (Harness *h, const TestFrame *frame, gboolean holds_peaks,
    gboolean has_picture, GstClDrawFormat format)
{
  Drawing *self = g_new0 (Drawing, 1);
  const guint n_codes = 1u << frame->sample.depth;
  gsize n_pixels;

  draw_problem (h, frame, holds_peaks, has_picture, format, &self->problem);
  n_pixels = (gsize) self->problem.width * (gsize) self->problem.height;
  for (guint i = 0; i < MAX_COUNTS; i++)
    draw_counts (h, self, i);
  self->graticule = random_words (h, n_pixels, 32);
  self->input.graticule = gst_cl_buffer_new_filled (h->context,
      n_pixels * sizeof (guint32), self->graticule, NULL);
  self->zones = random_words (h, n_codes, 24);
  self->input.zones = gst_cl_buffer_new_filled (h->context,
      n_codes * sizeof (guint32), self->zones, NULL);
  make_planes (h, self);
  self->input.fading = (guint) draw_int (h, 0, 9000);
  self->input.opacity = (guint) draw_int (h, 0, 256);
  self->input.is_interlaced = draw_int (h, 0, 1);

  return self;
}

static gboolean
drawing_build (Harness *h, Drawing *self)
{
  const GstClImplementation *row = harness_row (h, &gst_cl_scope_draw_table);
  const GstClCandidate candidate = gst_cl_implementation_untuned (row,
      &self->problem, h->context->device);
  g_autoptr (GError) error = NULL;

  self->op = gst_cl_scope_draw_op_new (h->context, &candidate, &self->problem,
      &error);
  if (!self->op)
    harness_fail (h, error, "cannot create an op");

  return self->op != NULL;
}

/* --- cases ---------------------------------------------------------------- */

static gboolean
read_out (Harness *h, Drawing *self, GError **error)
{
  const guint8 *mapped = gst_cl_buffer_map (h->context, GST_CL_QUEUE_COMPUTE,
      self->out_mem, CL_MAP_READ, self->n_out_bytes, "map a frame", error);

  if (!mapped)
    return FALSE;
  memcpy (self->out, mapped, self->n_out_bytes);

  return gst_cl_buffer_unmap (h->context, GST_CL_QUEUE_COMPUTE, self->out_mem,
      (gpointer) mapped, error);
}

static void
check_drawing (Harness *h, Drawing *self, TestFrame *frame)
{
  g_autoptr (GHashTable) peaks = g_hash_table_new (NULL, NULL);
  RefScopeMemory memory = { .graticule = self->graticule,
    .zones = self->zones,
    .peaks = peaks };
  g_autoptr (GError) error = NULL;

  if (!drawing_build (h, self))
    return;
  for (guint i = 0; i < MAX_COUNTS; i++)
    memory.counts[i] = self->counts[i];
  for (guint i = 0; i < MAX_PLANES; i++)
    memory.planes[i] = self->want;
  self->input.components = self->problem.shape.shapes;
  for (guint i = 0; i < 2; i++) {
    test_frame_fill (h, frame, FILL_RANDOM);
    for (guint c = 0; c < self->problem.shape.n_components; c++)
      memory.bytes[c] = test_frame_bytes (frame, c);
    self->input.intensity = (guint) draw_int (h, 0, 1024);
    ref_scope_draw (&self->problem, &self->input, &memory);
    if (!gst_cl_scope_draw_op_run (self->op, &self->input, &error) ||
        !read_out (h, self, &error)) {
      harness_fail (h, error, "cannot draw");
      return;
    }
    test_bytes_equal (h, self->out, self->want, self->n_out_bytes,
        "frame %u: %s of %u bits, %dx%d, format %d, %u plots, scope %dx%d", i,
        frame->format->name, frame->sample.depth, frame->width, frame->height,
        self->problem.format, self->problem.n_plots, self->problem.width,
        self->problem.height);
  }
}

static void
check_format (Harness *h, const TestFormat *format, GstClSampleType sample,
    gint width, gint height)
{
  /* each kind of format with one kind of output; not in step with its type of
   * samples */
  const guint index = format->kind + h->seed / 3;
  g_autoptr (TestFrame) frame = NULL;
  g_autoptr (Drawing) drawing = NULL;

  if (width * height > MAX_SAMPLES)
    return;
  frame = test_frame_new (h, format, sample, width, height,
      test_spacing_random (h));
  drawing = drawing_new (h, frame, index % 3 == 0, index % 5 > 1,
      (GstClDrawFormat) (index % 4));
  check_drawing (h, drawing, frame);
}

/* Products of places and columns that exceed 32 bits: a plot as wide as its
 * trace, with pixels after the last sixteen, and a narrower one. */
static void
check_wide (Harness *h)
{
  static const TestSpacing spacing = { 0 };
  static const gint widths[] = { 50001, 45001 };
  const GstClSampleType sample = { .bytes = 1, .depth = 8 };
  const guint n_columns = 50001;

  for (guint i = 0; i < G_N_ELEMENTS (widths); i++) {
    g_autoptr (TestFrame) frame = test_frame_new (h, test_format_find ("GRAY8"),
        sample, 16, 16, spacing);
    g_autoptr (Drawing)
        self = drawing_new (h, frame, FALSE, FALSE, GST_CL_DRAW_RGBA);
    GstClScopesLayout *layout = &self->input.counts[0].layout;
    const gsize n_pixels = (gsize) widths[i] * 2;

    self->problem.width = self->problem.out_width = widths[i];
    self->problem.height = self->problem.out_height = 2;
    self->problem.scope_x = self->problem.scope_y = 0;
    self->problem.n_bins[0] = 2;
    self->problem.n_plots = 1;
    self->problem.plots[0] = (GstClPlot){ .n_traces = 1,
      .area = { 0, 0, widths[i], 2 },
      .colours = { 0xffffff } };
    layout->first[0] = 0;
    layout->n_columns[0] = n_columns;
    g_free (self->counts[0]);
    self->counts[0] = random_words (h, 2 * n_columns, 6);
    gst_cl_buffer_free (self->input.counts[0].mem);
    self->input.counts[0].mem = gst_cl_buffer_new_filled (h->context,
        2 * n_columns * sizeof (guint32), self->counts[0], NULL);
    g_free (self->graticule);
    self->graticule = g_new0 (guint32, n_pixels);
    gst_cl_buffer_free (self->input.graticule);
    self->input.graticule = gst_cl_buffer_new_filled (h->context,
        n_pixels * sizeof (guint32), self->graticule, NULL);
    g_free (self->out);
    g_free (self->want);
    gst_cl_buffer_free (self->out_mem);
    self->n_out_bytes = 0;
    make_planes (h, self);
    check_drawing (h, self, frame);
  }
}

/* A scope that fills a frame of RGBA: three traces. */
static gpointer
op_new (Harness *h, TestFrame *frame)
{
  Drawing *self = drawing_new (h, frame, FALSE, FALSE, GST_CL_DRAW_RGBA);
  const gint width = frame->width, height = frame->height;

  self->problem.width = self->problem.out_width = width;
  self->problem.height = self->problem.out_height = height;
  self->problem.scope_x = self->problem.scope_y = 0;
  self->problem.n_plots = 1;
  self->problem.plots[0] = (GstClPlot){ .n_traces = MAX_COMPONENTS,
    .area = { 0, 0, width, height },
    .colours = { 0xd55e00, 0x009e73, 0x56b4e9 } };
  for (guint i = 0; i < MAX_COMPONENTS; i++)
    self->input.counts[0].layout.n_columns[i] = 1;
  gst_cl_buffer_free (self->input.graticule);
  self->input.graticule = gst_cl_buffer_new_zeroed (h->context,
      (gsize) width * (gsize) height * sizeof (guint32), NULL);
  gst_cl_buffer_free (self->out_mem);
  self->input.planes[0].stride_bytes = 4 * width;
  self->input.planes[0].offset_bytes = 0;
  self->out_mem = gst_cl_buffer_new_zeroed (h->context,
      (gsize) width * (gsize) height * 4, NULL);
  self->input.planes[0].mem = self->out_mem;
  if (!drawing_build (h, self))
    g_clear_pointer (&self, drawing_free);

  return self;
}

static gboolean
run_drawing (gpointer op, gconstpointer components, GError **error)
{
  Drawing *self = op;

  self->input.components = components;

  return gst_cl_scope_draw_op_run (self->op, &self->input, error);
}

static const TestFrameOp frame_op = {
  .create = op_new,
  .run = run_drawing,
  .free = drawing_free,
  .n_components = MAX_COMPONENTS,
};

static void
check_row (Harness *h)
{
  test_frames_each (h, N_RANDOM_FRAMES, TRUE, check_format);
  if (!h->is_small)
    check_wide (h);
  test_frame_op_refusals (h, &frame_op);
}

static void
bench_row (Harness *h)
{
  test_frame_op_bench (h, &frame_op);
}

int
main (int argc, char **argv)
{
  return harness_rows_main (argc, argv, &gst_cl_scope_draw_table, check_row,
      bench_row, NULL, 0);
}
