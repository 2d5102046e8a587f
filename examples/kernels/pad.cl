/* SPDX-License-Identifier: LGPL-2.1-or-later
//!DESC A border around the picture: output-width and output-height set its size
//!PARAM x
//!DESC Column of the picture, rounded down to a sample of U and V; -1: centred
//!TYPE int
0
//!PARAM y
//!DESC Row of the picture, rounded down to a sample of U and V; -1: centred
//!TYPE int
0
//!PARAM color
//!DESC Codes of the border, as of 8 bits: Y U V A or R G B A
//!TYPE int4
//!MINIMUM 0
//!MAXIMUM 255
16 128 128 255
//!WORK samples16
*/
#include "gst_cl.clh"

#define LANES (int16) (0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15)

/* Returns where @n pixels are in @room, rounded down to @step, the pixels of a
 * sample of U and V; in samples of @own pixels. */
static int
place (const int at, const int n, const int room, const int step, const int own)
{
  return (at < 0 || at + n > room ? max (room - n, 0) / 2 : at) / step * step /
         own;
}

__kernel void
pad (GST_CL_IN (in), GST_CL_OUT (out), int x, int y, int4 color)
{
  const int column = get_global_id (0) * 16, row = get_global_id (1),
            c = get_global_id (2), chroma = gst_cl_components (out) > 1;
  const int2 pixels = (int2) (gst_cl_width (out, 0), gst_cl_height (out, 0));
  const int2 samples = (int2) (gst_cl_width (out, c), gst_cl_height (out, c));
  const int2 step = (pixels - 1) / (int2) (gst_cl_width (out, chroma),
                                       gst_cl_height (out, chroma)) +
                    1;
  const int2 own = (pixels - 1) / samples + 1;
  const int code = c == 0   ? color.s0
                   : c == 1 ? color.s1
                   : c == 2 ? color.s2
                            : color.s3;
  int16 columns = LANES + column, codes;
  int from;

  if (!gst_cl_contains (out, c, column, row))
    return;
  columns -= place (x, gst_cl_width (in, 0), pixels.x, step.x, own.x);
  from = row - place (y, gst_cl_height (in, 0), pixels.y, step.y, own.y);
  codes = code == 255 ? gst_cl_largest (out) : code << (gst_cl_depth (out) - 8);
  if (from >= 0 && from < gst_cl_height (in, c))
    codes = select (codes, gst_cl_load16 (in, c, columns.s0, from),
        columns >= 0 && columns < gst_cl_width (in, c));
  gst_cl_store16 (out, c, column, row, codes);
}
