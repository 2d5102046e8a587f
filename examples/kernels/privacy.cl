/* SPDX-License-Identifier: LGPL-2.1-or-later
//!DESC Makes rectangles unrecognizable, and counts the pixels: for evidence
//!PARAM rectangles
//!DESC x, y, width, height of each, in pixels; also each region of interest
//!TYPE int[]
//!REGIONS
0 0 0 0
//!PARAM mode
//!DESC Blocks of one colour, or their colours interpolated
//!TYPE ENUM int
pixelate
blur

//!PARAM size
//!DESC Pixels of a block's side: all that is left of them is their mean
//!TYPE int
//!MINIMUM 4
//!MAXIMUM 256
16
//!BUFFER means uint (iw+3)/4*((ih+3)/4)*components
//!STATISTICS redacted uint 1
//!STATISTICS pixels uint 1
//!PASS reduce (iw+3)/4x(ih+3)/4xcomponents
//!PASS redact samples16
*/
#include "gst_cl.clh"

/* Sizes of frame and component c, pixels of a sample, samples of a block. */
#define FRAME_SIZE ((int2) (gst_cl_width (f, 0), gst_cl_height (f, 0)))
#define SAMPLES    ((int2) (gst_cl_width (f, c), gst_cl_height (f, c)))
#define PIXELS     ((int2) (1) << (32 - clz ((FRAME_SIZE - 1) / SAMPLES)))
#define BLOCK      max ((int2) (size) / PIXELS, 1)
#define MEAN(x, y)                                                             \
  means[(c * ((gst_cl_height (f, 0) + 3) / 4) + (y)) *                         \
            ((gst_cl_width (f, 0) + 3) / 4) +                                  \
        (x)]

/* Returns TRUE if a rectangle has one of the pixels from @from up to @end. */
static bool
is_inside (GST_CL_ARRAY (int, rectangles), const int2 from, const int2 end)
{
  for (int i = 0; i + 3 < rectangles_count; i += 4) {
    const int2 at = vload2 (0, rectangles + i),
               size = vload2 (0, rectangles + i + 2);

    if (all (size > 0) && all (at < end) && all (from < add_sat (at, size)))
      return true;
  }

  return false;
}

/* The mean of each block that a rectangle or its neighbour may need. */
__kernel void
reduce (GST_CL_IN_OUT (f), GST_CL_ARRAY (int, rectangles), int size,
    __global uint *means)
{
  const int c = get_global_id (2);
  const int2 block = (int2) (get_global_id (0), get_global_id (1));
  const int2 from = block * BLOCK, end = min (from + BLOCK, SAMPLES);
  const uint n = (end.x - from.x) * (end.y - from.y);
  uint sum = n / 2;

  if (any (from >= SAMPLES) ||
      !is_inside (rectangles, rectangles_count, (from - BLOCK) * PIXELS,
          (end + BLOCK) * PIXELS))
    return;
  for (int y = from.y; y < end.y; y++)
    for (int x = from.x; x < end.x; x++)
      sum += gst_cl_load (f, c, x, y);
  MEAN (block.x, block.y) = sum / n;
}

/* The code at @at between the centres of four blocks, to the nearest. */
static int
between (GST_CL_IN (f), const int c, const int size, __global const uint *means,
    const int2 at)
{
  const int2 whole = 2 * BLOCK, position = 2 * at + 1 + BLOCK;
  const int2 last = (SAMPLES - 1) / BLOCK;
  const int2 a = clamp (position / whole - 1, 0, last),
             b = clamp (position / whole, 0, last);
  const ulong2 second = convert_ulong2 (position % whole),
               first = convert_ulong2 (whole) - second;
  const ulong upper = MEAN (a.x, a.y) * first.x + MEAN (b.x, a.y) * second.x;
  const ulong lower = MEAN (a.x, b.y) * first.x + MEAN (b.x, b.y) * second.x;
  const uint n = whole.x * whole.y;

  return (upper * first.y + lower * second.y + n / 2) / n;
}

__kernel void
redact (GST_CL_IN_OUT (f), GST_CL_ARRAY (int, rectangles), int mode, int size,
    __global const uint *means, __global uint *redacted, __global uint *pixels)
{
  const int c = get_global_id (2);
  int2 at = (int2) (get_global_id (0) * 16, get_global_id (1));
  const int2 end = min (at + (int2) (16, 1), SAMPLES);
  uint n = 0;

  if (c == 0 && at.x == 0 && at.y == 0)
    *pixels = gst_cl_width (f, 0) * gst_cl_height (f, 0);
  if (any (at >= SAMPLES) ||
      !is_inside (rectangles, rectangles_count, at * PIXELS, end * PIXELS))
    return;
  for (; at.x < end.x; at.x++) {
    const int2 block = at / BLOCK;

    if (!is_inside (rectangles, rectangles_count, at * PIXELS,
            (at + 1) * PIXELS))
      continue;
    n++;
    gst_cl_store (f, c, at.x, at.y,
        mode == 0 ? MEAN (block.x, block.y)
                  : between (GST_CL_PASS (f), c, size, means, at));
  }
  if (c == 0)
    atomic_add (redacted, n);
}
