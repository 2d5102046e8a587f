/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "gstclpublisher.h"
#include "series/gstclevents.h"

G_BEGIN_DECLS

/* Watches whether frames come, and posts the event signal-loss of clframesum.
 * The clock of the element finds a loss while it plays, and the next frame
 * finds it by the gap.
 *
 * The time that counts is what has passed since the last frame came, not the
 * difference of the clock to timestamps: a file that is worked on more slowly
 * than it plays loses no signal, and latency does not count. Any thread. */
typedef struct _GstClWatchdog GstClWatchdog;

/* Borrows both, up to gst_cl_watchdog_stop(). */
GstClWatchdog *gst_cl_watchdog_new (GstElement *element,
    GstClPublisher *publisher);
void gst_cl_watchdog_free (GstClWatchdog *self); /* accepts NULL; stopped */

/* Once configured, it posts events between start() and stop(), and none after
 * stop() has returned. */
void gst_cl_watchdog_start (GstClWatchdog *self);
void gst_cl_watchdog_stop (GstClWatchdog *self);

/* Takes effect at once. Events other than signal-loss are left out. The end of
 * a loss is queued, for the caller to post. */
void gst_cl_watchdog_configure (GstClWatchdog *self, GstClEventType types,
    const GstClEventSettings *settings);

/* The element has got its clock; the element gives it up. */
void gst_cl_watchdog_play (GstClWatchdog *self);
void gst_cl_watchdog_pause (GstClWatchdog *self);

/* A frame, an event or a query is worked on from enter() to leave(). That time
 * does not count. Calls come in pairs, and may be nested. */
void gst_cl_watchdog_enter (GstClWatchdog *self);
void gst_cl_watchdog_leave (GstClWatchdog *self);

/* A frame has come, which is shown at @time. */
void gst_cl_watchdog_receive (GstClWatchdog *self, const GstClFrameTime *time);

/* The stream has ended: ends a loss, and finds no other until a frame comes. */
void gst_cl_watchdog_finish (GstClWatchdog *self);

/* Forgets the stream, posts nothing. */
void gst_cl_watchdog_reset (GstClWatchdog *self);

G_END_DECLS
