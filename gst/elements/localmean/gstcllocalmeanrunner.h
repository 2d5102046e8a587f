/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "cl/video/gstclframe.h"
#include "gstcllocalmeansettings.h"

G_BEGIN_DECLS

/* Components, and the padding bytes. */
#define GST_CL_LOCAL_MEAN_MAX_OPS (GST_VIDEO_MAX_COMPONENTS + 1)

/* Each component may be filtered or copied. */
#define GST_CL_LOCAL_MEAN_MAX_NEEDS (2 * GST_CL_LOCAL_MEAN_MAX_OPS)

/* One op for each component of a frame, made for fixed settings and caps. */
typedef struct _GstClLocalMeanRunner GstClLocalMeanRunner;

/* Exactly one of @video and @integral is set: the input. Settings that do not
 * go with it give GST_CORE_ERROR_NEGOTIATION, with the property and the frame
 * named, or if @out is not of the size that the settings make. @may_measure:
 * method=auto may take the time for it (gst_cl_base_filter_may_measure()). */
GstClLocalMeanRunner *gst_cl_local_mean_runner_new (GstClContext *context,
    const GstClLocalMeanSettings *settings, const GstVideoInfo *video,
    const GstClIntegralInfo *integral, const GstVideoInfo *out,
    gboolean may_measure, GError **error);
void gst_cl_local_mean_runner_free (GstClLocalMeanRunner *plan);

/* What the plans of these caps have in common as long as windows, operation,
 * numbers and planes alone change: specs for gst_cl_local_mean_prebuild(), no two
 * alike. All bytes count: to be compared with memcmp(). */
typedef struct {
  GstClLocalMeanMethod method;
  guint n_specs;
  GstClLocalMeanSpec specs[GST_CL_LOCAL_MEAN_MAX_NEEDS];
} GstClLocalMeanNeeds;

void gst_cl_local_mean_runner_get_needs (const GstClLocalMeanRunner *plan,
    GstClLocalMeanNeeds *needs);

/* Enqueue the work for one frame; the input is of the kind the plan is for.
 * @squares: NULL if the integral image has none. */
gboolean gst_cl_local_mean_runner_run (GstClLocalMeanRunner *plan,
    const GstClFrame *in, const GstClFrame *out, GError **error);
gboolean gst_cl_local_mean_runner_run_sums (GstClLocalMeanRunner *plan,
    const GstClSums *in, const GstClSums *squares, const GstClFrame *out,
    GError **error);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (GstClLocalMeanRunner,
    gst_cl_local_mean_runner_free)

G_END_DECLS
