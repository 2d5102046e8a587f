/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The copy of the properties that a buffer uses. */

#include "gstclsnapshot.h"

void
gst_cl_snapshot_mark (GstClSnapshot *self, GstClChange change, gpointer element,
    GstClSnapshotFunc take)
{
  GST_OBJECT_LOCK (element);
  self->change = MAX (self->change, change);
  if (!self->is_streaming)
    take (element);
  GST_OBJECT_UNLOCK (element);
}

GstClChange
gst_cl_snapshot_update (GstClSnapshot *self, gpointer element,
    GstClSnapshotFunc take)
{
  GstClChange change;

  GST_OBJECT_LOCK (element);
  change = self->change;
  if (change != GST_CL_CHANGE_NONE)
    take (element);
  self->change = GST_CL_CHANGE_NONE;
  self->is_streaming = TRUE;
  GST_OBJECT_UNLOCK (element);

  return change;
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
