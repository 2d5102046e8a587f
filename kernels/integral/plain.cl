/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* integral/plain.cl: the integral image of one component, on any device
 *
 * Math      S(x, y) is the sum of I(i, j) over i <= x, j <= y: prefix sums
 *           along each row, then down each column. With squares, I(i, j)^2 is
 *           summed instead. The tilted T(x, y) is the sum of I(i, j) over |i -
 *           x| <= y - j: T(x, y) - T(x, y - 1) is the sum of the two diagonals
 *           that end in (x, y), which are prefix sums, too.
 * Shape     A component has width x height samples. Its sums are (width +
 *           border) x (height + border), with the channels interleaved; where
 *           border is 1 (the exclusive layout) the first row and the first
 *           column are zero.
 * Units     Codes of samples are summed, which have shift unused bits below
 *           them. Offsets and strides of samples are in bytes, the pixel stride
 *           is in samples, lengths of rows of sums are in sums.
 * Memory    Row-major, row 0 on top. Samples and sums are distinct buffers, and
 *           rows of sums are tightly packed. The scratch memory is
 *           totals[n_bands][length]. integral_place writes at offsets that are
 *           multiples of 4.
 * Launch    integral_rows and integral_async_rows: local (ROW_ITEMS, 1, 1), a
 *           work-group for a row of the component, the border row included.
 *           integral_bands, then integral_columns: local (COLUMN_ITEMS, 1, 1),
 *           a work-item for a column of a band; global x is rounded up.
 *           integral_async_columns: local (ROW_ITEMS, 1, 1), a work-group for a
 *           column. integral_diagonals: local (COLUMN_ITEMS, 1, 1), a work-item
 *           for a diagonal, global x rounded up; it runs with step 1, then with
 *           step -1, before integral_bands and integral_columns.
 *           integral_place: local (PLACE_ITEMS, 1, 1), a work-item for a sum,
 *           global x rounded up.
 * Range     All sums are modulo the range of SUM_T.
 * Accuracy  Integers are exact. Floats are rounded to nearest, ties to even, on
 *           every device, as their bits are computed from integers. The
 *           reference is tests/integral/integralreference.c.
 * Source    Prefix sums of a work-group by doubling: Hillis and Steele, "Data
 *           parallel algorithms", 1986. Timings are in docs/performance.md.
 *
 * A row goes through local memory in strips; work-item k scans per_item
 * elements:
 *
 *   row        |  strip 0              |  strip 1              |  strip 2  |
 *                 fetched by all            waits for the carry
 *   strip      | item 0 | item 1 | item 2 | .. | item ROW_ITEMS - 1 |
 *                a b c    d e f    g h i
 *   1. each    a,a+b,..  d,d+e,..  g,g+h,..     prefix sums of its own elements
 *   2. all     totals of the items, doubled up: what lies before each of them
 *   3. each    adds what lies before it, and the carry of the strips before
 *
 * integral_rows loads and stores a strip with coalesced accesses; the async
 * kernels use async_work_group_strided_copy(). integral_async_columns does the
 * same to columns, whose elements are a row apart. There is no halo: a strip
 * needs only the carry of the strips before it.
 */

#include "cl_common.clh"
#include "cl_pixel.clh"

#ifndef SUM_T
#define SUM_T uint /* type of one sum: uint (modulo 2^32), ulong (exact) */
#endif

#define ROW_ITEMS    128 /* work-items that share a strip, a power of two */
#define COLUMN_ITEMS 64  /* columns of a work-group */
#define PLACE_ITEMS  64
#define ROWS         8 /* loads in flight together */

/* Most elements of a strip that one work-item scans. Odd, so that neighbouring
 * work-items use different banks of local memory; 128 x 15 is one row of
 * 1080p. */
#define PER_ITEM 15

#define STRIP (ROW_ITEMS * PER_ITEM) /* elements in local memory at most */

/* Returns the number of elements for each work-item in a strip of @n; odd,
 * too. */
static inline int
elements_per_item (const int n)
{
  return ((n + ROW_ITEMS - 1) / ROW_ITEMS) | 1;
}

/* The value of a sample that is summed. @squares: 0 or 1. */
static inline SUM_T
value_of (const SAMPLE_T sample, const int shift, const int squares)
{
  const SUM_T value = (SUM_T) (sample >> shift);

  return squares ? value * value : value;
}

/* Address of the sums of row @y. */
static inline __global SUM_T *
sums_row (__global uchar *sums, const ulong offset_bytes, const size_t length,
    const int y)
{
  return (__global SUM_T *) (sums + offset_bytes) + y * length;
}

