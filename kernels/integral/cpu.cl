/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* integral/cpu.cl: integral images of 1 to 4 components, for CPU devices
 *
 * Math      S(x, y) is the sum of I(i, j) over i <= x, j <= y, for each
 *           component; with SQUARES, of I(i, j)^2.
 * Shape     CHANNELS components have width x height samples each. The sums are
 *           (width + border) x (height + border), with the channels
 *           interleaved; where border is 1 (the exclusive layout) the first row
 *           and the first column are zero.
 * Units     Codes of samples are summed. Offsets and strides of samples are in
 *           bytes; lengths of rows of sums and of scratch are in elements.
 * Memory    Row-major, row 0 on top. Components may share a buffer. Rows of
 *           sums are tightly packed and start at any multiple of four bytes.
 *           The scratch memory is totals[n_bands][CHANNELS][width] and
 *           above[n_bands][CHANNELS][width].
 * Launch    Local (1, 1, 1). integral_cpu_bands: a work-item for a band of rows
 *           of one component, (n_bands - 1) x CHANNELS of them, as the totals
 *           of the last band are not used. Then integral_cpu_rows: n_bands
 *           work-items, each for a band of all components.
 * Range     Totals of columns are exact while height * largest value < 2^32,
 *           and always with TOTAL_IS_WIDE. Sums are modulo the range of SUM_T;
 *           totals may be, too.
 * Accuracy  Integers are exact. The reference is
 *           tests/integral/integralreference.c.
 * Source    The samples are read twice, since computing the sums above a band
 *           again takes less time than waiting for them. Timings are in
 *           docs/performance.md.
 */

#include "cl_common.clh"
#include "cl_pixel.clh"

#ifndef SUM_T
#define SUM_T uint /* type of one sum: uint (modulo 2^32), ulong (exact) */
#endif
#ifndef PARTIAL_T
#define PARTIAL_T ushort /* holds the sum of 16 values: ushort, uint, ulong */
#endif
#ifndef SQUARES
#define SQUARES 0 /* 1: a value is the square of a sample; 0: the sample */
#endif
#ifndef SQUARE_T
#define SQUARE_T ushort /* twice the bits of a sample: ushort, uint */
#endif
#ifndef CHANNELS
#define CHANNELS 1 /* components, 1 .. 4 */
#endif
#ifndef ROWS
/* Rows that are summed together: their chains of carries are independent. With
 * more than eight rows registers spill. */
#define ROWS (CHANNELS == 1 ? 8 : CHANNELS == 2 ? 4 : 2)
#endif

#define BAND_UNIT 8 /* the first row of a band is a multiple of it */

#ifdef TOTAL_IS_WIDE
#define TOTAL_T ulong
#else
#define TOTAL_T uint
#endif

#define SUM16_T     VECTOR_T (SUM_T, 16)
#define PARTIAL16_T VECTOR_T (PARTIAL_T, 16)
#define TOTAL16_T   VECTOR_T (TOTAL_T, 16)
#define PREFIX16    PASTE (prefix16_, PARTIAL_T)

#define SQUARE16_T VECTOR_T (SQUARE_T, 16)

/* Address of a sum. */
typedef PASTE (SUM_T, _at) Sum;

/* Inlined, so that row counts that are constants at each call are constants in
 * the loops. */
#define ALWAYS_INLINE inline __attribute__ ((always_inline))

/* Arguments of the two kernels for each component; those after CHANNELS are not
 * used. */
#define SAMPLE_ARGUMENTS                                                       \
  __global const uchar *restrict base0, __global const uchar *restrict base1,  \
      __global const uchar *restrict base2,                                    \
      __global const uchar *restrict base3, const ulong offset0,               \
      const ulong offset1, const ulong offset2, const ulong offset3,           \
      const int4 strides

/* The first row and the stride of each component, from SAMPLE_ARGUMENTS. */
typedef struct {
  __global const uchar *first[4];
  int stride_bytes[4];
} Source;

