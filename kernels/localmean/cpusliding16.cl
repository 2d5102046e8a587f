/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* localmean/cpusliding16.cl: means of windows that slide by one sample, from
 * sums of 16 bits, for CPU devices
 *
 * Math      dst(i, j) is (sum + n / 2) / n over the window of window.x by
 *           window.y samples that starts at (i - window.z, j - window.w): the
 *           steps grid.z and grid.w are 1. n counts its samples inside the
 *           frame or, where BORDER_COUNTS, all of them.
 * Shape     frame.x x frame.y samples, grid.x x grid.y results.
 * Units     Window and anchor are in samples; offsets and strides in bytes;
 *           frame.z is in elements; frame.w is the value of a sample outside.
 * Memory    The scratch memory has SLIDING_SCRATCH_ROWS rows for each band, of
 *           frame.z elements of 4 bytes, frame.z >= frame.x + window.x + 64. No
 *           two buffers overlap.
 * Launch    Local (1, 1, 1); as many work-items as there are bands of rows.
 * Range     SAMPLE_MAX is 255 or less. _narrow: window.x * window.y <= 256.
 *           _wide: window.x * window.y * SAMPLE_MAX < 2^31.
 * Accuracy  Means are exact, halves round up. The reference is
 *           tests/localmean/localmeanreference.c.
 * Source    Running sums: M. J. McDonnell, "Box-filtering techniques", 1981.
 *           The sum of a window is the sum of the window above plus the row
 *           that enters minus the row that leaves. Prefix sums of this
 *           difference need only 16 bits, as only differences between two of
 *           them are used: up to 255 * 128 either way, wider windows in parts.
 *           That takes half the instructions of prefix sums in 32 bits.
 */

#include "cl_border.clh"
#include "cl_exact.clh"
#include "cl_pixel.clh"
#include "cl_sliding.clh"

/* For functions with constant arguments that decide whole branches. */
#define INLINE __attribute__ ((always_inline)) static inline

/* ---- division ---- */

/* Divides sixteen sums by one n: less work for each than in cl_exact.clh. */

/* 1 / n with a relative error of at most 2^-24 + 2^-43: one Newton step from an
 * estimate with a relative error of at most 5 * 2^-24. The residue of the step
 * is exact except for one rounding. */
static inline float
close_inverse (const int n)
{
  const float inverse = 1.0f / (float) n;

  return fma (fma (-inverse, (float) n, 1.0f), inverse, inverse);
}

static inline float16
close_inverse16 (const int16 n)
{
  const float16 m = convert_float16 (n);
  const float16 inverse = 1.0f / m;

  return fma (fma (-inverse, m, (float16) (1.0f)), inverse, inverse);
}

/* Largest n for which the formula of exact_mean_small() is exact with
 * close_inverse16(): the quotient, below 256, changes by less than 2 * 2^-24 *
 * 256 * (1 + 2^-18) < 1 / (2 * n). */
#define CLOSE_N 16000

static inline int16
mean16_close (const int16 sum, const float16 bias, const float16 inverse)
{
  return convert_int16 ((convert_float16 (sum) + bias) * inverse);
}

/* Exact division of 16 bits by any n of 2 .. 256: T. Granlund and P.
 * Montgomery, "Division by invariant integers using multiplication", 1994. */
typedef struct {
  ushort bias, shift;
  __global ushort *multiplier; /* sixteen equal values */
} Divisor;

static inline Divisor
make_divisor (const uint n, __global ushort *scratch)
{
  const uint bits = 32 - clz (n - 1);

  STORE16 (ushort, (ushort16) (65536 * ((1u << bits) - n) / n + 1), scratch);

  return (Divisor){ (ushort) (n / 2), (ushort) (bits - 1), scratch };
}

/* The multiplier is loaded from memory each time: once it is in a register,
 * compilers no longer know that it has 16 bits, and multiply 32 bits. */
