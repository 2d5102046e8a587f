/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "common/gstclproperty.h"

G_BEGIN_DECLS

/* Says when an element takes the snapshot, a copy of its properties by which
 * caps are negotiated and frames processed. Before caps have come it is taken
 * with each change, so that queries see it. Afterwards it is taken once a
 * buffer, in the streaming thread, however often properties are set and by
 * whom.
 *
 * Part of its element, all zeros at first. The members belong to the object
 * lock of the element, which the functions take. */
typedef struct {
  /*< private >*/
  gboolean is_streaming; /* caps have come */
  GstClChange change;    /* of properties since the last snapshot */
} GstClSnapshot;

/* Copies the properties of @element. The object lock is held. */
typedef void (*GstClSnapshotFunc) (gpointer element);

/* A property of @element has been set, which needs @change: takes the snapshot
 * if no caps have come. Any thread. */
void gst_cl_snapshot_mark (GstClSnapshot *self, GstClChange change,
    gpointer element, GstClSnapshotFunc take);

/* Caps or a buffer have come: takes the snapshot if a property has changed, and
 * returns what the changed properties need. Streaming thread. */
GstClChange gst_cl_snapshot_renew (GstClSnapshot *self, gpointer element,
    GstClSnapshotFunc take);

/* The element stops: takes the snapshot, and with each change again from now
 * on. */
void gst_cl_snapshot_end (GstClSnapshot *self, gpointer element,
    GstClSnapshotFunc take);

G_END_DECLS
