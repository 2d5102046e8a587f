/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include <gst/gst.h>

G_BEGIN_DECLS

/* GTypes of the elements' enum and flags properties. */

/* clintegral: type of the sums. */
typedef enum {
  GST_CL_SUM_FORMAT_AUTO,
  GST_CL_SUM_FORMAT_U32,
  GST_CL_SUM_FORMAT_U64,
  GST_CL_SUM_FORMAT_F32,
} GstClSumFormat;

#define GST_TYPE_CL_SUM_FORMAT (gst_cl_sum_format_get_type ())
GType gst_cl_sum_format_get_type (void);

#define GST_TYPE_CL_LAYOUT (gst_cl_layout_get_type ())
GType gst_cl_layout_get_type (void);

#define GST_TYPE_CL_INTEGRAL_METHOD (gst_cl_integral_method_get_type ())
GType gst_cl_integral_method_get_type (void);

#define GST_TYPE_CL_BORDER (gst_cl_border_get_type ())
GType gst_cl_border_get_type (void);

#define GST_TYPE_CL_LOCAL_MEAN_OPERATION                                       \
  (gst_cl_local_mean_operation_get_type ())
GType gst_cl_local_mean_operation_get_type (void);

#define GST_TYPE_CL_LOCAL_MEAN_METHOD (gst_cl_local_mean_method_get_type ())
GType gst_cl_local_mean_method_get_type (void);

/* Flags: GstClStatistic. */
#define GST_TYPE_CL_STATISTICS (gst_cl_statistics_get_type ())
GType gst_cl_statistics_get_type (void);

/* Flags: GstClEventType. */
#define GST_TYPE_CL_EVENTS (gst_cl_events_get_type ())
GType gst_cl_events_get_type (void);

#define GST_TYPE_CL_KEY_STYLE (gst_cl_key_style_get_type ())
GType gst_cl_key_style_get_type (void);

#define GST_TYPE_CL_REDUCTION (gst_cl_reduction_get_type ())
GType gst_cl_reduction_get_type (void);

/* Flags that name components: bit c is component c as GStreamer orders them,
 * with the nicks y, u, v, a and r, g, b for the same bits. */
#define GST_TYPE_CL_PLANES (gst_cl_planes_get_type ())
GType gst_cl_planes_get_type (void);

#define GST_CL_PLANES_ALL 0xf

G_END_DECLS
