/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include <gst/gst.h>

#include "gstclmessages.h"
#include "output/gstclrecord.h"

G_BEGIN_DECLS

/* Where the results of clframesum go: messages, metas, the property `stats`, a
 * file. */
typedef struct {
  /* properties, under the element's object lock */
  gchar *location;     /* what start() opens; NULL or empty: no file */
  GstStructure *stats; /* the last result, or NULL */

  /*< private >*/
  GstClMessages *messages; /* queued, not all posted yet */
  GstClRecord *record;     /* NULL: no file; object lock */
  gint has_failed;         /* atomic: the file takes no more */
  GError *failure;         /* atomic: why, until it is posted */
  gint has_posted_failure; /* atomic: the error is on the bus */
} GstClPublisher;

void gst_cl_publisher_init (GstClPublisher *self);
void gst_cl_publisher_clear (GstClPublisher *self);

/* Registers the meta. Called once a process, before the first one is added. */
void gst_cl_publisher_register_meta (void);

/* Forgets the last result and opens the file. FALSE with an error on the bus.
 */
gboolean gst_cl_publisher_start (GstClPublisher *self, GstElement *element);

/* Posts what is queued and closes the file. When it has returned, no other
 * thread posts what was queued. */
void gst_cl_publisher_stop (GstClPublisher *self, GstElement *element);

/* While @flushing no thread waits for the reader of the file or for a handler
 * of messages. Any thread. */
void gst_cl_publisher_set_flushing (GstClPublisher *self, GstElement *element,
    gboolean flushing);

/* Up to the next start no thread waits for the reader of the file or for a
 * handler of messages. Called before a stop, which waits for those that
 * publish. Any thread. */
void gst_cl_publisher_hurry (GstClPublisher *self, GstElement *element);

/* Hands out @structure (transfer full), a result. @buffer, which is writable,
 * gets it as a meta; NULL: none does. @posts: it is posted as a message, too.
 * The line is in the file before the message is posted. The first failure to
 * write the file is posted. One thread at a time. */
void gst_cl_publisher_publish (GstClPublisher *self, GstElement *element,
    GstBuffer *buffer, GstStructure *structure, gboolean posts);

/* Writes a line about @structure (transfer full), an event or a pooled result,
 * and queues it as a message for gst_cl_publisher_post_queued(), whatever
 * post-messages says. May be called under a lock. Any thread between start()
 * and stop(). */
void gst_cl_publisher_queue (GstClPublisher *self, GstClRecordKind kind,
    GstStructure *structure);

/* Posts what was queued. The caller holds no lock; any thread. */
void gst_cl_publisher_post_queued (GstClPublisher *self, GstElement *element);

/* Waits, unless flushing, until what was queued is on the bus. The caller holds
 * no lock. */
void gst_cl_publisher_settle (GstClPublisher *self, GstElement *element);

/* Returns TRUE once the file could not be written and the error is on the bus:
 * the stream must end. A source that sees the flow end posts an error, too, and
 * the first error on the bus has to be the cause. Any thread. */
gboolean gst_cl_publisher_has_posted_failure (GstClPublisher *self);

G_END_DECLS
