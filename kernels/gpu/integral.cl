/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* gpu/integral.cl: summed-area table of 1 to 4 components, for GPUs
 *
 * Math      S(x, y) = sum of I(i, j), i <= x, j <= y, for each component: the
 *           sum within a tile, plus the bottom rows of the tiles above, the
 *           right columns of those to the left, and the corners up left.
 * Shape     components of width x height samples each; the sums are
 *           (width + border) x (height + border), channels interleaved, the
 *           first row and column zero where border = 1 (exclusive layout).
 *           Tiles: TILE_COLUMNS x TILE_ROWS samples of one component.
 * Units     samples as stored; offsets and strides of samples in bytes, the
 *           pixel stride in samples; lengths of rows of sums in sums.
 * Memory    row-major, row 0 on top; components may share a buffer; rows of
 *           sums are tightly packed. Scratch, a row for each tile:
 *           bottoms[][TILE_COLUMNS], rights[][TILE_ROWS].
 * Launch    local (ITEMS, 1, 1), one work-group, one tile of one component.
 *           integral_gpu_tiles, then integral_gpu_sums; or integral_gpu_single.
 * Range     within a tile 2^14 samples of 16 bits fit 32 bits; sums are modulo
 *           the range of SUM_T.
 * Accuracy  exact integers; tests/kernels/ref/integral.c.
 * Source    to read the samples twice costs less than one more pass over the
 *           sums: what tiles tell each other stays in the cache. Figures:
 *           docs/performance.md.
 */
#ifndef CL_QUAD_CLH
#include "cl_quad.clh"
#endif
#ifndef CL_SYNC_CLH
#include "cl_sync.clh"
#endif
#ifndef CL_TABLE_CLH
#include "cl_table.clh"
#endif
#ifndef CL_TILE_CLH
#include "cl_tile.clh"
#endif

#ifndef LANES
#define LANES 64 /* work-items across a tile, four columns each */
#endif
#ifndef ROW_GROUPS
#define ROW_GROUPS 4 /* as many work-items, one below the other */
#endif
#ifndef TILE_ROWS
#define TILE_ROWS 64
#endif
#ifndef STAGED
/* 1: rows of sums leave by way of local memory, so that neighbours store
 * neighbours; for rows that take no stores of four sums. */
#define STAGED 0
#endif

#define ITEMS         (LANES * ROW_GROUPS)
#define TILE_COLUMNS  (4 * LANES)
#define ROWS_PER_ITEM (TILE_ROWS / ROW_GROUPS)
/* PARTS work-items scan a row together. Rows of totals are an odd number of
 * words apart: neighbours scan neighbouring rows, in different banks of local
 * memory. */
#define PARTS         (ITEMS / TILE_ROWS)
#define PART_LANES    (LANES / PARTS)
#define PITCH         (LANES + 1)
/* Edges are scanned in runs of so many elements, by one work-item each. */
#define RUN           16
#define COLUMN_RUNS   (TILE_COLUMNS / RUN)
#define ROW_RUNS      (TILE_ROWS / RUN)
/* Rows of a row group that leave together, if STAGED; edges that are fetched
 * together. */
#define STAGED_ROWS   2
#define BATCH         4

#if ITEMS % TILE_ROWS || LANES % PARTS || TILE_ROWS % RUN || ITEMS % RUN ||    \
    ROWS_PER_ITEM % STAGED_ROWS || ITEMS < COLUMN_RUNS + ROW_RUNS ||           \
    LANES + TILE_ROWS > ITEMS
#error "LANES, ROW_GROUPS and TILE_ROWS do not fit each other"
#endif

#define ALWAYS_INLINE inline __attribute__ ((always_inline))

/* Local memory of a work-group. Sums of each element's own, or of parts of it
 * by one work-item each. */
