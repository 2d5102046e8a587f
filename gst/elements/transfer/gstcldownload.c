/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * SECTION:element-cldownload
 * @title: cldownload
 * @short_description: downloads frames from the memory of an OpenCL device
 *
 * Converts raw video or integral images in `memory:OpenCLMemory` to system
 * memory. If downstream accepts nothing else, converts raw video to
 * `memory:CUDAMemory`, in buffers of downstream's pool, or of a pool in
 * downstream's CUDA context.
 *
 * On a device that shares the host's memory, nothing is copied. On other
 * devices, the element starts the transfer to system memory, and a map of the
 * buffer waits for its end: with a `queue` after the element, the transfer
 * overlaps with the work on later frames. Frames in system memory pass
 * unchanged.
 *
 * ## Example launch line
 * |[
 * gst-launch-1.0 videotestsrc num-buffers=50 ! clupload ! cllocalmean ! \
 *     cldownload ! queue ! videoconvert ! autovideosink
 * ]|
 * shows video that the device has blurred.
 *
 * Since: 0.2
 */

#include "gstcldownload.h"

#include <string.h>

#include "cl/export/gstclcudaexport.h"
#include "cl/import/gstclcuda.h"
#include "cl/import/gstcldevicerange.h"
#include "cl/memory/gstclmemory.h"
#include "elements/base/gstclcaps.h"

struct _GstClDownload {
  GstClTransfer parent;

  /* streaming thread */
  gboolean any_layout;    /* downstream supports GstVideoMeta */
  gboolean gives_foreign; /* output is in foreign memory */
  gboolean lacks_pool;    /* no pool for foreign memory: an error was posted */
  gboolean is_flushing;   /* no pool, downstream was flushing: drops frames */
  GstClCudaExport cuda;
};

G_DEFINE_TYPE (GstClDownload, gst_cl_download, GST_TYPE_CL_TRANSFER)
GST_ELEMENT_REGISTER_DEFINE (cldownload, "cldownload", GST_RANK_NONE,
    GST_TYPE_CL_DOWNLOAD)

/* --- negotiation --------------------------------------------------------- */

/* Prefers system memory if downstream accepts it, whatever its order. */
static GstCaps *
gst_cl_download_fixate_caps (GstBaseTransform *trans, GstPadDirection direction,
    GstCaps *caps, GstCaps *othercaps)
{
  for (guint i = 0; i < gst_caps_get_size (othercaps); i++) {
    g_autoptr (GstCaps) one = gst_caps_copy_nth (othercaps, i);

    if (direction == GST_PAD_SINK && gst_cl_caps_is_system (one)) {
      gst_caps_replace (&othercaps, one);
      break;
    }
  }

  return GST_BASE_TRANSFORM_CLASS (gst_cl_download_parent_class)
      ->fixate_caps (trans, direction, caps, othercaps);
}

static gint compare_nowhere (gconstpointer pad, gconstpointer unused);

/* Returns TRUE if @pad or a pad downstream is flushing, for example when a
 * pipeline stops from its sink on. Such a pad answers no query and accepts no
 * frame. */
static gboolean
is_path_flushing (GstPad *pad)
{
  g_autoptr (GstPad) peer = gst_pad_get_peer (pad);
  g_auto (GValue) found = G_VALUE_INIT;
  GstIterator *behind;
  gboolean is_found;

  if (GST_PAD_IS_FLUSHING (pad) || (peer && GST_PAD_IS_FLUSHING (peer)))
    return TRUE;
  behind = peer ? gst_pad_iterate_internal_links (peer) : NULL;
  if (!behind)
    return FALSE;
  is_found = gst_iterator_find_custom (behind, compare_nowhere, &found, NULL);
  gst_iterator_free (behind);

  return is_found;
}

static gint
compare_nowhere (gconstpointer pad, gconstpointer unused)
{
  return is_path_flushing (g_value_get_object (pad)) ? 0 : 1;
}

/* Returns a pool of memory in the context of the next element, which accepts
 * CUDA memory and offers no pool, such as cudadownload of GStreamer 1.22.
 * Returns NULL if the element does not answer with its context. transfer full
 */
static GstBufferPool *
make_pool (GstPad *srcpad)
{
  g_autoptr (GstQuery) query = gst_query_new_context (GST_CL_CUDA_CONTEXT);
  GstContext *context = NULL;

  if (gst_pad_peer_query (srcpad, query))
    gst_query_parse_context (query, &context);

  return context ? gst_cl_cuda_pool_new (context) : NULL;
}

