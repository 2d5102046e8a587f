/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* xpsnr/cpu.cl: errors and activities of the blocks of a picture, for CPU
 * devices
 *
 * Math      The integers that xpsnr/plain.cl measures.
 * Shape     Pictures of up to three components of any sizes, cut into blocks of
 *           block_widths x block_heights. STRIDE_FIRST and STRIDE_OTHERS are
 *           the pixel strides.
 * Units     Codes of samples. Offsets and strides of rows are in bytes.
 * Memory    last, earlier: cl_xpsnr.clh; read and written. blocks: an element
 *           for each block, in row order.
 * Launch    Local (1, 1, 1). Dimension 0: columns of blocks, dimension 1: rows
 *           of them, dimension 2: components.
 * Range     A block is at most 8000 samples wide.
 * Accuracy  Exact. The reference is tests/xpsnr/xpsnrreference.c.
 * Source    Sixteen samples, or cells, at a time, all of one block: the last
 *           vector ends with the block, and its lanes that are in the vector
 *           before are masked. Narrow blocks, and cells that reach beyond the
 *           picture, are measured one by one. The windows are symmetrical, so
 *           that a row has up to three sums, which the activities of the rows
 *           above and below share.
 */

#include "cl_code.clh"
#include "cl_common.clh"
#include "cl_pixel.clh"
#include "cl_plane.clh"
#include "cl_xpsnr.clh"

#define N_LANES 16

/* Sums of lanes fit 32 bits for this number of vectors: spatial activities are
 * at most 96 * 2^15. */
#define MOST_VECTORS 1024

/* Activities of 8 bits fit 16 bits: at most 48 * 255. */
#if DEPTH <= 8
#define VALUE_T short
#else
#define VALUE_T int
#endif
#define VALUE16_T VECTOR_T (VALUE_T, 16)

static ALWAYS_INLINE ulong
sum_of_lanes (const uint16 v)
{
  const ulong8 a = convert_ulong8 (v.lo) + convert_ulong8 (v.hi);
  const ulong4 b = a.lo + a.hi;
  const ulong2 c = b.lo + b.hi;

  return c.x + c.y;
}

/* The lanes of a vector at @at that are from @from on. */
static ALWAYS_INLINE uint16
lanes_from (const int at, const int from)
{
  return as_uint16 (INDICES16 >= (int16) (from - at));
}

/* Returns the absolute values. PoCL splits abs() of a vector into pairs of
 * elements. */
static ALWAYS_INLINE uint16
sizes_of (const VALUE16_T v)
{
  const VALUE16_T sign = v >> (VALUE16_T) (8 * sizeof (VALUE_T) - 1);

  return as_uint16 (convert_int16 ((v ^ sign) - sign));
}

/* Returns the codes of sixteen samples. */
static ALWAYS_INLINE SAMPLE16_T
load_codes (__global const SAMPLE_T *p, const int stride)
{
  return sample_codes16 (load16_apart (p, stride)) & (SAMPLE16_T) (N_CODES - 1);
}

/* --- errors --------------------------------------------------------------- */

/* The sums of lanes: of the squares of errors; above 8 bits of their low and of
 * their high halves. */
typedef struct {
  uint16 low, high;
} SquareSums;

static ALWAYS_INLINE void
add_squares (const SAMPLE16_T a, const SAMPLE16_T b, const uint16 mask,
    SquareSums *sums)
{
#if DEPTH <= 8
  const int16 error = convert_int16 (convert_short16 (a) - convert_short16 (b));

  sums->low += as_uint16 (error * error) & mask;
#else
  const uint16 error = CONVERT (uint16) (a) - CONVERT (uint16) (b);
  const uint16 square = error * error & mask;

  sums->low += square & (uint16) (0xffff);
  sums->high += square >> (uint16) (16);
#endif
}

static ALWAYS_INLINE ulong
count_squares (const SquareSums *sums)
{
#if DEPTH <= 8
  return sum_of_lanes (sums->low);
#else
  return sum_of_lanes (sums->low) + (sum_of_lanes (sums->high) << 16);
#endif
}

