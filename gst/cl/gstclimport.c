/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* From GstBuffer bytes to device memory. */

#include "gstclimport.h"

#include "gstclbuffer.h"
#include "gstclmemory.h"
#include "gstclpinned.h"
#include "gstclwrap.h"

GST_DEBUG_CATEGORY_STATIC (gst_cl_import_debug);
#define GST_CAT_DEFAULT gst_cl_import_debug

/* Where a range goes that the device cannot reach. */
typedef struct {
  cl_mem mem;
  gsize size_bytes;
  GstClSync sync;
  GstClPinned pinned; /* on the way there */
} Slot;

struct _GstClImporter {
  GstClContext *context;
  Slot slots[GST_CL_FRAMES_IN_FLIGHT][GST_CL_IMPORTER_SLOTS];
  guint frame;
};

GstClImporter *
gst_cl_importer_new (GstClContext *context)
{
  static gsize once = 0;
  GstClImporter *self = g_new0 (GstClImporter, 1);

  if (g_once_init_enter (&once)) {
    GST_DEBUG_CATEGORY_INIT (gst_cl_import_debug, "climport", 0,
        "OpenCL import of buffers");
    g_once_init_leave (&once, 1);
  }

  self->context = gst_object_ref (context);

  return self;
}

void
gst_cl_importer_free (GstClImporter *self)
{
  if (!self)
    return;

  for (guint f = 0; f < GST_CL_FRAMES_IN_FLIGHT; f++) {
    for (guint i = 0; i < GST_CL_IMPORTER_SLOTS; i++) {
      Slot *slot = &self->slots[f][i];

      gst_cl_buffer_free (slot->mem);
      gst_cl_sync_clear (self->context, &slot->sync);
      gst_cl_pinned_clear (&slot->pinned, self->context);
    }
  }
  gst_object_unref (self->context);
  g_free (self);
}

void
gst_cl_importer_set_frame (GstClImporter *self, guint frame)
{
  self->frame = frame;
}

/* --- ranges -------------------------------------------------------------- */

void
gst_cl_range_submitted (GstClRange *range, GstClAccess *accesses,
    guint *n_accesses)
{
  if (range->memory && !range->is_host) {
    gst_memory_unmap (range->memory, &range->map);
    range->memory = NULL;
  }
  if (range->sync)
    accesses[(*n_accesses)++] = (GstClAccess){ g_steal_pointer (&range->sync),
      FALSE };
}

void
gst_cl_range_release (GstClRange *range)
{
  if (range->memory)
    gst_memory_unmap (range->memory, &range->map);
  if (range->buffer)
    gst_buffer_unmap (range->buffer, &range->map);
  if (range->owns_mem)
    clReleaseMemObject (range->mem);
  g_clear_pointer (&range->uploaded, clReleaseEvent);

  *range = (GstClRange){ 0 };
}

void
gst_cl_range_abandon (GstClRange *range)
{
  if (range->uploaded)
    clWaitForEvents (1, &range->uploaded);
  gst_cl_range_release (range);
}

static gboolean
fail_map (GstMemory *memory, GError **error)
{
  GError *reason = memory && gst_is_cl_memory (memory)
                       ? gst_cl_memory_take_error (memory)
                       : NULL;

  if (reason) {
    g_propagate_error (error, reason);
    return FALSE;
  }

  g_set_error (error, GST_RESOURCE_ERROR, GST_RESOURCE_ERROR_READ,
      "A buffer's memory could not be mapped.");

  return FALSE;
}

/* --- transfers ----------------------------------------------------------- */

static gboolean
is_packed (const GstClRows *rows)
{
  return rows->n_rows == 1 || rows->src_stride_bytes == rows->dst_stride_bytes;
}

static cl_int
enqueue_write (cl_command_queue queue, cl_bool blocking, cl_mem dst,
    gsize dst_offset_bytes, const GstClRows *rows, const guint8 *data,
    const GstClWaits *waits, cl_event *event)
{
  const gsize origin[3] = { dst_offset_bytes % rows->dst_stride_bytes,
    dst_offset_bytes / rows->dst_stride_bytes, 0 };
  const gsize host_origin[3] = { 0, 0, 0 };
  const gsize region[3] = { rows->row_bytes, rows->n_rows, 1 };

  if (is_packed (rows))
    return clEnqueueWriteBuffer (queue, dst, blocking, dst_offset_bytes,
        gst_cl_rows_source_bytes (rows), data, GST_CL_WAIT_LIST (waits), event);

  return clEnqueueWriteBufferRect (queue, dst, blocking, origin, host_origin,
      region, rows->dst_stride_bytes, 0, rows->src_stride_bytes, 0, data,
      GST_CL_WAIT_LIST (waits), event);
}

