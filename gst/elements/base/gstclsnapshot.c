/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The copy of its properties by which an element works. */

#include "gstclsnapshot.h"

void
gst_cl_snapshot_mark (GstClSnapshot *self, gpointer element,
    GstClSnapshotFunc take)
{
  GST_OBJECT_LOCK (element);
  self->has_changed = TRUE;
  if (!self->is_streaming)
    take (element);
  GST_OBJECT_UNLOCK (element);
}

gboolean
gst_cl_snapshot_renew (GstClSnapshot *self, gpointer element,
    GstClSnapshotFunc take)
{
  gboolean has_changed;

  GST_OBJECT_LOCK (element);
  has_changed = self->has_changed;
  if (has_changed)
    take (element);
  self->has_changed = FALSE;
  self->is_streaming = TRUE;
  GST_OBJECT_UNLOCK (element);

  return has_changed;
}

void
gst_cl_snapshot_end (GstClSnapshot *self, gpointer element,
    GstClSnapshotFunc take)
{
  GST_OBJECT_LOCK (element);
  take (element);
  self->is_streaming = FALSE;
  GST_OBJECT_UNLOCK (element);
}
