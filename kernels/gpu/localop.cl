/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* gpu/localop.cl: what follows from the mean and the deviation around a sample,
 * straight from samples of 8 bits, a work-group for a tile
 *
 * Math      as ../localop.cl.
 * Shape     frame.x x frame.y samples, grid.x x grid.y results; tiles as in
 *           localmean.cl.
 * Units     as ../localop.cl and localmean.cl. start: the sample that result
 *           (0, 0) belongs to.
 * Memory    as localmean.cl; tile.w: SOURCE_QUADS only.
 * Launch    local (LINE_LANES, LINE_GROUPS, 1), global x: a work-group for tile.x
 *           results of a row; global y: a work-item for ROWS rows.
 * Range     grid.w 1; window.x * window.y * 255 < 2^32, window.y < 2^15;
 *           _moments, _extremes: window.x * window.y <= 2^16.
 * Accuracy  as ../localop.cl; tests/kernels/ref/localop.c.
 * Source    as localmean.cl, with running sums of squares beside those of
 *           samples: no table is written, none read.
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
#ifndef CL_DEVIATION_CLH
#include "cl_deviation.clh"
#endif
#ifndef CL_OPERATION_CLH
#include "cl_operation.clh"
#endif

#ifndef ROWS
#define ROWS 4 /* rows of results of a work-item */
#endif
#ifndef LOADS
#define LOADS 4 /* rows that a work-item loads before it adds them up */
#endif

#define LINES        (ROWS * LINE_GROUPS)
#define SOURCE_QUADS 1 /* bit of tile.w */

/* What the work-items of a tile know alike. */
typedef struct {
  int4 frame, window, grid, tile;
  int first, row; /* result */
  int left, top;  /* sample that the first result's window starts at */
} Tiling;

/* Sums of four columns. */
typedef struct {
  uint4 sums, squares;
} Columns;

/* Adds rows of four samples, all of @n. */
static ALWAYS_INLINE void
add_quads (Columns *columns, const QUAD_T *quads, const int n,
    const bool is_squared)
{
  UNROLL
  for (int k = 0; k < n; k++) {
    const uint4 v = UNPACK_QUAD (quads[k]);

    columns->sums += v;
    if (is_squared)
      columns->squares += v * v;
  }
}

/* One row further down the frame. */
static ALWAYS_INLINE void
slide (Columns *columns, const QUAD_T enter, const QUAD_T leave,
    const bool is_squared)
{
  const uint4 in = UNPACK_QUAD (enter), out = UNPACK_QUAD (leave);

  columns->sums += in - out;
  if (is_squared)
    columns->squares += in * in - out * out;
}

/* This row group's part of the rows of the window above the first result's. */
static ALWAYS_INLINE Columns
sum_part (const Tiling t, const Surround frame, const SurroundColumns at,
    const bool is_inner, const bool is_squared)
{
  const int group = (int) get_local_id (1);
  const int top = t.top - 1;
  const int begin = top + t.window.y * group / LINE_GROUPS;
  const int end = top + t.window.y * (group + 1) / LINE_GROUPS;
  Columns columns = { 0, 0 };

  for (int y = begin; y < end; y += LOADS) {
    QUAD_T quads[LOADS];

    load_surround_quads (frame, at, y, end - y, LOADS, is_inner, quads);
    add_quads (&columns, quads, LOADS, is_squared);
  }

  return columns;
}

/* What of the frame a lane of a row group reads. */
typedef struct {
  QUAD_T enter[ROWS], leave[ROWS]; /* below and above the window of each row */
  Columns part;
} Samples;

static ALWAYS_INLINE void
load_samples (const Tiling t, const Surround frame, const SurroundColumns at,
    const bool is_inner, const bool is_squared, Samples *samples)
{
  const int top = t.top + (int) get_local_id (1) * ROWS;

  /* loads first: no sum waits for one before all are under way */
  load_surround_quads (frame, at, top + t.window.y - 1, ROWS, ROWS, is_inner,
      samples->enter);
  load_surround_quads (frame, at, top - 1, ROWS, ROWS, is_inner,
      samples->leave);
  samples->part = sum_part (t, frame, at, is_inner, is_squared);
}

