/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* moments/plain.cl: count, sum, sum of squares, minimum and maximum of a frame,
 * on any device
 *
 * Math      A partial holds the five statistics of a set of samples. Round 1
 *           turns each BLOCK x BLOCK samples into one partial, every later
 *           round each BLOCK x BLOCK partials, until one is left.
 * Shape     1 .. 4 components of any size, each its own grid of samples. After
 *           round r its grid of partials is ceil (size / BLOCK^r) each way.
 *           Blocks at the right and at the bottom may be ragged.
 * Units     Codes of samples are measured, with shift unused bits below them.
 *           Offsets and strides are in bytes; firsts are the indices of the
 *           first partial of each component in its buffer.
 * Memory    Two buffers, A and B: round 1 writes A, round 2 reads A and writes
 *           B, round 3 reads B and writes A. Grids are row-major, those of the
 *           components one after the other.
 * Launch    outer: local (OUTER_X, 1, 1), a work-item for a block; dimension 2
 *           is the component. inner: local (BLOCK, BLOCK, 1), a work-group for
 *           a block.
 * Range     Sums and squares are exact up to 32767 x 32767 samples of 16 bits,
 *           as 2^30 * 2^32 < 2^64; so are counts, < 2^32.
 * Accuracy  Integers are exact. The reference is
 *           tests/moments/momentsreference.c.
 * Source    A reduction that alternates between two buffers: inner halves a
 *           block in local memory, outer sums it in a loop. The faster one
 *           depends on the device and the round: docs/performance.md.
 *
 * A block of inner, here with BLOCK 4, a work-item for each sample:
 *
 *     a b | c d       ac  bd       abcd       abcdijkl       all 16
 *     e f | g h  ->   eg  fh  ->   efgh  ->   efghmnop  ->
 *     i j | k l       ik  jl       ijkl
 *     m n | o p       mo  np       mnop
 *
 * A work-item of outer reads the whole block, row by row. There is no halo:
 * blocks do not overlap.
 */

#include "cl_common.clh"
#include "cl_partial.clh"
#include "cl_pixel.clh"
#include "cl_plane.clh"

#ifndef BLOCK
#define BLOCK 16 /* samples or partials on each side of a block, a power of 2 */
#endif

#define OUTER_X 32 /* work-items of an outer work-group */

/* --- grids --------------------------------------------------------------- */

/* Blocks that cover @size samples or partials. */
static inline int
n_blocks (const int size)
{
  return (size - 1) / BLOCK + 1;
}

/* Block @index, counted over the grids of the components, one after the
 * other. */
typedef struct {
  int component;
  int x, y; /* in its component's grid */
} Block;

/* @widths: of the grids that are reduced; @firsts: the number of each
 * component's first block, 0 for components that do not exist. */
static inline Block
find_block (const int index, const int4 widths, const int4 firsts)
{
  const int component = (firsts.y > 0 && index >= firsts.y) +
                        (firsts.z > 0 && index >= firsts.z) +
                        (firsts.w > 0 && index >= firsts.w);
  const int n_x = n_blocks (int4_lane (widths, component));
  const int i = index - int4_lane (firsts, component);

  return (Block){ component, i % n_x, i / n_x };
}

/* The partial of one sample of code @v. */
static inline Partial
partial_of_code (const uint v)
{
  return (Partial){ v, (ulong) v * v, 1, v, v, 0 };
}

/* --- outer: a work-item sums a whole block ------------------------------- */

/* Element c of a vector belongs to component c; @firsts: index of its first
 * partial in @partials. */
__kernel __attribute__ ((reqd_work_group_size (OUTER_X, 1, 1))) void
moments_outer_samples (PLANE_ARGUMENTS, __global Partial *restrict partials,
    const int4 firsts, const int shift)
{
  const Plane planes[4] = PLANES;
  const int component = (int) get_global_id (2);
  const int width = int4_lane (widths, component);
  const int height = int4_lane (heights, component);
  const int block_x = (int) get_global_id (0);
  const int block_y = (int) get_global_id (1);
  RETURN_IF_OUTSIDE (block_x, block_y, n_blocks (width), n_blocks (height));

  const Plane plane = pick_plane (planes, component);
  const int x_end = min ((block_x + 1) * BLOCK, width);
  const int y_end = min ((block_y + 1) * BLOCK, height);
  Partial block = partial_empty ();

  for (int y = block_y * BLOCK; y < y_end; y++) {
    __global const SAMPLE_T *row = plane_row (&plane, y);
    uint sum = 0; /* sum of a row of BLOCK samples, < 2^32 also with 16 bits */

    for (int x = block_x * BLOCK; x < x_end; x++) {
      const uint v = row[x * plane.pixel_stride] >> shift;

      sum += v;
      block.sum_squares += v * v;
      block.min = min (block.min, v);
      block.max = max (block.max, v);
    }
    block.sum += sum;
  }
  block.count = (uint) (x_end - block_x * BLOCK) *
                (uint) (y_end - block_y * BLOCK);

  partials[int4_lane (firsts, component) + block_y * n_blocks (width) +
           block_x] = block;
}

/* Element c of a vector belongs to component c; @in_firsts and @out_firsts:
 * index of its first partial in @in and @out. */
