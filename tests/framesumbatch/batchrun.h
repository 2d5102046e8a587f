/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "batches.h"
#include "elements/common.h"

G_BEGIN_DECLS

/* Streams through a clframesumbatch, compared with each stream through a
 * clframesum alone. */
typedef struct {
  const gchar *properties;
  GstHarness *h;
  GstBus *bus;
  BatchedStream *streams;
  guint n_streams;
  GPtrArray *out; /* batches that were output */
} Run;

/* @streams: initialized by batched_stream_init(). @properties: of the elements.
 * Both are borrowed until run_clear() or run_end(). */
void run_init (Run *run, const gchar *properties, BatchedStream *streams,
    guint n_streams);

/* Frees the members of @run, and clears its streams. */
void run_clear (Run *run);

/* Pushes the current caps of the streams. */
void run_set_caps (Run *run);

/* Pushes the added objects of the streams as one batch, which must be output;
 * returns it, borrowed.
 */
GstBuffer *run_push (Run *run);

/* Flushes all streams. */
void run_flush (Run *run);

/* Ends all streams, which are named by @ids, and checks that each has the
 * frames and the results that it has alone. Clears @run. */
void run_end (Run *run, const gchar *const *ids);

/* Returns every element message on @bus as a structure; there must be no error.
 * transfer full. */
GPtrArray *take_results (GstBus *bus);

/* Removes the first result of stream @index from @results and returns it
 * without the fields that identify the stream; fails unless the stream's id
 * there is @id. NULL: there is none. transfer full */
GstStructure *pop_result (GPtrArray *results, guint index, const gchar *id);

G_END_DECLS
