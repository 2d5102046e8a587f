/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The definition of the numbers of flashes, in the simplest code. */

#include "flashreference.h"

#include "harness/harness.h"

#define DARKEST_BRIGHT 26215 /* the least luminance of no darker state */

/* The turning points of a value. */
typedef struct {
  gboolean is_peak; /* the last extreme */
  guint extreme;
} Turns;

struct RefFlashCell {
  guint luminance, red; /* of the picture before, at most 65535 */
  Turns of_luminance, of_red;
};

void
ref_flash_clear (RefFlash *self)
{
  g_free (self->cells);
  *self = (RefFlash){ 0 };
}

static guint
code_at (const guint8 *bytes, const GstClComponent *component, gint x, gint y)
{
  x = MIN (x, component->width - 1);
  y = MIN (y, component->height - 1);

  return test_code_at (bytes, component, x, y);
}

/* Returns the code of component @c of a cell: the sum over its pixels, or their
 * rounded mean. */
static gint
cell_code (const GstClFlashProblem *problem, const guint8 *const *bytes,
    const GstClComponent *components, guint c, gint column, gint row)
{
  const gint last_x = components[0].width - 1;
  const gint last_y = components[0].height - 1;
  const guint x_shift = c > 0 ? problem->picture.x_shift : 0;
  const guint y_shift = c > 0 ? problem->picture.y_shift : 0;
  guint sum = 0;

  for (gint y = 2 * row; y <= 2 * row + 1; y++) {
    for (gint x = 2 * column; x <= 2 * column + 1; x++)
      sum += code_at (bytes[c], &components[c], MIN (x, last_x) >> x_shift,
          MIN (y, last_y) >> y_shift);
  }

  return gst_cl_flash_fraction (problem) == 2 ? (gint) sum
                                              : (gint) (sum + 2) / 4;
}

static guint
light_of (const guint32 *light, guint bits, gint code)
{
  return light[CLAMP (code, 0, (1 << bits) - 1)];
}

static void
take_value (Turns *turns, gboolean is_first, guint first_peak, guint value,
    guint step, guint32 *n_rises, guint32 *n_falls)
{
  if (is_first) {
    turns->is_peak = value >= first_peak;
    turns->extreme = value;
  } else if (!turns->is_peak && value >= turns->extreme + step) {
    (*n_rises)++;
    turns->is_peak = TRUE;
    turns->extreme = value;
  } else if (turns->is_peak && value + step <= turns->extreme) {
    (*n_falls)++;
    turns->is_peak = FALSE;
    turns->extreme = value;
  } else if (turns->is_peak ? value > turns->extreme : value < turns->extreme) {
    turns->extreme = value;
  }
}

static void
measure_cell (struct RefFlashCell *cell, const GstClFlashProblem *problem,
    const guint32 *light, const gint codes[3], gboolean is_first,
    GstClFlashCounts *counts, GstClFlashTile *tile)
{
  const guint fraction = gst_cl_flash_fraction (problem);
  const guint bits = problem->curve.depth + fraction;
  const guint limit = DARKEST_BRIGHT + GST_CL_FLASH_LUMINANCE_STEP - 1;
  GstClRgbMatrix matrix = problem->picture.matrix;
  guint r, g, b, luminance, red = 0;
  gint rgb[3], weights[3];

  gst_cl_rgb_round_weights (problem->weights, 2048, weights);
  matrix.middle <<= fraction;
  gst_cl_rgb_of_codes (&matrix, codes, rgb);
  r = light_of (light, bits, rgb[0]);
  g = light_of (light, bits, rgb[1]);
  b = light_of (light, bits, rgb[2]);
  luminance = (guint) (((guint64) r * weights[0] + (guint64) g * weights[1] +
                           (guint64) b * weights[2] + 1024) /
                       2048);
  if (5 * (guint64) r >= 4 * ((guint64) r + g + b) && r > g + b)
    red = r - g - b;

  luminance = MIN (luminance, 65535);
  red = MIN (red, 65535);
  counts->luminance += luminance;
  counts->red += red;
  if (!is_first) {
    counts->n_changed_luminance += cell->luminance != luminance;
    counts->n_changed_red += cell->red != red;
  }
  take_value (&cell->of_luminance, is_first, limit / 2, MIN (luminance, limit),
      GST_CL_FLASH_LUMINANCE_STEP, &tile->n_rises, &tile->n_falls);
  take_value (&cell->of_red, is_first, GST_CL_FLASH_RED_STEP,
      MIN (red, GST_CL_FLASH_ONE - 1), GST_CL_FLASH_RED_STEP,
      &tile->n_red_rises, &tile->n_red_falls);
  cell->luminance = luminance;
  cell->red = red;
}

/* Returns the tile of cell @i of @n, of @n_tiles. */
static gint
tile_of (gint i, gint n, gint n_tiles)
{
  for (gint tile = 0;; tile++) {
    if (i < (gint) ((gint64) n * (tile + 1) / n_tiles))
      return tile;
  }
}

void
ref_flash_measure (RefFlash *self, const GstClFlashProblem *problem,
    const guint8 *const *bytes, const GstClComponent *components,
    GstClFlashCounts *counts, GstClFlashTile tiles[GST_CL_FLASH_N_TILES])
{
  const gint columns = (components[0].width + 1) / 2;
  const gint rows = (components[0].height + 1) / 2;
  const gboolean is_first = !self->cells ||
                            self->width != components[0].width ||
                            self->height != components[0].height;
  g_autofree guint32 *light = g_new (guint32,
      1 << (problem->curve.depth + gst_cl_flash_fraction (problem)));

  *counts = (GstClFlashCounts){
    .n_cells = (guint64) columns * rows,
    .columns = columns,
    .rows = rows,
    .tiles = tiles,
  };
  gst_cl_flash_light (problem, light);
  for (gint i = 0; i < GST_CL_FLASH_N_TILES; i++)
    tiles[i] = (GstClFlashTile){ 0 };
  if (is_first) {
    ref_flash_clear (self);
    self->width = components[0].width;
    self->height = components[0].height;
    self->cells = g_new0 (struct RefFlashCell, MAX (columns * rows, 1));
  }

  for (gint y = 0; y < rows; y++) {
    const gint tile_row = tile_of (y, rows, GST_CL_FLASH_ROWS);

    for (gint x = 0; x < columns; x++) {
      const gint tile = tile_row * GST_CL_FLASH_COLUMNS +
                        tile_of (x, columns, GST_CL_FLASH_COLUMNS);
      gint codes[3] = { 0 };

      for (guint c = 0; c < problem->picture.n_components; c++)
        codes[c] = cell_code (problem, bytes, components, c, x, y);
      measure_cell (&self->cells[y * columns + x], problem, light, codes,
          is_first, counts, &tiles[tile]);
    }
  }
}
