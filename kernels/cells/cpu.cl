/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* cells/cpu.cl: means in a grid over a rectangle, for CPU devices
 *
 * Math      The means that cells/plain.cl defines, of sixteen columns at a
 *           time.
 * Shape     A rectangle of each component; one without samples has size 0x0.
 * Units     Codes of samples. Offsets and strides of rows are in bytes, pixel
 *           strides in samples.
 * Memory    result: cl_cells.clh defines the words.
 * Launch    Local (1, 1, 1), a component for each y. A work-item measures a row
 *           of cells.
 * Range     A cell has at most 65536 rows.
 * Accuracy  Exact. The reference is tests/cells/cellsreference.c.
 * Source    Vectors that reach beyond a cell are masked after their rows are
 *           added, so that a row costs a load and an addition.
 */

#include "cl_cellmean.clh"
#include "cl_cells.clh"
#include "cl_code.clh"
#include "cl_common.clh"
#include "cl_pixel.clh"
#include "cl_plane.clh"

#define N_LANES 16

static ALWAYS_INLINE ulong
sum_of_lanes (const uint16 v)
{
  const ulong8 a = convert_ulong8 (v.lo) + convert_ulong8 (v.hi);
  const ulong4 b = a.lo + a.hi;

  return b.x + b.y + b.z + b.w;
}

/* Returns the sum of columns @x .. @x + N_LANES - 1 of the rows of @cell, of
 * those columns that are in the cell. @stride: samples, a constant. */
static ALWAYS_INLINE ulong
sum_columns (const Plane *plane, const Cell *cell, const int x,
    const int first_x, const int stride)
{
  const int16 is_inside = INDICES16 >= (int16) (first_x - x) &&
                          INDICES16 < (int16) (cell->end_x - x);
  uint16 sums = (uint16) (0);

  for (int y = cell->y; y < cell->end_y; y++)
    sums += CONVERT (uint16) (sample_codes16 (load16_apart (
                                  plane_row (plane, y) + x * stride, stride)) &
                              (SAMPLE16_T) (N_CODES - 1));

  return sum_of_lanes (sums & as_uint16 (is_inside));
}

/* Returns the sum of @cell in @width columns. */
static ALWAYS_INLINE ulong
sum_cell (const Plane *plane, const Cell *cell, const int width,
    const int stride)
{
  ulong sum = 0;

  if (width < N_LANES) {
    for (int y = cell->y; y < cell->end_y; y++) {
      for (int x = cell->x; x < cell->end_x; x++)
        sum += masked_code_at (plane, x, y);
    }
    return sum;
  }

  /* the last vectors of a row end with it */
  for (int x = cell->x; x < cell->end_x; x += N_LANES)
    sum += sum_columns (plane, cell, min (x, width - N_LANES), x, stride);

  return sum;
}

/* Measures row @row of the cells of a component. */
static ALWAYS_INLINE void
measure_row (const Plane *plane, const int row, const int width,
    const int height, const int stride, __global uint *result)
{
  for (int column = 0; column < CELL_COLUMNS; column++) {
    const Cell cell = cell_of_grid (column, row, width, height);

    result[row * CELL_COLUMNS + column] = cell_mean (&cell,
        sum_cell (plane, &cell, width, stride));
  }
}

__kernel __attribute__ ((reqd_work_group_size (1, 1, 1))) void
cells_cpu_measure (PLANE_ARGUMENTS, __global uint *result)
{
  const int row = (int) get_global_id (0), c = (int) get_global_id (1);
  const Plane planes[4] = PLANES;
  const Plane plane = pick_plane (planes, c);
  const int width = pick_int (widths, c), height = pick_int (heights, c);
  __global uint *means = result + c * N_CELLS;

  if (plane.pixel_stride == 1)
    measure_row (&plane, row, width, height, 1, means);
  else if (plane.pixel_stride == 2)
    measure_row (&plane, row, width, height, 2, means);
  else if (plane.pixel_stride == 3)
    measure_row (&plane, row, width, height, 3, means);
  else
    measure_row (&plane, row, width, height, 4, means);
}