/* Computes inclusive prefix sums of @strip in place, @per_item elements for
 * each work-item, plus @carry. Returns the carry of the next strip. All
 * work-items of the group must call it; no copy of @strip may be in flight.
 * When it returns, every element is visible to every work-item. @totals:
 * scratch memory of 2 * ROW_ITEMS elements. */
static inline SUM_T
scan_strip (__local SUM_T *strip, const int per_item, __local SUM_T *totals,
    const SUM_T carry)
{
  const int item = (int) get_local_id (0);
  __local SUM_T *mine = strip + item * per_item;
  __local SUM_T *from = totals;
  __local SUM_T *to = totals + ROW_ITEMS;
  SUM_T sum = 0;

  for (int i = 0; i < per_item; i++) {
    sum += mine[i];
    mine[i] = sum;
  }
  from[item] = sum;
  barrier (CLK_LOCAL_MEM_FENCE);

  /* two arrays, alternating, so that one barrier a step is enough */
  for (int reach = 1; reach < ROW_ITEMS; reach *= 2) {
    to[item] = from[item] + (item >= reach ? from[item - reach] : 0);
    barrier (CLK_LOCAL_MEM_FENCE);

    __local SUM_T *const other = from;
    from = to;
    to = other;
  }

  const SUM_T before = carry + (item > 0 ? from[item - 1] : 0);
  const SUM_T next = carry + READ_ONCE (from[ROW_ITEMS - 1]);

  for (int i = 0; i < per_item; i++)
    mine[i] += before;
  barrier (CLK_LOCAL_MEM_FENCE);

  return next;
}

/* Writes the zero before each row of the exclusive layout. All work-items of
 * the row's work-group must call it. Returns the address of the row's own
 * sums. */
static inline __global SUM_T *
start_row (__global SUM_T *row, const int channels, const int channel,
    const int border)
{
  if (border && get_local_id (0) == 0)
    row[channel] = 0;

  return row + border * channels + channel;
}

/* Prefix sums along each row of one component. Global accesses are coalesced;
 * the scan is in local memory. */
__kernel __attribute__ ((reqd_work_group_size (ROW_ITEMS, 1, 1))) void
integral_rows (__global const uchar *restrict samples, const ulong offset,
    const int stride, const int pixel_stride, const int width,
    __global uchar *restrict sums, const ulong sums_offset, const int channels,
    const int channel, const int border, const int shift, const int squares)
{
  __local SUM_T strip[STRIP];
  __local SUM_T totals[2 * ROW_ITEMS];
  const int item = (int) get_local_id (0);
  const int y = (int) get_group_id (1);
  const size_t length = (size_t) (width + border) * channels;
  /* the border row reads the samples of the first row as zero */
  const bool is_border = y < border;
  __global const SAMPLE_T *row = read_row (samples, offset, stride,
      is_border ? 0 : y - border);
  __global SUM_T *out = start_row (sums_row (sums, sums_offset, length, y),
      channels, channel, border);
  SUM_T carry = 0;

  for (int start = 0; start < width; start += STRIP) {
    const int n = min (STRIP, width - start);
    const int per_item = elements_per_item (n);

    for (int i = item; i < per_item * ROW_ITEMS; i += ROW_ITEMS) {
      strip[i] = i < n && !is_border
                     ? value_of (row[(size_t) (start + i) * pixel_stride],
                           shift, squares)
                     : 0;
    }
    barrier (CLK_LOCAL_MEM_FENCE);

    carry = scan_strip (strip, per_item, totals, carry);

    for (int i = item; i < n; i += ROW_ITEMS)
      out[(size_t) (start + i) * channels] = strip[i];
    barrier (CLK_LOCAL_MEM_FENCE);
  }
}

/* Column totals of each band of rows, from the sums of integral_rows. */
__kernel __attribute__ ((reqd_work_group_size (COLUMN_ITEMS, 1, 1))) void
integral_bands (__global const uchar *restrict sums, const ulong sums_offset,
    const int length, const int n_rows, const int n_bands,
    __global SUM_T *restrict totals)
{
  const int x = (int) get_global_id (0);
  const int band = (int) get_global_id (1);
  RETURN_IF_OUTSIDE (x, band, length, n_bands);

  const int end = band_start (band + 1, n_bands, n_rows);
  __global const SUM_T *column = (__global const SUM_T *) (sums + sums_offset) +
                                 x;
  SUM_T total = 0;

  for (int y = band_start (band, n_bands, n_rows); y < end; y++)
    total += column[(size_t) y * length];
  totals[(size_t) band * length + x] = total;
}

