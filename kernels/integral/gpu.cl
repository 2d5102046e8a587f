/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* integral/gpu.cl: integral images of 1 to 4 components, for GPUs
 *
 * Math      S(x, y) is the sum of I(i, j) over i <= x, j <= y, for each
 *           component: the sum within a tile, plus the bottom rows of the tiles
 *           above, the right columns of those to the left, and the corners of
 *           those up left.
 * Shape     The components have width x height samples each. The sums are
 *           (width + border) x (height + border), with the channels
 *           interleaved; where border is 1 (the exclusive layout) the first row
 *           and the first column are zero. A tile is TILE_COLUMNS x TILE_ROWS
 *           samples of one component.
 * Units     Samples are bytes. Offsets and strides of samples are in bytes, the
 *           pixel stride is in samples, lengths of rows of sums are in sums.
 * Memory    Row-major, row 0 on top. Components may share a buffer. Rows of
 *           sums are tightly packed. The scratch memory has a row for each
 *           tile: bottoms[][TILE_COLUMNS] and rights[][TILE_ROWS].
 * Launch    Local (ITEMS, 1, 1), a work-group for a tile of one component.
 *           Either integral_gpu_tiles and then integral_gpu_sums, with groups
 *           by channel, column and band; or integral_gpu_single, with groups in
 *           a row.
 * Range     Within a tile, the sum of 2^14 bytes fits 32 bits. Sums are modulo
 *           the range of SUM_T.
 * Accuracy  Integers are exact. The reference is
 *           tests/integral/integralreference.c.
 * Source    Reading the samples twice takes less time than one more pass over
 *           the sums, and the sums that tiles exchange stay in the cache.
 *           Timings are in docs/performance.md.
 *
 * A tile, the samples that its work-group loads, and the sums that it reads
 * from other tiles. There is no halo of samples: sums of other tiles come from
 * scratch memory.
 *
 *                 columns of tiles
 *         +--------+--------+-----------+
 *         | corner | corner |   above   |   above: prefix sums along the bottom
 *         +--------+--------+-----------+   rows of the tiles above, added up
 *         | corner | corner |   above   |   left: prefix sums down the right
 *         +--------+--------+===========+   columns of the tiles to the left
 *         |  left  |  left  |  the tile |   corner: the last element of right
 *         +--------+--------+===========+   columns is the sum of a whole tile
 *
 *    the tile     LANES work-items across, four columns (a quad) each
 *    +-------+-------+-------+-----+
 *    | item 0| item 1| item 2| ..  |  row group 0: ROWS_PER_ITEM rows, all of
 *    |       |       |       |     |  which a work-item loads and keeps
 *    +-------+-------+-------+-----+
 *    | LANES | ..                  |  row group 1
 *    +-------+-------+-------+-----+
 *    | ..                          |  up to ROW_GROUPS of them
 *    +-----------------------------+
 *
 * publish_tile() writes the bottom row and the right column of the tile's own
 * sums. sum_tile() then gathers above, left and corner, scans the rows of the
 * tile in local memory, PARTS work-items a row, and stores the sums.
 */

#include "cl_common.clh"
#include "cl_memory.clh"
#include "cl_pixel.clh"
#include "cl_quad.clh"

#ifndef SUM_T
#define SUM_T uint /* type of one sum: uint (modulo 2^32), ulong (exact) */
#endif
#ifndef LANES
#define LANES 64 /* work-items across a tile, four columns each */
#endif
#ifndef ROW_GROUPS
#define ROW_GROUPS 4 /* row groups of LANES work-items in a tile */
#endif
#ifndef TILE_ROWS
#define TILE_ROWS 64
#endif
#ifndef STAGED
/* 1: rows of sums are stored through local memory, so that neighbouring
 * work-items store neighbouring sums; for rows that four sums cannot be stored
 * to at once. */
#define STAGED 0
#endif

