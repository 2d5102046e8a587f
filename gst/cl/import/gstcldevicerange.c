/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Regions of a buffer, and ranges on the device. */

#include "gstcldevicerange.h"

#include "cl/context/gstclcontext.h"
#include "cl/memory/gstclmemory.h"
#include "cl/memory/gstclpinned.h"
#include "gstclexternal.h"

/* --- writing -------------------------------------------------------------- */

static cl_int
enqueue_write (const GstClWrite *write, cl_command_queue queue,
    cl_bool blocking, const GstClCommand *command, cl_event *event)
{
  const GstClRows *rows = &write->rows;
  const GstClTarget *target = &write->target;
  const gsize origin[3] = { target->offset_bytes % rows->dst_stride_bytes,
    target->offset_bytes / rows->dst_stride_bytes, 0 };
  const gsize host_origin[3] = { 0, 0, 0 };
  const gsize region[3] = { rows->row_bytes, rows->n_rows, 1 };

  if (gst_cl_rows_are_packed (rows))
    return clEnqueueWriteBuffer (queue, target->mem, blocking,
        target->offset_bytes, gst_cl_rows_source_bytes (rows), write->data,
        GST_CL_WAIT_LIST (command), event);

  return clEnqueueWriteBufferRect (queue, target->mem, blocking, origin,
      host_origin, region, rows->dst_stride_bytes, 0, rows->src_stride_bytes, 0,
      write->data, GST_CL_WAIT_LIST (command), event);
}

gboolean
gst_cl_write_enqueue (const GstClWrite *self, GstClContext *context,
    cl_event *event, GError **error)
{
  const GstClQueue queue = GST_CL_QUEUE_UPLOAD;
  const GstClAccess access = { self->target.sync, TRUE };
  GstClCommand command;
  cl_int code;

  *event = NULL;
  if (!gst_cl_sync_collect (context, queue, &access, 1, &command, error))
    return FALSE;

  /* A host-unified device has no transfers to overlap. */
  code = enqueue_write (self, context->queues[queue], !context->is_discrete,
      &command, event);
  if (!gst_cl_sync_record (&command, code, "upload a frame", *event, error))
    return FALSE;
  gst_cl_context_count (context, self->rows.row_bytes * self->rows.n_rows, 0);

  return TRUE;
}

gboolean
gst_cl_pending_upload_keep_event (const GstClPendingUpload *self,
    cl_event *upload, GError **error)
{
  *upload = self->upload;

  return !self->upload || gst_cl_check (clRetainEvent (self->upload),
                              "retain the event of an upload", error);
}

gboolean
gst_cl_device_range_map (GstClDeviceRange *self, GstMemory *memory,
    GstMapFlags flags)
{
  if (!gst_memory_map (memory, &self->map, flags))
    return FALSE;
  self->memory = gst_memory_ref (memory);

  return TRUE;
}

static void
release_memory (GstClDeviceRange *self)
{
  if (!self->memory)
    return;

  gst_memory_unmap (self->memory, &self->map);
  gst_memory_unref (g_steal_pointer (&self->memory));
}

void
gst_cl_device_range_release_copied (GstClDeviceRange *self)
{
  if (!self->is_host)
    release_memory (self);
}

gboolean
gst_cl_device_range_begin_write (GstClDeviceRange *self,
    const GstClWrite *write, GstClContext *context, GError **error)
{
  const gboolean enqueued = gst_cl_write_enqueue (write, context,
      &self->uploaded, error);

  /* flushed even after an error, so that enqueued commands complete */
  return gst_cl_sync_submit (context, GST_CL_QUEUE_UPLOAD,
             enqueued ? error : NULL) &&
         enqueued;
}

/* --- copying external memory ---------------------------------------------- */

static cl_int
enqueue_copy (const GstClCopy *copy, cl_command_queue queue,
    const GstClCommand *command, cl_event *event)
{
  const GstClRows *rows = &copy->rows;
  const GstClTarget *target = &copy->target;
  const gsize from_origin[3] = { copy->offset_bytes % rows->src_stride_bytes,
    copy->offset_bytes / rows->src_stride_bytes, 0 };
  const gsize origin[3] = { target->offset_bytes % rows->dst_stride_bytes,
    target->offset_bytes / rows->dst_stride_bytes, 0 };
  const gsize region[3] = { rows->row_bytes, rows->n_rows, 1 };

  if (gst_cl_rows_are_packed (rows))
    return clEnqueueCopyBuffer (queue, copy->from, target->mem,
        copy->offset_bytes, target->offset_bytes,
        gst_cl_rows_source_bytes (rows), GST_CL_WAIT_LIST (command), event);

  return clEnqueueCopyBufferRect (queue, copy->from, target->mem, from_origin,
      origin, region, rows->src_stride_bytes, 0, rows->dst_stride_bytes, 0,
      GST_CL_WAIT_LIST (command), event);
}

