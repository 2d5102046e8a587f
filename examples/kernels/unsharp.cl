/* SPDX-License-Identifier: LGPL-2.1-or-later
//!DESC Sharpens or blurs by the difference from a binomial mean
//!PARAM lx
//!DESC Columns of the mean of Y, R or grey, odd
//!TYPE int
//!MINIMUM 3
//!MAXIMUM 13
5
//!PARAM ly
//!DESC Rows of it, odd
//!TYPE int
//!MINIMUM 3
//!MAXIMUM 13
5
//!PARAM la
//!DESC Factor of the difference; negative: blurs
//!TYPE float
//!MINIMUM -2
//!MAXIMUM 5
1
//!PARAM cx
//!DESC Columns of the mean of U and V, or G and B
//!TYPE int
//!MINIMUM 3
//!MAXIMUM 13
5
//!PARAM cy
//!DESC Rows of it
//!TYPE int
//!MINIMUM 3
//!MAXIMUM 13
5
//!PARAM ca
//!DESC Factor of the difference of U and V, or G and B
//!TYPE float
//!MINIMUM -2
//!MAXIMUM 5
0
//!BUFFER sums uint (iw+15)/16*16*ih*components
//!PASS across samples16
//!PASS down samples16
*/
#include "gst_cl.clh"

/* What differs between the components: columns, rows and factor. */
#define COLUMNS (c == 0 ? lx | 1 : cx | 1)
#define ROWS    (c == 0 ? ly | 1 : cy | 1)
#define AMOUNT  (c == 0 ? la : c < 3 ? ca : 0)

/* The sums of columns x to x + 15 of row @y. */
#define SUMS(y)                                                                \
  ((__global uint16 *) sums)[((long) c * gst_cl_height (in, 0) + (y)) *        \
                                 ((gst_cl_width (in, 0) + 15) / 16) +          \
                             x / 16]

/* Returns the binomial weight after @weight, which is number @i of @n. */
static uint
next (const uint weight, const int i, const int n)
{
  return weight * (n - 1 - i) / (i + 1);
}

/* Sums of rows; their weights add up to 2^(n - 1). */
__kernel void
across (GST_CL_IN (in), int lx, float la, int cx, float ca, __global uint *sums)
{
  const int x = get_global_id (0) * 16, y = get_global_id (1),
            c = get_global_id (2), n = COLUMNS;
  uint16 sum = 0;
  uint weight = 1;

  if (!gst_cl_contains (in, c, x, y) || AMOUNT == 0)
    return;
  for (int i = 0; i < n; weight = next (weight, i++, n))
    sum += weight * as_uint16 (gst_cl_load16 (in, c, x + i - n / 2, y));
  SUMS (y) = sum;
}

__kernel void
down (GST_CL_IN (in), GST_CL_OUT (out), int lx, int ly, float la, int cx,
    int cy, float ca, __global uint *sums)
{
  const int x = get_global_id (0) * 16, y = get_global_id (1),
            c = get_global_id (2), n = ROWS, end = gst_cl_height (in, c) - 1;
  const int shift = n - 1 + COLUMNS - 1, amount = (int) (65536 * AMOUNT);
  const int16 codes = gst_cl_load16 (in, c, x, y);
  int16 mean = codes;
  uint weight = 1;

  if (!gst_cl_contains (in, c, x, y))
    return;
  if (AMOUNT != 0 && gst_cl_depth (in) + shift <= 32) {
    uint16 sum = 1u << (shift - 1);

    for (int i = 0; i < n; weight = next (weight, i++, n))
      sum += weight * SUMS (clamp (y + i - n / 2, 0, end));
    mean = as_int16 (sum >> shift);
  } else if (AMOUNT != 0) {
    ulong16 sum = 1ul << (shift - 1);

    for (int i = 0; i < n; weight = next (weight, i++, n))
      sum += weight * convert_ulong16 (SUMS (clamp (y + i - n / 2, 0, end)));
    mean = convert_int16 (sum >> shift);
  }
  /* 65536 * 5 times a code of 12 bits is an int */
  gst_cl_store16 (out, c, x, y,
      codes + (gst_cl_depth (in) <= 12
                      ? (codes - mean) * amount >> 16
                      : convert_int16 (
                            convert_long16 (codes - mean) * amount >> 16)));
}
