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

gboolean
gst_cl_host_transfer_upload (const GstClWay *way, const GstClSource *source,
    const GstClRows *rows, GstClSlot *slot, const GstClTarget *target,
    GstClRange *range, GError **error)
{
  const GstClWrite write = {
    way->find_bytes (source, slot, gst_cl_rows_source_bytes (rows), range,
        error),
    *rows,
    *target,
  };

  if (!write.data ||
      !gst_cl_range_begin_write (range, &write, source->context, error))
    return FALSE;
  /* what has been copied need not be held until the device is done */
  gst_cl_range_release_copied (range);

  return TRUE;
}

/* The write is left to whoever wants the bytes (GstClRange.arrival), but where
 * the driver copies them in the call that enqueues it. */
gboolean
gst_cl_host_transfer_copy (const GstClWay *way, const GstClSource *source,
    const GstClRows *rows, GstClSlot *slot, GstClRange *range, GError **error)
{
  GstClWrite write = { .rows = *rows };

  write.data = way->find_bytes (source, slot, gst_cl_rows_source_bytes (rows),
      range, error);
  if (!write.data || !gst_cl_slot_reserve (slot, source->context,
                         gst_cl_rows_target_bytes (rows), error))
    return FALSE;

  write.target = (GstClTarget){ slot->mem, 0, &slot->sync };
  if (source->context->is_split)
    range->arrival.write = write;
  else if (!gst_cl_range_begin_write (range, &write, source->context, error))
    return FALSE;
  range->arrival.upload = range->uploaded;

  gst_cl_range_release_copied (range);
  range->mem = slot->mem;
  range->offset_bytes = 0;
  range->sync = &slot->sync;

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
