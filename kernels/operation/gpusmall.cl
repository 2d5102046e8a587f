/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* operation/gpusmall.cl: means of windows of 3 x 3, 5 x 5 and 7 x 7 samples of
 * 8 bits, and operations on rounded means, for GPUs
 *
 * Math      OPERATION selects the operation: OPERATION_MEAN is (sum + n / 2) /
 *           n over the n samples of the window around a sample;
 *           OPERATION_DIFFERENCE and OPERATION_MEAN_C use that mean in the
 *           formulas of cl_operation.clh.
 * Shape     frame.x x frame.y samples, and as many results. The kernel's name
 *           has the width and height of a window; its sample is the middle one.
 *           The inner results are those of columns inner.x to inner.z - 1 of
 *           rows inner.y to inner.w - 1, in multiples of COLUMNS and ROWS. A
 *           work-item computes COLUMNS of them in each of ROWS rows; all
 *           samples from four columns before them to four columns after them
 *           are in the frame, and so are the rows of their windows. Each other
 *           result has a work-item of its own.
 * Units     Offsets and strides of rows in bytes; frame.w is the value of a
 *           sample outside; the offset, factors.z, is in 1/256 of a code. The
 *           pixel stride is 1 in both planes.
 * Memory    Bits of access: SOURCE_OCTS and RESULT_OCTS if groups of eight
 * samples
 *           of a row are aligned, so that one access loads or stores a group;
 *           otherwise groups of four are used. No two
 *           buffers overlap.
 * Launch    Local (SMALL_LANES, SMALL_GROUPS, 1). Global x: first
 *           n_outer_groups work-groups for the other results, then work-groups
 *           for SMALL_LANES x SMALL_GROUPS blocks of inner results, row by row.
 *           Global y: SMALL_GROUPS.
 * Accuracy  Results are exact; means are rounded half up. The reference is
 *           tests/operation/operationreference.c.
 * Source    Sums of several samples in one word: L. Lamport, "Multiple byte
 *           processing with full-word instructions", 1975. Timings are in
 *           docs/performance-h100.md.
 *
 * A work-item keeps the samples of its windows in registers, and shares nothing
 * with others:
 *
 *      x - 4     x                   x + 8
 *      +---------+---------+---------+---------+
 *      |         .  SIZE / 2 rows    .         |    a quad of samples in a
 *      +.........+---------+---------+.........+    word, four quads a row
 *      |         |  COLUMNS results  |         |
 *      |         |  of ROWS rows     |         |
 *      +.........+---------+---------+.........+
 *      |         .  SIZE / 2 rows    .         |
 *      +---------+---------+---------+---------+
 *
 * Sums of columns, and then of windows, are pairs of 16 bits: columns 0 and 2
 * of a quad in one word, 1 and 3 in another. This code has no checks for edges:
 * with them it needs twice the registers.
 */

#include "cl_border.clh"
#include "cl_common.clh"
#include "cl_exact.clh"
#include "cl_operation.clh"
#include "cl_pixel.clh"
#include "cl_quad.clh"

#ifndef OPERATION
#define OPERATION OPERATION_MEAN
#endif

/* the same as in gst/ops/localmean/operationsmall.c */
#define COLUMNS      8
#define ROWS         4
#define SMALL_LANES  32
#define SMALL_GROUPS 4
#define SOURCE_OCTS  1
#define RESULT_OCTS  2

#define QUADS        4 /* of a row that a work-item loads */
#define LARGEST_SIZE 7 /* of windows, each way */
#define MAX_ROWS     (ROWS + LARGEST_SIZE - 1)

/* ---- samples ---- */

typedef struct {
  __global const uchar *base;
  ulong offset_bytes;
  int stride_bytes, width, height;
  uint outside; /* value of samples outside the frame */
} Source;

/* Loads the quads of @n_rows rows from @top on, around the results from column
 * @x on. */
