/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* ssim/cpu.cl: structural similarity of two pictures, for CPU devices
 *
 * Math      The sums that ssim/plain.cl computes.
 * Shape     A rectangle of each component; one without samples has size 0x0.
 * Units     Codes of samples. Offsets and strides of rows are in bytes, pixel
 *           strides in samples.
 * Memory    As ssim/plain.cl.
 * Launch    Local (1, 1, 1), otherwise as ssim/plain.cl: a work-item for each
 *           part.
 * Range     Sums of a part fit 64 bits.
 * Accuracy  Exact. The reference is tests/ssim/ssimreference.c.
 * Source    Sixteen blocks at a time, an element for the samples of a row of
 *           each. The sums of a row of blocks are in near memory until those of
 *           the next row are added.
 */

#define N_VALUES 16

#include "cl_code.clh"
#include "cl_common.clh"
#include "cl_pixel.clh"
#include "cl_plane.clh"
#include "cl_ssim.clh"
#include "cl_ssimvalue.clh"

#define PART_COLUMNS 255 /* windows of a part: a block less than vectors have */
#define PART_ROWS    16
#define PART_BLOCKS  (PART_COLUMNS + 1)

#if DEPTH <= 8
typedef uint Value;
#else
typedef ulong Value;
#endif

#define SAMPLE_BITS (8 * (int) sizeof (SAMPLE_T))

/* vload16() and vstore16() as one access, as in cl_pixel.clh. */
#ifdef __clang__
typedef VALUE_T __attribute__ ((aligned (sizeof (Value)))) ValuesAt;
#define LOAD_VALUES(p)     (*(const ValuesAt *) (p))
#define STORE_VALUES(v, p) (*(ValuesAt *) (p) = (v))
#else
#define LOAD_VALUES(p)     vload16 (0, p)
#define STORE_VALUES(v, p) vstore16 (v, 0, p)
#endif

/* The sums of blocks side by side. The last vector of windows is read beyond
 * the last block. */
typedef struct {
  Value s1[PART_BLOCKS + N_VALUES], s2[PART_BLOCKS + N_VALUES];
  Value ss[PART_BLOCKS + N_VALUES], s12[PART_BLOCKS + N_VALUES];
} Line;

/* The sums of the values of a part. */
#if DEPTH <= 8
#define TOTALS_T ulong8
#else
#define TOTALS_T ulong16
#endif

typedef struct {
  TOTALS_T all, negative; /* of absolute values */
} Totals;

/* --- memory --------------------------------------------------------------- */

static ALWAYS_INLINE BlockSums
load_sums (const Line *line, const int i)
{
  return (BlockSums){ LOAD_VALUES (line->s1 + i), LOAD_VALUES (line->s2 + i),
    LOAD_VALUES (line->ss + i), LOAD_VALUES (line->s12 + i) };
}

static ALWAYS_INLINE void
store_sums (const BlockSums sums, Line *line, const int i)
{
  STORE_VALUES (sums.s1, line->s1 + i);
  STORE_VALUES (sums.s2, line->s2 + i);
  STORE_VALUES (sums.ss, line->ss + i);
  STORE_VALUES (sums.s12, line->s12 + i);
}

#if DEPTH <= 8
#define AS_VALUES4(v) as_uint4 (v)
#else
#define AS_VALUES4(v) as_ulong4 (v)
#endif

/* Loads a row of the samples of N_VALUES blocks, or of @n if that is less:
 * element i has those of block i. @stride: samples, a constant: 1 or 2; 0: that
 * of the plane. */
static ALWAYS_INLINE VALUE_T
load_blocks (const Plane *plane, const int x, const int y, const int n,
    const int stride)
{
  __global const SAMPLE_T *p = plane_row (plane, y) + x * plane->pixel_stride;
  Value blocks[N_VALUES];
  SAMPLE_T *samples = (SAMPLE_T *) blocks;

  if (stride > 0 && n >= N_VALUES)
    return (VALUE_T) (AS_VALUES4 (load16_apart (p, stride)),
        AS_VALUES4 (load16_apart (p + 16 * stride, stride)),
        AS_VALUES4 (load16_apart (p + 32 * stride, stride)),
        AS_VALUES4 (load16_apart (p + 48 * stride, stride)));

  for (int i = 0; i < N_VALUES * SSIM_BLOCK; i++)
    samples[i] = i < n * SSIM_BLOCK ? p[i * plane->pixel_stride] : (SAMPLE_T) 0;

  return LOAD_VALUES (blocks);
}

/* --- blocks --------------------------------------------------------------- */

#if DEPTH <= 14
/* Codes are multiplied and added in pairs, the halves of 32 bits. Up to 8 bits
 * the even and the odd codes of a block are a pair each, with the same sums;
 * else the sums of a block are in two elements, those of eight blocks in a
 * vector. */
#if DEPTH <= 8
#define N_PAIRS 1
#else
#define N_PAIRS 2
#endif
#define PAIR_MASK ((uint16) ((N_CODES - 1) * 0x10001u))

typedef struct {
  uint16 s1, s2; /* sums of the low halves, and of the high halves */
  uint16 ss, s12;
} PairSums;

