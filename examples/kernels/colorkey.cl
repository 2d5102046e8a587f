/* SPDX-License-Identifier: LGPL-2.1-or-later
//!DESC Makes pixels of a colour transparent, by the distance of R, G and B
//!PARAM color
//!DESC The colour, 0xRRGGBB
//!TYPE int
//!MINIMUM 0
//!MAXIMUM 16777215
0
//!PARAM similarity
//!DESC The distance up to which pixels are transparent; 1: of black and white
//!TYPE float
//!MINIMUM 0.01
//!MAXIMUM 1
0.01
//!PARAM blend
//!DESC The distance beyond it over which pixels become opaque; 0: at once
//!TYPE float
//!MINIMUM 0
//!MAXIMUM 1
0
//!FORMATS RGBA BGRA ARGB ABGR GBRA GBRA_10LE RGBA64_LE BGRA64_LE ARGB64_LE
//!WORK (ow+15)/16xoh
*/
#include "gst_cl.clh"

__kernel void
colorkey (GST_CL_IN (in), GST_CL_OUT (out), int color, float similarity,
    float blend)
{
  const int x = get_global_id (0) * 16, y = get_global_id (1);
  const float largest = gst_cl_largest (in);
  float16 squares = 0, distance, alpha;

  for (int c = 0; c < 3; c++) {
    const int16 codes = gst_cl_load16 (in, c, x, y);
    const float key = (color >> (16 - 8 * c) & 255) * (largest / 255);
    const float16 difference = convert_float16 (codes) - key;

    squares += difference * difference;
    gst_cl_store16 (out, c, x, y, codes);
  }
  distance = sqrt (squares / (3 * largest * largest));
  alpha = blend > 0.0001f ? clamp ((distance - similarity) / blend, 0.0f, 1.0f)
                          : convert_float16 (distance > similarity) * -1;
  gst_cl_store16 (out, 3, x, y, convert_int16 (alpha * largest));
}
