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
 *           tile.x results of a row whose windows they hold: 3 + (tile.x - 1) *
 *           grid.z + window.x < TILE.
 * Units     window, anchor and step in samples; offsets and strides of rows in
 *           bytes; tile.y and tile.z, those of pixels to and from, in samples;
 *           frame.w is a sample's value.
 * Memory    tile.w not 0: every fourth sample of a row can be loaded with the
 *           three after it as one word. No two buffers overlap.
 * Launch    local (TILE_ITEMS, TILE_GROUPS, 1), global x: a work-group for
 *           tile.x results of a row; global y: a work-item for ROWS rows,
 *           _sparse: one row.
 * Range     window.x * window.y * SAMPLE_MAX < 2^32; window.y < 2^15. _narrow:
 *           below 2^16, and grid.w 1. _wide: window.y * SAMPLE_MAX < 2^16, and
 *           grid.w 1. _any: grid.w 1.
 * Accuracy  exact, halves round up; tests/kernels/ref/localmean.c.
 * Source    running sums: M. J. McDonnell, "Box-filtering techniques", 1981;
 *           figures: docs/performance.md.
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
#ifndef CL_BORDER_CLH
#include "cl_border.clh"
#endif

#ifndef SAMPLE_MAX
#define SAMPLE_MAX 255 /* largest value of a sample */
#endif
#ifndef SHIFT
#define SHIFT 0 /* unused bits below a sample's value */
#endif
#ifndef ROWS
#define ROWS 8 /* rows of results of a work-item: 4, 8, 16 */
#endif
#ifndef TILE_GROUPS
#define TILE_GROUPS 4 /* work-items of a group above each other: 1, 2, 4 */
#endif
#ifndef LOADS
#define LOADS 8 /* rows that a work-item loads before it adds them up */
#endif

#define TILE_ITEMS 64 /* work-items of a group along a row, 4 columns each */
#define TILE       (4 * TILE_ITEMS)
#define SEGMENTS   8 /* work-items that scan a row of a tile */
#define SEGMENT    (TILE_ITEMS / SEGMENTS)

/* Sums of four columns in a row, by row of the tile. One element more than
 * there are, so that rows start in different banks. */
#define TOTALS_ROW (TILE_ITEMS + 1)

/* Four neighbouring samples as they lie in memory. */
#if SAMPLE_MAX <= 255
typedef uint Word;
#define WORD_LANES(w)                                                          \
  ((uint4) ((w) &0xff, (w) >> 8 & 0xff, (w) >> 16 & 0xff, (w) >> 24))
#define WORD_PACKED(w) ((uint4) ((w) &0x00ff00ff, (w) >> 8 & 0x00ff00ff, 0, 0))
#define WORD(v)        ((v).x | (v).y << 8 | (v).z << 16 | (v).w << 24)
#else
typedef uint2 Word;
#define WORD_LANES(w)                                                          \
  ((uint4) ((w).x & 0xffff, (w).x >> 16, (w).y & 0xffff, (w).y >> 16))
#define WORD_PACKED(w) WORD_LANES (w) /* sums need more than 16 bits */
#define WORD(v)        ((uint2) ((v).x | (v).y << 16, (v).z | (v).w << 16))
#endif

typedef struct {
  __global const uchar *base;
  ulong offset_bytes;
  int stride_bytes, pixel_stride, width, height;
  bool is_aligned; /* whole words can be loaded */
  uint outside;    /* value of a sample that none stands for, shifted */
} Frame;

/* Samples (x, y) .. (x + 3, y), any of which may lie outside; x is a multiple
 * of four. */
static inline Word
load_word (const Frame frame, const int x, const int y)
{
  const int inside_y = border_inside (y, frame.height);
  uint4 v = frame.outside;
  int column;

  if (inside_y >= 0) {
    __global const SAMPLE_T *row = read_row (frame.base, frame.offset_bytes,
        frame.stride_bytes, inside_y);

    if (frame.is_aligned && x >= 0 && x + 4 <= frame.width)
      return *(__global const Word *) (row + x);

    if ((column = border_inside (x, frame.width)) >= 0)
      v.x = row[column * frame.pixel_stride];
    if ((column = border_inside (x + 1, frame.width)) >= 0)
      v.y = row[column * frame.pixel_stride];
    if ((column = border_inside (x + 2, frame.width)) >= 0)
      v.z = row[column * frame.pixel_stride];
    if ((column = border_inside (x + 3, frame.width)) >= 0)
      v.w = row[column * frame.pixel_stride];
  }

  return WORD (v);
}

/* What a word adds to the sums of its columns. @is_packed: two columns in an
 * element, the even ones in x and the odd ones in y, which a sum of up to 65535
 * needs; what is carried between them on the way is carried back. */
static inline uint4
word_columns (const Word word, const bool is_packed)
{
  return is_packed ? WORD_PACKED (word) : WORD_LANES (word) >> SHIFT;
}

