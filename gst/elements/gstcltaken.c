/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Keeps what a filter has taken until the device may have it no more. */

#include "gstcltaken.h"

const GstClFrame *
gst_cl_taken_add_frame (GstClTaken *self, GstClImporter *importer,
    GstBuffer *buffer, const GstVideoInfo *info, guint plane_mask,
    GstMapFlags flags, GError **error)
{
  g_return_val_if_fail (self->n_frames < GST_CL_TAKEN_MAX, NULL);

  if (!gst_cl_frame_take (&self->frames[self->n_frames], importer, buffer, info,
          plane_mask, flags, error))
    return NULL;

  return &self->frames[self->n_frames++];
}

const GstClRange *
gst_cl_taken_add_bytes (GstClTaken *self, GstClImporter *importer,
    GstBuffer *buffer, gsize size_bytes, GstMapFlags flags, GError **error)
{
  g_return_val_if_fail (self->n_ranges < GST_CL_TAKEN_MAX, NULL);

  if (!gst_cl_importer_take (importer, 0, buffer, 0, size_bytes, flags,
          &self->ranges[self->n_ranges], error))
    return NULL;

  return &self->ranges[self->n_ranges++];
}

gboolean
gst_cl_taken_reads_host (const GstClTaken *self)
{
  for (guint i = 0; i < self->n_frames; i++) {
    if (gst_cl_frame_is_host (&self->frames[i]))
      return TRUE;
  }
  for (guint i = 0; i < self->n_ranges; i++) {
    if (self->ranges[i].is_host)
      return TRUE;
  }

  return FALSE;
}

void
gst_cl_taken_release (GstClTaken *self)
{
  while (self->n_frames > 0)
    gst_cl_frame_release (&self->frames[--self->n_frames]);
  while (self->n_ranges > 0)
    gst_cl_range_release (&self->ranges[--self->n_ranges]);
}
