/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* profiles/cpu.cl: numbers of each row and column of a rectangle, for CPU
 * devices
 *
 * Math      The numbers that profiles/plain.cl defines. Each row is read once,
 *           a vector of 32 bytes at a time. The numbers of columns are vectors
 *           in memory, which stay in a near cache while a band is measured.
 * Shape     A rectangle of one component, whose pixel stride is STRIDE.
 * Units     Codes of samples. Offsets and strides of rows are in bytes.
 * Memory    partials: for each band a ColumnLanes for each vector of a row. The
 *           last vector ends with the row; if the row is shorter than a vector,
 *           its first lanes are the row.
 * Launch    Local (1, 1, 1). profiles_cpu_measure: a work-item for a band.
 *           profiles_cpu_merge: a work-item for a vector of a row.
 * Range     WIDE_T holds a sum of PROFILE_BAND_ROWS samples, or of
 *           SEGMENT_STEPS pairs.
 * Accuracy  Exact. The reference is tests/profiles/profilesreference.c.
 * Source    Vectors in memory instead of reductions per column; rows reduce
 *           once per SEGMENT_STEPS vectors.
 */

#define FOR_CPU

#include "cl_code.clh"
#include "cl_common.clh"
#include "cl_lanes.clh"
#include "cl_pixel.clh"
#include "cl_plane.clh"
#include "cl_profiles.clh"

#ifndef STRIDE
#define STRIDE 1 /* samples from one of the component to its next, 1 .. 4 */
#endif

/* The numbers of LANES columns in a band. */
typedef struct {
  PAIRS_T even_sum, odd_sum, even_difference, odd_difference;
  LANES_T least, greatest;
} ColumnLanes;

/* The numbers of a part of a row. */
typedef struct {
  PAIRS_T sum, difference, field_difference;
  LANES_T least, greatest;
} RowLanes;

/* The numbers of a row. */
typedef struct {
  uint sum, least, greatest, difference, field_difference;
} RowNumbers;

/* A row and those above it; the row itself where there is none. */
typedef struct {
  __global const SAMPLE_T *here, *above, *above_2;
  int width;
} Rows;

/* --- vectors ------------------------------------------------------------- */

/* Loads the codes of columns @x .. @x + LANES - 1; 0 for columns after the last
 * one of a row that is shorter than a vector. */
static ALWAYS_INLINE LANES_T
load_columns (__global const SAMPLE_T *row, const int x, const int width)
{
  LANES_T v = (LANES_T) (0);

  if (width >= LANES)
    return load_codes (row + x * STRIDE, STRIDE);

  for (int i = 0; i < width; i++)
    ((SAMPLE_T *) &v)[i] = (SAMPLE_T) masked_code (row[i * STRIDE]);

  return v;
}

/* Loads the codes of the columns on the left. */
static ALWAYS_INLINE LANES_T
load_left (const Rows *rows, const int x, const LANES_T here)
{
  return x > 0 ? load_codes (rows->here + (x - 1) * STRIDE, STRIDE)
               : shift_up (FIRST_LANE (here), here);
}

/* Adds columns @x .. @x + LANES - 1 to @column, and those in @mask to @row. */
static ALWAYS_INLINE void
add_columns (const Rows *rows, const int x, const LANES_T mask,
    __global ColumnLanes *column, RowLanes *row)
{
  const LANES_T here = load_columns (rows->here, x, rows->width);
  const LANES_T above = load_columns (rows->above, x, rows->width);
  const LANES_T above_2 = load_columns (rows->above_2, x, rows->width);
  const LANES_T step = difference (here, load_left (rows, x, here));

  row->sum += sum_of_pairs (here & mask);
  row->difference += sum_of_pairs (difference (here, above) & mask);
  row->field_difference += sum_of_pairs (difference (here, above_2) & mask);
  row->least = lesser (row->least, here | ~mask);
  row->greatest = greater (row->greatest, here & mask);

  column->even_sum += even_lanes (here);
  column->odd_sum += odd_lanes (here);
  column->even_difference += even_lanes (step);
  column->odd_difference += odd_lanes (step);
  column->least = lesser (column->least, here);
  column->greatest = greater (column->greatest, here);
}

static ALWAYS_INLINE RowLanes
empty_row (void)
{
  return (RowLanes){ (PAIRS_T) (0), (PAIRS_T) (0), (PAIRS_T) (0),
    ~(LANES_T) (0), (LANES_T) (0) };
}

static ALWAYS_INLINE void
add_part (const RowLanes *part, RowNumbers *numbers)
{
  numbers->sum += sum_pairs (part->sum);
  numbers->difference += sum_pairs (part->difference);
  numbers->field_difference += sum_pairs (part->field_difference);
  numbers->least = min (numbers->least, least (part->least));
  numbers->greatest = max (numbers->greatest, greatest (part->greatest));
}

