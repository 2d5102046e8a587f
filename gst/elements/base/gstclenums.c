/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Enum and flags types of the elements' properties. */

#include "gstclenums.h"

#include "elements/framesum/gstclframesumsettings.h"
#include "cl/video/gstclcomponent.h"
#include "ops/moments/moments.h"
#include "ops/integral/integral.h"
#include "ops/localmean/localmean.h"
#include "series/gstclevents.h"

#define MAX_EVENTS 32 /* flags of an int */

GType
gst_cl_sum_format_get_type (void)
{
  static gsize type = 0;
  static const GEnumValue values[] = {
    { GST_CL_SUM_FORMAT_AUTO, "The narrowest that keeps window sums exact",
        "auto" },
    { GST_CL_SUM_FORMAT_U32, "Unsigned 32 bits, modulo 2^32", "u32" },
    { GST_CL_SUM_FORMAT_U64, "Unsigned 64 bits", "u64" },
    { GST_CL_SUM_FORMAT_F32, "Float, the nearest to the exact sum", "f32" },
    { 0, NULL, NULL },
  };

  if (g_once_init_enter (&type))
    g_once_init_leave (&type,
        g_enum_register_static ("GstClIntegralSumFormat", values));

  return type;
}

GType
gst_cl_layout_get_type (void)
{
  static gsize type = 0;
  static const GEnumValue values[] = {
    { GST_CL_LAYOUT_INCLUSIVE, "width x height, each sum includes its sample",
        "inclusive" },
    { GST_CL_LAYOUT_EXCLUSIVE, "A first row and column of zeros (OpenCV)",
        "exclusive" },
    { 0, NULL, NULL },
  };

  if (g_once_init_enter (&type))
    g_once_init_leave (&type,
        g_enum_register_static ("GstClIntegralLayout", values));

  return type;
}

GType
gst_cl_integral_method_get_type (void)
{
  static gsize type = 0;
  static const GEnumValue values[] = {
    { GST_CL_INTEGRAL_METHOD_AUTO, "What measures fastest on the device",
        "auto" },
    { GST_CL_INTEGRAL_METHOD_MULTI_PASS, "Rows, then columns", "multi-pass" },
    { GST_CL_INTEGRAL_METHOD_ASYNC_COPY,
        "Strips through local memory by asynchronous copies", "async-copy" },
    { GST_CL_INTEGRAL_METHOD_SINGLE_PASS,
        "One launch, whose work-groups wait for each other", "single-pass" },
    { 0, NULL, NULL },
  };

  if (g_once_init_enter (&type))
    g_once_init_leave (&type,
        g_enum_register_static ("GstClIntegralMethod", values));

  return type;
}

GType
gst_cl_border_get_type (void)
{
  static gsize type = 0;
  static const GEnumValue values[] = {
    { GST_CL_BORDER_SHRINK, "The window is clipped to the frame", "shrink" },
    { GST_CL_BORDER_VALID, "Only whole windows give a result", "valid" },
    { GST_CL_BORDER_REPLICATE, "The nearest sample: aaa|abcd|ddd",
        "replicate" },
    { GST_CL_BORDER_CONSTANT, "Samples of border-value", "constant" },
    { GST_CL_BORDER_REFLECT, "Mirrored with the edge: cba|abcd|dcb",
        "reflect" },
    { GST_CL_BORDER_REFLECT_101, "Mirrored at the edge: dcb|abcd|cba",
        "reflect-101" },
    { GST_CL_BORDER_WRAP, "From the other side: bcd|abcd|abc", "wrap" },
    { 0, NULL, NULL },
  };

  if (g_once_init_enter (&type))
    g_once_init_leave (&type,
        g_enum_register_static ("GstClLocalMeanBorderMode", values));

  return type;
}

GType
gst_cl_local_mean_operation_get_type (void)
{
  static gsize type = 0;
  static const GEnumValue values[] = {
    { GST_CL_LOCAL_MEAN_OPERATION_MEAN, "Mean, rounded half up", "mean" },
    { GST_CL_LOCAL_MEAN_OPERATION_STDDEV, "Standard deviation", "stddev" },
    { GST_CL_LOCAL_MEAN_OPERATION_DIFFERENCE,
        "Pixel minus mean, around mid-grey", "difference" },
    { GST_CL_LOCAL_MEAN_OPERATION_NORMALIZE,
        "Pixel * target / mean: even light", "normalize" },
    { GST_CL_LOCAL_MEAN_OPERATION_MEAN_C, "Threshold mean - offset", "mean-c" },
    { GST_CL_LOCAL_MEAN_OPERATION_BRADLEY, "Threshold mean * (1 - k)",
        "bradley" },
    { GST_CL_LOCAL_MEAN_OPERATION_NIBLACK, "Threshold mean + k * stddev",
        "niblack" },
    { GST_CL_LOCAL_MEAN_OPERATION_SAUVOLA,
        "Threshold mean * (1 + k * (stddev / r - 1))", "sauvola" },
    { GST_CL_LOCAL_MEAN_OPERATION_WOLF,
        "Threshold mean - k * (mean - min) * (1 - stddev / max stddev)",
        "wolf" },
    { GST_CL_LOCAL_MEAN_OPERATION_NICK,
        "Threshold mean + k * sqrt (2 * stddev^2 + mean^2)", "nick" },
    { 0, NULL, NULL },
  };

  if (g_once_init_enter (&type))
    g_once_init_leave (&type,
        g_enum_register_static ("GstClLocalMeanOperation", values));

  return type;
}