typedef struct {
  union { /* first, so that four sums are aligned */
    SUM_T staged[ROW_GROUPS * STAGED_ROWS * TILE_COLUMNS];
    uint totals[TILE_ROWS * PITCH]; /* of four columns, then what is before */
  } rows;
  union {
    uint4 quads[ITEMS];
    uint columns[ROW_GROUPS * TILE_COLUMNS];
    SUM4_T above[ITEMS]; /* of each row group */
  } down;
  uint parts[ITEMS]; /* of rows */
  SUM_T left[ITEMS]; /* the first TILE_ROWS are complete at last */
  SUM_T corner[ITEMS];
  uint bottom[TILE_COLUMNS + COLUMN_RUNS]; /* a word apart after each run */
  uint bottom_runs[COLUMN_RUNS];
  uint right[TILE_ROWS];
  uint right_runs[ROW_RUNS];
} Work;

/* ---- tiles ---- */

/* This work-item's samples of the tile; 0 for those outside the component. */
static ALWAYS_INLINE void
load_rows (const QuadSource source, const Tile tile, QUAD_T *quads)
{
  const int item = (int) get_local_id (0);
  const int x = tile.column * TILE_COLUMNS + item % LANES * 4;
  const int y = tile.band * TILE_ROWS + item / LANES * ROWS_PER_ITEM;

  if (can_load_packed (source, x)) {
    UNROLL
    for (int r = 0; r < ROWS_PER_ITEM; r++)
      quads[r] = load_packed_quad (source, x, y + r);
  } else {
    UNROLL
    for (int r = 0; r < ROWS_PER_ITEM; r++)
      quads[r] = load_quad (source, x, y + r);
  }
}

/* The bottom row and the right column of the tile's own sums. The whole
 * work-group calls it. */
static ALWAYS_INLINE void
publish_tile (const QUAD_T *quads, __local Work *work,
    volatile __global uint *bottom, volatile __global uint *right)
{
  const int item = (int) get_local_id (0);
  __local uint *totals = work->rows.totals + item % LANES +
                         item / LANES * ROWS_PER_ITEM * PITCH;
  uint4 down = 0;
  uint sum = 0;

  UNROLL
  for (int r = 0; r < ROWS_PER_ITEM; r++) {
    down += UNPACK_QUAD (quads[r]);
    totals[r * PITCH] = sum_quad (quads[r]);
  }
  work->down.quads[item] = down;
  barrier (CLK_LOCAL_MEM_FENCE);

  totals = work->rows.totals + item % TILE_ROWS * PITCH +
           item / TILE_ROWS * PART_LANES;
  UNROLL
  for (int i = 0; i < PART_LANES; i++)
    sum += totals[i];
  work->parts[item] = sum;
  for (int x = item; x < TILE_COLUMNS; x += ITEMS) {
    sum = 0;
    for (int i = 0; i < ROW_GROUPS; i++)
      sum += work->down.columns[i * TILE_COLUMNS + x];
    work->bottom[x + x / RUN] = sum;
  }
  barrier (CLK_LOCAL_MEM_FENCE);

  /* the rows from the other end: work-items that do not run in step with those
   * of the columns */
  const int run = ITEMS - 1 - item;
  sum = 0;
  if (item < COLUMN_RUNS) {
    for (int i = item * (RUN + 1); i < item * (RUN + 1) + RUN; i++)
      work->bottom[i] = sum += work->bottom[i];
    work->bottom_runs[item] = sum;
  }
  if (run < ROW_RUNS) {
    for (int y = run * RUN; y < (run + 1) * RUN; y++) {
      for (int i = 0; i < PARTS; i++)
        sum += work->parts[i * TILE_ROWS + y];
      work->right[y] = sum;
    }
    work->right_runs[run] = sum;
  }
  barrier (CLK_LOCAL_MEM_FENCE);

  for (int x = item; x < TILE_COLUMNS; x += ITEMS) {
    sum = work->bottom[x + x / RUN];
    UNROLL
    for (int i = 0; i < COLUMN_RUNS; i++)
      sum += i < x / RUN ? work->bottom_runs[i] : 0;
    bottom[x] = sum;
  }
  if (item < TILE_ROWS) {
    sum = work->right[item];
    for (int i = 0; i < item / RUN; i++)
      sum += work->right_runs[i];
    right[item] = sum;
  }
}

