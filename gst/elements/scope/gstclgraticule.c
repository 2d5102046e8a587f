/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Lines and labels of scopes. */

#include "gstclgraticule.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "elements/base/gstclcolour.h"
#include "gstclzones.h"

#define LINE      0x60ffffff
#define FINE_LINE 0x30ffffff
#define TEXT      0xd0f0f0f0
#define SHADOW    0x80000000
#define GROUND    0xd0101010
#define SEPARATOR 0xff404040
#define SKIN      0xa0e69f00

/* --- text ----------------------------------------------------------------- */

#define GLYPH_WIDTH  5
#define GLYPH_HEIGHT 7

/* Rows of a glyph from the top; bit 4 is on the left. */
static const struct {
  gchar letter;
  guint8 rows[GLYPH_HEIGHT];
} glyphs[] = {
  { '0', { 0x0e, 0x11, 0x13, 0x15, 0x19, 0x11, 0x0e } },
  { '1', { 0x04, 0x0c, 0x04, 0x04, 0x04, 0x04, 0x0e } },
  { '2', { 0x0e, 0x11, 0x01, 0x06, 0x08, 0x10, 0x1f } },
  { '3', { 0x1f, 0x02, 0x04, 0x02, 0x01, 0x11, 0x0e } },
  { '4', { 0x02, 0x06, 0x0a, 0x12, 0x1f, 0x02, 0x02 } },
  { '5', { 0x1f, 0x10, 0x1e, 0x01, 0x01, 0x11, 0x0e } },
  { '6', { 0x06, 0x08, 0x10, 0x1e, 0x11, 0x11, 0x0e } },
  { '7', { 0x1f, 0x01, 0x02, 0x04, 0x08, 0x08, 0x08 } },
  { '8', { 0x0e, 0x11, 0x11, 0x0e, 0x11, 0x11, 0x0e } },
  { '9', { 0x0e, 0x11, 0x11, 0x0f, 0x01, 0x02, 0x0c } },
  { '.', { 0x00, 0x00, 0x00, 0x00, 0x00, 0x0c, 0x0c } },
  { '-', { 0x00, 0x00, 0x00, 0x1f, 0x00, 0x00, 0x00 } },
  { '+', { 0x00, 0x04, 0x04, 0x1f, 0x04, 0x04, 0x00 } },
  { '/', { 0x01, 0x01, 0x02, 0x04, 0x08, 0x10, 0x10 } },
  { '<', { 0x02, 0x04, 0x08, 0x10, 0x08, 0x04, 0x02 } },
  { '>', { 0x08, 0x04, 0x02, 0x01, 0x02, 0x04, 0x08 } },
  { 'B', { 0x1e, 0x11, 0x11, 0x1e, 0x11, 0x11, 0x1e } },
  { 'C', { 0x0e, 0x11, 0x10, 0x10, 0x10, 0x11, 0x0e } },
  { 'E', { 0x1f, 0x10, 0x10, 0x1e, 0x10, 0x10, 0x1f } },
  { 'G', { 0x0e, 0x11, 0x10, 0x17, 0x11, 0x11, 0x0f } },
  { 'I', { 0x0e, 0x04, 0x04, 0x04, 0x04, 0x04, 0x0e } },
  { 'M', { 0x11, 0x1b, 0x15, 0x15, 0x11, 0x11, 0x11 } },
  { 'R', { 0x1e, 0x11, 0x11, 0x1e, 0x14, 0x12, 0x11 } },
  { 'U', { 0x11, 0x11, 0x11, 0x11, 0x11, 0x11, 0x0e } },
  { 'V', { 0x11, 0x11, 0x11, 0x11, 0x11, 0x0a, 0x04 } },
  { 'Y', { 0x11, 0x11, 0x11, 0x0a, 0x04, 0x04, 0x04 } },
  { 'c', { 0x00, 0x00, 0x0e, 0x10, 0x10, 0x11, 0x0e } },
  { 'd', { 0x01, 0x01, 0x0d, 0x13, 0x11, 0x11, 0x0f } },
  { 'm', { 0x00, 0x00, 0x1a, 0x15, 0x15, 0x15, 0x15 } },
};

