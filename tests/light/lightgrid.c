/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Problems of light. */

#include "ops/grid.h"
#include "ops/light/light.h"

static gconstpointer
get_problem (guint index)
{
  static GstClLightProblem problem;

  if (index >= N_OP_GRID_COMPONENTS)
    return NULL;

  problem.n_components = 1;
  problem.shapes[0] = op_grid_components[index];
  problem.matrix.kind = GST_CL_RGB_GREY;

  return &problem;
}

static const gchar *const methods[] = { "auto", NULL };

const OpGrid light_grid = {
  .name = "light",
  .table = &gst_cl_light_table,
  .methods = methods,
  .get_problem = get_problem,
};