/* What other tiles have published and this one adds, in portions of one a
 * work-item. */
static ALWAYS_INLINE void
gather_portions (const Grid grid, const Tile tile, __local Work *work,
    volatile __global const uint *bottoms, volatile __global const uint *rights)
{
  const int item = (int) get_local_id (0);
  volatile __global const uint4 *quads = (volatile __global const uint4 *)
      bottoms;
  SUM4_T above = 0;
  SUM_T left = 0, corner = 0;

  /* some loads at a time, which are on their way together */
  for (int k = item / LANES; k < tile.band; k += BATCH * ROW_GROUPS) {
    UNROLL
    for (int j = k; j < k + BATCH * ROW_GROUPS; j += ROW_GROUPS) {
      const size_t i = tile_index (grid, tile.channel, j, tile.column);
      above += CONVERT (SUM4_T) (
          j < tile.band ? quads[i * LANES + item % LANES] : (uint4) 0);
    }
  }
  for (int k = item / TILE_ROWS; k < tile.column; k += BATCH * PARTS) {
    UNROLL
    for (int j = k; j < k + BATCH * PARTS; j += PARTS) {
      const size_t i = tile_index (grid, tile.channel, tile.band, j);
      left += j < tile.column ? rights[i * TILE_ROWS + item % TILE_ROWS] : 0;
    }
  }
  for (int k = item; k < tile.band * tile.column; k += ITEMS) {
    const size_t i = tile_index (grid, tile.channel, k / tile.column,
        k % tile.column);
    corner += rights[i * TILE_ROWS + TILE_ROWS - 1];
  }

  work->down.above[item] = above;
  work->left[item] = left;
  work->corner[item] = corner;
}

/* ---- sums ---- */

/* The tile's sums into the table. The whole work-group calls it, at the same
 * time as no other tile; all that the tile needs has been published. */
