/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "gstclmeasurement.h"
#include "gstclpublisher.h"
#include "gstclstreamanalysis.h"

G_BEGIN_DECLS

/* The one place that a finished result of clframesum passes on its way to those
 * that want it: first events and the pooled result (gst_cl_fanout_analyze()),
 * then messages, metas, the property `stats` and the file
 * (gst_cl_fanout_publish()). These are two steps because a frame that is held
 * back may be analyzed before it is its turn to go. All members are borrowed.
 */
typedef struct {
  GstElement *element; /* posts the messages */
  GstElement *named;   /* whose name results have as that of their element */
  GstClPublisher *publisher;
  GstClStreamAnalysis *analysis;
} GstClFanout;

/* Gives @measured, the numbers of the frame shown at @time, to the stream
 * analysis, if a reset has not ended its @epoch, and returns the structure to
 * be published (transfer full). Frames come in their order, from one thread at
 * a time, which holds no lock: messages are posted. */
GstStructure *gst_cl_fanout_analyze (const GstClFanout *self,
    const GstClMeasured *measured, const GstClFrameTime *time, guint epoch);

/* Hands out @structure (transfer full), a result. @buffer, which is writable,
 * gets it as a meta; NULL: none does. @posts: it is posted as a message, too.
 * From the streaming thread where there is a buffer, else from any, one at a
 * time. */
void gst_cl_fanout_publish (const GstClFanout *self, GstBuffer *buffer,
    GstStructure *structure, gboolean posts);

G_END_DECLS
