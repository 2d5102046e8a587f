/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include <gst/gst.h>

G_BEGIN_DECLS

/* Results of clframesum as metas of GstAnalytics; docs/statistics.md lists the
 * classes and the tensors. */

/* Returns an array for the open events of a stream; transfer full. */
GArray *gst_cl_open_events_new (void);

/* Adds @message, the start or the end of an event. */
void gst_cl_open_events_add (GArray *events, const GstStructure *message);

/* Begins the next frame. Returns the classes (GQuark) of the frame before: of
 * the events that are open, and of those that only this frame shows; transfer
 * full. NULL: none. */
GArray *gst_cl_open_events_next (GArray *events);

/* What the result of a frame does not contain. */
typedef struct {
  GArray *classes; /* GQuark; owned; NULL: none */
  guint n_boxes;   /* the last regions of interest: boxes of detectors */
} GstClAnalyticsFrame;

/* Returns FALSE with an error if the plugin is built without GstAnalytics. */
gboolean gst_cl_analytics_check (GError **error);

/* Adds @structure, a result, and @frame to the metas of @buffer (writable).
 * Tensors of an earlier result in its GstTensorMeta are replaced. */
void gst_cl_analytics_add (GstBuffer *buffer, const GstStructure *structure,
    const GstClAnalyticsFrame *frame);

G_END_DECLS
