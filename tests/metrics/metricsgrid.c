/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Problems of metrics. */

#include "ops/grid.h"
#include "ops/metrics/metrics.h"

static gconstpointer
get_problem (guint index)
{
  static const guint metrics[] = { GST_CL_METRIC_HISTOGRAM, 0x7ff };
  static const GstClSampleType samples[] = { { 1, 8, 0 }, { 2, 10, 6 } };
  static GstClMetricsProblem problem;
  const GstClSampleType *sample =
      &samples[index / G_N_ELEMENTS (metrics) % G_N_ELEMENTS (samples)];

  if (index >= G_N_ELEMENTS (metrics) * G_N_ELEMENTS (samples))
    return NULL;

  problem = (GstClMetricsProblem){
    .n_components = 3,
    .metrics = metrics[index % G_N_ELEMENTS (metrics)],
    .n_bins = 1u << sample->depth,
    .max_regions = 1,
  };
  for (guint c = 0; c < problem.n_components; c++)
    problem.shapes[c] = (GstClComponent){
      .pixel_stride_bytes = (gint) sample->bytes,
      .width = c > 0 ? 960 : 1920,
      .height = c > 0 ? 540 : 1080,
      .sample = *sample,
    };

  return &problem;
}

static const gchar *const methods[] = { "auto", NULL };

const OpGrid metrics_grid = { "metrics", &gst_cl_metrics_table, methods,
  get_problem };
