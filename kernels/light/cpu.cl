/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* light/cpu.cl: the R, G and B of pixels, for CPU devices
 *
 * Math      The numbers that light/plain.cl defines.
 * Shape     A picture of one component, or of three, of which the second and
 *           third may be subsampled. A pixel has the chroma sample that covers
 *           it. STRIDE_FIRST and STRIDE_OTHERS are the pixel strides.
 * Units     Codes. R, G and B beyond 0 .. 2^DEPTH - 1 count as the nearest of
 *           these, but not for levels.
 * Memory    parts: N_CODES + LIGHT_N_MAX words for each work-group of
 *           light_cpu_measure. result: cl_light.clh.
 * Launch    Local (1, 1, 1), otherwise as light/plain.cl.
 * Range     Sums of the filter fit 32 bits up to 24 bits of a code.
 * Accuracy  Exact. The reference is tests/light/lightreference.c.
 * Source    Sixteen pixels at a time. Components of a tile without a pixel
 *           beyond the limits are not filtered. The filter is separated.
 */

#include "cl_code.clh"
#include "cl_common.clh"
#include "cl_light.clh"
#include "cl_lightpixel.clh"
#include "cl_picture.clh"
#include "cl_picturelanes.clh"
#include "cl_pixel.clh"
#include "cl_plane.clh"
#include "cl_rgb.clh"

#define LEVELS_COLUMNS 128
#define LEVELS_ROWS    16

#include "cl_levels.clh"

/* --- the histogram -------------------------------------------------------- */

#if PARTS & LIGHT_HISTOGRAM
#if HAS_VECTORS
static ALWAYS_INLINE uint16
clamp_codes (const int16 codes)
{
  return as_uint16 (clamp (codes, (int16) (0), (int16) (N_CODES - 1)));
}

static ALWAYS_INLINE uint
greatest_of_lanes (const uint16 v)
{
  const uint8 a = max (v.lo, v.hi);
  const uint4 b = max (a.lo, a.hi);

  return max (max (b.x, b.y), max (b.z, b.w));
}
#endif

__kernel __attribute__ ((reqd_work_group_size (1, 1, 1))) void
light_cpu_measure (PLANE_ARGUMENTS, const int4 matrix, const int middle,
    const int row_step, const int n_parts, __global uint *parts)
{
  const Picture picture = PICTURE;
  const int part = (int) get_global_id (0);
  const int end = band_start (part + 1, n_parts, picture.height);
  const int n_vector_pixels = count_vector_pixels (&picture);
  __global uint *bins = parts + (ulong) part * (N_CODES + LIGHT_N_MAX);
  uint greatest[LIGHT_N_MAX] = { 0, 0, 0 };
#if HAS_VECTORS
  uint16 lanes[LIGHT_N_MAX] = { (uint16) (0), (uint16) (0), (uint16) (0) };
#endif

  for (int k = 0; k < N_CODES; k++)
    bins[k] = 0;
  for (int y = band_start (part, n_parts, picture.height); y < end; y++) {
#if HAS_VECTORS
    for (int x = 0; x < n_vector_pixels; x += N_LANES) {
      const Pixels pixels = load_pixels (&picture, x, y, (int4) (0));
      const uint16 r = clamp_codes (pixels.v[0]);
      const uint16 g = clamp_codes (pixels.v[1]);
      const uint16 b = clamp_codes (pixels.v[2]);
      uint codes[N_LANES];

      lanes[0] = max (lanes[0], r);
      lanes[1] = max (lanes[1], g);
      lanes[2] = max (lanes[2], b);
      vstore16 (max (max (r, g), b), 0, codes);
      for (int i = 0; i < N_LANES; i++)
        bins[codes[i]]++;
    }
#endif
    for (int x = n_vector_pixels; x < picture.width; x++) {
      const Rgb rgb = picture_rgb (&picture, x, y);
      const uint r = light_code (rgb.r), g = light_code (rgb.g);
      const uint b = light_code (rgb.b);

      bins[max (max (r, g), b)]++;
      greatest[0] = max (greatest[0], r);
      greatest[1] = max (greatest[1], g);
      greatest[2] = max (greatest[2], b);
    }
  }
  for (int c = 0; c < LIGHT_N_MAX; c++) {
#if HAS_VECTORS
    greatest[c] = max (greatest[c], greatest_of_lanes (lanes[c]));
#endif
    bins[N_CODES + c] = greatest[c];
  }
}
#endif

__kernel __attribute__ ((reqd_work_group_size (1, 1, 1))) void
light_cpu_merge (__global const uint *parts, const int n_parts,
    __global uint *result)
{
  const int i = (int) get_global_id (0), n_words = N_CODES + LIGHT_N_MAX;

  if (i < n_words)
    light_merge_word (parts, n_parts, i, n_words, result);
  else if (i < n_words + LIGHT_N_LEVEL)
    result[i] = 0;
}

/* --- levels --------------------------------------------------------------- */

#if PARTS & LIGHT_LEVELS
/* The part of a picture that a work-item measures: a tile of a field, and the
 * samples around it. */
typedef struct {
  Picture picture;
  LevelsRows rows;
  int x, y; /* the first pixel of the tile; y: row of the field */
  int n_vector_pixels;
  int4 luma;
} Tile;

/* Sets @values to R, G, B and Y of column @column and row @row around the tile,
 * or of the nearest pixel. */
static ALWAYS_INLINE void
values_of_tile (const Tile *tile, const int column, const int row,
    int values[LIGHT_N_LEVEL])
{
  const int x = clamp (tile->x + column, 0, tile->picture.width - 1);
  const int y = clamp (tile->y + row, 0, tile->rows.n - 1);

  levels_values (&tile->picture, x, tile->rows.first + y * tile->rows.step,
      tile->luma, values);
}

