/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "cl/gstclframe.h"
#include "gstcllocalmeansettings.h"

G_BEGIN_DECLS

/* One op for each component of a frame, made for fixed settings and caps. */
typedef struct _GstClLocalMeanPlan GstClLocalMeanPlan;

/* Exactly one of @video and @integral is set: the input. Settings that do not
 * go with it give GST_CORE_ERROR_NEGOTIATION, with the property and the frame
 * named. NULL with *is_stale TRUE and no error if @out is not of the size that
 * the settings make: they have changed since caps were set. @may_measure: method=auto
 * may take the time for it (gst_cl_base_filter_may_measure()). */
GstClLocalMeanPlan *gst_cl_local_mean_plan_new (GstClContext *context,
    const GstClLocalMeanSettings *settings, const GstVideoInfo *video,
    const GstClIntegralInfo *integral, const GstVideoInfo *out,
    gboolean may_measure, gboolean *is_stale, GError **error);
void gst_cl_local_mean_plan_free (GstClLocalMeanPlan *plan);

/* Enqueue the work for one frame; the input is of the kind the plan is for.
 * @squares: NULL if the integral image has none. */
gboolean gst_cl_local_mean_plan_run (GstClLocalMeanPlan *plan,
    const GstClFrame *in, const GstClFrame *out, GError **error);
gboolean gst_cl_local_mean_plan_run_sums (GstClLocalMeanPlan *plan,
    const GstClSums *in, const GstClSums *squares, const GstClFrame *out,
    GError **error);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (GstClLocalMeanPlan, gst_cl_local_mean_plan_free)

G_END_DECLS