/* --- drawing -------------------------------------------------------------- */

/* The scope, and the panel in it that is drawn: nothing is drawn outside. */
typedef struct {
  guint32 *pixels;
  gint width; /* of the scope */
  GstClDrawArea area;
  gint line;  /* width of lines */
  gint scale; /* width of the pixels of glyphs */
} Canvas;

/* Fills a rectangle of the panel. */
static void
fill (Canvas *self, gint x, gint y, gint width, gint height, guint32 colour)
{
  const GstClDrawArea *area = &self->area;
  const gint right = MIN (x + width, area->width);
  const gint bottom = MIN (y + height, area->height);

  for (gint row = MAX (y, 0); row < bottom; row++) {
    for (gint column = MAX (x, 0); column < right; column++)
      self->pixels[(gsize) (area->y + row) * (gsize) self->width +
                   (gsize) (area->x + column)] = colour;
  }
}

static gint
text_width (const Canvas *self, const gchar *text)
{
  return (gint) strlen (text) * (GLYPH_WIDTH + 1) * self->scale;
}

static gint
text_height (const Canvas *self)
{
  return (GLYPH_HEIGHT + 2) * self->scale;
}

static void
draw_glyph (Canvas *self, gint x, gint y, gchar letter)
{
  for (guint i = 0; i < G_N_ELEMENTS (glyphs); i++) {
    if (glyphs[i].letter != letter)
      continue;
    for (gint row = 0; row < GLYPH_HEIGHT; row++) {
      for (gint column = 0; column < GLYPH_WIDTH; column++) {
        if (glyphs[i].rows[row] >> (GLYPH_WIDTH - 1 - column) & 1)
          fill (self, x + column * self->scale, y + row * self->scale,
              self->scale, self->scale, TEXT);
      }
    }
  }
}

/* Draws @text with its upper left corner at (@x, @y). */
static void
draw_letters (Canvas *self, gint x, gint y, const gchar *text)
{
  for (gint i = 0; text[i]; i++)
    draw_glyph (self, x + (1 + i * (GLYPH_WIDTH + 1)) * self->scale,
        y + self->scale, text[i]);
}

/* Draws @text on a dark ground. */
static void
draw_text (Canvas *self, gint x, gint y, const gchar *text)
{
  fill (self, x, y, text_width (self, text) + self->scale, text_height (self),
      SHADOW);
  draw_letters (self, x, y, text);
}

static void
draw_cross (Canvas *self, gint x, gint y, gint size, guint32 colour)
{
  fill (self, x - size, y, 2 * size + 1, self->line, colour);
  fill (self, x, y - size, self->line, 2 * size + 1, colour);
}

static void
draw_box (Canvas *self, gint x, gint y, gint size, guint32 colour)
{
  const gint side = 2 * size + 1, s = self->line;

  fill (self, x - size, y - size, side, s, colour);
  fill (self, x - size, y + size + 1 - s, side, s, colour);
  fill (self, x - size, y - size, s, side, colour);
  fill (self, x + size + 1 - s, y - size, s, side, colour);
}

/* Draws a line from (@x, @y), @length pixels long. @degrees: from the x axis
 * upwards. */
static void
draw_ray (Canvas *self, gint x, gint y, gint length, gdouble degrees,
    guint32 colour)
{
  const gdouble angle = degrees * G_PI / 180;

  for (gint i = 0; i < length; i++)
    fill (self, x + (gint) lrint (i * cos (angle)),
        y - (gint) lrint (i * sin (angle)), self->line, self->line, colour);
}

/* --- levels --------------------------------------------------------------- */

/* A line of a graticule. */
typedef struct {
  gdouble code;
  gchar label[12];
} Mark;

#define MAX_MARKS 16

