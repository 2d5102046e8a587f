/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* errors/cpu.cl: differences between two pictures, for CPU devices
 *
 * Math      The numbers that errors/plain.cl defines.
 * Shape     A rectangle of each component; one without samples has size 0x0.
 * Units     Codes of samples. Offsets and strides of rows are in bytes, pixel
 *           strides in samples.
 * Memory    As errors/plain.cl.
 * Launch    Local (1, 1, 1), a component for each y. errors_cpu_measure:
 *           n_parts work-items, each with a band of rows. errors_cpu_merge: a
 *           work-item for each of N_PART_WORDS words, after errors_cpu_measure.
 * Range     A row has at most 2^16 samples: 32 bits hold its squares of 8 bits.
 * Accuracy  Exact. The reference is tests/errors/errorsreference.c.
 * Source    LANES samples at a time; squares are those of the even and of the
 *           odd lanes, whose elements have twice the bits.
 */

#define FOR_CPU

#include "cl_code.clh"
#include "cl_common.clh"
#include "cl_errorparts.clh"
#include "cl_errors.clh"
#include "cl_lanes.clh"
#include "cl_pixel.clh"
#include "cl_plane.clh"

/* Squares of pairs of lanes are added in elements of twice their bits. */
#if DEPTH > 8
typedef ulong Sum;
#define SUMS_T     ULONGS_T
#define AS_SUMS(v) AS_ULONGS (v)
#else
typedef uint Sum;
#if LANES == 32
#define SUMS_T uint8
#else
#define SUMS_T uint4
#endif
#ifdef __clang__
#define AS_SUMS(v) __builtin_astype (v, SUMS_T)
#else
#define AS_SUMS(v) PASTE (as_, SUMS_T) (v)
#endif
#endif

#define N_SUMS      ((int) (sizeof (SUMS_T) / sizeof (Sum)))
#define SQUARE_BITS (2 * SAMPLE_BITS)

/* The numbers of the lanes of a row. */
typedef struct {
  SUMS_T squares;
  LANES_T n_different; /* in up to SEGMENT_STEPS vectors */
  LANES_T max;
} LaneErrors;

/* Neighbouring samples are counted in different histograms: an increment waits
 * for the one before if both have the same address. */
#define N_HISTOGRAMS 4

typedef uint Histograms[N_HISTOGRAMS][ERRORS_N_BINS];

/* --- vectors -------------------------------------------------------------- */

static ALWAYS_INLINE SUMS_T
widen_squares (const PAIRS_T squares)
{
  const SUMS_T v = AS_SUMS (squares);

  return (v & (SUMS_T) (((Sum) 1 << SQUARE_BITS) - 1)) +
         (v >> (SUMS_T) (SQUARE_BITS));
}

static ALWAYS_INLINE SUMS_T
sum_of_squares (const LANES_T v)
{
  const PAIRS_T even = even_lanes (v), odd = odd_lanes (v);

#if DEPTH > 8 && DEPTH < 16
  return widen_squares (even * even + odd * odd);
#else
  return widen_squares (even * even) + widen_squares (odd * odd);
#endif
}

static ALWAYS_INLINE ulong
total_of (const SUMS_T v)
{
  ulong total = 0;

  for (int i = 0; i < N_SUMS; i++)
    total += ((const Sum *) &v)[i];

  return total;
}

static ALWAYS_INLINE void
add_lanes (const LANES_T differences, LaneErrors *lanes)
{
  lanes->squares += sum_of_squares (differences);
  lanes->n_different -= AS_LANES (differences != (LANES_T) (0));
  lanes->max = greater (lanes->max, differences);
}

/* Counts the last @n lanes; with one addition if all are equal. */
static ALWAYS_INLINE void
count_lanes (const LANES_T differences, const int n, Histograms bins)
{
  const ULONGS_T words = AS_ULONGS (
      lesser (differences, (LANES_T) ((SAMPLE_T) (ERRORS_N_BINS - 1))));
#if LANE_ULONGS == 4
  const ulong word[4] = { words.x, words.y, words.z, words.w };
  const bool are_equal = word[0] == word[1] && word[0] == word[2] &&
                         word[0] == word[3];
#else
  const ulong word[2] = { words.x, words.y };
  const bool are_equal = word[0] == word[1];
#endif

  if (are_equal && word[0] == rotate (word[0], (ulong) SAMPLE_BITS)) {
    bins[0][(SAMPLE_T) word[0]] += (uint) n;
    return;
  }

#pragma unroll
  for (int i = 0; i < LANES; i++) {
    const ulong difference = word[i / PER_ULONG] >>
                             SAMPLE_BITS * (i % PER_ULONG);

    bins[i % N_HISTOGRAMS][difference & (ERRORS_N_BINS - 1)] += i >= LANES - n;
  }
}

/* --- rows ----------------------------------------------------------------- */

/* Measures vectors @x .. of a row, before @x_end; @mask: its new lanes. */
static ALWAYS_INLINE void
add_vectors (__global const SAMPLE_T *a, __global const SAMPLE_T *b,
    const int x, const int x_end, const LANES_T mask, const int n_new,
    const int stride, LaneErrors *lanes, Histograms bins)
{
  for (int i = x; i < x_end; i += LANES) {
    const LANES_T v = difference (load_codes (a + i * stride, stride),
                          load_codes (b + i * stride, stride)) &
                      mask;

    add_lanes (v, lanes);
    if (HAS_HISTOGRAM)
      count_lanes (v, n_new, bins);
  }
}

