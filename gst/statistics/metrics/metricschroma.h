/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "metricstypes.h"

G_BEGIN_DECLS

/* Returns the lookup table of metric_chroma() in cl_metrics.clh; sets *n_bytes
 * to its size. */
gpointer gst_cl_metrics_chroma_table (const GstClMetricsProblem *problem,
    gsize *n_bytes);

G_END_DECLS