/* Creates a pool (transfer full) and sets it where @query has none. An element
 * such as tee may have answered with a size and a number of buffers, but
 * without a pool. */
static GstBufferPool *
add_pool (GstPad *srcpad, GstQuery *query)
{
  GstBufferPool *pool = make_pool (srcpad);
  guint size = 0, min = 0, max = 0;
  GstVideoInfo info;
  GstCaps *caps;

  gst_query_parse_allocation (query, &caps, NULL);
  if (!pool || !gst_video_info_from_caps (&info, caps)) {
    gst_clear_object (&pool);
    return NULL;
  }

  if (gst_query_get_n_allocation_pools (query) > 0) {
    gst_query_parse_nth_allocation_pool (query, 0, NULL, &size, &min, &max);
    size = MAX (size, (guint) GST_VIDEO_INFO_SIZE (&info));
    gst_query_set_nth_allocation_pool (query, 0, pool, size, min, max);
  } else {
    gst_query_add_allocation_pool (query, pool,
        (guint) GST_VIDEO_INFO_SIZE (&info), min, max);
  }

  return pool;
}

/* Foreign memory comes from downstream's pool, which knows how to allocate it,
 * or from a pool in downstream's context. If there is neither, GstBaseTransform
 * asks again with each buffer; the error is posted once. */
static gboolean
take_pool (GstClDownload *self, GstQuery *query)
{
  GstBaseTransform *trans = GST_BASE_TRANSFORM (self);
  GstBaseTransformClass *base_class = g_type_class_peek (
      GST_TYPE_BASE_TRANSFORM);
  g_autoptr (GstBufferPool) pool = NULL;

  if (gst_query_get_n_allocation_pools (query) > 0)
    gst_query_parse_nth_allocation_pool (query, 0, &pool, NULL, NULL, NULL);
  self->is_flushing = !pool && is_path_flushing (trans->srcpad);
  if (self->is_flushing) {
    gst_pad_mark_reconfigure (trans->srcpad);
    return TRUE;
  }
  if (!pool)
    pool = add_pool (trans->srcpad, query);
  if (!pool && !self->lacks_pool)
    GST_ELEMENT_ERROR (self, CORE, NEGOTIATION,
        ("The next element accepts only foreign memory, but offers no pool for "
         "it and no context to create one."),
        (NULL));
  self->lacks_pool = !pool;

  return pool && base_class->decide_allocation (trans, query);
}

static gboolean
gst_cl_download_decide_allocation (GstBaseTransform *trans, GstQuery *query)
{
  GstClDownload *self = GST_CL_DOWNLOAD (trans);
  GstCaps *caps;

  gst_query_parse_allocation (query, &caps, NULL);
  self->gives_foreign = caps && gst_cl_caps_is_foreign (caps);
  self->is_flushing = FALSE;
  self->any_layout = gst_query_find_allocation_meta (query,
      GST_VIDEO_META_API_TYPE, NULL);
  if (self->gives_foreign)
    return take_pool (self, query);

  return GST_BASE_TRANSFORM_CLASS (gst_cl_download_parent_class)
      ->decide_allocation (trans, query);
}

static GstFlowReturn
gst_cl_download_prepare_output_buffer (GstBaseTransform *trans, GstBuffer *in,
    GstBuffer **out)
{
  if (GST_CL_DOWNLOAD (trans)->is_flushing)
    return GST_FLOW_FLUSHING;

  return GST_BASE_TRANSFORM_CLASS (gst_cl_download_parent_class)
      ->prepare_output_buffer (trans, in, out);
}

/* --- processing ---------------------------------------------------------- */

/* Returns TRUE if the planes have the default layout of the caps. */
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

/* Passes device memory, which can be mapped like any other memory. */
static GstBuffer *
gst_cl_download_pass (GstClTransfer *transfer, GstBuffer *in)
{
  const GstVideoInfo *info = gst_cl_transfer_video_info (transfer);

  if (GST_CL_DOWNLOAD (transfer)->gives_foreign ||
      (info && !GST_CL_DOWNLOAD (transfer)->any_layout &&
          !has_default_layout (in, info)))
    return NULL;

  return in;
}

