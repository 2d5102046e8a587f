/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

/* What the device counts of a picture for the detection of flashes
 * (docs/light.md). A picture is a progressive frame or a field. It is measured
 * in cells of 2 x 2 pixels, whose codes are means, and in a grid of tiles of
 * cells. Tiles are in row order. */
#define GST_CL_FLASH_COLUMNS 48
#define GST_CL_FLASH_ROWS    27
#define GST_CL_FLASH_N_TILES (GST_CL_FLASH_COLUMNS * GST_CL_FLASH_ROWS)

/* Light is in units of 1 / GST_CL_FLASH_ONE of the reference, which is
 * GST_CL_FLASH_REFERENCE cd/m2: 10 % of it are the 20 cd/m2 of BT.1702, and
 * 80 % its 160 cd/m2. */
#define GST_CL_FLASH_ONE       32768
#define GST_CL_FLASH_REFERENCE 200.0

/* The largest luminance and redness; greater ones count as this. */
#define GST_CL_FLASH_LARGEST 65535

/* The least change of the luminance, and of R - G - B of saturated red, of a
 * transition of a cell. */
#define GST_CL_FLASH_LUMINANCE_STEP 3277 /* a tenth */
#define GST_CL_FLASH_RED_STEP       2048 /* 20 / 320 */

/* The number of cells of a tile that have a transition. */
typedef struct {
  guint32 n_rises, n_falls;         /* of the luminance */
  guint32 n_red_rises, n_red_falls; /* to and from saturated red */
} GstClFlashTile;

/* The numbers of a picture. */
typedef struct {
  guint64 n_cells;
  guint64 luminance, red; /* sums over all cells; none is above the largest */
  guint64 n_changed_luminance, n_changed_red; /* cells with another value than
                                                 in the picture before */
  gint columns, rows;                         /* of cells */
  const GstClFlashTile *tiles; /* GST_CL_FLASH_N_TILES; borrowed */
} GstClFlashCounts;

G_END_DECLS
