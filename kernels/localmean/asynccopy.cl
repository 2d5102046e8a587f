/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* localmean/asynccopy.cl: means of windows, from an integral image, by
 * asynchronous copies to local memory
 *
 * Math      That of localmean/plain.cl.
 * Shape     As in localmean/plain.cl.
 * Units     As in localmean/plain.cl.
 * Memory    As in localmean/plain.cl.
 * Launch    Local (64, 1), a work-group for a strip of 64 * RESULTS_PER_ITEM
 *           results of a row.
 * Range     Sums are modulo 2^32 or 2^64; n < 2^30.
 * Accuracy  Means are exact, halves round up, and results above the largest
 *           code format.z become format.z. The reference is
 *           tests/localmean/localmeanreference.c.
 * Source    Copies to local memory are those of the OpenCL 1.2 specification,
 *           6.12.10.
 *
 * localmean_async computes a strip of results of one row. The corners of their
 * windows are in two rows of the integral image, with some borders in up to
 * five. For each row, the right corners and then the left ones are copied to
 * local memory:
 *
 *              beyond |     inside the frame, 1 .. frame.x      | beyond
 *     sums      c   c |   c   c   c   c   c   c   c   c   c   c |   c   c
 *                     |   grid.z columns from one to the next   |
 *     k         0   1 |   inside.x                              |   inside.y
 *
 *     corners[k]      |                                         |
 *     come by   items |   one asynchronous copy                 |   items
 *     are read by work-item k % ITEMS, in its register k / ITEMS
 *
 * The corners beyond the frame are the halo: the work-item that reads such a
 * corner computes it from sums inside, by the border. Each work-item adds or
 * subtracts its corners in registers, and a barrier ends the round. One more
 * copy stores the means from means[].
 */

#include "cl_border.clh"
#include "cl_common.clh"
#include "cl_meansample.clh"
#include "cl_pixel.clh"
#include "cl_window.clh"

#define STRIP (ITEMS * RESULTS_PER_ITEM)

/* The share of one row of the integral image in a window's sum: the vertical
 * formula of WindowAxis, by row. */
typedef struct {
  int row; /* 1 .. height */
  int times;
} RowTerm;

/* Number of row terms for a border. */
static inline int
n_row_terms (const int border)
{
  if (border_is_empty (border))
    return 2;

  return border == BORDER_REFLECT_101 ? 5 : 3;
}

static inline RowTerm
row_term_of (const int term, const WindowAxis y, const int border)
{
  const Reach start = window_start (y, border), end = window_end (y, border);
  RowTerm result;

  if (term == 0) {
    result.row = end.at;
    result.times = end.times;
  } else if (term == 1) {
    result.row = start.at;
    result.times = -start.times;
  } else if (term == 2 && border != BORDER_REPLICATE) {
    result.row = y.size;
    result.times = end.times_last - start.times_last;
  } else if (term == 4) {
    result.row = 1;
    result.times = end.times_first - start.times_first;
  } else {
    result.row = y.size - 1;
    result.times = end.times_before - start.times_before;
  }

  /* S of no rows is zero */
  if (result.row < 1)
    result.times = 0;
  result.row = max (result.row, 1);

  return result;
}

/* For @count corners from S(first) on, @step apart, returns the range that is
 * within 1 .. @width: from .x on, up to but not including .y. */
static inline int2
corners_inside (const int first, const int step, const int count,
    const int width)
{
  const int begin = first >= 1 ? 0 : min ((step - first) / step, count);
  const int fit = first <= width ? (width - first) / step + 1 : 0;

  return (int2) (begin, clamp (fit, begin, count));
}

/* The corners of a strip of results are copied to one local buffer, a row at a
 * time, and summed in registers. One asynchronous copy loads the corners inside
 * the frame; the work-items that read the other corners compute them. The
 * barrier after each use is necessary: the next copy may run at any time
 * between its start and its wait, and must not overwrite values that a slower
 * work-item has yet to read. Copies and waits are in the kernel itself: PoCL
 * 3.1 computes wrong results if a function that waits is called twice and not
 * inlined. */
__kernel __attribute__ ((reqd_work_group_size (ITEMS, 1, 1))) void
localmean_async (__global const SUM_T *restrict sums, const ulong sums_offset,
    const int4 frame, __global uchar *restrict dst, const ulong dst_offset,
    const int dst_stride, const int4 window, const int4 grid,
    const uint border_value, const int4 format)
{
  const int border = BORDER_OF (format.w);
  __local SUM_T corners[STRIP];
  __local SAMPLE_T means[STRIP];
  const int item = (int) get_local_id (0);
  const int strip = (int) get_group_id (0) * STRIP;
  const int count = min (STRIP, grid.x - strip);
  const int j = (int) get_group_id (1);
  const WindowAxis y = window_axis (j * grid.w, window.w, window.y, frame.y,
      border);
  SUM_T window_sums[RESULTS_PER_ITEM];

  for (int r = 0; r < RESULTS_PER_ITEM; r++)
    window_sums[r] = 0;

  for (int corner = 0; corner < 2 * n_row_terms (border); corner++) {
    const bool is_right = corner % 2 == 0;
    const RowTerm term = row_term_of (corner / 2, y, border);
    const SUM_T times = (SUM_T) (long) (is_right ? term.times : -term.times);
    const int first = strip * grid.z - window.z + (is_right ? window.x : 0);
    const int2 inside = corners_inside (first, grid.z, count, frame.x);
    const int from = inside.x < inside.y ? first + inside.x * grid.z : 1;
    __global const SUM_T *row = sums + sums_offset +
                                (long) (term.row - 1) * frame.z;

    event_t copied = async_work_group_strided_copy (corners + inside.x,
        row + (from - 1) * (long) frame.w, (size_t) (inside.y - inside.x),
        (size_t) grid.z * frame.w, 0);
    for (int k = item; k < count; k += ITEMS) {
      if (k < inside.x || k >= inside.y)
        corners[k] = WINDOW (sum_at, SUM_T) (row,
            reach (first + k * grid.z, frame.x, border), frame.x, frame.w);
    }
    wait_group_events (1, &copied);

    /* no READ_ONCE(), which costs 8 % on a CPU: PoCL 7.1 does not load a value
     * again that a condition has selected */
    for (int r = 0; r < RESULTS_PER_ITEM; r++) {
      if (item + r * ITEMS < count)
        window_sums[r] += times * corners[item + r * ITEMS];
    }
    barrier (CLK_LOCAL_MEM_FENCE);
  }

  for (int r = 0; r < RESULTS_PER_ITEM; r++) {
    const int k = item + r * ITEMS;

    if (k < count) {
      const WindowAxis x = window_axis ((strip + k) * grid.z, window.z,
          window.x, frame.x, border);
      const SUM_T sum = window_sums[r] +
                        (SUM_T) (n_constant (x, y, border) * border_value);

      means[k] = mean_sample (sum, (uint) (x.count * y.count), format);
    }
  }
  barrier (CLK_LOCAL_MEM_FENCE);

  __global SAMPLE_T *results = write_row (dst, dst_offset, dst_stride, j) +
                               strip * format.x;
  event_t written = async_work_group_strided_copy (results, means,
      (size_t) count, (size_t) format.x, 0);
  wait_group_events (1, &written);
}
