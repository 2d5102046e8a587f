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
 * Launch    Local (1, 1, 1), a component for each y. A work-item for each row,
 *           then for each column.
 * Range     Sums of up to 65536 samples of 16 bits fit 32 bits.
 * Accuracy  Exact. The reference is tests/profiles/profilesreference.c.
 * Source    Sums of rows and columns are the projection profiles of document
 *           analysis.
 */

#include "cl_code.clh"
#include "cl_pixel.clh"
#include "cl_plane.clh"
#include "cl_profilepart.clh"
#include "cl_profiles.clh"

/* Returns the numbers of @n samples from @p on, @step bytes apart. Differences
 * are to the samples @before and 2 * @before bytes before, or 0 if @before is
 * 0; @before_2 likewise. */
static inline void
measure_line (__global const uchar *p, const int n, const long step,
    const long before, const long before_2, uint *numbers)
{
  uint sum = 0, least = UINT_MAX, greatest = 0, difference = 0, field = 0;

  for (int i = 0; i < n; i++, p += step) {
    const uint v = masked_code (*(__global const SAMPLE_T *) p);

    sum += v;
    least = min (least, v);
    greatest = max (greatest, v);
    difference += abs_diff (v,
        masked_code (*(__global const SAMPLE_T *) (p - before)));
    field += abs_diff (v,
        masked_code (*(__global const SAMPLE_T *) (p - before_2)));
  }

  numbers[PROFILE_SUM] = sum;
  numbers[PROFILE_MIN] = least;
  numbers[PROFILE_MAX] = greatest;
  numbers[PROFILE_DIFFERENCE] = difference;
  numbers[PROFILE_FIELD_DIFFERENCE] = field;
}

__kernel __attribute__ ((reqd_work_group_size (1, 1, 1))) void
profiles_measure (PLANE_ARGUMENTS, __global uint *result)
{
  const int i = (int) get_global_id (0), c = (int) get_global_id (1);
  const Plane planes[4] = PLANES;
  const Plane plane = pick_plane (planes, c);
  const int width = pick_int (widths, c), height = pick_int (heights, c);
  const long stride = plane.stride_bytes;
  const long step = (long) plane.pixel_stride * (long) sizeof (SAMPLE_T);
  __global const uchar *first = plane.base + plane.offset_bytes;
  __global uint *rows = part_words (result, widths, heights, c);
  __global uint *columns = rows + N_ROW_NUMBERS * height;
  uint numbers[N_ROW_NUMBERS];

  if (i < height) {
    measure_line (first + i * stride, width, step, i > 0 ? stride : 0,
        i > 1 ? 2 * stride : 0, numbers);
    for (int number = 0; number < N_ROW_NUMBERS; number++)
      rows[number * height + i] = numbers[number];
  } else if (i < height + width) {
    const int x = i - height;

    measure_line (first + x * step, height, stride, x > 0 ? step : 0, 0,
        numbers);
    for (int number = 0; number < N_COLUMN_NUMBERS; number++)
      columns[number * width + x] = numbers[number];
  }
}
