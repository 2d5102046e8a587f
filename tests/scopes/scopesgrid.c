/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Problems of scopes. */

#include "ops/grid.h"
#include "ops/scopes/scopes.h"

static gconstpointer
get_problem (guint index)
{
  static GstClScopesProblem problem;

  if (index >= N_OP_GRID_COMPONENTS)
    return NULL;

  problem.n_components = 1;
  problem.shapes[0] = op_grid_components[index];
  problem.n_waveforms = 1;
  problem.waveform_bins = 256;

  return &problem;
}

static const gchar *const methods[] = { "auto", NULL };

const OpGrid scopes_grid = {
  .name = "scopes",
  .table = &gst_cl_scopes_table,
  .methods = methods,
  .get_problem = get_problem,
};
