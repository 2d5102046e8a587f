/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* errors/plain.cl: differences between two pictures, on any device
 *
 * Math      Of the differences between each sample and that of the other
 *           picture: the sum of squares, the number of those that are not 0,
 *           the greatest absolute difference, the first different sample in row
 *           order and, with HAS_HISTOGRAM, the histogram of absolute
 *           differences. errors_measure computes parts, errors_merge merges
 *           them.
 * Shape     A rectangle of each component; one without samples has size 0x0.
 * Units     Codes of samples. Offsets and strides of rows are in bytes, pixel
 *           strides in samples.
 * Memory    parts: N_PART_WORDS words for each part of each component
 *           (cl_errorparts.clh). result: cl_errors.clh.
 * Launch    Local (GROUP, 1, 1), a component for each y. errors_measure:
 *           n_parts work-groups; each measures every n_parts-th tile of
 *           TILE_WIDTH samples and ROWS rows. errors_merge: a work-group for
 *           each of N_PART_WORDS words, after errors_measure.
 * Range     A work-item measures less than 2^32 samples.
 * Accuracy  Exact. The reference is tests/errors/errorsreference.c.
 * Source    If the rows of both pictures are aligned, a work-item loads CHUNK
 *           samples at a time. Tree reduction in local memory.
 */

#include "cl_code.clh"
#include "cl_common.clh"
#include "cl_errorparts.clh"
#include "cl_errors.clh"
#include "cl_pixel.clh"
#include "cl_plane.clh"

#define GROUP 128
#define LANES 32 /* work-items for a row of a tile */
#define ROWS  (GROUP / LANES)

#define CHUNK_BYTES ((int) sizeof (uint4))
#define CHUNK       (CHUNK_BYTES / (int) sizeof (SAMPLE_T)) /* samples */
#define TILE_WIDTH  (LANES * CHUNK)
#define SAMPLE_BITS (8 * (int) sizeof (SAMPLE_T))

/* Holds the squares of a chunk: 16 * 255^2, 8 * (2^14 - 1)^2. */
#if DEPTH <= 14
typedef uint Squares;
#else
typedef ulong Squares;
#endif

/* Adds to the numbers of a chunk the difference between its sample @i and that
 * of the other picture. Samples are added from the last one to the first. */
typedef struct {
  Squares squares;
  uint n_different, max;
  int first; /* -1: none */
} ChunkErrors;

static ALWAYS_INLINE void
add_difference (const uint a, const uint b, const int i, ChunkErrors *chunk,
    __local uint *bins)
{
  const uint difference = abs_diff (a, b);

  chunk->squares += (Squares) difference * difference;
  chunk->max = max (chunk->max, difference);
  chunk->n_different += difference > 0;
  chunk->first = difference > 0 ? i : chunk->first;
  if (HAS_HISTOGRAM)
    atomic_inc (&bins[min (difference, (uint) (ERRORS_N_BINS - 1))]);
}

/* The samples of a word, of which the first one is sample @i of the chunk. */
static ALWAYS_INLINE void
add_word (const uint a, const uint b, const int i, ChunkErrors *chunk,
    __local uint *bins)
{
#pragma unroll
  for (int k = 32 / SAMPLE_BITS - 1; k >= 0; k--) {
#ifdef __ENDIAN_LITTLE__
    const int bit = k * SAMPLE_BITS;
#else
    const int bit = 32 - (k + 1) * SAMPLE_BITS;
#endif

    add_difference (masked_code ((SAMPLE_T) (a >> bit)),
        masked_code ((SAMPLE_T) (b >> bit)), i + k, chunk, bins);
  }
}

/* Adds the numbers of a chunk, whose sample 0 has index @index; its samples are
 * @step apart. */
static ALWAYS_INLINE void
add_chunk (const ChunkErrors *chunk, const ulong index, const int step,
    Errors *own)
{
  own->squares += chunk->squares;
  own->n_different += chunk->n_different;
  own->max = max (own->max, chunk->max);
  if (chunk->first >= 0)
    own->first = min (own->first, index + (ulong) (chunk->first * step));
}

/* Returns whether a chunk of any row can be loaded at once. */
static ALWAYS_INLINE bool
has_chunks (const Plane *plane)
{
  const size_t start = (size_t) (plane->base + plane->offset_bytes);

  return plane->pixel_stride == 1 &&
         ((start | (size_t) plane->stride_bytes) % CHUNK_BYTES) == 0;
}

/* Measures the samples from (@x, @y) on that are this work-item's in a tile: a
 * chunk or, if they are not aligned, CHUNK of them, LANES apart. */