static ALWAYS_INLINE void
load_rows (const Source source, const bool has_octs, const int x, const int top,
    const int n_rows, uint rows[MAX_ROWS][QUADS])
{
  __global const uchar *at = read_row (source.base, source.offset_bytes,
                                 source.stride_bytes, top) +
                             x;

  UNROLL
  for (int k = 0; k < n_rows; k++) {
    __global const uint *quads = (__global const uint *) at;

    rows[k][0] = quads[-1];
    if (has_octs) {
      const uint2 middle = *(__global const uint2 *) at;

      rows[k][1] = middle.x;
      rows[k][2] = middle.y;
    } else {
      rows[k][1] = quads[0];
      rows[k][2] = quads[1];
    }
    rows[k][3] = quads[2];
    at += source.stride_bytes;
  }
}

/* ---- sums, two in a word ---- */

/* Sums of four columns, or of the windows of four results: 0 and 2 in even, 1
 * and 3 in odd. */
typedef struct {
  uint even, odd;
} Pairs;

static ALWAYS_INLINE Pairs
pairs_of (const uint quad)
{
  return (Pairs){ quad & 0x00ff00ff, quad >> 8 & 0x00ff00ff };
}

/* The sums of columns @c and @c + 2, counted from the first of @columns. */
static ALWAYS_INLINE uint
pair_at (const Pairs *columns, const int c)
{
  const Pairs *at = columns + c / 4;
  const uint here = c % 2 ? at[0].odd : at[0].even;

  if (c % 4 < 2)
    return here;

  return here >> 16 | (c % 2 ? at[1].odd : at[1].even) << 16;
}

/* Sums over windows of @size columns, for the results of quad @q of a row, 1 or
 * 2. */
static ALWAYS_INLINE Pairs
sum_windows (const Pairs *columns, const int q, const int size)
{
  const int first = 4 * q - size / 2;
  Pairs sums = { 0, 0 };

  UNROLL
  for (int c = 0; c < size; c++) {
    sums.even += pair_at (columns, first + c);
    sums.odd += pair_at (columns, first + 1 + c);
  }

  return sums;
}

/* ---- results ---- */

/* Four means of whole windows of @n samples. The error of 2^24 / n, rounded up,
 * is less than 1 / (2 * n) of a mean for sums up to 255.5 * n. Means are the
 * highest bytes of the products. */
static ALWAYS_INLINE uint
whole_means (const Pairs sums, const uint n)
{
  const uint divisor = ((1u << 24) + n - 1) / n;
  const uint even = sums.even + n / 2 * 0x10001;
  const uint odd = sums.odd + n / 2 * 0x10001;

  return (even & 0xffff) * divisor >> 24 | (odd & 0xffff) * divisor >> 24 << 8 |
         (even >> 16) * divisor >> 24 << 16 |
         ((odd >> 16) * divisor & 0xff000000);
}

/* Four results of mean-c on whole windows of @n samples, 255 or 0 each. A
 * sample p is at least @least above the mean of a sum s if and only if
 *
 *   (s + n / 2) / n <= p - least, so s + n / 2 < (p - least + 1) * n
 *
 * Bit 15 of the difference of the two sides, which has less than 15 bits and a
 * sign, decides. */
static ALWAYS_INLINE uint
whole_mean_c (const Pairs codes, const Pairs sums, const uint n,
    const int least)
{
  const uint bias = (uint) (0x8000 - 1 - (int) (n / 2) -
                            (least - 1) * (int) n) *
                    0x10001;
  const uint even = codes.even * n + bias - sums.even;
  const uint odd = codes.odd * n + bias - sums.odd;

  return ((even >> 15 & 0x00010001) | (odd >> 7 & 0x01000100)) * 255;
}

/* Returns the least difference between a sample and its mean that is above the
 * threshold of mean-c: 256 * d > -offset. */
static ALWAYS_INLINE int
least_of_mean_c (const int offset)
{
  return clamp ((-offset >> 8) + 1, -SAMPLE_MAX - 1, SAMPLE_MAX + 1);
}

