/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* integral/tilted.cl: the tilted integral image of one component, on any device
 *
 * Math      T(x, y) is the sum of I(i, j) over |i - x| <= y - j: T(x, y) -
 *           T(x, y - 1) is the sum of the two diagonals that end in (x, y),
 *           which are prefix sums, too.
 * Shape     As in integral/plain.cl.
 * Units     As in integral/plain.cl.
 * Memory    As in integral/plain.cl.
 * Launch    integral_diagonals: local (COLUMN_ITEMS, 1, 1), a work-item for a
 *           diagonal, global x rounded up; it runs with step 1, then with step
 *           -1, before integral_bands and integral_columns, which are launched
 *           as in integral/plain.cl.
 * Range     All sums are modulo the range of SUM_T.
 * Accuracy  Integers are exact. The reference is
 *           tests/integral/integralreference.c.
 * Source    R. Lienhart, J. Maydt, "An extended set of Haar-like features for
 *           rapid object detection", 2002.
 */

#include "cl_common.clh"
#include "cl_integralcolumns.clh"
#include "cl_integralsums.clh"
#include "cl_pixel.clh"

/* The difference of each tilted sum to the one above it: prefix sums along the
 * diagonals. @step 1: stores the sums along the diagonals down to the right.
 * @step -1: adds those along the diagonals down to the left, without the sample
 * where both end. Rows and columns are counted in sums. With a border of 1 a
 * sum belongs to the sample one row up and one column to the left, which is
 * outside the frame for the first row and column. */
__kernel __attribute__ ((reqd_work_group_size (COLUMN_ITEMS, 1, 1))) void
integral_diagonals (__global const uchar *restrict samples, const ulong offset,
    const int stride, const int pixel_stride, const int width, const int height,
    __global uchar *restrict sums, const ulong sums_offset, const int channels,
    const int channel, const int border, const int step, const int shift)
{
  const int n_columns = width + border, n_rows = height + border;
  const size_t length = (size_t) n_columns * channels;
  const int diagonal = (int) get_global_id (0);
  RETURN_IF_OUTSIDE (diagonal, 0, n_columns + n_rows - 1, 1);

  /* column where the diagonal crosses row 0, and its rows within the columns */
  const int start = step > 0 ? diagonal - (n_rows - 1) : diagonal;
  const int y_start = max (0, step > 0 ? -start : start - (n_columns - 1));
  const int y_end = min (n_rows, step > 0 ? n_columns - start : start + 1);
  SUM_T sum = 0;

  for (int y = y_start; y < y_end; y++) {
    const int x = start + step * y;
    __global SUM_T *at = sums_row (sums, sums_offset, length, y) +
                         (size_t) x * channels + channel;
    SUM_T value = 0;

    if (x >= border && y >= border)
      value = value_of (read_row (samples, offset, stride,
                            y - border)[(size_t) (x - border) * pixel_stride],
          shift, 0);

    if (step > 0)
      *at = sum + value;
    else
      *at += sum;
    sum += value;
  }
}