static inline ushort16
divide16 (const ushort16 sum, const Divisor by)
{
  const ushort16 dividend = sum + by.bias;
  const ushort16 high = convert_ushort16 (
      convert_uint16 (dividend) *
          convert_uint16 (LOAD16 (ushort, by.multiplier)) >>
      16);

  return (high + ((dividend - high) >> (ushort16) (1))) >> by.shift;
}

/* ---- prefix sums ---- */

/* Returns how column @x changes, modulo 2^16, as row @enter enters the window
 * and row @leave leaves it. */
static inline ushort
difference (__global const SAMPLE_T *enter, __global const SAMPLE_T *leave,
    const int x)
{
  return (ushort) (sliding_load (enter, x) - sliding_load (leave, x));
}

static inline ushort16
difference16 (__global const SAMPLE_T *enter, __global const SAMPLE_T *leave,
    const int x)
{
  return (convert_ushort16 (load16_samples (enter + x * PIXEL_STRIDE)) >>
             (ushort16) (SAMPLE_SHIFT)) -
         (convert_ushort16 (load16_samples (leave + x * PIXEL_STRIDE)) >>
             (ushort16) (SAMPLE_SHIFT));
}

/* Prefix sums of columns [x, width) and at the positions left and right of the
 * frame. @sum: the prefix sum before column @x; @inside: address of that of
 * column 0. */
SLIDING_CALLED static void
finish_prefix (__global const SAMPLE_T *enter, __global const SAMPLE_T *leave,
    int x, const int width, const int left, const int right, ushort sum,
    __global ushort *inside)
{
  ushort before = 0;

  for (; x < width; x++) {
    sum += difference (enter, leave, x);
    inside[x + 1] = sum;
  }

  if (BORDER_IS_EMPTY) {
    for (x = width + 1; x <= width + right; x += 16)
      STORE16 (ushort, (ushort16) (sum), inside + x);
    return;
  }

  for (x = -1; x >= -left; x--) {
    const int column = border_inside (x, width);

    if (column >= 0)
      before -= difference (enter, leave, column);
    inside[x] = before;
  }
  for (x = width; x < width + right; x++) {
    const int column = border_inside (x, width);

    if (column >= 0)
      sum += difference (enter, leave, column);
    inside[x + 1] = sum;
  }
}

/* prefix[r][e]: as in sliding_prefix(), of the changes from the row of results
 * above top + r, modulo 2^16; @n_rows is 1 or 2, a constant. */
INLINE void
prefix_of_differences (const SlidingPlane plane, const int4 window,
    const int top, const int n_rows)
{
  const int width = plane.width;
  const int right = window.x - 1 - window.z; /* positions beyond the frame */
  __global ushort *prefix = (__global ushort *) sliding_scratch (plane,
      SLIDING_PREFIX);
  __global const SAMPLE_T *enter[2], *leave[2];
  __global ushort *inside[2];
  ushort16 carry[2] = { 0, 0 };
  int x = 0;

#pragma unroll
  for (int r = 0; r < n_rows; r++) {
    enter[r] = sliding_row (plane, top + r + window.y - 1);
    leave[r] = sliding_row (plane, top + r - 1);
    inside[r] = prefix + r * plane.length + window.z;
    if (BORDER_IS_EMPTY) {
      for (int e = 0; e < window.z; e += 16)
        STORE16 (ushort, (ushort16) (0), inside[r] - window.z + e);
    }
    inside[r][0] = 0;
  }

  /* the carry is taken from sums without it, so that each step waits for one
   * addition only */
  for (; x + 16 <= width; x += 16) {
#pragma unroll
    for (int r = 0; r < n_rows; r++) {
      const ushort16 sums = prefix16_ushort (
          difference16 (enter[r], leave[r], x));

      STORE16 (ushort, sums + carry[r], inside[r] + x + 1);
      carry[r] += (ushort16) (sums.sf);
    }
  }

  finish_prefix (enter[0], leave[0], x, width, window.z, right, carry[0].s0,
      inside[0]);
  if (n_rows > 1)
    finish_prefix (enter[1], leave[1], x, width, window.z, right, carry[1].s0,
        inside[1]);
}

