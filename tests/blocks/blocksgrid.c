/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Problems of blocks. */

#include "ops/grid.h"
#include "ops/blocks/blocks.h"

static const struct {
  gint pixel_stride_bytes;
  GstClSampleType sample;
} types[] = { { 1, { 1, 8, 0 } }, { 4, { 1, 8, 0 } }, { 4, { 2, 10, 6 } } };

static gconstpointer
get_problem (guint index)
{
  static GstClBlocksProblem problem;

  if (index >= G_N_ELEMENTS (types))
    return NULL;

  problem.shape = (GstClComponent){
    .stride_bytes = 1920 * types[index].pixel_stride_bytes,
    .pixel_stride_bytes = types[index].pixel_stride_bytes,
    .width = 1920,
    .height = 1080,
    .sample = types[index].sample,
  };

  return &problem;
}

static const gchar *const methods[] = { "auto", NULL };

const OpGrid blocks_grid = {
  .name = "blocks",
  .table = &gst_cl_blocks_table,
  .methods = methods,
  .get_problem = get_problem,
};