#define SUM4_T        VECTOR_T (SUM_T, 4)
#define ITEMS         (LANES * ROW_GROUPS)
#define TILE_COLUMNS  (4 * LANES)
#define ROWS_PER_ITEM (TILE_ROWS / ROW_GROUPS)
/* PARTS work-items scan a row together. Rows of totals start an odd number of
 * words apart, so that neighbouring work-items, which scan neighbouring rows,
 * use different banks of local memory. */
#define PARTS         (ITEMS / TILE_ROWS)
#define PART_LANES    (LANES / PARTS)
#define PITCH         (LANES + 1)
/* Elements of an edge that one work-item scans. */
#define RUN           8
#define LANE_RUNS     (LANES / RUN)
#define ROW_RUNS      (TILE_ROWS / RUN)
#define STAGED_ROWS   2  /* of a row group, stored together if STAGED */
#define CORNERS       32 /* partial sums of corners */
#define CORNER_ITEMS  16 /* work-items that sum the corners of a band */

#if TILE_ROWS > 128 || ITEMS % TILE_ROWS || LANES % PARTS ||                   \
    ITEMS % CORNERS || LANES % RUN || TILE_ROWS % RUN ||                       \
    ROWS_PER_ITEM % STAGED_ROWS || LANES + TILE_ROWS > ITEMS
#error "LANES, ROW_GROUPS and TILE_ROWS do not fit each other"
#endif

/* ---- quads of a component ---- */

/* Sums of the columns of up to 128 quads below each other, two in an element,
 * in the order of quad_columns_uchar(). */
typedef uint2 Columns;

static inline uint4
unpack_columns (const Columns columns)
{
  return (uint4) (columns.x & 0xffff, columns.y & 0xffff, columns.x >> 16,
      columns.y >> 16);
}

static inline uint
total_columns (const Columns columns)
{
  const uint pairs = columns.x + columns.y;

  return (pairs & 0xffff) + (pairs >> 16);
}

/* Arguments of a kernel for up to four components of one size; those after
 * n_channels repeat the last. Offsets and strides are in bytes, the pixel
 * stride and the rest in samples. */
#define QUAD_ARGUMENTS                                                         \
  __global const uchar *base0, __global const uchar *base1,                    \
      __global const uchar *base2, __global const uchar *base3,                \
      const ulong offset0, const ulong offset1, const ulong offset2,           \
      const ulong offset3, const int4 strides, const int pixel_stride,         \
      const int width, const int height, const int n_channels

/* Selects the value of @channel from four. */
#define PICK_CHANNEL(channel, a, b, c, d)                                      \
  ((channel) == 0 ? (a) : (channel) == 1 ? (b) : (channel) == 2 ? (c) : (d))

/* The component of @channel, from QUAD_ARGUMENTS. */
#define QUAD_SOURCE(channel)                                                   \
  make_quad_source (PICK_CHANNEL (channel, base0 + offset0, base1 + offset1,   \
                        base2 + offset2, base3 + offset3),                     \
      PICK_CHANNEL (channel, strides.s0, strides.s1, strides.s2, strides.s3),  \
      pixel_stride, width, height)

typedef struct {
  __global const uchar *first;
  int stride_bytes, pixel_stride, width, height;
  bool is_packed; /* the start of every row is aligned for loads of four */
} QuadSource;

static inline QuadSource
make_quad_source (__global const uchar *first, const int stride_bytes,
    const int pixel_stride, const int width, const int height)
{
  return (QuadSource){ first, stride_bytes, pixel_stride, width, height,
    pixel_stride == 1 &&
        ((size_t) first | (size_t) stride_bytes) % sizeof (quad_uchar) == 0 };
}

/* Loads samples (x, y) .. (x + 3, y); those outside are 0 and not read. */
static inline quad_uchar
load_quad (const QuadSource source, const int x, const int y)
{
  __global const uchar *p = read_row (source.first, 0, source.stride_bytes, y) +
                            (size_t) x * source.pixel_stride;
  const int n = y < source.height ? source.width - x : 0;
  uchar4 samples = 0;

  if (n > 0)
    samples.x = p[0];
  if (n > 1)
    samples.y = p[source.pixel_stride];
  if (n > 2)
    samples.z = p[2 * source.pixel_stride];
  if (n > 3)
    samples.w = p[3 * source.pixel_stride];

  return pack_uchar (samples);
}