/* Returns the number of columns of the tile that are read in vectors. */
static ALWAYS_INLINE int
count_vector_columns (const Tile *tile)
{
  return clamp (tile->n_vector_pixels - tile->x, 0, LEVELS_COLUMNS);
}

/* Returns the row of the frame of row @row around the tile. */
static ALWAYS_INLINE int
row_of_frame (const Tile *tile, const int row)
{
  return tile->rows.first +
         clamp (tile->y + row, 0, tile->rows.n - 1) * tile->rows.step;
}

/* Returns bit c for component c if a value of it in the tile or around it is
 * beyond the limits. */
static uint
find_beyond (const Tile *tile, const int low, const int high)
{
  const int n_columns = count_vector_columns (tile);
  uint found = 0;
#if HAS_VECTORS
  int16 beyond[LIGHT_N_LEVEL] = { (int16) (0), (int16) (0), (int16) (0),
    (int16) (0) };
#endif

  for (int row = -LEVELS_HALO_Y; row < LEVELS_ROWS + LEVELS_HALO_Y; row++) {
#if HAS_VECTORS
    const int y = row_of_frame (tile, row);

    for (int x = 0; x < n_columns; x += N_LANES) {
      const Pixels pixels = load_pixels (&tile->picture, tile->x + x, y,
          tile->luma);

      for (int c = 0; c < LIGHT_N_LEVEL; c++)
        beyond[c] |= (pixels.v[c] < (int16) (low)) |
                     (pixels.v[c] > (int16) (high));
    }
#endif
    for (int x = -LEVELS_HALO_X; x < LEVELS_COLUMNS + LEVELS_HALO_X; x++) {
      int values[LIGHT_N_LEVEL];

      if (x == 0)
        x = n_columns;
      if (x >= LEVELS_COLUMNS + LEVELS_HALO_X)
        break;
      values_of_tile (tile, x, row, values);
      for (int c = 0; c < LIGHT_N_LEVEL; c++)
        found |= (uint) (values[c] < low || values[c] > high) << c;
    }
  }
#if HAS_VECTORS
  for (int c = 0; c < LIGHT_N_LEVEL; c++)
    found |= any (beyond[c]) ? 1u << c : 0;
#endif

  return found;
}

/* Sets @values to component @c of a row around the tile. */
static ALWAYS_INLINE void
read_row_of_tile (const Tile *tile, const int row, const int c,
    int values[LEVELS_PADDED])
{
  const int n_columns = count_vector_columns (tile);

#if HAS_VECTORS
  for (int x = 0; x < n_columns; x += N_LANES) {
    const Pixels pixels = load_pixels (&tile->picture, tile->x + x,
        row_of_frame (tile, row), tile->luma);

    vstore16 (c == 0   ? pixels.v[0]
              : c == 1 ? pixels.v[1]
              : c == 2 ? pixels.v[2]
                       : pixels.v[3],
        0, values + LEVELS_HALO_X + x);
  }
#endif
  for (int x = -LEVELS_HALO_X; x < LEVELS_COLUMNS + LEVELS_HALO_X; x++) {
    int own[LIGHT_N_LEVEL];

    if (x == 0)
      x = n_columns;
    if (x >= LEVELS_COLUMNS + LEVELS_HALO_X)
      break;
    values_of_tile (tile, x, row, own);
    values[LEVELS_HALO_X + x] = own[c];
  }
}

/* Returns how many filtered values of component @c in the first @columns and
 * @rows of the tile are beyond the limits. */
static uint
count_beyond (const Tile *tile, const int c, const int columns, const int rows,
    const int low, const int high)
{
  int sums[LEVELS_N_ROWS][LEVELS_COLUMNS];
  uint n = 0;

  for (int y = 0; y < LEVELS_N_ROWS; y++) {
    int values[LEVELS_PADDED];

    read_row_of_tile (tile, y - LEVELS_HALO_Y, c, values);
    for (int x = 0; x < LEVELS_COLUMNS; x++)
      sums[y][x] = LEVELS_ROW (values + x);
  }
  for (int y = 0; y < rows; y++) {
    for (int x = 0; x < columns; x++) {
      const int sum = sums[y][x] + 2 * sums[y + 1][x] + sums[y + 2][x];

      n += sum < low * LEVELS_WEIGHT || sum > high * LEVELS_WEIGHT;
    }
  }

  return n;
}

__kernel __attribute__ ((reqd_work_group_size (1, 1, 1))) void
levels_cpu_measure (PLANE_ARGUMENTS, const int4 matrix, const int middle,
    const int row_step, const int4 luma, const int low, const int high,
    __global uint *result)
{
  Tile tile = { PICTURE, { 0, 0, 0 }, (int) get_global_id (0) * LEVELS_COLUMNS,
    (int) get_global_id (1) * LEVELS_ROWS, 0, luma };
  uint beyond;

  tile.rows = levels_rows (&tile.picture, (int) get_global_id (2));
  tile.n_vector_pixels = count_vector_pixels (&tile.picture);
  if (tile.y >= tile.rows.n)
    return;

  beyond = find_beyond (&tile, low, high);
  for (int c = 0; c < LIGHT_N_LEVEL; c++) {
    uint n = 0;

    if (beyond >> c & 1)
      n = count_beyond (&tile, c,
          min (LEVELS_COLUMNS, tile.picture.width - tile.x),
          min (LEVELS_ROWS, tile.rows.n - tile.y), low, high);
    if (n > 0)
      atomic_add (&result[N_CODES + LIGHT_N_MAX + c], n);
  }
}
#endif
