/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* One transfer from host memory. */

#include "gstclwrite.h"

static cl_int
enqueue_write (const GstClWrite *write, cl_command_queue queue,
    cl_bool blocking, const GstClWaits *waits, cl_event *event)
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
        GST_CL_WAIT_LIST (waits), event);

  return clEnqueueWriteBufferRect (queue, target->mem, blocking, origin,
      host_origin, region, rows->dst_stride_bytes, 0, rows->src_stride_bytes, 0,
      write->data, GST_CL_WAIT_LIST (waits), event);
}

gboolean
gst_cl_write_enqueue (const GstClWrite *self, GstClContext *context,
    cl_event *event, GError **error)
{
  const GstClQueue queue = GST_CL_QUEUE_UPLOAD;
  const GstClAccess access = { self->target.sync, TRUE };
  GstClWaits waits;
  cl_int code;

  *event = NULL;
  if (!gst_cl_sync_collect (context, queue, &access, 1, &waits, error))
    return FALSE;

  /* Where the device shares the host's memory there is nothing to overlap. */
  code = enqueue_write (self, context->queues[queue], !context->is_split,
      &waits, event);
  if (!gst_cl_sync_record (context, queue, &access, 1, &waits, code,
          "upload a frame", *event, error))
    return FALSE;
  gst_cl_context_count (context, self->rows.row_bytes * self->rows.n_rows, 0);

  return TRUE;
}
