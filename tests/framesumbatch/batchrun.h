/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "batches.h"
#include "elements/common.h"

G_BEGIN_DECLS

/* Streams through a clframesumbatch, to be compared with each of them through a
 * clframesum alone. */
typedef struct {
  const gchar *properties;
  GstHarness *h;
  GstBus *bus;
  BatchedStream *streams;
  guint n_streams;
  GPtrArray *out; /* batches that came out */
} Run;

/* @streams, which batched_stream_init() has made, through elements with these
 * @properties. Both are borrowed until run_clear() or run_end(). */
void run_init (Run *run, const gchar *properties, BatchedStream *streams,
    guint n_streams);

/* Clears the streams, too. */
void run_clear (Run *run);

/* Pushes the caps that the streams have now. */
void run_set_caps (Run *run);

/* Pushes what the streams have added as one batch, which comes out; borrowed.
 */
GstBuffer *run_push (Run *run);

/* Flushes all streams. */
void run_flush (Run *run);

/* All streams end, and each, named by @ids, has the frames and the results that
 * it has alone. Clears @run. */
void run_end (Run *run, const gchar *const *ids);

/* Every element message on @bus, which has no error, as structures; transfer
 * full. */
GPtrArray *take_results (GstBus *bus);

/* The first result of @results that is of stream @index, which is @id, taken
 * out of them and without the fields that say so; NULL: there is none. transfer
 * full */
GstStructure *pop_result (GPtrArray *results, guint index, const gchar *id);

G_END_DECLS