/* The sums of this lane's columns before its first row. */
static ALWAYS_INLINE Columns
start_columns (const Samples *samples, const bool is_squared,
    __local uint *prefix)
{
  Columns columns = { 0, 0 }, change = { 0, 0 };

  UNROLL
  for (int r = 0; r < ROWS; r++)
    slide (&change, samples->enter[r], samples->leave[r], is_squared);

  /* each half of the prefix sums' memory is exchanged through once */
  columns.sums = join_columns (samples->part.sums, change.sums, false, prefix);
  if (is_squared)
    columns.squares = join_columns (samples->part.squares, change.squares,
        false, prefix + LINES * LINE_PREFIX);

  return columns;
}

/* Prefix sums of all lines of a tile into @prefix: of the samples, and LINES
 * further those of their squares. @totals and @segments as scan_totals() has
 * them. */
static ALWAYS_INLINE void
sum_tile (const Tiling t, const Surround frame, const bool is_squared,
    __local uint *prefix, __local uint *totals, __local uint *segments)
{
  const int lane = (int) get_local_id (0);
  const int first_line = (int) get_local_id (1) * ROWS;
  const SurroundColumns at = make_surround_columns (frame,
      (t.left & -4) + 4 * lane);
  Samples samples;
  uint4 lines[ROWS], square_lines[ROWS];
  Columns columns;

  if (is_inside_surround (frame, at, t.top - 1, LINES + t.window.y))
    load_samples (t, frame, at, true, is_squared, &samples);
  else
    load_samples (t, frame, at, false, is_squared, &samples);
  columns = start_columns (&samples, is_squared, prefix);

  UNROLL
  for (int r = 0; r < ROWS; r++) {
    const int line = first_line + r;

    slide (&columns, samples.enter[r], samples.leave[r], is_squared);
    lines[r] = prefix_four (columns.sums);
    totals[line * LINE_TOTALS + lane] = lines[r].w;
    if (is_squared) {
      square_lines[r] = prefix_four (columns.squares);
      totals[(LINES + line) * LINE_TOTALS + lane] = square_lines[r].w;
    }
  }
  scan_totals (totals, segments, is_squared ? 2 * LINES : LINES);

  UNROLL
  for (int r = 0; r < ROWS; r++) {
    const int line = first_line + r;

    put_prefix (prefix + line * LINE_PREFIX, lines[r],
        totals[line * LINE_TOTALS + lane] +
            segments[line * LINE_SEGMENTS + lane / LINE_SEGMENT]);
    if (is_squared)
      put_prefix (prefix + (LINES + line) * LINE_PREFIX, square_lines[r],
          totals[(LINES + line) * LINE_TOTALS + lane] +
              segments[(LINES + line) * LINE_SEGMENTS + lane / LINE_SEGMENT]);
  }
  barrier (CLK_LOCAL_MEM_FENCE);
}

/* Mean and deviation of the window of result (@i, @j), @i of the tile. */
static ALWAYS_INLINE Moments
tile_moments (const Tiling t, const int i, const int j, const bool is_squared,
    __local const uint *prefix)
{
  const int left = t.left + i * t.grid.z;
  const int at = (t.left & 3) + i * t.grid.z;
  const int start = line_prefix_at (at), end = line_prefix_at (at + t.window.x);
  const uint n = (uint) (border_count (left, t.window.x, t.frame.x) *
                         border_count (j - t.window.w, t.window.y, t.frame.y));
  const float inverse = 1.0f / (float) n;
  __local const uint *line = prefix + (j - t.row) * LINE_PREFIX;
  __local const uint *squares = line + LINES * LINE_PREFIX;
  const uint sum = line[end] - line[start];

  if (is_squared)
    return byte_moments_of (sum, squares[end] - squares[start], n, inverse);

  return (Moments){ exact_fraction_cut (sum, n, SAMPLE_MAX), 0 };
}

#define SOURCE_ARGUMENTS                                                       \
  __global const uchar *restrict src, const ulong src_offset,                  \
      const int src_stride, const int4 frame, const int4 window,               \
      const int4 tile

#define FRAME                                                                  \
  ((Surround){ src, src_offset, src_stride, tile.y, frame.x, frame.y,          \
      (tile.w & SOURCE_QUADS) != 0, (uint) frame.w })

static ALWAYS_INLINE Tiling
make_tiling (const int4 frame, const int4 window, const int4 grid,
    const int4 tile)
{
  const int first = (int) get_group_id (0) * tile.x;
  const int row = (int) get_group_id (1) * LINES;

  return (Tiling){ frame, window, grid, tile, first, row,
    first * grid.z - window.z, row - window.w };
}

