/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* localmean/cpu.cl: means of windows, from an integral image, for CPU
 * devices
 *
 * Math      dst(i, j) is (sum + n / 2) / n over the window of window.x by
 *           window.y samples that starts at (i * grid.z - window.z, j * grid.w
 *           - window.w). n counts its samples inside the frame or, where
 *           BORDER_COUNTS, all of them; those outside are what BORDER says.
 * Shape     grid.x x grid.y results come from the integral image of frame.x x
 *           frame.y samples, one component of frame.w interleaved ones. With
 *           VECTORS, the integral image has one component and sums of 4 bytes.
 * Units     Window, anchor and step are in samples. sums_offset and frame.z,
 *           from row to row, are in sums; dst_offset and dst_stride in bytes.
 * Memory    sums_offset is that of S(1, 1): the zero row and column that a
 *           layout may store before it are not read. No two buffers overlap.
 * Launch    Local (1, 1, 1); as many work-items as there are bands of rows.
 * Range     Sums are modulo 2^32 or 2^64; n < 2^30.
 * Accuracy  Means are exact, halves round up, and results above SAMPLE_MAX
 *           become SAMPLE_MAX. The reference is
 *           tests/localmean/localmeanreference.c.
 * Source    F. C. Crow, "Summed-area tables for texture mapping", 1984. Vectors
 *           are explicit, as PoCL does not turn the loads and stores of a
 *           work-group into wide ones.
 */

#include "cl_border.clh"
#include "cl_common.clh"
#include "cl_exact.clh"
#include "cl_pixel.clh"
#include "cl_window.clh"

#ifndef SAMPLE_MAX
#define SAMPLE_MAX 255 /* largest code of a sample */
#endif
#ifndef VECTORS
#define VECTORS 1 /* 1: sixteen results at a time at steps of 1 */
#endif

/* Values that stay the same along a row of results. */
typedef struct {
  __global const SUM_T *sums; /* address of S(1, 1) */
  int4 frame, window, grid;
  WindowAxis y;
  uint border_value;
  __global SAMPLE_T *results;
} Row;

/* Results [begin, end) of a row, for windows of any extent. Not inlined, as it
 * is called in several places and takes long to compile. */
__attribute__ ((noinline)) static void
means_any (const Row *row, const int begin, const int end)
{
  for (int i = begin; i < end; i++) {
    const WindowAxis x = window_axis (i * row->grid.z, row->window.z,
        row->window.x, row->frame.x, BORDER);
    const SUM_T sum = WINDOW (window_sum, SUM_T) (row->sums, row->frame.z,
                          row->frame.w, x, row->y, BORDER) +
                      (SUM_T) (n_constant (x, row->y, BORDER) *
                               row->border_value);
    const uint mean = exact_mean_cut (sum, (uint) (x.count * row->y.count),
        SAMPLE_MAX);

    row->results[i * DST_PIXEL_STRIDE] = (SAMPLE_T) (mean << SAMPLE_SHIFT);
  }
}

#if VECTORS
/* Adds @times times sixteen sums of row @y of the frame, from @column on. */
static inline uint16
add_row (const uint16 sum, const Row *row, const int times, const int y,
    const long column)
{
  if (!times || y < 1)
    return sum;

  return sum +
         (uint) times *
             LOAD16 (uint, row->sums + (long) (y - 1) * row->frame.z + column);
}

/* S of the window's rows for sixteen columns from @column on; column 0 is that
 * of S(1, y). */
static inline uint16
window_columns (const Row *row, const long column)
{
  const Reach start = window_start (row->y, BORDER);
  const Reach end = window_end (row->y, BORDER);
  uint16 sum = 0;

  if (row->y.is_inside) {
    sum = LOAD16 (uint,
        row->sums + (long) (end.at - 1) * row->frame.z + column);
    if (start.at > 0)
      sum -= LOAD16 (uint,
          row->sums + (long) (start.at - 1) * row->frame.z + column);
    return sum;
  }

  sum = add_row (sum, row, end.times, end.at, column);
  sum = add_row (sum, row, -start.times, start.at, column);
  sum = add_row (sum, row, end.times_last - start.times_last, row->frame.y,
      column);
  sum = add_row (sum, row, end.times_before - start.times_before,
      row->frame.y - 1, column);

  return add_row (sum, row, end.times_first - start.times_first, 1, column);
}

