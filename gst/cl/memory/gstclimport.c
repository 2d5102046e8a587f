/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* From GstBuffer bytes to device memory. */

#include "gstclimport.h"

#include "gstclbuffer.h"
#include "gstclmemory.h"
#include "gstclpinned.h"
#include "gstclplace.h"
#include "gstclquarantine.h"
#include "gstclwrap.h"
#include "common/gstcldebug.h"

GST_CL_DEBUG_CATEGORY (gst_cl_import_debug, "climport",
    "OpenCL import of buffers");
#define GST_CAT_DEFAULT gst_cl_import_debug ()

/* Where a range goes that the device cannot reach. */
typedef struct {
  cl_mem mem;
  gsize size_bytes;
  GstClSync sync;
  GstClPinned pinned; /* on the way there */
} Slot;

struct _GstClImporter {
  GstClContext *context;
  Slot slots[GST_CL_IMPORTER_SLOTS];
  gboolean has_lost_one; /* the wait for a transfer has failed */
};

GstClImporter *
gst_cl_importer_new (GstClContext *context)
{
  GstClImporter *self = g_new0 (GstClImporter, 1);

  gst_cl_import_debug ();
  self->context = gst_object_ref (context);

  return self;
}

static void
destroy (gpointer data)
{
  GstClImporter *self = data;

  for (guint i = 0; i < GST_CL_IMPORTER_SLOTS; i++) {
    Slot *slot = &self->slots[i];

    gst_cl_buffer_free (slot->mem);
    gst_cl_sync_clear (self->context, &slot->sync);
    gst_cl_pinned_clear (&slot->pinned, self->context);
  }
  gst_object_unref (self->context);
  g_free (self);
}

void
gst_cl_importer_free (GstClImporter *self)
{
  if (!self)
    return;

  if (self->has_lost_one)
    gst_cl_quarantine_add (self->context, gst_cl_importer_bytes (self), self,
        destroy);
  else
    destroy (self);
}

gsize
gst_cl_importer_bytes (const GstClImporter *self)
{
  gsize n_bytes = 0;

  for (guint i = 0; i < GST_CL_IMPORTER_SLOTS; i++)
    n_bytes += self->slots[i].pinned.size_bytes;

  return n_bytes;
}

/* --- ranges -------------------------------------------------------------- */

/* Maps @memory (borrowed) for @range, which holds a reference of its own: the
 * buffer may put another memory in its place while the map lasts. */
static gboolean
hold_mapped (GstClRange *range, GstMemory *memory, GstMapFlags flags)
{
  if (!gst_memory_map (memory, &range->map, flags))
    return FALSE;
  range->memory = gst_memory_ref (memory);

  return TRUE;
}

static void
release_memory (GstClRange *range)
{
  if (!range->memory)
    return;

  gst_memory_unmap (range->memory, &range->map);
  gst_memory_unref (g_steal_pointer (&range->memory));
}

void
gst_cl_range_submitted (GstClRange *range, GstClAccess *accesses,
    guint *n_accesses)
{
  if (!range->is_host)
    release_memory (range);
  if (range->sync)
    accesses[(*n_accesses)++] = (GstClAccess){ g_steal_pointer (&range->sync),
      FALSE };
}

gboolean
gst_cl_range_wait_for_upload (GstClRange *range, GstClContext *context,
    GError **error)
{
  return gst_cl_context_wait (context, &range->uploaded, "upload a frame",
      error);
}

void
gst_cl_range_release (GstClRange *range)
{
  release_memory (range);
  if (range->owns_mem)
    clReleaseMemObject (range->mem);
  g_clear_pointer (&range->uploaded, clReleaseEvent);

  *range = (GstClRange){ 0 };
}

static void
free_range (gpointer data)
{
  gst_cl_range_release (data);
  g_free (data);
}