cl_int
gst_cl_external_copy (const GstClCopy *copy, GstClContext *context,
    cl_command_queue queue, const GstClCommand *command, cl_event *event)
{
  cl_int code = gst_cl_external_acquire (context, queue, &copy->from, 1);
  cl_event released = NULL;
  cl_int release_code;

  if (code != CL_SUCCESS)
    return code;

  code = enqueue_copy (copy, queue, command, event);
  release_code = gst_cl_external_release (context, queue, &copy->from, 1,
      &released);
  if (released) {
    g_clear_pointer (event, clReleaseEvent);
    *event = released;
  }

  return code == CL_SUCCESS ? release_code : code;
}

gboolean
gst_cl_device_range_begin_copy (GstClDeviceRange *self, const GstClCopy *copy,
    GstClContext *context, GError **error)
{
  const GstClQueue queue = GST_CL_QUEUE_UPLOAD;
  const GstClAccess access = { copy->target.sync, TRUE };
  GstClCommand command;
  cl_int code;

  if (!gst_cl_sync_collect (context, queue, &access, 1, &command, error))
    return FALSE;

  code = gst_cl_external_copy (copy, context, context->queues[queue], &command,
      &self->uploaded);

  return gst_cl_sync_commit (&command, code, "copy a frame", self->uploaded,
      error);
}

/* --- reading -------------------------------------------------------------- */

static gboolean
acquire_memory (GstClDeviceRange *self, GstClContext *context, GError **error)
{
  if (!gst_cl_check (
          gst_cl_external_acquire (context,
              gst_cl_context_find_queue (context, GST_CL_QUEUE_COMPUTE),
              &self->mem, 1),
          "acquire imported memory", error))
    return FALSE;
  self->acquired_by = context;

  return TRUE;
}

gboolean
gst_cl_device_range_begin_reads (GstClDeviceRange *self, GstClContext *context,
    GError **error)
{
  const GstClAccess access = { self->sync, FALSE };
  const GstClPendingUpload pending = self->pending;

  self->pending = (GstClPendingUpload){ .is_external = FALSE };
  if (pending.is_external)
    return acquire_memory (self, context, error);
  if (!pending.write.data && !pending.upload)
    return TRUE;
  if (pending.write.data &&
      !gst_cl_device_range_begin_write (self, &pending.write, context, error))
    return FALSE;

  return gst_cl_sync_begin (context, GST_CL_QUEUE_COMPUTE, &access, 1, error);
}

/* If the release fails, the acquire of the next frame fails with an error. */
static void
release_acquired (GstClDeviceRange *self)
{
  if (self->acquired_by)
    gst_cl_external_release (self->acquired_by,
        gst_cl_context_find_queue (self->acquired_by, GST_CL_QUEUE_COMPUTE),
        &self->mem, 1, NULL);
  self->acquired_by = NULL;
}

void
gst_cl_device_range_end_reads (GstClDeviceRange *self)
{
  gst_cl_device_range_release_copied (self);
  release_acquired (self);
}

void
gst_cl_device_range_submitted (GstClDeviceRange *self, GstClAccess *accesses,
    guint *n_accesses)
{
  gst_cl_device_range_end_reads (self);
  if (self->sync)
    accesses[(*n_accesses)++] = (GstClAccess){ g_steal_pointer (&self->sync),
      FALSE };
}

gboolean
gst_cl_device_range_wait_for_upload (GstClDeviceRange *self,
    GstClContext *context, GError **error)
{
  return gst_cl_context_wait_for_end (context, &self->uploaded,
      "upload a frame", error);
}

void
gst_cl_device_range_release (GstClDeviceRange *self)
{
  release_memory (self);
  release_acquired (self);
  gst_cl_imported_keep (&self->imported);
  if (self->owns_mem)
    clReleaseMemObject (self->mem);
  g_clear_pointer (&self->uploaded, clReleaseEvent);

  *self = (GstClDeviceRange){ 0 };
}

/* --- regions of buffers --------------------------------------------------- */

gboolean
gst_cl_buffer_region_find (GstClBufferRegion *self, GstBuffer *buffer,
    gsize offset_bytes, gsize size_bytes, GError **error)
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
        "byte %zu on are needed. Video whose rows lack GStreamer's padding "
        "needs a GstVideoMeta.",
        buffer_bytes, size_bytes, offset_bytes);

  return FALSE;
}

gboolean
gst_cl_buffer_region_gather (const GstClBufferRegion *self, GstBuffer *buffer,
    gsize size_bytes, guint8 *dst, GError **error)
{
  gsize skip = self->skip, n_done = 0;

  for (guint i = 0; i < self->n_memories; i++) {
    GstMemory *memory = gst_buffer_peek_memory (buffer, self->index + i);
    GstMapInfo map;
    gsize n_bytes;

    if (!gst_memory_map (memory, &map, GST_MAP_READ))
      return gst_cl_buffer_region_fail (memory, error);

    n_bytes = MIN (map.size - skip, size_bytes - n_done);
    gst_cl_pinned_copy (dst + n_done, map.data + skip, n_bytes);
    gst_memory_unmap (memory, &map);
    n_done += n_bytes;
    skip = 0;
  }

  return TRUE;
}

gboolean
gst_cl_buffer_region_fail (GstMemory *memory, GError **error)
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