/* Where the transfer may read from until it is done: @data itself if range holds
 * pinned memory, else a copy in pinned memory. NULL with @error */
static const guint8 *
stage (GstClImporter *self, guint slot, const guint8 *data, gsize size_bytes,
    GstClRange *range, GError **error)
{
  GstClPinned *pinned = &self->slots[self->frame][slot].pinned;

  if (range->memory &&
      gst_cl_pinned_is_memory_of (range->memory, self->context)) {
    range->is_host = TRUE;
    return data;
  }

  if (!gst_cl_pinned_reserve (pinned, self->context, size_bytes, error))
    return NULL;
  gst_cl_pinned_copy (pinned->data, data, size_bytes);

  return pinned->data;
}

/* From mapped host memory, which range holds; range->uploaded then tells when it
 * is done. Where the device shares the host's memory there is nothing to
 * overlap: the driver copies at once. */
static gboolean
transfer (GstClImporter *self, guint slot, const guint8 *data,
    const GstClRows *rows, cl_mem dst, gsize dst_offset_bytes,
    GstClSync *dst_sync, GstClRange *range, GError **error)
{
  const GstClQueue queue = GST_CL_QUEUE_UPLOAD;
  GstClContext *context = self->context;
  const GstClAccess access = { dst_sync, TRUE };
  GstClWaits waits;
  cl_int code;

  if (context->is_split)
    data = stage (self, slot, data, gst_cl_rows_source_bytes (rows), range,
        error);
  if (!data || !gst_cl_sync_collect (context, queue, &access, 1, &waits, error))
    return FALSE;

  code = enqueue_write (context->queues[queue], !context->is_split, dst,
      dst_offset_bytes, rows, data, &waits, &range->uploaded);
  if (!gst_cl_sync_commit (context, queue, &access, 1, &waits, code,
          "upload a frame", range->uploaded, error))
    return FALSE;
  gst_cl_context_count (context, rows->row_bytes * rows->n_rows, 0);

  return TRUE;
}

/* What the transfer has copied need not be held until the device is done. */
static void
release_copied (GstClRange *range)
{
  if (range->memory && !range->is_host) {
    gst_memory_unmap (range->memory, &range->map);
    range->memory = NULL;
  }
  if (range->buffer) {
    gst_buffer_unmap (range->buffer, &range->map);
    range->buffer = NULL;
  }
}

/* Into the slot's buffer, which grows first if need be. */
static gboolean
transfer_to_slot (GstClImporter *self, guint slot_index, const guint8 *data,
    gsize size_bytes, GstClRange *range, GError **error)
{
  Slot *slot = &self->slots[self->frame][slot_index];
  const GstClRows rows = { size_bytes, 1, size_bytes, size_bytes };
  const GstClAccess access = { &slot->sync, FALSE };

  if (slot->size_bytes < size_bytes) {
    g_clear_pointer (&slot->mem, gst_cl_buffer_free);
    slot->size_bytes = 0;
    slot->mem = gst_cl_buffer_new (self->context, size_bytes, error);
    if (!slot->mem)
      return FALSE;
    slot->size_bytes = size_bytes;
  }

  if (!transfer (self, slot_index, data, &rows, slot->mem, 0, &slot->sync,
          range, error) ||
      !gst_cl_sync_begin (self->context, GST_CL_QUEUE_COMPUTE, &access, 1,
          error))
    return FALSE;

  release_copied (range);
  range->mem = slot->mem;
  range->offset_bytes = 0;
  range->sync = &slot->sync;

  return TRUE;
}

/* --- taking -------------------------------------------------------------- */

