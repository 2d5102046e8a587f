/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include <gst/check/gstharness.h>
#include <gst/video/video.h>

G_BEGIN_DECLS

/* Batches of streams (GstAnalyticsBatchMeta), as made by analyticscombiner: the
 * part of a stream in a batch is the sticky events before it and then its
 * objects, that is buffers, buffer lists and events. */

typedef enum {
  STICKY_START,
  STICKY_CAPS,
  STICKY_SEGMENT,
  STICKY_EOS,
  N_STICKY
} StickySlot;

typedef struct {
  GstVideoInfo info;          /* of the next frames */
  guint n_frames;             /* that were added */
  GstEvent *sticky[N_STICKY]; /* NULL: none */
  GPtrArray *next;            /* objects of the next batch */
  GPtrArray *history;         /* of all batches, the sticky events first */
} BatchedStream;

/* Initializes a stream @id of raw video at 25 frames a second. */
void batched_stream_init (BatchedStream *self, const gchar *id,
    GstVideoFormat format, gint width, gint height);

/* Initializes a stream @id whose caps are @caps; NULL: it has no caps yet. */
void batched_stream_init_other (BatchedStream *self, const gchar *id,
    const gchar *caps);

void batched_stream_clear (BatchedStream *self);

/* Adds @object (transfer full) to the next batch. */
void batched_stream_add (BatchedStream *self, gpointer object);

/* Adds @n random frames, each with a time of its own. */
void batched_stream_add_frames (BatchedStream *self, guint n);

/* Adds a buffer list of @n random frames, each with a time of its own. */
void batched_stream_add_list (BatchedStream *self, guint n);

/* Adds caps of another format. */
void batched_stream_add_format (BatchedStream *self, GstVideoFormat format,
    gint width, gint height);

/* Returns a batch of the objects that were added to @streams since the last
 * batch; transfer full. */
GstBuffer *batch_new (BatchedStream *streams, guint n_streams);

/* Returns the caps of batches of @streams; transfer full. */
GstCaps *batch_caps (BatchedStream *streams, guint n_streams);

/* Pushes the caps of batches of @streams into @h. */
void batch_set_caps (GstHarness *h, BatchedStream *streams, guint n_streams);

/* Returns object @i of stream @stream in @batch; borrowed. */
GstMiniObject *batch_object (GstBuffer *batch, guint stream, guint i);

/* Returns the number of objects of stream @stream in @batch. */
guint batch_count (GstBuffer *batch, guint stream);

/* Returns the number of results on @bus, of all streams; takes the element
 * messages off the bus. */
guint batch_count_results (GstBus *bus);

G_END_DECLS