/* Loads samples (x, y) .. (x + 3, y) at once, if can_load_packed(); 0
 * outside. */
static inline quad_uchar
load_packed_quad (const QuadSource source, const int x, const int y)
{
  __global const uchar *row = read_row (source.first, 0, source.stride_bytes,
      y);

  return y < source.height ? *(__global const quad_uchar *) (row + x)
                           : (quad_uchar) 0;
}

/* Whether whole columns of quads can be loaded: one check, so that no branch
 * separates the loads. @x is a multiple of four. */
static inline bool
can_load_packed (const QuadSource source, const int x)
{
  return source.is_packed && x + 4 <= source.width;
}

/* Loads the quads of @n rows from (x, y) on. If they cannot all be loaded at
 * once, they are loaded some rows at a time through @packed, local memory of
 * this work-item with elements @step apart: loading all of them needs so many
 * registers that fewer work-groups run. */
static ALWAYS_INLINE void
load_quads_down (const QuadSource source, const int x, const int y, const int n,
    __local quad_uchar *packed, const int step, quad_uchar *quads)
{
  const bool is_packed = can_load_packed (source, x);

  if (is_packed && y + n <= source.height) {
    __global const uchar *first = read_row (source.first, 0,
                                      source.stride_bytes, y) +
                                  x;

    UNROLL
    for (int r = 0; r < n; r++)
      quads[r] = *(__global const quad_uchar *) read_row (
          (__global const uchar *) first, 0, source.stride_bytes, r);
    return;
  }

  UNROLL_BY (4)
  for (int r = 0; r < n; r++)
    packed[r * step] = is_packed ? load_packed_quad (source, x, y + r)
                                 : load_quad (source, x, y + r);
  UNROLL
  for (int r = 0; r < n; r++)
    quads[r] = READ_ONCE (packed[r * step]);
}

static ALWAYS_INLINE Columns
sum_quads_down (const quad_uchar *quads, const int n)
{
  Columns columns = 0;

  UNROLL
  for (int r = 0; r < n; r++)
    columns += quad_columns_uchar (quads[r]);

  return columns;
}

/* ---- the table ---- */

typedef struct {
  __global SUM_T *first; /* S(0, 0), after the zeros */
  size_t length;         /* of a row, in sums */
  int width, height;     /* of the component, without the zeros */
  int n_channels, border;
  bool is_aligned; /* four sums of one channel can be stored at once */
} SumTable;

static inline SumTable
make_sum_table (__global uchar *sums, const ulong offset_bytes,
    const int channel, const int width, const int height, const int n_channels,
    const int border)
{
  const size_t length = (size_t) (width + border) * n_channels;
  __global SUM_T *first = (__global SUM_T *) (sums + offset_bytes) +
                          border * (length + n_channels) + channel;

  return (SumTable){ first, length, width, height, n_channels, border,
    n_channels == 1 &&
        ((size_t) first | length * sizeof (SUM_T)) % sizeof (SUM4_T) == 0 };
}

static inline __global SUM_T *
table_at (const SumTable table, const int x, const int y)
{
  return table.first + y * table.length + (size_t) x * table.n_channels;
}

/* Stores four sums of a row of a table of one channel; all are inside it. */
static inline void
store_quad (const SumTable table, __global SUM_T *p, const SUM4_T sums)
{
  if (table.is_aligned)
    *(__global SUM4_T *) p = sums;
  else
    vstore4 (sums, 0, p);
}

/* Writes the zeros above the columns from @x on, and to the left of the rows
 * from @y on, for a tile of @columns x @rows at (@x, @y). All work-items of the
 * tile's work-group, of one dimension, must call it. */
