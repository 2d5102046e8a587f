/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Copies of device memory on the host. */

#include "gstclhostcopy.h"

gboolean
gst_cl_host_copy_fetch (GstClHostCopy *self, GstClContext *context, cl_mem mem,
    GstClSync *sync, gsize size_bytes, GError **error)
{
  const GstClQueue queue = GST_CL_QUEUE_DOWNLOAD;
  const GstClAccess access = { sync, FALSE };
  GstClCommand command;
  cl_int code;

  if (self->is_valid)
    return TRUE;

  g_clear_pointer (&self->fetched, clReleaseEvent);
  if (!gst_cl_pinned_reserve (&self->pinned, context, MAX (size_bytes, 1),
          error))
    return FALSE;
  if (size_bytes == 0)
    return TRUE;

  if (!gst_cl_sync_collect (context, queue, &access, 1, &command, error))
    return FALSE;
  code = clEnqueueReadBuffer (gst_cl_context_find_queue (context, queue), mem,
      CL_FALSE, 0, size_bytes, self->pinned.data, GST_CL_WAIT_LIST (&command),
      &self->fetched);
  if (!gst_cl_sync_commit (&command, code, "download a frame", self->fetched,
          error))
    return FALSE;

  self->is_valid = TRUE;
  gst_cl_context_count (context, 0, size_bytes);

  return TRUE;
}

gpointer
gst_cl_host_copy_wait (GstClHostCopy *self, GstClContext *context,
    GError **error)
{
  if (!gst_cl_context_wait (context, &self->fetched, "download a frame",
          error)) {
    self->is_valid = FALSE;
    self->has_lost_one = TRUE;
    return NULL;
  }

  return self->pinned.data;
}

void
gst_cl_host_copy_invalidate (GstClHostCopy *self)
{
  self->is_valid = FALSE;
}

void
gst_cl_host_copy_clear (GstClHostCopy *self, GstClContext *context)
{
  gst_cl_host_copy_wait (self, context, NULL);
  if (self->has_lost_one)
    gst_cl_pinned_quarantine (&self->pinned, context);
  else
    gst_cl_pinned_clear (&self->pinned, context);
  self->is_valid = self->has_lost_one = FALSE;
}