/* clang-format off */
#define SOURCE {                                                               \
    { base0 + offset0, base1 + offset1, base2 + offset2, base3 + offset3 },    \
    { strides.s0, strides.s1, strides.s2, strides.s3 },                        \
  }
/* clang-format on */

/* The value of a sample that is summed. */
static inline PARTIAL_T
value_of (const SAMPLE_T sample)
{
  const PARTIAL_T value = sample_code (sample);

  return SQUARES ? value * value : value;
}

static inline PARTIAL16_T
load16_values (__global const SAMPLE_T *p)
{
#if SQUARES
  /* the square needs twice the bits of a sample */
  const SQUARE16_T code = CONVERT (SQUARE16_T) (
      sample_codes16 (load16_samples (p)));

  return CONVERT (PARTIAL16_T) (code * code);
#else
  return CONVERT (PARTIAL16_T) (sample_codes16 (load16_samples (p)));
#endif
}

/* First row of @band. Only the last band may have an odd number of rows. */
static inline int
band_row (const int band, const int n_bands, const int height)
{
  const int n_units = (height + BAND_UNIT - 1) / BAND_UNIT;

  return min (height, BAND_UNIT * band_start (band, n_bands, n_units));
}

/* Adds @n_rows rows (a constant, at most 16) from @row on to @totals, or sets
 * @totals to their sums if @is_first. */
static ALWAYS_INLINE void
add_rows (__global const uchar *row, const int stride_bytes, const int n_rows,
    const bool is_first, const int width, __global TOTAL_T *restrict totals)
{
  int x = 0;

  for (; x + 16 <= width; x += 16) {
    PARTIAL16_T partial = 0;
#pragma unroll
    for (int r = 0; r < n_rows; r++) {
      partial += load16_values (
          read_row (row, 0, stride_bytes, r) + x * PIXEL_STRIDE);
    }

    TOTAL16_T total = CONVERT (TOTAL16_T) (partial);
    if (!is_first)
      total += LOAD16 (TOTAL_T, totals + x);
    STORE16 (TOTAL_T, total, totals + x);
  }

  for (; x < width; x++) {
    TOTAL_T total = is_first ? 0 : totals[x];
    for (int r = 0; r < n_rows; r++)
      total += value_of (read_row (row, 0, stride_bytes, r)[x * PIXEL_STRIDE]);
    totals[x] = total;
  }
}

/* Column totals of each band, which the bands below need. */
__kernel __attribute__ ((reqd_work_group_size (1, 1, 1))) void
integral_cpu_bands (SAMPLE_ARGUMENTS, const int width, const int height,
    const int n_bands, __global TOTAL_T *restrict totals)
{
  const Source source = SOURCE;
  const int band = (int) get_global_id (0);
  const int channel = (int) get_global_id (1);
  const int start = band_row (band, n_bands, height);
  const int end = band_row (band + 1, n_bands, height);
  const int stride_bytes = source.stride_bytes[channel];
  __global const uchar *first = source.first[channel];
  int y = start;

  totals += ((size_t) band * CHANNELS + channel) * width;
  for (; y + 8 <= end; y += 8) {
    add_rows (first + (long) y * stride_bytes, stride_bytes, 8, y == start,
        width, totals);
  }
  for (; y < end; y++) {
    add_rows (first + (long) y * stride_bytes, stride_bytes, 1, y == start,
        width, totals);
  }
}

/* Sums of the row above @band for one component, from the totals of the bands
 * above; @pitch elements from the totals of one band to the next. For band 0:
 * zeros. */
