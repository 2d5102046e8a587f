/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "gstclpublisher.h"
#include "statistics/series/gstclevents.h"

G_BEGIN_DECLS

/* Detects missing frames and posts the event signal-loss of clframesum. While
 * playing, the element's clock detects a loss; otherwise the next frame detects
 * it by the gap in its times.
 *
 * The watchdog counts the time since the last frame arrived, not the difference
 * between clock and timestamps. A file that is processed slower than real time
 * has no signal loss, and latency does not count. Any thread. */
typedef struct _GstClWatchdog GstClWatchdog;

/* Borrows @element and @publisher until gst_cl_watchdog_stop(). */
GstClWatchdog *gst_cl_watchdog_new (GstElement *element,
    GstClPublisher *publisher);
void gst_cl_watchdog_free (
    GstClWatchdog *self); /* accepts NULL; must be stopped */

/* A configured watchdog posts events between start() and stop(); it posts none
 * after stop() has returned. */
void gst_cl_watchdog_start (GstClWatchdog *self);
void gst_cl_watchdog_stop (GstClWatchdog *self);

/* Takes effect at once. Ignores events other than signal-loss. Queues the end
 * of an open loss; the caller posts it. */
void gst_cl_watchdog_configure (GstClWatchdog *self, GstClEventType types,
    const GstClEventSettings *settings);

/* Called when the element gets its clock, and when it releases it. */
void gst_cl_watchdog_play (GstClWatchdog *self);
void gst_cl_watchdog_pause (GstClWatchdog *self);

/* Called when the element's clock changes; has no effect unless playing. An
 * element that is added to a pipeline in PAUSED can be playing before the
 * pipeline selects a clock. @clock: NULL: none. */
void gst_cl_watchdog_set_clock (GstClWatchdog *self, GstClock *clock);

/* Mark the processing of a frame, an event or a query, whose time does not
 * count. Calls are paired and may be nested. */
void gst_cl_watchdog_begin_work (GstClWatchdog *self);
void gst_cl_watchdog_end_work (GstClWatchdog *self);

/* Called when a frame with @time arrives. */
void gst_cl_watchdog_receive (GstClWatchdog *self, const GstClFrameTime *time);

/* Called at the end of the stream: ends an open loss, and detects no other
 * until the next frame. */
void gst_cl_watchdog_finish (GstClWatchdog *self);

/* Discards the state of the stream and posts nothing. */
void gst_cl_watchdog_reset (GstClWatchdog *self);

G_END_DECLS
