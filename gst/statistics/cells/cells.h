/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "ops/pictureop.h"

G_BEGIN_DECLS

/* Means of the components of a frame in a fixed grid: gstclcells.h. A result
 * has GST_CL_N_CELLS guint32 per component, in units of 1 / GST_CL_CELL_ONE of
 * a code, rounded to the nearest one, halves up; 0 for a cell without samples.
 */

/* The implementations; problems are GstClPictureShape, io is const
 * GstClPictureInput *. Only the method AUTO has a nick. */
extern const GstClOpTable gst_cl_cells_table;

/* Create and free a GstClPictureOp. */
extern const GstClTieredFuncs gst_cl_cells_tiered;

G_END_DECLS
