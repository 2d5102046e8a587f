/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Problems of cells. */

#include "ops/grid.h"
#include "ops/cells/cells.h"

static const struct {
  gint pixel_stride_bytes;
  GstClSampleType sample;
} types[] = { { 1, { 1, 8, 0 } }, { 4, { 1, 8, 0 } }, { 4, { 2, 10, 6 } } };

static gconstpointer
get_problem (guint index)
{
  static GstClCellsProblem problem;

  if (index >= G_N_ELEMENTS (types))
    return NULL;

  problem.n_components = 1;
  problem.shapes[0] = (GstClComponent){
    .stride_bytes = 1920 * types[index].pixel_stride_bytes,
    .pixel_stride_bytes = types[index].pixel_stride_bytes,
    .width = 1920,
    .height = 1080,
    .sample = types[index].sample,
  };

  return &problem;
}

static const gchar *const methods[] = { "auto", NULL };

const OpGrid cells_grid = {
  .name = "cells",
  .table = &gst_cl_cells_table,
  .methods = methods,
  .get_problem = get_problem,
};