void
gst_cl_importer_abandon (GstClImporter *self, GstClRange *range)
{
  if (gst_cl_range_wait_for_upload (range, self->context, NULL)) {
    gst_cl_range_release (range);
    return;
  }

  self->has_lost_one = TRUE;
  gst_cl_quarantine_add (self->context, range->map.size,
      g_memdup2 (range, sizeof *range), free_range);
  *range = (GstClRange){ 0 };
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

/* Where the transfer may read from until it is done: @data itself if that is
 * pinned memory, of the slot or held by @range, else a copy in the slot's. NULL
 * with @error */
static const guint8 *
stage (GstClImporter *self, guint slot, const guint8 *data, gsize size_bytes,
    GstClRange *range, GError **error)
{
  GstClPinned *pinned = &self->slots[slot].pinned;

  if (data == pinned->data)
    return data;
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

/* From mapped host memory, which range holds; range->uploaded then tells when
 * it is done. Where the device shares the host's memory there is nothing to
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
  if (!range->is_host)
    release_memory (range);
}

/* Into the slot's buffer, which grows first if need be. */
static gboolean
transfer_to_slot (GstClImporter *self, guint slot_index, const guint8 *data,
    const GstClRows *rows, GstClRange *range, GError **error)
{
  Slot *slot = &self->slots[slot_index];
  const gsize size_bytes = (rows->n_rows - 1) * rows->dst_stride_bytes +
                           rows->row_bytes;
  const GstClAccess access = { &slot->sync, FALSE };

  if (slot->size_bytes < size_bytes) {
    g_clear_pointer (&slot->mem, gst_cl_buffer_free);
    slot->size_bytes = 0;
    slot->mem = gst_cl_buffer_new (self->context, size_bytes, error);
    if (!slot->mem)
      return FALSE;
    slot->size_bytes = size_bytes;
  }

  if (!transfer (self, slot_index, data, rows, slot->mem, 0, &slot->sync, range,
          error) ||
      !gst_cl_sync_begin (self->context, GST_CL_QUEUE_COMPUTE, &access, 1,
          error))
    return FALSE;

  release_copied (range);
  range->mem = slot->mem;
  range->offset_bytes = 0;
  range->sync = &slot->sync;

  return TRUE;
}

/* --- host bytes ---------------------------------------------------------- */

/* A copy of the bytes at @place in the slot's pinned memory. NULL with
 * @error */
static const guint8 *
gather (GstClImporter *self, guint slot, GstBuffer *buffer,
    const GstClPlace *place, gsize size_bytes, GError **error)
{
  GstClPinned *pinned = &self->slots[slot].pinned;

  if (!gst_cl_pinned_reserve (pinned, self->context, size_bytes, error) ||
      !gst_cl_place_gather (place, buffer, size_bytes, pinned->data, error))
    return NULL;

  return pinned->data;
}

/* The bytes at @place for the CPU: where they lie, if that is one memory, which
 * @range then holds mapped; else a copy in the slot's pinned memory. NULL with
 * @error */
static const guint8 *
read_place (GstClImporter *self, guint slot, GstBuffer *buffer,
    const GstClPlace *place, gsize size_bytes, GstClRange *range,
    GError **error)
{
  GstMemory *memory = gst_buffer_peek_memory (buffer, place->index);

  if (place->n_memories > 1)
    return gather (self, slot, buffer, place, size_bytes, error);

  if (!range->memory && !hold_mapped (range, memory, GST_MAP_READ)) {
    gst_cl_place_fail (memory, error);
    return NULL;
  }

  return range->map.data + place->skip;
}

/* --- taking -------------------------------------------------------------- */

/* From byte @skip of @memory on, without a copy. FALSE without @error: the
 * bytes have to be copied. */
static gboolean
take_in_place (GstClImporter *self, GstMemory *memory, gsize skip,
    guint align_bytes, GstMapFlags flags, GstClRange *range, GError **error)
{
  const gboolean is_ours = gst_is_cl_memory (memory) &&
                           gst_cl_memory_context (memory) == self->context;

  if (is_ours && (memory->offset + skip) % align_bytes == 0) {
    if (!hold_mapped (range, memory, flags | GST_MAP_OPENCL))
      return gst_cl_place_fail (memory, error);
    range->mem = gst_cl_memory_handle (memory);
    range->is_host = gst_cl_memory_wrapped_buffer (memory) != NULL;
    range->offset_bytes = memory->offset + skip;
    return TRUE;
  }

  if ((flags & GST_MAP_WRITE) || !hold_mapped (range, memory, flags))
    return gst_cl_place_fail (memory, error);
  if (is_ours || skip % align_bytes != 0)
    return FALSE;

  range->mem = gst_cl_wrap_memory (self->context, memory, range->map.data,
      range->map.size);
  if (!range->mem)
    return FALSE;
  range->owns_mem = TRUE;
  range->is_host = TRUE;
  range->offset_bytes = skip;

  return TRUE;
}

/* Rows of @buffer into the slot's buffer. */
static gboolean
take_copy (GstClImporter *self, guint slot, GstBuffer *buffer,
    const GstClPlace *place, const GstClRows *rows, GstClRange *range,
    GError **error)
{
  const guint8 *data = read_place (self, slot, buffer, place,
      gst_cl_rows_source_bytes (rows), range, error);

  return data && transfer_to_slot (self, slot, data, rows, range, error);
}

gboolean
gst_cl_importer_take (GstClImporter *self, guint slot, GstBuffer *buffer,
    gsize offset_bytes, gsize size_bytes, guint align_bytes, GstMapFlags flags,
    GstClRange *range, GError **error)
{
  const GstClRows rows = { size_bytes, 1, size_bytes, size_bytes };
  g_autoptr (GError) failure = NULL;
  gboolean taken = FALSE;
  GstMemory *memory;
  GstClPlace place;

  g_return_val_if_fail (slot < GST_CL_IMPORTER_SLOTS, FALSE);

  *range = (GstClRange){ 0 };
  if (!gst_cl_place_find (&place, buffer, offset_bytes, size_bytes, error))
    return FALSE;

  memory = gst_buffer_peek_memory (buffer, place.index);
  if (place.n_memories == 1)
    taken = take_in_place (self, memory, place.skip, align_bytes, flags, range,
        &failure);
  else if (flags & GST_MAP_WRITE)
    gst_cl_place_fail (memory, &failure);
  if (!taken && !failure)
    taken = take_copy (self, slot, buffer, &place, &rows, range, &failure);
  if (!taken) {
    gst_cl_importer_abandon (self, range);
    g_propagate_error (error, g_steal_pointer (&failure));
  }

  return taken;
}

gboolean
gst_cl_importer_repack (GstClImporter *self, guint slot, GstBuffer *buffer,
    gsize offset_bytes, const GstClRows *rows, GstClRange *range,
    GError **error)
{
  GstClPlace place;

  g_return_val_if_fail (slot < GST_CL_IMPORTER_SLOTS, FALSE);

  *range = (GstClRange){ 0 };
  if (!gst_cl_place_find (&place, buffer, offset_bytes,
          gst_cl_rows_source_bytes (rows), error))
    return FALSE;

  if (!take_copy (self, slot, buffer, &place, rows, range, error)) {
    gst_cl_importer_abandon (self, range);
    return FALSE;
  }

  return TRUE;
}

gboolean
gst_cl_importer_upload (GstClImporter *self, guint slot, GstBuffer *buffer,
    gsize offset_bytes, const GstClRows *rows, cl_mem dst,
    gsize dst_offset_bytes, GstClSync *dst_sync, GstClRange *range,
    GError **error)
{
  const guint8 *data;
  GstClPlace place;

  g_return_val_if_fail (slot < GST_CL_IMPORTER_SLOTS, FALSE);

  *range = (GstClRange){ 0 };
  if (!gst_cl_place_find (&place, buffer, offset_bytes,
          gst_cl_rows_source_bytes (rows), error))
    return FALSE;

  data = read_place (self, slot, buffer, &place,
      gst_cl_rows_source_bytes (rows), range, error);
  if (!data || !transfer (self, slot, data, rows, dst, dst_offset_bytes,
                   dst_sync, range, error)) {
    gst_cl_importer_abandon (self, range);
    return FALSE;
  }
  release_copied (range);

  return TRUE;
}