static ALWAYS_INLINE void
sum_tile (const QUAD_T *quads, const Grid grid, const Tile tile,
    const SumTable table, __local Work *work,
    volatile __global const uint *bottoms, volatile __global const uint *rights)
{
  const int item = (int) get_local_id (0);
  const int lane = item % LANES;
  const int first_row = item / LANES * ROWS_PER_ITEM;
  __local uint *totals = work->rows.totals + first_row * PITCH + lane;
  uint before[ROWS_PER_ITEM];
  uint sum = 0;

  /* first what takes longest: the samples are still on their way, too */
  gather_portions (grid, tile, work, bottoms, rights);
  UNROLL
  for (int r = 0; r < ROWS_PER_ITEM; r++)
    totals[r * PITCH] = sum_quad (quads[r]);
  barrier (CLK_LOCAL_MEM_FENCE);

  /* each part of a row by itself; corners down to RUN of them */
  __local uint *part = work->rows.totals + item % TILE_ROWS * PITCH +
                       item / TILE_ROWS * PART_LANES;
  UNROLL
  for (int i = 0; i < PART_LANES; i++) {
    const uint next = sum + part[i];
    part[i] = sum;
    sum = next;
  }
  work->parts[item] = sum;
  if (item < RUN) {
    for (int i = item + RUN; i < ITEMS; i += RUN)
      work->corner[item] += work->corner[i];
  }
  barrier (CLK_LOCAL_MEM_FENCE);

  /* the parts of a row, and all that lies to the left; from the other end all
   * that lies above */
  const int mirrored = ITEMS - 1 - item;
  if (item < TILE_ROWS) {
    sum = 0;
    for (int i = item; i < ITEMS; i += TILE_ROWS) {
      const uint next = sum + work->parts[i];
      work->parts[i] = sum;
      sum = next;
    }
    for (int i = item + TILE_ROWS; i < ITEMS; i += TILE_ROWS)
      work->left[item] += work->left[i];
    for (int i = 0; i < RUN; i++)
      work->left[item] += work->corner[i];
  }
  if (mirrored < LANES) {
    for (int i = 1; i < ROW_GROUPS; i++)
      work->down.above[mirrored] += work->down.above[i * LANES + mirrored];
  }
  barrier (CLK_LOCAL_MEM_FENCE);

  uint4 down = 0;
  UNROLL
  for (int r = 0; r < ROWS_PER_ITEM; r++) {
    before[r] = totals[r * PITCH] +
                work->parts[lane / PART_LANES * TILE_ROWS + first_row + r];
    down += prefix_quad (quads[r]) + before[r];
  }
  if (item + LANES < ITEMS)
    work->down.above[item + LANES] = CONVERT (SUM4_T) (down);
  barrier (CLK_LOCAL_MEM_FENCE);

  /* row group k finds in the first k + 1 what lies above it */
  SUM4_T above = 0;
  for (int i = lane; i <= item; i += LANES)
    above += work->down.above[i];

  const int x = tile.column * TILE_COLUMNS;
  const int y = tile.band * TILE_ROWS + first_row;
  write_border (table, x, tile.band * TILE_ROWS, TILE_COLUMNS, TILE_ROWS);

#if STAGED
  __local SUM_T *staged = work->rows.staged +
                          item / LANES * STAGED_ROWS * TILE_COLUMNS;
  UNROLL
  for (int start = 0; start < ROWS_PER_ITEM; start += STAGED_ROWS) {
    UNROLL
    for (int r = start; r < start + STAGED_ROWS; r++) {
      above += CONVERT (SUM4_T) (prefix_quad (quads[r]) + before[r]);
      ((__local SUM4_T *)
              staged)[(r - start) * LANES + lane] = above +
                                                    work->left[first_row + r];
    }
    barrier (CLK_LOCAL_MEM_FENCE);
    UNROLL
    for (int i = 0; i < STAGED_ROWS * 4; i++) {
      const int column = x + i % 4 * LANES + lane;
      const int row = y + start + i / 4;
      if (column < table.width && row < table.height)
        *table_at (table, column, row) = staged[i * LANES + lane];
    }
    barrier (CLK_LOCAL_MEM_FENCE);
  }
#else
  UNROLL
  for (int r = 0; r < ROWS_PER_ITEM; r++) {
    above += CONVERT (SUM4_T) (prefix_quad (quads[r]) + before[r]);
    store_quad (table, x + 4 * lane, y + r, above + work->left[first_row + r]);
  }
#endif
}

/* ---- two launches ---- */

__kernel __attribute__ ((reqd_work_group_size (ITEMS, 1, 1))) void
integral_gpu_tiles (QUAD_ARGUMENTS, volatile __global uint *bottoms,
    volatile __global uint *rights)
{
  __local Work work;
  const Grid grid = make_grid (width, height, n_channels, TILE_COLUMNS,
      TILE_ROWS);
  const size_t index = get_group_id (0);
  const Tile tile = locate_tile (grid, (uint) index);
  QUAD_T quads[ROWS_PER_ITEM];

  load_rows (QUAD_SOURCE (tile.channel), tile, quads);
  publish_tile (quads, &work, bottoms + index * TILE_COLUMNS,
      rights + index * TILE_ROWS);
}

__kernel __attribute__ ((reqd_work_group_size (ITEMS, 1, 1))) void
integral_gpu_sums (QUAD_ARGUMENTS, volatile __global const uint *bottoms,
    volatile __global const uint *rights, __global uchar *sums,
    const ulong sums_offset, const int border)
{
  __local Work work;
  const Grid grid = make_grid (width, height, n_channels, TILE_COLUMNS,
      TILE_ROWS);
  const Tile tile = locate_tile (grid, (uint) get_group_id (0));
  const SumTable table = make_sum_table (sums, sums_offset, tile.channel, width,
      height, n_channels, border);
  QUAD_T quads[ROWS_PER_ITEM];

  load_rows (QUAD_SOURCE (tile.channel), tile, quads);
  sum_tile (quads, grid, tile, table, &work, bottoms, rights);
}

