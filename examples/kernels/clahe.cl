/* SPDX-License-Identifier: LGPL-2.1-or-later
//!DESC Contrast of each part of the picture (CLAHE), of Y or grey alone
//!PARAM tiles_x
//!DESC Tiles across the picture
//!TYPE int
//!MINIMUM 1
//!MAXIMUM 8
8
//!PARAM tiles_y
//!DESC Tiles from top to bottom
//!TYPE int
//!MINIMUM 1
//!MAXIMUM 8
8
//!PARAM clip_limit
//!DESC The most samples of a code, in units of the mean; the rest is spread
//!TYPE float
//!MINIMUM 1
//!MAXIMUM 1000
4
//!BUFFER tables uint 64*65536
//!PASS count 64x16
//!PASS equalize 64x1
//!PASS interpolate (ow+15)/16xoh
*/
#include "gst_cl.clh"

/* A tile has a histogram, or several of parts of its rows: as many as fit. */
#define CODES   (1 << gst_cl_depth (in))
#define PARTS   (65536 / CODES < 16 ? 65536 / CODES : 16)
#define TILE(t) (tables + (t) *65536)
#define COLUMNS min (tiles_x, gst_cl_width (in, 0))
#define ROWS    min (tiles_y, gst_cl_height (in, 0))

/* Returns the columns (or rows) of tile @i of @n: the first, and the end. */
static int2
tile_of (const int i, const int n, const int size)
{
  return (int2) ((long) i * size / n, (long) (i + 1) * size / n);
}

__kernel void
count (GST_CL_IN (in), int tiles_x, int tiles_y, __global uint *tables)
{
  const int tile = get_global_id (0), part = get_global_id (1);
  const int2 columns = tile_of (tile % COLUMNS, COLUMNS, gst_cl_width (in, 0));
  const int2 rows = tile_of (tile / COLUMNS, ROWS, gst_cl_height (in, 0));
  __global uint *counts = TILE (tile) + part * CODES;

  if (tile >= COLUMNS * ROWS || part >= PARTS)
    return;
  for (int i = 0; i < CODES; i++)
    counts[i] = 0;
  for (int y = rows.s0 + part; y < rows.s1; y += PARTS)
    for (int x = columns.s0; x < columns.s1; x += 16) {
      int codes[16];

      vstore16 (gst_cl_load16 (in, 0, x, y), 0, codes);
      for (int i = 0; i < min (16, columns.s1 - x); i++)
        counts[codes[i]]++;
    }
}

/* Replaces the histogram by the new codes: the cumulative one. */
__kernel void
equalize (GST_CL_IN (in), int tiles_x, int tiles_y, float clip_limit,
    __global uint *tables)
{
  const int tile = get_global_id (0);
  const int2 columns = tile_of (tile % COLUMNS, COLUMNS, gst_cl_width (in, 0));
  const int2 rows = tile_of (tile / COLUMNS, ROWS, gst_cl_height (in, 0));
  const uint area = (columns.s1 - columns.s0) * (rows.s1 - rows.s0);
  const uint limit = max (1.0f, clip_limit * area / CODES);
  __global uint *counts = TILE (tile);
  ulong excess = 0;
  uint sum = 0;

  if (tile >= COLUMNS * ROWS)
    return;
  for (int i = 0; i < CODES; i++) {
    for (int part = 1; part < PARTS; part++)
      counts[i] += counts[part * CODES + i];
    excess += counts[i] - min (counts[i], limit);
  }
  for (int i = 0; i < CODES; i++) {
    sum += min (counts[i], limit);
    counts[i] = ((sum + (i + 1) * excess / CODES) * (CODES - 1) + area / 2) /
                area;
  }
}

/* Returns the two tables, of @n, whose tiles have their centres around @at, and
 * the weight of the second in 1/256. */
static int3
around (const int at, const int n, const int size)
{
  const int position = (2 * at + 1) * n - size; /* in 1 / (2 size) of a tile */
  const int first = position < 0 ? -1 : position / (2 * size);
  const int rest = position - first * 2 * size;

  return (int3) (clamp (first, 0, n - 1), min (first + 1, n - 1),
      rest * ((1 << 24) / (2 * size)) >> 16);
}

__kernel void
interpolate (GST_CL_IN (in), GST_CL_OUT (out), int tiles_x, int tiles_y,
    __global const uint *tables)
{
  const int x = get_global_id (0) * 16, y = get_global_id (1);
  const int3 j = around (y, ROWS, gst_cl_height (in, 0));
  int codes[16];

  if (!gst_cl_contains (in, 0, x, y))
    return;
  for (int c = 1; c < gst_cl_components (in); c++)
    gst_cl_store16 (out, c, x, y, gst_cl_load16 (in, c, x, y));
  vstore16 (gst_cl_load16 (in, 0, x, y), 0, codes);
  for (int k = 0; k < 16; k++) {
    const int3 i = around (x + k, COLUMNS, gst_cl_width (in, 0));
    const uint upper = TILE (j.s0 * COLUMNS + i.s0)[codes[k]] * (256 - i.s2) +
                       TILE (j.s0 * COLUMNS + i.s1)[codes[k]] * i.s2;
    const uint lower = TILE (j.s1 * COLUMNS + i.s0)[codes[k]] * (256 - i.s2) +
                       TILE (j.s1 * COLUMNS + i.s1)[codes[k]] * i.s2;

    codes[k] = (upper * (256 - j.s2) + lower * j.s2 + 32768) >> 16;
  }
  gst_cl_store16 (out, 0, x, y, vload16 (0, codes));
}
