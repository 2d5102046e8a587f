/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "gstclpublisher.h"
#include "gstclstatistics.h"
#include "series/gstclevents.h"

G_BEGIN_DECLS

/* What clframesum tells of the measured frames of a stream together: events and
 * the pooled result, from the figures of each frame to the publisher. Any
 * thread, but for the frames, which come in their order; who calls holds no lock,
 * since messages are posted. */
typedef struct _GstClStreamAnalysis GstClStreamAnalysis;

/* The figures of one frame or of the rectangle that stands for it. */
typedef struct {
  const GstClStatisticsShape *shape;
  const GstClRegionMetrics *figures;
  GstClFrameTime time;
  guint epoch; /* when it was measured: gst_cl_stream_analysis_epoch() */
  gboolean has_previous;  /* there was a frame to be compared with */
  guint64 largest_frozen; /* as the op got it */
} GstClMeasured;

/* Borrows both, for as long as it lives. */
GstClStreamAnalysis *gst_cl_stream_analysis_new (GstElement *element,
    GstClPublisher *publisher);
void gst_cl_stream_analysis_free (GstClStreamAnalysis *self); /* accepts NULL */

/* Events can be told from the components of @shape: alpha is not judged, and
 * YUV not without Y. */
gboolean gst_cl_stream_analysis_can_judge (const GstClStatisticsShape *shape);

/* What the frames to come have to be measured for. */
GstClMetric gst_cl_stream_analysis_needs (GstClEventType types);

/* TRUE if @types and @settings are those at work. */
gboolean gst_cl_stream_analysis_is_configured (GstClStreamAnalysis *self,
    GstClEventType types, const GstClEventSettings *settings);

/* For the frames that gst_cl_stream_analysis_measure() gets from now on, which have to be
 * measured for them. signal-loss is left out. */
void gst_cl_stream_analysis_configure (GstClStreamAnalysis *self,
    GstClEventType types, const GstClEventSettings *settings);

/* The epoch that frames belong to which are measured from now on. */
guint gst_cl_stream_analysis_epoch (GstClStreamAnalysis *self);

/* One more frame; nothing if a reset has ended its epoch. A frame with other components or bins than those before starts
 * a new pooled result, and that of those before is told. */
void gst_cl_stream_analysis_measure (GstClStreamAnalysis *self,
    const GstClMeasured *measured);

/* A frame of @epoch could not be measured, or did not go on: what is pooled up to the
 * end of the stream is not complete. */
void gst_cl_stream_analysis_miss (GstClStreamAnalysis *self, guint epoch);

/* The stream has ended, or (not @is_complete) broken off: tells what is open, and
 * the pooled result. */
void gst_cl_stream_analysis_finish (GstClStreamAnalysis *self,
    gboolean is_complete);

/* Forgets the stream, tells nothing, and begins an epoch. */
void gst_cl_stream_analysis_reset (GstClStreamAnalysis *self);

G_END_DECLS