static ALWAYS_INLINE void
measure_chunk (const Plane *a, const Plane *b, const bool is_aligned,
    const int tile_x, const int y, const int width, Errors *own,
    __local uint *bins)
{
  const int lane = (int) get_local_id (0) % LANES;
  const ulong row = (ulong) y * (ulong) width;
  ChunkErrors chunk = { 0, 0, 0, -1 };
  int x = tile_x + lane * CHUNK;

  if (is_aligned && x + CHUNK <= width) {
    const uint4 v = *(__global const uint4 *) (plane_row (a, y) + x);
    const uint4 w = *(__global const uint4 *) (plane_row (b, y) + x);

    add_word (v.w, w.w, 3 * CHUNK / 4, &chunk, bins);
    add_word (v.z, w.z, 2 * CHUNK / 4, &chunk, bins);
    add_word (v.y, w.y, CHUNK / 4, &chunk, bins);
    add_word (v.x, w.x, 0, &chunk, bins);
    add_chunk (&chunk, row + (ulong) x, 1, own);
    return;
  }

  {
    const int step = is_aligned ? 1 : LANES;

    x = is_aligned ? x : tile_x + lane;
    for (int i = CHUNK - 1; i >= 0; i--) {
      if (x + i * step < width)
        add_difference (masked_code_at (a, x + i * step, y),
            masked_code_at (b, x + i * step, y), i, &chunk, bins);
    }
    add_chunk (&chunk, row + (ulong) x, step, own);
  }
}

/* The numbers of each work-item, field by field, so that neighbouring
 * work-items use neighbouring banks. */
typedef struct {
  ulong squares[GROUP], first[GROUP];
  uint n_different[GROUP], max[GROUP];
} LocalErrors;

/* Merges the numbers of the work-items of the group; returns the result to
 * work-item 0. All work-items of the group must call this. */
static ALWAYS_INLINE void
merge_group (Errors *own, __local LocalErrors *all)
{
  const int i = (int) get_local_id (0);

  all->squares[i] = own->squares;
  all->first[i] = own->first;
  all->n_different[i] = own->n_different;
  all->max[i] = own->max;

  for (int reach = GROUP / 2; reach > 0; reach /= 2) {
    barrier (CLK_LOCAL_MEM_FENCE);
    if (i < reach) {
      all->squares[i] = own->squares += all->squares[i + reach];
      all->first[i] = own->first = min (own->first, all->first[i + reach]);
      all->n_different[i] = own->n_different += all->n_different[i + reach];
      all->max[i] = own->max = max (own->max, all->max[i + reach]);
    }
  }
}

__kernel __attribute__ ((reqd_work_group_size (GROUP, 1, 1))) void
errors_measure (PLANE_ARGUMENTS, COMPARED_ARGUMENTS, const int n_parts,
    __global ulong *parts)
{
  __local LocalErrors all;
  __local uint bins[HAS_HISTOGRAM ? ERRORS_N_BINS : 1];
  const int i = (int) get_local_id (0), part = (int) get_group_id (0);
  const int c = (int) get_global_id (1);
  const Plane planes[4] = PLANES;
  const Plane compared[4] = COMPARED_PLANES;
  const Plane a = pick_plane (planes, c), b = pick_plane (compared, c);
  const int width = pick_int (widths, c), height = pick_int (heights, c);
  const bool is_aligned = has_chunks (&a) && has_chunks (&b);
  const int n_columns = (width + TILE_WIDTH - 1) / TILE_WIDTH;
  const int n_tiles = n_columns * ((height + ROWS - 1) / ROWS);
  Errors own = NO_ERRORS;

#if HAS_HISTOGRAM
  for (int k = i; k < ERRORS_N_BINS; k += GROUP)
    bins[k] = 0;
  barrier (CLK_LOCAL_MEM_FENCE);
#endif

  for (int tile = part; tile < n_tiles; tile += n_parts) {
    const int y = tile / n_columns * ROWS + i / LANES;

    if (y < height)
      measure_chunk (&a, &b, is_aligned, tile % n_columns * TILE_WIDTH, y,
          width, &own, bins);
  }

  merge_group (&own, &all);
  if (i == 0)
    store_errors (&own, c, part, n_parts, parts);
#if HAS_HISTOGRAM
  for (int k = i; k < ERRORS_N_BINS; k += GROUP)
    parts[part_index (c, ERRORS_N_WORDS + k, part, n_parts)] = bins[k];
#endif
}

__kernel __attribute__ ((reqd_work_group_size (GROUP, 1, 1))) void
errors_merge (__global const ulong *parts, const int n_parts,
    __global ulong *result)
{
  __local ulong all[GROUP];
  const int i = (int) get_local_id (0), word = (int) get_group_id (0);
  const int c = (int) get_global_id (1);
  ulong own = empty_word (word);

  for (int part = i; part < n_parts; part += GROUP)
    own = merge_words (word, own, parts[part_index (c, word, part, n_parts)]);

  all[i] = own;
  for (int reach = GROUP / 2; reach > 0; reach /= 2) {
    barrier (CLK_LOCAL_MEM_FENCE);
    if (i < reach)
      all[i] = own = merge_words (word, own, all[i + reach]);
  }
  if (i == 0)
    result[result_index (c, word, (int) get_global_size (1))] = own;
}
