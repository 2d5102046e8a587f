/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* moments/gpu.cl: count, sum, sum of squares, minimum and maximum of a frame
 * in one launch, for GPUs
 *
 * Math      The five statistics of the samples of each component.
 * Shape     1 .. 4 components of any size, each cut into tiles of TILE_WIDTH
 *           samples and tile_rows rows. Those at the right and at the bottom
 *           may be ragged.
 * Units     Codes of samples are measured. Offsets and strides are in bytes.
 * Memory    results and next_results: one partial for each component of each
 *           frame. results must be empty; every work-group adds its tile.
 *           next_results are the results of the launch before; they are emptied
 *           for the launch after.
 * Launch    Local (GROUP, 1, 1), a work-group for a tile. Dimension 0: the
 *           components of a tile, then the next tile. Dimension 1: rows of
 *           tiles. Dimension 2: frames, where there are several.
 * Range     The sum of squares of a tile fits SQUARES_T: tile_rows <= 256, and
 *           256 * 256 * 255^2 < 2^32.
 * Accuracy  Integers are exact. The reference is
 *           tests/moments/momentsreference.c.
 * Source    Results of other work-groups are accessed with atomics only, which
 *           need no fence: one launch instead of a round for each power of the
 *           block. Timings are in docs/performance.md.
 *
 * A tile of a component whose rows are aligned; there is no halo:
 *
 *      CHUNK samples (16 bytes), one load
 *    +---------+---------+-----+-----------------+
 *    | item 0  | item 1  | ..  | item LANES - 1  |  row 0
 *    +---------+---------+-----+-----------------+
 *    | LANES   | ..                              |  row 1
 *    +---------+---------+-----+-----------------+
 *    | ..      |         |     | item GROUP - 1  |  row ROW_GROUPS - 1
 *    +---------+---------+-----+-----------------+
 *    | item 0  | item 1  | ..                    |  row ROW_GROUPS, and so on:
 *    +---------+---------+-----+-----------------+  four such rows on their way
 *      TILE_WIDTH samples, tile_rows rows            at a time
 *
 * If samples are not adjacent, or rows are not aligned, work-item i reads
 * column i of the tile from top to bottom. merge_tile() then merges the moments
 * of the work-items in local memory, half of them at each step, and work-item 0
 * adds the result to that of the frame with atomics.
 */

#include "cl_common.clh"
#include "cl_memory.clh"
#include "cl_partial.clh"
#include "cl_pixel.clh"
#include "cl_plane.clh"

#ifndef SQUARES_T
#define SQUARES_T uint /* a tile's sum of squares: ulong for 16 bits */
#endif

#define GROUP      256 /* work-items */
#define TILE_WIDTH 256 /* samples */

/* A work-item loads CHUNK samples at a time; LANES work-items load a row of the
 * tile. */
#define CHUNK_BYTES ((int) sizeof (uint4))
#define CHUNK       (CHUNK_BYTES / (int) sizeof (SAMPLE_T))
#define LANES       (TILE_WIDTH / CHUNK)
#define ROW_GROUPS  (GROUP / LANES)
#define SAMPLE_BITS (8 * (int) sizeof (SAMPLE_T))

/* Partial, byte for byte on a little-endian device, with words of 32 bits:
 * 64-bit atomics are an extension. */
typedef struct {
  uint sum[2], sum_squares[2]; /* low word, high word */
  uint count, min, max, unused;
} PartialWords;

/* The moments of some samples of a tile. */
typedef struct {
  SQUARES_T sum_squares;
  uint sum, min, max;
} TileMoments;

/* The moments of each work-item, field by field, so that neighbouring
 * work-items use neighbouring banks. */
typedef struct {
  SQUARES_T sum_squares[GROUP];
  uint sum[GROUP], min[GROUP], max[GROUP];
} LocalTile;

/* --- samples ------------------------------------------------------------- */

static ALWAYS_INLINE void
add_sample (const SAMPLE_T sample, TileMoments *all)
{
  const uint v = sample_code (sample);

  all->sum += v;
  all->sum_squares += (SQUARES_T) v * v;
  all->min = min (all->min, v);
  all->max = max (all->max, v);
}

/* The samples of a word, in any order. */
static ALWAYS_INLINE void
add_word (const uint word, TileMoments *all)
{
#pragma unroll
  for (int bit = 0; bit < 32; bit += SAMPLE_BITS)
    add_sample ((SAMPLE_T) (word >> bit), all);
}

