/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

/* The means of a component in a fixed grid over the measured rectangle: the
 * fingerprint of a picture, from which the event card follows. Cells are in
 * row order. They use the even rows, and all rows of components that have
 * fewer: more would cost more; with fewer, scaled pictures of fine lines
 * differ. */
#define GST_CL_CELLS_COLUMNS 32
#define GST_CL_CELLS_ROWS    18
#define GST_CL_N_CELLS       (GST_CL_CELLS_COLUMNS * GST_CL_CELLS_ROWS)

/* A mean is in units of 1 / GST_CL_CELL_ONE of a code. */
#define GST_CL_CELL_ONE 16

/* A rectangle of fewer samples has no cells: samples of a component that is
 * subsampled by four in both directions would be missing in some. */
#define GST_CL_CELLS_MIN_WIDTH  (4 * GST_CL_CELLS_COLUMNS)
#define GST_CL_CELLS_MIN_HEIGHT (4 * GST_CL_CELLS_ROWS)

G_END_DECLS
