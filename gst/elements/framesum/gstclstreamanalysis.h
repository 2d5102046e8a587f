/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "gstclmeasurement.h"
#include "gstclpublisher.h"
#include "series/gstclseries.h"

G_BEGIN_DECLS

/* What follows from the measured frames of a stream together: events and the
 * pooled result, which go to the publisher. Any thread, but frames come in
 * their order. The caller holds no lock, since messages are posted. */
typedef struct _GstClStreamAnalysis GstClStreamAnalysis;

/* Borrows both, as long as it lives. */
GstClStreamAnalysis *gst_cl_stream_analysis_new (GstElement *element,
    GstClPublisher *publisher);
void gst_cl_stream_analysis_free (GstClStreamAnalysis *self); /* accepts NULL */

/* The metrics that events of @types follow from. */
GstClMetric gst_cl_stream_analysis_needs (GstClEventType types);

/* Returns TRUE if @types and @settings are those at work. */
gboolean gst_cl_stream_analysis_is_configured (GstClStreamAnalysis *self,
    GstClEventType types, const GstClEventSettings *settings);

/* From the next frame on, detects @types by @settings (copied). The frames have
 * the metrics that gst_cl_stream_analysis_needs() names. signal-loss is left
 * out: GstClWatchdog detects it. */
void gst_cl_stream_analysis_configure (GstClStreamAnalysis *self,
    GstClEventType types, const GstClEventSettings *settings);

/* Returns the epoch of frames that are measured from now on. */
guint gst_cl_stream_analysis_epoch (GstClStreamAnalysis *self);

/* Adds @frame, measured in @epoch; nothing if a reset has ended that epoch. */
void gst_cl_stream_analysis_add (GstClStreamAnalysis *self,
    const GstClSeriesInput *frame, guint epoch);

/* A frame of @epoch could not be measured, or did not go on: the pooled result
 * at the end of the stream is not complete. */
void gst_cl_stream_analysis_miss (GstClStreamAnalysis *self, guint epoch);

/* The stream has ended, or broken off (not @is_complete): posts the ends of
 * open events and the pooled result. */
void gst_cl_stream_analysis_finish (GstClStreamAnalysis *self,
    gboolean is_complete);

/* Forgets the stream, posts nothing, and begins an epoch. */
void gst_cl_stream_analysis_reset (GstClStreamAnalysis *self);

G_END_DECLS