/* Returns the sum of the squares of errors in @area. */
static ALWAYS_INLINE ulong
measure_few_errors (const Plane *a, const Plane *b, const Area *area,
    const int stride)
{
  ulong sum = 0;

  for (int y = area->y; y < area->end_y; y++) {
    for (int x = area->x; x < area->end_x; x++) {
      const ulong error = abs_diff (masked_code (plane_row (a, y)[x * stride]),
          masked_code (plane_row (b, y)[x * stride]));

      sum += error * error;
    }
  }

  return sum;
}

static ALWAYS_INLINE ulong
measure_errors (const Plane *a, const Plane *b, const Area *area,
    const int stride)
{
  SquareSums sums = { (uint16) (0), (uint16) (0) };

  if (area->end_x - area->x < N_LANES)
    return measure_few_errors (a, b, area, stride);

  for (int y = area->y; y < area->end_y; y++) {
    __global const SAMPLE_T *row_a = plane_row (a, y);
    __global const SAMPLE_T *row_b = plane_row (b, y);
    int x = area->x;

    for (; x + N_LANES <= area->end_x; x += N_LANES)
      add_squares (load_codes (row_a + x * stride, stride),
          load_codes (row_b + x * stride, stride), (uint16) (UINT_MAX), &sums);
    if (x < area->end_x) {
      const int at = area->end_x - N_LANES;

      add_squares (load_codes (row_a + at * stride, stride),
          load_codes (row_b + at * stride, stride), lanes_from (at, x), &sums);
    }
  }

  return count_squares (&sums);
}

/* --- activities, one by one ----------------------------------------------- */

static ALWAYS_INLINE int
cell_at (const Original *original, const int x, const int y)
{
  int sum = 0;

  for (int j = y; j < y + CELL; j++) {
    for (int i = x; i < x + CELL; i++)
      sum += activity_at (original, i, j);
  }

  return sum;
}

/* Returns the temporal activity of the cell at (@x, @y), and stores the
 * cell. */
static ALWAYS_INLINE uint
change_at (const Original *original, const int x, const int y)
{
  const int at = y / CELL * original->history_stride + x / CELL;
  const int cell = cell_at (original, x, y);
  const int last = history_code (original->last[at]);
#if ORDER == 1
  original->last[at] = history_value (cell);

  return abs (cell - last);
#else
  const int earlier = history_code (original->earlier[at]);

  original->earlier[at] = history_value (cell);

  return abs (cell - 2 * last + earlier);
#endif
}

static ALWAYS_INLINE ulong
measure_few_changes (const Original *original, const Area *area)
{
  ulong sum = 0;

  for (int y = area->y; y < area->end_y; y += CELL) {
    for (int x = area->x; x < area->end_x; x += CELL)
      sum += change_at (original, x, y);
  }

  return sum;
}

/* Returns the sum of samples @from .. @to around column @x of row @y. */
static ALWAYS_INLINE int
samples_at (const Original *original, const int x, const int y, const int from,
    const int to)
{
  int sum = 0;

  for (int i = from; i <= to; i++)
    sum += activity_at (original, x + i, y);

  return sum;
}

#if IS_LARGE
static ALWAYS_INLINE int
detail_at (const Original *original, const int x, const int y)
{
  int sum = 0;

  for (int j = 0; j < 2; j++) {
    const int near = j == 0 ? y - 1 : y + 2, far = j == 0 ? y - 2 : y + 3;

    sum += 16 * samples_at (original, x, y + j, 0, 1) -
           2 * samples_at (original, x, y + j, -1, 2) -
           samples_at (original, x, y + j, -2, 3) -
           samples_at (original, x, y + j, 0, 1) -
           samples_at (original, x, near, -2, 3) -
           samples_at (original, x, near, -1, 2) -
           samples_at (original, x, near, 0, 1) -
           samples_at (original, x, far, -1, 2);
  }

  return sum;
}
#else
static ALWAYS_INLINE int
detail_at (const Original *original, const int x, const int y)
{
  return 14 * activity_at (original, x, y) -
         2 * samples_at (original, x, y, -1, 1) -
         samples_at (original, x, y - 1, -1, 1) -
         activity_at (original, x, y - 1) -
         samples_at (original, x, y + 1, -1, 1) -
         activity_at (original, x, y + 1);
}
#endif

