/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The known answers of the drawing of scopes. */

#include "scopedrawprivate.h"

#include "cl/memory/gstclbuffer.h"
#include "cl/memory/gstclmemory.h"
#include "ops/knownanswer.h"

#define BINS    GST_CL_SCOPE_DRAW_ANSWER_BINS
#define COLUMNS GST_CL_SCOPE_DRAW_ANSWER_COLUMNS

static const GstClScopeDrawProblem problems[] = {
  {
      .width = 120,
      .height = 100,
      .n_plots = 4,
      .plots = {
          { GST_CL_PLOT_TRACE, { 0, 0, 70, 64 }, 0, FALSE, 0, 3,
              { 0xd55e00, 0x009e73, 0x56b4e9 } },
          { GST_CL_PLOT_TRACE, { 70, 0, 50, 80 }, 1, FALSE, 1, 1,
              { 0xffffff } },
          { GST_CL_PLOT_TRACE, { 0, 64, 30, 36 }, 0, TRUE, 0, 1,
              { 0xc0ffee } },
          { GST_CL_PLOT_BARS, { 70, 80, 49, 20 }, 0, FALSE, 0, 3,
              { 0xd55e00, 0x009e73, 0x56b4e9 } },
      },
      .n_bins = { BINS, BINS },
      .n_uv_bins = BINS / 2,
      .holds_peaks = TRUE,
      .shape = { .n_components = 3,
          .shapes = { GST_CL_ANSWER_8_BITS, GST_CL_ANSWER_8_BITS,
              GST_CL_ANSWER_8_BITS },
          .matrix = { GST_CL_RGB_YUV, 25000, -3000, -7000, 29000, 128 } },
      .black = 16,
      .white = 235,
      .picture = { 10, 4, 130, 77 },
      .format = GST_CL_DRAW_RGBA,
      .out_width = 201,
      .out_height = 110,
      .scope_x = 81,
      .scope_y = 7,
  },
  {
      .width = 151,
      .height = 75,
      .n_plots = 1,
      .plots = { { .kind = GST_CL_PLOT_ZONES, .area = { 3, 0, 148, 75 } } },
      .shape = { .n_components = 1,
          .shapes = { GST_CL_ANSWER_10_BITS },
          .matrix = { .kind = GST_CL_RGB_GREY } },
      .white = 1023,
      .format = GST_CL_DRAW_NV12,
      .out_width = 151,
      .out_height = 75,
      .out_yuv = { { { 2990, 9798, 1596 }, { -1725, -5655, 7380 },
                       { 7380, -5940, -1440 } },
          { 16, 128, 128 } },
  },
};

const GstClAnswer gst_cl_scope_draw_answers[] = {
  { "traces and bars", &problems[0], G_GUINT64_CONSTANT (0xf88e3aeb6bceadd0) },
  { "zones", &problems[1], G_GUINT64_CONSTANT (0x38687bf702d7bf40) },
};
G_STATIC_ASSERT (
    G_N_ELEMENTS (gst_cl_scope_draw_answers) == GST_CL_SCOPE_DRAW_N_ANSWERS);

gboolean
gst_cl_scope_draw_is_alike (gconstpointer answered, gconstpointer problem)
{
  const GstClScopeDrawProblem *a = answered, *b = problem;

  return a->format == b->format;
}

/* --- inputs --------------------------------------------------------------- */

void
gst_cl_scope_draw_answer_input (const GstClScopeDrawProblem *problem,
    GstClScopeDrawInput *input)
{
  gsize offset_bytes = 0;

  *input = (GstClScopeDrawInput){ .is_interlaced = TRUE,
    .intensity = 300,
    .opacity = 200,
    .fading = 700 };
  for (guint i = 0; i < GST_CL_SCOPE_DRAW_MAX_COUNTS; i++) {
    GstClScopesLayout *layout = &input->counts[i].layout;

    layout->n_waveforms = GST_CL_PIXEL_COMPONENTS;
    for (guint t = 0; t < layout->n_waveforms; t++) {
      layout->first[t] = layout->n_words;
      layout->n_columns[t] = COLUMNS - 20 * t;
      layout->n_words += BINS * layout->n_columns[t];
      input->counts[i].n_rows[t] = 1000 + t;
    }
    layout->vectorscope = layout->n_words;
    layout->n_words += problem->n_uv_bins * problem->n_uv_bins;
    input->counts[i].n_pairs = 90000;
  }
  for (guint i = 0; i < gst_cl_scope_draw_n_planes (problem); i++) {
    gint row_bytes, n_rows;

    gst_cl_scope_draw_plane_size (problem, i, &row_bytes, &n_rows);
    input->planes[i].offset_bytes = offset_bytes;
    input->planes[i].stride_bytes = row_bytes;
    offset_bytes += (gsize) row_bytes * (gsize) n_rows;
  }
}

