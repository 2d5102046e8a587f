/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The definition of the drawing of scopes, in the simplest code. */

#include "scopedrawreference.h"

#include "harness/harness.h"

#include <math.h>

/* The arguments of the functions below. */
typedef struct {
  const GstClScopeDrawProblem *problem;
  const GstClScopeDrawInput *input;
  const RefScopeMemory *memory;
} Frame;

static gint
code_at (const Frame *self, guint c, gint x, gint y)
{
  const GstClComponent *component = &self->input->components[c];

  x = MIN (x, component->width - 1);
  y = MIN (y, component->height - 1);

  return (gint) test_code_at (self->memory->bytes[c], component, x, y);
}

static void
get_rgb (const Frame *self, gint x, gint y, gint rgb[3])
{
  const GstClScopeDrawProblem *problem = self->problem;
  gint row = y >> problem->shape.y_shift, codes[3];

  /* the rows of chroma of a field alternate with those of the other */
  if (self->input->is_interlaced && problem->shape.y_shift > 0)
    row = 2 * ((y / 2) >> problem->shape.y_shift) + y % 2;
  codes[0] = code_at (self, 0, x, y);
  for (guint c = 1; c < problem->shape.n_components; c++)
    codes[c] = code_at (self, c, x >> problem->shape.x_shift, row);
  gst_cl_rgb_of_codes (&problem->shape.matrix, codes, rgb);
}

/* Adds @colour at @level to @rgb. */
static void
add_colour (guint32 colour, gint level, gint rgb[3])
{
  for (gint i = 0; i < 3; i++) {
    const gint part = (gint) (colour >> (16 - 8 * i)) & 255;

    rgb[i] = MIN (rgb[i] + (part * level + 127) / 255, 255);
  }
}

/* Blends @over over @rgb. */
static void
blend (const gint over[3], gint alpha, gint rgb[3])
{
  for (gint i = 0; i < 3; i++)
    rgb[i] = (rgb[i] * (256 - alpha) + over[i] * alpha + 128) / 256;
}

/* Returns the level of @count, of @n_samples in @n_bins. */
static gint
level_of_count (guint intensity, guint64 count, guint64 n_bins,
    guint64 n_samples)
{
  const guint64 gain = ((guint64) intensity << 14) * n_bins /
                       MAX (n_samples, 1);
  const guint64 share = count * MIN (gain, G_MAXUINT32) >> 16;
  const guint64 capped = MIN (share, 65535);

  return (gint) (255 * capped / (capped + 64));
}

static gint
hold_peak (const Frame *self, gint level, guint plot, guint trace, gint x,
    gint y)
{
  const gsize place = (((gsize) plot * 3 + trace) * 4096 + (gsize) y) * 4096 +
                      (gsize) x + 1;
  gint peak = GPOINTER_TO_INT (
      g_hash_table_lookup (self->memory->peaks, GSIZE_TO_POINTER (place)));

  peak = MAX (level * 256, MAX (peak - (gint) self->input->fading, 0));
  g_hash_table_insert (self->memory->peaks, GSIZE_TO_POINTER (place),
      GINT_TO_POINTER (peak));

  return peak / 256;
}

static void
draw_trace (const Frame *self, guint index, gint x, gint y, gint rgb[3])
{
  const GstClPlot *plot = &self->problem->plots[index];
  const GstClScopesLayout *layout = &self->input->counts[plot->counts].layout;
  const guint n_uv_bins = self->problem->n_uv_bins;

  for (guint i = 0; i < plot->n_traces; i++) {
    const guint trace = plot->first_trace + i;
    const gint n_columns = (gint) (plot->is_vectorscope
                                       ? n_uv_bins
                                       : layout->n_columns[trace]);
    const gint n_bins = (gint) (plot->is_vectorscope
                                    ? n_uv_bins
                                    : self->problem->n_bins[plot->counts]);
    const gint bin = (plot->area.height - 1 - y) * n_bins / plot->area.height;
    const gint first = (gint) ((gint64) x * n_columns / plot->area.width);
    const gint end = MAX (
        (gint) ((gint64) (x + 1) * n_columns / plot->area.width), first + 1);
    const guint64 n_samples = plot->is_vectorscope
                                  ? self->input->counts[plot->counts].n_pairs
                                  : self->input->counts[plot->counts]
                                        .n_rows[trace];
    const guint64 n_all_bins = (guint64) n_bins *
                               (plot->is_vectorscope ? n_uv_bins : 1);
    const guint32 *words = self->memory->counts[plot->counts] +
                           (plot->is_vectorscope ? layout->vectorscope
                                                 : layout->first[trace]);
    guint64 sum = 0;
    gint level;

    for (gint column = first; column < end; column++)
      sum += words[bin * n_columns + column];
    level = level_of_count (self->input->intensity, sum, n_all_bins,
        n_samples * (guint64) (end - first));
    if (self->problem->holds_peaks)
      level = hold_peak (self, level, index, i, x, y);
    add_colour (plot->colours[i], level, rgb);
  }
}

