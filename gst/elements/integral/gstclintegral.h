/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "elements/base/gstclbasefilter.h"
#include "ops/integral/integral.h"

G_BEGIN_DECLS

/* Mapping of raw video to integral images by clintegral. */

/* Type of the sums. */
typedef enum {
  GST_CL_SUM_FORMAT_AUTO,
  GST_CL_SUM_FORMAT_U32,
  GST_CL_SUM_FORMAT_U64,
  GST_CL_SUM_FORMAT_F32,
} GstClSumFormat;

/* The properties that the caps depend on. */
typedef struct {
  gint component; /* -1: luma, or all components of packed RGB */
  GstClLayout layout;
  GstClSumFormat sum_format;
  gboolean squares, tilted; /* arrays that follow the sums */
} GstClIntegralChoice;

/* For GstClBaseFilter.map_structure. */
GstCaps *gst_cl_integral_map_structure (const GstClIntegralChoice *choice,
    GstPadDirection direction, const GstStructure *structure);

#define GST_TYPE_CL_INTEGRAL (gst_cl_integral_get_type ())
G_DECLARE_FINAL_TYPE (GstClIntegral, gst_cl_integral, GST, CL_INTEGRAL,
    GstClBaseFilter)

GST_ELEMENT_REGISTER_DECLARE (clintegral)

G_END_DECLS
