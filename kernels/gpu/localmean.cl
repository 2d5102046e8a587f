/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* gpu/localmean.cl: means of a window straight from samples, a work-group for a
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
 * Accuracy  exact, halves round up; tests/kernels/ref/localmean.c.
 * Source    running sums: M. J. McDonnell, "Box-filtering techniques", 1981;
 *           figures: docs/performance.md.
 */
#ifndef CL_COMMON_CLH
#include "cl_common.clh"
#endif
#ifndef CL_QUAD_CLH
#include "cl_quad.clh"
#endif
#ifndef CL_LINE_CLH
#include "cl_line.clh"
#endif
#ifndef CL_EXACT_CLH
#include "cl_exact.clh"
#endif
#ifndef CL_SURROUND_CLH
#include "cl_surround.clh"
#endif

#ifndef SAMPLE_MAX
#define SAMPLE_MAX 255 /* largest value of a sample */
#endif
#ifndef ROWS
#define ROWS 8 /* rows of results of a work-item: 4, 8, 16 */
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

/* Sums of the four columns over rows [top, top + n_rows). */
static ALWAYS_INLINE uint4
sum_rows (const Surround frame, const SurroundColumns at, const int top,
    const int n_rows, const bool is_inner, const bool is_packed)
{
  const bool is_none = !is_inner && BORDER_IS_EMPTY && frame.outside == 0;
  const int begin = is_none ? max (top, 0) : top;
  const int end = is_none ? min (top + n_rows, frame.height) : top + n_rows;
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

/* This row group's part of the @n_rows rows from @top on. */
static ALWAYS_INLINE uint4
sum_part (const Surround frame, const SurroundColumns at, const int top,
    const int n_rows, const bool is_inner, const bool is_packed)
{
  const int group = (int) get_local_id (1);
  const int begin = n_rows * group / LINE_GROUPS;
  const int end = n_rows * (group + 1) / LINE_GROUPS;

  return sum_rows (frame, at, top + begin, end - begin, is_inner, is_packed);
}

/* ---- results ---- */

static ALWAYS_INLINE uint
mean_of (const uint sum, const uint n, const float inverse)
{
  if (SAMPLE_MAX <= 255 && n <= SMALL_N)
    return (uint) (((float) sum + ((float) (n / 2) + 0.5f)) * inverse);

  return exact_mean_uint (sum, n, inverse);
}

/* Four means by the one divisor, whose z has been added already: sums below
 * 2^31, see the host. */
static ALWAYS_INLINE QUAD_T
divide_quad (const uint4 sums, const uint4 divisor)
{
  const uint4 means = mul_hi (sums, (uint4) (divisor.x)) >> divisor.y;

#if SAMPLE_MAX <= 255
  return means.x | means.y << 8 | means.z << 16 | means.w << 24;
#else
  return (uint2) (means.x | means.y << 16, means.z | means.w << 16)
         << SAMPLE_SHIFT;
#endif
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

/* TRUE if this lane's four results of rows @row .. @row + n_rows - 1 are all
 * there, and each the mean of a whole window: stored as a quad by one divisor.
 */
static ALWAYS_INLINE bool
are_quads (const Tiling t, const int row, const int n_rows)
{
  const int i = 4 * (int) get_local_id (0);
  const int x = t.left + i;
  const int y = t.top + (row - t.row);
  const bool is_whole = BORDER_COUNTS ||
                        (x >= 0 && y >= 0 && x + 3 + t.window.x <= t.frame.x &&
                            y + n_rows - 1 + t.window.y <= t.frame.y);

  return t.tile.w & RESULT_QUADS && t.divisor.x != 0 && is_whole &&
         i + 4 <= min (t.tile.x, t.grid.x - t.first) &&
         row + n_rows <= t.grid.y;
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
        (SAMPLE_T) (mean_of (sum, (uint) n, inverse) << SAMPLE_SHIFT);
  }
}

/* This lane's results of rows @row, .. of @n_lines lines. */
static ALWAYS_INLINE void
store_lines (const Tiling t, const int row, const int n_lines,
    __local const uint *prefix, const bool is_narrow,
    __global uchar *restrict dst, const ulong dst_offset, const int dst_stride)
{
  const int rows_per_line = is_narrow ? 2 : 1;
  const int lane = (int) get_local_id (0);

  if (are_quads (t, row, n_lines * rows_per_line)) {
    const uint bias = is_narrow ? t.divisor.z * 0x10001 : t.divisor.z;
    const int at = t.left & 3;
    __global uchar *to = (__global uchar *) (write_row (dst, dst_offset,
                                                 dst_stride, row) +
                                             t.first + 4 * lane);
    int start[4], end[4];

    /* all but the lane is the same for the whole work-group */
    UNROLL
    for (int k = 0; k < 4; k++) {
      start[k] = line_prefix_at (at + k) + lane;
      end[k] = line_prefix_at (at + k + t.window.x) + lane;
    }

    UNROLL
    for (int line = 0; line < n_lines; line++) {
      __local const uint *p = prefix + line * LINE_PREFIX;
      const uint4 sums = (uint4) (p[end[0]] - p[start[0]],
                             p[end[1]] - p[start[1]], p[end[2]] - p[start[2]],
                             p[end[3]] - p[start[3]]) +
                         bias;

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
    return;
  }

  for (int k = 0; k < 4; k++)
    store_column (t, row, n_lines * rows_per_line,
        t.grid.z == 1 ? 4 * lane + k : lane + k * LINE_LANES, prefix,
        rows_per_line, dst, dst_offset, dst_stride);
}

/* ---- tiles ---- */

/* What of the frame a lane of a row group reads. */
typedef struct {
  QUAD_T enter[ROWS], leave[ROWS]; /* below and above the window of each row */
  uint4 part; /* of the sums of columns before the tile's first row */
} Samples;

static ALWAYS_INLINE void
load_samples (const Tiling t, const Surround frame, const SurroundColumns at,
    const bool is_inner, const bool is_packed, Samples *samples)
{
  const int top = t.top + (int) get_local_id (1) * ROWS;

  /* loads first: no sum waits for one before all are under way */
  load_surround_quads (frame, at, top + t.window.y - 1, ROWS, ROWS, is_inner,
      samples->enter);
  load_surround_quads (frame, at, top - 1, ROWS, ROWS, is_inner,
      samples->leave);
  samples->part = sum_part (frame, at, t.top - 1, t.window.y, is_inner,
      is_packed);
}

/* A tile with steps of 1 down the frame. @prefix holds LINE_GROUPS times its
 * lines, @totals and @segments what scan_totals() needs. @is_narrow: a line is
 * two rows, the lower one 16 bits up; what is carried between them on the way
 * is carried back. */
static ALWAYS_INLINE void
dense_tile (const Tiling t, const Surround frame, __global uchar *restrict dst,
    const ulong dst_offset, const int dst_stride, const bool is_packed,
    const bool is_narrow, __local uint *prefix, __local uint *totals,
    __local uint *segments)
{
  const int rows_per_line = is_narrow ? 2 : 1;
  const int n_lines = ROWS / rows_per_line;
  const int lane = (int) get_local_id (0);
  const int group = (int) get_local_id (1);
  const int first_line = group * n_lines;
  const SurroundColumns at = make_surround_columns (frame,
      (t.left & -4) + 4 * lane);
  Samples samples;
  uint4 lines[ROWS], columns, change = 0;

  if (is_inside_surround (frame, at, t.top - 1,
          LINE_GROUPS * ROWS + t.window.y))
    load_samples (t, frame, at, true, is_packed, &samples);
  else
    load_samples (t, frame, at, false, is_packed, &samples);

  UNROLL
  for (int r = 0; r < ROWS; r++)
    change += quad_columns (samples.enter[r], is_packed) -
              quad_columns (samples.leave[r], is_packed);
  columns = join_columns (samples.part, change, is_packed, prefix);

  UNROLL
  for (int r = 0; r < ROWS; r++) {
    columns += quad_columns (samples.enter[r], is_packed) -
               quad_columns (samples.leave[r], is_packed);
    if (r % rows_per_line == 0)
      lines[r / rows_per_line] = unpack_columns (columns, is_packed);
    else
      lines[r / rows_per_line] += unpack_columns (columns, is_packed) << 16;
  }

  UNROLL
  for (int k = 0; k < n_lines; k++) {
    lines[k] = prefix_four (lines[k]);
    totals[(first_line + k) * LINE_TOTALS + lane] = lines[k].w;
  }
  scan_totals (totals, segments, LINE_GROUPS * n_lines);

  UNROLL
  for (int k = 0; k < n_lines; k++) {
    const int line = first_line + k;

    put_prefix (prefix + line * LINE_PREFIX, lines[k],
        totals[line * LINE_TOTALS + lane] +
            segments[line * LINE_SEGMENTS + lane / LINE_SEGMENT]);
  }
  barrier (CLK_LOCAL_MEM_FENCE);

  store_lines (t, t.row + group * ROWS, n_lines,
      prefix + first_line * LINE_PREFIX, is_narrow, dst, dst_offset,
      dst_stride);
}

/* A row of results, any steps; all row groups sum up its windows. */
static ALWAYS_INLINE void
sparse_tile (const Tiling t, const Surround frame, __global uchar *restrict dst,
    const ulong dst_offset, const int dst_stride, __local uint *prefix,
    __local uint *totals, __local uint *segments)
{
  const bool is_packed = false;
  const int lane = (int) get_local_id (0);
  const int item = (int) get_local_id (1) * LINE_LANES + lane;
  const SurroundColumns at = make_surround_columns (frame,
      (t.left & -4) + 4 * lane);
  uint4 part, sums;

  if (is_inside_surround (frame, at, t.top, t.window.y))
    part = sum_part (frame, at, t.top, t.window.y, true, is_packed);
  else
    part = sum_part (frame, at, t.top, t.window.y, false, is_packed);

  sums = prefix_four (join_columns (part, (uint4) 0, is_packed, prefix));
  if (item < LINE_LANES)
    totals[lane] = sums.w;
  scan_totals (totals, segments, 1);
  if (item < LINE_LANES)
    put_prefix (prefix, sums, totals[lane] + segments[lane / LINE_SEGMENT]);
  barrier (CLK_LOCAL_MEM_FENCE);

  for (int i = item; i < t.tile.x; i += LINE_ITEMS)
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

/* Local memory for @n_lines lines, or for what row groups exchange. */
#define LOCAL_MEMORY(n_lines)                                                  \
  __local uint                                                                 \
      prefix[(n_lines) *LINE_PREFIX > 8 * LINE_ITEMS ? (n_lines) *LINE_PREFIX  \
                                                     : 8 * LINE_ITEMS];        \
  __local uint totals[(n_lines) *LINE_TOTALS];                                 \
  __local uint segments[(n_lines) *LINE_SEGMENTS]

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
        prefix, totals, segments);                                             \
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
  LOCAL_MEMORY (1);

  sparse_tile (make_tiling (frame, window, grid, tile, divisor, 1), FRAME, dst,
      dst_offset, dst_stride, prefix, totals, segments);
}
