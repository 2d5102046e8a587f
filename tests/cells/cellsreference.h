/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "statistics/cells/cells.h"

#include "statistics/cells/gstclcells.h"

G_BEGIN_DECLS

/* Computes the means of the cells of @component, sample by sample. @bytes: host
 * copy of its memory; its cl_mem is not used. */
void ref_cells (const guint8 *bytes, const GstClComponent *component,
    guint32 means[GST_CL_N_CELLS]);

G_END_DECLS
