/* SPDX-License-Identifier: LGPL-2.1-or-later
//!DESC Length of the gradient of Sobel's 3x3 operator
//!PARAM planes
//!DESC Components to filter: 1 Y or R, 2 U or G, 4 V or B, 8 alpha, added
//!TYPE int
//!MINIMUM 0
//!MAXIMUM 15
15
//!PARAM scale
//!DESC Factor of the length; with 1, the integer part of the length is exact
//!TYPE float
//!MINIMUM 0
//!MAXIMUM 65535
1
//!PARAM delta
//!DESC Added to the result, in codes
//!TYPE int
//!MINIMUM -65535
//!MAXIMUM 65535
0
//!WORK samples16
*/
#include "gst_cl.clh"

#define LOAD(dx, dy) gst_cl_load16 (in, c, x + (dx), y + (dy))

#if gst_cl_depth(in) > 12
#define SQUARE(v) (convert_ulong16 (abs (v)) * convert_ulong16 (abs (v)))
#else
#define SQUARE(v) (abs (v) * abs (v))
#endif

/* Returns the integer part of scale * sqrt (a * a + b * b). The root of floats
 * may be one too large or too small. */
static int16
length_of (const int16 a, const int16 b, const float scale)
{
  const float16 length = sqrt (convert_float16 (SQUARE (a) + SQUARE (b)));
  int16 root = convert_int16 (length);

  root += convert_int16 (SQUARE (root) > SQUARE (a) + SQUARE (b));
  root -= convert_int16 (SQUARE (root + 1) <= SQUARE (a) + SQUARE (b));

  return scale == 1 ? root
                    : convert_int16_sat (
                          fmax (length, convert_float16 (root)) * scale);
}

__kernel void
sobel (GST_CL_IN (in), GST_CL_OUT (out), int planes, float scale, int delta)
{
  const int x = get_global_id (0) * 16, y = get_global_id (1),
            c = get_global_id (2);

  if (!gst_cl_contains (in, c, x, y))
    return;
  if (!(planes >> c & 1)) {
    gst_cl_store16 (out, c, x, y, LOAD (0, 0));
    return;
  }

  const int16 across = LOAD (1, -1) - LOAD (-1, -1) +
                       2 * (LOAD (1, 0) - LOAD (-1, 0)) + LOAD (1, 1) -
                       LOAD (-1, 1);
  const int16 down = LOAD (-1, 1) - LOAD (-1, -1) +
                     2 * (LOAD (0, 1) - LOAD (0, -1)) + LOAD (1, 1) -
                     LOAD (1, -1);
  gst_cl_store16 (out, c, x, y, length_of (across, down, scale) + delta);
}