/* Returns the code of @light on @curve, by bisection. */
static gdouble
code_of_light (const GstClLightCurve *curve, gdouble light)
{
  gdouble low = 0, high = 1u << curve->depth;

  for (gint i = 0; i < 50; i++) {
    const gdouble middle = (low + high) / 2;

    if (gst_cl_light_of_code (curve, middle) < light)
      low = middle;
    else
      high = middle;
  }

  return high;
}

static void
add_mark (Mark *marks, guint *n, gdouble code, const gchar *format,
    gdouble value)
{
  if (*n >= MAX_MARKS)
    return;

  marks[*n].code = code;
  g_ascii_formatd (marks[*n].label, sizeof marks[*n].label, format, value);
  (*n)++;
}

/* Sets @marks to the lines of luma, R, G and B; returns their number. */
static guint
get_marks (const GstClScopePlan *plan, Mark marks[MAX_MARKS])
{
  static const gint codes[] = { 64, 256, 512, 768, 940 };
  static const gdouble lights[] = { 0.1, 1, 10, 50, 100, 203, 500, 1000, 2000,
    4000, 10000 };
  const gdouble black = plan->draw.black, white = plan->draw.white;
  const gdouble of_10_bits = (1u << plan->depth) / 1024.;
  guint n = 0;

  switch (plan->unit) {
    case GST_CL_GRATICULE_IRE:
      for (gint ire = 0; ire <= 100; ire += 20)
        add_mark (marks, &n, black + (white - black) * ire / 100, "%.0f", ire);
      break;
    case GST_CL_GRATICULE_CODES:
      for (guint i = 0; i < G_N_ELEMENTS (codes); i++)
        add_mark (marks, &n, codes[i] * of_10_bits, "%.0f", codes[i]);
      break;
    case GST_CL_GRATICULE_NITS:
      for (guint i = 0; i < G_N_ELEMENTS (lights); i++) {
        if (lights[i] <= gst_cl_light_of_code (&plan->curve, white))
          add_mark (marks, &n, code_of_light (&plan->curve, lights[i]), "%g",
              lights[i]);
      }
      break;
    default:
      break;
  }

  return n;
}

/* Sets @marks to the lines of U and V: neutral, and both ends of the range. */
static guint
get_chroma_marks (const GstClScopePlan *plan, Mark marks[MAX_MARKS])
{
  const gint shift = (gint) plan->depth - 8;
  const gint middle = 128 << shift;
  const gint range = plan->curve.is_full_range ? middle - 1 : 112 << shift;
  guint n = 0;

  if (plan->unit == GST_CL_GRATICULE_NONE)
    return 0;
  for (gint i = -1; i <= 1; i++)
    add_mark (marks, &n, middle + i * range, "%.0f", 50 * i);

  return n;
}

/* Returns where @code is among @length pixels: in the middle of those that show
 * its bin among @n_bins. */
static gint
place_of_code (const GstClScopePlan *plan, guint n_bins, gdouble code,
    gint length)
{
  const gdouble n_codes = 1u << plan->depth;
  const gdouble n = n_bins > 0 ? n_bins : n_codes;
  const gdouble whole = CLAMP (rint (code), 0, n_codes - 1);
  const gdouble bin = floor (whole * n / n_codes);

  return MIN ((gint) floor ((bin + 0.5) * length / n), length - 1);
}

/* Returns the bins of the waveforms or bars of @panel. */
static guint
count_bins (const GstClScopePlan *plan, const GstClScopePanel *panel)
{
  const gboolean is_own = panel->kind == GST_CL_SCOPE_WAVEFORM ||
                          panel->kind == GST_CL_SCOPE_PARADE;

  return plan->draw.n_bins[is_own ? GST_CL_SCOPE_OWN : GST_CL_SCOPE_RGB];
}

