/* SPDX-License-Identifier: LGPL-2.1-or-later
//!DESC Mean of a window around each sample (box blur), halves rounded up
//!PARAM sizeX
//!DESC Columns on each side of the sample: the window has 2 sizeX + 1
//!TYPE int
//!MINIMUM 1
//!MAXIMUM 127
1
//!PARAM sizeY
//!DESC Rows above and below the sample; 0: sizeX
//!TYPE int
//!MINIMUM 0
//!MAXIMUM 127
0
//!PARAM planes
//!DESC Components to filter: 1 Y or R, 2 U or G, 4 V or B, 8 alpha, added
//!TYPE int
//!MINIMUM 0
//!MAXIMUM 15
15
//!BUFFER sums uint (iw+15)/16*16*ih*components
//!PASS down (ow+15)/16x(oh+63)/64xcomponents
//!PASS across (ow+63)/64xohxcomponents
*/
#include "gst_cl.clh"

/* Sums of columns: those of sixteen, one row after the other. */
__kernel void
down (GST_CL_IN (in), int sizeX, int sizeY, int planes, __global uint *sums)
{
  const int x = get_global_id (0) * 16, c = get_global_id (2);
  const int size = sizeY > 0 ? sizeY : sizeX;
  const int stride = (gst_cl_width (in, 0) + 15) / 16;
  int y = get_global_id (1) * 64;
  const int end = min (y + 64, gst_cl_height (in, c));
  __global int16 *to = (__global int16 *) sums + x / 16 +
                       (long) (c * gst_cl_height (in, 0) + y) * stride;
  int16 sum = 0;

  if (!gst_cl_contains (in, c, x, y) || !(planes >> c & 1))
    return;
  for (int i = y - size; i < y + size; i++)
    sum += gst_cl_load16 (in, c, x, i);
  for (; y < end; y++, to += stride) {
    sum += gst_cl_load16 (in, c, x, y + size);
    *to = sum;
    sum -= gst_cl_load16 (in, c, x, y - size);
  }
}

__kernel void
across (GST_CL_IN (in), GST_CL_OUT (out), int sizeX, int sizeY, int planes,
    __global const uint *sums)
{
  int x = get_global_id (0) * 64;
  const int y = get_global_id (1), c = get_global_id (2);
  const int width = gst_cl_width (in, c), end = min (x + 64, width);
  const uint area = (2 * sizeX + 1) * (2 * (sizeY > 0 ? sizeY : sizeX) + 1);
  __global const uint *row = sums + (long) (c * gst_cl_height (in, 0) + y) *
                                        ((gst_cl_width (in, 0) + 15) / 16 * 16);
  uint sum = area / 2;

  if (!gst_cl_contains (in, c, x, y))
    return;
  if (!(planes >> c & 1)) {
    for (; x < end; x += 16)
      gst_cl_store16 (out, c, x, y, gst_cl_load16 (in, c, x, y));
    return;
  }
  for (int i = x - sizeX; i < x + sizeX; i++)
    sum += row[clamp (i, 0, width - 1)];
  for (; x < end; x += 16) {
    uint window[16];
    uint16 windows, means;
    int16 rest;

    for (int i = 0; i < 16; i++) {
      sum += row[min (x + i + sizeX, width - 1)];
      window[i] = sum;
      sum -= row[clamp (x + i - sizeX, 0, width - 1)];
    }
    windows = vload16 (0, window);
    /* the quotient of floats may be one too large or too small */
    means = convert_uint16 (convert_float16 (windows) * (1.0f / area));
    rest = as_int16 (windows - means * area);
    gst_cl_store16 (out, c, x, y,
        as_int16 (means) + (rest < 0) - (rest >= (int) area));
  }
}
