/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* scopedraw/cpu.cl: draws scopes, on CPUs
 *
 * Math      As scopedraw/plain.cl.
 * Shape     As scopedraw/plain.cl.
 * Units     As scopedraw/plain.cl.
 * Memory    As scopedraw/plain.cl.
 * Launch    Local (1, 1, 1). draw_trace_cpu: a work-item for each bin, which
 *           draws the rows of the bin; sum_bins_cpu: x: bins, z: traces; then
 *           find_peak_cpu: one work-item; then draw_bars_cpu, draw_zones_cpu,
 *           draw_rgb_cpu: a work-item for each row. draw_yuv_cpu: a work-item
 *           for each two rows.
 * Range     As scopedraw/plain.cl.
 * Accuracy  Exact. The reference is tests/scopedraw/scopedrawreference.c.
 * Source    Sixteen pixels at a time. Rows of the same bin are copied.
 */

#include "cl_code.clh"
#include "cl_common.clh"
#include "cl_picture.clh"
#include "cl_picturelanes.clh"
#include "cl_pixel.clh"
#include "cl_plane.clh"
#include "cl_rgb.clh"
#include "cl_scopedraw.clh"

/* --- sixteen levels and colours ------------------------------------------- */

/* Returns level_of_count() of sixteen counts, each with its gain. The quotient
 * is an estimate, which is corrected: it differs by one at most. */
static ALWAYS_INLINE uint16
levels_of_counts (const uint16 counts, const uint16 gains)
{
  const uint16 low = counts * gains;
  const uint16 share = (mul_hi (counts, gains) << (uint16) (16)) |
                       (low >> (uint16) (16));
  const int16 is_large = (mul_hi (counts, gains) > (uint16) (0)) |
                         (share > (uint16) (MAX_SHARE));
  const int16 capped = as_int16 (
      select (share, (uint16) (MAX_SHARE), as_uint16 (is_large)));
  const int16 divisor = capped + (int16) (HALF_LEVEL);
  const int16 dividend = capped * (int16) (255);
  int16 level = convert_int16 (
      convert_float16 (dividend) / convert_float16 (divisor));
  const int16 rest = dividend - level * divisor;

  level += (rest < (int16) (0)) - (rest >= divisor);

  return as_uint16 (level);
}

/* Returns multiply_levels() of @part and sixteen levels. */
static ALWAYS_INLINE uint16
multiply_levels16 (const uint part, const uint16 levels)
{
  const uint16 product = levels * (uint16) (part) + (uint16) (128);

  return (product + (product >> (uint16) (8))) >> (uint16) (8);
}

/* Returns part @i of sixteen colours: 0 blue, 1 green, 2 red. */
static ALWAYS_INLINE uint16
part_of_colours (const uint16 colours, const uint i)
{
  return (colours >> (uint16) (8 * i)) & (uint16) (255);
}

/* Adds @colour at sixteen levels to sixteen colours. */
static ALWAYS_INLINE uint16
add_colour16 (const uint16 colours, const uint colour, const uint16 levels)
{
  uint16 result = (uint16) (0);

#pragma unroll
  for (uint i = 0; i < 3; i++) {
    const uint16 part = part_of_colours (colours, i) +
                        multiply_levels16 (colour >> (8 * i) & 255, levels);

    result |= min (part, (uint16) (255)) << (uint16) (8 * i);
  }

  return result;
}

/* Returns blend() of sixteen pixels, each with its alpha. */
static ALWAYS_INLINE uint16
blend16 (const uint16 under, const uint16 over, const uint16 alpha)
{
  const uint16 rest = (uint16) (256) - alpha;
  uint16 result = (uint16) (0);

#pragma unroll
  for (uint i = 0; i < 3; i++) {
    const uint16 part = part_of_colours (under, i) * rest +
                        part_of_colours (over, i) * alpha + (uint16) (128);

    result |= (part >> (uint16) (8)) << (uint16) (8 * i);
  }

  return result;
}

/* --- plots ---------------------------------------------------------------- */

/* The counts of a trace in one bin, and their gains. */
typedef struct {
  __global const uint *counts;
  int n_columns, width; /* of the area */
  uint gain, wide_gain;
} TraceRow;

