/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "cl/gstclframe.h"

G_BEGIN_DECLS

#define GST_CL_TAKEN_MAX 2 /* one input and one output at a time */

/* What a filter has taken of the buffers that it works on. Zero-initialised it
 * is empty. Streaming thread. */
typedef struct {
  GstClFrame frames[GST_CL_TAKEN_MAX];
  guint n_frames;
  GstClRange ranges[GST_CL_TAKEN_MAX];
  guint n_ranges;
} GstClTaken;

/* gst_cl_frame_take() and gst_cl_importer_take(); what they return is valid
 * until the release. NULL with @error. */
const GstClFrame *gst_cl_taken_add_frame (GstClTaken *taken,
    GstClImporter *importer, GstBuffer *buffer, const GstVideoInfo *info,
    guint plane_mask, GstMapFlags flags, GError **error);
const GstClRange *gst_cl_taken_add_bytes (GstClTaken *taken,
    GstClImporter *importer, GstBuffer *buffer, gsize size_bytes,
    GstMapFlags flags, GError **error);

/* TRUE if the device reads host memory in place. */
gboolean gst_cl_taken_reads_host (const GstClTaken *taken);

/* Gives everything back; what reads host memory only once the device is done.
 */
void gst_cl_taken_release (GstClTaken *taken);

G_END_DECLS