static inline void
write_border (const SumTable table, const int x, const int y, const int columns,
    const int rows)
{
  const int item = (int) get_local_id (0);
  const int n_items = (int) get_local_size (0);

  if (!table.border)
    return;

  if (y == 0 && table.height > 0) {
    /* the first tile also has the corner */
    for (int i = item - (x == 0); i < columns; i += n_items) {
      if (x + i < table.width)
        *(table_at (table, x + i, 0) - table.length) = 0;
    }
  }
  if (x == 0) {
    for (int i = item; i < rows; i += n_items) {
      if (y + i < table.height)
        *(table_at (table, 0, y + i) - table.n_channels) = 0;
    }
  }
}

/* ---- the grid of tiles ---- */

/* Tiles are counted from left to right, then from top to bottom. The tiles of
 * all components at one position are consecutive, then the tiles of a band,
 * then the bands: all tiles above or to the left of a tile have a lower
 * index. */
typedef struct {
  int columns, bands, channels; /* tiles across and down; components */
} Grid;

typedef struct {
  int column, band, channel;
} Tile;

static inline Grid
make_grid (const int width, const int height, const int n_channels,
    const int tile_columns, const int tile_rows)
{
  return (Grid){ (width - 1) / tile_columns + 1, (height - 1) / tile_rows + 1,
    n_channels };
}

static inline Tile
locate_tile (const Grid grid, const uint index)
{
  const int at = (int) (index / grid.channels);

  return (Tile){ at % grid.columns, at / grid.columns,
    (int) (index % grid.channels) };
}

static inline size_t
tile_index (const Grid grid, const int channel, const int band,
    const int column)
{
  return ((size_t) band * grid.columns + column) * grid.channels + channel;
}

/* Returns the sum of elements 0 .. @i of @size, which are scanned in runs of
 * @run, with one word between two runs. */
static ALWAYS_INLINE uint
sum_runs (__local const uint *runs, const int i, const int size, const int run)
{
  uint sum = runs[i + i / run];

  UNROLL
  for (int k = 0; k < size / run - 1; k++)
    sum += k < i / run ? runs[k * (run + 1) + run - 1] : 0;

  return sum;
}

#define TILE_BATCH 4 /* loads in flight together */

/* Defines a function that adds up published sums of @n tiles, @step apart:
 * every @every-th from @first on. */
#define DEFINE_GATHER(name, published_t, sum_t)                                \
  static ALWAYS_INLINE sum_t name (volatile __global const published_t *p,     \
      const size_t step, const int first, const int every, const int n)        \
  {                                                                            \
    sum_t sum = 0;                                                             \
                                                                               \
    p += first * step;                                                         \
    UNROLL_BY (1)                                                              \
    for (int k = first; k < n; k += TILE_BATCH * every) {                      \
      UNROLL                                                                   \
      for (int j = 0; j < TILE_BATCH; j++) {                                   \
        if (k + j * every < n)                                                 \
          sum += CONVERT (sum_t) (p[j * every * step]);                        \
      }                                                                        \
      p += TILE_BATCH * every * step;                                          \
    }                                                                          \
                                                                               \
    return sum;                                                                \
  }

/* ---- tiles ---- */

/* Local memory of a work-group. Sums belong to one element, or to a part of it
 * that one work-item adds up. */
typedef struct {
  union { /* first, so that four sums are aligned */
    SUM_T staged[STAGED ? ROW_GROUPS * STAGED_ROWS * TILE_COLUMNS : 1];
    struct {
      SUM4_T above[ITEMS];
      SUM_T left[ITEMS], corner[ITEMS];
    } others;
    struct {
      uint bottom[LANES + LANE_RUNS]; /* of four columns */
      uint right[TILE_ROWS + ROW_RUNS];
    } edges;
  } own;
  union {
    quad_uchar packed[TILE_ROWS * LANES];
    uint totals[TILE_ROWS * PITCH]; /* of four columns, then of the columns
                                     * before */
  } rows;
  Columns columns[ITEMS];
  uint parts[ITEMS];   /* of rows */
  SUM_T starts[ITEMS]; /* of parts of rows: the sum of the samples before */
} TileWork;

