/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Strips of rows of large frames. */

#include "gstclstrip.h"

/* The buffers of a strip have at most this part of the largest buffer, since
 * frames may have larger strides than the caps, and three strips are in
 * flight. */
#define PART_OF_LARGEST 4

/* Strips begin at multiples of this many rows, so that the rows of subsampled
 * planes and of fields are whole. */
#define ROW_UNIT 8

gint
gst_cl_strip_rows (GstClContext *context, gint height, guint64 size_bytes)
{
  const guint64 n_rows = gst_util_uint64_scale (
      context->device->max_alloc_bytes / PART_OF_LARGEST, (guint64) height,
      size_bytes);

  return (gint) MIN (n_rows, (guint64) height) / ROW_UNIT * ROW_UNIT;
}

guint64
gst_cl_strip_plane_bytes (const GstVideoInfo *info)
{
  guint64 most = 0;

  for (guint p = 0; p < GST_VIDEO_INFO_N_PLANES (info); p++) {
    gint row_bytes, n_rows;

    gst_cl_frame_plane_extent (info, p, &row_bytes, &n_rows);
    most = MAX (most,
        (guint64) GST_VIDEO_INFO_PLANE_STRIDE (info, p) * (guint64) n_rows);
  }
  if (gst_cl_frame_is_packed (info)) {
    const GstClComponent last = gst_cl_component_of_info (info,
        GST_VIDEO_INFO_N_COMPONENTS (info) - 1);

    most = MAX (most, last.offset_bytes +
                          (guint64) last.stride_bytes * (guint64) last.height);
  }

  return most;
}

GstVideoInfo
gst_cl_strip_info (const GstVideoInfo *info, gint n_rows)
{
  GstVideoInfo strip = *info;

  GST_VIDEO_INFO_HEIGHT (&strip) = n_rows;

  return strip;
}

/* Returns the rows of @plane in the first @n_rows of the frame. */
static gint
count_plane_rows (const GstVideoInfo *info, guint plane, gint n_rows)
{
  const GstVideoInfo above = gst_cl_strip_info (info, n_rows);
  gint row_bytes, n_plane_rows;

  if (n_rows == 0)
    return 0;

  gst_cl_frame_plane_extent (&above, plane, &row_bytes, &n_plane_rows);

  return n_plane_rows;
}

/* Returns a buffer with the memory of @buffer, a frame of @info, and a meta
 * that describes the strip of @n_rows from @row on. NULL with @error; transfer
 * full. */
static GstBuffer *
make_strip (GstBuffer *buffer, const GstVideoInfo *info, gint row, gint n_rows,
    GError **error)
{
  g_autoptr (GstBuffer) strip = gst_buffer_new ();
  gsize offsets[GST_VIDEO_MAX_PLANES];
  gint strides[GST_VIDEO_MAX_PLANES];

  for (guint p = 0; p < GST_VIDEO_INFO_N_PLANES (info); p++) {
    if (!gst_cl_frame_plane_layout (buffer, info, p, &offsets[p], &strides[p],
            error))
      return NULL;
    offsets[p] += (gsize) count_plane_rows (info, p, row) * (gsize) strides[p];
  }
  for (guint i = 0; i < gst_buffer_n_memory (buffer); i++)
    gst_buffer_append_memory (strip, gst_buffer_get_memory (buffer, i));
  gst_buffer_add_video_meta_full (strip, GST_VIDEO_FRAME_FLAG_NONE,
      GST_VIDEO_INFO_FORMAT (info), (guint) GST_VIDEO_INFO_WIDTH (info),
      (guint) n_rows, GST_VIDEO_INFO_N_PLANES (info), offsets, strides);

  return g_steal_pointer (&strip);
}

gboolean
gst_cl_strips_run (const GstClStrips *self, GstClStripFunc func,
    gpointer user_data, GError **error)
{
  const gint height = GST_VIDEO_INFO_HEIGHT (self->info);

  for (gint row = 0; row < height; row += self->n_rows) {
    const gint n_rows = MIN (self->n_rows, height - row);
    const GstVideoInfo info = gst_cl_strip_info (self->info, n_rows);
    g_autoptr (GstBuffer)
        strip = make_strip (self->buffer, self->info, row, n_rows, error);
    const GstClFrame *frame = strip ? gst_cl_in_flight_take_components (
                                          self->frames, strip, &info,
                                          self->component_mask, GST_MAP_READ,
                                          error)
                                    : NULL;

    if (!frame || !func (frame, row, user_data, error))
      return FALSE;
    if (row + n_rows < height &&
        (!gst_cl_in_flight_end (self->frames, &strip, 1, error) ||
            !gst_cl_in_flight_begin (self->frames, error)))
      return FALSE;
  }

  return TRUE;
}
