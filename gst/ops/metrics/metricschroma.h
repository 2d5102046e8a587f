/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "metricstypes.h"

G_BEGIN_DECLS

/* What metric_chroma() of cl_metrics.clh looks up. *n_bytes receives its
 * size. */
gpointer gst_cl_metrics_chroma_table (const GstClMetricsProblem *problem,
    gsize *n_bytes);

G_END_DECLS
