/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* scopedraw/plain.cl: draws scopes, on any device
 *
 * Math      draw_trace: a count has the level 255 s / (s + 64) for its share s;
 *           the traces' colours at their levels are added. A pixel that covers
 *           several columns has the mean of their counts. draw_bars: a bar has
 *           the height of the square root of its sum beside the greatest.
 *           draw_zones: the colour of the luma of the nearest pixel.
 *           draw_rgb and draw_yuv: the graticule over the scope, the scope over
 *           the picture, whose pixels are the nearest ones.
 * Shape     A scope of size.x x size.y pixels, of which area is drawn: x, y,
 *           width, height. Counts: n_bins rows of each column, from the
 *           lowest bin, which is at the bottom.
 * Units     Levels of 0 .. 255; counts.
 * Memory    scope: 0x00RRGGBB for each pixel. peaks: a ushort, 1/256 of a
 *           level, for each trace and pixel of the area, from first_peak on.
 *           sums: MAX_BINS words for each trace, then their maximum.
 * Launch    Local (GROUP, 1, 1): x and y are pixels of the area, of the output,
 *           or of its chroma (draw_yuv). sum_bins: x: a work-group for each
 *           bin, z: traces; then find_peak: one work-group; then draw_bars.
 * Range     Columns, rows and pixels of a row or column are at most 2^31 - 1.
 * Accuracy  Exact. The reference is tests/scopedraw/scopedrawreference.c.
 * Source    Traces: the curve of L / (1 + L) in Reinhard et al., "Photographic
 *           tone reproduction for digital images", 2002.
 */

#include "cl_code.clh"
#include "cl_common.clh"
#include "cl_picture.clh"
#include "cl_plane.clh"
#include "cl_rgb.clh"
#include "cl_scopedraw.clh"

#define GROUP 64

/* --- plots ---------------------------------------------------------------- */

/* Returns the sum of the counts of the columns of a pixel; sets *n to the
 * number of columns. */
static ALWAYS_INLINE uint
add_columns (__global const uint *row, const int x, const int width,
    const int n_columns, int *n)
{
  const bool is_even = n_columns == width;
  const int first = is_even ? x : (int) ((long) x * n_columns / width);
  const int end = is_even ? x + 1 : (int) ((long) (x + 1) * n_columns / width);
  uint sum = row[first];

  for (int column = first + 1; column < end; column++)
    sum += row[column];
  *n = max (end - first, 1);

  return sum;
}

/* @gains, @wide_gains: of each trace, for pixels of n_columns / width columns,
 * and of one column more. */
__kernel __attribute__ ((reqd_work_group_size (GROUP, 1, 1))) void
draw_trace (__global const uint *counts, const int4 first_words,
    const int4 n_columns, const int n_bins, const int n_traces,
    const int4 gains, const int4 wide_gains, const int4 colours,
    const int4 area, const int scope_width, const ulong first_peak,
    const uint fading, __global ushort *peaks, __global uint *scope)
{
  const int x = (int) get_global_id (0), y = (int) get_global_id (1);
  const int bin = (area.w - 1 - y) * n_bins / area.w;
  Rgb rgb = { 0, 0, 0 };

  if (x >= area.z)
    return;

  for (int i = 0; i < n_traces; i++) {
    const int width = pick_int (n_columns, i);
    __global const uint *row = counts + (uint) pick_int (first_words, i) +
                               (ulong) bin * (ulong) width;
    int n;
    const uint count = add_columns (row, x, area.z, width, &n);
    const bool is_wide = n > max (width / area.z, 1);
    uint level = 0;

    if (count > 0)
      level = level_of_count (count,
          (uint) pick_int (is_wide ? wide_gains : gains, i));
#if HOLDS_PEAKS
    const ulong at = first_peak +
                     ((ulong) i * (ulong) area.w + (ulong) y) * (ulong) area.z +
                     (ulong) x;
    const uint faded = max ((uint) peaks[at], fading) - fading;
    const uint peak = max (level << 8, faded);

    peaks[at] = (ushort) peak;
    level = peak >> 8;
#endif
    if (level > 0)
      rgb = add_colour (rgb, (uint) pick_int (colours, i), level);
  }
#if !HOLDS_PEAKS
  (void) first_peak;
  (void) fading;
  (void) peaks;
#endif

  scope[(ulong) (area.y + y) * (ulong) scope_width + (ulong) (area.x + x)] =
      pack_rgb (rgb);
}

__kernel __attribute__ ((reqd_work_group_size (GROUP, 1, 1))) void
sum_bins (__global const uint *counts, const int4 first_words,
    const int4 n_columns, __global uint *sums)
{
  __local uint parts[GROUP];
  const int i = (int) get_local_id (0), bin = (int) get_group_id (0);
  const int trace = (int) get_group_id (2);
  const int width = pick_int (n_columns, trace);
  __global const uint *row = counts + (uint) pick_int (first_words, trace) +
                             (ulong) bin * (ulong) width;
  uint sum = 0;

  for (int x = i; x < width; x += GROUP)
    sum += row[x];
  parts[i] = sum;
  barrier (CLK_LOCAL_MEM_FENCE);

  if (i == 0) {
    for (int k = 1; k < GROUP; k++)
      sum += parts[k];
    sums[trace * MAX_BINS + bin] = sum;
  }
}

