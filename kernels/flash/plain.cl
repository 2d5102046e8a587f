/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* flash/plain.cl: changes of luminance and of saturated red, on any device
 *
 * Math      A cell is 2 x 2 pixels; its components are the means of their
 *           codes, in quarters up to 12 bits, else rounded. Each code of R, G
 *           and B has a light. The luminance is their weighted sum. The
 *           redness is R - G - B where R is at least four fifths of R + G + B,
 *           and where positive, else 0. cl_flash.clh defines transitions.
 * Shape     A picture of one component, or of three, of which the second and
 *           third may be subsampled.
 * Units     Light in units of 1 / FLASH_ONE of the reference.
 * Memory    light: N_LIGHTS values. state: cl_flash.clh; read and
 *           written. tiles: an element for each tile, in row order; then the
 *           FlashSums of each.
 * Launch    Local (GROUP, 1, 1), a work-group for each tile, whose cells its
 *           work-items take in turn.
 * Accuracy  Exact. The reference is tests/flash/flashreference.c.
 * Source    WCAG 2.2, general flash and red flash thresholds; the extremes
 *           between transitions are turning points with hysteresis. Tree
 *           reduction in local memory.
 */

#include "cl_common.clh"
#include "cl_flash.clh"
#include "cl_flashtile.clh"
#include "cl_pixel.clh"
#include "cl_plane.clh"

#define GROUP 128

static ALWAYS_INLINE FlashNumbers
merge (const FlashNumbers a, const FlashNumbers b)
{
  return (FlashNumbers){
    { a.sums.luminance + b.sums.luminance, a.sums.red + b.sums.red,
        a.sums.n_changed_luminance + b.sums.n_changed_luminance,
        a.sums.n_changed_red + b.sums.n_changed_red },
    { a.tile.n_rises + b.tile.n_rises, a.tile.n_falls + b.tile.n_falls,
        a.tile.n_red_rises + b.tile.n_red_rises,
        a.tile.n_red_falls + b.tile.n_red_falls }
  };
}

__kernel __attribute__ ((reqd_work_group_size (GROUP, 1, 1))) void
flash_measure (FLASH_ARGUMENTS)
{
  __local FlashNumbers numbers[GROUP];
  const uint i = (uint) get_local_id (0);
  const int index = (int) get_group_id (0);
  const FlashPicture picture = FLASH_PICTURE;
  const int rows = (heights.x + 1) / 2;
  const int x = band_start (index % FLASH_COLUMNS, FLASH_COLUMNS,
      picture.columns);
  const int width = band_start (index % FLASH_COLUMNS + 1, FLASH_COLUMNS,
                        picture.columns) -
                    x;
  const int y = band_start (index / FLASH_COLUMNS, FLASH_ROWS, rows);
  const int n = width *
                (band_start (index / FLASH_COLUMNS + 1, FLASH_ROWS, rows) - y);
  FlashNumbers own = { { 0, 0, 0, 0 }, { 0, 0, 0, 0 } };

  for (int k = (int) i; k < n; k += GROUP) {
    const int column = x + k % width, row = y + k / width;

    flash_add_cell (&picture, row * picture.columns + column,
        flash_rgb (&picture, flash_codes (&picture, column, row)), &own);
  }
  numbers[i] = own;

  for (uint reach = GROUP / 2; reach > 0; reach /= 2) {
    barrier (CLK_LOCAL_MEM_FENCE);
    if (i < reach)
      numbers[i] = merge (numbers[i], numbers[i + reach]);
  }
  if (i == 0) {
    tiles[index] = numbers[0].tile;
    FLASH_SUMS (tiles)[index] = numbers[0].sums;
  }
}
