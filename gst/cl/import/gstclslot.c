/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Buffers that copies of frames go to. */

#include "gstclslot.h"

#include "cl/memory/gstclbuffer.h"

gboolean
gst_cl_slot_reserve (GstClSlot *self, GstClContext *context, gsize size_bytes,
    GError **error)
{
  if (self->size_bytes >= size_bytes)
    return TRUE;

  g_clear_pointer (&self->mem, gst_cl_buffer_free);
  self->size_bytes = 0;
  self->mem = gst_cl_buffer_new (context, size_bytes, error);
  if (!self->mem)
    return FALSE;
  self->size_bytes = size_bytes;

  return TRUE;
}

void
gst_cl_slot_clear (GstClSlot *self, GstClContext *context)
{
  gst_cl_buffer_free (self->mem);
  gst_cl_sync_clear (context, &self->sync);
  gst_cl_pinned_clear (&self->pinned, context);
  gst_cl_cuda_scratch_clear (&self->cuda);
  *self = (GstClSlot){ 0 };
}
