/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Buffers on their way to the device. */

#include "gstclmove.h"

#include "cl/gstclmemory.h"

gboolean
gst_cl_move_is_on_device (GstBuffer *buffer, GstClContext *context)
{
  for (guint i = 0; i < gst_buffer_n_memory (buffer); i++) {
    GstMemory *memory = gst_buffer_peek_memory (buffer, i);

    if (!gst_is_cl_memory (memory) || gst_cl_memory_context (memory) != context)
      return FALSE;
  }

  return TRUE;
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

gboolean
gst_cl_move_to_device (GstClInFlight *frames, GstBuffer *in, GstBuffer *out,
    const GstVideoInfo *info, gsize size_bytes, GError **error)
{
  const GstClRows all = { size_bytes, 1, size_bytes, size_bytes };

  if (!info)
    return gst_cl_in_flight_upload (frames, 0, in, 0, &all,
        gst_buffer_peek_memory (out, 0), 0, error);

  for (guint p = 0; p < GST_VIDEO_INFO_N_PLANES (info); p++) {
    if (!upload_plane (frames, in, out, info, p, error))
      return FALSE;
  }

  return TRUE;
}
