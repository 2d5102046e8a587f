/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "gstclpacking.h"

G_BEGIN_DECLS

/* A format that the elements accept. GstVideoFormatInfo has its depth, planes,
 * offsets and subsampling. With has_layout, the row has offsets and shift.
 * Packed formats are unpacked before kernels read their samples. */
typedef struct {
  const gchar *name;
  gboolean has_layout; /* GStreamer's offsets or shifts are wrong */
  guint8 offsets[GST_VIDEO_MAX_COMPONENTS];  /* bytes within the pixel */
  guint8 shift;                              /* unused bits below each code */
  const gchar *planes[GST_VIDEO_MAX_PLANES]; /* packed: their layouts, see
                                                gst_cl_packing_init() */
  gboolean is_big_endian;                    /* packed */

  /* set by gst_cl_formats() */
  GstVideoFormat format;
  GstClPacking packing; /* packed */
} GstClFormat;

/* Returns the rows of all formats that the running GStreamer knows, and sets
 * *n_rows to their number. Any thread. */
const GstClFormat *gst_cl_formats (guint *n_rows);

/* Returns the row for @format; NULL if there is none. Any thread. */
const GstClFormat *gst_cl_format_find (GstVideoFormat format);

/* Returns the format in the table that loses least of @format, in the same
 * color model; GST_VIDEO_FORMAT_UNKNOWN if there is none. Sets *keeps_all to
 * TRUE if the format keeps every bit of every sample. */
GstVideoFormat gst_cl_format_find_nearest (GstVideoFormat format,
    gboolean *keeps_all);

/* Returns the layout of a packed format; NULL: kernels read the format as it
 * is. Transfer none; any thread. */
const GstClPacking *gst_cl_format_packing (const GstVideoFormatInfo *info);

/* Returns the bits of the codes that kernels read from component @component. */
guint gst_cl_format_component_depth (const GstVideoFormatInfo *info,
    guint component);

/* Returns video/x-raw caps in system memory with every format in the table. */
GstCaps *gst_cl_format_make_caps (void);

/* Returns the name of component @component of @info, in GStreamer's order: "Y",
 * "U", "V", "R", "G", "B" or "A". */
const gchar *gst_cl_format_component_name (const GstVideoFormatInfo *info,
    guint component);

/* Returns the byte offset of component @component within its pixel. */
guint gst_cl_format_component_offset (const GstVideoFormatInfo *info,
    guint component);

/* Returns the number of unused bits below the code of component @component. */
guint gst_cl_format_component_shift (const GstVideoFormatInfo *info,
    guint component);

/* Returns the number of components that the plugin measures by default: the
 * luma alone for YUV and grey, every component in the plane of R for RGB. They
 * are components 0, 1, ... */
guint gst_cl_format_main_components (const GstVideoFormatInfo *info);

/* Returns the offset of the byte within a pixel that no component uses (the x
 * of RGBx), or -1. */
gint gst_cl_format_padding_offset (const GstVideoFormatInfo *info);

/* Returns TRUE if a component has fewer samples than the frame has pixels. */
gboolean gst_cl_format_is_subsampled (const GstVideoFormatInfo *info);

G_END_DECLS