/* Sets @counts and @gains to those of @n pixels from @x on; to 0 beyond. */
static ALWAYS_INLINE void
load_pixels_of_row (const TraceRow *row, const int x, const int n,
    uint counts[16], uint gains[16])
{
  const int step = row->n_columns / row->width;
  const int step_rest = row->n_columns - step * row->width;
  const int most = max (step, 1);
  const long start = (long) x * row->n_columns;
  int first = (int) (start / row->width);
  int rest = (int) (start % row->width);

  for (int i = 0; i < 16; i++) {
    counts[i] = 0;
    gains[i] = row->gain;
  }
  for (int i = 0; i < n; i++) {
    const int carry = rest >= row->width - step_rest;
    const int end = first + step + carry;

    counts[i] = row->counts[first];
    for (int column = first + 1; column < end; column++)
      counts[i] += row->counts[column];
    gains[i] = end - first > most ? row->wide_gain : row->gain;
    first = end;
    rest += step_rest - carry * row->width;
  }
}

/* Returns the levels of @n pixels from @x on. */
static ALWAYS_INLINE uint16
load_levels (const TraceRow *row, const int x, const int n)
{
  uint counts[16], gains[16];

  if (row->n_columns == row->width && n == 16) {
    const uint16 loaded = load16_uint (row->counts + x);

    return any (loaded != (uint16) (0))
               ? levels_of_counts (loaded, (uint16) (row->gain))
               : (uint16) (0);
  }

  load_pixels_of_row (row, x, n, counts, gains);

  return levels_of_counts (vload16 (0, counts), vload16 (0, gains));
}

/* Stores the first @n of sixteen colours. */
static ALWAYS_INLINE void
store_colours (const uint16 colours, const int n, __global uint *p)
{
  uint stored[16];

  if (n == 16) {
    store16_uint (colours, p);
    return;
  }
  vstore16 (colours, 0, stored);
  for (int i = 0; i < n; i++)
    p[i] = stored[i];
}

/* Holds the peaks of @n pixels; returns their levels. */
static ALWAYS_INLINE uint16
hold_peaks (const uint16 levels, const uint fading, const int n,
    __global ushort *peaks)
{
  uint held[16];

  vstore16 (levels, 0, held);
  for (int i = 0; i < n; i++) {
    const uint faded = max ((uint) peaks[i], fading) - fading;
    const uint peak = max (held[i] << 8, faded);

    peaks[i] = (ushort) peak;
    held[i] = peak >> 8;
  }

  return vload16 (0, held);
}

__kernel __attribute__ ((reqd_work_group_size (1, 1, 1))) void
draw_trace_cpu (__global const uint *counts, const int4 first_words,
    const int4 n_columns, const int n_bins, const int n_traces,
    const int4 gains, const int4 wide_gains, const int4 colours,
    const int4 area, const int scope_width, const ulong first_peak,
    const uint fading, __global ushort *peaks, __global uint *scope)
{
  const int bin = (int) get_global_id (0);
  /* the rows of the bin, from the bottom */
  const int first = (bin * area.w + n_bins - 1) / n_bins;
  const int end = ((bin + 1) * area.w + n_bins - 1) / n_bins;
  TraceRow rows[3];

  for (int i = 0; i < n_traces; i++)
    rows[i] = (TraceRow){ counts + (uint) pick_int (first_words, i) +
                              (ulong) bin * (ulong) pick_int (n_columns, i),
      pick_int (n_columns, i), area.z, (uint) pick_int (gains, i),
      (uint) pick_int (wide_gains, i) };

  for (int row = first; row < end; row++) {
    const int y = area.w - 1 - row;
    __global uint *out = scope + (ulong) (area.y + y) * (ulong) scope_width +
                         (ulong) area.x;

#if !HOLDS_PEAKS
    if (row > first) {
      __global const uint *before = out + scope_width;

      for (int x = 0; x < area.z; x++)
        out[x] = before[x];
      continue;
    }
#endif
    for (int x = 0; x < area.z; x += 16) {
      const int n = min (area.z - x, 16);
      uint16 drawn = (uint16) (0);

      for (int i = 0; i < n_traces; i++) {
        uint16 levels = load_levels (&rows[i], x, n);

#if HOLDS_PEAKS
        levels = hold_peaks (levels, fading, n,
            peaks + first_peak +
                ((ulong) i * (ulong) area.w + (ulong) y) * (ulong) area.z +
                (ulong) x);
#endif
        if (any (levels != (uint16) (0)))
          drawn = add_colour16 (drawn, (uint) pick_int (colours, i), levels);
      }
      store_colours (drawn, n, out + x);
    }
  }
#if !HOLDS_PEAKS
  (void) first_peak;
  (void) fading;
  (void) peaks;
#endif
}