/* Local memory has to be declared in the kernel. */
#define LOCAL_MEMORY(n_lines)                                                  \
  __local uint prefix[(n_lines) *LINE_PREFIX];                                 \
  __local uint totals[(n_lines) *LINE_TOTALS];                                 \
  __local uint segments[(n_lines) *LINE_SEGMENTS]

#define DEFINE_KERNEL(name, n_lines, is_squared)                               \
  __kernel                                                                     \
      __attribute__ ((reqd_work_group_size (LINE_LANES, LINE_GROUPS, 1))) void \
      name (SOURCE_ARGUMENTS, __global const uint *restrict extremes,          \
          RESULTS_ARGUMENTS)                                                   \
  {                                                                            \
    LOCAL_MEMORY (n_lines);                                                    \
    const Tiling t = make_tiling (frame, window, grid, tile);                  \
    const int first_row = t.row + (int) get_local_id (1) * ROWS;               \
    const int end_row = min (first_row + ROWS, grid.y);                        \
    const int end = min (tile.x, grid.x - t.first);                            \
    const bool is_wolf = operation == OPERATION_WOLF;                          \
    const uint largest = is_wolf ? extremes[0] : 0;                            \
    const uint smallest = is_wolf ? extremes[1] : 0;                           \
                                                                               \
    sum_tile (t, FRAME, is_squared, prefix, totals, segments);                 \
                                                                               \
    for (int j = first_row; j < end_row; j++) {                                \
      __global const SAMPLE_T *p = read_row (src, src_offset, src_stride,      \
          start_y + j);                                                        \
      __global SAMPLE_T *to = write_row (dst, dst_offset, dst_stride, j);      \
                                                                               \
      for (int i = (int) get_local_id (0); i < end; i += LINE_LANES) {         \
        const int x = t.first + i;                                             \
        const Moments m = tile_moments (t, i, j, is_squared, prefix);          \
                                                                               \
        to[x * tile.z] = (SAMPLE_T) operate (operation,                        \
            p[(start_x + x * grid.z) * tile.y], m.mean, m.deviation, factors,  \
            invert, largest, smallest);                                        \
      }                                                                        \
    }                                                                          \
  }

/* clang-format off */
DEFINE_KERNEL (localop_sliding_gpu_means, LINES, false)
DEFINE_KERNEL (localop_sliding_gpu_moments, 2 * LINES, true)
/* clang-format on */

/* Largest deviation of all results, smallest code of the samples in reach of
 * the tiles: of each work-group first. */
__kernel
    __attribute__ ((reqd_work_group_size (LINE_LANES, LINE_GROUPS, 1))) void
    localop_sliding_gpu_extremes (SOURCE_ARGUMENTS, const int4 grid,
        volatile __global uint *extremes)
{
  LOCAL_MEMORY (2 * LINES);
  __local uint largest, smallest;
  const Tiling t = make_tiling (frame, window, grid, tile);
  const int item = (int) (get_local_id (1) * LINE_LANES + get_local_id (0));
  const int first_row = t.row + (int) get_local_id (1) * ROWS;
  const int end_row = min (first_row + ROWS, grid.y);
  const int end = min (tile.x, grid.x - t.first);
  const size_t groups = get_num_groups (0) * get_num_groups (1);
  const size_t group = get_group_id (1) * get_num_groups (0) + get_group_id (0);
  uint deviation = 0, code = SAMPLE_MAX;

  if (item == 0) {
    largest = 0;
    smallest = SAMPLE_MAX;
  }
  sum_tile (t, FRAME, true, prefix, totals, segments);

  for (int j = first_row; j < end_row; j++) {
    for (int i = (int) get_local_id (0); i < end; i += LINE_LANES)
      deviation = max (deviation,
          tile_moments (t, i, j, true, prefix).deviation);
  }
  /* rows of the frame in turn: results may be fewer than samples */
  for (size_t y = group; y < (size_t) frame.y; y += groups) {
    __global const SAMPLE_T *row = read_row (src, src_offset, src_stride,
        (int) y);

    for (int x = item; x < frame.x; x += LINE_ITEMS)
      code = min (code, (uint) row[x * tile.y]);
  }

  atomic_max (&largest, deviation);
  atomic_min (&smallest, code);
  barrier (CLK_LOCAL_MEM_FENCE);
  if (item == 0) {
    atomic_max (extremes, largest);
    atomic_min (extremes + 1, smallest);
  }
}

/* Before each frame. */
__kernel __attribute__ ((reqd_work_group_size (1, 1, 1))) void
localop_sliding_gpu_clear (__global uint *restrict extremes)
{
  clear_extremes (extremes);
}
