/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* flash/cpu.cl: changes of luminance and of saturated red, for CPU devices
 *
 * Math      The numbers that flash/plain.cl defines.
 * Shape     A picture of one component, or of three, of which the second and
 *           third may be subsampled. STRIDE_FIRST and STRIDE_OTHERS are the
 *           pixel strides.
 * Units     Light in units of 1 / FLASH_ONE of the reference.
 * Memory    light: N_LIGHTS values. state: cl_flash.clh; read and
 *           written. tiles: an element for each tile, in row order; then the
 *           FlashSums of each row of tiles.
 * Launch    Local (1, 1, 1), a work-item for each row of tiles.
 * Range     A row has at most 2^20 cells.
 * Accuracy  Exact. The reference is tests/flash/flashreference.c.
 * Source    Sixteen cells at a time. Cells with the codes of the picture before
 *           cost a comparison: their light is not looked up. Transitions are
 *           rare, and are counted one by one.
 */

#include "cl_code.clh"
#include "cl_common.clh"
#include "cl_flash.clh"
#include "cl_flashtile.clh"
#include "cl_pixel.clh"
#include "cl_plane.clh"
#include "cl_rgb.clh"

#ifndef STRIDE_FIRST
#define STRIDE_FIRST 1
#endif
#ifndef STRIDE_OTHERS
#define STRIDE_OTHERS 1
#endif

#define N_LANES 16

/* Vectors need the chroma of a cell, or of a pixel, for each lane. */
#define HAS_VECTORS (RGB_KIND == RGB_GREY || X_SHIFT <= 1)

/* The codes of sixteen cells. */
typedef struct {
  int16 a, b, c;
} CodesOfCells;

/* The sums of lanes over the cells of a row. */
typedef struct {
  uint16 luminance, red;
  int16 n_changed_luminance, n_changed_red;
} LaneSums;

/* Returns the last tile of a row of @columns cells that begins at or before
 * cell @x. */
static ALWAYS_INLINE int
tile_of_cell (const int x, const int columns)
{
  return (int) (((long) (x + 1) * FLASH_COLUMNS - 1) / columns);
}

#if HAS_VECTORS
static ALWAYS_INLINE int16
load_codes16 (__global const SAMPLE_T *p, const int stride)
{
  return CONVERT (int16) (
      sample_codes16 (load16_apart (p, stride)) & (SAMPLE16_T) (N_CODES - 1));
}

/* Returns the sums of the pairs of 32 samples, @stride apart. */
static ALWAYS_INLINE int16
load_pairs (__global const SAMPLE_T *p, const int stride)
{
  const int16 low = load_codes16 (p, stride);
  const int16 high = load_codes16 (p + N_LANES * stride, stride);

  return (int16) (low.even, high.even) + (int16) (low.odd, high.odd);
}

/* Returns the codes of 2 x 2 samples; @x, @y, @y1: of pixels. */
static ALWAYS_INLINE int16
codes_of_pixels (const Plane *plane, const int x, const int y, const int y1,
    const int stride)
{
  const int16 sums = load_pairs (plane_row (plane, y) + x * stride, stride) +
                     load_pairs (plane_row (plane, y1) + x * stride, stride);

  return CODE_OF_SUM (sums);
}

#if RGB_KIND != RGB_GREY
static ALWAYS_INLINE int16
codes_of_chroma (const FlashPicture *picture, const int c, const int x,
    const int y, const int y1)
{
  const Plane *plane = &picture->planes[c];
  const int last = picture->chroma_height - 1;
  const int row = min (y >> Y_SHIFT, last), row1 = min (y1 >> Y_SHIFT, last);

#if X_SHIFT == 0
  return codes_of_pixels (plane, x, row, row1, STRIDE_OTHERS);
#else
  int16 sums = 2 * load_codes16 (plane_row (plane, row) + x / 2 * STRIDE_OTHERS,
                       STRIDE_OTHERS);

  if (row == row1)
    sums *= 2;
  else
    sums += 2 * load_codes16 (plane_row (plane, row1) + x / 2 * STRIDE_OTHERS,
                    STRIDE_OTHERS);

  return CODE_OF_SUM (sums);
#endif
}
#endif