/* The parameters of rows of results with the same n. */
typedef struct {
  int n_count; /* rows of the window that count */
  int n_results;
  int inside, beyond; /* first results of the blocks of sixteen windows that are
                       * inside, and of those after them */
  __global SAMPLE_T *dst[2];
} Results;

/* Loads the sums of windows [i, i + 16) of the row above. */
static inline int16
load16_windows (const SlidingPlane plane, const int i, const bool is_narrow)
{
  __global const uint *windows = sliding_scratch (plane, SLIDING_WINDOWS);

  if (is_narrow)
    return convert_int16 (
        LOAD16 (ushort, (__global const ushort *) windows + i));

  return as_int16 (LOAD16 (uint, windows + i));
}

static inline void
store16_windows (const int16 sums, const SlidingPlane plane, const int i,
    const bool is_narrow)
{
  __global uint *windows = sliding_scratch (plane, SLIDING_WINDOWS);

  if (is_narrow)
    STORE16 (ushort, convert_ushort16 (sums), (__global ushort *) windows + i);
  else
    STORE16 (uint, as_uint16 (sums), windows + i);
}

/* Address of the prefix sums of changes of row @r, from position @e on. */
static inline __global const ushort *
prefix_at (const SlidingPlane plane, const int e, const int r)
{
  return (__global const ushort *) sliding_scratch (plane, SLIDING_PREFIX) +
         r * plane.length + e;
}

/* Returns the changes of windows [i, i + 16) of row @r from the row above,
 * modulo 2^16. */
static inline ushort16
load16_changes (const SlidingPlane plane, const int4 window, const int i,
    const int r)
{
  __global const ushort *prefix = prefix_at (plane, i, r);

  return LOAD16 (ushort, prefix + window.x) - LOAD16 (ushort, prefix);
}

/* Returns the changes in 32 bits, as sums of parts that fit 16 bits with a
 * sign. */
#define PART 128 /* columns: 128 * 255 < 2^15 */

static inline int16
load16_whole_changes (const SlidingPlane plane, const int4 window, const int i,
    const int r)
{
  __global const ushort *prefix = prefix_at (plane, i, r);
  int end = min (window.x, PART);
  ushort16 sums = LOAD16 (ushort, prefix + end);
  int16 change = convert_int16 (as_short16 (sums - LOAD16 (ushort, prefix)));

  while (end < window.x) {
    const ushort16 before = sums;

    end = min (end + PART, window.x);
    sums = LOAD16 (ushort, prefix + end);
    change += convert_int16 (as_short16 (sums - before));
  }

  return change;
}

/* Values that all means of a row share. */
typedef struct {
  Divisor divisor; /* _narrow */
  int n;           /* _wide, like bias and inverse */
  float bias, inverse;
} Common;

/* Means of windows [i, i + 16) of row @r of @results. @sums: those of the row
 * above; replaced by those of this row. */
INLINE void
slide16 (const SlidingPlane plane, const int4 window, const Results results,
    const Common common, const int i, const int r, const bool is_narrow,
    ushort16 *narrow, int16 *wide)
{
  SAMPLE16_T means;

  if (is_narrow) {
    *narrow += load16_changes (plane, window, i, r);
    means = CONVERT (SAMPLE16_T) (divide16 (*narrow, common.divisor));
  } else {
    *wide += load16_whole_changes (plane, window, i, r);
    means = CONVERT (SAMPLE16_T) (
        common.n <= CLOSE_N
            ? mean16_close (*wide, common.bias, common.inverse)
            : exact_mean_int16 (*wide, common.n, common.inverse));
  }
  store16_samples (means << (SAMPLE16_T) (SAMPLE_SHIFT),
      results.dst[r] + i * DST_PIXEL_STRIDE);
}

