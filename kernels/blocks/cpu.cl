/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* blocks/cpu.cl: ratios of steps, summed over rows and columns, for CPU devices
 *
 * Math      The sums that blocks/plain.cl defines, of sixteen samples at a
 *           time.
 * Shape     A rectangle of one component, whose pixel stride is STRIDE.
 * Units     Codes of samples. Offsets and strides of rows are in bytes.
 * Memory    result: one sum for each column, then one for each row. columns:
 *           sums of bands, which stay in a near cache while a band is measured.
 * Launch    Local (1, 1, 1). blocks_cpu_measure: a work-item for a band of at
 *           most RATIO_TERMS rows. blocks_cpu_merge: a work-item for
 *           MERGED_COLUMNS columns.
 * Accuracy  Exact. The reference is tests/blocks/blocksreference.c.
 * Source    Vectors of neighbours are loaded at any address, which costs less
 *           than shifting them.
 */

#include "cl_blocks.clh"
#include "cl_code.clh"
#include "cl_common.clh"
#include "cl_pixel.clh"
#include "cl_plane.clh"

#ifndef STRIDE
#define STRIDE 1 /* samples from one of the component to its next, 1 .. 4 */
#endif

#define N_LANES        16
#define MERGED_COLUMNS 64

#define ONE_OF_16(is) ((is) &1)
DEFINE_BLOCK_RATIO (block_ratio16, int16, float16, convert_int16,
    convert_float16, ONE_OF_16)

#define TO_INT(v)   ((int) (v))
#define TO_FLOAT(v) ((float) (v))
#define ONE(is)     ((is) ? 1 : 0)
DEFINE_BLOCK_RATIO (block_ratio, int, float, TO_INT, TO_FLOAT, ONE)

#if DEPTH > 8
#define STEP_SUMS_T uint16
#else
#define STEP_SUMS_T ushort16 /* holds six steps */
#endif

/* Returns the sample @n steps of @step_bytes behind @p. */
static ALWAYS_INLINE __global const SAMPLE_T *
sample_at (__global const SAMPLE_T *p, const int n, const long step_bytes)
{
  return (
      __global const SAMPLE_T *) ((__global const uchar *) p + n * step_bytes);
}

static ALWAYS_INLINE SAMPLE16_T
load_codes16 (__global const SAMPLE_T *p)
{
  return sample_codes16 (load16_apart (p, STRIDE)) & (SAMPLE16_T) (N_CODES - 1);
}

/* Returns the ratios of the steps from p[0], p[STRIDE], .. to the samples
 * @step_bytes behind them. */
static ALWAYS_INLINE uint16
ratios_at (__global const SAMPLE_T *p, const long step_bytes)
{
  SAMPLE16_T v = load_codes16 (sample_at (p, -BLOCK_BEFORE, step_bytes));
  SAMPLE16_T step = (SAMPLE16_T) (0);
  STEP_SUMS_T sum = (STEP_SUMS_T) (0);

#pragma unroll
  for (int i = -BLOCK_BEFORE; i < BLOCK_AFTER; i++) {
    const SAMPLE16_T next = load_codes16 (sample_at (p, i + 1, step_bytes));
    const SAMPLE16_T change = max (v, next) - min (v, next);

    if (i == 0)
      step = change;
    else
      sum += CONVERT (STEP_SUMS_T) (change);
    v = next;
  }

  return as_uint16 (block_ratio16 (convert_int16 (step), convert_int16 (sum)));
}

static ALWAYS_INLINE uint
ratio_at (__global const SAMPLE_T *p, const long step_bytes)
{
  uint v = masked_code (*sample_at (p, -BLOCK_BEFORE, step_bytes));
  uint step = 0, sum = 0;

  for (int i = -BLOCK_BEFORE; i < BLOCK_AFTER; i++) {
    const uint next = masked_code (*sample_at (p, i + 1, step_bytes));

    if (i == 0)
      step = abs_diff (v, next);
    else
      sum += abs_diff (v, next);
    v = next;
  }

  return (uint) block_ratio ((int) step, (int) sum);
}

