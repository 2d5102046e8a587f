/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* localmean/gpu.cl: means of a window straight from samples, a work-group for a
 * tile
 *
 * Math      dst(i, j) = (sum + n / 2) / n over the window of window.x by
 *           window.y samples that starts at (i * grid.z - window.z,
 *           j * grid.w - window.w); n counts those inside the frame, or with
 *           BORDER_COUNTS all.
 * Shape     frame.x x frame.y samples, grid.x x grid.y results. A tile is
 *           TILE columns of the frame, from a multiple of four on, and the
 *           tile.x results of a row whose windows they hold: (the first
 *           result's column modulo 4) + (tile.x - 1) * grid.z + window.x <=
 *           TILE.
 * Units     window, anchor and step in samples; offsets and strides of rows in
 *           bytes; tile.y and tile.z, those of pixels to and from, in samples;
 *           frame.w is a sample's value.
 * Memory    tile.w, SOURCE_QUADS: every fourth sample of a row can be loaded
 *           with the three after it at once; RESULT_QUADS: the same for stores,
 *           and tile.x is a multiple of four. No two buffers overlap.
 * Launch    local (LINE_LANES, LINE_GROUPS, 1), global x: a work-group for tile.x
 *           results of a row; global y: a work-item for ROWS rows, _sparse: a
 *           work-group for a row.
 * Range     window.x * window.y * SAMPLE_MAX < 2^32; window.y < 2^15. _narrow:
 *           window.x * window.y <= 256, and grid.w 1. _wide: window.y *
 *           SAMPLE_MAX < 2^16, and grid.w 1. _any: grid.w 1.
 * Accuracy  exact, halves round up; tests/localmean/localmeanreference.c.
 * Source    running sums: M. J. McDonnell, "Box-filtering techniques", 1981;
 *           metrics: docs/performance.md.
 */

#include "cl_border.clh"
#include "cl_common.clh"
#include "cl_exact.clh"
#include "cl_line.clh"
#include "cl_pixel.clh"
#include "cl_quad.clh"
#include "cl_surround.clh"

#ifndef SAMPLE_MAX
#define SAMPLE_MAX 255 /* largest value of a sample */
#endif
#ifndef ROWS
#define ROWS 8 /* rows of results of a work-item, _narrow: even */
#endif
#ifndef LOADS
#define LOADS 4 /* rows that a work-item loads before it adds them up */
#endif

#define TILE (4 * LINE_LANES)

#if SAMPLE_MAX <= 255
#define PACKED_COLUMNS(quad)                                                   \
  ((uint4) ((quad) &0x00ff00ff, (quad) >> 8 & 0x00ff00ff, 0, 0))
#else
#define PACKED_COLUMNS(quad) UNPACK_QUAD (quad) /* no sum is that small */
#endif

/* What the work-items of a tile know alike. */
typedef struct {
  int4 frame, window, grid, tile;
  uint4 divisor;
  int first, row; /* result */
  int left, top;  /* sample that the first result's window starts at */
} Tiling;

/* ---- samples ---- */

/* What a quad adds to the sums of its columns. @is_packed: two columns in an
 * element, the even ones in x and the odd ones in y, which a sum of up to 65535
 * needs; what is carried between them on the way is carried back. */
static ALWAYS_INLINE uint4
quad_columns (const QUAD_T quad, const bool is_packed)
{
  return is_packed ? PACKED_COLUMNS (quad) : UNPACK_QUAD (quad) >> SAMPLE_SHIFT;
}

/* This row group's part of the sums of the four columns over @n_rows rows from
 * @top on. */
static ALWAYS_INLINE uint4
sum_part (const Surround frame, const SurroundColumns at, const int top,
    const int n_rows, const bool is_inner, const bool is_packed)
{
  const bool is_none = !is_inner && BORDER_IS_EMPTY && frame.outside == 0;
  const int group = (int) get_local_id (1);
  const int first = top + n_rows * group / LINE_GROUPS;
  const int last = top + n_rows * (group + 1) / LINE_GROUPS;
  const int begin = is_none ? max (first, 0) : first;
  const int end = is_none ? min (last, frame.height) : last;
  uint4 columns = 0;

  for (int y = begin; y < end; y += LOADS) {
    QUAD_T quads[LOADS];

    load_surround_quads (frame, at, y, end - y, LOADS, is_inner, quads);
    UNROLL
    for (int k = 0; k < LOADS; k++)
      columns += quad_columns (quads[k], is_packed);
  }

  return columns;
}

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

/* Four means by the one divisor, whose z has been added already: sums below
 * 2^31, see the host. */
static ALWAYS_INLINE QUAD_T
divide_quad (const uint4 sums, const uint4 divisor)
{
  return pack_means (mul_hi (sums, (uint4) (divisor.x)) >> divisor.y);
}

/* The same for sums of up to 256 samples of 8 bits. The divisor's x is then
 * 2^24 / n, rounded up, and too large by less than 1 / (2 * n) of a mean for
 * what is at most 255.5 * n; means are the products' highest bytes. */
static ALWAYS_INLINE uint
divide_narrow_quad (const uint4 sums, const uint4 divisor)
{
  const uint4 products = sums * divisor.x;

  return products.x >> 24 | products.y >> 24 << 8 | products.z >> 24 << 16 |
         (products.w & 0xff000000);
}

/* ---- results ---- */

/* TRUE if this lane's four results of a row are all there, and can be stored at
 * once. */
static ALWAYS_INLINE bool
has_result_quads (const Tiling t)
{
  return t.tile.w & RESULT_QUADS &&
         4 * (int) get_local_id (0) + 4 <= min (t.tile.x, t.grid.x - t.first);
}

/* TRUE if @n_rows rows of the tile's results from @row on are there, and all of
 * them means of whole windows, by one divisor. */
static ALWAYS_INLINE bool
are_whole (const Tiling t, const int row, const int n_rows)
{
  const int right = t.left + min (t.tile.x, t.grid.x - t.first) - 1;
  const int top = t.top + (row - t.row);
  const bool are_there = t.divisor.x != 0 && row + n_rows <= t.grid.y;

  if (BORDER_COUNTS)
    return are_there;

  return are_there && t.left >= 0 && top >= 0 &&
         right + t.window.x <= t.frame.x &&
         top + n_rows - 1 + t.window.y <= t.frame.y;
}

/* Where the windows of a lane's four results lie in a line of prefix sums. */
typedef struct {
  int start[4], end[4];
} Quad;

static ALWAYS_INLINE Quad
make_quad (const Tiling t)
{
  const int lane = (int) get_local_id (0);
  const int at = t.left & 3;
  Quad q;

  /* all but the lane is the same for the whole work-group */
  UNROLL
  for (int k = 0; k < 4; k++) {
    q.start[k] = line_prefix_at (at + k) + lane;
    q.end[k] = line_prefix_at (at + k + t.window.x) + lane;
  }

  return q;
}

static ALWAYS_INLINE uint4
quad_sums (const Quad q, __local const uint *p)
{
  return (uint4) (p[q.end[0]] - p[q.start[0]], p[q.end[1]] - p[q.start[1]],
      p[q.end[2]] - p[q.start[2]], p[q.end[3]] - p[q.start[3]]);
}

/* Means of whole windows. */
static ALWAYS_INLINE void
store_whole_quads (const Tiling t, const int n_lines,
    __local const uint *prefix, const bool is_narrow, __global uchar *to,
    const int dst_stride)
{
  const uint bias = is_narrow ? t.divisor.z * 0x10001 : t.divisor.z;
  const Quad q = make_quad (t);

  UNROLL
  for (int line = 0; line < n_lines; line++) {
    const uint4 sums = quad_sums (q, prefix + line * LINE_PREFIX) + bias;

#if SAMPLE_MAX <= 255
    if (is_narrow) {
      *(__global QUAD_T *) to = divide_narrow_quad (sums & 0xffff, t.divisor);
      to += dst_stride;
      *(__global QUAD_T *) to = divide_narrow_quad (sums >> 16, t.divisor);
      to += dst_stride;
      continue;
    }
#endif
    *(__global QUAD_T *) to = divide_quad (sums, t.divisor);
    to += dst_stride;
  }
}

/* Means of windows that the frame's edges may cut. */
static ALWAYS_INLINE void
store_cut_quads (const Tiling t, const int row, const int n_rows,
    __local const uint *prefix, const int rows_per_line, __global uchar *to,
    const int dst_stride)
{
  const int x = t.left + 4 * (int) get_local_id (0);
  const uint4 n_columns = (uint4) (border_count (x, t.window.x, t.frame.x),
      border_count (x + 1, t.window.x, t.frame.x),
      border_count (x + 2, t.window.x, t.frame.x),
      border_count (x + 3, t.window.x, t.frame.x));
  const bool is_small = t.window.x * t.window.y <= SMALL_N;
  const int last = min (row + n_rows, t.grid.y);
  const Quad q = make_quad (t);
  uint4 n = 0;
  float4 inverse = 0;
  int n_window_rows = 0;

  for (int j = row; j < last; j++) {
    const int k = j - row;
    const int n_here = border_count (j - t.window.w, t.window.y, t.frame.y);
    uint4 sums = quad_sums (q, prefix + k / rows_per_line * LINE_PREFIX);

    if (rows_per_line == 2)
      sums = k % 2 ? sums >> 16 : sums & 0xffff;
    if (n_here != n_window_rows) {
      n_window_rows = n_here;
      n = n_columns * (uint) n_here;
      inverse = 1.0f / convert_float4 (n);
    }
    *(__global QUAD_T *) to = pack_means (
        (uint4) (mean_by_count (sums.x, n.x, inverse.x, is_small),
            mean_by_count (sums.y, n.y, inverse.y, is_small),
            mean_by_count (sums.z, n.z, inverse.z, is_small),
            mean_by_count (sums.w, n.w, inverse.w, is_small)));
    to += dst_stride;
  }
}

/* Result @i of @n_rows rows of a tile from @row on, @rows_per_line of them in
 * a line of @prefix. */
static ALWAYS_INLINE void
store_column (const Tiling t, const int row, const int n_rows, const int i,
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

/* This lane's results of rows @row, .. of @n_lines lines. */
static ALWAYS_INLINE void
store_lines (const Tiling t, const int row, const int n_lines,
    __local const uint *prefix, const bool is_narrow,
    __global uchar *restrict dst, const ulong dst_offset, const int dst_stride)
{
  const int rows_per_line = is_narrow ? 2 : 1;
  const int n_rows = n_lines * rows_per_line;
  const int lane = (int) get_local_id (0);

  if (has_result_quads (t)) {
    __global uchar *to = (__global uchar *) (write_row (dst, dst_offset,
                                                 dst_stride, row) +
                                             t.first + 4 * lane);

    if (are_whole (t, row, n_rows))
      store_whole_quads (t, n_lines, prefix, is_narrow, to, dst_stride);
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

/* Sums of a lane's columns, of a row group's rows. */
typedef struct {
  uint4 part;          /* of those before the tile's first row */
  uint4 changes[ROWS]; /* from before the group's first row to each row */
} Columns;

static ALWAYS_INLINE Columns
load_columns (const Tiling t, const Surround frame, const SurroundColumns at,
    const bool is_inner, const bool is_packed)
{
  const int first = (int) get_local_id (1) * ROWS;
  const int top = t.top + first;
  const int n_more = max (t.window.y - LINE_GROUPS * ROWS, 0);
  QUAD_T enter[ROWS], leave[ROWS]; /* below and above the window of each row */
  uint4 change = 0;
  Columns columns;

  /* loads first: no sum waits for one before all are under way */
  load_surround_quads (frame, at, top - 1, ROWS, ROWS, is_inner, leave);
  load_surround_quads (frame, at, top + t.window.y - 1, ROWS, ROWS, is_inner,
      enter);
  columns.part = sum_part (frame, at, t.top - 1 + LINE_GROUPS * ROWS, n_more,
      is_inner, is_packed);

  UNROLL
  for (int r = 0; r < ROWS; r++) {
    const uint4 leaving = quad_columns (leave[r], is_packed);

    /* which is a row of the window before the tile's first, if that is as high */
    if (first + r < t.window.y)
      columns.part += leaving;
    change += quad_columns (enter[r], is_packed) - leaving;
    columns.changes[r] = change;
  }

  return columns;
}

/* A tile with steps of 1 down the frame. @prefix holds LINE_GROUPS times its
 * lines, @scratch what scan_lines() needs for them. @is_narrow: a line is two
 * rows, the lower one 16 bits up; what is carried between them on the way is
 * carried back. */
static ALWAYS_INLINE void
dense_tile (const Tiling t, const Surround frame, __global uchar *restrict dst,
    const ulong dst_offset, const int dst_stride, const bool is_packed,
    const bool is_narrow, __local uint *prefix, __local uint *scratch)
{
  const int n_lines = is_narrow ? ROWS / 2 : ROWS;
  const int group = (int) get_local_id (1);
  const int first_line = group * n_lines;
  const SurroundColumns at = make_surround_columns (frame,
      (t.left & -4) + 4 * (int) get_local_id (0));
  Columns columns;
  uint4 lines[ROWS], start;
  uint before[ROWS];

  if (is_inside_surround (frame, at, t.top - 1,
          LINE_GROUPS * ROWS + t.window.y))
    columns = load_columns (t, frame, at, true, is_packed);
  else
    columns = load_columns (t, frame, at, false, is_packed);
  start = join_columns (columns.part, columns.changes[ROWS - 1], is_packed,
      prefix);

  UNROLL
  for (int k = 0; k < n_lines; k++) {
    if (is_narrow)
      lines[k] = pair_columns (start + columns.changes[2 * k],
          start + columns.changes[2 * k + 1]);
    else
      lines[k] = unpack_columns (start + columns.changes[k], is_packed);
    lines[k] = prefix_four (lines[k]);
  }
  scan_lines (lines, n_lines, first_line, LINE_GROUPS * n_lines, scratch,
      before);

  UNROLL
  for (int k = 0; k < n_lines; k++)
    put_prefix (prefix + (first_line + k) * LINE_PREFIX, lines[k], before[k]);
  barrier (CLK_LOCAL_MEM_FENCE);

  store_lines (t, t.row + group * ROWS, n_lines,
      prefix + first_line * LINE_PREFIX, is_narrow, dst, dst_offset,
      dst_stride);
}

/* A row of results, any steps; all row groups sum up its windows. */
static ALWAYS_INLINE void
sparse_tile (const Tiling t, const Surround frame, __global uchar *restrict dst,
    const ulong dst_offset, const int dst_stride, __local uint *prefix,
    __local uint *scratch)
{
  const bool is_packed = false;
  const int lane = (int) get_local_id (0);
  const int group = (int) get_local_id (1);
  const SurroundColumns at = make_surround_columns (frame,
      (t.left & -4) + 4 * lane);
  uint4 part, sums;
  uint before;

  if (is_inside_surround (frame, at, t.top, t.window.y))
    part = sum_part (frame, at, t.top, t.window.y, true, is_packed);
  else
    part = sum_part (frame, at, t.top, t.window.y, false, is_packed);

  /* the same line for each row group */
  sums = prefix_four (join_columns (part, (uint4) 0, is_packed, prefix));
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

#define FRAME                                                                  \
  ((Surround){ src, src_offset, src_stride, tile.y, frame.x, frame.y,          \
      (tile.w & SOURCE_QUADS) != 0, (uint) frame.w << SAMPLE_SHIFT })

static ALWAYS_INLINE Tiling
make_tiling (const int4 frame, const int4 window, const int4 grid,
    const int4 tile, const int4 divisor, const int rows_per_group)
{
  const int first = (int) get_group_id (0) * tile.x;
  /* the last rows first: at the edges there is more to do */
  const int last = (int) get_num_groups (1) - 1;
  const int row = (get_group_id (1) == 0 ? last : (int) get_group_id (1) - 1) *
                  rows_per_group;

  return (Tiling){ frame, window, grid, tile, as_uint4 (divisor), first, row,
    first * grid.z - window.z, row * grid.w - window.w };
}

/* Local memory for @n_lines lines, or for what row groups exchange, which is
 * done with it before the first line is put there. */
#define LOCAL_MEMORY(n_lines)                                                  \
  __local uint                                                                 \
      prefix[(n_lines) *LINE_PREFIX > 8 * LINE_ITEMS ? (n_lines) *LINE_PREFIX  \
                                                     : 8 * LINE_ITEMS];        \
  __local uint scratch[(n_lines) *LINE_SCRATCH]

/* Local memory has to be declared in the kernel. */
#define DEFINE_KERNEL(name, rows_per_line, is_packed)                          \
  __kernel                                                                     \
      __attribute__ ((reqd_work_group_size (LINE_LANES, LINE_GROUPS, 1))) void \
      name (ARGUMENTS)                                                         \
  {                                                                            \
    LOCAL_MEMORY (LINE_GROUPS *ROWS / (rows_per_line));                        \
                                                                               \
    dense_tile (                                                               \
        make_tiling (frame, window, grid, tile, divisor, LINE_GROUPS *ROWS),   \
        FRAME, dst, dst_offset, dst_stride, is_packed, (rows_per_line) == 2,   \
        prefix, scratch);                                                      \
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
  LOCAL_MEMORY (LINE_GROUPS);

  sparse_tile (make_tiling (frame, window, grid, tile, divisor, 1), FRAME, dst,
      dst_offset, dst_stride, prefix, scratch);
}