/* Returns FALSE with @error if a plane exceeds @buffer. Sets *are_whole to TRUE
 * if each plane is in one memory. */
static gboolean
check_planes (GstBuffer *buffer, const GstVideoInfo *info, gboolean *are_whole,
    GError **error)
{
  *are_whole = TRUE;
  for (guint p = 0; p < GST_VIDEO_INFO_N_PLANES (info); p++) {
    if (!gst_cl_frame_check_plane (buffer, info, p, error))
      return FALSE;
    if (!gst_cl_frame_plane_is_whole (buffer, info, p))
      *are_whole = FALSE;
  }

  return TRUE;
}

/* Sets @error to the reason why @buffer could not be mapped. */
static void
set_map_error (GstBuffer *buffer, GError **error)
{
  GError *reason = NULL;

  for (guint i = 0; i < gst_buffer_n_memory (buffer) && !reason; i++) {
    GstMemory *memory = gst_buffer_peek_memory (buffer, i);

    if (gst_is_cl_memory (memory))
      reason = gst_cl_memory_take_error (memory);
  }
  if (!reason)
    reason = g_error_new (GST_RESOURCE_ERROR, GST_RESOURCE_ERROR_READ,
        "A frame could not be mapped.");
  g_propagate_error (error, reason);
}

/* Copies row by row: GstVideoFrame maps no more of a plane than the part in one
 * memory. gst_buffer_extract() prints a critical message if a memory cannot be
 * mapped. */
static gboolean
copy_rows (GstVideoFrame *to, GstBuffer *in, const GstVideoInfo *info,
    GError **error)
{
  for (guint p = 0; p < GST_VIDEO_INFO_N_PLANES (info); p++) {
    guint8 *row = GST_VIDEO_FRAME_PLANE_DATA (to, p);
    gint row_bytes, n_rows, stride;
    gsize offset;

    gst_cl_frame_plane_extent (info, p, &row_bytes, &n_rows);
    if (!gst_cl_frame_plane_layout (in, info, p, &offset, &stride, error))
      return FALSE;

    for (gint y = 0; y < n_rows; y++) {
      GstClBufferRegion region;

      if (!gst_cl_buffer_region_find (&region, in, offset, (gsize) row_bytes,
              error) ||
          !gst_cl_buffer_region_gather (&region, in, (gsize) row_bytes, row,
              error))
        return FALSE;
      offset += (gsize) stride;
      row += GST_VIDEO_FRAME_PLANE_STRIDE (to, p);
    }
  }

  return TRUE;
}

/* Copies planes: gst_video_frame_copy() omits the last chroma sample of packed
 * formats if the width is odd. */
static gboolean
copy_planes (GstVideoFrame *to, GstBuffer *in, const GstVideoInfo *info,
    GError **error)
{
  GstVideoFrame from;

  if (!gst_video_frame_map (&from, (GstVideoInfo *) info, in, GST_MAP_READ)) {
    set_map_error (in, error);
    return FALSE;
  }

  for (guint p = 0; p < GST_VIDEO_INFO_N_PLANES (info); p++) {
    const guint8 *src = GST_VIDEO_FRAME_PLANE_DATA (&from, p);
    guint8 *dst = GST_VIDEO_FRAME_PLANE_DATA (to, p);
    gint row_bytes, n_rows;

    gst_cl_frame_plane_extent (info, p, &row_bytes, &n_rows);
    for (gint y = 0; y < n_rows; y++) {
      memcpy (dst, src, (gsize) row_bytes);
      src += GST_VIDEO_FRAME_PLANE_STRIDE (&from, p);
      dst += GST_VIDEO_FRAME_PLANE_STRIDE (to, p);
    }
  }
  gst_video_frame_unmap (&from);

  return TRUE;
}

/* Checks the memory of a pool's buffer: a pool may return other memory than its
 * caps say, which elements downstream would not notice in time. */
static gboolean
check_memory (GstClDownload *self, GstBuffer *out, GError **error)
{
  if (!self->gives_foreign ||
      (gst_buffer_n_memory (out) > 0 &&
          gst_cl_is_cuda_memory (gst_buffer_peek_memory (out, 0))))
    return TRUE;

  g_set_error (error, GST_CORE_ERROR, GST_CORE_ERROR_NEGOTIATION,
      "The pool of the next element returns other memory than its caps say, "
      "which is %s.",
      GST_CL_CAPS_FEATURE_CUDA);

  return FALSE;
}

