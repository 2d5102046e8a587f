/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "gstclpublisher.h"
#include "series/gstclevents.h"

G_BEGIN_DECLS

/* Whether frames come: the event signal-loss of clframesum, found by the
 * element's clock while it plays, and by the gap when the next frame comes.
 *
 * What counts is the time that has passed since the last frame came, not the
 * difference of the clock to timestamps: a file that is worked on more slowly
 * than it plays loses no signal, and latency does not count. Any thread. */
typedef struct _GstClWatchdog GstClWatchdog;

/* Borrows both, up to gst_cl_watchdog_stop(). */
GstClWatchdog *gst_cl_watchdog_new (GstElement *element,
    GstClPublisher *publisher);
void gst_cl_watchdog_free (GstClWatchdog *self); /* accepts NULL; stopped */

/* Between these two it tells something, once configured; nothing after
 * _stop() has returned. */
void gst_cl_watchdog_start (GstClWatchdog *self);
void gst_cl_watchdog_stop (GstClWatchdog *self);

/* At once; other events than signal-loss are left out. */
void gst_cl_watchdog_configure (GstClWatchdog *self, GstClEventType types,
    const GstClEventSettings *settings);

/* The element has its clock, and gives it up. */
void gst_cl_watchdog_play (GstClWatchdog *self);
void gst_cl_watchdog_pause (GstClWatchdog *self);

/* Something comes, and is worked on until _leave(): time does not count. */
void gst_cl_watchdog_enter (GstClWatchdog *self);
void gst_cl_watchdog_leave (GstClWatchdog *self);

/* It is a frame. */
void gst_cl_watchdog_receive (GstClWatchdog *self, const GstClFrameTime *time);

/* The stream has ended: ends a loss, and tells no other until a frame comes. */
void gst_cl_watchdog_finish (GstClWatchdog *self);

/* Forgets the stream, tells nothing. */
void gst_cl_watchdog_reset (GstClWatchdog *self);

G_END_DECLS
