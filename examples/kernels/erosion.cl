/* SPDX-License-Identifier: LGPL-2.1-or-later
//!DESC The smallest code of each sample and its eight neighbours
//!PARAM coordinates
//!DESC Bits of the neighbours, row by row: 1 upper left .. 128 lower right
//!TYPE int
//!MINIMUM 0
//!MAXIMUM 255
255
//!PARAM threshold
//!DESC The most that a code changes, of each component; 0: it stays
//!TYPE int4
//!MINIMUM 0
//!MAXIMUM 65535
65535 65535 65535 65535
//!WORK samples16
*/
#include "gst_cl.clh"

#define LOAD(dx, dy) gst_cl_load16 (in, c, x + (dx), y + (dy))

__kernel void
erosion (GST_CL_IN (in), GST_CL_OUT (out), int coordinates, int4 threshold)
{
  const int x = get_global_id (0) * 16, y = get_global_id (1),
            c = get_global_id (2);
  const int limit = c == 0   ? threshold.s0
                    : c == 1 ? threshold.s1
                    : c == 2 ? threshold.s2
                             : threshold.s3;
  int16 result = LOAD (0, 0);

  if (!gst_cl_contains (in, c, x, y))
    return;
  for (int i = 0; i < 8; i++) {
    const int place = i < 4 ? i : i + 1;

    if (coordinates >> i & 1)
      result = min (result, LOAD (place % 3 - 1, place / 3 - 1));
  }
  gst_cl_store16 (out, c, x, y, max (result, LOAD (0, 0) - limit));
}