static ALWAYS_INLINE uint
difference_at (const Plane *a, const Plane *b, const int x, const int y)
{
  return abs_diff (masked_code_at (a, x, y), masked_code_at (b, x, y));
}

/* Measures a row that is shorter than a vector. */
static ALWAYS_INLINE void
add_samples (const Plane *a, const Plane *b, const int y, const int width,
    Errors *own, Histograms bins)
{
  for (int x = 0; x < width; x++) {
    const uint v = difference_at (a, b, x, y);

    own->squares += (ulong) v * v;
    own->n_different += v > 0;
    own->max = max (own->max, v);
    if (HAS_HISTOGRAM)
      bins[0][min (v, (uint) (ERRORS_N_BINS - 1))]++;
  }
}

/* Measures row @y. @stride: samples, a constant. */
static ALWAYS_INLINE void
add_row (const Plane *a, const Plane *b, const int y, const RowCover *row,
    const int stride, Errors *own, LANES_T *max, Histograms bins)
{
  __global const SAMPLE_T *p = plane_row (a, y), *q = plane_row (b, y);
  LaneErrors lanes = { (SUMS_T) (0), (LANES_T) (0), *max };

  for (int x = 0; x < row->n_all; x += SEGMENT_STEPS * LANES) {
    add_vectors (p, q, x, min (x + SEGMENT_STEPS * LANES, row->n_all),
        (LANES_T) ((SAMPLE_T) -1), LANES, stride, &lanes, bins);
    own->n_different += sum_pairs (sum_of_pairs (lanes.n_different));
    lanes.n_different = (LANES_T) (0);
  }
  if (has_tail (row)) {
    add_vectors (p, q, row->n - LANES, row->n, row->tail, row->n - row->n_all,
        stride, &lanes, bins);
    own->n_different += sum_pairs (sum_of_pairs (lanes.n_different));
  }
  own->squares += total_of (lanes.squares);
  *max = lanes.max;
}

/* Returns the first column of row @y that differs; there is one. */
static ALWAYS_INLINE int
find_first (const Plane *a, const Plane *b, const int y)
{
  int x = 0;

  while (difference_at (a, b, x, y) == 0)
    x++;

  return x;
}

/* Measures rows @y .. @y_end - 1. @stride: samples, a constant. */
static ALWAYS_INLINE void
add_rows (const Plane *a, const Plane *b, const int y, const int y_end,
    const int width, const int stride, Errors *own, Histograms bins)
{
  const RowCover row = cover_row (width);
  LANES_T max_lanes = (LANES_T) (0);

  for (int i = y; i < y_end; i++) {
    if (width < LANES)
      add_samples (a, b, i, width, own, bins);
    else
      add_row (a, b, i, &row, stride, own, &max_lanes, bins);
    if (own->first == NO_SAMPLE && own->n_different > 0)
      own->first = (ulong) i * (ulong) width + (ulong) find_first (a, b, i);
  }
  own->max = max (own->max, greatest (max_lanes));
}

/* --- kernels -------------------------------------------------------------- */

__kernel __attribute__ ((reqd_work_group_size (1, 1, 1))) void
errors_cpu_measure (PLANE_ARGUMENTS, COMPARED_ARGUMENTS, const int n_parts,
    __global ulong *parts)
{
  const int part = (int) get_global_id (0), c = (int) get_global_id (1);
  const Plane planes[4] = PLANES;
  const Plane compared[4] = COMPARED_PLANES;
  const Plane a = pick_plane (planes, c), b = pick_plane (compared, c);
  const int width = pick_int (widths, c), height = pick_int (heights, c);
  const int y = band_start (part, n_parts, height);
  const int y_end = band_start (part + 1, n_parts, height);
  Errors own = NO_ERRORS;
  Histograms bins;

#if HAS_HISTOGRAM
  for (int i = 0; i < N_HISTOGRAMS; i++) {
    for (int k = 0; k < ERRORS_N_BINS; k++)
      bins[i][k] = 0;
  }
#endif

  if (a.pixel_stride == 1)
    add_rows (&a, &b, y, y_end, width, 1, &own, bins);
  else if (a.pixel_stride == 2)
    add_rows (&a, &b, y, y_end, width, 2, &own, bins);
  else if (a.pixel_stride == 3)
    add_rows (&a, &b, y, y_end, width, 3, &own, bins);
  else
    add_rows (&a, &b, y, y_end, width, 4, &own, bins);

  store_errors (&own, c, part, n_parts, parts);
#if HAS_HISTOGRAM
  for (int k = 0; k < ERRORS_N_BINS; k++)
    parts[part_index (c, ERRORS_N_WORDS + k, part, n_parts)] = bins[0][k] +
                                                               bins[1][k] +
                                                               bins[2][k] +
                                                               bins[3][k];
#endif
}

__kernel __attribute__ ((reqd_work_group_size (1, 1, 1))) void
errors_cpu_merge (__global const ulong *parts, const int n_parts,
    __global ulong *result)
{
  const int word = (int) get_global_id (0), c = (int) get_global_id (1);
  ulong all = empty_word (word);

  for (int part = 0; part < n_parts; part++)
    all = merge_words (word, all, parts[part_index (c, word, part, n_parts)]);
  result[result_index (c, word, (int) get_global_size (1))] = all;
}
