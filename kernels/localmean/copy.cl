/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* localmean/copy.cl: copies of the samples in the middle of windows, on any
 * device
 *
 * Math      dst(i, j) is src(start_x + i * grid.z, start_y + j * grid.w).
 * Shape     grid.x x grid.y results.
 * Units     Offsets and strides are in bytes, pixel strides in samples.
 * Memory    src and dst do not overlap.
 * Launch    Local (64, 4), a work-item for a result.
 * Range     All codes.
 * Accuracy  Exact. The reference is tests/localmean/localmeanreference.c.
 * Source    none
 */

#include "cl_common.clh"
#include "cl_pixel.clh"

#define ITEMS 64 /* work-items of a group along a row */

__kernel __attribute__ ((reqd_work_group_size (ITEMS, 4, 1))) void
localmean_copy (__global const uchar *restrict src, const ulong src_offset,
    const int src_stride, const int start_x, const int start_y,
    __global uchar *restrict dst, const ulong dst_offset, const int dst_stride,
    const int4 grid, const int src_pixel_stride, const int dst_pixel_stride)
{
  const int i = (int) get_global_id (0);
  const int j = (int) get_global_id (1);
  RETURN_IF_OUTSIDE (i, j, grid.x, grid.y);

  const int x = start_x + i * grid.z;
  const int y = start_y + j * grid.w;

  __global const SAMPLE_T *from = read_row (src, src_offset, src_stride, y);
  __global SAMPLE_T *to = write_row (dst, dst_offset, dst_stride, j);

  to[i * dst_pixel_stride] = from[x * src_pixel_stride];
}
