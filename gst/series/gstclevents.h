/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "gstcleventsettings.h"
#include "gstclframetime.h"
#include "gstclseriesframe.h"

G_BEGIN_DECLS

/* --- an event ------------------------------------------------------------- */

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

/* The start or the end of something, posted once it is certain. docs/events.md
 * defines what each type is. */
typedef struct {
  GstClEventType type;
  const gchar *name; /* the nick of the flag of type; static */
  gboolean is_end;
  GstClFrameTime start; /* of the first frame; also when it ends */
  GstClFrameTime end;   /* of the first frame after; only when it ends */
  /* The end minus the start; GST_CLOCK_TIME_NONE at a start, 0 for an event
   * without duration. */
  GstClockTime duration;
  /* Times by the clock in nanoseconds; GST_CLOCK_TIME_NONE where unknown. A
   * NULL name ends the list; names are static. */
  struct {
    const gchar *name;
    GstClockTime time;
  } times[GST_CL_EVENT_MAX_TIMES];
  /* Values of the frame that made the event certain. A NULL name ends the list;
   * names are static. */
  struct {
    const gchar *name;
    gdouble value;
  } values[GST_CL_EVENT_MAX_VALUES];
} GstClEvent;

/* Gets an event, in the thread of whoever has brought its last frame or tick.
 */
typedef void (*GstClEventFunc) (const GstClEvent *event, gpointer user_data);

/* Returns @event as a structure `clframesum-event`. transfer full */
GstStructure *gst_cl_event_to_structure (const GstClEvent *event);

/* --- all detectors -------------------------------------------------------- */

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