/* Draws the lines of @area; labels have room, or are left out. */
static void
draw_levels (Canvas *self, const GstClScopePlan *plan, guint n_bins,
    const Mark *marks, guint n, const gchar *title)
{
  const gint height = self->area.height, room = text_height (self);
  gint last = height + room;

  for (guint i = 0; i < n; i++) {
    const gint y = height - 1 -
                   place_of_code (plan, n_bins, marks[i].code, height);

    fill (self, 0, y, self->area.width, self->line, LINE);
    if (last - y >= room && self->area.width > 6 * room) {
      draw_text (self, 0, CLAMP (y - room / 2, 0, MAX (height - room, 0)),
          marks[i].label);
      last = y;
    }
  }
  if (title && self->area.width > 6 * room && height > 6 * room)
    draw_text (self, self->area.width - text_width (self, title) - room, 0,
        title);
}

static void
draw_columns (Canvas *self, const GstClScopePlan *plan, guint n_bins,
    const Mark *marks, guint n)
{
  gint last = -self->area.width;

  for (guint i = 0; i < n; i++) {
    const gint width = text_width (self, marks[i].label) + self->scale;
    const gint x = place_of_code (plan, n_bins, marks[i].code,
        self->area.width);
    const gint left = CLAMP (x - width / 2, 0,
        MAX (self->area.width - width, 0));

    fill (self, x, 0, self->line, self->area.height, LINE);
    if (left > last && self->area.height > 6 * text_height (self)) {
      draw_text (self, left, 0, marks[i].label);
      last = left + width;
    }
  }
}

static void
draw_waveforms (Canvas *self, const GstClScopePlan *plan,
    const GstClScopePanel *panel)
{
  static const gchar *const of_rgb[] = { "R", "G", "B" };
  static const gchar *const of_yuv[] = { "Y", "U", "V" };
  const GstClDrawArea whole = panel->area;
  const gboolean is_parade = panel->kind == GST_CL_SCOPE_PARADE ||
                             panel->kind == GST_CL_SCOPE_PARADE_RGB;
  const gboolean is_yuv = panel->kind == GST_CL_SCOPE_PARADE &&
                          plan->draw.shape.matrix.kind != GST_CL_RGB_RGB;
  const gboolean is_single = !is_parade || (is_yuv && plan->n_components == 1);
  const gint n_parts = is_single ? 1 : 3;

  for (gint i = 0; i < n_parts; i++) {
    const gint left = whole.width * i / n_parts;
    Mark marks[MAX_MARKS];
    const guint n = is_yuv && i > 0 ? get_chroma_marks (plan, marks)
                                    : get_marks (plan, marks);

    self->area.x = whole.x + left;
    self->area.width = whole.width * (i + 1) / n_parts - left;
    if (plan->unit != GST_CL_GRATICULE_NONE)
      draw_levels (self, plan, count_bins (plan, panel), marks, n,
          is_single ? NULL : (is_yuv ? of_yuv : of_rgb)[i]);
    if (i > 0)
      fill (self, 0, 0, self->line, self->area.height, SEPARATOR);
  }
}

/* --- vectorscope ---------------------------------------------------------- */

/* The hues of skin are near this line: the axis of +I of NTSC. */
#define SKIN_DEGREES 123