__kernel __attribute__ ((reqd_work_group_size (1, 1, 1))) void
sum_bins_cpu (__global const uint *counts, const int4 first_words,
    const int4 n_columns, __global uint *sums)
{
  const int bin = (int) get_global_id (0), trace = (int) get_global_id (2);
  const int width = pick_int (n_columns, trace);
  __global const uint *row = counts + (uint) pick_int (first_words, trace) +
                             (ulong) bin * (ulong) width;
  uint sum = 0;

  for (int x = 0; x < width; x++)
    sum += row[x];
  sums[trace * MAX_BINS + bin] = sum;
}

__kernel __attribute__ ((reqd_work_group_size (1, 1, 1))) void
find_peak_cpu (const int n_bins, const int n_traces, __global uint *sums)
{
  uint peak = 0;

  for (int trace = 0; trace < n_traces; trace++) {
    for (int bin = 0; bin < n_bins; bin++)
      peak = max (peak, sums[trace * MAX_BINS + bin]);
  }
  sums[n_traces * MAX_BINS] = peak;
}

/* The pixels of a bin have one colour. */
__kernel __attribute__ ((reqd_work_group_size (1, 1, 1))) void
draw_bars_cpu (__global const uint *sums, const int n_bins, const int n_traces,
    const int4 colours, const int4 area, const int scope_width,
    __global uint *scope)
{
  const int y = (int) get_global_id (1);
  const ulong row = (ulong) (area.w - 1 - y), height = (ulong) area.w;
  const ulong least = row * row * sums[n_traces * MAX_BINS];
  __global uint *out = scope + (ulong) (area.y + y) * (ulong) scope_width +
                       (ulong) area.x;

  for (int bin = 0; bin < n_bins; bin++) {
    const int first = (bin * area.z + n_bins - 1) / n_bins;
    const int end = ((bin + 1) * area.z + n_bins - 1) / n_bins;
    Rgb rgb = { 0, 0, 0 };

    for (int i = 0; i < n_traces && first < end; i++) {
      if (least < (ulong) sums[i * MAX_BINS + bin] * height * height)
        rgb = add_colour (rgb, (uint) pick_int (colours, i), 255);
    }
    for (int x = first; x < end; x++)
      out[x] = pack_rgb (rgb);
  }
}

__kernel __attribute__ ((reqd_work_group_size (1, 1, 1))) void
draw_zones_cpu (PLANE_ARGUMENTS, const int4 matrix, const int middle,
    const int row_step, const int4 luma, __global const uint *zones,
    const int4 area, const int scope_width, __global uint *scope)
{
  const Picture picture = PICTURE;
  const int y = (int) get_global_id (1);
  const int row = (int) ((long) y * picture.height / area.w);
  const int step = picture.width / area.z, rest = picture.width % area.z;
  __global uint *out = scope + (ulong) (area.y + y) * (ulong) scope_width +
                       (ulong) area.x;
  int column = 0, error = 0; /* column + error / area.z: x width / area.z */

#if RGB_KIND != RGB_RGB
  (void) luma;
#endif
  for (int x = 0; x < area.z; x++) {
#if RGB_KIND == RGB_RGB
    const int code = clamp (
        yuv_of_rgb (picture_rgb (&picture, column, row), luma), 0, N_CODES - 1);
#else
    const int code = (int) masked_code_at (&picture.planes[0], column, row);
#endif

    out[x] = zones[code];
    column += step;
    error += rest;
    if (error >= area.z) {
      error -= area.z;
      column++;
    }
  }
}

/* --- the output ----------------------------------------------------------- */

/* Returns 1 if @n pixels from @x on are all within an area, 0 if none is, and
 * -1 otherwise. */
static ALWAYS_INLINE int
cover_area (const int x, const int y, const int n, const int4 area)
{
  if (y < area.y || y >= area.y + area.w || x + n <= area.x ||
      x >= area.x + area.z)
    return 0;

  return x >= area.x && x + n <= area.x + area.z ? 1 : -1;
}