/* Returns the sum of bin @bin of waveform @trace. */
static guint64
sum_bin (const Frame *self, const GstClPlot *plot, guint trace, guint bin)
{
  const GstClScopesLayout *layout = &self->input->counts[plot->counts].layout;
  const guint32 *words = self->memory->counts[plot->counts] +
                         layout->first[trace] + bin * layout->n_columns[trace];
  guint64 sum = 0;

  for (guint x = 0; x < layout->n_columns[trace]; x++)
    sum += words[x];

  return sum;
}

static void
draw_bars (const Frame *self, const GstClPlot *plot, gint x, gint y,
    gint rgb[3])
{
  const guint n_bins = self->problem->n_bins[plot->counts];
  const guint64 row = (guint64) (plot->area.height - 1 - y);
  const guint64 height = (guint64) plot->area.height;
  guint64 peak = 0;

  for (guint i = 0; i < plot->n_traces; i++) {
    for (guint bin = 0; bin < n_bins; bin++)
      peak = MAX (peak, sum_bin (self, plot, plot->first_trace + i, bin));
  }
  for (guint i = 0; i < plot->n_traces; i++) {
    const guint bin = (guint) x * n_bins / (guint) plot->area.width;
    const guint64 sum = sum_bin (self, plot, plot->first_trace + i, bin);

    if (row * row * peak < sum * height * height)
      add_colour (plot->colours[i], 255, rgb);
  }
}

static void
draw_zones (const Frame *self, const GstClPlot *plot, gint x, gint y,
    gint rgb[3])
{
  const GstClComponent *first = &self->input->components[0];
  const gint column = x * first->width / plot->area.width;
  const gint row = y * first->height / plot->area.height;
  gint code = code_at (self, 0, column, row), of_pixel[3];

  if (self->problem->shape.matrix.kind == GST_CL_RGB_RGB) {
    get_rgb (self, column, row, of_pixel);
    code = gst_cl_yuv_of_rgb (&self->problem->yuv, of_pixel, 0);
    code = CLAMP (code, 0, (1 << first->sample.depth) - 1);
  }
  add_colour (self->memory->zones[code], 255, rgb);
}

/* Sets @rgb to a pixel of the scope, with the graticule. */
static void
draw_scope (const Frame *self, gint x, gint y, gint rgb[3])
{
  const guint32 mark = self->memory->graticule[y * self->problem->width + x];
  const gint alpha = (gint) (mark >> 24);
  const gint over[3] = { (gint) (mark >> 16) & 255, (gint) (mark >> 8) & 255,
    (gint) mark & 255 };

  rgb[0] = rgb[1] = rgb[2] = 0;
  for (guint i = 0; i < self->problem->n_plots; i++) {
    const GstClPlot *plot = &self->problem->plots[i];
    const gint column = x - plot->area.x, row = y - plot->area.y;

    if (column < 0 || column >= plot->area.width || row < 0 ||
        row >= plot->area.height)
      continue;
    if (plot->kind == GST_CL_PLOT_TRACE)
      draw_trace (self, i, column, row, rgb);
    else if (plot->kind == GST_CL_PLOT_BARS)
      draw_bars (self, plot, column, row, rgb);
    else
      draw_zones (self, plot, column, row, rgb);
  }
  blend (over, alpha + alpha / 128, rgb);
}