static ALWAYS_INLINE ulong
measure_few_details (const Original *original, const Area *area)
{
  ulong sum = 0;

  for (int y = area->y; y < area->end_y; y += CELL) {
    for (int x = area->x; x < area->end_x; x += CELL)
      sum += abs (detail_at (original, x, y));
  }

  return sum;
}

/* --- activities of vectors ------------------------------------------------ */

static ALWAYS_INLINE VALUE16_T
values_of (const SAMPLE16_T codes)
{
#if DEPTH == 16
  return convert_int16 (as_short16 (codes));
#else
  return CONVERT (VALUE16_T) (codes);
#endif
}

/* Returns row @y of the original; beyond its last row, this one. */
static ALWAYS_INLINE __global const SAMPLE_T *
row_of (const Original *original, const int y)
{
  return plane_row (&original->plane, min (y, original->height - 1));
}

static ALWAYS_INLINE VALUE16_T
load_values (__global const SAMPLE_T *row, const int x)
{
  return values_of (load_codes (row + x * STRIDE_FIRST, STRIDE_FIRST));
}

#if IS_LARGE
/* The left and right columns of sixteen cells of a row. */
typedef struct {
  VALUE16_T left, right;
} CellColumns;

/* Two codes are one element of twice their bits: CPUs split it faster than they
 * move elements. */
static ALWAYS_INLINE CellColumns
load_cells (__global const SAMPLE_T *row, const int x)
{
  __global const SAMPLE_T *p = row + x * STRIDE_FIRST;
  const SAMPLE16_T a = load_codes (p, STRIDE_FIRST);
  const SAMPLE16_T b = load_codes (p + N_LANES * STRIDE_FIRST, STRIDE_FIRST);
#if !defined(__ENDIAN_LITTLE__)
  const VALUE16_T low = values_of (a), high = values_of (b);

  return (CellColumns){ (VALUE16_T) (low.even, high.even),
    (VALUE16_T) (low.odd, high.odd) };
#elif DEPTH <= 8
  const ushort16 pairs = (ushort16) (as_ushort8 (a), as_ushort8 (b));

  return (CellColumns){ as_short16 (pairs & (ushort16) (0xff)),
    as_short16 (pairs >> (ushort16) (8)) };
#elif DEPTH < 16
  const uint16 pairs = (uint16) (as_uint8 (a), as_uint8 (b));

  return (CellColumns){ as_int16 (pairs & (uint16) (0xffff)),
    as_int16 (pairs >> (uint16) (16)) };
#else
  const uint16 pairs = (uint16) (as_uint8 (a), as_uint8 (b));

  return (CellColumns){ as_int16 (pairs << (uint16) (16)) >> (int16) (16),
    as_int16 (pairs) >> (int16) (16) };
#endif
}

/* Returns the cells of rows @a and @b. */
static ALWAYS_INLINE VALUE16_T
sum_cells (__global const SAMPLE_T *a, __global const SAMPLE_T *b, const int x)
{
  const CellColumns top = load_cells (a, x), bottom = load_cells (b, x);

  return top.left + top.right + bottom.left + bottom.right;
}
#endif

/* Returns the values of the cells at (@x, @y). */
static ALWAYS_INLINE VALUE16_T
values_at (const Original *original, const int x, const int y)
{
#if IS_LARGE
  return sum_cells (row_of (original, y), row_of (original, y + 1), x);
#else
  return load_values (row_of (original, y), x);
#endif
}

#define HISTORY16_T VECTOR_T (HISTORY_T, 16)

static ALWAYS_INLINE VALUE16_T
load_history (__global const HISTORY_T *history)
{
#if IS_LARGE
  return CONVERT (VALUE16_T) (LOAD16 (HISTORY_T, history));
#else
  return values_of (LOAD16 (HISTORY_T, history));
#endif
}

