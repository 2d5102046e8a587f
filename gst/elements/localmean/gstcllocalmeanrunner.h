/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "cl/video/gstclframe.h"
#include "gstcllocalmeansettings.h"

G_BEGIN_DECLS

/* For each set of rows, one op per component, and one for the padding bytes. */
#define GST_CL_LOCAL_MEAN_MAX_OPS                                              \
  (GST_CL_N_ROW_SETS * (GST_VIDEO_MAX_COMPONENTS + 1))

/* A component may be filtered or copied. */
#define GST_CL_LOCAL_MEAN_MAX_PROBLEMS (2 * GST_CL_LOCAL_MEAN_MAX_OPS)

/* The ops for all components of a frame, for fixed settings and caps. */
typedef struct _GstClLocalMeanRunner GstClLocalMeanRunner;

/* What a runner is created from: @video or @integral is the input, the other
 * one is NULL. All are borrowed during the call. @has_field_rows: all buffers
 * have gst_cl_frame_has_field_rows(); else the last row of chroma of a bottom
 * field may be left out. @may_measure: method=auto may spend time on measuring
 * implementations (gst_cl_base_filter_may_measure()). */
typedef struct {
  GstClContext *context;
  const GstClLocalMeanSettings *settings;
  const GstVideoInfo *video;
  const GstClIntegralInfo *integral;
  const GstVideoInfo *out;
  gboolean has_field_rows, may_measure;
} GstClLocalMeanSetup;

/* Returns a runner. Returns NULL with GST_CORE_ERROR_NEGOTIATION if the
 * settings do not support this input (the error names the property and the
 * frame), or if the output does not have the size that the settings give.
 * transfer full */
GstClLocalMeanRunner *gst_cl_local_mean_runner_new (
    const GstClLocalMeanSetup *setup, GError **error);
void gst_cl_local_mean_runner_free (GstClLocalMeanRunner *runner);

/* What is common to all runners for the same caps if only windows, operation,
 * numbers and planes change: distinct problems for
 * gst_cl_local_mean_prebuild_start(). */
typedef struct {
  GstClLocalMeanMethod method;
  guint n_problems;
  GstClLocalMeanProblem problems[GST_CL_LOCAL_MEAN_MAX_PROBLEMS];
} GstClLocalMeanNeeds;

const GstClLocalMeanNeeds *gst_cl_local_mean_runner_get_needs (
    const GstClLocalMeanRunner *runner);

/* Returns TRUE if both need the same programs. */
gboolean gst_cl_local_mean_needs_equal (const GstClLocalMeanNeeds *a,
    const GstClLocalMeanNeeds *b);

/* Uses the factors of @settings for the next frames. The other settings must be
 * those of gst_cl_local_mean_runner_new(). */
void gst_cl_local_mean_runner_set_factors (GstClLocalMeanRunner *runner,
    const GstClLocalMeanSettings *settings);

/* Returns TRUE if interlaced frames of mixed video are filtered as one picture,
 * although split-fields is set: both fields together have another number of
 * result rows than a progressive frame. */
gboolean gst_cl_local_mean_runner_lacks_fields (
    const GstClLocalMeanRunner *runner);

/* Returns TRUE if the fields of frames are filtered separately.
 * @is_interlaced: the buffer has GST_VIDEO_BUFFER_FLAG_INTERLACED. */
gboolean gst_cl_local_mean_runner_has_fields (
    const GstClLocalMeanRunner *runner, gboolean is_interlaced);

/* Returns TRUE after a frame if no op will change rows. */
gboolean gst_cl_local_mean_runner_is_settled (
    const GstClLocalMeanRunner *runner);

/* Enqueues the work for one frame of a runner for video. @is_interlaced: the
 * buffer has GST_VIDEO_BUFFER_FLAG_INTERLACED. */
gboolean gst_cl_local_mean_runner_run (GstClLocalMeanRunner *runner,
    const GstClFrame *in, const GstClFrame *out, gboolean is_interlaced,
    GError **error);

/* Enqueues the work for one frame of a runner for integral images. @squares:
 * NULL if there are none. */
gboolean gst_cl_local_mean_runner_run_sums (GstClLocalMeanRunner *runner,
    const GstClSums *in, const GstClSums *squares, const GstClFrame *out,
    GError **error);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (GstClLocalMeanRunner,
    gst_cl_local_mean_runner_free)

G_END_DECLS