__kernel __attribute__ ((reqd_work_group_size (GROUP, 1, 1))) void
find_peak (const int n_bins, const int n_traces, __global uint *sums)
{
  __local uint parts[GROUP];
  const int i = (int) get_local_id (0);
  uint peak = 0;

  for (int trace = 0; trace < n_traces; trace++) {
    for (int bin = i; bin < n_bins; bin += GROUP)
      peak = max (peak, sums[trace * MAX_BINS + bin]);
  }
  parts[i] = peak;
  barrier (CLK_LOCAL_MEM_FENCE);

  if (i == 0) {
    for (int k = 1; k < GROUP; k++)
      peak = max (peak, parts[k]);
    sums[n_traces * MAX_BINS] = peak;
  }
}

/* A bar is as high as the square root of its sum: rows^2 / height^2 is less
 * than sum / peak. */
__kernel __attribute__ ((reqd_work_group_size (GROUP, 1, 1))) void
draw_bars (__global const uint *sums, const int n_bins, const int n_traces,
    const int4 colours, const int4 area, const int scope_width,
    __global uint *scope)
{
  const int x = (int) get_global_id (0), y = (int) get_global_id (1);
  const int bin = x * n_bins / area.z;
  const ulong row = (ulong) (area.w - 1 - y), height = (ulong) area.w;
  const ulong peak = sums[n_traces * MAX_BINS];
  Rgb rgb = { 0, 0, 0 };

  if (x >= area.z)
    return;

  for (int i = 0; i < n_traces; i++) {
    const ulong sum = sums[i * MAX_BINS + bin];

    if (row * row * peak < sum * height * height)
      rgb = add_colour (rgb, (uint) pick_int (colours, i), 255);
  }

  scope[(ulong) (area.y + y) * (ulong) scope_width + (ulong) (area.x + x)] =
      pack_rgb (rgb);
}

__kernel __attribute__ ((reqd_work_group_size (GROUP, 1, 1))) void
draw_zones (PLANE_ARGUMENTS, const int4 matrix, const int middle,
    const int row_step, const int4 luma, __global const uint *zones,
    const int4 area, const int scope_width, __global uint *scope)
{
  const Picture picture = PICTURE;
  const int x = (int) get_global_id (0), y = (int) get_global_id (1);
  const int column = (int) ((long) x * picture.width / area.z);
  const int row = (int) ((long) y * picture.height / area.w);

  if (x >= area.z)
    return;

#if RGB_KIND == RGB_RGB
  const int code = clamp (
      yuv_of_rgb (picture_rgb (&picture, column, row), luma), 0, N_CODES - 1);
#else
  const int code = (int) masked_code_at (&picture.planes[0], column, row);

  (void) luma;
#endif
  scope[(ulong) (area.y + y) * (ulong) scope_width + (ulong) (area.x + x)] =
      zones[code];
}

/* --- the output ----------------------------------------------------------- */

#if FORMAT <= FORMAT_BGRA
__kernel __attribute__ ((reqd_work_group_size (GROUP, 1, 1))) void
draw_rgb (SCOPE_FRAME_ARGUMENTS, __global uchar *out, const ulong out_offset,
    const int out_stride, const int out_width)
{
  const Frame frame = SCOPE_FRAME;
  const int x = (int) get_global_id (0), y = (int) get_global_id (1);
  Rgb rgb;

  if (x >= out_width)
    return;

  rgb = draw_pixel (&frame, x, y);
  vstore4 (FORMAT == FORMAT_BGRA
               ? (uchar4) ((uchar) rgb.b, (uchar) rgb.g, (uchar) rgb.r, 255)
               : (uchar4) ((uchar) rgb.r, (uchar) rgb.g, (uchar) rgb.b, 255),
      x, out + out_offset + (long) y * out_stride);
}
#else
/* A work-item draws two pixels of two rows. Beyond the edge of an odd size the
 * last pixel counts again. */
__kernel __attribute__ ((reqd_work_group_size (GROUP, 1, 1))) void
draw_yuv (SCOPE_FRAME_ARGUMENTS, const int4 of_y, const int4 of_u,
    const int4 of_v, __global uchar *out_y, const ulong y_offset,
    __global uchar *out_u, const ulong u_offset, __global uchar *out_v,
    const ulong v_offset, const int4 out_strides, const int out_width,
    const int out_height)
{
  const Frame frame = SCOPE_FRAME;
  const int x = 2 * (int) get_global_id (0), y = 2 * (int) get_global_id (1);
  Rgb sum = { 0, 0, 0 };

  if (x >= out_width)
    return;

  for (int i = 0; i < 4; i++) {
    const int column = min (x + (i & 1), out_width - 1);
    const int row = min (y + (i >> 1), out_height - 1);
    const Rgb rgb = draw_pixel (&frame, column, row);

    out_y[y_offset + (ulong) ((long) row * out_strides.x + column)] = (uchar)
        clamp (yuv_of_rgb (rgb, of_y), 0, 255);
    sum.r += rgb.r;
    sum.g += rgb.g;
    sum.b += rgb.b;
  }
  sum = (Rgb){ (sum.r + 2) >> 2, (sum.g + 2) >> 2, (sum.b + 2) >> 2 };

  const uchar u = (uchar) clamp (yuv_of_rgb (sum, of_u), 0, 255);
  const uchar v = (uchar) clamp (yuv_of_rgb (sum, of_v), 0, 255);
#if FORMAT == FORMAT_NV12
  __global uchar *pair = out_u + u_offset + (long) (y / 2) * out_strides.y + x;

  pair[0] = u;
  pair[1] = v;
  (void) out_v;
  (void) v_offset;
#else
  out_u[u_offset + (ulong) ((long) (y / 2) * out_strides.y + x / 2)] = u;
  out_v[v_offset + (ulong) ((long) (y / 2) * out_strides.z + x / 2)] = v;
#endif
}
#endif