/* ---- one launch ---- */

/* Words that work-groups share, zero at first: who has come and gone, by now in
 * all launches. The host reads GAVE_UP. */
enum { GAVE_UP, N_COME, N_GONE, N_LATE, N_WORDS };

/* Both kernels in one: each tile is published, then waits for those it needs.
 * Tiles are dealt out in the order in which work-groups come, so that all that
 * one waits for have come before, and none of them waits before it publishes:
 * where a device lets every group go on that has come, this ends.
 *
 * Where it does not, a group gives up after @spin_limit looks, and leaves its
 * tile to the work-group that goes last: all is published then. That one sums
 * up the late tiles, one after the other, before the launch ends. The host
 * learns of it later, and takes two launches from then on.
 *
 * @epoch counts launches from 1 on. After the shared words follow, for each
 * tile, the epoch in which it was published last, and the list of the late. */
__kernel __attribute__ ((reqd_work_group_size (ITEMS, 1, 1))) void
integral_gpu_single (QUAD_ARGUMENTS, volatile __global uint *bottoms,
    volatile __global uint *rights, __global uchar *sums,
    const ulong sums_offset, const int border, volatile __global uint *shared,
    const uint epoch, const uint spin_limit)
{
  __local Work work;
  __local struct {
    uint index, is_late, n_repairs;
  } own;
  const int item = (int) get_local_id (0);
  const uint n_tiles = (uint) get_num_groups (0);
  const Grid grid = make_grid (width, height, n_channels, TILE_COLUMNS,
      TILE_ROWS);
  volatile __global uint *published = shared + N_WORDS;
  volatile __global uint *late = published + n_tiles;
  QUAD_T quads[ROWS_PER_ITEM];

  if (item == 0) {
    own.index = atomic_inc (shared + N_COME) - (epoch - 1) * n_tiles;
    own.is_late = 0;
  }
  barrier (CLK_LOCAL_MEM_FENCE);

  const uint index = own.index;
  Tile tile = locate_tile (grid, index);
  load_rows (QUAD_SOURCE (tile.channel), tile, quads);
  publish_tile (quads, &work, bottoms + (size_t) index * TILE_COLUMNS,
      rights + (size_t) index * TILE_ROWS);
  device_fence ();
  barrier (CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE);
  if (item == 0)
    atomic_xchg (published + index, epoch);

  /* the tiles above, to the left and up left, this one left out */
  const int columns = tile.column + 1;
  for (int i = item; i < (tile.band + 1) * columns - 1; i += ITEMS) {
    if (!wait_for (published + tile_index (grid, tile.channel, i / columns,
                                   i % columns),
            epoch, shared + GAVE_UP, epoch, spin_limit))
      atomic_xchg (&own.is_late, 1);
  }
  device_fence ();
  barrier (CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE);

  if (item == 0) {
    if (own.is_late) {
      late[atomic_inc (shared + N_LATE)] = index;
      atomic_xchg (shared + GAVE_UP, epoch);
      device_fence ();
    }
    /* who goes last is alone with N_LATE */
    own.n_repairs = atomic_inc (shared + N_GONE) == epoch * n_tiles - 1
                        ? atomic_xchg (shared + N_LATE, 0)
                        : 0;
    device_fence ();
  }
  barrier (CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE);

  /* the own tile, unless it is late, then those to repair: as many rounds for
   * every work-item of the group, which meet at the barriers within */
  const uint n_repairs = own.n_repairs;
  int y_end = own.is_late ? 0 : height;
  for (uint i = 0; i <= n_repairs; i++) {
    sum_tile (quads, grid, tile,
        make_sum_table (sums, sums_offset, tile.channel, width, y_end,
            n_channels, border),
        &work, bottoms, rights);
    barrier (CLK_LOCAL_MEM_FENCE);

    if (i < n_repairs) {
      tile = locate_tile (grid, late[i]);
      load_rows (QUAD_SOURCE (tile.channel), tile, quads);
      y_end = height;
    }
  }
}
