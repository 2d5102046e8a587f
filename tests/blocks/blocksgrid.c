/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Problems of blocks. */

#include "ops/grid.h"
#include "ops/blocks/blocks.h"

static gconstpointer
get_problem (guint index)
{
  static GstClBlocksProblem problem;

  if (index >= N_OP_GRID_COMPONENTS)
    return NULL;

  problem.shape = op_grid_components[index];

  return &problem;
}

static const gchar *const methods[] = { "auto", NULL };

const OpGrid blocks_grid = {
  .name = "blocks",
  .table = &gst_cl_blocks_table,
  .methods = methods,
  .get_problem = get_problem,
};
