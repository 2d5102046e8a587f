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
 * Source    Sixteen pixels at a time. A component is filtered where one of
 *           three rows of the tile has a pixel beyond the limits. The filter is
 *           separated.
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

#define LEVELS_COLUMNS 512
#define LEVELS_ROWS    32

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
/* Short integers hold sums of the filter of 8 bits, whose R, G and B are within
 * -256 .. 511, and R, G and B of up to 12 bits. */
#if DEPTH <= 8
typedef short LevelSum;
#define SUM16_T short16
#else
typedef int LevelSum;
#define SUM16_T int16
#endif
#if DEPTH <= 12
typedef short Level;
#define LEVEL16_T short16
#else
typedef int Level;
#define LEVEL16_T int16
#endif

/* Vectors of a row of a tile, with one on either side. */
#define N_VECTORS (LEVELS_COLUMNS / N_LANES + 2)

/* vload16() as one access, as in cl_pixel.clh. */
#ifdef __clang__
typedef SUM16_T __attribute__ ((aligned (sizeof (LevelSum)))) Sum16At;
#define LOAD_SUMS(p) (*(const Sum16At *) (p))
#else
#define LOAD_SUMS(p) vload16 (0, p)
#endif

/* The part of a picture that a work-item measures: a tile of a field. */
typedef struct {
  Picture picture;
  LevelsRows rows;
  int x, columns; /* of the tile */
  int n_vector_pixels;
  int4 luma;
  int low, high;
} Tile;

/* R, G, B and Y of a row of a tile and of the columns around it. beyond has bit
 * c if a value of component c is beyond the limits. */
typedef struct {
  LEVEL16_T of[LIGHT_N_LEVEL][N_VECTORS];
  uint beyond;
} Line;

/* Sets @line to row @row of the field, or to the nearest one. */
static void
read_line (const Tile *tile, const int row, Line *line)
{
  const int y = tile->rows.first +
                clamp (row, 0, tile->rows.n - 1) * tile->rows.step;
#if HAS_VECTORS
  LEVEL16_T beyond[LIGHT_N_LEVEL] = { (LEVEL16_T) (0), (LEVEL16_T) (0),
    (LEVEL16_T) (0), (LEVEL16_T) (0) };
#endif

  line->beyond = 0;
  for (int x = -N_LANES; x < tile->columns + LEVELS_HALO_X; x += N_LANES) {
    const int first = tile->x + x;

#if HAS_VECTORS
    if (first >= 0 && first < tile->n_vector_pixels) {
      const Pixels pixels = load_pixels (&tile->picture, first, y, tile->luma);

#pragma unroll
      for (int c = 0; c < LIGHT_N_LEVEL; c++) {
        const LEVEL16_T values = CONVERT (LEVEL16_T) (pixels.v[c]);

        beyond[c] |= (values < (LEVEL16_T) (tile->low)) |
                     (values > (LEVEL16_T) (tile->high));
        line->of[c][x / N_LANES + 1] = values;
      }
      continue;
    }
#endif
    for (int i = max (x, -LEVELS_HALO_X);
         i < min (x + N_LANES, tile->columns + LEVELS_HALO_X); i++) {
      int own[LIGHT_N_LEVEL];

      levels_values (&tile->picture,
          clamp (tile->x + i, 0, tile->picture.width - 1), y, tile->luma, own);
      for (int c = 0; c < LIGHT_N_LEVEL; c++) {
        line->beyond |= (uint) (own[c] < tile->low || own[c] > tile->high) << c;
        ((Level *) line->of[c])[N_LANES + i] = (Level) own[c];
      }
    }
  }
#if HAS_VECTORS
  for (int c = 0; c < LIGHT_N_LEVEL; c++)
    line->beyond |= any (beyond[c]) ? 1u << c : 0;
#endif
}

/* Returns how many filtered values of component @c of line @b, between the
 * lines @a and @d, are beyond the limits. */
static uint
count_beyond (const Tile *tile, const int c, const Line *a, const Line *b,
    const Line *d)
{
  const SUM16_T low = (SUM16_T) (tile->low * LEVELS_WEIGHT);
  const SUM16_T high = (SUM16_T) (tile->high * LEVELS_WEIGHT);
  SUM16_T sums[N_VECTORS], n = (SUM16_T) (0);
  LevelSum counts[N_LANES];
  uint total = 0;

  for (int i = 0; i * N_LANES < N_LANES + tile->columns + LEVELS_HALO_X; i++)
    sums[i] = CONVERT (SUM16_T) (a->of[c][i]) +
              CONVERT (SUM16_T) (b->of[c][i]) * (SUM16_T) (2) +
              CONVERT (SUM16_T) (d->of[c][i]);
  for (int x = 0; x < tile->columns; x += N_LANES) {
    const LevelSum *p = (const LevelSum *) sums + N_LANES - LEVELS_HALO_X + x;
    const SUM16_T sum = LOAD_SUMS (p) + LOAD_SUMS (p + 6) +
                        (LOAD_SUMS (p + 1) + LOAD_SUMS (p + 5)) *
                            (SUM16_T) (2) +
                        (LOAD_SUMS (p + 2) + LOAD_SUMS (p + 4)) *
                            (SUM16_T) (3) +
                        LOAD_SUMS (p + 3) * (SUM16_T) (4);
    const SUM16_T within = CONVERT (SUM16_T) (INDICES16) <
                           (SUM16_T) (tile->columns - x);

    n -= ((sum < low) | (sum > high)) & within;
  }

  vstore16 (n, 0, counts);
  for (int i = 0; i < N_LANES; i++)
    total += (uint) counts[i];

  return total;
}

__kernel __attribute__ ((reqd_work_group_size (1, 1, 1))) void
levels_cpu_measure (PLANE_ARGUMENTS, const int4 matrix, const int middle,
    const int row_step, const int4 luma, const int low, const int high,
    __global uint *result)
{
  const Picture picture = PICTURE;
  const LevelsRows rows = levels_rows (&picture, (int) get_global_id (2));
  const int x = (int) get_global_id (0) * LEVELS_COLUMNS;
  const int y = (int) get_global_id (1) * LEVELS_ROWS;
  const Tile tile = { picture, rows, x, min (LEVELS_COLUMNS, picture.width - x),
    count_vector_pixels (&picture), luma, low, high };
  uint n[LIGHT_N_LEVEL] = { 0, 0, 0, 0 };
  Line lines[3];

  if (y >= rows.n)
    return;

  read_line (&tile, y - 1, &lines[0]);
  read_line (&tile, y, &lines[1]);
  for (int row = y; row < min (y + LEVELS_ROWS, rows.n); row++) {
    const Line *a = &lines[(row - y) % 3], *b = &lines[(row - y + 1) % 3];
    Line *d = &lines[(row - y + 2) % 3];
    uint beyond;

    read_line (&tile, row + 1, d);
    beyond = a->beyond | b->beyond | d->beyond;
    for (int c = 0; c < LIGHT_N_LEVEL; c++) {
      if (beyond >> c & 1)
        n[c] += count_beyond (&tile, c, a, b, d);
    }
  }
  for (int c = 0; c < LIGHT_N_LEVEL; c++) {
    if (n[c] > 0)
      atomic_add (&result[N_CODES + LIGHT_N_MAX + c], n[c]);
  }
}
#endif
