/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Problems of the drawing of scopes. */

#include "ops/grid.h"
#include "ops/scopedraw/scopedraw.h"

static gconstpointer
get_problem (guint index)
{
  static GstClScopeDrawProblem problem;

  if (index >= N_OP_GRID_COMPONENTS)
    return NULL;

  problem.n_components = 1;
  problem.shapes[0] = op_grid_components[index];
  problem.width = problem.out_width = 1920;
  problem.height = problem.out_height = 1080;

  return &problem;
}

static const gchar *const methods[] = { "auto", NULL };

const OpGrid scope_draw_grid = {
  .name = "scopedraw",
  .table = &gst_cl_scope_draw_table,
  .methods = methods,
  .get_problem = get_problem,
};
