/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* blocks/cpu.cl: ratios of steps, summed over rows and columns, for CPU devices
 *
 * Math      The sums that blocks/plain.cl defines, of sixteen samples at a
 *           time.
 * Shape     A rectangle of one component, whose pixel stride is STRIDE.
 * Units     Codes of samples. Offsets and strides of rows are in bytes.
 * Memory    result: one sum for each column, then one for each row. Of each
 *           band, which stay in a near cache while it is measured: columns, a
 *           sum for each column; steps, N_LINES lines of steps, one for each
 *           column.
 * Launch    Local (1, 1, 1). blocks_cpu_measure: a work-item for a band of at
 *           most RATIO_TERMS rows. blocks_cpu_merge: a work-item for
 *           MERGED_COLUMNS columns.
 * Accuracy  Exact. The reference is tests/blocks/blocksreference.c.
 * Source    Steps are computed once, into lines: one for the steps within a
 *           row, and a ring for the steps between rows. Vectors are loaded at
 *           any address, which costs less than shifting them.
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

#define N_TERMS (BLOCK_BEFORE + BLOCK_AFTER) /* steps of a ratio */
#define N_LINES (N_TERMS + 1)

/* The lines that hold the steps of ratios: term i of the ratio of a step is in
 * line i, at the index of the step. */
typedef struct {
  __global const SAMPLE_T *line[N_TERMS];
} Terms;

static ALWAYS_INLINE SAMPLE16_T
load_codes16 (__global const SAMPLE_T *p)
{
  return sample_codes16 (load16_apart (p, STRIDE)) & (SAMPLE16_T) (N_CODES - 1);
}

/* Stores the steps from the first @n samples of @row to those of @other. */
static ALWAYS_INLINE void
store_steps (__global const SAMPLE_T *row, __global const SAMPLE_T *other,
    const int n, __global SAMPLE_T *steps)
{
  if (n < N_LANES) {
    for (int x = 0; x < n; x++)
      steps[x] = (SAMPLE_T) abs_diff (masked_code (row[x * STRIDE]),
          masked_code (other[x * STRIDE]));
    return;
  }

  for (int x = 0; x < n; x += N_LANES) {
    /* the last vector ends with the row, and overlaps the one before */
    const int at = min (x, n - N_LANES);
    const SAMPLE16_T a = load_codes16 (row + at * STRIDE);
    const SAMPLE16_T b = load_codes16 (other + at * STRIDE);

    STORE16 (SAMPLE_T, max (a, b) - min (a, b), steps + at);
  }
}

/* Returns the ratios of steps @x .. @x + N_LANES - 1. */
static ALWAYS_INLINE uint16
ratios_at (const Terms *terms, const int x)
{
  const SAMPLE16_T step = LOAD16 (SAMPLE_T, terms->line[BLOCK_BEFORE] + x);
  STEP_SUMS_T sum = (STEP_SUMS_T) (0);

#pragma unroll
  for (int i = 0; i < N_TERMS; i++) {
    if (i != BLOCK_BEFORE)
      sum += CONVERT (STEP_SUMS_T) (LOAD16 (SAMPLE_T, terms->line[i] + x));
  }

  return as_uint16 (block_ratio16 (convert_int16 (step), convert_int16 (sum)));
}

static ALWAYS_INLINE uint
ratio_at (const Terms *terms, const int x)
{
  uint sum = 0;

  for (int i = 0; i < N_TERMS; i++)
    sum += i != BLOCK_BEFORE ? terms->line[i][x] : 0;

  return (uint) block_ratio ((int) terms->line[BLOCK_BEFORE][x], (int) sum);
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
  return as_uint16 (INDICES16 >= (int16) (N_LANES - n));
}

/* Adds the ratios of the steps within a row of @width samples to @columns. */
static ALWAYS_INLINE void
add_to_columns (const Terms *terms, const int width, __global uint *columns)
{
  const int end = width - BLOCK_AFTER;
  int x = BLOCK_BEFORE;

  for (; x + N_LANES <= end; x += N_LANES)
    STORE16 (uint, LOAD16 (uint, columns + x) + ratios_at (terms, x),
        columns + x);
  /* the last vector ends with the row, and overlaps the one before */
  if (x < end && x > BLOCK_BEFORE) {
    const int last = end - N_LANES;

    STORE16 (uint,
        LOAD16 (uint, columns + last) +
            (ratios_at (terms, last) & last_lanes (end - x)),
        columns + last);
    return;
  }
  for (; x < end; x++)
    columns[x] += ratio_at (terms, x);
}

/* Returns the sum of the ratios of the steps from a row of @width samples to
 * the next row. */
static ALWAYS_INLINE ulong
sum_of_row (const Terms *terms, const int width)
{
  ulong sum = 0;
  int x = 1;

  while (x + N_LANES <= width) {
    const int end = min (width, x + N_LANES * (RATIO_TERMS / N_LANES));
    uint16 part = (uint16) (0);

    for (; x + N_LANES <= end; x += N_LANES)
      part += ratios_at (terms, x);
    sum += sum_uint16 (part);
  }
  if (x < width && x > 1)
    return sum + sum_uint16 (ratios_at (terms, width - N_LANES) &
                             last_lanes (width - x));
  for (; x < width; x++)
    sum += ratio_at (terms, x);

  return sum;
}

__kernel __attribute__ ((reqd_work_group_size (1, 1, 1))) void
blocks_cpu_measure (__global const uchar *base, const ulong offset_bytes,
    const int stride_bytes, const int width, const int height,
    const int n_bands, __global uint *columns, __global SAMPLE_T *steps,
    __global ulong *result)
{
  const int band = (int) get_global_id (0);
  const int first = band_start (band, n_bands, height);
  const int end = band_start (band + 1, n_bands, height);
  __global uint *own = columns + (long) band * width;
  __global SAMPLE_T *ring = steps + (long) band * N_LINES * width;
  __global SAMPLE_T *within = ring + (long) N_TERMS * width;
  Terms of_columns, of_rows;

  if (band >= n_bands)
    return;

  for (int x = 0; x < width; x++)
    own[x] = 0;
  for (int i = 0; i < N_TERMS; i++)
    of_columns.line[i] = within + i - BLOCK_BEFORE;

  /* row y + BLOCK_BEFORE is the last one whose step the ratio of y needs */
  for (int y = first - N_TERMS + 1; y < end; y++) {
    const int next = y + BLOCK_BEFORE;
    __global const SAMPLE_T *row = read_row (base, offset_bytes, stride_bytes,
        y);

    if (next >= 0 && next + 1 < height)
      store_steps (read_row (base, offset_bytes, stride_bytes, next),
          read_row (base, offset_bytes, stride_bytes, next + 1), width,
          ring + next % N_TERMS * width);
    if (y < first)
      continue;

    if (y > 0) {
      store_steps (row, row + STRIDE, width - 1, within);
      add_to_columns (&of_columns, width, own);
    }
    if (y >= BLOCK_BEFORE && y + BLOCK_AFTER < height) {
      for (int i = 0; i < N_TERMS; i++)
        of_rows.line[i] = ring +
                          (y - BLOCK_BEFORE + i) % N_TERMS * (long) width;
      result[width + y] = sum_of_row (&of_rows, width);
    } else {
      result[width + y] = 0;
    }
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
