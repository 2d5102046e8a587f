/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "gstclmeasurement.h"
#include "output/gstclrecord.h"
#include "series/gstclseries.h"

G_BEGIN_DECLS

/* What becomes of the results of clframesum: structures, events and the pooled
 * result, which go to messages, metas, the property `stats` and a file. It has
 * one lock, under which nothing is posted and nothing waits for the reader of
 * the file: a sync handler of the bus runs in the thread that posts, and may
 * seek, set properties or read them. Any thread, unless a function says
 * otherwise. */
typedef struct _GstClPublisher GstClPublisher;

/* @element (borrowed) posts the messages. transfer full */
GstClPublisher *gst_cl_publisher_new (GstElement *element);
void gst_cl_publisher_free (GstClPublisher *self); /* accepts NULL */

/* Registers the meta. Called once a process, before the first one is added. */
void gst_cl_publisher_register_meta (void);

/* Results name @element (borrowed) as their element, instead of the one that
 * posts them. Before the first frame. */
void gst_cl_publisher_set_named (GstClPublisher *self, GstElement *element);

/* --- properties ----------------------------------------------------------- */

/* The file that gst_cl_publisher_start() opens; NULL or empty: none. */
void gst_cl_publisher_set_location (GstClPublisher *self,
    const gchar *location);
gchar *gst_cl_publisher_dup_location (GstClPublisher *self);

/* Returns the last result; NULL: there is none yet. transfer full */
GstStructure *gst_cl_publisher_dup_stats (GstClPublisher *self);

/* --- life cycle ----------------------------------------------------------- */

/* Forgets the last result and opens the file. FALSE with an error on the bus.
 */
gboolean gst_cl_publisher_start (GstClPublisher *self);

/* Posts the queued messages and closes the file. Other threads have then posted
 * theirs. Messages that are queued before start() or after stop() are dropped.
 */
void gst_cl_publisher_stop (GstClPublisher *self);

/* While @is_flushing no thread waits for the reader of the file or for a
 * handler of messages. */
void gst_cl_publisher_set_flushing (GstClPublisher *self, gboolean is_flushing);

/* Up to the next start no thread waits for the reader of the file or for a
 * handler of messages. Called before a stop, which waits for those that
 * publish. */
void gst_cl_publisher_hurry (GstClPublisher *self);

/* --- events and the pooled result ----------------------------------------- */

/* The metrics that events of @types follow from. */
GstClMetric gst_cl_publisher_needs (GstClEventType types);

/* Returns TRUE if @types and @settings are those at work. */
gboolean gst_cl_publisher_has_events (GstClPublisher *self,
    GstClEventType types, const GstClEventSettings *settings);

/* From the next frame on, detects @types by @settings (copied). The frames have
 * the metrics that gst_cl_publisher_needs() names. signal-loss is left out:
 * GstClWatchdog detects it. The caller holds no lock. */
void gst_cl_publisher_set_events (GstClPublisher *self, GstClEventType types,
    const GstClEventSettings *settings);

/* Returns the epoch of frames that are measured from now on. A reset ends it.
 */
guint gst_cl_publisher_epoch (GstClPublisher *self);

/* A frame of @epoch could not be measured, or did not go on: the pooled result
 * at the end of the stream is not complete. */
void gst_cl_publisher_miss (GstClPublisher *self, guint epoch);

/* The stream has ended, or broken off (not @is_complete): posts the ends of
 * open events and the pooled result. The caller holds no lock. */
void gst_cl_publisher_finish (GstClPublisher *self, gboolean is_complete);

/* Forgets the stream, posts nothing, and begins an epoch. */
void gst_cl_publisher_reset (GstClPublisher *self);

/* --- frames --------------------------------------------------------------- */

/* Detects events in @measured, the numbers of the frame shown at @time, unless
 * a reset has ended its @epoch, and returns the structure for
 * gst_cl_publisher_publish() (transfer full). These are two steps because a
 * frame that is held back may be analyzed before it is its turn to go. Frames
 * come in their order, one at a time. The caller holds no lock. */
GstStructure *gst_cl_publisher_analyze (GstClPublisher *self,
    const GstClMeasured *measured, const GstClFrameTime *time, guint epoch);

/* Hands out @structure (transfer full), a result. @buffer, which is writable,
 * gets it as a meta; NULL: none does. @posts: it is posted as a message, too.
 * The line is in the file before the message is posted. The first failure to
 * write the file is posted. One thread at a time, which holds no lock. */
void gst_cl_publisher_publish (GstClPublisher *self, GstBuffer *buffer,
    GstStructure *structure, gboolean posts);

/* --- messages ------------------------------------------------------------- */

/* Writes a line about @structure (transfer full), an event, and queues it as a
 * message, whatever post-messages says. May be called under a lock. */
void gst_cl_publisher_queue (GstClPublisher *self, GstStructure *structure);

/* Posts the queued messages, in their order, one at a time. If another thread
 * is doing so already, or a handler that it waits for, that thread goes on with
 * them. The caller holds no lock. */
void gst_cl_publisher_post_queued (GstClPublisher *self);

/* Waits, unless flushing, until the queued messages are on the bus. The caller
 * holds no lock. */
void gst_cl_publisher_settle (GstClPublisher *self);

/* Returns TRUE once the file could not be written and the error is on the bus:
 * the stream must end. A source that sees the flow end posts an error, too, and
 * the first error on the bus has to be the cause. */
gboolean gst_cl_publisher_has_posted_failure (GstClPublisher *self);

G_END_DECLS
