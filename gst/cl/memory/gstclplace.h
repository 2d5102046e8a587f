/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include <gst/gst.h>

G_BEGIN_DECLS

/* Where a range of bytes of a buffer lies: in @n_memories memories from @index
 * on, the first @skip bytes of the first of them aside. */
typedef struct {
  guint index, n_memories;
  gsize skip;
} GstClPlace;

/* FALSE with GST_STREAM_ERROR_FORMAT if @buffer is too small. */
gboolean gst_cl_place_find (GstClPlace *place, GstBuffer *buffer,
    gsize offset_bytes, gsize size_bytes, GError **error);

/* Copies the first @size_bytes at @place to @dst, memory by memory:
 * gst_buffer_map() would merge the memories of a writable buffer, some of which
 * may be mapped for other ranges. FALSE with @error if one cannot be mapped. */
gboolean gst_cl_place_gather (const GstClPlace *place, GstBuffer *buffer,
    gsize size_bytes, guint8 *dst, GError **error);

/* Sets @error to the reason why @memory could not be mapped; returns FALSE. */
gboolean gst_cl_place_fail (GstMemory *memory, GError **error);

G_END_DECLS