__kernel __attribute__ ((reqd_work_group_size (OUTER_X, 1, 1))) void
moments_outer_partials (__global const Partial *restrict in, const int4 widths,
    const int4 heights, const int4 in_firsts, __global Partial *restrict out,
    const int4 out_firsts)
{
  const int component = (int) get_global_id (2);
  const int width = int4_lane (widths, component);
  const int height = int4_lane (heights, component);
  const int block_x = (int) get_global_id (0);
  const int block_y = (int) get_global_id (1);
  RETURN_IF_OUTSIDE (block_x, block_y, n_blocks (width), n_blocks (height));

  const int x_end = min ((block_x + 1) * BLOCK, width);
  const int y_end = min ((block_y + 1) * BLOCK, height);
  Partial block = partial_empty ();

  for (int y = block_y * BLOCK; y < y_end; y++) {
    __global const Partial *row = in + int4_lane (in_firsts, component) +
                                  y * width;

    for (int x = block_x * BLOCK; x < x_end; x++)
      block = partial_merge (block, row[x]);
  }

  out[int4_lane (out_firsts, component) + block_y * n_blocks (width) +
      block_x] = block;
}

/* --- inner: a work-group halves a block in local memory ------------------ */

/* One partial for each work-item, field by field, so that neighbours in a row
 * of the block use neighbouring banks. */
typedef struct {
  ulong sum[BLOCK * BLOCK], sum_squares[BLOCK * BLOCK];
  uint count[BLOCK * BLOCK], min[BLOCK * BLOCK], max[BLOCK * BLOCK];
} LocalBlock;

static inline void
local_put (__local LocalBlock *block, const int i, const Partial p)
{
  block->sum[i] = p.sum;
  block->sum_squares[i] = p.sum_squares;
  block->count[i] = p.count;
  block->min[i] = p.min;
  block->max[i] = p.max;
}

static inline Partial
local_get (const __local LocalBlock *block, const int i)
{
  return (Partial){ block->sum[i], block->sum_squares[i], block->count[i],
    block->min[i], block->max[i], 0 };
}

/* Merges the partials @own of the work-group's work-items. Returns the result
 * to work-item (0, 0), and intermediate values to the others. First along x, in
 * all rows at once, then down the first column. All work-items of the group
 * must call this: no barrier is in a branch that differs between work-items. */
static inline Partial
merge_group (Partial own, __local LocalBlock *block)
{
  const int x = (int) get_local_id (0);
  const int y = (int) get_local_id (1);
  const int i = y * BLOCK + x;

  local_put (block, i, own);

  for (int reach = BLOCK / 2; reach > 0; reach /= 2) {
    barrier (CLK_LOCAL_MEM_FENCE);
    if (x < reach) {
      own = partial_merge (own, local_get (block, i + reach));
      local_put (block, i, own);
    }
  }

  for (int reach = BLOCK / 2; reach > 0; reach /= 2) {
    barrier (CLK_LOCAL_MEM_FENCE);
    if (x == 0 && y < reach) {
      own = partial_merge (own, local_get (block, i + reach * BLOCK));
      local_put (block, i, own);
    }
  }

  return own;
}

/* One block of samples per work-group. Element c of a vector belongs to
 * component c; @firsts: the number of its first block. Dimension 0 of the
 * work-groups counts the blocks of all components. */
__kernel __attribute__ ((reqd_work_group_size (BLOCK, BLOCK, 1))) void
moments_inner_samples (PLANE_ARGUMENTS, __global Partial *restrict partials,
    const int4 firsts, const int shift)
{
  __local LocalBlock local_block;
  const Plane planes[4] = PLANES;
  const int index = (int) get_group_id (0);
  const Block block = find_block (index, widths, firsts);
  const int x = block.x * BLOCK + (int) get_local_id (0);
  const int y = block.y * BLOCK + (int) get_local_id (1);
  Partial own = partial_empty ();

  if (x < int4_lane (widths, block.component) &&
      y < int4_lane (heights, block.component)) {
    const Plane plane = pick_plane (planes, block.component);

    own = partial_of_code (
        plane_row (&plane, y)[x * plane.pixel_stride] >> shift);
  }

  own = merge_group (own, &local_block);

  if (get_local_id (0) == 0 && get_local_id (1) == 0)
    partials[index] = own;
}

/* One block of partials per work-group. Element c of a vector belongs to
 * component c. @in_firsts: index of its first partial in @in; @out_firsts: the
 * number of its first block. Dimension 0 of the work-groups counts the blocks
 * of all components. */
__kernel __attribute__ ((reqd_work_group_size (BLOCK, BLOCK, 1))) void
moments_inner_partials (__global const Partial *restrict in, const int4 widths,
    const int4 heights, const int4 in_firsts, __global Partial *restrict out,
    const int4 out_firsts)
{
  __local LocalBlock local_block;
  const int index = (int) get_group_id (0);
  const Block block = find_block (index, widths, out_firsts);
  const int width = int4_lane (widths, block.component);
  const int x = block.x * BLOCK + (int) get_local_id (0);
  const int y = block.y * BLOCK + (int) get_local_id (1);
  Partial own = partial_empty ();

  if (x < width && y < int4_lane (heights, block.component))
    own = in[int4_lane (in_firsts, block.component) + y * width + x];

  own = merge_group (own, &local_block);

  if (get_local_id (0) == 0 && get_local_id (1) == 0)
    out[index] = own;
}