static inline uint
sum_uint16 (const uint16 v)
{
  const uint8 a = v.lo + v.hi;
  const uint4 b = a.lo + a.hi;

  return b.x + b.y + b.z + b.w;
}

/* All bits in the last @n lanes. */
static inline uint16
last_lanes (const int n)
{
  const int16 lanes = (int16) (0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14,
      15);

  return as_uint16 (lanes >= (int16) (N_LANES - n));
}

/* Adds the ratios of the steps within a row to @columns. */
static ALWAYS_INLINE void
add_to_columns (__global const SAMPLE_T *row, const int width,
    __global uint *columns)
{
  const long step = STRIDE * (long) sizeof (SAMPLE_T);
  const int end = width - BLOCK_AFTER;
  int x = BLOCK_BEFORE;

  for (; x + N_LANES <= end; x += N_LANES)
    STORE16 (uint,
        LOAD16 (uint, columns + x) + ratios_at (row + x * STRIDE, step),
        columns + x);
  /* the last vector ends with the row, and overlaps the one before */
  if (x < end && x > BLOCK_BEFORE) {
    const int last = end - N_LANES;

    STORE16 (uint,
        LOAD16 (uint, columns + last) +
            (ratios_at (row + last * STRIDE, step) & last_lanes (end - x)),
        columns + last);
    return;
  }
  for (; x < end; x++)
    columns[x] += ratio_at (row + x * STRIDE, step);
}

/* Returns the sum of the ratios of the steps from @row to the next row. */
static ALWAYS_INLINE ulong
sum_of_row (__global const SAMPLE_T *row, const int width,
    const long stride_bytes)
{
  ulong sum = 0;
  int x = 1;

  while (x + N_LANES <= width) {
    const int end = min (width, x + N_LANES * (RATIO_TERMS / N_LANES));
    uint16 part = (uint16) (0);

    for (; x + N_LANES <= end; x += N_LANES)
      part += ratios_at (row + x * STRIDE, stride_bytes);
    sum += sum_uint16 (part);
  }
  if (x < width && x > 1)
    return sum + sum_uint16 (ratios_at (row + (width - N_LANES) * STRIDE,
                                 stride_bytes) &
                             last_lanes (width - x));
  for (; x < width; x++)
    sum += ratio_at (row + x * STRIDE, stride_bytes);

  return sum;
}

__kernel __attribute__ ((reqd_work_group_size (1, 1, 1))) void
blocks_cpu_measure (__global const uchar *base, const ulong offset_bytes,
    const int stride_bytes, const int width, const int height,
    const int n_bands, __global uint *columns, __global ulong *result)
{
  const int band = (int) get_global_id (0);
  __global uint *own = columns + band * width;

  if (band >= n_bands)
    return;

  for (int x = 0; x < width; x++)
    own[x] = 0;

  for (int y = band_start (band, n_bands, height);
       y < band_start (band + 1, n_bands, height); y++) {
    __global const SAMPLE_T *row = read_row (base, offset_bytes, stride_bytes,
        y);
    const bool has_ratio = y >= BLOCK_BEFORE && y + BLOCK_AFTER < height;

    if (y > 0)
      add_to_columns (row, width, own);
    result[width + y] = has_ratio ? sum_of_row (row, width, stride_bytes) : 0;
  }
}

/* Merges the bands of columns. */
__kernel __attribute__ ((reqd_work_group_size (1, 1, 1))) void
blocks_cpu_merge (const int width, const int n_bands,
    __global const uint *columns, __global ulong *result)
{
  const int first = (int) get_global_id (0) * MERGED_COLUMNS;

  for (int x = first; x < min (first + MERGED_COLUMNS, width); x++) {
    ulong sum = 0;

    for (int band = 0; band < n_bands; band++)
      sum += columns[band * width + x];
    result[x] = sum;
  }
}
