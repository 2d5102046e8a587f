/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* packing/plain.cl: a plane of a packed format and its components, on any
 * device
 *
 * Math      Copies of codes. A code of fewer bits than DEPTH is extended by
 *           repeating its bits, and packed as its upper bits.
 * Shape     A packed plane of n_rows rows of row_bytes bytes; a plane of widths
 *           samples a row for each of its components.
 * Units     Offsets, strides and row_bytes are in bytes, widths in samples.
 * Memory    packed and samples do not overlap. Packed rows begin at multiples
 *           of a WORD_T. Unused bits of packed groups, and samples that a row
 *           does not have, are packed as 0. Bytes after row_bytes are neither
 *           read nor written.
 * Launch    Local (64, 4), a work-item for a chunk (cl_packing.clh).
 * Range     All codes of at most 16 bits.
 * Accuracy  Exact. The reference is tests/packing/packingreference.c.
 * Source    The layouts are those of GStreamer's video-format.c; FFmpeg's and
 *           OpenCV's formats of the same names agree.
 */

#include "cl_common.clh"
#include "cl_packing.clh"

#define ITEMS 64 /* work-items of a group along a row */

__kernel __attribute__ ((reqd_work_group_size (ITEMS, 4, 1))) void
packing_unpack (PACKING_ARGUMENTS (__global const uchar *restrict,
    __global uchar *restrict))
{
  const int chunk = (int) get_global_id (0);
  const int y = (int) get_global_id (1);
  const int start = chunk * CHUNK_BYTES;
  RETURN_IF_OUTSIDE (start, y, row_bytes, n_rows);

  __global uchar *const rows[] = SAMPLE_ROWS (y);

  unpack_chunk (chunk,
      packed + packed_offset + (long) y * packed_stride + start,
      row_bytes - start, rows, widths);
}

__kernel __attribute__ ((reqd_work_group_size (ITEMS, 4, 1))) void
packing_pack (PACKING_ARGUMENTS (__global uchar *restrict,
    __global const uchar *restrict))
{
  const int chunk = (int) get_global_id (0);
  const int y = (int) get_global_id (1);
  const int start = chunk * CHUNK_BYTES;
  RETURN_IF_OUTSIDE (start, y, row_bytes, n_rows);

  __global const uchar *const rows[] = SAMPLE_ROWS (y);

  pack_chunk (chunk, packed + packed_offset + (long) y * packed_stride + start,
      row_bytes - start, rows, widths);
}