#if HAS_PICTURE && HAS_VECTORS
/* Returns the colours of sixteen pixels of the picture. */
static ALWAYS_INLINE uint16
load_picture (const Frame *frame, const int x, const int y)
{
  const Pixels pixels = load_pixels (&frame->picture, x, y, (int4) (0));
  uint16 result = (uint16) (0);

#pragma unroll
  for (int c = 0; c < 3; c++) {
    const int16 level = ((pixels.v[c] - (int16) (frame->range.x)) *
                                (int16) (frame->range.y) +
                            (int16) (1 << (CODE_SHIFT - 1))) >>
                        (int16) (CODE_SHIFT);

    result |= as_uint16 (clamp (level, (int16) (0), (int16) (255)))
              << (uint16) (16 - 8 * c);
  }

  return result;
}
#endif

/* Returns the colours of @n pixels of the output from @x on. Vectors need all
 * or none of the pixels in an area, and a picture of its own size. */
static ALWAYS_INLINE uint16
draw_pixels (const Frame *frame, const int x, const int y, const int n)
{
  const int4 area = frame->scope_area;
  const int in_scope = cover_area (x, y, n, area);
  uint16 colours = (uint16) (0);
  bool is_vector = n == 16 && in_scope >= 0;
#if HAS_PICTURE
  const int4 shown = frame->picture_area;
  const int in_picture = cover_area (x, y, n, shown);

  is_vector = is_vector && in_picture >= 0;
#if HAS_VECTORS
  if (is_vector && in_picture) {
    is_vector = shown.z == frame->picture.width &&
                shown.w == frame->picture.height && (x - shown.x) % 16 == 0 &&
                x - shown.x + 16 <= count_vector_pixels (&frame->picture);
    if (is_vector)
      colours = load_picture (frame, x - shown.x, y - shown.y);
  }
#else
  is_vector = is_vector && !in_picture;
#endif
#endif
  if (!is_vector) {
    uint drawn[16];

    for (int i = 0; i < 16; i++)
      drawn[i] = i < n ? pack_rgb (draw_pixel (frame, x + i, y)) : 0;
    return vload16 (0, drawn);
  }

  if (in_scope) {
    const ulong at = (ulong) (y - area.y) * (ulong) area.z +
                     (ulong) (x - area.x);
    const uint16 marks = load16_uint (frame->graticule + at);
    uint16 over = load16_uint (frame->scope + at);

    if (any (marks != (uint16) (0))) {
      const uint16 alpha = marks >> (uint16) (24);

      over = blend16 (over, marks, alpha + (alpha >> (uint16) (7)));
    }
    colours = frame->opacity == 256
                  ? over
                  : blend16 (colours, over, (uint16) ((uint) frame->opacity));
  }

  return colours;
}

#if FORMAT <= FORMAT_BGRA
/* Returns the bytes of sixteen pixels, four in each word. */
static ALWAYS_INLINE uint16
words_of_colours (const uint16 colours)
{
  const uint16 first = part_of_colours (colours, FORMAT == FORMAT_BGRA ? 0 : 2);
  const uint16 second = part_of_colours (colours, 1);
  const uint16 third = part_of_colours (colours, FORMAT == FORMAT_BGRA ? 2 : 0);

#ifdef __ENDIAN_LITTLE__
  return first | (second << (uint16) (8)) | (third << (uint16) (16)) |
         (uint16) (0xff000000);
#else
  return (first << (uint16) (24)) | (second << (uint16) (16)) |
         (third << (uint16) (8)) | (uint16) (255);
#endif
}