guint32 *
gst_cl_scope_draw_answer_words (guint seed, gsize n, guint n_bits)
{
  g_autofree guint8 *samples = gst_cl_answer_samples (seed);
  guint32 *words = g_new (guint32, n);

  for (gsize i = 0; i < n; i++) {
    words[i] = 0;
    for (gsize k = 0; k < sizeof *words; k++)
      words[i] = words[i] << 8 |
                 samples[(sizeof *words * i + k) % GST_CL_ANSWER_SAMPLES];
    words[i] >>= 32 - n_bits;
  }

  return words;
}

gsize
gst_cl_scope_draw_answer_bytes (const GstClScopeDrawProblem *problem)
{
  gsize n_bytes = 0;

  for (guint i = 0; i < gst_cl_scope_draw_n_planes (problem); i++) {
    gint row_bytes, n_rows;

    gst_cl_scope_draw_plane_size (problem, i, &row_bytes, &n_rows);
    n_bytes += (gsize) row_bytes * (gsize) n_rows;
  }

  return n_bytes;
}

/* Allocates device memory with the words of an answer. */
static cl_mem
make_words (GstClContext *context, guint seed, gsize n, guint n_bits,
    GError **error)
{
  g_autofree guint32 *words = gst_cl_scope_draw_answer_words (seed, n, n_bits);

  return gst_cl_buffer_new_filled (context, n * sizeof *words, words, error);
}

/* Allocates the counts, the graticule and the zones of @input. */
static gboolean
make_memory (GstClContext *context, const GstClScopeDrawProblem *problem,
    GstClScopeDrawInput *input, GError **error)
{
  for (guint i = 0; i < GST_CL_SCOPE_DRAW_MAX_COUNTS; i++) {
    input->counts[i].mem = make_words (context, i,
        input->counts[i].layout.n_words, 6, error);
    if (!input->counts[i].mem)
      return FALSE;
  }
  input->graticule = make_words (context, 2,
      (gsize) problem->width * (gsize) problem->height, 32, error);
  if (!input->graticule)
    return FALSE;
  input->zones = make_words (context, 3,
      1u << problem->shape.shapes[0].sample.depth, 24, error);

  return input->zones != NULL;
}

/* Two frames, so that peaks fade. */
static gboolean
run_frames (GstClScopeDrawOp *op, const GstClCandidate *candidate,
    const GstClScopeDrawInput *input, GstMemory *const *memories,
    GError **error)
{
  const GstClAnswerRun run = candidate->implementation->funcs->run;
  GstClScopeDrawInput second = *input;

  second.intensity = 100;

  return gst_cl_answer_run (run, op, input, memories, error) &&
         gst_cl_answer_run (run, op, &second, memories, error);
}

gboolean
gst_cl_scope_draw_compute_answer (GstClContext *context,
    const GstClCandidate *candidate, gconstpointer answered, guint64 *digest,
    GError **error)
{
  const GstClScopeDrawProblem *problem = answered;
  const gsize n_bytes = gst_cl_scope_draw_answer_bytes (problem);
  g_autofree guint8 *zeros = g_malloc0 (n_bytes);
  g_autoptr (GstClScopeDrawOp)
      op = gst_cl_scope_draw_op_new (context, candidate, problem, error);
  GstClComponent components[GST_CL_PIXEL_COMPONENTS];
  GstMemory *memories[GST_CL_PIXEL_COMPONENTS + 2] = { NULL };
  GstClScopeDrawInput input;
  gboolean is_done;

  gst_cl_scope_draw_answer_input (problem, &input);
  input.components = components;
  is_done = op &&
            gst_cl_answer_components (context, problem->shape.shapes,
                problem->shape.n_components, 0, components, memories, error) &&
            make_memory (context, problem, &input, error);
  if (is_done) {
    GstMemory *out = gst_cl_answer_memory_new (context, n_bytes, zeros, error);

    memories[problem->shape.n_components] = out;
    for (guint i = 0; out && i < GST_CL_SCOPE_DRAW_MAX_PLANES; i++)
      input.planes[i].mem = gst_cl_memory_get_handle (out);
    *digest = GST_CL_ANSWER_DIGEST;
    is_done = out && run_frames (op, candidate, &input, memories, error) &&
              gst_cl_answer_memory_digest (out, 1, digest, error);
  }
  for (guint i = 0; i < G_N_ELEMENTS (memories); i++)
    g_clear_pointer (&memories[i], gst_memory_unref);
  for (guint i = 0; i < GST_CL_SCOPE_DRAW_MAX_COUNTS; i++)
    g_clear_pointer (&input.counts[i].mem, gst_cl_buffer_free);
  g_clear_pointer (&input.graticule, gst_cl_buffer_free);
  g_clear_pointer (&input.zones, gst_cl_buffer_free);

  return is_done;
}
