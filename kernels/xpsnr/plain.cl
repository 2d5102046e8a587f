/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* xpsnr/plain.cl: errors and activities of the blocks of a picture, on any
 * device
 *
 * Math      For each block and component the sum of squared differences of two
 *           pictures; for the first component of the original also its spatial
 *           and temporal activity. gstclxpsnr.h defines them.
 * Shape     Pictures of up to three components of any sizes, cut into blocks of
 *           block_widths x block_heights. STRIDE_FIRST and STRIDE_OTHERS are
 *           the pixel strides.
 * Units     Codes of samples. Offsets and strides of rows are in bytes.
 * Memory    last, earlier: cl_xpsnr.clh; read and written. blocks: an element
 *           for each block, in row order.
 * Launch    Local (GROUP, 1, 1). Dimension 0: columns of blocks, dimension 1:
 *           rows of them, dimension 2: components.
 * Range     A block has at most 4096 x 4096 samples.
 * Accuracy  Exact. The reference is tests/xpsnr/xpsnrreference.c.
 * Source    Helmrich et al., ICASSP 2020. A work-item measures a band of a
 *           column of quads from top to bottom, and loads each row of it once:
 *           three adjacent quads. The windows are symmetrical, so that a row of
 *           samples, or of cells, has up to three sums, which the activities of
 *           the rows above and below share. Tree reduction in local memory.
 *
 *      quad (4 samples)
 *    +--------+--------+-----+------------------+
 *    | item 0 | item 1 | ..  | item LANES - 1   |  band 0: rows or pairs of
 *    |        |        |     |                  |  rows, from top to bottom
 *    +--------+--------+-----+------------------+
 *    | item LANES ..                            |  band 1
 */

#include "cl_code.clh"
#include "cl_common.clh"
#include "cl_pixel.clh"
#include "cl_plane.clh"
#include "cl_xpsnr.clh"

#define GROUP 256
#define QUAD  4 /* samples; the first has a multiple of this as its column */

/* The memory of a quad of adjacent samples. */
#define QUAD_T VECTOR_T (SAMPLE_T, 4)

/* Sums of a work-item fit these: of samples of 8 bits, it has at most 65536. */
#if DEPTH <= 8
#define SUM_T uint
#else
#define SUM_T ulong
#endif

/* The sums of a work-item. */
typedef struct {
  SUM_T squares, spatial, temporal;
} Sums;

/* --- quads ---------------------------------------------------------------- */

/* Whether each quad of a component has the alignment of its vector. */
static ALWAYS_INLINE bool
is_aligned (const Plane *plane, const int stride)
{
  const size_t start = (size_t) (plane->base + plane->offset_bytes);

  return stride == 1 &&
         ((start | (size_t) plane->stride_bytes) % sizeof (QUAD_T)) == 0;
}

static ALWAYS_INLINE uint4
masked_codes (const uint4 samples)
{
  return (samples >> (uint4) (SAMPLE_SHIFT)) & (uint4) (N_CODES - 1);
}

/* Returns the codes of a quad. @loads, a constant: as a vector, which is
 * aligned and in the picture; else sample by sample, and beyond the first and
 * the last column the codes of these. */
static ALWAYS_INLINE uint4
load_quad (const Plane *plane, const int x, const int y, const int width,
    const int stride, const bool loads)
{
  __global const SAMPLE_T *row = plane_row (plane, y);
  const int last = width - 1;

  if (loads)
    return masked_codes (
        CONVERT (uint4) (*(__global const QUAD_T *) (row + x)));

  return masked_codes ((uint4) (row[clamp (x, 0, last) * stride],
      row[clamp (x + 1, 0, last) * stride],
      row[clamp (x + 2, 0, last) * stride],
      row[clamp (x + 3, 0, last) * stride]));
}

static ALWAYS_INLINE int4
activity_codes (const uint4 codes)
{
  return DEPTH == 16 ? CONVERT (int4) (as_short4 (CONVERT (ushort4) (codes)))
                     : as_int4 (codes);
}

/* The elements of quad @x that are columns @from to @to - 1. */
static ALWAYS_INLINE int4
columns_inside (const int x, const int from, const int to)
{
  const int4 columns = (int4) (x) + (int4) (0, 1, 2, 3);

  return columns >= (int4) (from) && columns < (int4) (to);
}

static ALWAYS_INLINE SUM_T
sum_of_quad (const uint4 v)
{
  return (SUM_T) v.x + v.y + v.z + v.w;
}

