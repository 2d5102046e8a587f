/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* cpu/localopmoments.cl: what follows from mean and deviation, straight from
 * samples or from their sums, one work-item for a band of rows
 *
 * Math      stddev, niblack, sauvola, wolf and nick as ../localop.cl.
 * Shape     as localmeansliding.cl; with SLIDES_ON_SUMS from integral images.
 * Units     as localmeansliding.cl; factors as ../localop.cl.
 * Memory    as localmeansliding.cl. extremes[2 * bands]: largest deviation of
 *           each band's results, smallest code of its part of the samples.
 * Launch    local (1, 1, 1); as many work-items as bands of rows. WOLF: twice,
 *           the first time with finds_extremes.
 * Range     window.x * window.y <= 132000 where SAMPLE_MAX is 255 or less, so that
 *           the squared distances from a mean sum up below 2^31, though the
 *           squares do not; else <= 32768, so that the samples do. With
 *           SLIDES_ON_SUMS the latter for all, samples up to 65535, and window.x
 *           <= 16384, so that what the squares / 2^16 are off stays below 2^31.
 * Accuracy  exact; tests/kernels/ref/localop.c.
 * Source    sixteen results at a time in float, with a bound on what they are
 *           off; the few whose code that leaves open once more in integers. Sums
 *           of squares are modulo 2^32, and all that is made of them until the
 *           distances are there.
 */
#ifndef CL_COMMON_CLH
#include "cl_common.clh"
#endif
#ifndef CL_EXACT_CLH
#include "cl_exact.clh"
#endif
#ifndef CL_DEVIATION_CLH
#include "cl_deviation.clh"
#endif
#ifndef CL_SLIDINGSUMS_CLH
#include "cl_slidingsums.clh"
#endif

/* moments_of() where the sum of the squares is known modulo 2^32, and about:
 * less than 2^31 off. */
static inline Moments
exact_moments (const SlidingRow *row, const int i)
{
  const uint n = row_count (row, i);
  const uint sum = row_sum (row, SLIDING_PREFIX, i);
  const uint squares = row_sum (row, SLIDING_SQUARES_PREFIX, i);
  const uint a = sum / n;
  ulong about = (ulong) a * (2 * sum - a * n); /* the least there can be */

  if (HAS_HIGH)
    about = (ulong) ((long) (int) row_sum (row, SLIDING_HIGH_PREFIX, i) << 16);

  return moments_of (sum, about + (ulong) (long) (int) (squares - (uint) about),
      n);
}

/* Mean and deviation of sixteen windows, in 1/256 of a code, as real numbers.
 *
 * With u = 2^-24: the estimate of the mean is at most 7 * u * SAMPLE_MAX < 0.03
 * codes off (conversion, 2.5 ulp of the inverse, product). So a is the mean's
 * whole part or one beside it where the mean is all but a whole number, and -0.03
 * < x < 1.03; of 8 bits, -0.001 < x < 1.001. The two terms of the variance v are
 * at most 9 * u and 14 * u of themselves off, v so 10 * u * v + 24 * u. With its
 * root 3 ulp off, a deviation is 12 * u of itself off while v is large; a v above 0
 * is at least (n - 1) / n^2, and with n <= 132000 the deviation 0.07 off. Where v
 * is 0, what is computed is below 0.4. */
#define MEAN_OFF       (0.03f + SAMPLE_MAX * 0x1p-17f)
#define DEVIATION_OFF  0.09f
#define DEVIATION_PART 0x1p-20f /* of a deviation, besides */

typedef struct {
  float16 mean, deviation;
} Estimates;

/* Sum of the squared distances from @a: that of the squares less @a times @by.
 * @rest is what it is modulo 2^32. Where it may pass 2^31, the squares / 2^16 say
 * about how large it is: up to 2^30 + 2^17 off, the floats 2^26. */
static inline float16
estimate_distance (const SlidingRow *row, const int i, const int16 rest,
    const float16 a, const float16 by)
{
  const float16 low = convert_float16 (rest);

  if (!HAS_HIGH)
    return low;

  const float16 high = convert_float16 (
      row_sums16 (row, SLIDING_HIGH_PREFIX, i));
  const float16 about = high * 65536.0f - a * by;

  return low + rint ((about - low) * 0x1p-32f) * 0x1p32f;
}

static inline Estimates
estimate_moments (const SlidingRow *row, const int i)
{
  float16 inverse;
  const int16 n = row_counts16 (row, i, &inverse);
  const int16 sum = row_sums16 (row, SLIDING_PREFIX, i);
  const float16 real_sum = convert_float16 (sum);
  const float16 real_mean = real_sum * inverse;
  const int16 a = convert_int16 (real_mean);
  const int16 b = sum - a * n;
  const float16 real_a = convert_float16 (a), real_b = convert_float16 (b);
  const int16 c = row_sums16 (row, SLIDING_SQUARES_PREFIX, i) - a * (sum + b);
  const float16 x = real_b * inverse;
  const float16 variance = estimate_distance (row, i, c, real_a,
                               real_sum + real_b) *
                               inverse -
                           x * x;

  return (Estimates){ (HAS_HIGH ? real_a + x : real_mean) * 256.0f,
    sqrt (max (variance, (float16) (0.0f))) * 256.0f };
}

/* As operate() cuts them: sums may be of samples that are no codes. */
static inline Estimates
cut_moments (const Estimates moments)
{
  if (!SLIDES_ON_SUMS)
    return moments;

  return (Estimates){ min (moments.mean, (float16) (SAMPLE_MAX * 256)),
    min (moments.deviation, (float16) (SAMPLE_MAX * 128)) };
}