static inline void
sums_above (__global const TOTAL_T *restrict totals, const size_t pitch,
    const int band, const int width, __global Sum *restrict above)
{
  SUM_T carry = 0;
  int x = 0;

  for (; x + 16 <= width; x += 16) {
    TOTAL16_T total = 0;
    for (int k = 0; k < band; k++)
      total += LOAD16 (TOTAL_T, totals + k * pitch + x);
#if defined(TOTAL_IS_WIDE)
    const ulong16 prefix = prefix16_ulong (total);
#elif defined(SUM_IS_WIDE)
    /* prefixes of u32 totals may pass 2^32: split them */
    const ulong16 prefix = convert_ulong16 (prefix16_uint (total & 0xffff)) +
                           (convert_ulong16 (prefix16_uint (total >> 16))
                               << 16);
#else
    const uint16 prefix = prefix16_uint (total);
#endif
    STORE16 (SUM_T, prefix + carry, above + x);
    carry += prefix.sf;
  }

  for (; x < width; x++) {
    for (int k = 0; k < band; k++)
      carry += totals[k * pitch + x];
    above[x] = carry;
  }
}

/* Stores sixteen sums of each channel, interleaved, from @sums on. */
static inline void
store_interleaved (const SUM16_T *v, __global Sum *sums)
{
#if CHANNELS == 1
  STORE16 (SUM_T, v[0], sums);
#elif CHANNELS == 2
  const SUM16_T a = v[0], b = v[1];

  STORE16 (SUM_T,
      (SUM16_T) (a.s0, b.s0, a.s1, b.s1, a.s2, b.s2, a.s3, b.s3, a.s4, b.s4,
          a.s5, b.s5, a.s6, b.s6, a.s7, b.s7),
      sums);
  STORE16 (SUM_T,
      (SUM16_T) (a.s8, b.s8, a.s9, b.s9, a.sa, b.sa, a.sb, b.sb, a.sc, b.sc,
          a.sd, b.sd, a.se, b.se, a.sf, b.sf),
      sums + 16);
#elif CHANNELS == 3
  const SUM16_T a = v[0], b = v[1], c = v[2];

  STORE16 (SUM_T,
      (SUM16_T) (a.s0, b.s0, c.s0, a.s1, b.s1, c.s1, a.s2, b.s2, c.s2, a.s3,
          b.s3, c.s3, a.s4, b.s4, c.s4, a.s5),
      sums);
  STORE16 (SUM_T,
      (SUM16_T) (b.s5, c.s5, a.s6, b.s6, c.s6, a.s7, b.s7, c.s7, a.s8, b.s8,
          c.s8, a.s9, b.s9, c.s9, a.sa, b.sa),
      sums + 16);
  STORE16 (SUM_T,
      (SUM16_T) (c.sa, a.sb, b.sb, c.sb, a.sc, b.sc, c.sc, a.sd, b.sd, c.sd,
          a.se, b.se, c.se, a.sf, b.sf, c.sf),
      sums + 32);
#else
  const SUM16_T a = v[0], b = v[1], c = v[2], d = v[3];

  STORE16 (SUM_T,
      (SUM16_T) (a.s0, b.s0, c.s0, d.s0, a.s1, b.s1, c.s1, d.s1, a.s2, b.s2,
          c.s2, d.s2, a.s3, b.s3, c.s3, d.s3),
      sums);
  STORE16 (SUM_T,
      (SUM16_T) (a.s4, b.s4, c.s4, d.s4, a.s5, b.s5, c.s5, d.s5, a.s6, b.s6,
          c.s6, d.s6, a.s7, b.s7, c.s7, d.s7),
      sums + 16);
  STORE16 (SUM_T,
      (SUM16_T) (a.s8, b.s8, c.s8, d.s8, a.s9, b.s9, c.s9, d.s9, a.sa, b.sa,
          c.sa, d.sa, a.sb, b.sb, c.sb, d.sb),
      sums + 32);
  STORE16 (SUM_T,
      (SUM16_T) (a.sc, b.sc, c.sc, d.sc, a.sd, b.sd, c.sd, d.sd, a.se, b.se,
          c.se, d.se, a.sf, b.sf, c.sf, d.sf),
      sums + 48);
#endif
}

/* Sums of @n_rows rows (a constant, at most ROWS) from row @y on. @above: the
 * sums of the row above, one component after the other; replaced by those of
 * the last row. With one channel it is only read, and may be a row of the sums
 * themselves. @sums: address of the first sum of the first row. */
