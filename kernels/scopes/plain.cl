/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* scopes/plain.cl: two-dimensional histograms, on any device
 *
 * Math      scopes_waveform counts, for each column, the codes of a component,
 *           of R, G or B, or of Y. scopes_vectorscope counts pairs of U and V.
 *           A code counts in bin floor (code * bins / 2^DEPTH).
 * Shape     A picture of one component, or of three, each with its own size.
 *           The second and the third have one size for scopes_vectorscope.
 * Units     Codes. Computed codes beyond 0 .. 2^DEPTH - 1 count as the nearest
 *           of these.
 * Memory    result: cl_scopes.clh. first_words: the first word of each
 *           waveform. Counts are collected in local memory, 32 KiB.
 * Launch    Local (GROUP, 1, 1). scopes_clear: a work-item for each word of the
 *           result, before the others. scopes_waveform: x: groups of COLUMNS
 *           columns, y: bands of rows, z: waveforms. scopes_vectorscope: x:
 *           bands of rows, y: groups of UV_ROWS bins of V.
 * Range     Counts fit 32 bits: a picture has fewer than 2^32 samples.
 * Accuracy  Exact. The reference is tests/scopes/scopesreference.c.
 * Source    Joint histograms by privatization in local memory: Gomez-Luna et
 *           al., "An optimized approach to histogram computation on GPU", 2013.
 */

#include "cl_code.clh"
#include "cl_common.clh"
#include "cl_picture.clh"
#include "cl_pixel.clh"
#include "cl_plane.clh"
#include "cl_scopes.clh"

#define GROUP 256

__kernel __attribute__ ((reqd_work_group_size (GROUP, 1, 1))) void
scopes_clear (const ulong n_words, __global uint *result)
{
  if (get_global_id (0) < n_words)
    result[get_global_id (0)] = 0;
}

/* --- waveforms ------------------------------------------------------------ */

/* The index of a number in local memory. Neighbours of a column and of a bin
 * are in different banks. */
#define LOCAL_INDEX(bin, column)                                               \
  ((bin) *COLUMNS + (((column) + (bin)) & (COLUMNS - 1)))

__kernel __attribute__ ((reqd_work_group_size (GROUP, 1, 1))) void
scopes_waveform (PLANE_ARGUMENTS, const int4 matrix, const int middle,
    const int row_step, const int4 luma, const int4 first_words,
    const int n_bands, __global uint *result)
{
  __local uint counts[BINS * COLUMNS];
  const Picture picture = PICTURE;
  const int i = (int) get_local_id (0), band = (int) get_group_id (1);
  const int trace = (int) get_group_id (2);
  const int n_columns = scope_columns (trace, widths);
  const int n_rows = scope_rows (trace, heights);
  const int first_column = (int) get_group_id (0) * COLUMNS;
  const int x = first_column + i % COLUMNS;
  const int end = band_start (band + 1, n_bands, n_rows);
  __global uint *own = result + (uint) pick_int (first_words, trace);

  for (int k = i; k < BINS * COLUMNS; k += GROUP)
    counts[k] = 0;
  barrier (CLK_LOCAL_MEM_FENCE);

  for (int y = band_start (band, n_bands, n_rows) + i / COLUMNS;
       y < end && x < n_columns; y += GROUP / COLUMNS) {
    const int bin = scope_bin (scope_code (&picture, luma, trace, x, y), BINS);

    atomic_inc (&counts[LOCAL_INDEX (bin, i % COLUMNS)]);
  }
  barrier (CLK_LOCAL_MEM_FENCE);

  for (int k = i; k < BINS * COLUMNS; k += GROUP) {
    const int bin = HAS_ROWS_OF_BINS ? k / COLUMNS : k % BINS;
    const int column = HAS_ROWS_OF_BINS ? k % COLUMNS : k / BINS;
    const uint n = counts[LOCAL_INDEX (bin, column)];

    if (n > 0)
      atomic_add (&own[scope_place (bin, first_column + column, n_columns)], n);
  }
}

/* --- vectorscope ---------------------------------------------------------- */

/* The bins of V whose pairs fit local memory. */
#define UV_ROWS (8192 / UV_BINS < UV_BINS ? 8192 / UV_BINS : UV_BINS)

__kernel __attribute__ ((reqd_work_group_size (GROUP, 1, 1))) void
scopes_vectorscope (PLANE_ARGUMENTS, const int4 of_u, const int4 of_v,
    const ulong first_word, const int n_bands, __global uint *result)
{
  __local uint counts[UV_ROWS * UV_BINS];
  const Plane planes[4] = PLANES;
  const int i = (int) get_local_id (0), band = (int) get_group_id (0);
  const int first_v = (int) get_group_id (1) * UV_ROWS;
  const int n_v = min (UV_ROWS, UV_BINS - first_v);
  const int end = band_start (band + 1, n_bands, heights.y);

  for (int k = i; k < UV_ROWS * UV_BINS; k += GROUP)
    counts[k] = 0;
  barrier (CLK_LOCAL_MEM_FENCE);

  for (int y = band_start (band, n_bands, heights.y); y < end; y++) {
    for (int x = i; x < widths.y; x += GROUP) {
      const int k = scope_pair (planes, of_u, of_v, x, y) - first_v * UV_BINS;

      if (k >= 0 && k < n_v * UV_BINS)
        atomic_inc (&counts[k]);
    }
  }
  barrier (CLK_LOCAL_MEM_FENCE);

  for (int k = i; k < n_v * UV_BINS; k += GROUP) {
    if (counts[k] > 0)
      atomic_add (&result[first_word + (ulong) (first_v * UV_BINS + k)],
          counts[k]);
  }
}
