/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * SECTION:element-cldownload
 * @title: cldownload
 * @short_description: brings frames back from the memory of an OpenCL device
 *
 * Takes raw video or integral images in `memory:OpenCLMemory` and gives the
 * same in system memory. On a device that shares the host's memory nothing is
 * copied; on any other the transfer begins here, and whoever maps the buffer
 * waits for what is left of it: with a `queue` behind, it overlaps the work on
 * later frames. Frames in system memory pass untouched.
 *
 * ## Example launch line
 * |[
 * gst-launch-1.0 videotestsrc num-buffers=50 ! clupload ! cllocalmean ! \
 *     cldownload ! queue ! videoconvert ! autovideosink
 * ]|
 * shows what the device has blurred.
 *
 * Since: 0.2
 */

#include "gstcldownload.h"

#include "cl/memory/gstclmemory.h"

struct _GstClDownload {
  GstClTransfer parent;

  /* streaming thread */
  gboolean any_layout; /* downstream reads GstVideoMeta */
};

G_DEFINE_TYPE (GstClDownload, gst_cl_download, GST_TYPE_CL_TRANSFER)
GST_ELEMENT_REGISTER_DEFINE (cldownload, "cldownload", GST_RANK_NONE,
    GST_TYPE_CL_DOWNLOAD)

/* --- allocation ---------------------------------------------------------- */

static gboolean
gst_cl_download_decide_allocation (GstBaseTransform *trans, GstQuery *query)
{
  GST_CL_DOWNLOAD (trans)->any_layout = gst_query_find_allocation_meta (query,
      GST_VIDEO_META_API_TYPE, NULL);

  return GST_BASE_TRANSFORM_CLASS (gst_cl_download_parent_class)
      ->decide_allocation (trans, query);
}

/* --- processing ---------------------------------------------------------- */

/* TRUE if the planes lie as the caps alone say. */
static gboolean
has_default_layout (GstBuffer *buffer, const GstVideoInfo *info)
{
  const GstVideoMeta *meta = gst_buffer_get_video_meta (buffer);

  for (guint p = 0; meta && p < meta->n_planes; p++) {
    if (meta->offset[p] != GST_VIDEO_INFO_PLANE_OFFSET (info, p) ||
        meta->stride[p] != GST_VIDEO_INFO_PLANE_STRIDE (info, p))
      return FALSE;
  }

  return TRUE;
}

/* Device memory can be mapped like any other. */
static GstBuffer *
gst_cl_download_pass (GstClTransfer *transfer, GstBuffer *in)
{
  const GstVideoInfo *info = gst_cl_transfer_video_info (transfer);

  if (info && !GST_CL_DOWNLOAD (transfer)->any_layout &&
      !has_default_layout (in, info))
    return NULL;

  return in;
}

/* Rows have to be moved for a downstream that knows but one layout. */
static gboolean
gst_cl_download_copy (GstClTransfer *transfer, GstClInFlight *frames,
    GstBuffer *in, GstBuffer *out, GError **error)
{
  const GstVideoInfo *info = gst_cl_transfer_video_info (transfer);
  GstVideoFrame from, to;
  gboolean copied;

  if (!gst_video_frame_map (&from, (GstVideoInfo *) info, in, GST_MAP_READ)) {
    g_set_error (error, GST_RESOURCE_ERROR, GST_RESOURCE_ERROR_READ,
        "A frame could not be mapped.");
    return FALSE;
  }
  copied = gst_video_frame_map (&to, (GstVideoInfo *) info, out, GST_MAP_WRITE);
  if (copied) {
    copied = gst_video_frame_copy (&to, &from);
    gst_video_frame_unmap (&to);
  }
  gst_video_frame_unmap (&from);
  if (!copied)
    g_set_error (error, GST_RESOURCE_ERROR, GST_RESOURCE_ERROR_WRITE,
        "A frame could not be copied.");

  return copied;
}

/* --- life cycle ---------------------------------------------------------- */

static void
gst_cl_download_init (GstClDownload *self)
{
}

static void
gst_cl_download_class_init (GstClDownloadClass *klass)
{
  GstClTransferClass *transfer_class = GST_CL_TRANSFER_CLASS (klass);

  transfer_class->pass = GST_DEBUG_FUNCPTR (gst_cl_download_pass);
  transfer_class->copy = GST_DEBUG_FUNCPTR (gst_cl_download_copy);
  GST_BASE_TRANSFORM_CLASS (klass)->decide_allocation = GST_DEBUG_FUNCPTR (
      gst_cl_download_decide_allocation);

  gst_element_class_set_static_metadata (GST_ELEMENT_CLASS (klass),
      "OpenCL downloader", "Filter/Video/Downloader",
      "Brings frames back from the memory of an OpenCL device",
      "The gst-opencl authors");
}