/* Adds the squares of the differences of @a and @b in columns @is_inside. */
static ALWAYS_INLINE void
add_squares (const uint4 a, const uint4 b, const int4 is_inside, SUM_T *sum)
{
  const uint4 error = abs_diff (a, b) & as_uint4 (is_inside);

  *sum += sum_of_quad (error * error);
}

/* --- the original --------------------------------------------------------- */

/* A column of quads of the original and of the other picture. */
typedef struct {
  const Original *original;
  const Plane *compared;
  int x;          /* of the quad */
  int4 is_inside; /* the columns of the block */
} Column;

/* Returns the codes of columns x - 2 .. x + 5 of a row. @loads: has_vectors().
 * Those beyond the picture are then of any column: no activity needs them. */
static ALWAYS_INLINE int8
load_row (const Column *column, const int y, const bool loads)
{
  const Original *original = column->original;
  const Plane *plane = &original->plane;
  const int x = column->x, width = original->width;
  const int row = clamp (y, 0, original->height - 1);

  if (loads) {
    const int after = x + QUAD < width ? x + QUAD : x;

    return (int8) (activity_codes (load_quad (plane, max (x - QUAD, 0), row,
                                       width, STRIDE_FIRST, true))
                       .zw,
        activity_codes (load_quad (plane, x, row, width, STRIDE_FIRST, true)),
        activity_codes (
            load_quad (plane, after, row, width, STRIDE_FIRST, true))
            .xy);
  }

  return (int8) (activity_at (original, x - 2, row),
      activity_at (original, x - 1, row), activity_at (original, x, row),
      activity_at (original, x + 1, row), activity_at (original, x + 2, row),
      activity_at (original, x + 3, row), activity_at (original, x + 4, row),
      activity_at (original, x + 5, row));
}

/* Whether the rows of a column are loaded as vectors: all quads that it needs
 * are aligned and in the picture, or beyond it. */
static ALWAYS_INLINE bool
has_vectors (const Column *column)
{
  const int end_x = column->x + QUAD, width = column->original->width;

  return is_aligned (&column->original->plane, STRIDE_FIRST) &&
         is_aligned (column->compared, STRIDE_FIRST) &&
         (end_x == width || end_x + QUAD <= width);
}

/* @codes: activity codes. */
static ALWAYS_INLINE void
add_errors (const Column *column, const int4 codes, const int y,
    const bool loads, Sums *sums)
{
  add_squares (as_uint4 (codes) & (uint4) (N_CODES - 1),
      load_quad (column->compared, column->x, y, column->original->width,
          STRIDE_FIRST, loads),
      column->is_inside, &sums->squares);
}

#if IS_LARGE
/* The sums of a row for the two cells of a quad, in the order of their distance
 * from the cell: a row of the cell, the next one, and that after it. */
typedef struct {
  int2 inner, outer, outermost;
} RowSums;

static ALWAYS_INLINE RowSums
sums_of_row (const int8 v)
{
  /* the pairs of columns at the same distance from the middle of a cell */
  const int2 near = v.s24 + v.s35, next = v.s13 + v.s46, far = v.s02 + v.s57;

  return (RowSums){ 12 * near - 3 * next - far, 3 * near + 2 * next + far,
    near + next };
}

/* Columns of cells of a quad that have spatial activity in the block. */
static ALWAYS_INLINE int2
cells_inside (const int x, const int from, const int to)
{
  const int2 columns = (int2) (x) + (int2) (0, 2);

  return columns >= (int2) (from) && columns < (int2) (to);
}

/* The memory of the cells of a quad in the history, which is aligned. */
#define CELLS_T VECTOR_T (HISTORY_T, 2)

static ALWAYS_INLINE int2
load_cells (__global const HISTORY_T *p)
{
  return CONVERT (int2) (*(__global const CELLS_T *) p);
}

static ALWAYS_INLINE void
add_change (const Column *column, const int2 cells, const int y, Sums *sums)
{
  const Original *original = column->original;
  const int at = y / 2 * original->history_stride + column->x / 2;
#if ORDER == 1
  const int2 change = cells - load_cells (original->last + at);
  __global HISTORY_T *next = original->last + at;
#else
  const int2 change = cells - 2 * load_cells (original->last + at) +
                      load_cells (original->earlier + at);
  __global HISTORY_T *next = original->earlier + at;
#endif
  const uint2 size = abs (change) & as_uint2 (column->is_inside.even);

  sums->temporal += (SUM_T) size.x + size.y;
  *(__global CELLS_T *) next = CONVERT (CELLS_T) (cells);
}