/* Means of windows [begin, end), multiples of 16, with the same n: at least 2,
 * and up to 256 if @is_narrow. Keeps the sums of windows in registers from row
 * to row. */
INLINE void
slide_inside (const SlidingPlane plane, const int4 window,
    const Results results, const int n_rows, const int begin, const int end,
    const bool is_narrow)
{
  const int n = window.x * results.n_count;
  const Common common = {
    make_divisor ((uint) max (n, 2),
        (__global ushort *) sliding_scratch (plane, SLIDING_MULTIPLIER)),
    n,
    (float) (n / 2) + 0.5f,
    close_inverse (n),
  };
  __global ushort *narrow_windows = (__global ushort *) sliding_scratch (plane,
      SLIDING_WINDOWS);

  for (int i = begin; i < end; i += 16) {
    ushort16 narrow = 0;
    int16 wide = 0;

    if (is_narrow)
      narrow = LOAD16 (ushort, narrow_windows + i);
    else
      wide = load16_windows (plane, i, false);

    slide16 (plane, window, results, common, i, 0, is_narrow, &narrow, &wide);
    if (n_rows > 1)
      slide16 (plane, window, results, common, i, 1, is_narrow, &narrow, &wide);

    if (is_narrow)
      STORE16 (ushort, narrow, narrow_windows + i);
    else
      store16_windows (wide, plane, i, false);
  }
}

/* Means of a row where n varies or is 1, or where blocks end after the last
 * result; the inverses must have been stored. */
SLIDING_CALLED static void
slide_across (const SlidingPlane plane, const int4 window,
    const Results results, const int n_rows, const int begin, const int end,
    const bool is_narrow)
{
  const bool is_close = window.x * results.n_count <= CLOSE_N;
  __global const uint *inverses = sliding_scratch (plane, SLIDING_INVERSES);

  for (int i = begin; i < end; i += 16) {
    const int16 n = sliding_counts (plane, window, i) * results.n_count;
    const float16 inverse = as_float16 (LOAD16 (uint, inverses + i));
    const float16 bias = convert_float16 (n >> 1) + 0.5f;
    int16 sums = load16_windows (plane, i, is_narrow);

    for (int r = 0; r < n_rows; r++) {
      sums += load16_whole_changes (plane, window, i, r);
      sliding_store16 (
          CONVERT (SAMPLE16_T) (is_close ? mean16_close (sums, bias, inverse)
                                         : exact_mean_int16 (sums, n, inverse)),
          results.dst[r], i, results.n_results);
    }
    store16_windows (sums, plane, i, is_narrow);
  }
}

/* @n_rows rows of results. */
INLINE void
slide_rows (const SlidingPlane plane, const int4 window, const Results results,
    const int top, const int n_rows, const bool is_narrow)
{
  prefix_of_differences (plane, window, top, n_rows);
  slide_across (plane, window, results, n_rows, 0, results.inside, is_narrow);
  slide_inside (plane, window, results, n_rows, results.inside, results.beyond,
      is_narrow);
  slide_across (plane, window, results, n_rows, results.beyond,
      results.n_results, is_narrow);
}

/* Stores the sums of the windows of the row above @top. */
SLIDING_CALLED static void
start_windows (const SlidingPlane plane, const int4 window, const int top,
    const int n_results, const bool is_narrow)
{
  __global const uint *prefix = sliding_scratch (plane, SLIDING_PREFIX);

  sliding_sum_columns (plane, top - 1, window.y);
  sliding_prefix (plane, window, n_results - 1 + window.x);
  for (int i = 0; i < n_results; i += 16) {
    const uint16 sum = LOAD16 (uint, prefix + i + window.x) -
                       LOAD16 (uint, prefix + i);

    store16_windows (as_int16 (sum), plane, i, is_narrow);
  }
}

