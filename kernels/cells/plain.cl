/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* cells/plain.cl: means in a grid over a rectangle, on any device
 *
 * Math      The mean of the samples of each cell. cl_cells.clh defines cells
 *           and the rounding.
 * Shape     A rectangle of each component; one without samples has size 0x0.
 * Units     Codes of samples. Offsets and strides of rows are in bytes, pixel
 *           strides in samples.
 * Memory    result: cl_cells.clh defines the words.
 * Launch    Local (GROUP, 1, 1), a component for each y. A work-group measures
 *           a cell: LANES of its columns at a time, in GROUP / LANES rows.
 * Range     A cell has at most 65536 * GROUP samples.
 * Accuracy  Exact. The reference is tests/cells/cellsreference.c.
 * Source    Tree reduction in local memory.
 */

#include "cl_cellmean.clh"
#include "cl_cells.clh"
#include "cl_code.clh"
#include "cl_common.clh"
#include "cl_pixel.clh"
#include "cl_plane.clh"

#define GROUP 128
#define LANES 32

__kernel __attribute__ ((reqd_work_group_size (GROUP, 1, 1))) void
cells_measure (PLANE_ARGUMENTS, __global uint *result)
{
  __local ulong sums[GROUP];
  const uint i = (uint) get_local_id (0), index = (uint) get_group_id (0);
  const int c = (int) get_global_id (1);
  const Plane planes[4] = PLANES;
  const Plane plane = pick_plane (planes, c);
  const Cell cell = cell_of_grid ((int) (index % CELL_COLUMNS),
      (int) (index / CELL_COLUMNS), pick_int (widths, c),
      pick_int (heights, c));
  uint sum = 0;

  for (int y = cell.y + (int) (i / LANES); y < cell.end_y; y += GROUP / LANES) {
    for (int x = cell.x + (int) (i % LANES); x < cell.end_x; x += LANES)
      sum += masked_code_at (&plane, x, y);
  }

  sums[i] = sum;
  for (uint reach = GROUP / 2; reach > 0; reach /= 2) {
    barrier (CLK_LOCAL_MEM_FENCE);
    if (i < reach)
      sums[i] += sums[i + reach];
  }
  if (i == 0)
    result[(uint) c * N_CELLS + index] = cell_mean (&cell, sums[0]);
}
