/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* operation/cpumoments.cl: operations on mean and deviation, straight from
 * samples or from their sums, for CPU devices
 *
 * Math      The operations stddev, niblack, sauvola, wolf and nick;
 *           cl_operation.clh has the formulas.
 * Shape     frame.x x frame.y samples or, with SLIDES_ON_SUMS, the integral
 *           images of them and of their squares; grid.x x grid.y results;
 *           windows of window.x by window.y samples.
 * Units     Window, anchor and step are in samples; offsets and strides in
 *           bytes, those of sums in sums; frame.z is in elements; frame.w is
 *           the value of a sample outside. k is in 1/65536, r and offset are in
 *           1/256 of a code.
 * Memory    The scratch memory has SLIDING_SCRATCH_ROWS rows for each band, of
 *           frame.z elements of 4 bytes, frame.z >= frame.x + window.x + 64.
 *           extremes[2 * bands] are the largest deviation of the results of
 *           each band and the smallest code of its part of the samples. No two
 *           buffers overlap.
 * Launch    Local (1, 1, 1); as many work-items as there are bands of rows.
 *           WOLF is launched twice, the first time with finds_extremes. If the
 *           frame is in strips, finds_extremes is 2 for all strips but the
 *           first, and keeps the extremes of the strips before.
 * Range     window.x and window.y <= 32767, samples are up to 65535. Without
 *           WIDE_SUMS, sums of the samples of a window are below 2^31, and if
 *           SAMPLE_MAX is 255 or less, window.x * window.y <=
 *           ESTIMATE_SAMPLES: sums of squared distances from a mean are then
 *           below 2^32.
 * Accuracy  Results are exact. The reference is
 *           tests/operation/operationreference.c.
 * Source    Sixteen results at a time are estimated in float (cl_estimate.clh);
 *           the few that stay undecided are computed in integers.
 */

#include "cl_deviation.clh"
#include "cl_estimate.clh"
#include "cl_operation.clh"
#include "cl_pixel.clh"
#include "cl_sliding.clh"
#include "cl_slidingrow.clh"
#include "cl_slidingsums.clh"

/* Sums of squares of 32 bits are modulo 2^32. Their other bits come from the
 * smallest possible sum, which is less than 2^32 below. */
static inline Moments
exact_moments (const SlidingRow *row, const int i)
{
  const uint n = row_count (row, i);
  const WINDOW_SUM_T sum = row_sum (row, i);
  const WINDOW_SQUARES_T squares = row_squares (row, i);

  if (WIDE_SQUARES)
    return moments_of (sum, squares, n);

  const uint a = (uint) sum / n;
  const ulong least = (ulong) a * (2 * (uint) sum - a * n);

  return moments_of (sum, least + ((uint) squares - (uint) least), n);
}

/* Numbers below 2^62 as floats, with a relative error of at most 2.5 * 2^-24:
 * many CPUs have no instruction that converts 64 bits. */
static inline float16
real_of_ulong16 (const ulong16 numbers)
{
  const int16 low = as_int16 (convert_uint16 (numbers));
  const int16 high = convert_int16 ((numbers - convert_ulong16 (low)) >> 32);

  return convert_float16 (high) * 0x1p32f + convert_float16 (low);
}

/* Numbers below 2^31. */
static inline float16
real_of_uint16 (const uint16 numbers)
{
  return convert_float16 (as_int16 (numbers));
}

/* estimate_moments16() for sums of squares of 64 bits. */
static inline Estimates16
estimate_wide (const WINDOW_SUM16_T sum, const ulong16 squares, const int16 n,
    const float16 inverse)
{
  const int16 a = convert_int16 (
      PASTE (real_of_, WINDOW_SUM16_T) (sum) * inverse);
  const int16 b = as_int16 (convert_uint16 (sum)) - a * n;
  const WINDOW_SUM16_T sum_b = sum + CONVERT (WINDOW_SUM16_T) (b);
  const ulong16 c = squares - convert_ulong16 (a) * convert_ulong16 (sum_b);
  const float16 x = convert_float16 (b) * inverse;
  const float16 variance = real_of_ulong16 (c) * inverse - x * x;

  return (Estimates16){ (convert_float16 (a) + x) * 256.0f,
    sqrt (max (variance, (float16) (0.0f))) * 256.0f };
}

