/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* packing/cpu.cl: a plane of a packed format and its components, for CPU
 * devices
 *
 * Math      As packing/plain.cl.
 * Shape     As packing/plain.cl.
 * Units     As packing/plain.cl.
 * Memory    As packing/plain.cl. A vector of a component has the samples of a
 *           chunk in its first lanes. A store of eight samples, or of 16 bytes,
 *           may overlap the next chunk's, which is written after it.
 * Launch    Local (1, 1, 1), a work-item for a band of rows.
 * Range     All codes of at most 16 bits.
 * Accuracy  Exact. The reference is tests/packing/packingreference.c.
 * Source    One shuffle of bytes and one shift by lanes, as in the assembly of
 *           FFmpeg's v210 decoder and of libyuv.
 */

#include "cl_packing.clh"
#include "cl_pixel.clh"

#define LANES 8 /* of a vector; the first N_c have samples of a chunk */

#define SAMPLE8_T VECTOR_T (SAMPLE_T, 8)

/* One access, with the alignment of a sample: see DEFINE_LOAD_STORE_16. */
#ifdef __clang__
typedef SAMPLE8_T __attribute__ ((aligned (sizeof (SAMPLE_T)))) sample8_at;
#define LOAD8(p)     (*(__global const sample8_at *) (p))
#define STORE8(v, p) (*(__global sample8_at *) (p) = (v))
#else
#define LOAD8(p)     vload8 (0, p)
#define STORE8(v, p) vstore8 (v, 0, p)
#endif

#define SHIFTS_OF(c)                                                           \
  ((ushort8) (SHIFT (c, 0), SHIFT (c, 1), SHIFT (c, 2), SHIFT (c, 3),          \
      SHIFT (c, 4), SHIFT (c, 5), SHIFT (c, 6), SHIFT (c, 7)))

/* --- unpacking ----------------------------------------------------------- */

/* The two bytes of a lane, in the byte order of the device. */
#ifdef __ENDIAN_LITTLE__
#define LANE(c, i) bytes[LOWER (BYTE (c, i))], bytes[UPPER (BYTE (c, i))]
#else
#define LANE(c, i) bytes[UPPER (BYTE (c, i))], bytes[LOWER (BYTE (c, i))]
#endif

#define LANES_OF(c)                                                            \
  ((uchar16) (LANE (c, 0), LANE (c, 1), LANE (c, 2), LANE (c, 3), LANE (c, 4), \
      LANE (c, 5), LANE (c, 6), LANE (c, 7)))

