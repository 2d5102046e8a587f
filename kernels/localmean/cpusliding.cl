/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* localmean/cpusliding.cl: means of any windows straight from samples, for
 * CPU devices
 *
 * Math      dst(i, j) is (sum + n / 2) / n over the window of window.x by
 *           window.y samples that starts at (i * grid.z - window.z, j * grid.w
 *           - window.w). n counts its samples inside the frame or, where
 *           BORDER_COUNTS, all of them.
 * Shape     frame.x x frame.y samples, grid.x x grid.y results.
 * Units     Window, anchor and step are in samples; offsets and strides in
 *           bytes; frame.z is in elements; frame.w is the value of a sample
 *           outside.
 * Memory    The scratch memory has SLIDING_SCRATCH_ROWS rows for each band, of
 *           frame.z elements of 4 bytes, frame.z >= frame.x + window.x + 64. No
 *           two buffers overlap.
 * Launch    Local (1, 1, 1); as many work-items as there are bands of rows.
 * Range     window.x * window.y * SAMPLE_MAX < 2^32; both sizes are below 2^15.
 * Accuracy  Means are exact, halves round up. The reference is
 *           tests/localmean/localmeanreference.c.
 * Source    Sums of columns run down the frame: M. J. McDonnell, "Box-filtering
 *           techniques", 1981.
 */

#include "cl_border.clh"
#include "cl_exact.clh"
#include "cl_pixel.clh"
#include "cl_sliding.clh"
#include "cl_sliding16.clh"

/* cl_sliding16.clh has kernels: windows change while frames flow, from one
 * kernel to another of the same program. */

static inline uint
mean_of (const uint sum, const int n)
{
  return exact_mean_uint (sum, (uint) n, 1.0f / (float) n);
}

/* One row of results from prefix sums; @n_rows of the window count. */
SLIDING_CALLED static void
means_of_prefix (const SlidingPlane plane, const int4 window, const int4 grid,
    const int n_rows, __global SAMPLE_T *restrict dst)
{
  __global const uint *restrict prefix = sliding_scratch (plane,
      SLIDING_PREFIX);
  const bool is_int = (ulong) window.x * window.y * SAMPLE_MAX <= INT_MAX;
  const int n = window.x * n_rows;
  const float inverse = 1.0f / (float) n;
  int i = 0;

  while (i < grid.x) {
    const int start = i * grid.z - window.z;
    const int count = border_count (start, window.x, plane.width);

    /* sixteen neighbours whose windows count all their samples */
    if (grid.z == 1 && is_int && count == window.x && i + 16 <= grid.x &&
        border_count (start + 15, window.x, plane.width) == window.x) {
      const int16 sum = as_int16 (
          LOAD16 (uint, prefix + i + window.x) - LOAD16 (uint, prefix + i));
      const int16 mean = SAMPLE_MAX <= 255 && n <= SMALL_N
                             ? exact_mean_small (sum, n, inverse)
                             : exact_mean_int16 (sum, n, inverse);

      sliding_store16 (CONVERT (SAMPLE16_T) (mean), dst, i, grid.x);
      i += 16;
    } else {
      sliding_store (
          mean_of (prefix[i * grid.z + window.x] - prefix[i * grid.z],
              count * n_rows),
          dst, i);
      i++;
    }
  }
}

__kernel __attribute__ ((reqd_work_group_size (1, 1, 1))) void
localmean_sliding_cpu_any (__global const uchar *restrict src,
    const ulong src_offset, const int src_stride, const int4 frame,
    __global uchar *restrict dst, const ulong dst_offset, const int dst_stride,
    const int4 window, const int4 grid, __global uint *scratch)
{
  const int band = (int) get_global_id (0);
  const int n_bands = (int) get_global_size (0);
  const int first = band_start (band, n_bands, grid.y);
  const int end_row = band_start (band + 1, n_bands, grid.y);
  const int end = (grid.x - 1) * grid.z + window.x;
  const SlidingPlane plane = sliding_open (src, src_offset, src_stride, frame,
      scratch);

  for (int j = first; j < end_row; j++) {
    const int top = j * grid.w - window.w;

    if (j == first || 2 * grid.w >= window.y) {
      sliding_sum_columns (plane, top, window.y);
    } else {
      for (int y = top - grid.w; y < top; y++)
        sliding_exchange_rows (sliding_row (plane, y + window.y),
            sliding_row (plane, y), plane.width,
            sliding_scratch (plane, SLIDING_COLUMNS));
    }
    sliding_prefix (plane, window, end);
    means_of_prefix (plane, window, grid,
        border_count (top, window.y, plane.height),
        write_row (dst, dst_offset, dst_stride, j));
  }
}
