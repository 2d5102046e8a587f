/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* integral/asynccopy.cl: the integral image of one component by asynchronous
 * copies to local memory
 *
 * Math      That of integral/plain.cl.
 * Shape     As in integral/plain.cl.
 * Units     As in integral/plain.cl.
 * Memory    Row-major, row 0 on top. Samples and sums are distinct buffers, and
 *           rows of sums are tightly packed.
 * Launch    integral_async_rows: local (ROW_ITEMS, 1, 1), a work-group for a
 *           row of the component, the border row included. Then
 *           integral_async_columns: local (ROW_ITEMS, 1, 1), a work-group for a
 *           column, whose elements are a row apart.
 * Range     All sums are modulo the range of SUM_T.
 * Accuracy  Integers are exact. The reference is
 *           tests/integral/integralreference.c.
 * Source    Prefix sums of a work-group by doubling: Hillis and Steele, "Data
 *           parallel algorithms", 1986. Timings are in docs/performance.md.
 */

#include "cl_integralstrip.clh"
#include "cl_integralsums.clh"
#include "cl_pixel.clh"

/* integral_rows with asynchronous copies: copies a strip of samples to local
 * memory, scans it, and copies it back. Every work-item reaches each copy with
 * the same arguments. A copy orders nothing by itself: the kernel waits for its
 * end, and a barrier separates the last access to a local buffer from the next
 * copy of it. */
__kernel __attribute__ ((reqd_work_group_size (ROW_ITEMS, 1, 1))) void
integral_async_rows (__global const uchar *restrict samples, const ulong offset,
    const int stride, const int pixel_stride, const int width,
    __global uchar *restrict sums, const ulong sums_offset, const int channels,
    const int channel, const int border, const int shift, const int squares)
{
  __local SAMPLE_T fetched[STRIP];
  __local SUM_T strip[STRIP];
  __local SUM_T totals[2 * ROW_ITEMS];
  const int item = (int) get_local_id (0);
  const int y = (int) get_group_id (1);
  const size_t length = (size_t) (width + border) * channels;
  const bool is_border = y < border;
  __global const SAMPLE_T *row = read_row (samples, offset, stride,
      is_border ? 0 : y - border);
  __global SUM_T *out = start_row (sums_row (sums, sums_offset, length, y),
      channels, channel, border);
  SUM_T carry = 0;
  event_t copied;

  for (int start = 0; start < width; start += STRIP) {
    const int n = min (STRIP, width - start);
    const int per_item = elements_per_item (n);

    copied = async_work_group_strided_copy (fetched,
        row + (size_t) start * pixel_stride, (size_t) n, (size_t) pixel_stride,
        (event_t) 0);
    wait_group_events (1, &copied);

    for (int i = item; i < per_item * ROW_ITEMS; i += ROW_ITEMS)
      strip[i] = i < n && !is_border ? value_of (fetched[i], shift, squares)
                                     : 0;
    barrier (CLK_LOCAL_MEM_FENCE);

    carry = scan_strip (strip, per_item, totals, carry);

    copied = async_work_group_strided_copy (out + (size_t) start * channels,
        strip, (size_t) n, (size_t) channels, (event_t) 0);
    wait_group_events (1, &copied);
    barrier (CLK_LOCAL_MEM_FENCE);
  }
}

/* integral_columns with asynchronous copies, in place: strips of one column,
 * whose elements are a row apart. */
__kernel __attribute__ ((reqd_work_group_size (ROW_ITEMS, 1, 1))) void
integral_async_columns (__global uchar *restrict sums, const ulong sums_offset,
    const int length, const int n_rows)
{
  __local SUM_T strip[STRIP];
  __local SUM_T totals[2 * ROW_ITEMS];
  const int item = (int) get_local_id (0);
  const int x = (int) get_group_id (1);
  SUM_T carry = 0;
  event_t copied;

  for (int start = 0; start < n_rows; start += STRIP) {
    const int n = min (STRIP, n_rows - start);
    const int per_item = elements_per_item (n);
    __global SUM_T *at = sums_row (sums, sums_offset, length, start) + x;

    copied = async_work_group_strided_copy (strip, at, (size_t) n,
        (size_t) length, (event_t) 0);
    wait_group_events (1, &copied);

    /* elements that the copy did not fill */
    for (int i = n + item; i < per_item * ROW_ITEMS; i += ROW_ITEMS)
      strip[i] = 0;
    barrier (CLK_LOCAL_MEM_FENCE);

    carry = scan_strip (strip, per_item, totals, carry);

    copied = async_work_group_strided_copy (at, strip, (size_t) n,
        (size_t) length, (event_t) 0);
    wait_group_events (1, &copied);
    barrier (CLK_LOCAL_MEM_FENCE);
  }
}