/* S of the window's rows for column @column; column 0 is that of S(1, y). */
static inline uint
window_column (const Row *row, const int column)
{
  /* a window that ends with this column and starts with column 0 */
  const WindowAxis x = window_axis (0, 0, column + 1, row->frame.x, BORDER);

  return window_sum_uint ((__global const uint *) row->sums, row->frame.z,
      row->frame.w, x, row->y, BORDER);
}

/* Stores sixteen results from @i on: the means of windows with @sum over @n
 * samples. */
static inline void
store_results (const Row *row, const int i, const uint16 sum, const int16 n)
{
  const int16 cut = as_int16 (min (sum, as_uint16 (n * SAMPLE_MAX)));
  const int16 mean = exact_mean_int16 (cut, n, 1.0f / convert_float16 (n));

  store16_samples (CONVERT (SAMPLE16_T) (mean << SAMPLE_SHIFT),
      row->results + i * DST_PIXEL_STRIDE);
}

/* Stores sixteen results from @i on: the means of windows with @sum over the
 * same number @n of samples. */
static inline void
store_results_of_one_n (const Row *row, const int i, const uint16 sum,
    const int n)
{
  if (SAMPLE_MAX > 255 || n > SMALL_N) {
    store_results (row, i, sum, (int16) (n));
  } else {
    const int16 cut = as_int16 (min (sum, (uint16) ((uint) n * SAMPLE_MAX)));

    store16_samples (
        CONVERT (SAMPLE16_T) (exact_mean_small (cut, n, 1.0f / (float) n)),
        row->results + i * DST_PIXEL_STRIDE);
  }
}

/* Results [begin, end) of a row, at least sixteen, whose windows begin after
 * sample 0 and end inside the frame. The last sixteen may overlap those before:
 * the same work-item stores the same values again. Not inlined: inlined, its
 * constants lose their registers, and it takes a third longer. */
__attribute__ ((noinline)) static void
means_inside (const Row *row, const int begin, const int end)
{
  const WindowAxis whole = window_axis (0, 0, min (row->window.x, row->frame.x),
      row->frame.x, BORDER);
  const uint beyond = (uint) n_constant (whole, row->y, BORDER) *
                      row->border_value;

  for (int next = begin; next < end; next += 16) {
    const int i = min (next, end - 16);
    const long before = i - row->window.z - 1; /* column of S(start) */
    const uint16 sum = window_columns (row, before + row->window.x) -
                       window_columns (row, before) + beyond;

    store_results_of_one_n (row, i, sum, row->window.x * row->y.count);
  }
}

/* Results [begin, end) of windows that all begin at sample 0 or before
 * (@cuts_left), all end at the frame's edge or beyond (@cuts_right), or both.
 * Not for borders that map samples from elsewhere. */
static inline void
means_across (const Row *row, const int begin, const int end,
    const bool cuts_left, const bool cuts_right)
{
  const int4 frame = row->frame, window = row->window;
  const uint whole = window_column (row, frame.x - 1);
  const uint first = window_column (row, 0);
  const uint last = whole -
                    (frame.x > 1 ? window_column (row, frame.x - 2) : 0);

  for (int next = begin; next < end; next += 16) {
    const int i = min (next, end - 16);
    const int16 starts = INDICES16 + (i - window.z);
    const int16 ends = starts + window.x;
    const int16 n_inside = min (ends, (int16) (frame.x)) -
                           max (starts, (int16) (0));
    uint16 sum = whole;

    if (!cuts_right)
      sum = window_columns (row, (long) i - window.z + window.x - 1);
    if (!cuts_left)
      sum -= window_columns (row, (long) i - window.z - 1);

    if (!BORDER_COUNTS) {
      store_results (row, i, sum, n_inside * row->y.count);
      continue;
    }

    if (BORDER == BORDER_CONSTANT) {
      sum += row->border_value *
             as_uint16 (window.x * row->y.count - n_inside * row->y.n_inside);
    } else {
      if (cuts_left)
        sum += as_uint16 (-starts) * first;
      if (cuts_right)
        sum += as_uint16 (ends - frame.x) * last;
    }
    store_results_of_one_n (row, i, sum, window.x * row->y.count);
  }
}