static ALWAYS_INLINE void
integrate_rows (const Source *source, const int y, const int n_rows,
    const int width, __global Sum *above, __global Sum *sums,
    const size_t sums_pitch)
{
  __global const uchar *first[CHANNELS];
  SUM_T carry[CHANNELS][ROWS];
  int x = 0;

  for (int c = 0; c < CHANNELS; c++) {
    first[c] = source->first[c] + (long) y * source->stride_bytes[c];
#pragma unroll
    for (int r = 0; r < n_rows; r++)
      carry[c][r] = 0;
  }

  for (; x + 16 <= width; x += 16) {
    SUM16_T sum[CHANNELS];

#pragma unroll
    for (int c = 0; c < CHANNELS; c++)
      sum[c] = LOAD16 (SUM_T, above + (size_t) c * width + x);

#pragma unroll
    for (int r = 0; r < n_rows; r++) {
#pragma unroll
      for (int c = 0; c < CHANNELS; c++) {
        const PARTIAL16_T prefix = PREFIX16 (
            load16_values (read_row (first[c], 0, source->stride_bytes[c], r) +
                           x * PIXEL_STRIDE));

        /* the next carry is taken from the prefix sums alone, so that each
         * chain of carries is one addition long */
        sum[c] += CONVERT (SUM16_T) (prefix) + carry[c][r];
        carry[c][r] += prefix.sf;
      }
      store_interleaved (sum, sums + r * sums_pitch + (size_t) x * CHANNELS);
    }

#if CHANNELS > 1
#pragma unroll
    for (int c = 0; c < CHANNELS; c++)
      STORE16 (SUM_T, sum[c], above + (size_t) c * width + x);
#endif
  }

  for (; x < width; x++) {
    for (int c = 0; c < CHANNELS; c++) {
      SUM_T sum = above[(size_t) c * width + x];
      for (int r = 0; r < n_rows; r++) {
        carry[c][r] += value_of (read_row (first[c], 0, source->stride_bytes[c],
            r)[x * PIXEL_STRIDE]);
        sum += carry[c][r];
        sums[r * sums_pitch + (size_t) x * CHANNELS + c] = sum;
      }
#if CHANNELS > 1
      above[(size_t) c * width + x] = sum;
#endif
    }
  }
}

/* The sums of each band, after the column totals of all bands. */
__kernel __attribute__ ((reqd_work_group_size (1, 1, 1))) void
integral_cpu_rows (SAMPLE_ARGUMENTS, const int width, const int height,
    const int n_bands, __global const TOTAL_T *restrict totals,
    __global Sum *above, __global uchar *sums, const ulong sums_offset,
    const int border)
{
  const Source source = SOURCE;
  const int band = (int) get_global_id (0);
  const int start = band_row (band, n_bands, height);
  const int end = band_row (band + 1, n_bands, height);
  const size_t sums_pitch = (size_t) (width + border) * CHANNELS;
  __global Sum *first = (__global Sum *) (sums + sums_offset);
  __global Sum *row = first + (start + border) * sums_pitch;
  int y = start;

  if (border && band == 0) {
    for (size_t i = 0; i < sums_pitch; i++)
      first[i] = 0;
  }
  if (border) {
    for (int i = 0; i < (end - start) * CHANNELS; i++)
      row[(i / CHANNELS) * sums_pitch + i % CHANNELS] = 0;
    row += CHANNELS;
  }

  above += (size_t) band * CHANNELS * width;
  for (int c = 0; c < CHANNELS; c++) {
    sums_above (totals + (size_t) c * width, (size_t) CHANNELS * width, band,
        width, above + (size_t) c * width);
  }

  for (; y + ROWS <= end; y += ROWS) {
    integrate_rows (&source, y, ROWS, width, above, row, sums_pitch);
    row += ROWS * sums_pitch;
#if CHANNELS == 1
    above = row - sums_pitch;
#endif
  }
  for (; y < end; y++) {
    integrate_rows (&source, y, 1, width, above, row, sums_pitch);
    row += sums_pitch;
#if CHANNELS == 1
    above = row - sums_pitch;
#endif
  }
}