/* Sums of the four columns over rows [top, top + n_rows). */
static inline uint4
sum_rows (const Frame frame, const int x, const int top, const int n_rows,
    const bool is_packed)
{
  const bool is_none = BORDER_IS_EMPTY && frame.outside == 0;
  const int begin = is_none ? max (top, 0) : top;
  const int end = is_none ? min (top + n_rows, frame.height) : top + n_rows;
  uint4 columns = 0;

  for (int y = begin; y < end; y += LOADS) {
    Word words[LOADS];

#pragma unroll
    for (int k = 0; k < LOADS; k++)
      words[k] = y + k < end ? load_word (frame, x, y + k) : (Word) (0);
#pragma unroll
    for (int k = 0; k < LOADS; k++)
      columns += word_columns (words[k], is_packed);
  }

  return columns;
}

/* Inclusive prefix sums of the four columns' sums. */
static inline uint4
prefix_of_four (const uint4 columns, const bool is_packed)
{
  uint4 c = columns;

  if (is_packed)
    c = (uint4) (columns.x & 0xffff, columns.y & 0xffff, columns.x >> 16,
        columns.y >> 16);
  c.y += c.x;
  c.z += c.y;
  c.w += c.z;

  return c;
}

/* From totals[row][item] to what lies before each item: within segments, and
 * in @segments before each segment. */
static inline void
scan_totals (__local uint *totals, __local uint *segments, const int n_rows)
{
  const int item = (int) (get_local_id (1) * TILE_ITEMS + get_local_id (0));

  barrier (CLK_LOCAL_MEM_FENCE);
  for (int k = item; k < n_rows * SEGMENTS; k += TILE_ITEMS * TILE_GROUPS) {
    const int row = k % n_rows, segment = k / n_rows;
    __local uint *total = totals + row * TOTALS_ROW + segment * SEGMENT;
    uint sum = 0;

#pragma unroll
    for (int i = 0; i < SEGMENT; i++) {
      const uint t = total[i];

      total[i] = sum;
      sum += t;
    }
    segments[row * SEGMENTS + segment] = sum;
  }

  barrier (CLK_LOCAL_MEM_FENCE);
  for (int row = item; row < n_rows; row += TILE_ITEMS * TILE_GROUPS) {
    uint sum = 0;

#pragma unroll
    for (int i = 0; i < SEGMENTS; i++) {
      const uint t = segments[row * SEGMENTS + i];

      segments[row * SEGMENTS + i] = sum;
      sum += t;
    }
  }
  barrier (CLK_LOCAL_MEM_FENCE);
}

static inline uint
mean_of (const uint sum, const uint n, const float inverse)
{
  if (SAMPLE_MAX <= 255 && n <= SMALL_N)
    return (uint) (((float) sum + ((float) (n / 2) + 0.5f)) * inverse);

  return exact_mean_uint (sum, n, inverse);
}

/* One row of a tile's results. @prefix: of that row; @is_narrow: elements of 16
 * bits; @start: column of the first result's window, @lead: from the tile's
 * first column to there. */
static inline void
store_means (__local const uint *prefix, const int4 frame, const int4 window,
    const int4 grid, const int4 tile, const int j, const int first,
    const bool is_narrow, __global SAMPLE_T *restrict dst)
{
  const int start = first * grid.z - window.z;
  const int lead = start & 3;
  const int last = start + (tile.x - 1) * grid.z;
  const int n_count = border_count (j * grid.w - window.w, window.y, frame.y);
  const bool is_whole = BORDER_COUNTS ||
                        (start >= 0 && last + window.x <= frame.x);
  const uint whole_n = (uint) (window.x * n_count);
  const float whole_inverse = 1.0f / (float) whole_n;
  __local const ushort *narrow = (__local const ushort *) prefix;

#pragma unroll
  for (int k = 0; k < TILE / TILE_ITEMS; k++) {
    const int i = (int) get_local_id (0) + k * TILE_ITEMS;
    const int at = lead + i * grid.z;

    if (i < tile.x && first + i < grid.x) {
      const uint sum = is_narrow ? (ushort) (narrow[at + window.x] - narrow[at])
                                 : prefix[at + window.x] - prefix[at];
      uint n = whole_n;
      float inverse = whole_inverse;

      if (!is_whole) {
        n = (uint) (border_count (start + i * grid.z, window.x, frame.x) *
                    n_count);
        inverse = 1.0f / (float) n;
      }
      dst[(first + i) * tile.z] = (SAMPLE_T) (mean_of (sum, n, inverse)
                                              << SHIFT);
    }
  }
}

/* A tile of TILE_GROUPS * @n_rows rows. @prefix holds as many rows of TILE
 * elements, @totals and @segments what scan_totals() needs. @is_dense: steps of
 * 1 down the frame. */
