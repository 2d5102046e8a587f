/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* light/plain.cl: the R, G and B of pixels, on any device
 *
 * Math      light_measure counts max (R, G, B) of each pixel, and the greatest
 *           R, G and B. light_merge adds the counts. levels_measure counts the
 *           pixels whose R, G, B and Y are beyond low .. high after a filter
 *           (cl_levels.clh).
 * Shape     A picture of one component, or of three, of which the second and
 *           third may be subsampled. A pixel has the chroma sample that covers
 *           it.
 * Units     Codes. R, G and B beyond 0 .. 2^DEPTH - 1 count as the nearest of
 *           these, but not for levels.
 * Memory    parts: N_CODES + LIGHT_N_MAX words for each work-group of
 *           light_measure. result: cl_light.clh.
 * Launch    Local (GROUP, 1, 1). light_measure: n_parts work-groups, each with
 *           a band of rows. light_merge: a work-item for each word of a result,
 *           after light_measure. levels_measure: a work-group for each tile of
 *           LEVELS_COLUMNS x LEVELS_ROWS pixels of a field, y: rows of tiles,
 *           z: fields; after light_merge.
 * Range     Sums of the filter fit 32 bits up to 24 bits of a code.
 * Accuracy  Exact. The reference is tests/light/lightreference.c.
 * Source    EBU R 103 version 3; CTA-861.3, annex A. Histograms in local
 *           memory, up to 12 bits. If all values of a tile and around it are
 *           within the limits, so are their means.
 */

#include "cl_code.clh"
#include "cl_common.clh"
#include "cl_light.clh"
#include "cl_lightpixel.clh"
#include "cl_picture.clh"
#include "cl_pixel.clh"
#include "cl_plane.clh"
#include "cl_rgb.clh"

#define GROUP          128
#define LEVELS_COLUMNS 32
#define LEVELS_ROWS    8

#include "cl_levels.clh"

#if PARTS & LIGHT_HISTOGRAM
__kernel __attribute__ ((reqd_work_group_size (GROUP, 1, 1))) void
light_measure (PLANE_ARGUMENTS, const int4 matrix, const int middle,
    const int row_step, const int n_parts, __global uint *parts)
{
  const Picture picture = PICTURE;
  const int i = (int) get_local_id (0), part = (int) get_group_id (0);
  const int end = band_start (part + 1, n_parts, picture.height);
  __global uint *own = parts + (ulong) part * (N_CODES + LIGHT_N_MAX);
  uint greatest[LIGHT_N_MAX] = { 0, 0, 0 };
#if N_CODES <= LIGHT_MAX_LOCAL_CODES
  __local uint bins[N_CODES + LIGHT_N_MAX];
#else
  __global uint *bins = own;
#endif

  for (int k = i; k < N_CODES + LIGHT_N_MAX; k += GROUP)
    bins[k] = 0;
  barrier (CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE);

  for (int y = band_start (part, n_parts, picture.height); y < end; y++) {
    for (int x = i; x < picture.width; x += GROUP) {
      const Rgb rgb = picture_rgb (&picture, x, y);
      const uint r = light_code (rgb.r), g = light_code (rgb.g);
      const uint b = light_code (rgb.b);

      atomic_inc (&bins[max (max (r, g), b)]);
      greatest[0] = max (greatest[0], r);
      greatest[1] = max (greatest[1], g);
      greatest[2] = max (greatest[2], b);
    }
  }
  for (int c = 0; c < LIGHT_N_MAX; c++)
    atomic_max (&bins[N_CODES + c], greatest[c]);

#if N_CODES <= LIGHT_MAX_LOCAL_CODES
  barrier (CLK_LOCAL_MEM_FENCE);
  for (int k = i; k < N_CODES + LIGHT_N_MAX; k += GROUP)
    own[k] = bins[k];
#endif
}
#endif

__kernel __attribute__ ((reqd_work_group_size (GROUP, 1, 1))) void
light_merge (__global const uint *parts, const int n_parts,
    __global uint *result)
{
  const int i = (int) get_global_id (0), n_words = N_CODES + LIGHT_N_MAX;

  if (i < n_words)
    light_merge_word (parts, n_parts, i, n_words, result);
  else if (i < n_words + LIGHT_N_LEVEL)
    result[i] = 0;
}

#if PARTS & LIGHT_LEVELS
__kernel __attribute__ ((reqd_work_group_size (GROUP, 1, 1))) void
levels_measure (PLANE_ARGUMENTS, const int4 matrix, const int middle,
    const int row_step, const int4 luma, const int low, const int high,
    __global uint *result)
{
  __local int values[LIGHT_N_LEVEL][LEVELS_SAMPLES];
  __local int are_any_beyond;
  const Picture picture = PICTURE;
  const LevelsRows rows = levels_rows (&picture, (int) get_group_id (2));
  const int i = (int) get_local_id (0);
  const int x = (int) get_group_id (0) * LEVELS_COLUMNS;
  const int y = (int) get_group_id (1) * LEVELS_ROWS;
  bool are_beyond = false;

  if (i == 0)
    are_any_beyond = 0;
  barrier (CLK_LOCAL_MEM_FENCE);

  for (int k = i; k < LEVELS_SAMPLES && rows.n > 0; k += GROUP) {
    const int column = clamp (x + k % LEVELS_PADDED - LEVELS_HALO_X, 0,
        picture.width - 1);
    const int row = clamp (y + k / LEVELS_PADDED - LEVELS_HALO_Y, 0,
        rows.n - 1);
    int own[LIGHT_N_LEVEL];

    levels_values (&picture, column, rows.first + row * rows.step, luma, own);
    for (int c = 0; c < LIGHT_N_LEVEL; c++)
      values[c][k] = own[c];
    are_beyond = are_beyond || levels_are_beyond (own, low, high);
  }
  if (are_beyond)
    are_any_beyond = 1;
  barrier (CLK_LOCAL_MEM_FENCE);

  if (READ_ONCE (are_any_beyond)) {
    for (int c = 0; c < LIGHT_N_LEVEL; c++) {
      uint n = 0;

      for (int k = i; k < LEVELS_COLUMNS * LEVELS_ROWS; k += GROUP) {
        const int column = k % LEVELS_COLUMNS, row = k / LEVELS_COLUMNS;
        __local const int *p = values[c] + row * LEVELS_PADDED + column;
        const int sum = LEVELS_ROW (p) + 2 * LEVELS_ROW (p + LEVELS_PADDED) +
                        LEVELS_ROW (p + 2 * LEVELS_PADDED);

        n += x + column < picture.width && y + row < rows.n &&
             (sum < low * LEVELS_WEIGHT || sum > high * LEVELS_WEIGHT);
      }
      if (n > 0)
        atomic_add (&result[N_CODES + LIGHT_N_MAX + c], n);
    }
  }
}
#endif
