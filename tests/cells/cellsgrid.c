/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Problems of cells. */

#include "ops/grid.h"
#include "ops/cells/cells.h"

static gconstpointer
get_problem (guint index)
{
  static GstClCellsProblem problem;

  if (index >= N_OP_GRID_COMPONENTS)
    return NULL;

  problem.n_components = 1;
  problem.shapes[0] = op_grid_components[index];

  return &problem;
}

static const gchar *const methods[] = { "auto", NULL };

const OpGrid cells_grid = {
  .name = "cells",
  .table = &gst_cl_cells_table,
  .methods = methods,
  .get_problem = get_problem,
};
