/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* operation/plain.cl: operations on the mean and the deviation around a sample,
 * on any device
 *
 * Math      With p the sample that a result belongs to, m and s the mean and
 *           the standard deviation of its window, and mid = 2^(depth - 1):
 *             stddev      s, rounded
 *             difference  mid + p - m, m rounded, clamped to 0 .. 2^depth - 1
 *             normalize   p * target / m, rounded, cut; 0 where m is 0
 *           The others are thresholds t: a result is the largest code if p >
 *           t, else 0, or with invert the other way round:
 *             mean-c      m - offset, m rounded
 *             bradley     m * (1 - k) - offset
 *             niblack     m + k * s - offset
 *             sauvola     m * (1 + k * (s / r - 1)) - offset
 *             wolf        m - k * (m - min) * (1 - s / max s) - offset
 *             nick        m + k * sqrt (2 * s^2 + m^2) - offset
 *           The last four t are rounded and clamped to 0 .. 2^depth - 1.
 * Shape     grid.x x grid.y results; frame.x x frame.y samples; windows of
 *           window.x by window.y samples. The window of result (i, j) starts at
 *           (i * grid.z - window.z, j * grid.w - window.w). Samples outside
 *           the frame are those of the border format.w, a BORDER_ of
 *           cl_border.clh.
 * Units     r and offset are in 1/256 of a code, k is in 1/65536; offsets and
 *           strides of samples are in bytes, those of sums in sums, those of
 *           squares in uints. Results are format.x samples apart, codes have
 *           format.y unused bits below them, format.z is the largest.
 * Memory    Samples are in pixels. With from_sums they are differences of the
 *           sums there, and pixels_offset and pixels_stride are in sums. step,
 *           from a sample to its next, is in samples or sums. No two buffers
 *           overlap, except pixels and sums if both are sums. extremes[2] are
 *           the largest deviation of the frame and its smallest code.
 * Launch    Local (64, 4), a work-item for a result. operation_extremes: as
 *           many work-items as there are results or samples of the frame,
 *           whichever are more each way. operation_clear: local (1, 1).
 * Range     Codes are up to 65535; n < 2^30.
 * Accuracy  Integers only, with each quotient and product rounded as in the
 *           code: results are the same on every device. The reference is
 *           tests/operation/operationreference.c.
 * Source    D. Bradley, G. Roth, "Adaptive thresholding using the integral
 *           image", 2007; W. Niblack, 1985; J. Sauvola, M. Pietikainen, 2000;
 *           C. Wolf, J.-M. Jolion, 2003; K. Khurshid et al. (NICK), 2009, in
 *           the form of OpenCV's niBlackThreshold().
 */

#include "cl_border.clh"
#include "cl_common.clh"
#include "cl_deviation.clh"
#include "cl_exact.clh"
#include "cl_memory.clh"
#include "cl_operation.clh"
#include "cl_pixel.clh"
#include "cl_window.clh"

#define ITEMS 64

#define PIXELS_ARGUMENTS                                                       \
  __global const uchar *restrict pixels, const ulong pixels_offset,            \
      const int pixels_stride, const int step, const int from_sums,            \
      const int4 format

/* Returns the sample whose sum is at @here, computed from the four sums at its
 * corners. @row_sums and @step are the distances between rows and between
 * samples, in sums. The result is limited to @largest, because sums from
 * another element may contain larger samples. */
static inline uint
sample_of_sums (__global const SUM_T *here, const long row_sums,
    const long step, const bool is_left, const bool is_top, const uint largest)
{
  SUM_T code = here[0];

  if (!is_left)
    code -= here[-step];
  if (!is_top)
    code -= here[-row_sums];
  if (!is_left && !is_top)
    code += here[-row_sums - step];

  return (uint) min (code, (SUM_T) largest);
}

/* Returns the code of sample @x, @y of a component, from its samples or its
 * sums. */
static inline uint
pixel_at (PIXELS_ARGUMENTS, const int x, const int y)
{
  if (from_sums)
    return sample_of_sums ((__global const SUM_T *) pixels + pixels_offset +
                               (long) y * pixels_stride + (long) x * step,
        pixels_stride, step, x == 0, y == 0, (uint) format.z);

  return (uint) (read_row (pixels, pixels_offset, pixels_stride, y)[x * step] >>
                 format.y);
}

#define PIXEL_AT(x, y)                                                         \
  pixel_at (pixels, pixels_offset, pixels_stride, step, from_sums, format, x, y)

/* Stores the result (i, j) of sample and window. */
#define STORE_RESULT(mean, deviation, largest, smallest)                       \
  do {                                                                         \
    const uint code = operate (operation,                                      \
        PIXEL_AT (start_x + i * grid.z, start_y + j * grid.w), mean,           \
        deviation, factors, invert, largest, smallest, (uint) format.z);       \
                                                                               \
    write_row (dst, dst_offset, dst_stride,                                    \
        j)[i * format.x] = (SAMPLE_T) (code << format.y);                      \
  } while (0)

/* Results from stored means, one for each result, in the samples' type; for
 * operations that round means. */
