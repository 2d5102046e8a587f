/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* localmean/gpu.cl: means of windows straight from samples, for GPUs
 *
 * Math      dst(i, j) is (sum + n / 2) / n over the window of window.x by
 *           window.y samples that starts at (i * grid.z - window.z, j * grid.w
 *           - window.w). n counts its samples inside the frame or, where
 *           BORDER_COUNTS, all of them.
 * Shape     frame.x x frame.y samples, grid.x x grid.y results. A tile is 4 *
 *           LINE_LANES columns of the frame, from a multiple of four on, and
 *           the tile.x results of a row whose windows they hold: (the first
 *           result's column modulo 4) + (tile.x - 1) * grid.z + window.x <= 4 *
 *           LINE_LANES.
 * Units     Window, anchor and step are in samples; offsets and strides of rows
 *           in bytes; tile.y and tile.z, the strides of pixels from and to, in
 *           samples; frame.w is the value of a sample outside.
 * Memory    tile.w has SOURCE_QUADS where every fourth sample of a row can be
 *           loaded with the three after it at once, and RESULT_QUADS where that
 *           holds for stores and tile.x is a multiple of four. No two buffers
 *           overlap.
 * Launch    Local (LINE_LANES, LINE_GROUPS, 1). Global x: a work-group for
 *           tile.x results of a row. Global y: a work-item for ROWS rows, or
 *           with _sparse a work-group for a row.
 * Range     window.x * window.y * SAMPLE_MAX < 2^32; window.y < 2^15. _narrow:
 *           window.x * window.y <= 256, grid.w 1 and an even ROWS. _wide:
 *           window.y * SAMPLE_MAX < 2^16 and grid.w 1. _any: grid.w 1.
 * Accuracy  Means are exact, halves round up. The reference is
 *           tests/localmean/localmeanreference.c.
 * Source    Running sums: M. J. McDonnell, "Box-filtering techniques", 1981.
 *           Timings are in docs/performance.md.
 *
 * The tiles of all kernels but _sparse are drawn in cl_windowtile.clh. Around
 * the results of a tile is the halo that its windows reach:
 *
 *       t.left, a multiple of four or up to three after one
 *    +--+------------------------------------+---+
 *    |  .  window.w rows above               .   |    4 * LINE_LANES columns,
 *    +..+------------------------------------+...+    four by each lane;
 *    |  |  tile.x results a row, at steps of |   |    TILE_LINES - 1 + window.y
 *    |  |  grid.z; TILE_LINES rows           |   |    rows and one above, dealt
 *    +..+------------------------------------+...+    to the row groups
 *    |  .  window.y - 1 - window.w below     .   |
 *    +--+------------------------------------+---+
 *    window.z columns             window.x - 1 - window.z columns
 *
 * A tile of _sparse is one row of results: the row groups share the window.y
 * rows of its windows, TILE_LOADS rows at a time, and add up their sums of
 * columns.
 */

#include "cl_border.clh"
#include "cl_common.clh"
#include "cl_exact.clh"
#include "cl_line.clh"
#include "cl_pixel.clh"
#include "cl_quad.clh"
#include "cl_surround.clh"
#include "cl_windowtile.clh"

#ifndef SAMPLE_MAX
#define SAMPLE_MAX 255 /* largest value of a sample */
#endif

/* ---- means ---- */

/* @is_small: n is at most SMALL_N. */
static ALWAYS_INLINE uint
mean_by_count (const uint sum, const uint n, const float inverse,
    const bool is_small)
{
  if (SAMPLE_MAX <= 255 && is_small)
    return (uint) (((float) sum + ((float) (n / 2) + 0.5f)) * inverse);

  return exact_mean_uint (sum, n, inverse);
}

static ALWAYS_INLINE QUAD_T
pack_means (const uint4 means)
{
#if SAMPLE_MAX <= 255
  return means.x | means.y << 8 | means.z << 16 | means.w << 24;
#else
  return (uint2) (means.x | means.y << 16, means.z | means.w << 16)
         << SAMPLE_SHIFT;
#endif
}

/* Four means with the same divisor. @sums: below 2^31, with divisor.z added. */
static ALWAYS_INLINE QUAD_T
divide_quad (const uint4 sums, const uint4 divisor)
{
  return pack_means (mul_hi (sums, (uint4) (divisor.x)) >> divisor.y);
}

/* Four means of up to 256 samples of 8 bits, with divisor.z added. divisor.x is
 * 2^24 / n, rounded up; its error is less than 1 / (2 * n) of a mean for sums
 * up to 255.5 * n. Means are the highest bytes of the products. */
static ALWAYS_INLINE uint
divide_narrow_quad (const uint4 sums, const uint4 divisor)
{
  const uint4 products = sums * divisor.x;

  return products.x >> 24 | products.y >> 24 << 8 | products.z >> 24 << 16 |
         (products.w & 0xff000000);
}

/* ---- results ---- */

/* Returns whether this lane has four results in a row of the tile, which can be
 * stored at once. */
static ALWAYS_INLINE bool
has_result_quads (const WindowTile t)
{
  return t.tile.w & RESULT_QUADS &&
         4 * (int) get_local_id (0) + 4 <= min (t.tile.x, t.grid.x - t.first);
}

/* Returns whether all @n_rows rows of the tile's results from @row on exist,
 * and all are means of whole windows, with one divisor. */
static ALWAYS_INLINE bool
are_whole (const WindowTile t, const uint4 divisor, const int row,
    const int n_rows)
{
  const int right = t.left + min (t.tile.x, t.grid.x - t.first) - 1;
  const int top = t.top + (row - t.row);
  const bool are_there = divisor.x != 0 && row + n_rows <= t.grid.y;

  if (BORDER_COUNTS)
    return are_there;

  return are_there && t.left >= 0 && top >= 0 &&
         right + t.window.x <= t.frame.x &&
         top + n_rows - 1 + t.window.y <= t.frame.y;
}

/* The windows of a lane's four results, at steps of 1. */
static ALWAYS_INLINE LineWindows
make_line_windows (const WindowTile t)
{
  const int lane = (int) get_local_id (0);
  const int at = t.left & 3;
  LineWindows windows;

  /* the rest is the same for the whole work-group */
  UNROLL
  for (int k = 0; k < 4; k++) {
    windows.start[k] = line_prefix_at (at + k) + lane;
    windows.end[k] = line_prefix_at (at + k + t.window.x) + lane;
  }

  return windows;
}

/* Means of windows that are inside the frame. */
static ALWAYS_INLINE void
store_whole_quads (const WindowTile t, const uint4 divisor, const int n_lines,
    __local const uint *prefix, const bool is_narrow, __global uchar *to,
    const int dst_stride)
{
  const uint bias = is_narrow ? divisor.z * 0x10001 : divisor.z;
  const LineWindows windows = make_line_windows (t);

  UNROLL
  for (int line = 0; line < n_lines; line++) {
    const uint4 sums = line_window_sums (&windows,
                           prefix + line * LINE_PREFIX) +
                       bias;

#if SAMPLE_MAX <= 255
    if (is_narrow) {
      *(__global QUAD_T *) to = divide_narrow_quad (sums & 0xffff, divisor);
      to += dst_stride;
      *(__global QUAD_T *) to = divide_narrow_quad (sums >> 16, divisor);
      to += dst_stride;
      continue;
    }
#endif
    *(__global QUAD_T *) to = divide_quad (sums, divisor);
    to += dst_stride;
  }
}

/* Means of windows that may be cut by the frame's edges. */
static ALWAYS_INLINE void
store_cut_quads (const WindowTile t, const int row, const int n_rows,
    __local const uint *prefix, const int rows_per_line, __global uchar *to,
    const int dst_stride)
{
  const int x = t.left + 4 * (int) get_local_id (0);
  const uint4 n_columns = (uint4) (border_count (x, t.window.x, t.frame.x),
      border_count (x + 1, t.window.x, t.frame.x),
      border_count (x + 2, t.window.x, t.frame.x),
      border_count (x + 3, t.window.x, t.frame.x));
  const bool is_small = SAMPLE_MAX <= 255 && t.window.x * t.window.y <= SMALL_N;
  const int last = min (row + n_rows, t.grid.y);
  const LineWindows windows = make_line_windows (t);
  uint4 n = 0;
  float4 inverse = 0;
  int n_window_rows = 0;

  for (int j = row; j < last; j++) {
    const int k = j - row;
    const int n_here = border_count (j - t.window.w, t.window.y, t.frame.y);
    uint4 sums = line_window_sums (&windows,
        prefix + k / rows_per_line * LINE_PREFIX);

    if (rows_per_line == 2)
      sums = k % 2 ? sums >> 16 : sums & 0xffff;
    if (n_here != n_window_rows) {
      n_window_rows = n_here;
      n = n_columns * (uint) n_here;
      inverse = 1.0f / convert_float4 (n);
    }
    *(__global QUAD_T *) to = pack_means (
        line_window_means (sums, n, inverse, is_small));
    to += dst_stride;
  }
}

/* Stores result column @i of a tile, for @n_rows rows from @row on. A line of
 * @prefix has @rows_per_line rows: with two, the first is in the lower 16 bits.
 */
static ALWAYS_INLINE void
store_column (const WindowTile t, const int row, const int n_rows, const int i,
    __local const uint *prefix, const int rows_per_line,
    __global uchar *restrict dst, const ulong dst_offset, const int dst_stride)
{
  const int left = t.left + i * t.grid.z;
  const int at = (t.left & 3) + i * t.grid.z;
  const int start = line_prefix_at (at), end = line_prefix_at (at + t.window.x);
  const int n_columns = border_count (left, t.window.x, t.frame.x);
  const int last = min (row + n_rows, t.grid.y);
  int n = 0;
  float inverse = 0;

  if (i >= t.tile.x || t.first + i >= t.grid.x)
    return;

  for (int j = row; j < last; j++) {
    const int k = j - row;
    __local const uint *p = prefix + k / rows_per_line * LINE_PREFIX;
    const int n_here = n_columns * border_count (j * t.grid.w - t.window.w,
                                       t.window.y, t.frame.y);
    uint sum = p[end] - p[start];

    if (rows_per_line == 2)
      sum = k % 2 ? sum >> 16 : sum & 0xffff;
    if (n_here != n) {
      n = n_here;
      inverse = 1.0f / (float) n;
    }
    write_row (dst, dst_offset, dst_stride, j)[(t.first + i) * t.tile.z] =
        (SAMPLE_T) (mean_by_count (sum, (uint) n, inverse, n <= SMALL_N)
                    << SAMPLE_SHIFT);
  }
}

/* Stores the results of this work-item from @n_lines lines of @prefix, from row
 * @row on. */
static ALWAYS_INLINE void
store_lines (const WindowTile t, const uint4 divisor, const int row,
    const int n_lines, __local const uint *prefix, const bool is_narrow,
    __global uchar *restrict dst, const ulong dst_offset, const int dst_stride)
{
  const int rows_per_line = is_narrow ? 2 : 1;
  const int n_rows = n_lines * rows_per_line;
  const int lane = (int) get_local_id (0);

  if (has_result_quads (t)) {
    __global uchar *to = (__global uchar *) (write_row (dst, dst_offset,
                                                 dst_stride, row) +
                                             t.first + 4 * lane);

    if (are_whole (t, divisor, row, n_rows))
      store_whole_quads (t, divisor, n_lines, prefix, is_narrow, to,
          dst_stride);
    else
      store_cut_quads (t, row, n_rows, prefix, rows_per_line, to, dst_stride);
    return;
  }

  for (int k = 0; k < 4; k++)
    store_column (t, row, n_rows,
        t.grid.z == 1 ? 4 * lane + k : lane + k * LINE_LANES, prefix,
        rows_per_line, dst, dst_offset, dst_stride);
}

/* ---- tiles ---- */

/* A tile with a vertical step of 1. @prefix: its lines; @scratch: memory for
 * scan_lines(). @is_narrow: a line has two rows. */
static ALWAYS_INLINE void
dense_tile (const WindowTile t, const Surround frame, const uint4 divisor,
    __global uchar *restrict dst, const ulong dst_offset, const int dst_stride,
    const bool is_packed, const bool is_narrow, __local uint *prefix,
    __local uint *scratch)
{
  const int rows_per_line = is_narrow ? 2 : 1;
  const int n_lines = ROWS / rows_per_line;
  const int group = (int) get_local_id (1);

  sum_window_tile (t, frame, is_packed, rows_per_line, false, prefix, scratch);
  store_lines (t, divisor, t.row + group * ROWS, n_lines,
      prefix + group * n_lines * LINE_PREFIX, is_narrow, dst, dst_offset,
      dst_stride);
}

/* A row of results with any steps; all row groups add up its windows. */
static ALWAYS_INLINE void
sparse_tile (const WindowTile t, const Surround frame,
    __global uchar *restrict dst, const ulong dst_offset, const int dst_stride,
    __local uint *prefix, __local uint *scratch)
{
  const bool is_packed = false;
  const int lane = (int) get_local_id (0);
  const int group = (int) get_local_id (1);
  const SurroundColumns at = make_surround_columns (frame,
      (t.left & -4) + 4 * lane);
  WindowColumns part;
  uint4 sums;
  uint before;

  if (is_inside_surround (frame, at, t.top, t.window.y))
    part = sum_window_part (frame, at, t.top, t.window.y, true, is_packed,
        false);
  else
    part = sum_window_part (frame, at, t.top, t.window.y, false, is_packed,
        false);

  /* each row group uses the same line */
  sums = prefix_four (join_columns (part.sums, (uint4) 0, is_packed, prefix));
  scan_lines (&sums, 1, group, LINE_GROUPS, scratch, &before);
  if (group == 0)
    put_prefix (prefix, sums, before);
  barrier (CLK_LOCAL_MEM_FENCE);

  for (int i = group * LINE_LANES + lane; i < t.tile.x; i += LINE_ITEMS)
    store_column (t, t.row, 1, i, prefix, 1, dst, dst_offset, dst_stride);
}

/* ---- kernels ---- */

#define ARGUMENTS                                                              \
  __global const uchar *restrict src, const ulong src_offset,                  \
      const int src_stride, const int4 frame, __global uchar *restrict dst,    \
      const ulong dst_offset, const int dst_stride, const int4 window,         \
      const int4 grid, const int4 tile, const int4 divisor

/* The first row of results of a work-group's tile, of @n_rows rows. The last
 * tiles are first, as the edges take longer. */
static ALWAYS_INLINE int
first_row (const int n_rows)
{
  const int last = (int) get_num_groups (1) - 1;

  return (get_group_id (1) == 0 ? last : (int) get_group_id (1) - 1) * n_rows;
}

#define DEFINE_KERNEL(name, rows_per_line, is_packed)                          \
  __kernel                                                                     \
      __attribute__ ((reqd_work_group_size (LINE_LANES, LINE_GROUPS, 1))) void \
      name (ARGUMENTS)                                                         \
  {                                                                            \
    WINDOW_MEMORY (TILE_LINES / (rows_per_line));                              \
                                                                               \
    dense_tile (                                                               \
        make_window_tile (frame, window, grid, tile, first_row (TILE_LINES)),  \
        WINDOW_FRAME, as_uint4 (divisor), dst, dst_offset, dst_stride,         \
        is_packed, (rows_per_line) == 2, prefix, scratch);                     \
  }

/* clang-format off */
#if SAMPLE_MAX <= 255
DEFINE_KERNEL (localmean_sliding_gpu_narrow, 2, true)
DEFINE_KERNEL (localmean_sliding_gpu_wide, 1, true)
#endif
DEFINE_KERNEL (localmean_sliding_gpu_any, 1, false)
/* clang-format on */

__kernel
    __attribute__ ((reqd_work_group_size (LINE_LANES, LINE_GROUPS, 1))) void
    localmean_sliding_gpu_sparse (ARGUMENTS)
{
  WINDOW_MEMORY (LINE_GROUPS);

  (void) divisor; /* windows are divided by their own counts */
  sparse_tile (make_window_tile (frame, window, grid, tile, first_row (1)),
      WINDOW_FRAME, dst, dst_offset, dst_stride, prefix, scratch);
}