static gboolean
copy_to_cuda (GstClDownload *self, GstClInFlight *frames, GstBuffer *in,
    GstBuffer *out, GError **error)
{
  const GstClFrame *frame = gst_cl_in_flight_take_frame (frames, in,
      gst_cl_transfer_video_info (GST_CL_TRANSFER (self)), GST_CL_ALL_PLANES,
      GST_MAP_READ, error);

  return frame && gst_cl_in_flight_begin_kernels (frames, error) &&
         gst_cl_cuda_export_copy (&self->cuda,
             gst_cl_base_filter_context (GST_CL_BASE_FILTER (self)), frame, out,
             error) &&
         gst_cl_in_flight_end_kernels (frames, error);
}

/* Copies on the host. */
static gboolean
copy_to_mapped (GstBuffer *in, GstBuffer *out, const GstVideoInfo *info,
    GError **error)
{
  gboolean are_whole, is_out_whole, copied;
  GstVideoFrame to;

  /* rows of packed formats may be longer than the strides of the caps */
  if (!check_planes (in, info, &are_whole, error) ||
      !check_planes (out, info, &is_out_whole, error))
    return FALSE;
  if (!gst_video_frame_map (&to, (GstVideoInfo *) info, out, GST_MAP_WRITE)) {
    set_map_error (out, error);
    return FALSE;
  }
  copied = are_whole ? copy_planes (&to, in, info, error)
                     : copy_rows (&to, in, info, error);
  gst_video_frame_unmap (&to);

  return copied;
}

/* Rows must be copied if downstream supports only one layout, or if it needs
 * foreign memory that the device cannot access; the host maps this memory like
 * any other. */
static gboolean
gst_cl_download_copy (GstClTransfer *transfer, GstClInFlight *frames,
    GstBuffer *in, GstBuffer *out, GError **error)
{
  GstClDownload *self = GST_CL_DOWNLOAD (transfer);
  GstClContext *context = gst_cl_base_filter_context (
      GST_CL_BASE_FILTER (transfer));
  GError *failure = NULL;

  if (!check_memory (self, out, error))
    return FALSE;
  if (gst_cl_cuda_export_is_supported (context, out)) {
    if (copy_to_cuda (self, frames, in, out, &failure))
      return TRUE;
    if (failure) {
      g_propagate_error (error, failure);
      return FALSE;
    }
  }

  return copy_to_mapped (in, out, gst_cl_transfer_video_info (transfer), error);
}

/* --- life cycle ---------------------------------------------------------- */

static gboolean
gst_cl_download_stop (GstBaseTransform *trans)
{
  GstClDownload *self = GST_CL_DOWNLOAD (trans);
  const gboolean is_stopped =
      GST_BASE_TRANSFORM_CLASS (gst_cl_download_parent_class)->stop (trans);

  gst_cl_cuda_export_clear (&self->cuda);
  self->lacks_pool = FALSE;

  return is_stopped;
}

static void
gst_cl_download_init (GstClDownload *self)
{
}

static void
gst_cl_download_class_init (GstClDownloadClass *klass)
{
  GstBaseTransformClass *trans_class = GST_BASE_TRANSFORM_CLASS (klass);
  GstClTransferClass *transfer_class = GST_CL_TRANSFER_CLASS (klass);

  transfer_class->pass = GST_DEBUG_FUNCPTR (gst_cl_download_pass);
  transfer_class->copy = GST_DEBUG_FUNCPTR (gst_cl_download_copy);
  gst_cl_transfer_class_add_templates (transfer_class);
  trans_class->fixate_caps = GST_DEBUG_FUNCPTR (gst_cl_download_fixate_caps);
  trans_class->decide_allocation = GST_DEBUG_FUNCPTR (
      gst_cl_download_decide_allocation);
  trans_class->prepare_output_buffer = GST_DEBUG_FUNCPTR (
      gst_cl_download_prepare_output_buffer);
  trans_class->stop = GST_DEBUG_FUNCPTR (gst_cl_download_stop);

  gst_element_class_set_static_metadata (GST_ELEMENT_CLASS (klass),
      "OpenCL downloader", "Filter/Video/Downloader",
      "Downloads frames from the memory of an OpenCL device",
      "The gst-opencl authors");
}
