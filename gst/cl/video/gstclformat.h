/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include <gst/video/video.h>

G_BEGIN_DECLS

/* What the plugin needs to know of a format beyond GstVideoFormatInfo, which
 * is asked for depth, planes, offsets and subsampling. */
typedef struct {
  GstVideoFormat format;
  const gchar *sample_t; /* OpenCL type that stores one component */
} GstClFormat;

/* The table, for tests; *n_rows receives its length. */
const GstClFormat *gst_cl_formats (guint *n_rows);

/* NULL if the plugin has no row for @format. */
const GstClFormat *gst_cl_format_find (GstVideoFormat format);

/* Returns the format of the table that keeps most of @format, in the same color
 * model; GST_VIDEO_FORMAT_UNKNOWN: there is none. Sets *keeps_all to TRUE if
 * that is every bit of every sample. */
GstVideoFormat gst_cl_format_find_nearest (GstVideoFormat format,
    gboolean *keeps_all);

/* video/x-raw caps in system memory of every format in the table. */
GstCaps *gst_cl_format_make_caps (void);

/* "Y", "U", "V", "R", "G", "B" or "A": component @component of @info as
 * GStreamer orders them. */
const gchar *gst_cl_format_component_name (const GstVideoFormatInfo *info,
    guint component);

/* Byte of component @component within its pixel. */
guint gst_cl_format_component_offset (const GstVideoFormatInfo *info,
    guint component);

/* Components that belong together when "all of the first plane" is asked for:
 * the luma alone for YUV and grey, every component in the first plane for RGB.
 * Returns how many; they are components 0, 1, ... */
guint gst_cl_format_main_components (const GstVideoFormatInfo *info);

/* Byte within a pixel that no component uses (the x of RGBx), or -1. */
gint gst_cl_format_padding_offset (const GstVideoFormatInfo *info);

/* TRUE if a component has fewer samples than the frame has pixels. */
gboolean gst_cl_format_is_subsampled (const GstVideoFormatInfo *info);

G_END_DECLS