static void
draw_vectors (Canvas *self, const GstClScopePlan *plan)
{
  static const struct {
    const gchar *name;
    gint r, g, b;
  } bars[] = { { "R", 1, 0, 0 }, { "Y", 1, 1, 0 }, { "G", 0, 1, 0 },
    { "C", 0, 1, 1 }, { "B", 0, 0, 1 }, { "M", 1, 0, 1 } };
  const gint side = MIN (self->area.width, self->area.height);
  const gint left = (self->area.width - side) / 2;
  const gint top = (self->area.height - side) / 2;
  const gint middle = 1 << (plan->depth - 1);
  const guint n_bins = plan->draw.n_uv_bins;
  const gint centre = place_of_code (plan, n_bins, middle, side);
  const gint range = plan->curve.is_full_range ? 2 * middle - 1
                                               : 224 << (plan->depth - 8);
  const gint size = MAX (side / 40, 1);
  gdouble weights[3];

  gst_cl_colour_luma (&plan->in, weights);
  fill (self, left, top + side - 1 - centre, side, self->line, FINE_LINE);
  fill (self, left + centre, top, self->line, side, FINE_LINE);
  draw_ray (self, left + centre, top + side - 1 - centre, side / 2,
      SKIN_DEGREES, SKIN);
  for (guint i = 0; i < G_N_ELEMENTS (bars); i++) {
    const gdouble y = bars[i].r * weights[0] + bars[i].g * weights[1] +
                      bars[i].b * weights[2];
    const gdouble u = (bars[i].b - y) / (2 * (1 - weights[2]));
    const gdouble v = (bars[i].r - y) / (2 * (1 - weights[0]));

    for (gint share = 75; share <= 100; share += 25) {
      const gint x = left + place_of_code (plan, n_bins,
                                middle + u * range * share / 100, side);
      const gint row = top + side - 1 -
                       place_of_code (plan, n_bins,
                           middle + v * range * share / 100, side);

      if (share == 100) {
        draw_cross (self, x, row, size / 2, LINE);
        continue;
      }
      draw_box (self, x, row, size, LINE | 0xff000000);
      if (side > 12 * text_height (self))
        draw_text (self, x + size + self->line, row - size, bars[i].name);
    }
  }
}

/* --- false colours -------------------------------------------------------- */

/* The ground is dark, and zones have an edge of it: they stand out from a
 * picture of their colour. */
static void
draw_legend (Canvas *self, const GstClScopePlan *plan)
{
  const gboolean is_light = plan->has_light_zones;
  const gint room = text_height (self) + 2 * self->scale;
  gint widest = 0, y = room / 2;
  guint n;
  const GstClZone *zones = gst_cl_zones (is_light, &n);

  for (guint i = 0; i < n; i++)
    widest = MAX (widest, text_width (self, zones[i].label));
  fill (self, 0, 0, 2 * room + widest + room / 2, ((gint) n + 2) * room,
      GROUND);
  draw_letters (self, room / 2, y, is_light ? "cd/m2" : "IRE");
  for (guint i = n; i-- > 0;) {
    y += room;
    fill (self, room / 2, y, room, room - self->scale,
        zones[i].colour | 0xff000000);
    draw_letters (self, 2 * room, y, zones[i].label);
  }
}

/* --- panels --------------------------------------------------------------- */

static void
draw_panel (Canvas *self, const GstClScopePlan *plan,
    const GstClScopePanel *panel, gboolean has_legend)
{
  const gboolean has_lines = plan->unit != GST_CL_GRATICULE_NONE;
  Mark marks[MAX_MARKS];

  self->area = panel->area;
  self->line = MAX (panel->area.height / 540, 1);
  self->scale = MAX ((panel->area.height + 100) / 230, 1);
  switch (panel->kind) {
    case GST_CL_SCOPE_VECTORSCOPE:
      if (has_lines)
        draw_vectors (self, plan);
      break;
    case GST_CL_SCOPE_HISTOGRAM:
      draw_columns (self, plan, count_bins (plan, panel), marks,
          get_marks (plan, marks));
      break;
    case GST_CL_SCOPE_FALSE_COLOUR:
      if (has_legend)
        draw_legend (self, plan);
      break;
    default:
      draw_waveforms (self, plan, panel);
  }
  self->area = panel->area;
  if (panel->area.x > 0)
    fill (self, 0, 0, self->line, panel->area.height, SEPARATOR);
  if (panel->area.y > 0)
    fill (self, 0, 0, panel->area.width, self->line, SEPARATOR);
}

guint32 *
gst_cl_graticule_draw (const GstClScopePlan *plan, gboolean has_legend)
{
  Canvas canvas = {
    .pixels = g_new0 (guint32,
        (gsize) plan->draw.width * (gsize) plan->draw.height),
    .width = plan->draw.width,
  };

  for (guint i = 0; i < plan->n_panels; i++) {
    const GstClDrawArea *area = &plan->panels[i].area;

    if (area->width > 0 && area->height > 0)
      draw_panel (&canvas, plan, &plan->panels[i], has_legend);
  }

  return canvas.pixels;
}
