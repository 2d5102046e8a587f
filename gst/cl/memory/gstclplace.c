/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Bytes of a buffer, in however many memories. */

#include "gstclplace.h"

#include "gstclmemory.h"
#include "gstclpinned.h"

gboolean
gst_cl_place_find (GstClPlace *self, GstBuffer *buffer, gsize offset_bytes,
    gsize size_bytes, GError **error)
{
  const gsize buffer_bytes = gst_buffer_get_size (buffer);

  if (offset_bytes <= buffer_bytes &&
      size_bytes <= buffer_bytes - offset_bytes &&
      gst_buffer_find_memory (buffer, offset_bytes, size_bytes, &self->index,
          &self->n_memories, &self->skip))
    return TRUE;

  if (offset_bytes > G_MAXSSIZE)
    g_set_error (error, GST_STREAM_ERROR, GST_STREAM_ERROR_FORMAT,
        "The meta of a buffer of %zu bytes has a plane that begins %zu bytes "
        "before the buffer.",
        buffer_bytes, (gsize) 0 - offset_bytes);
  else
    g_set_error (error, GST_STREAM_ERROR, GST_STREAM_ERROR_FORMAT,
        "A buffer of %zu bytes is smaller than its caps say: %zu bytes from "
        "byte %zu on are needed.",
        buffer_bytes, size_bytes, offset_bytes);

  return FALSE;
}

gboolean
gst_cl_place_gather (const GstClPlace *self, GstBuffer *buffer,
    gsize size_bytes, guint8 *dst, GError **error)
{
  gsize skip = self->skip, n_done = 0;

  for (guint i = 0; i < self->n_memories; i++) {
    GstMemory *memory = gst_buffer_peek_memory (buffer, self->index + i);
    GstMapInfo map;
    gsize n_bytes;

    if (!gst_memory_map (memory, &map, GST_MAP_READ))
      return gst_cl_place_fail (memory, error);

    n_bytes = MIN (map.size - skip, size_bytes - n_done);
    gst_cl_pinned_copy (dst + n_done, map.data + skip, n_bytes);
    gst_memory_unmap (memory, &map);
    n_done += n_bytes;
    skip = 0;
  }

  return TRUE;
}

gboolean
gst_cl_place_fail (GstMemory *memory, GError **error)
{
  GError *reason = gst_is_cl_memory (memory) ? gst_cl_memory_take_error (memory)
                                             : NULL;

  if (reason) {
    g_propagate_error (error, reason);
    return FALSE;
  }

  g_set_error (error, GST_RESOURCE_ERROR, GST_RESOURCE_ERROR_READ,
      "A buffer's memory could not be mapped.");

  return FALSE;
}
