/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* profiles/gpu.cl: numbers of each row and column of a rectangle, for GPUs
 *
 * Math      The numbers that profiles/plain.cl defines. Each row is read by a
 *           work-group, which reduces its numbers in local memory. Columns are
 *           read by a work-item each, in bands of BAND_ROWS.
 * Shape     A rectangle of each component.
 * Units     Codes of samples. Offsets and strides of rows are in bytes, pixel
 *           strides in samples.
 * Memory    partials: for each component, band and number of columns a word for
 *           each column. result: cl_profiles.clh defines the words.
 * Launch    Local (GROUP, 1, 1), a component for each y. profiles_gpu_measure:
 *           a work-group for each row, then for GROUP columns of each band.
 *           profiles_gpu_merge: a work-item for a column.
 * Accuracy  Exact. The reference is tests/profiles/profilesreference.c.
 * Source    Tree reduction in local memory; bands as in kernels/moments.
 */

#include "cl_code.clh"
#include "cl_common.clh"
#include "cl_pixel.clh"
#include "cl_plane.clh"
#include "cl_profilepart.clh"
#include "cl_profiles.clh"

#define GROUP     128
#define BAND_ROWS 64

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

/* Measures rows @first .. @end - 1 of column @x. */
static ALWAYS_INLINE Numbers
measure_column (const Plane *plane, const int x, const int first, const int end)
{
  Numbers numbers = no_numbers ();

  for (int y = first; y < end; y++) {
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

/* Returns the numbers of columns in the bands of component @c. */
static ALWAYS_INLINE __global uint *
part_partials (__global uint *partials, const int4 widths, const int4 heights,
    const int c)
{
  const int4 n_bands = (heights + BAND_ROWS - 1) / BAND_ROWS;

  return partials + sum_before (n_bands * N_COLUMN_NUMBERS * widths, c);
}

__kernel __attribute__ ((reqd_work_group_size (GROUP, 1, 1))) void
profiles_gpu_measure (PLANE_ARGUMENTS, __global uint *result,
    __global uint *partials)
{
  __local Numbers shares[GROUP];
  const int group = (int) get_group_id (0), i = (int) get_local_id (0);
  const int c = (int) get_global_id (1);
  const Plane planes[4] = PLANES;
  const Plane plane = pick_plane (planes, c);
  const int width = pick_int (widths, c), height = pick_int (heights, c);

  /* the branch is the same for a whole work-group */
  if (group < height) {
    shares[i] = measure_row (&plane, width, group);
    for (int reach = GROUP / 2; reach > 0; reach /= 2) {
      barrier (CLK_LOCAL_MEM_FENCE);
      if (i < reach)
        shares[i] = join_numbers (shares[i], shares[i + reach]);
    }
    if (i == 0) {
      __global uint *row = part_words (result, widths, heights, c) + group;

      store_column (shares[0], height, row);
      row[PROFILE_FIELD_DIFFERENCE * height] = shares[0].field_difference;
    }
  } else if (width > 0) {
    const int n_blocks = (width + GROUP - 1) / GROUP;
    const int band = (group - height) / n_blocks;
    const int x = (group - height) % n_blocks * GROUP + i;
    const int first = band * BAND_ROWS;

    if (x < width && first < height) {
      const Numbers numbers = measure_column (&plane, x, first,
          min (first + BAND_ROWS, height));

      store_column (numbers, width,
          part_partials (partials, widths, heights, c) +
              band * N_COLUMN_NUMBERS * width + x);
    }
  }
}

/* Merges the bands of a column. */
__kernel __attribute__ ((reqd_work_group_size (GROUP, 1, 1))) void
profiles_gpu_merge (const int4 widths, const int4 heights,
    __global uint *result, __global uint *partials)
{
  const int x = (int) get_global_id (0), c = (int) get_global_id (1);
  const int width = pick_int (widths, c), height = pick_int (heights, c);
  const int n_bands = (height + BAND_ROWS - 1) / BAND_ROWS;
  Numbers numbers = no_numbers ();

  if (x >= width)
    return;

  for (int band = 0; band < n_bands; band++) {
    __global const uint *at = part_partials (partials, widths, heights, c) +
                              band * N_COLUMN_NUMBERS * width + x;
    const Numbers more = { at[PROFILE_SUM * width], at[PROFILE_MIN * width],
      at[PROFILE_MAX * width], at[PROFILE_DIFFERENCE * width], 0 };

    numbers = join_numbers (numbers, more);
  }
  store_column (numbers, width,
      part_words (result, widths, heights, c) + N_ROW_NUMBERS * height + x);
}