__kernel __attribute__ ((reqd_work_group_size (ITEMS, 4, 1))) void
operation_of_means (PIXELS_ARGUMENTS, __global const uchar *restrict means,
    const int means_stride, RESULTS_ARGUMENTS)
{
  const int i = (int) get_global_id (0);
  const int j = (int) get_global_id (1);
  RETURN_IF_OUTSIDE (i, j, grid.x, grid.y);

  const uint mean = read_row (means, 0, means_stride, j)[i] >> format.y;

  STORE_RESULT (mean << 8, 0, 0, 0);
}

/* Arguments for the sums of windows; squares have the layout of sums. */
#define SUMS_ARGUMENTS                                                         \
  __global const SUM_T *restrict sums, const ulong sums_offset,                \
      const int4 frame, const int4 window, const uint border_value
#define SQUARES_ARGUMENTS                                                      \
  __global const uint *restrict squares, const ulong squares_offset

/* Results from the sum of each window. */
__kernel __attribute__ ((reqd_work_group_size (ITEMS, 4, 1))) void
operation_of_sums (PIXELS_ARGUMENTS, SUMS_ARGUMENTS, RESULTS_ARGUMENTS)
{
  const int border = BORDER_OF (format.w);
  const int i = (int) get_global_id (0);
  const int j = (int) get_global_id (1);
  RETURN_IF_OUTSIDE (i, j, grid.x, grid.y);

  const WindowAxis x = window_axis (i * grid.z, window.z, window.x, frame.x,
      border);
  const WindowAxis y = window_axis (j * grid.w, window.w, window.y, frame.y,
      border);
  const SUM_T sum = WINDOW (window_sum, SUM_T) (sums + sums_offset, frame.z,
                        frame.w, x, y, border) +
                    (SUM_T) (n_constant (x, y, border) * border_value);
  const uint mean = exact_fraction_cut (sum, (uint) (x.count * y.count),
      (uint) format.z);

  STORE_RESULT (mean, 0, 0, 0);
}

static inline Moments
window_moments (__global const SUM_T *sums, __global const uint *squares,
    const int4 frame, const int4 window, const int4 grid, const int border,
    const uint border_value, const int i, const int j)
{
  const WindowAxis x = window_axis (i * grid.z, window.z, window.x, frame.x,
      border);
  const WindowAxis y = window_axis (j * grid.w, window.w, window.y, frame.y,
      border);
  const ulong n_beyond = n_constant (x, y, border);
  const SUM_T sum = WINDOW (window_sum, SUM_T) (sums, frame.z, frame.w, x, y,
                        border) +
                    (SUM_T) (n_beyond * border_value);
  const ulong square = window_sum_SumPair ((__global const SumPair *) squares,
                           frame.z, frame.w, x, y, border) +
                       n_beyond * border_value * border_value;

  return moments_of (sum, square, (uint) (x.count * y.count));
}

/* Results from the sum of each window and that of its squares; only WOLF reads
 * extremes. */
__kernel __attribute__ ((reqd_work_group_size (ITEMS, 4, 1))) void
operation_of_moments (PIXELS_ARGUMENTS, SUMS_ARGUMENTS, SQUARES_ARGUMENTS,
    __global const uint *restrict extremes, RESULTS_ARGUMENTS)
{
  const int border = BORDER_OF (format.w);
  const int i = (int) get_global_id (0);
  const int j = (int) get_global_id (1);
  RETURN_IF_OUTSIDE (i, j, grid.x, grid.y);

  const uint2 of_frame = read_extremes (extremes, operation);
  const Moments moments = window_moments (sums + sums_offset,
      squares + squares_offset, frame, window, grid, border, border_value, i,
      j);

  STORE_RESULT (moments.mean, moments.deviation, of_frame.x, of_frame.y);
}

/* Sets the initial extremes, before each frame. */
__kernel __attribute__ ((reqd_work_group_size (1, 1, 1))) void
operation_clear (__global uint *restrict extremes)
{
  clear_extremes (extremes);
}

/* Largest deviation of all results, smallest code of all samples: first of each
 * work-group. */
__kernel __attribute__ ((reqd_work_group_size (ITEMS, 4, 1))) void
operation_extremes (PIXELS_ARGUMENTS, SUMS_ARGUMENTS, SQUARES_ARGUMENTS,
    const int4 grid, volatile __global uint *extremes)
{
  const int border = BORDER_OF (format.w);
  __local uint largest, smallest;
  const int i = (int) get_global_id (0);
  const int j = (int) get_global_id (1);
  const bool is_first = get_local_id (0) == 0 && get_local_id (1) == 0;

  if (is_first) {
    largest = 0;
    smallest = UINT_MAX;
  }
  barrier (CLK_LOCAL_MEM_FENCE);

  if (i < grid.x && j < grid.y)
    max_local (&largest,
        window_moments (sums + sums_offset, squares + squares_offset, frame,
            window, grid, border, border_value, i, j)
            .deviation);
  if (i < frame.x && j < frame.y)
    min_local (&smallest, PIXEL_AT (i, j));
  barrier (CLK_LOCAL_MEM_FENCE);

  if (is_first) {
    max_global (extremes, largest);
    min_global (extremes + 1, smallest);
  }
}
