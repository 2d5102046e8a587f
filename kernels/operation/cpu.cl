/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* operation/cpu.cl: operations on a sample and the mean around it, for CPU
 * devices
 *
 * Math      The operations difference and mean-c; cl_operation.clh has the
 *           formulas.
 * Shape     grid.x x grid.y results; one mean belongs to each.
 * Units     The offset of mean-c is in 1/256 of a code; offsets and strides in
 *           bytes; start_x and start_y, the sample of the first result, in
 *           samples.
 * Memory    No two buffers overlap.
 * Launch    Local (1, 1, 1); as many work-items as there are bands of rows.
 * Range     Codes are up to 65535.
 * Accuracy  Results are exact. The reference is
 *           tests/operation/operationreference.c.
 * Source    p > m - offset is p - m > -offset, whose right side is the same for
 *           all samples, so that a lane needs one bit more than a sample.
 */

#include "cl_operation.clh"
#include "cl_pixel.clh"

#if SAMPLE_MAX > 255
#define LANE16_T int16
#else
#define LANE16_T short16
#endif

#define DIFFERENCE_CODES PASTE (difference_codes_, LANE16_T)
#define EXCEEDS_MEAN_C   PASTE (exceeds_mean_c_, LANE16_T)

/* Results [0, end) of a row of neighbouring samples, @end a multiple of 16. */
static inline void
neighbours (const int operation, const int offset, const int inverts,
    __global const SAMPLE_T *restrict samples,
    __global const SAMPLE_T *restrict means, const int end,
    __global SAMPLE_T *restrict results)
{
  const LANE16_T inverter = (LANE16_T) (inverts ? -1 : 0);

  for (int i = 0; i < end; i += 16) {
    const LANE16_T p = CONVERT (LANE16_T) (
        sample_codes16 (load16_samples (samples + i * PIXEL_STRIDE)));
    const LANE16_T m = CONVERT (LANE16_T) (
        sample_codes16 (LOAD16 (SAMPLE_T, means + i)));
    const LANE16_T codes = operation == OPERATION_DIFFERENCE
                               ? DIFFERENCE_CODES (p - m)
                               : (EXCEEDS_MEAN_C (p - m, offset) ^ inverter) &
                                     (LANE16_T) (SAMPLE_MAX);

    store16_samples (CONVERT (SAMPLE16_T) (codes)
                         << (SAMPLE16_T) (SAMPLE_SHIFT),
        results + i * DST_PIXEL_STRIDE);
  }
}

/* Results from the means that another kernel has stored, one for each result,
 * in the samples' type. */
__kernel __attribute__ ((reqd_work_group_size (1, 1, 1))) void
operation_cpu_of_means (__global const uchar *restrict samples,
    const ulong samples_offset, const int samples_stride,
    __global const uchar *restrict means, const int means_stride,
    RESULTS_ARGUMENTS)
{
  const int band = (int) get_global_id (0);
  const int n_bands = (int) get_global_size (0);
  const int end_row = band_start (band + 1, n_bands, grid.y);
  const int end = grid.z == 1 ? grid.x & -16 : 0;

  for (int j = band_start (band, n_bands, grid.y); j < end_row; j++) {
    __global const SAMPLE_T *row = read_row (samples, samples_offset,
                                       samples_stride, start_y + j * grid.w) +
                                   start_x * PIXEL_STRIDE;
    __global const SAMPLE_T *row_means = read_row (means, 0, means_stride, j);
    __global SAMPLE_T *results = write_row (dst, dst_offset, dst_stride, j);

    neighbours (operation, factors.z, invert, row, row_means, end, results);
    for (int i = end; i < grid.x; i++) {
      const uint code = operate (operation,
          sample_code (row[i * grid.z * PIXEL_STRIDE]),
          (uint) sample_code (row_means[i]) << 8, 0, factors, invert, 0, 0,
          SAMPLE_MAX);

      results[i * DST_PIXEL_STRIDE] = (SAMPLE_T) (code << SAMPLE_SHIFT);
    }
  }
}
