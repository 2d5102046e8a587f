/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "cl/context/gstclcontext.h"
#include "metricslayout.h"

G_BEGIN_DECLS

/* Device memory of metrics: frames that are kept, the layout, results. */

/* All zero is empty. */
typedef struct {
  GstClContext *context; /* the op's */

  cl_mem frames;       /* those that later ones are compared with, */
  gsize frame_samples; /* so far apart, */
  cl_mem rings[2];     /* and which is which, at this turn */
  guint n_rings, ring;

  cl_mem items, spans, records; /* records: of items, if the device merges */
  gsize records_bytes;
  cl_mem results[2]; /* the next run's is @result, the last one's @fetched */
  gsize results_bytes[2];
  gboolean is_clear[2]; /* its counts are 0 */
  guint n_results, result, fetched;
} GstClMetricsMemory;

gboolean gst_cl_metrics_memory_init (GstClMetricsMemory *memory,
    GstClContext *context, const GstClMetricsFrame *frame, GError **error);
void gst_cl_metrics_memory_clear (GstClMetricsMemory *memory);

/* Makes room for @layout. */
gboolean gst_cl_metrics_memory_take_layout (GstClMetricsMemory *memory,
    const GstClMetricsFrame *frame, const GstClMetricsLayout *layout,
    GError **error);

/* A run was enqueued. If there are two buffers of results, it clears the counts
 * of the one that it does not write. */
void gst_cl_metrics_memory_turn (GstClMetricsMemory *memory);

G_END_DECLS
