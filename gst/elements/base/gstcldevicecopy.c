/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Copies buffers to the device. */

#include "gstcldevicecopy.h"

#include "cl/memory/gstclmemory.h"

gboolean
gst_cl_device_copy_is_done (GstBuffer *buffer, GstClContext *context)
{
  for (guint i = 0; i < gst_buffer_n_memory (buffer); i++) {
    GstMemory *memory = gst_buffer_peek_memory (buffer, i);

    if (!gst_is_cl_memory (memory) ||
        gst_cl_memory_get_context (memory) != context)
      return FALSE;
  }

  return TRUE;
}

/* Sets @copy to plane @plane of @in, to be copied to that of @out. */
static gboolean
plan_copy (GstClImportRequest *copy, GstBuffer *in, GstBuffer *out,
    const GstVideoInfo *info, guint plane, GError **error)
{
  gint row_bytes, n_rows, src_stride, dst_stride;

  if (!gst_cl_frame_plane_layout (in, info, plane, &copy->offset_bytes,
          &src_stride, error) ||
      !gst_cl_frame_plane_layout (out, info, plane, &copy->target.offset_bytes,
          &dst_stride, error))
    return FALSE;

  gst_cl_frame_plane_extent (info, plane, &row_bytes, &n_rows);
  n_rows = MIN (gst_cl_frame_plane_rows (in, info, plane),
      gst_cl_frame_plane_rows (out, info, plane));
  copy->rows = (GstClRows){ row_bytes, n_rows, src_stride, dst_stride };

  return TRUE;
}

/* Merges @next into @copy if it follows after the same gap in source and
 * destination, so that one transfer copies both; @copy then has one row. The
 * bytes between rows and planes are copied as well; they overwrite no sample,
 * because planes in our own buffers are stored in order. Returns FALSE if the
 * copies cannot be merged. */
static gboolean
merge_copy (GstClImportRequest *copy, const GstClImportRequest *next)
{
  const GstClRows *first = &copy->rows, *second = &next->rows;
  const gsize first_end = copy->offset_bytes + gst_cl_rows_source_bytes (first);
  const gsize distance = next->offset_bytes - copy->offset_bytes;
  const gsize bytes = distance + gst_cl_rows_source_bytes (second);

  if (first->src_stride_bytes != first->dst_stride_bytes ||
      second->src_stride_bytes != second->dst_stride_bytes ||
      next->offset_bytes < first_end ||
      next->offset_bytes - first_end > GST_CL_MAX_GAP_BYTES ||
      next->target.offset_bytes - copy->target.offset_bytes != distance)
    return FALSE;
  copy->rows = gst_cl_rows_block (bytes);

  return TRUE;
}

gboolean
gst_cl_device_copy_enqueue (GstClInFlight *frames, GstBuffer *in,
    GstBuffer *out, const GstVideoInfo *info, gsize size_bytes, GError **error)
{
  GstClImportRequest copies[GST_VIDEO_MAX_PLANES] = {
    { .rows = gst_cl_rows_block (size_bytes) },
  };
  guint n = info ? 0 : 1;

  for (guint p = 0; info && p < GST_VIDEO_INFO_N_PLANES (info); p++) {
    if (!plan_copy (&copies[n], in, out, info, p, error))
      return FALSE;
    if (n == 0 || gst_buffer_n_memory (in) > 1 ||
        !merge_copy (&copies[n - 1], &copies[n]))
      n++;
  }

  for (guint i = 0; i < n; i++) {
    copies[i].buffer = in;
    copies[i].slot = i;
    if (!gst_cl_in_flight_upload (frames, &copies[i],
            gst_buffer_peek_memory (out, 0), error))
      return FALSE;
  }

  return TRUE;
}
