/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * SECTION:element-clupload
 * @title: clupload
 * @short_description: brings frames into the memory of an OpenCL device
 *
 * Takes raw video or integral images in system memory and gives the same in
 * `memory:OpenCLMemory`. On a device that shares the host's memory the frame
 * stays where it is; on any other it is transferred while earlier frames are
 * worked on. Frames that are on the device already pass untouched.
 *
 * The filters of this plugin upload what they need by themselves. An element of
 * its own makes the transfer visible, lets several filters behind a `tee` share
 * one, and lets it run in a thread of its own.
 *
 * ## Example launch line
 * |[
 * gst-launch-1.0 videotestsrc num-buffers=50 ! clupload ! tee name=t t. ! queue ! clframesum ! fakesink t. ! queue ! cllocalmean ! fakesink
 * ]|
 * measures and blurs frames that were uploaded once.
 *
 * Since: 0.2
 */

#include "gstclupload.h"

#include "cl/gstclmemory.h"

struct _GstClUpload {
  GstClTransfer parent;
};

G_DEFINE_TYPE (GstClUpload, gst_cl_upload, GST_TYPE_CL_TRANSFER)
GST_ELEMENT_REGISTER_DEFINE (clupload, "clupload", GST_RANK_NONE,
    GST_TYPE_CL_UPLOAD)

/* --- processing ---------------------------------------------------------- */

static gboolean
is_on_device (GstBuffer *buffer, GstClContext *context)
{
  for (guint i = 0; i < gst_buffer_n_memory (buffer); i++) {
    GstMemory *memory = gst_buffer_peek_memory (buffer, i);

    if (!gst_is_cl_memory (memory) || gst_cl_memory_context (memory) != context)
      return FALSE;
  }

  return TRUE;
}

/* Metadata of @in; its planes lie in @out as they do in @in, which a copy of
 * metas does not take for granted. */
static void
copy_metadata (GstBuffer *out, GstBuffer *in)
{
  GstVideoMeta *meta = gst_buffer_get_video_meta (in);

  gst_buffer_copy_into (out, in, GST_BUFFER_COPY_METADATA, 0, -1);
  if (meta && !gst_buffer_get_video_meta (out))
    gst_buffer_add_video_meta_full (out, meta->flags, meta->format, meta->width,
        meta->height, meta->n_planes, meta->offset, meta->stride);
}

/* Upstream may have written into our own pool; else the device may be able to
 * read what upstream wrote where it lies. */
static GstBuffer *
gst_cl_upload_pass (GstClTransfer *transfer, GstBuffer *in)
{
  GstClBaseFilter *filter = GST_CL_BASE_FILTER (transfer);
  GstClContext *context = gst_cl_base_filter_context (filter);
  GstClAllocator *allocator = GST_CL_ALLOCATOR (
      gst_cl_base_filter_allocator (filter));
  g_autoptr (GstBuffer) out = NULL;

  /* a buffer too small gets its error where it is taken */
  if (gst_buffer_get_size (in) < gst_cl_transfer_size_bytes (transfer))
    return NULL;
  if (is_on_device (in, context))
    return in;

  out = gst_buffer_new ();
  for (guint i = 0; i < gst_buffer_n_memory (in); i++) {
    GstMemory *memory = gst_cl_allocator_wrap (allocator, in, i);

    if (!memory)
      return NULL;
    gst_buffer_append_memory (out, memory);
  }
  copy_metadata (out, in);

  return g_steal_pointer (&out);
}

static gboolean
upload_plane (GstClInFlight *frames, GstBuffer *in, GstBuffer *out,
    const GstVideoInfo *info, guint plane, GError **error)
{
  gint row_bytes, n_rows, src_stride, dst_stride;
  gsize src_offset, dst_offset;
  GstClRows rows;

  if (!gst_cl_frame_plane_layout (in, info, plane, &src_offset, &src_stride,
          error) ||
      !gst_cl_frame_plane_layout (out, info, plane, &dst_offset, &dst_stride,
          error))
    return FALSE;

  gst_cl_frame_plane_extent (info, plane, &row_bytes, &n_rows);
  rows = (GstClRows){ row_bytes, n_rows, src_stride, dst_stride };

  return gst_cl_in_flight_upload (frames, plane, in, src_offset, &rows,
      gst_buffer_peek_memory (out, 0), dst_offset, error);
}

static gboolean
gst_cl_upload_copy (GstClTransfer *transfer, GstClInFlight *frames,
    GstBuffer *in, GstBuffer *out, GError **error)
{
  const GstVideoInfo *info = gst_cl_transfer_video_info (transfer);
  const gsize size = gst_cl_transfer_size_bytes (transfer);
  const GstClRows all = { size, 1, size, size };

  if (!info)
    return gst_cl_in_flight_upload (frames, 0, in, 0, &all,
        gst_buffer_peek_memory (out, 0), 0, error);

  for (guint p = 0; p < GST_VIDEO_INFO_N_PLANES (info); p++) {
    if (!upload_plane (frames, in, out, info, p, error))
      return FALSE;
  }

  return TRUE;
}

/* --- life cycle ---------------------------------------------------------- */

static void
gst_cl_upload_init (GstClUpload *self)
{
}

static void
gst_cl_upload_class_init (GstClUploadClass *klass)
{
  GstClTransferClass *transfer_class = GST_CL_TRANSFER_CLASS (klass);

  transfer_class->to_device = TRUE;
  transfer_class->pass = GST_DEBUG_FUNCPTR (gst_cl_upload_pass);
  transfer_class->copy = GST_DEBUG_FUNCPTR (gst_cl_upload_copy);

  gst_element_class_set_static_metadata (GST_ELEMENT_CLASS (klass),
      "OpenCL uploader", "Filter/Video/Uploader",
      "Brings frames into the memory of an OpenCL device",
      "The gst-opencl authors");
}