/* Four results from means; mean-c uses @offset. */
static ALWAYS_INLINE uint
codes_by_means (const uint quad, const uint means, const int offset)
{
  const int4 above = as_int4 (unpack_uchar (quad)) -
                     as_int4 (unpack_uchar (means));
  uint4 codes;

  if (OPERATION == OPERATION_MEAN)
    return means;

  if (OPERATION == OPERATION_DIFFERENCE)
    codes = as_uint4 (difference_codes_int4 (above));
  else
    codes = as_uint4 (exceeds_mean_c_int4 (above, offset)) & SAMPLE_MAX;

  return codes.x | codes.y << 8 | codes.z << 16 | codes.w << 24;
}

/* Four results on whole windows of @n samples. */
static ALWAYS_INLINE uint
codes_of_whole (const uint quad, const Pairs sums, const uint n,
    const int offset)
{
  if (OPERATION == OPERATION_MEAN_C)
    return whole_mean_c (pairs_of (quad), sums, n, least_of_mean_c (offset));

  return codes_by_means (quad, whole_means (sums, n), offset);
}

/* ---- inner results ---- */

/* The parameters of a block of inner results. */
typedef struct {
  __global uchar *to; /* its first result */
  int stride_bytes;   /* of the rows of results */
  bool has_octs;
  int offset;    /* of mean-c */
  uint inverted; /* all bits, or none */
} Block;

static ALWAYS_INLINE void
add_row (const uint *enter, Pairs *columns)
{
  UNROLL
  for (int q = 0; q < QUADS; q++) {
    const Pairs pairs = pairs_of (enter[q]);

    columns[q].even += pairs.even;
    columns[q].odd += pairs.odd;
  }
}

static ALWAYS_INLINE void
take_row_away (const uint *leave, Pairs *columns)
{
  UNROLL
  for (int q = 0; q < QUADS; q++) {
    const Pairs pairs = pairs_of (leave[q]);

    columns[q].even -= pairs.even;
    columns[q].odd -= pairs.odd;
  }
}

static ALWAYS_INLINE void
store_octet (const uint2 codes, const bool has_octs, __global uchar *to)
{
  if (has_octs) {
    *(__global uint2 *) to = codes;
  } else {
    ((__global uint *) to)[0] = codes.x;
    ((__global uint *) to)[1] = codes.y;
  }
}

static ALWAYS_INLINE void
store_block (Block block, uint rows[MAX_ROWS][QUADS], const int size)
{
  const uint n = (uint) (size * size);
  Pairs columns[QUADS];

  UNROLL
  for (int q = 0; q < QUADS; q++)
    columns[q] = (Pairs){ 0, 0 };
  UNROLL
  for (int k = 0; k < size - 1; k++)
    add_row (rows[k], columns);

  UNROLL
  for (int j = 0; j < ROWS; j++) {
    const uint *own = rows[j + size / 2];

    add_row (rows[j + size - 1], columns);
    store_octet ((uint2) (codes_of_whole (own[1],
                              sum_windows (columns, 1, size), n, block.offset),
                     codes_of_whole (own[2], sum_windows (columns, 2, size), n,
                         block.offset)) ^
                     block.inverted,
        block.has_octs, block.to);
    take_row_away (rows[j], columns);
    block.to += block.stride_bytes;
  }
}

/* ---- the others ---- */

/* Returns the position of result @i of the results that are not inner ones:
 * first whole rows above and below, then those left and right. y is -1 after
 * the last. */
static ALWAYS_INLINE int2
place_outer (const int i, const int4 inner, const int width, const int height)
{
  const int n_rows = inner.y + (height - inner.w);
  const int n_columns = inner.x + (width - inner.z);
  const int rest = i - n_rows * width;
  int2 at;

  if (rest < 0) {
    at = (int2) (i % width, i / width);
    if (at.y >= inner.y)
      at.y += inner.w - inner.y;
    return at;
  }
  if (n_columns == 0 || rest >= n_columns * (inner.w - inner.y))
    return (int2) (0, -1);

  at = (int2) (rest % n_columns, inner.y + rest / n_columns);
  if (at.x >= inner.x)
    at.x += inner.z - inner.x;

  return at;
}