/* Loads this work-item's samples of the tile; 0 outside the component. */
static ALWAYS_INLINE void
load_rows (const QuadSource source, const Tile tile, __local TileWork *work,
    quad_uchar *quads)
{
  const int item = (int) get_local_id (0);

  load_quads_down (source, tile.column * TILE_COLUMNS + item % LANES * 4,
      tile.band * TILE_ROWS + item / LANES * ROWS_PER_ITEM, ROWS_PER_ITEM,
      work->rows.packed + item, ITEMS, quads);
}

/* Publishes the bottom row and the right column of the tile's own sums. All
 * work-items of the group must call it. */
static ALWAYS_INLINE void
publish_tile (const quad_uchar *quads, __local TileWork *work,
    volatile __global uint *bottom, volatile __global uint *right)
{
  const int item = (int) get_local_id (0);
  const int lane = ITEMS - 1 - item; /* not the work-items of the rows */
  __local uint *totals = work->rows.totals + item % LANES +
                         item / LANES * ROWS_PER_ITEM * PITCH;
  Columns columns = 0;
  uint sum = 0;

  barrier (CLK_LOCAL_MEM_FENCE); /* after load_rows() */
  UNROLL
  for (int r = 0; r < ROWS_PER_ITEM; r++)
    totals[r * PITCH] = total_columns (quad_columns_uchar (quads[r]));
  work->columns[item] = sum_quads_down (quads, ROWS_PER_ITEM);
  barrier (CLK_LOCAL_MEM_FENCE);

  totals = work->rows.totals + item % TILE_ROWS * PITCH +
           item / TILE_ROWS * PART_LANES;
  UNROLL
  for (int i = 0; i < PART_LANES; i++)
    sum += totals[i];
  work->parts[item] = sum;
  if (lane < LANES) {
    UNROLL
    for (int i = 0; i < ROW_GROUPS; i++)
      columns += work->columns[i * LANES + lane];
    work->own.edges.bottom[lane + lane / RUN] = total_columns (columns);
  }
  barrier (CLK_LOCAL_MEM_FENCE);

  /* the rows of a run by a work-item, and the columns of one */
  if (item < ROW_RUNS) {
    sum = 0;
    UNROLL
    for (int y = 0; y < RUN; y++) {
      UNROLL
      for (int i = 0; i < PARTS; i++)
        sum += work->parts[i * TILE_ROWS + item * RUN + y];
      work->own.edges.right[item * (RUN + 1) + y] = sum;
    }
  }
  if (lane < LANE_RUNS) {
    __local uint *run = work->own.edges.bottom + lane * (RUN + 1);

    sum = 0;
    UNROLL
    for (int i = 0; i < RUN; i++)
      run[i] = sum += run[i];
  }
  barrier (CLK_LOCAL_MEM_FENCE);

  if (item < TILE_ROWS)
    right[item] = sum_runs (work->own.edges.right, item, TILE_ROWS, RUN);
  if (lane < LANES)
    ((volatile __global uint4 *) bottom)[lane] = prefix_four (
                                                     unpack_columns (columns)) +
                                                 sum_runs (
                                                     work->own.edges.bottom,
                                                     lane, LANES, RUN) -
                                                 total_columns (columns);
}

/* clang-format off */
DEFINE_GATHER (gather_quads, uint4, SUM4_T)
DEFINE_GATHER (gather_sums, uint, SUM_T)
/* clang-format on */

/* Adds up the published sums of other tiles that this tile needs, one portion
 * for each work-item. */