/* Estimates of the moments of sixteen windows. */
static inline Estimates16
estimate_row (const SlidingRow *row, const int i)
{
  float16 inverse;
  const int16 n = row_counts16 (row, i, &inverse);

#if WIDE_SQUARES
  return estimate_wide (row_sums16 (row, i), row_squares16 (row, i), n,
      inverse);
#else
  return estimate_moments16 (as_int16 (row_sums16 (row, i)),
      as_int16 (row_squares16 (row, i)), n, inverse);
#endif
}

/* Cuts means and deviations as operate() does: sums may be of samples that are
 * no codes. */
static inline Estimates16
cut_moments (const Estimates16 moments)
{
  if (!SLIDES_ON_SUMS)
    return moments;

  return (Estimates16){ min (moments.mean, (float16) (SAMPLE_MAX * 256)),
    min (moments.deviation, (float16) (SAMPLE_MAX * 128)) };
}

/* Stores the results [i, i + 16) of a threshold; returns the undecided lanes as
 * not 0. */
static inline int16
threshold16 (const SlidingRow *row, const Operation op, const Weights w,
    const int i)
{
  const float16 p = convert_float16 (
      as_int16 (sliding_load16 (row->samples, row->start_x + i)));
  const float16 above = estimate_above16 (op.what, w,
      cut_moments (estimate_row (row, i)), p);

  row_store_mask16 ((above > 0.0f) & (p > 0.0f), op.inverts, row, i);

  return (fabs (above) <= w.off) & (p > 0.0f);
}

/* Stores results of stddev, the rounded deviations; returns the undecided lanes
 * as not 0. */
static inline int16
deviation16 (const SlidingRow *row, const int i)
{
  const float16 s = cut_moments (estimate_row (row, i)).deviation - 0.5f +
                    128.0f;
  const int16 codes = convert_int16 (s) >> 8;
  const float16 above = s - convert_float16 (codes << 8);

  row_store_codes16 (codes, row, i);

  /* the bounds are whole numbers: half a code, and the error of the estimate
   * either way */
  const float16 off = s * DEVIATION_PART + (0.501f + DEVIATION_OFF);

  return (above < off) | (above > 256.0f - off);
}

static inline void
store_exact (const SlidingRow *row, const Operation op, const int i)
{
  const Moments moments = exact_moments (row, i);

  sliding_store (row_operate (row, op, i, moments.mean, moments.deviation),
      row->results, i);
}

/* Computes those of results [i, i + 16) that are @open in integers. */
SLIDING_CALLED static void
store_open (const SlidingRow *row, const Operation op, const int i,
    const char16 open)
{
  char lanes[16];

  vstore16 (open, 0, lanes);
  for (int lane = 0; lane < 16; lane++) {
    if (lanes[lane])
      store_exact (row, op, i + lane);
  }
}

static inline bool
is_any (const char16 lanes)
{
  const ulong2 words = as_ulong2 (lanes);

  return (words.s0 | words.s1) != 0;
}

SLIDING_CALLED static void
results_of_moments (const SlidingRow row, const Operation op, const Weights w)
{
  const int end = row.grid.z == 1 ? row.grid.x & -16 : 0;

  for (int i = 0; i < end; i += 16) {
    const char16 open = convert_char16 (op.what == OPERATION_STDDEV
                                            ? deviation16 (&row, i)
                                            : threshold16 (&row, op, w, i));

    if (is_any (open))
      store_open (&row, op, i, open);
  }

  for (int i = end; i < row.grid.x; i++)
    store_exact (&row, op, i);
}

/* --- extremes ------------------------------------------------------------ */

