/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "framefiguresprivate.h"

G_BEGIN_DECLS

/* One slot: the results of one run on their way to the host. */
typedef struct _GstClFiguresResults GstClFiguresResults;

/* @frame: stays the caller's, and as it is. */
GstClFiguresResults *gst_cl_figures_results_new (GstClContext *context,
    const GstClFiguresFrame *frame);
void gst_cl_figures_results_free (GstClFiguresResults *results); /* waits */

/* Enqueues the read of what @plan says of @mem. */
gboolean gst_cl_figures_results_fetch (GstClFiguresResults *results, cl_mem mem,
    const GstClFiguresPlan *plan, const GstClRegion *regions, guint n_regions,
    GError **error);

/* Waits for it. */
gboolean gst_cl_figures_results_get (GstClFiguresResults *results,
    GstClRegionFigures *figures, guint n_regions, GError **error);

G_END_DECLS
