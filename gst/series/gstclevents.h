/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "gstclevent.h"
#include "gstcleventsettings.h"
#include "gstclseriesframe.h"

G_BEGIN_DECLS

/* All detectors at work on a stream: from the statistics of each frame to events
 * with a start and an end. */

/* All functions: one caller at a time. */
typedef struct GstClEvents GstClEvents;

/* Nothing is detected before gst_cl_events_configure(). */
GstClEvents *gst_cl_events_new (GstClEventFunc func, gpointer user_data);
void gst_cl_events_free (GstClEvents *self);

/* From the next frame on, detects @types by @settings (copied). What is open
 * among the types that are dropped ends with the last frame. */
void gst_cl_events_configure (GstClEvents *self, GstClEventType types,
    const GstClEventSettings *settings);

/* The statistics that the detectors of @types ask for. */
GstClSeriesStatistic gst_cl_events_needs (GstClEventType types);

/* For signal-loss: a frame came, measured or not, when the clock showed running
 * time @now, in the sense of gst_cl_events_tick(); GST_CLOCK_TIME_NONE: no
 * clock. Later ticks go on from the running time of the frame, if that is
 * known. */
void gst_cl_events_receive (GstClEvents *self, const GstClFrameTime *time,
    GstClockTime now);

/* For all others: a frame was measured. In the order of the stream. */
void gst_cl_events_measure (GstClEvents *self, const GstClSeriesFrame *frame);

/* For signal-loss: the clock shows running time @now, less the latency. Call it
 * now and then, from the start of playing on; half the timeout is often enough.
 * Not while paused. */
void gst_cl_events_tick (GstClEvents *self, GstClockTime now);

/* The stream ends: so does everything open, with the last frame measured. */
void gst_cl_events_finish (GstClEvents *self);

/* Flush: forgets the stream, posts nothing. */
void gst_cl_events_reset (GstClEvents *self);

/* Flags: GstClEventType; the nick of each is its name. */
extern GstClEnum gst_cl_events_enum;

G_DEFINE_AUTOPTR_CLEANUP_FUNC (GstClEvents, gst_cl_events_free)

G_END_DECLS
