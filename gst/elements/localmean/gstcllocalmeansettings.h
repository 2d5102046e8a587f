/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include <gst/video/video.h>

#include "cl/video/gstclintegralinfo.h"
#include "common/gstclproperty.h"
#include "ops/localmean/localmean.h"

G_BEGIN_DECLS

#define GST_CL_LOCAL_MEAN_N_PROPERTIES 17

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
  gint repeat; /* passes */

  /* In codes of 8 bits, scaled to the frame's depth by powers of two. */
  gdouble border_value;
  GstClLocalMeanFactors factors; /* k may be GST_CL_LOCAL_MEAN_USUAL_K */
} GstClLocalMeanSettings;

/* The k that is usual for the operation. */
#define GST_CL_LOCAL_MEAN_USUAL_K -10.0

/* FALSE with GST_CORE_ERROR_NEGOTIATION, which names the property and the
 * frame, if @settings do not go with the input: exactly one of @video and
 * @integral. */
gboolean gst_cl_local_mean_settings_check (
    const GstClLocalMeanSettings *settings, const GstVideoInfo *video,
    const GstClIntegralInfo *integral, GError **error);

/* 32-bit sums hold only windows that sum up below 2^32, of codes as @sample has
 * them: else FALSE, as above. */
gboolean gst_cl_local_mean_settings_check_sums (
    const GstClLocalMeanSettings *settings, const GstClSampleType *sample,
    const GstClIntegralInfo *integral, GError **error);

/* Sets @factors to those of @settings: numbers as codes of @sample, k chosen.
 */
void gst_cl_local_mean_settings_get_factors (
    const GstClLocalMeanSettings *settings, const GstClSampleType *sample,
    GstClLocalMeanFactors *factors);

/* Fills operation, window, factors, repeat and sample of @problem: numbers as
 * codes of @sample, the anchor and k chosen. */
void gst_cl_local_mean_settings_apply (const GstClLocalMeanSettings *settings,
    const GstClSampleType *sample, GstClLocalMeanProblem *problem);

G_END_DECLS
