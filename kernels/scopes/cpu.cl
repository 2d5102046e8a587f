/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* scopes/cpu.cl: two-dimensional histograms, on CPUs
 *
 * Math      Of scopes/plain.cl. scopes_cpu_merge adds the pairs of all bands.
 * Shape     Of scopes/plain.cl.
 * Units     Of scopes/plain.cl.
 * Memory    result: cl_scopes.clh. first_words: the first word of each
 *           waveform. parts: for each band, N_PAIRS words, and scratch memory
 *           of the same size.
 * Launch    Local (1, 1, 1). scopes_cpu_waveform: x: strips of columns, y:
 *           waveforms. scopes_cpu_vectorscope: a work-item for each band of
 *           rows. scopes_cpu_merge: a work-item for each row of UV_BINS, after
 *           it.
 * Range     Counts have 16 bits: they are added to sums before any of them can
 *           overflow.
 * Accuracy  Exact. The reference is tests/scopes/scopesreference.c.
 * Source    The counts of a strip stay in the first-level cache.
 */

#include "cl_code.clh"
#include "cl_common.clh"
#include "cl_picture.clh"
#include "cl_picturelanes.clh"
#include "cl_pixel.clh"
#include "cl_plane.clh"
#include "cl_rgb.clh"
#include "cl_scopes.clh"

#define MAX_COUNT  65535
#define ROWS_AHEAD 20

/* Returns scope_bin() of sixteen values; those beyond 0 .. 2^DEPTH - 1 count as
 * the nearest of these. */
static ALWAYS_INLINE int16
scope_bins16 (const int16 values, const int n_bins)
{
  const int16 codes = clamp (values, (int16) (0), (int16) (N_CODES - 1));

  return (codes * (int16) (n_bins)) >> (int16) (DEPTH);
}

/* --- waveforms ------------------------------------------------------------ */

/* The columns of a strip. */
#if SOURCE != SCOPES_COMPONENTS
#define STRIP N_LANES
#else
#define STRIP COLUMNS
#endif

#define STRIP_INDEX(bin, column)                                               \
  (HAS_ROWS_OF_BINS ? (bin) *STRIP + (column) : (column) *BINS + (bin))

/* Adds the counts of @n columns of a strip to those of a waveform of @n_columns
 * from column @x on; stores them if they are the first. */
static ALWAYS_INLINE void
write_strip (const ushort *counts, __global uint *own, const int x, const int n,
    const int n_columns, const bool are_first)
{
#if HAS_ROWS_OF_BINS
  for (int bin = 0; bin < BINS; bin++) {
    __global uint *p = own + scope_place (bin, x, n_columns);

    for (int column = 0; column < n; column++)
      p[column] = counts[STRIP_INDEX (bin, column)] +
                  (are_first ? 0 : p[column]);
  }
#else
  __global uint *p = own + scope_place (0, x, n_columns);

  for (int k = 0; k < n * BINS; k++)
    p[k] = counts[k] + (are_first ? 0 : p[k]);
#endif
}

#if SOURCE != SCOPES_COMPONENTS
/* Counts R, G or B, or Y, of a row of @n pixels from @x on. */
static ALWAYS_INLINE void
count_row (const Picture *picture, const int4 luma, const int trace,
    const int x, const int y, const int n, const int n_vector_pixels,
    ushort *counts)
{
#if HAS_VECTORS
  if (x + N_LANES <= n_vector_pixels) {
    const Pixels pixels = load_pixels (picture, x, y, luma);
    const int16 value = SOURCE == SCOPES_LUMA ? pixels.v[3]
                        : trace == 0          ? pixels.v[0]
                        : trace == 1          ? pixels.v[1]
                                              : pixels.v[2];
    ushort indices[N_LANES];

    vstore16 (
        convert_ushort16 (STRIP_INDEX (scope_bins16 (value, BINS), INDICES16)),
        0, indices);
#pragma unroll
    for (int i = 0; i < N_LANES; i++)
      counts[indices[i]]++;
    return;
  }
#endif
  (void) n_vector_pixels;
  for (int i = 0; i < n; i++) {
    const uint code = scope_code (picture, luma, trace, x + i, y);

    counts[STRIP_INDEX (scope_bin (code, BINS), i)]++;
  }
}

