/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "gstclinflight.h"

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

/* Processes @strip, the current frame, which begins with row @row of the whole
 * frame and has the rows of its info. FALSE with @error. */
typedef gboolean (*GstClStripFunc) (const GstClFrame *strip, gint row,
    gpointer user_data, GError **error);

/* The strips of @buffer, a frame of @info; all borrowed. Each strip is a frame
 * of @frames. */
typedef struct {
  GstClInFlight *frames;
  GstBuffer *buffer;
  const GstVideoInfo *info;
  gint n_rows; /* of a strip, by gst_cl_strip_rows(); the last may have fewer */
  guint component_mask; /* bit c for component c */
} GstClStrips;

/* Calls @func with each strip; the caller ends the last one. FALSE with
 * @error. */
gboolean gst_cl_strips_run (const GstClStrips *strips, GstClStripFunc func,
    gpointer user_data, GError **error);

G_END_DECLS
