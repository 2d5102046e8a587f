/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* probe.cl: tests that a compiler supports the features of kernels
 *
 * Math      none: compiled and never run, before a device is used
 *           (gst/cl/context/gstclcontextshare.c).
 * Shape     local memory, a barrier, local atomics, integers of 64 bits and a
 *           vector, and the headers that need the most of a compiler: vectors
 *           of reduced alignment, and fences.
 * Launch    local (ITEMS, 1, 1).
 */

#include "cl_memory.clh"
#include "cl_pixel.clh"

#define ITEMS 64

__kernel __attribute__ ((reqd_work_group_size (ITEMS, 1, 1))) void
probe_all (__global ulong *restrict dst)
{
  __local uint sum;
  const uint i = (uint) get_local_id (0);

  if (i == 0)
    sum = 0;
  barrier (CLK_LOCAL_MEM_FENCE);
  add_local (&sum, i);
  barrier (CLK_LOCAL_MEM_FENCE);

  const uint4 parts = convert_uint4 ((uchar4) (uchar) i) + sum;
  dst[get_global_id (0)] = (ulong) parts.x << 32 | mul_hi (parts.y, parts.z);
}
