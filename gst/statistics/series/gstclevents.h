/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "gstcleventsettings.h"
#include "gstclframetime.h"
#include "gstclseriesframe.h"
#include "common/gstclproperty.h"

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
  GST_CL_EVENT_RANGE = 1 << 7,
  GST_CL_EVENT_NOISY = 1 << 8,
  GST_CL_EVENT_BORDER = 1 << 9,
  GST_CL_EVENT_REPEAT = 1 << 10,
  GST_CL_EVENT_GAP = 1 << 11,
  GST_CL_EVENT_BLOCKY = 1 << 12,
  GST_CL_EVENT_FIELD_ORDER = 1 << 13,
  GST_CL_EVENT_CARD = 1 << 14,
  GST_CL_EVENT_FLASH = 1 << 15,
  GST_CL_EVENT_LEVELS = 1 << 16,
} GstClEventType;

#define GST_CL_EVENT_MAX_VALUES 6
#define GST_CL_EVENT_MAX_TIMES  3

/* The start or the end of an event, posted once it is certain. docs/events.md
 * defines each type. */
typedef struct {
  GstClEventType type;
  const gchar *name; /* the nick of the flag of type; static */
  gboolean is_end;
  GstClFrameTime start; /* of the first frame; also when it ends */
  GstClFrameTime end;   /* of the first frame after; only when it ends */
  /* The end minus the start; GST_CLOCK_TIME_NONE at a start, 0 for an event
   * without duration. */
  GstClockTime duration;
  /* Further times, in nanoseconds of the clock; GST_CLOCK_TIME_NONE if unknown.
   * A NULL name ends the list; names are static. */
  struct {
    const gchar *name;
    GstClockTime time;
  } times[GST_CL_EVENT_MAX_TIMES];
  /* A word; its name is NULL if the type has none. Both are static or
   * interned. */
  struct {
    const gchar *name, *text;
  } word;
  /* Values of the frame that made the event certain. A NULL name ends the list;
   * names are static. */
  struct {
    const gchar *name;
    gdouble value;
  } values[GST_CL_EVENT_MAX_VALUES];
} GstClEvent;

/* Receives an event, in the thread that called with its last frame or tick. */
typedef void (*GstClEventFunc) (const GstClEvent *event, gpointer user_data);

/* Returns @event as a structure `clframesum-event`. Transfer full. */
GstStructure *gst_cl_event_to_structure (const GstClEvent *event);

/* --- properties ----------------------------------------------------------- */

/* The number of properties of all detectors. */
#define GST_CL_EVENT_N_PROPERTIES 37

/* Returns the row of property @index, a field of GstClEventSettings; NULL after
 * the last one. */
const GstClProperty *gst_cl_event_property (guint index);

/* Sets every field to its default. */
void gst_cl_event_settings_init (GstClEventSettings *settings);

/* Returns TRUE if every field is the same. */
gboolean gst_cl_event_settings_equal (const GstClEventSettings *a,
    const GstClEventSettings *b);

/* --- all detectors -------------------------------------------------------- */

/* All detectors of a stream: they turn the statistics of each frame into events
 * with a start and an end. One caller at a time. */

typedef struct GstClEvents GstClEvents;

/* Creates the detectors; @func receives the events. No event is detected before
 * gst_cl_events_configure(). Transfer full. */
GstClEvents *gst_cl_events_new (GstClEventFunc func, gpointer user_data);
void gst_cl_events_free (GstClEvents *self);

/* Detects @types with @settings (copied) from the next frame on. Open events of
 * removed types end with the last frame. */
void gst_cl_events_configure (GstClEvents *self, GstClEventType types,
    const GstClEventSettings *settings);

/* Returns the statistics that the detectors of @types need. */
GstClStatistics gst_cl_events_needs (GstClEventType types);

/* Returns the types that zones have, too. */
GstClEventType gst_cl_events_of_zones (void);

/* For signal-loss: call it when a frame arrives, measured or not. @now is the
 * running time of the clock, as in gst_cl_events_tick(); GST_CLOCK_TIME_NONE:
 * no clock. Later ticks count from the running time of the frame, if that is
 * known. */
void gst_cl_events_receive (GstClEvents *self, const GstClFrameTime *time,
    GstClockTime now);

/* For all other types: call it when a frame was measured, in the order of the
 * stream. */
void gst_cl_events_measure (GstClEvents *self, const GstClSeriesFrame *frame);

/* Returns the position of the last measured frame on a timeline that never runs
 * backwards: nanoseconds since the first frame. */
GstClockTime gst_cl_events_position (const GstClEvents *self);

/* Returns the position of the next frame, at @time, on that timeline. */
GstClockTime gst_cl_events_next_position (const GstClEvents *self,
    const GstClFrameTime *time);

/* For signal-loss: @now is the running time of the clock, minus the latency.
 * Call it periodically from the start of playing on, but not while paused;
 * twice per timeout is enough. */
void gst_cl_events_tick (GstClEvents *self, GstClockTime now);

/* Call it at the end of the stream: all open events end with the last measured
 * frame. */
void gst_cl_events_finish (GstClEvents *self);

/* Adds to @structure, the pooled result of @n_frames of @duration nanoseconds,
 * what detectors have counted in them; counts from 0 again. */
void gst_cl_events_take_counts (GstClEvents *self, GstStructure *structure,
    guint64 n_frames, GstClockTime duration);

/* Clears all state and posts nothing, for a flush. */
void gst_cl_events_reset (GstClEvents *self);

/* The flags type of GstClEventType; the nick of each flag is its name. */
extern GstClEnum gst_cl_events_enum;

G_DEFINE_AUTOPTR_CLEANUP_FUNC (GstClEvents, gst_cl_events_free)

G_END_DECLS