/* Measures rows @y to @end_y - 1 of a column; @y is even. */
static ALWAYS_INLINE void
measure_column (const Column *column, const Area *block, const int y,
    const int end_y, const bool loads, Sums *sums)
{
  const Original *original = column->original;
  const int height = original->height;
  const int2 is_active = cells_inside (column->x, max (block->x, EDGE),
      min (block->end_x, original->width - EDGE));
  int2 above = 0, open = 0;

  /* an activity is complete with the pair of rows below its cell */
  for (int row = y - 2; row < end_y + 2; row += 2) {
    const int8 a = load_row (column, row, loads);
    const int8 b = load_row (column, row + 1, loads);
    const RowSums top = sums_of_row (a), bottom = sums_of_row (b);

    if (row >= y && row < end_y) {
      const int8 pair = a + b;

      add_errors (column, a.s2345, row, loads, sums);
      if (row + 1 < height)
        add_errors (column, b.s2345, row + 1, loads, sums);
      add_change (column, pair.s24 + pair.s35, row, sums);
    }
    if (row > y && row - 2 >= EDGE && row - 2 < height - EDGE) {
      const uint2 activity = abs (open - top.outer - bottom.outermost) &
                             as_uint2 (is_active);

      sums->spatial += (SUM_T) activity.x + activity.y;
    }
    open = top.inner + bottom.inner - above;
    above = top.outermost + bottom.outer;
  }
}
#else
static ALWAYS_INLINE void
add_change (const Column *column, const int4 codes, const int y, Sums *sums)
{
  const Original *original = column->original;
  const int at = y * original->history_stride + column->x;
  const int4 last = activity_codes (
      CONVERT (uint4) (*(__global const QUAD_T *) (original->last + at)));
#if ORDER == 1
  const int4 change = codes - last;
  __global HISTORY_T *next = original->last;
#else
  const int4 earlier = activity_codes (
      CONVERT (uint4) (*(__global const QUAD_T *) (original->earlier + at)));
  const int4 change = codes - 2 * last + earlier;
  __global HISTORY_T *next = original->earlier;
#endif

  sums->temporal += sum_of_quad (abs (change) & as_uint4 (column->is_inside));
  *(__global QUAD_T *) (next + at) = CONVERT (QUAD_T) (codes);
}

/* Measures rows @y to @end_y - 1 of a column. */
static ALWAYS_INLINE void
measure_column (const Column *column, const Area *block, const int y,
    const int end_y, const bool loads, Sums *sums)
{
  const Original *original = column->original;
  const int height = original->height;
  const int4 is_active = columns_inside (column->x, max (block->x, EDGE),
      min (block->end_x, original->width - EDGE));
  int4 above = 0, open = 0;

  /* an activity is complete with the row below */
  for (int row = y - 1; row < end_y + 1; row++) {
    const int8 v = load_row (column, row, loads);
    const int4 middle = v.s2345, sides = v.s1234 + v.s3456;
    const int4 outer = 2 * middle + sides;

    if (row >= y && row < end_y) {
      add_errors (column, middle, row, loads, sums);
      add_change (column, middle, row, sums);
    }
    if (row > y && row - 1 >= EDGE && row - 1 < height - EDGE)
      sums->spatial += sum_of_quad (abs (open - outer) & as_uint4 (is_active));
    open = 12 * middle - 2 * sides - above;
    above = outer;
  }
}
#endif

/* --- work-items ----------------------------------------------------------- */

/* How the work-items of a group share a block: @lanes columns of quads at a
 * time, each in bands of @n_rows. */
typedef struct {
  int lane, lanes;
  int y, end_y; /* the rows of this work-item */
} Share;

static ALWAYS_INLINE Share
share_of_block (const Area *block)
{
  /* unsigned: cl_common.clh and docs/devices.md */
  const uint i = (uint) get_local_id (0);
  const uint n_quads = (uint) ((block->end_x + QUAD - 1) / QUAD -
                               block->x / QUAD);
  const uint lanes = min (max (n_quads, 1u), (uint) GROUP);
  const uint n_bands = GROUP / lanes, band = i / lanes;
  const uint n = (uint) (block->end_y - block->y);
  const uint n_rows = (n + n_bands * 2 - 1) / (n_bands * 2) * 2;
  const uint first = min (band * n_rows, n);

  return (Share){ (int) (i % lanes), (int) lanes, block->y + (int) first,
    band < n_bands ? block->y + (int) min (first + n_rows, n) : 0 };
}

