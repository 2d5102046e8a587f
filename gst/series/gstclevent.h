/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "gstclframetime.h"

G_BEGIN_DECLS

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

G_END_DECLS
