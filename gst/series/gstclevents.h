/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "gstcleventsettings.h"
#include "gstclseriesframe.h"

G_BEGIN_DECLS

/* From the figures of each frame to events with a start and an end;
 * docs/events.md defines them. */

/* The flags of the property `events`. */
typedef enum {
  GST_CL_EVENT_BLACK = 1 << 0,
  GST_CL_EVENT_WHITE = 1 << 1,
  GST_CL_EVENT_FREEZE = 1 << 2,
  GST_CL_EVENT_SCENE = 1 << 3,
  GST_CL_EVENT_SINGLE_COLOR = 1 << 4,
  GST_CL_EVENT_DEFOCUS = 1 << 5,
  GST_CL_EVENT_SIGNAL_LOSS = 1 << 6,
} GstClEventType;

#define GST_CL_EVENT_MAX_VALUES 2
#define GST_CL_EVENT_MAX_TIMES  3

/* A start or an end, told once it is certain. */
typedef struct {
  GstClEventType type;
  const gchar *name; /* of the type: the nick of its flag; static */
  gboolean is_end;
  GstClFrameTime start; /* of the first frame; also when it ends */
  GstClFrameTime end;   /* of the first frame after; only when it ends */
  /* End minus start. GST_CLOCK_TIME_NONE at a start, 0 for a moment. */
  GstClockTime duration;
  /* By the clock, nanoseconds; GST_CLOCK_TIME_NONE if unknown. A NULL name: no
   * more. Static names. */
  struct {
    const gchar *name;
    GstClockTime time;
  } times[GST_CL_EVENT_MAX_TIMES];
  /* Of the frame that made it certain; a NULL name: no more. Static names. */
  struct {
    const gchar *name;
    gdouble value;
  } values[GST_CL_EVENT_MAX_VALUES];
} GstClEvent;

/* Called from within the functions below, in their thread. */
typedef void (*GstClEventFunc) (const GstClEvent *event, gpointer user_data);

/* All functions: one caller at a time. */
typedef struct GstClEvents GstClEvents;

/* Nothing is detected before gst_cl_events_configure(). */
GstClEvents *gst_cl_events_new (GstClEventFunc func, gpointer user_data);
void gst_cl_events_free (GstClEvents *self);

/* From the next frame on, detects @types by @settings (copied). What is open
 * among the types that are dropped ends with the last frame. */
void gst_cl_events_configure (GstClEvents *self, GstClEventType types,
    const GstClEventSettings *settings);

/* The figures that the detectors of @types ask for. */
GstClSeriesStatistic gst_cl_events_needs (GstClEventType types);

/* For signal-loss: a frame arrived, measured or not, when the clock showed
 * running time @now, as in gst_cl_events_tick(); GST_CLOCK_TIME_NONE: no clock.
 * Ticks after it go on from the running time of the frame, if that is known. */
void gst_cl_events_arrive (GstClEvents *self, const GstClFrameTime *time,
    GstClockTime now);

/* For all others: a frame was measured. In the order of the stream. */
void gst_cl_events_measure (GstClEvents *self, const GstClSeriesFrame *figures);

/* For signal-loss: the clock shows running time @now, less the latency. Call it
 * now and then, from the start of playing on; half the timeout is often enough.
 * Not while paused. */
void gst_cl_events_tick (GstClEvents *self, GstClockTime now);

/* The stream ends: so does everything open, with the last frame measured. */
void gst_cl_events_finish (GstClEvents *self);

/* Flush: forgets the stream, tells nothing. */
void gst_cl_events_reset (GstClEvents *self);

/* A new structure `clframesum-event`. */
GstStructure *gst_cl_event_to_structure (const GstClEvent *event);

/* Flags: GstClEventType; the nick of each is its name. */
extern GstClEnum gst_cl_events_enum;

G_DEFINE_AUTOPTR_CLEANUP_FUNC (GstClEvents, gst_cl_events_free)

G_END_DECLS
