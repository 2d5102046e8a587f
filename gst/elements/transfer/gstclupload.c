/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * SECTION:element-clupload
 * @title: clupload
 * @short_description: uploads frames into the memory of an OpenCL device
 *
 * Converts raw video or integral images in system memory, or raw video in
 * `memory:CUDAMemory` or `memory:DMABuf`, to `memory:OpenCLMemory`. On a
 * device that shares the host's memory the frame stays in its memory. On other
 * devices it is transferred, or copied on the device from CUDA memory of the
 * same GPU or from DMABuf, while the device works on earlier frames. Frames in
 * device memory pass unchanged.
 *
 * The filters of this plugin upload the planes that they need themselves. A
 * separate element makes the transfer explicit, lets several filters after a
 * `tee` share one transfer, and lets it run in its own thread.
 *
 * ## Example launch line
 * |[
 * gst-launch-1.0 videotestsrc num-buffers=50 ! clupload ! tee name=t \
 *     t. ! queue ! clframesum ! fakesink \
 *     t. ! queue ! cllocalmean ! fakesink
 * ]|
 * measures and blurs frames with one upload.
 *
 * Since: 0.2
 */

#include "gstclupload.h"

#include "cl/memory/gstclmemory.h"
#include "elements/base/gstcldevicecopy.h"

struct _GstClUpload {
  GstClTransfer parent;
};

G_DEFINE_TYPE (GstClUpload, gst_cl_upload, GST_TYPE_CL_TRANSFER)
GST_ELEMENT_REGISTER_DEFINE (clupload, "clupload", GST_RANK_NONE,
    GST_TYPE_CL_UPLOAD)

/* --- processing ---------------------------------------------------------- */

/* Copies the metadata of @in, including its plane offsets and strides, which a
 * plain copy of metas may leave out. */
static void
copy_metadata (GstBuffer *out, GstBuffer *in)
{
  GstVideoMeta *meta = gst_buffer_get_video_meta (in);

  gst_buffer_copy_into (out, in, GST_BUFFER_COPY_METADATA, 0, -1);
  if (meta && !gst_buffer_get_video_meta (out))
    gst_buffer_add_video_meta_full (out, meta->flags, meta->format, meta->width,
        meta->height, meta->n_planes, meta->offset, meta->stride);
}

/* Returns TRUE if each plane is in one memory, as GStreamer's elements expect.
 */
static gboolean
has_whole_planes (GstBuffer *buffer, const GstVideoInfo *info)
{
  for (guint p = 0; info && p < GST_VIDEO_INFO_N_PLANES (info); p++) {
    if (!gst_cl_frame_plane_is_whole (buffer, info, p))
      return FALSE;
  }

  return TRUE;
}

/* Returns @in if all its memory is device memory of the context, else a new
 * buffer around memory that the device reads in place. Returns NULL if a copy
 * is needed. */
static GstBuffer *
gst_cl_upload_pass (GstClTransfer *transfer, GstBuffer *in)
{
  GstClBaseFilter *filter = GST_CL_BASE_FILTER (transfer);
  GstClContext *context = gst_cl_base_filter_context (filter);
  GstClAllocator *allocator = GST_CL_ALLOCATOR (
      gst_cl_base_filter_allocator (filter));
  g_autoptr (GstBuffer) out = NULL;

  /* a buffer that is too small gets its error when it is imported */
  if (gst_buffer_get_size (in) < gst_cl_transfer_size_bytes (transfer))
    return NULL;
  if (gst_cl_device_copy_is_done (in, context))
    return in;

  if (!has_whole_planes (in, gst_cl_transfer_video_info (transfer)))
    return NULL;

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
gst_cl_upload_copy (GstClTransfer *transfer, GstClInFlight *frames,
    GstBuffer *in, GstBuffer *out, GError **error)
{
  return gst_cl_device_copy_enqueue (frames, in, out,
      gst_cl_transfer_video_info (transfer),
      gst_cl_transfer_size_bytes (transfer), error);
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
  gst_cl_transfer_class_add_templates (transfer_class);

  gst_element_class_set_static_metadata (GST_ELEMENT_CLASS (klass),
      "OpenCL uploader", "Filter/Video/Uploader",
      "Uploads frames into the memory of an OpenCL device",
      "The gst-opencl authors");
}
