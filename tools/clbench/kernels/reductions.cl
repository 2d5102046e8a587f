/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* clbench/reductions.cl: the sum of a frame of floats, one round of it
 *
 * Math      A round turns each BLOCK x BLOCK floats into their sum. Rounds
 *           follow each other until one float is left.
 * Shape     Frames of any size. After round r there are ceil (size / BLOCK^r)
 *           sums each way. Blocks at the right and at the bottom may be ragged.
 * Units     Sizes are in floats.
 * Memory    Two buffers, A and B: round 1 reads the frame and writes A, round 2
 *           reads A and writes B, round 3 reads B and writes A. Rows are
 *           tightly packed.
 * Launch    outer: local (OUTER_X, 1, 1), a work-item for a block. inner: local
 *           (BLOCK, BLOCK, 1), a work-group for a block.
 * Range     Any floats whose sums are finite and normal.
 * Accuracy  Each addition is rounded by IEEE 754, in the order of the
 *           reference, tools/clbench/src/reductionsreference.c: the same bits
 *           on every device. inner and outer add in different orders, so that
 *           their results differ.
 * Source    kernels/moments/plain.cl does the same with exact integers.
 */

#include "cl_common.clh"

#ifndef BLOCK
#define BLOCK 16 /* floats on each side of a block, a power of 2 */
#endif

#define OUTER_X 32 /* work-items of an outer work-group */

/* A work-item sums a whole block, row by row. A row of @out has as many sums as
 * there are blocks. */
__kernel __attribute__ ((reqd_work_group_size (OUTER_X, 1, 1))) void
sum_outer (__global const float *restrict in, const int width, const int height,
    __global float *restrict out)
{
  const int block_x = (int) get_global_id (0);
  const int block_y = (int) get_global_id (1);
  const int n_blocks_x = (width - 1) / BLOCK + 1;
  RETURN_IF_OUTSIDE (block_x, block_y, n_blocks_x, (height - 1) / BLOCK + 1);

  const int x_end = min ((block_x + 1) * BLOCK, width);
  const int y_end = min ((block_y + 1) * BLOCK, height);
  float sum = 0;

  for (int y = block_y * BLOCK; y < y_end; y++) {
    for (int x = block_x * BLOCK; x < x_end; x++)
      sum += in[y * width + x];
  }

  out[block_y * n_blocks_x + block_x] = sum;
}

/* A work-group halves a block in local memory: along x, every row at once, then
 * down the first column. */
__kernel __attribute__ ((reqd_work_group_size (BLOCK, BLOCK, 1))) void
sum_inner (__global const float *restrict in, const int width, const int height,
    __global float *restrict out)
{
  __local float block[BLOCK * BLOCK];
  const int local_x = (int) get_local_id (0);
  const int local_y = (int) get_local_id (1);
  const int x = (int) get_global_id (0);
  const int y = (int) get_global_id (1);
  const int i = local_y * BLOCK + local_x;
  float own = x < width && y < height ? in[y * width + x] : 0;

  block[i] = own;

  for (int reach = BLOCK / 2; reach > 0; reach /= 2) {
    barrier (CLK_LOCAL_MEM_FENCE);
    if (local_x < reach) {
      own += block[i + reach];
      block[i] = own;
    }
  }

  for (int reach = BLOCK / 2; reach > 0; reach /= 2) {
    barrier (CLK_LOCAL_MEM_FENCE);
    if (local_x == 0 && local_y < reach) {
      own += block[i + reach * BLOCK];
      block[i] = own;
    }
  }

  if (i == 0)
    out[get_group_id (1) * get_num_groups (0) + get_group_id (0)] = own;
}
