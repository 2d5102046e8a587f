/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Problems of profiles. */

#include "ops/grid.h"
#include "ops/profiles/profiles.h"

static gconstpointer
get_problem (guint index)
{
  static GstClProfilesProblem problem;

  if (index >= N_OP_GRID_COMPONENTS)
    return NULL;

  problem.n_components = 1;
  problem.shapes[0] = op_grid_components[index];

  return &problem;
}

static const gchar *const methods[] = { "auto", NULL };

const OpGrid profiles_grid = {
  .name = "profiles",
  .table = &gst_cl_profiles_table,
  .methods = methods,
  .get_problem = get_problem,
};
