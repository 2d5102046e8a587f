/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* differencemap/plain.cl: a picture of the differences between two pictures, on
 * any device
 *
 * Math      min (255, gain * |a - b| >> (DEPTH - 8)) of the codes a and b of
 *           each sample of the first component.
 * Shape     The size of the component.
 * Units     Codes of samples. Offsets and strides of rows are in bytes, pixel
 *           strides in samples.
 * Memory    map: a byte for each sample; it does not overlap the pictures.
 * Launch    Local (GROUP, 1, 1), CHUNK samples for each work-item, a row for
 *           each y.
 * Range     gain is at most 255, so that products are less than 2^24.
 * Accuracy  Exact. The reference is
 *           tests/differencemap/differencemapreference.c.
 * Source    Samples without others between them are a vector.
 */

#include "cl_code.clh"
#include "cl_common.clh"
#include "cl_pixel.clh"
#include "cl_plane.clh"

#define GROUP 64
#define CHUNK 16

static ALWAYS_INLINE uint16
load_codes (const Plane *plane, const int x, const int y)
{
  const SAMPLE16_T codes = sample_codes16 (
      LOAD16 (SAMPLE_T, plane_row (plane, y) + x));

  return CONVERT (uint16) (codes & (SAMPLE16_T) (N_CODES - 1));
}

__kernel __attribute__ ((reqd_work_group_size (GROUP, 1, 1))) void
difference_map (PLANE_ARGUMENTS, COMPARED_ARGUMENTS, const uint gain,
    __global uchar *map, const ulong map_offset, const int map_stride)
{
  const Plane planes[4] = PLANES;
  const Plane compared[4] = COMPARED_PLANES;
  const bool is_dense = pixel_strides.x == 1;
  const int step = is_dense ? 1 : GROUP; /* samples of a work-item */
  const int lane = (int) get_local_id (0), y = (int) get_global_id (1);
  const int x = (int) get_group_id (0) * GROUP * CHUNK +
                (is_dense ? lane * CHUNK : lane);
  __global uchar *to = map + map_offset + (long) y * map_stride;
  RETURN_IF_OUTSIDE (x, y, widths.x, heights.x);

  if (is_dense && x + CHUNK <= widths.x) {
    const uint16 differences = abs_diff (load_codes (&planes[0], x, y),
        load_codes (&compared[0], x, y));
    const uint16 levels = (differences * (uint16) (gain)) >>
                          (uint16) (DEPTH - 8);

    STORE16 (uchar, CONVERT (uchar16) (min (levels, (uint16) (255))), to + x);
    return;
  }

  for (int i = x; i < min (x + CHUNK * step, widths.x); i += step) {
    const uint difference = abs_diff (masked_code_at (&planes[0], i, y),
        masked_code_at (&compared[0], i, y));

    to[i] = (uchar) min ((difference * gain) >> (DEPTH - 8), 255u);
  }
}
