/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include <gst/gst.h>

#include "gstclcomponent.h"

G_BEGIN_DECLS

/* The caps of an integral image; the counterpart of GstVideoInfo for raw video.
 */

#define GST_CL_INTEGRAL_MEDIA_TYPE "video/x-integral-image"

/* The names of the sum types in caps, in the machine's byte order. */
#if G_BYTE_ORDER == G_LITTLE_ENDIAN
#define GST_CL_INTEGRAL_FORMAT_U32 "U32LE"
#define GST_CL_INTEGRAL_FORMAT_U64 "U64LE"
#define GST_CL_INTEGRAL_FORMAT_F32 "F32LE"
#else
#define GST_CL_INTEGRAL_FORMAT_U32 "U32BE"
#define GST_CL_INTEGRAL_FORMAT_U64 "U64BE"
#define GST_CL_INTEGRAL_FORMAT_F32 "F32BE"
#endif

#define GST_CL_INTEGRAL_MAX_CHANNELS 4

#define GST_CL_INTEGRAL_CHANNELS                                               \
  "[ 1, " G_STRINGIFY (GST_CL_INTEGRAL_MAX_CHANNELS) " ]"

#define GST_CL_INTEGRAL_CAPS                                                   \
  GST_CL_INTEGRAL_MEDIA_TYPE                                                   \
  ", format = (string) { " GST_CL_INTEGRAL_FORMAT_U32                          \
  ", " GST_CL_INTEGRAL_FORMAT_U64 ", " GST_CL_INTEGRAL_FORMAT_F32 " }"         \
  ", width = (int) [ 1, max ]"                                                 \
  ", height = (int) [ 1, max ]"                                                \
  ", channels = (int) " GST_CL_INTEGRAL_CHANNELS                               \
  ", framerate = (fraction) [ 0, max ]"                                        \
  ", layout = (string) { inclusive, exclusive }"                               \
  ", squares = (boolean) { false, true }"                                      \
  ", tilted = (boolean) { false, true }"

typedef struct {
  gint width, height; /* of the source frame, in samples */
  gint channels;      /* 1 .. GST_CL_INTEGRAL_MAX_CHANNELS, interleaved */
  GstClLayout layout;
  guint sum_bytes;                  /* of one sum: 4, 8 */
  gboolean is_float;                /* a floating-point number */
  gboolean has_squares, has_tilted; /* arrays that follow the sums */
  gint fps_n, fps_d;
} GstClIntegralInfo;

/* Returns TRUE if @structure (of caps) describes an integral image, fixed or
 * not. */
gboolean gst_cl_integral_is_structure (const GstStructure *structure);

/* Reads fixed caps. FALSE if they describe no integral image, or if its size in
 * bytes overflows. */
gboolean gst_cl_integral_info_from_caps (GstClIntegralInfo *info,
    const GstCaps *caps);

/* Returns "inclusive" or "exclusive". */
const gchar *gst_cl_layout_name (GstClLayout layout);

/* Returns the size of one buffer in bytes: all arrays, tightly packed. */
gsize gst_cl_integral_info_size (const GstClIntegralInfo *info);

/* Returns the sums of an integral image at @offset_bytes of @mem, as kernels
 * see them. */
GstClSums gst_cl_integral_info_sums (const GstClIntegralInfo *info, cl_mem mem,
    gsize offset_bytes);

/* Return the sums of squares, 8 bytes each and aligned to four bytes, and the
 * tilted sums, which the image must have. */
GstClSums gst_cl_integral_info_squares (const GstClIntegralInfo *info,
    cl_mem mem, gsize offset_bytes);
GstClSums gst_cl_integral_info_tilted (const GstClIntegralInfo *info,
    cl_mem mem, gsize offset_bytes);

G_END_DECLS
