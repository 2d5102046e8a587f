/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include <gst/video/video.h>

#include "cl/video/gstclintegralinfo.h"
#include "common/gstclproperty.h"
#include "ops/localmean/localmean.h"

G_BEGIN_DECLS

#define GST_CL_LOCAL_MEAN_N_PROPERTIES 18

/* Rows for GstClLocalMeanSettings. */
extern const GstClProperty
    gst_cl_local_mean_properties[GST_CL_LOCAL_MEAN_N_PROPERTIES];

/* Types of the enum properties. */
extern GstClEnum gst_cl_border_enum, gst_cl_local_mean_operation_enum,
    gst_cl_local_mean_method_enum;

/* The properties of cllocalmean. */
typedef struct {
  GstClWindow window; /* anchors may be -1: half the kernel */
  guint planes;       /* bit c: component c is filtered, else copied */
  GstClLocalMeanOperation operation;
  GstClLocalMeanMethod method;
  gint repeat;           /* passes */
  gboolean split_fields; /* windows of interlaced frames are of one field */

  /* In 8-bit codes, scaled to the frame's depth by powers of two. */
  gdouble border_value;
  GstClLocalMeanFactors factors; /* k may be GST_CL_LOCAL_MEAN_USUAL_K */
} GstClLocalMeanSettings;

/* Selects the recommended k of the operation. */
#define GST_CL_LOCAL_MEAN_USUAL_K -10.0

/* Returns TRUE if the fields of all frames of @video are filtered separately:
 * the output has the rows of results of both fields. */
gboolean gst_cl_local_mean_settings_split (
    const GstClLocalMeanSettings *settings, const GstVideoInfo *video);

/* Returns FALSE with GST_CORE_ERROR_NEGOTIATION, which names the property and
 * the frame, if @settings do not support the input. Exactly one of @video and
 * @integral, the input, is set. */
gboolean gst_cl_local_mean_settings_check (
    const GstClLocalMeanSettings *settings, const GstVideoInfo *video,
    const GstClIntegralInfo *integral, GError **error);

/* Returns FALSE, with an error as above, if windows of codes of @sample may
 * have sums of 2^32 or more and the integral image has 32-bit sums. */
gboolean gst_cl_local_mean_settings_check_sums (
    const GstClLocalMeanSettings *settings, const GstClSampleType *sample,
    const GstClIntegralInfo *integral, GError **error);

/* Sets @factors to those of @settings: numbers in codes of @sample, and the
 * recommended k if it is selected. */
void gst_cl_local_mean_settings_get_factors (
    const GstClLocalMeanSettings *settings, const GstClSampleType *sample,
    GstClLocalMeanFactors *factors);

/* Sets operation, window, factors, repeat and sample of @problem: numbers in
 * codes of @sample, with the default anchor and k filled in. */
void gst_cl_local_mean_settings_apply (const GstClLocalMeanSettings *settings,
    const GstClSampleType *sample, GstClLocalMeanProblem *problem);

G_END_DECLS
