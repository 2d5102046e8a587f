/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "cells.h"

G_BEGIN_DECLS

/* GstClOpTable.answers and so on: cellsanswers.c. */
#define GST_CL_CELLS_N_ANSWERS 2
extern const GstClAnswer gst_cl_cells_answers[GST_CL_CELLS_N_ANSWERS];
gboolean gst_cl_cells_is_alike (gconstpointer answered, gconstpointer problem);
gboolean gst_cl_cells_compute_answer (GstClContext *context,
    const GstClCandidate *candidate, gconstpointer answered, guint64 *digest,
    GError **error);

G_END_DECLS
