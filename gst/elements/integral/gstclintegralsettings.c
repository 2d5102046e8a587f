/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The table of clintegral's properties. */

#include "gstclintegralsettings.h"

#include <gst/video/video.h>

GstClEnum gst_cl_sum_format_enum = {
  .name = "GstClIntegralSumFormat",
  .enum_values =
      (const GEnumValue[]){
          { GST_CL_SUM_FORMAT_AUTO,
              "The narrowest that keeps window sums exact", "auto" },
          { GST_CL_SUM_FORMAT_U32, "Unsigned 32 bits, modulo 2^32", "u32" },
          { GST_CL_SUM_FORMAT_U64, "Unsigned 64 bits", "u64" },
          { GST_CL_SUM_FORMAT_F32, "Float, the nearest to the exact sum",
              "f32" },
          { 0, NULL, NULL },
      },
};

GstClEnum gst_cl_layout_enum = {
  .name = "GstClIntegralLayout",
  .enum_values =
      (const GEnumValue[]){
          { GST_CL_LAYOUT_INCLUSIVE,
              "width x height, each sum includes its sample", "inclusive" },
          { GST_CL_LAYOUT_EXCLUSIVE, "A first row and column of zeros (OpenCV)",
              "exclusive" },
          { 0, NULL, NULL },
      },
};

GstClEnum gst_cl_integral_method_enum = {
  .name = "GstClIntegralMethod",
  .enum_values =
      (const GEnumValue[]){
          { GST_CL_INTEGRAL_METHOD_AUTO, "What measures fastest on the device",
              "auto" },
          { GST_CL_INTEGRAL_METHOD_MULTI_PASS, "Rows, then columns",
              "multi-pass" },
          { GST_CL_INTEGRAL_METHOD_ASYNC_COPY,
              "Strips through local memory by asynchronous copies",
              "async-copy" },
          { GST_CL_INTEGRAL_METHOD_SINGLE_PASS,
              "One launch, whose work-groups wait for each other",
              "single-pass" },
          { 0, NULL, NULL },
      },
};

#define FIELD(name) G_STRUCT_OFFSET (GstClIntegralSettings, name)

const GstClProperty gst_cl_integral_properties[] = {
  /**
   * GstClIntegral:sum-format:
   *
   * Type of the sums. `auto` is `u64` for samples of 16 bits and `u32` for all
   * others. Sums of `u32` are defined modulo 2^32, so that every rectangle
   * whose own sum is below 2^32 comes out exact.
   *
   * Since: 0.1
   */
  { "sum-format", "Sum format", "Type of the sums", GST_CL_PROPERTY_ENUM,
      FIELD (choice.sum_format), GST_PARAM_MUTABLE_PLAYING,
      .values.e = { GST_CL_SUM_FORMAT_AUTO, &gst_cl_sum_format_enum } },

  /**
   * GstClIntegral:layout:
   *
   * `inclusive` gives one sum for each sample, which the sum includes.
   * `exclusive` has a row and a column of zeros before them, as OpenCV's
   * `cv::integral` has.
   *
   * Since: 0.1
   */
  { "layout", "Layout", "Whether a sum includes its own row and column",
      GST_CL_PROPERTY_ENUM, FIELD (choice.layout), GST_PARAM_MUTABLE_PLAYING,
      .values.e = { GST_CL_LAYOUT_INCLUSIVE, &gst_cl_layout_enum } },

  /**
   * GstClIntegral:component:
   *
   * The component to sum, numbered as GStreamer orders them (Y U V A, R G B A).
   * -1 sums the luma of YUV, and all components of packed RGB as channels.
   *
   * Since: 0.1
   */
  { "component", "Component",
      "Component to sum, at its own size; -1: luma, or all of packed RGB",
      GST_CL_PROPERTY_INT, FIELD (choice.component), GST_PARAM_MUTABLE_PLAYING,
      .values.i = { -1, -1, GST_VIDEO_MAX_COMPONENTS - 1 } },

  /**
   * GstClIntegral:method:
   *
   * How the device computes the sums; all methods give the same bits. `auto`
   * measures once for a device and caps, and remembers the fastest.
   *
   * Since: 0.1
   */
  { "method", "Method", "How the device computes the sums",
      GST_CL_PROPERTY_ENUM, FIELD (method), GST_PARAM_MUTABLE_PLAYING,
      .values.e = { GST_CL_INTEGRAL_METHOD_AUTO,
          &gst_cl_integral_method_enum } },

  /**
   * GstClIntegral:squares:
   *
   * Adds the integral image of the squared samples, in 64 bits, behind the
   * sums. Both together give the variance of any rectangle.
   *
   * Since: 0.3
   */
  { "squares", "Squares", "Also the sums of squares, after the sums",
      GST_CL_PROPERTY_BOOLEAN, FIELD (choice.squares),
      GST_PARAM_MUTABLE_PLAYING, .values.boolean = FALSE },

  /**
   * GstClIntegral:tilted:
   *
   * Adds the integral image rotated by 45 degrees, as OpenCV defines it, behind
   * all others.
   *
   * Since: 0.3
   */
  { "tilted", "Tilted", "Also the 45-degree sums, after all others",
      GST_CL_PROPERTY_BOOLEAN, FIELD (choice.tilted), GST_PARAM_MUTABLE_PLAYING,
      .values.boolean = FALSE },
};