/* Prefix sums down each column, in place: starts with the totals of the bands
 * above, then adds the rows of the band, ROWS of them loaded before the first
 * is stored. */
__kernel __attribute__ ((reqd_work_group_size (COLUMN_ITEMS, 1, 1))) void
integral_columns (__global uchar *restrict sums, const ulong sums_offset,
    const int length, const int n_rows, const int n_bands,
    __global const SUM_T *restrict totals)
{
  const int x = (int) get_global_id (0);
  const int band = (int) get_global_id (1);
  RETURN_IF_OUTSIDE (x, band, length, n_bands);

  const int end = band_start (band + 1, n_bands, n_rows);
  int y = band_start (band, n_bands, n_rows);
  __global SUM_T *at = sums_row (sums, sums_offset, length, y) + x;
  SUM_T sum = 0;

  for (int k = 0; k < band; k++)
    sum += totals[(size_t) k * length + x];

  for (; y + ROWS <= end; y += ROWS, at += (size_t) ROWS * length) {
    SUM_T row[ROWS];

#pragma unroll
    for (int r = 0; r < ROWS; r++)
      row[r] = at[(size_t) r * length];
#pragma unroll
    for (int r = 0; r < ROWS; r++) {
      sum += row[r];
      at[(size_t) r * length] = sum;
    }
  }
  for (; y < end; y++, at += length) {
    sum += *at;
    *at = sum;
  }
}

/* The difference of each tilted sum to the one above it: prefix sums along the
 * diagonals. @step 1: stores the sums along the diagonals down to the right.
 * @step -1: adds those along the diagonals down to the left, without the sample
 * where both end. Rows and columns are counted in sums. With a border of 1 a
 * sum belongs to the sample one row up and one column to the left, which is
 * outside the frame for the first row and column. */
__kernel __attribute__ ((reqd_work_group_size (COLUMN_ITEMS, 1, 1))) void
integral_diagonals (__global const uchar *restrict samples, const ulong offset,
    const int stride, const int pixel_stride, const int width, const int height,
    __global uchar *restrict sums, const ulong sums_offset, const int channels,
    const int channel, const int border, const int step, const int shift)
{
  const int n_columns = width + border, n_rows = height + border;
  const size_t length = (size_t) n_columns * channels;
  const int diagonal = (int) get_global_id (0);
  RETURN_IF_OUTSIDE (diagonal, 0, n_columns + n_rows - 1, 1);

  /* column where the diagonal crosses row 0, and its rows within the columns */
  const int start = step > 0 ? diagonal - (n_rows - 1) : diagonal;
  const int y_start = max (0, step > 0 ? -start : start - (n_columns - 1));
  const int y_end = min (n_rows, step > 0 ? n_columns - start : start + 1);
  SUM_T sum = 0;

  for (int y = y_start; y < y_end; y++) {
    const int x = start + step * y;
    __global SUM_T *at = sums_row (sums, sums_offset, length, y) +
                         (size_t) x * channels + channel;
    SUM_T value = 0;

    if (x >= border && y >= border)
      value = value_of (read_row (samples, offset, stride,
                            y - border)[(size_t) (x - border) * pixel_stride],
          shift, 0);

    if (step > 0)
      *at = sum + value;
    else
      *at += sum;
    sum += value;
  }
}

/* integral_rows with asynchronous copies: copies a strip of samples to local
 * memory, scans it, and copies it back. Every work-item reaches each copy with
 * the same arguments. A copy orders nothing by itself: the kernel waits for its
 * end, and a barrier separates the last access to a local buffer from the next
 * copy of it. */