static ALWAYS_INLINE void
measure_original (const Original *original, const Plane *compared,
    const Area *block, Sums *sums)
{
  const Share share = share_of_block (block);

  if (share.y >= share.end_y)
    return;

  for (int x = block->x / QUAD * QUAD + share.lane * QUAD; x < block->end_x;
       x += share.lanes * QUAD) {
    const Column column = { original, compared, x,
      columns_inside (x, block->x, block->end_x) };

    if (has_vectors (&column))
      measure_column (&column, block, share.y, share.end_y, true, sums);
    else
      measure_column (&column, block, share.y, share.end_y, false, sums);
  }
}

/* Measures rows of a quad. */
static ALWAYS_INLINE void
measure_quad (const Plane *a, const Plane *b, const Area *block, const int x,
    const int width, const Share *share, const bool loads, Sums *sums)
{
  const int4 is_inside = columns_inside (x, block->x, block->end_x);

  for (int y = share->y; y < share->end_y; y++)
    add_squares (load_quad (a, x, y, width, STRIDE_OTHERS, loads),
        load_quad (b, x, y, width, STRIDE_OTHERS, loads), is_inside,
        &sums->squares);
}

static ALWAYS_INLINE void
measure_errors (const Plane *a, const Plane *b, const Area *block,
    const int width, Sums *sums)
{
  const Share share = share_of_block (block);
  const bool has_quads = is_aligned (a, STRIDE_OTHERS) &&
                         is_aligned (b, STRIDE_OTHERS);

  for (int x = block->x / QUAD * QUAD + share.lane * QUAD; x < block->end_x;
       x += share.lanes * QUAD) {
    if (has_quads && x + QUAD <= width)
      measure_quad (a, b, block, x, width, &share, true, sums);
    else
      measure_quad (a, b, block, x, width, &share, false, sums);
  }
}

/* An element of the second or third component, and this component. Compilers
 * for GPUs would keep an array, or a vector, with an index in memory. */
#define OTHER_SIZE(v, c) ((c) == 1 ? (v).y : (v).z)
#define OTHER_PLANE(name, c)                                                   \
  {                                                                            \
    (c) == 1 ? name##_1 : name##_2,                                            \
        (c) == 1 ? name##_offset_1 : name##_offset_2,                          \
        OTHER_SIZE (name##_strides, c), STRIDE_OTHERS                          \
  }

__kernel __attribute__ ((reqd_work_group_size (GROUP, 1, 1))) void
xpsnr_measure (XPSNR_ARGUMENTS)
{
  __local ulong squares[GROUP], spatial[GROUP], temporal[GROUP];
  const uint i = (uint) get_local_id (0);
  const int column = (int) get_group_id (0), row = (int) get_group_id (1);
  const int c = (int) get_group_id (2);
  const Plane planes[4] = PLANES;
  const Plane compared_planes[4] = COMPARED_PLANES;
  __global XpsnrBlock *result = blocks + row * (int) get_num_groups (0) +
                                column;
  Sums sums = { 0, 0, 0 };

  if (c == 0) {
    const Original original = ORIGINAL (planes);
    const Area block = area_of_block (column, row, block_widths.x,
        block_heights.x, widths.x, heights.x);

    measure_original (&original, &compared_planes[0], &block, &sums);
  } else {
    const Plane a = OTHER_PLANE (base, c), b = OTHER_PLANE (compared, c);
    const int width = OTHER_SIZE (widths, c);
    const Area block = area_of_block (column, row, OTHER_SIZE (block_widths, c),
        OTHER_SIZE (block_heights, c), width, OTHER_SIZE (heights, c));

    measure_errors (&a, &b, &block, width, &sums);
  }
  squares[i] = sums.squares;
  spatial[i] = sums.spatial;
  temporal[i] = sums.temporal;

  for (uint reach = GROUP / 2; reach > 0; reach /= 2) {
    barrier (CLK_LOCAL_MEM_FENCE);
    if (i < reach) {
      squares[i] += squares[i + reach];
      spatial[i] += spatial[i + reach];
      temporal[i] += temporal[i + reach];
    }
  }
  if (i == 0) {
    result->squares[c] = squares[0];
    if (c == 0) {
      result->spatial = spatial[0];
      result->temporal = temporal[0];
      for (int absent = (int) get_num_groups (2); absent < XPSNR_COMPONENTS;
           absent++)
        result->squares[absent] = 0;
    }
  }
}