/* The bytes lie at @skip of one memory. */
static gboolean
take_from_memory (GstClImporter *self, guint slot, GstMemory *memory,
    gsize skip, gsize size_bytes, GstMapFlags flags, GstClRange *range,
    GError **error)
{
  if (gst_is_cl_memory (memory) &&
      gst_cl_memory_context (memory) == self->context) {
    if (!gst_memory_map (memory, &range->map, flags | GST_MAP_OPENCL))
      return fail_map (memory, error);
    range->memory = memory;
    range->mem = gst_cl_memory_handle (memory);
    range->is_host = gst_cl_memory_wrapped_buffer (memory) != NULL;
    range->offset_bytes = memory->offset + skip;
    return TRUE;
  }

  if ((flags & GST_MAP_WRITE) || !gst_memory_map (memory, &range->map, flags))
    return fail_map (memory, error);
  range->memory = memory;

  range->mem = gst_cl_wrap_memory (self->context, memory, range->map.data,
      range->map.size);
  if (range->mem) {
    range->owns_mem = TRUE;
    range->is_host = TRUE;
    range->offset_bytes = skip;
    return TRUE;
  }

  return transfer_to_slot (self, slot, range->map.data + skip, size_bytes,
      range, error);
}

/* The bytes lie in several memories: GStreamer merges them for the map. */
static gboolean
map_merged (GstBuffer *buffer, GstMapFlags flags, GstClRange *range,
    GError **error)
{
  if ((flags & GST_MAP_WRITE) || !gst_buffer_map (buffer, &range->map, flags))
    return fail_map (NULL, error);
  range->buffer = buffer;
  GST_LOG ("merging the memories of a buffer of %zu bytes", range->map.size);

  return TRUE;
}

/* Finds the one memory that holds all of it: *memory, NULL if they are several,
 * and the range's place in it. */
static gboolean
find_memory (GstBuffer *buffer, gsize offset_bytes, gsize size_bytes,
    GstMemory **memory, gsize *skip, GError **error)
{
  const gsize buffer_bytes = gst_buffer_get_size (buffer);
  guint index, n_memories;

  if (offset_bytes > buffer_bytes || size_bytes > buffer_bytes - offset_bytes ||
      !gst_buffer_find_memory (buffer, offset_bytes, size_bytes, &index,
          &n_memories, skip)) {
    g_set_error (error, GST_STREAM_ERROR, GST_STREAM_ERROR_FORMAT,
        "A buffer of %zu bytes is smaller than its caps say: bytes %zu to %zu "
        "are needed.",
        buffer_bytes, offset_bytes, offset_bytes + size_bytes);
    return FALSE;
  }

  *memory = n_memories == 1 ? gst_buffer_peek_memory (buffer, index) : NULL;

  return TRUE;
}

gboolean
gst_cl_importer_take (GstClImporter *self, guint slot, GstBuffer *buffer,
    gsize offset_bytes, gsize size_bytes, GstMapFlags flags, GstClRange *range,
    GError **error)
{
  GstMemory *memory;
  gboolean taken;
  gsize skip;

  g_return_val_if_fail (slot < GST_CL_IMPORTER_SLOTS, FALSE);

  *range = (GstClRange){ 0 };
  if (!find_memory (buffer, offset_bytes, size_bytes, &memory, &skip, error))
    return FALSE;

  if (memory)
    taken = take_from_memory (self, slot, memory, skip, size_bytes, flags,
        range, error);
  else
    taken = map_merged (buffer, flags, range, error) &&
            transfer_to_slot (self, slot, range->map.data + offset_bytes,
                size_bytes, range, error);

  if (!taken)
    gst_cl_range_release (range);

  return taken;
}

gboolean
gst_cl_importer_upload (GstClImporter *self, guint slot, GstBuffer *buffer,
    gsize offset_bytes, const GstClRows *rows, cl_mem dst,
    gsize dst_offset_bytes, GstClSync *dst_sync, GstClRange *range,
    GError **error)
{
  const guint8 *data = NULL;
  GstMemory *memory;
  gsize skip;

  g_return_val_if_fail (slot < GST_CL_IMPORTER_SLOTS, FALSE);

  *range = (GstClRange){ 0 };
  if (!find_memory (buffer, offset_bytes, gst_cl_rows_source_bytes (rows),
          &memory, &skip, error))
    return FALSE;

  if (!memory && map_merged (buffer, GST_MAP_READ, range, error)) {
    data = range->map.data + offset_bytes;
  } else if (memory && gst_memory_map (memory, &range->map, GST_MAP_READ)) {
    range->memory = memory;
    data = range->map.data + skip;
  } else if (memory) {
    fail_map (memory, error);
  }

  if (!data || !transfer (self, slot, data, rows, dst, dst_offset_bytes,
                   dst_sync, range, error)) {
    gst_cl_range_release (range);
    return FALSE;
  }
  release_copied (range);

  return TRUE;
}