/* Returns whether neighbouring results come from neighbouring sums, and those
 * sums, cut to a mean of the largest code, fit an int. */
static inline bool
suits_vectors (const Row *row)
{
  return row->grid.z == 1 &&
         (ulong) row->window.x * row->window.y * SAMPLE_MAX <= INT_MAX;
}

/* All results of a row, in up to three runs of windows of one kind. */
static inline void
means_of_row (const Row *row)
{
  /* first result after those whose window begins at or before sample 0, and
   * first whose window ends outside the frame */
  const int inside = row->window.z + 1;
  const int outside = row->frame.x - row->window.x + row->window.z + 1;
  int begin = 0;

  while (begin < row->grid.x) {
    int end = row->grid.x;

    if (begin < inside)
      end = min (end, inside);
    if (begin < outside)
      end = min (end, outside);

    const bool cuts_left = begin < inside;
    const bool cuts_right = begin >= outside;

    if (end - begin < 16)
      means_any (row, begin, end);
    else if (!cuts_left && !cuts_right)
      means_inside (row, begin, end);
    else if (BORDER_IS_NEAR)
      means_across (row, begin, end, cuts_left, cuts_right);
    else
      means_any (row, begin, end);
    begin = end;
  }
}
#endif

__kernel __attribute__ ((reqd_work_group_size (1, 1, 1))) void
localmean_cpu_means (__global const SUM_T *restrict sums,
    const ulong sums_offset, const int4 frame, __global uchar *restrict dst,
    const ulong dst_offset, const int dst_stride, const int4 window,
    const int4 grid, const uint border_value)
{
  const int band = (int) get_global_id (0);
  const int n_bands = (int) get_global_size (0);
  const int end_row = band_start (band + 1, n_bands, grid.y);

  for (int j = band_start (band, n_bands, grid.y); j < end_row; j++) {
    const Row row = {
      sums + sums_offset,
      frame,
      window,
      grid,
      window_axis (j * grid.w, window.w, window.y, frame.y, BORDER),
      border_value,
      write_row (dst, dst_offset, dst_stride, j),
    };

#if VECTORS
    if (suits_vectors (&row)) {
      means_of_row (&row);
      continue;
    }
#endif
    means_any (&row, 0, grid.x);
  }
}

/* dst(i, j) = src(start_x + i * grid.z, start_y + j * grid.w). */
__kernel __attribute__ ((reqd_work_group_size (1, 1, 1))) void
localmean_cpu_copy (__global const uchar *restrict src, const ulong src_offset,
    const int src_stride, const int start_x, const int start_y,
    __global uchar *restrict dst, const ulong dst_offset, const int dst_stride,
    const int4 grid)
{
  const int band = (int) get_global_id (0);
  const int n_bands = (int) get_global_size (0);
  const int end_row = band_start (band + 1, n_bands, grid.y);

  for (int j = band_start (band, n_bands, grid.y); j < end_row; j++) {
    __global const SAMPLE_T *restrict from = read_row (src, src_offset,
                                                 src_stride,
                                                 start_y + j * grid.w) +
                                             start_x * PIXEL_STRIDE;
    __global SAMPLE_T *restrict to = write_row (dst, dst_offset, dst_stride, j);
    int i = 0;

    for (; grid.z == 1 && i + 16 <= grid.x; i += 16)
      store16_samples (load16_samples (from + i * PIXEL_STRIDE),
          to + i * DST_PIXEL_STRIDE);
    for (; i < grid.x; i++)
      to[i * DST_PIXEL_STRIDE] = from[i * grid.z * PIXEL_STRIDE];
  }
}