__kernel __attribute__ ((reqd_work_group_size (1, 1, 1))) void
draw_rgb_cpu (SCOPE_FRAME_ARGUMENTS, __global uchar *out,
    const ulong out_offset, const int out_stride, const int out_width)
{
  const Frame frame = SCOPE_FRAME;
  const int y = (int) get_global_id (1);
  __global uchar *row = out + out_offset + (long) y * out_stride;

  for (int x = 0; x < out_width; x += 16) {
    const int n = min (out_width - x, 16);
    const uint16 colours = draw_pixels (&frame, x, y, n);
    const uint16 words = words_of_colours (colours);

    if (n == 16) {
      store16_uchar (as_uchar16 (words.s0123), row + 4 * x);
      store16_uchar (as_uchar16 (words.s4567), row + 4 * x + 16);
      store16_uchar (as_uchar16 (words.s89ab), row + 4 * x + 32);
      store16_uchar (as_uchar16 (words.scdef), row + 4 * x + 48);
    } else {
      uint stored[16];

      vstore16 (words, 0, stored);
      for (int i = 0; i < n; i++)
        vstore4 (as_uchar4 (stored[i]), x + i, row);
    }
  }
}
#else
/* Returns yuv_of_rgb() of sixteen colours, as bytes. */
static ALWAYS_INLINE uchar16
yuv_of_colours (const int16 r, const int16 g, const int16 b, const int4 row)
{
  return convert_uchar16_sat (((r * (int16) (row.x) + g * (int16) (row.y) +
                                   b * (int16) (row.z) + (int16) (RGB_HALF)) >>
                                  (int16) (RGB_SHIFT)) +
                              (int16) (row.w));
}

static ALWAYS_INLINE int16
int_part (const uint16 colours, const uint i)
{
  return as_int16 (part_of_colours (colours, i));
}

/* Stores the first @n of sixteen bytes. */
static ALWAYS_INLINE void
store_bytes (const uchar16 bytes, const int n, __global uchar *p)
{
  uchar stored[16];

  if (n == 16) {
    vstore16 (bytes, 0, p);
    return;
  }
  vstore16 (bytes, 0, stored);
  for (int i = 0; i < n; i++)
    p[i] = stored[i];
}

/* Returns the sums of the colours of two rows, in one part, with the colour
 * beyond an odd width being that before. */
static ALWAYS_INLINE int8
add_pairs (const uint16 *rows, const uint part, const int n)
{
  int16 sum = int_part (rows[0], part) + int_part (rows[1], part);

  if (n & 1) {
    int sums[16];

    vstore16 (sum, 0, sums);
    sums[n] = sums[n - 1];
    sum = vload16 (0, sums);
  }

  return (sum.even + sum.odd + (int8) (2)) >> (int8) (2);
}

__kernel __attribute__ ((reqd_work_group_size (1, 1, 1))) void
draw_yuv_cpu (SCOPE_FRAME_ARGUMENTS, const int4 of_y, const int4 of_u,
    const int4 of_v, __global uchar *out_y, const ulong y_offset,
    __global uchar *out_u, const ulong u_offset, __global uchar *out_v,
    const ulong v_offset, const int4 out_strides, const int out_width,
    const int out_height)
{
  const Frame frame = SCOPE_FRAME;
  const int pair = (int) get_global_id (1);

  for (int x = 0; x < out_width; x += 16) {
    const int n = min (out_width - x, 16), n_chroma = (n + 1) / 2;
    uint16 rows[2];
    int8 r, g, b;
    uchar8 u, v;

    for (int i = 0; i < 2; i++) {
      const int y = 2 * pair + i;

      rows[i] = rows[0];
      if (y < out_height) {
        rows[i] = draw_pixels (&frame, x, y, n);
        store_bytes (yuv_of_colours (int_part (rows[i], 2),
                         int_part (rows[i], 1), int_part (rows[i], 0), of_y),
            n, out_y + y_offset + (long) y * out_strides.x + x);
      }
    }
    r = add_pairs (rows, 2, n);
    g = add_pairs (rows, 1, n);
    b = add_pairs (rows, 0, n);
    u = yuv_of_colours ((int16) (r, r), (int16) (g, g), (int16) (b, b), of_u)
            .lo;
    v = yuv_of_colours ((int16) (r, r), (int16) (g, g), (int16) (b, b), of_v)
            .lo;
#if FORMAT == FORMAT_NV12
    store_bytes ((uchar16) (u.s0, v.s0, u.s1, v.s1, u.s2, v.s2, u.s3, v.s3,
                     u.s4, v.s4, u.s5, v.s5, u.s6, v.s6, u.s7, v.s7),
        2 * n_chroma, out_u + u_offset + (long) pair * out_strides.y + x);
    (void) out_v;
    (void) v_offset;
#else
    store_bytes ((uchar16) (u, u), n_chroma,
        out_u + u_offset + (long) pair * out_strides.y + x / 2);
    store_bytes ((uchar16) (v, v), n_chroma,
        out_v + v_offset + (long) pair * out_strides.z + x / 2);
#endif
  }
}
#endif
