/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include <gst/gst.h>

#include "common/gstclproperty.h"

G_BEGIN_DECLS

/* The snapshot: a copy of the properties that negotiation and processing use.
 * Before the first caps, each change of a property updates it, so that queries
 * see the new value. Afterwards it is updated once per buffer in the streaming
 * thread, however often properties are set.
 *
 * Embedded in the element, zero-initialized. The element's object lock protects
 * the members; the functions take this lock. */
typedef struct {
  /*< private >*/
  gboolean is_streaming; /* caps have been set */
  GstClChange change;    /* of properties since the last snapshot */
} GstClSnapshot;

/* Copies the properties of @element. The object lock is held. */
typedef void (*GstClSnapshotFunc) (gpointer element);

/* Records that a property of @element was set, which needs @change. Updates the
 * snapshot if no caps have been set. Any thread. */
void gst_cl_snapshot_mark (GstClSnapshot *self, GstClChange change,
    gpointer element, GstClSnapshotFunc take);

/* Updates the snapshot if a property has changed, before caps or a buffer are
 * used. Returns the pending change. Streaming thread. */
GstClChange gst_cl_snapshot_update (GstClSnapshot *self, gpointer element,
    GstClSnapshotFunc take);

/* Updates the snapshot when the element stops; from now on each change updates
 * it. */
void gst_cl_snapshot_end (GstClSnapshot *self, gpointer element,
    GstClSnapshotFunc take);

G_END_DECLS
