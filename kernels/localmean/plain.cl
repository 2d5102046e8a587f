/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* localmean/plain.cl: means of windows, from an integral image, on any
 * device
 *
 * Math      dst(i, j) is (sum + n / 2) / n over the window of window.x by
 *           window.y samples that starts at (i * grid.z - window.z, j * grid.w
 *           - window.w). n counts its samples inside the frame or, where
 *           border_counts(), all of them; those outside are those of the border
 *           format.w, a BORDER_ of cl_border.clh.
 * Shape     grid.x x grid.y results come from the integral image of frame.x x
 *           frame.y samples, one component of frame.w interleaved ones.
 * Units     Window, anchor and step are in samples. sums_offset and frame.z,
 *           from row to row, are in sums; dst_offset and dst_stride in bytes.
 *           Results are format.x samples apart, codes have format.y unused bits
 *           below them.
 * Memory    sums_offset is that of S(1, 1): the zero row and column that a
 *           layout may store before it are not read. No two buffers overlap.
 * Launch    Local (64, 4), a work-item for RESULTS_PER_ITEM results of a
 *           column.
 * Range     Sums are modulo 2^32 or 2^64; n < 2^30.
 * Accuracy  Means are exact, halves round up, and results above the largest
 *           code format.z become format.z. The reference is
 *           tests/localmean/localmeanreference.c.
 * Source    F. C. Crow, "Summed-area tables for texture mapping", 1984.
 */

#include "cl_border.clh"
#include "cl_common.clh"
#include "cl_meansample.clh"
#include "cl_pixel.clh"
#include "cl_window.clh"

/* Loads each corner from global memory. Neighbours in a row read neighbouring
 * sums, so that all accesses coalesce at step 1. */
__kernel __attribute__ ((reqd_work_group_size (ITEMS, 4, 1))) void
localmean_direct (__global const SUM_T *restrict sums, const ulong sums_offset,
    const int4 frame, __global uchar *restrict dst, const ulong dst_offset,
    const int dst_stride, const int4 window, const int4 grid,
    const uint border_value, const int4 format)
{
  const int border = BORDER_OF (format.w);
  const int i = (int) get_global_id (0);
  const int first_row = (int) get_global_id (1) * RESULTS_PER_ITEM;
  RETURN_IF_OUTSIDE (i, first_row, grid.x, grid.y);

  const int end_row = min (first_row + RESULTS_PER_ITEM, grid.y);
  const WindowAxis x = window_axis (i * grid.z, window.z, window.x, frame.x,
      border);

  for (int j = first_row; j < end_row; j++) {
    const WindowAxis y = window_axis (j * grid.w, window.w, window.y, frame.y,
        border);
    const SUM_T sum = WINDOW (window_sum, SUM_T) (sums + sums_offset, frame.z,
                          frame.w, x, y, border) +
                      (SUM_T) (n_constant (x, y, border) * border_value);

    write_row (dst, dst_offset, dst_stride, j)[i * format.x] = mean_sample (sum,
        (uint) (x.count * y.count), format);
  }
}
