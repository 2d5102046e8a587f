/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* integral/plain.cl: the integral image of one component, on any device
 *
 * Math      S(x, y) is the sum of I(i, j) over i <= x, j <= y: prefix sums
 *           along each row, then down each column. With squares, I(i, j)^2 is
 *           summed instead.
 * Shape     A component has width x height samples. Its sums are (width +
 *           border) x (height + border), with the channels interleaved; where
 *           border is 1 (the exclusive layout) the first row and the first
 *           column are zero.
 * Units     Codes of samples are summed, which have shift unused bits below
 *           them. Offsets and strides of samples are in bytes, the pixel stride
 *           is in samples, lengths of rows of sums are in sums.
 * Memory    Row-major, row 0 on top. Samples and sums are distinct buffers, and
 *           rows of sums are tightly packed. The scratch memory is
 *           totals[n_bands][length].
 * Launch    integral_rows: local (ROW_ITEMS, 1, 1), a work-group for a row of
 *           the component, the border row included. integral_bands, then
 *           integral_columns: local (COLUMN_ITEMS, 1, 1), a work-item for a
 *           column of a band; global x is rounded up.
 * Range     All sums are modulo the range of SUM_T.
 * Accuracy  Integers are exact. The reference is
 *           tests/integral/integralreference.c.
 * Source    Prefix sums of a work-group by doubling: Hillis and Steele, "Data
 *           parallel algorithms", 1986. Timings are in docs/performance.md.
 */

#include "cl_integralcolumns.clh"
#include "cl_integralstrip.clh"
#include "cl_integralsums.clh"
#include "cl_pixel.clh"

/* Prefix sums along each row of one component. Global accesses are coalesced;
 * the scan is in local memory. */
__kernel __attribute__ ((reqd_work_group_size (ROW_ITEMS, 1, 1))) void
integral_rows (__global const uchar *restrict samples, const ulong offset,
    const int stride, const int pixel_stride, const int width,
    __global uchar *restrict sums, const ulong sums_offset, const int channels,
    const int channel, const int border, const int shift, const int squares)
{
  __local SUM_T strip[STRIP];
  __local SUM_T totals[2 * ROW_ITEMS];
  const int item = (int) get_local_id (0);
  const int y = (int) get_group_id (1);
  const size_t length = (size_t) (width + border) * channels;
  /* the border row reads the samples of the first row as zero */
  const bool is_border = y < border;
  __global const SAMPLE_T *row = read_row (samples, offset, stride,
      is_border ? 0 : y - border);
  __global SUM_T *out = start_row (sums_row (sums, sums_offset, length, y),
      channels, channel, border);
  SUM_T carry = 0;

  for (int start = 0; start < width; start += STRIP) {
    const int n = min (STRIP, width - start);
    const int per_item = elements_per_item (n);

    for (int i = item; i < per_item * ROW_ITEMS; i += ROW_ITEMS) {
      strip[i] = i < n && !is_border
                     ? value_of (row[(size_t) (start + i) * pixel_stride],
                           shift, squares)
                     : 0;
    }
    barrier (CLK_LOCAL_MEM_FENCE);

    carry = scan_strip (strip, per_item, totals, carry);

    for (int i = item; i < n; i += ROW_ITEMS)
      out[(size_t) (start + i) * channels] = strip[i];
    barrier (CLK_LOCAL_MEM_FENCE);
  }
}