/* Sets @rgb to the pixel of the picture at (@x, @y) in its area. */
static void
draw_picture (const Frame *self, gint x, gint y, gint rgb[3])
{
  const GstClDrawArea *area = &self->problem->picture;
  const GstClComponent *first = &self->input->components[0];
  const gint black = self->problem->black, white = self->problem->white;
  const gint shift = (gint) first->sample.depth + 5;
  const gint scale = ((255 << shift) + (white - black) / 2) / (white - black);

  get_rgb (self, x * first->width / area->width,
      y * first->height / area->height, rgb);
  for (gint i = 0; i < 3; i++) {
    const gint64 level = ((gint64) (rgb[i] - black) * scale +
                             (1 << (shift - 1))) >>
                         shift;

    rgb[i] = (gint) CLAMP (level, 0, 255);
  }
}

static void
draw_pixel (const Frame *self, gint x, gint y, gint rgb[3])
{
  const GstClScopeDrawProblem *problem = self->problem;
  const GstClDrawArea *area = &problem->picture;
  const gint column = x - problem->scope_x, row = y - problem->scope_y;
  gint drawn[3];

  rgb[0] = rgb[1] = rgb[2] = 0;
  if (x >= area->x && x < area->x + area->width && y >= area->y &&
      y < area->y + area->height)
    draw_picture (self, x - area->x, y - area->y, rgb);
  if (column < 0 || column >= problem->width || row < 0 ||
      row >= problem->height)
    return;
  draw_scope (self, column, row, drawn);
  blend (drawn, (gint) self->input->opacity, rgb);
}

/* --- the output ----------------------------------------------------------- */

static guint8 *
byte_at (const Frame *self, guint plane, gint x, gint y)
{
  return self->memory->planes[plane] + self->input->planes[plane].offset_bytes +
         (gssize) y * self->input->planes[plane].stride_bytes + x;
}

/* Writes one pixel, and adds it to @sum. */
static void
write_pixel (const Frame *self, gint x, gint y, const gint rgb[3])
{
  const gboolean is_bgra = self->problem->format == GST_CL_DRAW_BGRA;

  if (self->problem->format >= GST_CL_DRAW_NV12) {
    const gint code = gst_cl_yuv_of_rgb (&self->problem->out_yuv, rgb, 0);

    *byte_at (self, 0, x, y) = (guint8) CLAMP (code, 0, 255);
    return;
  }

  for (gint i = 0; i < 3; i++)
    *byte_at (self, 0, 4 * x + i, y) = (guint8) rgb[is_bgra ? 2 - i : i];
  *byte_at (self, 0, 4 * x + 3, y) = 255;
}

static void
write_chroma (const Frame *self, gint x, gint y, const gint rgb[3])
{
  for (guint i = 1; i < 3; i++) {
    const gint code = gst_cl_yuv_of_rgb (&self->problem->out_yuv, rgb, i);

    if (self->problem->format == GST_CL_DRAW_NV12)
      *byte_at (self, 1, 2 * x + (gint) i - 1, y) = (guint8) CLAMP (code, 0,
          255);
    else
      *byte_at (self, i, x, y) = (guint8) CLAMP (code, 0, 255);
  }
}

void
ref_scope_draw (const GstClScopeDrawProblem *problem,
    const GstClScopeDrawInput *input, const RefScopeMemory *memory)
{
  const Frame self = { problem, input, memory };
  const gint width = problem->out_width, height = problem->out_height;
  g_autofree gint *pixels = g_new (gint, (gsize) width * (gsize) height * 3);

  for (gint y = 0; y < height; y++) {
    for (gint x = 0; x < width; x++) {
      gint *rgb = pixels + 3 * (y * width + x);

      draw_pixel (&self, x, y, rgb);
      write_pixel (&self, x, y, rgb);
    }
  }
  for (gint y = 0; problem->format >= GST_CL_DRAW_NV12 && y < height; y += 2) {
    for (gint x = 0; x < width; x += 2) {
      gint mean[3] = { 2, 2, 2 };

      for (gint i = 0; i < 12; i++) {
        const gint column = MIN (x + i / 3 % 2, width - 1);
        const gint row = MIN (y + i / 6, height - 1);

        mean[i % 3] += pixels[3 * (row * width + column) + i % 3];
      }
      for (gint i = 0; i < 3; i++)
        mean[i] /= 4;
      write_chroma (&self, x / 2, y / 2, mean);
    }
  }
}
