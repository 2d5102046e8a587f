/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The known answer of metrics. */

#include "metricsprivate.h"

#include "cl/memory/gstclmemory.h"
#include "metricsrun.h"
#include "ops/knownanswer.h"

/* Each region of a component is measured by its rows, its neighbours and the
 * previous frame, as for the most frequent statistics and events of luma. */
static const GstClMetricsProblem luma = {
  .n_components = 1,
  .shapes = { GST_CL_ANSWER_8_BITS },
  .metrics = GST_CL_METRIC_HISTOGRAM | GST_CL_METRIC_MOMENTS |
             GST_CL_METRIC_TEMPORAL,
  .n_bins = 256,
  .max_regions = GST_CL_METRICS_N_ANSWER_REGIONS,
};

const GstClAnswer gst_cl_metrics_answers[] = {
  { "luma", &luma, G_GUINT64_CONSTANT (0x4bd774bbd69488c3) },
};
G_STATIC_ASSERT (
    G_N_ELEMENTS (gst_cl_metrics_answers) == GST_CL_METRICS_N_ANSWERS);

const GstClRegion gst_cl_metrics_answer_regions[] = {
  { 0, 0, GST_CL_ANSWER_WIDTH, GST_CL_ANSWER_HEIGHT },
  { 33, 17, 131, 71 },
};

guint64
gst_cl_metrics_digest (guint64 digest, const GstClMetricsProblem *problem,
    const GstClRegionMetrics *metrics)
{
  for (guint c = 0; c < problem->n_components; c++) {
    const GstClComponentMetrics *component = &metrics->components[c];

    digest = gst_cl_answer_moments (digest, &component->moments);
    digest = gst_cl_answer_digest (digest, &component->difference, 1,
        sizeof component->difference);
    digest = gst_cl_answer_digest (digest, component->histogram,
        problem->n_bins, sizeof component->histogram[0]);
  }

  return digest;
}

static gboolean
add_frame (GstClMetricsOp *op, GstClContext *context,
    const GstClMetricsProblem *problem, guint seed, guint64 *digest,
    GError **error)
{
  g_autofree guint8 *bytes = gst_cl_answer_samples (seed);
  g_autoptr (GstMemory) samples = gst_cl_answer_memory_new (context,
      GST_CL_ANSWER_SAMPLES, bytes, error);
  GstMemory *const memories[] = { samples, NULL };
  GstClComponent component = problem->shapes[0];
  const guint64 limit = 0;
  const GstClMetricsIo io = { &component, gst_cl_metrics_answer_regions,
    GST_CL_METRICS_N_ANSWER_REGIONS, &limit, 1 };
  GstClRegionMetrics results[GST_CL_METRICS_N_ANSWER_REGIONS];

  if (!samples)
    return FALSE;
  component.mem = gst_cl_memory_get_handle (samples);
  if (!gst_cl_answer_run (gst_cl_metrics_run, op, &io, memories, error) ||
      !gst_cl_metrics_op_fetch (op, 0, error) ||
      !gst_cl_metrics_op_result (op, 0, results,
          GST_CL_METRICS_N_ANSWER_REGIONS, error))
    return FALSE;

  for (guint i = 0; i < G_N_ELEMENTS (results); i++)
    *digest = gst_cl_metrics_digest (*digest, problem, &results[i]);

  return TRUE;
}

gboolean
gst_cl_metrics_compute_answer (GstClContext *context,
    const GstClCandidate *candidate, gconstpointer answered, guint64 *digest,
    GError **error)
{
  const GstClMetricsProblem *problem = answered;
  g_autoptr (GstClMetricsOp)
      op = gst_cl_metrics_op_new (context, candidate, problem, error);

  *digest = GST_CL_ANSWER_DIGEST;

  return op && add_frame (op, context, problem, 0, digest, error) &&
         add_frame (op, context, problem, 1, digest, error);
}
