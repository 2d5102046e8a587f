/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Host memory over the bus. */

#include "gstclhosttransfer.h"

#include "cl/memory/gstclbuffer.h"

gboolean
gst_cl_host_transfer_map (const GstClSource *source, GstClRange *range,
    GError **error)
{
  return range->memory ||
         gst_cl_range_map (range, source->memory, GST_MAP_READ) ||
         gst_cl_place_fail (source->memory, error);
}

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

/* From host memory, which range holds; range->uploaded then tells when it is
 * done. Where the device shares the host's memory there is nothing to overlap:
 * the driver copies at once. */
static gboolean
transfer (GstClContext *context, const guint8 *data, const GstClRows *rows,
    const GstClTarget *target, GstClRange *range, GError **error)
{
  const GstClQueue queue = GST_CL_QUEUE_UPLOAD;
  const GstClAccess access = { target->sync, TRUE };
  GstClWaits waits;
  cl_int code;

  if (!gst_cl_sync_collect (context, queue, &access, 1, &waits, error))
    return FALSE;

  code = enqueue_write (context->queues[queue], !context->is_split, target,
      rows, data, &waits, &range->uploaded);
  if (!gst_cl_sync_commit (context, queue, &access, 1, &waits, code,
          "upload a frame", range->uploaded, error))
    return FALSE;
  gst_cl_context_count (context, rows->row_bytes * rows->n_rows, 0);

  return TRUE;
}

gboolean
gst_cl_host_transfer_upload (const GstClWay *way, const GstClSource *source,
    const GstClRows *rows, GstClSlot *slot, const GstClTarget *target,
    GstClRange *range, GError **error)
{
  const guint8 *data = way->find_bytes (source, slot,
      gst_cl_rows_source_bytes (rows), range, error);

  if (!data || !transfer (source->context, data, rows, target, range, error))
    return FALSE;
  /* what has been copied need not be held until the device is done */
  gst_cl_range_release_copied (range);

  return TRUE;
}

gboolean
gst_cl_host_transfer_copy (const GstClWay *way, const GstClSource *source,
    const GstClRows *rows, GstClSlot *slot, GstClRange *range, GError **error)
{
  const guint8 *data = way->find_bytes (source, slot,
      gst_cl_rows_source_bytes (rows), range, error);
  GstClTarget target;

  if (!data || !gst_cl_slot_reserve (slot, source->context,
                   gst_cl_rows_target_bytes (rows), error))
    return FALSE;

  target = (GstClTarget){ slot->mem, 0, &slot->sync };
  if (!transfer (source->context, data, rows, &target, range, error))
    return FALSE;

  gst_cl_range_release_copied (range);
  range->mem = slot->mem;
  range->offset_bytes = 0;
  range->sync = &slot->sync;
  range->arrival.upload = range->uploaded;

  return TRUE;
}

gboolean
gst_cl_host_transfer_try (GstClContext *context, cl_command_queue queue,
    const guint8 *from, gsize size_bytes, guint8 *back, GError **error)
{
  cl_mem mem = gst_cl_buffer_new (context, size_bytes, error);
  cl_int code;

  if (!mem)
    return FALSE;

  code = clEnqueueWriteBuffer (queue, mem, !context->is_split, 0, size_bytes,
      from, 0, NULL, NULL);
  if (code == CL_SUCCESS)
    code = clEnqueueReadBuffer (queue, mem, CL_TRUE, 0, size_bytes, back, 0,
        NULL, NULL);
  clFinish (queue);
  gst_cl_buffer_free (mem);

  return gst_cl_check (code, "transfer host memory", error);
}
