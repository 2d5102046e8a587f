/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* cpu/localmean.cl: means of a window, one work-item for a band of rows
 *
 * Math      as ../localmean.cl.
 * Shape     as ../localmean.cl; with VECTORS the step along a row is 1, the
 *           integral image has one component and 4-byte sums.
 * Units     as ../localmean.cl.
 * Memory    as ../localmean.cl.
 * Launch    local (1, 1, 1); as many work-items as bands of rows.
 * Range     as ../localmean.cl; with VECTORS n * SAMPLE_MAX < 2^31.
 * Accuracy  exact, halves round up; results above SAMPLE_MAX become SAMPLE_MAX;
 *           tests/kernels/ref/localmean.c.
 * Source    as ../localmean.cl; why vectors by hand: work-groups that PoCL
 *           turns into loops do not become wide loads and stores.
 */
#ifndef CL_COMMON_CLH
#include "cl_common.clh"
#endif
#ifndef CL_PIXEL_CLH
#include "cl_pixel.clh"
#endif
#ifndef CL_EXACT_CLH
#include "cl_exact.clh"
#endif

#ifndef SAMPLE_MAX
#define SAMPLE_MAX 255 /* largest sample */
#endif
#ifndef VECTORS
#define VECTORS 1 /* 1: sixteen results at a time where n is constant */
#endif

/* Results [begin, end) of a row, windows of any extent. */
static inline void
means_any (const WindowRows rows, const int4 frame, const int4 window,
    const int4 grid, const int n_rows, const int begin, const int end,
    __global SAMPLE_T *restrict dst)
{
  for (int i = begin; i < end; i++) {
    const WindowAxis x = window_axis (i * grid.z, window.z, window.x, frame.x);
    const SUM_T sum = window_sum (rows, x, frame.x, frame.w);

    dst[i * DST_PIXEL_STRIDE] = (SAMPLE_T) exact_mean_cut (sum,
        (uint) (x.count * n_rows), SAMPLE_MAX);
  }
}

#if VECTORS
/* window_column() of sixteen columns from @column on. */
static inline uint16
window_columns (const WindowRows rows, const long column)
{
  uint16 sum = LOAD16 (uint, rows.end + column);

  if (rows.start)
    sum -= LOAD16 (uint, rows.start + column);
  if (REPLICATE && rows.before > 0)
    sum += rows.before * LOAD16 (uint, rows.first + column);
  if (REPLICATE && rows.after > 0) {
    sum += rows.after * LOAD16 (uint, rows.last + column);
    if (rows.before_last)
      sum -= rows.after * LOAD16 (uint, rows.before_last + column);
  }

  return sum;
}

#define LANES ((int16) (0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15))

/* Means of windows of n samples each, means above SAMPLE_MAX cut to it. */
static inline int16
means_of_one_n (const uint16 sum, const int n)
{
  const int16 cut = as_int16 (min (sum, (uint) n * SAMPLE_MAX));
  const float inverse = 1.0f / (float) n;

  if (SAMPLE_MAX <= 255 && n <= SMALL_N)
    return exact_mean_small (cut, n, inverse);
  return exact_mean_int16 (cut, n, inverse);
}

static inline int16
means_of_many_n (const uint16 sum, const int16 n)
{
  const int16 cut = as_int16 (min (sum, as_uint16 (n * SAMPLE_MAX)));

  return exact_mean_int16 (cut, n, 1.0f / convert_float16 (n));
}

/* Results [begin, end) of a row, at least sixteen, whose windows begin after
 * sample 0 and end inside the frame. The last sixteen may overlap those before:
 * the same values once more, from the same work-item. Not inlined: among the
 * rest of the kernel its constants lose their registers, and it takes a third
 * longer. */
__attribute__ ((noinline)) static void
means_inside (const WindowRows rows, const int4 window, const int n_rows,
    const int begin, const int end, __global SAMPLE_T *restrict dst)
{
  for (int next = begin; next < end; next += 16) {
    const int i = min (next, end - 16);
    const long before = i - window.z - 1; /* column of S(start) */
    const uint16 sum = window_columns (rows, before + window.x) -
                       window_columns (rows, before);
    const int16 mean = means_of_one_n (sum, window.x * n_rows);

    store16_samples (CONVERT (SAMPLE16_T) (mean), dst + i * DST_PIXEL_STRIDE);
  }
}

