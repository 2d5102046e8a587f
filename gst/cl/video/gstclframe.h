/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include <gst/video/video.h>

#include "gstclcomponent.h"
#include "cl/import/gstclimport.h"

G_BEGIN_DECLS

/* A video buffer seen by kernels: planes in device memory, with the offsets and
 * strides of the buffer's GstVideoMeta (of the caps where it has none). Planes
 * that lie close together in one memory are one range: one transfer. */
typedef struct {
  GstVideoInfo info; /* caps */
  struct {
    cl_mem mem;
    gsize offset_bytes; /* of the plane's first byte within mem */
    gint stride_bytes;
  } planes[GST_VIDEO_MAX_PLANES];
  /*< private >*/
  GstClRange ranges[GST_VIDEO_MAX_PLANES];
  guint n_ranges;
} GstClFrame;

/* Every plane of a format. */
#define GST_CL_ALL_PLANES ((1u << GST_VIDEO_MAX_PLANES) - 1)

/* Bytes of a row of plane @plane that hold samples or padding within pixels,
 * and its rows. */
void gst_cl_frame_plane_extent (const GstVideoInfo *info, guint plane,
    gint *row_bytes, gint *n_rows);

/* Where plane @plane of @buffer lies: by its GstVideoMeta, else by @info. FALSE
 * with GST_STREAM_ERROR_FORMAT if it cannot hold the frame. */
gboolean gst_cl_frame_plane_layout (GstBuffer *buffer, const GstVideoInfo *info,
    guint plane, gsize *offset_bytes, gint *stride_bytes, GError **error);

/* FALSE with GST_STREAM_ERROR_FORMAT if plane @plane of @buffer does not lie in
 * it. */
gboolean gst_cl_frame_check_plane (GstBuffer *buffer, const GstVideoInfo *info,
    guint plane, GError **error);

/* TRUE if plane @plane lies in @buffer, in one memory. */
gboolean gst_cl_frame_plane_is_whole (GstBuffer *buffer,
    const GstVideoInfo *info, guint plane);

/* Takes the planes in @plane_mask (bit p: plane p) of @buffer through
 * @importer; the others stay untouched and must not be used. Geometry that
 * cannot hold the caps' frame, or a buffer too small, gives
 * GST_STREAM_ERROR_FORMAT. Samples of two bytes at odd places are copied. */
gboolean gst_cl_frame_take (GstClFrame *frame, GstClImporter *importer,
    GstBuffer *buffer, const GstVideoInfo *info, guint plane_mask,
    GstMapFlags flags, GError **error);

/* Sets *pending to the pending upload of @frame, which was taken with
 * GST_CL_MAP_LATE, so that another thread can enqueue it and the kernels. FALSE
 * if there is none, or there are several. */
gboolean gst_cl_frame_pending_upload (const GstClFrame *frame,
    GstClPendingUpload *pending);

/* Another thread enqueues the pending upload of @frame. */
void gst_cl_frame_hand_over_upload (GstClFrame *frame);

/* Begins the transfers that have not begun, and keeps kernels that are enqueued
 * from now on behind all of them. */
gboolean gst_cl_frame_begin_reads (GstClFrame *frame, GstClContext *context,
    GError **error);

/* All kernels that use @frame have been enqueued: see gst_cl_range_end_reads().
 */
void gst_cl_frame_end_reads (GstClFrame *frame);

/* The end of a frame: see gst_cl_range_submitted().
 * Adds to @accesses, which has room for GST_VIDEO_MAX_PLANES more. */
void gst_cl_frame_submitted (GstClFrame *frame, GstClAccess *accesses,
    guint *n_accesses);

/* Waits for the transfers by which planes came, if this thread has begun them.
 * FALSE if one has failed. */
gboolean gst_cl_frame_wait_for_uploads (GstClFrame *frame,
    GstClContext *context, GError **error);

/* Gives everything back; with is_host ranges only once the device is done. */
void gst_cl_frame_release (GstClFrame *frame);

/* TRUE if the device reads host memory of the buffer in place. */
gboolean gst_cl_frame_is_host (const GstClFrame *frame);

/* Component @component (0 .. 3, as GStreamer orders them). */
GstClComponent gst_cl_frame_component (const GstClFrame *frame,
    guint component);

/* Byte @offset_bytes of every pixel of the first plane, as a component: the x
 * of RGBx. */
GstClComponent gst_cl_frame_padding (const GstClFrame *frame,
    guint offset_bytes);

/* Geometry of component @component of frames of @info: mem NULL, offsets and
 * strides of the default layout. */
GstClComponent gst_cl_component_of_info (const GstVideoInfo *info,
    guint component);

G_END_DECLS
