/* SPDX-License-Identifier: LGPL-2.1-or-later
//!DESC Rows become columns; of 4:2:2, the nearest sample of U and V
//!PARAM dir
//!DESC Turn by 90 degrees; flip: the picture is mirrored top to bottom, too
//!TYPE ENUM int
cclock_flip
clock
cclock
clock_flip

//!WIDTH ih
//!HEIGHT iw
//!WORK (ow+15)/16x(oh+15)/16xcomponents
*/
#include "gst_cl.clh"

/* A block of 16x16 samples: its columns are read as rows of the input. */
__kernel void
transpose (GST_CL_IN (in), GST_CL_OUT (out), int dir)
{
  const int x = get_global_id (0) * 16, y = get_global_id (1) * 16,
            c = get_global_id (2);
  const int width = gst_cl_width (out, c), height = gst_cl_height (out, c);
  const int columns = gst_cl_width (in, c), rows = gst_cl_height (in, c);
  int block[256];

  if (!gst_cl_contains (out, c, x, y))
    return;
  for (int i = 0; i < 16; i++) {
    const int to = dir == 1 || dir == 3 ? width - 1 - x - i : x + i;
    const int row = to * rows / width;
    const int first = dir < 2 ? y : height - 16 - y;

    if (columns == height)
      vstore16 (gst_cl_load16 (in, c, first, row), i, block);
    for (int j = 0; j < 16 && columns != height; j++)
      block[16 * i + j] = gst_cl_load (in, c, (first + j) * columns / height,
          row);
  }
  for (int j = 0; j < 16 && y + j < height; j++) {
    int column[16];

    for (int i = 0; i < 16; i++)
      column[i] = block[16 * i + (dir < 2 ? j : 15 - j)];
    gst_cl_store16 (out, c, x, y + j, vload16 (0, column));
  }
}