/* Adds the temporal activities of the cells at (@x, @y), of which those from
 * @from on are new, and stores these cells. */
static ALWAYS_INLINE void
add_changes (const Original *original, const int x, const int y, const int from,
    uint16 *sum)
{
  const int at = y / CELL * original->history_stride + x / CELL;
  const VALUE16_T cells = values_at (original, x, y);
  const VALUE16_T last = load_history (original->last + at);
#if ORDER == 1
  const VALUE16_T change = cells - last;
  __global HISTORY_T *next = original->last + at;
#else
  const VALUE16_T change = cells - last - last +
                           load_history (original->earlier + at);
  __global HISTORY_T *next = original->earlier + at;
#endif

  *sum += sizes_of (change) & lanes_from (x / CELL, from / CELL);
  STORE16 (HISTORY_T, CONVERT (HISTORY16_T) (cells), next);
}

static ALWAYS_INLINE ulong
measure_changes (const Original *original, const Area *area)
{
  const int step = N_LANES * CELL;
  const int end_x = area->x + (area->end_x - area->x) / CELL * CELL;
  const Area rest = { end_x, area->y, area->end_x, area->end_y };
  uint16 sum = (uint16) (0);

  if (end_x - area->x < step)
    return measure_few_changes (original, area);

  for (int y = area->y; y < area->end_y; y += CELL) {
    int x = area->x;

    for (; x + step <= end_x; x += step)
      add_changes (original, x, y, x, &sum);
    if (x < end_x)
      add_changes (original, end_x - step, y, x, &sum);
  }

  return sum_of_lanes (sum) + measure_few_changes (original, &rest);
}

#if IS_LARGE
/* The sums of a row of cells, in the order of its distance from them: a row of
 * the cells, the next one, and that after it. */
typedef struct {
  VALUE16_T inner, outer, outermost;
} RowSums;

static ALWAYS_INLINE RowSums
sums_of_row (__global const SAMPLE_T *row, const int x)
{
  const CellColumns before = load_cells (row, x - 2);
  const CellColumns cells = load_cells (row, x);
  const CellColumns after = load_cells (row, x + 2);
  const VALUE16_T near = cells.left + cells.right;
  const VALUE16_T next = before.right + after.left;
  const VALUE16_T far = before.left + after.right;

  return (RowSums){ (VALUE16_T) (12) * near - (VALUE16_T) (3) * next - far,
    (VALUE16_T) (3) * near + next + next + far, near + next };
}

/* Adds the spatial activities of a column of cells, of which those from @from
 * on are new. An activity is complete with the pair of rows below. PoCL 6.0
 * compiles no branch that skips the first rows (docs/devices.md). */
static ALWAYS_INLINE void
add_details (const Original *original, const int x, const int y,
    const int end_y, const int from, uint16 *sum)
{
  const uint16 mask = lanes_from (x / CELL, from / CELL), none = (uint16) (0);
  VALUE16_T above = (VALUE16_T) (0), open = (VALUE16_T) (0);

  for (int row = y - 2; row < end_y + 2; row += 2) {
    const RowSums top = sums_of_row (row_of (original, row), x);
    const RowSums bottom = sums_of_row (row_of (original, row + 1), x);

    *sum += sizes_of (open - top.outer - bottom.outermost) &
            (row > y ? mask : none);
    open = top.inner + bottom.inner - above;
    above = top.outermost + bottom.outer;
  }
}
#else
static ALWAYS_INLINE void
add_details (const Original *original, const int x, const int y,
    const int end_y, const int from, uint16 *sum)
{
  const uint16 mask = lanes_from (x, from), none = (uint16) (0);
  VALUE16_T above = (VALUE16_T) (0), open = (VALUE16_T) (0);

  for (int row = y - 1; row < end_y + 1; row++) {
    __global const SAMPLE_T *p = row_of (original, row);
    const VALUE16_T middle = load_values (p, x);
    const VALUE16_T sides = load_values (p, x - 1) + load_values (p, x + 1);
    const VALUE16_T outer = middle + middle + sides;

    *sum += sizes_of (open - outer) & (row > y ? mask : none);
    open = (VALUE16_T) (12) * middle - sides - sides - above;
    above = outer;
  }
}
#endif