/* Returns the products of the low halves plus those of the high halves, which
 * are below 2^15. */
static ALWAYS_INLINE uint16
multiply_pairs (const uint16 a, const uint16 b)
{
  const uint16 low = (uint16) (SHRT_MAX), bits = (uint16) (16);

  return (a & low) * (b & low) + (a >> bits) * (b >> bits);
}

static ALWAYS_INLINE void
add_pairs (const uint16 a, const uint16 b, PairSums *sums)
{
  sums->s1 += a;
  sums->s2 += b;
  sums->ss += multiply_pairs (a, a) + multiply_pairs (b, b);
  sums->s12 += multiply_pairs (a, b);
}

static ALWAYS_INLINE uint16
add_halves (const uint16 v)
{
  return (v & (uint16) (USHRT_MAX)) + (v >> (uint16) (16));
}

#if DEPTH <= 8
static ALWAYS_INLINE void
add_row (const VALUE_T a, const VALUE_T b, PairSums *sums)
{
  const uint16 bits = (uint16) (SAMPLE_BITS);

  add_pairs (a & PAIR_MASK, b & PAIR_MASK, sums);
  add_pairs (a >> bits & PAIR_MASK, b >> bits & PAIR_MASK, sums);
}

#define JOIN(sums, member) sums[0].member
#else
static ALWAYS_INLINE uint16
codes_of (const ulong8 v)
{
  const uint16 samples = as_uint16 (v) >> (uint16) (SAMPLE_SHIFT);

  return samples & PAIR_MASK;
}

static ALWAYS_INLINE void
add_row (const VALUE_T a, const VALUE_T b, PairSums *sums)
{
  add_pairs (codes_of (a.lo), codes_of (b.lo), &sums[0]);
  add_pairs (codes_of (a.hi), codes_of (b.hi), &sums[1]);
}

static ALWAYS_INLINE ulong8
add_elements (const uint16 v)
{
  return (as_ulong8 (v) & (ulong8) (UINT_MAX)) +
         (as_ulong8 (v) >> (ulong8) (32));
}

#define JOIN(sums, member)                                                     \
  (VALUE_T) (add_elements (sums[0].member), add_elements (sums[1].member))
#endif

static ALWAYS_INLINE BlockSums
join_pairs (PairSums *sums)
{
#pragma unroll
  for (int i = 0; i < N_PAIRS; i++) {
    sums[i].s1 = add_halves (sums[i].s1);
    sums[i].s2 = add_halves (sums[i].s2);
  }

  return (BlockSums){ JOIN (sums, s1), JOIN (sums, s2), JOIN (sums, ss),
    JOIN (sums, s12) };
}
#else
#define N_PAIRS 1
typedef BlockSums PairSums;

static ALWAYS_INLINE void
add_row (const VALUE_T a, const VALUE_T b, PairSums *sums)
{
#pragma unroll
  for (int i = 0; i < SSIM_BLOCK; i++) {
    const VALUE_T shift = (VALUE_T) (i * SAMPLE_BITS + SAMPLE_SHIFT);
    const VALUE_T mask = (VALUE_T) (N_CODES - 1);

    add_samples (a >> shift & mask, b >> shift & mask, sums);
  }
}

#define join_pairs(sums) (sums[0])
#endif

/* Returns the sums of N_VALUES blocks, or of @n if that is less, whose first
 * samples are at (@x, @y). */
static ALWAYS_INLINE BlockSums
sum_blocks (const Plane *a, const Plane *b, const int x, const int y,
    const int n, const int stride)
{
  PairSums sums[N_PAIRS];

#pragma unroll
  for (int i = 0; i < N_PAIRS; i++)
    sums[i].s1 = sums[i].s2 = sums[i].ss = sums[i].s12 = 0;
#pragma unroll
  for (int row = 0; row < SSIM_BLOCK; row++) {
    fetch_ahead (plane_row (a, y + SSIM_BLOCK + row) + x * a->pixel_stride);
    fetch_ahead (plane_row (b, y + SSIM_BLOCK + row) + x * b->pixel_stride);
    add_row (load_blocks (a, x, y + row, n, stride),
        load_blocks (b, x, y + row, n, stride), sums);
  }

  return join_pairs (sums);
}

/* Sets @line to the sums of the @n blocks from (@x, @y) on, in samples, and
 * @pairs to sums with those of @above. The last vector ends with the line. */
static ALWAYS_INLINE void
sum_line (const Plane *a, const Plane *b, const int x, const int y, const int n,
    const int stride, const Line *above, Line *line, Line *pairs)
{
  for (int i = 0; i < n; i += N_VALUES) {
    const int at = max (min (i, n - N_VALUES), 0);
    const BlockSums sums = sum_blocks (a, b, x + at * SSIM_BLOCK, y, n, stride);

    store_sums (sums, line, at);
    store_sums (add_sums (sums, load_sums (above, at)), pairs, at);
  }
}

/* --- windows -------------------------------------------------------------- */

/* Adds the values of windows with these quotients; those of @is_negative are
 * negative. */
