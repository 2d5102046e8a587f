/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* profiles/plain.cl: numbers of each row and column of a rectangle, on any
 * device
 *
 * Math      Of each row: sum, least, greatest, sum of absolute differences to
 *           the row above and to the row two above. Of each column: sum, least,
 *           greatest, sum of absolute differences to the column on the left.
 *           Differences to samples outside the rectangle are 0.
 * Shape     A rectangle of each component.
 * Units     Codes of samples. Offsets and strides of rows are in bytes, pixel
 *           strides in samples.
 * Memory    result: cl_profiles.clh defines the words.
 * Launch    Local (GROUP, 1, 1), a component for each y. A work-group for each
 *           row, then for each COLUMNS columns.
 * Range     Sums of up to 65536 samples of 16 bits fit 32 bits.
 * Accuracy  Exact. The reference is tests/profiles/profilesreference.c.
 * Source    Tree reduction in local memory. Sums of rows and columns are the
 *           projection profiles of document analysis.
 */

#include "cl_code.clh"
#include "cl_common.clh"
#include "cl_pixel.clh"
#include "cl_plane.clh"
#include "cl_profilepart.clh"
#include "cl_profiles.clh"

#define GROUP   256
#define COLUMNS 16

/* The numbers of a row; without the last one, of a column. */
typedef struct {
  uint sum, least, greatest, difference, field_difference;
} Numbers;

static ALWAYS_INLINE Numbers
no_numbers (void)
{
  return (Numbers){ 0, UINT_MAX, 0, 0, 0 };
}

/* Measures the samples of row @y that belong to this work-item. */
static ALWAYS_INLINE Numbers
measure_row (const Plane *plane, const int width, const int y)
{
  Numbers numbers = no_numbers ();

  for (int x = (int) get_local_id (0); x < width; x += GROUP) {
    const uint v = masked_code_at (plane, x, y);

    numbers.sum += v;
    numbers.least = min (numbers.least, v);
    numbers.greatest = max (numbers.greatest, v);
    if (y > 0)
      numbers.difference += abs_diff (v, masked_code_at (plane, x, y - 1));
    if (y > 1)
      numbers.field_difference += abs_diff (v,
          masked_code_at (plane, x, y - 2));
  }

  return numbers;
}

static ALWAYS_INLINE Numbers
join_numbers (const Numbers a, const Numbers b)
{
  return (Numbers){ a.sum + b.sum, min (a.least, b.least),
    max (a.greatest, b.greatest), a.difference + b.difference,
    a.field_difference + b.field_difference };
}

/* Measures the samples of column @x that belong to this work-item. */
static ALWAYS_INLINE Numbers
measure_column (const Plane *plane, const int height, const int x)
{
  Numbers numbers = no_numbers ();

  for (int y = (int) (get_local_id (0) / COLUMNS); y < height;
       y += GROUP / COLUMNS) {
    const uint v = masked_code_at (plane, x, y);

    numbers.sum += v;
    numbers.least = min (numbers.least, v);
    numbers.greatest = max (numbers.greatest, v);
    if (x > 0)
      numbers.difference += abs_diff (v, masked_code_at (plane, x - 1, y));
  }

  return numbers;
}

/* Stores the numbers of columns at @at, @n words for each number. */
static ALWAYS_INLINE void
store_column (const Numbers numbers, const int n, __global uint *at)
{
  at[PROFILE_SUM * n] = numbers.sum;
  at[PROFILE_MIN * n] = numbers.least;
  at[PROFILE_MAX * n] = numbers.greatest;
  at[PROFILE_DIFFERENCE * n] = numbers.difference;
}

/* Joins the numbers of work-items whose local ids have the same remainder by
 * @n, a power of two; the first @n work-items get them. */
static ALWAYS_INLINE void
reduce (__local Numbers *shares, const int n)
{
  const int i = (int) get_local_id (0);

  for (int reach = GROUP / 2; reach >= n; reach /= 2) {
    barrier (CLK_LOCAL_MEM_FENCE);
    if (i < reach)
      shares[i] = join_numbers (shares[i], shares[i + reach]);
  }
}

__kernel __attribute__ ((reqd_work_group_size (GROUP, 1, 1))) void
profiles_measure (PLANE_ARGUMENTS, __global uint *result)
{
  __local Numbers shares[GROUP];
  const int group = (int) get_group_id (0), i = (int) get_local_id (0);
  const int c = (int) get_global_id (1);
  const Plane planes[4] = PLANES;
  const Plane plane = pick_plane (planes, c);
  const int width = pick_int (widths, c), height = pick_int (heights, c);
  __global uint *words = part_words (result, widths, heights, c);

  const bool is_row = group < height; /* of a whole work-group */
  const int x = (group - height) * COLUMNS + (int) (get_local_id (0) % COLUMNS);

  shares[i] = no_numbers ();
  if (is_row)
    shares[i] = measure_row (&plane, width, group);
  else if (x < width)
    shares[i] = measure_column (&plane, height, x);
  reduce (shares, is_row ? 1 : COLUMNS);

  if (is_row && i == 0) {
    store_column (shares[0], height, words + group);
    words[PROFILE_FIELD_DIFFERENCE * height + group] = shares[0]
                                                           .field_difference;
  }
  if (!is_row && i < COLUMNS && x < width)
    store_column (shares[i], width, words + N_ROW_NUMBERS * height + x);
}
