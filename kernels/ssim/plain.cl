/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* ssim/plain.cl: structural similarity of two pictures, on any device
 *
 * Math      The sum of the values of all windows, which cl_ssim.clh defines.
 *           ssim_measure computes the sums of parts, ssim_merge merges them.
 * Shape     A rectangle of each component; one without samples has size 0x0.
 * Units     Codes of samples. Offsets and strides of rows are in bytes, pixel
 *           strides in samples.
 * Memory    parts: a sum for each part of each component. result: cl_ssim.clh.
 * Launch    Local (GROUP, 1, 1). ssim_measure: a work-group for each part of
 *           PART_COLUMNS windows and PART_ROWS rows of them; y: rows of parts,
 *           z: components. ssim_merge: a work-group for each component, after
 *           ssim_measure.
 * Range     Sums of a part fit 64 bits.
 * Accuracy  Exact. The reference is tests/ssim/ssimreference.c.
 * Source    A work-item adds the samples of a column of blocks, and reads the
 *           sums of its right neighbour in local memory. It loads a row of a
 *           block at once if both pictures are aligned.
 */

#include "cl_code.clh"
#include "cl_common.clh"
#include "cl_pixel.clh"
#include "cl_plane.clh"
#include "cl_ssim.clh"
#include "cl_ssimvalue.clh"

#define GROUP        128
#define PART_COLUMNS (GROUP - 1) /* windows */
#define PART_ROWS    8

#define SAMPLE_BITS (8 * (int) sizeof (SAMPLE_T))

/* The samples of a row of a block. */
#if DEPTH <= 8
typedef uint Word;
#else
typedef ulong Word;
#endif

typedef struct {
  VALUE_T s1[GROUP], s2[GROUP], ss[GROUP], s12[GROUP];
} LocalSums;

/* Returns whether a row of any block can be loaded at once. */
static ALWAYS_INLINE bool
has_words (const Plane *plane)
{
  const size_t start = (size_t) (plane->base + plane->offset_bytes);

  return plane->pixel_stride == 1 &&
         ((start | (size_t) plane->stride_bytes) % sizeof (Word)) == 0;
}

/* Loads four samples from (@x, @y) on, the first in the low bits or, on a
 * device of the other byte order, in the high ones. */
static ALWAYS_INLINE Word
load_word (const Plane *plane, const bool is_aligned, const int x, const int y)
{
  __global const SAMPLE_T *p = plane_row (plane, y) + x * plane->pixel_stride;
  Word word = 0;

  if (is_aligned)
    return *(__global const Word *) p;

#pragma unroll
  for (int i = 0; i < SSIM_BLOCK; i++)
    word |= (Word) p[i * plane->pixel_stride] << (i * SAMPLE_BITS);

  return word;
}

static ALWAYS_INLINE BlockSums
sum_block (const Plane *a, const Plane *b, const bool is_aligned, const int x,
    const int y)
{
  BlockSums sums = { 0, 0, 0, 0 };

#pragma unroll
  for (int row = 0; row < SSIM_BLOCK; row++) {
    const Word v = load_word (a, is_aligned, x, y + row);
    const Word w = load_word (b, is_aligned, x, y + row);

#pragma unroll
    for (int i = 0; i < SSIM_BLOCK; i++) {
      const int shift = i * SAMPLE_BITS + SAMPLE_SHIFT;

      add_samples (v >> shift & (N_CODES - 1), w >> shift & (N_CODES - 1),
          &sums);
    }
  }

  return sums;
}

static ALWAYS_INLINE long
value_of (const BlockSums window, const ulong c1, const ulong c2)
{
  const Quotients quotients = ssim_quotients (window, c1, c2);
  const long size = (long) ((ulong) quotients.q1 * quotients.q2 >> SSIM_BITS);

  return quotients.n2 < 0 ? -size : size;
}

/* Returns the sum of the numbers of all work-items of the group to
 * work-item 0. All work-items of the group must call this. */
static ALWAYS_INLINE long
sum_of_group (const long number, __local long *numbers)
{
  const int i = (int) get_local_id (0);
  long sum = number;

  numbers[i] = number;
  for (int reach = GROUP / 2; reach > 0; reach /= 2) {
    barrier (CLK_LOCAL_MEM_FENCE);
    if (i < reach)
      numbers[i] = sum += numbers[i + reach];
  }

  return sum;
}

__kernel __attribute__ ((reqd_work_group_size (GROUP, 1, 1))) void
ssim_measure (PLANE_ARGUMENTS, COMPARED_ARGUMENTS, const ulong c1,
    const ulong c2, __global long *parts)
{
  __local LocalSums pairs[2]; /* a barrier for each row */
  __local long numbers[GROUP];
  const int i = (int) get_local_id (0), c = (int) get_global_id (2);
  const int column = (int) get_group_id (0), row = (int) get_global_id (1);
  const Plane planes[4] = PLANES;
  const Plane compared[4] = COMPARED_PLANES;
  const Plane a = pick_plane (planes, c), b = pick_plane (compared, c);
  const bool is_aligned = has_words (&a) && has_words (&b);
  const int x = column * PART_COLUMNS + i, y = row * PART_ROWS;
  const int n_columns = pick_int (widths, c) / SSIM_BLOCK;
  const int n_rows = min (pick_int (heights, c) / SSIM_BLOCK - 1 - y,
      PART_ROWS);
  const bool has_block = x < n_columns && n_rows > 0;
  const bool has_window = x + 1 < n_columns && i < PART_COLUMNS;
  BlockSums above = { 0, 0, 0, 0 };
  long sum = 0;

  if (has_block)
    above = sum_block (&a, &b, is_aligned, x * SSIM_BLOCK, y * SSIM_BLOCK);
  for (int k = 0; k < n_rows; k++) {
    __local LocalSums *all = &pairs[k % 2];
    BlockSums pair = { 0, 0, 0, 0 };

    if (has_block) {
      const BlockSums own = sum_block (&a, &b, is_aligned, x * SSIM_BLOCK,
          (y + k + 1) * SSIM_BLOCK);

      pair = add_sums (above, own);
      above = own;
    }
    all->s1[i] = pair.s1;
    all->s2[i] = pair.s2;
    all->ss[i] = pair.ss;
    all->s12[i] = pair.s12;
    barrier (CLK_LOCAL_MEM_FENCE);
    if (has_window) {
      const BlockSums right = { all->s1[i + 1], all->s2[i + 1], all->ss[i + 1],
        all->s12[i + 1] };

      sum += value_of (add_sums (pair, right), c1, c2);
    }
  }

  sum = sum_of_group (sum, numbers);
  if (i == 0)
    parts[PART_INDEX] = sum;
}

__kernel __attribute__ ((reqd_work_group_size (GROUP, 1, 1))) void
ssim_merge (__global const long *parts, const int n_parts,
    __global long *result)
{
  __local long numbers[GROUP];
  const int i = (int) get_local_id (0), c = (int) get_group_id (0);
  long sum = 0;

  for (int part = i; part < n_parts; part += GROUP)
    sum += parts[(ulong) c * (ulong) n_parts + (ulong) part];
  sum = sum_of_group (sum, numbers);
  if (i == 0)
    result[c] = sum;
}
