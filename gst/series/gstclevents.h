/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "gstclevent.h"
#include "gstcleventsettings.h"
#include "gstclseriesframe.h"

G_BEGIN_DECLS

/* All detectors at work on a stream: from the statistics of each frame to
 * events with a start and an end. One caller at a time. */

typedef struct GstClEvents GstClEvents;

/* @func gets the events. Nothing is detected before gst_cl_events_configure().
 * transfer full */
GstClEvents *gst_cl_events_new (GstClEventFunc func, gpointer user_data);
void gst_cl_events_free (GstClEvents *self);

/* Detects @types by @settings (copied) from the next frame on. Events that are
 * open among the types that are dropped end with the last frame. */
void gst_cl_events_configure (GstClEvents *self, GstClEventType types,
    const GstClEventSettings *settings);

/* Returns the statistics that the detectors of @types ask for. */
GstClSeriesStatistic gst_cl_events_needs (GstClEventType types);

/* For signal-loss: a frame came, measured or not, when the clock showed running
 * time @now, in the sense of gst_cl_events_tick(); GST_CLOCK_TIME_NONE: no
 * clock. Later ticks go on from the running time of the frame, if that is
 * known. */
void gst_cl_events_receive (GstClEvents *self, const GstClFrameTime *time,
    GstClockTime now);

/* For all other types: a frame was measured. Frames come in the order of the
 * stream. */
void gst_cl_events_measure (GstClEvents *self, const GstClSeriesFrame *frame);

/* For signal-loss: the clock shows running time @now, less the latency. Called
 * now and then from the start of playing on, but not while paused; twice a
 * timeout is often enough. */
void gst_cl_events_tick (GstClEvents *self, GstClockTime now);

/* The stream ends, and so does every open event, with the last frame measured.
 */
void gst_cl_events_finish (GstClEvents *self);

/* Forgets the stream and posts nothing, for a flush. */
void gst_cl_events_reset (GstClEvents *self);

/* The flags type of GstClEventType; the nick of each flag is its name. */
extern GstClEnum gst_cl_events_enum;

G_DEFINE_AUTOPTR_CLEANUP_FUNC (GstClEvents, gst_cl_events_free)

G_END_DECLS