GType
gst_cl_local_mean_method_get_type (void)
{
  static gsize type = 0;
  static const GEnumValue values[] = {
    { GST_CL_LOCAL_MEAN_METHOD_AUTO, "What measures fastest on the device",
        "auto" },
    { GST_CL_LOCAL_MEAN_METHOD_DIRECT,
        "Corners of the integral image from global memory", "direct" },
    { GST_CL_LOCAL_MEAN_METHOD_ASYNC_COPY,
        "Corner rows through local memory by asynchronous copies",
        "async-copy" },
    { GST_CL_LOCAL_MEAN_METHOD_SLIDING,
        "Running sums of the samples, no integral image", "sliding" },
    { 0, NULL, NULL },
  };

  if (g_once_init_enter (&type))
    g_once_init_leave (&type,
        g_enum_register_static ("GstClLocalMeanMethod", values));

  return type;
}

GType
gst_cl_statistics_get_type (void)
{
  static gsize type = 0;
  static const GFlagsValue values[] = {
    { GST_CL_STATISTIC_POSITIONS, "Where the first minimum and maximum are",
        "positions" },
    { GST_CL_STATISTIC_GAMUT, "Share of samples out of the colour range (BRNG)",
        "gamut" },
    { GST_CL_STATISTIC_REPETITION, "Share of rows that repeat others (VREP)",
        "repetition" },
    { GST_CL_STATISTIC_OUTLIERS,
        "Share of samples that stand out from the rows around (TOUT)",
        "outliers" },
    { GST_CL_STATISTIC_BIT_DEPTH, "Bits in use", "bit-depth" },
    { GST_CL_STATISTIC_HUE, "Mean and median hue", "hue" },
    { GST_CL_STATISTIC_SATURATION, "Saturation", "saturation" },
    { GST_CL_STATISTIC_TEMPORAL, "Difference to the previous frame",
        "temporal" },
    { GST_CL_STATISTIC_ENTROPY, "Entropy in bits", "entropy" },
    { GST_CL_STATISTIC_PERCENTILES, "10 %, median and 90 %", "percentiles" },
    { GST_CL_STATISTIC_HISTOGRAM, "Histogram", "histogram" },
    { GST_CL_STATISTIC_RANGE, "Minimum and maximum", "range" },
    { GST_CL_STATISTIC_MOMENTS,
        "Count, sum, sum of squares, mean, variance, standard deviation",
        "moments" },
    { 0, NULL, NULL },
  };

  if (g_once_init_enter (&type))
    g_once_init_leave (&type,
        g_flags_register_static ("GstClFrameSumStatistics", values));

  return type;
}

GType
gst_cl_events_get_type (void)
{
  static gsize type = 0;
  static GFlagsValue values[MAX_EVENTS + 1]; /* the last remains zero */
  GstClEventType event;
  const gchar *name;

  if (g_once_init_enter (&type)) {
    for (guint i = 0;
         i < MAX_EVENTS && (name = gst_cl_events_name (i, &event)) != NULL; i++)
      values[i] = (GFlagsValue){ event, name, name };
    g_once_init_leave (&type,
        g_flags_register_static ("GstClFrameSumEvents", values));
  }

  return type;
}

GType
gst_cl_key_style_get_type (void)
{
  static gsize type = 0;
  static const GEnumValue values[] = {
    { GST_CL_KEY_STYLE_GST, "The plugin's own names", "gst" },
    { GST_CL_KEY_STYLE_LAVFI, "The keys of FFmpeg's signalstats as well",
        "lavfi" },
    { 0, NULL, NULL },
  };

  if (g_once_init_enter (&type))
    g_once_init_leave (&type,
        g_enum_register_static ("GstClFrameSumKeyStyle", values));

  return type;
}

GType
gst_cl_reduction_get_type (void)
{
  static gsize type = 0;
  static const GEnumValue values[] = {
    { GST_CL_REDUCTION_AUTO, "What measures fastest on the device", "auto" },
    { GST_CL_REDUCTION_INNER, "Work-groups halve blocks in local memory",
        "inner" },
    { GST_CL_REDUCTION_OUTER, "Each work-item sums a whole block", "outer" },
    { 0, NULL, NULL },
  };

  if (g_once_init_enter (&type))
    g_once_init_leave (&type,
        g_enum_register_static ("GstClFrameSumReduction", values));

  return type;
}

GType
gst_cl_planes_get_type (void)
{
  static gsize type = 0;
  static const GFlagsValue values[] = {
    /* gst-inspect-1.0 names a mask by the last rows that make it up */
    { 1 << 3, "A", "a" },
    { 1 << 2, "B", "b" },
    { 1 << 1, "G", "g" },
    { 1 << 0, "R", "r" },
    { 1 << 2, "V", "v" },
    { 1 << 1, "U", "u" },
    { 1 << 0, "Y", "y" },
    { 0, NULL, NULL },
  };

  if (g_once_init_enter (&type))
    g_once_init_leave (&type, g_flags_register_static ("GstClPlanes", values));

  return type;
}