__attribute__ ((always_inline)) static inline void
tile_means (__global const uchar *restrict src, const ulong src_offset,
    const int src_stride, const int4 frame_size, __global uchar *restrict dst,
    const ulong dst_offset, const int dst_stride, const int4 window,
    const int4 grid, const int4 tile, const int n_rows, const bool is_packed,
    const bool is_narrow, const bool is_dense, __local uint *prefix,
    __local uint *totals, __local uint *segments)
{
  const Frame frame = { src, src_offset, src_stride, tile.y, frame_size.x,
    frame_size.y, tile.w != 0, (uint) frame_size.w << SHIFT };
  const int item = (int) get_local_id (0);
  const int first_row = (int) get_local_id (1) * n_rows; /* of the tile */
  const int first = (int) get_group_id (0) * tile.x;
  const int x = ((first * grid.z - window.z) & -4) + 4 * item;
  const int j = (int) get_group_id (1) * TILE_GROUPS * n_rows + first_row;
  const int top = j * grid.w - window.w;
  uint4 columns, sums[ROWS];

  if (is_dense) {
    Word enter[ROWS], leave[ROWS];

    /* loads first: no sum waits for one before all are under way */
#pragma unroll
    for (int r = 0; r < n_rows; r++) {
      enter[r] = load_word (frame, x, top + r + window.y - 1);
      leave[r] = load_word (frame, x, top + r - 1);
    }
    columns = sum_rows (frame, x, top - 1, window.y, is_packed);
#pragma unroll
    for (int r = 0; r < n_rows; r++) {
      columns += word_columns (enter[r], is_packed) -
                 word_columns (leave[r], is_packed);
      sums[r] = prefix_of_four (columns, is_packed);
    }
  } else {
#pragma unroll
    for (int r = 0; r < n_rows; r++) {
      columns = sum_rows (frame, x, top + r * grid.w, window.y, is_packed);
      sums[r] = prefix_of_four (columns, is_packed);
    }
  }

#pragma unroll
  for (int r = 0; r < n_rows; r++)
    totals[(first_row + r) * TOTALS_ROW + item] = sums[r].w;
  scan_totals (totals, segments, TILE_GROUPS * n_rows);

  /* sums of what lies before each column: the last column's own is in none */
#pragma unroll
  for (int r = 0; r < n_rows; r++) {
    const int row = first_row + r;
    const uint4 before = totals[row * TOTALS_ROW + item] +
                         segments[row * SEGMENTS + item / SEGMENT] +
                         (uint4) (0, sums[r].xyz);

    if (is_narrow)
      vstore4 (convert_ushort4 (before), row * TILE_ITEMS + item,
          (__local ushort *) prefix);
    else
      vstore4 (before, row * TILE_ITEMS + item, prefix);
  }
  barrier (CLK_LOCAL_MEM_FENCE);

#pragma unroll
  for (int r = 0; r < n_rows; r++) {
    if (j + r < grid.y)
      store_means (prefix + (first_row + r) * (is_narrow ? TILE / 2 : TILE),
          frame_size, window, grid, tile, j + r, first, is_narrow,
          write_row (dst, dst_offset, dst_stride, j + r));
  }
}

/* A kernel of @n_rows rows an item: local memory has to be declared there. */
#define DEFINE_KERNEL(name, n_rows, is_packed, is_narrow, is_dense)            \
  __kernel                                                                     \
      __attribute__ ((reqd_work_group_size (TILE_ITEMS, TILE_GROUPS, 1))) void \
      name (__global const uchar *restrict src, const ulong src_offset,        \
          const int src_stride, const int4 frame,                              \
          __global uchar *restrict dst, const ulong dst_offset,                \
          const int dst_stride, const int4 window, const int4 grid,            \
          const int4 tile)                                                     \
  {                                                                            \
    __local uint prefix[TILE_GROUPS * (n_rows) *TILE / ((is_narrow) ? 2 : 1)]; \
    __local uint totals[TILE_GROUPS * (n_rows) *TOTALS_ROW];                   \
    __local uint segments[TILE_GROUPS * (n_rows) *SEGMENTS];                   \
                                                                               \
    tile_means (src, src_offset, src_stride, frame, dst, dst_offset,           \
        dst_stride, window, grid, tile, n_rows, is_packed, is_narrow,          \
        is_dense, prefix, totals, segments);                                   \
  }

/* clang-format off */
#if SAMPLE_MAX <= 255
DEFINE_KERNEL (localmean_sliding_gpu_narrow, ROWS, true, true, true)
DEFINE_KERNEL (localmean_sliding_gpu_wide, ROWS, true, false, true)
#endif
DEFINE_KERNEL (localmean_sliding_gpu_any, ROWS, false, false, true)
DEFINE_KERNEL (localmean_sliding_gpu_sparse, 1, false, false, false)
/* clang-format on */
