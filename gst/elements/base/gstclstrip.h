/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "cl/context/gstclcontext.h"

#include <gst/video/video.h>

G_BEGIN_DECLS

/* Strips of rows of frames that exceed the largest buffer of the device. Rows
 * are those of the frame; subsampled planes have fewer. */

/* Returns the rows of a strip for frames of @height rows, of which the device
 * needs buffers of @size_bytes; 0 if not even the lowest strip fits. */
gint gst_cl_strip_rows (GstClContext *context, gint height, guint64 size_bytes);

/* Returns the bytes of the largest plane, or of the components of a packed
 * frame. */
guint64 gst_cl_strip_plane_bytes (const GstVideoInfo *info);

/* Returns @info for a strip of @n_rows. */
GstVideoInfo gst_cl_strip_info (const GstVideoInfo *info, gint n_rows);

/* Returns a buffer with the memory of @buffer, a frame of @info, and a meta
 * that describes the strip of @n_rows from @row on, a multiple of
 * gst_cl_strip_rows(). NULL with @error; transfer full. */
GstBuffer *gst_cl_strip_buffer (GstBuffer *buffer, const GstVideoInfo *info,
    gint row, gint n_rows, GError **error);

G_END_DECLS
