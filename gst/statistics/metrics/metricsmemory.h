/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "metricslayout.h"
#include "cl/context/gstclcontext.h"

G_BEGIN_DECLS

/* Device memory of metrics: stored frames, the layout, results. */

/* Valid when zero-initialised. */
typedef struct {
  GstClContext *context; /* the op's */

  cl_mem frames;       /* the frames that later ones are compared with, */
  gsize frame_samples; /* the distance between them, */
  cl_mem rings[2];     /* and their current order: a MetricRing for each
                          reference, and two frames more for all zones */
  guint n_rings, ring;
  guint n_turns; /* runs; modulo 2^32 */

  cl_mem items, spans, records; /* records: of items, if the device merges */
  cl_mem references;            /* MetricReference */
  gsize records_bytes;
  cl_mem results[2]; /* the next run uses @result, the last read @fetched */
  gsize results_bytes[2];
  gboolean is_clear[2]; /* its counts are 0 */
  guint n_results, result, fetched;
} GstClMetricsMemory;

gboolean gst_cl_metrics_memory_init (GstClMetricsMemory *memory,
    GstClContext *context, const GstClMetricsFrame *frame, guint max_regions,
    GError **error);
void gst_cl_metrics_memory_clear (GstClMetricsMemory *memory);

/* Allocates enough memory for @layout. FALSE with @error. */
gboolean gst_cl_metrics_memory_take_layout (GstClMetricsMemory *memory,
    const GstClMetricsFrame *frame, const GstClMetricsLayout *layout,
    GError **error);

/* Takes the references of @layout. FALSE with @error. */
gboolean gst_cl_metrics_memory_take_references (GstClMetricsMemory *memory,
    const GstClMetricsLayout *layout, GError **error);

/* Call it after a run was enqueued. If there are two buffers of results, clears
 * the counts of the buffer that the run does not write. */
void gst_cl_metrics_memory_turn (GstClMetricsMemory *memory);

/* Takes the stored frames and their order from @before, the memory of another
 * row for the same problem, which runs no more. */
void gst_cl_metrics_memory_adopt (GstClMetricsMemory *memory,
    GstClMetricsMemory *before);

G_END_DECLS