/* Returns the codes of the cells from (@x, @y) on. */
static ALWAYS_INLINE CodesOfCells
codes_of_cells (const FlashPicture *picture, const int x, const int y)
{
  const int top = 2 * y, bottom = min (top + 1, picture->height - 1);
  CodesOfCells codes;

  codes.a = codes_of_pixels (&picture->planes[0], 2 * x, top, bottom,
      STRIDE_FIRST);
#if RGB_KIND != RGB_GREY
  codes.b = codes_of_chroma (picture, 1, 2 * x, top, bottom);
  codes.c = codes_of_chroma (picture, 2, 2 * x, top, bottom);
#endif

  return codes;
}

static ALWAYS_INLINE uint16
light_of_cells (const FlashPicture *picture, const int16 codes)
{
  const int16 i = clamp (codes, (int16) (0), (int16) (N_LIGHTS - 1));
  __global const uint *t = picture->light;

  return (uint16) (t[i.s0], t[i.s1], t[i.s2], t[i.s3], t[i.s4], t[i.s5],
      t[i.s6], t[i.s7], t[i.s8], t[i.s9], t[i.sa], t[i.sb], t[i.sc], t[i.sd],
      t[i.se], t[i.sf]);
}

static ALWAYS_INLINE uint16
load_state (__global const ushort *state)
{
  return convert_uint16 (LOAD16 (ushort, state));
}

/* flash_turn() of sixteen cells; *@rises and *@falls are masks. */
static ALWAYS_INLINE uint16
turn_cells (const uint16 before, const uint16 value, const uint step,
    int16 *rises, int16 *falls)
{
  const int16 is_peak = before >= (uint16) (FLASH_IS_PEAK);
  const uint16 extreme = before & (uint16) (FLASH_IS_PEAK - 1);
  int16 is_farther, is_next_peak;

  *rises = ~is_peak & (value >= extreme + (uint16) (step));
  *falls = is_peak & (value + (uint16) (step) <= extreme);
  is_farther = (is_peak & (value > extreme)) | (~is_peak & (value < extreme));
  is_next_peak = is_peak ^ *rises ^ *falls;

  return select (extreme, value, is_farther | *rises | *falls) |
         (as_uint16 (is_next_peak) & (uint16) (FLASH_IS_PEAK));
}

static ALWAYS_INLINE uint16
first_extremes (const uint16 value, const uint limit)
{
  return value |
         (as_uint16 (value >= (uint16) (limit / 2)) & (uint16) (FLASH_IS_PEAK));
}

/* Adds the lanes of a mask to the tiles of a row of @columns cells, whose first
 * cell in the mask is @x. @n: the member of the tile. */
static void
count_lanes (const int16 mask, const int x, const int columns,
    __global FlashTile *tiles, const int n)
{
  uint counts[N_LANES];

  vstore16 (as_uint16 (mask) & (uint16) (1), 0, counts);
  for (int i = 0; i < N_LANES;) {
    const int tile = tile_of_cell (x + i, columns);
    const int end = min (N_LANES,
        band_start (tile + 1, FLASH_COLUMNS, columns) - x);
    __global uint *numbers = (__global uint *) (tiles + tile);
    uint sum = 0;

    for (; i < end; i++)
      sum += counts[i];
    numbers[n] += sum;
  }
}

/* Stores @value as the extremes of the cells at @extremes, and counts the
 * transitions as members @n and @n + 1 of the tiles. */
static ALWAYS_INLINE void
turn_and_count (__global ushort *extremes, const uint16 value, const uint step,
    const int x, const int columns, __global FlashTile *tiles, const int n)
{
  int16 rises, falls;

  STORE16 (ushort,
      convert_ushort16 (
          turn_cells (load_state (extremes), value, step, &rises, &falls)),
      extremes);
  if (any (rises))
    count_lanes (rises, x, columns, tiles, n);
  if (any (falls))
    count_lanes (falls, x, columns, tiles, n + 1);
}

