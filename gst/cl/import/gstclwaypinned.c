/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Host memory: transferred from pinned memory, into which it is copied first
 * unless it is pinned. Takes anything that can be mapped. */

#include "cl/memory/gstclbuffer.h"
#include "gstclways.h"

#include <string.h>

static gboolean
suits (GstClContext *context, GstMemory *memory)
{
  return TRUE;
}

/* --- host bytes ---------------------------------------------------------- */

/* A copy of the bytes at @source in the slot's pinned memory. NULL with
 * @error */
static const guint8 *
gather (const GstClSource *source, GstClSlot *slot, gsize size_bytes,
    GError **error)
{
  GstClPinned *pinned = &slot->pinned;

  if (!gst_cl_pinned_reserve (pinned, source->context, size_bytes, error) ||
      !gst_cl_place_gather (&source->place, source->buffer, size_bytes,
          pinned->data, error))
    return NULL;

  return pinned->data;
}

/* The bytes at @source for the CPU: where they lie, if that is one memory,
 * which @range then holds mapped; else a copy in the slot's pinned memory. NULL
 * with @error */
static const guint8 *
read_source (const GstClSource *source, GstClSlot *slot, gsize size_bytes,
    GstClRange *range, GError **error)
{
  if (!source->memory)
    return gather (source, slot, size_bytes, error);

  if (!range->memory &&
      !gst_cl_range_map (range, source->memory, GST_MAP_READ)) {
    gst_cl_place_fail (source->memory, error);
    return NULL;
  }

  return range->map.data + source->place.skip;
}

/* Where the transfer may read from until it is done: @data itself if that is
 * pinned memory, of the slot or held by @range, else a copy in the slot's. NULL
 * with @error */
static const guint8 *
stage (GstClContext *context, GstClSlot *slot, const guint8 *data,
    gsize size_bytes, GstClRange *range, GError **error)
{
  GstClPinned *pinned = &slot->pinned;

  if (data == pinned->data)
    return data;
  if (range->memory && gst_cl_pinned_is_memory_of (range->memory, context)) {
    range->is_host = TRUE;
    return data;
  }

  if (!gst_cl_pinned_reserve (pinned, context, size_bytes, error))
    return NULL;
  gst_cl_pinned_copy (pinned->data, data, size_bytes);

  return pinned->data;
}

/* --- transfers ----------------------------------------------------------- */

static cl_int
enqueue_write (cl_command_queue queue, cl_bool blocking,
    const GstClTarget *target, const GstClRows *rows, const guint8 *data,
    const GstClWaits *waits, cl_event *event)
{
  const gsize origin[3] = { target->offset_bytes % rows->dst_stride_bytes,
    target->offset_bytes / rows->dst_stride_bytes, 0 };
  const gsize host_origin[3] = { 0, 0, 0 };
  const gsize region[3] = { rows->row_bytes, rows->n_rows, 1 };

  if (gst_cl_rows_are_packed (rows))
    return clEnqueueWriteBuffer (queue, target->mem, blocking,
        target->offset_bytes, gst_cl_rows_source_bytes (rows), data,
        GST_CL_WAIT_LIST (waits), event);

  return clEnqueueWriteBufferRect (queue, target->mem, blocking, origin,
      host_origin, region, rows->dst_stride_bytes, 0, rows->src_stride_bytes, 0,
      data, GST_CL_WAIT_LIST (waits), event);
}

/* From mapped host memory, which range holds; range->uploaded then tells when
 * it is done. Where the device shares the host's memory there is nothing to
 * overlap: the driver copies at once. */
static gboolean
transfer (GstClContext *context, GstClSlot *slot, const guint8 *data,
    const GstClRows *rows, const GstClTarget *target, GstClRange *range,
    GError **error)
{
  const GstClQueue queue = GST_CL_QUEUE_UPLOAD;
  const GstClAccess access = { target->sync, TRUE };
  GstClWaits waits;
  cl_int code;

  if (context->is_split)
    data = stage (context, slot, data, gst_cl_rows_source_bytes (rows), range,
        error);
  if (!data || !gst_cl_sync_collect (context, queue, &access, 1, &waits, error))
    return FALSE;

  code = enqueue_write (context->queues[queue], !context->is_split, target,
      rows, data, &waits, &range->uploaded);
  if (!gst_cl_sync_commit (context, queue, &access, 1, &waits, code,
          "upload a frame", range->uploaded, error))
    return FALSE;
  gst_cl_context_count (context, rows->row_bytes * rows->n_rows, 0);

  return TRUE;
}

static gboolean
upload (const GstClSource *source, const GstClRows *rows, GstClSlot *slot,
    const GstClTarget *target, GstClRange *range, GError **error)
{
  const guint8 *data = read_source (source, slot,
      gst_cl_rows_source_bytes (rows), range, error);

  if (!data ||
      !transfer (source->context, slot, data, rows, target, range, error))
    return FALSE;
  /* what has been copied need not be held until the device is done */
  gst_cl_range_release_copied (range);

  return TRUE;
}

static gboolean
copy (const GstClSource *source, const GstClRows *rows, GstClSlot *slot,
    GstClRange *range, GError **error)
{
  const GstClAccess access = { &slot->sync, FALSE };
  const guint8 *data = read_source (source, slot,
      gst_cl_rows_source_bytes (rows), range, error);
  GstClTarget target;

  if (!data || !gst_cl_slot_reserve (slot, source->context,
                   gst_cl_rows_target_bytes (rows), error))
    return FALSE;

  target = (GstClTarget){ slot->mem, 0, &slot->sync };
  if (!transfer (source->context, slot, data, rows, &target, range, error) ||
      !gst_cl_sync_begin (source->context, GST_CL_QUEUE_COMPUTE, &access, 1,
          error))
    return FALSE;

  gst_cl_range_release_copied (range);
  range->mem = slot->mem;
  range->offset_bytes = 0;
  range->sync = &slot->sync;

  return TRUE;
}

/* --- proof --------------------------------------------------------------- */

static gboolean
try (GstClContext *context, cl_command_queue queue, gpointer data,
    const guint8 *bytes, gsize size_bytes, guint8 *back, GError **error)
{
  cl_mem mem = gst_cl_buffer_new (context, size_bytes, error);
  const guint8 *from = bytes;
  GstClPinned pinned = { 0 };
  cl_int code = CL_SUCCESS;

  if (mem && context->is_split) {
    from = gst_cl_pinned_reserve (&pinned, context, size_bytes, error)
               ? memcpy (pinned.data, bytes, size_bytes)
               : NULL;
  }
  if (mem && from) {
    code = clEnqueueWriteBuffer (queue, mem, !context->is_split, 0, size_bytes,
        from, 0, NULL, NULL);
    if (code == CL_SUCCESS)
      code = clEnqueueReadBuffer (queue, mem, CL_TRUE, 0, size_bytes, back, 0,
          NULL, NULL);
    clFinish (queue);
  }
  gst_cl_pinned_clear (&pinned, context);
  gst_cl_buffer_free (mem);

  return mem && from && gst_cl_check (code, "transfer host memory", error);
}

static const GstClProof proof = { .name = "pinned host memory", .try = try };

const GstClWay gst_cl_way_pinned = {
  .proof = &proof,
  .suits = suits,
  .copy = copy,
  .upload = upload,
};
