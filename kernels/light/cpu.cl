/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* light/cpu.cl: the R, G and B of pixels, for CPU devices
 *
 * Math      The numbers that light/plain.cl defines.
 * Shape     A picture of one component, or of three, of which the second and
 *           third may be subsampled. A pixel has the chroma sample that covers
 *           it.
 * Units     Codes. R, G and B beyond 0 .. 2^DEPTH - 1 count as the nearest of
 *           these, but not for levels.
 * Memory    parts: N_CODES + LIGHT_N_MAX words for each work-group of
 *           light_cpu_measure. result: cl_light.clh.
 * Launch    Local (1, 1, 1), otherwise as light/plain.cl.
 * Range     Sums of the filter fit 32 bits up to 24 bits of a code.
 * Accuracy  Exact. The reference is tests/light/lightreference.c.
 * Source    Codes are computed for many pixels, in vectors, then counted. A
 *           tile whose extremes of components cannot be beyond the limits is
 *           not looked at further. The filter is separated.
 */

#include "cl_code.clh"
#include "cl_common.clh"
#include "cl_light.clh"
#include "cl_lightpixel.clh"
#include "cl_pixel.clh"
#include "cl_plane.clh"
#include "cl_rgb.clh"

#define LEVELS_COLUMNS 64
#define LEVELS_ROWS    16

#include "cl_levels.clh"

#define N_PIXELS 64 /* whose codes are computed at a time */

/* Counts @n pixels of row @y from @x on; n is at most N_PIXELS. */
static ALWAYS_INLINE void
count_pixels (const LightPicture *picture, const int x, const int y,
    const int n, __global uint *bins, uint greatest[LIGHT_N_MAX])
{
  ushort codes[N_PIXELS];
  uint r = 0, g = 0, b = 0;
  const int stride = picture->planes[0].pixel_stride;
  __global const SAMPLE_T *first = plane_row (&picture->planes[0], y);
#if RGB_KIND != RGB_GREY
  const int row = light_chroma_row (picture, y);
  const int last = picture->chroma_width - 1;
  const int other = picture->planes[1].pixel_stride;
  __global const SAMPLE_T *second = plane_row (&picture->planes[1], row);
  __global const SAMPLE_T *third = plane_row (&picture->planes[2], row);
#endif

  for (int i = 0; i < n; i++) {
    const int a = (int) masked_code (first[(x + i) * stride]);
#if RGB_KIND == RGB_GREY
    const Rgb rgb = { a, a, a };
#else
    const int column = min ((x + i) >> X_SHIFT, last) * other;
    const Rgb rgb = rgb_of_codes (a, (int) masked_code (second[column]),
        (int) masked_code (third[column]), picture->matrix, picture->middle);
#endif
    const uint own_r = light_code (rgb.r), own_g = light_code (rgb.g);
    const uint own_b = light_code (rgb.b);

    codes[i] = (ushort) max (max (own_r, own_g), own_b);
    r = max (r, own_r);
    g = max (g, own_g);
    b = max (b, own_b);
  }
  for (int i = 0; i < n; i++)
    bins[codes[i]]++;
  greatest[0] = max (greatest[0], r);
  greatest[1] = max (greatest[1], g);
  greatest[2] = max (greatest[2], b);
}

__kernel __attribute__ ((reqd_work_group_size (1, 1, 1))) void
light_cpu_measure (PLANE_ARGUMENTS, const int4 matrix, const int middle,
    const int row_step, const int n_parts, __global uint *parts)
{
  const LightPicture picture = LIGHT_PICTURE;
  const int part = (int) get_global_id (0);
  const int end = band_start (part + 1, n_parts, picture.height);
  __global uint *bins = parts + (ulong) part * (N_CODES + LIGHT_N_MAX);
  uint greatest[LIGHT_N_MAX] = { 0, 0, 0 };

  for (int k = 0; k < N_CODES; k++)
    bins[k] = 0;
  for (int y = band_start (part, n_parts, picture.height); y < end; y++) {
    int x = 0;

    for (; x + N_PIXELS <= picture.width; x += N_PIXELS)
      count_pixels (&picture, x, y, N_PIXELS, bins, greatest);
    count_pixels (&picture, x, y, picture.width - x, bins, greatest);
  }
  for (int c = 0; c < LIGHT_N_MAX; c++)
    bins[N_CODES + c] = greatest[c];
}

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

/* The least and the greatest code of a component. */
typedef struct {
  int low, high;
} Extremes;

/* Returns the extremes of @n samples in each of the rows from @y to @end, @step
 * apart. */
static ALWAYS_INLINE Extremes
find_extremes (const Plane *plane, const int x, const int n, const int y,
    const int end, const int step)
{
  const int stride = plane->pixel_stride;
  Extremes found = { N_CODES - 1, 0 };

  for (int row = y; row <= end; row += step) {
    __global const SAMPLE_T *p = plane_row (plane, row) + x * stride;
    uint low = N_CODES - 1, high = 0;

    if (stride == 1) {
      for (int i = 0; i < n; i++) {
        low = min (low, masked_code (p[i]));
        high = max (high, masked_code (p[i]));
      }
    } else {
      for (int i = 0; i < n; i++) {
        low = min (low, masked_code (p[i * stride]));
        high = max (high, masked_code (p[i * stride]));
      }
    }
    found.low = min (found.low, (int) low);
    found.high = max (found.high, (int) high);
  }

  return found;
}