/* Returns whether all codes are those of the picture before; stores them. */
static ALWAYS_INLINE bool
are_codes_kept (const FlashPicture *picture, __global ushort *state,
    const CodesOfCells *codes)
{
  __global ushort *kept = state + 4 * picture->n_cells;
  const ushort16 a = convert_ushort16 (codes->a);
  int16 differs = convert_int16 (LOAD16 (ushort, kept) != a);
#if RGB_KIND != RGB_GREY
  const int n = picture->n_cells;
  const ushort16 b = convert_ushort16 (codes->b);
  const ushort16 c = convert_ushort16 (codes->c);

  differs |= convert_int16 (LOAD16 (ushort, kept + n) != b);
  differs |= convert_int16 (LOAD16 (ushort, kept + 2 * n) != c);
#endif
  if (!picture->is_first && !any (differs))
    return true;

  STORE16 (ushort, a, kept);
#if RGB_KIND != RGB_GREY
  STORE16 (ushort, b, kept + n);
  STORE16 (ushort, c, kept + 2 * n);
#endif

  return false;
}

/* Measures sixteen cells of a row from (@x, @y) on. */
static ALWAYS_INLINE void
measure_cells (const FlashPicture *picture, const int x, const int y,
    __global FlashTile *tiles, LaneSums *sums)
{
  const int n = picture->n_cells, columns = picture->columns;
  const CodesOfCells codes = codes_of_cells (picture, x, y);
  __global ushort *state = picture->state + y * columns + x;
  uint16 luminance, limited;

  if (are_codes_kept (picture, state, &codes)) {
    sums->luminance += load_state (state);
#if RGB_KIND != RGB_GREY
    sums->red += load_state (state + n);
#endif
    return;
  }

#if RGB_KIND == RGB_GREY
  luminance = min (light_of_cells (picture, codes.a), (uint16) (FLASH_LARGEST));
#else
#if RGB_KIND == RGB_YUV
  const int4 m = picture->matrix;
  const int16 base = codes.a * (int16) (1 << RGB_SHIFT) + (int16) (RGB_HALF);
  const int16 u = codes.b - (int16) (picture->middle);
  const int16 v = codes.c - (int16) (picture->middle);
  const int16 shift = (int16) (RGB_SHIFT);
  const uint16 r = light_of_cells (picture,
      (base + v * (int16) (m.x)) >> shift);
  const uint16 g = light_of_cells (picture,
      (base + u * (int16) (m.y) + v * (int16) (m.z)) >> shift);
  const uint16 b = light_of_cells (picture,
      (base + u * (int16) (m.w)) >> shift);
#else
  const uint16 r = light_of_cells (picture, codes.a);
  const uint16 g = light_of_cells (picture, codes.b);
  const uint16 b = light_of_cells (picture, codes.c);
#endif
  const uint16 others = g + b;
  const int16 is_red = (5 * r >= 4 * (r + others)) & (r > others);
  const uint16 red = min ((r - others) & as_uint16 (is_red),
      (uint16) (FLASH_LARGEST));
  const uint16 limited_red = min (red, (uint16) (FLASH_RED_LIMIT));

  luminance = min ((r * (uint16) ((uint) picture->weights.x) +
                       g * (uint16) ((uint) picture->weights.y) +
                       b * (uint16) ((uint) picture->weights.z) +
                       (uint16) (1u << (FLASH_WEIGHT_SHIFT - 1))) >>
                       (uint16) (FLASH_WEIGHT_SHIFT),
      (uint16) (FLASH_LARGEST));
#endif
  limited = min (luminance, (uint16) (FLASH_LUMINANCE_LIMIT));

  sums->luminance += luminance;
  if (picture->is_first) {
    STORE16 (ushort,
        convert_ushort16 (first_extremes (limited, FLASH_LUMINANCE_LIMIT)),
        state + 2 * n);
  } else {
    sums->n_changed_luminance -= luminance != load_state (state);
    turn_and_count (state + 2 * n, limited, FLASH_LUMINANCE_STEP, x, columns,
        tiles, 0);
  }
  STORE16 (ushort, convert_ushort16 (luminance), state);

#if RGB_KIND != RGB_GREY
  sums->red += red;
  if (picture->is_first) {
    STORE16 (ushort,
        convert_ushort16 (first_extremes (limited_red, 2 * FLASH_RED_STEP)),
        state + 3 * n);
  } else {
    sums->n_changed_red -= red != load_state (state + n);
    turn_and_count (state + 3 * n, limited_red, FLASH_RED_STEP, x, columns,
        tiles, 2);
  }
  STORE16 (ushort, convert_ushort16 (red), state + n);
#endif
}