/* @area: of cells with spatial activity. */
static ALWAYS_INLINE ulong
measure_details (const Original *original, const Area *area)
{
  const int step = N_LANES * CELL;
  const int width = min (area->end_x, original->width - 2 * EDGE + 1) - area->x;
  const int end_x = area->x + (IS_LARGE ? (width + 1) / CELL * CELL : width);
  const Area rest = { end_x, area->y, area->end_x, area->end_y };
  uint16 sum = (uint16) (0);
  int x = area->x;

  if (end_x - area->x < step)
    return measure_few_details (original, area);

  for (; x + step <= end_x; x += step)
    add_details (original, x, area->y, area->end_y, x, &sum);
  if (x < end_x)
    add_details (original, end_x - step, area->y, area->end_y, x, &sum);

  return sum_of_lanes (sum) + measure_few_details (original, &rest);
}

/* --- blocks --------------------------------------------------------------- */

/* Returns the part of @area that has spatial activity. */
static ALWAYS_INLINE Area
active_area (const Original *original, const Area *area)
{
  return (Area){ max (area->x, EDGE), max (area->y, EDGE),
    min (area->end_x, original->width - EDGE),
    min (area->end_y, original->height - EDGE) };
}

static ALWAYS_INLINE XpsnrBlock
measure_band (const Original *original, const Plane *compared, const Area *band)
{
  const Area active = active_area (original, band);
  XpsnrBlock result = { { 0, 0, 0 }, 0, 0 };

  result.squares[0] = measure_errors (&original->plane, compared, band,
      STRIDE_FIRST);
  result.spatial = active.x < active.end_x && active.y < active.end_y
                       ? measure_details (original, &active)
                       : 0;
  result.temporal = measure_changes (original, band);

  return result;
}

/* Returns the band of rows of @block from @y on whose sums fit lanes. */
static ALWAYS_INLINE Area
band_of_block (const Area *block, const int y)
{
  const int n_vectors = (block->end_x - block->x) / N_LANES + 1;
  const int n = MOST_VECTORS / n_vectors / 2 * 2;

  return (Area){ block->x, y, block->end_x, min (y + n, block->end_y) };
}

__kernel __attribute__ ((reqd_work_group_size (1, 1, 1))) void
xpsnr_cpu_measure (XPSNR_ARGUMENTS)
{
  const int column = (int) get_global_id (0), row = (int) get_global_id (1);
  const int c = (int) get_global_id (2);
  const Plane planes[4] = PLANES;
  const Plane compared_planes[4] = COMPARED_PLANES;
  const Original original = ORIGINAL (planes);
  const Plane a = pick_plane (planes, c);
  const Plane b = pick_plane (compared_planes, c);
  const Area block = area_of_block (column, row, pick_int (block_widths, c),
      pick_int (block_heights, c), pick_int (widths, c), pick_int (heights, c));
  __global XpsnrBlock *result = blocks + row * (int) get_global_size (0) +
                                column;
  XpsnrBlock sums = { { 0, 0, 0 }, 0, 0 };

  for (Area band = band_of_block (&block, block.y); band.y < block.end_y;
       band = band_of_block (&block, band.end_y)) {
    if (c == 0) {
      const XpsnrBlock part = measure_band (&original, &b, &band);

      sums.squares[0] += part.squares[0];
      sums.spatial += part.spatial;
      sums.temporal += part.temporal;
    } else
      sums.squares[0] += measure_errors (&a, &b, &band, STRIDE_OTHERS);
  }

  result->squares[c] = sums.squares[0];
  if (c == 0) {
    result->spatial = sums.spatial;
    result->temporal = sums.temporal;
    for (int absent = (int) get_global_size (2); absent < XPSNR_COMPONENTS;
         absent++)
      result->squares[absent] = 0;
  }
}
