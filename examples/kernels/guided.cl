/* SPDX-License-Identifier: LGPL-2.1-or-later
//!DESC Guided filter (He, Sun, Tang 2010) whose guide is the input: keeps edges
//!PARAM radius
//!DESC Samples on each side of the windows' centres
//!TYPE int
//!MINIMUM 1
//!MAXIMUM 16
4
//!PARAM epsilon
//!DESC Variance of an edge that is half kept; 1: that of the full scale
//!TYPE float
//!MINIMUM 0.000001
//!MAXIMUM 1
0.01
//!BUFFER sums uint (iw+15)/16*16*ih*components
//!BUFFER squares uint 2*((iw+15)/16*16)*ih*components
//!BUFFER slopes float (iw+15)/16*16*ih*components
//!BUFFER offsets float (iw+15)/16*16*ih*components
//!PASS add_rows samples16
//!PASS fit (ow+63)/64xohxcomponents
//!PASS add_fits samples16
//!PASS apply (ow+63)/64xohxcomponents
*/
#include "gst_cl.clh"

/* A sum of 33 squares of codes. */
#if gst_cl_depth(in) > 12
typedef ulong Square;
typedef ulong16 Squares;
#define CONVERT convert_ulong16
#else
typedef uint Square;
typedef uint16 Squares;
#define CONVERT convert_uint16
#endif

/* The first number of row @y of component c in a buffer. */
#define STRIDE ((gst_cl_width (in, 0) + 15) / 16 * 16)
#define ROW(y) (((long) c * gst_cl_height (in, 0) + (y)) * STRIDE)

/* Sums of the columns of windows. */
__kernel void
add_rows (GST_CL_IN (in), int radius, __global uint *sums,
    __global uint *squares)
{
  const int x = get_global_id (0) * 16, y = get_global_id (1),
            c = get_global_id (2);
  uint16 sum = 0;
  Squares square = 0;

  if (!gst_cl_contains (in, c, x, y))
    return;
  for (int i = -radius; i <= radius; i++) {
    const uint16 codes = as_uint16 (gst_cl_load16 (in, c, x, y + i));

    sum += codes;
    square += CONVERT (codes) * CONVERT (codes);
  }
  *(__global uint16 *) (sums + ROW (y) + x) = sum;
  *(__global Squares *) ((__global Square *) squares + ROW (y) + x) = square;
}

/* The line through the samples of a window: slope * code + offset. */
__kernel void
fit (GST_CL_IN (in), int radius, float epsilon, __global const uint *sums,
    __global const uint *squares, __global float *slopes,
    __global float *offsets)
{
  int x = get_global_id (0) * 64;
  const int y = get_global_id (1), c = get_global_id (2);
  const int last = gst_cl_width (in, c) - 1, end = min (x + 64, last + 1);
  const uint n = (2 * radius + 1) * (2 * radius + 1);
  const float scale = (float) n * gst_cl_largest (in),
              rest = epsilon * scale * scale;
  __global const uint *row = sums + ROW (y);
  __global const Square *row2 = (__global const Square *) squares + ROW (y);
  ulong sum = 0, square = 0;

  if (!gst_cl_contains (in, c, x, y))
    return;
  for (int i = x - radius; i < x + radius; i++) {
    sum += row[clamp (i, 0, last)];
    square += row2[clamp (i, 0, last)];
  }
  for (; x < end; x += 16) {
    float means[16], variances[16];
    float16 mean, variance;

    for (int i = 0; i < 16; i++) {
      const int first = clamp (x + i - radius, 0, last);

      sum += row[min (x + i + radius, last)];
      square += row2[min (x + i + radius, last)];
      /* both times n^2; the variance is an exact integer before */
      means[i] = sum * n;
      variances[i] = n * square - sum * sum;
      sum -= row[first];
      square -= row2[first];
    }
    mean = vload16 (0, means) / ((float) n * n);
    variance = vload16 (0, variances);
    *(__global float16 *) (slopes + ROW (y) + x) = variance / (variance + rest);
    *(__global float16 *) (offsets + ROW (y) + x) = rest / (variance + rest) *
                                                    mean;
  }
}

/* Sums of the columns of lines, in the place of those of codes. */
__kernel void
add_fits (GST_CL_IN (in), int radius, __global const float *slopes,
    __global const float *offsets, __global uint *sums, __global uint *squares)
{
  const int x = get_global_id (0) * 16, y = get_global_id (1),
            c = get_global_id (2), last = gst_cl_height (in, c) - 1;
  float16 slope = 0, offset = 0;

  if (!gst_cl_contains (in, c, x, y))
    return;
  for (int i = -radius; i <= radius; i++) {
    const long row = ROW (clamp (y + i, 0, last)) + x;

    slope += *(__global const float16 *) (slopes + row);
    offset += *(__global const float16 *) (offsets + row);
  }
  *(__global float16 *) (sums + ROW (y) + x) = slope;
  *(__global float16 *) (squares + ROW (y) + x) = offset;
}

__kernel void
apply (GST_CL_IN (in), GST_CL_OUT (out), int radius, __global const uint *sums,
    __global const uint *squares)
{
  int x = get_global_id (0) * 64;
  const int y = get_global_id (1), c = get_global_id (2);
  const int last = gst_cl_width (in, c) - 1, end = min (x + 64, last + 1);
  const int n = (2 * radius + 1) * (2 * radius + 1);
  __global const float *slopes = (__global const float *) sums + ROW (y);
  __global const float *offsets = (__global const float *) squares + ROW (y);
  float slope = 0, offset = 0;

  if (!gst_cl_contains (in, c, x, y))
    return;
  for (int i = x - radius; i < x + radius; i++) {
    slope += slopes[clamp (i, 0, last)];
    offset += offsets[clamp (i, 0, last)];
  }
  for (; x < end; x += 16) {
    float16 codes = convert_float16 (gst_cl_load16 (in, c, x, y));
    float a[16], b[16];

    for (int i = 0; i < 16; i++) {
      const int first = clamp (x + i - radius, 0, last);

      slope += slopes[min (x + i + radius, last)];
      offset += offsets[min (x + i + radius, last)];
      a[i] = slope;
      b[i] = offset;
      slope -= slopes[first];
      offset -= offsets[first];
    }
    codes = (vload16 (0, a) * codes + vload16 (0, b)) / n;
    gst_cl_store16 (out, c, x, y, convert_int16_sat_rte (codes));
  }
}