SLIDING_CALLED static void
fill_inverses (const SlidingPlane plane, const int4 window, const int n_count,
    const int begin, const int end)
{
  __global uint *inverses = sliding_scratch (plane, SLIDING_INVERSES);

  for (int i = begin; i < end; i += 16)
    STORE16 (uint,
        as_uint16 (
            close_inverse16 (sliding_counts (plane, window, i) * n_count)),
        inverses + i);
}

SLIDING_CALLED static void
slide_one (const SlidingPlane plane, const int4 window, const Results results,
    const int top, const bool is_narrow)
{
  slide_rows (plane, window, results, top, 1, is_narrow);
}

SLIDING_CALLED static void
slide_two (const SlidingPlane plane, const int4 window, const Results results,
    const int top, const bool is_narrow)
{
  slide_rows (plane, window, results, top, 2, is_narrow);
}

/* Sets the range of results that slide_inside() supports. */
static inline void
find_inside (const SlidingPlane plane, const int4 window, Results *results)
{
  const int end = results->n_results;

  if (window.x * results->n_count < 2) {
    results->inside = end;
    results->beyond = end;
  } else if (BORDER_COUNTS) {
    results->inside = 0;
    results->beyond = end & -16;
  } else {
    results->inside = min ((window.z + 15) & -16, end);
    results->beyond = max (results->inside,
        (plane.width - window.x + window.z + 1) & -16);
  }
}

/* The results of a band of rows; two rows at a time if their windows have the
 * same number of rows. */
INLINE void
slide_band (const SlidingPlane plane, const int4 window, const int4 grid,
    __global uchar *dst, const ulong dst_offset, const int dst_stride,
    const bool is_narrow)
{
  const int band = (int) get_global_id (0);
  const int n_bands = (int) get_global_size (0);
  const int end_row = band_start (band + 1, n_bands, grid.y);
  Results results = { .n_count = 0, .n_results = grid.x };
  int j = band_start (band, n_bands, grid.y);

  start_windows (plane, window, j - window.w, grid.x, is_narrow);
  while (j < end_row) {
    const int top = j - window.w;
    const int n_count = border_count (top, window.y, plane.height);

    if (n_count != results.n_count) {
      results.n_count = n_count;
      find_inside (plane, window, &results);
      fill_inverses (plane, window, n_count, 0, results.inside);
      fill_inverses (plane, window, n_count, results.beyond, grid.x);
    }

    results.dst[0] = write_row (dst, dst_offset, dst_stride, j);
    if (j + 1 < end_row &&
        border_count (top + 1, window.y, plane.height) == n_count) {
      results.dst[1] = write_row (dst, dst_offset, dst_stride, j + 1);
      slide_two (plane, window, results, top, is_narrow);
      j += 2;
    } else {
      slide_one (plane, window, results, top, is_narrow);
      j++;
    }
  }
}

__kernel __attribute__ ((reqd_work_group_size (1, 1, 1))) void
localmean_sliding_cpu_narrow (__global const uchar *restrict src,
    const ulong src_offset, const int src_stride, const int4 frame,
    __global uchar *restrict dst, const ulong dst_offset, const int dst_stride,
    const int4 window, const int4 grid, __global uint *scratch)
{
  const SlidingPlane plane = sliding_open (src, src_offset, src_stride, frame,
      scratch);

  slide_band (plane, window, grid, dst, dst_offset, dst_stride, true);
}

__kernel __attribute__ ((reqd_work_group_size (1, 1, 1))) void
localmean_sliding_cpu_wide (__global const uchar *restrict src,
    const ulong src_offset, const int src_stride, const int4 frame,
    __global uchar *restrict dst, const ulong dst_offset, const int dst_stride,
    const int4 window, const int4 grid, __global uint *scratch)
{
  const SlidingPlane plane = sliding_open (src, src_offset, src_stride, frame,
      scratch);

  slide_band (plane, window, grid, dst, dst_offset, dst_stride, false);
}