__kernel __attribute__ ((reqd_work_group_size (1, 1, 1))) void
scopes_cpu_waveform (PLANE_ARGUMENTS, const int4 matrix, const int middle,
    const int row_step, const int4 luma, const int4 first_words,
    __global uint *result)
{
  const Picture picture = PICTURE;
  const int n_vector_pixels = count_vector_pixels (&picture);
  const int trace = (int) get_global_id (1);
  const int x = (int) get_global_id (0) * STRIP;
  const int n = min (STRIP, widths.x - x);
  __global uint *own = result + (uint) pick_int (first_words, trace);
  ushort counts[BINS * STRIP];

  for (int y = 0; y < heights.x; y += MAX_COUNT) {
    const int end = min (heights.x - y, MAX_COUNT) + y;

    for (int k = 0; k < BINS * STRIP; k++)
      counts[k] = 0;
    for (int row = y; row < end; row++) {
      fetch_ahead (
          plane_row (&picture.planes[0], row + ROWS_AHEAD) + x * STRIDE_FIRST);
#if RGB_KIND != RGB_GREY
      const int chroma_row = picture_chroma_row (&picture, row) + ROWS_AHEAD;

      fetch_ahead (plane_row (&picture.planes[1], chroma_row) +
                   (x >> X_SHIFT) * STRIDE_OTHERS);
      fetch_ahead (plane_row (&picture.planes[2], chroma_row) +
                   (x >> X_SHIFT) * STRIDE_OTHERS);
#endif
      count_row (&picture, luma, trace, x, row, n, n_vector_pixels, counts);
    }
    write_strip (counts, own, x, n, widths.x, y == 0);
  }
}
#else
/* Counts a row of @n samples of @p, @stride apart. */
static ALWAYS_INLINE void
count_row (__global const SAMPLE_T *p, const int stride, const int n,
    ushort *counts)
{
#pragma unroll
  for (int i = 0; i < n; i++)
    counts[STRIP_INDEX (scope_bin (masked_code (p[i * stride]), BINS), i)]++;
}

/* Counts @n columns of @plane from column @x on. */
static ALWAYS_INLINE void
count_strip (const Plane *plane, const int stride, const int x, const int n,
    const int n_columns, const int n_rows, ushort *counts, __global uint *own)
{
  for (int y = 0; y < n_rows; y += MAX_COUNT) {
    const int end = min (n_rows - y, MAX_COUNT) + y;

    for (int k = 0; k < BINS * STRIP; k++)
      counts[k] = 0;
    for (int row = y; row < end; row++) {
      fetch_ahead (plane_row (plane, row + ROWS_AHEAD) + x * stride);
      count_row (plane_row (plane, row) + x * stride, stride, n, counts);
    }
    write_strip (counts, own, x, n, n_columns, y == 0);
  }
}

__kernel __attribute__ ((reqd_work_group_size (1, 1, 1))) void
scopes_cpu_waveform (PLANE_ARGUMENTS, const int4 matrix, const int middle,
    const int row_step, const int4 luma, const int4 first_words,
    __global uint *result)
{
  const Plane planes[4] = PLANES;
  const int trace = (int) get_global_id (1);
  const int x = (int) get_global_id (0) * STRIP;
  const int n_columns = scope_columns (trace, widths);
  const int n_rows = scope_rows (trace, heights);
  const Plane plane = pick_plane (planes, trace);
  __global uint *own = result + (uint) pick_int (first_words, trace);
  ushort counts[BINS * STRIP];

  (void) matrix;
  (void) middle;
  (void) row_step;
  (void) luma;
  if (x >= n_columns)
    return;

  /* a strip is quickest if its width and stride are constants */
  if (x + STRIP > n_columns)
    count_strip (&plane, plane.pixel_stride, x, n_columns - x, n_columns,
        n_rows, counts, own);
  else if (trace == 0)
    count_strip (&plane, STRIDE_FIRST, x, STRIP, n_columns, n_rows, counts,
        own);
  else
    count_strip (&plane, STRIDE_OTHERS, x, STRIP, n_columns, n_rows, counts,
        own);
}
#endif

/* --- vectorscope ---------------------------------------------------------- */

#define N_PAIRS      (UV_BINS * UV_BINS)
#define MAX_OF_PAIRS (2 * MAX_COUNT) /* samples of two counts of 16 bits */