/* Returns the largest of @largest and the deviations of @row. */
SLIDING_CALLED static uint
largest_deviation (const SlidingRow row, uint largest)
{
  const int end = row.grid.z == 1 ? row.grid.x & -16 : 0;

  for (int i = 0; i < end; i += 16) {
    const float16 s = estimate_row (&row, i).deviation;
    char lanes[16];
    char16 open = convert_char16 (
        s + s * DEVIATION_PART >
        (float16) ((float) largest + 1 - DEVIATION_OFF));

    if (!is_any (open))
      continue;
    vstore16 (open, 0, lanes);
    for (int lane = 0; lane < 16; lane++) {
      if (lanes[lane])
        largest = max (largest, exact_moments (&row, i + lane).deviation);
    }
  }

  for (int i = end; i < row.grid.x; i++)
    largest = max (largest, exact_moments (&row, i).deviation);

  return largest;
}

/* Returns the smallest code of rows [y, end). */
SLIDING_CALLED static uint
smallest_code (const SlidingSource source, int y, const int end)
{
  const int width = source.plane.width;
  SAMPLE16_T least = SAMPLE_MAX;
  SAMPLE_T lanes[16];
  uint smallest = SAMPLE_MAX;

  for (; y < end; y++) {
    __global const SAMPLE_T *row = source_samples (source, y);
    int x = 0;

    for (; x + 16 <= width; x += 16)
      least = min (least, sliding_codes16 (row, x));
    for (; x < width; x++)
      smallest = min (smallest, sliding_load (row, x));
  }

  vstore16 (least, 0, lanes);
  for (int lane = 0; lane < 16; lane++)
    smallest = min (smallest, (uint) lanes[lane]);

  return smallest;
}

/* --- kernel -------------------------------------------------------------- */

/* Merges the extremes of the bands, for WOLF. */
static inline Operation
add_extremes (Operation op, __global const uint *extremes, const int n_bands)
{
  op.smallest = SAMPLE_MAX;
  for (int band = 0; band < n_bands; band++) {
    op.largest = max (op.largest, extremes[2 * band]);
    op.smallest = min (op.smallest, extremes[2 * band + 1]);
  }

  return op;
}

#define ADDS_EXTREMES 2 /* finds_extremes of all strips but the first */

/* One kernel for both of WOLF's launches, so that the code is compiled once.
 * @extremes are used by WOLF only. */
__kernel __attribute__ ((reqd_work_group_size (1, 1, 1))) void
operation_moments_cpu_band (SLIDING_ARGUMENTS, __global uint *extremes,
    const int finds_extremes, RESULTS_ARGUMENTS)
{
  const int band = (int) get_global_id (0);
  const int n_bands = (int) get_global_size (0);
  const int first = band_start (band, n_bands, grid.y);
  const int end = band_start (band + 1, n_bands, grid.y);
  const SlidingSource source = SLIDING_OPEN;
  Operation op = { operation, factors, invert, 0, 0 };
  uint largest = finds_extremes == ADDS_EXTREMES ? extremes[2 * band] : 0;

  if (operation == OPERATION_WOLF && !finds_extremes)
    op = add_extremes (op, extremes, n_bands);

  const Weights weights = make_weights (op);

  for (int j = first; j < end; j++) {
    source_move_to (source, window, grid, j, j == first, true);

    const SlidingRow row = sliding_open_row (source.plane, window, grid,
        start_x, j, source_samples (source, start_y + j * grid.w),
        write_row (dst, dst_offset, dst_stride, j));

    if (finds_extremes)
      largest = largest_deviation (row, largest);
    else
      results_of_moments (row, op, weights);
  }

  if (finds_extremes) {
    const uint smallest = smallest_code (source,
        band_start (band, n_bands, frame.y),
        band_start (band + 1, n_bands, frame.y));

    extremes[2 * band] = largest;
    extremes[2 * band + 1] = finds_extremes == ADDS_EXTREMES
                                 ? min (smallest, extremes[2 * band + 1])
                                 : smallest;
  }
}
