/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "metricsmemory.h"
#include "metricsresults.h"
#include "cl/context/gstclkernel.h"
#include "ops/implementation.h"

G_BEGIN_DECLS

/* The differences between rows: GstClImplementation.data. */
typedef struct {
  /* Items share count words, which a kernel clears, and the host merges their
   * other results. Otherwise a kernel merges the items. */
  gboolean is_shared;
  const gchar *measure;
  const gchar *finish;    /* merges items, or advances the ring */
  const gchar *clear;     /* NULL unless is_shared */
  gboolean knows_strides; /* the program is built for pixel strides */
  gboolean counts_pairs;  /* of codes, if they fit into local memory */
} GstClMetricsRow;

struct _GstClMetricsOp {
  GstClContext *context;
  const GstClImplementation *implementation;
  const GstClMetricsRow *row; /* the implementation's */
  GstClMetricsFrame frame;
  guint max_regions;
  cl_int4 gamut_low, gamut_high;

  GstClKernel *measure, *finish, *clear; /* clear: NULL unless is_shared */

  cl_mem table;  /* of saturation and hue */
  guint n_known; /* the first references, whose earlier frames exist; 0: there
                        is no previous frame, either */

  GArray *regions; /* GstClRegion, from which the layout is made */
  GstClMetricsLayout layout;
  GstClMetricsMemory memory;

  GstClMetricsResults *slots[GST_CL_METRICS_SLOTS]; /* NULL where never used */
};

/* GstClImplementation.run of every row; io: GstClMetricsIo. */
gboolean gst_cl_metrics_run (gpointer instance, gconstpointer io,
    GError **error);

G_END_DECLS
