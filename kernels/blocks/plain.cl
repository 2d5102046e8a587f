/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* blocks/plain.cl: ratios of steps, summed over rows and columns, on any device
 *
 * Math      For each column x with three columns before it and four behind: the
 *           sum over all rows but the first of the ratio of the step from x to
 *           x + 1. For each row the same with rows and columns exchanged.
 *           cl_blocks.clh defines ratios.
 * Shape     A rectangle of one component.
 * Units     Codes of samples. Offsets and strides of rows are in bytes, pixel
 *           strides in samples.
 * Memory    result: one sum for each column, then one for each row; 0 where
 *           there is none. columns: sums of bands of BAND_ROWS rows; rows: sums
 *           of GROUP columns.
 * Launch    Local (GROUP, 1, 1). blocks_measure: a work-group for GROUP columns
 *           of a band. blocks_merge: a work-item for a sum.
 * Accuracy  Exact. The reference is tests/blocks/blocksreference.c.
 * Source    A work-item goes down a column; the ratios of a row are added in
 *           local memory.
 */

#include "cl_blocks.clh"
#include "cl_code.clh"
#include "cl_common.clh"
#include "cl_memory.clh"
#include "cl_pixel.clh"
#include "cl_plane.clh"

#define GROUP     64
#define BAND_ROWS 32

#define TO_INT(v)   ((int) (v))
#define TO_FLOAT(v) ((float) (v))
#define ONE(is)     ((is) ? 1 : 0)
DEFINE_BLOCK_RATIO (block_ratio, int, float, TO_INT, TO_FLOAT, ONE)

/* Returns the ratio of the step from (x, y) to (x + dx, y + dy). */
static ALWAYS_INLINE uint
ratio_at (const Plane *plane, const int x, const int y, const int dx,
    const int dy)
{
  uint step = 0, sum = 0;
  uint v = masked_code_at (plane, x - BLOCK_BEFORE * dx, y - BLOCK_BEFORE * dy);

  for (int i = -BLOCK_BEFORE; i < BLOCK_AFTER; i++) {
    const uint next = masked_code_at (plane, x + (i + 1) * dx,
        y + (i + 1) * dy);

    if (i == 0)
      step = abs_diff (v, next);
    else
      sum += abs_diff (v, next);
    v = next;
  }

  return (uint) block_ratio ((int) step, (int) sum);
}

static inline bool
has_ratio (const int i, const int n)
{
  return i >= BLOCK_BEFORE && i + BLOCK_AFTER < n;
}

__kernel __attribute__ ((reqd_work_group_size (GROUP, 1, 1))) void
blocks_measure (__global const uchar *base, const ulong offset_bytes,
    const int stride_bytes, const int pixel_stride, const int width,
    const int height, __global uint *columns, __global uint *rows)
{
  __local uint row_sums[BAND_ROWS];
  const Plane plane = { base, offset_bytes, stride_bytes, pixel_stride };
  const int n_groups = (width + GROUP - 1) / GROUP;
  const int group = (int) get_group_id (0) % n_groups;
  const int band = (int) get_group_id (0) / n_groups;
  const int i = (int) get_local_id (0), x = group * GROUP + i;
  const int first = band * BAND_ROWS;
  const int end = min (first + BAND_ROWS, height);
  uint column = 0;

  if (i < BAND_ROWS)
    row_sums[i] = 0;
  barrier (CLK_LOCAL_MEM_FENCE);

  for (int y = first; x < width && y < end; y++) {
    if (y > 0 && has_ratio (x, width))
      column += ratio_at (&plane, x, y, 1, 0);
    if (x > 0 && has_ratio (y, height))
      add_local (&row_sums[y - first], ratio_at (&plane, x, y, 0, 1));
  }
  if (x < width && first < height)
    columns[band * width + x] = column;
  barrier (CLK_LOCAL_MEM_FENCE);
  if (i < BAND_ROWS && first + i < height)
    rows[group * height + first + i] = row_sums[i];
}

__kernel __attribute__ ((reqd_work_group_size (GROUP, 1, 1))) void
blocks_merge (const int width, const int height, __global ulong *result,
    __global const uint *columns, __global const uint *rows)
{
  const int i = (int) get_global_id (0);
  const bool is_column = i < width;
  const int n = is_column ? (height + BAND_ROWS - 1) / BAND_ROWS
                          : (width + GROUP - 1) / GROUP;
  ulong sum = 0;

  if (i >= width + height)
    return;

  for (int k = 0; k < n; k++)
    sum += is_column ? columns[k * width + i] : rows[k * height + i - width];
  result[i] = sum;
}
