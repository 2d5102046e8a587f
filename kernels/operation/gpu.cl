/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* operation/gpu.cl: operations on the mean and the deviation around a sample,
 * straight from samples of 8 bits, for GPUs
 *
 * Math      All operations; cl_operation.clh has the formulas.
 * Shape     frame.x x frame.y samples, grid.x x grid.y results. A tile is 4 *
 *           LINE_LANES columns of the frame, from a multiple of four on, and
 *           the tile.x results of a row whose windows they hold: (the first
 *           result's column modulo 4) + (tile.x - 1) * grid.z + window.x <= 4 *
 *           LINE_LANES.
 * Units     Window, anchor and step are in samples; offsets and strides of rows
 *           in bytes; tile.y and tile.z, the strides of pixels from and to, in
 *           samples; frame.w is the value of a sample outside. start_x and
 *           start_y are the sample that result (0, 0) belongs to. k is in
 *           1/65536, r and offset are in 1/256 of a code.
 * Memory    tile.w has SOURCE_QUADS where every fourth sample of a row can be
 *           loaded with the three after it at once, and RESULT_QUADS where that
 *           holds for stores and tile.x is a multiple of four. No two buffers
 *           overlap.
 * Launch    Local (LINE_LANES, LINE_GROUPS, 1). Global x: a work-group for
 *           tile.x results of a row. Global y: a work-item for ROWS rows.
 * Range     grid.w is 1; window.x * window.y * 255 < 2^32; window.y < 2^15.
 *           _moments and _extremes: window.x * window.y <= 2^16.
 * Accuracy  Results equal those of integer arithmetic, so they are the same
 *           on every device; the code shows where quotients and products are
 *           rounded. The reference is
 *           tests/operation/operationreference.c.
 * Source    Running sums: M. J. McDonnell, "Box-filtering techniques", 1981,
 *           with running sums of the squares as well. The kernel neither writes
 * nor reads an integral image. Deviations are estimated in floats, and the few
 *           results that stay undecided are computed in integers.
 *
 * cl_windowtile.clh draws the tile and the loads of each work-item. Around the
 * results of a tile is the halo that its windows reach:
 *
 *     window.z      tile.x results of a row       window.x - 1 - window.z
 *    +--------+-----------------------------+--------+
 *    |        .  window.w rows              .        |
 *    +........+-----------------------------+........+
 *    |        | row group 0: ROWS rows;     |        |
 *    |        | lane l: results 4 * l ..    |        |   4 * LINE_LANES columns
 *    |        |         4 * l + 3 of a row  |        |   at most
 *    |        +-----------------------------+        |
 *    |        | row group 1, ..             |        |
 *    +........+-----------------------------+........+
 *    |        .  window.y - 1 - window.w    .        |
 *    +--------+-----------------------------+--------+
 *
 * prefix[], in local memory, has TILE_LINES lines of prefix sums of the
 * samples, then as many of their squares.
 */

#include "cl_border.clh"
#include "cl_common.clh"
#include "cl_deviation.clh"
#include "cl_estimate.clh"
#include "cl_exact.clh"
#include "cl_line.clh"
#include "cl_memory.clh"
#include "cl_operation.clh"
#include "cl_pixel.clh"
#include "cl_quad.clh"
#include "cl_surround.clh"
#include "cl_windowtile.clh"

/* An estimated deviation this close to the middle between two codes, in 1/256
 * of a code, may round to another code than in integers: half for the rounding
 * down of integers, and as in make_weights() DEVIATION_OFF, 0.001, and
 * DEVIATION_PART of the largest deviation, 127.5 * 256; together 0.623. */
#define STDDEV_OFF 0.64f

/* ---- windows ---- */

/* The windows of a lane's four results of a row, and values that stay the same
 * from row to row. Windows after the tile's last are copies of it. */
typedef struct {
  int count;       /* of windows that exist */
  LineWindows at;  /* in a line of prefix sums */
  uint4 n_columns; /* of each window */
  int n_rows;      /* of the windows of the last row, like n and inverse */
  uint4 n;
  float4 inverse;
} Windows;

static ALWAYS_INLINE Windows
make_windows (const WindowTile t)
{
  const int first = 4 * (int) get_local_id (0);
  const int last = min (t.tile.x, t.grid.x - t.first) - 1;
  Windows w = { .count = min (last + 1 - first, 4), .n_rows = 0 };
  uint n_columns[4];

  UNROLL
  for (int k = 0; k < 4; k++) {
    const int step = min (first + k, last) * t.grid.z;
    const int at = (t.left & 3) + step;

    w.at.start[k] = line_prefix_at (at);
    w.at.end[k] = line_prefix_at (at + t.window.x);
    n_columns[k] = (uint) border_count (t.left + step, t.window.x, t.frame.x);
  }
  w.n_columns = (uint4) (n_columns[0], n_columns[1], n_columns[2],
      n_columns[3]);

  return w;
}

/* Moves to the windows of row @j of results. */
static ALWAYS_INLINE void
move_windows (Windows *w, const WindowTile t, const int j)
{
  const int n_rows = border_count (j - t.window.w, t.window.y, t.frame.y);

  if (n_rows == w->n_rows)
    return;

  w->n_rows = n_rows;
  w->n = w->n_columns * (uint) n_rows;
  w->inverse = 1.0f / convert_float4 (w->n);
}

/* Returns mean and deviation of window @k of row @j. */
static ALWAYS_INLINE Moments
tile_moments (const WindowTile t, const int k, const int j,
    __local const uint *line)
{
  const int step = (4 * (int) get_local_id (0) + k) * t.grid.z;
  const int at = (t.left & 3) + step;
  const int start = line_prefix_at (at), end = line_prefix_at (at + t.window.x);
  __local const uint *squares = line + TILE_LINES * LINE_PREFIX;
  const uint n = (uint) (border_count (t.left + step, t.window.x, t.frame.x) *
                         border_count (j - t.window.w, t.window.y, t.frame.y));

  return byte_moments_of (line[end] - line[start],
      squares[end] - squares[start], n, 1.0f / (float) n);
}

/* ---- results ---- */

/* Samples of a row of results, and their distance. */
typedef struct {
  __global const uchar *samples;
  int step;
  bool is_quad; /* four can be loaded at once, if four exist */
} Codes;

static ALWAYS_INLINE uint
load_codes (const Codes codes, const int count)
{
  uchar4 v = 0;

  if (codes.is_quad && count == 4)
    return *(__global const uint *) codes.samples;

  v.x = codes.samples[0];
  if (count > 1)
    v.y = codes.samples[codes.step];
  if (count > 2)
    v.z = codes.samples[2 * codes.step];
  if (count > 3)
    v.w = codes.samples[3 * codes.step];

  return as_uint (v);
}

static ALWAYS_INLINE void
store_codes (const WindowTile t, const uint4 codes, const int count,
    __global uchar *to)
{
  if (t.tile.w & RESULT_QUADS && count == 4) {
    *(__global uint *) to = codes.x | codes.y << 8 | codes.z << 16 |
                            codes.w << 24;
    return;
  }

  to[0] = (uchar) codes.x;
  if (count > 1)
    to[t.tile.z] = (uchar) codes.y;
  if (count > 2)
    to[2 * t.tile.z] = (uchar) codes.z;
  if (count > 3)
    to[3 * t.tile.z] = (uchar) codes.w;
}

/* The codes of difference and mean-c, from the distance of samples to their
 * rounded means. */
static ALWAYS_INLINE uint4
codes_of_differences (const Operation op, const int4 differences)
{
  const int4 mask = differences * 256 > -op.factors.z;

  if (op.what == OPERATION_DIFFERENCE)
    return as_uint4 (difference_codes_int4 (differences));

  return as_uint4 (mask ^ (op.inverts ? -1 : 0)) & SAMPLE_MAX;
}

/* Returns the code of an operation on the mean in 1/256 of a code. */
static ALWAYS_INLINE uint
code_of_mean (const Operation op, const uint p, const uint sum, const uint n,
    const float inverse)
{
  return operate (op.what, p, exact_byte_fraction (sum, n, inverse), 0,
      op.factors, op.inverts, 0, 0, SAMPLE_MAX);
}

/* Returns the results of four windows with these sums, for operations on means.
 * Operations with fractions have their own code. */
static ALWAYS_INLINE uint4
codes_of_means (const Operation any, const uint4 p, const uint4 sums,
    const Windows *w, const bool is_small)
{
#define CODES_OF(operation)                                                    \
  case operation: {                                                            \
    Operation op = any;                                                        \
                                                                               \
    op.what = operation;                                                       \
    return (uint4) (code_of_mean (op, p.x, sums.x, w->n.x, w->inverse.x),      \
        code_of_mean (op, p.y, sums.y, w->n.y, w->inverse.y),                  \
        code_of_mean (op, p.z, sums.z, w->n.z, w->inverse.z),                  \
        code_of_mean (op, p.w, sums.w, w->n.w, w->inverse.w));                 \
  }

  switch (any.what) {
    CODES_OF (OPERATION_NORMALIZE)
    CODES_OF (OPERATION_BRADLEY)
    default:
      return codes_of_differences (any,
          as_int4 (p) -
              as_int4 (line_window_means (sums, w->n, w->inverse, is_small)));
  }
#undef CODES_OF
}

/* Returns the codes of four windows, for operations on deviations. Lanes of
 * @open that are not 0 are undecided. */
static ALWAYS_INLINE uint4
codes_of_moments (const Operation op, const Weights weights, const uint4 p,
    const uint4 sums, const uint4 squares, const Windows *w, int4 *open)
{
  const Estimates4 moments = estimate_moments4 (as_int4 (sums),
      as_int4 (squares), as_int4 (w->n), w->inverse);

  if (op.what == OPERATION_STDDEV) {
    /* half a code, minus half for the rounding down of integers */
    const float4 s = moments.deviation + 127.5f;
    const int4 codes = convert_int4 (s) >> 8;
    const float4 above = s - convert_float4 (codes << 8);

    *open = (above < STDDEV_OFF) | (above > 256 - STDDEV_OFF);
    return as_uint4 (codes);
  }

  const float4 code = convert_float4 (p);
  const float4 above = estimate_above4 (op.what, weights, moments, code);
  const int4 mask = (above > 0.0f) & (code > 0.0f);

  *open = (fabs (above) <= weights.off) & (code > 0.0f);

  return as_uint4 (mask ^ (op.inverts ? -1 : 0)) & SAMPLE_MAX;
}

#define SOURCE_ARGUMENTS                                                       \
  __global const uchar *restrict src, const ulong src_offset,                  \
      const int src_stride, const int4 frame, const int4 window,               \
      const int4 tile

/* The tile of a work-group, from the arguments of a kernel. */
#define OWN_TILE                                                               \
  make_window_tile (frame, window, grid, tile,                                 \
      (int) get_group_id (1) * TILE_LINES)

/* The rows of results of a tile, and their samples. */
typedef struct {
  __global const uchar *samples; /* of result (0, 0) */
  __global uchar *results;
  int samples_stride, results_stride; /* bytes */
} Planes;

/* Stores this lane's results of row @j; returns the undecided ones as four
 * bits. */
static ALWAYS_INLINE uint
store_row (const WindowTile t, const Operation op, const Weights weights,
    const Planes planes, Windows *w, const int j, const bool is_squared,
    __local const uint *line)
{
  const int x = t.first + 4 * (int) get_local_id (0);
  const int step = t.grid.z * t.tile.y;
  __global const uchar *from = planes.samples +
                               (long) j * planes.samples_stride +
                               (long) x * step;
  __global uchar *to = planes.results + (long) j * planes.results_stride +
                       (long) x * t.tile.z;
  const Codes source = { from, step,
    t.tile.w & SOURCE_QUADS && step == 1 && ((size_t) from & 3) == 0 };
  const uint4 p = unpack_uchar (load_codes (source, w->count));
  const uint4 sums = line_window_sums (&w->at, line);
  int4 open = 0;

  move_windows (w, t, j);
  if (!is_squared) {
    store_codes (t,
        codes_of_means (op, p, sums, w, t.window.x * t.window.y <= SMALL_N),
        w->count, to);
    return 0;
  }

  store_codes (t,
      codes_of_moments (op, weights, p, sums,
          line_window_sums (&w->at, line + TILE_LINES * LINE_PREFIX), w, &open),
      w->count, to);

  return as_uint4 (open).x >> 31 | (as_uint4 (open).y >> 31) << 1 |
         (as_uint4 (open).z >> 31) << 2 | (as_uint4 (open).w >> 31) << 3;
}

/* Stores result @k of row @j, computed in integers. */
static ALWAYS_INLINE void
store_exact (const WindowTile t, const Operation op, const Planes planes,
    const int k, const int j, __local const uint *line)
{
  const int x = t.first + 4 * (int) get_local_id (0) + k;
  const Moments m = tile_moments (t, k, j, line);
  const uint p = planes.samples[(long) j * planes.samples_stride +
                                (long) x * t.grid.z * t.tile.y];

  planes.results[(long) j * planes.results_stride + (long) x * t.tile.z] =
      (uchar) operate (op.what, p, m.mean, m.deviation, op.factors, op.inverts,
          op.largest, op.smallest, SAMPLE_MAX);
}

static ALWAYS_INLINE void
store_tile (const WindowTile t, const Operation op,
    __local const Weights *weights, const Planes planes, const bool is_squared,
    __local const uint *prefix)
{
  const int first_line = (int) get_local_id (1) * ROWS;
  const int n_rows = min (ROWS, t.grid.y - t.row - first_line);
  Windows windows = make_windows (t);
  Weights w = { 0 };
  uint open = 0; /* four bits a row */

  if (windows.count <= 0)
    return;
  if (is_squared)
    w = *weights;

  for (int r = 0; r < n_rows; r++) {
    const int line = first_line + r;

    open |= store_row (t, op, w, planes, &windows, t.row + line, is_squared,
                prefix + line * LINE_PREFIX)
            << 4 * r;
  }

  while (is_squared && open) {
    const int bit = 31 - (int) clz (open);
    const int line = first_line + bit / 4;

    open ^= 1u << bit;
    if (bit % 4 < windows.count)
      store_exact (t, op, planes, bit % 4, t.row + line,
          prefix + line * LINE_PREFIX);
  }
}

#define DEFINE_KERNEL(name, n_lines, is_squared)                               \
  __kernel                                                                     \
      __attribute__ ((reqd_work_group_size (LINE_LANES, LINE_GROUPS, 1))) void \
      name (SOURCE_ARGUMENTS, __global const uint *restrict extremes,          \
          RESULTS_ARGUMENTS)                                                   \
  {                                                                            \
    WINDOW_MEMORY (n_lines);                                                   \
    __local Weights weights;                                                   \
    const uint2 of_frame = read_extremes (extremes, operation);                \
    const Operation op = { operation, factors, invert, of_frame.x,             \
      of_frame.y };                                                            \
    const Planes planes = { read_row (src, src_offset, src_stride, start_y) +  \
                                (long) start_x * tile.y,                       \
      dst + dst_offset, src_stride, dst_stride };                              \
    const WindowTile t = OWN_TILE;                                             \
                                                                               \
    /* visible to all after the barriers of sum_window_tile() */               \
    if (is_squared && get_local_id (0) + get_local_id (1) == 0)                \
      weights = make_weights (op);                                             \
    sum_window_tile (t, WINDOW_FRAME, false, 1, is_squared, prefix, scratch);  \
    store_tile (t, op, &weights, planes, is_squared, prefix);                  \
  }

/* clang-format off */
DEFINE_KERNEL (operation_sliding_gpu_means, TILE_LINES, false)
DEFINE_KERNEL (operation_sliding_gpu_moments, 2 * TILE_LINES, true)
/* clang-format on */

/* ---- extremes ---- */

/* Largest of this lane's estimated deviations. */
static ALWAYS_INLINE float
largest_estimate (const WindowTile t, __local const uint *prefix)
{
  const int first_line = (int) get_local_id (1) * ROWS;
  const int n_rows = min (ROWS, t.grid.y - t.row - first_line);
  Windows w = make_windows (t);
  float4 largest = 0;

  if (w.count <= 0)
    return 0;

  for (int r = 0; r < n_rows; r++) {
    const int line = first_line + r;
    __local const uint *values = prefix + line * LINE_PREFIX;

    move_windows (&w, t, t.row + line);
    largest = max (largest,
        estimate_moments4 (as_int4 (line_window_sums (&w.at, values)),
            as_int4 (
                line_window_sums (&w.at, values + TILE_LINES * LINE_PREFIX)),
            as_int4 (w.n), w.inverse)
            .deviation);
  }

  return max (max (largest.x, largest.y), max (largest.z, largest.w));
}

static ALWAYS_INLINE uint
largest_deviation (const WindowTile t, __local const uint *prefix)
{
  const int first_line = (int) get_local_id (1) * ROWS;
  const int n_rows = min (ROWS, t.grid.y - t.row - first_line);
  const int end = min (t.tile.x, t.grid.x - t.first) -
                  4 * (int) get_local_id (0);
  uint largest = 0;

  for (int i = 0; i < 4 * n_rows; i++) {
    const int line = first_line + i / 4;

    if (i % 4 < end)
      largest = max (largest,
          tile_moments (t, i % 4, t.row + line, prefix + line * LINE_PREFIX)
              .deviation);
  }

  return largest;
}

/* Returns the smallest code of the samples of this work-item. */
static ALWAYS_INLINE uint
smallest_code (const Surround frame)
{
  const int item = (int) (get_local_id (1) * LINE_LANES + get_local_id (0));
  const size_t groups = get_num_groups (0) * get_num_groups (1);
  const size_t group = get_group_id (1) * get_num_groups (0) + get_group_id (0);
  const int n_quads = frame.has_quads ? frame.width / 4 : 0;
  uchar4 least = SAMPLE_MAX;
  uint code = SAMPLE_MAX;

  /* rows of the frame, distributed over the work-groups: there may be fewer
   * results than samples */
  for (size_t y = group; y < (size_t) frame.height; y += groups) {
    __global const SAMPLE_T *row = read_row (frame.base, frame.offset_bytes,
        frame.stride_bytes, (int) y);

    for (int q = item; q < n_quads; q += LINE_ITEMS)
      least = min (least, as_uchar4 (((__global const uint *) row)[q]));
    for (int x = 4 * n_quads + item; x < frame.width; x += LINE_ITEMS)
      code = min (code, (uint) row[x * frame.pixel_stride]);
  }

  return min (code,
      (uint) min (min (least.x, least.y), min (least.z, least.w)));
}

/* Largest deviation of all results, smallest code of the frame: first of each
 * work-group. Only deviations whose estimate is close to the largest known one
 * are computed in integers. */
__kernel
    __attribute__ ((reqd_work_group_size (LINE_LANES, LINE_GROUPS, 1))) void
    operation_sliding_gpu_extremes (SOURCE_ARGUMENTS, const int4 grid,
        volatile __global uint *extremes)
{
  WINDOW_MEMORY (2 * TILE_LINES);
  __local uint found[3];
  __local uint *largest = found, *smallest = found + 1, *nearly = found + 2;
  const WindowTile t = OWN_TILE;
  const bool is_first = get_local_id (0) + get_local_id (1) == 0;
  float estimate, known;

  if (is_first) {
    *largest = max_global (extremes, 0);
    *smallest = SAMPLE_MAX;
    *nearly = 0;
  }
  sum_window_tile (t, WINDOW_FRAME, false, 1, true, prefix, scratch);

  known = (float) READ_ONCE (*largest);

  /* the order of non-negative floats is that of their bits */
  estimate = largest_estimate (t, prefix);
  max_local (nearly, as_uint (estimate));
  min_local (smallest, smallest_code (WINDOW_FRAME));
  barrier (CLK_LOCAL_MEM_FENCE);

  /* the integer of an estimate e is above e - 1.2 and below e + 0.2 */
  if (estimate > as_float (*nearly) - 2.0f && estimate > known + 0.5f)
    max_local (largest, largest_deviation (t, prefix));
  barrier (CLK_LOCAL_MEM_FENCE);

  if (is_first) {
    max_global (extremes, *largest);
    min_global (extremes + 1, *smallest);
  }
}

/* Sets the initial extremes, before each frame. */
__kernel __attribute__ ((reqd_work_group_size (1, 1, 1))) void
operation_sliding_gpu_clear (__global uint *restrict extremes)
{
  clear_extremes (extremes);
}
