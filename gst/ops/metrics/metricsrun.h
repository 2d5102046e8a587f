/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "cl/context/gstclkernel.h"
#include "metricsmemory.h"
#include "metricsresults.h"
#include "ops/implementation.h"

G_BEGIN_DECLS

/* What rows differ in: GstClImplementation.data. */
typedef struct {
  /* Items count in the same words, which a kernel clears, and the host merges
   * what else they leave. Otherwise a kernel merges the items. */
  gboolean is_shared;
  const gchar *measure;
  const gchar *finish;    /* merges items, or moves the ring on */
  const gchar *clear;     /* NULL unless is_shared */
  gboolean knows_strides; /* the program is built for pixel strides */
  gboolean counts_pairs;  /* of codes, where local memory has room for them */
} GstClMetricsRow;

struct _GstClMetricsOp {
  GstClContext *context;
  const GstClImplementation *implementation;
  const GstClMetricsRow *row; /* the implementation's */
  GstClMetricsFrame frame;
  guint max_regions;
  cl_int4 gamut_low, gamut_high;

  GstClKernel *measure, *finish, *clear; /* clear: NULL unless is_shared */

  cl_mem table;      /* of saturation and hue */
  gboolean is_first; /* no frame before is to be compared with */

  GArray *regions; /* GstClRegion, what the layout is made of */
  GstClMetricsLayout layout;
  GstClMetricsMemory memory;

  GstClMetricsResults *slots[GST_CL_METRICS_SLOTS]; /* NULL where never used */
};

/* GstClImplementation.run of every row; io: GstClMetricsIo. */
gboolean gst_cl_metrics_run (gpointer instance, gconstpointer io,
    GError **error);

G_END_DECLS
