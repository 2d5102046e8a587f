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
 *           there is none.
 * Launch    Local (GROUP, 1, 1). A work-group for each COLUMNS columns, then
 *           for each row: columns take longer.
 * Accuracy  Exact. The reference is tests/blocks/blocksreference.c.
 * Source    Tree reduction in local memory.
 */

#include "cl_blocks.clh"
#include "cl_code.clh"
#include "cl_common.clh"
#include "cl_pixel.clh"
#include "cl_plane.clh"

#define GROUP   256
#define COLUMNS 8

#define TO_INT(v)   ((int) (v))
#define TO_FLOAT(v) ((float) (v))
#define ONE(is)     ((is) ? 1 : 0)
DEFINE_BLOCK_RATIO (block_ratio, int, float, TO_INT, TO_FLOAT, ONE)

/* Returns the ratio of the step from the sample at @p to the sample @step_bytes
 * behind it. */
static ALWAYS_INLINE uint
ratio_at (__global const uchar *p, const long step_bytes)
{
  __global const uchar *at = p - BLOCK_BEFORE * step_bytes;
  uint step = 0, sum = 0;
  uint v = masked_code (*(__global const SAMPLE_T *) at);

  for (int i = -BLOCK_BEFORE; i < BLOCK_AFTER; i++) {
    at += step_bytes;
    const uint next = masked_code (*(__global const SAMPLE_T *) at);

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

/* Returns the sum of the ratios from row @y to the next one that belong to this
 * work-item. */
static ALWAYS_INLINE ulong
sum_in_row (const Plane *plane, const int width, const int y)
{
  const int step = plane->pixel_stride * (int) sizeof (SAMPLE_T);
  const int first = 1 + (int) get_local_id (0);
  __global const uchar *p = (__global const uchar *) plane_row (plane, y) +
                            first * step;
  ulong sum = 0;

  for (int x = first; x < width; x += GROUP, p += GROUP * step)
    sum += ratio_at (p, plane->stride_bytes);

  return sum;
}

/* Returns the sum of the ratios from column @x to the next one that belong to
 * this work-item. */
static ALWAYS_INLINE ulong
sum_in_column (const Plane *plane, const int height, const int x)
{
  const int step = plane->pixel_stride * (int) sizeof (SAMPLE_T);
  const int first = 1 + (int) (get_local_id (0) / COLUMNS);
  const int n_rows = GROUP / COLUMNS;
  const long stride = plane->stride_bytes;
  __global const uchar *p = (__global const uchar *) plane_row (plane, first) +
                            x * step;
  ulong sum = 0;

  for (int y = first; y < height; y += n_rows, p += n_rows * stride)
    sum += ratio_at (p, step);

  return sum;
}

/* Adds the sums of work-items whose local ids have the same remainder by @n, a
 * power of two; the first @n work-items get them. */
static ALWAYS_INLINE void
reduce (__local ulong *sums, const int n)
{
  const int i = (int) get_local_id (0);

  for (int reach = GROUP / 2; reach >= n; reach /= 2) {
    barrier (CLK_LOCAL_MEM_FENCE);
    if (i < reach)
      sums[i] += sums[i + reach];
  }
}

__kernel __attribute__ ((reqd_work_group_size (GROUP, 1, 1))) void
blocks_measure (__global const uchar *base, const ulong offset_bytes,
    const int stride_bytes, const int pixel_stride, const int width,
    const int height, __global ulong *result)
{
  __local ulong sums[GROUP];
  const Plane plane = { base, offset_bytes, stride_bytes, pixel_stride };
  const int group = (int) get_group_id (0), i = (int) get_local_id (0);
  const int n_of_columns = (width + COLUMNS - 1) / COLUMNS;
  const bool is_columns = group < n_of_columns; /* of a whole work-group */
  const int x = group * COLUMNS + (int) (get_local_id (0) % COLUMNS),
            y = group - n_of_columns;

  sums[i] = 0;
  if (is_columns && has_ratio (x, width))
    sums[i] = sum_in_column (&plane, height, x);
  if (!is_columns && has_ratio (y, height))
    sums[i] = sum_in_row (&plane, width, y);
  reduce (sums, is_columns ? COLUMNS : 1);

  if (is_columns && i < COLUMNS && x < width)
    result[x] = sums[i];
  if (!is_columns && i == 0)
    result[width + y] = sums[0];
}
