/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* clbench/windows.cl: means of windows, whose corners are copied asynchronously
 * from an integral image to local memory
 *
 * Math      dst(i, j) is (sum + n / 2) / n over the window of n = window.x *
 *           window.y samples that starts at (i * grid.z, j * grid.w):
 *
 *               S(left, top)     S(right, top)        right  = left + window.x
 *               S(left, bottom)  S(right, bottom)     bottom = top  + window.y
 *
 *               sum = S(right, bottom) - S(left, bottom)
 *                   - S(right, top)    + S(left, top)
 *
 * Shape     grid.x x grid.y results. All windows are inside the frame.
 * Units     window.x, window.y and the steps grid.z, grid.w are in samples,
 *           window.z, a strip, is in results.
 * Memory    sums is S(0, 0) of an integral image with its zero row and column,
 *           rows row_sums apart. dst is tightly packed. No two buffers overlap.
 * Launch    Local (64, 1). A work-group computes a strip of a row of results:
 *           STRIP results in windows_one_buffer, windows_no_barriers and
 *           windows_four_buffers; window.z in windows_contiguous, at most
 *           STRIP, with (window.z - 1) * grid.z + window.x < SPAN.
 * Range     Sums are modulo 2^32; a window's own sum is at most 255 * n.
 * Accuracy  Exact, halves round up; except windows_no_barriers, which is wrong.
 * Source    F. C. Crow, "Summed-area tables for texture mapping", 1984. Copies
 *           to local memory are those of the OpenCL 1.2 specification, 6.12.10:
 *           all work-items of a group call them, with the same arguments, and
 *           they order nothing by themselves.
 *
 * WITH_BARRIERS=0 turns windows_one_buffer into windows_no_barriers. In both a
 * work-item reads four adjacent corners. On devices where work-items do the
 * copying, other work-items have copied most of them.
 */

#include "cl_common.clh"
#include "cl_exact.clh"

#ifndef WITH_BARRIERS
#define WITH_BARRIERS 1 /* between the uses of a local buffer */
#endif

#define ITEMS 64
#define STRIP (4 * ITEMS) /* results of a work-group: four of each work-item */
#define SPAN  1088        /* capacity of a work-group in sums of a row */

#if WITH_BARRIERS
#define ONE_BUFFER          windows_one_buffer
#define BEFORE_THE_NEXT_USE barrier (CLK_LOCAL_MEM_FENCE)
#else
#define ONE_BUFFER windows_no_barriers
#define BEFORE_THE_NEXT_USE
#endif

static inline uchar
mean (const uint sum, const int4 window)
{
  return (uchar) exact_mean_cut (sum, (uint) (window.x * window.y), 255);
}

static inline uchar4
four_means (const uint4 sums, const int4 window)
{
  return (uchar4) (mean (sums.x, window), mean (sums.y, window),
      mean (sums.z, window), mean (sums.w, window));
}

/* One local buffer for all four corners. The barrier is necessary: the next
 * copy may run at any time between its start and its wait, and must not
 * overwrite values that a slower work-item has yet to read. */
__kernel __attribute__ ((reqd_work_group_size (ITEMS, 1, 1))) void
ONE_BUFFER (__global const uint *restrict sums, const int row_sums,
    __global uchar *restrict dst, const int4 window, const int4 grid)
{
  __local uint4 corners[ITEMS];
  __local uchar4 means[ITEMS];
  const int item = (int) get_local_id (0);
  const int strip = (int) get_group_id (0) * STRIP;
  const int count = min (STRIP, grid.x - strip);
  const int j = (int) get_group_id (1);
  __global const uint *top_left = sums + (long) j * grid.w * row_sums +
                                  (long) strip * grid.z;
  uint4 window_sums = 0;

  for (int corner = 0; corner < 4; corner++) {
    const int right = corner % 2 == 0 ? window.x : 0;
    const int bottom = corner < 2 ? window.y : 0;
    const bool is_added = corner == 0 || corner == 3;

    event_t copied = async_work_group_strided_copy ((__local uint *) corners,
        top_left + (long) bottom * row_sums + right, (size_t) count,
        (size_t) grid.z, 0);
    wait_group_events (1, &copied);

    const uint4 values = READ_ONCE (corners[item]);

    window_sums += is_added ? values : -values;
    BEFORE_THE_NEXT_USE;
  }

  means[item] = four_means (window_sums, window);
  barrier (CLK_LOCAL_MEM_FENCE);

  event_t written = async_work_group_copy (dst + (long) j * grid.x + strip,
      (__local uchar *) means, (size_t) count, 0);
  wait_group_events (1, &written);
}

/* A local buffer for each corner, one wait for all four copies. */
__kernel __attribute__ ((reqd_work_group_size (ITEMS, 1, 1))) void
windows_four_buffers (__global const uint *restrict sums, const int row_sums,
    __global uchar *restrict dst, const int4 window, const int4 grid)
{
  __local uint4 corners[4][ITEMS];
  __local uchar4 means[ITEMS];
  const int item = (int) get_local_id (0);
  const int strip = (int) get_group_id (0) * STRIP;
  const int count = min (STRIP, grid.x - strip);
  const int j = (int) get_group_id (1);
  __global const uint *top_left = sums + (long) j * grid.w * row_sums +
                                  (long) strip * grid.z;
  event_t copied = 0;

  for (int corner = 0; corner < 4; corner++) {
    const int right = corner % 2 == 0 ? window.x : 0;
    const int bottom = corner < 2 ? window.y : 0;

    copied = async_work_group_strided_copy ((__local uint *) corners[corner],
        top_left + (long) bottom * row_sums + right, (size_t) count,
        (size_t) grid.z, copied);
  }
  wait_group_events (1, &copied);

  means[item] = four_means (corners[0][item] - corners[1][item] -
                                corners[2][item] + corners[3][item],
      window);
  barrier (CLK_LOCAL_MEM_FENCE);

  event_t written = async_work_group_copy (dst + (long) j * grid.x + strip,
      (__local uchar *) means, (size_t) count, 0);
  wait_group_events (1, &written);
}

/* Copies all sums of two rows, from the first left corner to the last right
 * one: left and right corners are read from the same copy, grid.z sums
 * apart. */
__kernel __attribute__ ((reqd_work_group_size (ITEMS, 1, 1))) void
windows_contiguous (__global const uint *restrict sums, const int row_sums,
    __global uchar *restrict dst, const int4 window, const int4 grid)
{
  __local uint top[SPAN], bottom[SPAN];
  __local uchar means[STRIP];
  const int item = (int) get_local_id (0);
  const int strip = (int) get_group_id (0) * window.z;
  const int count = min (window.z, grid.x - strip);
  const int j = (int) get_group_id (1);
  const size_t span = (size_t) ((count - 1) * grid.z + window.x + 1);
  __global const uint *top_left = sums + (long) j * grid.w * row_sums +
                                  (long) strip * grid.z;

  event_t copied = async_work_group_copy (top, top_left, span, 0);
  copied = async_work_group_copy (bottom, top_left + (long) window.y * row_sums,
      span, copied);
  wait_group_events (1, &copied);

  for (int k = item; k < count; k += ITEMS) {
    const int left = k * grid.z, right = left + window.x;

    means[k] = mean (bottom[right] - bottom[left] - top[right] + top[left],
        window);
  }
  barrier (CLK_LOCAL_MEM_FENCE);

  event_t written = async_work_group_copy (dst + (long) j * grid.x + strip,
      means, (size_t) count, 0);
  wait_group_events (1, &written);
}
