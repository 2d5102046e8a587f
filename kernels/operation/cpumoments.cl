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
 * Range     If SAMPLE_MAX is 255 or less, window.x * window.y <=
 *           ESTIMATE_SAMPLES: sums of squared distances from a mean are then
 *           below 2^32. Otherwise it is <= 32768: sums of samples are then
 *           below 2^31. With SLIDES_ON_SUMS it is always <= 32768, samples are
 *           up to 65535, and window.x <= 16384, so that the error of the
 *           squares / 2^16 is below 2^31.
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

/* moments_of() where the sum of the squares is known modulo 2^32. Its other
 * bits come from its smallest possible value, which is less than 2^32 below it,
 * or with HAS_HIGH from an estimate with an error of less than 2^31. */
static inline Moments
exact_moments (const SlidingRow *row, const int i)
{
  const uint n = row_count (row, i);
  const uint sum = row_sum (row, SLIDING_PREFIX, i);
  const uint squares = row_sum (row, SLIDING_SQUARES_PREFIX, i);
  const uint a = sum / n;
  ulong about = (ulong) a * (2 * sum - a * n); /* the smallest possible sum */

  if (!HAS_HIGH)
    return moments_of (sum, about + (squares - (uint) about), n);

  about = (ulong) ((long) (int) row_sum (row, SLIDING_HIGH_PREFIX, i) << 16);

  return moments_of (sum, about + (ulong) (long) (int) (squares - (uint) about),
      n);
}

/* Returns the sum of the squared distances from @a: the sum of the squares
 * minus @a times @by. @rest: that sum modulo 2^32. It may exceed 2^31: the
 * squares / 2^16 then give its approximate size, with an error of up to 2^30 +
 * 2^17, the floats one of up to 2^26. */
static inline float16
estimate_distance (const SlidingRow *row, const int i, const int16 rest,
    const float16 a, const float16 by)
{
  const float16 low = convert_float16 (rest);
  const float16 high = convert_float16 (
      row_sums16 (row, SLIDING_HIGH_PREFIX, i));
  const float16 about = high * 65536.0f - a * by;

  return low + rint ((about - low) * 0x1p-32f) * 0x1p32f;
}

/* estimate_moments16() for codes of more than 8 bits. */
static inline Estimates16
estimate_wide (const SlidingRow *row, const int i, const int16 sum,
    const int16 squares, const int16 n, const float16 inverse)
{
  const float16 real_sum = convert_float16 (sum);
  const int16 a = convert_int16 (real_sum * inverse);
  const int16 b = sum - a * n;
  const float16 real_a = convert_float16 (a), real_b = convert_float16 (b);
  const float16 x = real_b * inverse;
  const float16 variance = estimate_distance (row, i, squares - a * (sum + b),
                               real_a, real_sum + real_b) *
                               inverse -
                           x * x;

  return (Estimates16){ (real_a + x) * 256.0f,
    sqrt (max (variance, (float16) (0.0f))) * 256.0f };
}

/* Estimates of the moments of sixteen windows. */
static inline Estimates16
estimate_row (const SlidingRow *row, const int i)
{
  float16 inverse;
  const int16 n = row_counts16 (row, i, &inverse);
  const int16 sum = row_sums16 (row, SLIDING_PREFIX, i);
  const int16 squares = row_sums16 (row, SLIDING_SQUARES_PREFIX, i);

  return HAS_HIGH ? estimate_wide (row, i, sum, squares, n, inverse)
                  : estimate_moments16 (sum, squares, n, inverse);
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