static ALWAYS_INLINE void
gather_portions (const Grid grid, const Tile tile, __local TileWork *work,
    volatile __global const uint *bottoms, volatile __global const uint *rights)
{
  const int item = (int) get_local_id (0);
  const size_t band = (size_t) grid.columns * grid.channels; /* of tiles */
  const size_t top = tile_index (grid, tile.channel, 0, tile.column);
  const size_t start = tile_index (grid, tile.channel, tile.band, 0);
  const SUM4_T above = gather_quads ((volatile __global const uint4 *) bottoms +
                                         top * LANES + item % LANES,
      band * LANES, item / LANES, ROW_GROUPS, tile.band);
  const SUM_T left = gather_sums (rights + start * TILE_ROWS + item % TILE_ROWS,
      (size_t) grid.channels * TILE_ROWS, item / TILE_ROWS, PARTS, tile.column);
  SUM_T corner = 0;

  UNROLL_BY (1)
  for (int k = item / CORNER_ITEMS; k < tile.band; k += ITEMS / CORNER_ITEMS)
    corner += gather_sums (rights + (k * band + tile.channel + 1) * TILE_ROWS -
                               1,
        (size_t) grid.channels * TILE_ROWS, item % CORNER_ITEMS, CORNER_ITEMS,
        tile.column);

  work->own.others.above[item] = above;
  work->own.others.left[item] = left;
  work->own.others.corner[item] = corner;
}

/* ---- sums ---- */

/* Turns the sums of four columns, for each row of the tile, into the sum of all
 * columns before them in the row's part. starts[] becomes the sum before each
 * part, including the tiles to the left. Adds up the portions of
 * gather_portions(). */
static ALWAYS_INLINE void
scan_rows (__local TileWork *work)
{
  const int item = (int) get_local_id (0);
  const int mirrored = ITEMS - 1 - item;
  __local uint *part = work->rows.totals + item % TILE_ROWS * PITCH +
                       item / TILE_ROWS * PART_LANES;
  uint sum = 0;

  /* each part of a row separately; and corners down to CORNERS sums */
  UNROLL
  for (int i = 0; i < PART_LANES; i++) {
    const uint next = sum + part[i];
    part[i] = sum;
    sum = next;
  }
  work->parts[item] = sum;
  if (item < CORNERS) {
    SUM_T corner = 0;

    UNROLL
    for (int i = 0; i < ITEMS; i += CORNERS)
      corner += work->own.others.corner[item + i];
    work->own.others.corner[item] = corner;
  }
  barrier (CLK_LOCAL_MEM_FENCE);

  /* the parts of a row, and the sum to the left of it; the last work-items add
   * up the sums above */
  if (item < TILE_ROWS) {
    SUM_T start = 0;

    UNROLL
    for (int i = 0; i < CORNERS; i++)
      start += work->own.others.corner[i];
    UNROLL
    for (int i = 0; i < PARTS; i++)
      start += work->own.others.left[item + i * TILE_ROWS];
    UNROLL
    for (int i = 0; i < PARTS; i++) {
      work->starts[item + i * TILE_ROWS] = start;
      start += work->parts[item + i * TILE_ROWS];
    }
  }
  if (mirrored < LANES) {
    SUM4_T above = 0;

    UNROLL
    for (int i = 0; i < ROW_GROUPS; i++)
      above += work->own.others.above[i * LANES + mirrored];
    work->own.others.above[mirrored] = above;
  }
  barrier (CLK_LOCAL_MEM_FENCE);
}

/* Writes the tile's sums to the table. All work-items of the group must call
 * it. All sums that the tile needs must have been published. */
