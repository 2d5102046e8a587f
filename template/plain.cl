/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* template/plain.cl: adds an amount to every sample of one component
 *
 * Math      dst(x, y) = src(x, y) + amount, cut to 0 .. max_code.
 * Shape     src and dst have width x height samples.
 * Units     amount in codes, which have shift unused bits below them;
 *           src_offset, dst_offset, src_stride and dst_stride in bytes,
 *           pixel_stride in samples.
 * Memory    Samples lie pixel_stride apart in src and dst. Bytes between the
 *           samples are not written. src and dst do not overlap.
 * Launch    template_plain: local (64, 4), one work-item takes one sample.
 * Accuracy  Results are exact: template/templatereference.c.
 * Source    The sum of a sample and an amount, as in any point operation.
 */

#include "cl_common.clh"
#include "cl_pixel.clh"

__kernel __attribute__ ((reqd_work_group_size (64, 4, 1))) void
template_plain (__global const uchar *restrict src, const ulong src_offset,
    const int src_stride, __global uchar *restrict dst, const ulong dst_offset,
    const int dst_stride, const int width, const int height,
    const int pixel_stride, const int shift, const int max_code,
    const int amount)
{
  const int x = (int) get_global_id (0);
  const int y = (int) get_global_id (1);
  RETURN_IF_OUTSIDE (x, y, width, height);

  const SAMPLE_T sample = read_row (src, src_offset, src_stride,
      y)[x * pixel_stride];
  const int code = clamp ((sample >> shift) + amount, 0, max_code);

  write_row (dst, dst_offset, dst_stride,
      y)[x * pixel_stride] = (SAMPLE_T) (code << shift);
}