/* Stores the samples of component @c of a chunk, and lanes after them. */
#define UNPACK_LANES(c)                                                        \
  do {                                                                         \
    const ushort8 codes = as_ushort8 (LANES_OF (c)) >> SHIFTS_OF (c) &         \
                          (ushort8) (MASK (c));                                \
    const ushort8 extended = codes * (ushort8) (FACTOR_##c) >>                 \
                             (ushort8) (EXTRA_##c);                            \
                                                                               \
    STORE8 (CONVERT (VECTOR_T (SAMPLE_T, 8)) (extended),                       \
        (__global SAMPLE_T *) rows[c] + chunk * N_##c);                        \
  } while (0)

/* Returns the number of chunks of a row whose loads and stores of 16 bytes and
 * of eight samples end within the row; at most 0 if the row is too short. */
static inline int
count_whole_chunks (const int row_bytes, const int4 widths)
{
  int n = (row_bytes - 16 + CHUNK_BYTES) / CHUNK_BYTES;

#if N_0 > 0
  n = min (n, (widths.x - LANES + N_0) / N_0);
#endif
#if N_1 > 0
  n = min (n, (widths.y - LANES + N_1) / N_1);
#endif
#if N_2 > 0
  n = min (n, (widths.z - LANES + N_2) / N_2);
#endif
#if N_3 > 0
  n = min (n, (widths.w - LANES + N_3) / N_3);
#endif

  return n;
}

__kernel __attribute__ ((reqd_work_group_size (1, 1, 1))) void
packing_unpack_bands (PACKING_ARGUMENTS (__global const uchar *restrict,
                          __global uchar *restrict),
    const int n_bands)
{
  const int band = (int) get_global_id (0);
  const int n_chunks = (row_bytes + CHUNK_BYTES - 1) / CHUNK_BYTES;
  const int n_whole = count_whole_chunks (row_bytes, widths);

  for (int y = band_start (band, n_bands, n_rows);
       y < band_start (band + 1, n_bands, n_rows); y++) {
    __global const uchar *from = packed + packed_offset +
                                 (long) y * packed_stride;
    __global uchar *const rows[] = SAMPLE_ROWS (y);
    int chunk = 0;

    for (; chunk < n_whole; chunk++) {
      uchar bytes[16];

      *(uchar16 *) bytes = LOAD16 (uchar, from + chunk * CHUNK_BYTES);
#if N_0 > 0
      UNPACK_LANES (0);
#endif
#if N_1 > 0
      UNPACK_LANES (1);
#endif
#if N_2 > 0
      UNPACK_LANES (2);
#endif
#if N_3 > 0
      UNPACK_LANES (3);
#endif
    }
    for (; chunk < n_chunks; chunk++)
      unpack_chunk (chunk, from + chunk * CHUNK_BYTES,
          row_bytes - chunk * CHUNK_BYTES, rows, widths);
  }
}

/* --- packing ------------------------------------------------------------- */

/* The codes of component @c of a chunk, shifted to their bits of the words. */
#define LOAD_LANES(c)                                                          \
  ((CONVERT (ushort8) (                                                        \
        LOAD8 ((__global const SAMPLE_T *) rows[c] + chunk * N_##c)) >>        \
           (ushort8) (DEPTH - BITS_##c) &                                      \
       (ushort8) (MASK (c)))                                                   \
      << SHIFTS_OF (c))

/* The byte of lane @i if that is byte @k of the chunk, else 0. HALF: LOWER,
 * UPPER. */
#ifdef __ENDIAN_LITTLE__
#define BYTE_OF_LANE(HALF, i) (2 * (i) + (IS_UPPER_##HALF))
#else
#define BYTE_OF_LANE(HALF, i) (2 * (i) + 1 - (IS_UPPER_##HALF))
#endif
#define IS_UPPER_LOWER 0
#define IS_UPPER_UPPER 1
#define PICK(HALF, c, k, i)                                                    \
  ((i) < N_##c && HALF (BYTE (c, i)) == (k) ? bytes[BYTE_OF_LANE (HALF, i)] : 0)
#define PICK_BYTE(HALF, c, k)                                                  \
  (uchar) (PICK (HALF, c, k, 0) | PICK (HALF, c, k, 1) |                       \
           PICK (HALF, c, k, 2) | PICK (HALF, c, k, 3) |                       \
           PICK (HALF, c, k, 4) | PICK (HALF, c, k, 5) |                       \
           PICK (HALF, c, k, 6) | PICK (HALF, c, k, 7))

/* The lower or the upper bytes of the lanes at their bytes of the chunk. */
#define PLACED(HALF, c)                                                        \
  ((uchar16) (PICK_BYTE (HALF, c, 0), PICK_BYTE (HALF, c, 1),                  \
      PICK_BYTE (HALF, c, 2), PICK_BYTE (HALF, c, 3), PICK_BYTE (HALF, c, 4),  \
      PICK_BYTE (HALF, c, 5), PICK_BYTE (HALF, c, 6), PICK_BYTE (HALF, c, 7),  \
      PICK_BYTE (HALF, c, 8), PICK_BYTE (HALF, c, 9), PICK_BYTE (HALF, c, 10), \
      PICK_BYTE (HALF, c, 11), PICK_BYTE (HALF, c, 12),                        \
      PICK_BYTE (HALF, c, 13), PICK_BYTE (HALF, c, 14),                        \
      PICK_BYTE (HALF, c, 15)))

#define PACK_LANES(c)                                                          \
  do {                                                                         \
    uchar bytes[16];                                                           \
                                                                               \
    *(uchar16 *) bytes = as_uchar16 (LOAD_LANES (c));                          \
    packed_bytes |= PLACED (LOWER, c) | PLACED (UPPER, c);                     \
  } while (0)

__kernel __attribute__ ((reqd_work_group_size (1, 1, 1))) void
packing_pack_bands (PACKING_ARGUMENTS (__global uchar *restrict,
                        __global const uchar *restrict),
    const int n_bands)
{
  const int band = (int) get_global_id (0);
  const int n_chunks = (row_bytes + CHUNK_BYTES - 1) / CHUNK_BYTES;
  const int n_whole = count_whole_chunks (row_bytes, widths);

  for (int y = band_start (band, n_bands, n_rows);
       y < band_start (band + 1, n_bands, n_rows); y++) {
    __global uchar *to = packed + packed_offset + (long) y * packed_stride;
    __global const uchar *const rows[] = SAMPLE_ROWS (y);
    int chunk = 0;

    for (; chunk < n_whole; chunk++) {
      uchar16 packed_bytes = 0;

#if N_0 > 0
      PACK_LANES (0);
#endif
#if N_1 > 0
      PACK_LANES (1);
#endif
#if N_2 > 0
      PACK_LANES (2);
#endif
#if N_3 > 0
      PACK_LANES (3);
#endif
      STORE16 (uchar, packed_bytes, to + chunk * CHUNK_BYTES);
    }
    for (; chunk < n_chunks; chunk++)
      pack_chunk (chunk, to + chunk * CHUNK_BYTES,
          row_bytes - chunk * CHUNK_BYTES, rows, widths);
  }
}