static ALWAYS_INLINE void
sum_tile (const quad_uchar *quads, const Grid grid, const Tile tile,
    const SumTable table, __local TileWork *work,
    volatile __global const uint *bottoms, volatile __global const uint *rights)
{
  const int item = (int) get_local_id (0);
  const int lane = item % LANES;
  const int group = item / LANES;
  const int first_row = group * ROWS_PER_ITEM;
  __local uint *totals = work->rows.totals + first_row * PITCH + lane;
  Columns columns, down = 0;

  /* the longest loads first, while the samples are still in flight */
  gather_portions (grid, tile, work, bottoms, rights);
  work->columns[item] = sum_quads_down (quads, ROWS_PER_ITEM);
  barrier (CLK_LOCAL_MEM_FENCE);

  UNROLL
  for (int i = 0; i < ROW_GROUPS - 1; i++)
    down += i < group ? work->columns[i * LANES + lane] : (Columns) 0;
  columns = down;
  UNROLL
  for (int r = 0; r < ROWS_PER_ITEM; r++) {
    columns += quad_columns_uchar (quads[r]);
    totals[r * PITCH] = total_columns (columns);
  }
  barrier (CLK_LOCAL_MEM_FENCE);
  scan_rows (work);

  const SUM4_T above = READ_ONCE (work->own.others.above[lane]);
  __local SUM_T *starts = work->starts + lane / PART_LANES * TILE_ROWS +
                          first_row;
  const int x = tile.column * TILE_COLUMNS;
  const int y = tile.band * TILE_ROWS + first_row;
  write_border (table, x, tile.band * TILE_ROWS, TILE_COLUMNS, TILE_ROWS);

#if STAGED
  __local SUM_T *staged = work->own.staged + group * STAGED_ROWS * TILE_COLUMNS;
  barrier (CLK_LOCAL_MEM_FENCE);
  UNROLL
  for (int start = 0; start < ROWS_PER_ITEM; start += STAGED_ROWS) {
    UNROLL
    for (int r = start; r < start + STAGED_ROWS; r++) {
      down += quad_columns_uchar (quads[r]);
      ((__local SUM4_T *) staged)[(r - start) * LANES + lane] =
          above + CONVERT (SUM4_T) (prefix_four (unpack_columns (down))) +
          (totals[r * PITCH] + starts[r]);
    }
    barrier (CLK_LOCAL_MEM_FENCE);
    UNROLL
    for (int i = 0; i < STAGED_ROWS * 4; i++) {
      const int column = x + i % 4 * LANES + lane;
      const int row = y + start + i / 4;
      if (column < table.width && row < table.height)
        *table_at (table, column, row) = staged[i * LANES + lane];
    }
    barrier (CLK_LOCAL_MEM_FENCE);
  }
#else
  __global SUM_T *sums = table_at (table, x + 4 * lane, y);
  const int n_rows = x + 4 * lane < table.width ? table.height - y : 0;
  UNROLL
  for (int r = 0; r < ROWS_PER_ITEM; r++) {
    down += quad_columns_uchar (quads[r]);
    if (r < n_rows)
      store_quad (table, sums,
          above + CONVERT (SUM4_T) (prefix_four (unpack_columns (down))) +
              (totals[r * PITCH] + starts[r]));
    sums += table.length;
  }
#endif
}

/* ---- two launches ---- */

/* The tile of a work-group: work-groups are in the order of the tiles'
 * indices. */
static ALWAYS_INLINE Tile
own_tile (void)
{
  return (Tile){ (int) get_group_id (1), (int) get_group_id (2),
    (int) get_group_id (0) };
}

static ALWAYS_INLINE Grid
own_grid (const int n_channels)
{
  return (
      Grid){ (int) get_num_groups (1), (int) get_num_groups (2), n_channels };
}

__kernel __attribute__ ((reqd_work_group_size (ITEMS, 1, 1))) void
integral_gpu_tiles (QUAD_ARGUMENTS, volatile __global uint *bottoms,
    volatile __global uint *rights)
{
  __local TileWork work;
  const Tile tile = own_tile ();
  const size_t index = tile_index (own_grid (n_channels), tile.channel,
      tile.band, tile.column);
  quad_uchar quads[ROWS_PER_ITEM];

  load_rows (QUAD_SOURCE (tile.channel), tile, &work, quads);
  publish_tile (quads, &work, bottoms + index * TILE_COLUMNS,
      rights + index * TILE_ROWS);
}

__kernel __attribute__ ((reqd_work_group_size (ITEMS, 1, 1))) void
integral_gpu_sums (QUAD_ARGUMENTS, volatile __global const uint *bottoms,
    volatile __global const uint *rights, __global uchar *sums,
    const ulong sums_offset, const int border)
{
  __local TileWork work;
  const Tile tile = own_tile ();
  const SumTable table = make_sum_table (sums, sums_offset, tile.channel, width,
      height, n_channels, border);
  quad_uchar quads[ROWS_PER_ITEM];

  load_rows (QUAD_SOURCE (tile.channel), tile, &work, quads);
  sum_tile (quads, own_grid (n_channels), tile, table, &work, bottoms, rights);
}