/* --- kernels ------------------------------------------------------------- */

/* Adds a row to @columns. */
static ALWAYS_INLINE RowNumbers
measure_row (const Rows *rows, const RowCover *cover,
    __global ColumnLanes *columns)
{
  RowNumbers numbers = { 0, UINT_MAX, 0, 0, 0 };

  for (int x = 0; x < cover->n_all;) {
    const int end = min (cover->n_all, x + SEGMENT_STEPS * LANES);
    RowLanes part = empty_row ();

    for (; x < end; x += LANES)
      add_columns (rows, x, ~(LANES_T) (0), &columns[x / LANES], &part);
    add_part (&part, &numbers);
  }
  if (cover->n > cover->n_all) {
    const bool is_short = cover->n < LANES;
    RowLanes part = empty_row ();

    add_columns (rows, is_short ? 0 : cover->n - LANES,
        is_short ? ~last_lanes (LANES - cover->n) : cover->tail,
        &columns[cover->n_all / LANES], &part);
    add_part (&part, &numbers);
  }

  return numbers;
}

static inline int
count_vectors (const int width)
{
  return (width + LANES - 1) / LANES;
}

__kernel __attribute__ ((reqd_work_group_size (1, 1, 1))) void
profiles_cpu_measure (__global const uchar *base, const ulong offset_bytes,
    const int stride_bytes, const int width, const int height,
    const int n_bands, __global uint *result, const uint first_word,
    __global ColumnLanes *partials)
{
  const int band = (int) get_global_id (0);
  const int n_vectors = count_vectors (width);
  const RowCover cover = cover_row (width);
  __global ColumnLanes *columns = partials + band * n_vectors;
  __global uint *out = result + first_word;

  if (band >= n_bands)
    return;

  for (int i = 0; i < n_vectors; i++)
    columns[i] = (ColumnLanes){ (PAIRS_T) (0), (PAIRS_T) (0), (PAIRS_T) (0),
      (PAIRS_T) (0), ~(LANES_T) (0), (LANES_T) (0) };

  for (int y = band_start (band, n_bands, height);
       y < band_start (band + 1, n_bands, height); y++) {
    const Rows rows = {
      read_row (base, offset_bytes, stride_bytes, y),
      read_row (base, offset_bytes, stride_bytes, max (y - 1, 0)),
      read_row (base, offset_bytes, stride_bytes, y > 1 ? y - 2 : y),
      width,
    };
    const RowNumbers numbers = measure_row (&rows, &cover, columns);

    out[PROFILE_SUM * height + y] = numbers.sum;
    out[PROFILE_MIN * height + y] = numbers.least;
    out[PROFILE_MAX * height + y] = numbers.greatest;
    out[PROFILE_DIFFERENCE * height + y] = numbers.difference;
    out[PROFILE_FIELD_DIFFERENCE * height + y] = numbers.field_difference;
  }
}

/* Merges the bands of a vector of columns. */
__kernel __attribute__ ((reqd_work_group_size (1, 1, 1))) void
profiles_cpu_merge (const int width, const int height, const int n_bands,
    __global uint *result, const uint first_word,
    __global const ColumnLanes *partials)
{
  const int vector = (int) get_global_id (0);
  const int n_vectors = count_vectors (width);
  const int x = width < LANES ? 0 : min (vector * LANES, width - LANES);
  __global uint *out = result + first_word + N_ROW_NUMBERS * height;

  if (vector >= n_vectors)
    return;

  for (int i = vector * LANES - x; i < LANES && x + i < width; i++) {
    uint sum = 0, step = 0, low = UINT_MAX, high = 0;

    for (int band = 0; band < n_bands; band++) {
      __global const ColumnLanes *lanes = &partials[band * n_vectors + vector];
      const bool is_odd = (i & 1) != 0;

      sum += ((__global const WIDE_T *) (is_odd ? &lanes->odd_sum
                                                : &lanes->even_sum))[i / 2];
      step += ((
          __global const WIDE_T *) (is_odd ? &lanes->odd_difference
                                           : &lanes->even_difference))[i / 2];
      low = min (low, (uint) ((__global const SAMPLE_T *) &lanes->least)[i]);
      high = max (high,
          (uint) ((__global const SAMPLE_T *) &lanes->greatest)[i]);
    }
    out[PROFILE_SUM * width + x + i] = sum;
    out[PROFILE_MIN * width + x + i] = low;
    out[PROFILE_MAX * width + x + i] = high;
    out[PROFILE_DIFFERENCE * width + x + i] = step;
  }
}