static ALWAYS_INLINE void
add_chunk (const uint4 words, TileMoments *all)
{
  add_word (words.x, all);
  add_word (words.y, all);
  add_word (words.z, all);
  add_word (words.w, all);
}

static ALWAYS_INLINE uint4
load_chunk (const Plane *plane, const int x, const int y)
{
  return *(__global const uint4 *) (plane_row (plane, y) + x);
}

/* Measures rows @y, @y + ROW_GROUPS, .. of the chunk at column @x, with four
 * loads in flight. */
static ALWAYS_INLINE void
add_chunks (const Plane *plane, const int x, const int y, const int y_end,
    TileMoments *all)
{
  int row = y;

  for (; row + 3 * ROW_GROUPS < y_end; row += 4 * ROW_GROUPS) {
    const uint4 a = load_chunk (plane, x, row);
    const uint4 b = load_chunk (plane, x, row + ROW_GROUPS);
    const uint4 c = load_chunk (plane, x, row + 2 * ROW_GROUPS);
    const uint4 d = load_chunk (plane, x, row + 3 * ROW_GROUPS);

    add_chunk (a, all);
    add_chunk (b, all);
    add_chunk (c, all);
    add_chunk (d, all);
  }
  for (; row < y_end; row += ROW_GROUPS)
    add_chunk (load_chunk (plane, x, row), all);
}

/* Measures every @step-th row from @y on, columns @x to @x_end - 1. */
static ALWAYS_INLINE void
add_samples (const Plane *plane, const int x, const int x_end, const int y,
    const int y_end, const int step, TileMoments *all)
{
  for (int i = x; i < x_end; i++) {
    for (int row = y; row < y_end; row += step)
      add_sample (plane_row (plane, row)[i * plane->pixel_stride], all);
  }
}

/* Returns whether a chunk of any row can be loaded at once. */
static ALWAYS_INLINE bool
has_chunks (const Plane *plane)
{
  const size_t start = (size_t) (plane->base + plane->offset_bytes);

  return plane->pixel_stride == 1 &&
         ((start | (size_t) plane->stride_bytes) % CHUNK_BYTES) == 0;
}

/* Measures this work-item's share of a tile of rows @y to @y_end - 1. */
static ALWAYS_INLINE void
add_share (const Plane *plane, const int tile_x, const int width, const int y,
    const int y_end, TileMoments *all)
{
  /* unsigned: with a signed quotient and remainder, PoCL 5.0 omitted the code
   * after the kernel's barriers (docs/devices.md) */
  const uint item = (uint) get_local_id (0);

  if (has_chunks (plane)) {
    const int x = tile_x + (int) (item % LANES) * CHUNK;
    const int first = y + (int) (item / LANES);

    if (x + CHUNK <= width)
      add_chunks (plane, x, first, y_end, all);
    else
      add_samples (plane, x, width, first, y_end, ROW_GROUPS, all);
  } else {
    const int x = tile_x + (int) item;

    add_samples (plane, x, min (x + 1, width), y, y_end, 1, all);
  }
}

/* --- results ------------------------------------------------------------- */

/* Merges the moments of the work-items of the group; returns the result to
 * work-item 0. All work-items of the group must call this. */
static ALWAYS_INLINE void
merge_tile (TileMoments *own, __local LocalTile *tile)
{
  const int i = (int) get_local_id (0);

  tile->sum[i] = own->sum;
  tile->sum_squares[i] = own->sum_squares;
  tile->min[i] = own->min;
  tile->max[i] = own->max;

  for (int reach = GROUP / 2; reach > 0; reach /= 2) {
    barrier (CLK_LOCAL_MEM_FENCE);
    if (i < reach) {
      tile->sum[i] = own->sum += tile->sum[i + reach];
      tile->sum_squares[i] = own->sum_squares += tile->sum_squares[i + reach];
      tile->min[i] = own->min = min (own->min, tile->min[i + reach]);
      tile->max[i] = own->max = max (own->max, tile->max[i + reach]);
    }
  }
}

/* Adds to a sum of 64 bits; the work-item whose addition wraps the low word
 * adds the carry. */
static ALWAYS_INLINE void
add_wide_global (volatile __global uint *words, const ulong value)
{
  const uint low = (uint) value;
  const uint before = add_global (&words[0], low);
  const uint high = (uint) (value >> 32) + (before + low < low ? 1 : 0);

  if (high > 0)
    add_global (&words[1], high);
}

/* Adds the tile of this work-group to @result, for a component of @width x
 * @height samples. All work-items of the group must call this. */
