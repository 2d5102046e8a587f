/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include <gst/gst.h>

G_BEGIN_DECLS

/* When an element takes a copy of its properties, the snapshot, by which caps are
 * negotiated and frames processed: with each change as long as no caps have come,
 * so that queries see it; afterwards once a buffer, in the streaming thread, however
 * often and by whom properties are set. Part of its element, all zeros at first;
 * its members belong to the element's object lock, which the functions take. */
typedef struct {
  /*< private >*/
  gboolean is_streaming; /* caps have come */
  gboolean has_changed;  /* a property since the last snapshot */
} GstClSnapshot;

/* Copies the properties of @element. Object lock held. */
typedef void (*GstClSnapshotFunc) (gpointer element);

/* A property of @element has been set. Any thread. */
void gst_cl_snapshot_mark (GstClSnapshot *self, gpointer element,
    GstClSnapshotFunc take);

/* Caps or a buffer have come. TRUE if properties have changed since the last
 * snapshot. Streaming thread. */
gboolean gst_cl_snapshot_renew (GstClSnapshot *self, gpointer element,
    GstClSnapshotFunc take);

/* The element stops. */
void gst_cl_snapshot_end (GstClSnapshot *self, gpointer element,
    GstClSnapshotFunc take);

G_END_DECLS
