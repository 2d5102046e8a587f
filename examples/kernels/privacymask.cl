/* SPDX-License-Identifier: LGPL-2.1-or-later
//!DESC Makes what a mask covers unrecognizable, and counts the pixels
//!PARAM size
//!DESC Pixels of a block's side: all that is left of them is their mean
//!TYPE int
//!MINIMUM 4
//!MAXIMUM 256
16
//!STATISTICS redacted uint 1
//!STATISTICS pixels uint 1
//!WORK (iw+3)/4x(ih+3)/4xcomponents
*/
#include "gst_cl.clh"

/* Sizes of the frame, the mask and component c, and pixels of a sample. */
#define FRAME_SIZE ((int2) (gst_cl_width (in, 0), gst_cl_height (in, 0)))
#define MASK_SIZE                                                              \
  convert_uint2 ((int2) (gst_cl_width (mask, 0), gst_cl_height (mask, 0)))
#define SAMPLES ((int2) (gst_cl_width (in, c), gst_cl_height (in, c)))
#define PIXELS  ((int2) (1) << (32 - clz ((FRAME_SIZE - 1) / SAMPLES)))
#define LANES   ((int16) (0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15))

/* Whether the mask has a code of at least half of its range where samples of
 * component c from @from up to @end are. */
static bool
is_hidden (GST_CL_IN (in), GST_CL_IN (mask), const int c, const int2 from,
    const int2 end)
{
  const uint2 frame = convert_uint2 (FRAME_SIZE);
  const uint2 last = convert_uint2 (min (end * PIXELS, FRAME_SIZE));
  const int2 a = convert_int2 (
      convert_uint2 (from * PIXELS) * MASK_SIZE / frame);
  const int2 b = convert_int2 ((last * MASK_SIZE - 1) / frame + 1);

  for (int y = a.y; y < b.y; y++)
    for (int x = a.x; x < b.x; x += 16)
      if (any (gst_cl_load16 (mask, 0, x, y) > gst_cl_largest (mask) / 2 &&
               LANES < b.x - x))
        return true;

  return false;
}

/* A block of a component. */
__kernel void
redact (GST_CL_IN (in), GST_CL_IN (mask), GST_CL_IN_OUT (out), int size,
    __global uint *redacted, __global uint *pixels)
{
  const int c = get_global_id (2);
  const int2 block = max ((int2) (size) / PIXELS, 1);
  const int2 from = (int2) (get_global_id (0), get_global_id (1)) * block;
  const int2 end = min (from + block, SAMPLES);
  const uint n = (end.x - from.x) * (end.y - from.y);
  uint sum = n / 2, n_hidden = 0;

  if (c == 0 && all (from == 0))
    *pixels = FRAME_SIZE.x * FRAME_SIZE.y;
  if (any (from >= SAMPLES) ||
      !is_hidden (GST_CL_PASS (in), GST_CL_PASS (mask), c, from, end))
    return;
  for (int y = from.y; y < end.y; y++)
    for (int x = from.x; x < end.x; x++)
      sum += gst_cl_load (in, c, x, y);
  for (int y = from.y; y < end.y; y++) {
    for (int x = from.x; x < end.x; x++) {
      const int2 at = (int2) (x, y);

      if (!is_hidden (GST_CL_PASS (in), GST_CL_PASS (mask), c, at, at + 1))
        continue;
      gst_cl_store (out, c, x, y, sum / n);
      n_hidden++;
    }
  }
  if (c == 0)
    atomic_add (redacted, n_hidden);
}
