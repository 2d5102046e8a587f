/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include <gst/video/video.h>

#include "gstclcomponent.h"
#include "cl/import/gstclimport.h"

G_BEGIN_DECLS

/* A video buffer as kernels see it: planes in device memory, with the offsets
 * and strides of the buffer's GstVideoMeta (of the caps if it has none). Planes
 * that are close together in one memory are one range, transferred at once. */
typedef struct {
  GstVideoInfo info; /* caps */
  struct {
    cl_mem mem;
    gsize offset_bytes; /* of the plane's first byte within mem */
    gint stride_bytes;
  } planes[GST_VIDEO_MAX_PLANES];
  cl_mem unpacked; /* the components of a packed format, as
                      gst_cl_component_of_info() has them; borrowed, set by the
                      caller; NULL: of other formats */
  /*< private >*/
  GstClDeviceRange ranges[GST_VIDEO_MAX_PLANES];
  guint n_ranges;
} GstClFrame;

/* Every plane, and every component, of a format. */
#define GST_CL_ALL_PLANES     ((1u << GST_VIDEO_MAX_PLANES) - 1)
#define GST_CL_ALL_COMPONENTS ((1u << GST_VIDEO_MAX_COMPONENTS) - 1)

/* Sets the bytes in a row of plane @plane that hold samples or padding within
 * pixels, and the number of rows. */
void gst_cl_frame_plane_extent (const GstVideoInfo *info, guint plane,
    gint *row_bytes, gint *n_rows);

/* Finds the offset and stride of plane @plane of @buffer: from its
 * GstVideoMeta, else from @info. FALSE with GST_STREAM_ERROR_FORMAT if they
 * cannot hold the frame. */
gboolean gst_cl_frame_plane_layout (GstBuffer *buffer, const GstVideoInfo *info,
    guint plane, gsize *offset_bytes, gint *stride_bytes, GError **error);

/* Returns TRUE if plane @plane is within @buffer; else FALSE with
 * GST_STREAM_ERROR_FORMAT. */
gboolean gst_cl_frame_check_plane (GstBuffer *buffer, const GstVideoInfo *info,
    guint plane, GError **error);

/* Returns TRUE if plane @plane is within @buffer, in one memory. */
gboolean gst_cl_frame_plane_is_whole (GstBuffer *buffer,
    const GstVideoInfo *info, guint plane);

/* Returns the rows of plane @plane of @buffer that hold samples: with the last
 * row of chroma of a bottom field, if @buffer has it. */
gint gst_cl_frame_plane_rows (GstBuffer *buffer, const GstVideoInfo *info,
    guint plane);

/* Returns TRUE if @buffer has all rows of gst_cl_component_of_field(). Layouts
 * of upstream may lack the last row of chroma. */
gboolean gst_cl_frame_has_field_rows (GstBuffer *buffer,
    const GstVideoInfo *info);

/* Imports the planes in @plane_mask (bit p: plane p) of @buffer through
 * @importer; the other planes must not be used. FALSE with @error:
 * GST_STREAM_ERROR_FORMAT if the geometry cannot hold the caps' frame, or the
 * buffer is too small. Two-byte samples at odd addresses are copied. */
gboolean gst_cl_frame_take (GstClFrame *frame, GstClImporter *importer,
    GstBuffer *buffer, const GstVideoInfo *info, guint plane_mask,
    GstMapFlags flags, GError **error);

/* Sets *pending to the pending upload of @frame, which was taken with
 * GST_CL_MAP_LATE, so that another thread can enqueue it and the kernels. FALSE
 * if there is none, or if there are several. */
gboolean gst_cl_frame_pending_upload (const GstClFrame *frame,
    GstClPendingUpload *pending);

/* Marks the pending upload of @frame as enqueued by another thread. */
void gst_cl_frame_hand_over_upload (GstClFrame *frame);

/* Begins the transfers that have not begun; kernels that are enqueued from now
 * on run after all of them. */
gboolean gst_cl_frame_begin_reads (GstClFrame *frame, GstClContext *context,
    GError **error);

/* Call it when all kernels that use @frame have been enqueued: see
 * gst_cl_device_range_end_reads(). */
void gst_cl_frame_end_reads (GstClFrame *frame);

/* Call it at the end of a frame: see gst_cl_device_range_submitted(). Adds at
 * most GST_VIDEO_MAX_PLANES accesses to @accesses. */
void gst_cl_frame_submitted (GstClFrame *frame, GstClAccess *accesses,
    guint *n_accesses);

/* Waits for the transfers of the planes, if this thread has begun them. FALSE
 * with @error if a transfer failed. */
gboolean gst_cl_frame_wait_for_uploads (GstClFrame *frame,
    GstClContext *context, GError **error);

/* Releases all ranges; if one is is_host, only call it after the device is
 * done. */
void gst_cl_frame_release (GstClFrame *frame);

/* Returns TRUE if the device reads the buffer's host memory in place. */
gboolean gst_cl_frame_is_host (const GstClFrame *frame);

/* Returns TRUE if frames of @info must be unpacked before kernels can read
 * their components (gst_cl_format_packing()). */
gboolean gst_cl_frame_is_packed (const GstVideoInfo *info);

/* Returns component @component (0 .. 3, in GStreamer's order). A packed frame
 * must have been unpacked. */
GstClComponent gst_cl_frame_component (const GstClFrame *frame,
    guint component);

/* Returns byte @offset_bytes of every pixel of the first plane as a component:
 * the x of RGBx. */
GstClComponent gst_cl_frame_padding (const GstClFrame *frame,
    guint offset_bytes);

/* Returns the geometry of component @component of frames of @info: mem is NULL,
 * offsets and strides follow from the default layout. For packed formats it is
 * the geometry after unpacking: a plane for each component, in one memory. */
GstClComponent gst_cl_component_of_info (const GstVideoInfo *info,
    guint component);

/* The rows of a frame that are one picture. The even rows are the top field. */
typedef enum {
  GST_CL_ROWS_ALL,
  GST_CL_ROWS_TOP,
  GST_CL_ROWS_BOTTOM,
  GST_CL_N_ROW_SETS,
} GstClRowSet;

/* Returns how many of the first @n_rows rows are of @rows. Among these, the
 * first one at or below row @n_rows has this number. */
gint gst_cl_row_set_count (GstClRowSet rows, gint n_rows);

/* Returns the rows of @rows in @component; there may be none. */
GstClComponent gst_cl_component_rows (GstClComponent component,
    GstClRowSet rows);

/* Returns the rows of @rows in @view, component @component of a frame of @info
 * with two fields, for buffers with gst_cl_frame_has_field_rows(). A field has
 * the chroma of a picture of its height. In 4:2:0, if the height is 2 modulo 4,
 * the last row of chroma of the bottom field is below those of the frame; some
 * formats, such as P010_10LE, have no such row in the layout of their caps. */
GstClComponent gst_cl_component_of_field (GstClComponent view,
    const GstVideoInfo *info, guint component, GstClRowSet rows);

G_END_DECLS