#if RGB_KIND == RGB_RGB
/* Counts sixteen pixels of RGB from (@x, @y) on. */
static ALWAYS_INLINE void
count_pixels (const Plane *planes, const int4 of_u, const int4 of_v,
    const int x, const int y, __global ushort *counts)
{
  const int16 r = load_codes (plane_row (&planes[0], y) + x * STRIDE_FIRST,
      STRIDE_FIRST);
  const int16 g = load_codes (plane_row (&planes[1], y) + x * STRIDE_OTHERS,
      STRIDE_OTHERS);
  const int16 b = load_codes (plane_row (&planes[2], y) + x * STRIDE_OTHERS,
      STRIDE_OTHERS);
  const int16 u = scope_bins16 (yuv_of_rgb16 (r, g, b, of_u), UV_BINS);
  const int16 v = scope_bins16 (yuv_of_rgb16 (r, g, b, of_v), UV_BINS);
  int pairs[N_LANES];

  vstore16 (v * (int16) (UV_BINS) + u, 0, pairs);
#pragma unroll
  for (int i = 0; i < N_LANES; i++)
    counts[2 * pairs[i] + i % 2]++;
}
#endif

/* Counts the pairs of columns @first to @end of rows @y to @end_y, and adds the
 * counts to @sums. Equal samples often follow each other. If they were counted
 * in one number, each count would wait for the one before: even and odd columns
 * have a number of their own. */
static ALWAYS_INLINE void
count_pairs (const Plane *planes, const int4 of_u, const int4 of_v,
    const int first, const int end, const int y, const int end_y,
    __global ushort *counts, __global uint *sums)
{
  for (int k = 0; k < 2 * N_PAIRS; k++)
    counts[k] = 0;
  for (int row = y; row < end_y; row++) {
    int x = first;

#if RGB_KIND == RGB_RGB
    for (; x < end - (N_LANES - 1); x += N_LANES)
      count_pixels (planes, of_u, of_v, x, row, counts);
#endif
    for (; x < end - 1; x += 2) {
      counts[2 * scope_pair (planes, of_u, of_v, x, row)]++;
      counts[2 * scope_pair (planes, of_u, of_v, x + 1, row) + 1]++;
    }
    if (x < end)
      counts[2 * scope_pair (planes, of_u, of_v, x, row)]++;
  }
  for (int k = 0; k < N_PAIRS; k++)
    sums[k] += (uint) counts[2 * k] + (uint) counts[2 * k + 1];
}

__kernel __attribute__ ((reqd_work_group_size (1, 1, 1))) void
scopes_cpu_vectorscope (PLANE_ARGUMENTS, const int4 of_u, const int4 of_v,
    const int n_bands, __global uint *parts)
{
  Plane planes[4] = PLANES;
  const int band = (int) get_global_id (0);
  const int first = band_start (band, n_bands, heights.y);
  const int end = band_start (band + 1, n_bands, heights.y);
  const int n_rows = max (MAX_OF_PAIRS / max (widths.y + 1, 1), 1);
  __global uint *sums = parts + (ulong) band * 2 * N_PAIRS;
  __global ushort *counts = (__global ushort *) (sums + N_PAIRS);

  planes[0].pixel_stride = STRIDE_FIRST;
  planes[1].pixel_stride = planes[2].pixel_stride = STRIDE_OTHERS;
  for (int k = 0; k < N_PAIRS; k++)
    sums[k] = 0;
  for (int y = first; y < end; y += n_rows) {
    const int end_y = min (y + n_rows, end);

    for (int x = 0; x < widths.y; x += MAX_OF_PAIRS)
      count_pairs (planes, of_u, of_v, x, min (widths.y - x, MAX_OF_PAIRS) + x,
          y, end_y, counts, sums);
  }
}

__kernel __attribute__ ((reqd_work_group_size (1, 1, 1))) void
scopes_cpu_merge (__global const uint *parts, const int n_bands,
    const ulong first_word, __global uint *result)
{
  const int first = (int) get_global_id (0) * UV_BINS;
  __global uint *own = result + first_word + (ulong) first;

  for (int k = 0; k < UV_BINS; k++)
    own[k] = parts[first + k];
  for (int band = 1; band < n_bands; band++) {
    __global const uint *part = parts + (ulong) band * 2 * N_PAIRS +
                                (ulong) first;

    for (int k = 0; k < UV_BINS; k++)
      own[k] += part[k];
  }
}