/* Returns the sample in column @x and row @y, which may be outside the
 * frame. */
static ALWAYS_INLINE uint
sample_at (const Source source, const int x, const int y)
{
  const int column = border_inside (x, source.width);
  const int row = border_inside (y, source.height);

  if (column < 0 || row < 0)
    return source.outside;

  return read_row (source.base, source.offset_bytes, source.stride_bytes,
      row)[column];
}

static ALWAYS_INLINE uint
outer_code (const Source source, const int2 at, const int size,
    const int offset)
{
  const int2 first = at - size / 2;
  const uint n = (uint) (border_count (first.x, size, source.width) *
                         border_count (first.y, size, source.height));
  uint sum = 0;

  for (int y = 0; y < size; y++) {
    for (int x = 0; x < size; x++)
      sum += sample_at (source, first.x + x, first.y + y);
  }

  return codes_by_means (sample_at (source, at.x, at.y),
             exact_mean_uint (sum, n, 1.0f / (float) n), offset) &
         0xff;
}

/* ---- kernels ---- */

static ALWAYS_INLINE void
take_share (const Source source, const int4 inner, const int n_outer_groups,
    const int access, const int offset, const bool inverts, const int size,
    __global uchar *dst, const int dst_stride)
{
  const int lane = (int) get_local_id (0), line = (int) get_local_id (1);
  const int group = (int) get_group_id (0) - n_outer_groups;
  const uint inverted = OPERATION == OPERATION_MEAN_C && inverts ? 0xffffffff
                                                                 : 0;

  if (group < 0) {
    const int item = (group + n_outer_groups) * SMALL_LANES * SMALL_GROUPS +
                     line * SMALL_LANES + lane;
    const int2 at = place_outer (item, inner, source.width, source.height);

    if (at.y >= 0)
      dst[(long) at.y * dst_stride + at.x] = (uchar) (outer_code (source, at,
                                                          size, offset) ^
                                                      inverted);
    return;
  }

  const int across = (inner.z - inner.x) / COLUMNS;
  const int groups_across = (across - 1) / SMALL_LANES + 1;
  const int row = group / groups_across;
  const int x = inner.x +
                ((group - row * groups_across) * SMALL_LANES + lane) * COLUMNS;
  const int y = inner.y + (row * SMALL_GROUPS + line) * ROWS;
  uint rows[MAX_ROWS][QUADS];

  RETURN_IF_OUTSIDE (x, y, inner.z, inner.w);
  load_rows (source, (access & SOURCE_OCTS) != 0, x, y - size / 2,
      ROWS + size - 1, rows);
  store_block ((Block){ dst + (long) y * dst_stride + x, dst_stride,
                   (access & RESULT_OCTS) != 0, offset, inverted },
      rows, size);
}

#define DEFINE_KERNEL(name, size)                                              \
  __kernel __attribute__ ((                                                    \
      reqd_work_group_size (SMALL_LANES, SMALL_GROUPS, 1))) void               \
  name (__global const uchar *restrict src, const ulong src_offset,            \
      const int src_stride, const int4 frame, const int4 inner,                \
      const int n_outer_groups, const int access, RESULTS_ARGUMENTS)           \
  {                                                                            \
    const Source source = { src, src_offset, src_stride, frame.x, frame.y,     \
      (uint) frame.w };                                                        \
                                                                               \
    (void) grid, (void) start_x, (void) start_y; /* a result a sample */       \
    (void) operation;                            /* OPERATION */               \
    take_share (source, inner, n_outer_groups, access, factors.z, invert != 0, \
        size, dst + dst_offset, dst_stride);                                   \
  }

/* clang-format off */
DEFINE_KERNEL (operation_small_gpu_3, 3)
DEFINE_KERNEL (operation_small_gpu_5, 5)
DEFINE_KERNEL (operation_small_gpu_7, 7)
/* clang-format on */