static ALWAYS_INLINE void
add_values (const VALUE_T q1, const VALUE_T q2, const SIGNED_T is_negative,
    Totals *totals)
{
  const TOTALS_T bits = (TOTALS_T) (SSIM_BITS), low = (TOTALS_T) (UINT_MAX);

#if DEPTH <= 8
  const TOTALS_T a = as_ulong8 (q1), b = as_ulong8 (q2);
  const TOTALS_T mask = as_ulong8 (is_negative), high = (TOTALS_T) (32);
  const TOTALS_T even = (a & low) * (b & low) >> bits;
  const TOTALS_T odd = (a >> high) * (b >> high) >> bits;

  totals->all += even + odd;
  totals->negative += (even & mask) + (odd & mask >> high);
#else
  const TOTALS_T values = (q1 & low) * (q2 & low) >> bits;

  totals->all += values;
  totals->negative += values & as_ulong16 (is_negative);
#endif
}

/* Adds the values of @n windows, or of N_VALUES if that is less, with the sums
 * of pairs of blocks from block @i on. */
static ALWAYS_INLINE void
add_windows (const Line *pairs, const int i, const int n, const ulong c1,
    const ulong c2, Totals *totals)
{
  const BlockSums window = add_sums (load_sums (pairs, i),
      load_sums (pairs, i + 1));
  const Quotients quotients = ssim_quotients (window, c1, c2);
  VALUE_T q1 = quotients.q1;

  if (n < N_VALUES)
    q1 = CONVERT (SIGNED_T) (INDICES16) < (SIGNED_T) (n) ? q1 : (VALUE_T) (0);
  add_values (q1, quotients.q2, quotients.n2 < (SIGNED_T) (0), totals);
}

static ALWAYS_INLINE long
total_of (const Totals *totals)
{
  const TOTALS_T v = totals->all - (totals->negative << (TOTALS_T) (1));
  ulong total = 0;

  for (int i = 0; i < (int) (sizeof (v) / sizeof (ulong)); i++)
    total += ((const ulong *) &v)[i];

  return (long) total;
}

/* Returns the sum of the values of @n_rows rows of @n windows, the first at
 * (@x, @y). @stride: that of load_blocks(). */
static ALWAYS_INLINE long
sum_part (const Plane *a, const Plane *b, const int x, const int y, const int n,
    const int n_rows, const int stride, const ulong c1, const ulong c2)
{
  Line lines[2], pairs;
  Totals totals = { (TOTALS_T) (0), (TOTALS_T) (0) };

  for (int i = 0; i < PART_BLOCKS + N_VALUES; i++)
    pairs.s1[i] = pairs.s2[i] = pairs.ss[i] = pairs.s12[i] = 0;
  sum_line (a, b, x, y, n + 1, stride, &lines[0], &lines[0], &pairs);
  for (int row = 1; row <= n_rows; row++) {
    sum_line (a, b, x, y + row * SSIM_BLOCK, n + 1, stride,
        &lines[(row - 1) % 2], &lines[row % 2], &pairs);
    for (int i = 0; i < n; i += N_VALUES)
      add_windows (&pairs, i, n - i, c1, c2, &totals);
  }

  return total_of (&totals);
}

/* --- kernels -------------------------------------------------------------- */

__kernel __attribute__ ((reqd_work_group_size (1, 1, 1))) void
ssim_cpu_measure (PLANE_ARGUMENTS, COMPARED_ARGUMENTS, const ulong c1,
    const ulong c2, __global long *parts)
{
  const int column = (int) get_global_id (0), row = (int) get_global_id (1);
  const int c = (int) get_global_id (2);
  const Plane planes[4] = PLANES;
  const Plane compared[4] = COMPARED_PLANES;
  const Plane a = pick_plane (planes, c), b = pick_plane (compared, c);
  const int x = column * PART_COLUMNS, y = row * PART_ROWS;
  const int n = min (pick_int (widths, c) / SSIM_BLOCK - 1 - x, PART_COLUMNS);
  const int n_rows = min (pick_int (heights, c) / SSIM_BLOCK - 1 - y,
      PART_ROWS);
  long sum = 0;

  if (n > 0 && n_rows > 0) {
    const int left = x * SSIM_BLOCK, top = y * SSIM_BLOCK;

    if (a.pixel_stride == 1)
      sum = sum_part (&a, &b, left, top, n, n_rows, 1, c1, c2);
    else if (a.pixel_stride == 2)
      sum = sum_part (&a, &b, left, top, n, n_rows, 2, c1, c2);
    else
      sum = sum_part (&a, &b, left, top, n, n_rows, 0, c1, c2);
  }
  parts[PART_INDEX] = sum;
}

__kernel __attribute__ ((reqd_work_group_size (1, 1, 1))) void
ssim_cpu_merge (__global const long *parts, const int n_parts,
    __global long *result)
{
  const int c = (int) get_global_id (0);
  long sum = 0;

  for (int part = 0; part < n_parts; part++)
    sum += parts[(ulong) c * (ulong) n_parts + (ulong) part];
  result[c] = sum;
}