static ALWAYS_INLINE uint
sum_of_lanes (const uint16 v)
{
  const uint8 a = v.lo + v.hi;
  const uint4 b = a.lo + a.hi;

  return b.x + b.y + b.z + b.w;
}

static ALWAYS_INLINE void
add_lanes (FlashSums *to, const LaneSums *from)
{
  to->luminance += sum_of_lanes (from->luminance);
  to->red += sum_of_lanes (from->red);
  to->n_changed_luminance += sum_of_lanes (
      as_uint16 (from->n_changed_luminance));
  to->n_changed_red += sum_of_lanes (as_uint16 (from->n_changed_red));
}
#endif

/* Returns the number of first cells of a row that are measured in vectors:
 * whole vectors of pixels whose chroma exists. */
static ALWAYS_INLINE int
count_vector_cells (const FlashPicture *picture)
{
#if !HAS_VECTORS
  (void) picture;

  return 0;
#elif RGB_KIND == RGB_GREY
  return picture->width / 2 / N_LANES * N_LANES;
#elif X_SHIFT == 0
  return min (picture->width, picture->chroma_width) / 2 / N_LANES * N_LANES;
#else
  return min (picture->width / 2, picture->chroma_width) / N_LANES * N_LANES;
#endif
}

/* Measures a row of cells from column @x on, one by one. */
static ALWAYS_INLINE void
measure_rest (const FlashPicture *picture, const int first, const int y,
    __global FlashTile *tiles, FlashSums *sums)
{
  const int columns = picture->columns;

  for (int x = first; x < columns; x++) {
    const int tile = tile_of_cell (x, columns);
    FlashNumbers own = { *sums, tiles[tile] };

    flash_add_cell (picture, y * columns + x,
        flash_rgb (picture, flash_codes (picture, x, y)), &own);
    *sums = own.sums;
    tiles[tile] = own.tile;
  }
}

__kernel __attribute__ ((reqd_work_group_size (1, 1, 1))) void
flash_cpu_measure (FLASH_ARGUMENTS)
{
  const int row = (int) get_global_id (0);
  const FlashPicture picture = FLASH_PICTURE;
  const int rows = (heights.x + 1) / 2;
  const int end = band_start (row + 1, FLASH_ROWS, rows);
  const int n_vector_cells = count_vector_cells (&picture);
  __global FlashTile *own_tiles = tiles + row * FLASH_COLUMNS;
  FlashSums own = { 0, 0, 0, 0 };

  for (int i = 0; i < FLASH_COLUMNS; i++)
    own_tiles[i] = (FlashTile){ 0, 0, 0, 0 };

  for (int y = band_start (row, FLASH_ROWS, rows); y < end; y++) {
#if HAS_VECTORS
    LaneSums lanes = { (uint16) (0), (uint16) (0), (int16) (0), (int16) (0) };

    for (int x = 0; x < n_vector_cells; x += N_LANES)
      measure_cells (&picture, x, y, own_tiles, &lanes);
    add_lanes (&own, &lanes);
#endif
    measure_rest (&picture, n_vector_cells, y, own_tiles, &own);
  }

  FLASH_SUMS (tiles)[row] = own;
}