/* ---- one launch ---- */

/* Words that work-groups share, zero at first: counters of groups that have
 * started and ended, over all launches. The host reads GAVE_UP. */
enum { GAVE_UP, N_COME, N_GONE, N_LATE, N_WORDS };

/* Both kernels in one: a work-group publishes its tile, then waits for the
 * tiles that it needs. Work-groups get tiles in the order in which they start,
 * so that a group only waits for groups that have started before it, and no
 * group waits before it publishes: this terminates if the device lets every
 * started group proceed.
 *
 * If it does not, a group gives up after @spin_limit reads, and leaves its tile
 * to the work-group that ends last, when all tiles are published. That group
 * sums the late tiles, one after the other, before the launch ends. The host
 * reads GAVE_UP later, and uses two launches from then on.
 *
 * @epoch counts launches from 1 on. The shared words are followed by the epoch
 * in which each tile was last published, and by the list of late tiles. */
__kernel __attribute__ ((reqd_work_group_size (ITEMS, 1, 1))) void
integral_gpu_single (QUAD_ARGUMENTS, volatile __global uint *bottoms,
    volatile __global uint *rights, __global uchar *sums,
    const ulong sums_offset, const int border, volatile __global uint *shared,
    const uint epoch, const uint spin_limit)
{
  __local TileWork work;
  __local struct {
    uint index, is_late, n_repairs;
  } own;
  const int item = (int) get_local_id (0);
  const uint n_tiles = (uint) get_num_groups (0);
  const Grid grid = make_grid (width, height, n_channels, TILE_COLUMNS,
      TILE_ROWS);
  volatile __global uint *published = shared + N_WORDS;
  volatile __global uint *late = published + n_tiles;
  quad_uchar quads[ROWS_PER_ITEM];

  if (item == 0) {
    own.index = count_global (shared + N_COME) - (epoch - 1) * n_tiles;
    own.is_late = 0;
  }
  barrier (CLK_LOCAL_MEM_FENCE);

  const uint index = READ_ONCE (own.index);
  Tile tile = locate_tile (grid, index);
  load_rows (QUAD_SOURCE (tile.channel), tile, &work, quads);
  publish_tile (quads, &work, bottoms + (size_t) index * TILE_COLUMNS,
      rights + (size_t) index * TILE_ROWS);
  barrier_device (CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE);
  if (item == 0)
    exchange_global (published + index, epoch);

  /* the tiles above, to the left and up left, except this one */
  const int columns = tile.column + 1;
  for (int i = item; i < (tile.band + 1) * columns - 1; i += ITEMS) {
    if (!wait_for (published + tile_index (grid, tile.channel, i / columns,
                                   i % columns),
            epoch, shared + GAVE_UP, epoch, spin_limit))
      exchange_local (&own.is_late, 1);
  }
  barrier_device (CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE);

  if (item == 0) {
    if (own.is_late) {
      late[count_global (shared + N_LATE)] = index;
      exchange_global (shared + GAVE_UP, epoch);
      device_fence ();
    }
    /* the last group is the only one that reads N_LATE */
    own.n_repairs = count_global (shared + N_GONE) == epoch * n_tiles - 1
                        ? exchange_global (shared + N_LATE, 0)
                        : 0;
    device_fence ();
  }
  barrier (CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE);

  /* this group's own tile, unless it is late, then the late tiles: the same
   * number of rounds for every work-item, because of the barriers in the
   * loop */
  const uint n_repairs = READ_ONCE (own.n_repairs);
  int y_end = own.is_late ? 0 : height;
  for (uint i = 0; i <= n_repairs; i++) {
    sum_tile (quads, grid, tile,
        make_sum_table (sums, sums_offset, tile.channel, width, y_end,
            n_channels, border),
        &work, bottoms, rights);
    barrier (CLK_LOCAL_MEM_FENCE);

    if (i < n_repairs) {
      tile = locate_tile (grid, late[i]);
      load_rows (QUAD_SOURCE (tile.channel), tile, &work, quads);
      y_end = height;
    }
  }
}
