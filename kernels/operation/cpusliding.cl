/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* operation/cpusliding.cl: operations on the mean in 1/256 of a code, straight
 * from samples or from their sums, for CPU devices
 *
 * Math      The operations normalize and bradley, and with SLIDES_ON_SUMS also
 *           difference and mean-c; cl_operation.clh has the formulas.
 * Shape     frame.x x frame.y samples or, with SLIDES_ON_SUMS, their integral
 *           image; grid.x x grid.y results; windows of window.x by window.y
 *           samples.
 * Units     Window, anchor and step are in samples; offsets and strides in
 *           bytes, those of sums in sums; frame.z is in elements; frame.w is
 *           the value of a sample outside. k is in 1/65536, offset in 1/256 of
 *           a code.
 * Memory    The scratch memory has SLIDING_SCRATCH_ROWS rows for each band, of
 *           frame.z elements of 4 bytes, frame.z >= frame.x + window.x + 64. No
 *           two buffers overlap.
 * Launch    Local (1, 1, 1); as many work-items as there are bands of rows.
 * Range     window.x * window.y * SAMPLE_MAX < 2^31; with SLIDES_ON_SUMS
 *           window.x * window.y <= 32768, and samples are up to 65535. |k| <
 *           2^22, target < 2^24.
 * Accuracy  Results are exact. The reference is
 *           tests/operation/operationreference.c.
 * Source    Sums of columns run down the frame: M. J. McDonnell, "Box-filtering
 *           techniques", 1981.
 */

#include "cl_exact.clh"
#include "cl_operation.clh"
#include "cl_pixel.clh"
#include "cl_sliding.clh"
#include "cl_slidingrow.clh"
#include "cl_slidingsums.clh"

/* floor (dividend / n) for quotients up to 65535. @dividend may wrap;
 * @estimate: the real quotient, with a relative error of up to 16 * 2^-24. */
static inline int16
quotient16 (const uint16 dividend, const int16 n, const float16 estimate)
{
  const int16 q = convert_int16 (estimate * ROUND_DOWN);
  const int16 rest = as_int16 (dividend - as_uint16 (q) * as_uint16 (n));

  return q - (rest >= n);
}

/* exact_fraction_cut() for sixteen sums. */
static inline int16
fraction16 (const int16 sum, const int16 n, const float16 inverse)
{
#if SAMPLE_MAX > 255 || SLIDES_ON_SUMS
  const int16 whole = quotient16 (as_uint16 (sum), n,
      convert_float16 (sum) * inverse);
  const int16 rest = (sum - whole * n) << 8;

  const int16 mean = (whole << 8) + quotient16 (as_uint16 (rest), n,
                                        convert_float16 (rest) * inverse);

  return SLIDES_ON_SUMS ? min (mean, (int16) (SAMPLE_MAX << 8)) : mean;
#else
  return quotient16 (as_uint16 (sum) << 8, n,
      convert_float16 (sum) * (inverse * 256));
#endif
}

/* times_k() for sixteen means up to SAMPLE_MAX << 8. */
static inline int16
times_k16 (const int16 a, const int k)
{
#if SAMPLE_MAX > 255
  return convert_int16 ((convert_long16 (a) * k + 32768) >> 16);
#else
  /* k in two parts, so that products fit 32 bits */
  return (a * (k >> 8) + ((a * (k & 255) + 32768) >> 8)) >> 8;
#endif
}

/* min ((p * target * 256 + m / 2) / m, SAMPLE_MAX). */
static inline int16
normalize16 (const int16 p, const int16 m, const int target)
{
  const int16 divisor = max (m, (int16) (1));
  const int16 to_round = m >> 1;
  const uint16 dividend = (as_uint16 (p) * (uint) target << 8) +
                          as_uint16 (to_round);
  const float16 estimate = (convert_float16 (p) * (256.0f * (float) target) +
                               convert_float16 (to_round)) /
                           convert_float16 (divisor);
  const int16 codes = min (quotient16 (dividend, divisor,
                               min (estimate, (float16) (SAMPLE_MAX + 2))),
      (int16) (SAMPLE_MAX));

  return m > 0 ? codes : (int16) (0);
}

SLIDING_CALLED static void
results_of_sums (const SlidingRow row, const Operation op)
{
  const int end = row.grid.z == 1 ? row.grid.x & -16 : 0;

  for (int i = 0; i < end; i += 16) {
    float16 inverse;
    const int16 n = row_counts16 (&row, i, &inverse);
    const int16 m = fraction16 (as_int16 (row_sums16 (&row, i)), n, inverse);
    const int16 p = as_int16 (sliding_load16 (row.samples, row.start_x + i));

    if (op.what == OPERATION_NORMALIZE)
      row_store_codes16 (normalize16 (p, m, op.factors.w), &row, i);
    else if (SLIDES_ON_SUMS && op.what == OPERATION_DIFFERENCE)
      row_store_codes16 (difference_codes_int16 (p - ((m + 128) >> 8)), &row,
          i);
    else if (SLIDES_ON_SUMS && op.what == OPERATION_MEAN_C)
      row_store_mask16 (
          exceeds_mean_c_int16 (p - ((m + 128) >> 8), op.factors.z), op.inverts,
          &row, i);
    else
      row_store_mask16 ((p << 8) + times_k16 (m, op.factors.x) - m >
                            -op.factors.z,
          op.inverts, &row, i);
  }

  for (int i = end; i < row.grid.x; i++) {
    const uint mean = exact_fraction_cut (row_sum (&row, i),
        row_count (&row, i), SAMPLE_MAX);

    sliding_store (row_operate (&row, op, i, mean, 0), row.results, i);
  }
}

__kernel __attribute__ ((reqd_work_group_size (1, 1, 1))) void
operation_sliding_cpu_sums (SLIDING_ARGUMENTS, RESULTS_ARGUMENTS)
{
  const int band = (int) get_global_id (0);
  const int n_bands = (int) get_global_size (0);
  const int first = band_start (band, n_bands, grid.y);
  const int end = band_start (band + 1, n_bands, grid.y);
  const SlidingSource source = SLIDING_OPEN;
  const Operation op = { operation, factors, invert, 0, 0 };

  for (int j = first; j < end; j++) {
    source_move_to (source, window, grid, j, j == first, false);
    results_of_sums (sliding_open_row (source.plane, window, grid, start_x, j,
                         source_samples (source, start_y + j * grid.w),
                         write_row (dst, dst_offset, dst_stride, j)),
        op);
  }
}