/* Numbers of an operation as floats, and by how much a threshold that
 * estimate_threshold() makes of them may differ from that in integers. */
typedef struct {
  float k, r, offset, minimum, inverse; /* inverse: of r, of the largest */
  float off;
} Weights;

/* Integers of 1/256 lie up to 1 below the real numbers that they are the whole
 * parts of, deviations up to 1 + 2^-14 (cl_deviation.clh cuts quotients, too), so
 * within half of that around a number that is half less. To what that and the
 * estimates make of a threshold comes half of each quotient, root and product
 * that is rounded, and 2^-20 of the largest number on the way for what floats
 * round. */
static inline Weights
make_weights (const Operation op)
{
  const float largest_m = SAMPLE_MAX * 256;
  const float largest_s = op.what == OPERATION_WOLF ? (float) op.largest + 1
                                                    : SAMPLE_MAX * 128;
  const float m = 0.5f + MEAN_OFF;
  const float s = 0.5f + DEVIATION_OFF + 0.001f + DEVIATION_PART * largest_s;
  Weights w = { op.factors.x / 65536.0f, op.factors.y, op.factors.z,
    op.smallest * 256.0f, 0, 0 };
  const float k = fabs (w.k);
  float part = 0, size = 2 * largest_m; /* of what k is the weight of */

  switch (op.what) {
    case OPERATION_NIBLACK:
      part = s;
      break;
    case OPERATION_SAUVOLA:
      w.inverse = 1 / w.r;
      part = (m * (largest_s + w.r) + (largest_m + m) * s) * w.inverse + 0.5f;
      size += largest_m * (largest_s + w.r) * w.inverse;
      break;
    case OPERATION_WOLF:
      w.inverse = op.largest ? 1 / (float) op.largest : 0;
      part = 2.1f * m + (largest_m + m) * s * w.inverse + 0.5f;
      break;
    default:
      part = m + 1.415f * s + 0.5f;
  }
  w.off = m + k * part + 0.5f +
          0x1p-20f * (largest_m + k * size + fabs (w.offset));

  return w;
}

/* Threshold less its offset, of mean @m and deviation @s; half is taken off
 * whatever integers round down. */
static inline float16
estimate_threshold (const int what, const Weights w, const Estimates moments)
{
  const float16 m = moments.mean - 0.5f, s = moments.deviation - 0.5f;

  switch (what) {
    case OPERATION_NIBLACK:
      return m + w.k * s;
    case OPERATION_SAUVOLA:
      return m + w.k * (m * ((s - w.r) * w.inverse) - 0.5f);
    case OPERATION_WOLF: {
      const float16 above = m - w.minimum;

      return m - w.k * (above - above * (s * w.inverse) + 0.5f);
    }
    default:
      return m + w.k * (sqrt (2 * s * s + m * m) - 0.5f);
  }
}

/* Stores thresholds' results [i, i + 16); lanes that stay open are not 0. */
static inline int16
threshold16 (const SlidingRow *row, const Operation op, const Weights w,
    const int i)
{
  const float16 p = convert_float16 (
      as_int16 (sliding_load16 (row->samples, row->start_x + i)));
  /* p > floor ((t + 128) / 256) is p * 256 > t + 128; 0 is never above */
  const float16 above = p * 256.0f - 128.0f + w.offset -
                        estimate_threshold (op.what, w,
                            cut_moments (estimate_moments (row, i)));

  row_store_mask16 ((above > 0.0f) & (p > 0.0f), op.inverts, row, i);

  return (fabs (above) <= w.off) & (p > 0.0f);
}

/* The same of rounded deviations. */
static inline int16
deviation16 (const SlidingRow *row, const int i)
{
  const float16 s = cut_moments (estimate_moments (row, i)).deviation - 0.5f +
                    128.0f;
  const int16 codes = convert_int16 (s) >> 8;
  const float16 above = s - convert_float16 (codes << 8);

  row_store_codes16 (codes, row, i);

  /* the bounds are whole numbers: half and what the estimate is off around each */
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

/* Of results [i, i + 16) those that are @open. */
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

/* --- extremes --------------------------------------------------------------- */

/* The largest of @largest and the deviations of @row. */
SLIDING_CALLED static uint
largest_deviation (const SlidingRow row, uint largest)
{
  const int end = row.grid.z == 1 ? row.grid.x & -16 : 0;

  for (int i = 0; i < end; i += 16) {
    const float16 s = estimate_moments (&row, i).deviation;
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

/* The smallest code of rows [y, end). */
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

/* --- kernel ----------------------------------------------------------------- */

/* WOLF's of the frame. */
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

/* One kernel for both of WOLF's launches: what takes long to compile is compiled
 * once. @extremes are of use to WOLF only. */
__kernel __attribute__ ((reqd_work_group_size (1, 1, 1))) void
localop_moments_cpu_band (SLIDING_ARGUMENTS, __global uint *extremes,
    const int finds_extremes, RESULTS_ARGUMENTS)
{
  const int band = (int) get_global_id (0);
  const int n_bands = (int) get_global_size (0);
  const int first = band_start (band, n_bands, grid.y);
  const int end = band_start (band + 1, n_bands, grid.y);
  const SlidingSource source = SLIDING_OPEN;
  Operation op = { operation, factors, invert, 0, 0 };
  uint largest = 0;

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
    extremes[2 * band] = largest;
    extremes[2 * band + 1] = smallest_code (source,
        band_start (band, n_bands, frame.y),
        band_start (band + 1, n_bands, frame.y));
  }
}
