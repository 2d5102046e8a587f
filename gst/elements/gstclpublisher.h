/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include <gst/gst.h>

#include "output/gstclrecord.h"

G_BEGIN_DECLS

/* Where the results and events of clframesum go: messages, metas, the property
 * `stats`, a file. */
typedef struct {
  /* properties, under the element's object lock */
  gboolean post_messages;
  gboolean stats_meta;
  gchar *location;     /* what start() opens; NULL or empty: no file */
  GstStructure *stats; /* the last result, or NULL */

  /*< private >*/
  GstClRecord *record; /* between start() and stop(), if there is a file */
  gint has_failed;     /* atomic: the file takes no more */
} GstClPublisher;

void gst_cl_publisher_clear (GstClPublisher *self);

/* Once a process, before the first meta. */
void gst_cl_publisher_register_meta (void);

/* Forgets the last result, opens the file. FALSE if that fails, which @element
 * has posted then. */
gboolean gst_cl_publisher_start (GstClPublisher *self, GstElement *element);
void gst_cl_publisher_stop (GstClPublisher *self, GstElement *element);

/* Hands out @structure (transfer full), the result of @buffer (NULL: it has
 * passed). Who has the message finds the line in the file. If the file cannot be
 * written, @element posts that once. One thread at a time. */
void gst_cl_publisher_publish (GstClPublisher *self, GstElement *element,
    GstBuffer *buffer, GstStructure *structure);

/* The same of what is not of one frame: a message, whatever post_messages says,
 * and a line. Any thread between start() and stop(). */
void gst_cl_publisher_tell (GstClPublisher *self, GstElement *element,
    GstClRecordKind kind, GstStructure *structure);

/* TRUE from such an error on: the stream must end. Any thread. */
gboolean gst_cl_publisher_has_failed (GstClPublisher *self);

G_END_DECLS