/* Returns whether a value of the pixels in columns @x .. @end_x and rows @y ..
 * @end_y of a field may be beyond the limits: never FALSE if one is. */
static ALWAYS_INLINE bool
may_be_beyond (const LightPicture *picture, const LevelsRows rows, const int x,
    const int end_x, const int y, const int end_y, const int low,
    const int high)
{
  const int top = rows.first + y * rows.step;
  const int bottom = rows.first + end_y * rows.step;
  const Extremes a = find_extremes (&picture->planes[0], x, end_x - x + 1, top,
      bottom, rows.step);
#if RGB_KIND == RGB_GREY
  return a.low < low || a.high > high;
#else
  const int last = picture->chroma_width - 1;
  const int left = min (x >> X_SHIFT, last);
  const int n = min (end_x >> X_SHIFT, last) - left + 1;
  const Extremes b = find_extremes (&picture->planes[1], left, n,
      light_chroma_row (picture, top), light_chroma_row (picture, bottom), 1);
  const Extremes c = find_extremes (&picture->planes[2], left, n,
      light_chroma_row (picture, top), light_chroma_row (picture, bottom), 1);
#if RGB_KIND == RGB_RGB
  return min (min (a.low, b.low), c.low) < low ||
         max (max (a.high, b.high), c.high) > high;
#else
  const int4 m = picture->matrix;
  const Rgb greatest = rgb_of_luma (a.high,
      (ChromaRgb){ m.x * (c.high - picture->middle) + RGB_HALF,
          m.y * (b.low - picture->middle) + m.z * (c.low - picture->middle) +
              RGB_HALF,
          m.w * (b.high - picture->middle) + RGB_HALF });
  const Rgb least = rgb_of_luma (a.low,
      (ChromaRgb){ m.x * (c.low - picture->middle) + RGB_HALF,
          m.y * (b.high - picture->middle) + m.z * (c.high - picture->middle) +
              RGB_HALF,
          m.w * (b.low - picture->middle) + RGB_HALF });

  return a.low < low || a.high > high ||
         min (min (least.r, least.g), least.b) < low ||
         max (max (greatest.r, greatest.g), greatest.b) > high;
#endif
#endif
}

/* Sets @values to those of sample @k of the tile at (@x, @y). */
static ALWAYS_INLINE void
tile_values (const LightPicture *picture, const LevelsRows rows, const int x,
    const int y, const int k, const int4 luma, int values[LIGHT_N_LEVEL])
{
  const int column = clamp (x + k % LEVELS_PADDED - LEVELS_HALO_X, 0,
      picture->width - 1);
  const int row = clamp (y + k / LEVELS_PADDED - LEVELS_HALO_Y, 0, rows.n - 1);

  levels_values (picture, column, rows.first + row * rows.step, luma, values);
}

/* Returns how many filtered values of a tile of @columns x @rows pixels are
 * beyond the limits. */
static ALWAYS_INLINE uint
count_beyond (const int *values, const int columns, const int rows,
    const int low, const int high)
{
  int sums[LEVELS_N_ROWS][LEVELS_COLUMNS];
  uint n = 0;

  for (int y = 0; y < LEVELS_N_ROWS; y++) {
    for (int x = 0; x < LEVELS_COLUMNS; x++)
      sums[y][x] = LEVELS_ROW (values + y * LEVELS_PADDED + x);
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
  const LightPicture picture = LIGHT_PICTURE;
  const LevelsRows rows = levels_rows (&picture, (int) get_global_id (2));
  const int x = (int) get_global_id (0) * LEVELS_COLUMNS;
  const int y = (int) get_global_id (1) * LEVELS_ROWS;
  const int last_x = picture.width - 1, last_y = rows.n - 1;
  bool are_beyond = false;

  if (y > last_y ||
      !may_be_beyond (&picture, rows, max (x - LEVELS_HALO_X, 0),
          min (x + LEVELS_COLUMNS + LEVELS_HALO_X - 1, last_x),
          max (y - LEVELS_HALO_Y, 0),
          min (y + LEVELS_ROWS + LEVELS_HALO_Y - 1, last_y), low, high))
    return;

  for (int k = 0; k < LEVELS_SAMPLES && !are_beyond; k++) {
    int own[LIGHT_N_LEVEL];

    tile_values (&picture, rows, x, y, k, luma, own);
    are_beyond = levels_are_beyond (own, low, high);
  }
  if (!are_beyond)
    return;

  for (int c = 0; c < LIGHT_N_LEVEL; c++) {
    int values[LEVELS_SAMPLES];
    uint n;

    for (int k = 0; k < LEVELS_SAMPLES; k++) {
      int own[LIGHT_N_LEVEL];

      tile_values (&picture, rows, x, y, k, luma, own);
      values[k] = own[c];
    }
    n = count_beyond (values, min (LEVELS_COLUMNS, last_x + 1 - x),
        min (LEVELS_ROWS, last_y + 1 - y), low, high);
    if (n > 0)
      atomic_add (&result[N_CODES + LIGHT_N_MAX + c], n);
  }
}
