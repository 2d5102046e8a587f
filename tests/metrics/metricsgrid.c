/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Problems of metrics. */

#include "ops/grid.h"
#include "statistics/metrics/metrics.h"

static gconstpointer
get_problem (guint index)
{
  static const guint metrics[] = { GST_CL_METRIC_HISTOGRAM,
    GST_CL_METRIC_HISTOGRAM | GST_CL_METRIC_CHROMA };
  static const GstClSampleType samples[] = { { 1, 8, 0 }, { 2, 10, 6 },
    { 2, 16, 0 } };
  static const gint pixel_strides[] = { 1, 4 }; /* in samples */
  static GstClMetricsProblem problem;
  const guint of_metrics = index / G_N_ELEMENTS (metrics);
  const guint of_samples = of_metrics / G_N_ELEMENTS (samples);
  const GstClSampleType *sample = &samples[of_metrics % G_N_ELEMENTS (samples)];

  if (of_samples >= G_N_ELEMENTS (pixel_strides))
    return NULL;

  problem = (GstClMetricsProblem){
    .n_components = 3,
    .metrics = metrics[index % G_N_ELEMENTS (metrics)],
    .n_bins = 1u << sample->depth,
    .max_regions = 1,
  };
  for (guint c = 0; c < problem.n_components; c++)
    problem.shapes[c] = (GstClComponent){
      .pixel_stride_bytes = pixel_strides[of_samples] * (gint) sample->bytes,
      .width = c > 0 ? 960 : 1920,
      .height = c > 0 ? 540 : 1080,
      .sample = *sample,
    };

  return &problem;
}

static const gchar *const methods[] = { "auto", NULL };

const OpGrid metrics_grid = {
  .name = "metrics",
  .table = &gst_cl_metrics_table,
  .methods = methods,
  .get_problem = get_problem,
};
