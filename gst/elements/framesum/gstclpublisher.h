/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "gstclanalytics.h"
#include "gstclmeasurement.h"
#include "output/gstclrecord.h"
#include "statistics/series/gstclseries.h"

G_BEGIN_DECLS

/* Publishes the results of clframesum: structures, events and the pooled
 * result, as messages, metas, the property `stats` and a file. It has one lock.
 * It posts no message and waits for no reader of the file under this lock,
 * because a sync handler of the bus runs in the posting thread and may seek, or
 * set and read properties. Any thread, unless a function says otherwise. */
typedef struct _GstClPublisher GstClPublisher;

/* @element (borrowed) posts the messages. transfer full */
GstClPublisher *gst_cl_publisher_new (GstElement *element);
void gst_cl_publisher_free (GstClPublisher *self); /* accepts NULL */

/* Registers the meta. Called once per process, before the first meta is added.
 */
void gst_cl_publisher_register_meta (void);

/* --- properties ----------------------------------------------------------- */

/* Set and get the file that gst_cl_publisher_start() opens; NULL or empty:
 * none. */
void gst_cl_publisher_set_location (GstClPublisher *self,
    const gchar *location);
gchar *gst_cl_publisher_dup_location (GstClPublisher *self);

/* Returns the last result; NULL before the first one. transfer full */
GstStructure *gst_cl_publisher_dup_stats (GstClPublisher *self);

/* --- life cycle ----------------------------------------------------------- */

/* Clears the last result and opens the file. Returns FALSE after it has posted
 * an error. */
gboolean gst_cl_publisher_start (GstClPublisher *self);

/* Posts the queued messages and closes the file. No other thread may post
 * meanwhile. Messages that are queued before start() or after stop() are
 * dropped. */
void gst_cl_publisher_stop (GstClPublisher *self);

/* While @is_flushing, no call blocks on the reader of the file or on a message
 * handler. */
void gst_cl_publisher_set_flushing (GstClPublisher *self, gboolean is_flushing);

/* Until the next start, no call blocks on the reader of the file or on a
 * message handler. Called before a stop, which waits for threads that publish.
 */
void gst_cl_publisher_cancel_waits (GstClPublisher *self);

/* --- events and the pooled result ----------------------------------------- */

/* Returns TRUE if events of @types and @zone_types are detected. */
gboolean gst_cl_publisher_has_events (GstClPublisher *self,
    GstClEventType types, GstClEventType zone_types);

/* Detects events of @types in frames, and those of @zone_types in their zones,
 * from the next frame on; open events of other types end. Frames must have the
 * numbers of gst_cl_events_needs(). signal-loss is ignored: GstClWatchdog
 * detects it. The caller holds no lock. */
void gst_cl_publisher_set_events (GstClPublisher *self, GstClEventType types,
    GstClEventType zone_types);

/* Returns the current epoch; a reset begins another. Each frame keeps the epoch
 * in which it was measured. */
guint gst_cl_publisher_epoch (GstClPublisher *self);

/* Records that a frame of @epoch could not be measured or did not leave the
 * element: the pooled result at the end of the stream is not complete. */
void gst_cl_publisher_mark_incomplete (GstClPublisher *self, guint epoch);

/* Ends the stream (not @is_complete: after an error): posts the ends of open
 * events and the pooled result. The caller holds no lock. */
void gst_cl_publisher_finish (GstClPublisher *self, gboolean is_complete);

/* Discards the state of the stream, posts nothing, and begins an epoch. */
void gst_cl_publisher_reset (GstClPublisher *self);

/* --- frames --------------------------------------------------------------- */

/* Detects events in @measured, the numbers of the frame shown at @time, with
 * @settings, unless a reset has ended @epoch. Returns the structure for
 * gst_cl_publisher_publish() (transfer full), and sets @analytics (owned by the
 * caller) for it. Analysis and publishing are two steps because a delayed frame
 * may be analyzed before it leaves. Frames are analyzed in order, one at a
 * time. The caller holds no lock. */
GstStructure *gst_cl_publisher_analyze (GstClPublisher *self,
    const GstClMeasured *measured, const GstClFrameTime *time,
    const GstClEventSettings *settings, guint epoch,
    GstClAnalyticsFrame *analytics);

/* Publishes @structure (transfer full), a result, as @delivery says: as metas
 * of @buffer, which is writable (NULL: no meta), as a line of the file, and
 * then as a message. Posts the first failure to write the file. Called by one
 * thread at a time, which holds no lock. */
void gst_cl_publisher_publish (GstClPublisher *self, GstBuffer *buffer,
    GstStructure *structure, const GstClAnalyticsFrame *analytics,
    const GstClFrameSumDelivery *delivery);

/* --- messages ------------------------------------------------------------- */

/* Writes @structure (transfer full), an event, to the file and queues it as a
 * message, regardless of post-messages. May be called under a lock. */
void gst_cl_publisher_queue (GstClPublisher *self, GstStructure *structure);

/* Posts the queued messages in order, one at a time. If another thread is
 * posting, or a handler that it called, that thread posts them. The caller
 * holds no lock. */
void gst_cl_publisher_post_queued (GstClPublisher *self);

/* Waits until the queued messages are on the bus, or until a flush begins. The
 * caller holds no lock. */
void gst_cl_publisher_wait_posted (GstClPublisher *self);

/* Returns TRUE if writing the file has failed and the error is on the bus; the
 * stream must then end. A source also posts an error when it sees the flow end,
 * and the first error on the bus must be the cause. */
gboolean gst_cl_publisher_has_posted_failure (GstClPublisher *self);

G_END_DECLS