/* The same for windows that all begin at sample 0 or before (@cuts_left), or
 * all end at the frame's edge or beyond (@cuts_right), or both. */
static inline void
means_across (const WindowRows rows, const int4 frame, const int4 window,
    const int n_rows, const int begin, const int end, const bool cuts_left,
    const bool cuts_right, __global SAMPLE_T *restrict dst)
{
  const uint whole = window_column (rows, frame.x - 1);
  const uint first = window_column (rows, 0);
  const uint last = whole -
                    (frame.x > 1 ? window_column (rows, frame.x - 2) : 0);

  for (int next = begin; next < end; next += 16) {
    const int i = min (next, end - 16);
    const int16 starts = LANES + (i - window.z);
    const int16 ends = starts + window.x;
    uint16 sum = whole;
    int16 mean;

    if (!cuts_right)
      sum = window_columns (rows, (long) i - window.z + window.x - 1);
    if (!cuts_left)
      sum -= window_columns (rows, (long) i - window.z - 1);

    if (REPLICATE) {
      if (cuts_left)
        sum += as_uint16 (-starts) * first;
      if (cuts_right)
        sum += as_uint16 (ends - frame.x) * last;
      mean = means_of_one_n (sum, window.x * n_rows);
    } else {
      mean = means_of_many_n (sum,
          (min (ends, frame.x) - max (starts, 0)) * n_rows);
    }

    store16_samples (CONVERT (SAMPLE16_T) (mean), dst + i * DST_PIXEL_STRIDE);
  }
}

/* All results of a row, in up to three runs of windows that are alike. */
static inline void
means_of_row (const WindowRows rows, const int4 frame, const int4 window,
    const int4 grid, const int n_rows, __global SAMPLE_T *restrict dst)
{
  /* the first windows that begin after sample 0 and end outside the frame */
  const int inside = window.z + 1;
  const int outside = frame.x - window.x + window.z + 1;
  int begin = 0;

  while (begin < grid.x) {
    int end = grid.x;

    if (begin < inside)
      end = min (end, inside);
    if (begin < outside)
      end = min (end, outside);

    const bool cuts_left = begin < inside;
    const bool cuts_right = begin >= outside;

    if (end - begin < 16)
      means_any (rows, frame, window, grid, n_rows, begin, end, dst);
    else if (cuts_left || cuts_right)
      means_across (rows, frame, window, n_rows, begin, end, cuts_left,
          cuts_right, dst);
    else
      means_inside (rows, window, n_rows, begin, end, dst);
    begin = end;
  }
}
#endif

__kernel __attribute__ ((reqd_work_group_size (1, 1, 1))) void
localmean_cpu_means (__global const SUM_T *restrict sums,
    const ulong sums_offset, const int4 frame, __global uchar *restrict dst,
    const ulong dst_offset, const int dst_stride, const int4 window,
    const int4 grid)
{
  const int band = (int) get_global_id (0);
  const int n_bands = (int) get_global_size (0);
  const int end_row = band_start (band + 1, n_bands, grid.y);

  for (int j = band_start (band, n_bands, grid.y); j < end_row; j++) {
    const WindowAxis y = window_axis (j * grid.w, window.w, window.y, frame.y);
    const WindowRows rows = window_rows (sums + sums_offset, frame.z, y,
        frame.y);
    __global SAMPLE_T *restrict results = write_row (dst, dst_offset,
        dst_stride, j);

#if VECTORS
    means_of_row (rows, frame, window, grid, y.count, results);
#else
    means_any (rows, frame, window, grid, y.count, 0, grid.x, results);
#endif
  }
}

/* dst(i, j) = src(start_x + i * grid.z, start_y + j * grid.w); with VECTORS
 * grid.z is 1. */
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

#if VECTORS
    for (; i + 16 <= grid.x; i += 16)
      store16_samples (load16_samples (from + i * PIXEL_STRIDE),
          to + i * DST_PIXEL_STRIDE);
#endif
    for (; i < grid.x; i++)
      to[i * DST_PIXEL_STRIDE] = from[i * grid.z * PIXEL_STRIDE];
  }
}
