/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "cl/video/gstclframe.h"
#include "gstcllocalmeansettings.h"

G_BEGIN_DECLS

/* Components, and the padding bytes. */
#define GST_CL_LOCAL_MEAN_MAX_OPS (GST_VIDEO_MAX_COMPONENTS + 1)

/* Each component may be filtered or copied. */
#define GST_CL_LOCAL_MEAN_MAX_PROBLEMS (2 * GST_CL_LOCAL_MEAN_MAX_OPS)

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
void gst_cl_local_mean_runner_free (GstClLocalMeanRunner *runner);

/* What runners for the same caps have in common while windows, operation,
 * numbers and planes alone change: problems for gst_cl_local_mean_prebuild(),
 * no two alike. */
typedef struct {
  GstClLocalMeanMethod method;
  guint n_problems;
  GstClLocalMeanProblem problems[GST_CL_LOCAL_MEAN_MAX_PROBLEMS];
} GstClLocalMeanNeeds;

const GstClLocalMeanNeeds *gst_cl_local_mean_runner_get_needs (
    const GstClLocalMeanRunner *runner);

/* TRUE if both need the same programs. */
gboolean gst_cl_local_mean_needs_equal (const GstClLocalMeanNeeds *a,
    const GstClLocalMeanNeeds *b);

/* Takes the factors of @settings for the frames to come; the rest is as it was
 * for gst_cl_local_mean_runner_new(). */
void gst_cl_local_mean_runner_set_factors (GstClLocalMeanRunner *runner,
    const GstClLocalMeanSettings *settings);

/* Enqueues the work for one frame of a runner for video. */
gboolean gst_cl_local_mean_runner_run (GstClLocalMeanRunner *runner,
    const GstClFrame *in, const GstClFrame *out, GError **error);

/* Enqueues the work for one frame of a runner for integral images. @squares:
 * NULL if there are none. */
gboolean gst_cl_local_mean_runner_run_sums (GstClLocalMeanRunner *runner,
    const GstClSums *in, const GstClSums *squares, const GstClFrame *out,
    GError **error);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (GstClLocalMeanRunner,
    gst_cl_local_mean_runner_free)

/* Programs made ahead, in a thread of its own: what changes of properties may
 * need while the stream runs. Streaming thread. */
typedef struct _GstClLocalMeanPrebuild GstClLocalMeanPrebuild;

/* NULL if it is switched off (GST_OPENCL_PREPARE), or if nothing is kept on
 * disk, so that each start would compile what most streams never use. */
GstClLocalMeanPrebuild *gst_cl_local_mean_prebuild_new (GstClContext *context);

/* Waits for the program at hand, if there is one. Accepts NULL. */
void gst_cl_local_mean_prebuild_free (GstClLocalMeanPrebuild *self);

/* After the first frame of @runner: builds what it may come to need,
 * GST_CL_PREBUILD_DELAY_US later, and gives up what was for another runner,
 * unless that needs the same. Accepts NULL. */
void gst_cl_local_mean_prebuild_start (GstClLocalMeanPrebuild *self,
    const GstClLocalMeanRunner *runner);

/* Streams that end sooner need not wait for a program at their end, and what
 * the first frames still compile is not disturbed. In microseconds. */
#define GST_CL_PREBUILD_DELAY_US 1000000

G_END_DECLS
