/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Where each result of clframesum goes. */

#include "gstclfanout.h"

#include "gstclgamut.h"
#include "gstclseriesinput.h"
#include "gstclsignalstats.h"

#define MESSAGE_NAME "clframesum"

static GstClSummary
summarize (const GstClMeasured *measured, guint index)
{
  const GstClStatisticsShape *shape = measured->shape;
  const GstClRegion samples = gst_cl_regions_samples (measured->regions, index,
      &shape->info, shape->component_ids[0]);
  GstClSummary summary;

  gst_cl_summary_init (&summary, shape->statistics, &measured->metrics[index],
      shape->n_components, shape->n_codes, samples.height);
  /* the keys of signalstats need the count in full range, too */
  if (gst_cl_gamut_is_full (&shape->info))
    summary.gamut = 0.0;

  return summary;
}

static void
add_statistics (GstStructure *structure, const GstClMeasured *measured,
    const GstClSeriesFrame *frame)
{
  const GstClStatisticsShape *shape = measured->shape;
  const GstClRegions *regions = measured->regions;
  const guint n = regions->regions->len;
  GstClStatisticsShape shape_of_regions = *shape;
  g_autofree GstClSummary *summaries = g_new (GstClSummary, n);

  for (guint r = 0; r < n; r++)
    summaries[r] = summarize (measured, r);

  gst_cl_statistics_add_rectangle (structure, regions);
  gst_cl_statistics_add (structure, shape, &summaries[0]);
  if (shape->statistics & GST_CL_STATISTIC_DETECTION)
    gst_cl_series_frame_add_fields (frame, structure);
  if (shape->has_signalstats)
    gst_cl_signalstats_add (structure, shape, &measured->metrics[0],
        &summaries[0]);
  if (!measured->has_region_histograms)
    shape_of_regions.statistics &= ~GST_CL_STATISTIC_HISTOGRAM;
  gst_cl_statistics_add_zones (structure, &shape_of_regions, regions,
      summaries);
  gst_cl_statistics_add_rois (structure, &shape_of_regions, regions, summaries);
}

GstStructure *
gst_cl_fanout_analyze (const GstClFanout *self, const GstClMeasured *measured,
    const GstClFrameTime *time, guint epoch)
{
  g_autofree gchar *name = gst_object_get_name (GST_OBJECT (self->named));
  GstStructure *structure = gst_cl_statistics_new (MESSAGE_NAME,
      measured->shape, time, name);

  if (measured->metrics) {
    g_auto (GstClMeasuredInput) frame = { 0 };

    gst_cl_measured_input_init (&frame, measured, time);
    gst_cl_stream_analysis_add (self->analysis, &frame.input, epoch);
    add_statistics (structure, measured, &frame.input.frame);
  }

  return structure;
}

void
gst_cl_fanout_publish (const GstClFanout *self, GstBuffer *buffer,
    GstStructure *structure, gboolean posts)
{
  gst_cl_publisher_publish (self->publisher, self->element, buffer, structure,
      posts);
}