static ALWAYS_INLINE void
measure_tile (const Plane *plane, const int tile_x, const int tile_y,
    const int width, const int height, const int tile_rows,
    __local LocalTile *tile, volatile __global PartialWords *result)
{
  TileMoments own = { 0, 0, UINT_MAX, 0 };

  add_share (plane, tile_x, width, tile_y, min (tile_y + tile_rows, height),
      &own);
  merge_tile (&own, tile);

  if (get_local_id (0) == 0 && tile_x < width && tile_y < height) {
    add_wide_global (result->sum, own.sum);
    add_wide_global (result->sum_squares, own.sum_squares);
    min_global (&result->min, own.min);
    max_global (&result->max, own.max);
    if (tile_x == 0 && tile_y == 0)
      result->count = (uint) width * (uint) height;
  }
}

/* --- kernels ------------------------------------------------------------- */

/* @tile_rows: 1 .. 256. The launch covers the largest component; for smaller
 * ones some work-groups have nothing to add. */
__kernel __attribute__ ((reqd_work_group_size (GROUP, 1, 1))) void
moments_gpu_tiles (PLANE_ARGUMENTS, const int n_components, const int tile_rows,
    volatile __global PartialWords *results, __global Partial *next_results)
{
  __local LocalTile tile;
  const Plane planes[4] = PLANES;
  const int component = (int) get_group_id (0) % n_components;
  const int tile_x = (int) get_group_id (0) / n_components * TILE_WIDTH;
  const int tile_y = (int) get_group_id (1) * tile_rows;
  const int width = int4_lane (widths, component);
  const int height = int4_lane (heights, component);
  const Plane plane = pick_plane (planes, component);

  measure_tile (&plane, tile_x, tile_y, width, height, tile_rows, &tile,
      &results[component]);
  if (get_local_id (0) == 0 && tile_x == 0 && tile_y == 0)
    next_results[component] = partial_empty ();
}

/* The arguments of frame @i in a launch of several frames: its memory, and the
 * offsets and strides of its components in bytes; element c belongs to
 * component c. */
#define FRAME_ARGUMENTS(i)                                                     \
  __global const uchar *base_##i, const int4 offsets_##i, const int4 strides_##i

/* The value of @frame for @argument of FRAME_ARGUMENTS(). */
#define OF_FRAME(argument)                                                     \
  (frame == 0      ? argument##_0                                              \
      : frame == 1 ? argument##_1                                              \
      : frame == 2 ? argument##_2                                              \
      : frame == 3 ? argument##_3                                              \
      : frame == 4 ? argument##_4                                              \
      : frame == 5 ? argument##_5                                              \
      : frame == 6 ? argument##_6                                              \
                   : argument##_7)

/* Measures 1 .. 8 frames of one size, dimension 2 of the launch; otherwise like
 * moments_gpu_tiles. The partials of a frame follow those of the frame before.
 * @next_results: the @n_next partials of the launch before, which are
 * emptied. */
__kernel __attribute__ ((reqd_work_group_size (GROUP, 1, 1))) void
moments_gpu_batch (FRAME_ARGUMENTS (0), FRAME_ARGUMENTS (1),
    FRAME_ARGUMENTS (2), FRAME_ARGUMENTS (3), FRAME_ARGUMENTS (4),
    FRAME_ARGUMENTS (5), FRAME_ARGUMENTS (6), FRAME_ARGUMENTS (7),
    const int4 pixel_strides, const int4 widths, const int4 heights,
    const int n_components, const int tile_rows,
    volatile __global PartialWords *results, __global Partial *next_results,
    const int n_next)
{
  __local LocalTile tile;
  const int frame = (int) get_group_id (2);
  const int component = (int) get_group_id (0) % n_components;
  const int tile_x = (int) get_group_id (0) / n_components * TILE_WIDTH;
  const int tile_y = (int) get_group_id (1) * tile_rows;
  const int item = (int) get_local_id (0);
  const Plane plane = { OF_FRAME (base),
    (ulong) int4_lane (OF_FRAME (offsets), component),
    int4_lane (OF_FRAME (strides), component),
    int4_lane (pixel_strides, component) };

  measure_tile (&plane, tile_x, tile_y, int4_lane (widths, component),
      int4_lane (heights, component), tile_rows, &tile,
      &results[frame * n_components + component]);
  if (frame == 0 && get_group_id (0) == 0 && tile_y == 0 && item < n_next)
    next_results[item] = partial_empty ();
}
