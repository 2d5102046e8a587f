/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Problems of barriers. */

#include "ops/devicesync/devicesync.h"
#include "ops/grid.h"

static gconstpointer
get_problem (guint index)
{
  static const GstClDeviceSyncProblem problems[] = { { 1 }, { 4 } };

  return index < G_N_ELEMENTS (problems) ? &problems[index] : NULL;
}

static const gchar *const methods[] = { "auto", "every-item", "leader", "flags",
  "launches", "none", NULL };

const OpGrid devicesync_grid = {
  .name = "devicesync",
  .table = &gst_cl_device_sync_table,
  .methods = methods,
  .get_problem = get_problem,
};
