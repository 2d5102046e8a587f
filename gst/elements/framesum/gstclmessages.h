/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include <gst/gst.h>

G_BEGIN_DECLS

/* Element messages on their way to the bus. A sync handler of the bus runs in
 * the thread that posts, and may seek, set properties or read them, so that
 * nothing may be posted under a lock. Who has a message under a lock adds it
 * here, and posts it after the lock. Messages are posted one at a time, in the
 * order in which they were added, by whichever thread comes first. Any thread.
 */
typedef struct _GstClMessages GstClMessages;

GstClMessages *gst_cl_messages_new (void);
void gst_cl_messages_free (GstClMessages *self); /* accepts NULL */

/* Adds the message @structure (transfer full). */
void gst_cl_messages_add (GstClMessages *self, GstStructure *structure);

/* Posts as @element what has been added. If another thread is doing so already,
 * or a handler that it waits for, that thread goes on with it. */
void gst_cl_messages_post (GstClMessages *self, GstElement *element);

/* Waits, unless flushing, until no other thread posts any more, and posts the
 * rest: all that has been added is then on the bus. */
void gst_cl_messages_settle (GstClMessages *self, GstElement *element);
void gst_cl_messages_set_flushing (GstClMessages *self, gboolean is_flushing);

/* Messages that are added before gst_cl_messages_open() or after
 * gst_cl_messages_close() are dropped. When gst_cl_messages_close() has
 * returned, those that were added before are on the bus, and no other thread
 * posts any more. */
void gst_cl_messages_open (GstClMessages *self);
void gst_cl_messages_close (GstClMessages *self, GstElement *element);

G_END_DECLS