__kernel __attribute__ ((reqd_work_group_size (ROW_ITEMS, 1, 1))) void
integral_async_rows (__global const uchar *restrict samples, const ulong offset,
    const int stride, const int pixel_stride, const int width,
    __global uchar *restrict sums, const ulong sums_offset, const int channels,
    const int channel, const int border, const int shift, const int squares)
{
  __local SAMPLE_T fetched[STRIP];
  __local SUM_T strip[STRIP];
  __local SUM_T totals[2 * ROW_ITEMS];
  const int item = (int) get_local_id (0);
  const int y = (int) get_group_id (1);
  const size_t length = (size_t) (width + border) * channels;
  const bool is_border = y < border;
  __global const SAMPLE_T *row = read_row (samples, offset, stride,
      is_border ? 0 : y - border);
  __global SUM_T *out = start_row (sums_row (sums, sums_offset, length, y),
      channels, channel, border);
  SUM_T carry = 0;
  event_t copied;

  for (int start = 0; start < width; start += STRIP) {
    const int n = min (STRIP, width - start);
    const int per_item = elements_per_item (n);

    copied = async_work_group_strided_copy (fetched,
        row + (size_t) start * pixel_stride, (size_t) n, (size_t) pixel_stride,
        (event_t) 0);
    wait_group_events (1, &copied);

    for (int i = item; i < per_item * ROW_ITEMS; i += ROW_ITEMS)
      strip[i] = i < n && !is_border ? value_of (fetched[i], shift, squares)
                                     : 0;
    barrier (CLK_LOCAL_MEM_FENCE);

    carry = scan_strip (strip, per_item, totals, carry);

    copied = async_work_group_strided_copy (out + (size_t) start * channels,
        strip, (size_t) n, (size_t) channels, (event_t) 0);
    wait_group_events (1, &copied);
    barrier (CLK_LOCAL_MEM_FENCE);
  }
}

/* integral_columns with asynchronous copies, in place: strips of one column,
 * whose elements are a row apart. */
__kernel __attribute__ ((reqd_work_group_size (ROW_ITEMS, 1, 1))) void
integral_async_columns (__global uchar *restrict sums, const ulong sums_offset,
    const int length, const int n_rows)
{
  __local SUM_T strip[STRIP];
  __local SUM_T totals[2 * ROW_ITEMS];
  const int item = (int) get_local_id (0);
  const int x = (int) get_group_id (1);
  SUM_T carry = 0;
  event_t copied;

  for (int start = 0; start < n_rows; start += STRIP) {
    const int n = min (STRIP, n_rows - start);
    const int per_item = elements_per_item (n);
    __global SUM_T *at = sums_row (sums, sums_offset, length, start) + x;

    copied = async_work_group_strided_copy (strip, at, (size_t) n,
        (size_t) length, (event_t) 0);
    wait_group_events (1, &copied);

    /* elements that the copy did not fill */
    for (int i = n + item; i < per_item * ROW_ITEMS; i += ROW_ITEMS)
      strip[i] = 0;
    barrier (CLK_LOCAL_MEM_FENCE);

    carry = scan_strip (strip, per_item, totals, carry);

    copied = async_work_group_strided_copy (at, strip, (size_t) n,
        (size_t) length, (event_t) 0);
    wait_group_events (1, &copied);
    barrier (CLK_LOCAL_MEM_FENCE);
  }
}

/* ---- placing ---- */

/* Returns the bits of the floating-point number nearest to @v, ties to even,
 * with @n_fraction stored bits of the fraction and the exponent's @bias. */
static inline ulong
float_bits (const ulong v, const int n_fraction, const int bias)
{
  if (v == 0)
    return 0;

  const int top = 63 - (int) clz (v);
  const int n_dropped = top - n_fraction;
  ulong kept = n_dropped > 0 ? v >> n_dropped : v << -n_dropped;

  if (n_dropped > 0) {
    const ulong rest = v - (kept << n_dropped);
    const ulong half_unit = 1UL << (n_dropped - 1);

    kept += rest > half_unit || (rest == half_unit && (kept & 1));
  }

  /* the leading one is not stored; rounding up to the next power of two carries
   * into the exponent, as it must */
  return ((ulong) (bias + top) << n_fraction) + (kept - (1UL << n_fraction));
}

/* Converts exact sums to the requested type, in words of 32 bits: works on
 * devices without doubles, with memory that is aligned to a word only.
 * @is_float: to float (@sum_bytes 4) or double (8); otherwise to ulong. */
__kernel __attribute__ ((reqd_work_group_size (PLACE_ITEMS, 1, 1))) void
integral_place (__global const ulong *restrict exact, const ulong n_sums,
    __global uchar *restrict sums, const ulong sums_offset, const int sum_bytes,
    const int is_float)
{
  const size_t i = get_global_id (0);
  __global uint *words = (__global uint *) (sums + sums_offset);

  if (i >= n_sums)
    return;

  if (!is_float)
    vstore2 (as_uint2 (exact[i]), i, words);
  else if (sum_bytes == sizeof (float))
    words[i] = (uint) float_bits (exact[i], 23, 127);
  else
    vstore2 (as_uint2 (float_bits (exact[i], 52, 1023)), i, words);
}
