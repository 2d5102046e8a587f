/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The definition of cells, in the simplest code. */

#include "cellsreference.h"

#include "harness/harness.h"

/* Returns the first of @n samples that is in cell @i of @n_cells. */
static gint
start_of (gint n, gint i, gint n_cells)
{
  return (gint) ((gint64) n * i / n_cells);
}

static guint32
mean_of (const guint8 *bytes, const GstClComponent *component, gint column,
    gint row)
{
  const gint width = component->width, height = component->height;
  guint64 sum = 0, count = 0;

  for (gint y = start_of (height, row, GST_CL_CELLS_ROWS);
       y < start_of (height, row + 1, GST_CL_CELLS_ROWS); y++) {
    for (gint x = start_of (width, column, GST_CL_CELLS_COLUMNS);
         x < start_of (width, column + 1, GST_CL_CELLS_COLUMNS); x++) {
      sum += test_code_at (bytes, component, x, y);
      count++;
    }
  }

  return count > 0 ? (sum * GST_CL_CELL_ONE + count / 2) / count : 0;
}

void
ref_cells (const guint8 *bytes, const GstClComponent *component,
    guint32 means[GST_CL_N_CELLS])
{
  for (gint i = 0; i < GST_CL_N_CELLS; i++)
    means[i] = mean_of (bytes, component, i % GST_CL_CELLS_COLUMNS,
        i / GST_CL_CELLS_COLUMNS);
}
